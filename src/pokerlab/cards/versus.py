"""Any number of hands or ranges against each other at showdown: exactly where that is quick, sampled otherwise.

Two ranges are compared on all boards (`equity.range_equity`). Of three and more, every way to deal them hands that have
no card in common is gone through, if those are few; where they are many, hands and boards are drawn. The joint
probability of hands is always the product of their weights, as far as they can be dealt together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, product
from math import prod
from typing import Any

import numpy as np

from pokerlab.bounds import SAMPLES, SEED
from pokerlab.cards.deck import Deck
from pokerlab.cards.equity import Hands, holdem_shares, range_equity, sampled_range_equity
from pokerlab.cards.evaluator import evaluate
from pokerlab.cards.holes import HOLES
from pokerlab.cards.ranges import Range, as_range
from pokerlab.cards.runouts import as_board, as_cards
from pokerlab.errors import CardError, RangeError
from pokerlab.progress import Bar

Cards = tuple[int, ...]

MOST_DEALS = 20_000  # of hands of three and more players, gone through
DEFAULT_SAMPLES = 100_000
MOST_PLAYERS = 10
_AT_ONCE = 20_000  # deals drawn together
_TRIES = 100  # times as many deals are drawn as are asked for, before ranges are said not to fit together
_NORMAL = 1.959964  # standard errors on either side of a 95 % interval
_DECK = Deck()


@dataclass(frozen=True)
class Equities:
    """What each range wins: `equity` its expected share of the pot. What was `sampled` has intervals, and no more."""

    hands: tuple[Range, ...]
    board: Cards
    dead: Cards
    equity: tuple[float, ...]
    wins: tuple[float, ...] | None = None  # how often each wins alone, and how often it shares the pot
    ties: tuple[float, ...] | None = None
    ci95: tuple[float, ...] | None = None
    samples: int | None = None

    @property
    def method(self) -> str:
        return "exact" if self.samples is None else "sampled"

    def as_json(self, names: Sequence[str]) -> dict[str, Any]:
        """As plain JSON, a row a player under the names that it was given."""
        rows = []
        for i, (name, hands) in enumerate(zip(names, self.hands, strict=True)):
            row: dict[str, Any] = {"player": i + 1, "hands": name, "combos": hands.combos, "equity": self.equity[i]}
            if self.ci95 is not None:
                row["ci95"] = self.ci95[i]
            if self.wins is not None and self.ties is not None:
                row |= {"wins": self.wins[i], "ties": self.ties[i]}
            rows.append(row)
        board, dead = _DECK.text(self.board), _DECK.text(self.dead)
        return {"board": board, "dead": dead, "method": self.method, "samples": self.samples, "players": rows}

    def lines(self, names: Sequence[str]) -> list[str]:
        """As text, a line a player."""
        come = 5 - len(self.board)
        board = f"board {' '.join(_DECK.text((card,)) for card in self.board)}" if self.board else "before the flop"
        how = "exact, over all of them" if come else "exact"
        if self.samples is not None:
            how = f"{self.samples:,} samples, with 95 % intervals"
        to_come = f"{come} card{'s' * (come > 1)} to come" if come else "no card to come"
        wide = min(40, max(6, *map(len, names)))
        extra = "" if self.wins is None else "     wins     ties"
        lines = [f"{board}, {to_come}: {how}", f"   {'hands':<{wide}}   combos           equity{extra}"]
        for i, (name, hands) in enumerate(zip(names, self.hands, strict=True)):
            told = name if len(name) <= wide else name[: wide - 3] + "..."
            share = f"{100 * self.equity[i]:.2f} %"
            if self.ci95 is not None:
                share = f"{100 * self.equity[i]:.2f} ± {100 * self.ci95[i]:.2f} %"
            row = f"{i + 1:>2} {told:<{wide}} {hands.combos:>8g} {share:>16}"
            if self.wins is not None and self.ties is not None:
                row += f"  {100 * self.wins[i]:5.2f} %  {100 * self.ties[i]:5.2f} %"
            lines.append(row)
        return lines


def equities(
    hands: Sequence[Hands],
    board: str | Cards = (),
    *,
    dead: str | Cards = (),
    samples: int | None = None,
    seed: int = 0,
    progress: bool | None = None,
) -> Equities:
    """What hands or ranges win against each other on a board, or before the flop; `dead` cards cannot come.

    `samples` asks for an estimate from so many draws. Without it two ranges, and more if there are at most 20,000 ways
    to deal them hands, are compared exactly, and others by 100,000 draws.
    """
    SAMPLES.check(samples, "samples", CardError)
    SEED.check(seed, error=CardError)
    if not 2 <= len(hands) <= MOST_PLAYERS:
        raise CardError(f"an equity is that of two to {MOST_PLAYERS} players against each other, not of {len(hands)}")
    shown = as_board(board)
    gone = as_cards(dead, shown)
    left = tuple(_left(given, number, shown + gone) for number, given in enumerate(hands, 1))
    known = left, shown, gone
    if samples is None and len(left) == 2:
        two = range_equity(*left, shown, dead=gone, progress=progress)
        return Equities(*known, two.equity, two.wins, (two.ties, two.ties))
    if samples is None and prod(map(len, left)) <= MOST_DEALS:
        return Equities(*known, *_dealt(*known, progress))
    count, rng = samples or DEFAULT_SAMPLES, np.random.default_rng(seed)
    if len(left) == 2 and len(shown) < 5:
        equity, error = sampled_range_equity(*left, shown, count, rng, dead=gone, progress=progress)
        return Equities(*known, equity, ci95=(_NORMAL * error,) * 2, samples=count)
    mean, interval = _drawn(*known, count, rng, progress)
    return Equities(*known, mean, ci95=interval, samples=count)


def _left(hands: Hands, player: int, table: Cards) -> Range:
    """The hands of a range that the cards on the table leave."""
    left = as_range(hands).without(table)
    if not len(left):
        raise RangeError(f"player {player} has no hand that the cards on the table leave possible")
    return left


def _dealt(
    hands: tuple[Range, ...], board: Cards, dead: Cards, progress: bool | None
) -> tuple[tuple[float, ...], tuple[float, ...], tuple[float, ...]]:
    """Shares, clear wins and shared pots over every way to deal the hands."""
    total, weight, ways = np.zeros((3, len(hands))), 0.0, prod(map(len, hands))
    with Bar("equity of hands", progress) as bar:
        for done, deal in enumerate(product(*hands)):
            holes, weights = zip(*deal, strict=True)
            if done % 64 == 0:
                bar.show(done / ways, f"{done:,} of {ways:,} ways to deal them")
            if len({*chain(*holes)}) < 2 * len(holes):
                continue
            shares = holdem_shares(holes, board, dead)
            total += prod(weights) * shares.T
            weight += prod(weights)
    if not weight:
        raise RangeError("these hands need a card twice however they are dealt: they cannot meet")
    equity, wins, ties = (total / weight).tolist()
    return tuple(equity), tuple(wins), tuple(ties)


def _drawn(
    hands: tuple[Range, ...],
    board: Cards,
    dead: Cards,
    samples: int,
    rng: np.random.Generator,
    progress: bool | None,
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Mean shares over random deals, and the halves of their 95 % intervals."""
    sums, squares, count = np.zeros(len(hands)), np.zeros(len(hands)), 0
    with Bar("equity of hands", progress) as bar:
        for shares in _samples(hands, board, dead, samples, rng):
            sums, squares, count = sums + shares.sum(axis=0), squares + (shares**2).sum(axis=0), count + len(shares)
            bar.show(count / samples, f"{count:,} of {samples:,} deals")
    mean = sums / count
    error = np.sqrt(np.maximum(squares / count - mean**2, 0) / (count - 1))
    return tuple(mean.tolist()), tuple((_NORMAL * error).tolist())


def _samples(
    hands: tuple[Range, ...], board: Cards, dead: Cards, samples: int, rng: np.random.Generator
) -> Iterator[np.ndarray]:
    """Shares [n, players] of deals, until there are enough: of all hands drawn, those that have no card in common."""
    live = np.array([card for card in range(52) if card not in board + dead], np.uint8)
    chances = [given.weights / given.combos for given in hands]
    missing, tries = samples, _TRIES * samples
    while missing:
        if tries <= 0:
            raise RangeError("these ranges can hardly be dealt together: too many of their hands share cards")
        drawn = min(_AT_ONCE, max(1000, 4 * missing))
        tries -= drawn
        holes = np.stack([HOLES[rng.choice(len(odds), drawn, p=odds)] for odds in chances], axis=1)
        cards = np.sort(holes.reshape(drawn, -1), axis=1)
        holes = holes[(cards[:, 1:] != cards[:, :-1]).all(axis=1)][:missing]
        if len(holes):
            missing -= len(holes)
            yield _shares(holes, _boards(holes, board, live, rng))


def _boards(holes: np.ndarray, board: Cards, live: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A complete board [n, 5] beside each row of hands [n, players, 2]."""
    keys = rng.random((len(holes), 52))
    taken = np.ones(52)
    taken[live] = 0.0
    keys += taken  # cards on the table, and those that somebody holds, come last
    np.put_along_axis(keys, holes.reshape(len(holes), -1).astype(np.int64), 2.0, axis=1)
    come = 5 - len(board)
    shown = np.tile(np.array(board, np.uint8), (len(holes), 1))
    return np.concatenate([shown, keys.argsort(axis=1)[:, :come].astype(np.uint8)], axis=1)


def _shares(holes: np.ndarray, boards: np.ndarray) -> np.ndarray:
    """Each player's share [n, players] of the pot; ties split."""
    seven = np.concatenate([holes, np.repeat(boards[:, None], holes.shape[1], axis=1)], axis=2)
    values = evaluate(seven.reshape(-1, 7)).reshape(holes.shape[:2])
    best = values == values.max(axis=1, keepdims=True)
    return np.asarray(best / best.sum(axis=1, keepdims=True))

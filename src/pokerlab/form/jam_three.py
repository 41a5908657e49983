"""Jam or fold of three players: the button, the small blind, then the big blind; prizes by the Independent Chip Model.

Ganzfried and Sandholm (2008) begin with such values. Three hands meet in so many ways that deals are drawn: the game is
that of the drawn deals, of which those without two good hands in front are thinned out and count the more; two who are
all-in have what they have over all cards to come. What stacks are worth is Malmuth's and Harville's model: a player is
first with the share of the chips that it has, and so on among the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations, product
from typing import NamedTuple

import numpy as np

from pokerlab.bounds import CHIPS, DRAWN, SEED
from pokerlab.cards.evaluator import evaluate
from pokerlab.cards.holes import class_name, classes
from pokerlab.cards.matchups import class_matchups
from pokerlab.cards.preflop import preflop_tables
from pokerlab.errors import PokerlabError
from pokerlab.form.game import ManyPlayerGame
from pokerlab.form.treeplex import Block, Treeplex
from pokerlab.game.hand import split_pot

KINDS = 169
DEALS = 1_000_000
_THINNED = 0.1  # of deals in which not both of the first two hold a better hand than most
_BETTER = 0.6
_CHUNK = 50_000
FOLD, JAM = 0, 1
# What was done before each block of a player's decisions.
BEFORE = ([()], [(FOLD,), (JAM,)], [(FOLD, JAM), (JAM, FOLD), (JAM, JAM)])


class Tournament(NamedTuple):
    """Stacks before the blinds (button, small blind, big blind), the two blinds, and prizes, the first one first."""

    stacks: tuple[int, int, int]
    blinds: tuple[int, int]
    prizes: tuple[float, float, float]

    def check(self) -> None:
        """Refuse stacks, blinds and prizes that make no sense."""
        for chips in (*self.stacks, *self.blinds):
            CHIPS.check(chips, error=PokerlabError)
        if not 0 < self.blinds[0] <= self.blinds[1] < min(self.stacks):
            raise PokerlabError(f"blinds {self.blinds} and stacks {self.stacks}: every stack is above the big blind")
        if any(prize < 0 for prize in self.prizes) or list(self.prizes) != sorted(self.prizes, reverse=True):
            raise PokerlabError(f"prizes are for the first, second and third, and do not grow: not {self.prizes}")


def icm(stacks: Sequence[float], prizes: Sequence[float]) -> np.ndarray:
    """What stacks are worth: prizes times the probability of each order in which the players may come in.

    Those without chips share what is left to them.
    """
    worth = np.zeros(len(stacks))
    orders = list(permutations(range(len(stacks))))
    for order in orders:
        odds, left = 1.0, float(sum(stacks))
        for place, player in enumerate(order):
            among = len(stacks) - place
            odds *= stacks[player] / left if left > 0 else 1 / among
            left -= stacks[player]
        worth[list(order)] += odds * np.asarray(prizes)[: len(stacks)]
    return worth


def three_way_game(table: Tournament, deals: int = DEALS, seed: int = 0) -> ManyPlayerGame:
    """The game of so many drawn deals, in which each pays its share of the prizes."""
    table.check()
    DRAWN.check(deals, error=PokerlabError)
    SEED.check(seed, error=PokerlabError)
    kinds, worse, weights = drawn_deals(deals, np.random.default_rng(seed))
    orders, order = np.unique(worse, axis=0, return_inverse=True)
    sequences, payoffs = [], []
    for choices in _lines():
        inside = _inside(choices)
        if len(inside) == 2:
            worth = _of_two(table, choices, inside, kinds)
        else:
            worth = np.array([_worth(table, choices, standing) for standing in orders.tolist()])[order.ravel()]
        payoffs.append(worth * weights[:, None])
        sequences.append(np.stack([_sequences(player, choices, kinds[:, player]) for player in range(3)], axis=1))
    names = [class_name(kind) for kind in range(KINDS)]
    trees = tuple(_treeplex(player, names) for player in range(3))
    return ManyPlayerGame(trees, np.concatenate(sequences), np.concatenate(payoffs), "jam or fold of three")


def drawn_deals(deals: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Kinds of the three hands of each deal that is kept, how many hands each beats, and what the deal counts."""
    strength = preflop_tables()[0]
    good = strength > np.quantile(strength[classes()], _BETTER)
    parts = []
    for first in range(0, deals, _CHUNK):
        cards = np.argsort(rng.random((min(_CHUNK, deals - first), 52)), axis=1)[:, :11]
        low, high = np.sort(cards[:, :6].reshape(-1, 3, 2), axis=2).transpose(2, 0, 1)
        kinds = classes()[high * (high - 1) // 2 + low].astype(np.int64)
        met = good[kinds[:, :2]].all(axis=1)
        kept = met | (rng.random(len(cards)) < _THINNED)
        cards, kinds, weights = cards[kept], kinds[kept], np.where(met, 1.0, 1 / _THINNED)[kept]
        hands = [np.concatenate((cards[:, 2 * p : 2 * p + 2], cards[:, 6:]), axis=1) for p in range(3)]
        values = np.stack([evaluate(seven) for seven in hands], axis=1)
        parts.append((kinds, (values[:, :, None] > values[:, None, :]).sum(axis=2), weights))
    kinds, worse, weights = (np.concatenate(part) for part in zip(*parts, strict=True))
    return kinds, worse, weights / weights.sum()


def _lines() -> list[tuple[int, ...]]:
    """All ways to act: who folds first leaves the big blind without a choice."""
    return [(FOLD, FOLD), *(line for line in product((FOLD, JAM), repeat=3) if line[:2] != (FOLD, FOLD))]


def _inside(choices: tuple[int, ...]) -> list[int]:
    """Who plays for the pot: whoever jams, or else the big blind alone."""
    return [player for player, choice in enumerate(choices) if choice == JAM] or [2]


def _of_two(table: Tournament, choices: tuple[int, ...], inside: list[int], kinds: np.ndarray) -> np.ndarray:
    """What each has of the prizes when two are all-in: the mean over cards to come, whatever the third has folded."""
    dealt, won = class_matchups()
    first, second = kinds[:, inside[0]], kinds[:, inside[1]]
    wins, loses = won[first, second] / dealt[first, second], won[second, first] / dealt[first, second]
    ends = []
    for mine, theirs in ((1, 0), (0, 1), (0, 0)):
        standing = [0, 0, 0]
        standing[inside[0]], standing[inside[1]] = mine, theirs
        ends.append(_worth(table, choices, standing))
    return np.stack([wins, loses, 1 - wins - loses], axis=1) @ np.array(ends)


def _sequences(player: int, choices: tuple[int, ...], kinds: np.ndarray) -> np.ndarray:
    """The player's sequence on a line, by its kind of hand; the empty one where it had no choice."""
    if player >= len(choices):
        return np.zeros_like(kinds)
    block = BEFORE[player].index(choices[:player])  # type: ignore[arg-type]
    return 1 + 2 * KINDS * block + KINDS * choices[player] + kinds


def _worth(table: Tournament, choices: tuple[int, ...], standing: Sequence[int]) -> np.ndarray:
    """What each has of the prizes after a line of betting, if the hands rank so."""
    return prizes_of(table.stacks, after_hand(table.stacks, table.blinds, choices, standing), table.prizes)


def after_hand(
    stacks: tuple[int, ...], blinds: tuple[int, int], choices: tuple[int, ...], standing: Sequence[int]
) -> tuple[float, ...]:
    """Everybody's chips after a line of betting, if the hands of those who play for the pot rank so."""
    posted = [min(blind, stack) for blind, stack in zip((0, *blinds), stacks, strict=True)]
    inside = _inside(choices)
    if len(inside) == 1:  # nobody calls
        spent = [max(posted) if player in inside else posted[player] for player in range(3)]
    else:
        spent = [stacks[player] if player in inside else posted[player] for player in range(3)]
    most = max(spent[player] for player in inside)  # what a blind was above that was never played for
    net = split_pot(tuple(min(chips, most) for chips in spent), {player: standing[player] for player in inside})
    return tuple(stack + chips for stack, chips in zip(stacks, net, strict=True))


def prizes_of(before: tuple[int, ...], after: Sequence[float], prizes: Sequence[float]) -> np.ndarray:
    """What stacks are worth by the Independent Chip Model; of two who go out together, who had more comes in before."""
    out = [player for player in range(3) if after[player] <= 0]
    if len(out) < 2 or before[out[0]] == before[out[1]]:
        return icm(after, prizes)
    worth = np.zeros(3)
    places = [*(player for player in range(3) if player not in out), *sorted(out, key=lambda p: -before[p])]
    worth[places] = prizes
    return worth


def _treeplex(player: int, names: list[str]) -> Treeplex:
    words = {FOLD: "fold", JAM: "jam"}
    blocks = [Block(", ".join(words[choice] for choice in line), names, ["fold", "jam"]) for line in BEFORE[player]]
    return Treeplex([np.zeros(KINDS, np.int64)] * len(blocks), [2] * len(blocks), blocks.__getitem__)

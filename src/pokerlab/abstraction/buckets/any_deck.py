"""Card abstractions of games that are played as hold'em is, with any deck and rounds: Royal, short deck, flop hold'em.

deck_buckets("169/percentile:10/percentile:10/percentile:10", rules_of("holdem-limit:ranks=5"))

Buckets are by strength and forget their past: `lossless` (or 169) before the board, `fixed:K`, `percentile:K`,
`kmeans:K` or a function of one's own on every round. An abstraction is no more than where strengths are cut; a hand's
strength is computed when it is asked for, and tables of flops and turns are made only to deal many hands at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import Any, BinaryIO

import numpy as np

from pokerlab.abstraction.buckets.divide import strength_cuts
from pokerlab.abstraction.buckets.spec import DIVISIONS, Bucketing, parse_bucketing
from pokerlab.cards import any_deck_kernels as kernels
from pokerlab.cards.any_deck import DeckStrengths, strengths_of
from pokerlab.cards.deck import Deck
from pokerlab.cards.evaluator import first_bad, tables
from pokerlab.cards.holes import COUNT, HOLES, holes_of
from pokerlab.cards.isomorphism import isomorphism
from pokerlab.errors import AbstractionError, CardError
from pokerlab.files import pack_arrays
from pokerlab.game.rules import Rules
from pokerlab.reading import Damage, Header, of_kind, read_arrays, reading
from pokerlab.threads import in_pieces

FORMAT, VERSION = "pokerlab deck buckets", 1
BINS = 4096  # of strength, at most: finer is no use to buckets
_MOST_BYTES = 1 << 20
_STREETS = {0: "preflop", 3: "flop", 4: "turn", 5: "river"}  # by cards on the board
_SIZES = (0, 3, 4)  # of the boards that tables have


@dataclass(frozen=True, eq=False)
class DeckBuckets:
    """Buckets of all hands of a deck, round by round. `cuts[r]` are the bins of strength where the second, third, ...
    bucket of round r begins; a round without a board may have `classes` instead, every canonical hand by itself."""

    text: str
    deck: Deck
    boards: tuple[int, ...]  # cards on the board, by round
    counts: tuple[int, ...]
    cuts: tuple[np.ndarray, ...]

    @property
    def strengths(self) -> DeckStrengths:
        return strengths_of(self.deck, self.boards[-1])

    def step(self, size: int) -> int:
        """How much of a sum of strengths is one bin."""
        return _step(self.strengths, size)

    def board_buckets(self, board: Sequence[int]) -> np.ndarray:
        """The buckets of all holes of the deck on a board, -1 where a card clashes: int32."""
        if len(board) not in self.boards:
            raise CardError(f"boards here have {' or '.join(map(str, sorted({*self.boards})))} cards, not {len(board)}")
        round = self.boards.index(len(board))
        if not board and self._lossless(round):
            return hole_classes(self.deck)
        sums = self.strengths.sums(tuple(board))
        places = np.searchsorted(self.cuts[round], sums // self.step(len(board)), side="right")
        return np.where(sums >= 0, places, -1).astype(np.int32)

    def deal_buckets(self, deals: np.ndarray, players: int = 2) -> np.ndarray:
        """Buckets [deals, players, rounds] of dealt cards, two for each player and then the last board: int32."""
        known = self.strengths
        width = 2 * players + known.last
        if deals.ndim != 2 or deals.shape[1] != width or deals.dtype.kind not in "iu":
            raise CardError(f"deals for {players} players have {width} cards each, not shape {deals.shape}")
        if len(deals) and not 0 <= deals.min() <= deals.max() < len(self.deck):
            raise CardError(f"cards of this deck are 0 to {len(self.deck) - 1}")
        cards = known.cards[deals]
        if (bad := first_bad(cards)) >= 0:
            raise CardError(f"deal {bad} has a card twice: {deals[bad].tolist()}")
        by_size = np.zeros((len(deals), players, 4), np.int32)
        flop, turn = isomorphism((2, 3)).tables, isomorphism((2, 4)).tables
        kernels.fill_deals(
            tables(), known.cards, cards, players, self._before, flop, self._table(3), turn, self._table(4), known.last,
            self.step(known.last), self.cuts[self.boards.index(known.last)], by_size,
        )  # fmt: skip
        columns = [3 if size == known.last else _SIZES.index(size) for size in self.boards]
        return by_size[:, :, columns]

    def _lossless(self, round: int) -> bool:
        return self.text.split("/")[round] == "lossless"

    @cached_property
    def _before(self) -> np.ndarray:
        """The bucket before the board of each of the 1,326 holes, 0 where one is not of the deck."""
        buckets = np.zeros(COUNT, np.int32)
        if 0 in self.boards:
            buckets[self.strengths.numbers] = self.board_buckets(())
        return buckets

    @cached_property
    def _tables(self) -> dict[int, np.ndarray]:
        return {size: self._swept(size) for size in (3, 4) if size in self.boards[:-1] and size < self.boards[-1]}

    def _table(self, size: int) -> np.ndarray:
        """Buckets by the index of hand and board up to suits, where such boards come before the last; else empty."""
        return self._tables.get(size, np.zeros(0, np.uint16))

    def _swept(self, size: int) -> np.ndarray:
        known, suits = self.strengths, isomorphism((2, size))
        boards, cuts = known.boards(size).cards, self.cuts[self.boards.index(size)]
        buckets = np.zeros(suits.sizes[-1], np.uint16)
        in_pieces(
            lambda first, end: kernels.sweep_buckets(
                tables(), HOLES, known.inside, known.cards, boards[first:end], known.last, self.step(size), cuts,
                suits.tables, buckets,
            ),
            len(boards), 64, f"buckets on boards of {size}",
        )  # fmt: skip
        return buckets

    def pack(self, file: BinaryIO) -> None:
        """Write it to an open file."""
        header: dict[str, Any] = {
            "format": FORMAT, "version": VERSION, "spec": self.text, "ranks": self.deck.ranks, "suits": self.deck.suits,
            "boards": list(self.boards), "counts": list(self.counts),
        }  # fmt: skip
        pack_arrays(file, header, {f"cuts{r}": cuts for r, cuts in enumerate(self.cuts)})


@lru_cache(maxsize=4)
def hole_classes(deck: Deck) -> np.ndarray:
    """Each hole's number among those that differ by more than suits: int32."""
    suits = len(deck.suits)
    pairs = np.array(holes_of(len(deck), 2))
    ranks, suited = pairs // suits, pairs[:, 0] % suits == pairs[:, 1] % suits
    key = 2 * (ranks[:, 1] * len(deck.ranks) + ranks[:, 0]) + suited
    return np.unique(key, return_inverse=True)[1].astype(np.int32)


def deck_buckets(text: str, rules: Rules) -> DeckBuckets:
    """Build the card abstraction of a spec for the deck and the rounds of some rules: seconds for 36 cards."""
    if not rules.holdem_family:
        raise AbstractionError(f"{rules.name or 'this game'} is not played as hold'em is: its cards have no strengths")
    boards = tuple(accumulate(rules.board_cards))
    parts, streets = text.split("/"), [_STREETS[size] for size in boards]
    if len(parts) != len(boards):
        raise AbstractionError(
            f"the cards of {rules.name or 'this game'} are bucketed in {len(boards)} rounds ({', '.join(streets)}), "
            f"as in {'/'.join(['percentile:5'] * len(boards))}; got {text!r}"
        )
    hows = [parse_bucketing(part.strip(), street) for part, street in zip(parts, streets, strict=True)]
    for how, size in zip(hows, boards, strict=True):
        _check(how, size)
    known = strengths_of(rules.deck, boards[-1])
    cuts = tuple(_cuts(how, size, known) for how, size in zip(hows, boards, strict=True))
    every = int(hole_classes(rules.deck).max()) + 1
    counts = tuple(every if how.method == "lossless" else how.counts[0] for how in hows)
    return DeckBuckets("/".join(how.text for how in hows), rules.deck, boards, counts, cuts)


def _check(how: Bucketing, size: int) -> None:
    if how.method == "lossless":
        if size:
            raise AbstractionError("every hand by itself is for hands before the board; give a method and a number")
    elif how.method in ("nested", "distribution", "potential"):
        raise AbstractionError(
            f"{how.method} is for hold'em with 52 cards and four rounds; here there are lossless, "
            f"{', '.join(DIVISIONS)} and functions of your own"
        )
    elif how.total or len(how.counts) > 1:
        raise AbstractionError(f"{how.text} shares children out among parents; buckets of other decks forget the past")
    else:
        _ = DIVISIONS[how.method]  # a user's own is imported now, before any work


def _step(known: DeckStrengths, size: int) -> int:
    return known.most(size) // BINS + 1


def _cuts(how: Bucketing, size: int, known: DeckStrengths) -> np.ndarray:
    """Where the second, third, ... bucket of a round begins, in bins."""
    if how.method == "lossless":
        return np.zeros(0, np.int64)
    step = _step(known, size)
    bins = known.most(size) // step + 1
    deals = known.swept(size, step)[0] if size else np.bincount(known.before // step, minlength=bins)
    cuts, _ = strength_cuts(deals[None].astype(np.float64), how)
    return cuts[0].astype(np.int64)


def load_deck_buckets(source: bytes, where: str) -> DeckBuckets:
    """Read an abstraction from the bytes of its file; `where` is what to call it in messages."""
    header, arrays = read_arrays(source, FORMAT, VERSION, error=AbstractionError, most=_MOST_BYTES, where=where)
    with reading(where, AbstractionError):
        return _loaded(header, arrays)


def _loaded(header: Header, arrays: dict[str, np.ndarray]) -> DeckBuckets:
    boards, counts = tuple(header.entries("boards")), tuple(header.entries("counts"))
    text, deck = header.text("spec"), Deck(header.text("ranks"), header.text("suits"))
    whole = all(type(number) is int for number in (*boards, *counts))
    if not whole or len(counts) != len(boards) or not {*boards} <= {*_STREETS} or [*boards] != sorted(boards):
        raise Damage(f"boards {boards} and counts {counts} are no rounds of hold'em's kind")
    fits = len(deck.ranks) <= 13 and len(deck.suits) <= 4 and len(deck) >= 9
    if not fits or not boards or boards[-1] < 3 or len(text.split("/")) != len(boards):
        raise Damage("its deck and rounds are not of hold'em's kind")
    cuts = [of_kind(arrays, f"cuts{r}", np.int64, None) for r in range(len(boards))]
    made = DeckBuckets(text, deck, boards, counts, tuple(cuts))
    for r, (places, count) in enumerate(zip(cuts, counts, strict=True)):
        lossless = made._lossless(r) and not boards[r]
        expected = int(hole_classes(deck).max()) + 1 if lossless else len(places) + 1
        if count != expected or count > 2**16 or (np.diff(places) < 0).any():
            raise Damage(f"its cuts of round {r + 1} do not make {count} buckets")
    return made

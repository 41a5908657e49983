"""Ranges: a weight from 0 to 1 for each of the 1,326 pairs of hole cards, and the usual notation for them.

    Range.parse("AA, AKs, T9s+, 77-22:0.5, AcKd:0.3")

A hand is a pair (`AA`), suited (`AKs`), offsuit (`AKo`), both (`AK`) or two cards (`AcKd`). `+` raises the lower card
to just below the higher (`KTs+`: KTs, KJs, KQs), or pairs and neighbours as a whole (`JJ+`; `T9s+`: T9s to AKs). Two
hands of one kind are joined by `-`: pairs, the same high card (`K9s-K6s`) or gap (`T9s-54s`), either end first. The
word `random` is every hand, `20%` the best fifth before the flop against a random hand. A weight follows a colon. A
later piece overrides an earlier one, so that `random, AA:0` is everything but aces.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from pokerlab.cards.deck import STANDARD_RANKS as RANKS
from pokerlab.cards.deck import Deck
from pokerlab.cards.holes import COUNT, HOLES, classes, hole_number, possible
from pokerlab.errors import CardError, RangeError
from pokerlab.errors import shown as quoted

Cards = tuple[int, ...]

_DECK = Deck()
_KIND = re.compile(rf"([{RANKS}])([{RANKS}])([so]?)")
_COMBO = re.compile(rf"[{RANKS}][cdhs][{RANKS}][cdhs]")
_COMMAS = re.compile(r"[\s;/|]+")  # what others write between hands
_PERCENT = re.compile(r"(\d+(?:\.\d*)?|\.\d+)%")
_EXPECTED = (
    "expected a hand such as AA, AKs, AKo, AK or AcKd, with + (ATs+) or - (77-22, K9s-K6s, T9s-54s) where it stands "
    "for several, random or 20%, and a weight after a colon (AA:0.5); pieces are parted by commas"
)

Kind = tuple[int, int, str]  # high rank, low rank, and `s`, `o` or nothing


@dataclass(frozen=True, eq=False)
class Range:
    """A weight from 0 to 1 for each pair of hole cards, in the order of `holes.HOLES`; they cannot be written to."""

    weights: np.ndarray

    def __post_init__(self) -> None:
        weights = np.array(self.weights, dtype=np.float64) + 0.0  # makes -0.0 the 0.0 that it equals
        if weights.shape != (COUNT,):
            raise RangeError(f"a range has {COUNT} weights, one a pair of hole cards, not {weights.shape}")
        if not ((weights >= 0) & (weights <= 1)).all():  # false for nan, too
            raise RangeError("the weights of a range are numbers from 0 to 1")
        weights.setflags(write=False)
        object.__setattr__(self, "weights", weights)

    @classmethod
    def parse(cls, text: str) -> Range:
        """The range that a text stands for; see the module."""
        weights = np.zeros(COUNT)
        for piece in text.split(",") if text.strip() else ():
            numbers, weight = _read("".join(piece.split()), piece.strip())
            weights[numbers] = weight
        return cls(weights)

    @classmethod
    def random(cls) -> Range:
        """Every hand: what an opponent holds of whom nothing is known."""
        return cls(np.ones(COUNT))

    @classmethod
    def top(cls, part: float) -> Range:
        """The best hands before the flop against a random one: the fewest kinds that make up `part` of all hands."""
        from pokerlab.cards.preflop import preflop_order

        if not 0 < part <= 1:
            raise RangeError(f"a part of all hands is above 0 and at most 1 (100%), not {part:g}")
        weights, wanted = np.zeros(COUNT), round(part * COUNT, 6)
        for kind in preflop_order():
            if weights.sum() >= wanted:
                break
            weights[classes() == kind] = 1.0
        return cls(weights)

    @classmethod
    def of_grid(cls, grid: Sequence[Sequence[float]] | np.ndarray) -> Range:
        """The range with these weights of the 169 kinds, laid out as by `grid`."""
        weights = np.asarray(grid, dtype=np.float64)
        if weights.shape != (13, 13):
            raise RangeError(f"a grid has 13 rows and 13 columns, not {weights.shape}")
        return cls(weights.ravel()[classes()])

    @property
    def combos(self) -> float:
        """How many pairs of hole cards there are in it, each counted by its weight."""
        return float(self.weights.sum())

    @property
    def numbers(self) -> np.ndarray:
        """The numbers of the pairs with any weight, as in `holes.HOLES`."""
        return np.flatnonzero(self.weights)

    @property
    def holes(self) -> np.ndarray:
        """The cards (n, 2) of the pairs with any weight."""
        return HOLES[self.numbers]

    def __len__(self) -> int:
        """How many pairs have any weight."""
        return len(self.numbers)

    def __getitem__(self, hole: str | Cards) -> float:
        """The weight of two cards, as text or numbers."""
        return float(self.weights[hole_number(_DECK.cards(hole) if isinstance(hole, str) else hole)])

    def __iter__(self) -> Iterator[tuple[Cards, float]]:
        """Hole cards and weight, for all that have any."""
        return ((tuple(HOLES[i].tolist()), float(self.weights[i])) for i in self.numbers)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Range) and np.array_equal(self.weights, other.weights)

    def __hash__(self) -> int:
        return hash(self.weights.tobytes())

    def without(self, cards: str | Iterable[int]) -> Range:
        """The range less the hands that hold one of these cards, say those of a board."""
        gone = _DECK.cards(cards) if isinstance(cards, str) else tuple(cards)
        return Range(np.where(possible(gone), self.weights, 0.0))

    def grid(self) -> np.ndarray:
        """The mean weight (13, 13) of each kind as on the usual chart: aces first, suited hands above the diagonal."""
        sums = np.bincount(classes(), self.weights, 169)
        return (sums / np.bincount(classes(), minlength=169)).reshape(13, 13)

    def text(self) -> str:
        """The shortest notation that we know; parsed, it gives this range again, bit for bit."""
        if (self.weights == self.weights[0]).all():
            return _weighted("random", self.weights[0]) if self.weights[0] else ""
        lines, mixed = _lines(self.weights)
        pieces = [piece for line in lines for piece in _runs(line)]
        return ",".join(pieces + [_weighted(_DECK.text(HOLES[i][::-1]), self.weights[i]) for i in mixed])

    __str__ = text

    def __repr__(self) -> str:
        return f"Range.parse({self.text()!r})"


def as_range(hands: Range | str | Cards) -> Range:
    """A range as such, as text, or a single pair of hole cards."""
    if isinstance(hands, Range):
        return hands
    if isinstance(hands, str):
        return Range.parse(hands)
    weights = np.zeros(COUNT)
    weights[hole_number(tuple(hands))] = 1.0
    return Range(weights)


def _read(piece: str, shown: str) -> tuple[np.ndarray, float]:
    """The hands of one piece of a range's text, and their weight."""
    hands, colon, weight = piece.partition(":")
    try:
        value = float(weight) if colon else 1.0
    except ValueError:
        value = np.nan
    if not 0 <= value <= 1:
        raise RangeError(f"{shown!r} in a range: a weight is a number from 0 to 1, not {weight!r}")
    if hands == "random":
        return np.arange(COUNT), value
    if percent := _PERCENT.fullmatch(hands):
        return Range.top(float(percent[1]) / 100).numbers, value
    if _COMBO.fullmatch(hands):
        try:
            return np.array([hole_number(_DECK.cards(hands))]), value
        except CardError:
            raise RangeError(f"{shown!r} in a range: the two cards of a hand must be different") from None
    return np.concatenate([_numbers(kind) for kind in _kinds(hands, shown)]), value


def _kinds(hands: str, shown: str) -> list[Kind]:
    """The kinds of hands that `AKs`, `ATs+` or `77-22` stands for."""
    if hands.endswith("+"):
        high, low, suited = _kind(hands[:-1], shown)
        if high - low <= 1:
            return [(rank, rank - high + low, suited) for rank in range(high, 13)]
        return [(high, rank, suited) for rank in range(low, high)]
    ends = [_kind(end, shown) for end in hands.split("-")]
    if len(ends) == 1:
        return ends
    (a, b, suited), (c, d, other) = sorted(ends[:2])
    if len(ends) == 2 and suited == other and a - b == c - d:
        return [(rank, rank - a + b, suited) for rank in range(a, c + 1)]
    if len(ends) == 2 and suited == other and a == c and a != b and c != d:
        return [(a, rank, suited) for rank in range(b, d + 1)]
    raise RangeError(
        f"{shown!r} in a range: - joins two pairs (77-22), two hands with the same high card (K9s-K6s) or two with the "
        "same gap (T9s-54s), both suited, both offsuit or both neither"
    )


def _kind(text: str, shown: str) -> Kind:
    match = _KIND.fullmatch(text)
    if match is None:
        raise RangeError(f"{quoted(shown)} in a range: {_meant(shown) or _EXPECTED}")
    low, high = sorted((RANKS.index(match[1]), RANKS.index(match[2])))
    if low == high and match[3]:
        raise RangeError(f"{shown!r} in a range: a pair is neither suited nor offsuit; write {text[:2]}")
    return high, low, match[3]


def _meant(piece: str) -> str:
    """What a slip may have stood for: ranks in small letters, `10`, a capital S or O, hands without a comma between."""
    for candidate in (piece, _COMMAS.sub(",", piece)):
        spelled = ",".join(_spelled(hand) for hand in candidate.split(","))
        with suppress(RangeError):
            if spelled != piece and len(piece) <= 40:
                Range.parse(spelled)
                return f"did you mean {spelled!r}?"
    return ""


def _spelled(hand: str) -> str:
    """A piece with ranks in capitals, and suits and the letters s and o in small ones."""
    parts = re.split(r"([-:+\s])", hand.replace("10", "T"))
    return "".join(
        part[0].upper() + part[1].lower() + part[2].upper() + part[3].lower() if len(part) == 4
        else part[:2].upper() + part[2:].lower() if part.isalnum() and part.lower() != "random"
        else part.lower()
        for part in parts
    )  # fmt: skip


@lru_cache(maxsize=512)
def _numbers(kind: Kind) -> np.ndarray:
    """The numbers of the hands of a kind."""
    ranks, suits = HOLES // 4, HOLES % 4
    right = (ranks[:, 0] == kind[1]) & (ranks[:, 1] == kind[0])  # the higher card has the higher number
    if kind[2]:
        right &= (suits[:, 0] == suits[:, 1]) == (kind[2] == "s")
    return np.flatnonzero(right)


Line = list[tuple[str, float]]  # neighbouring kinds, the best first, with weights; 0 where they are not to be named


def _lines(weights: np.ndarray) -> tuple[list[Line], list[int]]:
    """Kinds in lines in which neighbours can be joined, and the numbers of hands whose kind has several weights."""
    mixed: list[int] = []

    def common(kind: Kind) -> float:
        own = weights[_numbers(kind)]
        if (own == own[0]).all():
            return float(own[0])
        mixed.extend(int(i) for i in _numbers(kind) if weights[i])
        return 0.0

    lines: list[Line] = [[(RANKS[rank] * 2, common((rank, rank, ""))) for rank in range(12, -1, -1)]]
    for high in range(12, 0, -1):
        both: Line = []
        suited: Line = []
        offsuit: Line = []
        for low in range(high - 1, -1, -1):
            name, s, o = RANKS[high] + RANKS[low], common((high, low, "s")), common((high, low, "o"))
            same = s == o
            both.append((name, s if same else 0.0))
            suited.append((name + "s", 0.0 if same else s))
            offsuit.append((name + "o", 0.0 if same else o))
        lines += [both, suited, offsuit]
    return lines, mixed


def _runs(line: Line) -> Iterator[str]:
    """The text of a line: neighbours of equal weight joined by + up to its best kind, by - elsewhere."""
    start = 0
    while start < len(line):
        end = start
        while end + 1 < len(line) and line[end + 1][1] == line[start][1]:
            end += 1
        first, last, weight = line[start][0], line[end][0], line[start][1]
        if weight:
            yield _weighted(first if start == end else f"{last}+" if start == 0 else f"{first}-{last}", weight)
        start = end + 1


def _weighted(hands: str, weight: float) -> str:
    return hands if weight == 1 else f"{hands}:{float(weight)!r}"

"""What a case tells apart of a hand: how strong it is, what the board looks like, how much of the stack is in.

The three make a *cell*, a whole number; with the betting it is all that a case knows of a situation (Tables 3.4, 3.11
and 3.16 of Rubin 2013). Before the flop a hand is one of 169 classes. After it its strength is in one of `buckets`
intervals of equal width, or a hand category. In games other than hold'em a hand is what its player holds and sees, up
to suits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property, lru_cache
from itertools import permutations
from math import perm
from typing import Any

import numpy as np

from pokerlab.cards.deck import STREETS
from pokerlab.cards.evaluator import tables
from pokerlab.cards.holes import COUNT, HOLES, class_name, classes, holes_of
from pokerlab.cards.isomorphism import hole_indices
from pokerlab.cards.sweep import MOST, RUNOUTS, forgetful, strength_sums
from pokerlab.cards.texture import CATEGORIES, Texture, category, texture
from pokerlab.cards.texture import categories as all_categories
from pokerlab.cases import feature_kernels as kernels
from pokerlab.cases.similarity import Similarity, commitment_table, texture_table
from pokerlab.errors import AgentError
from pokerlab.game.deals import State, canonical, private_state
from pokerlab.game.rules import Rules
from pokerlab.reading import Header

STRENGTHS = ("square", "mean", "category")  # E[HS^2], E[HS], or our hand categories
_BY_LEVELS = np.array([[0, 2, 4], [1, 3, 5], [6, 7, 8]])  # Table 3.5, [flush level][straight level]
_MOST_STATES = 500_000  # deals of cards in a round of a small game
_PIECE = 1 << 20
_EDGE = 1e-9  # strengths are fractions: one on an edge is in the bucket above it


@dataclass(frozen=True)
class Features:
    """Which features a case base has: the measure of strength, its buckets, and the classes of stack commitment."""

    strength: str = "square"
    buckets: int = 50
    commitment: int = 4

    def __post_init__(self) -> None:
        if self.strength not in STRENGTHS:
            raise AgentError(f"no strength {self.strength!r}; there are {', '.join(STRENGTHS)}")
        if not 1 <= self.buckets <= 1000 or not 1 <= self.commitment <= 100:
            raise AgentError(
                f"buckets are 1 to 1000 and classes of commitment 1 to 100, not {self.buckets} and {self.commitment}"
            )

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, told: Mapping[str, Any]) -> Features:
        """As a file has it."""
        given = Header(told)
        return cls(given.text("strength"), given.whole("buckets"), given.whole("commitment"))


@dataclass(frozen=True)
class Cells:
    """The cells of a round of a game."""

    rules: Rules
    features: Features
    round: int

    @cached_property
    def shape(self) -> tuple[int, int, int]:
        """How many hands, textures and classes of commitment there are."""
        committed = 1 if self.rules.limit else self.features.commitment
        if not self.rules.holdem:
            return len(self._states), 1, committed
        if self.round == 0:
            return 169, 1, committed
        hands = len(CATEGORIES) if self.features.strength == "category" else self.features.buckets
        return hands, len(Texture), committed

    @property
    def count(self) -> int:
        return int(np.prod(self.shape))

    def split(self, cell: int | np.ndarray) -> tuple[Any, Any, Any]:
        """Hand, texture and commitment of a cell, from 0."""
        _, textures, committed = self.shape
        return cell // (textures * committed), cell // committed % textures, cell % committed

    def similarities(self, similarity: Similarity) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The local similarities of hands, textures and commitments, as matrices."""
        hands, textures, committed = self.shape
        named = not self.rules.holdem or self.round == 0 or self.features.strength == "category"
        table = similarity.class_table(hands) if named else similarity.strength_table(hands)
        return table, texture_table(textures), commitment_table(committed)

    def of(self, hole: Sequence[int], board: Sequence[int], spent: int, stack: int) -> int:
        """The cell of one situation."""
        cards = np.array([[*hole, *board]], np.uint8)
        return int(self.of_many(cards, np.array([spent]), np.array([stack]))[0])

    def of_many(self, cards: np.ndarray, spent: np.ndarray, stack: np.ndarray) -> np.ndarray:
        """Cells of many: cards [n, hole and board], own chips in and own starting stack."""
        _, textures, committed = self.shape
        hands = self._hands(cards)
        looks = np.zeros(len(cards), np.int64)
        if textures > 1:
            kernels.textures_of(np.ascontiguousarray(cards[:, 2:]), _BY_LEVELS, looks)
        return (hands * textures + looks) * committed + self.commitments(spent, stack)

    def on_board(self, board: Sequence[int], spent: int, stack: int) -> np.ndarray:
        """Cells of all hole cards of the deck, in the order of `cards.holes`; of those on the board any."""
        _, textures, committed = self.shape
        look = int(texture(tuple(board))) if textures > 1 else 0
        committed_now = int(self.commitments(np.array([spent]), np.array([stack]))[0])
        return (self._all_hands(tuple(board)) * textures + look) * committed + committed_now

    def commitments(self, spent: np.ndarray, stack: np.ndarray) -> np.ndarray:
        """Classes [0, 1/N], (1/N, 2/N], ... of the part of the stack that is in, from 0."""
        committed = self.shape[2]
        if committed == 1:
            return np.zeros(len(spent), np.int64)
        return np.clip(-(-spent.astype(np.int64) * committed // stack) - 1, 0, committed - 1)

    def _hands(self, cards: np.ndarray) -> np.ndarray:
        if not self.rules.holdem:
            return np.array([self._number(row) for row in cards.tolist()], np.int64)
        if self.round == 0:
            return _CLASSES[_numbers(cards[:, 0], cards[:, 1])]
        out, strength = np.zeros(len(cards), np.int64), self.features.strength
        if strength == "category":
            return np.array([category(row[:2], row[2:]) for row in cards.tolist()], np.int64)
        cards = np.ascontiguousarray(cards, np.uint8)
        if self.round == 3:
            kernels.river_buckets(tables(), river_table(strength, self.features.buckets), cards, out)
        else:
            table = strength_buckets(self.round, strength, self.features.buckets)
            kernels.buckets_by_index(forgetful(self.round).tables, table, cards, out)
        return out

    def _all_hands(self, board: tuple[int, ...]) -> np.ndarray:
        if not self.rules.holdem:
            shown = {*board}
            return np.array(
                [
                    self._number([*hole, *board]) if shown.isdisjoint(hole) else 0
                    for hole in holes_of(len(self.rules.deck), self.rules.hole_cards)
                ]
            )
        if self.round == 0:
            return _CLASSES
        strength, out = self.features.strength, np.zeros(COUNT, np.int64)
        if strength == "category":
            return np.maximum(all_categories(board), 0).astype(np.int64)
        if self.round == 3:
            shown_cards = np.array(board, np.uint8)
            river = river_table(strength, self.features.buckets)
            kernels.all_river_buckets(tables(), HOLES, river, shown_cards, out)
            return out
        table = strength_buckets(self.round, strength, self.features.buckets)
        indices = hole_indices(board, (2, len(board)))
        return table[np.maximum(indices, 0)].astype(np.int64)

    @cached_property
    def _states(self) -> dict[State, int]:
        return small_states(self.rules, self.round)

    def _number(self, cards: list[int]) -> int:
        held = self.rules.hole_cards
        state = private_state(self.rules, self.round, tuple(cards[:held]), tuple(cards[held:]))
        return self._states[canonical(self.rules, state)]

    def hand_text(self, hand: int) -> str:
        """A hand in words, as in `AKs`, `strength 31 of 50` or `top pair, good kicker`."""
        if not self.rules.holdem:
            state, deck = list(self._states)[hand], self.rules.deck
            if self.rules.suits_matter:
                return "/".join(deck.text(cards) for cards in state)
            return "/".join("".join(deck.ranks[rank] for rank in cards) for cards in state)
        if self.round == 0:
            return class_name(hand)
        if self.features.strength == "category":
            return CATEGORIES[hand]
        return f"strength {hand + 1} of {self.features.buckets}"

    def texture_text(self, look: int) -> str:
        """A board's class in words; nothing before the flop."""
        return Texture(look).label if self.shape[1] > 1 else ""


_CLASSES = classes().astype(np.int64)


def _numbers(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """`hole_number` of many pairs."""
    high, low = np.maximum(a, b).astype(np.int64), np.minimum(a, b).astype(np.int64)
    return high * (high - 1) // 2 + low


@lru_cache(maxsize=8)
def strength_buckets(street: int, strength: str, buckets: int) -> np.ndarray:
    """The bucket of each hand on the flop or the turn, by canonical index; uint16.

    Made in pieces: every process that learns has a table of its own, and that of all moments is eight times as large.
    """
    sums, squares = strength_sums(street)
    raw, most = (squares, MOST**2) if strength == "square" else (sums, MOST)
    table = np.empty(len(raw), np.uint16)
    for at in range(0, len(raw), _PIECE):
        values = raw[at : at + _PIECE] / (most * RUNOUTS[street])
        table[at : at + _PIECE] = np.minimum(values * buckets + _EDGE, buckets - 1)
    return table


@lru_cache(maxsize=8)
def river_table(strength: str, buckets: int) -> np.ndarray:
    """The bucket of each strength on the river, 0 to 1,980."""
    values = np.arange(MOST + 1) / MOST
    values = values**2 if strength == "square" else values
    return np.minimum(values * buckets + _EDGE, buckets - 1).astype(np.int64)


@lru_cache(maxsize=32)
def small_states(rules: Rules, round: int) -> dict[State, int]:
    """What a player may hold and see in a round of a small game, numbered in order."""
    board = sum(rules.board_cards[: round + 1])
    held = rules.hole_cards
    if perm(len(rules.deck), held + board) > _MOST_STATES:
        name = rules.name or "this game"
        raise AgentError(f"case bases are for hold'em and for games with few cards; {name} has too many")
    deals = permutations(range(len(rules.deck)), held + board)
    states = {canonical(rules, private_state(rules, round, cards[:held], cards[held:])) for cards in deals}
    return {state: number for number, state in enumerate(sorted(states))}


def street_name(rules: Rules, round: int) -> str:
    """Preflop, flop, turn, river; of games that are not hold'em, round 1 and so on."""
    return STREETS[round] if rules.holdem else f"round {round + 1}"

"""The private states of a game, round by round, and how chance deals them jointly.

A private state is what one player holds and sees: hole cards, then the board of each round. States that
differ only by a renaming of suits are one state; where no flush can occur suits are forgotten altogether.
Both are lossless. Enumeration is over classes of equal cards with their multiplicity, so that Leduc with
13 ranks and 4 suits has 2,197 deals rather than 132,600.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations_with_replacement, permutations
from math import comb, prod

import numpy as np
from scipy import sparse

from pokerlab.cards.ranking import strength
from pokerlab.errors import GameTooLarge
from pokerlab.game.rules import Rules

MAX_DEALS = 3_000_000

State = tuple[tuple[int, ...], ...]  # hole cards, then the board cards of each round that deals some


@dataclass(frozen=True, eq=False)
class Deals:
    """Private states a round, the same list for every player, and how they are dealt together.

    `states[r]` lists the states of round r; `parents[r][s]` is the state of round r - 1 that s extends (0 in round
    0). Row d of `dealt` has each player's last-round state in deal d, which has probability chance[d]; `order` ranks
    their hands at a showdown, equal ones alike.
    """

    rules: Rules
    states: tuple[tuple[State, ...], ...]
    parents: tuple[np.ndarray, ...]
    dealt: np.ndarray
    chance: np.ndarray
    order: np.ndarray

    @cached_property
    def joint(self) -> tuple[sparse.csr_array, ...]:
        """Of two players: for each round, the probability of each pair of states, the first player's in rows."""
        found = [self._pairs(self.chance)]
        for r in range(self.rules.rounds - 1, 0, -1):
            up = merger(self.parents[r], len(self.states[r - 1]))
            found.insert(0, sparse.csr_array(up.T @ found[0] @ up))
        return tuple(found)

    @cached_property
    def showdown(self) -> sparse.csr_array:
        """Of two players: the same for the last round, times the sign of the showdown for the first."""
        found = self._pairs(self.chance * np.sign(self.order[:, 0] - self.order[:, 1]))
        found.eliminate_zeros()
        return found

    def _pairs(self, weights: np.ndarray) -> sparse.csr_array:
        last = len(self.states[-1])
        return sparse.csr_array((weights, (self.dealt[:, 0], self.dealt[:, 1])), shape=(last, last))

    def label(self, state: State) -> str:
        """Text such as `K` or `K/Q`; with suits where they matter."""
        deck = self.rules.deck
        if self.rules.suits_matter:
            return "/".join(deck.text(cards) for cards in state)
        return "/".join("".join(deck.ranks[rank] for rank in cards) for cards in state)

    def rank(self, card: int) -> int:
        """The rank of an element of a state."""
        return self.rules.deck.rank(card) if self.rules.suits_matter else card


def canonical(rules: Rules, state: State) -> State:
    """The representative of a state of real cards: ranks only, or the least renaming of suits."""
    deck = rules.deck
    if not rules.suits_matter:
        return tuple(tuple(sorted(deck.rank(card) for card in cards)) for cards in state)
    return _least_renaming(state, len(deck.suits))


@lru_cache(maxsize=1_000_000)
def _least_renaming(state: State, suits: int) -> State:
    return min(
        tuple(tuple(sorted(card - card % suits + renaming[card % suits] for card in cards)) for cards in state)
        for renaming in permutations(range(suits))
    )


@lru_cache(maxsize=16)
def deals_of(rules: Rules) -> Deals:
    """Enumerate the deals of a game."""
    copies = 1 if rules.suits_matter else len(rules.deck.suits)
    classes = len(rules.deck) // copies
    dealt = [rules.hole_cards] * rules.players + [n for n in rules.board_cards if n]
    size = prod(comb(classes + n - 1, n) if copies > 1 else comb(classes, n) for n in dealt)
    if size > MAX_DEALS:
        raise GameTooLarge(
            f"{rules.name or 'this game'} has about {size:.1e} deals; compile enumerates at most {MAX_DEALS:.0e}. "
            "Take fewer ranks or suits"
        )
    found: dict[tuple[tuple[State, ...], tuple[int, ...]], int] = {}
    for cards, ways in _draws(Counter(dict.fromkeys(range(classes), copies)), dealt):
        board = cards[rules.players :]
        states = tuple((hole, *board) for hole in cards[: rules.players])
        strengths = [_strength(rules, state) for state in states]
        order = tuple(sorted(set(strengths)).index(s) for s in strengths)
        if rules.suits_matter:
            states = tuple(_least_renaming(state, len(rules.deck.suits)) for state in states)
        found[states, order] = found.get((states, order), 0) + ways
    return _assemble(rules, found)


def _draws(
    deck: Counter[int], sizes: list[int], taken: tuple[tuple[int, ...], ...] = ()
) -> Iterator[tuple[tuple[tuple[int, ...], ...], int]]:
    """Every way to draw groups of the given sizes from a deck of classes, with its multiplicity."""
    if len(taken) == len(sizes):
        yield taken, 1
        return
    for group in combinations_with_replacement(sorted(deck), sizes[len(taken)]):
        count = Counter(group)
        ways = prod(comb(deck[card], n) for card, n in count.items())
        if ways:
            for rest, more in _draws(deck - count, sizes, (*taken, group)):
                yield rest, ways * more


@lru_cache(maxsize=1_000_000)
def _strength(rules: Rules, state: State) -> tuple[int, ...]:
    cards = [card for group in state for card in group]
    if rules.suits_matter:
        pairs = [(rules.deck.rank(card), rules.deck.suit(card)) for card in cards]
    else:
        pairs = [(rank, suit) for suit, rank in enumerate(cards)]
    return strength(pairs, rules.ranking, len(rules.deck.ranks))


def _assemble(rules: Rules, found: dict[tuple[tuple[State, ...], tuple[int, ...]], int]) -> Deals:
    groups, upto = [], 1
    for dealt in rules.board_cards:
        upto += dealt > 0
        groups.append(upto)
    final = sorted({state for seats, _ in found for state in seats})
    states = [tuple(dict.fromkeys(_prefix(rules, s, n) for s in final)) for n in groups]
    number = [{state: i for i, state in enumerate(row)} for row in states]
    parents = [np.zeros(len(states[0]), dtype=np.int64)] + [
        np.array([number[r - 1][_prefix(rules, s, groups[r - 1])] for s in states[r]], dtype=np.int64)
        for r in range(1, rules.rounds)
    ]
    ways = np.array(list(found.values()), dtype=np.float64)
    return Deals(
        rules,
        tuple(states),
        tuple(parents),
        np.array([[number[-1][state] for state in seats] for seats, _ in found]),
        ways / ways.sum(),
        np.array([order for _, order in found]),
    )


def _prefix(rules: Rules, state: State, groups: int) -> State:
    """A state as it was when only `groups` groups of cards had been dealt."""
    cut = state[:groups]
    return _least_renaming(cut, len(rules.deck.suits)) if rules.suits_matter else cut


def merger(labels: np.ndarray, count: int) -> sparse.csr_array:
    """The 0/1 matrix with a one at (i, labels[i])."""
    n = len(labels)
    return sparse.csr_array((np.ones(n), (np.arange(n), labels)), shape=(n, count))

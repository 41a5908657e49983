"""The private states of a two-player game, round by round, and how chance deals them jointly.

A private state is what one player holds and sees: hole cards, then the board of each round. States that
differ only by a renaming of suits are one state; where no flush can occur suits are forgotten altogether.
Both are lossless. Enumeration is over classes of equal cards with their multiplicity, so that Leduc with
13 ranks and 4 suits has 2,197 deals rather than 132,600.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations_with_replacement, permutations
from math import comb, prod

import numpy as np
from scipy import sparse

from pokerlab.cards.ranking import strength
from pokerlab.errors import GameTooLarge, PokerlabError
from pokerlab.game.rules import Rules

MAX_DEALS = 3_000_000

State = tuple[tuple[int, ...], ...]  # hole cards, then the board cards of each round that deals some


@dataclass(frozen=True)
class Deals:
    """Private states a round, the same list for both players, and their joint distribution.

    `states[r]` lists the states of round r; `parents[r][s]` is the state of round r - 1 that s extends
    (0 in round 0). `joint[r]` is the probability of each pair of states, `showdown` that of the last round
    times the sign of the showdown for the first player; both are sparse, first player in rows.
    """

    rules: Rules
    states: tuple[tuple[State, ...], ...]
    parents: tuple[np.ndarray, ...]
    joint: tuple[sparse.csr_array, ...]
    showdown: sparse.csr_array

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
    """Enumerate the deals of a two-player game."""
    if rules.players != 2:
        raise PokerlabError(
            f"{rules.name or 'this game'} has {rules.players} players; only two-player games compile to Game(X, A, Y)"
        )
    copies = 1 if rules.suits_matter else len(rules.deck.suits)
    classes = len(rules.deck) // copies
    dealt = [rules.hole_cards, rules.hole_cards, *(n for n in rules.board_cards if n)]
    size = prod(comb(classes + n - 1, n) if copies > 1 else comb(classes, n) for n in dealt)
    if size > MAX_DEALS:
        raise GameTooLarge(
            f"{rules.name or 'this game'} has about {size:.1e} deals; compile enumerates at most {MAX_DEALS:.0e}. "
            "Take fewer ranks or suits"
        )
    last: dict[tuple[State, State], list[float]] = {}
    for (mine, theirs, *board), ways in _draws(Counter(dict.fromkeys(range(classes), copies)), dealt):
        first, second = (mine, *board), (theirs, *board)
        sign = _compare(rules, first, second)
        if rules.suits_matter:
            suits = len(rules.deck.suits)
            first, second = _least_renaming(first, suits), _least_renaming(second, suits)
        entry = last.setdefault((first, second), [0.0, 0.0])
        entry[0] += ways
        entry[1] += ways * sign
    return _assemble(rules, last)


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


def _compare(rules: Rules, first: State, second: State) -> int:
    mine, theirs = _strength(rules, first), _strength(rules, second)
    return (mine > theirs) - (mine < theirs)


@lru_cache(maxsize=1_000_000)
def _strength(rules: Rules, state: State) -> tuple[int, ...]:
    cards = [card for group in state for card in group]
    if rules.suits_matter:
        pairs = [(rules.deck.rank(card), rules.deck.suit(card)) for card in cards]
    else:
        pairs = [(rank, suit) for suit, rank in enumerate(cards)]
    return strength(pairs, rules.ranking, len(rules.deck.ranks))


def _assemble(rules: Rules, last: dict[tuple[State, State], list[float]]) -> Deals:
    groups, upto = [], 1
    for dealt in rules.board_cards:
        upto += dealt > 0
        groups.append(upto)
    final = sorted({state for pair in last for state in pair})
    states = [tuple(dict.fromkeys(_prefix(rules, s, n) for s in final)) for n in groups]
    number = [{state: i for i, state in enumerate(row)} for row in states]
    parents = [np.zeros(len(states[0]), dtype=np.int64)] + [
        np.array([number[r - 1][_prefix(rules, s, groups[r - 1])] for s in states[r]], dtype=np.int64)
        for r in range(1, rules.rounds)
    ]
    rows = np.array([number[-1][first] for first, _ in last])
    columns = np.array([number[-1][second] for _, second in last])
    weights = np.array(list(last.values()))
    weights /= weights[:, 0].sum()
    shape = (len(states[-1]), len(states[-1]))
    joint = [sparse.csr_array((weights[:, 0], (rows, columns)), shape=shape)]
    showdown = sparse.csr_array((weights[:, 1], (rows, columns)), shape=shape)
    showdown.eliminate_zeros()
    for r in range(rules.rounds - 1, 0, -1):
        up = merger(parents[r], len(states[r - 1]))
        joint.insert(0, sparse.csr_array(up.T @ joint[0] @ up))
    return Deals(rules, tuple(states), tuple(parents), tuple(joint), showdown)


def _prefix(rules: Rules, state: State, groups: int) -> State:
    """A state as it was when only `groups` groups of cards had been dealt."""
    cut = state[:groups]
    return _least_renaming(cut, len(rules.deck.suits)) if rules.suits_matter else cut


def merger(labels: np.ndarray, count: int) -> sparse.csr_array:
    """The 0/1 matrix with a one at (i, labels[i])."""
    n = len(labels)
    return sparse.csr_array((np.ones(n), (np.arange(n), labels)), shape=(n, count))

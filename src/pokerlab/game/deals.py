"""The private states of a game, round by round, and how chance deals them jointly.

A private state is what one player holds and sees: hole cards, then the board of each round. States that
differ only by a renaming of suits are one state; where no flush can occur suits are forgotten altogether.
Both are lossless. Boards are enumerated up to suits with their multiplicity, hole cards as classes of equal cards
with theirs, so that Leduc with 13 ranks and 4 suits has 2,197 deals rather than 132,600, and Rhode Island
hold'em 796,250 rather than 6,497,400.
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
from pokerlab.game.deal_counts import refuse_too_many
from pokerlab.game.rules import Rules

State = tuple[tuple[int, ...], ...]  # hole cards, then the board cards of each round that deals some


@dataclass(frozen=True, eq=False)
class Deals:
    """Private states a round, the same list for every player, and how they are dealt together.

    `states[r]` lists the states of round r; `parents[r][s]` is the state of round r - 1 that s extends (0 in round
    0). Where suits matter, states with the same board (up to suits) are neighbours. Row d of `dealt` has each player's
    last-round state in deal d, which has probability chance[d]; `order` ranks their hands at a showdown, equal ones
    alike.
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
        joints = [self._pairs(self.chance)]
        for r in range(self.rules.rounds - 1, 0, -1):
            up = merger(self.parents[r], len(self.states[r - 1]))
            joints.insert(0, sparse.csr_array(up.T @ joints[0] @ up))
        return tuple(joints)

    @cached_property
    def showdown(self) -> sparse.csr_array:
        """Of two players: the same for the last round, times the sign of the showdown for the first."""
        signed = self._pairs(self.chance * np.sign(self.order[:, 0] - self.order[:, 1]))
        signed.eliminate_zeros()
        return signed

    def _pairs(self, weights: np.ndarray) -> sparse.csr_array:
        last = len(self.states[-1])
        return sparse.csr_array((weights, (self.dealt[:, 0], self.dealt[:, 1])), shape=(last, last))

    @cached_property
    def _numbers(self) -> list[dict[State, int]]:
        return [{state: i for i, state in enumerate(states)} for states in self.states]

    def number(self, round: int, state: State) -> int:
        """Where a state of real cards is in the list of its round."""
        return self._numbers[round][canonical(self.rules, state)]

    def label(self, state: State) -> str:
        """Text such as `K` or `K/Q`; with suits where they matter."""
        deck = self.rules.deck
        if self.rules.suits_matter:
            return "/".join(deck.text(cards) for cards in state)
        return "/".join("".join(deck.ranks[rank] for rank in cards) for cards in state)

    def rank(self, card: int) -> int:
        """The rank of an element of a state."""
        return self.rules.deck.rank(card) if self.rules.suits_matter else card


def private_state(rules: Rules, round: int, hole: tuple[int, ...], board: tuple[int, ...]) -> State:
    """What a seat holds and sees in a round, as a state of real cards."""
    groups, dealt = [hole], 0
    for count in rules.board_cards[: round + 1]:
        if count:
            groups.append(board[dealt : dealt + count])
            dealt += count
    return tuple(groups)


def canonical(rules: Rules, state: State) -> State:
    """The representative of a state of real cards: ranks only, or the least renaming of suits."""
    deck = rules.deck
    if not rules.suits_matter:
        return tuple(tuple(sorted(deck.rank(card) for card in cards)) for cards in state)
    return _least_renaming(state, len(deck.suits))


@lru_cache(maxsize=1_000_000)
def _least_renaming(state: State, suits: int) -> State:
    # The least one names the suits that occur with the first numbers.
    present = list({card % suits for cards in state for card in cards})
    return min(
        tuple(
            tuple(sorted(card - card % suits + renaming[present.index(card % suits)] for card in cards))
            for cards in state
        )
        for renaming in permutations(range(len(present)))
    )


@lru_cache(maxsize=16)
def deals_of(rules: Rules) -> Deals:
    """Enumerate the deals of a game: boards up to suits, and for each the hole cards of all players."""
    refuse_too_many(rules)
    copies = 1 if rules.suits_matter else len(rules.deck.suits)
    deck = Counter(dict.fromkeys(range(len(rules.deck) // copies), copies))
    kinds: Counter[State] = Counter()
    for board, ways in _draws(deck, [n for n in rules.board_cards if n]):
        kinds[_up_to_suits(rules, board)] += ways
    return _assemble(rules, [_Board(rules, deck, board, ways) for board, ways in kinds.items()])


def _up_to_suits(rules: Rules, state: State) -> State:
    return _least_renaming(state, len(rules.deck.suits)) if rules.suits_matter else state


def _draws(
    deck: Counter[int], sizes: list[int], taken: tuple[tuple[int, ...], ...] = ()
) -> Iterator[tuple[tuple[tuple[int, ...], ...], int]]:
    """Every way to draw groups of the given sizes from a deck of classes, with its multiplicity."""
    if len(taken) == len(sizes):
        yield taken, 1
        return
    for group in combinations_with_replacement(deck, sizes[len(taken)]):
        count = Counter(group)
        ways = prod(comb(deck[card], n) for card, n in count.items())
        if ways:
            for rest, more in _draws(deck - count, sizes, (*taken, group)):
                yield rest, ways * more


class _Board:
    """The deals with one board: the players' states, how many ways there are to deal them, and who wins.

    `dealt` has a row for each combination of states that can be dealt, numbered as in `states`; `ways` counts them.
    """

    def __init__(self, rules: Rules, deck: Counter[int], board: State, times: int) -> None:
        left = deck - Counter(card for group in board for card in group)
        holes = [hole for (hole,), _ in _draws(left, [rules.hole_cards])]
        seen = [_up_to_suits(rules, (hole, *board)) for hole in holes]
        self.states = sorted(set(seen))
        number = {state: i for i, state in enumerate(self.states)}
        state_of = np.array([number[state] for state in seen])
        hole_of = {hole: i for i, hole in enumerate(holes)}
        # The last player's hole cards, all at once: cards of a hole, and how many of each it takes.
        counts = [Counter(hole) for hole in holes]
        cards = np.array([[*count, *[0] * (rules.hole_cards - len(count))] for count in counts])
        taken = np.array([[*count.values(), *[0] * (rules.hole_cards - len(count))] for count in counts])
        binomial = np.array([[comb(n, m) for m in range(rules.hole_cards + 1)] for n in range(max(left.values()) + 1)])
        copies = np.array([left[card] for card in range(len(deck))])
        keys, ways = [], []
        for others, more in _draws(left, [rules.hole_cards] * (rules.players - 1)):
            remaining, key = copies.copy(), 0
            for hole in others:
                np.subtract.at(remaining, list(hole), 1)
                key = key * len(self.states) + int(state_of[hole_of[hole]])
            keys.append(key * len(self.states) + state_of)
            ways.append(more * binomial[remaining[cards], taken].prod(axis=1))
        merged, at = np.unique(np.concatenate(keys), return_inverse=True)
        total = np.bincount(at, np.concatenate(ways))
        possible = total > 0
        self.ways = times * total[possible]
        self.dealt = np.stack(np.unravel_index(merged[possible], (len(self.states),) * rules.players), axis=1)
        strengths = [_strength(rules, state) for state in self.states]
        rank = {s: i for i, s in enumerate(sorted(set(strengths)))}
        self.order = _standing(np.array([rank[s] for s in strengths])[self.dealt])


def _standing(values: np.ndarray) -> np.ndarray:
    """In each row, how many different values are below each."""
    at = np.argsort(values, axis=1, kind="stable")
    ordered = np.take_along_axis(values, at, axis=1)
    rises = np.cumsum(np.diff(ordered, axis=1, prepend=ordered[:, :1]) > 0, axis=1)
    placed = np.empty_like(rises)
    np.put_along_axis(placed, at, rises, axis=1)
    return placed


def _strength(rules: Rules, state: State) -> tuple[int, ...]:
    cards = [card for group in state for card in group]
    if rules.suits_matter:
        pairs = [(rules.deck.rank(card), rules.deck.suit(card)) for card in cards]
    else:
        pairs = [(rank, suit) for suit, rank in enumerate(cards)]
    return strength(pairs, rules.ranking, len(rules.deck.ranks))


def _assemble(rules: Rules, boards: list[_Board]) -> Deals:
    groups, upto = [], 1
    for dealt in rules.board_cards:
        upto += dealt > 0
        groups.append(upto)
    final = {state for board in boards for state in board.states}

    def place(state: State) -> tuple:
        return (_up_to_suits(rules, state[1:]), state) if rules.suits_matter else state

    states = [tuple(sorted({_up_to_suits(rules, s[:n]) for s in final}, key=place)) for n in groups]
    number = [{state: i for i, state in enumerate(row)} for row in states]
    parents = [np.zeros(len(states[0]), dtype=np.int64)] + [
        np.array([number[r - 1][_up_to_suits(rules, s[: groups[r - 1]])] for s in states[r]], dtype=np.int64)
        for r in range(1, rules.rounds)
    ]
    ways = np.concatenate([board.ways for board in boards])
    return Deals(
        rules,
        tuple(states),
        tuple(parents),
        np.concatenate([np.array([number[-1][s] for s in board.states])[board.dealt] for board in boards]),
        ways / ways.sum(),
        np.concatenate([board.order for board in boards]),
    )


def merger(labels: np.ndarray, count: int) -> sparse.csr_array:
    """The 0/1 matrix with a one at (i, labels[i])."""
    n = len(labels)
    return sparse.csr_array((np.ones(n), (np.arange(n), labels)), shape=(n, count))

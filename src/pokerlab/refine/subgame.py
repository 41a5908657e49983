"""Subgames of a compiled game: Definition 1 of Moravcik et al. (2016), after Burch, Johanson and Bowling.

A subgame is a forest closed under descendants and under the augmented infosets of both players. Where the betting is
public, that is a public node of the betting tree together with private states that are connected: two states are when
chance deals them at once (or a player who forgets ties them). In the full game the connected states are those of one
board; an abstraction that mixes boards up makes subgames of several.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from pokerlab.errors import CardError, SubgameError
from pokerlab.form.compile import Origin
from pokerlab.form.game import Game
from pokerlab.game.deals import merger
from pokerlab.refine.forest import Forest, plant


@dataclass(frozen=True, eq=False)
class Subgame:
    """The public state at `node` of the betting tree with the given boards (none are known where states are buckets).

    `states[i]` are player i's root infosets (augmented: whether or not it acts first), as its private states of that
    round. `chance[s, t]` is the probability that chance deals the s-th of them to player 0 and the t-th to player 1.
    """

    game: Game
    node: int
    boards: tuple[str, ...]
    states: tuple[np.ndarray, np.ndarray]
    chance: np.ndarray

    @property
    def origin(self) -> Origin:
        return origin_of(self.game)

    @property
    def betting(self) -> str:
        return self.origin.nodes[self.node].text

    @property
    def round(self) -> int:
        return self.origin.nodes[self.node].state.round

    @property
    def name(self) -> str:
        """Such as `cc/ Q`: betting, then board."""
        return " ".join((self.betting or "start", ",".join(self.boards))).rstrip()

    def labels(self, player: int) -> list[str]:
        """The player's root infosets, for people."""
        known = self.origin.sights[player].labels[self.round]
        return [known[state] for state in self.states[player]]

    def above(self, player: int) -> np.ndarray:
        """The sequence of the trunk that leads to each of the player's root infosets."""
        return self.origin.sequences_to(self.node, player)[self.states[player]]

    @cached_property
    def forest(self) -> Forest:
        """All of the subgame in sequence form, chance's probabilities in the payoff."""
        return self.cut(*self.states)

    def cut(self, first: np.ndarray, second: np.ndarray) -> Forest:
        """The same with only these root infosets of the two players, given as private states."""
        if len(first) == len(self.states[0]) and len(second) == len(self.states[1]) and "forest" in self.__dict__:
            return self.forest
        return plant(self.game, self.node, (first, second))


def subgame(game: Game, betting: str, board: str = "") -> Subgame:
    """The subgame after some betting, such as `cc/` or `cc/r`, with a board such as `Q`; groups of cards by `/`."""
    origin = origin_of(game)
    node = next((here for here, node in enumerate(origin.nodes) if node.text == betting), None)
    if node is None:
        raise SubgameError(f"{game.name} has no betting {betting!r}; a new round is written as in 'cc/'")
    if origin.nodes[node].state.finished:
        raise SubgameError(f"after {betting!r} the hand is over: there is no subgame")
    everything = _at(game, node)
    if origin.buckets is not None:
        if board or len(everything) > 1:
            raise SubgameError(f"the private states of {game.name} are buckets: boards are not known; see subgames()")
        return everything[0]
    real = _state_with(origin, origin.nodes[node].state.round, board)
    seen = origin.sights[0].seen[origin.nodes[node].state.round][real]
    return next(one for one in everything if seen in one.states[0])


def subgames(game: Game, round: int) -> list[Subgame]:
    """All subgames at the start of a betting round; rounds count from 0."""
    origin = origin_of(game)
    if not 0 <= round < origin.rules.rounds:
        raise SubgameError(f"{game.name} has rounds 0 to {origin.rules.rounds - 1}, not {round}")
    starts = []
    for here, node in enumerate(origin.nodes):
        before = origin.nodes[node.parent].state.round if node.parent >= 0 else -1
        if not node.state.finished and before < round == node.state.round:
            starts.append(here)
    return [one for here in starts for one in _at(game, here)]


def origin_of(game: Game) -> Origin:
    """Where a game was compiled from; raises SubgameError if it is not a compiled game of two players."""
    if game.origin is None:
        raise SubgameError(f"{game.name} was not compiled from rules: its public states are not known")
    if len(game.trees) != 2:
        raise SubgameError(f"subgames are refined for two players; {game.name} has {len(game.trees)}")
    return game.origin


def joint(game: Game, round: int) -> sparse.csr_array:
    """The probability that chance deals each pair of the players' private states of a round."""
    origin = origin_of(game)
    first, second = (merger(sight.seen[round], sight.sizes[round]) for sight in origin.sights)
    return sparse.csr_array(first.T @ origin.dealt.joint[round] @ second)


def _at(game: Game, node: int) -> list[Subgame]:
    """The subgames at a public node: connected private states."""
    origin = origin_of(game)
    round = origin.nodes[node].state.round
    dealt = joint(game, round)
    n = dealt.shape[0]
    ties = [_tied(sight.rows[round]) for sight in origin.sights]
    graph = sparse.block_array([[ties[0], dealt], [dealt.T, ties[1]]])
    count, label = connected_components(graph, directed=False)
    boards: list[set[str]] = [set() for _ in range(count)]
    if origin.buckets is None:
        for state, seen in zip(origin.deals.states[round], origin.sights[0].seen[round], strict=True):
            boards[label[seen]].add(origin.deals.label(state).partition("/")[2])
    several = []
    for c in range(count):
        states = np.flatnonzero(label[:n] == c), np.flatnonzero(label[n:] == c)
        several.append(Subgame(game, node, tuple(sorted(boards[c])), states, dealt[states[0]][:, states[1]].toarray()))
    return several


def _tied(rows: np.ndarray) -> sparse.csr_array:
    """Which states share a row, and so must be played alike."""
    same = merger(rows, int(rows.max()) + 1)
    return sparse.csr_array(same @ same.T)


def _state_with(origin: Origin, round: int, board: str) -> int:
    """Some real private state of a round in which this board lies; ranks will do where suits do not matter."""
    rules, states = origin.rules, origin.deals.states[round]
    deck, sizes = rules.deck, [n for n in rules.board_cards[: round + 1] if n]
    groups = [group.replace(" ", "") for group in board.split("/")] if board else []
    problem = f"board {board!r}: this round has {' and '.join(map(str, sizes)) or 'no'} cards on the board"
    if len(groups) != len(sizes):
        raise SubgameError(f"{problem}, groups of cards apart by '/'")
    if not rules.suits_matter and [len(group) for group in groups] == sizes:
        tail = tuple(tuple(sorted(deck.ranks.find(rank) for rank in group)) for group in groups)
        state = next((i for i, state in enumerate(states) if state[1:] == tail), None)
        if state is None:
            raise SubgameError(f"board {board!r} is not of a deck of ranks {deck.ranks}, {len(deck.suits)} of each")
        return state
    try:
        used = deck.cards("".join(groups))
    except CardError as error:
        raise SubgameError(f"board {board!r}: {error}") from None
    cards = [deck.cards(group) for group in groups]
    if [len(group) for group in cards] != sizes:
        raise SubgameError(problem)
    hole = tuple(card for card in range(len(deck)) if card not in used)[: rules.hole_cards]
    return origin.deals.number(round, (hole, *cards))

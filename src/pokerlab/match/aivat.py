"""AIVAT (Burch, Schmid, Moravcik and Bowling 2018): luck of the cards and of known players' own dice, left out.

Some seats play strategies that are known tables of a compiled game. An observer who does not know their cards sees the
*observation* o: the other seats' cards, the board and the betting. What the known seats may hold, given o, follows from
their strategies: weight w(h) = chance(h) times the known seats' own reach, over all pairs of hands h. Then

    estimate = E[payoff | o at the end] - sum over events of (Q(o after) - E[Q(o after) | o before]),         (2)
    Q(o) = sum of w(h) u(h, o) over h / sum of w(h),

where events are deals and decisions of known seats and u is any function. The first term is the payoff with *imaginary
observations*: all hands that the known seats could have held as well. Its mean is that of the payoff by the law of
total expectation. Each term of the sum has mean zero given o before, because the distribution of the next observation
is known: chance and the known strategies make it. So (2) is unbiased whatever u is and however the unknown seats play,
as long as the known ones really play their tables.

With both strategies known and u their own expected values, nothing is left to luck: every hand is estimated at the
exact value. With u from a good guess of the other's play, much of it goes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, pairwise
from typing import NamedTuple

import numpy as np

from pokerlab.agents.agent import Agent
from pokerlab.agents.asked import asked
from pokerlab.agents.table import tabulate
from pokerlab.errors import CardError, IllegalAction, PokerlabError
from pokerlab.form.compile import Origin
from pokerlab.form.game import Game
from pokerlab.form.lift import lift
from pokerlab.form.strategy import Profile
from pokerlab.game.betting import Betting
from pokerlab.game.hand import Cards, Hand, new_hand
from pokerlab.match.loop import playing
from pokerlab.match.showdowns import Showdowns
from pokerlab.match.variance import Chips

_MOST_KNOWN = 32  # pairs of agents whose tables are remembered

Boards = tuple[Cards, ...]  # the cards of each round so far


class Values(NamedTuple):
    """The function u, in chips of seat 0, for each node of the betting tree.

    `at[n]` is an array over the pairs of private states of the node's round (in the order of `joint`'s entries);
    `entering[n]` over those of its parent's round, before cards that come in between are dealt.
    """

    at: list[np.ndarray]
    entering: list[np.ndarray]


class _Pairs(NamedTuple):
    """Pairs of private states that can occur in a round: a key for each, its probability, and its parent pair."""

    keys: np.ndarray
    probability: np.ndarray
    states: tuple[np.ndarray, np.ndarray]
    parent: np.ndarray


def _pairs(origin: Origin) -> list[_Pairs]:
    pairs: list[_Pairs] = []
    deals = origin.deals
    for r, joint in enumerate(deals.joint):
        coo, size = joint.tocoo(), joint.shape[0]
        order = np.lexsort((coo.col, coo.row))
        rows, columns = coo.row[order].astype(np.int64), coo.col[order].astype(np.int64)
        parent = np.zeros(len(rows), np.int64)
        if r:
            above = deals.parents[r][rows] * deals.joint[r - 1].shape[0] + deals.parents[r][columns]
            parent = np.searchsorted(pairs[-1].keys, above)
        pairs.append(_Pairs(rows * size + columns, coo.data[order], (rows, columns), parent))
    return pairs


def history_values(profile: Profile) -> Values:
    """What seat 0 wins on average from each node and pair of private states on, if both play the profile."""
    profile = lift(profile)
    origin = _origin(profile.game)
    pairs = _pairs(origin)
    last = pairs[-1]
    sign = np.asarray(origin.deals.showdown[last.states[0], last.states[1]]).ravel() / last.probability
    at: list[np.ndarray] = [np.zeros(0)] * len(origin.nodes)
    entering = list(at)
    for here in range(len(origin.nodes) - 1, -1, -1):
        node = origin.nodes[here]
        r, actor = node.state.round, node.state.actor
        if actor is None:
            at[here] = min(node.state.spent) * sign if node.state.showdown else _fold(node.state, len(pairs[r].keys))
        else:
            at[here] = np.zeros(len(pairs[r].keys))
            for chance, child in zip(profile.at_node(here), node.children, strict=True):
                at[here] += chance[pairs[r].states[actor]] * entering[child]
        above = origin.nodes[node.parent].state.round if node.parent >= 0 else r
        entering[here] = _before_deals(pairs, at[here], r, above)
    return Values(at, entering)


def _fold(state: Betting, size: int) -> np.ndarray:
    return np.full(size, float(state.spent[1]) if state.folded[1] else -float(state.spent[0]))


def _before_deals(pairs: list[_Pairs], values: np.ndarray, later: int, earlier: int) -> np.ndarray:
    """The means of values over what is dealt between two rounds."""
    for r in range(later, earlier, -1):
        above = len(pairs[r - 1].keys)
        sums = np.bincount(pairs[r].parent, pairs[r].probability * values, above)
        values = sums / pairs[r - 1].probability
    return values


def _origin(game: Game) -> Origin:
    if game.origin is None:
        raise PokerlabError(f"{game.name} was not compiled from rules: its strategies play no hands")
    return game.origin


class Aivat:
    """The estimator of equation (2) for a two-player game that compiles.

    `profile` holds the strategies; `known` says which seats really play theirs. `values` is u: `history_values` of any
    profile of the full game; by default of `profile` itself, whose other seat then stands for a guess of the other's
    play. The cards of known seats need not be known.
    """

    def __init__(self, profile: Profile, known: Iterable[int] = (0, 1), values: Values | None = None) -> None:
        self.profile = lift(profile)
        self.known = tuple(sorted(set(known)))
        if not set(self.known) <= {0, 1}:
            raise PokerlabError(f"known seats are among 0 and 1, not {self.known}")
        self.origin = origin = _origin(self.profile.game)
        self.rules = origin.rules
        self.values = history_values(self.profile) if values is None else values
        self._showdowns = Showdowns(self.rules)
        self.holes, held = self._showdowns.holes, self._showdowns.held.astype(float)
        self._apart = (held @ held.T == 0).astype(float)  # which two hands can be dealt together
        self._keys = [pairs.keys for pairs in _pairs(origin)]
        self._seen: dict[Boards, tuple[np.ndarray, np.ndarray]] = {}
        self._start = self._expected(self._apart, 0, (), 0)

    def __call__(self, hand: Hand) -> Chips:
        """The estimate of a finished hand, for both seats."""
        if hand.rules != self.rules or not hand.finished:
            raise PokerlabError(f"AIVAT for {self.rules.name} needs a finished hand of that game")
        boards = self._rounds(hand.board)
        nodes, here, now = self.origin.nodes, 0, boards[:1]
        weights = self._observed(hand) * self._possible(now)
        estimate = self._start - self._mean(weights, self.values.at[0], now)
        for action in hand.actions:
            node = nodes[here]
            if action not in node.actions:
                raise IllegalAction(f"action {action} at {node.text!r} is not in the compiled game")
            child = node.children[node.actions.index(action)]
            now = boards[: node.state.round + 1]
            if node.state.actor in self.known:
                change, weights = self._decision(weights, here, child, now)
                estimate += change
            after = nodes[child].state
            if not after.finished and after.round > node.state.round:
                estimate += self._expected(weights, child, now, after.round)
                now = boards[: after.round + 1]
                weights = weights * self._possible(now)
                estimate -= self._mean(weights, self.values.at[child], now)
            here = child
        estimate += self._payoff(weights, nodes[here].state, now)
        return estimate, -estimate

    def _rounds(self, board: Cards) -> Boards:
        counts = np.cumsum((0, *self.rules.board_cards)).tolist()
        return tuple(board[a:b] for a, b in pairwise(counts))

    def _observed(self, hand: Hand) -> np.ndarray:
        """Weights once the cards are dealt: the cards of seats that are not known are seen."""
        weights = self._apart
        for seat in {0, 1} - set(self.known):
            if not hand.holes or not hand.holes[seat]:
                raise CardError(f"AIVAT needs the cards of player {seat + 1}, whose strategy is not known")
            seen = np.zeros(len(self.holes))
            seen[self._showdowns.number(hand.holes[seat])] = 1.0
            weights = weights * (seen[:, None] if seat == 0 else seen[None, :])
        return weights

    def _possible(self, boards: Boards) -> np.ndarray:
        """1 for pairs of hands without a card of the board."""
        free = self._showdowns.possible(tuple(card for cards in boards for card in cards))
        return np.outer(free, free).astype(float)

    def _lookup(self, boards: Boards) -> tuple[np.ndarray, np.ndarray]:
        """On this board, the private state of each hand, and the place in `Values` of each pair of hands.

        Hands that the board makes impossible have state 0; their weight is 0.
        """
        known = self._seen.get(boards)
        if known is None:
            dealt = {card for cards in boards for card in cards}
            deals, round = self.origin.deals, len(boards) - 1
            shown = tuple(cards for cards in boards if cards)
            states = np.array([0 if dealt & set(hole) else deals.number(round, (hole, *shown)) for hole in self.holes])
            keys = self._keys[round]
            wanted = states[:, None] * len(deals.states[round]) + states[None, :]
            places = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
            known = self._seen[boards] = states, places
        return known

    def _mean(self, weights: np.ndarray, values: np.ndarray, boards: Boards) -> float:
        """Q(o)."""
        return float((weights * values[self._lookup(boards)[1]]).sum() / weights.sum())

    def _decision(self, weights: np.ndarray, here: int, child: int, boards: Boards) -> tuple[float, np.ndarray]:
        """E[Q(o after) | o] - Q(o after) for a known seat's decision, and the weights after it."""
        node = self.origin.nodes[here]
        states, places = self._lookup(boards)
        table = self.profile.at_node(here, states)
        chances = table[:, :, None] if node.state.actor == 0 else table[:, None, :]
        expected = 0.0
        for chance, kid in zip(chances, node.children, strict=True):
            expected += (weights * chance * self.values.entering[kid][places]).sum()
        expected /= weights.sum()
        weights = weights * chances[node.children.index(child)]
        if not weights.sum() > 0:
            raise PokerlabError(
                f"player {1 + bool(node.state.actor)} has played as its strategy never does at {node.text!r}"
            )
        return expected - self._mean(weights, self.values.entering[child], boards), weights

    def _expected(self, weights: np.ndarray, here: int, boards: Boards, last: int) -> float:
        """E[Q(o after) | o] for the deal of the rounds up to `last`. All boards are equally likely given the hands."""
        total = mass = 0.0
        for more in self._boards(boards, last):
            left = weights * self._possible(more)
            total += (left * self.values.at[here][self._lookup(more)[1]]).sum()
            mass += left.sum()
        return float(total / mass)

    def _boards(self, boards: Boards, last: int) -> Iterator[Boards]:
        """All boards up to round `last` that begin like this."""
        if len(boards) > last:
            yield boards
            return
        dealt = {card for cards in boards for card in cards}
        live = [card for card in range(len(self.rules.deck)) if card not in dealt]
        for cards in combinations(live, self.rules.board_cards[len(boards)]):
            yield from self._boards((*boards, cards), last)

    def _payoff(self, weights: np.ndarray, state: Betting, boards: Boards) -> float:
        """E[payoff | o], over the cards still to come too if nobody could bet any more."""
        if not state.showdown:
            return float(_fold(state, 1)[0])
        total = mass = 0.0
        for more in self._boards(boards, self.rules.rounds - 1):
            left = weights * self._possible(more)
            total += (left * self._signs(tuple(card for cards in more for card in cards))).sum()
            mass += left.sum()
        return float(min(state.spent) * total / mass)

    def _signs(self, board: Cards) -> np.ndarray:
        """The showdown for seat 0, for all pairs of hands."""
        ranks = self._showdowns.ranks(board)
        return np.sign(ranks[:, None] - ranks[None, :])


class TableAivat:
    """`Aivat` between agents of a game that compiles, asked what they do everywhere: a score for `play_match`.

    One that remembers past hands is measured by the stateless one that it says it is playing (`Agent.playing`).
    """

    def __init__(self, game: Game, agents: Sequence[Agent]) -> None:
        self.game, self.rules = game, _origin(game).rules
        self._known: dict[tuple, Aivat] = {}
        for agent in agents:
            agent.must_play(self.rules)
            asked(agent, agent.playing, new_hand(self.rules).view(0))  # who cannot say is refused before the first hand

    def __call__(self, hand: Hand, seated: Sequence[Agent]) -> Chips:
        """The estimate of a finished hand for both seats, in chips. Hole cards need not be known."""
        (first, second), names = playing(hand, seated), hand.names
        estimator = self._known.get((first, second, names))
        if estimator is None:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            tables = tabulate(first, self.game, 0, names), tabulate(second, self.game, 1, names)
            estimator = self._known[first, second, names] = Aivat(Profile(self.game, tables))
        return estimator(hand)

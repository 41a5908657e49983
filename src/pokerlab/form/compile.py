"""From the table to mathematics: `compile(rules, abstraction) -> Game`.

The game is a betting tree times private states. At each public node the actor's infosets are one block;
a terminal contributes one term to the payoff: a matrix over the two players' private states, aggregated to
the states in which they last acted, times the chips at stake. Private states are cards, or buckets given by matrices.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from pokerlab.abstraction.small import FULL, Abstraction, PlayerAbstraction, parse_abstraction
from pokerlab.errors import AbstractionError
from pokerlab.form.game import BilinearGame, Game, ManyPlayerGame, Tie
from pokerlab.form.payoff import Group, Placed, payoff_of
from pokerlab.form.public_tree import PublicTree, ending_matrix
from pokerlab.form.treeplex import Block, Treeplex
from pokerlab.game.betting_tree import Node, betting_tree
from pokerlab.game.bucket_deals import BucketDeals
from pokerlab.game.catalog import rules_of
from pokerlab.game.deals import Deals, deals_of
from pokerlab.game.hand import split_pot
from pokerlab.game.rules import Rules
from pokerlab.progress import announced


@dataclass(frozen=True)
class Sight:
    """What one player tells apart: per round, abstract states with perfect recall, and rows tied by forgetting.

    `seen[r]` maps the game's private states to abstract states, `parents[r]` an abstract state to the one
    it extends, `rows[r]` an abstract state to its row (the same for states that the player cannot tell apart).
    """

    seen: tuple[np.ndarray, ...]
    parents: tuple[np.ndarray, ...]
    rows: tuple[np.ndarray, ...]
    labels: tuple[list[str], ...]

    @property
    def sizes(self) -> list[int]:
        return [len(p) for p in self.parents]

    @property
    def recalls(self) -> bool:
        """Whether no two states with different pasts share a row."""
        return all(len(set(rows)) == len(rows) for rows in self.rows)

    def ancestors(self, later: int, earlier: int) -> np.ndarray:
        """The state of round `earlier` that each state of round `later` extends; before the deal (-1) there is one."""
        states = np.arange(self.sizes[later])
        for r in range(later, earlier, -1):
            states = self.parents[r][states]
        return states


@dataclass(frozen=True)
class Origin:
    """Where a compiled game came from: enough to name, lift and play its strategies."""

    rules: Rules
    abstraction: Abstraction
    dealt: Deals | BucketDeals
    sights: tuple[Sight, ...]
    public: PublicTree

    @property
    def nodes(self) -> Sequence[Node]:
        """The betting tree's."""
        return self.public.nodes

    def sequences_to(self, node: int, player: int) -> np.ndarray:
        """For each private state of the player at a public node, the sequence of its own that leads there."""
        earlier, later = self.public.round[node][player], self.nodes[node].state.round
        return self.public.corner[node][player] + self.sights[player].ancestors(later, earlier)

    @property
    def deals(self) -> Deals:
        """How cards are dealt; of a game of buckets nobody knows."""
        if isinstance(self.dealt, BucketDeals):
            raise AbstractionError(
                f"the private states are buckets ({self.dealt.name}): their cards are not known here"
            )
        return self.dealt

    @property
    def buckets(self) -> BucketDeals | None:
        """The buckets that are the private states, or None if cards are."""
        return self.dealt if isinstance(self.dealt, BucketDeals) else None


def compile(
    game: str | Rules,
    abstraction: str | Abstraction = FULL,
    *,
    deals: BucketDeals | None = None,
    nodes: int | None = None,
) -> Game:
    """The game in sequence form.

    `game` is a catalogue name such as `leduc` or `leduc:ranks=13,suits=4`, the path of a game definition,
    or Rules. `abstraction` is text such as `JQ.K-FULL`, or an Abstraction. Games of three and more players become a
    ManyPlayerGame, for regret methods and best responses; they have no abstraction. `deals` puts buckets in place of
    cards; an abstraction then limits bets only. Betting with more than so many `nodes` is refused. Games that are too
    large can be allowed by `bounds.larger_games`.
    """
    rules = rules_of(game)
    view = parse_abstraction(abstraction, rules)
    if rules.players > 2 and not view.is_full:
        raise AbstractionError(f"{rules.name or 'this game'} has {rules.players} players; abstractions are for two")
    with announced(f"compiling {rules.name or 'the game'}"):
        return _compiled(rules, view, deals, nodes)


def _compiled(rules: Rules, view: Abstraction, deals: BucketDeals | None, nodes: int | None) -> Game:
    dealt: Deals | BucketDeals
    if deals is None:
        dealt = cards = deals_of(rules)
        sights = tuple(_sight(cards, view.of(player)) for player in range(rules.players))
    else:
        _check_buckets(rules, view, deals)
        dealt, sights = deals, tuple(_bucket_sight(deals, player) for player in range(2))
    public = PublicTree(betting_tree(rules, view, nodes), [sight.sizes for sight in sights])
    origin = Origin(rules, view, dealt, sights, public)
    trees = tuple(_treeplex(origin, player) for player in range(rules.players))
    if rules.players > 2:
        return ManyPlayerGame(trees, *_outcomes(origin), rules.name, origin)
    payoff = _payoff(origin, (trees[0].sequences, trees[1].sequences))
    ties = _tie(origin, 0), _tie(origin, 1)
    return BilinearGame(trees[0], payoff, trees[1], rules.name, ties, origin)


def _sight(deals: Deals, player: PlayerAbstraction) -> Sight:
    """The coarsest states with perfect recall from which each round's bucket can be told."""
    seen: list[np.ndarray] = []
    parents, rows, labels = [], [], []
    for r, buckets in enumerate(player.buckets(deals)):
        past = seen[-1][deals.parents[r]] if seen else np.zeros(len(buckets), dtype=np.int64)
        pairs = list(zip(past.tolist(), buckets.tolist(), strict=True))
        number = {pair: i for i, pair in enumerate(dict.fromkeys(pairs))}
        seen.append(np.array([number[pair] for pair in pairs], dtype=np.int64))
        parents.append(np.array([past for past, _ in number], dtype=np.int64))
        rows.append(np.array([bucket for _, bucket in number], dtype=np.int64))
        members: list[list[str]] = [[] for _ in number]
        for state, at in zip(deals.states[r], seen[-1], strict=True):
            members[at].append(deals.label(state))
        labels.append([",".join(group) for group in members])
    return Sight(tuple(seen), tuple(parents), tuple(rows), tuple(labels))


def _check_buckets(rules: Rules, view: Abstraction, deals: BucketDeals) -> None:
    game = rules.name or "this game"
    if rules.players != 2:
        raise AbstractionError(f"{game} has {rules.players} players; buckets are for two")
    if deals.rounds != rules.rounds:
        raise AbstractionError(f"buckets {deals.name} have {deals.rounds} rounds, {game} has {rules.rounds}")
    if any(view.of(player).groups_cards for player in range(2)):
        raise AbstractionError(f"abstraction {view.text!r} groups cards; with buckets it can only limit bets")


def _bucket_sight(deals: BucketDeals, player: int) -> Sight:
    """Every bucket is told apart, and nothing is forgotten."""
    numbers = tuple(np.arange(size) for size in deals.sizes(player))
    parents = tuple(np.asarray(p, dtype=np.int64) for p in deals.parents[player])
    return Sight(numbers, parents, numbers, deals.labels(player))


def _treeplex(origin: Origin, player: int) -> Treeplex:
    nodes, mine = origin.nodes, origin.public.mine[player]
    parents = [origin.sequences_to(here, player) for here in mine]
    # A sequence of one among several leads into the last round in many ways: there all is trunk.
    parts = _last_rounds(nodes, mine) if len(origin.sights) == 2 else []
    return Treeplex(parents, [len(nodes[here].actions) for here in mine], partial(_describe, origin, player), parts)


def _describe(origin: Origin, player: int, b: int) -> Block:
    node = origin.nodes[origin.public.mine[player][b]]
    return Block(node.text, origin.sights[player].labels[node.state.round], node.names)


def _last_rounds(nodes: Sequence[Node], mine: list[int]) -> list[tuple[int, int]]:
    """Ranges of a player's blocks, one for each way to come into the last round of several.

    A player's own sequence leads into the last round in one way only: the other's call or check, or its own.
    """
    last = max(node.state.round for node in nodes)
    ends = list(range(1, len(nodes) + 1))
    for here in range(len(nodes) - 1, 0, -1):
        ends[nodes[here].parent] = max(ends[nodes[here].parent], ends[here])
    parts = []
    for here, node in enumerate(nodes):
        if node.parent >= 0 and nodes[node.parent].state.round < node.state.round == last and not node.state.finished:
            parts.append((bisect_left(mine, here), bisect_left(mine, ends[here])))
    return parts


def _tie(origin: Origin, player: int) -> Tie | None:
    sight = origin.sights[player]
    if sight.recalls:
        return None
    return Tie(np.concatenate([sight.rows[origin.nodes[here].state.round] for here in origin.public.mine[player]]))


def _payoff(origin: Origin, shape: tuple[int, int]) -> Placed:
    """One group for each (fold or showdown, round, rounds of the players' last actions)."""

    def labels(player: int, later: int, earlier: int) -> tuple[np.ndarray, int]:
        sight = origin.sights[player]
        return sight.ancestors(later, earlier)[sight.seen[later]], sight.sizes[earlier] if earlier >= 0 else 1

    groups = []
    for ending, terms in origin.public.terms().items():
        _, later, last = ending
        seen = [labels(player, later, earlier) for player, earlier in enumerate(last)]
        groups.append(Group(ending_matrix(origin.dealt, ending, seen), *terms))
    return payoff_of(shape, groups)


def _outcomes(origin: Origin) -> tuple[np.ndarray, np.ndarray]:
    """For every terminal and deal: the sequences that lead there, and the payoffs times the deal's probability."""
    deals, players = origin.deals, origin.rules.players
    sequences, payoffs = [], []
    for here, node in origin.public.terminals():
        taken = np.empty((len(deals.chance), players), dtype=np.int64)
        for player, earlier in enumerate(origin.public.round[here]):
            last = origin.sights[player].ancestors(origin.rules.rounds - 1, earlier)
            taken[:, player] = origin.public.corner[here][player] + last[deals.dealt[:, player]]
        sequences.append(taken)
        alive = node.state.survivors
        orders, at = np.unique(deals.order, axis=0, return_inverse=True)
        chips = np.array([split_pot(node.state.spent, {seat: int(order[seat]) for seat in alive}) for order in orders])
        payoffs.append(chips[at.ravel()] * deals.chance[:, None])
    return np.concatenate(sequences), np.concatenate(payoffs)

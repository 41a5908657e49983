"""The rest of a hand as a spot: its states are the table's, so that what is done in one can be done in the other.

Bet sizes are those of `abstraction.bets` in one round: `50 100 allin | 100 allin` are first bets and raises.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from pokerlab.abstraction.translation import taken_for
from pokerlab.agents.agent import Agent, Answers, Boards
from pokerlab.agents.reading import RULE
from pokerlab.cards.holes import COUNT
from pokerlab.cards.ranges import Range
from pokerlab.errors import AgentError, SpotError
from pokerlab.game.betting import CALL, Betting
from pokerlab.game.hand import View
from pokerlab.refine.spots.spot import Spot
from pokerlab.refine.spots.tree import BettingTree, Node, Sizes


def parse_street(text: str) -> Sizes:
    """First bets and raises, as in `50 100 allin | 100 allin`; without `|` raises are like bets.

    Where there is more than one `|`, raises are all that follow the first: a spot does not tell them apart.
    """
    first, *later = steps = text.split("|")
    if not all(step.strip() for step in steps):
        raise AgentError(f"bets {text!r}: sizes of first bets, then `|` and those of raises, are expected")
    try:
        sizes = Sizes.parse(first, " ".join(later) or first, f"bets {text!r},")
    except SpotError as error:
        raise AgentError(str(error)) from None
    return sizes._replace(raises=tuple(sorted(set(sizes.raises))))


class Rest:
    """What is left of a hand after the flop, for the player whose view it is. Player 0 of the spot is out of position.

    `most` is what either can lose in the hand: with unequal stacks, a table's larger bets are the spot's all-in.
    """

    def __init__(self, view: View) -> None:
        self.view, self.rules, self.round = view, view.rules, view.betting.round
        self.seats = (view.rules.first[self.round], 1 - view.rules.first[self.round])
        self.player = self.seats.index(view.seat)
        self.most = min(view.rules.stacks)

    def spot(self, mine: Range, theirs: Range, sizes: Mapping[int, Sizes]) -> Spot:
        """The spot, with bet sizes by round; small ones are made the least that the rules allow."""
        betting, ranges = self.view.betting, (mine, theirs) if self.player == 0 else (theirs, mine)
        assert betting.actor is not None
        put = [min(betting.spent[seat], self.most) for seat in self.seats]
        rounds = range(self.round, self.rules.rounds)
        return Spot(
            self.view.board, 2 * betting.before, (self.most - put[0], self.most - put[1]), ranges,
            {(number - 1, player): sizes[number] for number in rounds for player in range(2)},
            (put[0] - betting.before, put[1] - betting.before), self.seats.index(betting.actor),
            blind=self.rules.least_bet, name=self.view.betting_text(),
        )  # fmt: skip

    def action(self, node: Node, number: int, betting: Betting) -> int:
        """The real action that an action of the tree stands for."""
        action, raises = node.actions[number], betting.legal().raises
        if action <= CALL or not raises:
            return min(action, CALL)
        return min(max(action, raises[0]), raises[-1])

    def child(self, tree: BettingTree, node: Node, action: int) -> Node | None:
        """The node that a real action leads to, the deal of a card passed over; None if the tree does not have it."""
        action = min(action, self.most)
        if action not in node.actions:
            return None
        child = tree[node.children[node.actions.index(action)]]
        return tree[child.children[0]] if child.kind == "deal" else child


class Translated:
    """A strategy of the real game as behaviour of the player in a spot: asked at a node, on boards of its street."""

    def __init__(self, strategy: Agent, rest: Rest, tree: BettingTree) -> None:
        self.strategy, self.rest, self.tree = strategy, rest, tree
        self._views: dict[int, View] = {0: rest.view}
        self._by_size: dict[int, Callable[[View], Answers]] = {}

    def view(self, node: Node) -> View:
        """What the table would look like at a node, cards that were dealt since left out."""
        view = self._views.get(node.index)
        if view is None:
            parent = self.tree[node.parent]
            view = self.view(parent)
            if parent.kind != "deal":
                view = self._after(view, self.rest.action(parent, parent.children.index(node.index), view.betting))
            self._views[node.index] = view
        return view

    def _after(self, view: View, action: int) -> View:
        after, actions = view.betting.act(action), (*view.actions, action)
        ends = view.ends + (len(actions),) * (after.round - view.betting.round)
        return view._replace(actions=actions, ends=ends, betting=after)

    def __call__(self, node: Node, boards: Boards) -> np.ndarray:
        """(boards, actions, 1,326) probabilities."""
        view, chances = self.view(node), np.zeros((len(node.labels), len(boards), COUNT))
        numbers = {self.rest.action(node, number, view.betting): number for number in range(len(node.labels))}
        raises = sorted(action for action in numbers if action > CALL)
        for action, odds in self._asked(boards)(view._replace(legal=view.betting.legal())).items():
            for meant, part in taken_for(view.betting, action, view.betting, raises, RULE).items():
                chances[numbers[meant]] += part * odds
        return chances.transpose(1, 0, 2)

    def _asked(self, boards: Boards) -> Callable[[View], Answers]:
        """Boards of a street are always the same."""
        size = len(boards[0])
        if size not in self._by_size:
            self._by_size[size] = self.strategy.on_boards(boards)
        return self._by_size[size]

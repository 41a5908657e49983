"""The rest of a hand as a spot: its exact pot, stacks and bets, and the way between the table and the spot's tree.

Bet sizes are those of `abstraction.bet_sizes` for the rounds of a spot: `50 100 allin | 100 allin` are first bets and
raises, in per cent of the pot after calling.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np

from pokerlab.abstraction.translation import taken_for
from pokerlab.agents.agent import Agent, Answers, Boards
from pokerlab.agents.reading import RULE
from pokerlab.cards.holes import COUNT
from pokerlab.cards.ranges import Range
from pokerlab.errors import AgentError
from pokerlab.game.betting import CALL, FOLD, Betting, start_betting
from pokerlab.game.hand import View
from pokerlab.refine.spots import tree as words
from pokerlab.refine.spots.spot import Spot
from pokerlab.refine.spots.tree import BettingTree, Node, Size, Sizes

NOTHING = Sizes()


def parse_street(text: str) -> Sizes:
    """First bets and raises, as in `50 100 allin | 100 allin`; without `|` raises are like bets.

    Where there is more than one `|`, raises are all that follow the first: a spot does not tell them apart.
    """
    parts = [tuple(_size(word, text) for word in part.split()) for part in text.split("|")]
    if not all(parts):
        raise AgentError(f"bets {text!r}: sizes of first bets, then `|` and those of raises, are expected")
    raises = {size for part in (parts[1:] or parts) for size in part}
    return Sizes(parts[0], tuple(sorted(raises, key=lambda size: (size.unit, size.amount))))


def _size(word: str, text: str) -> Size:
    if word == "allin":
        return Size(0, words.ALL_IN)
    try:
        amount = float(word)
    except ValueError:
        amount = 0.0
    if not 0 < amount < math.inf:
        raise AgentError(f"bets {text!r}: per cent of the pot or allin are expected, not {word!r}")
    return Size(amount, "%")


class Rest:
    """What is left of a hand after the flop, for the player whose view it is. Player 0 of the spot is out of position.

    `before` are the chips that each had put in when the round began.
    """

    def __init__(self, view: View) -> None:
        self.view, self.rules, self.round = view, view.rules, view.betting.round
        betting = start_betting(view.rules)
        for action in view.actions[: view.ends[-1]]:
            betting = betting.act(action)
        self.before = min(betting.spent)
        self.seats = (view.rules.first[self.round], 1 - view.rules.first[self.round])
        self.player = self.seats.index(view.seat)
        assert view.betting.actor is not None
        self.to_act = self.seats.index(view.betting.actor)
        self.stack = min(view.rules.stacks) - self.before  # the most that either can still lose
        first, second = (min(view.betting.spent[seat] - self.before, self.stack) for seat in self.seats)
        self.bets = first, second
        self.all_in = max(self.bets) == self.stack

    def spot(self, mine: Range, theirs: Range, sizes: Mapping[int, Sizes]) -> Spot:
        """The spot, with bet sizes by round; small ones are made the least that the rules allow."""
        ranges = (mine, theirs) if self.player == 0 else (theirs, mine)
        # All-in there is nothing to bet: with a chip behind that nobody bets, the spot is the same.
        spare = int(self.all_in)
        stacks = tuple(self.stack + spare - bet for bet in self.bets)
        by_street = {
            (number - 1, player): NOTHING if self.all_in else self._legal(sizes[number])
            for number in range(self.round, self.rules.rounds)
            for player in range(2)
        }
        return Spot(
            self.view.board, 2 * self.before, (stacks[0], stacks[1]), ranges, by_street, self.bets, self.to_act,
            name=self.view.betting_text(),
        )  # fmt: skip

    def _legal(self, sizes: Sizes) -> Sizes:
        least = 100 * max(1, *self.rules.blinds) / (2 * self.before)
        bets = tuple(Size(max(size.amount, least), "%") if size.unit == "%" else size for size in sizes.bets)
        return Sizes(bets, sizes.raises)

    def action(self, tree: BettingTree, node: Node, number: int, betting: Betting) -> int:
        """The real action that an action of the tree stands for."""
        label, legal = node.labels[number], betting.legal()
        if label == words.FOLD:
            return FOLD if legal.fold else CALL
        if label in (words.CHECK, words.CALL) or not legal.raises:
            return CALL
        wanted = self.before + tree[node.children[number]].put[node.player]
        return min(max(wanted, legal.raises[0]), legal.raises[-1])

    def child(self, tree: BettingTree, node: Node, action: int) -> Node | None:
        """The node that a real action leads to, the deal of a card passed over; None if the tree does not have it."""
        kinds = (words.FOLD,) if action == FOLD else (words.CHECK, words.CALL)
        total = min(action - self.before, self.stack)
        for label, index in zip(node.labels, node.children, strict=True):
            plain = label in (words.FOLD, words.CHECK, words.CALL)
            child = tree[index]
            if label in kinds if action <= CALL else not plain and child.put[node.player] == total:
                return tree[child.children[0]] if child.kind == "deal" else child
        return None


class Translated:
    """A strategy of the real game as behaviour of the player in a spot: asked at a node, on boards of its street."""

    def __init__(self, strategy: Agent, rest: Rest, tree: BettingTree) -> None:
        self.strategy, self.rest, self.tree = strategy, rest, tree
        self._views: dict[int, View] = {0: rest.view}
        self._by_size: dict[int, Callable[[View], Answers]] = {}

    def view(self, node: Node) -> View:
        """What the table would look like at a node, cards that were dealt since left out."""
        found = self._views.get(node.index)
        if found is None:
            parent = self.tree[node.parent]
            if parent.kind == "deal":
                found = self.view(parent)
            else:
                found = self._after(self.view(parent), parent, parent.children.index(node.index))
            self._views[node.index] = found
        return found

    def _after(self, view: View, node: Node, number: int) -> View:
        if view.betting.actor is None:  # the table is done where the tree is not: a chip was left behind
            return view
        action = self.rest.action(self.tree, node, number, view.betting)
        after, actions = view.betting.act(action), (*view.actions, action)
        ends = view.ends + (len(actions),) * (after.round - view.betting.round)
        return view._replace(actions=actions, ends=ends, betting=after)

    def __call__(self, node: Node, boards: Boards) -> np.ndarray:
        """(boards, actions, 1,326) probabilities."""
        view, found = self.view(node), np.zeros((len(node.labels), len(boards), COUNT))
        if view.betting.actor is None:
            found[0] = 1.0
        else:
            numbers: dict[int, int] = {}
            for number in range(len(node.labels)):
                numbers.setdefault(self.rest.action(self.tree, node, number, view.betting), number)
            raises = sorted(action for action in numbers if action > CALL)
            for action, odds in self._asked(boards)(view._replace(legal=view.betting.legal())).items():
                for meant, part in taken_for(view.betting, action, view.betting, raises, RULE).items():
                    found[numbers[meant]] += part * odds
        return found.transpose(1, 0, 2)

    def _asked(self, boards: Boards) -> Callable[[View], Answers]:
        """Boards of a street are always the same."""
        size = len(boards[0])
        if size not in self._by_size:
            self._by_size[size] = self.strategy.on_boards(boards)
        return self._by_size[size]

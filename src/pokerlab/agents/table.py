"""The bridges between tables of numbers and players at a table.

`TableAgent` plays a strategy of the mathematical half; `tabulate` asks any stateless agent for its behaviour
everywhere, so that it can be evaluated and has an exploitability.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from pokerlab.agents.agent import Agent, Answers, Distribution
from pokerlab.agents.asked import distribution_of
from pokerlab.agents.by_bucket import ByBucket
from pokerlab.cards.holes import holes_of
from pokerlab.errors import PokerlabError
from pokerlab.form.compile import Origin, compile
from pokerlab.form.game import Game
from pokerlab.form.lift import lift
from pokerlab.form.strategy import Profile
from pokerlab.game.deals import State, private_state
from pokerlab.game.hand import View
from pokerlab.game.rules import Rules
from pokerlab.solvers.solution import Solution, load


class TableAgent(Agent):
    """Plays a solved strategy, in any seat. Abstract strategies are lifted to the full game first."""

    def __init__(
        self, strategy: Solution | Profile | str | Path, name: str = "table", *, abstraction: str | None = None
    ) -> None:
        files: tuple[str, ...] = ()
        if isinstance(strategy, (str, Path)):
            strategy, files = load(strategy, abstraction=abstraction), (str(strategy),)
        profile = strategy.strategy if isinstance(strategy, Solution) else strategy
        self.name, self.files = name, files
        self.profile = lift(profile)
        if self.profile.game.origin is None:
            raise PokerlabError(f"{self.profile.game.name} was not compiled from rules: nobody can sit down to it")
        self._origin: Origin = self.profile.game.origin
        self._deals, self.rules = self._origin.deals, self._origin.rules
        self._answers: dict[tuple[int, State], Distribution] = {}

    def act(self, view: View) -> Distribution:
        self.must_play(view.rules)
        key = (
            self._origin.public.after(view.actions),
            private_state(view.rules, view.betting.round, view.hole, view.board),
        )
        answer = self._answers.get(key)
        if answer is None:
            answer = self._answers[key] = self._look_up(*key)
        return answer

    def by_bucket(self, rules: Rules) -> ByBucket:
        self.must_play(rules)
        return _ByState(self)

    def _look_up(self, node: int, state: State) -> Distribution:
        here = self._origin.nodes[node]
        odds = self.profile.at_node(node, self._deals.number(here.state.round, state)).tolist()
        return {action: chance for action, chance in zip(here.actions, odds, strict=True) if chance > 0}


class _ByState:
    """A table's buckets are the private states of the full game."""

    def __init__(self, agent: TableAgent) -> None:
        self.agent, rules = agent, agent.rules
        assert rules is not None
        self.rules, self.holes = rules, holes_of(len(rules.deck), rules.hole_cards)

    def buckets(self, board: tuple[int, ...]) -> np.ndarray:
        round, deals = self.rules.boards.index(len(board)), self.agent._deals
        states = np.zeros(len(self.holes), np.int64)
        for number, hole in enumerate(self.holes):
            if not {*hole} & {*board}:
                states[number] = deals.number(round, private_state(self.rules, round, hole, board))
        return states

    def odds(self, view: View) -> Answers:
        node = self.agent._origin.public.after(view.actions)
        actions = self.agent._origin.nodes[node].actions
        return dict(zip(actions, self.agent.profile.at_node(node), strict=True))


def tabulate(agent: Agent, game: Game, player: int, names: tuple[str, ...] = ()) -> np.ndarray:
    """The agent's behaviour as `player` at every infoset of a compiled, unabstracted game; `names` sit at the table.

    Where suits were forgotten the agent is shown one of the equivalent deals of cards.
    """
    origin = game.origin
    if origin is None or not origin.abstraction.is_full:
        raise PokerlabError("an agent can be tabulated only in an unabstracted game compiled from rules")
    if not agent.stateless:
        raise PokerlabError(f"{agent.title} remembers past hands: it has no fixed behaviour")
    behaviour = np.zeros(game.trees[player].sequences)
    behaviour[0] = 1.0
    histories = _histories(origin)
    for here, node in enumerate(origin.nodes):
        if node.state.actor != player:
            continue
        table = game.at_node(here, behaviour)
        for i, state in enumerate(origin.deals.states[node.state.round]):
            actions, ends = histories[here]
            hole, board = _cards_of(origin.rules, state)
            holes = tuple(hole if seat == player else () for seat in range(origin.rules.players))
            legal = node.state.legal()
            view = View(origin.rules, player, holes, board, actions, ends, node.state, legal, names)
            answer = distribution_of(agent, view)
            table[:, i] = [answer.get(action, 0.0) for action in node.actions]
    return behaviour


def profile_of(first: Agent, second: Agent, game: Game | str | Rules) -> Profile:
    """The profile in which `first` plays player 0 and `second` player 1."""
    game = game if isinstance(game, Game) else compile(game)
    return Profile(game, (tabulate(first, game, 0), tabulate(second, game, 1)))


def _histories(origin: Origin) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Actions that lead to each node, and how many there were at the end of each round left behind."""
    histories: list[tuple[tuple[int, ...], tuple[int, ...]]] = [((), ())]
    for here, node in enumerate(origin.nodes[1:], 1):
        above = origin.nodes[node.parent]
        actions, ends = histories[node.parent]
        actions = (*actions, above.actions[above.children.index(here)])
        histories.append((actions, ends + (len(actions),) * (node.state.round - above.state.round)))
    return histories


def _cards_of(rules: Rules, state: State) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Real hole and board cards of a private state; where it has ranks only, each takes the next free suit."""
    if rules.suits_matter:
        cards = [list(group) for group in state]
    else:
        suits, used = len(rules.deck.suits), [0] * len(rules.deck.ranks)
        cards = []
        for group in state:
            cards.append([])
            for rank in group:
                cards[-1].append(rank * suits + used[rank])
                used[rank] += 1
    return tuple(cards[0]), tuple(card for group in cards[1:] for card in group)

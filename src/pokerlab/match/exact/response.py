"""The best response as a player: what exploits an agent, at the table.

Before the flop it plays by what the flops were worth that were looked at; from the flop on it computes, on the board
that is there, what each of its actions is worth against the agent's range. On a flop of hold'em that takes seconds the
first time, again and on turn and river it does not.

    response:limit-flops/best.response?to=holdem-limit
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from pokerlab.agents.agent import Agent, Distribution
from pokerlab.agents.spec import agent_of
from pokerlab.cards.holes import holes_of
from pokerlab.errors import AgentError
from pokerlab.files import write_arrays
from pokerlab.game.catalog import rules_of
from pokerlab.game.hand import View
from pokerlab.game.rules import parse_rules
from pokerlab.match.exact.before import met_by
from pokerlab.match.exact.street import Line
from pokerlab.match.exact.tree import PublicTree
from pokerlab.reading import of_kind, read_arrays, reading

FORMAT, VERSION = "pokerlab response", 1
_MOST_KNOWN = 20_000  # decisions whose values are remembered: some 30 KB each


class BestResponse(Agent):
    """Responds to the agent of a tree; `leaves` are what the flops are worth, (seats, lines, kinds), their mean."""

    def __init__(self, tree: PublicTree, leaves: np.ndarray, name: str = "response") -> None:
        self.tree, self.leaves, self.name, self.rules = tree, leaves, name, tree.rules
        self._holes = {hole: n for n, hole in enumerate(holes_of(len(tree.rules.deck), tree.rules.hole_cards))}
        self._known: dict[tuple[int, tuple[int, ...], tuple[int, ...]], np.ndarray] = {}

    def act(self, view: View) -> Distribution:
        self.must_play(view.rules)
        assert view.legal is not None
        key = view.seat, view.actions, view.board
        worth = self._known.get(key)
        if worth is None:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            worth = self._known[key] = self.worth(view.seat, Line(view.betting, view.actions, view.ends), view.board)
        best = int(worth[:, self._holes[tuple(sorted(view.hole))]].argmax())
        return {[*view.legal.actions()][best]: 1.0}

    def worth(self, seat: int, line: Line, board: tuple[int, ...]) -> np.ndarray:
        """What each action at a decision is worth with each of the hole cards: (actions, holes)."""
        after = [line.act(action) for action in line.betting.legal().actions()]
        reach = self.tree.play.reach(seat, line, board)
        if line.betting.round == 0:
            return np.stack([self._first(seat, each, reach) for each in after])
        rows = []
        for each in after:
            below = self.tree.below(seat, [each], line.betting.round)
            rows.append(below.worth(seat, reach[None], board)[0])
        return np.stack(rows)

    def _first(self, seat: int, line: Line, reach: np.ndarray) -> np.ndarray:
        """The same before the flop, where what follows is known."""
        betting, tree = line.betting, self.tree
        if betting.finished:
            chips = -betting.spent[seat] if betting.folded[seat] else betting.spent[1 - seat]
            return chips * met_by(tree, reach)
        if betting.round:
            number = [root.actions for root in tree.seats[seat][1].roots].index(line.actions)
            return np.asarray(self.leaves[seat, number][tree.suits.kinds])
        after = [(action, line.act(action)) for action in betting.legal().actions()]
        if betting.actor == seat:
            return np.max([self._first(seat, each, reach) for _, each in after], axis=0)
        odds = tree.play.odds(line, ())
        return np.sum([self._first(seat, each, reach * odds.get(action, 0.0)) for action, each in after], axis=0)

    def save(self, path: str | Path) -> None:
        """Write what is needed to play it again, together with the agent that it responds to."""
        header = {"format": FORMAT, "version": VERSION, "game": self.tree.rules.name,
                  "rules": self.tree.rules.text(), "agent": self.tree.play.digest()}  # fmt: skip
        write_arrays(path, header, {"leaves": self.leaves}, error=AgentError)


def load_response(path: str | Path, to: str, name: str = "response") -> BestResponse:
    """A response that was saved; `to` is the spec of the agent that it responds to, which no file may name itself."""
    header, arrays = read_arrays(path, FORMAT, VERSION, error=AgentError)
    with reading(path, AgentError):
        rules = parse_rules(header.text("rules"), header.text("game"))
        digest = header.text("agent")
    many = len(holes_of(len(rules.deck), rules.hole_cards)) >= 1000
    tree = PublicTree(agent_of(to, rules), rules_of(rules), dtype=np.float32 if many else np.float64)
    if tree.play.digest() != digest:
        raise AgentError(f"{path} is a response to another agent than {to!r}, or to an earlier one of that name")
    with reading(path, AgentError):
        shape = 2, len(tree.seats[0][1].roots), int(tree.suits.kinds.max()) + 1
        leaves = of_kind(arrays, "leaves", np.float64, *shape)
    agent = BestResponse(tree, leaves, name)
    agent.files = (str(path),)
    return agent

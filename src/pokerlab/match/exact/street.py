"""The betting of one round, seen by a player who responds to an agent: what compiled loops need to walk it.

Many lines of betting lead into a round, its *roots*; in a limit game the same betting follows each of them, for other
amounts. So one program does for all: the agent's actions are *rows* of its reach, each a part of the row before, and
the value of the round is computed as on a stack, with a vector of roots for a number.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from pokerlab.errors import PokerlabError
from pokerlab.game.betting import Betting, start_betting
from pokerlab.game.rules import Rules

ROW, SUM, SCAN, FOLD, SHOW, LEAF, MERGE = range(7)  # what a step does
SET, ADD, MOST = range(3)  # how what is put on the stack meets what lies there


class Line(NamedTuple):
    """A line of betting: the state that it has come to, its actions and where rounds ended."""

    betting: Betting
    actions: tuple[int, ...] = ()
    ends: tuple[int, ...] = ()

    def act(self, action: int) -> Line:
        after, actions = self.betting.act(action), (*self.actions, action)
        over = 0 if after.finished else after.round - self.betting.round
        return Line(after, actions, self.ends + (len(actions),) * over)


class Program(NamedTuple):
    """A round's betting as steps: (what, slot, which, how).

    ROW      the agent's reach after action number `which`, into a slot; from that of `parents`
    SUM      the sums of the row in a slot, by card and in all
    SCAN     the same, and what each hand beats of it
    FOLD     what a fold is worth where the agent's reach is in a slot, put on the stack or merged with its top
    SHOW     the same of a showdown
    LEAF     what the next round is worth, put on the stack; it has the reach of a slot
    MERGE    the two topmost of the stack become one
    """

    steps: np.ndarray  # (steps, 4)
    parents: np.ndarray  # by row: the slot of the reach before
    rows: int


class Place(NamedTuple):
    """A decision of the agent, one line a root, and the rows of its actions from `first` on."""

    lines: list[Line]
    first: int


@dataclass(frozen=True)
class Street:
    """A round for one responder; `pays[root, step]` are chips to the responder, where the step has a payoff."""

    round: int
    roots: list[Line]
    program: Program
    slots: int
    depth: int  # of the stack
    pays: np.ndarray
    places: list[Place]
    next_roots: list[Line]  # leaf by leaf, and in each root by root


def streets_of(rules: Rules, responder: int) -> dict[int, Street]:
    """All rounds of a game by number, or an error that says why there is no such program for it."""
    problem = _problem(rules)
    if problem:
        raise PokerlabError(f"exact best responses board by board are not for {rules.name or 'this game'}: {problem}")
    return streets_from(0, responder, [Line(start_betting(rules))])


def streets_from(round: int, responder: int, roots: list[Line]) -> dict[int, Street]:
    """The rounds that follow lines of betting which have come to a round, and perhaps to its end."""
    streets = {}
    while roots:
        streets[round] = _street(round, responder, roots)
        round, roots = round + 1, streets[round].next_roots
    return streets


def _problem(rules: Rules) -> str:
    checks = [
        (rules.players == 2, f"it is for two players, not {rules.players}"),
        (rules.limit, "bets must be of fixed size (limit)"),
        (rules.hole_cards <= 2, f"a player has one card or two, not {rules.hole_cards}"),
        (rules.rounds >= 2 and not rules.board_cards[0] and all(rules.board_cards[1:]),
         "board cards must be dealt in every round but the first"),
    ]  # fmt: skip
    return next((message for fine, message in checks if not fine), "")


class _Writer:
    """Goes through a round's betting once, at all roots at the same time."""

    def __init__(self, round: int, responder: int) -> None:
        self.round, self.responder = round, responder
        self.steps, self.pays, self.parents = list[list[int]](), list[list[int]](), list[int]()
        self.places, self.next_roots, self.leaves = list[Place](), list[Line](), 0
        self.slots, self.depth, self.top = 1, 1, 0
        self.summed = -1, -1  # the slot whose sums are there, and the step that made them

    def write(self, lines: list[Line], slot: int, how: int) -> None:
        """The steps that put the value of these lines on the stack, or merge it with its top."""
        states = [line.betting for line in lines]
        kinds = {(state.finished, state.showdown, state.round, state.actor, state.folded) for state in states}
        choices = {len([*state.legal().actions()]) for state in states if not state.finished}
        if len(kinds) > 1 or len(choices) > 1:
            raise PokerlabError("not the same betting follows all lines of a round: stacks must be deep enough for all")
        if states[0].finished:
            self._end(states, slot, how)
            return
        if states[0].round > self.round:
            self._step(LEAF, slot, self.leaves)
            self.leaves += 1
            self.next_roots += lines
        else:
            self._decide(lines, slot)
        if how != SET:
            self._step(MERGE, how=how)

    def _end(self, states: list[Betting], slot: int, how: int) -> None:
        me, shown = self.responder, states[0].showdown
        if self.summed[0] != slot:
            self.summed = slot, len(self.steps)
            self._step(SUM, slot)
        if shown:
            self.steps[self.summed[1]][0] = SCAN
            self._step(SHOW, slot, how=how, pays=[min(state.spent) for state in states])
        else:
            # Who folds loses what it has put in.
            pays = [-s.spent[me] if s.folded[me] else s.spent[1 - me] for s in states]
            self._step(FOLD, slot, how=how, pays=pays)

    def _decide(self, lines: list[Line], slot: int) -> None:
        actions = [[*line.betting.legal().actions()] for line in lines]
        mine, first = lines[0].betting.actor == self.responder, len(self.parents)
        if not mine:
            self.places.append(Place(lines, first))
            self.parents += [slot] * len(actions[0])
        for a in range(len(actions[0])):
            after, at = [line.act(some[a]) for line, some in zip(lines, actions, strict=True)], slot
            if not mine:
                at = slot + 1
                self._step(ROW, at, first + a)
            self.write(after, at, SET if a == 0 else MOST if mine else ADD)

    def _step(self, what: int, slot: int = 0, which: int = 0, how: int = SET, pays: list[int] | None = None) -> None:
        self.steps.append([what, slot, which, how])
        self.pays.append([0] if pays is None else pays)
        self.slots = max(self.slots, slot + 1)
        self.top += (what in (FOLD, SHOW, LEAF) and how == SET) - (what == MERGE)
        self.depth = max(self.depth, self.top)
        if what == ROW and self.summed[0] == slot:
            self.summed = -1, -1


def _street(round: int, responder: int, roots: list[Line]) -> Street:
    writer = _Writer(round, responder)
    writer.write(roots, 0, SET)
    program = Program(np.array(writer.steps, np.int64), np.array(writer.parents, np.int64), len(writer.parents))
    pays = np.stack([np.broadcast_to(np.array(row, np.float64), len(roots)) for row in writer.pays], axis=1)
    return Street(round, roots, program, writer.slots, writer.depth, pays, writer.places, writer.next_roots)

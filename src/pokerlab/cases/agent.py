"""The agent that plays as an expert did: it retrieves the cases most like its situation and reuses what was done there.

    agent = CasesAgent(load_cases("deepstack.cases"), reuse="max-frequency")
    agent.act(view)

In no-limit an opponent's bet may be read as either of two sizes; the answer is the mean over readings, so that nothing
is drawn and equal views have equal answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from pokerlab.agents.agent import Agent, Answers, Distribution
from pokerlab.cases.base import CaseBase, load_cases
from pokerlab.cases.explain import Explanation, explain
from pokerlab.cases.learn import Notes
from pokerlab.cases.retrieve import Index, indices_of
from pokerlab.cases.reuse import call_of, carried_out, check_policy, legal_letters, shares, weighed
from pokerlab.cases.sequences import readings
from pokerlab.errors import AgentError
from pokerlab.game.hand import Hand, View

DEFAULTS = ("", "call")
_MOST_KNOWN = 200_000  # situations whose answers are remembered
_IDENTICAL = 1 - 1e-9


class CasesAgent(Agent):
    """Plays a case base, in any seat.

    `reuse` is a policy of `reuse.POLICIES`. `vary` is Delta of equation (3.6), by which part its own bets vary in
    no-limit. With `default` "call" it checks and calls where no case is identical, as the thesis's first systems did;
    otherwise the nearest case decides, however far. With `retain` it learns from its own hands, so many at a time.
    """

    def __init__(
        self,
        base: CaseBase | str | Path,
        reuse: str = "probabilistic",
        vary: float = 0.0,
        default: str = "",
        retain: int = 0,
        name: str = "",
    ) -> None:
        check_policy(reuse)
        if not 0 <= vary < 1 or default not in DEFAULTS or retain < 0:
            raise AgentError(
                f"vary is from 0 to below 1, default 'call' or nothing and retain a number of hands, not {vary}, "
                f"{default!r} and {retain}"
            )
        base = base if isinstance(base, CaseBase) else load_cases(base)
        self.reuse, self.vary, self.default, self.retain = reuse, float(vary), default, int(retain)
        self.rules, self.name, self.files = base.rules, name, (base.path,) if base.path else ()
        self.stateless = not retain
        self._learnt_before = base
        self._take(base)

    def _take(self, base: CaseBase) -> None:
        self.base = base
        self._indices: tuple[Index, ...] | None = None
        self._known: dict[tuple[str, int, bytes], np.ndarray] = {}
        self._notes, self._noted = Notes(base.rules, base.features, base.parts), 0

    @property
    def indices(self) -> tuple[Index, ...]:
        """The base's rounds, ready for retrieval."""
        if self._indices is None:
            self._indices = indices_of(self.base)
        return self._indices

    def act(self, view: View) -> Distribution:
        self.must_play(view.rules)
        round, seat = view.betting.round, view.seat
        spent, stack = view.betting.spent[seat], view.rules.stacks[seat]
        cell = self.base.cells[round].of(view.hole, view.board, spent, stack)
        legal = legal_letters(view.betting, self.base.letters)
        odds = np.zeros(len(legal))
        for sequence, chance in readings(view.rules, view.actions, seat).items():
            key = sequence, cell, legal.tobytes()
            solution = self._known.get(key)
            if solution is None:
                if len(self._known) >= _MOST_KNOWN:
                    self._known.clear()
                solution = self._known[key] = self._solutions(round, sequence, np.array([cell]), legal)[0]
            odds += chance * solution
        return self._in_chips(view, odds)

    def answers(self, view: View) -> Answers:
        self.must_play(view.rules)
        round, seat = view.betting.round, view.seat
        spent, stack = view.betting.spent[seat], view.rules.stacks[seat]
        cells, place = np.unique(self.base.cells[round].on_board(view.board, spent, stack), return_inverse=True)
        legal = legal_letters(view.betting, self.base.letters)
        odds: np.ndarray = sum(
            (
                chance * self._solutions(round, sequence, cells, legal)
                for sequence, chance in readings(view.rules, view.actions, seat).items()
            ),
            np.zeros((len(cells), len(legal))),
        )
        return self._in_chips(view, odds[place].T)

    def explain(self, view: View) -> Explanation:
        self.must_play(view.rules)
        return explain(self.base, self.reuse, view, readings(view.rules, view.actions, view.seat))

    def _solutions(self, round: int, sequence: str, cells: np.ndarray, legal: np.ndarray) -> np.ndarray:
        """Probabilities [cells, letters] after one reading of the betting."""
        return shares(self.solutions(round, [sequence], np.zeros(len(cells), np.int64), cells, legal))

    def solutions(
        self, round: int, sequences: Sequence[str], targets: np.ndarray, cells: np.ndarray, legal: np.ndarray
    ) -> np.ndarray:
        """Weights [n, letters] in many situations, as in `Index.retrieve_many`; `legal` is for all of them or each."""
        index, call = self.indices[round], call_of(len(self.base.letters))
        if index.empty:
            return np.tile(call, (len(cells), 1))
        counts, outcomes, similar = index.retrieve_many(sequences, targets, cells)
        weights = weighed(counts, outcomes, legal, self.reuse)
        return np.where(similar[:, :1] < _IDENTICAL, call, weights) if self.default else weights

    def _in_chips(self, view: View, odds: np.ndarray) -> dict:
        """The odds of letters, or of each hand's, as those of real actions."""
        answers: dict = {}
        for letter, chance in zip(self.base.letters, odds.tolist() if odds.ndim == 1 else odds, strict=True):
            if np.any(chance):
                for action, part in carried_out(view.betting, letter, self.vary).items():
                    answers[action] = answers.get(action, 0.0) + part * chance
        return answers

    def observe(self, view: View) -> None:
        """Learn from a hand of its own, once there are enough; not where others' cards leave the outcome unknown."""
        shown = [seat for seat in view.betting.survivors if view.holes[seat]]
        if not self.retain or not view.hole or (view.betting.showdown and len(shown) < len(view.betting.survivors)):
            return
        hand = Hand(view.rules, view.holes, view.board, view.actions, view.ends, view.betting)
        self._notes.add(hand, view.seat, hand.payoffs()[view.seat])
        self._noted += 1
        if self._noted == self.retain:
            self._take(self.base.plus(self._notes.cases(self.base.solutions)))

    def reset(self) -> None:
        if self.base is not self._learnt_before or self._noted:
            self._take(self._learnt_before)

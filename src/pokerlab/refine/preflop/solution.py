"""What is known of the game before the flop once it is solved: charts, values, ranges at a flop, and its file."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from pokerlab.cards.chart import chart_lines, legend_lines, mixed_cells
from pokerlab.cards.holes import class_name, classes
from pokerlab.cards.ranges import Range
from pokerlab.errors import SpotError
from pokerlab.files import write_arrays
from pokerlab.reading import Damage, Header, number, of_kind, read_arrays, reading, refuse
from pokerlab.refine.preflop.game import SEATS, Preflop, parse_preflop
from pokerlab.refine.preflop.solver import EXPECT, KINDS, PreflopSolver
from pokerlab.refine.preflop.tree import Node
from pokerlab.refine.spots.engine import Figures
from pokerlab.refine.spots.spot import Spot, line_words
from pokerlab.solvers.checkpoint import kept, taken
from pokerlab.solvers.runner import Record
from pokerlab.terminal import Line
from pokerlab.writing import replacing, why

FORMAT, VERSION = "pokerlab preflop", 1
_STEP = 1000  # ranges of a spot are in thousandths
_COMBOS = np.bincount(classes(), minlength=KINDS)


class PreflopSolution:
    """A solved game. `strategy[decision]` and `values[decision]` are (kinds, actions): probabilities, and chips that a
    hand wins or loses by an action, played on as in the solution; nan where it can meet no hand.
    """

    def __init__(
        self,
        game: Preflop,
        record: Record,
        figures: Figures,
        strategy: dict[int, np.ndarray],
        values: dict[int, np.ndarray],
        method: str,
    ) -> None:
        self.game, self.record, self.figures, self.method = game, record, figures, method
        self.strategy, self.values = strategy, values

    @property
    def big_blind(self) -> int:
        return self.game.blinds[1]

    @property
    def ev(self) -> tuple[float, float]:
        """What big and small blind win a hand, in big blinds."""
        return self.figures.ev[0] / self.big_blind, self.figures.ev[1] / self.big_blind

    @property
    def exploitability(self) -> float:
        """The mean of what the players could gain by best responses, in big blinds a hand."""
        return self.figures.exploitability / self.big_blind

    @property
    def percent(self) -> float:
        """The same in per cent of the blinds, small and big together."""
        return 100 * self.figures.exploitability / sum(self.game.blinds)

    @property
    def decisions(self) -> list[Node]:
        return [self.game.tree[node] for node in self.game.tree.decisions]

    @cached_property
    def _reach(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """By node, (kinds) how likely each player goes there with a hand that it may be dealt."""
        first, second = (hands.grid().ravel() for hands in self.game.ranges)
        reach = [(first, second)] * len(self.game.tree.nodes)
        for node in self.game.tree:
            for action, child in enumerate(node.children):
                both = [*reach[node.index]]
                both[node.player] = both[node.player] * self.strategy[node.index][:, action]
                reach[child] = both[0], both[1]
        return reach

    def range(self, line: str | Sequence[str], player: int) -> Range:
        """A player's range at a node, in thousandths: 0 is the big blind."""
        weights = self._reach[node_at(self.game, line).index][player]
        return Range.of_grid((np.rint(weights * _STEP) / _STEP).reshape(13, 13))

    def spot(self, line: str | Sequence[str], board: str) -> Spot:
        """The spot that a line leads to on a board, with the ranges of the solution and the bets of the game."""
        node, words = _flop_at(self.game, line), line_words(line) if isinstance(line, str) else line
        ranges = self.range(words, 0), self.range(words, 1)
        for seat, hands in zip(SEATS, ranges, strict=True):
            if not len(hands):
                raise SpotError(f"the {seat} never comes to {', '.join(words)}: no hand of it is left there")
        return self.game.spot(node.index, board, ranges)

    # As text and as JSON

    def share(self, node: Node) -> np.ndarray:
        """(actions) how often each is taken at a decision, by all hands that come there; blockers are not counted."""
        reach = self._reach[node.index][node.player] * _COMBOS
        return np.asarray(reach @ self.strategy[node.index] / (reach.sum() or 1.0))

    def lines(self) -> list[str]:
        """The figures, as text."""
        game, record = self.game, self.record
        why = record.stopped if record.stopped == "interrupted" else f"stopped by {record.stopped}"
        big, small = self.ev
        lines = [
            f"{game.name}: {game.stack / self.big_blind:g} big blinds, {why} after {record.iterations:,} iterations of "
            f"{self.method}, {record.seconds:.1f} s",
            f"expected big blinds a hand   small blind {small:+.4f}   big blind {big:+.4f}",
            f"exploitability   {self.exploitability:.5f} big blinds a hand, {self.percent:.4f} % of the blinds",
        ]
        if game.tree.flops:
            lines.append(
                f"within its abstraction: flops {game.flops}, {game.turns} turns and {game.rivers} rivers each, "
                f"seed {game.seed}"
            )
        return lines

    def chart_lines(self, node: Node) -> list[Line]:
        """A decision, or both ranges where a flop is dealt, as 13 by 13 charts."""
        line = ", ".join(self.game.tree.line(node.index))
        if node.kind == "decision":
            title = f"{SEATS[node.player]} after {line}" if line else f"{SEATS[node.player]} first"
            strategy = np.where(self._reach[node.index][node.player][:, None] > 0, self.strategy[node.index], np.nan)
            return [
                title, *chart_lines(mixed_cells(strategy, node.labels)), *legend_lines(node.labels, self.share(node))
            ]  # fmt: skip
        lines: list[Line] = []
        for player in (1, 0):
            weights = self._reach[node.index][player]
            share = float(weights @ _COMBOS / _COMBOS.sum())
            cells = [f"{100 * weight:.0f}" if round(100 * weight) else "." for weight in weights]
            lines += [f"range of the {SEATS[player]} after {line}: {share:.1%} of all hands", *chart_lines(cells)]
        return [*lines, "how many of such hands are left, in per cent; a dot: none"]

    def summary(self) -> dict[str, Any]:
        """The figures, as plain JSON."""
        game, record = self.game, self.record
        return {
            "name": game.name,
            "stack": game.stack / self.big_blind,
            "method": self.method,
            "iterations": record.iterations,
            "seconds": record.seconds,
            "stopped": record.stopped,
            "ev": dict(zip(("big_blind", "small_blind"), self.ev, strict=True)),
            "exploitability": self.exploitability,
            "exploitability_percent": self.percent,
            "unit": "big blinds",
        }

    def node_json(self, node: Node) -> dict[str, Any]:
        """A decision or a flop as plain JSON, by kind of hand; values in big blinds."""
        line = list(self.game.tree.line(node.index))
        if node.kind == "flop":
            ranges = {name: self.range(line, player).text() for player, name in enumerate(("big_blind", "small_blind"))}
            return {"line": line, "pot": sum(node.put) / self.big_blind, "ranges": ranges}
        values = self.values[node.index] / self.big_blind
        return {
            "line": line,
            "player": SEATS[node.player],
            "actions": list(node.labels),
            "frequencies": self.share(node).tolist(),
            "hands": {
                class_name(kind): {
                    "reach": float(self._reach[node.index][node.player][kind]),
                    "strategy": self.strategy[node.index][kind].tolist(),
                    "ev": [None if np.isnan(value) else float(value) for value in values[kind]],
                }
                for kind in range(KINDS)
            },
        }

    # A file

    def save(self, path: str | Path) -> None:
        """Write the solution; what the players do after the flop is not in it."""
        run, _ = kept(self.record, {})
        header = {
            "format": FORMAT, "version": VERSION, "preflop": self.game.text(), "name": self.game.name,
            "method": self.method, "ev": list(self.figures.ev), "best": list(self.figures.best), **run,
        }  # fmt: skip
        arrays: dict[str, np.ndarray] = {}
        for node in self.game.tree.decisions:
            arrays |= {f"strategy_{node}": self.strategy[node], f"values_{node}": self.values[node]}
        write_arrays(path, header, arrays, error=SpotError)


def node_at(game: Preflop, line: str | Sequence[str]) -> Node:
    """The decision or the flop that a line such as `raise 200, call` leads to."""
    node = game.tree.at(line_words(line) if isinstance(line, str) else line)
    if node.kind not in ("decision", "flop"):
        raise SpotError(f"the hand ends after {', '.join(game.tree.line(node.index))}; show what comes before")
    return node


def _flop_at(game: Preflop, line: str | Sequence[str]) -> Node:
    node = node_at(game, line)
    if node.kind != "flop":
        where = f"after {', '.join(game.tree.line(node.index))}" if node.index else "at first"
        lines = "; ".join(", ".join(game.tree.line(leaf)) for leaf in game.tree.flops)
        raise SpotError(f"no flop is dealt {where}; one is after {lines}" if lines else "no flop is ever dealt")
    return node


def check_spot(game: Preflop, line: str | None, board: str, path: str | None) -> None:
    """Refuse what could not be written as a spot, before any work; without a path, nothing is asked for."""
    if path is None:
        if board:
            raise SpotError("a board is for --spot, the file to write a flop to")
        return
    if line is None or not board:
        raise SpotError('a spot is written of a flop: --line "raise 200, call" and --board "Qs Jh 2h" are needed, too')
    game.spot(_flop_at(game, line).index, board)


def save_spot(spot: Spot, path: str | Path) -> None:
    """Write a spot as a file for `pokerlab spot`."""
    try:
        with replacing(path) as file:
            file.write(spot.text().encode())
    except OSError as problem:
        raise SpotError(f"cannot write {path}: {why(problem)}") from None


def solution_of(solver: PreflopSolver, record: Record) -> PreflopSolution:
    """What a solver has come to."""
    strategy, values, ev = solver.strategies(), dict[int, np.ndarray](), []
    for player in range(2):
        earned, actions = solver.walk(player, EXPECT, strategy)
        reach = solver.reaches(1 - player, strategy)
        ev.append(float(earned[0].sum()))
        for node, each in actions.items():
            met = (solver.dealt[player] @ reach[node])[:, None]
            values[node] = np.divide(each, met, out=np.full(each.shape, np.nan), where=met > 0)
    figures = Figures((ev[0], ev[1]), solver.best_responses())
    return PreflopSolution(solver.game, record, figures, strategy, values, solver.method)


def load_preflop_solution(path: str | Path) -> PreflopSolution:
    """Read a solution back."""
    header, arrays = read_arrays(path, FORMAT, VERSION, error=SpotError)
    with reading(path, SpotError):
        game = parse_preflop(header.text("preflop"), header.text("name"))
        record, _ = taken(Header({"state": []} | header), arrays)
        strategy, values = dict[int, np.ndarray](), dict[int, np.ndarray]()
        for node in game.tree.decisions:
            count = len(game.tree[node].labels)
            strategy[node] = of_kind(arrays, f"strategy_{node}", np.float64, KINDS, count)
            values[node] = of_kind(arrays, f"values_{node}", np.float64, KINDS, count)
            if not (strategy[node] >= 0).all() or not np.allclose(strategy[node].sum(axis=1), 1):
                raise Damage("its probabilities do not add up to 1")
        figures = Figures(_two(header, "ev"), _two(header, "best"))
        return PreflopSolution(game, record, figures, strategy, values, header.text("method"))


def _two(header: Header, key: str) -> tuple[float, float]:
    both = header.entries(key)
    if len(both) != 2:
        refuse(f"{key}: two numbers", both)
    return number(both[0], key), number(both[1], key)

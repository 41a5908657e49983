"""A solved spot: figures, and the strategy and values of every hand at every node; and its file.

solved = solve_spot(read_spot("turn.toml"))
node = solved.node("check, bet 100")
node.actions, node.frequencies, node.hand("AsKd")
solved.node("check, check, 7d").strategy           # (hands, actions), hands as in node.hands
solved.save("turn.solution");  load_spot_solution("turn.solution")
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from pokerlab.cards.deck import Deck
from pokerlab.cards.holes import COUNT, compatible, possible, renamed_holes
from pokerlab.errors import SpotError
from pokerlab.notebook import Table, Tabular
from pokerlab.reading import Header, of_kind, read_arrays, reading
from pokerlab.refine.spots.boards import IDENTITY, Suits, change
from pokerlab.refine.spots.cpu import CpuEngine
from pokerlab.refine.spots.engine import METHOD, Engine, Figures, Pass
from pokerlab.refine.spots.locks import find_decision
from pokerlab.refine.spots.saved import FORMAT, VERSION, Played, open_solution, read_play, write_solution
from pokerlab.refine.spots.shape import Shape
from pokerlab.refine.spots.sixteen import plain
from pokerlab.refine.spots.spot import PLAYERS, Spot, as_once_solved, parse_spot
from pokerlab.refine.spots.tree import BettingTree, Node
from pokerlab.solvers.checkpoint import taken
from pokerlab.solvers.runner import Record

_DECK = Deck()


class SpotNode(Tabular):
    """A decision on a board. Arrays are over `hands`, the acting player's hands by number (holes.HOLES).

    Values are chips from here on: what the hand gets back from the pot less what it still puts in, so that folding is 0
    and, without rake, both players' values add up to the pot. They are nan for hands that can meet no hand.
    """

    def __init__(self, engine: Played, node: Node, path: list[int], suits: Suits, board: tuple[int, ...]) -> None:
        self._engine, self._node, self._path, self._suits = engine, node, path, suits
        self.board, self.player, self.actions = board, node.player, node.labels
        self.pot = engine.shape.spot.pot + sum(node.put)
        self.line = engine.shape.tree.line(node.index)
        self.hands = self.hands_of(node.player)

    def _repr_html_(self) -> str:
        from pokerlab.refine.spots.view import chart_html

        return chart_html(self)

    def table(self) -> Table:
        """A row a hand, by kinds, with the columns of `frames.node_frame`."""
        from pokerlab.refine.spots.frames import frame_table, node_frame

        return frame_table(self.title, node_frame(self))

    @property
    def spot(self) -> Spot:
        return self._engine.shape.spot

    @property
    def title(self) -> str:
        """Where the decision is and whose it is."""
        line = ", ".join(self.line) or "the start"
        return f"{_DECK.text(self.board)}, {line}: {PLAYERS[self.player]} to act, pot {self.pot}"

    def hands_of(self, player: int) -> np.ndarray:
        """The numbers of a player's hands here, whoever acts."""
        holes = self._engine.shape.holes[player]
        return holes[possible(self.board)[holes]]

    def _columns(self, player: int) -> np.ndarray:
        """Where a player's hands are on the board that was solved for this one."""
        column = np.zeros(COUNT, dtype=np.int64)
        column[self._engine.shape.holes[player]] = np.arange(len(self._engine.shape.holes[player]))
        return column[renamed_holes(self._suits)[self.hands_of(player)]]

    @cached_property
    def strategy(self) -> np.ndarray:
        """(hands, actions): the probability of each action; each row adds up to 1."""
        average = self._engine.average(self._node, self._path[-1] if self._path else 0)
        rows = average.T[self._columns(self.player)].astype(np.float64)
        total = rows.sum(axis=1, keepdims=True)
        return np.divide(rows, total, out=np.full(rows.shape, 1 / len(self.actions)), where=total > 0)

    @cached_property
    def _passes(self) -> list[Pass]:
        """Both players' passes here."""
        return [self._engine.rows(player, self._node, self._path) for player in range(2)]

    def weights(self, player: int) -> np.ndarray:
        """The weights (1,326) that a player's hands have here, before the decision; the largest at the root is 1."""
        weights = np.zeros(COUNT)
        weights[self.hands_of(player)] = self._passes[1 - player].reach[self._columns(player)]
        return weights

    def _chips(self, player: int) -> np.ndarray:
        """(hands, sequences) values from here on."""
        shape, spot = self._engine.shape, self._engine.shape.spot
        met = compatible(self.weights(1 - player))[self.hands_of(player)] * shape.layout.chances[self._node.street]
        value = self._passes[player].earned[:, self._columns(player)].T.astype(np.float64)
        chips = np.full(value.shape, np.nan)
        np.divide(value, met[:, None], out=chips, where=met[:, None] > 0)
        return chips + spot.total / 2 + self._node.put[player] - spot.bets[player]

    @cached_property
    def action_ev(self) -> np.ndarray:
        """(hands, actions): the value of each action, played on as in the solution."""
        return self._chips(self.player)

    @cached_property
    def ev(self) -> np.ndarray:
        """(hands): the value of each hand."""
        return (self.strategy * self.action_ev).sum(axis=1)

    def other_ev(self) -> tuple[np.ndarray, np.ndarray]:
        """The other player's hands, by number, and their values."""
        return self.hands_of(1 - self.player), self._chips(1 - self.player)[:, 0]

    @cached_property
    def shares(self) -> np.ndarray:
        """(hands): how likely the player is to hold each hand here; adds up to 1 where the node is reached at all."""
        joint = self.weights(self.player)[self.hands] * compatible(self.weights(1 - self.player))[self.hands]
        return joint / joint.sum() if joint.sum() > 0 else joint

    @property
    def frequencies(self) -> np.ndarray:
        """(actions): how often each action is taken, over all hands."""
        return self.shares @ self.strategy

    def hand(self, cards: str) -> dict[str, Any]:
        """Of one hand, such as `AsKd`: weight, equity, value, and for each action probability, value and loss."""
        from pokerlab.refine.spots.frames import hand_json

        return hand_json(self, cards)


class SpotSolution(Tabular):
    """A solved spot. `stopped` says why: `exploitability`, `iterations`, `seconds`, `until` or `interrupted`."""

    def __init__(self, engine: Played, record: Record, *, complete: bool = True) -> None:
        self._engine, self.record, self._complete = engine, record, complete
        self.method, self.iterations, self.seconds = engine.method, record.iterations, record.seconds
        self.stopped, self.trace = record.stopped, record.trace

    @property
    def spot(self) -> Spot:
        return self._engine.shape.spot

    @property
    def tree(self) -> BettingTree:
        return self._engine.shape.tree

    @property
    def isomorphism(self) -> bool:
        """Whether boards that are alike but for suits were solved as one."""
        return self._engine.shape.isomorphism

    @property
    def memory(self) -> int:
        """Bytes that solving took."""
        return self._engine.memory

    @cached_property
    def figures(self) -> Figures:
        """Expected chips and best responses, computed from the strategies."""
        if self._engine.entrance is not None:
            raise SpotError("a spot behind a gadget has no expected chips: it has margins")
        return self._engine.figures()

    @property
    def ev(self) -> tuple[float, float]:
        return self.figures.ev

    @property
    def exploitability(self) -> float:
        """In chips."""
        return self.figures.exploitability

    @property
    def root(self) -> SpotNode:
        return self.node("")

    def node(self, line: str | Sequence[str]) -> SpotNode:
        """The decision after a line such as `check, bet 100, call, 7d`."""
        node, dealt = find_decision(self.spot, line)
        board, suits, path = self.spot.board, IDENTITY, list[int]()
        for street, card in enumerate(dealt, self.spot.street + 1):
            deals = self._engine.shape.boards[street].deals[path[-1] if path else 0]
            deal = next(deal for deal in deals if deal.card == change(card, suits))
            suits = tuple(deal.suits[suit] for suit in suits)
            path.append(deal.board)
            board = (*board, card)
        return SpotNode(self._engine, node, path, suits, board)

    def best_response(self, player: int) -> np.ndarray:
        """(1,326) chips from the pot that a player's hands get by their best response; nan where there is no hand."""
        shape = self._engine.shape
        hands, other = shape.holes[player], self.spot.weights(1 - player)
        met = compatible(other / other.max())[hands]
        earned = self._engine.walk(player, best=True).astype(np.float64)
        chips = np.full(COUNT, np.nan)
        chips[hands] = np.divide(earned, met, out=np.full(len(hands), np.nan), where=met > 0) + self.spot.total / 2
        return chips

    @cached_property
    def margins(self) -> np.ndarray:
        """(1,326) behind a gadget: what each hand of its player at least loses by entering instead of taking its
        alternative, in chips (Definition 2 of Moravcik et al.); nan where there is no hand or none can be met.
        """
        entrance = self._engine.entrance
        if entrance is None:
            raise SpotError("only a spot behind a gadget has margins")
        margins = np.full(COUNT, np.nan)
        earned = self._engine.walk(entrance.player, best=True)
        margins[self._engine.shape.holes[entrance.player]] = entrance.margins(earned)
        return margins

    def table(self) -> Table:
        """That of the first decision."""
        return self.root.table()

    def _repr_html_(self) -> str:
        lines = "<br>".join(escape(line) for line in self.lines())
        return f"<p>{lines}</p>{self.root._repr_html_()}"

    def lines(self, unit: str = "chips") -> list[str]:
        """The figures, as text, in a unit of `frames.UNITS`."""
        from pokerlab.refine.spots.frames import UNITS, unit_size

        figures, spot, size, many = self.figures, self.spot, unit_size(self.spot, unit), UNITS[unit]
        (oop, ip), wide = (value / size for value in figures.ev), len(f"expected {many}")
        why = self.stopped if self.stopped == "interrupted" else f"stopped by {self.stopped}"
        part = 100 * figures.exploitability / spot.total
        rate = self.iterations / self.seconds if self.seconds else 0.0
        speed = f", {rate:{',.0f' if rate >= 10 else '.2g'}} iterations a second" if rate else ""
        return [
            f"{spot.name}: {why} after {self.iterations:,} iterations of {self.method}",
            f"{'took':<{wide}}   {self.seconds:.3f} s{speed}, {self.memory / 2**20:.1f} MiB",
            f"expected {many}   oop {oop:.3f}   ip {ip:.3f}   of a pot of {round(spot.total / size, 3):.10g}",
            f"{'exploitability':<{wide}}   {figures.exploitability / size:.4f} {many}, {part:.4f} % of the pot",
        ]

    def summary(self) -> dict[str, Any]:
        """The figures, as plain JSON."""
        figures = self.figures
        return {
            "spot": self.spot.name,
            "board": _DECK.text(self.spot.board),
            "pot": self.spot.total,
            "method": self.method,
            "iterations": self.iterations,
            "seconds": self.seconds,
            "stopped": self.stopped,
            "ev": list(figures.ev),
            "best_response": list(figures.best),
            "exploitability": figures.exploitability,
            "exploitability_percent": 100 * figures.exploitability / self.spot.total,
            "unit": "chips",
            "memory_bytes": self.memory,
            "iterations_per_second": self.iterations / self.seconds if self.seconds else None,
            "threads": self._engine.threads,
            "hands": [len(hands) for hands in self._engine.shape.holes],
            "decision_nodes": self.tree.decisions,
            "terminal_nodes": self.tree.terminals,
        }

    def bring(self, engine: Engine) -> Record:
        """Bring an engine to where this solution is; the record by then."""
        if not self._complete:
            raise SpotError("a solution of an older file has no regrets to go on from: resume from a checkpoint")
        self._engine.hand_on(engine)
        return self.record

    def save(self, path: str | Path, *, full: bool = False) -> None:
        """Write the solution; an existing file is replaced only once the new one is complete. From a `full` one, which
        is twice as large, solving can go on.
        """
        if full and not self._complete:
            raise SpotError("a solution of an older file has no regrets to save")
        if self._engine.entrance is not None:
            raise SpotError("a spot behind a gadget is not saved")
        write_solution(path, self._engine, self.figures, self.record, full=full)


def load_spot_solution(path: str | Path) -> SpotSolution:
    """Read a solution back. What is kept of its boards is read when it is looked at."""
    file = open_solution(path)
    if file.header["version"] == VERSION:
        saved = read_play(file)
        return SpotSolution(saved, saved.record)
    header, arrays = read_arrays(path, FORMAT, VERSION, error=SpotError, oldest=1)
    with reading(path, SpotError):
        spot, method = parse_spot(header.text("spot"), header.text("name")), header.text("method")
        if header["version"] == 1:
            spot, method = as_once_solved(spot), METHOD if method == "dcfr" else method
        shape = Shape(spot, isomorphism=header.flag("isomorphism"))
        record, _ = taken(Header({"state": []} | header), arrays)
        solved = CpuEngine(shape, method=method)
        solved.iteration = record.iterations
        for street in shape.streets:
            for player in range(2):
                steps = of_kind(arrays, f"strategy_{street}_{player}", np.uint16, shape.kept(street, player))
                solved.stores[street][player].strategy[:] = plain(steps)
        return SpotSolution(solved, record, complete=False)

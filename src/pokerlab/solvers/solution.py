"""The one record that every solver returns, and its file: the strategy's arrays under a header with game, method and
parameters.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from pokerlab.abstraction.small import Abstraction, names_code, parse_abstraction
from pokerlab.bounds import room
from pokerlab.errors import StrategyFileError, shown
from pokerlab.files import write_arrays
from pokerlab.form.compile import compile
from pokerlab.form.game import Game, bilinear
from pokerlab.form.general import game_from
from pokerlab.form.strategy import Profile
from pokerlab.game.betting_tree import MAX_NODES
from pokerlab.game.rules import parse_rules
from pokerlab.notebook import Table, Tabular
from pokerlab.reading import Damage, Header, of_kind, read_arrays, reading
from pokerlab.solvers.checkpoint import kept, taken
from pokerlab.solvers.runner import Point, Record

FORMAT = "pokerlab strategy"
VERSION = 1


@dataclass(frozen=True, eq=False)
class Solution(Tabular):
    """What a solver found. `value` is player 1's in chips, `exploitability` the mean of the seats, both in
    the game that was solved. `stopped` says why: `optimal`, `exploitability`, `iterations`, `seconds`, `until`
    or `interrupted`. `state` lets a regret method go on.
    """

    game: Game
    method: str
    parameters: Mapping[str, Any]
    strategy: Profile
    value: float
    exploitability: float
    iterations: int
    seconds: float
    stopped: str
    trace: tuple[Point, ...] = ()
    state: Mapping[str, np.ndarray] = field(default_factory=dict, repr=False)

    @property
    def record(self) -> Record:
        """How the run went."""
        return Record(self.iterations, self.seconds, self.stopped, self.trace)

    def summary(self) -> dict[str, Any]:
        """The figures, as plain JSON."""
        return {
            "game": self.game.name,
            "abstraction": _header_of(self.game)["abstraction"],
            "method": self.method,
            "parameters": dict(self.parameters),
            "iterations": self.iterations,
            "value": self.value,
            "exploitability": self.exploitability,
            "unit": "chips",
            "seconds": self.seconds,
            "stopped": self.stopped,
            "infosets": [tree.infosets for tree in self.game.trees],
            "sequences": [tree.sequences for tree in self.game.trees],
        }

    def table(self) -> Table:
        """The strategy, a row an infoset."""
        figures = f"value {self.value:+.6g}, exploitability {self.exploitability:.3g} chips"
        caption = f"{self.game.name} by {self.method}: {figures} after {self.iterations:,} iterations"
        return self.strategy.table()._replace(caption=caption)

    def save(self, path: str | Path) -> None:
        """Write the solution; an existing file is replaced only once the new one is complete."""
        run, state = kept(self.record, self.state)
        header = self.summary() | {"format": FORMAT, "version": VERSION, **_header_of(self.game), **run}
        arrays = {f"strategy{p}": behaviour for p, behaviour in enumerate(self.strategy.behaviours)}
        write_arrays(path, header, arrays | state, error=StrategyFileError)


def load(path: str | Path, game: Game | None = None, *, abstraction: str | None = None) -> Solution:
    """Read a solution back. Its game is compiled from the file, or given where the file has no rules.

    No file runs code: where its abstraction is by functions of one's own modules, `abstraction` names it again.
    """
    header, arrays = read_arrays(path, FORMAT, VERSION, error=StrategyFileError)
    if game is None:
        game = _game_of(header, arrays, path, abstraction)
    elif _identity(header) != _identity(_header_of(game)):
        raise StrategyFileError(f"{path} holds a strategy of another game ({header.get('game')}), not of {game.name}")
    with reading(path, StrategyFileError):
        sizes = [tree.sequences for tree in game.trees]
        behaviours = [of_kind(arrays, f"strategy{p}", np.float64, size) for p, size in enumerate(sizes)]
        run, state = taken(header, arrays)
        return Solution(
            game, header.text("method"), header.table("parameters"), Profile(game, tuple(behaviours)),
            header.number("value"), header.number("exploitability"), run.iterations, run.seconds, run.stopped,
            run.trace, state,
        )  # fmt: skip


def _header_of(game: Game) -> dict[str, Any]:
    """What a file says of its game."""
    origin = game.origin
    return {
        "rules": origin.rules.text() if origin else None,
        "abstraction": origin.abstraction.text if origin else None,
        "sequences": [tree.sequences for tree in game.trees],
        "fingerprint": None if origin else _fingerprint(game),
        "buckets": [origin.buckets.name, origin.buckets.digest] if origin and origin.buckets else None,
    }


def _fingerprint(game: Game) -> str:
    """Of a game without rules: its treeplexes and payoffs, digested."""
    game = bilinear(game)
    payoff = game.A.to_sparse()
    payoff.sort_indices()
    digest = hashlib.sha256()
    for array in (*game.X.blocks, *game.Y.blocks, payoff.indptr.astype(np.int64), payoff.indices.astype(np.int64)):
        digest.update(array.tobytes())
    digest.update(np.round(payoff.data, 9).tobytes())
    return digest.hexdigest()[:16]


def _identity(header: dict[str, Any]) -> list[Any]:
    """What must be the same for two files to be of one game."""
    return [header.get(key) for key in ("rules", "abstraction", "sequences", "fingerprint", "buckets")]


def same_game(first: Game, second: Game) -> bool:
    """Whether strategies of one are strategies of the other: same rules, abstraction and sizes."""
    return _identity(_header_of(first)) == _identity(_header_of(second))


def _game_of(header: Header, arrays: Mapping[str, np.ndarray], path: str | Path, abstraction: str | None) -> Game:
    with reading(path, StrategyFileError):
        name = header.text("game")
        buckets = header.texts("buckets")[0] if header.get("buckets") else None
    if not header.get("rules"):
        named = game_from(name)
        if named is not None and _identity(header) == _identity(_header_of(named)):
            return named
        raise StrategyFileError(f"{path} does not hold the rules of its game {shown(name)}: pass the game")
    if buckets:
        raise StrategyFileError(
            f"{path} is of a game of buckets ({buckets}), whose matrices it does not hold: pass the game"
        )
    with reading(path, StrategyFileError):
        rules, text = parse_rules(header.text("rules"), name), header.text("abstraction")
    if abstraction is None and names_code(text):
        raise StrategyFileError(
            f"{path} sees cards by {shown(text)}, code that no file may run by itself: name it again "
            "(--abstraction, or table:FILE?abstraction=...)"
        )
    view = text if abstraction is None else parse_abstraction(abstraction, rules)
    if isinstance(view, Abstraction) and view.text != text:
        raise StrategyFileError(f"{path} is of the abstraction {shown(text)}, not of {view.text!r}")
    with reading(path, StrategyFileError):
        # At every node of the betting somebody has a sequence for each action: there are no more than strategies say.
        nodes = 1 + sum(len(arrays[f"strategy{p}"]) for p in range(len(header.entries("sequences"))))
        game = compile(rules, view, nodes=min(nodes, room(MAX_NODES)))
        if header.entries("sequences") != [tree.sequences for tree in game.trees]:
            raise Damage(f"it does not fit its own game {shown(name)}")
    return game

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

from pokerlab.errors import GameDefinitionError, PokerlabError, StrategyFileError
from pokerlab.files import read_arrays, write_arrays
from pokerlab.form.compile import compile
from pokerlab.form.game import Game, bilinear
from pokerlab.form.general import game_from
from pokerlab.form.strategy import Profile
from pokerlab.game.rules import parse_rules
from pokerlab.notebook import Table, Tabular
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


def load(path: str | Path, game: Game | None = None) -> Solution:
    """Read a solution back. Its game is compiled from the file, or given where the file has no rules."""
    header, arrays = read_arrays(path, FORMAT, VERSION, error=StrategyFileError)
    if game is None:
        game = _game_of(header, path)
    elif _identity(header) != _identity(_header_of(game)):
        raise StrategyFileError(f"{path} holds a strategy of another game ({header['game']}), not of {game.name}")
    try:
        strategy = Profile(game, tuple(arrays[f"strategy{p}"] for p in range(len(game.trees))))
        run, state = taken(header, arrays)
        return Solution(
            game, header["method"], header["parameters"], strategy, header["value"], header["exploitability"],
            run.iterations, run.seconds, run.stopped, run.trace, state,
        )  # fmt: skip
    except (KeyError, TypeError, PokerlabError) as error:
        raise StrategyFileError(f"{path} is damaged: {error}") from None


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


def _game_of(header: dict[str, Any], path: str | Path) -> Game:
    if not header.get("rules"):
        named = game_from(str(header.get("game")))
        if named is not None and _identity(header) == _identity(_header_of(named)):
            return named
        raise StrategyFileError(f"{path} does not hold the rules of its game {header.get('game')!r}: pass the game")
    if header.get("buckets"):
        raise StrategyFileError(
            f"{path} is of a game of buckets ({header['buckets'][0]}), whose matrices it does not hold: pass the game"
        )
    try:
        game = compile(parse_rules(header["rules"], header["game"]), header["abstraction"])
    except GameDefinitionError as error:
        raise StrategyFileError(f"{path} is damaged: {error}") from None
    if header.get("sequences") != [tree.sequences for tree in game.trees]:
        raise StrategyFileError(f"{path} does not fit its own game {header['game']!r}: it is damaged")
    return game

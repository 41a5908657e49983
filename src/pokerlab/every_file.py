"""`load`: whatever file pokerlab has written, as what it holds; its header says which kind it is."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from pokerlab.errors import StrategyFileError
from pokerlab.form.game import Game
from pokerlab.reading import format_of
from pokerlab.registry import Registry

READERS: Registry[Any] = Registry(
    "file",
    {
        "pokerlab strategy": "pokerlab.solvers.solution:load",
        "pokerlab blueprint": "pokerlab.agents.blueprint_file:load_blueprint",
        "pokerlab buckets": "pokerlab.abstraction.buckets.lookup:load_buckets",
        "pokerlab spot": "pokerlab.refine.spots.solution:load_spot_solution",
        "pokerlab preflop": "pokerlab.refine.preflop.solution:load_preflop_solution",
        "pokerlab cases": "pokerlab.cases.base:load_cases",
        "pokerlab trends": "pokerlab.opponents.trends:load_trends",
        "pokerlab network": "pokerlab.field.networks:load_network",
        "pokerlab tournament": "pokerlab.match.tournament.play:load_tournament",
    },
)


def load(path: str | Path, game: Game | None = None) -> Any:
    """Read a file back: a `Solution`, a `Blueprint`, a `CardAbstraction`, a `SpotSolution`, a
    `PreflopSolution`, a `CaseBase`, `Trends` or a `Network`; of a tournament's folder its plan and standings.

    A strategy's game is compiled from the file; `game` gives it where the file has no rules, as of a matrix.
    """
    kind = "pokerlab tournament" if os.path.isdir(path) else format_of(path, StrategyFileError)
    if kind not in READERS:
        known = ", ".join(format.removeprefix("pokerlab ") for format in READERS)
        raise StrategyFileError(f"{path} is not a pokerlab {known} file, or it is damaged or cut short")
    if game is None:
        return READERS[kind](path)
    if kind != "pokerlab strategy":
        raise StrategyFileError(f"{path} is a {kind} file: only a strategy is of a game that can be given")
    return READERS[kind](path, game)

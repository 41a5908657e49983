"""Blueprint files: rules, bets, strategy and card abstraction in one, so that the file alone is enough to play.

The strategy has a byte a probability, and the card abstraction is the file that it would be by itself; at a few hundred
buckets a street that makes some tens of megabytes.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from pokerlab.abstraction.buckets.lookup import CardAbstraction, load_buckets
from pokerlab.agents.blueprint import Blueprint
from pokerlab.errors import PokerlabError, StrategyFileError
from pokerlab.files import cache_folder, read_arrays, write_arrays
from pokerlab.game.rules import parse_rules

FORMAT, VERSION = "pokerlab blueprint", 1


def blueprint_path(name: str) -> Path:
    """Where `pokerlab train NAME` writes, and where the agent NAME is found."""
    return cache_folder() / "agents" / f"{name}.blueprint"


def save_blueprint(blueprint: Blueprint, path: str | Path) -> None:
    """Write a blueprint with its card abstraction; an existing file is replaced only once the new one is complete."""
    if not isinstance(blueprint.cards, CardAbstraction):
        raise StrategyFileError(
            f"{type(blueprint.cards).__name__} is no card abstraction that can be written to a file"
        )
    header = {
        "format": FORMAT, "version": VERSION, "game": blueprint.rules.text(), "name": blueprint.rules.name,
        "bets": blueprint.bets, "memory": blueprint.memory, "spare": blueprint.spare,
        "about": blueprint.about,
    }  # fmt: skip
    with TemporaryDirectory() as folder:
        part = Path(folder) / "cards"
        blueprint.cards.save(part)
        cards = np.frombuffer(part.read_bytes(), dtype=np.uint8)
    write_arrays(
        path, header, {"strategy": blueprint.strategy, "cards": cards}, error=StrategyFileError, compressed=True
    )


def load_blueprint(path: str | Path) -> Blueprint:
    """Read a blueprint. A process reads a file once, however many agents play it."""
    try:
        told = Path(path).stat()
    except OSError:
        raise StrategyFileError(f"no such file: {path}") from None
    return _load(str(Path(path).resolve()), told.st_mtime_ns, told.st_size)


@lru_cache(maxsize=4)
def _load(path: str, changed: int, size: int) -> Blueprint:
    header, arrays = read_arrays(path, FORMAT, VERSION, error=StrategyFileError)
    try:
        with TemporaryDirectory() as folder:
            part = Path(folder) / "cards"
            part.write_bytes(arrays["cards"].tobytes())
            cards = load_buckets(part)
        return Blueprint(
            rules=parse_rules(header["game"], header["name"]),
            bets=header["bets"],
            memory=header["memory"],
            cards=cards,
            strategy=arrays["strategy"],
            about=header["about"],
            spare=header["spare"],
            path=path,
        )
    except KeyError as problem:
        raise StrategyFileError(f"{path} is damaged: it has no {problem}") from None
    except PokerlabError as problem:
        raise StrategyFileError(f"{path} is damaged: {problem}") from None

"""Blueprint files: rules, bets, strategy and card abstraction in one, so that the file alone is enough to play.

The strategy has a byte a probability, and the card abstraction is the file that it would be by itself; at a few hundred
buckets a street that makes some tens of megabytes.
"""

from __future__ import annotations

import os
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from pokerlab.abstraction.buckets.lookup import MOST_BYTES, CardAbstraction, load_buckets
from pokerlab.agents.blueprint import Blueprint, graph_of
from pokerlab.agents.blueprint_kernels import empty_row
from pokerlab.cache import cache_folder
from pokerlab.errors import StrategyFileError
from pokerlab.files import write_arrays
from pokerlab.game.rules import parse_rules
from pokerlab.reading import Damage, Header, of_kind, opened, read_arrays, reading

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
    part = BytesIO()
    blueprint.cards.pack(part)
    cards = np.frombuffer(part.getvalue(), dtype=np.uint8)
    write_arrays(
        path, header, {"strategy": blueprint.strategy, "cards": cards}, error=StrategyFileError, compressed=True
    )


def load_blueprint(path: str | Path) -> Blueprint:
    """Read a blueprint. A process reads a file once, however many agents play it."""
    with opened(path, StrategyFileError) as file:
        told = os.fstat(file.fileno())
    return _load(str(Path(path).resolve()), told.st_mtime_ns, told.st_size)


@lru_cache(maxsize=4)
def _load(path: str, changed: int, size: int) -> Blueprint:
    def part(name: str, most: int) -> tuple[Header, np.ndarray]:
        header, arrays = read_arrays(path, FORMAT, VERSION, error=StrategyFileError, most=most, names=[name])
        with reading(path, StrategyFileError):
            return header, of_kind(arrays, name, np.uint8, None)

    header, cards = part("cards", MOST_BYTES)
    with reading(path, StrategyFileError):
        told: dict[str, Any] = {
            "rules": parse_rules(header.text("game"), header.text("name")), "bets": header.text("bets"),
            "memory": header.text("memory"), "cards": load_buckets(cards.tobytes(), "its card abstraction"),
            "spare": header.whole("spare", most=1),
        }  # fmt: skip
        counts = [count + told["spare"] for count in told["cards"].counts]
        room = graph_of(told["rules"], told["bets"], told["memory"], counts).cells // 2
    _, strategy = part("strategy", room)
    with reading(path, StrategyFileError):
        blueprint = Blueprint(**told, strategy=strategy, about=_about(header), path=path)
        node = empty_row(blueprint.graph.sweep, *blueprint.graph.stack(), strategy)
        if node >= 0:
            raise Damage(f"it does nothing with some cards at node {node} of the betting")
    return blueprint


def _about(header: Header) -> dict[str, Any]:
    """How the blueprint came about; what is counted in it must be numbers."""
    about = Header(header.table("about"))
    for key in {"infosets", "met", "iterations", "touched"} & about.keys():
        about.whole(key, most=2**63)
    if "seconds" in about:
        about.number("seconds")
    return dict(about)

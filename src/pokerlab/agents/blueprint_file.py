"""Blueprint files: rules, bets, strategy and card abstraction in one, so that the file alone is enough to play.

Only a card abstraction that is a class's cannot be held: the file has its text, and where the class is of a user's own
module, who reads the file must name it again.

The strategy has a byte a probability, and the card abstraction is the file that it would be by itself; at a few hundred
buckets a street that makes some tens of megabytes.
"""

from __future__ import annotations

import os
from functools import lru_cache
from io import BytesIO
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np

from pokerlab.abstraction.buckets.any_deck import DeckBuckets, load_deck_buckets
from pokerlab.abstraction.buckets.lookup import MOST_BYTES, CardAbstraction, load_buckets
from pokerlab.abstraction.cards import is_own, names_code, own_cards
from pokerlab.agents.blueprint import Blueprint, graph_of
from pokerlab.agents.blueprint_kernels import empty_row
from pokerlab.agents.company import KINDS
from pokerlab.cache import cache_folder
from pokerlab.errors import AbstractionError, StrategyFileError, shown
from pokerlab.files import write_arrays
from pokerlab.game.rules import Rules, parse_rules
from pokerlab.reading import Damage, Header, is_damage, of_kind, opened, read_arrays, reading

FORMAT, VERSION = "pokerlab blueprint", 2  # 2: other decks and card abstractions than those of hold'em


def blueprint_path(name: str) -> Path:
    """Where `pokerlab train NAME` writes, and where the agent NAME is found."""
    return cache_folder() / "agents" / f"{name}.blueprint"


def save_blueprint(blueprint: Blueprint, path: str | Path) -> None:
    """Write a blueprint with its card abstraction; an existing file is replaced only once the new one is complete."""
    must_be_kept(blueprint.cards, blueprint.made_by)
    cards = blueprint.cards
    kind = blueprint.made_by or ("deck" if isinstance(cards, DeckBuckets) else "")
    header = {
        "format": FORMAT, "version": VERSION if kind else 1, "game": blueprint.rules.text(),
        "name": blueprint.rules.name, "bets": blueprint.bets, "memory": blueprint.memory, "spare": blueprint.spare,
        "about": blueprint.about,
    }  # fmt: skip
    part = BytesIO()
    if isinstance(cards, (CardAbstraction, DeckBuckets)):
        cards.pack(part)
    packed = np.frombuffer(part.getvalue(), dtype=np.uint8)
    arrays = {"strategy": blueprint.strategy, "cards": packed}
    header |= {"cards": kind} if kind else {}
    write_arrays(path, header, arrays, error=StrategyFileError, compressed=True)


def must_be_kept(cards: object, made_by: str) -> None:
    """Refuse a card abstraction that no file could hold or name, before the work that would be lost."""
    if not made_by and not isinstance(cards, (CardAbstraction, DeckBuckets)):
        raise StrategyFileError(
            f"{type(cards).__name__} is no card abstraction that a file can hold: give its text, cards='module:Class', "
            "which the file keeps"
        )


def load_blueprint(path: str | Path, cards: str | None = None) -> Blueprint:
    """Read a blueprint. A process reads a file once, however many agents play it.

    `cards` names its card abstraction again where that is a class of a user's own module: no file runs code.
    """
    with opened(path, StrategyFileError) as file:
        told = os.fstat(file.fileno())
    return _load(str(Path(path).resolve()), told.st_mtime_ns, told.st_size, cards)


def _cards(kind: str, named: str | None, packed: np.ndarray, rules: Rules, path: str) -> Any:
    """The card abstraction of a file: held in it, or named."""
    if named is not None and named != kind:
        raise StrategyFileError(f"{path} sees cards by {shown(kind or 'buckets of its own')}, not by {named!r}")
    if kind == "deck":
        return load_deck_buckets(packed.tobytes(), "its card abstraction")
    if not kind:
        return load_buckets(packed.tobytes(), "its card abstraction")
    if names_code(kind) and named is None:
        raise StrategyFileError(
            f"{path} sees cards by {shown(kind)}, code that no file may run by itself: name it again "
            f"(blueprint:FILE?cards={kind})"
        )
    return own_cards(kind, rules)


@lru_cache(maxsize=4)
def _load(path: str, changed: int, size: int, named: str | None) -> Blueprint:
    def part(name: str, most: int) -> tuple[Header, np.ndarray]:
        header, arrays = read_arrays(path, FORMAT, VERSION, error=StrategyFileError, most=most, names=[name], oldest=1)
        with reading(path, StrategyFileError):
            return header, of_kind(arrays, name, np.uint8, None)

    header, cards = part("cards", MOST_BYTES)
    with reading(path, StrategyFileError):
        rules = parse_rules(header.text("game"), header.text("name"))
        kind = header.text("cards") if "cards" in header else ""
        if kind and kind != "deck" and not is_own(kind):
            raise Damage(f"it sees cards by {shown(kind)}, which is no card abstraction")
    try:
        seen = _cards(kind, named, cards, rules, path)
    except AbstractionError as problem:
        if not is_damage(problem):
            raise
        raise StrategyFileError(f"{path} is damaged: {problem}") from problem.__cause__
    with reading(path, StrategyFileError):
        boards, fits = tuple(accumulate(rules.board_cards)), bool(kind) or rules.holdem
        if isinstance(seen, DeckBuckets):
            fits = (seen.deck, seen.boards) == (rules.deck, boards)
        if not fits:
            raise Damage("its card abstraction is of another deck or other rounds than its game's")
        told: dict[str, Any] = {
            "rules": rules, "bets": header.text("bets"), "memory": header.text("memory"), "cards": seen,
            "spare": header.whole("spare", most=len(KINDS)), "made_by": kind if is_own(kind) else "",
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

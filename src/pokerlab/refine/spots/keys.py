"""Tables of a spot file, or of one like it: keys that are known and values of their kind, or an error that says so."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pokerlab.bounds import CHIPS
from pokerlab.cards.ranges import Range
from pokerlab.errors import CardError, SpotError, shown
from pokerlab.reading import read_text

ENDINGS = ("", ".range", ".txt")  # of a range's file
_LONGEST = 1 << 20  # bytes of one


@contextmanager
def about(key: str) -> Iterator[None]:
    """What goes wrong in this block is about a key of the file."""
    try:
        yield
    except SpotError as error:
        error.field = error.field or key
        raise


def only(given: Mapping[str, Any], keys: set[str], where: str) -> None:
    """Refuse keys that nobody knows."""
    for key in given:
        if key not in keys:
            raise SpotError(f"{where}: no such key: {key}; there are {', '.join(sorted(keys))}")


def table_at(data: Mapping[str, Any], key: str, name: str) -> Mapping[str, Any]:
    """The table under a key, empty where there is none."""
    inner = data.get(key, {})
    if not isinstance(inner, Mapping):
        raise SpotError(f"{name}: [{key}] must be a table")
    return inner


def entries(data: Mapping[str, Any], key: str, name: str) -> list[Any]:
    """The tables `[[key]]`."""
    given = data.get(key, [])
    if not isinstance(given, list):
        raise SpotError(f"{name}: write [[{key}]], once for every {key}")
    return given


def number(value: Any, what: str, *, whole: bool = False) -> Any:
    """A number, whole or not; no larger than chips may be."""
    if not isinstance(value, int if whole else (int, float)) or isinstance(value, bool):
        raise SpotError(f"{what} must be a {'whole ' if whole else ''}number, not {shown(value)}")
    if isinstance(value, int):
        CHIPS.check(abs(value), what, SpotError)
    return value


def pair(value: Any, what: str) -> tuple[int, int]:
    """A number for both players, or one each, out of position first."""
    both = value if isinstance(value, list) else [value, value]
    if len(both) != 2:
        raise SpotError(f"{what} must be a whole number, or two")
    return number(both[0], what, whole=True), number(both[1], what, whole=True)


def range_of(text: str, folder: Path | None) -> Range:
    """A range as text, or `@btn-open`: that of a file in the spot's folder, `btn-open` as it is or with an ending."""
    if not text.strip().startswith("@"):
        return Range.parse(text)
    name = text.strip()[1:]
    if folder is None:
        raise SpotError(f"{shown(text)} is a file beside a spot's own file, and this spot has none")
    path = next((folder / (name + ending) for ending in ENDINGS if os.path.isfile(folder / (name + ending))), None)
    if path is None:
        raise SpotError(f"there is no range file {shown(name)} in {folder}, also none that ends with .range or .txt")
    lines = read_text(path, most=_LONGEST, error=SpotError).splitlines()
    told = (line.partition("#")[0].strip().strip(",") for line in lines)
    try:
        return Range.parse(",".join(line for line in told if line))
    except CardError as error:
        raise SpotError(f"{path}: {error}") from None


def range_at(data: Mapping[str, Any], who: str, name: str, folder: Path | None = None) -> Range:
    """The `range` in a player's table."""
    with about(f"{who}.range"):
        given = table_at(data, who, name)
        only(given, {"range"}, f"{name}, [{who}]")
        text = given.get("range")
        if not isinstance(text, str):
            raise SpotError(f'{name}: a spot needs a range for each player, such as [{who}] range = "random"')
        try:
            return range_of(text, folder)
        except CardError as error:
            raise SpotError(f"{name}, [{who}]: {error}") from None

"""What can be named on the command line, kind by kind, in rows that a user's package can add to.

A row is a name and an object, or the place where it lies ("package.module:name"), which is imported when it is first
asked for. A package adds rows by an entry point, whose group names the registry:

    [project.entry-points."pokerlab.agents"]
    maniac = "my_bots:Maniac"

Without a package the place itself is a name: `my_bots:Maniac` is the Maniac of my_bots.py, in the current folder or
wherever Python finds modules. Importing it runs it, so that such names come from a person, never from a file. What lies
there is looked at before it is called. Options follow a question mark, `my_bots:Maniac?level=3`. Where a name is
made of several, `first|second`, one with options of its own stands in parentheses: `first|(second?level=3)`.
"""

from __future__ import annotations

import difflib
import importlib
import math
import os
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property
from pathlib import Path
from typing import Any, Generic, TypeVar
from urllib.parse import parse_qsl

from pokerlab.errors import PokerlabError, shown

Row = TypeVar("Row")

_own_code: ContextVar[bool] = ContextVar("own_code", default=True)


@contextmanager
def without_own_code() -> Iterator[None]:
    """Within it no name imports a module of the user's: for names that come from elsewhere than this computer."""
    before = _own_code.set(False)
    try:
        yield
    finally:
        _own_code.reset(before)


class Registry(Mapping[str, Row], Generic[Row]):
    """Rows by name, in the order in which they were added; those of other packages last.

    `what` is a row in the singular: the group of entry points is pokerlab.<what>s, with hyphens for spaces. `wrong`
    says what is wrong with an object that a user's module has under such a name, if anything: what a row must be.
    """

    def __init__(
        self,
        what: str,
        rows: Mapping[str, Row | str],
        *,
        error: type[PokerlabError] = PokerlabError,
        wrong: Callable[[Any], str] = lambda row: "",
    ) -> None:
        self.what, self.error, self.wrong = what, error, wrong
        self._rows: dict[str, Row | str] = dict(rows)

    def add(self, name: str, row: Row | str) -> None:
        """Add a row; a name is given once."""
        if name in self._rows:
            raise self.error(f"{self.what} {name!r} is there already")
        self._rows[name] = row

    @cached_property
    def _others(self) -> dict[str, str]:
        """The rows of installed packages."""
        from importlib.metadata import entry_points  # slow to import

        return {entry.name: entry.value for entry in entry_points(group=f"pokerlab.{self.what.replace(' ', '-')}s")}

    def __getitem__(self, name: str) -> Row:
        row = self._rows[name] if name in self._rows else self._others.get(name)
        if row is None:
            if is_place(name):
                return self._imported(name)
            raise self.error(self.unknown(name))
        if isinstance(row, str):
            module, _, attribute = row.partition(":")
            try:
                row = self._rows[name] = getattr(importlib.import_module(module), attribute)
            except (ImportError, AttributeError) as problem:
                raise self.error(f"{self.what} {name!r} cannot be loaded from {row}: {problem}") from None
        return row

    def _imported(self, place: str) -> Row:
        """What lies in a module of the user's; importing that runs it, and nothing else of it is called.

        Modules of the current folder are found after all that are installed: a `random.py` there is nobody's `random`.
        """
        module, _, name = place.partition(":")
        if not _own_code.get():
            raise self.error(f"{self.what} {shown(place)} would run code, which only who starts pokerlab may name")
        folder = os.getcwd()
        if folder not in sys.path and "" not in sys.path:
            sys.path.append(folder)
            importlib.invalidate_caches()
        title = f"{self.what} {place!r}"
        try:
            there: Any = importlib.import_module(module)
        except (Exception, SystemExit) as error:
            raise self.error(f"{title}: cannot import {name} from {module}: {problem_of(error)}") from error
        where = getattr(there, "__file__", None) or "a part of Python"
        for part in name.split("."):
            if not hasattr(there, part):
                raise self.error(f"{title}: cannot import {name} from {module}: {where} has no such name")
            there = getattr(there, part)
        if wrong := self.wrong(there):
            raise self.error(f"{title} {wrong}")
        row: Row = there
        return row

    def unknown(self, name: str) -> str:
        """What to say of a name that no row has."""
        close = difflib.get_close_matches(name, list(self), n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(self)}"
        return f"no {self.what} {name!r}; {hint}"

    def __contains__(self, name: object) -> bool:
        return name in self._rows or name in self._others

    def __iter__(self) -> Iterator[str]:
        return iter({**self._rows, **self._others})

    def __len__(self) -> int:
        return len({**self._rows, **self._others})


def is_place(name: str) -> bool:
    """Whether a name says where a user's own object lies: `module:Name`."""
    module, colon, rest = name.partition(":")
    return bool(colon) and all(part.isidentifier() for part in (*module.split("."), *rest.split(".")))


def is_class_of(base: type, text: str) -> Callable[[Any], str]:
    """For registries of classes that derive from `base`, called `text` in messages."""

    def wrong(row: Any) -> str:
        fine = isinstance(row, type) and issubclass(row, base)
        return "" if fine else f"is not a {text}: derive its class from it"

    return wrong


def is_function_of(text: str) -> Callable[[Any], str]:
    """For registries of functions; `text` says of what they are functions."""
    return lambda row: "" if callable(row) else f"is no function of {text}, but {shown(row)}"


def options_of(spec: str, what: str, error: type[PokerlabError]) -> tuple[str, dict[str, Any]]:
    """A name and the options after its question mark, `raise?size=100`: numbers, true and false, else text."""
    at = next(_outside(spec, "?"), len(spec))
    base, query = spec[:at], spec[at + 1 :]
    try:
        given = parse_qsl(query, strict_parsing=bool(query))
    except ValueError:
        raise error(f"{what} {spec!r}: options are written as ?key=value&key=value") from None
    return base, {key: _value(text, what, error) for key, text in given}


def parts_of(text: str) -> list[str]:
    """The specs between bars, `call|(raise?size=100)`; one with options of its own stands in parentheses."""
    bars = [*_outside(text, "|"), len(text)]
    parts = [text[first:last].strip() for first, last in zip((0, *(bar + 1 for bar in bars[:-1])), bars, strict=True)]
    return [part[1:-1] if part.startswith("(") and next(_outside(part, ")"), 0) == len(part) - 1 else part
            for part in parts]  # fmt: skip


def _outside(text: str, mark: str) -> Iterator[int]:
    """The places of a mark that are in no parentheses; of `)`, where the outermost close."""
    depth = 0
    for place, letter in enumerate(text):
        depth -= letter == ")"
        if letter == mark and depth <= 0:
            yield place
        depth += letter == "("


def _value(text: str, what: str, error: type[PokerlabError]) -> Any:
    for kind in (int, float):
        try:
            number = kind(text)
        except ValueError:
            continue
        if not math.isfinite(number):
            raise error(f"options of {what}s are finite numbers, or text, not {shown(text)}")
        return number
    return {"true": True, "false": False}.get(text.lower(), text)


@contextmanager
def others_code(title: str, error: type[PokerlabError], owner: object) -> Iterator[None]:
    """Whatever goes wrong inside, where `owner` is a class or function of a user's, is one line that says where.

    Ctrl-C is no such thing, and ours are let through: their mistakes are our own. The cause is chained.
    """
    try:
        yield
    except PokerlabError:
        raise
    except (Exception, SystemExit) as problem:
        module = getattr(owner, "__module__", None) or type(owner).__module__
        if module.partition(".")[0] == __name__.partition(".")[0]:
            raise
        raise error(f"{title}: {problem_of(problem)}{place_of(problem, module)}") from problem


def problem_of(error: BaseException) -> str:
    """What went wrong in others' code, in words."""
    if isinstance(error, SystemExit):
        return "it called sys.exit" if error.code is None else f"it called sys.exit({error.code!r})"
    return str(error) if isinstance(error, ImportError | TypeError) else f"{type(error).__name__}: {error}"


def place_of(error: BaseException, module: str) -> str:
    """The last line of a module's own that an error came through: ` (my_bots.py, line 12)`."""
    file = getattr(sys.modules.get(module), "__file__", None)
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    return f" ({Path(file).name}, line {lines[-1]})" if file and lines else ""

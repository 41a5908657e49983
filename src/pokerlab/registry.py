"""What can be named on the command line, kind by kind, in rows that a user's package can add to.

A row is a name and an object, or the place where it lies ("package.module:name"), which is imported when it is first
asked for. A package adds rows by an entry point, whose group names the registry:

    [project.entry-points."pokerlab.agents"]
    maniac = "my_bots:Maniac"
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from functools import cached_property
from importlib import import_module
from typing import Generic, TypeVar

from pokerlab.errors import PokerlabError

Row = TypeVar("Row")


class Registry(Mapping[str, Row], Generic[Row]):
    """Rows by name, in the order in which they were added; those of other packages last."""

    def __init__(self, what: str, rows: Mapping[str, Row | str], *, error: type[PokerlabError] = PokerlabError) -> None:
        self.what, self.error = what, error  # `what` in the singular: its group is pokerlab.<what>s
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

        return {entry.name: entry.value for entry in entry_points(group=f"pokerlab.{self.what}s")}

    def __getitem__(self, name: str) -> Row:
        row = self._rows[name] if name in self._rows else self._others.get(name)
        if row is None:
            raise self.error(self.unknown(name))
        if isinstance(row, str):
            module, _, attribute = row.partition(":")
            try:
                row = self._rows[name] = getattr(import_module(module), attribute)
            except (ImportError, AttributeError) as problem:
                raise self.error(f"{self.what} {name!r} cannot be loaded from {row}: {problem}") from None
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

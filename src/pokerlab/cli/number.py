"""Numbers on the command line: a type for each row of `bounds`, which help shows as a range."""

from __future__ import annotations

from typing import Any

import click

from pokerlab.bounds import Bound


class Within(click.ParamType):
    """A number inside a bound, or a word that stands for one."""

    def __init__(self, bound: Bound, word: str = "") -> None:
        self.bound, self.word = bound, word
        self.name = "integer" if bound.whole else "number"

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        words = f"{self.bound}, or {self.word}" if self.word else str(self.bound)
        return f"({words})" if isinstance(param, click.Option) else (param.name or "").upper()

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if self.word and value == self.word:
            return value
        try:
            number = (int if self.bound.whole else float)(value)
        except (ValueError, OverflowError):
            number = None
        problem = self.bound.problem(value if number is None else number)
        if problem is not None or number is None:
            self.fail(f"{problem}.", param, ctx)
        return number

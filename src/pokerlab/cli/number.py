"""Numbers on the command line: a type for each row of `bounds`, which help shows as a range."""

from __future__ import annotations

from typing import Any

import click

from pokerlab.bounds import Bound


class Within(click.ParamType):
    """A number inside a bound."""

    def __init__(self, bound: Bound) -> None:
        self.bound = bound
        self.name = "integer" if bound.whole else "number"

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        return f"({self.bound})" if isinstance(param, click.Option) else (param.name or "").upper()

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | float:
        try:
            number = (int if self.bound.whole else float)(value)
        except (ValueError, OverflowError):
            number = None
        problem = self.bound.problem(value if number is None else number)
        if problem is not None or number is None:
            self.fail(f"{problem}.", param, ctx)
        return number

"""What is said of a solution: figures as plain JSON, and the same as lines of text."""

from __future__ import annotations

from typing import Any

from pokerlab.errors import StrategyFileError
from pokerlab.form.evaluate import evaluate
from pokerlab.game.catalog import rules_of
from pokerlab.solvers.full import evaluate_in_full
from pokerlab.solvers.solution import Solution

Figures = tuple[dict[str, Any], list[str]]


def of_run(solution: Solution) -> Figures:
    """Of a solution that was just found: of an abstract game in the full one too, else what bounds the value."""
    game, summary = solution.game, solution.summary()
    lines = [
        f"{solution.method} on {_title(solution)}: stopped by {solution.stopped} "
        f"after {solution.iterations:,} iterations, {solution.seconds:.3f} s",
        *_value_lines(solution.value, solution.exploitability),
    ]
    if game.origin and not game.origin.abstraction.is_full:
        summary["full_exploitability"] = list(evaluate_in_full(solution.strategy).exploitability)
        lines.append(_full_line(summary["full_exploitability"], game.origin.rules.small_bet))
    elif len(game.trees) == 2:
        summary["value_bounds"] = list(evaluate(solution.strategy).bounds)
        lines.append(_bounds_line(summary["value_bounds"]))
    return summary, lines


def of_file(solution: Solution, file: str, game: str | None = None, with_strategy: bool = False) -> Figures:
    """Of a solution from a file, recomputed; refuses one of another game than `game`."""
    origin = solution.game.origin
    if game is not None and (rules_of(game) != origin.rules if origin else game != solution.game.name):
        raise StrategyFileError(f"{file} is a strategy of {solution.game.name}, not of {game}")
    here = evaluate(solution.strategy)
    summary = solution.summary() | {"value": here.value, "exploitability": here.exploitability}
    lines = [f"{file}: {_title(solution)}, by {solution.method}", *_value_lines(here.value, here.exploitability)]
    if origin and origin.rules.players == 2 and origin.abstraction.is_full and solution.game.large:
        summary["value_bounds"] = list(here.bounds)
        lines.append(_bounds_line(summary["value_bounds"]))
    elif origin and origin.rules.players == 2:
        full = evaluate_in_full(solution.strategy)
        seats = list(full.exploitability)
        summary |= {"full_value": full.value, "full_exploitability": seats, "game_value": full.game_value}
        lines.append(f"value of the game   {full.game_value:+.9f} chips")
        lines.append(_full_line(seats, origin.rules.small_bet))
    if with_strategy:
        lines.append(str(solution.strategy))
        summary["strategy"] = [
            [
                {"betting": betting, "state": state, "actions": odds}
                for betting, state, odds in solution.strategy.rows(p)
            ]
            for p in range(len(solution.game.trees))
        ]
    return summary, lines


def _title(solution: Solution) -> str:
    origin = solution.game.origin
    return f"{solution.game.name}, {origin.abstraction.text}" if origin else solution.game.name


def _value_lines(value: float, exploitability: float) -> list[str]:
    return [
        f"value to player 1   {value:+.9f} chips",
        f"exploitability      {exploitability:.3e} chips (mean of the seats)",
    ]


def _bounds_line(bounds: list[float]) -> str:
    return f"value of the game   between {bounds[0]:+.9f} and {bounds[1]:+.9f} chips to player 1"


def _full_line(seats: list[float], small_bet: int) -> str:
    first, second = (1000 * seat / small_bet for seat in seats)
    return (f"in the full game    {seats[0]:.6f} and {seats[1]:.6f} chips exploitable "
            f"({first:.1f} and {second:.1f} mb/h) as player 1 and 2")  # fmt: skip

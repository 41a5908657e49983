"""How an abstract strategy fares in the full game: exploitability by seat, exactly."""

from __future__ import annotations

from dataclasses import dataclass

from pokerlab.form.compile import compile
from pokerlab.form.evaluate import Evaluation, evaluate
from pokerlab.form.game import Game, bilinear
from pokerlab.form.lift import lift
from pokerlab.form.strategy import Profile
from pokerlab.progress import announced
from pokerlab.solvers.run import solve

LP_ENTRIES = 150_000  # payoff entries up to which the linear program is the faster way to an exact value
_PRECISION = 1e-6


@dataclass(frozen=True)
class FullEvaluation:
    """`exploitability` by seat (equations 7 and 8), `value` of the abstract profile, `game_value` of the game."""

    exploitability: tuple[float, float]
    value: float
    game_value: float
    evaluation: Evaluation


def game_value(game: Game) -> float:
    """The value of a game to player 0: exact by linear programming, else by regret to 1e-6 chips.

    Games as large as Rhode Island hold'em are solved to a thousandth of a small bet, which takes minutes.
    """
    game = bilinear(game)
    if game.A.entries <= LP_ENTRIES:
        return solve(game, "lp").value
    close = game.origin.rules.small_bet / 1000 if game.large and game.origin else _PRECISION
    return solve(game, "dcfr", exploitability=close).value


def evaluate_in_full(profile: Profile, full: Game | None = None, value: float | None = None) -> FullEvaluation:
    """Lift a profile to the full game and measure it there; `full` and its `value` save work if known."""
    origin = profile.game.origin
    if full is None and origin is not None:
        full = compile(origin.rules)
    with announced("lifting the strategy to the full game"):
        lifted = lift(profile, full)
    value = game_value(lifted.game) if value is None else value
    evaluation = evaluate(lifted)
    return FullEvaluation(evaluation.by_seat(value), evaluation.value, value, evaluation)

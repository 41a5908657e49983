"""Counter-strategies: what wins from a player of whom there is a model, and what it can lose to others.

*Frequentist best response*: the best response to the model; it wins most where the model is right, and anything may
happen where it is not. *Restricted Nash response* (Johanson, Zinkevich and Bowling 2007): an equilibrium of the game in
which the opponent plays the model with probability p, for a whole hand, and freely otherwise. The payoff is that of the
game behind a map, y -> p y_model + (1 - p) y: p = 0 is an equilibrium, p = 1 the best response, and nothing wins more
than what lies between them without being more exploitable. *Data biased response* (Johanson and Bowling 2009): the
probability is one of each infoset and grows with how often the player was seen there, so that no default policy is
needed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from pokerlab.bounds import SHARE
from pokerlab.errors import ImperfectRecall, SolverError
from pokerlab.form.evaluate import evaluate, evaluate_plans
from pokerlab.form.game import BilinearGame, Game, bilinear
from pokerlab.form.held import HeldTreeplex
from pokerlab.form.maps import Map, restrict
from pokerlab.form.strategy import Profile
from pokerlab.form.treeplex import Treeplex
from pokerlab.solvers.observed import Model
from pokerlab.solvers.run import solve
from pokerlab.solvers.solution import Solution

# From how often a player was seen at an infoset to how far it is trusted there, of at most 1.
CONFIDENCES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "linear": lambda seen: np.minimum(seen / 10, 1.0),  # grows up to ten observations
    "curve": lambda seen: 1.0 - 1.0 / (seen + 1),  # n / (n + 1): never quite sure
    "threshold": lambda seen: (seen >= 1).astype(np.float64),  # all or nothing, from the first one on
}


def confidence(seen: np.ndarray, most: float, function: str = "linear") -> np.ndarray:
    """p_conf of each infoset: `most` times one of CONFIDENCES."""
    SHARE.check(most, "p", SolverError)
    if function not in CONFIDENCES:
        raise SolverError(f"there is no confidence {function!r}; there are {', '.join(CONFIDENCES)}")
    return most * CONFIDENCES[function](seen)


def restricted_game(game: Game, player: int, behaviour: np.ndarray, p: float) -> BilinearGame:
    """The game in which `player` plays `behaviour` with probability p, for a whole hand, and freely otherwise."""
    SHARE.check(p, "p", SolverError)
    game, tree = _recalling(game), game.trees[player]
    plan = sparse.coo_array(tree.realize(behaviour)[:, None])
    fixed = sparse.csr_array((p * plan.data, (plan.row, plan.col)), shape=(tree.sequences, tree.sequences))
    matrix = sparse.csr_array(fixed + (1 - p) * sparse.eye_array(tree.sequences, format="csr"))
    mixed = Map(tree, tree, matrix, lambda free: tree.normalize(matrix @ tree.realize(free), free))
    first, second = (mixed, None) if player == 0 else (None, mixed)
    return restrict(game, first, second, f"{game.name}, player {player + 1} restricted")


def biased_game(game: Game, player: int, behaviour: np.ndarray, share: np.ndarray) -> BilinearGame:
    """The game in which `player` plays `behaviour` at each infoset with probability share[infoset], else freely."""
    game = _recalling(game)
    trees: list[Treeplex] = [game.X, game.Y]
    trees[player] = HeldTreeplex(trees[player], behaviour, share)
    return BilinearGame(trees[0], game.A, trees[1], f"{game.name}, player {player + 1} biased")


def _recalling(game: Game) -> BilinearGame:
    if any(game.ties):
        raise ImperfectRecall(f"{game.name} forgets: counter-strategies need a game in which the players recall")
    return bilinear(game)


def frequentist_response(model: Model) -> Solution:
    """The best response to a model, in both seats."""
    game = _recalling(model.game)
    plans = model.behaviour.plans()
    behaviours = [tree.best_response(game.gradient(p, plans))[1] for p, tree in enumerate(game.trees)]
    return _solution("frequentist-response", {}, Profile(game, tuple(behaviours)), [])


def restricted_nash(model: Model, p: float, method: str = "lp", **limits: Any) -> Solution:
    """The restricted Nash response to a model, in both seats; `method` and `limits` as for `solve`."""
    games = [restricted_game(model.game, seat, model.behaviour[seat], p) for seat in (1, 0)]
    return _both("restricted-nash", {"p": p, "by": method}, model.game, games, method, limits)


def data_biased(model: Model, p: float, function: str = "linear", method: str = "lp", **limits: Any) -> Solution:
    """The data biased response to a model, p at most, in both seats; `method` and `limits` as for `solve`."""
    shares = [confidence(seen, p, function) for seen in model.seen]
    games = [biased_game(model.game, seat, model.behaviour[seat], shares[seat]) for seat in (1, 0)]
    parameters = {"p": p, "confidence": function, "by": method}
    return _both("data-biased", parameters, model.game, games, method, limits)


def _both(
    name: str, parameters: dict[str, Any], game: Game, games: list[BilinearGame], method: str, limits: dict[str, Any]
) -> Solution:
    """Player 0 of the first game and player 1 of the second, as a strategy of the whole one."""
    parts = [solve(modified, method, **limits) for modified in games]
    return _solution(name, parameters, Profile(game, tuple(part.strategy[p] for p, part in enumerate(parts))), parts)


def _solution(name: str, parameters: dict[str, Any], strategy: Profile, parts: list[Solution]) -> Solution:
    judged = evaluate(strategy)
    iterations, seconds = sum(part.iterations for part in parts), sum(part.seconds for part in parts)
    stops = {part.stopped for part in parts} or {"optimal"}
    stopped = "interrupted" if "interrupted" in stops else sorted(stops)[0]
    return Solution(
        strategy.game, name, parameters, strategy, judged.value, judged.exploitability, iterations, seconds, stopped
    )


@dataclass(frozen=True)
class Standing:
    """What a strategy wins from a target, and what it can lose more than an equilibrium would; chips a hand."""

    won: float
    exploitability: float


def standing(strategy: Profile, target: Profile) -> Standing:
    """Both exactly, mean of the seats."""
    game, mine, theirs = strategy.game, strategy.plans(), target.plans()
    first = evaluate_plans(game, (mine[0], theirs[1])).values[0]
    second = evaluate_plans(game, (theirs[0], mine[1])).values[1]
    return Standing((first + second) / 2, evaluate(strategy).exploitability)

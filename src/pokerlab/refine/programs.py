"""The three linear programs of Moravcik et al. (2016), LP1 to LP3.

x is the player's realization plan in the subgame and v the value to it of each of the opponent's infosets, so v_I is
minus the opponent's counterfactual best-response value at a root infoset I. The payoff matrix holds chance and the
player's trunk; for LP1 also the opponent's. For LP2 and LP3 its columns are divided by pi_{-2}(I): v_I is in chips.

LP2 is solved as LP3 with a margin of at most 0. The solutions are the same, but its feasible set, which may be as thin
as the blueprint alone, is not lost to rounding.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse

from pokerlab.errors import ImperfectRecall
from pokerlab.refine.gadgets import Scene
from pokerlab.solvers.lp import minimise, plan_of


class Program(NamedTuple):
    """The optimum (LP1: value of the endgame; LP2: 0; LP3: the margin) and the player's behaviour in the subgame."""

    optimum: float
    behaviour: np.ndarray
    iterations: int


def optimise(scene: Scene) -> Program:
    """Solve the linear program of a scene's technique.

    Where the plan never goes by the player's own doing, the behaviour is the blueprint's; no value depends on it.
    """
    side, other = scene.sides
    if side.tie is not None or other.tie is not None:
        raise ImperfectRecall(f"{scene.forest.name} forgets: linear programming needs perfect recall; use cfr+")
    weights = scene.theirs if scene.technique == "endgame" else 1.0 / scene.weight
    payoff = scene.forest.weighted(*scene.seated(weights)).A.to_sparse()
    received = payoff if scene.border.player == 0 else -payoff.T
    plans, right = side.tree.constraints()
    flow = other.tree.constraints()[0]
    if scene.technique != "endgame":
        # Without the row of the empty sequence the root infosets' values are not added up: each is on its own.
        flow, received = flow[1:, 1:], received[:, 1:]
    # Variables: x, v, and the margin m of LP2 and LP3. Rows: F'v - R'x <= 0 and m - v_I <= CBV(I); Ex = e.
    n, values, margin = received.shape[0], flow.shape[0], int(scene.technique != "endgame")
    blocks, most = [[-received.T, flow.T]], np.zeros(flow.shape[1])
    bounds = np.full((n + values + margin, 2), np.inf)
    bounds[:n, 0], bounds[n:, 0] = 0.0, -np.inf
    cost = np.zeros(len(bounds))
    if scene.technique == "endgame":
        cost[n] = -1.0  # the value of the empty sequence is f'v
    else:
        cost[-1] = -1.0
        bounds[-1, 1] = 0.0 if scene.technique == "re-solving" else np.inf
        each = [None, -sparse.eye_array(other.roots, values), sparse.csr_array(np.ones((other.roots, 1)))]
        blocks, most = [[*blocks[0], None], each], np.concatenate((most, scene.limit))
    blocks.append([plans, *[None] * (len(blocks[0]) - 1)])
    optimum = minimise(
        cost,
        sparse.block_array(blocks, format="csr"),
        (np.concatenate((np.full(len(most), -np.inf), right)), np.concatenate((most, right))),
        (bounds[:, 0], bounds[:, 1]),
    )
    blueprint = side.behaviour(scene.border.blueprint[scene.border.player])
    behaviour = side.tree.normalize(plan_of(optimum.z[:n]), blueprint)
    return Program(-optimum.cost, behaviour, optimum.iterations)

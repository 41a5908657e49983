"""Matches between agents that are tables: exactly, or sampled in compiled code.

Any two stateless agents are tables in a game that compiles (`agents.table.tabulate`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from pokerlab.agents.agent import Agent
from pokerlab.agents.table import tabulate
from pokerlab.bounds import HANDS, SEED
from pokerlab.errors import PokerlabError
from pokerlab.form.compile import compile
from pokerlab.form.evaluate import evaluate
from pokerlab.form.game import Game
from pokerlab.form.strategy import Profile
from pokerlab.game.rules import Rules, unit_of
from pokerlab.match import kernels
from pokerlab.match.result import MatchResult
from pokerlab.processes import must_fit
from pokerlab.threads import pieces

Behaviours = tuple[tuple[np.ndarray, np.ndarray], ...]  # of each agent, as player 0 and as player 1

_PIECE = 1 << 20  # deals; an even number, as seats take turns
MAX_NODES = 100_000  # infosets to ask an agent about: beyond, tabulating would take longer than playing


@lru_cache(maxsize=4)
def compiled_game(rules: Rules) -> Game | None:
    """The two-player game in which any agents without memory are tables, if this is one."""
    if rules.players != 2 or (not rules.limit and not rules.bet_sizes):
        return None
    actions = 2 + max(1, len(rules.bet_sizes))  # the most at a node
    try:
        game = compile(rules, nodes=1 + MAX_NODES * actions)
    except PokerlabError:
        return None
    return game if sum(tree.infosets for tree in game.trees) <= MAX_NODES else None


def tables_of(agents: Sequence[Agent], rules: Rules) -> tuple[Game, Behaviours] | None:
    """The compiled game and the agents' behaviour in both seats; None where there is no such table."""
    game = compiled_game(rules)
    if game is None or not all(agent.stateless for agent in agents):
        return None
    return game, tuple((tabulate(agent, game, 0), tabulate(agent, game, 1)) for agent in agents)


def exact_means(game: Game, tables: Behaviours) -> np.ndarray:
    """What each agent wins a hand in expectation, seats alternating, in mb/h or mbb/h."""
    assert game.origin is not None
    (a0, a1), (b0, b1) = tables
    first = evaluate(Profile(game, (a0, b1))).value
    second = -evaluate(Profile(game, (b0, a1))).value
    mean = (first + second) / 2 / unit_of(game.origin.rules)[1]
    return np.array([mean, -mean])


def play_tables(
    game: Game, tables: Behaviours, names: Sequence[str], hands: int, *, duplicate: bool = False, seed: int = 0
) -> MatchResult:
    """As `play_match`, in compiled code; deals are other ones than there.

    Where private states differ by suits only, a showdown pays what it pays on average over them.
    """
    assert game.origin is not None
    HANDS.check(hands)
    SEED.check(seed)
    must_fit(6 * 8 * hands, f"a match of {hands:,} hands", "play fewer hands")
    winnings = np.empty(hands)
    board, rng = _board(game), np.random.default_rng(seed)
    for first, last in pieces(hands, _PIECE):  # between two of which Ctrl-C is heard
        kernels.play(board, tuple(tables), rng, winnings[first:last], duplicate)
    both = np.column_stack((winnings, -winnings))
    return MatchResult.of(game.origin.rules, names, both, 2 if duplicate else 1, seed)


def _board(game: Game) -> kernels.Board:
    origin = game.origin
    assert origin is not None
    nodes, deals = origin.nodes, origin.deals
    counts = [len(node.children) for node in nodes]
    numbers = [np.arange(tree.sequences) for tree in game.trees]
    actors = [node.state.actor for node in nodes]
    blocks = [None if p is None else game.at_node(here, numbers[p]) for here, p in enumerate(actors)]
    joint, showdown = deals.joint[-1].tocoo(), deals.showdown
    above = [np.arange(len(deals.states[-1]))]
    for r in range(len(deals.states) - 1, 0, -1):
        above.insert(0, deals.parents[r][above[0]])
    ints = {
        "actor": [-1 if actor is None else actor for actor in actors],
        "round": [node.state.round for node in nodes],
        "first": np.concatenate(([0], np.cumsum(counts))),
        "child": [child for node in nodes for child in node.children],
        "start": [0 if block is None else block[0, 0] for block in blocks],
        "width": [0 if block is None else block.shape[1] for block in blocks],
        "shown": [node.state.showdown for node in nodes],
        "mine": joint.row,
        "theirs": joint.col,
        "above": above,
    }
    floats = {
        "stake": [float(node.state.stake) if node.state.finished else 0.0 for node in nodes],
        "odds": np.cumsum(joint.data),
        "sign": showdown.toarray()[joint.row, joint.col] / joint.data,
    }
    return kernels.Board(
        **{key: np.array(value, dtype=np.int64) for key, value in ints.items()},
        **{key: np.array(value, dtype=np.float64) for key, value in floats.items()},
    )

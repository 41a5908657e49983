"""A blueprint of no-limit hold'em that needs no training: few buckets, few bets, random or lopsided play."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np

from pokerlab.agents.blueprint import Blueprint, BlueprintAgent, graph_of
from pokerlab.cards.evaluator import board_values
from pokerlab.cards.holes import HOLES
from pokerlab.game.catalog import rules_of

BETS = "100 allin / 100 allin | allin / 100 allin | allin / 50 100 allin | 100 allin"


class SmallCards:
    """Before the flop suited or not; after it, thirds of the hands by strength."""

    counts = (2, 3, 3, 3)

    def board_buckets(self, board):
        if not board:
            return (HOLES[:, 0] % 4 == HOLES[:, 1] % 4).astype(np.int32)
        values = board_values(board)
        free = values > 0
        found = np.full(len(HOLES), -1, dtype=np.int32)
        places = np.searchsorted(np.sort(values[free]), values[free]) / free.sum()
        found[free] = np.minimum((3 * places).astype(np.int32), 2)
        return found

    def deal_buckets(self, deals, players=2):
        raise NotImplementedError


@lru_cache(maxsize=4)
def small_blueprint(seed=0, stacks=(2000, 2000)):
    rules = replace(rules_of("holdem-nolimit:stack=2000"), stacks=stacks)
    graph = graph_of(rules, BETS, "hand", SmallCards.counts)
    strategy = np.random.default_rng(seed).integers(1, 255, graph.cells // 2).astype(np.uint8)
    return Blueprint(rules, BETS, "hand", SmallCards(), strategy)


def small_agent(seed=0, **options):
    return BlueprintAgent(small_blueprint(seed), **options)

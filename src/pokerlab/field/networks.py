"""Players by neural network: two small ones, before the flop and after it, from what is seen to a triple.

    network:mine.network        by evolution (`evolution.py`) or from an expert's hands (`imitation.py`)

A network has one hidden layer of tanh units and three outputs through a softmax. Noble's (2002), Nicolai and
Hilderman's (2009) and Andersen's (MANZANA) were as small; ours has no statistics of opponents among its inputs (Rubin
2013, 2.5).
"""

# mypy: allow-untyped-defs

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pokerlab.agents.agent import Distribution
from pokerlab.bounds import HIDDEN
from pokerlab.cards.holes import hole_number
from pokerlab.cards.strength import hand_strength
from pokerlab.compiled import njit
from pokerlab.errors import AgentError, StrategyFileError
from pokerlab.field.habits import ordering
from pokerlab.field.player import HoldemPlayer, Triple, owed, position, pot_odds
from pokerlab.field.preflop_groups import share_of
from pokerlab.files import write_arrays
from pokerlab.game.hand import View
from pokerlab.game.rules import Rules, parse_rules
from pokerlab.reading import Damage, of_kind, read_arrays, reading

FORMAT, VERSION = "pokerlab network", 1

INPUTS = (
    "a constant", "chance to be ahead of all now", "chance to be ahead at the river", "pot odds",
    "raises of the round, in fours", "round, in thirds", "a bet is faced", "pot in small bets, log2 in eights",
    "position", "further opponents, in eights",
)  # fmt: skip


@njit(cache=True, nogil=True)
def fill_inputs(inputs, now, later, opponents, odds, raises, round, facing, pot, place):
    """What a network sees; `now` and `later` are chances against one opponent after the flop, against all before it."""
    power = opponents if round > 0 else 1
    inputs[0] = 1.0
    inputs[1] = now**power
    inputs[2] = later**power
    inputs[3] = odds
    inputs[4] = raises / 4
    inputs[5] = round / 3
    inputs[6] = 1.0 if facing else 0.0
    inputs[7] = math.log2(pot) / 8
    inputs[8] = place
    inputs[9] = (opponents - 1) / 8


@njit(cache=True, nogil=True)
def answered(weights, hidden, inputs):
    """Fold, call, raise: weights are [inputs, hidden] then [hidden + 1, 3], flat."""
    n = len(inputs)
    a, b, c = weights[n * hidden], weights[n * hidden + 1], weights[n * hidden + 2]  # of a constant
    for h in range(hidden):
        total = 0.0
        for i in range(n):
            total += inputs[i] * weights[i * hidden + h]
        unit, at = math.tanh(total), n * hidden + 3 + 3 * h
        a += unit * weights[at]
        b += unit * weights[at + 1]
        c += unit * weights[at + 2]
    most = max(a, b, c)
    a, b, c = math.exp(a - most), math.exp(b - most), math.exp(c - most)
    total = a + b + c
    return a / total, b / total, c / total


def size_of(hidden: int) -> int:
    """How many weights one of the two networks has."""
    return len(INPUTS) * hidden + 3 * (hidden + 1)


@dataclass(frozen=True)
class Network:
    """Weights [2, n] of the networks before the flop and after it, the game, and how they came about."""

    rules: Rules
    hidden: int
    weights: np.ndarray
    about: str
    path: str = ""

    def save(self, path: str | Path) -> None:
        """Write a file."""
        header = {
            "format": FORMAT, "version": VERSION, "game": self.rules.name, "rules": self.rules.text(),
            "hidden": self.hidden, "about": self.about,
        }  # fmt: skip
        write_arrays(path, header, {"weights": self.weights}, error=StrategyFileError)


def load_network(path: str | Path) -> Network:
    """Read a file back."""
    header, arrays = read_arrays(path, FORMAT, VERSION, error=StrategyFileError)
    with reading(path, StrategyFileError):
        hidden = header.whole("hidden", 1, int(HIDDEN.most))
        weights = of_kind(arrays, "weights", np.float64, 2, size_of(hidden))
        rules = parse_rules(header.text("rules"), header.text("game"))
        if not rules.holdem or not np.isfinite(weights).all():
            raise Damage("its game is not hold'em, or its weights are no numbers")
        return Network(rules, hidden, weights, header.text("about"), str(path))


def inputs_of(view: View) -> np.ndarray:
    """What a network sees in a view."""
    betting, inputs = view.betting, np.empty(len(INPUTS))
    opponents, chips = len(betting.survivors) - 1, owed(betting, view.seat)
    if view.board:
        hole = min(view.hole), max(view.hole)
        now, later = hand_strength(hole, view.board), float(ordering(view.board)[1][hole_number(view.hole)])
    else:
        now = later = share_of(view.hole, opponents)
    fill_inputs(
        inputs, now, later, opponents, pot_odds(chips, betting.pot), betting.raises, betting.round, chips > 0,
        betting.pot / view.rules.small_bet, position(betting, view.seat),
    )  # fmt: skip
    return inputs


class NetworkPlayer(HoldemPlayer):
    """Plays what its networks say."""

    name = "network"

    def __init__(self, network: Network | str | Path, size: float = 100.0, name: str = "") -> None:
        super().__init__(size, name=name)
        self.network = network if isinstance(network, Network) else load_network(network)
        self.rules = self.network.rules
        self.files = (str(Path(self.network.path).resolve()),) if self.network.path else ()

    def must_play(self, rules: Rules) -> None:
        super().must_play(rules)
        if rules != self.rules:
            raise AgentError(f"agent {self.title!r} plays {self.network.rules.name}, not {rules.name or 'this game'}")

    def act(self, view: View) -> Distribution:
        weights = self.network.weights[1 if view.board else 0]
        return self.acted(view, Triple(*answered(weights, self.network.hidden, inputs_of(view))))

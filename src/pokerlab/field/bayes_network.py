"""Bayesian networks over few discrete variables, with exact inference.

    net = BayesNetwork({"A": Variable((), [0.7, 0.3]), "C": Variable(("A", "B"), table), ...})
    net.posterior("A", {"C": 1})

A variable has a table [states of each parent..., its own states] that adds up to one over its last axis. What is not
asked for is summed out, by `numpy.einsum`, which finds an order in which to do so: variable elimination. Networks of
poker players have half a dozen variables, so that this is all that is needed; pgmpy does the same and brings a stack
of packages.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from pokerlab.errors import PokerlabError


@dataclass(frozen=True)
class Variable:
    """Its parents, and its table."""

    parents: tuple[str, ...]
    table: Any


class BayesNetwork:
    """Variables by name; parents may come in any order, but not in a circle."""

    def __init__(self, variables: Mapping[str, Variable]) -> None:
        self.variables = dict(variables)
        self.tables = {name: np.asarray(each.table, dtype=float) for name, each in variables.items()}
        self.states = {name: table.shape[-1] for name, table in self.tables.items()}
        self._axes = {name: number for number, name in enumerate(variables)}
        for name, each in variables.items():
            if not set(each.parents) <= variables.keys():
                raise PokerlabError(f"variable {name}: some of its parents {each.parents} are not there")
            wanted = tuple(self.states[parent] for parent in each.parents)
            table = self.tables[name]
            if table.shape[:-1] != wanted or not np.allclose(table.sum(axis=-1), 1) or table.min() < 0:
                raise PokerlabError(f"variable {name}: a table of {wanted} by its states, adding up to 1, is expected")
        self._check_order()

    def _check_order(self) -> None:
        placed: set[str] = set()
        while len(placed) < len(self.variables):
            ready = {name for name, each in self.variables.items() if set(each.parents) <= placed}
            if ready <= placed:
                raise PokerlabError(f"the parents of {sorted(self.variables.keys() - placed)} go round in a circle")
            placed |= ready

    def posterior(self, query: str, evidence: Mapping[str, int]) -> np.ndarray:
        """The distribution of a variable, where some others are known."""
        operands: list[Any] = []
        for name, each in self.variables.items():
            operands += [self.tables[name], [self._axes[part] for part in (*each.parents, name)]]
        for name, state in evidence.items():
            operands += [np.eye(self.states[name])[state], [self._axes[name]]]
        joint = np.einsum(*operands, [self._axes[query]], optimize=True)
        if not joint.sum() > 0:
            raise PokerlabError(f"what is given cannot happen: {dict(evidence)}")
        return joint / joint.sum()

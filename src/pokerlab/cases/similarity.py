"""How alike two cases are: local similarities of Rubin (2013), chapter 3, and their weighted mean, equation (3.1).

What the thesis does not print is a named parameter of `Similarity`, and is kept in the file of a case base.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from math import isfinite
from typing import Any

import numpy as np

from pokerlab.cards.preflop import preflop_tables
from pokerlab.cards.texture import SIMILARITY as TEXTURES
from pokerlab.cases.sequences import bet_distance, level_keys, shape
from pokerlab.errors import AgentError
from pokerlab.game.rules import Rules
from pokerlab.reading import Header, number

TIES = ("pool", "weaker")
HOLES = ("strength", "identity")
FEATURES = ("hand", "betting", "texture", "commitment")


@dataclass(frozen=True)
class Similarity:
    """The parameters. Those that the thesis prints: `levels`, `alpha` and equal weights; the others are ours.

    k            how fast similarity falls with the distance of strengths, equation (3.2)
    holes        hands before the flop: alike by E[HS^2] as in (3.2), or only if they are of one class
    levels       of betting in limit: identical; equal raises by round; equal raises in all; anything else
    alpha        what a step between bet sizes costs in no-limit, equation (3.7)
    clamp        whether (3.7) ends at 0
    same_round   of no-limit betting of another shape whose current round has the same; steps there cost alpha of it
    weights      of hand, betting, texture and stack commitment in (3.1)
    ties         among equally similar cases, `pool` all or take the `weaker` hand
    neighbours   so many decisions at least are pooled, going down by similarity; 1 is the nearest case
    fading       how fast the weight of pooled cases falls with similarity: exp(-fading * (best - similarity))
    prior        pseudo-decisions of the round's frequencies, where odds are scored and none may be 0
    """

    k: float = 1.0
    holes: str = "strength"
    levels: tuple[float, float, float, float] = (1.0, 0.9, 0.8, 0.0)
    alpha: float = 0.05
    clamp: bool = True
    same_round: float = 0.0
    weights: tuple[float, float, float, float] = (1.0, 1.0, 1.0, 1.0)
    ties: str = "pool"
    neighbours: int = 1
    fading: float = 0.0
    prior: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "levels", tuple(map(float, self.levels)))
        object.__setattr__(self, "weights", tuple(map(float, self.weights)))
        problem = ""
        every = (self.k, self.alpha, self.same_round, self.fading, self.prior, *self.levels, *self.weights)
        if not all(map(isfinite, every)):
            problem = "numbers are finite"
        elif self.ties not in TIES or self.holes not in HOLES:
            problem = f"ties are one of {', '.join(TIES)} and holes of {', '.join(HOLES)}"
        elif len(self.levels) != 4 or list(self.levels) != sorted(self.levels, reverse=True):
            problem = "levels are four numbers that do not grow"
        elif len(self.weights) != 4 or min(self.weights) < 0 or sum(self.weights[:2]) <= 0:
            problem = "weights are four numbers of at least 0, that of hand or betting above it"
        elif min(self.k, self.alpha, self.fading) < 0 or self.prior <= 0 or self.neighbours < 1:
            problem = "k, alpha and fading are at least 0, prior is above 0 and neighbours at least 1"
        if problem:
            raise AgentError(f"similarity: {problem}; got {asdict(self)}")

    def as_json(self) -> dict[str, Any]:
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}

    @classmethod
    def from_json(cls, told: Mapping[str, Any]) -> Similarity:
        """As a file has it: what it does not tell is as by default, what is of another kind is damage."""
        given = Header(cls().as_json() | dict(told))
        _check_names(told)

        def numbers(name: str) -> Any:
            return tuple(number(value, name) for value in given.entries(name))

        return cls(
            k=given.number("k"), holes=given.text("holes"), levels=numbers("levels"), alpha=given.number("alpha"),
            clamp=given.flag("clamp"), same_round=given.number("same_round"), weights=numbers("weights"),
            ties=given.text("ties"), neighbours=given.whole("neighbours"), fading=given.number("fading"),
            prior=given.number("prior"),
        )  # fmt: skip

    def changed(self, **options: Any) -> Similarity:
        """With other values; refuses names that there are not."""
        _check_names(options)
        return replace(self, **options)

    def betting(self, rules: Rules, a: str, b: str) -> float:
        """Of two sequences: in steps in limit, by equation (3.7) in no-limit."""
        if rules.limit:
            pairs = zip(level_keys(rules, a), level_keys(rules, b), strict=True)
            level = next((level for level, (one, other) in enumerate(pairs) if one == other), 3)
            return self.levels[level]
        if shape(a) == shape(b):
            return self.by_distance(bet_distance(a, b))
        mine, theirs = a.rpartition("-")[2], b.rpartition("-")[2]
        return self.same_round * self.by_distance(bet_distance(mine, theirs)) if shape(mine) == shape(theirs) else 0.0

    def by_distance(self, steps: int) -> float:
        """Equation (3.7): 1 - alpha * sum of steps."""
        value = 1.0 - self.alpha * steps
        return max(value, 0.0) if self.clamp else value

    def strength_table(self, buckets: int) -> np.ndarray:
        """[buckets, buckets] equation (3.2)."""
        numbers = np.arange(buckets)
        return np.maximum(1.0 - self.k * np.abs(numbers[:, None] - numbers) / buckets, 0.0)

    def class_table(self, classes: int) -> np.ndarray:
        """[classes, classes] of hands that are named: those of hold'em before the flop, of small games, categories."""
        same: np.ndarray = np.eye(classes)
        if self.holes == "identity" or classes != 169:
            return same
        strength = preflop_tables()[1]
        near: np.ndarray = np.maximum(1.0 - self.k * np.abs(strength[:, None] - strength), 0.0)
        return np.where(same > 0, 1.0, near)


def _check_names(given: Iterable[str]) -> None:
    names = [field.name for field in fields(Similarity)]
    for name in given:
        if name not in names:
            raise AgentError(f"no parameter {name!r} of similarity; there are {', '.join(names)}")


def commitment_table(classes: int) -> np.ndarray:
    """[classes, classes] equation (3.8): exp(-|f1 - f2|)."""
    numbers = np.arange(classes)
    return np.asarray(np.exp(-np.abs(numbers[:, None] - numbers).astype(np.float64)))


def texture_table(textures: int) -> np.ndarray:
    """[textures, textures] Figure 3.3; of the one class before the flop, 1."""
    return np.asarray(TEXTURES if textures == len(TEXTURES) else np.ones((textures, textures)))

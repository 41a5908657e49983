"""A counter-strategy to an agent, or to a player of whom there are records: from names to a file, and what it is worth.

    response = counter("leduc", ["random"], p=0.5)
    response.solution.save("counter.strategy")

An agent without memory is asked what it does everywhere, or watched for so many hands against one who never folds
(Probe); of records every hand is used, those that ended without a showdown by expectation over what the player may have
held.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pokerlab.agents.simple import Probe
from pokerlab.agents.spec import agent_of
from pokerlab.agents.table import profile_of
from pokerlab.bounds import HANDS, SEED, SHARE
from pokerlab.errors import AgentError, PokerlabError
from pokerlab.form.compile import compile
from pokerlab.form.game import Game
from pokerlab.form.strategy import Profile, uniform_profile
from pokerlab.game.rules import Rules, unit_of
from pokerlab.opponents.watching import read_endings
from pokerlab.reading import is_archive
from pokerlab.solvers.counter import data_biased, frequentist_response, restricted_nash, standing
from pokerlab.solvers.hidden import HiddenHands
from pokerlab.solvers.observed import UNKNOWN, Endings, Model, watch
from pokerlab.solvers.solution import Solution

KINDS = ("restricted-nash", "data-biased", "frequentist")


@dataclass(frozen=True, eq=False)
class Target:
    """Who is to be beaten: a model, the truth where it is known, and how much was seen."""

    name: str
    model: Model
    truth: Profile | None
    hands: int | None  # None: it was asked
    hidden: int = 0  # of the hands, those in which its cards were not shown
    left_out: Counter[str] | None = None


@dataclass(frozen=True, eq=False)
class Response:
    """A counter-strategy, whom it is against, and its figures in chips a hand."""

    solution: Solution
    target: Target
    won: float  # from the target, or from the model of it where no more is known
    exploitability: float

    def summary(self) -> dict[str, Any]:
        """As plain JSON."""
        unit, size = unit_of(_rules_of(self.solution.game))
        return {
            "game": self.solution.game.name, "against": self.target.name, "kind": self.solution.method,
            **self.solution.parameters, "hands": self.target.hands, "hidden": self.target.hidden,
            "left_out": dict(self.target.left_out or {}), "won": self.won / size, "won_from": self._from,
            "exploitability": self.exploitability / size, "unit": unit, "stopped": self.solution.stopped,
        }  # fmt: skip

    @property
    def _from(self) -> str:
        return "target" if self.target.truth is not None else "model"

    def lines(self) -> list[str]:
        """The same for a person."""
        told, target = self.summary(), self.target
        words = ", ".join(f"{key} {value}" for key, value in self.solution.parameters.items())
        lines = [f"{told['kind']} against {target.name} in {told['game']}" + (f" ({words})" if words else "")]
        if target.hands is not None:
            shown = f", {target.hidden:,} of them without its cards" if target.hidden else ""
            lines.append(f"seen             {target.hands:,} hands{shown}")
        lines += [f"left out         {count:,}: {why}" for why, count in (target.left_out or {}).items()]
        whom = "the target, exactly" if target.truth is not None else "the model of it"
        lines.append(f"wins             {told['won']:+.1f} {told['unit']} from {whom}")
        lines.append(
            f"can lose         {told['exploitability']:.1f} {told['unit']} (exploitability, mean of the seats)"
        )
        return lines


def _rules_of(game: Game) -> Rules:
    assert game.origin is not None
    return game.origin.rules


def counter(
    game: str | Rules,
    against: Sequence[str],
    *,
    kind: str | None = None,
    p: float = 0.5,
    confidence: str = "curve",
    observe: int | None = None,
    expert: str | None = None,
    skip_bad: bool = False,
    method: str = "lp",
    seed: int = 0,
    **limits: Any,
) -> Response:
    """A counter-strategy for both seats of a game that compiles.

    `against` is an agent, or records with the player's name in `expert`. `kind` is one of KINDS; by default
    `restricted-nash` where the player is known and `data-biased` where it was only seen. `observe` is hands to watch an
    agent for, instead of asking it. `method` and `limits` are those of `solve`.
    """
    SHARE.check(p, "p")
    compiled = compile(game)
    if len(compiled.trees) != 2:
        raise PokerlabError(f"counter-strategies are for two players, and {compiled.name} has {len(compiled.trees)}")
    target = target_of(compiled, against, observe=observe, expert=expert, skip_bad=skip_bad, seed=seed)
    kind = kind or ("restricted-nash" if target.hands is None else "data-biased")
    if kind == "restricted-nash":
        solution = restricted_nash(target.model, p, method, **limits)
    elif kind == "data-biased":
        solution = data_biased(target.model, p, confidence, method, **limits)
    elif kind == "frequentist":
        solution = frequentist_response(target.model)
    else:
        raise PokerlabError(f"there is no counter-strategy {kind!r}; there are {', '.join(KINDS)}")
    judged = standing(solution.strategy, target.truth or target.model.behaviour)
    return Response(solution, target, judged.won, judged.exploitability)


def target_of(
    game: Game, against: Sequence[str], *, observe: int | None = None, expert: str | None = None,
    skip_bad: bool = False, seed: int = 0,
) -> Target:  # fmt: skip
    """The player that names an agent, or that sits in records under the name `expert`."""
    HANDS.check(observe, "observe")
    SEED.check(seed)
    if are_records(against):
        if expert is None:
            raise PokerlabError("whose hands? --expert names the player in the records")
        if observe is not None:
            raise PokerlabError("--observe is for agents: of records every hand is used")
        return _recorded(game, against, expert, skip_bad)
    if len(against) != 1 or expert is not None:
        raise PokerlabError("one agent, or records with --expert, is needed to play against")
    rules = _rules_of(game)
    agent = agent_of(against[0], rules)
    if not agent.stateless:
        raise AgentError(f"{agent.title} remembers past hands: it has no fixed strategy to counter")
    truth = profile_of(agent, agent, game)
    if observe is None:
        return Target(against[0], Model.known(truth), truth, None)
    probe = profile_of(Probe(), Probe(), game)
    hands = watch(truth, probe, observe, np.random.default_rng(seed))
    return Target(against[0], Model.of_endings(game, hands), truth, observe)


def are_records(against: Sequence[str]) -> bool:
    """Whether these are files of hands, and not agents."""
    files = [name for name in against if os.path.isfile(name) and not is_archive(name, AgentError)]
    if files and len(files) < len(against):
        raise PokerlabError("records and agents do not go together: give one agent, or files of hands")
    return bool(files)


def _recorded(game: Game, paths: Sequence[str], expert: str, skip_bad: bool) -> Target:
    endings, left_out = read_endings(game, paths, expert, skip_bad=skip_bad)
    hidden = sum(int(hands.times[hands.state[p] == UNKNOWN].sum()) for p, hands in enumerate(endings))
    model = _model_of_hidden(game, endings) if hidden else Model.of_endings(game, endings)
    return Target(expert, model, None, sum(hands.hands for hands in endings), hidden, left_out)


def _model_of_hidden(game: Game, endings: tuple[Endings, Endings]) -> Model:
    """By expectation over ranges; what was never seen is as in the prior, which does anything."""
    prior, behaviours, seen = uniform_profile(game), [], []
    for player, tree in enumerate(game.trees):
        behaviour, counts = HiddenHands(game, player, endings[player]).learn(prior[player])
        behaviours.append(behaviour)
        seen.append(np.bincount(tree.infoset_of[1:], counts[1:], tree.infosets))
    return Model(Profile(game, tuple(behaviours)), (seen[0], seen[1]))

"""A counter-strategy in limit hold'em for two, by sampling: a player is watched, and a blueprint learnt against it.

What it wins is measured in matches against the player, in real hold'em; what it can lose, by a response that knows it,
in the abstract game of its cards: at least that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pokerlab.abstraction.cards import cards_of
from pokerlab.agents.agent import Agent
from pokerlab.agents.blueprint import Blueprint, BlueprintAgent
from pokerlab.agents.response import Table
from pokerlab.agents.sampled_counter import Counted, sampled_counter, uniform_blueprint
from pokerlab.agents.simple import Probe
from pokerlab.agents.spec import agent_of
from pokerlab.cases.sources import check_expert, survey, wanted_hands
from pokerlab.errors import AgentError, LogError, PokerlabError
from pokerlab.game.hand import Hand
from pokerlab.game.rules import Rules, unit_of
from pokerlab.match.play import play_match
from pokerlab.match.result import MatchResult
from pokerlab.opponents.counter import are_records
from pokerlab.solvers.sampling.holdem import HoldemDeals

CARDS = "made-hands?count=6"
OBSERVE = 3000  # hands
WALKS = 100_000  # a player in each seat
DEALS = 2000  # on which it is measured
_SWEEPS = 2  # of the response that knows it
BAD = "the hand cannot be read"


@dataclass(frozen=True, eq=False)
class SampledResponse:
    """A blueprint, whom it is against, and what was measured of it."""

    blueprint: Blueprint
    against: str
    won: MatchResult | None  # from the player; None where there are only records of it
    lost: MatchResult  # what a response wins that knows it
    hidden: int  # hands in which the player's cards were not known
    left_out: Counter[str]

    def summary(self) -> dict[str, Any]:
        """As plain JSON."""
        told = self.blueprint.about
        return {
            "game": self.blueprint.rules.name, "against": self.against, "kind": told["response"], "p": told["p"],
            "hands": told["hands"], "hidden": self.hidden, "left_out": dict(self.left_out),
            "won": None if self.won is None else float(self.won.mean[0]),
            "won_ci95": None if self.won is None else float(self.won.ci95[0]),
            "exploitability_at_least": float(self.lost.mean[0]), "exploitability_ci95": float(self.lost.ci95[0]),
            "unit": unit_of(self.blueprint.rules)[0], "iterations": told["iterations"],
        }  # fmt: skip

    def lines(self) -> list[str]:
        """The same for a person."""
        told = self.summary()
        shown = f", {self.hidden:,} of them without its cards" if self.hidden else ""
        lines = [
            f"{told['kind']} against {self.against} in {told['game']} (p {told['p']:g}), by sampling",
            f"seen             {told['hands']:,} hands{shown}",
            *(f"left out         {count:,}: {why}" for why, count in self.left_out.items()),
        ]
        if self.won is not None:
            lines.append(f"wins             {told['won']:+.0f} ± {told['won_ci95']:.0f} {told['unit']} from it")
        lost = f"{told['exploitability_at_least']:.0f} ± {told['exploitability_ci95']:.0f} {told['unit']}"
        return [*lines, f"can lose         at least {lost}, to a response that knows it, in its own abstract game"]


def counter_holdem(
    rules: Rules,
    against: Sequence[str],
    *,
    kind: str = "data-biased",
    p: float = 0.5,
    confidence: str = "curve",
    observe: int | None = None,
    expert: str | None = None,
    skip_bad: bool = False,
    cards: str = CARDS,
    iterations: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
    progress: bool | None = None,
) -> SampledResponse:
    """A counter-strategy to an agent, who is watched against one who never folds, or to a player of records."""
    if rules.players != 2 or not rules.limit or not rules.holdem_family:
        raise PokerlabError(f"by sampling, counter-strategies are for limit hold'em of two; {rules.name} is not that")
    named = cards_of(cards, rules)
    base = uniform_blueprint(rules, "all", named.cards, named.text)
    seen, left_out, agent, hidden = Counted(base.graph, named.cards), Counter[str](), None, 0
    if are_records(against):
        if expert is None:
            raise PokerlabError("whose hands? --expert names the player in the records")
        seen.add(_recorded(rules, against, expert, skip_bad, left_out))
        hidden = len(seen.hidden)
        seen.settle()
        if not seen.hands:
            raise LogError(f"no hand of {expert!r} can be learnt from: {dict(left_out)}")
    else:
        if len(against) != 1 or expert is not None:
            raise PokerlabError("one agent, or records with --expert, is needed to play against")
        agent = agent_of(against[0], rules)
        if not agent.stateless:
            raise AgentError(f"{agent.title} remembers past hands: it has no fixed strategy to counter")
        seen.add(watched_hands(rules, agent, OBSERVE if observe is None else observe, seed, progress))
    made = sampled_counter(
        seen, base, kind, p, iterations=WALKS if iterations is None else iterations, seconds=seconds,
        confidence=confidence, seed=seed, progress=progress,
    )  # fmt: skip
    won = None
    if agent is not None:
        mine = BlueprintAgent(made, name="counter")
        won = play_match(rules, [mine, agent], DEALS, duplicate=True, seed=seed + 1, progress=progress)
    return SampledResponse(made, expert or against[0], won, _exploited(made, seed, progress), hidden, left_out)


def watched_hands(
    rules: Rules, agent: Agent, hands: int, seed: int, progress: bool | None
) -> Iterator[tuple[Hand, int]]:
    """Hands of an agent against one who never folds, each with the agent's seat."""
    played: list[tuple[Hand, int]] = []

    def keep(number: int, assignment: int, hand: Hand, seats: Sequence[int]) -> None:
        played.append((hand, list(seats).index(0)))

    play_match(rules, [agent, Probe()], hands, seed=seed, watch=keep, progress=progress)
    yield from played


def _recorded(
    rules: Rules, paths: Sequence[str], expert: str, skip_bad: bool, left_out: Counter[str]
) -> Iterator[tuple[Hand, int]]:
    """Hands of records, the player's seat with each."""
    sources = [survey(path, expert, rules, 0.0) for path in paths]
    check_expert(sources, expert)
    for piece in (piece for source in sources for piece in source.pieces):
        for _, record in wanted_hands(piece, rules, skip_bad):
            if isinstance(record, LogError):
                left_out[BAD] += 1
            else:
                yield record.hand, record.names.index(expert)


def _exploited(blueprint: Blueprint, seed: int, progress: bool | None) -> MatchResult:
    """What a response wins in the abstract game, found by policy iteration."""
    table = Table(blueprint.graph, HoldemDeals(blueprint.rules, blueprint.cards), seed)
    response = blueprint.strategy
    for _ in range(_SWEEPS):
        response, _ = table.improved(response, blueprint.strategy, DEALS)
    won = table.play(response, blueprint.strategy, DEALS, progress=progress)
    return MatchResult.of(blueprint.rules, ["response", "counter"], np.stack([won, -won], axis=1), 2, seed)

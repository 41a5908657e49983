"""A match as it is asked for by name: agents' specs, a game, a score and perhaps a log, played the fastest way."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

from pokerlab.agents.spec import agent_of
from pokerlab.bounds import HANDS, SEED
from pokerlab.errors import PokerlabError
from pokerlab.game.catalog import rules_of
from pokerlab.match.play import play_match
from pokerlab.match.result import MatchResult
from pokerlab.match.scores import SCORES
from pokerlab.match.tables import exact_means, play_tables, tables_of
from pokerlab.records.logs import LogWriter
from pokerlab.registry import others_code


def play_specs(
    specs: Sequence[str], game: str, hands: int, *, duplicate: bool = False, seed: int = 0, score: str = "money",
    log: str | None = None,
) -> tuple[MatchResult, dict[str, Any]]:  # fmt: skip
    """The result, and as plain JSON its summary: with `exact` winnings where the agents are tables.

    Tables play in compiled code unless their hands are to be logged, or counted otherwise than by money.
    """
    rules = rules_of(game)
    if len(specs) != rules.players:
        raise PokerlabError(f"{rules.name} is for {rules.players} players, got {len(specs)} agents")
    HANDS.check(hands)
    SEED.check(seed)
    agents = [agent_of(spec, rules) for spec in specs]
    scoring = SCORES[score]
    with others_code(f"score {score!r} failed", PokerlabError, scoring):
        counts = scoring(rules, agents)
    names, tables = [agent.name for agent in agents], tables_of(agents, rules)
    compiled = tables is not None and log is None and score == "money"
    if tables is not None and compiled:
        result = play_tables(*tables, names, hands, duplicate=duplicate, seed=seed)
    else:
        with LogWriter(log, rules, names, hands, seed) if log is not None else nullcontext() as writer:
            watch = writer.watch if writer is not None else None
            with others_code(f"score {score!r} failed", PokerlabError, scoring):
                result = play_match(rules, agents, hands, duplicate=duplicate, seed=seed, score=counts, watch=watch)
    exact = exact_means(*tables).tolist() if tables is not None else None
    engine = "compiled" if compiled else "python"
    return result, result.summary() | {"exact": exact, "engine": engine, "score": score}


def match_lines(result: MatchResult, summary: dict[str, Any]) -> list[str]:
    """A match as text: a line an agent."""
    duplicate = ", duplicate" if summary["duplicate"] else ""
    lines = [f"{result.game}, {summary['played']:,} hands{duplicate}, seed {result.seed}"]
    for i, name in enumerate(result.agents):
        exact = f"   exact {summary['exact'][i]:+9.2f}" if summary["exact"] else ""
        lines.append(f"  {name:<20} {result.mean[i]:+9.2f} ± {result.ci95[i]:.2f} {result.unit}{exact}")
    return lines

"""Round robins: every table of agents plays a match, on local processes, and nothing that was played is lost.

A match is split into chunks of deals. A finished chunk is one small file in the tournament's folder, written under
another name and renamed, so that a killed tournament goes on where it was. A match's seed derives from the
tournament's and from the names of its players: results depend neither on the order of the agents nor on the number of
processes.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import math
import os
import re
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from importlib.metadata import version
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from pokerlab.agents.agent import Agent
from pokerlab.bounds import HANDS, MATCHES, SEED
from pokerlab.errors import AgentFailed, PokerlabError, WorkerDied
from pokerlab.form.game import Game
from pokerlab.game.catalog import rules_of
from pokerlab.game.rules import Rules, parse_rules, unit_of
from pokerlab.match.play import assignments
from pokerlab.match.tournament.chunk import Build, Chunk, Entrant, build_agent, play_chunk, table_of
from pokerlab.match.tournament.folder import Folder, Has
from pokerlab.match.tournament.standings import Record, Standings
from pokerlab.processes import Executor, at_work, local_processes
from pokerlab.progress import Bar
from pokerlab.reading import Header, reading, refuse

_CHUNK, _MOST_CHUNKS = 1000, 200  # deals a chunk, and chunks a match
_MATCHES = range(1, 1_000_000)  # that a folder may be of
_PAUSE = 0.1  # seconds between looks at the leader: there can be many chunks


@dataclass(frozen=True)
class Tournament:
    """Everything that decides a tournament's results."""

    rules: Rules
    entrants: tuple[Entrant, ...]
    hands: int
    duplicate: bool
    seed: int
    chunk: int

    @property
    def matches(self) -> list[tuple[int, ...]]:
        """The players of every match, by number. Sorted by name: how agents were listed must not matter."""
        order = sorted(range(len(self.entrants)), key=lambda i: self.entrants[i].name)
        return list(combinations(order, self.rules.players))

    @property
    def played(self) -> int:
        """Hands of all matches, each seating counted."""
        return len(self.matches) * self.hands * len(assignments(self.rules.players, self.duplicate))

    def chunks(self, match: int) -> Iterator[tuple[int, int]]:
        """(first deal, number of deals). A match of an agent with a memory is one chunk."""
        alone = all(self.entrants[i].stateless for i in self.matches[match])
        size = self.chunk if alone else self.hands
        return ((start, min(size, self.hands - start)) for start in range(0, self.hands, size))

    def seed_of(self, match: int, *more: int) -> int:
        names = [self.entrants[i].name for i in self.matches[match]]
        digest = hashlib.sha256(json.dumps([self.seed, names, *more]).encode()).digest()
        return int.from_bytes(digest[:7], "big")

    def manifest(self) -> dict[str, Any]:
        """As JSON; a folder with another one is of another tournament."""
        agents = [
            {"name": e.name, "spec": e.spec, "stateless": e.stateless, "files": list(e.files)} for e in self.entrants
        ]
        return {
            "pokerlab": version("pokerlab"),
            "game": self.rules.name,
            "rules": self.rules.text(),
            "agents": agents,
            "hands": self.hands,
            "duplicate": self.duplicate,
            "seed": self.seed,
            "chunk": self.chunk,
        }

    @classmethod
    def of_manifest(cls, manifest: Header) -> Tournament:
        """From what a folder says; Damage if it is none."""
        entrants = tuple(
            Entrant(agent.text("name"), agent.text("spec"), agent.flag("stateless"), tuple(agent.texts("files")))
            for agent in map(Header, manifest.entries("agents"))
        )
        rules = parse_rules(manifest.text("rules"), manifest.text("game"))
        names = {entrant.name for entrant in entrants}
        if len(names) < len(entrants) or math.comb(len(names), rules.players) not in _MATCHES:
            refuse("agents: enough of them, and each with a name of its own", sorted(names))
        hands, chunk = manifest.whole("hands", 1), manifest.whole("chunk", 1)
        return cls(rules, entrants, hands, manifest.flag("duplicate"), manifest.whole("seed", most=2**64), chunk)

    def folder_name(self) -> str:
        """A name for the folder, the same for the same tournament only."""
        digest = hashlib.sha256(json.dumps(self.manifest()).encode()).hexdigest()[:8]
        game = re.sub(r"[^\w.-]+", "-", Path(self.rules.name).name) or "game"
        return f"tournament-{game}-{len(self.entrants)}x{self.hands}-{digest}"


def plan_tournament(
    agents: Sequence[str],
    game: str | Rules,
    hands: int,
    *,
    duplicate: bool = True,
    seed: int = 0,
    chunk: int | None = None,
    build: Build = build_agent,
) -> Tournament:
    """Check everything before the first hand. An agent is a spec, or NAME=SPEC."""
    HANDS.check(hands)
    SEED.check(seed)
    rules = rules_of(game)
    if len(agents) < rules.players:
        raise PokerlabError(f"{rules.name or 'the game'} needs at least {rules.players} agents, got {len(agents)}")
    size = max(_CHUNK, -(-hands // _MOST_CHUNKS)) if chunk is None else chunk
    HANDS.check(size, "chunk")
    MATCHES.check(math.comb(len(agents), rules.players), "matches of the tournament")
    assignments(rules.players, duplicate)
    entrants: list[Entrant] = []
    for text in agents:
        name, spec = _named(text, [e.name for e in entrants])
        agent = build(spec, rules)
        entrants.append(Entrant(name, spec, agent.stateless, _digests(agent)))
    return Tournament(rules, tuple(entrants), hands, duplicate, seed, size)


def _named(text: str, taken: Sequence[str]) -> tuple[str, str]:
    given = re.fullmatch(r"([^=:?]+)=(.+)", text)
    if given:
        if given[1] in taken:
            raise PokerlabError(f"two agents are named {given[1]!r}")
        return given[1], given[2]
    names = [text, *(f"{text}#{copy}" for copy in range(2, len(taken) + 2))]
    return next(name for name in names if name not in taken), text


def _digests(agent: Agent) -> tuple[str, ...]:
    """Of the files that an agent is made of, and of its source if it is not ours."""
    paths = list(agent.files)
    if not type(agent).__module__.startswith("pokerlab."):
        with suppress(TypeError):  # of a class made in an interactive session
            paths.append(inspect.getsourcefile(type(agent)) or "")
    files = [Path(path) for path in paths if path and os.path.isfile(path)]
    return tuple(hashlib.sha256(path.read_bytes()).hexdigest()[:16] for path in files)


def _game_of_tables(plan: Tournament) -> Game | None:
    """The game in which stateless agents play as tables; None where that would ask them more than playing does."""
    from pokerlab.match.tables import compiled_game

    game, passes = compiled_game(plan.rules), len(assignments(plan.rules.players, plan.duplicate))
    fits = game is not None and sum(tree.infosets for tree in game.trees) <= plan.hands * passes
    return game if fits else None


def exact_crosstable(plan: Tournament, build: Build = build_agent) -> np.ndarray | None:
    """What each agent wins a hand against each other in expectation, in the unit; None where it is not known."""
    game = _game_of_tables(plan)
    if game is None:
        return None
    from pokerlab.match.tables import exact_means

    exact = np.full((len(plan.entrants),) * 2, np.nan)
    for a, b in plan.matches:
        pair = plan.entrants[a], plan.entrants[b]
        if all(e.stateless for e in pair):
            tables = tuple(table_of(build, e, plan.rules) for e in pair)
            exact[a, b], exact[b, a] = exact_means(game, tables).round(9) + 0.0
    return exact


def run_tournament(
    plan: Tournament,
    folder: str | Path | None = None,
    *,
    fresh: bool = False,
    executor: Executor | None = None,
    build: Build = build_agent,
    progress: bool | None = None,
) -> Standings:
    """Play what the folder does not hold yet, and score everything. Without a folder nothing is kept.

    Refuses a folder of another tournament unless `fresh`, which deletes that one. `executor` maps a function over
    tasks, in any order; by default local processes, one a core. After Ctrl-C or an error the folder keeps every
    finished chunk. Chunks that are damaged are told of by a warning, and played again.
    """
    with ExitStack() as stack:
        where = Path(folder or stack.enter_context(tempfile.TemporaryDirectory()))
        if fresh and Folder.at(where):
            old = Folder.existing(where)
            with reading(where, PokerlabError):
                written = _has(Tournament.of_manifest(old.manifest))
            old.delete(written)
        store = Folder.open(where, plan.manifest(), _has(plan))
        exact = exact_crosstable(plan, build)
        tasks = _tasks(plan, build)
        running = _Running(plan)
        players = plan.rules.players
        todo = [t for t in tasks if not running.add(t.match, store.read(t.match, t.start, t.deals, players))]
        if todo:
            results = stack.enter_context(at_work(executor or local_processes(), play_chunk, todo))
            bar = stack.enter_context(Bar(f"{plan.rules.name}, {len(plan.entrants)} agents", progress))
            try:
                for match, start, winnings in results:
                    store.write(match, start, winnings)
                    running.add(match, winnings)
                    running.show(bar)
            except WorkerDied as death:
                if not isinstance(death.task, Chunk):
                    raise
                chunk = death.task
                raise AgentFailed(f"{chunk.at_table} from deal {chunk.start} on: {death}") from None
        return _scored(plan, store, exact)


def load_tournament(folder: str | Path) -> tuple[Tournament, Standings]:
    """A finished tournament, from its folder."""
    store = Folder.existing(Path(folder))
    with reading(folder, PokerlabError):
        plan = Tournament.of_manifest(store.manifest)
    return plan, _scored(plan, store, None)


def _has(plan: Tournament) -> Has:
    """Which chunks are a tournament's."""
    starts = [{start for start, _ in plan.chunks(match)} for match in range(len(plan.matches))]
    return lambda match, start: match < len(starts) and start in starts[match]


def _tasks(plan: Tournament, build: Build) -> list[Chunk]:
    """All chunks: whole matches first, which take longest, then the matches side by side."""
    compiled, tasks = _game_of_tables(plan) is not None, []
    for match, players in enumerate(plan.matches):
        entrants = tuple(plan.entrants[i] for i in players)
        fast = compiled and all(e.stateless for e in entrants)
        for start, count in plan.chunks(match):
            seeds = plan.seed_of(match), plan.seed_of(match, start)
            tasks.append(Chunk(match, start, count, plan.rules, entrants, plan.duplicate, seeds, fast, build))
    return sorted(tasks, key=lambda chunk: (-chunk.deals, chunk.start))


def _scored(plan: Tournament, store: Folder, exact: np.ndarray | None) -> Standings:
    """From the files alone and in their order, so that no sum depends on when a chunk came in."""

    def winnings(match: int) -> Iterable[tuple[int, np.ndarray]]:
        for start, count in plan.chunks(match):
            chunk = store.read(match, start, count, plan.rules.players)
            if chunk is None:
                raise PokerlabError(f"the tournament in {store.path} is not finished: run it again to go on")
            yield start, chunk

    records = [Record.of(players, plan.hands, winnings(m)) for m, players in enumerate(plan.matches)]
    unit, chips = unit_of(plan.rules)
    return Standings(tuple(e.name for e in plan.entrants), plan.rules.players, unit, chips, tuple(records), exact)


class _Running:
    """Sums so far, for the bar."""

    def __init__(self, plan: Tournament) -> None:
        self.plan, self.total, self.shown = plan, len(plan.matches) * plan.hands, 0.0
        self.passes = len(assignments(plan.rules.players, plan.duplicate))
        self.counts = np.zeros(len(plan.matches), dtype=np.int64)
        self.sums, self.squares = np.zeros((2, len(plan.matches), plan.rules.players))

    def add(self, match: int, winnings: np.ndarray | None) -> bool:
        if winnings is None:
            return False
        self.counts[match] += len(winnings)
        self.sums[match] += winnings.sum(axis=0)
        self.squares[match] += (winnings**2).sum(axis=0)
        return True

    def show(self, bar: Bar) -> None:
        """Hands done, and the leader with its interval."""
        now = time.monotonic()
        if now - self.shown < _PAUSE:
            return
        self.shown, plan = now, self.plan
        begun = [
            Record(players, self.counts[m : m + 1], self.sums[m : m + 1], self.squares[m : m + 1])
            for m, players in enumerate(plan.matches)
            if self.counts[m]
        ]
        unit, chips = unit_of(plan.rules)
        names = tuple(e.name for e in plan.entrants)
        bankroll = Standings(names, plan.rules.players, unit, chips, tuple(begun)).bankroll
        leader, name = max(e for e in zip(bankroll, names, strict=True) if not math.isnan(e[0].mean))
        done = int(self.counts.sum())
        figure = f"{done * self.passes:,} hands  {name} leads {leader.mean:+.0f} ± {leader.ci95:.0f} {unit}"
        bar.show(done / self.total, figure)

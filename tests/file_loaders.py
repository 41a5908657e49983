"""Every loader of files, with samples that our own writers make, beside those of `tests/files`."""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import pokerlab
from option_values import PREFLOP
from pokerlab.abstraction.buckets.lookup import load_buckets
from pokerlab.agents.blueprint import BlueprintAgent
from pokerlab.agents.blueprint_file import load_blueprint
from pokerlab.agents.simple import Call
from pokerlab.cards import matchups
from pokerlab.cards.deck import Deck
from pokerlab.cases.agent import CasesAgent
from pokerlab.cases.base import CaseBase, load_cases, round_of
from pokerlab.errors import PokerlabError
from pokerlab.field.networks import Network, NetworkPlayer, size_of
from pokerlab.form.efg import read_efg
from pokerlab.game.catalog import CATALOG, rules_of
from pokerlab.game.deals import deals_of
from pokerlab.game.hand import new_hand
from pokerlab.match.play import play_match
from pokerlab.match.tournament.play import load_tournament, plan_tournament, run_tournament
from pokerlab.opponents.adapting import Adapting
from pokerlab.opponents.trends import learn_trends
from pokerlab.papers.pieces import Pieces
from pokerlab.records.logs import read_log, write_log
from pokerlab.records.phh import read_phh, write_phh
from pokerlab.records.record import LoggedHand
from pokerlab.refine.preflop.game import read_preflop
from pokerlab.refine.preflop.solution import load_preflop_solution
from pokerlab.refine.spots.engine import ENGINES
from pokerlab.refine.spots.libratus import read_libratus
from pokerlab.refine.spots.shape import Shape
from pokerlab.refine.spots.solution import load_spot_solution
from pokerlab.refine.spots.spot import read_spot
from pokerlab.solvers.checkpoint import load_checkpoint, save_checkpoint
from pokerlab.solvers.runner import Record
from pokerlab.solvers.sampling.betting_graph import BettingGraph
from pokerlab.solvers.sampling.deals import ListedDeals
from pokerlab.solvers.sampling.sampler import Sampler, plan_of
from pokerlab.web.house import House
from pokerlab.web.ledger import Ledger, SolveRow
from random_cases import base_of, random_hands
from wounds import members

FILES = Path(__file__).parent / "files"
SPOT = """board = "Qs Jh 2h 4c 7d"
pot = 200
stacks = [900, 900]
rake = 0.05
rake_cap = 3.0
[oop]
range = "AA-TT, AKs:0.5, KQo"
[ip]
range = "QQ-88, AQ, JTs"
[bets]
bet = "50%, all-in"
raise = "60%, all-in"
[[lock]]
line = "check"
play = { check = 0.5 }
"""
EFG = """EFG 2 R "pennies" { "one" "two" }
c "" 1 "coin" { "heads" 1/2 "tails" 0.5 } 0
p "" 1 1 "one's" { "H" "T" } 0
p "" 2 1 "two's" { "h" "t" } 0
t "" 1 "" { 1, -1 }
t "" 2 "" { -1, 1 }
p "" 2 1 0
t "" 2
t "" 1
t "" 3 "draw" { 0, 0 }
"""


@dataclass(frozen=True)
class Loader:
    """`load` reads the file of a name; `share` is how many of a thousand files it gets."""

    suffix: str
    share: int
    good: tuple[bytes, ...]
    load: Callable[[Path], Any]
    ask: Callable[[Path], list[str]] | None = None  # the command that reads it


def loaders(folder: Path) -> dict[str, Loader]:
    """Every loader with its samples; `folder` is for what they need beside the file."""
    old = {suffix: tuple(path.read_bytes() for path in sorted(FILES.glob(f"*.{suffix}"))) for suffix in _OLD}
    kuhn, leduc = rules_of("kuhn"), rules_of("leduc")
    logged = _logged(leduc, 12)
    spot = folder / "sample.toml"
    spot.write_text(SPOT)
    engine = partial(ENGINES["cpu"], Shape(read_spot(spot)))
    strategies = [*old["strategy"], *(_solved(folder, method) for method in ("cfr+", "double-oracle", "omd"))]
    store = folder / "store.duckdb"
    kinds = {
        "strategy": Loader(".strategy", 160, tuple(strategies), pokerlab.load, lambda path: ["evaluate", str(path)]),
        "resume": Loader(".strategy", 60, tuple(strategies[-3:]), _resumed, _resume_command),
        "checkpoint": Loader(".checkpoint", 80, old["checkpoint"], lambda path: load_checkpoint(_sampler(), path)),
        "spot checkpoint": Loader(
            ".checkpoint", 40, (_checkpoint(engine(), folder),), lambda path: load_checkpoint(engine(), path)
        ),
        "blueprint": Loader(".blueprint", 15, old["blueprint"], _asked),
        "buckets": Loader(".buckets", 8, old["buckets"][:1], _bucketed),
        "cases": Loader(".cases", 80, _case_bases(folder), _imitated, lambda path: ["cases", "show", str(path)]),
        "trends": Loader(".trends", 40, (_trends(folder),), _adapted),
        "network": Loader(".network", 30, (_network(folder),), _by_network),
        "solution": Loader(".solution", 80, old["solution"], _looked_at, lambda path: ["spot", str(path)]),
        "spot": Loader(
            ".toml", 100, (SPOT.encode(),), lambda path: read_spot(path).tree(),
            lambda path: [
                "spot", str(path), "--iterations", "1", "--max-memory", "0.1", "--out", f"{folder}/out.solution",
            ],
        ),
        "preflop": Loader(".toml", 40, (PREFLOP.encode(),), lambda path: read_preflop(path).text()),
        "preflop solution": Loader(
            ".preflop", 40, old["preflop"], lambda path: load_preflop_solution(path).lines(),
            lambda path: ["preflop", str(path)],
        ),
        "chunk": Loader(".npz", 100, _chunks(), partial(_tournament, folder / "tournament", "chunk")),
        "manifest": Loader(".json", 80, _manifest(), partial(_tournament, folder / "tournament", "manifest")),
        "game": Loader(
            ".game", 80, tuple(CATALOG[name][1].encode() for name in CATALOG), lambda path: rules_of(str(path)),
            lambda path: ["match", "call", "raise", "--game", str(path), "--hands", "2"],
        ),
        "log": Loader(
            ".log", 80, (_log(folder, leduc, logged), _log(folder, kuhn, _logged(kuhn, 5))),
            lambda path: list(read_log(path)), lambda path: ["hands", "ingest", str(path), "--store", f"{store}.new"],
        ),
        "log, bad lines left out": Loader(
            ".log", 20, (_log(folder, leduc, logged),), lambda path: list(read_log(path, skip_bad=True))
        ),
        "phh": Loader(".phhs", 60, (_phh(folder),), lambda path: list(read_phh(path))),
        "efg": Loader(
            ".efg", 70, (EFG.encode(),), read_efg, lambda path: ["solve", str(path), "--iterations", "3"]
        ),
        "endgame": Loader(".txt", 30, (_endgame(),), read_libratus),
        "ledger": Loader(".sqlite", 20, (_ledger(folder),), _housed),
        "kept table": Loader(".npz", 12, _kept_tables(folder), partial(_kept, folder)),
        "piece": Loader(".piece", 20, (_piece(folder / "a paper's").read_bytes(),), partial(_pieced, folder)),
    }  # fmt: skip
    every = tuple(data for loader in kinds.values() for data in loader.good if len(data) < 30_000)
    kinds["whatever"] = Loader(".any", 40, every, pokerlab.load)
    with contextlib.suppress(ImportError):
        kinds["store"] = Loader(".duckdb", 5, (_store(store, folder, logged),), _stats, _stats_command)
    return kinds


_OLD = ("strategy", "checkpoint", "blueprint", "buckets", "solution", "preflop")


def _solved(folder: Path, method: str) -> bytes:
    pokerlab.solve("kuhn", method, iterations=5).save(folder / "solved")
    return (folder / "solved").read_bytes()


def _resumed(path: Path) -> None:
    pokerlab.solve("kuhn", _method(path), iterations=8, resume=path)


def _method(path: Path) -> str:
    """The method that a file names, if any can be made out; what is wrong with the file is the loader's to say."""
    try:
        told = json.loads(np.load(io.BytesIO(members(path.read_bytes())["header"])).tobytes())["method"]
    except Exception:
        told = None
    return told if told in ("double-oracle", "omd") else "cfr+"


def _resume_command(path: Path) -> list[str]:
    return ["solve", "kuhn", "--method", _method(path), "--iterations", "7", "--out", str(path), "--resume"]


def _sampler() -> Sampler:
    rules = rules_of("leduc")
    source = ListedDeals(deals_of(rules))
    return Sampler(BettingGraph(rules, source.buckets), source, plan_of("external", seed=3))


def _checkpoint(engine: Any, folder: Path) -> bytes:
    save_checkpoint(engine, folder / "some.checkpoint", Record())
    return (folder / "some.checkpoint").read_bytes()


def _asked(path: Path) -> None:
    blueprint = load_blueprint(path)
    hand = new_hand(blueprint.rules)
    cards = iter(range(0, len(blueprint.rules.deck)))
    while hand.pending:
        hand = hand.deal([next(cards) for _ in range(hand.pending)])
    answer = BlueprintAgent(blueprint).act(hand.view(hand.actor))
    assert abs(sum(answer.values()) - 1) < 1e-9, answer


def _bucketed(path: Path) -> None:
    cards = load_buckets(path)
    for board in ((), (0, 5, 10), (0, 5, 10, 15), (0, 5, 10, 15, 20)):
        buckets = cards.board_buckets(board)
        assert buckets.max() < cards.counts[max(0, len(board) - 2)], buckets.max()


def _case_bases(folder: Path) -> tuple[bytes, ...]:
    """Bases of Leduc, single and merged, and of no-limit hold'em, whose cells are made up."""
    hands, files = random_hands(rules_of("leduc"), 30), []
    bases = [base_of(rules_of("leduc"), hands, solutions=solutions) for solutions in ("vector", "single")]
    rounds = [
        round_of(names, np.arange(3), np.array([0, 1, 6]), np.array([-40, 0, 70]), 10)
        for names in (("", "p", "hp"), ("cc-", "cc-c", "pc-q"), ("cc-cc-", "cc-cc-c", "pc-qc-"), ("cc-cc-cc-",) * 3)
    ]
    bases.append(CaseBase(rules_of("holdem-nolimit"), tuple(rounds), experts=("Ann",), sources=({"digest": "0" * 64},)))
    for base in bases:
        base.save(folder / "sample.cases")
        files.append((folder / "sample.cases").read_bytes())
    return tuple(files)


def _imitated(path: Path) -> None:
    agent = CasesAgent(load_cases(path))
    hand = new_hand(agent.rules)
    hand = hand.deal(range(hand.pending))
    answer = agent.act(hand.view(hand.actor))
    assert abs(sum(answer.values()) - 1) < 1e-9, answer


def _trends(folder: Path) -> bytes:
    learn_trends("probe", ["call", "raise"], "kuhn", 2, folder / "sample.trends", progress=False)
    return (folder / "sample.trends").read_bytes()


def _network(folder: Path) -> bytes:
    rules = rules_of("holdem-limit")
    Network(rules, 2, np.ones((2, size_of(2))), "ones").save(folder / "sample.network")
    return (folder / "sample.network").read_bytes()


def _by_network(path: Path) -> None:
    agent = NetworkPlayer(path)
    hand = new_hand(agent.network.rules)
    hand = hand.deal(range(hand.pending))
    assert abs(sum(agent.act(hand.view(hand.actor)).values()) - 1) < 1e-9


def _adapted(path: Path) -> None:
    agent = Adapting(Call(), path, window=1)
    hand = new_hand(agent.rules)
    hand = hand.deal(range(hand.pending))
    agent.observe(hand.view(0))
    assert abs(sum(agent.act(hand.view(hand.actor)).values()) - 1) < 1e-9


def _looked_at(path: Path) -> None:
    solution = load_spot_solution(path)
    assert np.isfinite(solution.exploitability)
    solution.root.table()
    last = next(node for node in reversed([*solution.tree]) if node.kind == "decision")  # on a river
    left = iter([card for card in ("2c", "4h", "6c", "8c") if Deck().cards(card)[0] not in solution.spot.board])
    solution.node([next(left) if word == "deal" else word for word in solution.tree.line(last.index)]).table()


def _chunks() -> tuple[bytes, ...]:
    return tuple(path.read_bytes() for path in sorted((FILES / "tournament" / "chunks").iterdir()))


def _manifest() -> tuple[bytes, ...]:
    return ((FILES / "tournament" / "manifest.json").read_bytes(),)


def _tournament(folder: Path, what: str, path: Path) -> None:
    """A folder with this chunk, which is then played again; or with this manifest."""
    folder = folder.with_name(f"{folder.name}{os.getpid()}")
    if not folder.exists():
        shutil.copytree(FILES / "tournament", folder)
    if what == "manifest":
        shutil.copy(path, folder / "manifest.json")
        load_tournament(folder)
        return
    shutil.copy(FILES / "tournament" / "manifest.json", folder / "manifest.json")
    chunk = sorted((FILES / "tournament" / "chunks").iterdir())[0].name
    shutil.copy(path, folder / "chunks" / chunk)
    then = json.loads((FILES / "figures.json").read_text())["tournament"]
    plan = plan_tournament(then["specs"], then["game"], then["hands"], seed=then["seed"], chunk=100)
    standings = run_tournament(plan, folder, executor=map)
    assert np.isfinite(standings.crosstable[0, 1].mean)


def _logged(rules: Any, hands: int) -> list[LoggedHand]:
    records: list[LoggedHand] = []

    def watch(number: int, seating: int, hand: Any, seats: Any) -> None:
        names = tuple(("Alice", "Bob")[agent] for agent in seats)
        records.append(LoggedHand(number, hand._replace(names=names), hand.payoffs()))

    from pokerlab.agents.simple import Random

    play_match(rules, [Random(), Random()], hands, seed=1, watch=watch)
    return records


def _log(folder: Path, rules: Any, records: list[LoggedHand]) -> bytes:
    write_log(folder / "match.log", rules, records)
    return (folder / "match.log").read_bytes()


def _phh(folder: Path) -> bytes:
    write_phh(folder / "hands.phhs", _logged(rules_of("holdem-nolimit"), 6))
    return (folder / "hands.phhs").read_bytes()


def _ledger(folder: Path) -> bytes:
    """Tables of two games with hands that are over and under way, and a solve."""
    path = folder / "sample.sqlite"
    with contextlib.closing(Ledger(path)) as ledger:
        house = House(ledger)
        for game in ("leduc", "holdem-nolimit"):
            state = house.open_table(game, ["call"], "Ann")
            for number in range(3):
                while not state["over"]:
                    state = house.act(state["table"], state["hand"], state["at"], "c")
                state = house.deal(state["table"], number)
        ledger.save_solve(SolveRow(1, "river", SPOT, {"seconds": 1.0}, "stopped", {"iterations": 3}, "", 1.0))
        ledger._database.execute("PRAGMA journal_mode = DELETE")  # all of it in one file
    return path.read_bytes()


def _housed(path: Path) -> None:
    with contextlib.closing(Ledger(path)) as ledger:
        house = House(ledger)
        ledger.solves(100)
        for told in house.tables():
            for number in (row["hand"] for row in house.hands(told["table"])):
                house.hand(told["table"], number)
            house.log(told["table"])
            house.state(told["table"])


def _endgame() -> bytes:
    reach = " ".join(f"{i % 7 / 7:.3f}" for i in range(2652))
    return f"-round 4\n-board 2c5d9hKsAc\n-pot 400\n-reach {reach}\n".encode()


def _kept_tables(folder: Path) -> tuple[bytes, ...]:
    wins = np.zeros((1326, 1326), np.int32)
    pokerlab.files.write_arrays(
        folder / "kept", {"format": matchups.FORMAT, "version": matchups.VERSION}, {"wins": wins}, error=PokerlabError,
        compressed=True,
    )  # fmt: skip
    return ((folder / "kept").read_bytes(),)


def _kept(folder: Path, path: Path) -> None:
    """A table of the cache: a damaged one is made again, here by something quicker."""
    os.environ["POKERLAB_CACHE"] = str(folder / f"cache{os.getpid()}")
    Path(os.environ["POKERLAB_CACHE"]).mkdir(exist_ok=True)
    shutil.copy(path, Path(os.environ["POKERLAB_CACHE"]) / "matchups-1.npz")
    matchups.counted_wins = lambda: np.zeros((1326, 1326), np.int32)
    assert matchups._kept_wins().shape == (1326, 1326)


def _piece(folder: Path) -> Path:
    """That of a paper's run."""
    Pieces(folder).of("it", lambda: (np.arange(5), {"a": np.ones((2, 2), np.float32), "b": (1.5, "text", None)}))
    (file,) = folder.glob("it-*")
    return file


def _pieced(folder: Path, path: Path) -> None:
    """A damaged one is made again."""
    there = folder / f"pieces{os.getpid()}"
    shutil.copy(path, _piece(there))
    Pieces(there).of("it", lambda: None)


def _store(path: Path, folder: Path, records: list[LoggedHand]) -> bytes:
    from pokerlab.records.store import HandStore

    write_log(folder / "stored.log", "leduc", records)
    with HandStore(path) as store:
        store.ingest(folder / "stored.log")
    return path.read_bytes()


def _stats(path: Path) -> None:
    from pokerlab.records.store import HandStore

    with HandStore(path, read_only=True) as store:
        store.stats()


def _stats_command(path: Path) -> list[str]:
    return ["hands", "stats", "--store", str(path)]

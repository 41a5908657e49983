"""Tables of the web without a server: hands, what is kept of them, and agents."""

import random
import sqlite3
from contextlib import closing

import numpy as np
import pytest

import pokerlab
from pokerlab.agents.agent import Agent
from pokerlab.errors import AgentError, HandMovedOn, IllegalAction, LedgerError, NoSuchTable, PokerlabError
from pokerlab.game.catalog import rules_of
from pokerlab.match.result import interval
from pokerlab.records.logs import read_log
from pokerlab.records.phh import read_phh
from pokerlab.web.games import GAMES, games_told
from pokerlab.web.hands import hand_of, names_of, view_of
from pokerlab.web.house import House
from pokerlab.web.ledger import Ledger
from pokerlab.web.walk import look_at_agent
from web_client import options


@pytest.fixture
def house(tmp_path):
    ledger = Ledger(tmp_path / "web.sqlite")
    yield House(ledger)
    ledger.close()


def played(house, state, hands, rng):
    """Random play until so many hands are over."""
    while True:
        while not state["over"]:
            state = house.act(state["table"], state["hand"], state["at"], rng.choice(options(state)))
        hands -= 1
        if not hands:
            return state
        state = house.deal(state["table"], state["hand"])


def opponents(game, spec="random"):
    return [spec] * (rules_of(game).players - 1)


def test_names_in_a_log_hold_nothing_that_readers_split_at(house, tmp_path):
    state = house.open_table("holdem-limit-3p", ["dynamic:call|raise", "dynamic:call|raise"], "Ann : Lee")
    state = played(house, state, 3, random.Random(1))
    assert sorted(state["view"]["names"]) == ["Ann : Lee", "dynamic:call/raise", "dynamic:call/raise (3)"]
    lines = house.log(state["table"]).splitlines()
    hands = [line.split(":") for line in lines if line.startswith("STATE")]
    assert [len(parts) for parts in hands] == [6, 6, 6]
    names = {"Ann___Lee", "dynamic_call/raise", "dynamic_call/raise_(3)"}
    assert all({*parts[5].split("|")} == names for parts in hands)
    assert {*lines[-1].split(":")[2].split("|")} == names
    (tmp_path / "x.log").write_text("\n".join(lines))
    assert len(list(read_log(tmp_path / "x.log"))) == 3
    assert '"dynamic:call/raise"' in house.phhs(state["table"])


@pytest.mark.parametrize("game", GAMES)
def test_hands_ledger_bankroll_and_log_agree(house, game, tmp_path):
    rng = random.Random(1)
    state = played(house, house.open_table(game, opponents(game), "Ann"), 40, rng)
    rows = house.ledger.finished(state["table"])
    assert [row.number for row in rows] == list(range(40))
    won = [row.chips for row in rows]
    assert state["bankroll"]["hands"] == 40
    assert state["bankroll"]["chips"] == pytest.approx(sum(won))
    size = rules_of(game).small_bet / 1000
    assert state["bankroll"]["mean"] == pytest.approx(np.mean(won) / size)
    assert state["bankroll"]["ci95"] == pytest.approx(interval(np.array(won)[:, None])[0] / size)
    curve = house.curve(state["table"])
    assert curve["money"][-1][:2] == [40, pytest.approx(sum(won))]
    assert curve["money"][-1][2] == pytest.approx(40 * size * state["bankroll"]["ci95"])
    (tmp_path / "x.log").write_text(house.log(state["table"]))
    records = list(read_log(tmp_path / "x.log", rules_of(game)))
    assert [record.payoffs[record.names.index("Ann")] for record in records] == pytest.approx(won)
    assert f"SCORE:{sum(won):g}|" in house.log(state["table"])
    for record, row in zip(records, rows, strict=True):
        table = house.table(state["table"])
        assert record.hand.holes == view_of(table, row).holes
        assert record.hand.actions == row.actions
    if game.startswith("holdem"):
        (tmp_path / "x.phhs").write_text(house.phhs(state["table"]))
        kept = list(read_phh(tmp_path / "x.phhs"))
        assert [record.payoffs[record.names.index("Ann")] for record in kept] == pytest.approx(won)
    else:
        with pytest.raises(PokerlabError, match="PHH has no variant"):
            house.phhs(state["table"])


def test_the_person_sits_in_every_seat_and_pays_every_blind(house):
    state = house.open_table("holdem-limit-3p", ["call", "call"])
    seats = []
    for _ in range(6):
        seats.append(state["view"]["seat"])
        assert state["view"]["names"][seats[-1]] == "you"
        assert sorted(state["view"]["names"]) == ["call", "call (3)", "you"]
        while not state["over"]:
            state = house.act(state["table"], state["hand"], state["at"], "c")
        state = house.deal(state["table"], state["hand"])
    assert seats == [0, 2, 1, 0, 2, 1]


def copied(ledger, path):
    """Another file with what a ledger holds now."""
    with closing(sqlite3.connect(ledger.path)) as source, closing(sqlite3.connect(path)) as target:
        source.backup(target)
    return Ledger(path)


@pytest.mark.parametrize("game", GAMES)
def test_a_server_that_is_started_anew_goes_on_as_if_it_never_stopped(house, game, tmp_path):
    """In the middle of a hand: cards to come and agents' choices are the same from the ledger's copy."""
    rng = random.Random(2)
    state = house.open_table(game, opponents(game))
    for number in range(6):
        while not state["over"]:
            action = rng.choice(options(state))
            with closing(copied(house.ledger, tmp_path / f"{number}-{state['at']}.sqlite")) as other:
                before, state = state, house.act(state["table"], state["hand"], state["at"], action)
                assert House(other).state(before["table"]) == before
                assert House(other).act(before["table"], before["hand"], before["at"], action) == state
        state = house.deal(state["table"], state["hand"])


def test_cards_are_dealt_alike(house):
    """Every card of Kuhn comes to the person as often, and the hole cards of a hand never tell those of the next."""
    state = house.open_table("kuhn", ["call"])
    counts = dict.fromkeys(("Js", "Qs", "Ks"), 0)
    pairs = set()
    before = None
    for _ in range(600):
        mine = state["view"]["holes"][state["view"]["seat"]]
        counts[mine] += 1
        pairs.add((before, mine))
        before = mine
        while not state["over"]:
            state = house.act(state["table"], state["hand"], state["at"], "c")
        state = house.deal(state["table"], state["hand"])
    assert all(abs(count - 200) < 5 * (600 * 2 / 9) ** 0.5 for count in counts.values())
    assert len(pairs) >= 9


def test_what_came_too_late_or_twice_changes_nothing(house):
    state = house.open_table("leduc", ["call"])
    table, hand, at = state["table"], state["hand"], state["at"]
    house.act(table, hand, at, "c")
    now = house.state(table)
    for replay in ((hand, at), (hand + 1, 0), (hand, at + 20)):
        with pytest.raises(HandMovedOn):
            house.act(table, *replay, "c")
    with pytest.raises(HandMovedOn, match="not over"):
        house.deal(table, hand)
    assert house.state(table) == now
    while not now["over"]:
        now = house.act(table, now["hand"], now["at"], "c")
    with pytest.raises(HandMovedOn, match="over: deal"):
        house.act(table, now["hand"], now["at"], "c")
    house.deal(table, now["hand"])
    with pytest.raises(HandMovedOn):
        house.deal(table, now["hand"])


def test_two_servers_on_one_file_cannot_both_act(house):
    state = house.open_table("leduc", ["call"])
    second = House(Ledger(house.ledger.path))
    row = house.ledger.last_hand(state["table"])
    second.act(state["table"], 0, state["at"], "c")
    with pytest.raises(HandMovedOn):
        house.ledger.save_hand(state["table"], row, row._replace(actions=(0,)))
    second.ledger.close()


def test_what_the_rules_forbid_is_refused_and_kept_out(house):
    state = house.open_table("holdem-nolimit", ["call"])
    for action in ("r1", "r20001", "r", "x", "", "c ", "r-5", "r0100", "r٣٠٠"):
        with pytest.raises(IllegalAction):
            house.act(state["table"], state["hand"], state["at"], action)
    assert house.state(state["table"]) == state
    with pytest.raises(NoSuchTable):
        house.state("nowhere")
    with pytest.raises(NoSuchTable):
        house.hand(state["table"], 0)


@pytest.mark.parametrize(
    ("game", "agents", "player", "match"),
    [
        ("chess", ["call"], "you", "no game 'chess'"),
        ("leduc", ["call", "call"], "you", "1 agents, not 2"),
        ("holdem-limit-3p", ["call"], "you", "2 agents, not 1"),
        ("leduc", ["nobody"], "you", "no agent 'nobody'"),
        ("leduc", [" "], "you", "an agent has a name"),
        ("leduc", ["c" * 400], "you", "an agent has a name"),
        ("leduc", ["human"], "you", "asks at a terminal"),
        ("leduc", ["ensemble:call|human"], "you", "asks at a terminal"),
        ("leduc", ["os:system?command=true"], "you", "would run code"),
        ("leduc", ["ensemble:call|(own_agent:Moody)"], "you", "would run code"),
        ("leduc", ["call"], "Ann|Bob", "a name has up to"),
        ("leduc", ["call"], "A" * 41, "a name has up to"),
        ("leduc", ["call"], "\x1b[31m", "a name has up to"),
    ],
)
def test_tables_that_cannot_be_opened(house, game, agents, player, match):
    with pytest.raises(PokerlabError, match=match):
        house.open_table(game, agents, player)
    assert house.tables() == []


class Counting(Agent):
    """Raises once it has seen three hands."""

    stateless = False

    def __init__(self):
        self.seen = []

    def act(self, view):
        return {view.legal.raises[0]: 1.0} if len(self.seen) >= 3 and view.legal.raises else {0: 1.0}

    def observe(self, view):
        self.seen.append((view.seat, view.holes))

    def reset(self):
        self.seen = []


def test_own_code_runs_where_it_is_trusted_and_memories_come_back(tmp_path):
    spec = f"{Counting.__module__}:Counting"
    with pytest.raises(AgentError, match="would run code"):
        House(Ledger(tmp_path / "a.sqlite")).open_table("kuhn", [spec])
    ledger = Ledger(tmp_path / "b.sqlite")
    house = House(ledger, [spec])
    first, second = (played(house, house.open_table("kuhn", [spec]), 3, random.Random(seed)) for seed in (1, 2))
    (mine,), (other,) = (house.players.seated(house.table(state["table"]), ledger) for state in (first, second))
    assert mine is not other
    assert len(mine.seen) == len(other.seen) == 3
    again = House(ledger, [spec])
    (restored,) = again.players.seated(again.table(first["table"]), ledger)
    assert restored is not mine
    assert restored.seen == mine.seen
    assert games_told([spec])[0]["agents"][0] == spec


def test_an_agent_sees_no_more_than_its_seat(house, monkeypatch):
    """Neither while it plays nor when it is told of a hand."""
    views = []

    class Watching(Agent):
        stateless = False

        def act(self, view):
            views.append(view)
            return {0: 1.0}

        def observe(self, view):
            views.append(view)

    monkeypatch.setattr("pokerlab.web.players.agent_of", lambda spec, rules: Watching())
    state = played(house, house.open_table("holdem-limit", ["x"]), 20, random.Random(3))
    table = house.table(state["table"])
    assert views
    for view in views:
        shown = view.betting.survivors if view.betting.showdown else ()
        assert all(bool(hole) == (seat == view.seat or seat in shown) for seat, hole in enumerate(view.holes))
        assert view.names[view.seat] == names_of(table)[1]


def test_other_files_are_refused_and_left_alone(tmp_path):
    path = tmp_path / "other.sqlite"
    database = sqlite3.connect(path)
    database.execute("CREATE TABLE x (y)")
    database.commit()
    database.close()
    before = path.read_bytes()
    with pytest.raises(LedgerError, match="not a file of `pokerlab web`"):
        Ledger(path)
    (tmp_path / "noise").write_bytes(b"noise" * 1000)
    with pytest.raises(LedgerError, match="not a database"):
        Ledger(tmp_path / "noise")
    with pytest.raises(LedgerError):
        Ledger(tmp_path / "missing" / "x.sqlite")
    with pytest.raises(LedgerError):
        Ledger(tmp_path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("cards", ["", "[1, 2", '"x"', "[1.5, 2]", "[true]"])
def test_damaged_hands_are_said_to_be_so(house, cards):
    state = house.open_table("kuhn", ["call"])
    with closing(sqlite3.connect(house.ledger.path)) as database:
        database.execute("UPDATE hands SET cards = ?", [cards])
        database.commit()
    with pytest.raises(LedgerError, match="is damaged"):
        house.state(state["table"])


@pytest.mark.parametrize(
    "change",
    [
        "tables SET agents = '7'",
        "tables SET agents = '[]'",
        "tables SET agents = '[' || char(34) || 'call' || char(34)",
        "tables SET rules = 'GAMEDEF'",
        "tables SET seed = x'00ff'",
        "tables SET opened = 9e999",
        "hands SET cards = '[0, 0, 1]'",
        "hands SET cards = '[0, 1, 99]'",
        "hands SET cards = '[0]'",
        "hands SET actions = '[77]'",
        "hands SET over = 1, chips = 1.0, actions = '[]'",
        "hands SET over = 1 - over",
        "hands SET over = 1, chips = 'many'",
        "hands SET table_id = 'nobody'",
    ],
)
def test_damaged_ledgers_are_said_to_be_so(house, change):
    state = house.open_table("kuhn", ["call"])
    with closing(sqlite3.connect(house.ledger.path)) as database:
        database.execute(f"UPDATE {change}")
        database.commit()
    with pytest.raises(LedgerError, match="is damaged"):
        house.state(state["table"])


def test_a_newer_file_is_not_touched(tmp_path):
    Ledger(tmp_path / "x.sqlite").close()
    database = sqlite3.connect(tmp_path / "x.sqlite")
    database.execute("PRAGMA user_version = 9")
    database.close()
    with pytest.raises(LedgerError, match="of version 9"):
        Ledger(tmp_path / "x.sqlite")


def test_hands_are_listed_newest_first_in_pages(house):
    state = played(house, house.open_table("kuhn", ["call"]), 12, random.Random(4))
    newest = house.hands(state["table"], most=5)
    older = house.hands(state["table"], below=newest[-1]["hand"], most=5)
    assert [row["hand"] for row in (*newest, *older)] == list(range(11, 1, -1))
    table, row = house.finished(state["table"], 7)
    told = house.hand(state["table"], 7)
    assert told["view"] == view_of(table, row).as_json()
    assert told["payoffs"] == list(hand_of(table, row).payoffs())
    assert [step["action"] for step in told["story"]] == list(told["view"]["betting"])


def test_an_agent_that_was_trained_further_plays_at_new_tables(house, tmp_path, monkeypatch):
    """And who looks at it sees it; a table keeps the one that it began with, until the server is started again."""
    monkeypatch.chdir(tmp_path)

    def first_odds():
        told = look_at_agent(house.players, "kuhn", "mine.strategy", [])
        return told["combos"]["odds"]

    def seated(table, of=house):
        return of.players.seated(of.ledger.table(table), of.ledger)

    pokerlab.solve("kuhn", "cfr+", iterations=1, progress=False).save("mine.strategy")
    old = house.open_table("kuhn", ["mine.strategy"])["table"]
    before, agents = first_odds(), seated(old)
    assert seated(house.open_table("kuhn", ["mine.strategy"])["table"]) == agents
    pokerlab.solve("kuhn", "cfr+", iterations=2000, progress=False).save("mine.strategy")
    new = house.open_table("kuhn", ["mine.strategy"])["table"]
    after = first_odds()
    assert max(abs(a - b) for one, two in zip(before, after, strict=True) for a, b in zip(one, two, strict=True)) > 0.1
    assert seated(old) == agents
    assert seated(new) != agents
    assert seated(house.open_table("kuhn", ["mine.strategy"])["table"]) == seated(new)
    later = House(house.ledger)
    assert seated(old, later) == seated(new, later)

"""Figures of people's hands against pokerkit's replay of them, and the commands that ask a store."""

import json
import re
import sys
import tomllib
import warnings
from collections import Counter, defaultdict

import pytest
from click.testing import CliRunner

from pokerlab.cli.hands import hands as command
from pokerlab.errors import PokerlabError, StoreError
from pokerlab.match.stored_luck import all_in_payoffs
from pokerlab.match.variance import all_in_equity
from pokerlab.records.hand_stats import Choice
from pokerlab.records.store import HandStore
from shared_data import shared_data

pytest.importorskip("duckdb")


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    path = tmp_path_factory.mktemp("hands") / "s.duckdb"
    with HandStore(path) as made:
        for name in ("ftp_600nl", "ipn_400nl"):
            made.ingest(shared_data("handhq", f"{name}.phhs"), skip_bad=True)
        for file in sorted(shared_data("pluribus", "100").glob("*.phh"))[:30]:
            made.ingest(file)
    return path


def run(*arguments):
    result = CliRunner().invoke(command, [str(argument) for argument in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.stdout


def replayed_by_pokerkit():
    """Player -> counts of hands, VPIP and PFR, and winnings where the cards tell them, by pokerkit's replay."""
    pokerkit = pytest.importorskip("pokerkit")
    tallies = defaultdict(Counter)
    texts = [path.read_text() for path in sorted(shared_data("pluribus", "100").glob("*.phh"))[:30]]
    for name in ("ftp_600nl", "ipn_400nl"):
        texts += re.split(r"^\[\d+\]\n", shared_data("handhq", f"{name}.phhs").read_text(), flags=re.M)[1:]
    for text in texts:
        table = tomllib.loads(text)
        dealt = dict(re.findall(r"d dh (p\d) (\S+)", " ".join(table["actions"])))
        shows = re.findall(r"(p\d) sm (\S+)'", text)
        hidden = [player for player, cards in shows if cards == "????"]
        if hidden and all(dealt[player] != "????" for player, _ in shows):
            # The cards are told in the deal, and not where they are shown: pokerkit looks there only.
            for player in hidden:
                text = text.replace(f"{player} sm ????", f"{player} sm {dealt[player]}")
            hidden = []
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            state = list(pokerkit.HandHistory.loads(text))[-1]
        if state.status:
            continue  # it breaks off
        flopped, willing, raised = False, set(), set()
        for operation in state.operations:
            flopped |= isinstance(operation, pokerkit.BoardDealing)
            if not flopped and isinstance(operation, pokerkit.CheckingOrCalling) and operation.amount:
                willing.add(operation.player_index)
            if not flopped and isinstance(operation, pokerkit.CompletionBettingOrRaisingTo):
                willing.add(operation.player_index)
                raised.add(operation.player_index)
        unknown = {int(player[1:]) - 1 for player in hidden} if len(hidden) == len(shows) else set()
        for seat, player in enumerate(table["players"]):
            counted = {"vpip": willing, "pfr": raised, "unknown": unknown}
            tallies[player].update(hands=1, **{name: int(seat in seats) for name, seats in counted.items()})
            tallies[player]["won"] += 0 if seat in unknown else float(state.payoffs[seat])
    return tallies


def test_figures_are_those_of_pokerkits_replay(store):
    theirs = replayed_by_pokerkit()
    with HandStore(store, read_only=True) as opened:
        rows = opened.stats(choice=Choice(by=()))
    ours = {row.agent: row for row in rows}
    assert set(ours) == set(theirs)
    assert len(rows) > 50
    for player, told in theirs.items():
        row = ours[player]
        assert (row.hands, row.unknown) == (told["hands"], told["unknown"])
        assert (row.vpip * row.hands, row.pfr * row.hands) == pytest.approx((told["vpip"], told["pfr"]))
        assert row.winnings or pytest.approx(told["won"]) == 0.0
    assert sum(row.unknown for row in rows) == 30


def test_figures_by_stakes_position_and_street(store):
    everything = json.loads(run("stats", "--store", store, "--by", "stakes", "--json"))["agents"]
    assert {row["stakes"] for row in everything} == {"$6", "$3/$6", "$2/$4", "50/100"}
    (pluribus,) = json.loads(run("stats", "--store", store, "--player", "pLURIBUS", "--json"))["agents"]
    assert (pluribus["agent"], pluribus["hands"]) == ("Pluribus", 30)
    places = json.loads(run("stats", "--store", store, "--player", "Pluribus", "--by", "position", "--json"))["agents"]
    assert {row["position"] for row in places} == {"SB", "BB", "UTG", "HJ", "CO", "BTN"}
    assert sum(row["hands"] for row in places) == 30
    assert sum(row["winnings"] for row in places) == pytest.approx(pluribus["winnings"])
    (button,) = json.loads(run("stats", "--store", store, "--player", "Pluribus", "--position", "btn", "--json"))[
        "agents"
    ]
    assert button["hands"] == next(row["hands"] for row in places if row["position"] == "BTN")
    few = json.loads(run("stats", "--store", store, "--least", "20", "--stakes", "$2/$4", "--json"))["agents"]
    assert few
    assert all(row["hands"] >= 20 and row["currency"] == "$" for row in few)
    lines = run("stats", "--store", store, "--stakes", "$2/$4", "--street").splitlines()
    assert "$" in lines[1]
    assert any("by round" in line for line in lines)
    table = run("stats", "--store", store, "--player", "Pluribus", "--csv").splitlines()
    assert table[0].startswith("agent,game,hands,unit,mean")
    assert table[1].startswith("Pluribus,NT-6p-50/100,30,mbb/h,")


def test_luck_is_taken_out_of_hands_that_were_all_in_early(store):
    with HandStore(store, read_only=True) as opened:
        early = list(opened.all_ins())
        instead = list(all_in_payoffs(opened))
        assert early
        expected = [(number, seat, chips) for number, record in early if not record.adjusted
                    for seat, chips in enumerate(all_in_equity(record.hand))]  # fmt: skip
        assert instead == expected
        plain, adjusted = (opened.stats(choice=Choice(by=()), instead=given) for given in (None, instead))
    changed = {record.names[seat] for number, record in early for seat in record.hand.betting.survivors}
    different = {a.agent for a in plain for b in adjusted if a.agent == b.agent and a.winnings != b.winnings}
    assert different
    assert different <= changed
    total = [sum(row.winnings or 0 for row in rows if row.currency) for rows in (plain, adjusted)]
    assert total[0] == pytest.approx(total[1])
    assert json.loads(run("stats", "--store", store, "--luck-adjusted", "--json"))["luck_adjusted"]


def test_questions_in_sql_change_nothing(store, tmp_path):
    assert run("sql", "SELECT 1 AS one, 'x' AS two", "--store", store, "--csv").splitlines() == ["one,two", "1,x"]
    told = json.loads(run("sql", "SELECT count(*) AS n FROM hands", "--store", store, "--json"))
    assert (told["columns"], told["rows"]) == (["n"], [[224]])
    assert run("sql", "SELECT 7 AS seven", "--store", store).split() == ["seven", "7"]
    (tmp_path / "x.csv").write_text("a\n1\n")
    for query in (
        "DELETE FROM hands", "DROP TABLE hands", f"COPY hands TO '{tmp_path / 'y.csv'}'",
        f"SELECT * FROM read_csv('{tmp_path / 'x.csv'}')", f"ATTACH '{tmp_path / 'z.duckdb'}'",
        "SET enable_external_access = true",
    ):  # fmt: skip
        with pytest.raises(StoreError):
            run("sql", query, "--store", store)
    assert [path.name for path in tmp_path.iterdir()] == ["x.csv"]


def test_a_page_with_the_bankrolls(store, tmp_path):
    run("stats", "--store", store, "--least", "20", "--html", tmp_path / "hands.html")
    page = (tmp_path / "hands.html").read_text()
    assert "<polyline" in page
    assert "Pluribus" in page
    with HandStore(store, read_only=True) as opened:
        (row,) = opened.stats("Pluribus")
    last = re.findall(r'points="([^"]*)"', page)
    assert len(last) == page.count("<polyline") <= 8
    assert row.winnings == pytest.approx(row.mean * 30 / 10)  # mbb/h at 50/100


@pytest.mark.parametrize("words", [["ingest", "x.log"], ["stats"], ["sql", "SELECT 1"]])
def test_without_duckdb_each_command_says_what_to_install(words, tmp_path, monkeypatch):
    (tmp_path / "x.log").write_text("STATE:4:r300f:AcJs|3d2d:-100|100:Ann|Ben\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(PokerlabError, match=r"pip install 'pokerlab\[store\]'"):
        run(*words, "--store", tmp_path / "s.duckdb")

"""The log of a dealer: appended to, one match at a time, whole lines on a full disk, and nothing left of no match."""

import contextlib

import pytest

from acpc_players import PlainPlayer
from dealer_matches import play_against_call, says, states
from pokerlab.agents.simple import Call, Raise
from pokerlab.errors import PokerlabError
from pokerlab.game.catalog import rules_of
from pokerlab.match.client import deal_to_agents
from pokerlab.match.dealer import Dealer, Limits
from pokerlab.records.logs import LogWriter, read_log

LEDUC = rules_of("leduc")


def test_a_log_that_is_appended_to(tmp_path):
    log = tmp_path / "x.log"
    scores = []
    for seed, append in ((1, True), (2, True), (3, False), (4, True)):
        older, options = log.read_text() if log.exists() and append else "", {"append": True} if append else {}
        result = deal_to_agents(LEDUC, [Raise(), Call()], 4, seed, log=log, names=["A", "B"], **options)
        scores.append(result.scores)
        assert log.read_text().startswith(f"{older}# name/game/hands/seed match leduc 4 {seed}\n")
        assert log.read_text().endswith(f"{result.line()}\n")
    reader = read_log(log)
    assert len(list(reader)) == 8
    assert dict(reader.score) == dict(zip(["A", "B"], scores[-1], strict=True))


def test_a_dealer_that_never_ran_leaves_no_files(tmp_path):
    table = Dealer(LEDUC, 1, log=tmp_path / "x.log", transactions=tmp_path / "x.tlog")
    with pytest.raises(PokerlabError, match="another match is being written to it"):
        Dealer(LEDUC, 1, log=tmp_path / "x.log")
    for _ in range(2):
        table.close()
        assert list(tmp_path.iterdir()) == []
    with contextlib.closing(Dealer(LEDUC, 1, log=tmp_path / "x.log")):
        pass


def test_a_dealer_that_nobody_joins_leaves_an_older_log_alone(tmp_path):
    log = tmp_path / "match.log"
    log.write_text("older\n")
    result = Dealer(LEDUC, 5, limits=Limits(start=0.1), log=log).run()
    assert (result.finished, log.read_text()) == (False, "older\n")
    dealer = Dealer(LEDUC, 5, limits=Limits(start=0.1), log=log)
    half = PlainPlayer(dealer.ports[0], LEDUC.rounds, says())
    half.start()
    assert not dealer.run().finished
    half.join(10)
    assert log.read_text() == "older\n"
    Dealer(LEDUC, 5, limits=Limits(start=0.1), log=tmp_path / "new.log").run()
    assert [path.name for path in tmp_path.iterdir()] == ["match.log"]


def test_two_dealers_on_one_log_are_refused(tmp_path):
    log = tmp_path / "match.log"
    dealer = Dealer(LEDUC, 5, log=log)
    with pytest.raises(PokerlabError, match="another match is being written to it"):
        Dealer(LEDUC, 5, log=log)
    dealer.close()
    assert play_against_call(LEDUC, says(), log, hands=3)[0].finished
    assert len(states(log)) == 3


def test_a_full_disk_ends_the_match_with_a_whole_line(tmp_path, monkeypatch):
    """The disk takes half of the third hand's line."""
    monkeypatch.setattr(LogWriter, "add", _filling(LogWriter.add, tmp_path / "x.log"))
    with pytest.raises(PokerlabError, match=r"cannot write .*x\.log"):
        deal_to_agents(LEDUC, [Call(), Call()], 9, 7, log=tmp_path / "x.log")
    text = (tmp_path / "x.log").read_text()
    assert text.endswith("\n")
    assert len(states(tmp_path / "x.log")) == len(list(read_log(tmp_path / "x.log"))) == 2


def _filling(add, path):
    resource = pytest.importorskip("resource")

    def added(log, line, payoffs, seats):
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        if line.startswith("STATE:2:"):
            resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 20, before[1]))
        try:
            add(log, line, payoffs, seats)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)

    return added

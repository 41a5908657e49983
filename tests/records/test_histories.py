"""Poker sites' histories by pokerkit's parsers, against hands worked out by hand."""

import sys
import warnings

import pytest

from pokerlab.errors import LogError
from pokerlab.records.histories import SITES, read_history, site_of
from pokerlab.records.money import Money
from pokerlab.records.store import HandStore

HAND = """PokerStars Hand #{number}:  Hold'em No Limit ($0.25/$0.50 USD) - 2015/01/01 12:00:00 ET
Table 'Alpha' 6-max Seat #1 is the button
Seat 1: Ann ($50 in chips)
Seat 2: Ben ($48.25 in chips)
Seat 3: Cem ($60 in chips)
Ben: posts small blind $0.25
Cem: posts big blind $0.50
*** HOLE CARDS ***
Ann: raises $1 to $1.50
Ben: folds
Cem: calls $1
*** FLOP *** [7h Ad Td]
Cem: checks
Ann: bets $2
Cem: folds
Uncalled bet ($2) returned to Ann
Ann collected $3.10 from pot
*** SUMMARY ***
Total pot $3.25 | Rake $0.15
Board [7h Ad Td]


"""


def read(path, **options):
    site = site_of(path)
    assert site is not None
    return read_history(path, site, **options)


def test_a_history_of_pokerstars(tmp_path):
    pytest.importorskip("pokerkit")
    path, bad = tmp_path / "stars.txt", []
    broken = HAND.format(number=8).replace(" Seat #1 is the button", "")
    path.write_text(HAND.format(number=7) + broken + HAND.format(number=9))
    with pytest.raises(LogError, match=r"stars\.txt, hand 2: pokerkit cannot read this hand of PokerStars"):
        list(read(path))
    reader = read(path, skip_bad=True, on_error=bad.append)
    assert (reader.bad, reader.bytes_read) == (0, 0)
    first, last = reader
    assert (reader.bad, len(bad), reader.bytes_read) == (1, 1, path.stat().st_size)
    assert (first.number, last.number, first.names) == (7, 9, ("Ben", "Cem", "Ann"))
    assert first.hand.betting_text() == "r150fc/cr350f"
    assert first.payoffs == (-25.0, -150.0, 175.0)  # before rake
    assert first.money == Money("$", 100)
    assert first.hand.rules.stacks == (4825, 6000, 5000)
    assert sum(first.payoffs) == 0


def test_a_history_in_the_store(tmp_path):
    pytest.importorskip("pokerkit")
    (tmp_path / "stars.txt").write_text(HAND.format(number=7) + HAND.format(number=9))
    with HandStore(tmp_path / "hands.duckdb") as store:
        assert store.ingest(tmp_path / "stars.txt").hands == 2


def test_how_far_a_history_is_looked_for(tmp_path):
    path = tmp_path / "x.txt"
    for spaces, known in ((0, True), (1993, True), (1994, False)):
        path.write_text(" " * spaces + "Stage #1")
        assert (site_of(path) is not None) == known


@pytest.mark.parametrize(
    ("error", "reason"),
    [(ValueError("no cards\nat all"), "no cards"), (KeyError(), "KeyError"), (AssertionError(""), "AssertionError")],
)
def test_what_pokerkit_says(tmp_path, error, reason):
    pytest.importorskip("pokerkit")
    path = tmp_path / "stars.txt"
    path.write_text(HAND.format(number=7))
    for wrapped in (False, True):
        reader = read(path)

        def parser(text, *, error_status, wrapped=wrapped):
            assert error_status
            if not wrapped:
                raise error
            try:
                raise error
            except Exception:
                raise RuntimeError("wrapped")  # noqa: B904 (as pokerkit does)

        reader._parser = parser
        with pytest.raises(LogError) as caught:
            list(reader)
        assert str(caught.value) == f"{path}, hand 1: pokerkit cannot read this hand of PokerStars: {reason}"


def test_what_parsers_print_and_warn_of_is_not_heard(tmp_path, capsys):
    pytest.importorskip("pokerkit")
    path = tmp_path / "stars.txt"
    path.write_text(HAND.format(number=7))
    reader, parser = read(path), read(path)._parser

    def loud(text, error_status):
        warnings.warn("loud", UserWarning, 1)
        print("loud", file=sys.stderr)
        return parser(text, error_status=error_status)

    reader._parser = loud
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        assert len(list(reader)) == 1
    assert not heard
    assert "loud" not in capsys.readouterr().err


@pytest.mark.parametrize("told", [[], [1, 2]])
def test_one_hand_at_a_time(tmp_path, told):
    pytest.importorskip("pokerkit")
    path = tmp_path / "stars.txt"
    path.write_text(HAND.format(number=7))
    reader = read(path)
    reader._parser = lambda text, error_status: told
    with pytest.raises(LogError, match=r"hand 1: pokerkit finds no hand in .PokerStars Hand #7: .* - 20.$"):
        list(reader)


def test_other_files_are_no_histories(tmp_path):
    (tmp_path / "x.log").write_text("# name/game/hands/seed x leduc 1 0\n")
    assert site_of(tmp_path / "x.log") is None
    assert len({site.name for site in SITES}) == len(SITES)


def test_without_pokerkit_it_says_what_to_install(tmp_path, monkeypatch):
    (tmp_path / "stars.txt").write_text(HAND.format(number=7))
    monkeypatch.setitem(sys.modules, "pokerkit", None)
    monkeypatch.setitem(sys.modules, "pokerkit.notation", None)
    with pytest.raises(LogError, match=r"read by pokerkit: pip install 'pokerlab\[histories\]'"):
        read(tmp_path / "stars.txt")

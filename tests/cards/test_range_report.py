"""A range on a board: shares and equities of its parts, against counting hand by hand."""

import pytest

from pokerlab.cards.deck import Deck
from pokerlab.cards.equity import hand_equity, range_equity
from pokerlab.cards.holes import HOLES
from pokerlab.cards.range_report import range_report
from pokerlab.cards.ranges import Range
from pokerlab.cards.texture import CATEGORIES, category
from pokerlab.errors import CardError, RangeError
from pokerlab.terminal import plain

DECK = Deck()
HANDS, BOARD, THEIRS = "22+,A2s+,T9s-54s:0.5,AcKd", "Qs Jh 2h", "TT+,AQ+"


def parts_by_hand(hands, board, theirs):
    """{name: [combos, equity times meetings, meetings]}, each hand looked at by itself."""
    shown, parts = DECK.cards(board), {}
    other = Range.parse(theirs).without(shown)
    for hole, weight in Range.parse(hands).without(shown):
        meets = other.without(hole).combos
        equity = hand_equity(hole, theirs, shown)
        for name in CATEGORIES[category(hole, shown)].split(" + "):
            row = parts.setdefault(name, [0.0, 0.0, 0.0])
            for i, more in enumerate((weight, weight * meets * equity, weight * meets)):
                row[i] += more
    return parts


@pytest.mark.parametrize("board", [BOARD, "Qs Jh 2h 4c", "Qs Jh 2h 4c 4d"])
def test_parts_of_a_range_on_a_board(board):
    report = range_report(HANDS, board, THEIRS)
    expected = parts_by_hand(HANDS, board, THEIRS)
    assert {part.name for part in (*report.made, *report.draws)} == set(expected)
    for part in (*report.made, *report.draws):
        combos, earned, meetings = expected[part.name]
        assert part.combos == pytest.approx(combos)
        assert part.share == pytest.approx(combos / report.left.combos)
        assert part.equity == pytest.approx(earned / meetings)
    assert sum(part.share for part in report.made) == pytest.approx(1)
    assert bool(report.draws) == (len(board.split()) < 5)
    assert report.met.equity == range_equity(HANDS, THEIRS, board).equity


def test_the_chart_names_whole_kinds_and_counts_parts():
    lines = [plain(line) for line in range_report(HANDS).lines()]
    assert lines[0] == "22+, A2s+, T9s:0.5, 98s:0.5, 87s:0.5, 76s:0.5, 65s:0.5, 54s:0.5, AcKd"
    assert lines[1] == "139 combos, 10.5 % of all 1,326"
    rows = {line[0]: line[2:].split() for line in lines[3:16]}
    assert rows["A"] == ["AA", "AKs", "AQs", "AJs", "ATs", "A9s", "A8s", "A7s", "A6s", "A5s", "A4s", "A3s", "A2s"]
    assert rows["K"][:3] == ["8", "KK", "."]
    assert rows["T"][4:6] == ["TT", "50"]
    assert "per cent" in lines[16]
    assert len(lines) == 17


def test_the_board_takes_hands_away_and_the_chart_shows_all():
    report = range_report("QQ,AhKh", "Qs Jh 2h")
    assert report.hands.combos == 7
    assert report.left.combos == 4
    told = report.as_json()
    assert told["combos_left"] == 4
    assert told["hands"]["QQ"] == 1
    assert [part["name"] for part in told["made"]] == ["top set", "two overcards"]
    assert "equity" not in told["made"][0]
    assert "on Qs Jh 2h, which leaves 4 combos" in [plain(line) for line in report.lines()]


def test_no_line_is_too_wide():
    mixed = Range([(i % 7) / 7 for i in range(len(HOLES))])
    for report in (range_report(mixed, BOARD, mixed), range_report("random", BOARD, HANDS), range_report(HANDS)):
        assert max(len(plain(line)) for line in report.lines()) <= 100


def test_what_makes_no_sense():
    with pytest.raises(RangeError, match="no hand in this range that the board leaves"):
        range_report("QsJh", BOARD)
    with pytest.raises(RangeError, match="no hand in this range"):
        range_report("")
    with pytest.raises(CardError, match="a board of 2 cards"):
        range_report("AA", "Qs Jh")

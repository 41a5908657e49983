"""The report: counting against plain loops on a few boards, and its text and page from figures made up."""

import re
import struct
import zlib
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

import naive_buckets as naive
from made_up_reports import bucket_report
from pokerlab.abstraction.buckets import kernels, report, rivers
from pokerlab.abstraction.buckets.html import _png, _summed, page
from pokerlab.abstraction.buckets.report import BINS, Report, StreetReport, chosen, lines, spread_out
from pokerlab.abstraction.buckets.rivers import RiverDeals
from pokerlab.cards.holes import HOLES
from pokerlab.cards.isomorphism import canonical_boards, isomorphism

MADE = {recall: naive.made_up(recall) for recall in (True, False)}
both = pytest.mark.parametrize("recall", [True, False])


@pytest.fixture
def random():
    return np.random.default_rng(2)


@both
def test_strengths_are_counted(recall, random):
    cards = MADE[recall]
    boards = canonical_boards((3, 1) if recall else (4,)).cards[[9, 12_345]]
    known = isomorphism((2, 4))
    bins = np.resize(random.integers(0, BINS, 997).astype(np.uint8), known.sizes[-1])
    counted, expected = np.zeros((2, 12, BINS), np.int64)
    kernels.count_strengths(cards.suits.turn, cards.lookup.turn, known.tables, bins, boards, np.array([3, 8]), counted)
    for board, count in zip(boards.tolist(), (3, 8), strict=True):
        buckets = cards.board_buckets(board)
        others = known.indices([[*hole, *board] for hole in HOLES[buckets >= 0].tolist()])
        np.add.at(expected, (buckets[buckets >= 0], bins[others]), count)
    assert np.array_equal(counted, expected)
    assert counted.sum() == 11 * 1128


def test_moves_are_counted(random):
    cards = MADE[False]
    boards, counts = canonical_boards((3, 1)).cards[[77, 40_000]], np.array([2, 5])
    counted, expected = np.zeros((2, 7, 9), np.int64)
    kernels.count_moves(cards.lookup, cards.suits, 3, boards, counts, counted)
    for board, count in zip(boards.tolist(), counts, strict=True):
        flop, turn = cards.board_buckets(board[:3]), cards.board_buckets(board)
        for before, after in zip(flop, turn, strict=True):
            if after >= 0:
                expected[before, after] += count
    assert np.array_equal(counted, expected)


def test_moves_to_the_river_are_counted():
    cards = MADE[False]
    board, five = canonical_boards((4,)).cards[5_000:5_001], isomorphism((5,))
    every = canonical_boards((5,)).cards
    strengths = np.zeros((len(every), 1326), np.int16)
    left = [card for card in range(52) if card not in board[0]]
    for card in left:
        at = five.index([*board[0].tolist(), card])
        kernels.fill_all_rivers(rivers.tables(), HOLES, every[at : at + 1], strengths[at : at + 1])
    known = kernels.Rivers(five.tables, every, strengths, rivers.turned_holes())
    counted, expected = np.zeros((2, 9, 5), np.int64)
    kernels.count_river_moves(cards.lookup, cards.suits, known, board, np.array([6]), counted)
    turn = cards.board_buckets(board[0])
    for card in left:
        for before, after in zip(turn, cards.board_buckets([*board[0].tolist(), card]), strict=True):
            if after >= 0:
                expected[before, after] += 6
    assert np.array_equal(counted, expected)


@both
def test_strengths_on_the_river_from_those_of_parents(recall, random, monkeypatch):
    """Buckets hold their parent's deals in the order of strength."""
    cards, rows = MADE[recall], 12 if recall else 1
    by_parent = random.integers(0, 9, (rows, 1981))
    children = 3 if recall else 5
    cuts = np.sort(random.integers(0, by_parent.sum(axis=1)[:, None], (rows, children - 1)), axis=1)
    deals = np.diff(np.concatenate([np.zeros((rows, 1), int), cuts, by_parent.sum(axis=1)[:, None]], axis=1), axis=1)
    monkeypatch.setattr(report, "river_deals", lambda *_: RiverDeals(by_parent, None, None))
    strengths = report._river_strengths(replace(cards, deals=(*cards.deals[:3], deals.ravel())), None)
    bins = np.minimum(np.arange(1981) * BINS // 1980, BINS - 1)
    for parent in range(rows):
        ordered = np.repeat(bins, by_parent[parent])
        for child, mine in enumerate(np.split(ordered, cuts[parent])):
            assert strengths[children * parent + child].tolist() == np.bincount(mine, minlength=BINS).tolist()


def test_figures(random):
    made_up = bucket_report(MADE[False], random)
    for street in made_up.streets:
        values = (np.arange(BINS) + 0.5) / BINS
        means = [np.average(values, weights=row) if row.sum() else np.nan for row in street.strengths]
        assert street.means == pytest.approx(means, nan_ok=True)
        spread = [np.sqrt(np.average((values - m) ** 2, weights=r)) if r.sum() else np.nan
                  for m, r in zip(means, street.strengths, strict=True)]  # fmt: skip
        assert street.spreads == pytest.approx(spread, nan_ok=True)
        every = np.repeat(np.tile(values, len(means)), street.strengths.ravel())
        within = sum(street.deals[b] * spread[b] ** 2 for b in range(len(means)) if street.deals[b])
        assert street.explained == pytest.approx(1 - within / street.deals.sum() / every.var())
        assert street.empty == (len(means) > 4)
    told = made_up.summary()
    assert told["buckets"] == {"preflop": 4, "flop": 7, "turn": 9, "river": 5}
    assert told["streets"][1]["mean"][2] is None
    assert told["streets"][1]["deals"][2] == 0


def test_some_buckets_from_weak_to_strong(random):
    street = bucket_report(MADE[False], random, (50, 80, 5, 5)).streets[1]
    few = chosen(street, 10)
    assert len(few) == 10
    assert (np.diff(street.means[few]) > 0).all()
    assert 2 not in chosen(street, 80)
    assert len(chosen(street, 80)) == 79
    assert street.means[few[0]] == np.nanmin(street.means)
    assert street.means[few[-1]] == np.nanmax(street.means)


def test_how_many_buckets_a_bucket_leads_to():
    assert spread_out(np.array([[5, 5, 0], [0, 0, 0]])) == pytest.approx(2)
    assert spread_out(np.array([[6, 0, 0], [1, 1, 0]])) == pytest.approx((6 * 1 + 2 * 2) / 8)


@both
def test_text(recall, random):
    text = lines(bucket_report(MADE[recall], random))
    assert text[0].endswith(f"{'perfect' if recall else 'imperfect'} recall, seed 1")
    assert "turn 2 s, river 2 s" in text[1]
    assert max(map(len, text)) <= 120
    joined = "\n".join(text)
    if recall:
        assert " 2.1.1.2 " in joined
        assert "river (12 of 36 from weak to strong)" in joined
    else:
        assert "from turn to river: a bucket leads to" in joined
        assert "river (4 of 5 from weak to strong)" in joined
    large = lines(bucket_report(MADE[recall], random, (169, 1000, 1000, 1000) if not recall else None))
    assert len(large) < 90


def test_text_without_strengths(random):
    made_up = bucket_report(MADE[False], random)
    bare = [StreetReport(s.name, s.bucketing, s.deals, s.shares, s.shares, None, None) for s in made_up.streets]
    text = "\n".join(lines(Report(made_up.cards, tuple(bare))))
    assert "flop: too many buckets to look into" in text
    assert "too many to look into" in page(Report(made_up.cards, tuple(bare)))


class Tags(HTMLParser):
    """Checks that tags are closed in order."""

    def __init__(self):
        super().__init__()
        self.open, self.seen = [], []

    def handle_starttag(self, tag, attributes):
        self.seen.append(tag)
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.seen.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.mark.parametrize(("recall", "counts"), [(True, None), (False, None), (False, (169, 60, 400, 1000))])
def test_page(recall, counts, random):
    text = page(bucket_report(MADE[recall], random, counts))
    tags = Tags()
    tags.feed(text)
    assert tags.open == []
    assert "nan" not in re.sub(r'base64,[^"]*', "", text)
    assert not re.search(r'(src|href)="(?!data:)', text)  # nothing from elsewhere
    assert "script" not in tags.seen
    assert "prefers-color-scheme: dark" in text
    assert tags.seen.count("h2") == 4 + recall
    assert ("From turn to river" in text) is not recall
    assert len(text) < 1_500_000


def test_images(random):
    pixels = random.integers(0, 256, (5, 7, 4)).astype(np.uint8)
    data = _png(pixels)
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    at, pieces = 8, {}
    while at < len(data):
        (size,) = struct.unpack(">I", data[at : at + 4])
        kind, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + size]
        assert struct.unpack(">I", data[at + 8 + size : at + 12 + size])[0] == zlib.crc32(kind + body)
        pieces[kind], at = body, at + 12 + size
    assert struct.unpack(">II", pieces[b"IHDR"][:8]) == (7, 5)
    rows = np.frombuffer(zlib.decompress(pieces[b"IDAT"]), np.uint8).reshape(5, 29)
    assert (rows[:, 0] == 0).all()
    assert np.array_equal(rows[:, 1:].reshape(5, 7, 4), pixels)


def test_tables_are_added_up_in_stretches(random):
    table = random.integers(0, 9, (10, 7))
    assert np.array_equal(_summed(table, 10, 7), table)
    summed = _summed(table, 3, 2)
    assert summed.shape == (3, 2)
    assert summed.sum() == table.sum()
    assert summed[0, 0] == table[:3, :3].sum()

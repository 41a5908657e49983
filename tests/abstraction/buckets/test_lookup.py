"""Lookups against plain ones, what may not change a bucket, and files that are damaged."""

import json
from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_buckets as naive
from pokerlab.abstraction.buckets import lookup
from pokerlab.abstraction.buckets.lookup import load_buckets
from pokerlab.cards.holes import hole_number
from pokerlab.cards.isomorphism import isomorphism
from pokerlab.errors import AbstractionError, CardError
from pokerlab.files import write_arrays

RECALLS = {True: naive.made_up(True), False: naive.made_up(False)}
both = pytest.mark.parametrize("recall", [True, False])


@both
def test_buckets_are_those_of_the_tables_and_cuts(recall):
    cards, random = RECALLS[recall], np.random.default_rng(1)
    for size in (2, 5, 6, 7) * 15:
        hole, *board = np.split(naive.random_deal(random, size), [2])
        assert cards.bucket(hole, board[0]) == naive.bucket(cards, hole, board[0])


@both
def test_all_holes_of_a_board(recall):
    cards, random = RECALLS[recall], np.random.default_rng(2)
    for size in (0, 3, 4, 5):
        board = naive.random_deal(random, size)
        buckets = cards.board_buckets(board)
        assert buckets.shape == (1326,)
        for high in range(52):
            for low in (high // 2, high - 1):
                if 0 <= low < high:
                    number = hole_number((low, high))
                    if {low, high} & {*board}:
                        assert buckets[number] == -1
                    else:
                        assert buckets[number] == cards.bucket((high, low), board)


@given(st.permutations(range(52)), st.permutations(range(4)), st.permutations(range(3)), st.booleans(), st.data())
def test_suits_and_the_order_of_cards_change_nothing(deck, suits, flop, swap, data):
    recall = data.draw(st.booleans())
    cards = RECALLS[recall]
    size = data.draw(st.sampled_from([2, 5, 6, 7]))
    hole, board = deck[:2], deck[2:size]
    other = [card - card % 4 + suits[card % 4] for card in [*hole, *board]]
    mixed = other[2:]
    if len(mixed) >= 3:
        mixed = [mixed[i] for i in flop] + mixed[3:]
    if not recall:  # then the whole board may come in any order
        mixed = data.draw(st.permutations(mixed))
    assert cards.bucket(hole, board) == cards.bucket(other[1::-1] if swap else other[:2], mixed)


@both
def test_deals_are_looked_up_as_boards_are(recall, monkeypatch):
    """`deal_buckets` takes strengths on the river from a table: here one that only has those of the deals."""
    cards, random, river = RECALLS[recall], np.random.default_rng(3), isomorphism((2, 5))
    deals = np.array([naive.random_deal(random, 9) for _ in range(40)])
    strengths = np.zeros(river.sizes[-1], np.uint16)
    for deal in deals.tolist():
        for player in (0, 1):
            hand = deal[2 * player : 2 * player + 2]
            strengths[river.index(hand + deal[4:])] = naive.strength(hand, deal[4:])
    monkeypatch.setattr(lookup, "river_strengths", lambda: strengths)
    buckets = cards.deal_buckets(deals)
    assert buckets.shape == (40, 2, 4)
    for deal, row in zip(deals.tolist(), buckets.tolist(), strict=True):
        for player in (0, 1):
            hand = deal[2 * player : 2 * player + 2]
            assert row[player] == [cards.bucket(hand, deal[4 : 4 + size]) for size in (0, 3, 4, 5)]
    alone = cards.deal_buckets(deals[:, [0, 1, *range(4, 9)]], players=1)
    assert np.array_equal(alone[:, 0], buckets[:, 0])


def test_cards_are_checked():
    cards = RECALLS[False]
    for board in ([1, 2], [1, 2, 2], [1, 2, 52], [-1, 2, 3], [1, 2, 3, 4, 5, 6]):
        with pytest.raises(CardError, match="a board is none, three, four or five different cards"):
            cards.board_buckets(board)
    with pytest.raises(CardError, match="a hole card is on the board"):
        cards.bucket((1, 2), (2, 3, 4))
    for hole in ((1, 1), (1,), (1, 60)):
        with pytest.raises(CardError, match="two different cards"):
            cards.bucket(hole, ())
    with pytest.raises(CardError, match="9 cards each"):
        cards.deal_buckets(np.zeros((2, 8), int))
    with pytest.raises(CardError, match="deal 1 has a card twice"):
        cards.deal_buckets(np.array([range(9), [0, 1, 2, 3, 4, 5, 6, 7, 7]]))


def test_shares():
    cards = RECALLS[True]
    for street in range(4):
        assert cards.shares(street).sum() == pytest.approx(1)
    for street in (1, 2, 3):
        parents, shares = cards.parents[street - 1], cards.shares_of_parent(street)
        for parent in range(cards.counts[street - 1]):
            mine = cards.deals[street][parents == parent]
            assert shares[parents == parent] == pytest.approx(mine / mine.sum())
    assert np.array_equal(cards.shares_of_parent(0), cards.shares(0))
    assert np.array_equal(RECALLS[False].shares_of_parent(2), RECALLS[False].shares(2))
    nobody = cards.deals[3].copy()
    nobody[:3] = 0  # a parent without deals
    empty = replace(cards, deals=(*cards.deals[:3], nobody))
    assert empty.shares_of_parent(3)[:3].tolist() == [0, 0, 0]


def test_paths():
    cards = RECALLS[True]
    assert cards.path(0, 3) == (3,)
    assert cards.path(1, 2) == (1, 0)
    assert cards.path(1, 4) == (2, 1)
    assert cards.path(3, 29) == (2, 1, 1, 2)  # river 29 = turn 9, third; turn 9 = flop 4, second


@both
def test_file_there_and_back(tmp_path, recall):
    cards = RECALLS[recall]
    cards.save(tmp_path / "cards")
    loaded = load_buckets(tmp_path / "cards")
    assert (loaded.spec, loaded.counts, loaded.stages, loaded.seconds) == (cards.spec, cards.counts, cards.stages, 3.5)
    for name, array in cards.lookup._asdict().items():
        assert np.array_equal(getattr(loaded.lookup, name), array)
        assert getattr(loaded.lookup, name).dtype == array.dtype
    for mine, theirs in zip((*loaded.parents, *loaded.deals), (*cards.parents, *cards.deals), strict=True):
        assert np.array_equal(mine, theirs)
    deal = naive.random_deal(np.random.default_rng(5))
    assert loaded.bucket(deal[:2], deal[2:]) == cards.bucket(deal[:2], deal[2:])
    assert (tmp_path / "cards").stat().st_size < 2_000_000  # bucket numbers in two bytes, compressed


def test_files_that_are_none(tmp_path):
    with pytest.raises(AbstractionError, match="no such file"):
        load_buckets(tmp_path / "none")
    path = tmp_path / "cards"
    for content in (b"", b"hello", b"PK\x03\x04 and nothing"):
        path.write_bytes(content)
        with pytest.raises(AbstractionError, match="not a buckets file, or it is damaged"):
            load_buckets(path)
    write_arrays(path, {"format": "pokerlab strategy", "version": 1}, {}, error=AbstractionError)
    with pytest.raises(AbstractionError, match="not a pokerlab buckets file"):
        load_buckets(path)
    write_arrays(path, {"format": lookup.FORMAT, "version": 99}, {}, error=AbstractionError)
    with pytest.raises(AbstractionError, match="version 99"):
        load_buckets(path)


def test_cut_and_flipped_files(tmp_path):
    path = tmp_path / "cards"
    RECALLS[False].save(path)
    whole = path.read_bytes()
    for end in (10, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:end])
        with pytest.raises(AbstractionError, match="damaged or cut short"):
            load_buckets(path)
    for place in np.random.default_rng(6).integers(100, len(whole) - 2000, 10):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :])
        with suppress(AbstractionError):  # or a bit that no array uses
            load_buckets(path)


@pytest.mark.parametrize(
    ("name", "change", "told"),
    [
        ("flop", lambda a: a[:-1], "flop table has shape \\(1286791,\\)"),
        ("turn", lambda a: a + np.uint16(1), "turn table.*13,960,050 hands are in 9 buckets"),
        ("preflop", lambda a: a[None], "its preflop has numbers of .* in shape \\(1, 169\\)"),
        ("deals2", lambda a: a + 1, "deals are in its buckets of the turn"),
        ("deals3", lambda a: a[:-1], "its deals3 has numbers of int64 in shape"),
        ("deals1", lambda a: np.concatenate([a[:1] + a[1:2] + 1, [-1], a[2:]]), "buckets of the flop"),
        ("first", lambda a: a + 1, "river does not follow"),
        ("perfect", lambda a: ~a, "river does not follow"),
        ("cuts", lambda a: a[:, ::-1], "cuts on the river do not fit"),
        ("cuts", lambda a: np.repeat(a, 2, axis=1), "cuts on the river do not fit"),
        ("cuts", lambda a: np.repeat(a, 2, axis=0), "cuts on the river do not fit"),
        ("ranks", lambda a: a + 100, "ranks of holes"),
        ("ranks", lambda a: a[:-1], "its ranks has numbers of int16 in shape \\(1325,\\)"),
        ("deals0", None, "it has no 'deals0'"),
        ("turn", None, "it has no 'turn'"),
    ],
)
def test_tables_that_do_not_fit(tmp_path, name, change, told):
    changed(tmp_path / "cards", RECALLS[False], name, change)
    with pytest.raises(AbstractionError, match=f"cards is damaged: .*{told}"):
        load_buckets(tmp_path / "cards")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda a, b, c: (a, b[::-1], c), "parents of the turn's buckets"),
        (lambda a, b, c: (a[:-1], b, c), "parents of the flop's buckets"),
        (lambda a, b, c: (a, b, c + 5), "some parent of the river's buckets is none"),
        (lambda a, b, c: (a, b, np.sort(c % 7)), "river does not follow"),
    ],
)
def test_parents_that_do_not_fit(change, told):
    cards = RECALLS[True]
    lookup._check(cards)
    with pytest.raises(AbstractionError, match=told):
        lookup._check(replace(cards, parents=change(*cards.parents)))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("spec", "percentile:5"),
        ("counts", [4, 7]),
        ("counts", "many"),
        ("seed", None),
        ("stages", [1]),
    ],
)
def test_headers_that_do_not_fit(tmp_path, field, value):
    changed(tmp_path / "cards", RECALLS[False], "header", lambda header: header | {field: value})
    with pytest.raises(AbstractionError, match="is damaged"):
        load_buckets(tmp_path / "cards")


def changed(path, cards, name, change):
    """Write a file with one array or the header changed, or an array left out."""
    cards.save(path)
    with np.load(path) as file:
        arrays = {key: file[key] for key in file.files}
    header = json.loads(arrays.pop("header").tobytes())
    if name == "header":
        header = change(header)
    elif change is None:
        del arrays[name]
    else:
        arrays[name] = change(arrays[name])
    write_arrays(path, header, arrays, error=AbstractionError)

"""Strengths of all hands on all boards: the kernels against plain counting, the tables against known figures."""

from itertools import combinations

import numpy as np
import pytest

from far_away import far_away
from pokerlab.cards import sweep, sweep_kernels
from pokerlab.cards.deck import Deck
from pokerlab.cards.evaluator import board_values, evaluate, ranked_holes, tables
from pokerlab.cards.holes import HOLES
from pokerlab.cards.isomorphism import canonical_boards, isomorphism
from pokerlab.errors import CardError

DECK = Deck()


def naive_strength(hole, board):
    """2 * hands beaten + hands tied, one opponent after the other."""
    left = [card for card in range(52) if card not in (*hole, *board)]
    mine = evaluate([[*hole, *board]])[0]
    theirs = evaluate([[*other, *board] for other in combinations(left, 2)])
    return int(2 * (mine > theirs).sum() + (mine == theirs).sum())


def strengths_on(board):
    order, _ = ranked_holes(board)
    strengths = np.empty(1326, np.int16)
    sweep_kernels.fill_strengths(board_values(board), order, len(order), HOLES, strengths)
    return strengths


@pytest.mark.parametrize("seed", range(5))
def test_strengths_on_the_river(seed):
    rng = np.random.default_rng(seed)
    board = rng.permutation(52 if seed else 20)[:5]
    strengths = strengths_on(board)
    assert np.array_equal(strengths < 0, np.isin(HOLES, board).any(axis=1))
    live = np.flatnonzero(strengths >= 0)
    assert strengths[live].sum() == 990 * 1081  # every pair of holes shares out two
    for hole in rng.choice(live, 15, replace=False):
        assert strengths[hole] == naive_strength(HOLES[hole].tolist(), board.tolist())


def test_sweep_of_rivers_is_by_index():
    known = isomorphism((2, 5))
    boards = canonical_boards((5,)).cards[[0, 7_000, 134_458]]
    swept = np.full(known.sizes[1], 9999, np.uint16)
    sweep_kernels.sweep_rivers(tables(), known.tables, HOLES, boards, swept)
    rng = np.random.default_rng(1)
    for board in boards:
        strengths = strengths_on(board)
        for hole in rng.choice(np.flatnonzero(strengths >= 0), 20):
            suits = rng.permutation(4)
            cards = np.array([*HOLES[hole], *rng.permutation(board)]).astype(int)
            assert swept[known.index(cards - cards % 4 + suits[cards % 4])] == strengths[hole]


def sums_of_turns(boards):
    sums, squares = np.zeros((2, sweep.forgetful(2).sizes[-1]), np.uint32)
    sweep_kernels.sweep_turns(tables(), sweep.forgetful(2).tables, HOLES, boards, sums, squares)
    return sums, squares


def sums_after(flop):
    """The sums on a flop, from those on its turns."""
    turns = np.array([[*flop, card] for card in range(52) if card not in flop], np.uint8)
    sums, squares = np.zeros((2, sweep.forgetful(1).sizes[-1]), np.uint32)
    suits = sweep.forgetful(2).tables, sweep.forgetful(1).tables
    sweep_kernels.add_turns(*suits, np.array([flop], np.uint8), *sums_of_turns(turns), sums, squares)
    return sums, squares


def test_sweep_of_turns_and_flops():
    """Sums over boards to come, against going through them one by one."""
    rng = np.random.default_rng(2)
    for street, board in ((2, [0, 2, 5, 9]), (2, [3, 12, 13, 50]), (1, canonical_boards((3,)).cards[1_000].tolist())):
        sums, squares = sums_of_turns(np.array([board], np.uint8)) if street == 2 else sums_after(board)
        left = [card for card in range(52) if card not in board]
        rivers = [strengths_on([*board, *more]).astype(int) for more in combinations(left, 3 - street)]
        every = np.array(rivers)
        for hole in rng.choice(np.flatnonzero(every.max(axis=0) >= 0), 30):
            seen = every[:, hole][every[:, hole] >= 0]
            index = sweep.forgetful(street).index([*HOLES[hole].tolist(), *board])
            assert len(seen) == sweep.RUNOUTS[street]
            assert (sums[index], squares[index]) == (seen.sum(), (seen**2).sum())


def test_turns_swept_elsewhere(monkeypatch):
    every = canonical_boards((4,))
    monkeypatch.setattr(sweep, "canonical_boards", lambda sizes: every._replace(cards=every.cards[:100]))
    monkeypatch.setattr(sweep, "_CHUNK", 2)
    here, there = sweep.turn_sums(), sweep.turn_sums(far_away)
    assert np.count_nonzero(here[0]) > 10_000
    assert all(np.array_equal(mine, theirs) for mine, theirs in zip(here, there, strict=True))


def test_streets_are_four():
    with pytest.raises(CardError, match="streets are 0"):
        sweep.forgetful(4)


@pytest.mark.slow
def test_strengths_before_the_flop():
    """The means of all hands on all flops, to the four digits that are known."""
    moments = sweep.strength_moments(0)
    for hole, known in {"AcAd": 0.8520, "7c2d": 0.3458, "3c2d": 0.3230, "2c2d": 0.5033}.items():
        assert round(float(moments.mean[isomorphism((2,)).index(DECK.cards(hole))]), 4) == known
    everybody = np.bincount(isomorphism((2,)).indices(HOLES), minlength=169)
    assert np.average(moments.mean, weights=everybody) == pytest.approx(0.5, abs=1e-12)
    flop = sweep.strength_moments(1)
    assert np.all(flop.mean**2 <= flop.square + 1e-12)
    assert np.all(flop.square <= flop.mean + 1e-12)


@pytest.mark.slow
def test_turns_add_up_to_flops():
    """A flop hand's mean is that of its 47 turn hands."""
    flops, turns, rng = sweep.strength_moments(1), sweep.strength_moments(2), np.random.default_rng(3)
    for _ in range(200):
        cards = rng.permutation(52)[:5].tolist()
        after = isomorphism((2, 4)).indices([[*cards, card] for card in range(52) if card not in cards])
        index = isomorphism((2, 3)).index(cards)
        assert flops.mean[index] == pytest.approx(turns.mean[after].mean(), abs=1e-12)
        assert flops.square[index] == pytest.approx(turns.square[after].mean(), abs=1e-12)


def test_a_damaged_table_is_made_again(tmp_path, monkeypatch):
    monkeypatch.setenv("POKERLAB_CACHE", str(tmp_path))
    size = sweep.forgetful(2).sizes[-1]
    made = np.arange(size, dtype=np.uint32), np.ones(size, np.uint32)
    monkeypatch.setattr(sweep, "turn_sums", lambda executor: made)
    assert sweep.strength_sums(2)[0][:3].tolist() == [0, 1, 2]
    (kept,) = tmp_path.iterdir()
    kept.write_bytes(kept.read_bytes()[:-100])
    assert sweep.strength_sums(2)[0][:3].tolist() == [0, 1, 2]
    monkeypatch.setattr(sweep, "turn_sums", None)
    assert sweep.strength_sums(2)[0][:3].tolist() == [0, 1, 2]  # from the file

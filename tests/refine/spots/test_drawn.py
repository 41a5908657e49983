"""Spots whose later cards are drawn: a few stand for all that may come."""

from __future__ import annotations

import numpy as np
import pytest

from pokerlab.cards.evaluator import board_values
from pokerlab.cards.holes import HOLES
from pokerlab.refine.spots.cpu import CpuEngine
from pokerlab.refine.spots.kernels import Rates
from pokerlab.refine.spots.shape import Shape
from random_spots import random_spot


def test_all_cards_drawn_are_all_cards():
    """Bit for bit: that hands meet less where fewer cards are left is counted the same way."""
    spot = random_spot(np.random.default_rng(1), 1, (20, 20))
    drawn = {spot.board: [card for card in range(52) if card not in spot.board]}
    every, some = CpuEngine(Shape(spot, isomorphism=False)), CpuEngine(Shape(spot, drawn=drawn))
    for engine in (every, some):
        engine.step(5)
    for player in range(2):
        assert np.array_equal(every.walk(player, best=True), some.walk(player, best=True))


@pytest.mark.parametrize("street", [0, 1])
def test_drawn_cards_stand_for_all(street):
    """Without betting, a hand earns half the pot's sign on every board that is drawn, each as likely as it should be:
    of n cards left, so many drawn, each stands for n of the n - 4 that both hands leave.
    """
    spot = random_spot(np.random.default_rng(2), street, (30, 30), bet="", raise_="", cards=20)
    free = [card for card in range(52) if card not in spot.board]
    drawn, boards = {spot.board: free[3::9]}, [spot.board]
    for _ in range(2 - street):
        boards = [(*board, card) for board in boards for card in drawn[board]]
        drawn |= {board: [card for card in free if card not in board][1::11] for board in boards if len(board) < 5}
    shape = Shape(spot, drawn=drawn)
    weights = shape.root[1][: len(shape.holes[1])].astype(float)
    chance = (1.0 if street else 49 / 45) * 48 / 44 / len(boards)
    wanted = np.zeros(len(shape.holes[0]))
    for board in boards:
        strength = board_values(board)
        for mine, hand in enumerate(shape.holes[0]):
            for theirs, other in enumerate(shape.holes[1]):
                if strength[hand] and strength[other] and not {*HOLES[hand]} & {*HOLES[other]}:
                    sign = np.sign(int(strength[hand]) - int(strength[other]))
                    wanted[mine] += chance * weights[theirs] * sign * spot.pot / 2
    assert np.allclose(CpuEngine(shape).walk(0, best=False), wanted, atol=1e-3)


def test_who_meets_others_earns_by_their_weights():
    """`meet` changes what a player begins with, and `learn` is what a step does, player by player."""
    spot = random_spot(np.random.default_rng(3), 2, (20, 20))
    plain, apart = CpuEngine(Shape(spot)), CpuEngine(Shape(spot))
    plain.step(1)
    rates = apart.rates(1)[0]
    for player in range(2):
        apart.learn(player, Rates(*rates))
    for one, other in zip(plain.walks(best=False), apart.walks(best=False), strict=True):
        assert np.array_equal(one, other)
    before = plain.walk(0, best=True)
    plain.meet(1, 2 * plain.shape.root[1][: len(plain.shape.holes[1])])
    assert np.allclose(plain.walk(0, best=True), 2 * before, rtol=1e-5)

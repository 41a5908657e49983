"""solve_spot: exact truth on small spots, the figures of other solvers on large ones, limits, locks and Ctrl-C."""

import os
import signal
import threading
import time
from dataclasses import replace

import numpy as np
import pytest

from naive_spots import NaiveSpot, explicit_game, profile_in
from pokerlab.cards.ranges import Range
from pokerlab.errors import SpotError
from pokerlab.form.evaluate import evaluate
from pokerlab.refine.spots.engine import SCHEMES
from pokerlab.refine.spots.run import memory_of, solve_spot
from pokerlab.refine.spots.spot import Lock
from pokerlab.solvers.lp import equilibrium
from pokerlab.solvers.regret import SCHEMES as PUBLISHED
from random_spots import random_spot, spot_of

OOP = (
    "QQ:0.5,JJ:0.75,TT,99,88,77,66,55,44,33,22,AKo:0.25,AQs,AQo:0.75,AJs,AJo:0.75,ATs,ATo:0.75,A9s,A8s,A7s,A6s,A5s,A4s,"
    "A3s,A2s,KQ,KJ,KTs,KTo:0.5,K9s,K8s,K7s,K6s,K5s,K4s:0.5,K3s:0.5,K2s:0.5,QJ,QTs,Q9s,Q8s,Q7s,JTs,JTo:0.5,J9s,J8s,T9s,"
    "T8s,T7s,98s,97s,96s,87s,86s,76s,75s,65s,64s,54s,53s,43s"
)
IP = (
    "AA,KK,QQ,JJ,TT,99:0.75,88:0.75,77:0.5,66:0.25,55:0.25,AK,AQs,AQo:0.75,AJs,AJo:0.5,ATs:0.75,A6s:0.25,A5s:0.75,"
    "A4s:0.75,A3s:0.5,A2s:0.5,KQs,KQo:0.5,KJs,KTs:0.75,K5s:0.25,K4s:0.25,QJs:0.75,QTs:0.75,Q9s:0.5,JTs:0.75,J9s:0.75,"
    "J8s:0.75,T9s:0.75,T8s:0.75,T7s:0.75,98s:0.75,97s:0.75,96s:0.5,87s:0.75,86s:0.5,85s:0.5,76s:0.75,75s:0.5,65s:0.75,"
    "64s:0.5,54s:0.75,53s:0.5,43s:0.5"
)


def peers(board, ranges):
    return spot_of(board, ranges, bet="50%, 100%, all-in", raise_="60%, all-in", pot=200, stack=900)


def test_a_river_that_others_solved():
    found = solve_spot(peers("Qs Jh 2h 4c 7d", ("random", "random")), exploitability=0.05)
    assert found.ev == pytest.approx((93.636, 106.364), abs=0.1)
    assert found.exploitability <= 0.1
    assert (found.tree.decisions, found.tree.terminals) == (24, 45)
    assert found.stopped == "exploitability"


@pytest.mark.slow
def test_a_turn_that_others_solved():
    found = solve_spot(peers("Qs Jh 2h 4c", (OOP, IP)), exploitability=0.3)
    assert found.ev == pytest.approx((78.024, 121.976), abs=0.1)
    assert found.summary()["hands"] == [302, 220]
    assert found.memory < 2 * 34 * 2**20


@pytest.mark.parametrize("seed", range(3))
def test_rivers_against_linear_programming(seed):
    rng = np.random.default_rng(seed)
    spot = random_spot(rng, 2, (7, 6), bet="60%, all-in", raise_="100%", cards=12)
    exactly(spot, 2000)


@pytest.mark.slow
def test_a_turn_against_linear_programming():
    spot = random_spot(np.random.default_rng(3), 1, (3, 3), bet="100%", raise_="", stack=300, cards=7)
    exactly(spot, 1000)


def exactly(spot, iterations):
    """The value of the linear program, and what our strategies are worth in the explicit game, say the same."""
    game = explicit_game(spot)
    truth = equilibrium(game).value
    found = solve_spot(spot, iterations=iterations)
    judged = evaluate(profile_in(game, found))
    assert found.exploitability < 0.0005 * spot.pot
    assert found.ev[0] == pytest.approx(truth, abs=2 * found.exploitability + 1e-3)
    assert found.ev[0] == pytest.approx(judged.value, abs=2e-3)
    assert found.figures.best[0] == pytest.approx(judged.responses[0], abs=2e-3)
    assert found.figures.best[1] - spot.pot == pytest.approx(judged.responses[1], abs=2e-3)


def test_limits():
    spot = random_spot(np.random.default_rng(4), 2, (30, 30))
    assert solve_spot(spot, iterations=13).iterations == 13
    assert solve_spot(spot).exploitability <= 0.005 * spot.pot
    timed = solve_spot(spot, seconds=0.05)
    assert timed.stopped == "seconds"
    assert 0.05 <= timed.seconds < 1
    seen = []
    assert solve_spot(spot, until=lambda point: seen.append(point) or len(seen) == 3).stopped == "until"
    assert [point.iteration for point in seen] == [10, 20, 30]
    assert [point.iteration for point in solve_spot(spot, iterations=45).trace] == [10, 20, 40]


@pytest.mark.parametrize("limit", [{"iterations": 0}, {"seconds": -1}, {"exploitability": -1}, {"threads": 0}])
def test_bad_limits(limit):
    with pytest.raises(SpotError, match=f"{next(iter(limit))}: a .*number from"):
        solve_spot(random_spot(np.random.default_rng(4), 2, (3, 3)), **limit)


def test_memory_limit():
    spot = peers("Qs Jh 2h", ("random", "random"))
    assert memory_of(spot) > 2**33
    with pytest.raises(SpotError, match=r"takes \d+\.\d+ GiB and 2.00 GiB are allowed: give fewer bet sizes"):
        solve_spot(spot, memory=2.0)


def test_ctrl_c_keeps_the_strategy_so_far():
    spot = spot_of("Qs Jh 2h 4c 7d", ("random", "random"))
    solve_spot(spot, iterations=1)

    def press():
        time.sleep(0.3)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=press).start()
    found = solve_spot(spot, exploitability=0)
    assert found.stopped == "interrupted"
    assert found.iterations > 10
    assert found.exploitability < 5


def test_a_lock_on_everything_leaves_a_best_response():
    spot = random_spot(np.random.default_rng(5), 2, (12, 12), bet="100%", raise_="")
    even = {"check": 0.5, "bet 100": 0.5}
    locks = (Lock(("check",), even), Lock(("bet 100",), {"fold": 0.25, "call": 0.75}))
    found = solve_spot(replace(spot, locks=locks), exploitability=0.01)
    naive = NaiveSpot(spot)
    for line, chances in ((("check",), (0.5, 0.5)), (("bet 100",), (0.25, 0.75))):
        (index,) = (node.index for node in naive.tree if naive.tree.line(node.index) == line)
        naive.average[index, spot.board] = np.repeat(np.array(chances)[:, None], 12, axis=1)
        np.testing.assert_allclose(found.node(line).strategy, [chances] * 12, atol=1e-6)
    assert found.ev[0] == pytest.approx(naive.chips(0, naive.walk(0, "best")), abs=0.02)
    assert found.ev[0] > solve_spot(spot, exploitability=0.01).ev[0] + 1


def test_hands_that_a_lock_does_not_name_stay_free():
    spot = spot_of("Qs Jh 2h 4c 7d", ("random", "random"), bet="100%", raise_="")
    play = {"call": Range.parse("AA,KK:0.5"), "fold": Range.parse("KK:0.5")}
    found = solve_spot(replace(spot, locks=(Lock(("bet 100",), play),)), exploitability=0.1)
    node = found.node("bet 100")
    assert node.hand("AsAh")["actions"]["call"]["probability"] == pytest.approx(1)
    assert node.hand("KsKh")["actions"]["call"]["probability"] == pytest.approx(0.5)
    assert node.hand("QhQd")["actions"]["call"]["probability"] > 0.99
    assert found.exploitability <= 0.1


def test_of_several_locks_at_a_node_the_last_that_names_a_hand_counts():
    spot = spot_of("Qs Jh 2h 4c 7d", ("random", "random"), bet="100%", raise_="")
    folds, calls = Range.parse("AA,KK"), Range.parse("KK,55")
    locks = Lock(("bet 100",), {"fold": folds}), Lock(("bet 100",), {"call": calls})
    solved = solve_spot(replace(spot, locks=locks), iterations=100)
    node, expected = solved.node("bet 100"), {"AsAh": 0, "KsKh": 1, "5s5h": 1, "QhQd": 1}
    calling = {hand: node.hand(hand)["actions"]["call"]["probability"] for hand in expected}
    assert calling == pytest.approx(expected, abs=0.02)


@pytest.mark.slow
def test_locks_on_a_later_street():
    spot = spot_of("As Ks 7s 2s", ("AA,KK,QJs,76s", "QQ,JJ,AK,87s"), bet="75%", raise_="")
    one = Lock(("check", "check", "4h"), {"check": 1.0})
    every = Lock(("check", "check", "deal"), {"check": 1.0})
    for lock, cards in ((one, {"4h": True, "4d": False}), (every, {"4h": True, "4d": True, "9s": True})):
        found = solve_spot(replace(spot, locks=(lock,)), iterations=30)
        for card, fixed in cards.items():
            strategy = found.node(f"check, check, {card}").strategy
            assert np.allclose(strategy[:, 0], 1.0) == fixed


@pytest.mark.parametrize(
    ("lock", "message"),
    [
        (Lock(("bet 70",), {"fold": 1.0}), "no 'bet 70' after the start; there is check, bet 50"),
        (Lock(("check", "check"), {"fold": 1.0}), "at no decision"),
        (Lock((), {"fold": 1.0}), "has no action 'fold'; there is check"),
        (Lock((), {"check": 0.0}), "fixes nothing"),
        (Lock((), {"check": Range.parse("AA"), "bet 50": Range.parse("KK")}), "oop has none of .* to bet 50: KK"),
    ],
)
def test_locks_that_fit_nothing(lock, message):
    spot = spot_of("Qs Jh 2h 4c 7d", ("AA", "KK"), locks=(lock,))
    with pytest.raises(SpotError, match=message):
        solve_spot(spot, iterations=1)


def test_methods():
    spot = random_spot(np.random.default_rng(6), 2, (20, 20))
    ours, plus, dcfr = (solve_spot(spot, method=method, exploitability=0.1) for method in ("dcfr-spot", "cfr+", "dcfr"))
    assert plus.ev == pytest.approx(ours.ev, abs=0.2)
    assert dcfr.ev == pytest.approx(ours.ev, abs=0.2)
    assert solve_spot(spot, iterations=1).method == "dcfr-spot"
    assert SCHEMES["dcfr"] == PUBLISHED["dcfr"] != SCHEMES["dcfr-spot"]
    assert SCHEMES["cfr+"] == PUBLISHED["cfr+"]
    with pytest.raises(SpotError, match="no method 'cfr'"):
        solve_spot(spot, method="cfr")

"""Tickets at the desk are taken once each, whoever takes them, and nobody waits for a thread that never comes."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from pokerlab.refine.spots import crew
from pokerlab.refine.spots.cpu import CpuEngine
from pokerlab.refine.spots.kernels import compiled
from pokerlab.refine.spots.shape import Shape
from pokerlab.refine.spots.spot import parse_spot

TURN = """board = "Qs Jh 2h 4c"\npot = 200\nstacks = 900\n[oop]\nrange = "AA, KQ, T9s"\n[ip]\nrange = "QQ, AJ, 98s"
[bets]\nbet = "50%"\nraise = "all-in"\n"""


@compiled
def _all_of(desk, mine, shares, got):
    """What one thread takes."""
    count = 0
    for k in range(shares):
        share = (mine + k) % shares
        ticket = crew.take(desk, share)
        while ticket >= 0:
            got[count] = share * 1_000_000 + ticket
            count += 1
            ticket = crew.take(desk, share)
    return count


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_every_ticket_is_taken_once(threads):
    opened = 20_000
    desk = crew.desk(threads)
    desk[crew.OPEN] = opened
    taken = [np.zeros(opened * threads, dtype=np.int64) for _ in range(threads)]
    with ThreadPoolExecutor(threads) as pool:
        counts = list(pool.map(lambda t: _all_of(desk, t, threads, taken[t]), range(threads)))
    every = np.sort(np.concatenate([got[:count] for got, count in zip(taken, counts, strict=True)]))
    shares = np.arange(threads)[:, None] * 1_000_000 + np.arange(opened)
    assert np.array_equal(every, shares.ravel())


@pytest.mark.parametrize(("boards", "shares", "each"), [(48, 2, 3), (49, 3, 1), (5, 4, 2), (1, 8, 1), (44, 1, 5)])
def test_tickets_are_for_every_board_once(boards, shares, each):
    tickets = crew.tickets_of(boards, shares, each)
    starts = [(share * tickets + t) * each for share in range(shares) for t in range(tickets)]
    assert [b for start in starts for b in range(start, min(start + each, boards))] == list(range(boards))


def test_a_thread_that_never_comes_is_not_waited_for(monkeypatch):
    """Only the leader works; the shares of the others are done too."""
    alone, crowd = (CpuEngine(Shape(parse_spot(TURN)), threads=threads) for threads in (1, 3))
    monkeypatch.setattr("pokerlab.refine.spots.cpu.spread", lambda work, tasks, threads: work(0))
    for engine in (alone, crowd):
        engine.step(7)
    assert all(np.array_equal(array, crowd.state()[name]) for name, array in alone.state().items())

"""Work spread over threads: results in order, nothing begun after an error or Ctrl-C, rooms for one task at a time."""

import os
import signal
import threading
import time
import zipfile

import numpy as np
import pytest

from pokerlab.files import pack_arrays
from pokerlab.interrupts import uninterrupted
from pokerlab.threads import in_pieces, in_rooms, pieces, spread


def test_spread_does_everything_and_passes_errors_on(monkeypatch):
    for cores in (1, 2):
        monkeypatch.setattr("pokerlab.threads.cores", lambda cores=cores: cores)
        done = np.zeros(50)

        def work(i, done=done):
            done[i] += 1

        spread(work, range(50))
        assert np.all(done == 1)
        with pytest.raises(ZeroDivisionError):
            spread(lambda i: 1 // i, range(3))


def test_uninterrupted_work_is_done_before_ctrl_c_is_answered():
    done = []

    def work(*signals):
        with uninterrupted():
            for number in signals:
                os.kill(os.getpid(), number)
            done.append(signals)

    with pytest.raises(KeyboardInterrupt):
        work(signal.SIGINT)
    assert done == [(signal.SIGINT,)]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert done[1:] == [()]


@pytest.mark.parametrize("threads", [1, 2, 5, None])
def test_results_come_in_order(threads):
    done = []
    results = spread(lambda i: time.sleep(0.002 * (i % 3)) or i * i, range(20), threads, done.append)
    assert results == [i * i for i in range(20)]
    assert done == list(range(1, 21))
    assert spread(str, [], threads) == []


@pytest.mark.parametrize("error", [ZeroDivisionError, KeyboardInterrupt])
def test_nothing_is_begun_after_an_error_and_what_is_under_way_is_finished(error):
    begun, ended = [], []

    def work(i):
        begun.append(i)
        time.sleep(0.01)
        if i == 3 and error is ZeroDivisionError:
            raise error
        ended.append(i)

    def show(done):
        if done == 3:
            raise error  # as Ctrl-C while the caller waits

    with pytest.raises(error):
        spread(work, range(500), 2, show)
    assert len(begun) < 20
    assert len(ended) >= len(begun) - (error is ZeroDivisionError)
    still = len(begun)
    time.sleep(0.05)
    assert len(begun) == still
    assert spread(str, range(3), 2) == ["0", "1", "2"]


def test_tasks_may_spread_work_themselves():
    def outer(i):
        return sum(spread(lambda j: i * j, range(10), 2))

    assert spread(outer, range(6), 2) == [45 * i for i in range(6)]


def test_a_room_is_used_by_one_task_at_a_time():
    rooms = [set(), set()]
    seen = []

    def work(i, room):
        assert not room
        room.add(i)
        time.sleep(0.002)
        seen.append(id(room))
        room.remove(i)
        return i

    assert spread(in_rooms(rooms, work), range(30), 4) == list(range(30))
    assert {*seen} == {id(room) for room in rooms}


def test_a_failed_task_gives_its_room_back():
    def work(i, room):
        return 1 // i

    one = in_rooms([None], work)
    with pytest.raises(ZeroDivisionError):
        spread(one, [0])
    assert spread(one, [1]) == [1]


def test_pieces_cover_everything_once():
    assert pieces(10, 4) == [(0, 4), (4, 8), (8, 10)]
    assert pieces(0, 4) == []
    assert in_pieces(lambda first, last: list(range(first, last)), 10, 4, "numbers", False) == [
        [0, 1, 2, 3], [4, 5, 6, 7], [8, 9],
    ]  # fmt: skip


def test_ctrl_c_waits_until_a_file_is_packed(tmp_path, monkeypatch):
    """In the middle of a zip it would come out as a ValueError, and a run would end with that."""
    opened = zipfile.ZipFile.open

    def pressing(self, *arguments, **options):
        os.kill(os.getpid(), signal.SIGINT)
        return opened(self, *arguments, **options)

    monkeypatch.setattr(zipfile.ZipFile, "open", pressing)
    with open(tmp_path / "file", "wb") as file, pytest.raises(KeyboardInterrupt):
        pack_arrays(file, {"format": "test"}, {"a": np.arange(3)})
    monkeypatch.undo()
    with np.load(tmp_path / "file") as arrays:
        assert arrays["a"].tolist() == [0, 1, 2]


def test_a_fork_has_threads_of_its_own():
    assert spread(abs, [-1, -2, -3], threads=2) == [1, 2, 3]
    pid = os.fork()
    if pid == 0:
        os._exit(sum(spread(abs, [-1, -2, -3], threads=2)))
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 6

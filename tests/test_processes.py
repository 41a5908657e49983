"""Work over processes: the function is sent once, errors come back, and an unfinished block ends its workers."""

from functools import partial

import pytest

from pokerlab.processes import at_work, local_processes


class Heavy:
    """Counts how often it is pickled."""

    pickled = 0

    def __reduce__(self):
        Heavy.pickled += 1
        return Heavy, ()


def halved(heavy, number):
    assert isinstance(heavy, Heavy)
    return number, 12 // number


def test_what_all_tasks_need_is_sent_once():
    with at_work(local_processes(2), partial(halved, Heavy()), range(1, 7)) as results:
        assert sorted(results) == [(n, 12 // n) for n in range(1, 7)]
    assert Heavy.pickled == 1


def test_errors_of_workers_come_back():
    with pytest.raises(ZeroDivisionError), at_work(local_processes(2), partial(halved, Heavy()), range(3)) as results:
        list(results)


def test_without_an_executor_work_is_done_here_and_as_it_is_asked_for():
    done = []
    with at_work(None, done.append, range(5)) as results:
        next(iter(results))
    assert done == [0]


def test_what_is_left_is_dropped():
    closed = []

    def executor(function, tasks):
        try:
            yield from map(function, tasks)
        finally:
            closed.append(True)

    with at_work(executor, str, range(5)) as results:
        assert next(results) == "0"
        assert not closed
    assert closed

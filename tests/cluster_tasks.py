"""What workers of a cluster do in tests."""

import os
import signal
from pathlib import Path

from pokerlab.agents.simple import Probe
from pokerlab.cache import recalled
from pokerlab.errors import PokerlabError
from pokerlab.reading import is_file, read_text


def squared(number):
    return number, number * number


def divided(number):
    return 12 // number


def killed_once(folder, number):
    """The first worker that is asked for the third task dies over it."""
    mark = Path(folder) / "died"
    if number == 3 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number, number * number


class Mortal(Probe):
    """A player over whose fortieth decision the first worker dies."""

    def __init__(self, folder):
        super().__init__()
        self.mark, self.decisions = Path(folder) / "died", 0

    def act(self, view):
        self.decisions += 1
        if self.decisions == 40 and not self.mark.exists():
            self.mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().act(view)


def kept(name):
    """What is kept under a name."""
    return recalled(name, lambda path: read_text(path, most=1000, error=PokerlabError))


def always_killed(number):
    os.kill(os.getpid(), signal.SIGKILL)


def content(name):
    """What a file of this name has, where there is one."""
    there = is_file(name)
    return name, read_text(name, most=1000, error=PokerlabError) if there else None


def added_to(array):
    array += 1  # what a task is sent can be written to
    return array

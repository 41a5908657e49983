"""The actions of a match, one a line, from which it goes on after a crash: the official dealer's transaction file.

    # name/game/hands/seed m leduc 100 1      as in the log, and the game's definition where that has it
    # players Alice Bob
    # log 0                                   at which byte of its log the match begins
    0:r:1250                                  hand, action, microseconds that it took
    SCORE:-2|2:Alice|Bob                      of a match that is over

Cards come from the seed, so that no more is needed. A match that is over makes room for the next.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from pokerlab.errors import LogError, shown
from pokerlab.game.betting import Betting
from pokerlab.match.protocol import read_action
from pokerlab.reading import opened
from pokerlab.writing import Growing, written_through

_LINE = re.compile(r"(0|[1-9][0-9]{0,17}):([fc]|r[0-9]{0,10}):([0-9]{1,18})")
_LOG = re.compile(r"# log ([0-9]{1,18})")
_ANEW = "remove the file to begin anew"
_LONGEST_LINE = 20_000  # bytes; those of a header are the longest


class _Action(NamedTuple):
    hand: int
    text: str
    seconds: float


class Transactions:
    """A match's file of actions, read and then added to. `header` says which match it is."""

    def __init__(self, path: str | Path, header: Sequence[str]) -> None:
        self._file, self._header = Growing(path, LogError), list(header)
        self._past: deque[_Action] = deque()
        self._kept = 0  # bytes of the file that hold
        self._begun = False
        self.log_begins: int | None = None  # at which byte of its log a match that goes on begins
        try:
            self._read()
        except BaseException:
            self.close()
            raise

    @property
    def actions(self) -> int:
        """How many are to be played again."""
        return len(self._past)

    def _read(self) -> None:
        told, over = list[str](), False
        for line in self._lines():
            if line.startswith("#"):
                told.append(line)
            elif match := _LINE.fullmatch(line):
                self._past.append(_Action(int(match[1]), match[2], int(match[3]) / 1e6))
            elif over := line.startswith("SCORE:"):
                self._past.clear()
            else:
                raise LogError(f"{self._file.path}: {shown(line)} is no transaction: {_ANEW}")
        *header, last = told or [""]
        begins = _LOG.fullmatch(last)
        if begins is not None and header == self._header and not over:
            self.log_begins = int(begins[1])
        elif self._past:
            raise LogError(f"{self._file.path} holds another match that is not over: remove it, or name another file")
        else:
            self._kept = 0

    def _lines(self) -> Iterator[str]:
        """The whole lines of the file; what a crash has left of one more does not hold."""
        if written_through(self._file.path):
            return
        with opened(self._file.path, LogError) as file:
            while (raw := file.readline(_LONGEST_LINE)).endswith(b"\n"):
                self._kept += len(raw)
                yield raw[:-1].decode(errors="replace")

    def begin(self, log_begins: int) -> None:
        """The match begins, or goes on, with its log at this byte of its file."""
        self._begun = True
        self._file.cut(self._kept)
        if not self._kept:
            self._file.put([*self._header, f"# log {log_begins}"])

    def again(self, hand: int, betting: Betting) -> tuple[int, float] | None:
        """What was done next, and the seconds it took; None where the file ends."""
        if not self._past:
            return None
        past = self._past.popleft()
        action, complaint = read_action(betting, past.text)
        if past.hand != hand or complaint:
            raise LogError(f"{self._file.path}: {past.text!r} of hand {past.hand} does not fit: {_ANEW}")
        return action, past.seconds

    def add(self, hand: int, text: str, seconds: float) -> None:
        """Keep what is done now, before anybody is told of it."""
        self._file.put([f"{hand}:{text}:{round(1e6 * seconds)}"])

    def over(self, score: str) -> None:
        """The match has come to its end."""
        self._file.put([score])

    def close(self) -> None:
        """Let others write to the file."""
        self._file.close(nothing_came=not self._begun)

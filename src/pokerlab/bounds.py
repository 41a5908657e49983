"""Which numbers make sense: one row a kind, for the command line and for functions alike.

What lies outside is an error in one line before any work, memory or time is spent on it. Bounds are generous: beyond
them a number is a slip, or results would no longer be exact. What a game or a table of this size takes in memory is
asked where that is known (`processes.must_fit`).
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from numbers import Real

from pokerlab.errors import PokerlabError, shown


@dataclass(frozen=True)
class Bound:
    """Numbers from `least` to `most`, whole or not; `above`: more than `least`; `infinite`: or without end."""

    name: str
    least: float
    most: float
    whole: bool = True
    above: bool = False
    infinite: bool = False

    def __str__(self) -> str:
        words = f"{'above ' if self.above else ''}{_text(self.least)} to {_text(self.most)}"
        return f"{words}, inf or -inf" if self.infinite else words

    def problem(self, value: object) -> str | None:
        """What is wrong with a value, if anything: `a whole number from 1 to 10^8 is needed, not 0`."""
        try:
            number = operator.index(value) if self.whole else _real(value)  # type: ignore[arg-type]
        except (TypeError, ValueError, OverflowError):
            number = math.nan
        low = number > self.least if self.above else number >= self.least
        if (low and number <= self.most) or (self.infinite and math.isinf(number)):
            return None
        given = (
            _text(value) if isinstance(value, (int, float)) else shown(value if isinstance(value, str) else repr(value))
        )
        return f"a {'whole ' if self.whole else ''}number {'' if self.above else 'from '}{self} is needed, not {given}"

    def check(self, value: object, name: str = "", error: type[PokerlabError] = PokerlabError) -> None:
        """Refuse a value that makes no sense; None is no value, and fine."""
        problem = None if value is None else self.problem(value)
        if problem is not None:
            raise error(f"{name or self.name}: {problem}")


def _real(value: object) -> float:
    if not isinstance(value, Real):
        raise TypeError
    return float(value)


def _text(number: float) -> str:
    """Large round numbers as powers, and very long ones in short."""
    if isinstance(number, int) and abs(number) > 2**63 - 1:
        return "2^64-1" if number == 2**64 - 1 else f"about {'-' * (number < 0)}10^{_digits(number) - 1}"
    if math.isfinite(number) and abs(number) >= 10**5 and number == 10.0 ** round(math.log10(abs(number))):
        return f"10^{round(math.log10(number))}"
    return f"{number:g}" if isinstance(number, float) else str(number)


def _digits(number: int) -> int:
    """Of a whole number, however long; Python refuses to write very long ones."""
    return int(abs(number).bit_length() * math.log10(2)) + 1


CHIPS = Bound("chips", 0, 10**9)
HANDS = Bound("hands", 1, 10**8)
DEALS = Bound("deals", 1, 10**6)
NEAREST = Bound("nearest", 1, 1000)
FLOPS = Bound("flops", 4, 10**6)
SAMPLES = Bound("samples", 2, 10**6)
DRAWN = Bound("deals", 1000, 10**6)  # of which a tenth may be kept
ROUNDS = Bound("rounds", 1, 1000)
STACK = Bound("stack", 1, 1000, whole=False, above=True)  # in big blinds
MATCHES = Bound("matches", 1, 10**4)
ITERATIONS = Bound("iterations", 1, 10**12)
SEED = Bound("seed", 0, 2**64 - 1)
SECONDS = Bound("seconds", 0, 10**8, whole=False)
WAIT = Bound("seconds", 0, 10**8, whole=False, above=True)
EXPLOITABILITY = Bound("exploitability", 0, 10**9, whole=False)
EXPONENT = Bound("exponent", -20, 20, whole=False, infinite=True)
WEIGHT = Bound("exponent", 0, 20, whole=False)
STEP_SIZE = Bound("step_size", 0, 10**6, whole=False, above=True)
THREADS = Bound("threads", 1, 256)
PROCESSES = Bound("processes", 1, 256)
MEMORY = Bound("memory", 0, 10**6, whole=False, above=True)  # GiB
PORT = Bound("port", 1, 65535)
LISTENED = Bound("port", 0, 65535)  # 0: any that is free
INVALID = Bound("invalid actions", 0, 10**9)
RESPONSE = Bound("response", 1, 3)
BUCKETS = Bound("buckets", 1, 1000)
SHARE = Bound("share", 0, 1, whole=False)
PERCENT = Bound("per cent", 0, 10**6, whole=False)
GENERATIONS = Bound("generations", 1, 10**5)
HIDDEN = Bound("hidden", 1, 1000)
LARGER = Bound("larger", 1, 1000)

_times: ContextVar[int] = ContextVar("times", default=1)


@contextmanager
def larger_games(times: int) -> Iterator[None]:
    """Allow games so many times as large as usual: deals, nodes of betting or of a tree, entries of matrices.

    The limits are where a game takes minutes, or gigabytes; beyond them one should know what one asks for.
    """
    LARGER.check(times)
    before = _times.set(int(times))
    try:
        yield
    finally:
        _times.reset(before)


def room(limit: int) -> int:
    """A limit of a game's size, as `larger_games` has raised it."""
    return limit * _times.get()


def raising(beyond: float = 10) -> str:
    """How to allow a game that is so many times as large as is allowed now, for a message; 10 where nobody knows.

    Nothing where no raised limit would do.
    """
    times = _times.get() * beyond
    if times > LARGER.most:
        return ""
    return f", or allow games {math.ceil(times)} times as large as usual (--larger {math.ceil(times)})"

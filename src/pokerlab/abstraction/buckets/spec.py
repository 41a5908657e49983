"""What a card abstraction of hold'em is to be, as text: how to bucket each street, and what is remembered.

    169/potential:1000/potential:1000/kmeans:1000       preflop / flop / turn / river
    percentile:5/percentile:5/percentile:5/percentile:5

    lossless (or 169)     every canonical hand by itself: before the flop, or on the flop
    fixed:K               K ranges of E[HS] of the same width
    percentile:K          K buckets with the same number of deals, by E[HS]
    nested:KxJ            K buckets by E[HS^2], each divided into J by E[HS]
    kmeans:K              K clusters of E[HS], the best there are
    distribution:K        K clusters of hands with similar distributions of the strength on the river
    potential:K           K clusters of hands with similar chances of the next street's clusters
    NAME:K                K buckets of E[HS] as the function NAME of a user's package cuts them (`DIVISIONS`)
    my_lab:halving:K      K buckets of E[HS] as the function `halving` of the module my_lab cuts them

With perfect recall a hand is bucketed among the hands with its past, and K is the number of children of each parent
bucket; `3+4+5` gives each parent its own number (history bucketing), and `total=100` shares 100 out by an integer
program so that the error is least.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from pokerlab.bounds import SEED
from pokerlab.cards.deck import STREETS
from pokerlab.errors import AbstractionError
from pokerlab.reading import read_bytes
from pokerlab.registry import Registry, is_function_of, is_place

# Of strengths, ascending, their weights and a number k: the bucket of each, 0 to k - 1, ascending.
DIVISIONS: Registry[Callable[[np.ndarray, np.ndarray, int], np.ndarray]] = Registry(
    "bucketing",
    {
        "fixed": "pokerlab.abstraction.buckets.divide:by_width",
        "percentile": "pokerlab.abstraction.buckets.divide:by_share",
        "kmeans": "pokerlab.abstraction.buckets.divide:by_cluster",
    },
    error=AbstractionError,
    wrong=is_function_of("strengths, their weights and a number of buckets"),
)
METHODS = ("lossless", "nested", "distribution", "potential")  # beside those
SHARED_OUT = ("kmeans", "distribution", "potential")  # methods with an error to minimise
NAMED = {
    "range-of-skill": ("percentile:5/percentile:5/percentile:5/percentile:5", True),
    "range-of-skill-10": ("percentile:10/percentile:10/percentile:10/percentile:10", True),
    "potential-1000": ("169/potential:1000/potential:1000/kmeans:1000", False),
}
MOST = 50_000  # buckets on a street, more than any table of strategies here could use; on the river 20 times that
MOST_AHEAD = 5_000  # clusters to look ahead to: all distances between them are needed
_MOST_SOURCE = 1 << 26  # bytes of a user's module
HANDS = (169, 1_286_792)  # canonical ones before the flop and on it


@dataclass(frozen=True)
class Bucketing:
    """How one street is bucketed. `counts` has one number, or one for each parent; `total` shares it out."""

    method: str
    counts: tuple[int, ...] = ()
    inner: int = 1  # nested: parts of each of the counts
    total: bool = False

    @property
    def text(self) -> str:
        if self.method == "lossless":
            return "lossless"
        counts = "+".join(map(str, self.counts))
        return f"{self.method}:{'total=' * self.total}{counts}{f'x{self.inner}' if self.method == 'nested' else ''}"


@dataclass(frozen=True)
class Spec:
    """A card abstraction to be built: the same text, recall and seed always give the same buckets."""

    streets: tuple[Bucketing, Bucketing, Bucketing, Bucketing]
    perfect_recall: bool
    seed: int = 1

    @property
    def text(self) -> str:
        return "/".join(street.text for street in self.streets)

    @property
    def recall(self) -> str:
        return "perfect" if self.perfect_recall else "imperfect"


def parse_spec(text: str, *, perfect_recall: bool | None = None, seed: int = 1) -> Spec:
    """A spec from text or from a name of `NAMED`; recall is perfect unless said otherwise or the name says so."""
    if text in NAMED:
        text, recall = NAMED[text]
        perfect_recall = recall if perfect_recall is None else perfect_recall
    parts = text.split("/")
    if len(parts) != 4:
        known = ", ".join(NAMED)
        raise AbstractionError(
            f"a card abstraction has four streets, as in a/b/c/d, or is one of {known}; got {text!r}"
        )
    SEED.check(seed, error=AbstractionError)
    streets = [parse_bucketing(part.strip(), street) for part, street in zip(parts, STREETS, strict=True)]
    spec = Spec((streets[0], streets[1], streets[2], streets[3]), perfect_recall is not False, seed)
    _check(spec)
    return spec


def code_of(spec: Spec) -> str:
    """What tells apart the code of users' bucketings, empty where a spec has none: it may change under its name.

    They are imported for it, so that one that is missing or no function is refused here, before any work.
    """
    cuts = [DIVISIONS[how.method] for how in spec.streets if how.method not in METHODS]
    modules = {getattr(cut, "__module__", None) or type(cut).__module__ for cut in cuts}
    theirs = sorted(module for module in modules if module.partition(".")[0] != "pokerlab")
    files = [file for module in theirs if (file := getattr(sys.modules.get(module), "__file__", None))]
    sources = [read_bytes(file, most=_MOST_SOURCE, error=AbstractionError) for file in files]
    return "".join(f" {hashlib.sha256(source).hexdigest()[:16]}" for source in sources)


def _check(spec: Spec) -> None:
    """That the streets fit together: numbers of children, and what clusters look ahead to."""
    before, sure = 1, True  # buckets on the street before; an integer program may make fewer than it could
    for street, (name, how) in enumerate(zip(STREETS, spec.streets, strict=True)):
        if (how.total or len(how.counts) > 1) and not (street and spec.perfect_recall):
            raise AbstractionError(f"{name}: {how.text} shares children out among parents: it needs perfect recall")
        if how.method == "lossless" and street and spec.perfect_recall:
            raise AbstractionError("flop: every hand by itself needs imperfect recall: its bucket would be its past")
        if len(how.counts) > 1 and sure and len(how.counts) != before:
            raise AbstractionError(f"{name}: {len(how.counts)} numbers of children for {before} parents in {how.text}")
        if how.total and how.counts[0] < before:
            raise AbstractionError(f"{name}: {how.text} is less than one child for each of {before:,} parents")
        count = sum(how.counts) * how.inner
        if how.method == "lossless":
            count = HANDS[street]
        elif spec.perfect_recall and len(how.counts) == 1 and not how.total:
            count *= before
        limit = 20 * MOST if name == "river" else MOST if street else HANDS[0]
        if count > limit and how.method != "lossless":
            raise AbstractionError(f"{name}: {how.text} makes {count:,} buckets; {limit:,} are the most")
        looked_at = name in ("flop", "turn") and spec.streets[street - 1].method == "potential"
        if looked_at and count > MOST_AHEAD and not spec.perfect_recall:
            earlier = STREETS[street - 1]
            raise AbstractionError(f"{earlier}: {count:,} buckets of the {name} are too many to look ahead to")
        before, sure = count, len(how.counts) > 1 or (sure and not how.total)


def parse_bucketing(text: str, street: str) -> Bucketing:
    """Read how one street is bucketed."""
    if text in ("lossless", "169"):
        if street not in ("preflop", "flop") or (text == "169" and street != "preflop"):
            raise AbstractionError(f"{street}: every hand by itself is too many; give a method and a number")
        return Bucketing("lossless")
    method, colon, number = text.rpartition(":")
    if not colon or (method not in METHODS and method not in DIVISIONS and not is_place(method)):
        known = ", ".join((*DIVISIONS, *METHODS))
        raise AbstractionError(f"{street}: {text!r} is no bucketing; one is, say, percentile:5 ({known})")
    total = number.startswith("total=")
    if total and method not in SHARED_OUT:
        raise AbstractionError(f"{street}: {method} has no error to share a total out by; {', '.join(SHARED_OUT)} have")
    outer, cross, inner = number.removeprefix("total=").partition("x")
    if bool(cross) != (method == "nested"):
        raise AbstractionError(f"{street}: numbers are 5 or 3+4+5, and KxJ for nested; got {text!r}")
    counts = tuple(_number(word, street, text) for word in outer.split("+"))
    if street == "river" and method in ("potential", "distribution"):
        raise AbstractionError(f"river: nothing is to come, so that {method} has no meaning; use kmeans or percentile")
    if street == "preflop" and method == "distribution":
        raise AbstractionError("preflop: distribution is for flop and turn; before the flop use potential")
    return Bucketing(method, counts, _number(inner, street, text) if cross else 1, total)


def _number(word: str, street: str, text: str) -> int:
    if not word.isdecimal() or not 1 <= int(word) <= MOST:
        raise AbstractionError(f"{street}: {text!r}: a number of buckets is from 1 to {MOST:,}, not {word!r}")
    return int(word)

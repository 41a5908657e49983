"""Hands by what they have made of a board and what they draw to, as filters: the words of `cards.texture`, and groups.

    hands_like("flush draw, top pair", "Qs Jh 2h")              # a truth value for each of the 1,326 hands

A comma means *or*, `+` means *and*, and `not` before a name the opposite: `top pair + flush draw, set, not pair`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np

from pokerlab.cards.deck import Deck
from pokerlab.cards.texture import FLUSH_DRAWS, MADE, PARTS, STRAIGHT_DRAWS, categories
from pokerlab.errors import SpotError, shown

_DECK = Deck()
_KICKER = re.compile(r",\s*(?=(?:weak|good|top) kicker)")  # the one comma inside names: top pair, weak kicker
_OUTS = ("flush draw", "nut flush draw")
_NOTHING = ("plays the board", "no pair", "one overcard", "two overcards")

# Names of their own that stand for several of texture's; a part is (made, flush draw, straight draw) of a category.
Part = tuple[str, str, str]
_GROUPS: dict[str, Callable[[Part], bool]] = {
    "overcards": lambda part: part[0].endswith(("overcard", "overcards")),
    "pair": lambda part: (
        part[0].endswith(("underpair", "overpair", "low pair", "second pair", "kicker"))
        and not part[0].startswith("trips")
    ),
    "top pair": lambda part: part[0].startswith("top pair"),
    "two pair": lambda part: part[0].endswith("two pair"),
    "trips": lambda part: part[0].startswith("trips"),
    "set": lambda part: part[0].endswith("set"),
    "straight": lambda part: part[0] in ("straight", "nut straight"),
    "flush": lambda part: part[0] in ("small flush", "good flush", "nut flush"),
    "full house": lambda part: part[0].startswith("full house"),
    "flush draw": lambda part: part[1] in _OUTS,
    "straight draw": lambda part: part[2] != "",
    "draw": lambda part: part[1] in _OUTS or part[2] != "",
    "combo draw": lambda part: part[1] in _OUTS and part[2] != "",
    "air": lambda part: part[0] in _NOTHING and part[1] not in _OUTS and not part[2],
}


def _plain(name: str) -> str:
    return name.replace(",", "")


NAMES = tuple(dict.fromkeys([*map(_plain, filter(None, (*MADE, *FLUSH_DRAWS, *STRAIGHT_DRAWS))), *_GROUPS]))


@lru_cache(maxsize=1)
def _meaning() -> dict[str, np.ndarray]:
    """Which categories each name stands for; the last row, category -1, is of hands that the board makes impossible."""
    meaning = {}
    for name in NAMES:
        group = _GROUPS.get(name)
        own = [group(part) if group else name in map(_plain, part) for part in PARTS]
        meaning[name] = np.array([*own, False])
    return meaning


@lru_cache(maxsize=256)
def categories_on(board: tuple[int, ...]) -> np.ndarray:
    """`texture.categories`, remembered: each of the 1,326 hands' category, -1 where the board has one of its cards."""
    numbers = categories(board)
    numbers.setflags(write=False)
    return numbers


def hands_like(text: str, board: str | Sequence[int]) -> np.ndarray:
    """(1,326) whether each hand is what a filter says, on a board; an empty filter is every hand that is possible."""
    numbers = categories_on(_DECK.cards(board) if isinstance(board, str) else tuple(board))
    chosen = np.zeros(len(numbers), dtype=bool)
    terms = [term for term in _KICKER.sub(" ", text).split(",") if term.strip()]
    for term in terms:
        chosen |= np.logical_and.reduce([_one(name, text, numbers) for name in term.split("+")])
    return chosen if terms else np.asarray(numbers >= 0)


def check_filter(text: str) -> None:
    """Raise SpotError unless a filter can be read, on whatever board."""
    hands_like(text, (0, 5, 10))


def _one(word: str, text: str, numbers: np.ndarray) -> np.ndarray:
    name = " ".join(word.lower().split())
    positive = name.removeprefix("not ")
    if positive not in _meaning():
        raise SpotError(
            f"no hands are called {shown(positive)} in the filter {shown(text)}; there are {', '.join(NAMES)}"
        )
    mask = _meaning()[positive][numbers]
    return mask if positive == name else ~mask & (numbers >= 0)

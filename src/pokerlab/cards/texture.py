"""What a board looks like, and what a hand has made of it, in classes that a player would name.

`texture` is the thesis of Rubin (2013), Table 3.5: whether opponents may have a flush or a straight, possible with two
cards of their own or *highly possible* with one; `SIMILARITY` is its Figure 3.3.

`category` is ours: the 284 hand categories of the thesis (section 3.3.2) are not published. As there, a category says
what the hand is, here relative to the board, together with its drawing potential.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from functools import lru_cache
from itertools import product

import numpy as np

from pokerlab.cards.deck import Deck
from pokerlab.cards.evaluator import evaluator
from pokerlab.cards.holes import HOLES
from pokerlab.errors import CardError

Cards = tuple[int, ...]

_DECK = Deck()
_WHEEL = 0b1000000001111  # ace, and two to five
_STRAIGHTS = [(_WHEEL, 3), *((0b11111 << low, low + 4) for low in range(9))]  # ranks, top; lowest first


class Texture(IntEnum):
    """The classes of Table 3.5, in its order."""

    NO_SALIENT = 0
    FLUSH_POSSIBLE = 1
    STRAIGHT_POSSIBLE = 2
    FLUSH_POSSIBLE_STRAIGHT_POSSIBLE = 3
    STRAIGHT_HIGHLY_POSSIBLE = 4
    FLUSH_POSSIBLE_STRAIGHT_HIGHLY_POSSIBLE = 5
    FLUSH_HIGHLY_POSSIBLE = 6
    FLUSH_HIGHLY_POSSIBLE_STRAIGHT_POSSIBLE = 7
    FLUSH_HIGHLY_POSSIBLE_STRAIGHT_HIGHLY_POSSIBLE = 8

    @property
    def key(self) -> str:
        """Its letter in the table, A to I."""
        return "ABCDEFGHI"[self]

    @property
    def label(self) -> str:
        return self.name.replace("_STRAIGHT", ", STRAIGHT").replace("_", " ").capitalize().removeprefix(", ")


# Figure 3.3, as published: hand picked by its author.
SIMILARITY = np.array([
    [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [0.0, 1.0, 0.8, 0.7, 0.0, 0.0, 0.0, 0.0, 0.0],
    [0.0, 0.8, 1.0, 0.7, 0.0, 0.0, 0.0, 0.0, 0.0],
    [0.0, 0.7, 0.7, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [0.0, 0.0, 0.0, 0.0, 1.0, 0.8, 0.7, 0.0, 0.6],
    [0.0, 0.0, 0.0, 0.0, 0.8, 1.0, 0.7, 0.0, 0.5],
    [0.0, 0.0, 0.0, 0.0, 0.7, 0.7, 1.0, 0.8, 0.8],
    [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.8, 1.0, 0.8],
    [0.0, 0.0, 0.0, 0.0, 0.6, 0.5, 0.8, 0.8, 1.0],
])  # fmt: skip
SIMILARITY.setflags(write=False)

_BY_LEVELS = np.array([[0, 2, 4], [1, 3, 5], [6, 7, 8]])  # [flush level][straight level]


def texture(board: str | Sequence[int]) -> Texture:
    """The class of a board of three to five cards.

    A flush (straight) is possible with three cards of a suit (three ranks of one straight), and highly possible with
    four or five. Aces count as high and low.
    """
    cards = _board(board)
    flush = max(sum(card % 4 == suit for card in cards) for suit in range(4))
    mask = _ranks(cards)
    straight = max((mask & ranks).bit_count() for ranks, _ in _STRAIGHTS)
    return Texture(int(_BY_LEVELS[min(max(flush - 2, 0), 2), min(max(straight - 2, 0), 2)]))


def _board(board: str | Sequence[int]) -> Cards:
    cards = _DECK.cards(board) if isinstance(board, str) else tuple(board)
    if not 3 <= len(cards) <= 5 or len({*cards}) < len(cards) or not all(0 <= card < 52 for card in cards):
        raise CardError(f"a board here has three to five different cards of 52, not {board!r}")
    return cards


def _ranks(cards: Sequence[int]) -> int:
    """The ranks of these cards, a bit each."""
    mask = 0
    for card in cards:
        mask |= 1 << card // 4
    return mask


@lru_cache(maxsize=1)
def _tops() -> list[int]:
    """The top rank of the best straight in each set of ranks; -1 if there is none."""
    return [max((top for ranks, top in _STRAIGHTS if mask & ranks == ranks), default=-1) for mask in range(8192)]


# What the hole cards have made of the board, weakest first. A pair, two pair or trips that is on the board alone does
# not count, nor does a pair that two higher pairs leave without use.
_UNPAIRED = ("no pair", "one overcard", "two overcards")
_PAIRS = (
    "underpair", "low pair", "second pair", "top pair, weak kicker", "top pair, good kicker", "top pair, top kicker",
    "overpair",
)  # fmt: skip
_MORE = ("two pair", "top two pair", "trips, weak kicker", "trips, good kicker", "lower set", "top set")
_STRAIGHT = ("straight", "nut straight")
_COMPLETE = (
    "small flush", "good flush", "nut flush", "full house with trips of the board", "full house", "quads",
    "straight flush",
)  # fmt: skip
MADE = ("plays the board", *_UNPAIRED, *_PAIRS, *_MORE, *_STRAIGHT, *_COMPLETE)
FLUSH_DRAWS = ("", "backdoor flush draw", "flush draw", "nut flush draw")
STRAIGHT_DRAWS = ("", "gutshot", "open-ended")


def _never(made: str, flush: str, straight: str) -> bool:
    """What no flop or turn has: of all of them, gone through up to suits."""
    backdoor, nut, wide = flush == FLUSH_DRAWS[1], flush == FLUSH_DRAWS[3], straight == STRAIGHT_DRAWS[2]
    if made in (
        "two pair",
        "top two pair",
        "lower set",
        "top set",
    ):  # the board has both ranks: the draw is everybody's
        return bool(straight) or (backdoor and made.endswith("set"))
    if made in ("underpair", "overpair") and backdoor:  # a pair is never suited
        return True
    if made.startswith("trips"):
        return (backdoor and bool(straight)) or (nut and wide)
    if made == "top pair, top kicker":
        return wide
    return (made in ("underpair", "low pair", "second pair", "overpair") and nut and wide) or (
        made == "underpair" and nut and not straight
    )


def _all_categories() -> list[tuple[str, str, str]]:
    """(made, flush draw, straight draw), as far as they can come together."""
    drawing = product((*_UNPAIRED, *_PAIRS, *_MORE), FLUSH_DRAWS, STRAIGHT_DRAWS)
    return [
        ("plays the board", "", ""),
        *(category for category in drawing if not _never(*category)),
        *((made, flush, "") for made in _STRAIGHT for flush in FLUSH_DRAWS if flush != "backdoor flush draw"),
        *((made, "", "") for made in _COMPLETE),
    ]


PARTS = _all_categories()  # what is made, flush draw and straight draw of a category, by its number
_NUMBER = {category: number for number, category in enumerate(PARTS)}
CATEGORIES = tuple(" + ".join(filter(None, category)) for category in PARTS)  # names, by number


def category(hole: str | Sequence[int], board: str | Sequence[int]) -> int:
    """The number of a hand's category on a flop, turn or river; `CATEGORIES` has the names.

    Numbers go from weak to strong made hands, and from no draw to good ones among these. A *backdoor* flush draw (flop
    only) has both hole cards and one of the board. A straight draw is a gutshot if cards of one rank complete it, and
    open-ended if those of two or more do; hole cards must take part. Nut straights and nut flushes are the best of
    their kind, whatever else is possible.
    """
    shown = _board(board)
    own = _DECK.cards(hole) if isinstance(hole, str) else tuple(hole)
    if len(own) != 2 or len({*own, *shown}) < len(shown) + 2 or not all(0 <= card < 52 for card in own):
        raise CardError(f"a hand here is two cards that are not on the board, not {hole!r} with {board!r}")
    mine, theirs = _by_suit(own), _by_suit(shown)
    made = _made(own, shown, mine, theirs)
    if made in _COMPLETE or len(shown) == 5:
        return _NUMBER[made, "", ""]
    flush = _flush_draw(mine, theirs, len(shown))
    if made in _STRAIGHT:
        return _NUMBER[made, "" if flush == "backdoor flush draw" else flush, ""]
    return _NUMBER[made, flush, _straight_draw(_ranks(own), _ranks(shown))]


def _by_suit(cards: Cards) -> list[int]:
    """The ranks of these cards, a mask a suit."""
    masks = [0, 0, 0, 0]
    for card in cards:
        masks[card % 4] |= 1 << card // 4
    return masks


def _made(own: Cards, shown: Cards, mine: list[int], theirs: list[int]) -> str:
    """The best that the hole cards have made, as in `MADE`."""
    if len(shown) == 5 and _value(own + shown) == _value(shown):
        return "plays the board"
    board_counts = [0] * 13
    for card in shown:
        board_counts[card // 4] += 1
    board_mask, ranks = _ranks(shown), (own[0] // 4, own[1] // 4)
    suited = _suited(mine, theirs)
    alike = _alike(ranks, board_counts)
    if suited == "straight flush" or alike.startswith(("quads", "full house")):
        return suited if suited == "straight flush" else alike
    top = _tops()[board_mask | _ranks(own)]
    if not suited and top > _tops()[board_mask]:
        best = max(end for straight, end in _STRAIGHTS if (straight & ~board_mask).bit_count() <= 2)
        return "nut straight" if top == best else "straight"
    return suited or alike or _paired(ranks, board_counts)


def _value(cards: Cards) -> object:
    return evaluator(13, 4, "poker", len(cards))(cards)


def _suited(mine: list[int], theirs: list[int]) -> str:
    """A flush or a straight flush that a hole card takes part in."""
    for own, board in zip(mine, theirs, strict=True):
        if own and (own | board).bit_count() >= 5:
            if _tops()[own | board] > _tops()[board]:
                return "straight flush"
            place = _place(own.bit_length() - 1, board)
            return "nut flush" if place == 0 else "good flush" if place <= 2 else "small flush"
    return ""


def _place(rank: int, board_mask: int) -> int:
    """How many ranks above this one are not on the board: 0 is the best card to have."""
    return ((~board_mask & 0x1FFF) >> rank + 1).bit_count()


def _alike(ranks: tuple[int, int], board_counts: list[int]) -> str:
    """Three or more of a rank, or a full house, that a hole card takes part in."""
    if 4 in board_counts:
        return ""
    counts = [count + ranks.count(rank) for rank, count in enumerate(board_counts)]
    if any(counts[rank] == 4 for rank in ranks):
        return "quads"
    trips = max((rank for rank in range(13) if counts[rank] == 3), default=-1)
    if trips < 0:
        return ""
    if any(count >= 2 and rank != trips for rank, count in enumerate(counts)):
        return "full house" if trips in ranks else "full house with trips of the board"
    if trips not in ranks:
        return ""
    if ranks[0] == ranks[1]:
        return "lower set" if any(board_counts[trips + 1 :]) else "top set"
    other = ranks[0] if ranks[1] == trips else ranks[1]
    return "trips, good kicker" if _place(other, _present(board_counts)) <= 2 else "trips, weak kicker"


def _present(counts: list[int]) -> int:
    return sum(1 << rank for rank, count in enumerate(counts) if count)


def _paired(ranks: tuple[int, int], board_counts: list[int]) -> str:
    """Pairs that a hole card takes part in; without one, cards above the board's."""
    mask = _present(board_counts)
    pairs = [rank for rank in range(12, -1, -1) if board_counts[rank] + ranks.count(rank) >= 2]
    playing = [] if 4 in board_counts else [rank for rank in pairs[:2] if rank in ranks]
    if not playing:
        return _UNPAIRED[sum(rank >= mask.bit_length() for rank in ranks)]
    above = (mask >> playing[0] + 1).bit_count()
    if ranks[0] == ranks[1] and above == mask.bit_count():
        return "underpair"
    if len(playing) == 2:
        return "top two pair" if (mask >> playing[1]).bit_count() == 2 else "two pair"
    if above:
        return "second pair" if above == 1 else "low pair"
    if ranks[0] == ranks[1]:
        return "overpair"
    place = _place(ranks[0] if ranks[1] == playing[0] else ranks[1], mask)
    return f"top pair, {'top' if place == 0 else 'good' if place <= 2 else 'weak'} kicker"


def _flush_draw(mine: list[int], theirs: list[int], shown: int) -> str:
    best = ""
    for own, board in zip(mine, theirs, strict=True):
        cards = (own | board).bit_count()
        if own and cards == 4:
            return "nut flush draw" if _place(own.bit_length() - 1, board) == 0 else "flush draw"
        if cards == 3 and shown == 3 and own.bit_count() == 2:
            best = "backdoor flush draw"
    return best


def _straight_draw(own: int, board: int) -> str:
    tops = _tops()
    ways = sum(tops[own | board | 1 << rank] > tops[board | 1 << rank] for rank in range(13))
    return STRAIGHT_DRAWS[min(ways, 2)]


def categories(board: str | Sequence[int]) -> np.ndarray:
    """The category of each of the 1,326 hands on a board; -1 where a card is on it."""
    shown = _board(board)
    return np.array([-1 if {*hole} & {*shown} else category(hole, shown) for hole in HOLES.tolist()], dtype=np.int16)

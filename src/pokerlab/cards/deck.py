"""A deck of ranks and suits, and the text of its cards.

A card is the integer `rank * number of suits + suit`; rank 0 is the lowest. Text is rank then suit,
as in `Th`. Reduced decks of the competition use the top ranks and the last suits.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from pokerlab.errors import CardError

STANDARD_RANKS = "23456789TJQKA"
STANDARD_SUITS = "cdhs"
STREETS = ("preflop", "flop", "turn", "river")
_MANY_RANKS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_MANY_SUITS = "abcdefghijklmnopqrstuvwxyz"


def rank_names(n: int, top: str = "A") -> str:
    """Names of `n` ranks, lowest first: the standard ones that end at `top`, if there are enough."""
    end = len(STANDARD_RANKS) if n == len(STANDARD_RANKS) else STANDARD_RANKS.index(top) + 1
    if n <= end:
        return STANDARD_RANKS[end - n : end]
    if n <= len(_MANY_RANKS):
        return _MANY_RANKS[:n]
    raise CardError(f"a deck can have at most {len(_MANY_RANKS)} ranks, not {n}")


def suit_names(n: int) -> str:
    """Names of `n` suits: the last of clubs, diamonds, hearts, spades, or letters when there are more."""
    if n <= len(STANDARD_SUITS):
        return STANDARD_SUITS[-n:]
    if n <= len(_MANY_SUITS):
        return _MANY_SUITS[:n]
    raise CardError(f"a deck can have at most {len(_MANY_SUITS)} suits, not {n}")


@lru_cache(maxsize=64)
def _card_names(ranks: str, suits: str) -> list[str]:
    return [rank + suit for rank in ranks for suit in suits]


@dataclass(frozen=True)
class Deck:
    """Named ranks (lowest first) times named suits."""

    ranks: str = STANDARD_RANKS
    suits: str = STANDARD_SUITS

    def __len__(self) -> int:
        return len(self.ranks) * len(self.suits)

    def rank(self, card: int) -> int:
        return card // len(self.suits)

    def suit(self, card: int) -> int:
        return card % len(self.suits)

    def text(self, cards: Iterable[int]) -> str:
        """The cards' text, one after the other: `Th9h`."""
        names = _card_names(self.ranks, self.suits)
        return "".join([names[card] for card in cards])

    def cards(self, text: str) -> tuple[int, ...]:
        """The cards named by text such as `Th9h`; spaces are allowed between cards."""
        squeezed = text.replace(" ", "")
        if len(squeezed) % 2:
            raise CardError(f"cards are two characters each, rank and suit; got {text!r}")
        cards = []
        for rank, suit in zip(squeezed[::2], squeezed[1::2], strict=True):
            if rank not in self.ranks or suit not in self.suits:
                raise CardError(f"no card {rank + suit!r} in a deck of ranks {self.ranks}, suits {self.suits}")
            cards.append(self.ranks.index(rank) * len(self.suits) + self.suits.index(suit))
        if len(set(cards)) < len(cards):
            raise CardError(f"a card is named twice in {text!r}")
        return tuple(cards)

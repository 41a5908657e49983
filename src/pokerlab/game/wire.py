"""Cards as the competition names them, on its wire and in its logs.

There they are the top ranks and last suits of a standard deck, whatever the game calls them itself: the three ranks of
Leduc are Q, K, A there and J, Q, K in pokerlab's catalogue. A card is the same number in both.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache

from pokerlab.cards.deck import Deck, rank_names, suit_names
from pokerlab.errors import CardError, shown
from pokerlab.game.hand import Hand, View
from pokerlab.game.rules import Rules


@lru_cache(maxsize=64)
def wire_rules(rules: Rules) -> Rules:
    """The same game with the competition's card names."""
    deck = Deck(rank_names(len(rules.deck.ranks)), suit_names(len(rules.deck.suits)))
    return rules if deck == rules.deck else replace(rules, deck=deck)


def wire_cards(cards: Hand | View) -> str:
    """The cards of a hand, or those that a seat may know, named as on the wire."""
    return cards._replace(rules=wire_rules(cards.rules)).cards_text()


def own_names(rules: Rules, cards: str) -> str:
    """Cards named as on the wire, named as the game does."""
    deck = wire_rules(rules).deck
    if deck == rules.deck:
        return cards
    if " " in cards:
        raise CardError(f"cards {shown(cards)}: no spaces are allowed")
    return re.sub("[^|/]+", lambda word: rules.deck.text(deck.cards(word[0])), cards)

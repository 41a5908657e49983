"""Locked nodes: play that is fixed, written where the solver keeps its regrets and never changed there."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pokerlab.cards.deck import Deck
from pokerlab.cards.holes import COUNT
from pokerlab.cards.ranges import Range
from pokerlab.errors import CardError, SpotError
from pokerlab.refine.spots.spot import PLAYERS, Lock, Spot, line_words
from pokerlab.refine.spots.tree import BettingTree, Node

_DECK = Deck()
DEAL = "deal"


def find_node(tree: BettingTree, line: str | Sequence[str]) -> tuple[Node, tuple[int | None, ...]]:
    """The node that a line leads to, and the cards dealt on the way; None for `deal`, which is any card.

    After a deal the line may end: then the node is the first decision of the street.
    """
    words = line_words(line) if isinstance(line, str) else tuple(line)
    node, cards = tree[0], []
    for word in words:
        if node.kind == "deal":
            cards.append(_card(word, tree, node))
            node = tree[node.children[0]]
        elif word in node.labels:
            node = tree[node.children[node.labels.index(word)]]
        else:
            there = ", ".join(tree.line(node.index)) or "the start"
            raise SpotError(f"no {word!r} after {there}; there is {', '.join(node.labels) or 'nothing to do'}")
    return node, tuple(cards)


def find_decision(spot: Spot, line: str | Sequence[str]) -> tuple[Node, tuple[int, ...]]:
    """The decision that a line leads to on one board, and the cards dealt on the way."""
    tree = spot.tree()
    node, cards = find_node(tree, line)
    if node.kind == "deal":
        raise SpotError(f"after {', '.join(tree.line(node.index))} a card comes: name it, such as 7d")
    if node.kind != "decision":
        raise SpotError(f"the hand is over after {', '.join(tree.line(node.index))}: there is no decision")
    dealt = list(spot.board)
    for card in cards:
        if card is None or card in dealt:
            given = DEAL if card is None else f"{_DECK.text([card])}, which is on the board"
            raise SpotError(f"a decision is on one board: name a card that is not there yet, such as 7d, not {given}")
        dealt.append(card)
    return node, tuple(dealt[len(spot.board) :])


def _card(word: str, tree: BettingTree, node: Node) -> int | None:
    if word == DEAL:
        return None
    try:
        (card,) = _DECK.cards(word)
    except (CardError, ValueError):
        there = ", ".join(tree.line(node.index))
        raise SpotError(f"after {there} comes a card, such as 7d, or the word deal for any; not {word!r}") from None
    return card


def lock_weights(lock: Lock, spot: Spot) -> tuple[Node, tuple[int | None, ...], np.ndarray]:
    """A lock's node, its cards, and the probability of each action for each of the 1,326 hands; 0 where it is free.

    It may name hands of the range that the board makes impossible, so that one lock does for many boards.
    """
    node, cards = find_node(spot.tree(), lock.line)
    where = f"the lock at {', '.join(lock.line) or 'the start'}"
    if node.kind != "decision":
        raise SpotError(f"{where} is at no decision: nobody acts there")
    weights, held = np.zeros((len(node.labels), COUNT)), spot.ranges[node.player].weights > 0
    for action, how in lock.play.items():
        if action not in node.labels:
            raise SpotError(f"{where} has no action {action!r}; there is {', '.join(node.labels)}")
        if isinstance(how, Range) and not how.weights[held].any():
            raise SpotError(f"{where}: {PLAYERS[node.player]} has none of the hands that are to {action}: {how.text()}")
        weights[node.labels.index(action)] = how.weights if isinstance(how, Range) else how
    total = weights.sum(axis=0)
    if not total.any():
        raise SpotError(f"{where} fixes nothing: give an action a probability or a range")
    return node, cards, np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)

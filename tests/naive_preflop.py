"""The slow, obvious twin of the game before the flop: every pair of hands and every board as an explicit tree.

Only betting (`Preflop.tree`, `Spot.tree`) and what was drawn are shared with the solver. Where the cards that two hands
may meet have weights that do not add up to 1, it is a matter of stakes: they are dealt by their shares of W, and from
there on it is played for W times the chips.
"""

from __future__ import annotations

import numpy as np

from pokerlab.cards.deck import Deck
from pokerlab.cards.evaluator import board_values
from pokerlab.cards.holes import HOLES, class_name, classes
from pokerlab.cards.matchups import preflop_signs
from pokerlab.form.extensive import Chance, Decision, Terminal

DECK = Deck()


class NaivePreflop:
    """`root()` is the tree; player 0 sits in the big blind."""

    def __init__(self, game, flops):
        self.game, self.tree, self.spots = game, game.tree, {}
        self.weights = {}  # of each board: that of its last card, or of the flop, given what lay there before
        for flop in flops:
            self.weights[flop.cards] = flop.weight
            for board, cards in flop.runouts.items():
                left = 52 - len(board)
                for card in cards:
                    self.weights[*board, card] = left / (left - 4) / len(cards)
        self.strength = {board: board_values(board) for board in self.weights if len(board) == 5}

    def root(self):
        first, second = (hands.weights for hands in self.game.ranges)
        odds, children = [], []
        for i in np.flatnonzero(first):
            for j in np.flatnonzero(second):
                if not {*HOLES[i]} & {*HOLES[j]}:
                    odds.append(first[i] * second[j])
                    children.append(self.before((int(i), int(j)), 0))
        return Chance(list(np.array(odds) / sum(odds)), children)

    def before(self, hands, index):
        node = self.tree[index]
        if node.kind == "decision":
            kind = class_name(int(classes()[hands[node.player]]))
            return Decision(
                node.player, f"{node.index} {kind}", node.labels, [self.before(hands, child) for child in node.children]
            )
        if node.kind == "fold":
            return Terminal(-node.put[0] if node.player == 0 else node.put[1])
        if node.kind == "showdown":
            return Terminal(min(node.put) * float(preflop_signs()[hands]))
        drawn = 0.0
        for board in self.strength:
            weight = np.prod([self.weights[board[:size]] for size in (3, 4, 5)])
            drawn += weight * self.sign(hands, board) * self.free(hands, board)
        amends = sum(node.put) / 2 * (float(preflop_signs()[hands]) - drawn)
        return self.deal(hands, index, (), 0, 1.0, amends)

    def free(self, hands, board):
        return not {*board} & {int(card) for hand in hands for card in HOLES[hand]}

    def sign(self, hands, board):
        mine, theirs = (int(self.strength[board][hand]) for hand in hands)
        return (mine > theirs) - (mine < theirs)

    def deal(self, hands, leaf, board, place, stakes, amends):
        """The flop, or the next card."""
        size = 3 if not board else len(board) + 1
        after = [each for each in self.weights if len(each) == size and each[: len(board)] == board]
        longer = [each for each in after if self.free(hands, each)]
        odds = np.array([self.weights[each] for each in longer])
        if not longer:
            return Terminal(amends)
        children = [self.after(hands, leaf, each, place, stakes * odds.sum(), amends) for each in longer]
        return Chance(list(odds / odds.sum()), children)

    def after(self, hands, leaf, board, place, stakes, amends):
        """A node of the spot's betting on a board."""
        flop = DECK.text(board[:3])
        if (leaf, flop) not in self.spots:
            self.spots[leaf, flop] = self.game.spot(leaf, flop)
        spot = self.spots[leaf, flop]
        node = spot.tree()[place]
        half = spot.pot / 2
        if node.kind == "deal":
            return self.deal(hands, leaf, board, node.children[0], stakes, amends)
        if node.kind == "showdown" and len(board) < 5:
            return self.deal(hands, leaf, board, place, stakes, amends)
        if node.kind == "showdown":
            return Terminal(stakes * self.sign(hands, board) * (half + node.put[0]) + amends)
        if node.kind == "fold":
            won = -half - node.put[0] if node.player == 0 else half + node.put[1]
            return Terminal(stakes * won + amends)
        name = f"{leaf} {DECK.text(board)} {node.index} {DECK.text(HOLES[hands[node.player]])}"
        children = [self.after(hands, leaf, board, child, stakes, amends) for child in node.children]
        return Decision(node.player, name, node.labels, children)


def expected(node, policy):
    """What player 0 wins where both play by `policy(infoset, player)`."""
    if isinstance(node, Terminal):
        return node.payoff
    odds = node.probabilities if isinstance(node, Chance) else policy(node.infoset, node.player)
    return sum(p * expected(child, policy) for p, child in zip(odds, node.children, strict=True))

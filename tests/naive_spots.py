"""The slow, obvious twin of the spot solver: recursion over the betting, matrices of all pairs of hands, double
precision. Also the same spot as an explicit game tree, for linear programming and exact best responses to judge.
"""

from __future__ import annotations

import numpy as np

from pokerlab.cards.evaluator import evaluate
from pokerlab.cards.holes import HOLES
from pokerlab.form.extensive import Chance, Decision, Terminal, extensive_game
from pokerlab.form.strategy import Profile
from pokerlab.refine.spots.engine import Engine, Pass

LAST = 2


def payoff(spot, node, player, result):
    """Chips from the pot less chips put in from now on; `result` is what `player` gets of a showdown: 1, 0.5 or 0."""
    rake = min(spot.rake * (spot.pot + 2 * min(node.put)), spot.rake_cap)
    pot = spot.pot + sum(node.put) - rake
    if node.kind == "fold":
        result = 0.0 if node.player == player else 1.0
    return result * pot - (node.put[player] - spot.bets[player])


def strengths(holes, board):
    values = np.zeros(len(holes), dtype=np.int64)
    for i, hole in enumerate(HOLES[holes].tolist()):
        if not set(hole) & set(board):
            values[i] = evaluate([[*hole, *board]])[0]
    return values


class NaiveSpot:
    """Discounted CFR as the solver does it, hand by hand and card by card."""

    def __init__(self, spot):
        self.spot, self.tree = spot, spot.tree()
        weights = [spot.weights(p) / spot.weights(p).max() for p in range(2)]
        self.holes = [np.flatnonzero(w) for w in weights]
        self.weights = [w[h] for w, h in zip(weights, self.holes, strict=True)]
        self.regret, self.average, self.values = {}, {}, {}
        self._results = {}

    def meets(self, board):
        """(hands 0, hands 1): whether two hands and the board share no card."""
        cards = [HOLES[h] for h in self.holes]
        pairs = ~(cards[0][:, None, :, None] == cards[1][None, :, None, :]).any(axis=(2, 3))
        free = [~np.isin(c, board).any(axis=1) for c in cards]
        return pairs & free[0][:, None] & free[1][None, :]

    def results(self, board):
        """(hands 0, hands 1): what hand 0 gets of a showdown."""
        if board not in self._results:
            first, second = (strengths(h, board) for h in self.holes)
            self._results[board] = (np.sign(first[:, None] - second[None, :]) + 1) / 2
        return self._results[board]

    def kept(self, table, node, board):
        shape = len(node.labels), len(self.holes[node.player])
        return table.setdefault((node.index, board), np.zeros(shape))

    def strategy(self, table, node, board):
        wanted = np.maximum(self.kept(table, node, board), 0)
        total = wanted.sum(axis=0)
        return np.where(total > 0, wanted / np.where(total > 0, total, 1), 1 / len(wanted))

    def walk(self, player, mode, rates=(1, 1, 1), index=0, board=None, reach=None):
        """What each hand of `player` earns from a node on, summed over the opponent's reach; improves on the way."""
        board = self.spot.board if board is None else board
        reach = self.weights[1 - player] if reach is None else reach
        node = self.tree[index]
        if node.kind == "deal" or (node.kind == "showdown" and len(board) < LAST + 3):
            child = node.children[0] if node.kind == "deal" else index
            left = [card for card in range(52) if card not in board]
            total = 0.0
            for card in left:
                free = ~(HOLES[self.holes[1 - player]] == card).any(axis=1)
                total = total + self.walk(player, mode, rates, child, (*board, card), reach * free / (len(left) - 4))
            return total
        if node.kind in ("fold", "showdown"):
            return self.end(player, node, board, reach)
        table = self.regret if mode == "improve" else self.average
        chance = self.strategy(table, node, board)
        if node.player != player:
            return sum(self.walk(player, mode, rates, c, board, reach * chance[a]) for a, c in enumerate(node.children))
        values = np.stack([self.walk(player, mode, rates, child, board, reach) for child in node.children])
        self.values[index, board] = values
        earned = (chance * values).sum(axis=0)
        if mode == "best":
            return values.max(axis=0)
        if mode == "improve":
            regret, average = self.kept(self.regret, node, board), self.kept(self.average, node, board)
            regret *= np.where(regret > 0, rates[0], rates[1])
            regret += values - earned
            average *= rates[2]
            average += chance
        return earned

    def end(self, player, node, board, reach):
        meets = self.meets(board)
        results = self.results(board) if node.kind == "showdown" else np.ones(meets.shape)
        if player == 1:
            meets, results = meets.T, (1 - results.T if node.kind == "showdown" else results.T)
        lost, won = (payoff(self.spot, node, player, result) - self.spot.total / 2 for result in (0.0, 1.0))
        return (meets * (lost + results * (won - lost))) @ reach

    def chips(self, player, earned):
        """Expected chips from the pot, given what hands earn at the root."""
        matchups = self.weights[0] @ self.meets(self.spot.board) @ self.weights[1]
        return earned @ self.weights[player] / matchups + self.spot.total / 2


class NaiveEngine(Engine):
    """The twin behind the interface of engines; it keeps every board, so suits must not be renamed."""

    def __init__(self, shape, **options):
        super().__init__(shape, **options)
        self.naive = NaiveSpot(shape.spot)
        for node in shape.tree:
            if node.kind == "decision":
                for board in shape.boards[node.street].boards:
                    for table in (self.naive.regret, self.naive.average):
                        self.naive.kept(table, node, board)

    @staticmethod
    def needs(shape, threads, precision="single"):
        return 0

    def _root(self, player):
        entered = self.entrance is not None and self.entrance.player == player
        return self.entrance.reach().astype(float) if entered else self.naive.weights[player]

    def step(self, count=1):
        for rates in self.rates(count):
            for player in range(2):
                earned = self.naive.walk(player, "improve", rates, reach=self._root(1 - player))
                if self.entrance is not None and self.entrance.player == player:
                    self.entrance.learn(earned, rates[0], rates[1])
        self.iteration += count

    def average(self, node, board=None):
        boards = self.shape.boards[node.street].boards
        every = np.stack([self.naive.average[node.index, cards] for cards in boards])
        return every if board is None else every[board]

    def follow(self, node, average):
        for board, rows in zip(self.shape.boards[node.street].boards, average, strict=True):
            self.naive.average[node.index, board][:] = rows

    def begin(self, iterations):
        self.iteration = iterations
        for (index, board), average in self.naive.average.items():
            scale = self._root(1 - self.shape.tree[index].player).sum() * self.shape.spot.total
            self.naive.regret[index, board][:] = average * scale if iterations else 0
            average *= iterations / (1 + self.scheme.gamma)

    def walk(self, player, *, best):
        return self.naive.walk(player, "best" if best else "expect", reach=self._root(1 - player))

    def rows(self, player, node, path, *, best=False):
        board = self.shape.boards[node.street].boards[path[-1] if path else 0]
        reach, below = self._root(1 - player).copy(), node
        reach[np.isin(HOLES[self.shape.holes[1 - player]], board).any(axis=1)] = 0
        while below.index:
            above = self.shape.tree[below.parent]
            if above.kind == "decision" and above.player != player:
                chance = self.naive.strategy(self.naive.average, above, board[: above.street + 3])
                reach *= chance[above.children.index(below.index)]
            below = above
        dealt = reach * self.shape.layout.chances[node.street]
        earned = self.naive.walk(player, "best" if best else "expect", index=node.index, board=board, reach=dealt)
        mine = self.naive.values[node.index, board] if node.player == player else earned[None]
        return Pass(mine, reach)

    def _arrays(self):
        tables = {"regret": self.naive.regret, "average": self.naive.average}
        return {f"{name} {key}": array for name, table in tables.items() for key, array in table.items()}


def explicit_game(spot):
    """The spot as a game tree of `form.extensive`; infosets are named `node/hand/cards`."""
    tree = spot.tree()
    weights = spot.weights(0), spot.weights(1)
    pairs = [(a, b) for a in np.flatnonzero(weights[0]) for b in np.flatnonzero(weights[1])
             if not set(HOLES[a]) & set(HOLES[b])]  # fmt: skip
    odds = np.array([weights[0][a] * weights[1][b] for a, b in pairs])

    def look(item):
        if item is None:
            return Chance(odds / odds.sum(), [(0, pair, spot.board) for pair in pairs])
        index, pair, board = item
        node = tree[index]
        hands = HOLES[list(pair)]
        if node.kind == "deal" or (node.kind == "showdown" and len(board) < LAST + 3):
            left = [c for c in range(52) if c not in board and c not in hands]
            child = node.children[0] if node.kind == "deal" else index
            return Chance([1 / len(left)] * len(left), [(child, pair, (*board, c)) for c in left])
        if node.kind in ("fold", "showdown"):
            result = 0.0
            if node.kind == "showdown":
                mine, theirs = evaluate([[*hand, *board] for hand in hands.tolist()]).astype(int)
                result = (np.sign(mine - theirs) + 1) / 2
            return Terminal(payoff(spot, node, 0, result), payoff(spot, node, 1, 1 - result))
        dealt = ".".join(map(str, board[len(spot.board) :]))
        name = f"{index}/{pair[node.player]}/{dealt}"
        return Decision(node.player, name, node.labels, [(child, pair, board) for child in node.children])

    return extensive_game(None, "spot", look=look)


def profile_in(game, found):
    """The strategies of a SpotSolution as a profile of the explicit game."""
    from pokerlab.cards.deck import Deck

    nodes, behaviours = {}, []
    for tree in game.trees:
        behaviour = np.ones(tree.sequences)
        for b, (start, _, n, k) in enumerate(zip(*tree.blocks[:4], strict=True)):
            for i, state in enumerate(tree.describe(b).states):
                index, hand, dealt = state.split("/")
                if (index, dealt) not in nodes:
                    cards = iter([Deck().text([int(card)]) for card in dealt.split(".") if card])
                    line = [next(cards) if word == "deal" else word for word in found.tree.line(int(index))]
                    nodes[index, dealt] = found.node(line)
                node = nodes[index, dealt]
                row = node.strategy[np.flatnonzero(node.hands == int(hand))[0]]
                behaviour[start + i : start + n * k : n] = row
        behaviours.append(behaviour)
    return Profile(game, tuple(behaviours))

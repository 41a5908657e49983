"""Agents to respond to, and the best response in plain Python: hand by hand, board by board, pair by pair."""

from itertools import combinations
from math import comb

import numpy as np

from pokerlab.agents.agent import Agent
from pokerlab.cards.holes import holes_of
from pokerlab.game.betting import CALL
from pokerlab.game.hand import strength_of
from pokerlab.game.rules import parse_rules

KINDS = 11


class Moody(Agent):
    """Random play by what ranks and suits its cards share with each other and with the board, whatever suits."""

    def __init__(self, seed=0, name="moody"):
        self.seed, self.name = seed, name

    def kinds(self, rules, board):
        suits = len(rules.deck.suits)
        holes, board = np.array(holes_of(len(rules.deck), rules.hole_cards)), np.array(board, dtype=np.int64)
        shared = (holes[:, :, None] // suits == board // suits).sum(axis=(1, 2))
        flush = (holes[:, :, None] % suits == board % suits).sum(axis=(1, 2))
        suited = np.ptp(holes % suits, axis=1) == 0
        return ((holes // suits).sum(axis=1) + 3 * shared + 5 * flush + 7 * suited) % KINDS

    def odds(self, view):
        rng = np.random.default_rng([self.seed, len(view.actions), *(action + 1 for action in view.actions)])
        actions = [*view.legal.actions()]
        return dict(zip(actions, rng.dirichlet(np.full(len(actions), 0.5), KINDS).T, strict=True))

    def answers(self, view):
        kinds = self.kinds(view.rules, view.board)
        return {action: odds[kinds] for action, odds in self.odds(view).items()}

    def act(self, view):
        number = holes_of(len(view.rules.deck), view.rules.hole_cards).index(tuple(sorted(view.hole)))
        return {action: float(odds[number]) for action, odds in self.answers(view).items() if odds[number] > 0}


class MoodyByBucket(Moody):
    """The same, and says so by bucket."""

    def by_bucket(self, rules):
        return BucketsOf(self, rules)


class BucketsOf:
    def __init__(self, agent, rules):
        self.odds, self.buckets = agent.odds, lambda board: agent.kinds(rules, board)


class Suited(Moody):
    """Likes one suit."""

    def answers(self, view):
        holes = np.array(holes_of(len(view.rules.deck), view.rules.hole_cards))
        likes = (holes % len(view.rules.deck.suits) == 0).all(axis=1)
        if not view.legal.raises:
            return {CALL: np.ones(len(holes))}
        return {CALL: likes * 1.0, view.legal.raises[0]: 1.0 - likes}


def naive_worth(tree, responder, line, board, hand, others):
    """What a hand is worth to the responder after a line of betting on a board, against hands with these weights.

    `others` are hole cards and the agent's reach with each; the sum over them, a mean over the cards to come.
    """
    rules, betting = tree.rules, line.betting
    if betting.finished:
        met = {hole: weight for hole, weight in others.items() if not {*hole} & {*hand, *board}}
        if betting.folded[responder]:
            return -betting.spent[responder] * sum(met.values())
        if betting.folded[1 - responder]:
            return betting.spent[1 - responder] * sum(met.values())
        mine, won = strength_of(rules, hand + board), 0.0
        for hole, weight in met.items():
            other = strength_of(rules, hole + board)
            won += weight * ((mine > other) - (mine < other))
        return won * min(betting.spent)
    shown = rules.boards[betting.round]
    if len(board) < shown:
        live = [card for card in range(len(rules.deck)) if card not in (*board, *hand)]
        ways = comb(len(live) - rules.hole_cards, shown - len(board))
        total = 0.0
        for cards in combinations(live, shown - len(board)):
            left = {hole: weight for hole, weight in others.items() if not {*hole} & {*cards}}
            total += naive_worth(tree, responder, line, board + cards, hand, left)
        return total / ways
    if betting.actor == responder:
        return max(
            naive_worth(tree, responder, line.act(action), board, hand, others) for action in betting.legal().actions()
        )
    total, odds = 0.0, odds_on(tree, line, board)
    holes = {hole: number for number, hole in enumerate(holes_of(len(rules.deck), rules.hole_cards))}
    for action in betting.legal().actions():
        if action in odds:
            left = {hole: weight * odds[action][holes[hole]] for hole, weight in others.items()}
            total += naive_worth(tree, responder, line.act(action), board, hand, left)
    return total


def odds_on(tree, line, board):
    """What the agent does there, which many hands ask."""
    known = tree.__dict__.setdefault("known_odds", {})
    key = line.actions, board
    if key not in known:
        known[key] = tree.play.odds(line, board)
    return known[key]


def holdem(rounds, raises, ranks=13, suits=4):
    """Limit hold'em with fewer rounds, raises and cards."""
    boards, sizes = (0, 3, 1, 1)[:rounds], (10, 10, 20, 20)[:rounds]
    return parse_rules(
        f"GAMEDEF\nlimit\nnumPlayers = 2\nnumRounds = {rounds}\nblind = 10 5\nraiseSize = {' '.join(map(str, sizes))}\n"
        f"firstPlayer = {' '.join(('2', '1', '1', '1')[:rounds])}\nmaxRaises = {' '.join([str(raises)] * rounds)}\n"
        f"numSuits = {suits}\nnumRanks = {ranks}\nnumHoleCards = 2\nnumBoardCards = {' '.join(map(str, boards))}\n"
        "END GAMEDEF\n",
        f"holdem of {rounds} rounds",
    )

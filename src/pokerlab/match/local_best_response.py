"""How much an agent loses to a player who knows its strategy but looks only one step ahead (Lisy and Bowling 2017).

Local best response keeps the agent's range, asking it at each decision what it would do with every hand, and takes the
action that is worth most if both players check and call from then on. It is a strategy like any other, so that what it
wins is at most what the agent's exploitability is: an estimate from below, in the real game, for two-player hold'em of
any bets and for games with few cards.

Only our cards and the board are drawn. The agent's hand never is: its folds count as often as its range folds, its
other actions are drawn as its range takes them, and showdowns are against the range. Luck of our hole cards and of turn
and river is subtracted, as in equation (1) of `variance.py`. Each deal is played in both seats.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial

import numpy as np

from pokerlab.agents.agent import Agent
from pokerlab.agents.asked import answers_of
from pokerlab.bounds import DEALS, SEED
from pokerlab.errors import AgentFailed, PokerlabError
from pokerlab.game.bet_sizes import ALL_IN, Size
from pokerlab.game.betting import CALL, FOLD
from pokerlab.game.hand import Cards, Hand, new_hand
from pokerlab.game.rules import Rules, unit_of
from pokerlab.match.result import OneResult
from pokerlab.match.showdowns import showdowns_of
from pokerlab.processes import Executor, at_work
from pokerlab.progress import Bar
from pokerlab.threads import pieces

SIZES = (Size(50), Size(100), ALL_IN)  # bets that are tried
_DEALS_A_TASK = 50  # for an executor; what is won depends on it, so that it is fixed


class LocalBestResponse(OneResult):
    """What local best response won; the mean is, but for its interval, a lower bound of the exploitability."""

    def line(self) -> str:
        """In words."""
        return (
            f"at least {self.mean:.0f} ± {self.ci95:.0f} {self.unit}, what local best response wins "
            f"({len(self.winnings):,} deals in both seats)"
        )


def local_best_response(
    agent: Agent,
    rules: Rules,
    deals: int = 1000,
    *,
    seed: int = 0,
    sizes: Sequence[Size] = SIZES,
    first_round: int = 0,
    executor: Executor | None = None,
    progress: bool | None = None,
) -> LocalBestResponse:
    """Play local best response against a stateless agent, `deals` deals in both seats.

    In no-limit it tries bets of `sizes`. Before `first_round` it only checks and calls: to see more of the agent's
    later play can pay more. An `executor` plays pieces of deals, each with random numbers of its own: the same on any
    executor, but not those of one long run. Ctrl-C ends it, and the deals that were played count.
    """
    if rules.players != 2:
        raise PokerlabError(f"local best response is for two players, not for {rules.name or 'this game'}")
    if not agent.stateless:
        raise PokerlabError(f"{agent.title} remembers past hands: it has no fixed strategy")
    DEALS.check(deals)
    SEED.check(seed)
    agent.must_play(rules)
    player = _Player(agent, rules, sizes, first_round, np.random.default_rng([seed, 1]))
    tasks = pieces(deals, 1 if executor is None else _DEALS_A_TASK)
    winnings, played = np.full(deals, np.nan), 0
    began, unit = time.perf_counter(), unit_of(rules)
    with (
        Bar(f"local best response to {agent.title}", progress) as bar,
        at_work(executor, partial(_piece, player, seed, executor is not None), tasks) as results,
    ):
        try:
            for (first, last), some in results:
                winnings[first:last], played = some, played + len(some)
                mean = np.nanmean(winnings) / unit[1]
                bar.show(played / deals, f"{played:,} deals  {mean:+.0f} {unit[0]}")
        except KeyboardInterrupt:
            if not played:
                raise
    return LocalBestResponse(agent.name, rules, winnings[~np.isnan(winnings)], time.perf_counter() - began)


def _piece(player: _Player, seed: int, apart: bool, piece: tuple[int, int]) -> tuple[tuple[int, int], list[float]]:
    """What is won in some deals; `apart` from others, with random numbers of their own."""
    if apart:
        player.rng = np.random.default_rng([seed, 1, piece[0]])
    winnings, rules = [], player.rules
    needed = rules.hole_cards + sum(rules.board_cards)
    for number in range(*piece):
        cards = np.random.default_rng([seed, 0, number]).permutation(len(rules.deck))[:needed].tolist()
        hole, board = tuple(cards[: rules.hole_cards]), tuple(cards[rules.hole_cards :])
        winnings.append(sum(player.play(seat, hole, board) for seat in range(2)) / 2)
    return piece, winnings


class _Player:
    """Plays deals against the agent's range."""

    def __init__(
        self, agent: Agent, rules: Rules, sizes: Sequence[Size], first_round: int, rng: np.random.Generator
    ) -> None:
        self.agent, self.rules, self.sizes, self.first_round, self.rng = agent, rules, sizes, first_round, rng
        self.showdowns = showdowns_of(rules)

    def play(self, seat: int, hole: Cards, board: Cards) -> float:
        """What we win in expectation over the agent's hands, in chips, luck of the cards left out."""
        hand = new_hand(self.rules)._replace(holes=tuple(hole if s == seat else () for s in range(2)))
        reach = self.showdowns.possible(hole).astype(np.float64)
        left = self.showdowns.possible(board).astype(np.float64)  # what it can have: nobody knows before the river
        luck = hand.betting.highest * (2 * self.showdowns.equity(self.showdowns.number(hole)) - 1)
        chance, value = 1.0, 0.0
        while True:
            if hand.pending:
                hand, reach, more = self._dealt(hand, seat, board, reach)
                luck += more
            actor, spent = hand.betting.actor, hand.betting.spent
            if actor is None:
                return value + chance * (self._end(hand, seat, reach * left) - luck)
            if actor == seat:
                action = self._choose(hand, seat, reach)
                if action == FOLD:
                    return value - chance * (spent[seat] + luck)
                hand = hand.act(action)
                continue
            odds = answers_of(self.agent, hand.view(actor))
            likely = {action: float(part @ (reach * left)) for action, part in odds.items()}
            total, folds = sum(likely.values()), likely.pop(FOLD, 0.0)
            if not total > 0:
                raise AgentFailed(
                    f"agent {self.agent.title!r} does nothing with any hand after {hand.betting_text()!r}"
                )
            value += chance * folds / total * (spent[actor] - luck)
            chance *= 1 - folds / total
            if not sum(likely.values()) > 0:
                return value
            action = self._drawn(likely)
            hand, reach = hand.act(action), reach * odds[action]

    def _dealt(self, hand: Hand, seat: int, board: Cards, reach: np.ndarray) -> tuple[Hand, np.ndarray, float]:
        """The hand and the range after the next cards of the board, and the luck that they were.

        Luck is what the cards change in a showdown for the present bets, whose mean over all cards is nothing. The flop
        of hold'em is left out: our chances before it are not known exactly.
        """
        shown = hand.board
        after = hand.dealt(board[len(shown) : len(shown) + hand.pending])
        left = reach * self.showdowns.possible(after.board)
        if not shown and not self.showdowns.exact:
            return after, left, 0.0
        mine, share = self.showdowns.number(hand.holes[seat]), self.showdowns.share
        change = share(mine, after.board) @ left / left.sum() - share(mine, shown) @ reach / reach.sum()
        return after, left, 2 * hand.betting.highest * float(change)

    def _drawn(self, likely: dict[int, float]) -> int:
        actions = list(likely)
        odds = np.array([likely[action] for action in actions])
        return actions[int(self.rng.choice(len(actions), p=odds / odds.sum()))]

    def _end(self, hand: Hand, seat: int, reach: np.ndarray) -> float:
        """Our expected payoff at a showdown against the range."""
        ranks = self.showdowns.ranks(hand.board)
        mine = ranks[self.showdowns.number(hand.holes[seat])]
        return float(np.sign(mine - ranks) @ reach / reach.sum() * min(hand.betting.spent))

    def _choose(self, hand: Hand, seat: int, reach: np.ndarray) -> int:
        """The action that is worth most against the range if all check and call afterwards; figure 1 of the paper."""
        betting = hand.betting
        if betting.round < self.first_round:
            return CALL
        shares = self.showdowns.share(self.showdowns.number(hand.holes[seat]), hand.board)
        pot, asked = betting.pot, min(betting.highest, self.rules.stacks[seat]) - betting.spent[seat]
        equity = shares @ reach / reach.sum()
        worth = {CALL: equity * pot - (1 - equity) * asked}
        for amount in self._raises(hand):
            after = hand.act(amount)
            extra = amount - betting.highest
            stays = reach * (1 - answers_of(self.agent, after.view(1 - seat)).get(FOLD, 0.0))
            folds = 1 - stays.sum() / reach.sum()
            equity = shares @ stays / stays.sum() if stays.any() else 0.0
            worth[amount] = folds * pot + (1 - folds) * (equity * (pot + extra) - (1 - equity) * (asked + extra))
        best = max(worth, key=lambda action: worth[action])
        return FOLD if worth[best] < 0 and betting.legal().fold else best if worth[best] > 0 else CALL

    def _raises(self, hand: Hand) -> list[int]:
        legal = hand.betting.legal().raises
        return list(hand.betting.raises_to(self.sizes, lifted=True) if isinstance(legal, range) else legal)

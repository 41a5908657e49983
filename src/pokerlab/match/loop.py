"""One loop at a table, for agents in this process, players over a socket and people at a page alike.

    table = Table(rules, cards, [agent, None], rng)
    while (seat := table.advance()) is not None:
        table.act(answer_of_whoever_sits_in(seat, table.hand))
    table.hand.payoffs()

It owns no clock: a seat without an agent takes its time outside.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from pokerlab.agents.agent import Agent
from pokerlab.agents.asked import action_of, asked
from pokerlab.errors import PokerlabError
from pokerlab.game.betting import CALL
from pokerlab.game.hand import Hand, new_hand
from pokerlab.game.rules import Rules


def playing(hand: Hand, seated: Sequence[Agent]) -> list[Agent]:
    """The stateless agents that were playing a hand, asked as before it was dealt."""
    start = new_hand(hand.rules, hand.names)
    return [asked(agent, agent.playing, start.view(seat)) for seat, agent in enumerate(seated)]


def rehearse(rules: Rules, agent: Agent | None = None) -> None:
    """Make ready all that the first hand would wait for: a hand is played in which nobody bets, and shown down."""
    dealt = rules.players * rules.hole_cards + sum(rules.board_cards)
    table = Table(rules, range(dealt), [None] * rules.players)
    while (seat := table.advance()) is not None:
        if agent is not None:
            asked(agent, agent.rehearse, table.hand.view(seat))
        table.act(CALL)
    table.hand.payoffs()


_NOT_USED = random.Random(0)


class Table:
    """One hand being played with these cards: hole cards seat by seat, then the board.

    Agents in `seated` act by themselves, their actions picked by `rng`; for None, a seat without one, `act` does.
    """

    def __init__(
        self,
        rules: Rules,
        cards: Sequence[int],
        seated: Sequence[Agent | None],
        rng: random.Random | None = None,
        names: tuple[str, ...] = (),
    ) -> None:
        self.hand: Hand = new_hand(rules, names)
        self.seated = seated
        self._cards, self._dealt = tuple(cards), 0
        if rng is None and any(seated):
            raise PokerlabError("agents at a table need a generator to pick their actions")
        self._rng = rng or _NOT_USED

    def advance(self) -> int | None:
        """Deal, and let agents act, up to the turn of a seat without one: that seat. None: the hand is over."""
        hand = self.hand
        while True:
            if pending := hand.pending:
                hand = hand.dealt(self._cards[self._dealt : self._dealt + pending])
                self._dealt += pending
            seat = hand.betting.actor
            agent = None if seat is None else self.seated[seat]
            if seat is None or agent is None:
                self.hand = hand
                return seat
            hand = hand.act(action_of(agent, hand.view(seat), self._rng.random()))

    def act(self, action: int) -> None:
        """What the seat does whose turn it is; raises IllegalAction with the rule that was broken."""
        self.hand = self.hand.act(action)

    def resume(self, actions: Sequence[int]) -> None:
        """Go on with a hand that was left after these actions, whoever did them: nobody is asked again."""
        seated, self.seated = self.seated, [None] * len(self.seated)
        self.advance()
        for action in actions:
            self.act(action)
            self.advance()
        self.seated = seated

    def tell(self) -> None:
        """The hand is over: those who remember see it."""
        for seat, agent in enumerate(self.seated):
            if agent is not None and not agent.stateless:
                asked(agent, agent.observe, self.hand.view(seat))

"""The best response to an agent below one flop: the public tree board by board, with every hand of both players.

The accelerated best response of Johanson, Waugh, Bowling and Zinkevich (2011): the agent's reach goes down the public
tree as rows of hands, showdowns are evaluated for all hands in one sorted pass, and what the responder's hands are
worth comes up. Each flop is a task of its own with a small result: what a hand is worth to the responder there at each
line of betting that leads to the flop.

    tree = PublicTree(agent_of("holdem-limit"), rules_of("holdem-limit"))
    tree.flop(tree.flops[0])                 (seats, lines, kinds of hands), in chips times hands of the agent
"""

from __future__ import annotations

from copy import copy
from functools import cached_property
from math import comb

import numpy as np

from pokerlab.agents.agent import Agent
from pokerlab.cards.holes import holes_of
from pokerlab.errors import PokerlabError
from pokerlab.game.rules import Rules
from pokerlab.match.exact.boards import Dealt, Suits
from pokerlab.match.exact.engine import Engine, device_for, engine_of
from pokerlab.match.exact.play import Play, play_of
from pokerlab.match.exact.street import LEAF, ROW, Line, Street, streets_from, streets_of
from pokerlab.match.showdowns import showdowns_of
from pokerlab.refine.spots.lanes import lanes_of


class PublicTree:
    """The public tree of a limit game of two players against a stateless agent.

    Where all suits are `alike` to the agent, boards are taken up to suits; by default it is tried out whether they are.
    """

    def __init__(
        self, agent: Agent, rules: Rules, *, alike: bool | None = None, dtype: type = np.float64, device: str = "cpu"
    ) -> None:  # fmt: skip
        if not agent.stateless:
            raise PokerlabError(f"{agent.title} remembers past hands: it has no fixed strategy")
        agent.must_play(rules)
        self.agent, self.rules, self.dtype, self.lanes = agent, rules, dtype, lanes_of(dtype)
        streets = [streets_of(rules, seat) for seat in range(2)]
        self.play: Play = play_of(agent, rules, streets, dtype)
        self.suits = Suits(rules, self.play.suits_alike() if alike is None else alike)
        holes = holes_of(len(rules.deck), rules.hole_cards)
        self.holes = len(holes)
        self.cards = np.array([(*hole, len(rules.deck) + hole[0])[:2] for hole in holes])  # the second one no other's
        self.showdowns = showdowns_of(rules)
        self.seats = streets  # by seat and round
        self.device = device_for(device, self.holes, self.play.fixed)
        self.engine: Engine = engine_of(self.device)(self)

    def below(self, responder: int, lines: list[Line], round: int) -> PublicTree:
        """The same tree, but only what follows lines of betting which have come to a round."""
        tree = copy(self)
        streets = [dict[int, Street](), dict[int, Street]()]
        streets[responder] = streets_from(round, responder, lines)
        tree.play = play_of(self.agent, self.rules, streets, self.dtype)
        tree.seats = streets
        tree.engine = engine_of(self.device)(tree)
        return tree

    @cached_property
    def flops(self) -> list[Dealt]:
        """All boards of the first round that deals some, each with how many it stands for."""
        return self.suits.after((), self.suits.every, self.rules.board_cards[1])

    def chances(self, round: int) -> int:
        """How many ways there are to deal a round's board cards, once both players' cards and the board are known."""
        before = self.rules.boards[round - 1]
        return comb(len(self.rules.deck) - 2 * self.rules.hole_cards - before, self.rules.board_cards[round])

    def flop(self, dealt: Dealt) -> np.ndarray:
        """What each kind of hand is worth to each seat's responder at each line that leads to this flop.

        Counterfactual values, [seats, lines, kinds]: in chips, summed over the agent's hands with their reach; the mean
        over the flops that are this one up to suits.
        """
        self.engine.forget()
        worth, kinds = [], np.unique(self.suits.kinds, return_index=True)[1]
        for responder in range(2):
            each = self.engine.worth(responder, self._arrived(responder), dealt._replace(times=1))
            worth.append(self.suits.averaged(each, self.suits.every, 1)[:, kinds].astype(np.float64))
        return np.stack(worth)

    def worth(self, responder: int, reach: np.ndarray, board: tuple[int, ...]) -> np.ndarray:
        """What hands are worth at the roots of a board's round, (roots, holes), from the agent's reach there."""
        dealt = Dealt(board, 1, self.suits.leaving(self.rules, board))
        return self.engine.worth(responder, reach, dealt)

    def _arrived(self, responder: int) -> np.ndarray:
        """The agent's reach of the flop, before it is known which: (roots, holes)."""
        street = self.seats[responder][0]
        odds = self.play.table(responder, 0, ()).reshape(-1, street.program.rows, self.lanes)[:, :, 0]
        odds = odds[self.play.buckets(())].T
        rows: dict[int, np.ndarray] = {0: np.ones(self.holes, self.dtype)}
        reach: np.ndarray = np.zeros((len(street.next_roots), self.holes), self.dtype)
        for what, slot, which, _ in street.program.steps.tolist():
            if what == ROW:
                rows[slot] = rows[street.program.parents[which]] * odds[which]
            elif what == LEAF:
                reach[which] = rows[slot]
        return reach

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
from math import ceil, comb
from typing import NamedTuple

import numpy as np

from pokerlab.agents.agent import Agent
from pokerlab.cards.holes import holes_of
from pokerlab.errors import PokerlabError
from pokerlab.game.rules import Rules
from pokerlab.match.exact import kernels
from pokerlab.match.exact.boards import Dealt, Suits
from pokerlab.match.exact.kernels import Boards, Room
from pokerlab.match.exact.play import Play, play_of
from pokerlab.match.exact.street import Line, Street, streets_from, streets_of
from pokerlab.match.showdowns import showdowns_of
from pokerlab.refine.spots.lanes import aligned, lanes_of


class Seat(NamedTuple):
    """What a responder's seat needs: its streets, and by street the chips of each step, in panels."""

    streets: dict[int, Street]
    pays: dict[int, np.ndarray]
    rooms: dict[int, Room]


class PublicTree:
    """The public tree of a limit game of two players against a stateless agent.

    Where all suits are `alike` to the agent, boards are taken up to suits; by default it is tried out whether they are.
    """

    def __init__(self, agent: Agent, rules: Rules, *, alike: bool | None = None, dtype: type = np.float64) -> None:
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
        self.seats = [self._seat(some) for some in streets]
        self._known: dict[tuple[int, ...], Boards] = {}

    def below(self, responder: int, lines: list[Line], round: int) -> PublicTree:
        """The same tree, but only what follows lines of betting which have come to a round."""
        tree = copy(self)
        streets = [dict[int, Street](), dict[int, Street]()]
        streets[responder] = streets_from(round, responder, lines)
        tree.play = play_of(self.agent, self.rules, streets, self.dtype)
        tree.seats, tree._known = [tree._seat(some) for some in streets], {}
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
        self._known.clear()
        worth = []
        for responder in range(2):
            value = self._board(responder, 1, self._arrived(responder), [dealt._replace(times=1)])
            lines = len(self.seats[responder].streets[1].roots)
            every = self.suits.averaged(self._rows(value, lines), self.suits.every, 1)
            kinds = np.unique(self.suits.kinds, return_index=True)[1]
            worth.append(every[:, kinds].astype(np.float64))
        return np.stack(worth)

    def worth(self, responder: int, reach: np.ndarray, board: tuple[int, ...]) -> np.ndarray:
        """What hands are worth at the roots of a board's round, (roots, holes), from the agent's reach there."""
        round = self.rules.boards.index(len(board))
        roots = len(self.seats[responder].streets[round].roots)
        start = self._panels(reach.T).ravel()
        value = self._board(responder, round, start, [Dealt(board, 1, self.suits.leaving(self.rules, board))])
        return self._rows(value, roots)

    def _arrived(self, responder: int) -> np.ndarray:
        """The agent's reach of the flop, before it is known which."""
        start = aligned(self.holes, self.lanes, dtype=self.dtype)
        start[:, 0] = 1
        return self._down(responder, 0, start.ravel(), Dealt((), 1, self.suits.every))

    def _down(self, responder: int, round: int, reach: np.ndarray, dealt: Dealt) -> np.ndarray:
        """The agent's reach at the roots of the next round, from that of a round, on a board."""
        onward = self._empty(len(self.seats[responder].streets[round].next_roots))
        self._walk(responder, round, reach, [dealt], True, onward, onward)
        return onward

    def _board(self, responder: int, round: int, reach: np.ndarray, boards: list[Dealt]) -> np.ndarray:
        """The sum over boards of what hands are worth at the roots of a round, [panel][hand][lane]."""
        value = np.zeros_like(reach)
        if self.seats[responder].streets[round].next_roots:
            for dealt in boards:
                after = self._below(responder, round + 1, self._down(responder, round, reach, dealt), dealt)
                self._walk(responder, round, reach, [dealt], False, after, value)
        else:
            for some in [boards] if self.play.fixed else [[each] for each in boards]:
                self._walk(responder, round, reach, some, False, value, value)
        return value

    def _walk(
        self, responder: int, round: int, reach: np.ndarray, boards: list[Dealt], down: bool, onward: np.ndarray,
        value: np.ndarray,
    ) -> None:  # fmt: skip
        seat = self.seats[responder]
        street, pays, room = seat.streets[round], seat.pays[round], seat.rooms[round]
        kernels.walk_boards(
            street.program, pays, self._ready(boards), self.holes, len(street.roots), reach,
            self.play.table(responder, round, boards[0].board), room, down, onward, value,
        )  # fmt: skip

    def _below(self, responder: int, round: int, reach: np.ndarray, dealt: Dealt) -> np.ndarray:
        """What hands are worth before a round's cards are dealt, the mean over them."""
        boards = self.suits.after(dealt.board, dealt.group, self.rules.board_cards[round])
        value = self._board(responder, round, reach, boards).reshape(-1, self.holes, self.lanes)
        mean = self.suits.averaged(value, dealt.group, 1) / self.chances(round)
        return mean.astype(self.dtype).ravel()

    def _ready(self, boards: list[Dealt]) -> Boards:
        """Hands in order on some boards of a round, remembered for the other seat."""
        known = self._known.get(boards[0].board)
        if known is None or len(known.alive) != len(boards):
            known = self._known[boards[0].board] = self._sorted(boards)
        return known

    def _sorted(self, boards: list[Dealt]) -> Boards:
        shape, whole = (len(boards), self.holes), len(boards[0].board) == self.rules.boards[-1]
        order, ends, buckets = (np.zeros(shape, np.int64) for _ in range(3))
        alive, groups = np.zeros(len(boards), np.int64), np.zeros(len(boards), np.int64)
        for i, dealt in enumerate(boards):
            free = np.flatnonzero(self.showdowns.possible(dealt.board))
            if whole:
                ranks = self.showdowns.ranks(dealt.board)[free]
                by_rank = np.argsort(ranks, kind="stable")
                free, ranks = free[by_rank], ranks[by_rank]
                last = np.flatnonzero(np.append(ranks[1:] != ranks[:-1], True)) + 1
                ends[i, : len(last)], groups[i] = last, len(last)
            alive[i] = n = len(free)
            order[i, :n], buckets[i, :n] = free, self.play.buckets(dealt.board)[free]
        times: np.ndarray = np.array([dealt.times for dealt in boards], self.dtype)
        return Boards(order, alive, self.cards[order], buckets, ends, groups, times)

    def _empty(self, roots: int) -> np.ndarray:
        return aligned(ceil(roots / self.lanes) * self.holes * self.lanes, dtype=self.dtype)

    def _panels(self, rows: np.ndarray) -> np.ndarray:
        """[rows][roots] as [panel][row][lane]."""
        panels = ceil(rows.shape[1] / self.lanes)
        out = aligned(panels, len(rows), self.lanes, dtype=self.dtype)
        for root in range(rows.shape[1]):
            out[root // self.lanes, :, root % self.lanes] = rows[:, root]
        return out.ravel()

    def _rows(self, value: np.ndarray, roots: int) -> np.ndarray:
        """[panel][hand][lane] as (roots, hands)."""
        panels = value.reshape(-1, self.holes, self.lanes)
        return np.ascontiguousarray(panels.transpose(0, 2, 1).reshape(-1, self.holes)[:roots])

    def _seat(self, streets: dict[int, Street]) -> Seat:
        return Seat(
            streets,
            {round: self._panels(street.pays.T) for round, street in streets.items()},
            {round: self._room(street) for round, street in streets.items()},
        )

    def _room(self, street: Street) -> Room:
        slots, cards = street.slots, int(self.cards.max()) + 2
        sizes = slots * self.holes, street.depth * self.holes, self.holes, cards, slots
        return Room(*(aligned(size * self.lanes, dtype=self.dtype) for size in sizes))

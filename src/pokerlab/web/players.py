"""The agents at the tables: one for all tables where it has no memory, one of its own for each table where it has.

An agent that remembers sees a table's hands again when the server was started anew. One that is trained further
meanwhile is noticed by its files.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from threading import Lock

from pokerlab.agents.agent import Agent
from pokerlab.agents.asked import asked
from pokerlab.agents.spec import agent_of
from pokerlab.errors import AgentError
from pokerlab.game.hand import Hand
from pokerlab.reading import Stamp, noting, stamp_of
from pokerlab.registry import without_own_code
from pokerlab.web.hands import hand_of, players_in_seats, rules_at
from pokerlab.web.ledger import Ledger, TableRow

_MOST_KEPT = 256  # agents, or tables whose agents remember
_MOST_TABLES = 4096  # whose agents do not


class Players:
    """Agents by their specs. Code of one's own runs only for specs that are `trusted`: others may come from afar."""

    def __init__(self, trusted: Sequence[str] = ()) -> None:
        self.trusted = tuple(trusted)
        self._shared: OrderedDict[tuple[str, str], tuple[Agent, list[Stamp]]] = OrderedDict()  # by spec and rules
        self._seated: OrderedDict[tuple[str, int], Agent] = OrderedDict()  # by table and number
        self._own: OrderedDict[tuple[str, int], Agent] = OrderedDict()  # the same of those who remember
        self._locks: dict[int, Lock] = {}
        self._making = Lock()

    def seated(self, table: TableRow, ledger: Ledger | None) -> list[Agent]:
        """The agents of a table; those who remember have seen its hands in the ledger.

        A table keeps its agents. One whose files have changed since it was made, for it was trained further, is made
        anew for tables that come after; without an id it is no table, but somebody who looks.
        """
        return [self._agent(table, number, ledger) for number in range(len(table.agents))]

    def _agent(self, table: TableRow, number: int, ledger: Ledger | None) -> Agent:
        place = (table.id, number)
        if (known := self._known(place)) is not None:
            return known
        with self._making:
            if (known := self._known(place)) is not None:  # another has just made it
                return known
            agent = self._newest(table, table.agents[number])
            if not table.id:
                return agent
            if agent.stateless:
                kept, most = self._seated, _MOST_TABLES
            else:
                kept, most = self._own, _MOST_KEPT
                asked(agent, agent.reset)
                for row in ledger.finished(table.id) if ledger is not None else ():
                    self._show(table, number, agent, hand_of(table, row), row.number)
            kept[place] = agent
            if len(kept) > most:
                kept.popitem(last=False)
            return agent

    def _known(self, place: tuple[str, int]) -> Agent | None:
        return self._own.get(place) or self._seated.get(place)

    def _newest(self, table: TableRow, spec: str) -> Agent:
        """An agent as its files are now: the one that there is, if it has no memory and they have not changed."""
        agent, stamps = self._shared.get((spec, table.rules), (None, []))
        if agent is not None and all(stamp_of(stamp.path) == stamp for stamp in stamps):
            return agent
        with noting() as stamps:
            agent = self._made(table, spec)
        if agent.stateless:
            self._shared[spec, table.rules] = agent, stamps
            if len(self._shared) > _MOST_KEPT:
                self._shared.popitem(last=False)
        self._forget_locks()
        self._locks[id(agent)] = Lock()
        return agent

    def _forget_locks(self) -> None:
        """Of agents that nobody has any more."""
        there = {id(agent) for agent, _ in self._shared.values()} | {id(agent) for agent in self._own.values()}
        there |= {id(agent) for agent in self._seated.values()}
        self._locks = {number: lock for number, lock in self._locks.items() if number in there}

    def _made(self, table: TableRow, spec: str) -> Agent:
        with nullcontext() if spec in self.trusted else without_own_code():
            agent = agent_of(spec, rules_at(table))
        if agent.talks:
            raise AgentError(f"agent {spec!r} asks at a terminal: at this table you are the person")
        return agent

    @contextmanager
    def busy(self, agents: Sequence[Agent]) -> Iterator[None]:
        """While these are asked nobody else asks them: an agent is not made for two threads."""
        with ExitStack() as stack:
            for one in sorted({id(agent) for agent in agents}):
                stack.enter_context(self._locks.get(one) or nullcontext())
            yield

    def tell(self, table: TableRow, hand: Hand, number: int) -> None:
        """A hand is over: those who remember see it."""
        for who, agent in enumerate(self.seated(table, None)):
            if not agent.stateless:
                self._show(table, who, agent, hand, number)

    def _show(self, table: TableRow, who: int, agent: Agent, hand: Hand, number: int) -> None:
        seat = players_in_seats(table, number).index(who + 1)
        asked(agent, agent.observe, hand.view(seat))

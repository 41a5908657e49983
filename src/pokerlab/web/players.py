"""The agents at the tables: one for all tables where it has no memory, one of its own for each table where it has.

An agent that remembers sees a table's hands again when the server was started anew.
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
from pokerlab.registry import without_own_code
from pokerlab.web.hands import hand_of, players_in_seats, rules_at
from pokerlab.web.ledger import Ledger, TableRow

_MOST_KEPT = 256  # agents, or tables whose agents remember


class Players:
    """Agents by their specs. Code of one's own runs only for specs that are `trusted`: others may come from afar."""

    def __init__(self, trusted: Sequence[str] = ()) -> None:
        self.trusted = tuple(trusted)
        self._agents: OrderedDict[tuple[str, ...], Agent] = OrderedDict()
        self._locks: dict[int, Lock] = {}
        self._making = Lock()

    def seated(self, table: TableRow, ledger: Ledger | None) -> list[Agent]:
        """The agents of a table; those who remember have seen its hands in the ledger."""
        return [self._agent(table, number, ledger) for number in range(len(table.agents))]

    def _agent(self, table: TableRow, number: int, ledger: Ledger | None) -> Agent:
        spec = table.agents[number]
        shared, own = (spec, table.rules), (spec, table.rules, table.id, str(number))
        known = self._agents.get(shared) or self._agents.get(own)
        if known is not None:
            return known
        with self._making:
            agent = self._made(table, spec)
            key = shared if agent.stateless else own
            if not agent.stateless:
                asked(agent, agent.reset)
                for row in ledger.finished(table.id) if ledger is not None else ():
                    self._show(table, number, agent, hand_of(table, row), row.number)
            self._agents[key] = agent
            self._locks[id(agent)] = Lock()
            while len(self._agents) > _MOST_KEPT:
                _, gone = self._agents.popitem(last=False)
                self._locks.pop(id(gone), None)
            return agent

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

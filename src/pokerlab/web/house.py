"""The tables of the web: a person against agents, hand after hand, and what that person may see as plain JSON.

    house = House(Ledger("hands.sqlite"))
    state = house.open_table("leduc", ["call"])
    state = house.act(state["table"], state["hand"], state["at"], "r")

The ledger is all that is remembered: a hand is taken up from its record for every action. What is drawn for it, cards
and agents' choices, follows from the table's secret, so that a server that is started again goes on as if it had never
stopped.
"""

from __future__ import annotations

import secrets
import time
from collections import defaultdict
from collections.abc import Sequence
from threading import Lock
from typing import Any

from pokerlab.agents.agent import Agent
from pokerlab.errors import AgentError, HandMovedOn, NoSuchTable, PokerlabError, shown
from pokerlab.game.catalog import rules_of
from pokerlab.game.hand import parse_action
from pokerlab.game.rules import Rules
from pokerlab.match.loop import Table
from pokerlab.records.logs import log_text
from pokerlab.records.phh import phhs_text
from pokerlab.records.record import LoggedHand
from pokerlab.web.bankroll import bankroll, curve
from pokerlab.web.games import GAMES
from pokerlab.web.hands import (
    checked_name,
    choices_from,
    dealt,
    hand_of,
    in_seats,
    names_in_log,
    names_of,
    players_in_seats,
    record_of,
    rules_at,
    seat_of,
    story_of,
    view_of,
)
from pokerlab.web.ledger import HandRow, Ledger, TableRow
from pokerlab.web.luck import AIVAT, CARDS, is_ready, way_of, without_luck, without_lucky_cards
from pokerlab.web.mistakes import Decision, decisions_of, why_no_costs
from pokerlab.web.players import Players
from pokerlab.web.review import points_of, why, why_not

_LETTERS = "abefgijklmnopqrtuvwxyz"  # of tables' names, in which no card can be read
_MOST_SPEC = 300  # characters
_LUCK_SECONDS = 0.3  # that a question for the curve spends on luck
_FEW_HANDS = 5  # before which an interval says nothing, and AIVAT is not begun
_COST_SECONDS = 0.4  # that a question for mistakes spends on hands that were not looked at before
_COST_HANDS = 200  # the last ones, in which mistakes are looked for
_MOST_MISTAKES, _MOST_KNOWN = 20, 20_000
_LEAST_COST = 1e-6  # chips


class House:
    """All tables of a ledger. `trusted` are specs of agents whose own code may run."""

    def __init__(self, ledger: Ledger, trusted: Sequence[str] = ()) -> None:
        self.ledger = ledger
        self.players = Players(trusted)
        self._locks: dict[str, Lock] = defaultdict(Lock)
        self._costs: dict[tuple[str, int], list[Decision]] = {}

    # ---- playing

    def open_table(self, game: str, agents: Sequence[str], player: str = "you") -> dict[str, Any]:
        """A new table with its first hand dealt."""
        if game not in GAMES:
            raise PokerlabError(f"no game {shown(game)} here; there are {', '.join(GAMES)}")
        rules = rules_of(game)
        if len(agents) != rules.players - 1:
            raise PokerlabError(f"{game} is for {rules.players} players: {rules.players - 1} agents, not {len(agents)}")
        for spec in agents:
            if not spec.strip() or len(spec) > _MOST_SPEC or not spec.isprintable():
                raise AgentError(f"an agent has a name of up to {_MOST_SPEC} printable characters, not {shown(spec)}")
        table = TableRow(
            "".join(secrets.choice(_LETTERS) for _ in range(14)), game, rules.text(),
            tuple(spec.strip() for spec in agents), checked_name(player), secrets.token_hex(16), time.time(),
        )  # fmt: skip
        first = self._played(table, dealt(table, 0))
        self.ledger.open_table(table, first)
        self._tell(table, first)
        return self._state(table, first)

    def state(self, table_id: str) -> dict[str, Any]:
        """What the person at a table sees of the hand that is being played, or was last."""
        return self._state(self.table(table_id), self.ledger.last_hand(table_id))

    def act(self, table_id: str, number: int, at: int, action: str) -> dict[str, Any]:
        """The person acts in hand `number` after `at` actions, by f, c, r or r300, and the agents answer."""
        table = self.table(table_id)
        with self._locks[table_id]:
            before = self.ledger.last_hand(table_id)
            if (before.number, len(before.actions)) != (number, at):
                raise HandMovedOn(
                    f"this is for hand {number} after {at} actions, and the table is at hand {before.number} after "
                    f"{len(before.actions)}"
                )
            if before.over:
                raise HandMovedOn(f"hand {number} is over: deal the next")
            after = self._played(table, before, action)
            self.ledger.save_hand(table_id, before, after)
            self._tell(table, after)
            return self._state(table, after)

    def deal(self, table_id: str, after: int) -> dict[str, Any]:
        """The hand that follows hand number `after`, which is over."""
        table = self.table(table_id)
        with self._locks[table_id]:
            last = self.ledger.last_hand(table_id)
            if last.number != after:
                raise HandMovedOn(f"the table is at hand {last.number}, not at {after}")
            if not last.over:
                raise HandMovedOn(f"hand {after} is not over yet")
            fresh = self._played(table, dealt(table, after + 1))
            self.ledger.add_hand(table_id, fresh)
            self._tell(table, fresh)
            return self._state(table, fresh)

    def table(self, table_id: str) -> TableRow:
        """A table by its name."""
        table = self.ledger.table(table_id)
        if table is None:
            raise NoSuchTable(f"there is no table {shown(table_id)}")
        return table

    def _played(self, table: TableRow, hand: HandRow, action: str | None = None) -> HandRow:
        """A hand after an action of the person, if there is one, and all that follows up to the next."""
        agents = self.players.seated(table, self.ledger)
        seated = [None if who == 0 else agents[who - 1] for who in players_in_seats(table, hand.number)]
        names = in_seats(names_of(table), table, hand.number)
        play = Table(rules_at(table), hand.cards, seated, choices_from(table, hand), names)
        play.resume(hand.actions)
        if action is not None:
            play.act(parse_action(play.hand, action))
        with self.players.busy(agents):
            play.advance()
        over = play.hand.finished
        chips = play.hand.payoffs()[seat_of(table, hand.number)] if over else None
        return hand._replace(actions=play.hand.actions, over=over, chips=chips)

    def _tell(self, table: TableRow, hand: HandRow) -> None:
        if hand.over:
            self.players.tell(table, hand_of(table, hand), hand.number)

    # ---- telling

    def _state(self, table: TableRow, row: HandRow) -> dict[str, Any]:
        hand = hand_of(table, row)
        view = hand.view(seat_of(table, row.number))
        return {
            "table": table.id, "hand": row.number, "at": len(row.actions), "over": row.over, "view": view.as_json(),
            "limit": view.rules.limit, "stacks": None if view.rules.limit else list(view.rules.stacks),
            "holes": view.rules.hole_cards, "boards": sum(view.rules.board_cards), "button": _button(view.rules),
            "folded": list(view.betting.folded), "before": view.betting.before, "story": story_of(view),
            "payoffs": list(hand.payoffs()) if row.over else None,
            "bankroll": bankroll(view.rules, self.ledger.totals(table.id)),
        }  # fmt: skip

    def tables(self) -> list[dict[str, Any]]:
        """All tables, the newest first."""
        return [
            {
                "table": table.id, "game": table.game, "agents": list(table.agents), "player": table.player,
                "opened": table.opened, "bankroll": bankroll(rules_at(table), totals),
            }
            for table, totals in self.ledger.tables()
        ]  # fmt: skip

    def hands(self, table_id: str, below: int | None = None, most: int = 50) -> list[dict[str, Any]]:
        """The last hands that are over, the newest first, as the person saw them."""
        table = self.table(table_id)
        told = []
        for row in reversed(self.ledger.finished(table_id, below=below, most=most)):
            view = view_of(table, row)
            told.append({
                "hand": row.number, "seat": view.seat, "cards": view.cards_text(), "betting": view.betting_text(),
                "chips": row.chips, "luck_free": row.luck_free,
            })  # fmt: skip
        return told

    def hand(self, table_id: str, number: int) -> dict[str, Any]:
        """A hand that is over, as the person saw it."""
        table, row = self.finished(table_id, number)
        hand, view = hand_of(table, row), view_of(table, row)
        return {
            "table": table.id, "hand": row.number, "view": view.as_json(), "story": story_of(view),
            "payoffs": list(hand.payoffs()), "chips": row.chips, "luck_free": row.luck_free,
        }  # fmt: skip

    def finished(self, table_id: str, number: int) -> tuple[TableRow, HandRow]:
        """A table, and a hand of it that is over."""
        table, row = self.table(table_id), self.ledger.hand(table_id, number)
        if row is None or not row.over:
            raise NoSuchTable(f"table {table_id} has no hand {number} that is over")
        return table, row

    def curve(self, table_id: str) -> dict[str, Any]:
        """What was won, hand by hand, also with luck taken out as far as that was found in a short time."""
        table = self.table(table_id)
        way = self._take_luck_out(table)
        return curve(rules_at(table), self.ledger.finished(table_id), way)

    def _take_luck_out(self, table: TableRow) -> str:
        """Of hands that it was not taken out of before, for a moment; how it is done."""
        agents, until = self.players.seated(table, self.ledger), time.monotonic() + _LUCK_SECONDS
        way = way_of(rules_at(table), agents)
        rows = self.ledger.finished(table.id)
        if not way or (way == AIVAT and not (len(rows) >= _FEW_HANDS and is_ready(rules_at(table)))):
            return way
        for row in rows:
            if row.luck_free is None and time.monotonic() < until:
                seat = seat_of(table, row.number)
                with self.players.busy(agents):
                    self.ledger.without_luck(table.id, row.number, self._luck_free(table, row, seat, way, agents[0]))
        return way

    def _luck_free(self, table: TableRow, row: HandRow, seat: int, way: str, agent: Agent) -> float:
        hand = hand_of(table, row)
        if way == CARDS:
            return without_lucky_cards(hand._replace(holes=hand.view(seat).holes), seat)
        try:
            return without_luck(hand, seat, agent)
        except PokerlabError:  # it is another agent today, who never plays so: the hand counts as it is
            return hand.payoffs()[seat]

    def review(self, table_id: str, number: int) -> dict[str, Any]:
        """The agents' decisions in a hand that is over, what the person's cost, and why some of it cannot be shown."""
        table, row = self.finished(table_id, number)
        agents, rules = self.players.seated(table, self.ledger), rules_at(table)
        refused = list(dict.fromkeys(filter(None, (why_not(agent, rules) for agent in agents))))
        with self.players.busy(agents):
            points = points_of(hand_of(table, row), seat_of(table, number), self._askable(table, row, agents))
        return {
            "table": table.id, "hand": number, "points": points, "refused": refused,
            "decisions": [decision._asdict() for decision in self._decisions(table, row, agents)],
            "uncosted": "" if refused else why_no_costs(rules),
        }  # fmt: skip

    def _askable(self, table: TableRow, row: HandRow, agents: Sequence[Agent]) -> dict[int, Agent]:
        """The agents that can be asked about other cards than those they held, by their seats in a hand."""
        rules, places = rules_at(table), enumerate(players_in_seats(table, row.number))
        return {seat: agents[who - 1] for seat, who in places if who and not why_not(agents[who - 1], rules)}

    def why(self, table_id: str, number: int, at: int) -> dict[str, Any]:
        """Why an agent decided as it did after `at` actions of a hand that is over."""
        table, row = self.finished(table_id, number)
        agents = self.players.seated(table, self.ledger)
        with self.players.busy(agents):
            told = why(hand_of(table, row), seat_of(table, number), at, self._askable(table, row, agents))
        return {"table": table.id, "hand": number, "at": at, **told}

    def mistakes(self, table_id: str) -> dict[str, Any]:
        """The person's decisions in the last hands by what they cost; more hands are looked at with each question."""
        table = self.table(table_id)
        agents, rules = self.players.seated(table, self.ledger), rules_at(table)
        refused = next(filter(None, (why_not(agent, rules) for agent in agents)), "")
        rows = self.ledger.finished(table_id, most=_COST_HANDS)[::-1]
        until, looked_at, known = time.monotonic() + _COST_SECONDS, 0, list[tuple[int, Decision]]()
        for row in rows:
            if (table.id, row.number) in self._costs or time.monotonic() < until:
                looked_at += 1
                known += [(row.number, one) for one in self._decisions(table, row, agents)]
        costly = sorted((one for one in known if one[1].cost > _LEAST_COST), key=lambda one: -one[1].cost)
        return {
            "table": table.id, "hands": len(rows), "looked_at": looked_at, "decisions": len(known),
            "cost": sum(decision.cost for _, decision in known), "bet": rules.small_bet,
            "mistakes": [{"hand": number, **decision._asdict()} for number, decision in costly[:_MOST_MISTAKES]],
            "refused": refused or why_no_costs(rules),
        }  # fmt: skip

    def _decisions(self, table: TableRow, row: HandRow, agents: Sequence[Agent]) -> list[Decision]:
        """What the person's decisions in a hand cost, remembered."""
        key, rules = (table.id, row.number), rules_at(table)
        if rules.players != 2 or why_not(agents[0], rules):
            return []
        if key not in self._costs:
            if len(self._costs) >= _MOST_KNOWN:
                self._costs.clear()
            with self.players.busy(agents):
                self._costs[key] = decisions_of(hand_of(table, row), seat_of(table, row.number), agents[0])
        return self._costs[key]

    def log(self, table_id: str) -> str:
        """The hands that are over as a log of the competition; cards that were not shown are left out."""
        table = self.table(table_id)
        names, records = names_in_log(table), list[LoggedHand]()
        for row in self.ledger.finished(table_id):
            record = record_of(table, row)
            named = record.hand._replace(names=in_seats(names, table, row.number))
            records.append(record._replace(hand=named))
        return log_text(f"table-{table_id}", rules_at(table), names, records)

    def phhs(self, table_id: str) -> str:
        """The same as PHH, numbered tables in one text, of hold'em."""
        table = self.table(table_id)
        return phhs_text(record_of(table, row) for row in self.ledger.finished(table_id))


def _button(rules: Rules) -> int:
    """The seat that acts last in the last round: the dealer's."""
    return (rules.first[-1] - 1) % rules.players

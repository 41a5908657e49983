"""What decisions cost: exact, beside the best response of the compiled game; and what is told of it, and of cases."""

import random
from contextlib import closing
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

from honest import Honest
from pokerlab.agents.simple import Call
from pokerlab.agents.table import tabulate
from pokerlab.cards.equity import showdown_equity
from pokerlab.cards.holes import holes_of
from pokerlab.game.betting import CALL
from pokerlab.game.catalog import rules_of
from pokerlab.game.hand import new_hand
from pokerlab.match.tables import compiled_game
from pokerlab.web.house import House
from pokerlab.web.ledger import Ledger
from pokerlab.web.mistakes import decisions_of, why_no_costs
from small_blueprint import small_agent
from web_client import at_home, options

CASES = Path(__file__).parent.parent / "files" / "leduc.cases"


def played(rules, cards, *actions):
    """A hand with these cards, in which these actions are taken first and all else is checked and called."""
    hand, left = new_hand(rules), list(cards)
    taken = iter(actions)
    while not hand.finished:
        if hand.pending:
            hand, left = hand.deal(left[: hand.pending]), left[hand.pending :]
        else:
            hand = hand.act(next(taken, CALL))
    return hand


@pytest.mark.parametrize("game", ["kuhn", "leduc"])
@pytest.mark.parametrize("seat", [0, 1])
def test_best_actions_make_a_best_response(game, seat):
    """The best of what the first decisions are worth, over all cards, is the value of the best response."""
    rules, agent = rules_of(game), Honest()
    compiled, total = compiled_game(rules), 0.0
    holes, deck = holes_of(len(rules.deck), 1), range(len(rules.deck))
    firsts = [None] if seat == 0 else list(new_hand(rules).betting.legal().actions())
    for mine in holes:
        others = [hole for hole in holes if hole != mine]
        board = [card for card in deck if card not in (*mine, *others[0])][: sum(rules.board_cards)]
        for first in firsts:
            order = (mine, others[0]) if seat == 0 else (others[0], mine)
            hand = played(rules, [*order[0], *order[1], *board], *([] if first is None else [first]))
            told = decisions_of(hand, seat, agent)[0]
            assert told.at == seat
            assert told.cost == pytest.approx(max(told.values.values()) - told.values[told.did])
            assert told.values[told.best] == max(told.values.values())
            odds = 1.0
            if first is not None:
                views = [new_hand(rules).dealt((*other, *mine)).view(0) for other in others]
                odds = np.mean([agent.act(view).get(first, 0.0) for view in views])
            total += odds * max(told.values.values()) / len(holes)
    plans = [tree.realize(tabulate(agent, compiled, player)) for player, tree in enumerate(compiled.trees)]
    value, _ = compiled.trees[seat].best_response(compiled.gradient(seat, plans))
    assert total == pytest.approx(value, abs=1e-9)


def test_later_decisions_follow_from_what_was_done_before():
    """In Kuhn by hand: after a check and a bet the last player knows what may have bet."""
    rules, agent = rules_of("kuhn"), Honest()
    for mine, held, other in permutations(range(3)):
        raised = rules.blinds[0] + 1
        hand = new_hand(rules).dealt((mine, held)).act(CALL).act(raised).act(CALL)
        _, told = decisions_of(hand, 0, agent)
        bets = {
            card: agent.act(new_hand(rules).dealt((mine, card)).act(CALL).view(1))[raised] for card in (held, other)
        }
        called = sum(chance * (2 if mine > card else -2) for card, chance in bets.items()) / sum(bets.values())
        assert told.values == pytest.approx({"fold": -1.0, "call 1": called})
        assert told.cost == pytest.approx(max(0.0, -1 - called))


def test_rivers_of_holdem_against_who_only_calls():
    """A bet is called with everything: it is worth the showdown's share of more chips."""
    rules, rng = rules_of("holdem-limit"), random.Random(2)
    hand = played(rules, rng.sample(range(52), 9))
    seat = hand.rules.first[-1]
    (told,) = decisions_of(hand, seat, Call())
    dead = {*hand.board, *hand.holes[seat]}
    others = [hole for hole in holes_of(52, 2) if dead.isdisjoint(hole)]
    sign = np.mean([2 * showdown_equity([hand.holes[seat], hole], hand.board, 5)[0] - 1 for hole in others])
    stake, size = hand.betting.spent[0], rules.raise_sizes[-1]
    assert told.values == pytest.approx({"check": stake * sign, f"bet {size}": (stake + size) * sign})
    assert (told.round, told.did, told.at) == (3, "check", len(hand.actions) - 2)
    assert told.best == ("check" if sign < 0 else f"bet {size}")
    assert "last round" in why_no_costs(rules)


def test_cards_that_the_agent_held_do_not_matter():
    agent = small_agent(1)
    hand = played(agent.rules, [*range(0, 18, 2)])
    for seat in (0, 1):
        told = decisions_of(hand, seat, agent)
        other = list(hand.holes)
        other[1 - seat] = (49, 51)
        assert decisions_of(hand._replace(holes=tuple(other)), seat, agent) == told != []
        assert all(one.round == 3 and one.cost >= 0 for one in told)


def test_mistakes_are_ranked_and_looked_at_bit_by_bit(tmp_path):
    rng = random.Random(3)
    with at_home(tmp_path) as here:
        state = here.post("/api/tables", {"game": "leduc", "agents": ["probe"]})
        path = f"/api/tables/{state['table']}"
        assert here.get(f"{path}/mistakes")["hands"] == 0
        for number in range(12):
            while not state["over"]:
                action = rng.choice(options(state))
                state = here.post(f"{path}/actions", {"hand": state["hand"], "at": state["at"], "action": action})
            state = here.post(f"{path}/hands", {"hand": number})
        while (told := here.get(f"{path}/mistakes"))["looked_at"] < 12:
            pass
        costs = [one["cost"] for one in told["mistakes"]]
        assert costs == sorted(costs, reverse=True)
        assert costs[0] > 0
        assert told["refused"] == ""
        every = [one for number in range(12) for one in here.get(f"{path}/hands/{number}/review")["decisions"]]
        assert len(every) == told["decisions"]
        assert told["cost"] == pytest.approx(sum(one["cost"] for one in every))
        assert costs == sorted((one["cost"] for one in every if one["cost"] > 1e-6), reverse=True)[:20]
        assert all(one["did"] in one["values"] and one["best"] in one["values"] for one in every)
        other = here.post("/api/tables", {"game": "holdem-limit-3p", "agents": ["call", "call"]})
        assert "games for two" in here.get(f"/api/tables/{other['table']}/mistakes")["refused"]


def test_the_cases_behind_decisions_are_told_with_shown_cards_or_with_ones_own(tmp_path):
    with closing(Ledger(tmp_path / "web.sqlite")) as ledger:
        house, seen = House(ledger), set()
        state = house.open_table("leduc", [f"cases:{CASES}"])
        for number in range(40):
            action = "c" if number % 2 else "f"
            while not state["over"]:
                legal = state["view"]["legal"]
                move = action if legal["fold"] or action == "c" else ("r" if legal["raises"] else "c")
                state = house.act(state["table"], state["hand"], state["at"], move)
            for point in house.review(state["table"], number)["points"]:
                assert point["explains"]
                told = house.why(state["table"], number, point["at"])
                holes, mine = state["view"]["holes"], state["view"]["seat"]
                assert told["cards"] == (holes[1 - mine] or holes[mine])
                assert told["shown"] == bool(holes[1 - mine])
                assert told["why"]["readings"][0]["cases"]
                assert told["lines"]
                seen.add(told["shown"])
            if seen == {True, False}:
                break
            state = house.deal(state["table"], number)
        assert seen == {True, False}


def test_who_does_not_tell_why_is_said_to(tmp_path):
    with at_home(tmp_path) as here:
        state = here.post("/api/tables", {"game": "kuhn", "agents": ["call"]})
        path = f"/api/tables/{state['table']}"
        assert here.ask("GET", f"{path}/hands/0/why?at=0")[0] == 404  # it is not over
        while not state["over"]:
            state = here.post(f"{path}/actions", {"hand": 0, "at": state["at"], "action": "c"})
        for at in range(4):
            status, told = here.ask("GET", f"{path}/hands/0/why?at={at}")
            assert (status, list(told)) == (404, ["error"])

"""What an agent declares: the game it plays, all hands at once, its files, and whom it sits with."""

import numpy as np
import pytest

import pokerlab
from pokerlab.agents.agent import Agent
from pokerlab.agents.simple import SIMPLE, Call
from pokerlab.agents.table import TableAgent
from pokerlab.cards.holes import HOLES, holes_of
from pokerlab.errors import AgentError
from pokerlab.game.betting import CALL, FOLD
from pokerlab.game.hand import new_hand
from pokerlab.match.play import play_match
from randomly import hand_states

LEDUC, HOLDEM = pokerlab.rules_of("leduc"), pokerlab.rules_of("holdem-limit")


class HighCards(Agent):
    """Raises with its best cards, calls with the middling, folds the rest if it may; asked hand by hand."""

    def act(self, view):
        strength = sum(view.hole) / (len(view.rules.deck) * len(view.hole))
        if strength > 0.6 and view.legal.raises:
            return {view.legal.raises[0]: strength, CALL: 1 - strength}
        return {FOLD: 1.0} if strength < 0.3 and view.legal.fold else {CALL: 1.0}


def test_hole_cards_have_one_order():
    assert np.array_equal(holes_of(52, 2), HOLES)
    assert holes_of(4, 1) == ((0,), (1,), (2,), (3,))
    assert holes_of(5, 3)[:4] == ((0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3))


@pytest.mark.parametrize("rules", [LEDUC, HOLDEM, pokerlab.rules_of("kuhn-3p")], ids=lambda rules: rules.name)
def test_hand_by_hand_is_what_it_does_with_each_hand(rules):
    agent, asked = HighCards(), 0
    holes = holes_of(len(rules.deck), rules.hole_cards)
    for hand in [hand for seed in range(3) for hand in hand_states(rules, seed) if hand.actor is not None][:12]:
        view = hand.view(hand.actor)
        answers = agent.answers(view)
        for number, hole in enumerate(holes):
            if set(hole) & set(view.board):
                assert all(odds[number] == 0 for odds in answers.values())
                continue
            shown = view._replace(holes=tuple(hole if seat == view.seat else () for seat in range(rules.players)))
            there = {action: odds[number] for action, odds in answers.items() if odds[number] > 0}
            assert there == agent.act(shown)
            asked += 1
    assert asked > 12


@pytest.mark.parametrize("name", SIMPLE)
def test_who_does_not_look_answers_at_once_as_hand_by_hand(name):
    agent = SIMPLE[name]()
    for hand in hand_states(LEDUC, 5):
        if hand.actor is not None:
            view = hand.view(hand.actor)
            slow, free = Agent.answers(agent, view), [set(hole).isdisjoint(view.board) for hole in holes_of(6, 1)]
            for action, odds in agent.answers(view).items():
                assert np.array_equal(odds[free], slow[action][free])


def test_an_agent_says_what_it_plays_and_is_made_of(tmp_path):
    path = tmp_path / "leduc.strategy"
    pokerlab.solve("leduc", iterations=5).save(path)
    table = TableAgent(path)
    assert (table.rules, table.files) == (LEDUC, (str(path),))
    assert TableAgent(pokerlab.load(path)).files == ()
    assert (Call().rules, Call().files) == (None, ())
    with pytest.raises(AgentError, match="agent 'table' plays leduc, not kuhn"):
        table.must_play(pokerlab.rules_of("kuhn"))
    kuhn = new_hand(pokerlab.rules_of("kuhn")).deal((0, 1))
    with pytest.raises(AgentError, match="plays leduc, not kuhn"):
        table.act(kuhn.view(0))


class Diary(Call):
    """Remembers whom it sat with."""

    name, stateless = "diary", False

    def __init__(self):
        self.met = []

    def act(self, view):
        assert view.names[view.seat] == "diary"
        return super().act(view)

    def observe(self, view):
        self.met.append((view.seat, view.names))


def test_everybody_knows_who_sits_where():
    diary, seen = Diary(), []

    def watch(number, seating, hand, seats):
        seen.append(hand.names)

    play_match(LEDUC, [diary, Call()], 3, watch=watch)
    assert diary.met == [(0, ("diary", "call")), (1, ("call", "diary")), (0, ("diary", "call"))]
    assert seen == [names for _, names in diary.met]
    play_match(LEDUC, [Call(), diary], 1, names=["caller", "diary"])
    assert diary.met[-1] == (1, ("caller", "diary"))


def test_who_remembers_may_say_what_it_plays_next():
    with pytest.raises(AgentError, match="diary remembers past hands"):
        Diary().playing(new_hand(LEDUC).view(0))
    call = Call()
    assert call.playing(new_hand(LEDUC).view(1)) is call

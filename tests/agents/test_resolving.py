"""The resolving agent: legal under any opponent, in time, safe, and nested where the opponent leaves the tree."""

import random
import time

import numpy as np
import pytest

from pokerlab.agents.agent import Agent, choose
from pokerlab.agents.blueprint import BlueprintAgent
from pokerlab.agents.resolving import ResolvingAgent
from pokerlab.agents.rest import Rest, Translated
from pokerlab.agents.simple import Call, Raise, Random, Uniform
from pokerlab.cards.holes import HOLES, hole_number
from pokerlab.errors import AgentError
from pokerlab.game.betting import CALL
from pokerlab.game.catalog import rules_of
from pokerlab.game.hand import new_hand, parse_hand
from pokerlab.match.play import deals
from small_blueprint import small_agent, small_blueprint

BLUEPRINT = small_agent()
RULES = BLUEPRINT.blueprint.rules
BOARD = "/2c7dKh/4s/Ac"


def view_of(betting, hole="QcJc", board=BOARD):
    cards = "/".join(board.split("/")[: betting.count("/") + 1])
    hand = parse_hand(RULES, betting, f"|{cards}")
    holes = [hole if seat == hand.actor else "" for seat in range(2)]
    return parse_hand(RULES, betting, "|".join(holes) + cards).view(hand.actor)


def resolving(**options):
    return ResolvingAgent(BLUEPRINT, **{"iterations": 20, **options})


class Odd(Agent):
    """Bets strange amounts: the least, one more, all but a chip."""

    name = "odd"

    def act(self, view):
        raises = view.legal.raises
        if not raises:
            return {CALL: 1.0}
        picks = {raises[0], raises[min(1, len(raises) - 1)], raises[len(raises) // 7], raises[max(0, len(raises) - 2)]}
        return {CALL: 0.6, **dict.fromkeys(picks, 0.4 / len(picks))}


def play_from(round, rules, seated, cards, rng):
    """A hand in which all check and call up to a round; how many decisions there were from there on.

    Refuses illegal actions and what does not add up to 1.
    """
    hand, dealt, asked = new_hand(rules), 0, 0
    while not hand.finished:
        if hand.pending:
            hand, dealt = hand.dealt(cards[dealt : dealt + hand.pending]), dealt + hand.pending
        elif hand.betting.round < round:
            hand = hand.act(CALL)
        else:
            view = hand.view(hand.actor)
            asked += 1
            hand = hand.act(choose(seated[hand.actor].act(view), view.legal, rng.random()))
    return asked


@pytest.mark.parametrize("technique", ["max-margin", "re-solving", "endgame"])
@pytest.mark.parametrize("opponent", [Random(), Uniform(), Raise(33), Odd(), BLUEPRINT], ids=lambda o: o.name)
def test_never_illegal_on_the_river(technique, opponent):
    agent, rng = resolving(technique=technique, iterations=2), random.Random(1)
    for number, cards in enumerate(deals(RULES, 1, 12)):
        asked = play_from(1 + number % 3, RULES, [agent, opponent] if number % 2 else [opponent, agent], cards, rng)
        assert asked


@pytest.mark.slow
@pytest.mark.parametrize("opponent", [Raise(33), Odd(), Uniform()], ids=lambda o: o.name)
def test_never_illegal_from_the_turn_on(opponent):
    agent, rng = resolving(from_round="turn", iterations=1), random.Random(2)
    for number, cards in enumerate(deals(RULES, 2, 6)):
        asked = play_from(2, RULES, [agent, opponent] if number % 2 else [opponent, agent], cards, rng)
        assert asked


def test_before_the_round_it_is_the_blueprint():
    agent = resolving()
    for betting in ("c", "cc/", "cc/cr300", "cc/cc/"):
        view = view_of(betting)
        assert agent.act(view) == BLUEPRINT.act(view)
        assert agent.refinement(view) is None
    assert agent.refinement(view_of("cc/cc/cc/")) is not None


def test_all_hands_at_once_and_one_by_one():
    agent = resolving()
    view = view_of("cc/cc/cc/r200")
    answer = agent.answers(view)
    free = ~np.isin(HOLES, view.board).any(axis=1)
    np.testing.assert_allclose(sum(answer.values())[free], 1.0)
    assert all(action in view.legal for action in answer)
    for hole in ("QcJc", "AsAd", "3d5s"):
        one = view_of("cc/cc/cc/r200", hole)
        hand = hole_number(one.hole)
        assert agent.act(one) == {action: odds[hand] for action, odds in answer.items() if odds[hand] > 0}


def test_equal_views_have_equal_answers_where_iterations_are_the_limit():
    first, second = resolving(), resolving()
    wanted = [view_of(line) for line in ("cc/cc/cc/", "cc/cc/cc/cr237", "r300c/cr650c/cc/c")]
    answers = [first.act(view) for view in wanted]
    assert [second.act(view) for view in reversed(wanted)] == answers[::-1]


@pytest.mark.parametrize("technique", ["max-margin", "re-solving"])
@pytest.mark.parametrize("betting", ["cc/cc/cc/", "r300c/cc/cr900c/c", "cr220c/cr440c/cc/r700"])
def test_safe_techniques_have_no_negative_margins(technique, betting):
    found = resolving(technique=technique, iterations=1500).refinement(view_of(betting))
    assert found.iterations == 1500
    assert found.margin > -1.0  # chips, of a pot of some hundreds


def test_max_margin_has_the_largest_and_endgame_solving_negative_ones():
    views = [view_of(line) for line in ("cc/cc/cc/", "r300c/cc/cr900c/c", "cr300c/cc/cc/c")]
    least = []
    for view in views:
        margins = {}
        for technique in ("max-margin", "re-solving", "endgame"):
            found = resolving(technique=technique, iterations=600).refinement(view)
            margins[technique] = np.nanmin(values_of_blueprint(view) - found.values())
        assert margins["max-margin"] >= max(margins.values()) - 1.0
        least.append(margins["endgame"])
    assert min(least) < -1.0


def values_of_blueprint(view):
    """The opponent's values against the blueprint, in a spot of its own."""
    found = resolving(iterations=1).refinement(view)
    return found.values_against(Translated(BLUEPRINT, Rest(view), found.tree))


def test_the_root_is_the_exact_state():
    found = resolving().refinement(view_of("cr237c/r501c/cc/r777"))
    assert (found.spot.pot, found.spot.bets, found.spot.to_act) == (1002, (276, 0), 1)
    assert found.spot.stacks == (1223, 1499)


def test_played_on_from_the_solution_while_the_opponent_stays_in_the_tree():
    agent = resolving()
    first = agent.refinement(view_of("cc/cc/cc/"))
    assert agent.refinement(view_of("cc/cc/cc/cr200")) is first  # half the pot is in the tree
    view = view_of("cc/cc/cc/cr200")
    node = first.tree[first.tree[0].children[0]]
    node = first.tree[node.children[node.labels.index("bet 100")]]
    strategy = first.strategy(node, view.board)
    np.testing.assert_allclose(agent.answers(view)[CALL], strategy[node.labels.index("call")])


@pytest.mark.parametrize(("betting", "left"), [("cc/cc/cc/cr237", 137), ("cc/cc/cc/r200r477", 377)])
def test_nested_where_the_opponent_leaves_the_tree(betting, left):
    agent = resolving(iterations=200)
    view = view_of(betting)
    last = agent.refinement(view_of("cc/cc/cc/"))
    found = agent.refinement(view)
    assert found is not last
    assert found.spot.bets[found.opponent] == left
    assert found.spot.to_act == found.player == 0
    # What the opponent must not exceed is what it had in the last solution, where it chose; the bet is in the pot now.
    node = last.tree[last.tree[0].children[0]]
    if "r200" in betting:
        node = last.tree[last.tree[0].children[last.tree[0].labels.index("bet 100")]]
    border = last.border(node, view.board)
    np.testing.assert_allclose(found.had, border.cbv + left, atol=1e-4)
    own = np.flatnonzero(border.mine > 1e-3)
    weights = found.spot.weights(0)
    np.testing.assert_allclose(weights[own] / weights.max(), border.mine[own] / border.mine.max(), rtol=1e-3)
    assert agent.refinement(view) is found


def test_nested_twice():
    agent = resolving()
    first = agent.refinement(view_of("cc/cc/cc/cr237"))
    legal = [action for action in agent.answers(view_of("cc/cc/cc/cr237")) if 237 < action < 1200]
    betting = f"cc/cc/cc/cr237r{legal[0]}"
    again = agent.refinement(view_of(f"{betting}r{legal[0] * 2 + 101}"))
    assert again is not first
    assert again.spot.bets[0] == legal[0] - 100


@pytest.mark.slow
def test_from_the_turn_to_the_river():
    agent = resolving(from_round="turn", iterations=8)
    turn = agent.refinement(view_of("cc/cc/"))
    river = agent.refinement(view_of("cc/cc/cr200c/"))
    assert (turn.spot.street, river.spot.street) == (1, 2)
    node = next(n for n in turn.tree if turn.tree.line(n.index) == ("check", "bet 100", "call", "deal"))
    border = turn.border(node, view_of("cc/cc/cr200c/").board)
    np.testing.assert_allclose(river.had, border.cbv, atol=1e-4)
    nested = agent.refinement(view_of("cc/cc/cr371"))
    assert nested.spot.street == 1
    assert nested.spot.bets == (0, 271)


def test_facing_all_in():
    agent = resolving(iterations=300)
    view = view_of("cc/cc/cc/r2000")
    answer = agent.answers(view)
    assert set(answer) == {-1, 0}
    strong, weak = (hole_number(view_of("c", hole).hole) for hole in ("KsKc", "9d8d"))
    assert answer[CALL][strong] > 0.99
    assert answer[CALL][weak] < 0.01


def test_unequal_stacks():
    blueprint = BlueprintAgent(small_blueprint(stacks=(2000, 1300)))
    rules, rng = blueprint.blueprint.rules, random.Random(3)
    agent = ResolvingAgent(blueprint, iterations=2)
    for number, cards in enumerate(deals(rules, 3, 20)):
        opponent = (Odd(), Raise(33), Uniform(), Random())[number % 4]
        asked = play_from(3, rules, [agent, opponent] if number % 3 else [opponent, agent], cards, rng)
        assert asked


@pytest.mark.parametrize("betting", ["cc/cc/cc/", "cr220c/cr440c/cc/r700"])
def test_the_time_limit_is_kept(betting):
    agent = ResolvingAgent(BLUEPRINT, seconds=2)
    began = time.perf_counter()
    agent.act(view_of(betting))
    took = time.perf_counter() - began
    assert took < 2
    assert agent.refinement(view_of(betting)).iterations > 1


@pytest.mark.slow
def test_the_time_limit_is_kept_on_the_turn():
    agent = ResolvingAgent(BLUEPRINT, from_round="turn", seconds=3)
    for betting in ("cc/cc/", "cr220c/cr440c/r700"):
        began = time.perf_counter()
        agent.act(view_of(betting))
        assert time.perf_counter() - began < 3
        assert agent.refinement(view_of(betting)) is not None


def test_without_time_it_plays_the_blueprint():
    agent = ResolvingAgent(BLUEPRINT, seconds=1e-6)
    view = view_of("cc/cc/cc/")
    assert agent.refinement(view) is None
    assert agent.act(view) == BLUEPRINT.act(view)


def test_without_memory_it_plays_the_blueprint():
    agent = resolving(memory=1e-6)
    view = view_of("cc/cc/cc/")
    assert agent.act(view) == BLUEPRINT.act(view)


def test_an_action_of_its_own_that_is_not_its_own():
    # Somebody else chose for it: from there on it starts anew, from the blueprint.
    agent = resolving()
    found = agent.refinement(view_of("cc/cc/cc/r333r999"))
    assert found.spot.bets == (233, 899)
    assert found.spot.to_act == 0


def test_solutions_are_forgotten(monkeypatch):
    agent = resolving(iterations=1)
    monkeypatch.setattr("pokerlab.agents.resolving._MOST_KEPT", 3 * agent.refinement(view_of("cc/cc/cc/")).bytes)
    for river in ("Ac", "Ad", "Ah", "8c", "8d", "8h"):
        agent.act(view_of("cc/cc/cc/", board=f"/2c7dKh/4s/{river}"))
    assert len(agent._known) <= 4


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"from_round": "flop"}, "from turn or river"),
        ({"technique": "magic"}, "max-margin"),
        ({"seconds": 0}, "above 0"),
        ({"bets": "big"}, "or all-in, not 'big'"),
        ({"rules": rules_of("holdem-limit")}, "no-limit"),
        ({"rules": rules_of("leduc")}, "no-limit"),
    ],
)
def test_bad_input_is_refused(options, complaint):
    with pytest.raises(AgentError, match=complaint):
        ResolvingAgent(BLUEPRINT, **options)


def test_any_stateless_agent_can_be_refined():
    agent = ResolvingAgent(Call(), rules=RULES, iterations=2)
    view = view_of("cc/cc/cc/")
    assert agent.refinement(view) is not None
    assert sum(agent.act(view).values()) == pytest.approx(1.0)
    with pytest.raises(AgentError, match="rules of the game"):
        ResolvingAgent(Call())
    diary = Call()
    diary.stateless = False
    with pytest.raises(AgentError, match="call remembers past hands"):
        ResolvingAgent(diary, rules=RULES)


def test_other_games_are_refused():
    agent = ResolvingAgent(BLUEPRINT, iterations=1)
    view = parse_hand(rules_of("holdem-nolimit"), "", "AsKd|").view(1)
    with pytest.raises(AgentError, match="plays"):
        agent.act(view)


def test_choices_are_legal_when_drawn():
    agent = resolving()
    view = view_of("cc/cc/cc/")
    for uniform in (0.0, 0.3, 0.999999):
        assert choose(agent.act(view), view.legal, uniform) in view.legal

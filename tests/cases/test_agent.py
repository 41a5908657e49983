"""The agent: legal at every table, the same for equal views, for all hands at once, and it learns when told to."""

import numpy as np
import pytest

import naive_cases
from pokerlab.agents.spec import agent_of
from pokerlab.agents.table import tabulate
from pokerlab.cards.holes import possible
from pokerlab.cases.agent import CasesAgent
from pokerlab.cases.features import Features
from pokerlab.cases.reuse import carried_out, decide
from pokerlab.cases.sequences import readings
from pokerlab.cases.similarity import Similarity
from pokerlab.errors import AgentError
from pokerlab.form.compile import compile
from pokerlab.game.betting import CALL, FOLD, start_betting
from pokerlab.game.catalog import rules_of
from pokerlab.match.client import deal_to_agents
from pokerlab.match.dealer import Limits
from pokerlab.match.play import play_match
from random_cases import GAMES, base_of, played, views


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("reuse", ["probabilistic", "max-frequency", "best-outcome"])
def test_answers_are_legal_and_the_scan_s(game, reuse):
    rules = rules_of(game)
    base = base_of(rules, played(game)[:30], Features(buckets=10))
    agent = CasesAgent(base, reuse=reuse, vary=0.0)
    for view in views(rules, 6):
        answer = agent.act(view)
        assert all(action in view.legal for action in answer)
        assert sum(answer.values()) == pytest.approx(1.0)
        assert agent.act(view) == answer
        expected = {}
        number = view.betting.round
        cell = base.cells[number].of(view.hole, view.board, view.betting.spent[view.seat], rules.stacks[view.seat])
        for sequence, chance in readings(rules, view.actions, view.seat).items():
            counts, outcomes, _, _ = naive_cases.scan(base, number, sequence, cell)
            for letter, odds in reused(counts, outcomes, reuse, view, base.letters).items():
                for action in carried_out(view.betting, letter, 0.0):
                    expected[action] = expected.get(action, 0.0) + chance * odds
        assert answer == pytest.approx({action: odds for action, odds in expected.items() if odds})


def reused(counts, outcomes, policy, view, letters):
    """A policy, letter by letter."""
    can = {"f": view.legal.fold, "c": True}
    legal = [letter for letter in letters if can.get(letter, bool(view.legal.raises))]
    known = {letter: counts[letters.index(letter)] for letter in legal if counts[letters.index(letter)] > 0}
    if not known:
        return {"c": 1.0}
    if policy == "probabilistic":
        return {letter: count / sum(known.values()) for letter, count in known.items()}
    means = {letter: outcomes[letters.index(letter)] / count for letter, count in known.items()}
    by = known if policy == "max-frequency" else means
    best = [letter for letter in known if by[letter] == max(by.values())]
    return {letter: 1 / len(best) for letter in best}


@pytest.mark.parametrize("game", GAMES)
def test_all_hands_at_once_are_each_alone(game):
    rules = rules_of(game)
    agent = CasesAgent(
        base_of(rules, played(game)[:60], similarities=(Similarity(neighbours=3),) * rules.rounds), vary=0.1
    )
    for view in views(rules, 3, seed=2):
        answers = agent.answers(view)
        by_one = super(CasesAgent, agent).answers(view) if not rules.holdem else None
        if by_one is not None:
            for action, odds in by_one.items():
                shown = [i for i in range(6) if i not in view.board]
                assert answers[action][shown] == pytest.approx(odds[shown])
            continue
        for hole in np.flatnonzero(possible(view.board))[::211]:
            low, high = _hole(hole)
            holes = tuple((low, high) if seat == view.seat else () for seat in range(rules.players))
            alone = agent.act(view._replace(holes=holes))
            for action in {*alone, *answers}:
                assert answers[action][hole] == pytest.approx(alone.get(action, 0.0))


def _hole(number):
    from pokerlab.cards.holes import HOLES

    return tuple(map(int, HOLES[number]))


@pytest.mark.parametrize("game", GAMES)
def test_imitators_play_among_their_like(game, tmp_path):
    rules = rules_of(game)
    base_of(rules, played(game)).save(tmp_path / "a.cases")
    policies = ("probabilistic", "max-frequency", "best-outcome")
    agents = [agent_of(f"cases:{tmp_path}/a.cases?reuse={policies[i]}&vary=0.3", rules) for i in range(rules.players)]
    assert agents[0].files == (str(tmp_path / "a.cases"),)
    assert agents[0].stateless
    first = play_match(rules, agents, 200, seed=3)
    assert (first.winnings == play_match(rules, agents, 200, seed=3).winnings).all()


@pytest.mark.parametrize("game", ["holdem-limit-3p", "holdem-nolimit"])
def test_imitators_at_the_dealer_do_nothing_illegal(game):
    """Over sockets, where one invalid action would end the match."""
    rules = rules_of(game)
    base = base_of(rules, played(game))
    options = ({"vary": 0.3}, {"reuse": "max-frequency"}, {"reuse": "best-outcome", "vary": 0.2})
    agents = [CasesAgent(base, **options[seat]) for seat in range(rules.players)]
    result = deal_to_agents(rules, agents, 150, seed=4, limits=Limits(invalid=0))
    assert (result.finished, result.hands, result.warnings) == (True, 150, 0), result.reason


def test_an_imitator_is_a_table_in_a_small_game():
    """What it does everywhere is a strategy: none but distributions, by the tree's own check."""
    rules = rules_of("leduc")
    game = compile(rules)
    agent = CasesAgent(base_of(rules, played("leduc")))
    for player, tree in enumerate(game.trees):
        table = tabulate(agent, game, player)
        tree.check(table)
        assert not np.allclose(table, tree.uniform())


def test_policies():
    counts, outcomes = np.array([[2.0, 1.0, 1.0]]), np.array([[-4.0, 3.0, 3.5]])
    everything = np.array([True, True, True])
    assert decide(counts, outcomes, everything, "probabilistic").tolist() == [[0.5, 0.25, 0.25]]
    assert decide(counts, outcomes, everything, "max-frequency").tolist() == [[1, 0, 0]]
    assert decide(counts, outcomes, everything, "best-outcome").tolist() == [[0, 0, 1]]
    checked = np.array([False, True, True])
    assert decide(counts, outcomes, checked, "probabilistic").tolist() == [[0, 0.5, 0.5]]
    assert decide(counts, outcomes, checked, "max-frequency").tolist() == [[0, 0.5, 0.5]]
    only_fold = np.array([[5.0, 0.0, 0.0]])
    for policy in ("probabilistic", "max-frequency", "best-outcome"):
        assert decide(only_fold, only_fold, checked, policy).tolist() == [[0, 1, 0]]
    unknown = decide(np.array([[0.0, 1.0, 0.0]]), np.array([[0.0, -9.0, 0.0]]), everything, "best-outcome")
    assert unknown.tolist() == [[0, 1, 0]]


def test_own_bets_vary_by_a_part_of_them():
    state = start_betting(rules_of("holdem-nolimit")).act(CALL).act(CALL)
    assert carried_out(state, "p", 0.0) == {300: 1.0}
    amounts = carried_out(state, "h", 0.3)
    assert list(amounts) == list(range(200, 231))  # a bet of 100, 30 below or above it; the least raise is to 200
    assert carried_out(state, "p", 0.3) == pytest.approx(dict.fromkeys(range(240, 361), 1 / 121))
    assert carried_out(state, "a", 0.3) == {20000: 1.0}
    assert carried_out(state, "c", 0.3) == {CALL: 1.0}
    bet = state.act(300)
    assert carried_out(bet, "f", 0.3) == {FOLD: 1.0}


def test_readings_of_a_bet_are_both_sizes():
    rules = rules_of("holdem-nolimit")
    read = readings(rules, (CALL, 100 + 140), 1)  # 0.7 of the pot, by the other
    assert set(read) == {"ch", "ci"}
    assert sum(read.values()) == pytest.approx(1.0)
    assert set(readings(rules, (CALL, 100 + 140), 0)) == {"ci"}  # one's own, as it is learnt


def test_a_default_policy_is_asked_for():
    rules = rules_of("holdem-limit")
    base = base_of(rules, played("holdem-limit")[:5])
    nearest, careful = CasesAgent(base), CasesAgent(base, default="call")
    changed = 0
    for view in views(rules, 10, seed=9):
        number = view.betting.round
        cell = base.cells[number].of(view.hole, view.board, 0, 1)
        (sequence,) = readings(rules, view.actions, view.seat)
        _, _, best, _ = naive_cases.scan(base, number, sequence, cell)
        expected = nearest.act(view) if best > 1 - 1e-9 else {CALL: 1.0}
        assert careful.act(view) == pytest.approx(expected)
        changed += best < 1 - 1e-9
    assert changed


@pytest.mark.parametrize("game", GAMES)
def test_retention_learns_from_own_hands_and_forgets(game):
    rules = rules_of(game)
    base = base_of(rules, played(game)[:20])
    agent = CasesAgent(base, retain=5)
    assert not agent.stateless
    hands = played(game)[20:32]
    for hand in hands:
        agent.observe(hand.view(1))
    assert agent.base.decisions > base.decisions
    from pokerlab.cases.learn import Notes

    notes = Notes(rules, base.features, base.parts)
    for hand in hands[:10]:
        notes.add(hand, 1, hand.payoffs()[1])
    expected = base.plus(notes.cases())
    for one, other in zip(agent.base.rounds, expected.rounds, strict=True):
        assert all((a == b).all() for a, b in zip(one, other, strict=True))
    agent.reset()
    assert agent.base is base


def test_what_cannot_be_played_is_refused(tmp_path):
    rules = rules_of("leduc")
    base_of(rules, played("leduc")).save(tmp_path / "a.cases")
    with pytest.raises(AgentError, match="plays leduc, not holdem-limit"):
        agent_of(f"cases:{tmp_path}/a.cases", rules_of("holdem-limit"))
    for options, message in (("reuse=best", "no reuse policy 'best'"), ("vary=2", "vary"), ("k=2", "k")):
        with pytest.raises(AgentError, match=message):
            agent_of(f"cases:{tmp_path}/a.cases?{options}", rules)

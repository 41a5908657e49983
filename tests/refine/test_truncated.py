"""Models of the first rounds, and models glued together."""

import numpy as np
import pytest

import pokerlab
from pokerlab.cards.holes import class_name
from pokerlab.errors import SubgameError
from pokerlab.form.evaluate import evaluate
from pokerlab.form.strategy import Profile, random_profile
from pokerlab.refine.truncated import first_rounds, glued, selby_game, truncated_game, with_first_rounds
from pokerlab.solvers.counter import standing
from pokerlab.solvers.observed import calling


@pytest.fixture(scope="module")
def leduc():
    return pokerlab.compile("leduc")


def test_a_model_is_worth_what_the_game_is_where_nobody_bets_after_it(leduc):
    """Any play of the first round, then checks: the roll-out is what happens."""
    model, checks = truncated_game(leduc, 1), calling(leduc)
    for seed in range(5):
        first = random_profile(model, np.random.default_rng(seed))
        whole = with_first_rounds(checks, first)
        assert evaluate(whole).value == pytest.approx(evaluate(first).value, abs=1e-12)
        assert whole.at(0, "", "K") == pytest.approx(first.at(0, "", "2"))  # the third of its states
        after = [n for n, node in enumerate(leduc.origin.nodes) if node.state.round == 1 and not node.state.finished]
        actor = leduc.origin.nodes[after[0]].state.actor
        assert leduc.at_node(after[0], whole[actor]) == pytest.approx(leduc.at_node(after[0], checks[actor]))


def test_what_is_glued_is_no_equilibrium(leduc):
    whole, pieces = pokerlab.solve(leduc, "lp").strategy, glued(leduc)
    lost = standing(pieces, whole)
    assert evaluate(whole).exploitability < 1e-9
    assert lost.exploitability / 0.002 == pytest.approx(511.06, abs=0.01)  # mb/h
    assert -0.1 < lost.won < 0  # of which the equilibrium, which does not look for it, takes little
    # Each part is to blame: the whole's rest after a model, and the whole's first round before models.
    model = with_first_rounds(whole, pokerlab.solve(truncated_game(leduc, 1), "lp").strategy)
    first = [b.copy() for b in pieces.behaviours]
    for here, node in enumerate(leduc.origin.nodes):
        if node.state.actor is not None and node.state.round == 0:
            leduc.at_node(here, first[node.state.actor])[:] = leduc.at_node(here, whole[node.state.actor])
    for part in (model, Profile(leduc, tuple(first))):
        assert evaluate(part).exploitability > 0.2


def test_selbys_model_of_hold_em():
    game = selby_game()
    solution = pokerlab.solve(game, "lp")
    assert solution.exploitability < 1e-9
    # Two states of the game are kinds of hands; who opens is player 2, in the small blind, and folds the worst only.
    opens = [node for node in game.origin.nodes if node.text == ""]
    assert opens[0].state.actor == 1
    table = dict(zip(opens[0].names, game.at_node(0, solution.strategy[1]), strict=True))
    names = [class_name(kind) for kind in range(169)]
    assert table["r"][names.index("AA")] + table["c"][names.index("AA")] == pytest.approx(1)
    assert table["f"][names.index("72o")] == pytest.approx(1)
    assert 0 < -solution.value + 5 < 10  # the blinds are 5 and 10
    steps = pokerlab.solve(game, "cfr+", iterations=500)
    assert steps.value == pytest.approx(solution.value, abs=2 * steps.exploitability)


def test_only_first_rounds_can_be_modelled(leduc):
    rules = leduc.origin.rules
    assert first_rounds(rules, 1).rounds == 1
    for rounds in (0, 2):
        with pytest.raises(SubgameError, match="leduc has 2 rounds: a model of the first has 1 to 1"):
            first_rounds(rules, rounds)

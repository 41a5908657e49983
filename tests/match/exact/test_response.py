"""The best response at the table wins what the figure says."""

import numpy as np
import pytest
from click.testing import CliRunner

from naive_response import MoodyByBucket, holdem
from pokerlab.agents.spec import agent_of
from pokerlab.agents.table import TableAgent, profile_of
from pokerlab.cli import main
from pokerlab.errors import AgentError
from pokerlab.form.compile import compile
from pokerlab.form.evaluate import evaluate
from pokerlab.form.strategy import random_profile
from pokerlab.game.catalog import rules_of
from pokerlab.match.exact.response import BestResponse
from pokerlab.match.exact.run import exploitability
from pokerlab.match.exact.tree import PublicTree
from pokerlab.match.play import play_match


@pytest.mark.parametrize("game", ["leduc:ranks=5,suits=2", "rhode-island:ranks=3,raises=1"])
def test_wins_exactly_what_the_figure_says(game):
    """Tabulated, against a random strategy: what it earns in both seats is what a best response earns."""
    compiled = compile(game)
    target = TableAgent(random_profile(compiled, np.random.default_rng(3)))
    found = exploitability(target, rules_of(game), progress=False)
    for seat in range(2):
        players = (found.response, target) if seat == 0 else (target, found.response)
        won = evaluate(profile_of(*players, compiled)).values[seat]
        assert won == pytest.approx(found.least.seats[seat], abs=1e-9)


def test_a_match_agrees_with_the_figure():
    rules, target = rules_of("leduc:ranks=5,suits=2"), MoodyByBucket(4)
    found = exploitability(target, rules, progress=False)
    result = play_match(rules, [found.response, target], 2000, duplicate=True, seed=1, progress=False)
    won, wide = result.winnings[:, 0].mean(), result.ci95[0] * result.chips_a_unit
    assert abs(won - found.least.mean) < 1.5 * wide
    assert won > 3 * wide


def test_hands_of_two_cards():
    """Hold'em of three rounds: what a hand is worth at a root of the flop is what its best action there is worth."""
    rules, target = holdem(3, 1, ranks=4), MoodyByBucket(4)
    tree = PublicTree(target, rules)
    leaves = np.zeros((2, len(tree.seats[0][1].roots), int(tree.suits.kinds.max()) + 1))
    response, board = BestResponse(tree, leaves), (0, 5, 9)
    root = tree.seats[0][1].roots[1]
    assert root.betting.actor == 0
    worth = response.worth(0, root, board)
    reach = tree.play.reach(0, root, board)
    np.testing.assert_allclose(worth.max(axis=0), tree.below(0, [root], 1).worth(0, reach[None], board)[0], atol=1e-9)
    assert len(np.unique(worth.argmax(axis=0))) > 1


def test_saved_and_played(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = ["evaluate", "random", "--game", "leduc", "--exact", "--out", "flops"]
    said = CliRunner().invoke(main, words)
    assert "plays as response:flops/best.response?to=random" in said.output
    player, target, game = agent_of("response:flops/best.response?to=random"), agent_of("random"), compile("leduc")
    best = evaluate(profile_of(target, target, game)).responses
    assert evaluate(profile_of(player, target, game)).values[0] == pytest.approx(best[0], abs=1e-12)
    assert evaluate(profile_of(target, player, game)).values[1] == pytest.approx(best[1], abs=1e-12)
    with pytest.raises(AgentError, match="a response to another agent than 'call'"):
        agent_of("response:flops/best.response?to=call")
    with pytest.raises(AgentError, match="to"):
        agent_of("response:flops/best.response")
    (tmp_path / "flops" / "best.response").write_bytes(b"no response")
    with pytest.raises(AgentError, match="damaged or cut short"):
        agent_of("response:flops/best.response?to=random")
    assert CliRunner().invoke(main, words).exit_code == 0  # finished flops are still there

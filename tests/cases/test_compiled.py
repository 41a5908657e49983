"""A case base as a blueprint: the retrieval's decisions after all betting, and what blueprints can do."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

from pokerlab.agents.response import respond
from pokerlab.agents.spec import agent_of
from pokerlab.cards.holes import hole_number
from pokerlab.cases.agent import CasesAgent
from pokerlab.cases.compiled import CaseCards, CompiledCases, as_bytes, compile_cases
from pokerlab.cases.features import Features
from pokerlab.cases.similarity import Similarity
from pokerlab.cli import main
from pokerlab.errors import AgentError
from pokerlab.game.catalog import rules_of
from pokerlab.match.aivat_holdem import HoldemAivat
from pokerlab.match.local_best_response import local_best_response
from pokerlab.match.play import play_match
from random_cases import base_of, random_hands, views

RULES = rules_of("holdem-limit:raises=2")


@pytest.fixture(scope="module")
def hands():
    return random_hands(RULES, 150)


@pytest.mark.parametrize(
    "options",
    [
        {"reuse": "probabilistic"},
        {"reuse": "max-frequency"},
        {"reuse": "best-outcome"},
        {"reuse": "probabilistic", "default": "call"},
    ],
)
def test_its_decisions_are_the_retrieval_s(hands, options):
    agent = CasesAgent(base_of(RULES, hands, Features(buckets=10)), **options)
    table = CompiledCases(agent)
    for view in views(RULES, 25, seed=4):
        assert table.act(view) == pytest.approx(agent.act(view), abs=1e-12)


def test_all_hands_at_once(hands):
    agent = CasesAgent(base_of(RULES, hands, Features(strength="category")))
    table = CompiledCases(agent)
    for view in views(RULES, 3, seed=5):
        mine, theirs = table.answers(view), agent.answers(view)
        free = ~np.isin(np.arange(1326), np.flatnonzero(table.blueprint.cards.board_buckets(view.board) < 0))
        for action in mine:
            assert mine[action][free] == pytest.approx(theirs.get(action, np.zeros(1326))[free])


def test_pooled_counts_are_within_a_byte(hands):
    base = base_of(RULES, hands, similarities=(Similarity(neighbours=30, fading=5.0),) * 4)
    agent = CasesAgent(base)
    table = CompiledCases(agent)
    for view in views(RULES, 10, seed=6):
        assert table.act(view) == pytest.approx(agent.act(view), abs=1.5 / 255)


def test_bytes():
    weights = np.array([[1.0, 2.0, 0.0], [255.0, 3.0, 1.0], [1000.0, 500.0, 1.0], [0.5, 0.25, 0.0]])
    assert as_bytes(weights).tolist() == [[1, 2, 0], [255, 3, 1], [255, 128, 0], [255, 128, 0]]


def test_dealt_cells_are_those_on_boards(hands):
    cards = CaseCards(base_of(RULES, hands).cells)
    deals = np.random.default_rng(0).random((20, 52)).argsort(axis=1)[:, :9].astype(np.uint8)
    buckets = cards.deal_buckets(deals, 2)
    for row, told in zip(deals.tolist(), buckets, strict=True):
        for street, size in enumerate((0, 3, 4, 5)):
            every = cards.board_buckets(row[4 : 4 + size])
            for player in range(2):
                hole = tuple(row[2 * player : 2 * player + 2])
                assert every[hole_number(hole)] == told[player, street]
            if size:
                assert every[hole_number((row[0], row[4]))] == -1


def test_measured_as_blueprints_are(hands, tmp_path):
    """Local best response wins the same from both; AIVAT and responses work."""
    base = base_of(RULES, hands)
    base.save(tmp_path / "a.cases")
    table = agent_of(f"cases:{tmp_path}/a.cases?compiled=true", RULES)
    agent = agent_of(f"cases:{tmp_path}/a.cases", RULES)
    assert isinstance(table, CompiledCases)
    assert table.files == agent.files
    one, other = (local_best_response(each, RULES, 6, seed=2) for each in (table, agent))
    assert one.winnings == pytest.approx(other.winnings)
    call = agent_of("call", RULES)
    played = [
        play_match(RULES, [each, call], 12, seed=3, score=HoldemAivat(RULES, [each, call])) for each in (table, agent)
    ]
    assert played[0].winnings == pytest.approx(played[1].winnings)
    found = respond(table.blueprint, 1.0, deals=2000, progress=False)
    assert found.winnings[:, 0].mean() > 0  # who imitates random play is beaten by who knows it
    view = views(RULES, 1)[0]
    assert table.explain(view) == agent.explain(view)


def test_other_games_do_not_compile():
    for game in ("holdem-limit-3p", "holdem-nolimit", "leduc"):
        rules = rules_of(game)
        base = base_of(rules, random_hands(rules, 5))
        with pytest.raises(AgentError, match="two-player limit hold'em, not for"):
            compile_cases(CasesAgent(base))
    base = base_of(RULES, random_hands(RULES, 5))
    with pytest.raises(AgentError, match="retain"):
        compile_cases(CasesAgent(base, retain=3))


def test_evaluated_by_command(hands, tmp_path):
    base_of(RULES, hands).save(tmp_path / "a.cases")
    command = ["evaluate", f"cases:{tmp_path}/a.cases?compiled=true", "--game", RULES.name, "--deals", "3", "--json"]
    told = CliRunner().invoke(main, [*command, "--response", "0.2"])
    assert told.exit_code == 0, told.output
    figures = json.loads(told.stdout)
    assert figures["local_best_response"]["deals"] == 3
    assert figures["response"]["deals"] > 0
    refused = CliRunner().invoke(main, ["evaluate", "call", "--game", "holdem-limit", "--response", "1"])
    assert refused.exit_code == 2
    assert "--response is for agents that play a blueprint; call does not" in refused.output

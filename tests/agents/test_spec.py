"""Agents by name."""

import subprocess
import sys

import pytest

import pokerlab
from own_agent import MY_BOTS
from pokerlab.agents.human import Human
from pokerlab.agents.simple import SIMPLE, Call, Raise
from pokerlab.agents.spec import AGENTS, agent_of
from pokerlab.agents.table import TableAgent
from pokerlab.errors import AgentError, PokerlabError
from pokerlab.game.betting import CALL, FOLD
from pokerlab.game.hand import new_hand

LEDUC = pokerlab.rules_of("leduc")


def test_simple_names_and_options():
    for name, maker in SIMPLE.items():
        agent = agent_of(name, LEDUC)
        assert type(agent) is maker
        assert agent.name == name
    assert isinstance(agent := agent_of("raise?size=50", LEDUC), Raise)
    assert agent.size == 50.0


def test_tables(tmp_path):
    path = tmp_path / "leduc.strategy"
    pokerlab.solve("leduc", iterations=10).save(path)
    agent = agent_of(f"table:{path}", LEDUC)
    assert isinstance(agent, TableAgent)
    assert agent.name == f"table:{path}"
    with pytest.raises(AgentError, match="plays leduc, not kuhn"):
        agent_of(f"table:{path}", pokerlab.rules_of("kuhn"))
    with pytest.raises(PokerlabError, match="no such file"):
        agent_of("table:missing.strategy", LEDUC)


def test_own_agents(tmp_path, monkeypatch):
    (tmp_path / "my_bots.py").write_text(MY_BOTS)
    monkeypatch.chdir(tmp_path)
    agent = agent_of("my_bots:Maniac?level=3", LEDUC)
    assert (agent.level, agent.name) == (3, "my_bots:Maniac?level=3")
    with pytest.raises(AgentError, match="derive its class"):
        agent_of("my_bots:NoAgent", LEDUC)
    with pytest.raises(AgentError, match="unexpected keyword"):
        agent_of("my_bots:Maniac?speed=3", LEDUC)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("cal", "did you mean 'call'"),
        ("nobody at all", "no agent"),
        ("no_such_module:Bot", "cannot import Bot from no_such_module"),
        ("call?speed=3", "agent 'call\\?speed=3'"),
        ("call?speed", "options are written"),
        ("", "no agent ''"),
    ],
)
def test_bad_specs(spec, message):
    with pytest.raises(AgentError, match=message):
        agent_of(spec, LEDUC)


def test_a_human_is_asked_until_the_answer_is_legal(capsys):
    answers = iter(["f", "r99", "what", "r"])
    prompts = []

    def ask(prompt):
        prompts.append(prompt)
        return next(answers)

    human = Human(ask)
    hand = new_hand(LEDUC).deal((4, 0))
    assert human.act(hand.view(0)) == {3: 1.0}
    assert len(prompts) == 4
    assert "Kh" in prompts[0]
    assert "Jh" not in prompts[0]
    assert "not possible" in capsys.readouterr().err
    facing = hand.act(3)
    for text, action in (("f", FOLD), ("c", CALL), ("", CALL), ("r5", 5), ("5", 5)):
        assert Human(lambda _, text=text: text).act(facing.view(1)) == {action: 1.0}


def test_a_room_above_can_add_a_kind(monkeypatch):
    monkeypatch.setattr(AGENTS, "_rows", dict(AGENTS._rows))
    made = []

    def mimic(path, name="", near=1):
        made.append((path, near))
        return Call()

    AGENTS.add("mimic", mimic)
    assert agent_of("mimic:my.cases?near=3", LEDUC).name == "call"
    assert made == [("my.cases", 3)]
    with pytest.raises(AgentError, match="agent 'mimic' is there already"):
        AGENTS.add("mimic", mimic)
    with pytest.raises(AgentError, match=r"agent 'mimic': .*missing 1 required positional argument"):
        agent_of("mimic", LEDUC)
    with pytest.raises(AgentError, match="did you mean 'mimic'"):
        agent_of("mimik", LEDUC)


def test_a_users_package_can_add_an_agent(tmp_path, monkeypatch):
    (tmp_path / "their_bots.py").write_text(MY_BOTS)
    (tmp_path / "their_bots-1.0.dist-info").mkdir()
    (tmp_path / "their_bots-1.0.dist-info" / "METADATA").write_text("Name: their-bots\nVersion: 1.0\n")
    entries = "[pokerlab.agents]\nmaniac = their_bots:Maniac\nlost = their_bots:Nobody\n"
    (tmp_path / "their_bots-1.0.dist-info" / "entry_points.txt").write_text(entries)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(AGENTS, "_rows", dict(AGENTS._rows))
    monkeypatch.delitem(AGENTS.__dict__, "_others", raising=False)
    agent = agent_of("maniac?level=2", LEDUC)
    assert (type(agent).__module__, agent.level, agent.name) == ("their_bots", 2, "maniac?level=2")
    with pytest.raises(AgentError, match="agent 'lost' cannot be loaded from their_bots:Nobody"):
        agent_of("lost", LEDUC)
    monkeypatch.delitem(AGENTS.__dict__, "_others")


def test_only_what_is_named_is_imported():
    """To list agents, or to make a simple one, must not load what blueprints stand on."""
    code = """
import sys
from pokerlab.agents.spec import AGENTS, agent_of
from pokerlab.game.catalog import rules_of
list(AGENTS), agent_of("call", rules_of("leduc"))
assert not {"pokerlab.agents.blueprint", "pokerlab.agents.table", "pokerlab.agents.resolving"} & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", code], check=True)

"""The benchmark of trained agents: what it leaves out, and what it prints of agents that are there."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from pokerlab.agents.blueprint import Blueprint, graph_of
from pokerlab.agents.blueprint_file import save_blueprint
from pokerlab.game.catalog import rules_of
from tiny_cards import tiny_cards

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "agents.py"

pytestmark = pytest.mark.slow


def quick(cache):
    return subprocess.run(
        [sys.executable, str(SCRIPT), "--quick", "--json"], env={**os.environ, "POKERLAB_CACHE": str(cache)},
        capture_output=True, text=True, timeout=300, check=True,
    )  # fmt: skip


def test_what_is_not_trained_is_left_out(tmp_path):
    done = quick(tmp_path)
    found = json.loads(done.stdout)
    assert (found["three_players"], found["two_players"], found["exploitability"]) == ([], [], None)
    for name in ("holdem-limit", "holdem-limit-3p", "smallbot-3", "smallbot-4"):
        assert f"left out, {name} is not trained: pokerlab train {name}\n" in done.stderr


def test_agents_that_are_there(tmp_path):
    (tmp_path / "agents").mkdir()
    cards, rules, bets = tiny_cards(), rules_of("holdem-limit"), "cap 1 1 1 1"
    size = graph_of(rules, bets, "hand", cards.counts).cells // 2
    about = {"infosets": 1, "iterations": 1, "seconds": 1.0}
    blueprint = Blueprint(rules, bets, "hand", cards, np.ones(size, np.uint8), about)
    save_blueprint(blueprint, tmp_path / "agents" / "holdem-limit.blueprint")
    found = json.loads(quick(tmp_path).stdout)
    assert found["two_players"] == []  # nobody to play
    assert found["exploitability"]["response"]["mean"] > 0
    assert found["exploitability"]["local_best_response"]["deals"] == 10

"""Settings for the tests of matches."""

import pytest

from pokerlab.agents.simple import Call
from pokerlab.game.catalog import rules_of
from pokerlab.match.play import play_match


@pytest.fixture(autouse=True, scope="session")
def compiled():
    """Hand ranking is compiled before the clock of any test starts."""
    for game in ("leduc", "holdem-limit"):
        play_match(rules_of(game), [Call(), Call()], 1)

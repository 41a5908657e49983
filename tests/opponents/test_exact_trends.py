"""Trends over all betting: against agents that are asked at every decision, and against two blueprints' match."""

import numpy as np
import pytest

from pokerlab.agents.blueprint import BlueprintAgent
from pokerlab.errors import TrendsError
from pokerlab.game.hand import new_hand
from pokerlab.match.blueprints import Dealer, expected_match
from pokerlab.opponents.aggression import Aggressified
from pokerlab.opponents.exact_trends import exact_trend
from pokerlab.papers.rubin2013_company import company, loosened, tiny_expert

SOME = (-1.0, -0.1, 0.0, 0.04, 0.1, 1.0)


@pytest.fixture(scope="module")
def expert():
    return tiny_expert("holdem-limit:raises=1", 3000)


def won(agents, hand, left):
    """What seat 0 wins on average from here on, by asking whoever acts."""
    if hand.pending:
        return won(agents, hand.dealt(left[: hand.pending]), left[hand.pending :])
    if hand.finished:
        return hand.payoffs()[0]
    odds = agents[hand.actor].act(hand.view(hand.actor))
    return sum(chance * won(agents, hand.act(action), left) for action, chance in odds.items() if chance > 0)


@pytest.mark.parametrize("name", ["loose", "raise", "random"])
def test_by_asking_agents_at_every_decision(expert, name):
    opponent, deals, seed = company(expert)[name], 2, 5
    trend = exact_trend(expert, opponent, deals, factors=SOME, seed=seed)
    cards, _, _ = Dealer(expert, opponent, seed).deal(1024)
    other = BlueprintAgent(opponent)
    for deal, factor in np.ndindex(trend.shape):
        mine, dealt = Aggressified(BlueprintAgent(expert), SOME[factor]), tuple(cards[deal].tolist())
        start = new_hand(expert.rules).dealt(dealt[:4])
        first, second = (won(agents, start, dealt[4:]) for agents in ((mine, other), (other, mine)))
        assert trend[deal, factor] == pytest.approx((first - second) / 2)


def test_factors_in_any_order(expert):
    opponent = loosened(expert, 0.3)
    ordered = exact_trend(expert, opponent, 1100, factors=SOME, seed=1)
    mixed = [3, 0, 5, 2, 1, 4]
    assert (exact_trend(expert, opponent, 1100, factors=[SOME[i] for i in mixed], seed=1) == ordered[:, mixed]).all()
    plain = expected_match(expert, opponent, 1100, seed=1, progress=False)
    assert ordered[:, SOME.index(0.0)] == pytest.approx(plain.winnings[:, 0])


def test_two_games(expert):
    with pytest.raises(TrendsError, match="of one limit game"):
        exact_trend(expert, tiny_expert("holdem-limit:raises=2", 100), 5)

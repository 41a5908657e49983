"""What every kind of player in the field holds to: legal, blind to hidden cards, the same for a seed, forgetting."""

import numpy as np
import pytest

from field_kinds import EVERY_GAME, PAIRS
from pokerlab.agents.asked import distribution_of
from pokerlab.agents.asking import spot_view
from pokerlab.agents.simple import Probe, Random
from pokerlab.agents.spec import FIELD
from pokerlab.agents.spec import agent_of as by_spec
from pokerlab.cli.options import FIELD_AGENTS
from pokerlab.errors import AgentError
from pokerlab.field.networks import Network, size_of
from pokerlab.game.catalog import rules_of
from pokerlab.game.hand import deal_random, new_hand
from pokerlab.match.play import play_match
from random_cases import RandomSizes, random_hands

NAMES = ("me", "you", "they")


@pytest.fixture(scope="module")
def agent_of(tmp_path_factory):
    """Agents by spec; of a network a file is made first."""
    folder = tmp_path_factory.mktemp("networks")

    def made(spec, rules):
        if spec != "network:FILE":
            return by_spec(spec, rules)
        path = folder / f"{rules.name}.network"
        weights = np.random.default_rng(1).standard_normal((2, size_of(6)))
        Network(rules if rules.holdem else rules_of("holdem-limit"), 6, weights, "random").save(path)
        return by_spec(f"network:{path}", rules)

    return made


def told(hands, seats=None):
    """What a player is asked and shown of finished hands: (view, is it over), its seat going round."""
    for number, hand in enumerate(hands):
        seat = number % hand.rules.players if seats is None else seats[number]
        replay = new_hand(hand.rules, NAMES[: hand.rules.players])
        cards = [card for hole in hand.holes for card in hole] + list(hand.board)
        dealt = 0
        for action in (*hand.actions, None):
            if replay.pending:
                replay, dealt = replay.dealt(tuple(cards[dealt : dealt + replay.pending])), dealt + replay.pending
            if replay.actor == seat:
                yield replay.view(seat), False
            if action is not None:
                replay = replay.act(action)
        yield replay.view(seat), True


def answers(agent, views):
    """An agent's answers, one after another; what is over it sees."""
    kept = []
    for view, over in views:
        if over:
            agent.observe(view)
        else:
            kept.append(dict(distribution_of(agent, view)))
    return kept


def some_hands(rules, count=6, seed=3):
    """Hands of players who seldom fold, so that all rounds are seen; some of them shown down."""
    eager = Probe() if rules.limit else RandomSizes()
    return random_hands(
        rules, count, seed, [eager, *[Random() if rules.limit else RandomSizes()] * (rules.players - 1)]
    )


def with_other_cards(hand, seat, rng):
    """The same hand with other cards where `seat` does not see them."""
    shown = hand.view(seat).holes
    deck = [c for c in range(52) if c not in {*hand.board, *(card for hole in shown for card in hole)}]
    drawn = iter(rng.permutation(deck).tolist())
    holes = tuple(hole or (next(drawn), next(drawn)) for hole in shown)
    return hand._replace(holes=holes)


def test_every_kind_is_here():
    kinds = {spec.partition("?")[0].partition(":")[0] for spec, _ in PAIRS}
    assert kinds == {*FIELD}
    assert {*FIELD_AGENTS} <= kinds


@pytest.mark.parametrize(("spec", "game"), PAIRS)
def test_legal_and_the_same_for_a_seed(agent_of, spec, game):
    """`distribution_of` refuses what is no distribution over legal actions."""
    rules = rules_of(game)
    views = list(told(some_hands(rules)))
    first = answers(agent_of(spec, rules), views)
    assert len(first) > 8
    assert first == answers(agent_of(spec, rules), views)


@pytest.mark.parametrize(("spec", "game"), PAIRS)
def test_cards_that_it_does_not_see_change_nothing(agent_of, spec, game):
    rules, rng = rules_of(game), np.random.default_rng(0)
    hands = some_hands(rules)
    seats = [number % rules.players for number in range(len(hands))]
    others = [with_other_cards(hand, seat, rng) for hand, seat in zip(hands, seats, strict=True)]
    assert any(hand.holes != other.holes for hand, other in zip(hands, others, strict=True))
    # shown cards are shown at the end only: during the hand those of others are hidden anyway
    assert answers(agent_of(spec, rules), told(hands, seats)) == answers(agent_of(spec, rules), told(others, seats))


@pytest.mark.parametrize(("spec", "game"), PAIRS)
def test_reset_forgets(agent_of, spec, game):
    rules = rules_of(game)
    agent, views = agent_of(spec, rules), list(told(some_hands(rules, 4)))
    first = answers(agent, views)
    answers(agent, told(some_hands(rules, 4, seed=8)))
    agent.reset()
    assert answers(agent, views) == first


@pytest.mark.parametrize(("spec", "game"), PAIRS)
def test_the_order_of_questions_does_not_matter(agent_of, spec, game):
    """Only hands that are over are remembered, if anything is."""
    rules = rules_of(game)
    views = [(view, over) for view, over in told(some_hands(rules)) if not over]
    assert answers(agent_of(spec, rules), views[::-1]) == answers(agent_of(spec, rules), views)[::-1]


@pytest.mark.parametrize(("spec", "game"), PAIRS)
def test_who_says_it_is_stateless_is(agent_of, spec, game):
    rules = rules_of(game)
    agent, seen = agent_of(spec, rules), list(told(some_hands(rules)))
    before, after = answers(agent, seen), answers(agent, seen)
    assert not agent.stateless or before == after


@pytest.mark.parametrize("spec", sorted({spec for spec, _ in PAIRS}))
def test_other_games_are_refused(agent_of, spec):
    plays = {game for other, game in PAIRS if other == spec}
    for game in {*EVERY_GAME, "leduc"} - plays - ({"holdem-limit"} if "size" in spec else set()):
        if "size" in spec and game != "leduc":
            continue
        with pytest.raises(AgentError, match=f"plays hold.*, not {game}"):
            agent_of(spec, rules_of(game))


@pytest.mark.parametrize(("spec", "game"), PAIRS)
def test_a_match(agent_of, spec, game):
    """With itself, in duplicate: the sums are zero, and again the same."""
    rules = rules_of(game)
    agents = [agent_of(spec, rules), *(by_spec("call", rules) for _ in range(rules.players - 1))]
    results = [play_match(rules, agents, 4, seed=2, names=NAMES[: rules.players], progress=False) for _ in range(2)]
    assert results[0].mean.tolist() == results[1].mean.tolist()
    assert sum(results[0].mean) == pytest.approx(0, abs=1e-9)


CLOCKED = ("rollout", "loki", "poki", "aki", "mcts", "brennus")  # the others' work grows with nothing but the betting


@pytest.mark.parametrize("kind", FIELD)
def test_a_budget_is_kept(agent_of, kind, monkeypatch):
    """With a clock on which every look takes a second, two and a half end a decision at the third look after its start:
    after three pieces of trials, or, of the forest, after its shares and before a raise is searched.
    """
    rules, looks = rules_of("holdem-limit"), []
    monkeypatch.setattr("pokerlab.field.player.perf_counter", lambda: float(looks.append(0) or len(looks)))
    view = spot_view(rules, "QsTd", "Qc7h2d", "cc/r")
    spec = "network:FILE" if kind == "network" else kind
    if kind not in CLOCKED:
        distribution_of(agent_of(spec, rules), view)
        assert not looks
        return
    trials = "" if kind == "brennus" else "&trials=5000"
    distribution_of(agent_of(f"{spec}?seconds=2.5{trials}", rules), view)
    assert len(looks) == 4
    looks.clear()
    distribution_of(agent_of(f"{spec}?seconds=100000{trials}", rules), view)
    assert len(looks) > 4


def test_a_dealt_hand_is_random():
    """The helper of this file deals all cards anew but those that are seen."""
    rules = rules_of("holdem-limit-3p")
    hand = deal_random(new_hand(rules), np.random.default_rng(1))
    other = with_other_cards(hand, 1, np.random.default_rng(2))
    assert other.holes[1] == hand.holes[1]
    assert len({card for hole in other.holes for card in hole}) == 6

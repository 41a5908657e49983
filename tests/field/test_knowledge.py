"""Players by rules and by formula: the thesis's examples, and styles that show in what is played."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import spearmanr

from pokerlab.agents.spec import agent_of
from pokerlab.cards.deck import Deck
from pokerlab.cards.evaluator import tables
from pokerlab.cards.holes import class_name
from pokerlab.cards.preflop import preflop_equity
from pokerlab.cards.strength import effective_strength, hand_record, hand_strength
from pokerlab.errors import AgentError
from pokerlab.field.dealing_kernels import won_shares
from pokerlab.field.formula import Style, population, triple_of, winning_chance
from pokerlab.field.player import Clock, HoldemPlayer, Triple, in_time, pot_odds
from pokerlab.field.preflop_groups import groups, rolled_out
from pokerlab.field.rules import PREFLOP, RULES, Facts, advised, bets_to_call, facts_of
from pokerlab.game.betting import CALL, FOLD
from pokerlab.game.catalog import rules_of
from pokerlab.game.hand import parse_hand
from pokerlab.match.play import play_match

DECK = Deck()
LIMIT, THREE, NO_LIMIT = (rules_of(game) for game in ("holdem-limit", "holdem-limit-3p", "holdem-nolimit"))

# Sklansky and Malmuth's groups of starting hands, as they were published for full tables.
PUBLISHED = [
    "AA KK QQ JJ AKs",
    "TT AQs AJs KQs AKo",
    "99 JTs QJs KJs ATs AQo",
    "T9s KQo 88 QTs 98s J9s AJo KTs",
    "77 87s Q9s T8s KJo QJo JTo 76s 97s A9s A8s A7s A6s A5s A4s A3s A2s 65s",
    "66 ATo 55 86s KTo QTo 54s K9s J8s 75s",
    "44 J9o 64s T9o 53s 33 98o 43s 22 K8s K7s K6s K5s K4s K3s K2s T7s Q8s",
    "87o A9o Q9o 76o 42s 32s 96s 85s J8o J7s 65o 54o 74s K9o T8o",
]


def view_of(rules, betting, cards, seat):
    return parse_hand(rules, betting, cards).view(seat)


def test_the_rule_of_figure_2_1():
    """Before the flop, more than two bets to call, more than one opponent, late, with aces."""
    facts = Facts(PREFLOP, DECK.cards("AsAh"), 1, 0.0, 3.0, 2, 1.0)
    assert RULES[0].holds(facts)
    assert advised(RULES, facts) == Triple(0.0, 0.05, 0.95)
    for other in (
        facts._replace(bets=2.0),
        facts._replace(opponents=1),
        facts._replace(position=0.8),
        facts._replace(street=1),
        facts._replace(hole=DECK.cards("KsKh")),
    ):
        assert not RULES[0].holds(other)


def test_pot_odds():
    """Equation (2.3): 20 to call into 60 needs a quarter."""
    assert pot_odds(20, 60) == 0.25


def test_hand_rank_of_the_thesis():
    """Equation (2.1), with another ten: the printed board has the player's own."""
    hole, board = DECK.cards("TcJc"), DECK.cards("2dTsKh")
    assert hand_record(hole, board) == (899, 6, 176)
    assert hand_strength(hole, board) == pytest.approx(0.834413, abs=5e-7)


def test_facts():
    """The dealer of three owes a bet, acts first before the flop and last after it."""
    view = view_of(THREE, "", "||AsAh", 2)
    facts = facts_of(view)
    assert (facts.street, facts.bets, facts.opponents, facts.position, facts.group) == (0, 1.0, 2, 0.0, 1)
    after = facts_of(view_of(THREE, "ccc/cc", "||AsAh/Kd7c2s", 2))
    assert (after.bets, after.position) == (0.0, 1.0)
    assert after.strength == pytest.approx(hand_strength(DECK.cards("AhAs"), DECK.cards("Kd7c2s")) ** 2)
    raised = view_of(THREE, "rr", "|AsAh|", 1)
    assert facts_of(raised).bets == 2.0
    assert bets_to_call(view_of(NO_LIMIT, "cc/r300", "|AsAh/Kd7c2s", 1).betting, 1) == 1.0


@pytest.mark.parametrize("opponents", [1, 2, 8])
def test_groups_are_tenths_by_roll_out(opponents):
    sizes = np.array([6 if n % 14 == 0 else 4 if n % 13 > n // 13 else 12 for n in range(169)])
    group, shares = groups(opponents), rolled_out(opponents)
    counts = np.array([sizes[group == number].sum() for number in range(1, 11)])
    assert counts.sum() == 1326
    assert abs(counts - 132.6).max() <= 12
    for above, under in pairwise(range(1, 11)):
        assert shares[group == above].min() >= shares[group == under].max()


def test_roll_outs_are_like_the_published_groups():
    """As Loki's authors found: strongly, and more so at a full table, for which the groups were made."""
    place = {hand: number for number, line in enumerate(PUBLISHED, 1) for hand in line.split()}
    published = [place.get(class_name(number), 9) for number in range(169)]
    full, alone = (spearmanr(published, -rolled_out(opponents)).statistic for opponents in (8, 1))
    assert full > 0.85
    assert full > alone > 0.6


def test_roll_outs_against_exact_shares():
    rng = np.random.SeedSequence(1).generate_state(4, np.uint64)
    hole = np.array(DECK.cards("AsKd"), np.int64)
    sampled = won_shares(tables(), hole, np.empty(0, np.int64), 1, 20_000, rng) / 20_000
    assert sampled == pytest.approx(preflop_equity(DECK.cards("AsKd")), abs=0.012)
    board = np.array(DECK.cards("2c7dTh5s9c"), np.int64)
    exact = hand_strength(tuple(hole.tolist()), tuple(board.tolist()))
    assert won_shares(tables(), hole, board, 1, 20_000, rng) / 20_000 == pytest.approx(exact, abs=0.012)
    nuts = np.array(DECK.cards("8sJs"), np.int64)  # nobody can have better, and few the same
    assert won_shares(tables(), nuts, board, 3, 500, rng) > 480


class TestFormula:
    def test_effective_strength(self):
        """Equation (2.2), one card ahead against one opponent; before the flop the share, on the river the rank."""
        flop = view_of(LIMIT, "cc/", "JcTc|/2dTsKh", 0)
        assert winning_chance(flop) == pytest.approx(effective_strength("JcTc", "2dTsKh", cards=1))
        assert winning_chance(view_of(LIMIT, "c", "JcTc|", 0)) == preflop_equity(DECK.cards("TcJc"))
        river = view_of(LIMIT, "cc/cc/cc/", "JcTc|/2dTsKh/3c/8h", 0)
        assert winning_chance(river) == hand_strength(DECK.cards("TcJc"), DECK.cards("2dTsKh3c8h"))

    def test_a_triple_is_one(self):
        rng = np.random.default_rng(5)
        for _ in range(50):
            style, faced = Style(*rng.random(2)), bool(rng.integers(2))
            parts = triple_of(rng.random(20), rng.random() / 2, int(rng.integers(4)), 2, style, faced)
            assert np.allclose(sum(parts), 1)
            assert min(part.min() for part in parts) >= 0
            assert faced or not parts[0].any()

    def test_stronger_is_bolder(self):
        fold, _, bet = triple_of(np.linspace(0, 1, 50), 0.25, 1, 1, Style(), True)
        assert (np.diff(fold) <= 0).all()
        assert (np.diff(bet) >= 0).all()
        assert fold[0] > 0.9
        assert bet[-1] > 0.9

    def test_the_break_even_call(self):
        """Neither tight nor loose, it is in two minds exactly at the pot odds."""
        fold, call, bet = triple_of(0.25, pot_odds(20, 60), 1, 1, Style(0.5, 0.0), True)
        assert (float(fold), float(call), float(bet)) == pytest.approx((0.5, 0.5, 0.0))

    def test_styles_show(self):
        """Part of hands played, and of bets among what is not folded, over matches with a caller."""
        shown = {}
        for tight, aggressive in ((0.1, 0.1), (0.1, 0.9), (0.9, 0.1), (0.9, 0.9)):
            counts = {"fold": 0, "call": 0, "bet": 0}

            def watch(number, seating, hand, seats, counts=counts):
                betting = parse_hand(hand.rules, "", "").betting
                for action in hand.actions:
                    if seats[betting.actor] == 0:
                        counts["fold" if action == FOLD else "call" if action == CALL else "bet"] += 1
                    betting = betting.act(action)

            agent = agent_of(f"formula?tight={tight}&aggressive={aggressive}", LIMIT)
            play_match(LIMIT, [agent, agent_of("raise", LIMIT)], 60, seed=1, watch=watch, progress=False)
            shown[tight, aggressive] = counts["fold"] / 60, counts["bet"] / (counts["bet"] + counts["call"])
        assert min(shown[0.9, a][0] for a in (0.1, 0.9)) > max(shown[0.1, a][0] for a in (0.1, 0.9)) + 0.1
        assert min(shown[t, 0.9][1] for t in (0.1, 0.9)) > max(shown[t, 0.1][1] for t in (0.1, 0.9))

    def test_a_population(self):
        specs = population(5, seed=2)
        assert specs == population(5, seed=2)
        assert len({*specs}) == 5
        assert all(agent_of(spec, LIMIT) for spec in specs)

    def test_what_is_no_style(self):
        with pytest.raises(AgentError, match="tight: a number from 0 to 1 is needed, not 2"):
            agent_of("formula?tight=2")


def test_what_is_not_legal_is_called():
    player = HoldemPlayer(size=50)
    capped = view_of(LIMIT, "rrr", "AsAh|", 0)
    assert not capped.legal.raises
    assert player.acted(capped, Triple(0.0, 0.1, 0.9)) == {CALL: 1.0}
    assert player.acted(view_of(LIMIT, "c", "AsAh|", 0), Triple(0.7, 0.1, 0.2)) == pytest.approx({20: 0.2, CALL: 0.8})
    half = view_of(NO_LIMIT, "cc/r300", "|AsAh/Kd7c2s", 1)
    assert player.acted(half, Triple(0.25, 0.25, 0.5)) == {FOLD: 0.25, 300 + 300: 0.5, CALL: 0.25}


def test_trials_within_a_time(monkeypatch):
    """The first piece always, then only while there is time."""
    now = iter(range(100))
    monkeypatch.setattr("pokerlab.field.player.perf_counter", lambda: float(next(now)))
    assert list(in_time(100, 10, Clock(2.5))) == [10, 10, 10]
    assert list(in_time(25, 10, Clock(1000.0))) == [10, 10, 5]
    assert list(in_time(25, 10, Clock(0.5))) == [10]
    assert list(in_time(7, 10, Clock(0.5))) == [7]

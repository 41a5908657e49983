"""Estimators are unbiased: shown by going through every hand of small games, with its exact probability."""

from functools import partial
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from every_hand import enumerate_hands, moments, random_value, setting
from pokerlab.cards.deck import Deck
from pokerlab.errors import CardError, PokerlabError
from pokerlab.form.strategy import uniform_profile
from pokerlab.game.bet_sizes import ALL_IN
from pokerlab.game.betting import Betting
from pokerlab.game.catalog import rules_of
from pokerlab.game.hand import new_hand, parse_hand
from pokerlab.game.rules import Rules
from pokerlab.match import variance
from pokerlab.match.aivat import Aivat, history_values
from pokerlab.match.all_hands import all_hands, exact_moments
from pokerlab.match.divat import (
    BetForValue,
    check_call,
    divat,
    divat_difference,
    rollout_value,
    round_value,
    showdown_divat,
)
from pokerlab.match.variance import (
    POT_SHARE,
    Value,
    all_in_equity,
    cross_fitted,
    events,
    expectation,
    fit_weights,
    luck,
    mivat,
    money,
    pot_share,
)
from pokerlab.records.logs import read_log
from randomly import any_rules, hand_states
from shared_data import shared_data

ESTIMATORS = {
    "all-in": all_in_equity,
    "pot share": mivat,
    "weighted": lambda hand: mivat(hand, weights=np.arange(hand.rules.rounds + 2) - 1.5),
    "bet for value": partial(divat, baseline=BetForValue()),
    "timid": partial(divat, baseline=BetForValue((0.9,), fold_offset=0.3)),
    "rollout": partial(divat, baseline=BetForValue(), rollout=True),
    "check-call": partial(divat, baseline=check_call),
    "default": divat,
}


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("name", ["kuhn", "leduc", "no-limit"])
def test_chance_corrections_are_unbiased(name, estimator):
    _, value, hands = setting(name)
    mean, _, found = moments(hands, ESTIMATORS[estimator])
    assert mean == pytest.approx([value, -value], abs=1e-9)
    assert np.abs(found.sum(axis=1)).max() < 1e-9


@pytest.mark.parametrize("name", ["kuhn", "leduc", "no-limit"])
def test_any_value_function_is_unbiased(name):
    _, value, hands = setting(name)
    mean, deviation, _ = moments(hands, partial(mivat, value=random_value()))
    assert mean == pytest.approx([value, -value], abs=1e-9)
    assert deviation.min() > 1


def test_deviations_fall():
    """In this order: money, bet-for-value, equity, AIVAT with values of uniform play, one side known, then both."""
    profile, _, hands = setting("leduc", "equilibrium")
    uniform = history_values(uniform_profile(profile.game))
    order = [money, ESTIMATORS["bet for value"], mivat, Aivat(profile, (0,), uniform), Aivat(profile, (0, 1), uniform)]
    deviations = [moments(hands, estimator)[1][0] for estimator in order]
    assert deviations == sorted(deviations, reverse=True)
    assert deviations[0] == pytest.approx(3.496, abs=1e-3)
    assert deviations[1] < 0.7 * deviations[0]
    assert deviations[2] < 0.6 * deviations[0]
    assert deviations[4] < 0.25 * deviations[0]


def test_all_in_equity_can_only_help():
    _, _, hands = setting("no-limit")
    assert moments(hands, all_in_equity)[1][0] < 0.95 * moments(hands, money)[1][0]
    for _, hand in hands:
        if len(set(hand.ends)) == len(hand.ends) and hand.ends[-1:] != (len(hand.actions),):
            assert all_in_equity(hand) == hand.payoffs()


@pytest.mark.parametrize("name", ["leduc", "no-limit"])
def test_published_divat(name):
    """The sum over decisions is unbiased for rollouts and check-call, but for the constant before the deal."""
    _, value, hands = setting(name)
    start = new_hand(hands[0][1].rules)

    def bias(baseline, rollout, before):
        difference = moments(hands, partial(divat_difference, baseline=baseline, rollout=rollout))[0][0]
        return difference + before[0] - value

    called = round_value(check_call).expected(start)
    assert bias(check_call, False, called) == pytest.approx(0, abs=1e-9)
    for _, hand in hands[::100]:
        assert np.add(divat_difference(hand, check_call), called) == pytest.approx(divat(hand, check_call), abs=1e-9)
    assert bias(BetForValue(), True, rollout_value(BetForValue()).of(start)) == pytest.approx(0, abs=1e-9)
    by_equity = bias(BetForValue(), False, expectation(round_value(BetForValue()), start))
    assert abs(by_equity) > 1e-3


def test_showdown_divat_is_divat_or_money_and_biased():
    _, value, hands = setting("leduc", "equilibrium")
    for _, hand in hands[::20]:
        expected = divat(hand) if hand.betting.showdown else hand.payoffs()
        assert showdown_divat(hand) == expected
    mean, _, _ = moments(hands, showdown_divat)
    assert mean[0] - value == pytest.approx(-0.1214, abs=1e-3)


SIDE_POTS = Rules(
    limit=False, blinds=(1, 1, 0), first=(2, 0), raise_sizes=(), max_raises=(255, 255), stacks=(2, 3, 5), hole_cards=1,
    board_cards=(0, 1), deck=Deck("JQK", "hs"), bet_sizes=(ALL_IN,),
)  # fmt: skip


@pytest.mark.parametrize("rules", [rules_of("kuhn-3p"), SIDE_POTS], ids=["kuhn-3p", "side pots"])
def test_three_players(rules):
    known = {}

    def odds(hand):
        key = hand.betting_text(), hand.holes[hand.actor], hand.board
        if key not in known:
            names = [hand.betting.text_of(action) for action in hand.legal().actions()]
            weights = np.random.default_rng(len(known)).exponential(size=len(names))
            known[key] = dict(zip(names, weights / weights.sum(), strict=True))
        return known[key]

    hands = enumerate_hands(rules, odds)
    exact, _, _ = moments(hands, money)
    for estimator in (
        all_in_equity,
        mivat,
        partial(divat, baseline=check_call),
        partial(divat, baseline=BetForValue()),
    ):
        mean, _, found = moments(hands, estimator)
        assert mean == pytest.approx(exact, abs=1e-9)
        assert np.abs(found.sum(axis=1)).max() < 1e-9
    mean, _, _ = moments(hands, partial(mivat, value=random_value(players=3)))
    assert mean == pytest.approx(exact, abs=1e-9)


def naive_pot_share(hand):
    """The mean payoff over all boards, if the betting were over: of a hand that is, with that board."""
    rules, seen = hand.rules, set(hand.board).union(*hand.holes)
    over = copy_of(hand.betting, round=rules.rounds - 1, actor=None)
    left = [card for card in range(len(rules.deck)) if card not in seen]
    boards = combinations(left, sum(rules.board_cards) - len(hand.board))
    return np.mean([hand._replace(betting=over, board=hand.board + cards).payoffs() for cards in boards], axis=0)


def copy_of(betting, round, actor):
    return Betting(
        betting.rules, round, betting.spent, betting.folded, actor, 0, betting.raises, betting.min_raise_to,
        betting.dead, betting.acted, betting.before,
    )  # fmt: skip


@given(any_rules(), st.integers(0, 1000))
def test_pot_share_is_the_mean_over_boards(rules, seed):
    for hand in hand_states(rules, seed)[1:]:
        left = len(rules.deck) - len(hand.board) - sum(map(len, hand.holes))
        missing = sum(rules.board_cards) - len(hand.board)
        if np.prod([left - i for i in range(missing)]) <= 500:
            assert pot_share(hand) == pytest.approx(naive_pot_share(hand), abs=1e-9)
            if hand.finished:
                assert pot_share(hand) == pytest.approx(hand.payoffs(), abs=1e-9)


@given(any_rules(), st.integers(0, 1000))
def test_events_lead_to_the_hand(rules, seed):
    states = hand_states(rules, seed)
    assert [after for _, after in events(states[-1])] == states[1:]


def test_equity_is_its_own_expectation():
    """What lets POT_SHARE and check-call go without enumerating."""
    for name in ("leduc", "no-limit"):
        _, _, hands = setting(name)
        for value in (POT_SHARE, round_value(check_call)):
            for _, hand in hands[::211]:
                for before, _ in events(hand):
                    if before.pending and not before.betting.finished:
                        plain = expectation(Value(value.of), before)
                        assert expectation(value, before) == pytest.approx(plain, abs=1e-12)


def test_sampled_expectations(monkeypatch):
    _, _, hands = setting("leduc")
    value, before = round_value(BetForValue()), new_hand(hands[0][1].rules)
    exact = expectation(value, before)
    monkeypatch.setattr(variance, "MOST_DEALS", 1)
    with pytest.raises(PokerlabError, match="rng"):
        expectation(value, before)
    sampled = expectation(value, before, np.random.default_rng(1), samples=4000)
    assert sampled == pytest.approx(exact, abs=0.1)
    assert not np.array_equal(sampled, exact)


def test_all_hands_agree_with_the_tests_own_enumeration():
    for name in ("kuhn", "leduc", "no-limit", "one round"):
        profile, _, hands = setting(name)
        mine = {(hand.holes, hand.board, hand.actions): chance for chance, hand in all_hands(profile)}
        assert len(mine) == len(hands)
        for chance, hand in hands:
            assert mine[hand.holes, hand.board, hand.actions] == pytest.approx(chance, rel=1e-9)
    profile, value, hands = setting("leduc")
    found, expected = exact_moments(profile, mivat), moments(hands, mivat)
    assert found.mean == pytest.approx([value, -value], abs=1e-9)
    assert found.deviation == pytest.approx(expected[1], abs=1e-9)


def test_fitted_weights():
    rng = np.random.default_rng(0)
    terms = rng.normal(size=(500, 3))
    payoffs = terms @ [0.0, 2.0, 1.0] + 0.3 + 0.01 * rng.normal(size=500)
    assert fit_weights(terms, payoffs) == pytest.approx([0, 2, 1], abs=0.01)
    assert fit_weights(terms, payoffs)[-1] == 1
    estimates = cross_fitted(terms, payoffs)
    assert estimates.std() < 0.02
    assert estimates.mean() == pytest.approx(0.3, abs=0.01)
    # A hand's own payoff has no say in its weights.
    changed = payoffs.copy()
    changed[7] += 100
    assert cross_fitted(terms, changed)[7] == pytest.approx(estimates[7] + 100, abs=1e-9)


def test_fitting_helps_in_leduc():
    _, value, hands = setting("leduc", "equilibrium")
    chances = np.array([chance for chance, _ in hands])
    draw = np.random.default_rng(6).choice(len(hands), 3000, p=chances)
    terms = np.array([luck(hands[i][1])[:, 0] for i in draw])
    payoffs = np.array([hands[i][1].payoffs()[0] for i in draw])
    plain, fitted = payoffs - terms.sum(axis=1), cross_fitted(terms, payoffs)
    assert fitted.std() <= plain.std() * 1.001
    assert fitted.mean() == pytest.approx(value, abs=4 * fitted.std() / np.sqrt(len(draw)))


def test_what_cannot_be_estimated_is_refused():
    leduc = rules_of("leduc")
    folded = parse_hand(leduc, "rf", "Jh|")
    for estimator in (mivat, divat, divat_difference):
        with pytest.raises(CardError, match="everybody's cards"):
            estimator(folded)
    assert all_in_equity(folded) == folded.payoffs()


@pytest.mark.parametrize(
    ("game", "path", "most"),
    [
        ("holdem-nolimit", ("acpc", "deepstack_vs_pros", "hands.log"), 0.95),
        ("holdem-limit", ("acpc", "dealer_test_logs", "2p.limit.h1000.r0.log"), 0.8),
    ],
)
def test_real_hands(game, path, most):
    """Deviations fall on real hands too; benchmarks/variance.py has the figures."""
    records = []
    for record in read_log(shared_data(*path), game):
        records.append(record.hand)
        if len(records) == 300:
            break
    found = {
        estimator: np.array([estimator(hand) for hand in records])
        for estimator in (money, all_in_equity, mivat, partial(divat, baseline=check_call))
    }
    for estimates in found.values():
        assert np.isfinite(estimates).all()
        assert np.abs(estimates.sum(axis=1)).max() < 1e-6
    plain, all_in, share, called = (estimates[:, 0].std() for estimates in found.values())
    assert all_in <= plain
    assert max(share, called) < most * plain


def test_bet_for_value_in_holdem():
    hand = parse_hand(rules_of("holdem-limit"), "rc/cc/rc/cc", "AcAd|7h2s/Kh9s4d/3c/8d")
    baseline = BetForValue()
    state = new_hand(hand.rules)._replace(holes=hand.holes)
    assert state.betting.actor == 1
    assert baseline(state) == 0  # 7-2 is bad, but the price is right
    raised = state.act(20)
    assert baseline(raised) == 30
    assert baseline(raised.act(30)) == 0
    flop = raised.act(0).deal(hand.board[:3])
    assert baseline(flop) == 30  # aces bet
    assert baseline(flop.act(30)) == -1  # seven high folds
    with pytest.raises(PokerlabError, match="rng"):
        divat(hand)
    found = divat(hand, rng=np.random.default_rng(0), samples=4)
    assert found[0] == -found[1]
    assert abs(found[0]) < abs(hand.payoffs()[0])

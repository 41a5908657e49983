"""Jam or fold: charts against published ones, programs against regret, tournaments of two and of three."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

import pokerlab
from pokerlab.cards.holes import HOLES, class_name, classes
from pokerlab.cards.matchups import class_matchups, preflop_signs
from pokerlab.cards.preflop import preflop_tables
from pokerlab.cards.ranges import Range
from pokerlab.cli import main
from pokerlab.errors import PokerlabError
from pokerlab.form.evaluate import evaluate
from pokerlab.form.jam_three import FOLD, JAM, Tournament, _worth, after_hand, drawn_deals, icm, three_way_game
from pokerlab.form.jamfold import KINDS, Worth, jam_game
from pokerlab.form.strategy import random_profile
from pokerlab.solvers.jam_kernels import DECISIONS, ENDS, THREE, add_values, end_odds, fictitious_play
from pokerlab.solvers.jamfold import Chart, charts_of, given_away, heads_up
from pokerlab.solvers.last_three import _LINES, _Tournament, last_three
from pokerlab.solvers.last_two import last_two

# Quoted: hands that push at 10 big blinds, of the heads-up push/fold charts of holdemresources.net (poker-theory/hune)
# and of super-turbo-poker-tips.com, which agree.
PUSHED = "22+,A2s+,A2o+,K2s+,K2o+,Q2s+,Q7o+,J3s+,J8o+,T4s+,T8o+,95s+,97o+,84s+,87o,74s+,76o,64s+,53s+,43s"
# Quoted from the first of them: which hands call, as far as its rows A to 8 of the chart that we have seen.
CALLED = "88+,A2s+,AKo,K2s+,AQo,KQo,Q7s+,AJo,KJo,QJo,J8s+,ATo,KTo,QTo,JTo,T9s,A9o,K9o,Q9o,A8o,K8o"
NAMES = [class_name(kind) for kind in range(KINDS)]


def grid(text):
    return Range.parse(text).grid().ravel()


def test_kinds_meet_as_hands_do():
    dealt, won = class_matchups()
    assert dealt.sum() == pytest.approx(1)
    assert np.allclose(dealt, dealt.T)
    share = (won + (dealt - won - won.T) / 2).sum(axis=1) / dealt.sum(axis=1)
    assert share == pytest.approx(preflop_tables()[0], abs=1e-6)
    signs, first, second = preflop_signs(), NAMES.index("AKs"), NAMES.index("77")
    pairs = [(i, j) for i in np.flatnonzero(classes() == first) for j in np.flatnonzero(classes() == second)
             if not {*HOLES[i]} & {*HOLES[j]}]  # fmt: skip
    assert dealt[first, second] == pytest.approx(len(pairs) / (1326 * 1225))
    mean = sum(signs[i, j] for i, j in pairs) / (1326 * 1225)
    assert won[first, second] - won[second, first] == pytest.approx(mean)


@pytest.mark.parametrize("limp", [None, -1.3])
def test_the_game_pays_what_its_outcomes_are_worth(limp):
    worth, rng = Worth(-0.5, 1.0, 7.0, -6.0, 0.5, limp), np.random.default_rng(4)
    game = jam_game(worth)
    dealt, won = class_matchups()
    profile = random_profile(game, rng)
    mine, theirs = ({(b, state): odds for b, state, odds in profile.rows(player)} for player in range(2))
    total = 0.0
    for i, name in enumerate(NAMES):
        for j, other in enumerate(NAMES):
            win, lose = won[i, j] / dealt[i, j], won[j, i] / dealt[i, j]
            all_in = win * worth.wins + lose * worth.loses + (1 - win - lose) * worth.ties
            odds, call = mine["", name], theirs["jam", other]["call"]
            value = odds["fold"] * worth.folds + odds["jam"] * ((1 - call) * worth.steals + call * all_in)
            if limp is not None:
                jam, late = theirs["limp", other]["jam"], mine["limp, jam", name]["call"]
                value += odds["limp"] * ((1 - jam) * worth.steals + jam * (late * all_in + (1 - late) * limp))
            total += dealt[i, j] * value
    assert evaluate(profile).value == pytest.approx(total)


def test_ten_big_blinds_by_program_by_regret_and_as_published():
    exact, steps = heads_up(10), heads_up(10, "cfr+", iterations=2000)
    assert exact.exploitability < 1e-9
    assert steps.value == pytest.approx(exact.value, abs=2 * steps.exploitability)
    assert steps.exploitability < 1e-6
    titles = {"": "jam", "jam": "call"}
    (jam, call), (jams, calls) = (charts_of(solution, titles) for solution in (exact, steps))
    assert jams.odds == pytest.approx(jam.odds, abs=0.02)
    assert calls.odds == pytest.approx(call.odds, abs=0.02)
    # As published but for hands with which the equilibrium does both: a chart says only one.
    mixed = {name for name, odds in zip(NAMES, jam.odds, strict=True) if 0.01 < odds < 0.99}
    other = {name for name, a, b in zip(NAMES, jam.odds, grid(PUSHED), strict=True) if abs(a - b) > 0.01}
    assert other == mixed == {"43s"}
    rows = slice(0, 7 * 13)
    doubtful = {name for name, a, b in zip(NAMES[rows], call.odds[rows], grid(CALLED)[rows], strict=True)
                if abs(a - b) > 0.01}  # fmt: skip
    assert doubtful == {"Q6s"}
    assert 0.01 < call.odds[NAMES.index("Q6s")] < 0.99


def test_the_deeper_the_tighter():
    charts = [charts_of(heads_up(stack), {"": "jam", "jam": "call"}) for stack in (2, 5, 20)]
    shares = [[chart.share for chart in pair] for pair in charts]
    assert np.all(np.diff(shares, axis=0) < 0)
    assert Chart("", np.ones(KINDS)).share == 1
    with pytest.raises(PokerlabError, match="stack: a number above 1 to 1000 is needed"):
        heads_up(1)


@pytest.fixture(scope="module")
def two():
    return last_two(1600, (200, 400)), last_two(1600, (200, 400), limps=True)


def test_the_last_two_win_the_more_the_more_they_have(two):
    both, sure = two
    for chances in (both.small, both.big, sure.small, sure.big):
        assert np.all(np.diff(chances) > 0)
    assert both.small + both.big[::-1] == pytest.approx(np.ones(7))  # one of the two wins
    assert (both.small[3] + both.big[3]) / 2 == pytest.approx(0.5)  # and with as many chips each as often
    assert both.residual < 1e-9
    assert 0 <= given_away(sure) < 0.014
    assert np.all(sure.small <= both.small + 1e-9)
    assert np.all(sure.big <= both.big + 1e-9)


def test_a_hand_of_the_last_two_by_regret(two):
    """With 800 each: 600 or 1,200 chips without a showdown, all or nothing with one."""
    both, _ = two
    big = dict(zip(both.stacks.tolist(), both.big, strict=True)) | {0: 0.0, 1600: 1.0}
    ends = Worth(big[600], big[1200], big[1600], big[0], big[800])
    steps = pokerlab.solve(jam_game(ends), "cfr+", iterations=1000)
    assert steps.value == pytest.approx(both.small[3], abs=2 * steps.exploitability + 1e-9)
    # All-in by the blind, nobody chooses; with less than the big blind left, only the small blind does.
    _, won = class_matchups()
    win = float(won.sum())
    assert both.small[0] == pytest.approx(win * big[400] + (1 - 2 * win) * big[200])
    assert both.small[1] >= win * big[800] + (1 - 2 * win) * big[400] - 1e-12


def test_prizes_by_chips():
    assert icm((5, 5, 5), (50, 30, 20)) == pytest.approx([100 / 3] * 3)
    assert icm((1, 1, 0), (50, 30, 20)) == pytest.approx([40, 40, 20])
    # first with 0.5, then 0.3 / 0.5 of the rest second, and so on
    assert icm((5, 3, 2), (50, 30, 20))[0] == pytest.approx(50 * 0.5 + 30 * (0.3 * 5 / 7 + 0.2 * 5 / 8)
                                                            + 20 * (0.3 * 2 / 7 + 0.2 * 3 / 8))  # fmt: skip
    assert icm((5, 3, 2), (1, 0, 0)) == pytest.approx([0.5, 0.3, 0.2])


def test_lines_of_three_leave_the_stacks_that_they_should():
    table = Tournament((1000, 2000, 3000), (100, 200), (6, 0, 0))  # worth the share of 6,000 chips, in thousands
    for choices, standing, after in (
        ((FOLD, FOLD), (0, 0, 0), (1, 1.9, 3.1)),
        ((FOLD, JAM, FOLD), (0, 0, 1), (1, 2.2, 2.8)),
        ((JAM, FOLD, FOLD), (0, 0, 2), (1.3, 1.9, 2.8)),
        ((FOLD, JAM, JAM), (0, 1, 0), (1, 4, 1)),
        ((JAM, FOLD, JAM), (1, 0, 0), (2.1, 1.9, 2)),
        ((JAM, JAM, JAM), (2, 1, 0), (3, 2, 1)),
        ((JAM, JAM, JAM), (0, 0, 2), (0, 0, 6)),
    ):
        assert _worth(table, choices, standing) == pytest.approx(after)
    # Two go out together: the one who had more is second.
    assert _worth(table._replace(prizes=(50, 30, 20)), (JAM, JAM, JAM), (0, 1, 2)) == pytest.approx([20, 30, 50])
    for wrong in (table._replace(blinds=(200, 100)), table._replace(stacks=(200, 2000, 3000))):
        with pytest.raises(PokerlabError, match="every stack is above the big blind"):
            wrong.check()
    with pytest.raises(PokerlabError, match="do not grow"):
        table._replace(prizes=(20, 30, 50)).check()


def test_three_play_for_prizes_by_fictitious_play():
    game = three_way_game(Tournament((4500, 4500, 4500), (300, 600), (50, 30, 20)), 60_000, seed=1)
    total = sum(
        game.gradient(p, uniform := [t.realize(t.uniform()) for t in game.trees]) @ uniform[p] for p in range(3)
    )
    assert total == pytest.approx(100)
    few, many = (pokerlab.solve(game, "fp", iterations=count) for count in (5, 60))
    assert many.exploitability < few.exploitability / 3
    aces, worst = NAMES.index("AA"), NAMES.index("72o")
    button = game.trees[0].block(0, many.strategy[0])[1]
    assert button[aces] > 0.9
    assert button[worst] < 0.1
    opens, calls = (float(game.trees[1].block(b, many.strategy[1])[1].mean()) for b in range(2))
    assert calls < button.mean() < opens  # calling an all-in asks for most, and stealing from one for least


def test_short_stacks_are_all_in_by_their_blinds():
    blinds, showdown = (2, 4), (0, 1, 2)
    # What a blind is above the other's last chips comes back; who folds loses no more than was played for.
    assert after_hand((9, 9, 1), blinds, (FOLD, JAM, JAM), showdown) == (9, 8, 2)
    assert after_hand((9, 1, 9), blinds, (FOLD, JAM, JAM), showdown) == (9, 0, 10)
    assert after_hand((1, 9, 1), blinds, (JAM, FOLD, JAM), (1, 0, 0)) == (3, 8, 0)
    assert after_hand((3, 9, 9), blinds, (JAM, FOLD, JAM), (1, 0, 0)) == (8, 7, 6)
    assert after_hand((9, 9, 3), blinds, (FOLD, FOLD), (0, 0, 0)) == (9, 7, 5)
    assert after_hand((9, 9, 9), blinds, (JAM, FOLD, JAM), (1, 0, 1)) == (10, 7, 10)
    few = _Tournament(9, (1, 2), (1, 0, 0), 1000, 0)
    for stacks, forced in (
        ((3, 3, 3), [0, 0, 0, 0, 0, 0]),
        ((4, 1, 4), [0, 1, 1, 1, 0, 0]),  # the small blind is all-in, which the big one has paid
        ((2, 3, 4), [0, 0, 0, 0, 1, 0]),  # a button who jams no more than the big blind
        ((2, 1, 6), [0, 1, 1, 1, 1, 1]),
        ((4, 3, 2), [0, 0, 0, 1, 1, 1]),  # the big blind is all-in
        ((4, 4, 1), [0, 1, 0, 1, 1, 1]),  # for no more than the small blind
    ):
        assert few.forced(stacks) == forced


def test_kernels_of_three_play_as_the_game_does():
    """The game of the same deals, its gradients and fictitious play are the slow twin."""
    table, deals, rng = Tournament((1800, 1200, 2400), (100, 200), (50, 30, 20)), 4000, np.random.default_rng(5)
    game = three_way_game(table, deals, seed=3)
    kinds, worse, weights = drawn_deals(deals, np.random.default_rng(3))
    standings, orders = np.unique(worse, axis=0, return_inverse=True)
    assert len(standings) == 13
    ends = []
    for line in _LINES:
        inside = [player for player, choice in enumerate(line) if choice == JAM]
        for mine, theirs in ((1, 0), (0, 1), (0, 0)) if len(inside) == 2 else ((0, 0),):
            standing = dict.fromkeys(range(3), 0) | dict(zip(inside, (mine, theirs), strict=False))
            ends.append(_worth(table, line, list(standing.values())))
    ends += [_worth(table, (JAM, JAM, JAM), standing) for standing in standings.tolist()]
    dealt, won = class_matchups()
    drawn = kinds, orders.ravel(), weights, won / dealt
    assert len(ends) == ENDS

    def behaviour(jam):
        """[decision, kind] as the players' strategies in the game."""
        blocks = iter(np.stack([1 - jam, jam], axis=1))
        return [np.concatenate([[1.0], *(next(blocks).ravel() for _ in range(len(tree)))]) for tree in game.trees]

    jam = rng.random((DECISIONS, KINDS))
    plans = [tree.realize(strategy) for tree, strategy in zip(game.trees, behaviour(jam), strict=True)]
    values = np.zeros((DECISIONS, KINDS, 2))
    add_values(*drawn, np.array(ends), jam, values)
    gradients = np.concatenate([game.gradient(p, plans)[1:] for p in range(3)]).reshape(DECISIONS, 2, KINDS)
    assert gradients.transpose(0, 2, 1) == pytest.approx(values, abs=1e-12)
    odds = end_odds(*drawn, jam)
    assert odds.sum() == pytest.approx(1)
    assert (odds @ np.array(ends)).tolist() == pytest.approx([game.gradient(p, plans) @ plans[p] for p in range(3)])
    assert odds[THREE:].min() > 0

    jam = np.full((DECISIONS, KINDS), 0.5)
    fictitious_play(*drawn, np.array(ends), np.zeros(DECISIONS, bool), jam, 0, 25)
    averages = pokerlab.solve(game, "fp", iterations=25).strategy
    for p, mine in enumerate(behaviour(jam)):
        met = np.isin(np.arange(KINDS), kinds[:, p])  # what was never dealt to the player is played anyhow
        assert met.sum() > 100
        assert mine[1:].reshape(-1, KINDS)[:, met] == pytest.approx(
            averages[p][1:].reshape(-1, KINDS)[:, met], abs=1e-9
        )


@pytest.fixture(scope="module")
def three():
    return last_three(8, (1, 2), (50, 30, 20), deals=8000, rounds=10)


def test_the_last_three_have_the_more_the_more_they_have(three):
    worth = {tuple(stacks): row for stacks, row in zip(three.stacks.tolist(), three.worth, strict=True)}
    assert len(worth) == 21
    assert three.worth.sum(axis=1) == pytest.approx(np.full(21, 100))
    for stacks, row in worth.items():
        for player in range(3):
            for other in {0, 1, 2} - {player}:
                if stacks[other] > 1:
                    more = list(stacks)
                    more[player], more[other] = more[player] + 1, more[other] - 1
                    assert worth[tuple(more)][player] > row[player]
    assert three.residual < 0.2
    assert three.gain < 0.05


def test_as_many_chips_are_worth_as_much():
    """Over the three seats a third each; and everywhere where all prizes are one."""
    same = last_three(6, (1, 2), (3, 3, 3), deals=1000, rounds=2)
    assert same.worth == pytest.approx(np.full((10, 3), 3))
    alike = last_three(900, (100, 200), (1, 0, 0), deals=4000, rounds=4)
    assert alike.worth[alike.state((300, 300, 300))].mean() == pytest.approx(1 / 3)
    shares = alike.stacks / 900
    assert np.abs(alike.worth - shares).max() < 0.06  # as with the last two, blinds are what chips do not say
    assert alike.worth[:, 0].mean() > alike.worth[:, 1].mean()  # the button pays none this time
    with pytest.raises(PokerlabError, match="multiples of 100 are told apart"):
        alike.state((350, 250, 300))


def test_what_stacks_are_worth_is_what_playing_on_brings(three):
    """By playing hand after hand: the same as by the linear system."""
    game = _Tournament(8, (1, 2), (50, 30, 20), 8000, 0)
    odds = [game.hand(state, three.worth, three.jam[state].copy(), 0, 0)[0] for state in range(len(three.stacks))]
    worth = np.zeros_like(three.worth)
    for _ in range(400):
        after = np.zeros_like(worth)
        for state, chances in enumerate(odds):
            for chance, end in zip(chances, game.nexts[state], strict=True):
                after[state] += chance * end.paid
                for share, to, seats in end.shares:
                    after[state] += chance * share * worth[to][list(seats)]
        worth = after
    assert worth == pytest.approx(three.worth, abs=1e-6)


def test_where_hands_of_three_lead():
    """Seats go round; of two who are left the big blind is who would have been next; half a chip to either."""
    game = _Tournament(9, (1, 2), (50, 30, 20), 1000, 0)
    ((share, state, seats),) = game._next((3, 3, 3), (3.0, 2.0, 4.0)).shares
    assert (share, game.stacks[state], seats) == (1, (2, 4, 3), (2, 0, 1))
    two = last_two(9, (1, 2))
    for after, big, small, out in (((5, 4, 0), 0, 1, 2), ((5, 0, 4), 0, 2, 1), ((0, 5, 4), 1, 2, 0)):
        end = game._next((3, 3, 3), after)
        assert not end.shares
        assert end.paid[out] == 20
        assert end.paid[small] == pytest.approx(30 + 20 * two.small[after[small] - 1])
        assert end.paid[big] == pytest.approx(30 + 20 * two.big[after[big] - 1])
    assert game._next((3, 4, 2), (9.0, 0.0, 0.0)).paid.tolist() == [50, 30, 20]
    halves = game._next((3, 3, 3), (3.5, 2.0, 3.5)).shares
    assert [(share, game.stacks[state]) for share, state, _ in halves] == [(0.5, (2, 3, 4)), (0.5, (2, 4, 3))]


def test_the_command():
    told = json.loads(CliRunner().invoke(main, ["jamfold", "--stack", "10", "--json"]).stdout)
    assert told["value"] == pytest.approx(-0.0453707526)
    assert told["jam"]["AA"] == 1
    assert told["jam"]["72o"] == 0
    ran = CliRunner().invoke(main, ["jamfold", "--stack", "10"])
    assert "small blind jams: 58.3% of all hands" in ran.stdout
    assert "big blind calls: 37.4% of all hands" in ran.stdout
    ran = CliRunner().invoke(main, ["jamfold", "--chips", "1000", "--blinds", "200/400"])
    assert "who may bet anything wins at most 0.00 percentage points" in ran.stdout
    ran = CliRunner().invoke(main, ["jamfold", "--stacks", "900/800/700", "--blinds", "100/200", "--draws", "2000"])
    assert ran.exit_code == 0, ran.stderr
    assert ran.stdout.count("% of all hands") == 6
    words = ["--stacks", "400/300/300", "--blinds", "100/200", "--draws", "2000", "--rounds", "2", "--json"]
    told = json.loads(CliRunner().invoke(main, ["jamfold", *words]).stdout)
    assert sum(told["worth"].values()) == pytest.approx(100)
    assert told["independent_chip_model"]["small blind"] == pytest.approx(icm((4, 3, 3), (50, 30, 20))[1])
    assert (told["rounds"], told["states"], len(told["charts"])) == (2, 36, 6)
    assert told["charts"]["button jams"]["AA"] > 0.9
    for words, why in (
        ([], "one of --stack"), (["--stack", "5", "--chips", "2000"], "one of --stack"),
        (["--chips", "2000", "--blinds", "1/2/3"], "--blinds: 2 whole numbers such as 300/300 needed"),
        (["--stacks", "900/800/700", "--blinds", "200/400", "--rounds", "1"], "multiples of 200 are told apart"),
        (["--chips", "2001"], "stacks to tell apart"), (["--chips", "500"], "blinds grow, and are fewer"),
    ):  # fmt: skip
        ran = CliRunner().invoke(main, ["jamfold", *words])
        assert ran.exit_code == 2
        assert why in ran.stderr

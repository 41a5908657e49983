"""Best responses on the public tree are those of compiled games, of plain Python, and of what a caller loses."""

import numpy as np
import pytest

from naive_response import Moody, MoodyByBucket, Suited, holdem, naive_worth
from pokerlab.agents.spec import agent_of
from pokerlab.agents.table import TableAgent, profile_of
from pokerlab.cards.evaluator import tables
from pokerlab.cards.holes import HOLES, classes, holes_of
from pokerlab.cards.sweep_kernels import next_strengths
from pokerlab.errors import PokerlabError
from pokerlab.form.compile import compile
from pokerlab.form.evaluate import evaluate
from pokerlab.form.strategy import random_profile, uniform_profile
from pokerlab.game.catalog import rules_of
from pokerlab.match.exact.before import best_before
from pokerlab.match.exact.boards import Dealt, Suits
from pokerlab.match.exact.tree import PublicTree
from pokerlab.solvers.run import solve


def exact_responses(agent, rules, **options):
    tree = PublicTree(agent, rules, **options)
    mean = sum(dealt.times * tree.flop(dealt) for dealt in tree.flops) / tree.chances(1)
    return [best_before(tree, seat, mean[seat][None]).worth[0] for seat in range(2)]


SMALL = ["leduc", "leduc:ranks=13,suits=4"]


@pytest.mark.parametrize("game", [*SMALL, "rhode-island:ranks=4"])
@pytest.mark.parametrize("name", ["fold", "call", "raise", "probe", "random"])
def test_simple_agents_as_evaluated(game, name):
    agent, compiled = agent_of(name), compile(game)
    wanted = evaluate(profile_of(agent, agent, compiled)).responses
    np.testing.assert_allclose(exact_responses(agent, rules_of(game)), wanted, rtol=0, atol=1e-12)


@pytest.mark.parametrize("game", [*SMALL, "rhode-island:ranks=6"])
def test_strategies_as_evaluated(game):
    """Random, solved and uniform ones, with suits taken together and told apart."""
    compiled, rules = compile(game), rules_of(game)
    solved = solve(compiled, "cfr+", iterations=60, progress=False).strategy
    for profile in (random_profile(compiled, np.random.default_rng(5)), solved, uniform_profile(compiled)):
        wanted = evaluate(profile).responses
        for alike in (True, False):
            np.testing.assert_allclose(
                exact_responses(TableAgent(profile), rules, alike=alike), wanted, rtol=0, atol=1e-9
            )


@pytest.mark.parametrize("agent", [Moody(), MoodyByBucket(), Suited()])
def test_agents_that_are_asked_board_by_board(agent):
    """Among them one that tells suits apart, which is noticed."""
    rules = rules_of("leduc:ranks=4,suits=3")
    tree = PublicTree(agent, rules)
    assert len(tree.flops) == (12 if isinstance(agent, Suited) else 4)
    mean = sum(dealt.times * tree.flop(dealt) for dealt in tree.flops) / tree.chances(1)
    for seat in range(2):
        holes, total = holes_of(12, 1), 0.0
        for hand in holes:
            others = {hole: 1.0 for hole in holes if hole != hand}
            total += naive_worth(tree, seat, tree.seats[seat][0].roots[0], (), hand, others)
        assert best_before(tree, seat, mean[seat][None]).worth[0] == pytest.approx(total / 12 / 11, abs=1e-12)


class FewHands(PublicTree):
    """The agent is dealt one of a few hands only."""

    hands: tuple = ()

    def _arrived(self, responder):
        reach = super()._arrived(responder)
        reach[:, np.delete(np.arange(self.holes), self.hands)] = 0
        return reach


def test_naive_twin_on_five_flops():
    """Hold'em without its river, against a few hands of the agent, which tell suits apart; both seats."""
    rng, rules, holes = np.random.default_rng(18), holdem(3, 1), holes_of(52, 2)
    tree = FewHands(MoodyByBucket(3), rules, alike=False)
    for _ in range(5):
        board = tuple(rng.choice(52, 3, replace=False).tolist())
        dealt = Dealt(board, 1, tree.suits.every)
        left = [h for h in range(1326) if not {*holes[h]} & {*board}]
        tree.hands = rng.choice(left, 4, replace=False)
        seat, line = int(rng.integers(2)), int(rng.integers(3))
        root = tree.seats[seat][1].roots[line]
        reach = tree._arrived(seat)[line]
        value = tree.engine.worth(seat, tree._arrived(seat), dealt)[line]
        for hand in (int(tree.hands[0]), int(rng.choice(left))):
            others = {holes[h]: reach[h] for h in tree.hands if not {*holes[h]} & {*holes[hand]}}
            assert value[hand] == pytest.approx(naive_worth(tree, seat, root, board, holes[hand], others), abs=1e-9)
        clashes = [h for h in range(1326) if {*holes[h]} & {*board}]
        assert not value[clashes].any()


@pytest.mark.parametrize("board", [(4, 12, 16), (4, 12, 17), (4, 5, 14)], ids=["one suit", "two", "a pair"])
def test_boards_up_to_suits(board):
    """Turns and rivers taken together are worth what they are worth one by one."""
    rules = holdem(4, 1, ranks=6)
    one, every = (PublicTree(MoodyByBucket(1), rules, alike=alike) for alike in (None, False))
    group = np.array([g for g in one.suits.every if {*one.suits.cards[g][list(board)].tolist()} == {*board}])
    assert len(group) in (2, 6)
    for seat in range(2):
        got = one.engine.worth(seat, one._arrived(seat), Dealt(board, 1, group))
        wanted = every.engine.worth(seat, every._arrived(seat), Dealt(board, 1, every.suits.every))
        np.testing.assert_allclose(got, wanted, rtol=0, atol=1e-9)
        assert np.abs(wanted).max() > 1


def test_flops_up_to_suits():
    """A flop's result is the mean over all flops that it stands for, by kinds of hands."""
    rules = holdem(2, 2, ranks=5, suits=3)
    one, every = (PublicTree(MoodyByBucket(2), rules, alike=alike) for alike in (None, False))
    assert sum(dealt.times for dealt in one.flops) == len(every.flops) == 455
    every_worth = sum(every.flop(dealt) for dealt in every.flops)
    worth = sum(dealt.times * one.flop(dealt) for dealt in one.flops)
    np.testing.assert_allclose(worth[..., one.suits.kinds], every_worth, rtol=0, atol=1e-9)


def test_kinds_and_flops_of_holdem():
    suits = Suits(rules_of("holdem-limit"))
    assert len({*zip(suits.kinds.tolist(), classes().tolist(), strict=True)}) == 169
    turns = suits.after((), suits.every, 3)
    assert (len(turns), sum(dealt.times for dealt in turns)) == (1755, 22_100)
    assert sum(len(suits.after(dealt.board, dealt.group, 1)) for dealt in turns) == 63_193


def caller_loses(board, stake):
    """What each hand wins from one who calls on a flop: the pot so far, and a bet a street where it is ahead."""

    def ahead(strengths):
        return np.where(strengths >= 0, strengths - 990.0, 0.0)

    flop, later = np.zeros(1326), np.zeros(1326)
    for card in range(52):
        if card in board:
            continue
        rivers = np.empty((48, 1326), np.int16)
        next_strengths(tables(), HOLES, np.array([*board, card], np.uint8), rivers)
        more = ahead(rivers.astype(np.int64))
        turn = more.sum(axis=0) / 44
        flop += turn / 45
        later += (20 * np.maximum(turn, 0) + 20 * np.maximum(more, 0).sum(axis=0) / 44) / 45
    return stake * flop + 10 * np.maximum(flop, 0) + later


def test_what_a_caller_loses_on_a_flop():
    """Betting is separable against one who calls: exact, flop by flop."""
    tree = PublicTree(agent_of("call"), rules_of("holdem-limit"))
    dealt = tree.flops[777]
    worth = tree.flop(dealt)
    stakes = [root.betting.spent[0] for root in tree.seats[0][1].roots]
    called = [number for number, stake in enumerate(stakes) if worth[0, number].any()]
    assert len(called) == 2  # who calls lets the other call or raise once
    for line in called:
        wanted = tree.suits.averaged(caller_loses(dealt.board, stakes[line])[None], tree.suits.every, 1)[0]
        np.testing.assert_allclose(worth[0, line, tree.suits.kinds], wanted, rtol=0, atol=1e-7)


def test_single_precision():
    compiled, rules = compile("leduc:ranks=13,suits=4"), rules_of("leduc:ranks=13,suits=4")
    profile = random_profile(compiled, np.random.default_rng(6))
    responses = exact_responses(TableAgent(profile), rules, dtype=np.float32)
    np.testing.assert_allclose(responses, evaluate(profile).responses, rtol=0, atol=1e-6)


@pytest.mark.parametrize(
    ("game", "problem"),
    [
        ("kuhn", "board cards must be dealt"),
        ("leduc-nl", "bets must be of fixed size"),
        ("holdem-limit-3p", "it is for two players, not 3"),
        ("leduc:stack=8", "stacks must be deep enough"),
    ],
)
def test_games_that_are_refused(game, problem):
    with pytest.raises(PokerlabError, match=problem):
        PublicTree(agent_of("call"), rules_of(game))


def test_the_whole_of_rhode_island():
    """The game of 52 cards, ten million sequences a player; agents by name are tried with fewer ranks."""
    compiled, rules = compile("rhode-island"), rules_of("rhode-island")
    solved = solve(compiled, "cfr+", iterations=2, progress=False).strategy
    for profile in (random_profile(compiled, np.random.default_rng(5)), solved):
        wanted = evaluate(profile).responses
        np.testing.assert_allclose(exact_responses(TableAgent(profile), rules), wanted, rtol=0, atol=1e-9)

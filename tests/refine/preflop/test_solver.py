"""The game before the flop against explicit trees, linear programs and jam or fold."""

from __future__ import annotations

import numpy as np
import pytest

from naive_preflop import DECK, NaivePreflop, expected
from pokerlab.cards.evaluator import board_values
from pokerlab.cards.holes import COUNT, class_name, hole_number
from pokerlab.cards.matchups import preflop_signs
from pokerlab.form.extensive import extensive_game
from pokerlab.refine.preflop.draws import draw, draw_cards, drawn_signs
from pokerlab.refine.preflop.game import parse_preflop
from pokerlab.refine.preflop.run import solve_preflop
from pokerlab.refine.preflop.solution import solution_of
from pokerlab.refine.preflop.solver import PreflopSolver, leaves_of
from pokerlab.solvers.jamfold import heads_up
from pokerlab.solvers.lp import equilibrium
from pokerlab.solvers.runner import Record

SMALL = """
stack = 600
[raises]
open = "2x"
limped = "all-in"
3-bet = "all-in"
[bets]
bet = ""
raise = ""
[bets.flop]
bet = "100%"
[bets.river]
bet = "all-in"
[boards]
flops = "As Kd 7c, 9h 8h 3d: 2"
turns = 2
rivers = 2
seed = 5
[big_blind]
range = "AA, QJs:0.5"
[small_blind]
range = "KK, 98s"
"""


def solver_of(game, threads=1):
    return PreflopSolver(game, leaves_of(game, draw(game) if game.tree.flops else []), threads=threads)


def policy_of(solver):
    """The averages, for infosets as the twin names them."""
    before = solver.strategies()
    flops = {(leaf.node, DECK.text(leaf.flop.cards)): e for leaf, e in zip(solver.leaves, solver.engines, strict=True)}
    kinds = {class_name(kind): kind for kind in range(169)}

    def policy(infoset, player):
        words = infoset.split(" ")
        if len(words) == 2:
            return before[int(words[0])][kinds[words[1]]]
        leaf, cards, node, hand = int(words[0]), words[1:-2], int(words[-2]), words[-1]
        board = DECK.cards(" ".join(cards))
        engine = flops[leaf, DECK.text(board[:3])]
        place = engine.shape.tree[node]
        row = list(engine.shape.holes[player]).index(hole_number(DECK.cards(hand)))
        number = engine.shape.boards[len(board) - 3].boards.index(board)
        odds = engine.average(place, number)[:, row].astype(float)
        return odds / odds.sum() if odds.sum() else np.full(len(odds), 1 / len(odds))

    return policy


@pytest.fixture(scope="module")
def small():
    game = parse_preflop(SMALL)
    return game, draw(game)


def test_it_is_the_explicit_game(small):
    """Averages are worth what the tree says, best responses are above its value and come down to it."""
    game, flops = small
    root = NaivePreflop(game, flops).root()
    solver = PreflopSolver(game, leaves_of(game, flops))
    solver.step(3)
    early = solution_of(solver, Record())
    assert early.figures.ev[0] == pytest.approx(expected(root, policy_of(solver)), abs=1e-3)
    value = equilibrium(extensive_game(root)).value
    assert early.figures.best[0] > value + 1
    assert early.figures.best[1] > -value + 1
    solver.step(600)
    late = solution_of(solver, Record())
    assert late.figures.best == pytest.approx((value, -value), abs=0.05)
    assert late.figures.exploitability < 0.05
    assert late.ev[0] * 100 == pytest.approx(value, abs=0.1)


def test_payoffs_add_up_to_nothing(small):
    game, flops = small
    solver = PreflopSolver(game, leaves_of(game, flops))
    solver.step(7)
    ev = solution_of(solver, Record()).figures.ev
    assert sum(ev) == pytest.approx(0, abs=1e-4)
    assert abs(ev[0]) > 1


def test_threads_change_nothing(small):
    game, flops = small
    one, two = (PreflopSolver(game, leaves_of(game, flops), threads=threads) for threads in (1, 2))
    for solver in (one, two):
        solver.step(5)
    assert one.exploitability() == two.exploitability()
    states = one.state(), two.state()
    assert all(np.array_equal(states[0][key], states[1][key]) for key in states[0] | states[1])


@pytest.mark.parametrize("stack", [10, 6.5])
def test_all_in_or_fold_is_jam_or_fold(stack):
    """Its smallest case, against the linear program; charts where that has no choice."""
    game = parse_preflop(f'stack = {int(100 * stack)}\n[raises]\nlimp = false\nopen = "all-in"\n')
    solved, wanted = solve_preflop(game, iterations=300), heads_up(stack)
    assert game.tree.flops == ()
    assert solved.exploitability < 1e-5
    assert solved.ev[1] == pytest.approx(wanted.value, abs=1e-5)
    for node, (player, tree) in zip(game.tree.decisions, enumerate(wanted.game.trees), strict=True):
        odds = tree.block(0, wanted.strategy[player])[-1]
        sure = (odds < 1e-6) | (odds > 1 - 1e-6)
        assert sure.sum() > 160
        ours = solved.strategy[node][:, -1]
        assert np.abs(ours - odds)[sure].max() < 0.05


def test_all_boards_are_worth_what_they_are():
    """A hand meets boards with a weight of 1 on average, and wins from another what it wins over all boards on average
    over draws.
    """
    game = parse_preflop('stack = 1000\n[boards]\nflops = "As Kd 7c"\nturns = 49\nrivers = 48\n')
    (flop,) = draw(game)
    every = drawn_signs([flop]) / flop.weight
    hands = [hole_number(DECK.cards(text)) for text in ("QcQh", "AhJh")]
    wins = 0
    rest = [c for c in range(52) if c not in (*flop.cards, *DECK.cards("QcQhAhJh"))]
    for i, turn in enumerate(rest):
        for river in rest[i + 1 :]:
            values = board_values((*flop.cards, turn, river))
            wins += int(values[hands[0]] > values[hands[1]]) - int(values[hands[0]] < values[hands[1]])
    assert every[hands[0], hands[1]] == pytest.approx(wins / (45 * 44 / 2))
    assert every[hands[1], hands[0]] == -every[hands[0], hands[1]]
    assert not np.diag(every).any()
    assert every.shape == preflop_signs().shape == (COUNT, COUNT)


def test_every_card_is_drawn_as_often():
    rng, board = np.random.default_rng(1), (0, 5, 10)
    counts = np.zeros(52)
    for _ in range(4000):
        cards = draw_cards(rng, board, 7)
        assert len({*cards}) == 7
        assert not {*cards} & {*board}
        counts[cards] += 1
    assert not counts[list(board)].any()
    left = np.delete(counts, board)
    assert np.abs(left / 4000 - 7 / 49).max() < 5 * np.sqrt(7 / 49 / 4000)
    assert draw_cards(rng, board, 49) == [card for card in range(52) if card not in board]

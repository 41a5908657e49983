"""Any two-player tree with perfect recall: its sequence form says what the tree says, and the rest is refused."""

from __future__ import annotations

import numpy as np
import pytest

import pokerlab
from pokerlab.errors import (
    ChanceError,
    ExtensiveGameError,
    ForgottenPast,
    GameTooLarge,
    ImperfectRecall,
    InfosetMismatch,
    NotTwoPlayers,
    NotZeroSum,
    PokerlabError,
)
from pokerlab.form.extensive import Chance, Decision, Node, Terminal, distinct, extensive_game, shown
from random_trees import kuhn_tree, random_tree, value_of


def test_kuhn_is_the_catalogues() -> None:
    game, ours = extensive_game(kuhn_tree(), "kuhn"), pokerlab.compile("kuhn")
    assert [tree.infosets for tree in game.trees] == [6, 6]
    found = pokerlab.solve(game, "lp")
    assert found.value == pytest.approx(-1 / 18, abs=1e-12)
    # The same profile in both: one game's rows name infosets `Kcr`, the other's betting `cr` and card `K`.
    profile = pokerlab.random_profile(ours, np.random.default_rng(1))
    odds = [{card + betting: table for betting, card, table in profile.rows(p)} for p in range(2)]
    behaviours = []
    for player, tree in enumerate(game.trees):
        behaviour = np.ones(tree.sequences)
        for b, (start, _, n, k) in enumerate(zip(*tree.blocks[:4], strict=True)):
            block = tree.describe(b)
            for a in range(k):
                for i in range(n):
                    behaviour[start + a * n + i] = odds[player][block.states[i]][block.actions[a]]
        behaviours.append(behaviour)
    same = pokerlab.evaluate(pokerlab.Profile(game, tuple(behaviours)))
    here = pokerlab.evaluate(profile)
    assert same.value == pytest.approx(here.value, abs=1e-12)
    assert same.responses == pytest.approx(here.responses, abs=1e-12)


def test_infosets_and_actions_have_names() -> None:
    found = pokerlab.solve(extensive_game(kuhn_tree(), "kuhn"), "lp")
    assert found.strategy.at(1, "", "Kr") == pytest.approx({"f": 0, "c": 1}, abs=1e-12)
    assert "Kcr" in str(found.strategy)
    with pytest.raises(PokerlabError, match="no infoset"):
        found.strategy.at(0, "", "Kr")


@pytest.mark.parametrize("seed", range(60))
def test_random_trees(seed: int) -> None:
    root = random_tree(seed)
    game = extensive_game(root, "random")
    rng = np.random.default_rng(seed)
    for _ in range(5):
        profile = pokerlab.random_profile(game, rng)
        assert pokerlab.evaluate(profile).value == pytest.approx(value_of(root, profile), abs=1e-12)
    exact = pokerlab.solve(game, "lp")
    assert exact.exploitability == pytest.approx(0, abs=1e-8)
    assert value_of(root, exact.strategy) == pytest.approx(exact.value, abs=1e-8)
    found = pokerlab.solve(game, "cfr+", exploitability=1e-4)
    assert found.value == pytest.approx(exact.value, abs=2e-4 + 1e-9)


def test_random_trees_are_not_all_small() -> None:
    sizes = [extensive_game(random_tree(seed)).X.infosets for seed in range(60)]
    assert max(sizes) >= 30
    shared = [tree for seed in range(60) for tree in extensive_game(random_tree(seed)).trees]
    assert any(tree.blocks.n.max(initial=0) >= 4 for tree in shared)


def test_constant_sum_keeps_the_first_players_payoffs() -> None:
    for seed in range(10):
        zero, five = extensive_game(random_tree(seed)), extensive_game(random_tree(seed, total=5.0))
        assert np.array_equal(zero.A.to_sparse().toarray(), five.A.to_sparse().toarray())


def test_a_matrix_game_as_a_tree() -> None:
    payoffs = np.random.default_rng(0).normal(size=(4, 6))
    columns = tuple("uvwxyz")
    root = Decision(
        0, "row", tuple("abcd"), [Decision(1, "column", columns, [Terminal(v) for v in row]) for row in payoffs]
    )
    game = extensive_game(root)
    twin = pokerlab.matrix_game(payoffs)
    assert np.array_equal(game.A.to_sparse().toarray(), twin.A.to_sparse().toarray())
    assert pokerlab.solve(game, "lp").value == pytest.approx(pokerlab.solve(twin, "lp").value, abs=1e-12)


@pytest.mark.parametrize("root", [Terminal(3.0), Terminal(3, -3), Chance([0.5, 0.5], [Terminal(2), Terminal(4)])])
def test_nobody_moves(root: Node) -> None:
    game = extensive_game(root)
    assert (game.X.infosets, game.Y.sequences) == (0, 1)
    assert pokerlab.solve(game, "lp").value == pytest.approx(3.0)
    assert pokerlab.solve(game, "cfr+", iterations=3).value == pytest.approx(3.0)


def test_only_one_player_moves() -> None:
    game = extensive_game(Decision(1, "i", ("a", "b"), [Terminal(3), Terminal(1)]))
    found = pokerlab.solve(game, "cfr+", exploitability=1e-6)
    assert found.value == pytest.approx(1.0, abs=1e-5)
    assert pokerlab.solve(game, "lp").strategy.at(1, "", "i") == {"a": 0.0, "b": 1.0}


def test_a_deep_tree_needs_no_recursion() -> None:
    node: Node = Terminal(1)
    for i in range(20_000):
        node = Decision(i % 2, f"i{i}", ("stop", "go"), [Terminal(i % 2), node])
    game = extensive_game(node)
    assert game.X.infosets == game.Y.infosets == 10_000
    assert np.isfinite(pokerlab.evaluate(pokerlab.uniform_profile(game)).exploitability)


def test_rounded_probabilities_are_scaled() -> None:
    root = Chance([0.333333] * 3, [Terminal(3), Terminal(0), Terminal(0)])
    assert pokerlab.solve(extensive_game(root), "lp").value == pytest.approx(1.0, abs=1e-12)


def test_children_may_be_anything() -> None:
    """The tree of all numbers below 100 by their binary digits, from numbers alone."""

    def look(number: int) -> Node:
        if number >= 100:
            return Terminal(number)
        return Decision(number % 2, str(number), ("0", "1"), [2 * number, 2 * number + 1], where=f"number {number}")

    game = extensive_game(1, look=look)
    assert game.X.infosets + game.Y.infosets == 99
    assert pokerlab.solve(game, "lp").exploitability == pytest.approx(0, abs=1e-9)
    with pytest.raises(GameTooLarge, match="more than 50 nodes"):
        extensive_game(1, look=look, limit=50)


def leaf(*children: Node, player: int = 0, infoset: str = "i", actions: str = "ab", where: str = "") -> Decision:
    return Decision(player, infoset, tuple(actions), children or [Terminal(0)] * len(actions), where)


REFUSED = {
    "forgets its own move": (
        leaf(leaf(infoset="j", where="here"), leaf(infoset="j", where="there")),
        ForgottenPast, "there: player 1 forgets: infoset 'j' is reached after 'b' at 'i', and at here after 'a' at 'i'",
    ),
    "forgets that it moved": (
        Chance([0.5, 0.5], [leaf(infoset="j"), leaf(leaf(infoset="j"), Terminal(0), infoset="i")]),
        ForgottenPast, "infoset 'j' is reached after 'a' at 'i', and at another node before any own move",
    ),
    "absent-minded": (
        leaf(Terminal(0), leaf(Terminal(1), Terminal(4), player=1), player=1),
        ForgottenPast, "player 2 forgets: infoset 'i' is reached after 'b' at 'i'",
    ),
    "other actions": (
        Chance([0.5, 0.5], [leaf(actions="ab", where="up"), leaf(actions="ac", where="down")]),
        InfosetMismatch, "down: infoset 'i' of player 1 has the actions a, c here, and a, b at up",
    ),
    "other number of actions": (
        Chance([0.5, 0.5], [leaf(actions="ab"), leaf(actions="abc")]), InfosetMismatch, "a, b, c here, and a, b",
    ),
    "no actions": (Decision(0, "i", (), []), InfosetMismatch, "actions with different names, not none"),
    "an action twice": (leaf(actions="aa"), InfosetMismatch, "actions with different names, not a, a"),
    "children missing": (Decision(0, "i", ("a", "b"), [Terminal(0)]), InfosetMismatch, "2 actions and 1 children"),
    "general sum": (
        leaf(Terminal(1, 1, "first"), Terminal(1, -1, "second")),
        NotZeroSum, "second: not zero-sum: payoffs 1 and -1 add up to 0, those at first to 2",
    ),
    "small general sum": (leaf(Terminal(1e-9, -1e-9), Terminal(1e-9, 1e-9)), NotZeroSum, "add up"),
    "a third player": (leaf(player=2), NotTwoPlayers, "player 3 moves"),
    "a player before the first": (leaf(player=-1), NotTwoPlayers, "player 0 moves"),
    "sum of probabilities": (Chance([0.5, 0.4], [Terminal(0)] * 2), ChanceError, "probabilities 0.5, 0.4 are not"),
    "negative": (Chance([1.5, -0.5], [Terminal(0)] * 2), ChanceError, "1.5, -0.5"),
    "not a number": (Chance([float("nan"), 1], [Terminal(0)] * 2), ChanceError, "nan, 1"),
    "probabilities missing": (Chance([1.0], [Terminal(0)] * 2), ChanceError, "1 probabilities for 2 children"),
    "no outcomes": (Chance([], []), ChanceError, "0 probabilities"),
    "infinite": (Terminal(float("inf")), ExtensiveGameError, "not finite"),
    "no tree": ("root", ExtensiveGameError, "Chance, Decision or Terminal, not str"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_refused_by_name(case: str) -> None:
    root, error, text = REFUSED[case]
    with pytest.raises(error) as caught:
        extensive_game(root, "my game")
    assert type(caught.value) is error
    assert text in str(caught.value)
    assert str(caught.value).startswith("my game")
    assert "\n" not in str(caught.value)


MESSAGES = {
    "forgets its own move": "my game, there: player 1 forgets: infoset 'j' is reached after 'b' at 'i', and at here "
    "after 'a' at 'i'; perfect recall is needed",
    "no actions": "my game: infoset 'i' of player 1 needs actions with different names, not none",
    "children missing": "my game: infoset 'i' of player 1 has 2 actions and 1 children",
    "a third player": "my game: player 3 moves; only players 1 and 2 may",
    "a player before the first": "my game: player 0 moves; only players 1 and 2 may",
    "probabilities missing": "my game: chance has 1 probabilities for 2 children",
    "sum of probabilities": "my game: chance probabilities 0.5, 0.4 are not at least 0 with sum 1",
    "infinite": "my game: payoffs inf and -inf are not finite",
    "small general sum": "my game: not zero-sum: payoffs 1e-09 and 1e-09 add up to 2e-09, those at another end to 0",
}  # fmt: skip


@pytest.mark.parametrize("case", MESSAGES)
def test_whole_messages(case: str) -> None:
    root, error, _ = REFUSED[case]
    with pytest.raises(error) as caught:
        extensive_game(root, "my game")
    assert str(caught.value) == MESSAGES[case]


def test_sums_are_compared_by_the_largest_payoff() -> None:
    """Rounding of large payoffs is let through, the same difference between small ones is not."""
    big = leaf(Terminal(1e6, -1e6), Terminal(1.0, -1.0 + 5e-4))
    assert extensive_game(big).X.infosets == 1
    with pytest.raises(NotZeroSum):
        extensive_game(leaf(Terminal(1.0, -1.0), Terminal(1.0, -1.0 + 5e-4)))
    other = leaf(Terminal(0.0, 1e6), Terminal(1.0, 1e6 - 1 + 5e-4))
    assert extensive_game(other).X.infosets == 1
    with pytest.raises(NotZeroSum):
        extensive_game(leaf(Terminal(1e6, -1e6), Terminal(1.0, -1.0 + 2e-3)))


def test_tiny_payoffs_are_no_rounding() -> None:
    with pytest.raises(NotZeroSum):
        extensive_game(leaf(Terminal(1e-12, -1e-12), Terminal(1e-12, 1e-12)))


def test_how_far_probabilities_may_be_off() -> None:
    ends = [Terminal(2), Terminal(0)]
    game = extensive_game(Chance([0.5, 0.5 + 9e-6], ends))
    assert game.A.to_sparse().toarray() == pytest.approx(2 * 0.5 / (1 + 9e-6), abs=1e-12)
    for odds in ([0.5, 0.5 + 2e-5], [0.5, 0.5 - 2e-5]):
        with pytest.raises(ChanceError):
            extensive_game(Chance(odds, ends))
    assert extensive_game(Chance([1, 0], ends)).A.to_sparse().toarray().tolist() == [[2.0]]


def test_exactly_as_many_nodes_as_allowed() -> None:
    root = leaf(*(leaf(infoset=name) for name in "jk"))
    assert extensive_game(root, limit=7).X.infosets == 3
    with pytest.raises(GameTooLarge, match="extensive game has more than 6 nodes; take a smaller game"):
        extensive_game(root, limit=6)


def test_long_names_are_cut_in_messages() -> None:
    assert shown(["a" * 50, "two\nlines"]) == "a" * 40 + ", two lines"
    assert shown([str(i) for i in range(8)]) == "0, 1, 2, 3, 4, 5, 6, 7"
    assert shown([str(i) for i in range(9)]) == "0, 1, 2, 3, 4, 5, 6, 7, ..."


def test_zeros_are_not_kept() -> None:
    game = extensive_game(leaf(Terminal(0.0), Terminal(1.0)))
    assert game.A.to_sparse().nnz == 1
    assert game.name == "extensive game"


def test_forgetting_is_imperfect_recall() -> None:
    with pytest.raises(ImperfectRecall):
        extensive_game(REFUSED["forgets its own move"][0])


def test_forgotten_pasts_can_be_told_apart() -> None:
    root = leaf(*(leaf(Terminal(v), Terminal(1 - v), infoset="j") for v in (0, 1)))
    game = extensive_game(root, split=True)
    found = pokerlab.solve(game, "lp")
    assert [infoset for _, infoset, _ in found.strategy.rows(0)] == ["i", "j", "j [2]"]
    assert (found.strategy.at(0, "", "j")["b"], found.strategy.at(0, "", "j [2]")["a"]) == (1.0, 1.0)
    for seed in range(10):
        twins = [extensive_game(random_tree(seed), split=split) for split in (False, True)]
        assert np.array_equal(*(game.A.to_sparse().toarray() for game in twins))
        assert np.array_equal(*(game.X.blocks.parent for game in twins))


def test_distinct_names() -> None:
    assert distinct(["a", "b"]) == ("a", "b")
    assert distinct(["", "a", ""]) == ("_1", "a", "_2")
    assert distinct(["x", "x", "x_1"]) == ("x_2", "x_3", "x_1")

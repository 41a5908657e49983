"""The three gadgets and linear programs: Lemma 2, Theorem 1, and what each technique promises, on Leduc subgames."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import numpy as np
import pytest
from scipy import sparse

from far_away import far_away
from naive_maps import fix_map
from pokerlab.errors import AbstractionError, ImperfectRecall, SubgameError
from pokerlab.form.compile import compile
from pokerlab.form.evaluate import evaluate
from pokerlab.form.game import Game
from pokerlab.form.lift import lift
from pokerlab.form.strategy import Profile, random_profile, uniform_profile
from pokerlab.refine.border import Border
from pokerlab.refine.gadgets import TECHNIQUES, Gadget, gadget, scene
from pokerlab.refine.programs import optimise
from pokerlab.refine.refining import Refinement, combine, refine, refine_all, refine_at
from pokerlab.refine.subgame import subgame, subgames
from pokerlab.refine.translate import translate
from pokerlab.solvers.run import solve

PLAYERS = pytest.mark.parametrize("player", [0, 1])
APART = 1e-3  # chips: LP and CFR+ on the gadget
# A root infoset of probability p can be wrong by epsilon / p in Gadget 2: it needs the smaller epsilon.
PRECISION = {"endgame": 3e-4, "re-solving": 1e-5, "max-margin": 3e-4}


@pytest.fixture(scope="module")
def leduc() -> Game:
    return compile("leduc")


@pytest.fixture(scope="module")
def blueprints(leduc: Game) -> dict[str, Profile]:
    exact, noise = solve(leduc, "lp").strategy, random_profile(leduc, np.random.default_rng(1))
    return {
        "abstract": lift(solve(compile("leduc", "JQ.K"), "cfr+", iterations=500).strategy, leduc),
        "early": solve(leduc, "cfr", iterations=10).strategy,
        "noisy": Profile(
            leduc, tuple(0.9 * a + 0.1 * b for a, b in zip(exact.behaviours, noise.behaviours, strict=True))
        ),
        "exact": exact,
        "random": noise,
    }


@pytest.fixture(scope="module")
def borders(leduc: Game, blueprints: dict[str, Profile]) -> list[Border]:
    """A few of every kind."""
    spots = subgames(leduc, 1)
    return [
        Border(blueprint, spots[(5 * i + 2 * player) % 15], player)
        for i, blueprint in enumerate(blueprints.values())
        for player in (0, 1)
    ]


def worst_case(found: Gadget, behaviour: np.ndarray) -> float:
    """What the player earns in the gadget against its best-responding opponent."""
    border = found.scene.border
    plan = found.game.trees[border.player].realize(behaviour)
    gradient = found.game.gradient(border.opponent, (plan, plan))
    return -found.game.trees[border.opponent].best_response(gradient)[0]


# What the gadgets are.


def test_worst_cases_in_the_gadgets_are_known_from_the_values_at_the_root(borders: list[Border]) -> None:
    """For any behaviour: Gadget 3 pays the margin; in 2 the opponent takes the better of both, in 1 what there is."""
    rng = np.random.default_rng(2)
    for border in borders:
        for technique in TECHNIQUES:
            made = gadget(border, technique)
            behaviour = made.scene.sides[0].tree.random(rng)
            whole = made.combined(behaviour)
            values, live = border.values(whole), border.weight > 0
            if technique == "max-margin":
                expected = border.margin(whole)
            elif technique == "re-solving":
                expected = -(border.weight * np.maximum(border.cbv, values))[live].sum() / border.weight.sum()
            else:
                belief = border.weight * border.theirs
                expected = -(belief * values).sum() / belief.sum()
            assert worst_case(made, behaviour) == pytest.approx(expected, abs=1e-9)


def test_against_the_original_strategy_gadget_3_is_worth_nothing(borders: list[Border]) -> None:
    """Figure 4: the baseline is set so."""
    for border in borders:
        made = gadget(border)
        kept = made.scene.sides[0].behaviour(border.blueprint[border.player])
        assert worst_case(made, kept) == pytest.approx(0.0, abs=1e-12)
        assert np.array_equal(made.combined(kept), border.blueprint[border.player])


@PLAYERS
def test_gadget_3_is_a_cut_down_tree_and_a_border_vector(leduc: Game, player: int) -> None:
    """A' = M1' A M2 - e0 w', the maps made from the whole game's treeplexes and payoff."""
    blueprint = random_profile(leduc, np.random.default_rng(3))
    for spot in subgames(leduc, 1)[::4]:
        border = Border(blueprint, spot, player)
        made = gadget(border)
        sides = spot.forest.sides
        mine, theirs = sides[player], sides[1 - player]
        tree = leduc.trees[player]
        free = np.zeros(tree.infosets, dtype=bool)
        free[tree.infoset_of[mine.into[1 + mine.roots :]]] = True
        fixed = fix_map(tree, free, blueprint[player])
        inside = np.arange(1 + theirs.roots, theirs.tree.sequences)
        weights = 1.0 / border.weight[theirs.root_of[inside]]
        m2 = sparse.csr_array(
            (weights, (theirs.into[inside], inside)), shape=(leduc.trees[1 - player].sequences, len(theirs.into))
        )
        payoff = leduc.A.to_sparse()
        expected = (fixed.matrix.T @ payoff @ m2 if player == 0 else (m2.T @ payoff @ fixed.matrix).T).toarray()
        expected[0, 1 : 1 + theirs.roots] += border.cbv if player == 0 else -border.cbv
        found = made.game.A.to_sparse().toarray()
        found = found if player == 0 else found.T
        # The fixed map has no sequences for the root infosets; in a plan they are 1.
        folded = np.vstack((found[0] + found[1 : 1 + mine.roots].sum(axis=0), found[1 + mine.roots :]))
        assert np.allclose(folded, expected, atol=1e-12)


def test_names_of_the_first_decisions(leduc: Game) -> None:
    border = Border(uniform_profile(leduc), subgame(leduc, "cc/", "Q"), 0)
    first = gadget(border, "max-margin").game.Y.describe(0)
    assert (list(first.states), list(first.actions)) == (["-"], ["J/Q", "Q/Q", "K/Q"])
    first = gadget(border, "re-solving").game.Y.describe(0)
    assert (list(first.states), list(first.actions)) == (["J/Q", "Q/Q", "K/Q"], ["follow", "terminate"])


# The linear programs, and Lemma 2.


def test_programs_and_gadgets_have_the_same_optimum(borders: list[Border]) -> None:
    for border in borders:
        sign = 1 if border.player == 0 else -1
        for technique in TECHNIQUES:
            made, program = gadget(border, technique), optimise(scene(border, technique))
            value = sign * solve(made.game, "lp").value
            reached = worst_case(made, program.behaviour)
            assert reached == pytest.approx(value, abs=1e-7)
            if technique == "re-solving":
                assert program.optimum == pytest.approx(0.0, abs=1e-8)
                assert value == pytest.approx(-(border.weight * border.cbv).sum() / border.weight.sum(), abs=1e-7)
            else:
                assert program.optimum == pytest.approx(value, abs=1e-7)


def test_lemma_2_an_equilibrium_of_gadget_3_solves_lp3(borders: list[Border]) -> None:
    """By linear programming exactly; by CFR+ an epsilon-equilibrium solves it within two epsilon."""
    for border in borders:
        optimum = optimise(scene(border)).optimum
        made = gadget(border)
        exact = solve(made.game, "lp").strategy[border.player]
        assert border.margin(made.combined(exact)) == pytest.approx(optimum, abs=1e-7)
        found = solve(made.game, "cfr+", exploitability=1e-4)
        margin = border.margin(made.combined(found.strategy[border.player]))
        assert optimum - 2 * found.exploitability - 1e-7 <= margin <= optimum + 1e-7


def test_lemma_2_a_solution_of_lp3_is_an_equilibrium_of_gadget_3(borders: list[Border]) -> None:
    """With any equilibrium strategy of the opponent it is a pair from which nobody gains by leaving."""
    for border in borders:
        made, program = gadget(border), optimise(scene(border))
        behaviours = list(solve(made.game, "lp").strategy.behaviours)
        behaviours[border.player] = program.behaviour
        assert evaluate(Profile(made.game, tuple(behaviours))).exploitability == pytest.approx(0.0, abs=1e-7)


def test_lemma_2_what_does_not_solve_lp3_is_no_equilibrium(borders: list[Border]) -> None:
    rng, tried = np.random.default_rng(5), 0
    for border in borders:
        made, optimum = gadget(border), optimise(scene(border)).optimum
        behaviours = list(solve(made.game, "lp").strategy.behaviours)
        behaviours[border.player] = made.scene.sides[0].tree.random(rng)
        short = optimum - border.margin(made.combined(behaviours[border.player]))
        if short > 1e-6:
            tried += 1
            # The two sides together can gain at least what the margin is short of, so one of them gains.
            found = evaluate(Profile(made.game, tuple(behaviours)))
            assert 2 * found.exploitability >= short - 1e-9
    assert tried >= 8


# What must show on every tested subgame.


def check(borders: Iterator[Border]) -> tuple[list[Refinement], list[Refinement]]:
    """Refine by LP and CFR+; margins ordered and agreeing, Theorem 1 for every combined strategy."""
    programs, solved = [], []
    for border in borders:
        by_lp = {technique: refine_at(border, technique) for technique in TECHNIQUES}
        by_cfr = {
            technique: refine_at(border, technique, method="cfr+", exploitability=epsilon)
            for technique, epsilon in PRECISION.items()
        }
        best = by_lp["max-margin"].margin
        assert best == pytest.approx(by_lp["max-margin"].value, abs=1e-7)
        assert abs(best - by_cfr["max-margin"].margin) <= APART
        assert best >= -1e-9
        assert by_lp["re-solving"].margin >= -1e-7
        assert by_cfr["re-solving"].margin >= -APART
        assert by_lp["endgame"].value == pytest.approx(by_cfr["endgame"].value, abs=APART)
        for one in (*by_lp.values(), *by_cfr.values()):
            assert one.margin <= best + 1e-7
            assert one.gain >= one.bound - 1e-9
            if one.margin >= 0:
                assert one.gain >= -1e-9
                assert one.bound >= 0
        programs += by_lp.values()
        solved += by_cfr.values()
    return programs, solved


@pytest.mark.parametrize("kind", ["abstract", "early", "noisy", pytest.param("exact", marks=pytest.mark.slow)])
def test_all_round_two_subgames_of_leduc(leduc: Game, blueprints: dict[str, Profile], kind: str) -> None:
    spots = subgames(leduc, 1)
    blueprint = blueprints[kind]
    found, _ = check(Border(blueprint, spot, player) for spot in spots for player in (0, 1))
    assert min(one.margin for one in found if one.technique == "endgame") < -0.1
    if kind == "exact":
        assert max(one.margin for one in found) == pytest.approx(0.0, abs=1e-7)
        assert min(one.gain for one in found) < -0.01  # unsafe: an equilibrium becomes exploitable
    else:
        assert max(one.bound for one in found) > 1e-3
    for technique in TECHNIQUES[1:]:
        together = combine(blueprint, [one for one in found if one.technique == technique])
        before, after = evaluate(blueprint), evaluate(together)
        assert all(b <= a + 1e-7 for a, b in zip(before.responses, after.responses, strict=True))


@pytest.mark.slow
def test_subgames_of_a_larger_leduc() -> None:
    game = compile("leduc:ranks=13,suits=4")
    abstract = solve(compile("leduc:ranks=13,suits=4", "23.45.67.89.TJ.QKA"), "cfr+", iterations=300).strategy
    for blueprint in (lift(abstract, game), solve(game, "cfr", iterations=10).strategy):
        spots = subgames(game, 1)
        found, _ = check(Border(blueprint, spots[j], j % 2) for j in range(0, 65, 7))
        assert min(one.margin for one in found if one.technique == "endgame") < -0.1


@PLAYERS
def test_other_games_and_places(player: int) -> None:
    rng = np.random.default_rng(8)
    for name, betting, board in (
        ("kuhn", "", ""), ("kuhn", "c", ""), ("leduc-nl:stack=5", "r2c/", "K"), ("leduc-nl:stack=5", "cc/r3", "J"),
        ("rhode-island:ranks=3,suits=2,raises=1", "cc/", "Qs"), ("leduc", "crr", ""),
    ):  # fmt: skip
        game = compile(name)
        check(iter([Border(random_profile(game, rng), subgame(game, betting, board), player)]))


# Where the blueprint does not go.


def never_raises(leduc: Game) -> Profile:
    profile = random_profile(leduc, np.random.default_rng(9))
    behaviour = profile[0].copy()
    behaviour[1:4], behaviour[4:7] = 1.0, 0.0
    assert list(leduc.X.describe(0).actions) == ["c", "r"]
    return Profile(leduc, (behaviour, profile[1]))


def test_a_subgame_that_is_never_reached_is_refined_against_chance(leduc: Game) -> None:
    profile = never_raises(leduc)
    for technique in TECHNIQUES:
        found = refine(profile, subgame(leduc, "rc/", "Q"), 0, technique)
        assert not found.border.reached
        assert found.gain == found.bound == 0.0
        if technique != "endgame":
            assert found.margin >= -1e-9
    # The opponent's own refinement there: it comes, the other's blueprint does not, so its belief is chance's.
    found = refine(profile, subgame(leduc, "rc/", "Q"), 1, "endgame")
    assert found.border.reached
    assert found.border.theirs.tolist() == [1.0, 1.0, 1.0]


def test_root_infosets_without_reach_keep_the_blueprint(leduc: Game) -> None:
    profile = never_raises(leduc)
    behaviour = profile[0].copy()
    behaviour[[3, 6]] = 0.0, 1.0  # kings raise
    profile = Profile(leduc, (behaviour, profile[1]))
    spot = subgame(leduc, "rc/", "K")
    for technique in TECHNIQUES:
        found = refine(profile, spot, 0, technique)
        made = gadget(found.border, technique)
        assert made.scene.sides[0].roots == 1
        assert made.scene.sides[1].roots == 2  # two kings are gone: the opponent has none
        for betting, state, odds in found.profile.rows(0):
            if state != "K/K":
                assert odds == profile.at(0, betting, state)


# Gluing.


def test_gluing_changes_the_subgame_only(leduc: Game, blueprints: dict[str, Profile]) -> None:
    blueprint = blueprints["random"]
    for spot in subgames(leduc, 1)[::5]:
        found = refine(blueprint, spot, 1)
        assert np.array_equal(found.profile[0], blueprint[0])
        changed = set(np.flatnonzero(found.profile[1] != blueprint[1]).tolist())
        assert changed <= set(found.changed.tolist())
        for betting, state, odds in found.profile.rows(1):
            if not (betting.startswith(spot.betting) and state.endswith(f"/{spot.boards[0]}")):
                assert odds == blueprint.at(1, betting, state)


def test_refining_everything(leduc: Game, blueprints: dict[str, Profile]) -> None:
    spots = subgames(leduc, 1)
    profile, found = refine_all(blueprints["noisy"], spots, (0, 1), "re-solving", method="cfr+", iterations=300)
    assert len(found) == 30
    for one in found:
        assert np.array_equal(profile[one.player][one.changed], one.behaviour[one.changed])
    with pytest.raises(SubgameError, match="subgame cc/ J of player 1 is refined twice"):
        combine(blueprints["noisy"], [found[0], found[0]])
    figures = found[0].summary()
    assert figures["betting"] == "cc/"
    assert figures["iterations"] == 300
    assert figures["stopped"] == "iterations"


def test_refining_elsewhere_changes_nothing(leduc: Game, blueprints: dict[str, Profile]) -> None:
    spots = subgames(leduc, 1)[:4]
    here, there = (refine_all(blueprints["noisy"], spots, executor=executor) for executor in (None, far_away))
    for mine, theirs in zip(here[1], there[1], strict=True):
        assert theirs.subgame is mine.subgame
        assert (theirs.player, theirs.margin, theirs.value) == (mine.player, mine.margin, mine.value)
    assert all(np.array_equal(here[0][player], there[0][player]) for player in range(2))


@pytest.mark.parametrize("inside", [False, True])
def test_ctrl_c_keeps_what_is_refined(leduc: Game, monkeypatch: pytest.MonkeyPatch, inside: bool) -> None:
    """Between subgames, or inside a solver, which then returns what it has."""
    calls = []

    def interrupted(*args: object, **options: object) -> Refinement:
        calls.append(args)
        if len(calls) == 3 and not inside:
            raise KeyboardInterrupt
        found = refine(*args, **options)
        return dataclasses.replace(found, stopped="interrupted") if len(calls) == 3 else found

    monkeypatch.setattr("pokerlab.refine.refining.refine", interrupted)
    profile, found = refine_all(uniform_profile(leduc), subgames(leduc, 1))
    assert len(found) == 2
    assert not np.array_equal(profile[0], leduc.X.uniform())


# Reach variants.


def naive_gifts(border: Border) -> np.ndarray:
    """CBV(I') - CBV(I', a') of every own infoset on the way, from the values of the subgames at and after it."""
    game, origin, opponent = border.subgame.game, border.subgame.origin, border.opponent
    total = np.zeros(len(border.weight))
    for node, child in origin.public.steps_to(border.subgame.node):
        if origin.nodes[node].state.actor != opponent:
            continue
        round = origin.nodes[node].state.round
        states = origin.sights[opponent].ancestors(border.subgame.round, round)[border.subgame.states[opponent]]
        weight, best, taken = np.zeros((3, origin.sights[opponent].sizes[round]))
        for text, into in ((origin.nodes[node].text, best), (origin.nodes[child].text, taken)):
            boards = {origin.deals.label(s).partition("/")[2] for s in origin.deals.states[text.count("/")]}
            for board in boards:
                at = Border(border.blueprint, subgame(game, text, board), border.player)
                above = origin.sights[opponent].ancestors(at.subgame.round, round)[at.subgame.states[opponent]]
                into += np.bincount(above, at.weight * at.cbv, minlength=len(into))
                if into is best:
                    weight += np.bincount(above, at.weight, minlength=len(into))
        total += ((best - taken) / weight)[states]
    return total


def test_gifts(leduc: Game, blueprints: dict[str, Profile]) -> None:
    for kind in ("abstract", "noisy", "random"):
        for spot in subgames(leduc, 1)[::4]:
            for player in (0, 1):
                border = Border(blueprints[kind], spot, player)
                split, whole = border.gifts("split"), border.gifts("whole")
                assert np.allclose(split, naive_gifts(border), atol=1e-9)
                assert np.all(split >= 0)
                assert np.all(whole >= split - 1e-12)
                assert not np.any(border.gifts("none"))
    with pytest.raises(SubgameError, match="gifts must be one of none, split, whole"):
        border.gifts("some")


def test_reach_variants_are_safe(leduc: Game, blueprints: dict[str, Profile]) -> None:
    """Split gifts may be spent in all subgames at once, a whole one in a single subgame."""
    spots = subgames(leduc, 1)
    lower = 0
    for kind in ("abstract", "noisy"):
        blueprint = blueprints[kind]
        before = evaluate(blueprint)
        plain = refine_all(blueprint, spots)[1]
        for technique in ("re-solving", "max-margin"):
            together, found = refine_all(blueprint, spots, (0, 1), technique, gifts="split")
            after = evaluate(together)
            assert all(b <= a + 1e-7 for a, b in zip(before.responses, after.responses, strict=True))
            assert min(one.reach_margin for one in found) >= -1e-7
            lower += sum(one.margin < -1e-3 for one in found)
            if technique == "max-margin":
                assert all(b.value >= a.value - 1e-7 for a, b in zip(plain, found, strict=True))
            for spot in spots[::4]:
                one = refine(blueprint, spot, 0, technique, gifts="whole")
                assert one.gain >= -1e-7
                assert one.reach_margin >= -1e-7
    assert lower > 10  # gifts are made use of


# Finer abstractions inside the subgame than in the blueprint.


def test_translation_into_the_full_game_is_lifting(leduc: Game) -> None:
    abstract = solve(compile("leduc", "JQ.K"), "cfr+", iterations=50).strategy
    for player in range(2):
        assert np.array_equal(translate(abstract, leduc)[player], lift(abstract, leduc)[player])
    again = translate(abstract, compile("leduc", "JQ.K"))
    assert np.array_equal(again[0], abstract[0])


@pytest.mark.parametrize(
    ("name", "coarse", "fine"),
    [
        ("leduc", "JQ.K", "J.Q.K"),
        ("leduc", "JQ.K/JQ.K", "JQ.K/J.Q.K-FULL"),
        ("leduc", "JQK", "JQ.K-J.QK"),
        ("leduc-nl:stack=8", "JQ.K+pa", "J.Q.K+hpa"),
        ("leduc-nl:stack=8", "a", "pa-FULL"),
        ("leduc-nl:stack=8", "JQ.K+pa-JQK+a", "JQ.K+pda-FULL"),
    ],
)
def test_refining_in_a_finer_abstraction(name: str, coarse: str, fine: str) -> None:
    """The translated blueprint plays as the lifted one does; refined there it is safe there."""
    rough, finer, full = compile(name, coarse), compile(name, fine), compile(name)
    blueprint = solve(rough, "cfr+", iterations=100).strategy
    moved = translate(blueprint, finer)
    assert evaluate(lift(moved, full)).value == pytest.approx(evaluate(lift(blueprint, full)).value, abs=1e-9)
    spots = subgames(finer, 1)
    before = evaluate(moved)
    better, found = refine_all(moved, spots[:: max(1, len(spots) // 6)])
    after = evaluate(better)
    assert all(b <= a + 1e-7 for a, b in zip(before.responses, after.responses, strict=True))
    assert sum(after.responses) < sum(before.responses) - 1e-3
    assert max(one.margin for one in found) > 1e-3


def test_translations_that_lose_something() -> None:
    profile = uniform_profile(compile("leduc", "JQ.K"))
    with pytest.raises(AbstractionError, match=r"J.QK does not refine the blueprint's JQ.K"):
        translate(profile, compile("leduc", "J.QK"))
    with pytest.raises(AbstractionError, match="the blueprint is of leduc, not of kuhn"):
        translate(profile, compile("kuhn"))


@PLAYERS
def test_a_player_who_forgets_is_refined_by_regret(player: int) -> None:
    game = compile("leduc", "J.Q.K/~pair.nopair")
    blueprint = solve(game, "cfr+", iterations=20).strategy
    for spot in subgames(game, 1)[:2]:
        with pytest.raises(ImperfectRecall, match=r"needs perfect recall; use cfr\+"):
            refine(blueprint, spot, player)
        for technique in TECHNIQUES:
            found = refine(blueprint, spot, player, technique, method="cfr+", iterations=2000)
            tree, tie = game.trees[player], game.ties[player]
            for start, first, n, k in zip(*tree.blocks[:4], strict=True):
                rows = tie.row[first : first + n]
                table = found.behaviour[start : start + n * k].reshape(k, n)
                for row in set(rows):
                    assert np.ptp(table[:, rows == row], axis=1).max() < 1e-12


# Errors.


def test_what_cannot_be_refined_says_why(leduc: Game) -> None:
    spot, profile = subgames(leduc, 1)[0], uniform_profile(leduc)
    for options, words in (
        ({"technique": "magic"}, "no technique 'magic'; there are endgame, re-solving, max-margin"),
        ({"technique": "endgame", "gifts": "split"}, "gifts must be none"),
        ({"gifts": "free"}, "gifts must be one of"),
        ({"iterations": 5}, "lp is exact and takes no 'iterations'"),
        ({"method": "cfr+", "checkpoint": "x"}, "'checkpoint' is for whole games"),
    ):
        with pytest.raises(SubgameError, match=words):
            refine(profile, spot, 0, **options)

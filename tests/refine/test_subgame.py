"""Subgames: found by betting and board, closed as Definition 1 says, and their values against the explicit tree."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from explicit_tree import ExplicitGame, policy_of
from naive_subgame import counterfactual_values
from pokerlab.errors import SubgameError
from pokerlab.form.compile import compile
from pokerlab.form.game import Game, matrix_game
from pokerlab.form.strategy import Profile, random_profile, uniform_profile
from pokerlab.game.bucket_deals import BucketDeals
from pokerlab.game.catalog import rules_of
from pokerlab.game.deals import merger
from pokerlab.refine.border import Border
from pokerlab.refine.subgame import joint, subgame, subgames

PLAYERS = pytest.mark.parametrize("player", [0, 1])


@pytest.fixture(scope="module")
def leduc() -> Game:
    return compile("leduc")


# Which subgames there are.


def test_round_two_of_leduc(leduc: Game) -> None:
    found = [(spot.betting, spot.boards) for spot in subgames(leduc, 1)]
    assert found == [(b, (card,)) for b in ("cc/", "crc/", "crrc/", "rc/", "rrc/") for card in "JQK"]
    assert subgames(leduc, 1)[1].name == "cc/ Q"
    assert subgames(leduc, 0)[0].name == "start"
    assert len(subgames(compile("leduc:ranks=13,suits=4"), 1)) == 65


@pytest.mark.parametrize(
    ("name", "abstraction", "round"),
    [
        ("leduc", "FULL", 1),
        ("leduc", "JQ.K/J.Q.K", 1),
        ("leduc", "JQ.K", 1),
        ("leduc", "J.QK-FULL", 1),
        ("leduc", "JQ.K/~pair.nopair", 1),
        ("leduc-nl:stack=5", "FULL", 1),
        ("rhode-island:ranks=3,suits=2,raises=1", "FULL", 1),
        ("rhode-island:ranks=3,suits=2,raises=1", "FULL", 2),
        ("kuhn", "FULL", 0),
    ],
)
def test_definition_1(name: str, abstraction: str, round: int) -> None:
    """Closed under descendants and augmented infosets; the subgames of a round are all that is left to play."""
    game = compile(name, abstraction)
    found = subgames(game, round)
    dealt = joint(game, round).toarray()
    for spot in found:
        inside = [np.zeros(n, dtype=bool) for n in dealt.shape]
        for player in range(2):
            inside[player][spot.states[player]] = True
        assert dealt[inside[0]][:, ~inside[1]].sum() == dealt[~inside[0]][:, inside[1]].sum() == 0
        assert np.array_equal(dealt[inside[0]][:, inside[1]], spot.chance)
    for player, tree in enumerate(game.trees):
        owner = np.full(tree.infosets, -1)
        for j, spot in enumerate(found):
            side = spot.forest.sides[player]
            mine = tree.infoset_of[side.into[1 + side.roots :]]
            assert np.all(owner[mine] == -1)
            owner[mine] = j
        rounds = [node.state.round for node in game.origin.nodes if node.state.actor == player]
        assert np.array_equal(owner >= 0, np.repeat(np.array(rounds) >= round, tree.blocks.n))
        above = tree.infoset_of[tree.blocks.parent]
        passed = np.where(above >= 0, owner[above], -1)
        assert np.all((passed == -1) | (passed == owner))
        if game.ties[player] is not None:
            for first, n in zip(tree.blocks.first, tree.blocks.n, strict=True):
                rows, owners = game.ties[player].row[first : first + n], owner[first : first + n]
                assert all(len(set(owners[rows == row])) == 1 for row in rows)


def test_an_abstraction_that_mixes_boards_up_makes_fewer_subgames() -> None:
    assert [spot.boards for spot in subgames(compile("leduc", "JQ.K"), 1)] == [("J", "K", "Q")] * 5
    assert [spot.boards for spot in subgames(compile("leduc", "JQ.K/JQ.K"), 1)[:2]] == [("J", "Q"), ("K",)]


def test_found_by_betting_and_board(leduc: Game) -> None:
    spot = subgame(leduc, "crc/", "Q")
    assert (spot.name, spot.round) == ("crc/ Q", 1)
    assert spot.labels(0) == ["J/Q", "Q/Q", "K/Q"]
    assert subgame(leduc, "crc/", "Qs").states[0].tolist() == spot.states[0].tolist()
    suited = compile("rhode-island:ranks=3,suits=2,raises=1")
    one, same, other = (subgame(suited, "cc/cc/", board) for board in ("Qs/Kh", "Qh/Ks", "Qs/Ks"))
    assert one.states[0].tolist() == same.states[0].tolist() != other.states[0].tolist()
    assert subgame(suited, "cc/r", "As").betting == "cc/r"


@pytest.mark.parametrize(
    ("betting", "board", "words"),
    [
        ("cc", "Q", "no betting 'cc'; a new round is written as in 'cc/'"),
        ("cc/rf", "Q", "the hand is over"),
        ("cc/", "", "1 cards on the board"),
        ("cc/", "Q/K", "groups of cards apart by '/'"),
        ("cc/", "QK", "no card 'QK'"),
        ("cc/", "QsKs", "this round has 1 cards"),
        ("cc/", "A", "is not of a deck of ranks JQK, 2 of each"),
        ("r", "Q", "no cards on the board"),
    ],
)
def test_what_is_no_subgame_says_why(leduc: Game, betting: str, board: str, words: str) -> None:
    with pytest.raises(SubgameError, match=words):
        subgame(leduc, betting, board)


def test_buckets_in_place_of_cards() -> None:
    """The same figures as of the game that the buckets were made from."""
    cards = compile("leduc", "JQ.K")
    joints = tuple(joint(cards, r).toarray() for r in range(2))
    merged = [merger(sight.seen[1], sight.sizes[1]) for sight in cards.origin.sights]
    showdown = (merged[0].T @ cards.origin.deals.showdown @ merged[1]).toarray()
    buckets = BucketDeals("JQ.K", tuple(sight.parents for sight in cards.origin.sights), joints, showdown)
    game = compile("leduc", deals=buckets)
    profile = random_profile(cards, np.random.default_rng(2))
    for mine, theirs in zip(subgames(game, 1), subgames(cards, 1), strict=True):
        assert (mine.name, mine.boards) == (mine.betting, ())
        for player in (0, 1):
            found = Border(Profile(game, profile.behaviours), mine, player).cbv
            assert np.allclose(found, Border(profile, theirs, player).cbv, atol=1e-12)
    assert subgame(game, "rc/").betting == "rc/"
    with pytest.raises(SubgameError, match="boards are not known"):
        subgame(game, "rc/", "Q")


def test_games_without_public_states(leduc: Game) -> None:
    with pytest.raises(SubgameError, match="not compiled from rules"):
        subgames(matrix_game([[1, -1], [-1, 1]]), 0)
    with pytest.raises(SubgameError, match="for two players; kuhn-3p has 3"):
        subgames(compile("kuhn-3p"), 0)
    with pytest.raises(SubgameError, match="rounds 0 to 1, not 2"):
        subgames(leduc, 2)


def test_borders_that_do_not_fit(leduc: Game) -> None:
    spot = subgames(leduc, 1)[0]
    with pytest.raises(SubgameError, match="player must be 0 or 1"):
        Border(uniform_profile(leduc), spot, 2)
    with pytest.raises(SubgameError, match="translate it"):
        Border(uniform_profile(compile("leduc", "JQ.K")), spot, 0)


# Reach and counterfactual best-response values, against the explicit tree.


def blind_leduc() -> Game:
    """The first to act faces a blind: it may fold before the other has acted at all."""
    return compile(dataclasses.replace(rules_of("leduc"), blinds=(1, 2), name="leduc with blinds"))


@pytest.mark.parametrize(
    ("name", "bettings"),
    [
        ("leduc", ["cc/", "crrc/", "rc/r", "r", ""]),
        ("kuhn", ["", "c", "cr"]),
        ("leduc-nl:stack=4", ["cc/", "r2c/r3", "cr3c/"]),
        ("rhode-island:ranks=3,suits=2,raises=1", ["cc/", "rc/cc/", "cc/rc/r"]),
        ("blinds", ["", "c", "cc/"]),
    ],
)
def test_values_agree_with_the_explicit_tree(name: str, bettings: list[str]) -> None:
    game = blind_leduc() if name == "blinds" else compile(name)
    explicit = ExplicitGame(game.origin.rules)
    profile = random_profile(game, np.random.default_rng(3))
    policy = policy_of(profile)
    for betting in bettings:
        node = next(n for n in game.origin.nodes if n.text == betting)
        boards = {game.origin.deals.label(s).partition("/")[2] for s in game.origin.deals.states[node.state.round]}
        for player in range(2):
            expected = counterfactual_values(explicit, policy, 1 - player, betting)
            seen = set()
            for board in sorted(boards):
                spot = subgame(game, betting, board)
                border = Border(profile, spot, player)
                labels = spot.labels(1 - player)
                assert border.weight == pytest.approx([expected[label][0] for label in labels], abs=1e-12)
                assert border.cbv == pytest.approx([expected[label][1] for label in labels], abs=1e-9)
                seen |= set(labels)
            assert seen == set(expected)


def always(game: Game, player: int, wanted: dict[str, str], noise: Profile) -> Profile:
    """A profile in which a player takes certain actions in round one, by the text of betting and card."""
    behaviour = noise[player].copy()
    tree = game.trees[player]
    for b, (start, _, n, k) in enumerate(zip(*tree.blocks[:4], strict=True)):
        block = tree.describe(b)
        for i, state in enumerate(block.states):
            choice = wanted.get(f"{block.public} {state}", wanted.get(f"{block.public} *"))
            if choice is not None:
                behaviour[start + i : start + n * k : n] = [float(name == choice) for name in block.actions]
    other = list(noise.behaviours)
    other[player] = behaviour
    return Profile(game, tuple(other))


@PLAYERS
def test_where_the_blueprint_never_goes(leduc: Game, player: int) -> None:
    """No reach, no belief: then values are those against everything that chance deals."""
    noise = random_profile(leduc, np.random.default_rng(4))
    profile = always(leduc, player, {" *": "c"} if player == 0 else {"r *": "f"}, noise)
    explicit, policy = ExplicitGame(leduc.origin.rules), policy_of(profile)
    for board in "JQK":
        border = Border(profile, subgame(leduc, "rc/", board), player)
        assert not border.reached
        expected = counterfactual_values(explicit, policy, 1 - player, "rc/", play_to_reach=True)
        labels = border.subgame.labels(1 - player)
        assert border.cbv == pytest.approx([expected[label][1] for label in labels], abs=1e-9)
        assert border.weight == pytest.approx([expected[label][0] for label in labels], abs=1e-12)
        assert Border(profile, border.subgame, 1 - player).reached


def test_infosets_that_cannot_occur_have_values_but_no_part_in_the_margin(leduc: Game) -> None:
    """Player 1 raises kings only. With a king on the board player 2 has none: its K/K cannot occur."""
    noise = random_profile(leduc, np.random.default_rng(5))
    profile = always(leduc, 0, {" *": "c", " K": "r"}, noise)
    border = Border(profile, subgame(leduc, "rc/", "K"), 0)
    assert border.subgame.labels(1) == ["J/K", "Q/K", "K/K"]
    assert (border.weight > 0).tolist() == [True, True, False]
    explicit, policy = ExplicitGame(leduc.origin.rules), policy_of(profile)
    expected = counterfactual_values(explicit, policy, 1, "rc/", play_to_reach=True)
    assert border.cbv[2] == pytest.approx(expected["K/K"][1], abs=1e-9)
    other = leduc.X.random(np.random.default_rng(6))
    assert border.margin(other) == min(border.margins(other)[:2])


def test_the_forest_is_the_game_below(leduc: Game) -> None:
    """Values of plans in the forest, over all subgames, are what the whole game pays from round two on."""
    rng = np.random.default_rng(7)
    for name in ("leduc", "leduc-nl:stack=5"):
        game = compile(name)
        profile = random_profile(game, rng)
        total = 0.0
        for spot in subgames(game, 1):
            plans = [
                side.plan(side.behaviour(profile[p]), Border(profile, spot, p).mine)
                for p, side in enumerate(spot.forest.sides)
            ]
            total += float(plans[0] @ spot.forest.game.gradient(0, plans))
        plans = list(profile.plans())
        whole = float(plans[0] @ game.gradient(0, plans))
        for p, tree in enumerate(game.trees):  # what ends in round one is paid to sequences of round one by both
            rounds = [node.state.round for node in game.origin.nodes if node.state.actor == p]
            late = np.concatenate(([False], np.repeat(np.array(rounds) == 1, tree.blocks.n * tree.blocks.k)))
            plans[p] = np.where(late, 0.0, plans[p])
        assert total == pytest.approx(whole - float(plans[0] @ game.gradient(0, plans)), abs=1e-10)

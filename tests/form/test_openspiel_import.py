"""Games of OpenSpiel in our form: values that we know otherwise, and OpenSpiel's own word on any profile."""

from __future__ import annotations

import importlib
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import pokerlab
from pokerlab.errors import ForgottenPast, GameTooLarge, NotTwoPlayers, NotZeroSum, OpenSpielError, PokerlabError
from pokerlab.form import openspiel
from pokerlab.form.openspiel import from_openspiel

pyspiel: Any = pytest.importorskip("pyspiel")

SMALL = {
    "kuhn_poker": (6, 6),
    "goofspiel(num_cards=3)": (57, 57),
    "goofspiel(num_cards=4,imp_info=True,points_order=descending)": (81, 81),
    "liars_dice(dice_sides=3)": (96, 96),
    "matrix_rps": (1, 1),
    "nim(pile_sizes=1;2)": (4, 3),
}


@pytest.mark.parametrize(
    ("theirs", "ours", "value"), [("kuhn_poker", "kuhn", -1 / 18), ("leduc_poker", "leduc", -0.085606424078)]
)
def test_poker_has_the_catalogues_value(theirs: str, ours: str, value: float) -> None:
    found = pokerlab.solve(from_openspiel(theirs), "lp")
    assert found.value == pytest.approx(value, abs=1e-8)
    assert found.value == pytest.approx(pokerlab.solve(ours, "lp").value, abs=1e-8)
    assert found.exploitability == pytest.approx(0, abs=1e-9)


def test_leduc_with_suits() -> None:
    """OpenSpiel tells the suits apart: 6 + 5 * 6 * 5 private states against our 3 and 9."""
    game = from_openspiel("leduc_poker")
    assert game.X.infosets == game.Y.infosets == 468
    found = pokerlab.solve(game, "cfr+", exploitability=1e-3)
    assert found.value == pytest.approx(-0.0856064, abs=2e-3)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("goofspiel(num_cards=3)", 0.0),
        ("goofspiel(num_cards=4)", 0.0),
        ("goofspiel(num_cards=4,points_order=ascending)", 0.0),
        ("goofspiel(num_cards=4,imp_info=True)", 0.0),
        ("liars_dice(dice_sides=3)", 1 / 9),
        ("matrix_mp", 0.0),
        ("nim(pile_sizes=1;2)", 1.0),
    ],
)
def test_values(name: str, value: float) -> None:
    """Goofspiel is symmetric; the first player of Nim with heaps of 1 and 2 takes one from the second."""
    assert pokerlab.solve(from_openspiel(name), "lp").value == pytest.approx(value, abs=1e-8)


def test_matrix_games() -> None:
    payoffs = np.random.default_rng(5).integers(-5, 6, size=(4, 5)).astype(float)
    rows, columns = [f"r{i}" for i in range(4)], [f"c{j}" for j in range(5)]
    theirs = pyspiel.create_matrix_game("mine", "mine", rows, columns, payoffs, -payoffs)
    game = from_openspiel(theirs)
    assert np.array_equal(game.A.to_sparse().toarray(), pokerlab.matrix_game(payoffs).A.to_sparse().toarray())
    constant = pyspiel.create_matrix_game("mine", "mine", rows, columns, payoffs, 2 - payoffs)
    assert np.array_equal(from_openspiel(constant).A.to_sparse().toarray(), game.A.to_sparse().toarray())


@pytest.mark.parametrize("name", SMALL)
def test_openspiel_agrees_on_any_profile(name: str) -> None:
    theirs = pyspiel.load_game(name)
    if theirs.get_type().dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS:
        theirs = pyspiel.convert_to_turn_based(theirs)
    game = from_openspiel(name)
    assert tuple(tree.infosets for tree in game.trees) == SMALL[name]
    legal = actions_by_infoset(theirs)
    rng = np.random.default_rng(1)
    for profile in [pokerlab.uniform_profile(game), *(pokerlab.random_profile(game, rng) for _ in range(3))]:
        table = {}
        for player in range(2):
            for _, infoset, odds in profile.rows(player):
                table[infoset] = list(zip(legal[infoset], odds.values(), strict=True))
        policy = pyspiel.TabularPolicy(table)
        found = pokerlab.evaluate(profile)
        value = pyspiel.expected_returns(theirs.new_initial_state(), policy, -1, True)[0]
        assert found.value == pytest.approx(value, abs=1e-9)
        assert found.exploitability == pytest.approx(pyspiel.exploitability(theirs, policy), abs=1e-9)


def actions_by_infoset(game: Any) -> dict[str, list[int]]:
    found, stack = {}, [game.new_initial_state()]
    while stack:
        state = stack.pop()
        if state.is_player_node():
            found[state.information_state_string()] = state.legal_actions()
        stack += [state.child(action) for action in state.legal_actions()]
    return found


def test_perfect_information_is_told_apart_by_own_pasts() -> None:
    """OpenSpiel's goofspiel shows hands and points, and not who bid what when. Pasts are told apart; values stay."""
    game = from_openspiel("goofspiel(num_cards=4,points_order=ascending)")
    states = [state for b in range(len(game.X.blocks.n)) for state in game.X.describe(b).states]
    assert len(states) == len(set(states)) == game.X.infosets
    assert sum(state.endswith(" [2]") for state in states) > 0


def test_names() -> None:
    game = from_openspiel("kuhn_poker")
    assert game.name == "openspiel:kuhn_poker()"
    assert set(pokerlab.solve(game, "lp").strategy.at(1, "", "2b")) == {"Pass", "Bet"}
    assert from_openspiel(game.name.removeprefix("openspiel:")).name == game.name


REFUSED = {
    "three players": ("kuhn_poker(players=3)", NotTwoPlayers, "openspiel:kuhn_poker(players=3), players: 3"),
    "one player": ("2048", NotTwoPlayers, "players: 1"),
    "partners": ("tiny_bridge_2p", NotZeroSum, "tiny_bridge_2p(): not zero-sum"),
    "general sum": ("matrix_pd", NotZeroSum, "not zero-sum: payoffs 1 and 1 add up to 2, those at another end to 10"),
    "forgets": ("liars_dice_ir(dice_sides=3)", ForgottenPast, "forgets: infoset 'P1 1 1-3"),
    "no information states": ("gin_rummy", OpenSpielError, "has no information states"),
    "far too large": ("chess", GameTooLarge, "far more than 1,000,000 nodes"),
    "long": ("oshi_zumo(coins=4,size=1)", GameTooLarge, "take a smaller game"),
    "unknown": ("goofspel", OpenSpielError, "no game 'goofspel'; did you mean 'goofspiel'?"),
    "closest": ("leduc_pokr", OpenSpielError, "no game 'leduc_pokr'; did you mean 'leduc_poker'?"),
    "nothing": ("", OpenSpielError, "no game ''"),
    "unknown parameter": ("kuhn_poker(cards=4)", OpenSpielError, "Unknown parameter 'cards'"),
    "wrong parameter": ("goofspiel(num_cards=x)", OpenSpielError, "Wrong type for parameter num_cards"),
    "open bracket": ("kuhn_poker(", OpenSpielError, "closing bracket"),
    "parameter missing": ("nfg_game", OpenSpielError, "cannot load 'nfg_game'"),
    "not a game": (7, OpenSpielError, "not int"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused_by_name(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pokerlab.form.openspiel.MAX_TEXT", 10_000_000)
    game, error, text = REFUSED[case]
    with pytest.raises(error) as caught:
        from_openspiel(game)
    assert type(caught.value) is error
    assert text in str(caught.value)
    assert str(caught.value).count("did you mean") <= 1
    assert "\n" not in str(caught.value)


def test_what_openspiel_says_on_the_way(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(game: object, limit: int) -> bool:
        raise pyspiel.SpielError("no such child\nand more")

    monkeypatch.setattr(openspiel, "_is_far_larger", fails)
    with pytest.raises(OpenSpielError) as caught:
        from_openspiel("kuhn_poker")
    assert str(caught.value) == "OpenSpiel cannot walk openspiel:kuhn_poker(): no such child"


def test_too_large_by_counting() -> None:
    with pytest.raises(GameTooLarge, match="more than 5,000 nodes"):
        from_openspiel("leduc_poker", limit=5_000)
    assert from_openspiel("leduc_poker", limit=10_000).X.infosets == 468


def test_without_openspiel(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr(importlib, "import_module", missing)
    with pytest.raises(PokerlabError, match="pip install open_spiel"):
        from_openspiel("kuhn_poker")


class Made:
    """A game and its states, made up: every state but those at the end has `width` actions."""

    def __init__(
        self, width: int = 2, depth: int = 2, moves: tuple[int, ...] = (), players: int = 2, **kind: Any
    ) -> None:
        self.width, self.depth, self.moves, self.players = width, depth, moves, players
        plain = {"dynamics": pyspiel.GameType.Dynamics.SEQUENTIAL,
                 "chance_mode": pyspiel.GameType.ChanceMode.DETERMINISTIC,
                 "information": pyspiel.GameType.Information.PERFECT_INFORMATION,
                 "provides_information_state_string": True}  # fmt: skip
        self.kind = SimpleNamespace(**plain | kind)

    def __str__(self) -> str:
        return "made(up)"

    def get_type(self) -> Any:
        return self.kind

    def num_players(self) -> int:
        return self.players

    def new_initial_state(self) -> Made:
        return Made(self.width, self.depth)

    def is_terminal(self) -> bool:
        return len(self.moves) == self.depth

    def is_chance_node(self) -> bool:
        return False

    def returns(self) -> list[float]:
        return [float(sum(self.moves)), -float(sum(self.moves))]

    def current_player(self) -> int:
        return len(self.moves) % 2

    def information_state_string(self) -> str:
        return str(self.moves)

    def legal_actions(self) -> list[int]:
        return list(range(self.width))

    def action_to_string(self, action: int) -> str:
        return str(action)

    def child(self, action: int) -> Made:
        return Made(self.width, self.depth, (*self.moves, action))

    def apply_action(self, action: int) -> None:
        self.moves = (*self.moves, action)


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> None:
    names = {"GameType": pyspiel.GameType, "SpielError": pyspiel.SpielError, "Game": Made}
    turns = {"convert_to_turn_based": lambda game: Made(3, 2, **vars(game.kind))}
    monkeypatch.setattr(openspiel, "_pyspiel", lambda: SimpleNamespace(**names, **turns))


def test_kinds_that_have_no_tree(made: None) -> None:
    kinds = pyspiel.GameType
    game = from_openspiel(Made())
    assert (game.name, game.X.infosets, game.Y.infosets) == ("openspiel:made(up)", 1, 2)
    cases = [
        ({"players": 3}, NotTwoPlayers, "openspiel:made(up), players: 3; only two-player games can be solved"),
        ({"players": 1}, NotTwoPlayers, "players: 1"),
        ({"dynamics": kinds.Dynamics.MEAN_FIELD}, OpenSpielError,
         "openspiel:made(up) is a MEAN_FIELD game; only sequential and simultaneous ones have trees"),
        ({"chance_mode": kinds.ChanceMode.SAMPLED_STOCHASTIC}, OpenSpielError, "only samples chance"),
        ({"provides_information_state_string": False}, OpenSpielError, "has no information states"),
    ]  # fmt: skip
    for changes, error, text in cases:
        with pytest.raises(error) as caught:
            from_openspiel(Made(**changes))
        assert text in str(caught.value)
    at_once = from_openspiel(Made(dynamics=kinds.Dynamics.SIMULTANEOUS))
    assert at_once.X.sequences == 4  # three actions, as the turn-based form has


def test_what_is_far_larger_than_allowed() -> None:
    """The product along any path is 10^4 here; a hundred times the limit must be exceeded."""
    assert not openspiel._is_far_larger(Made(10, 4), 100)
    assert openspiel._is_far_larger(Made(10, 4), 99)
    assert openspiel._is_far_larger(Made(10, 5), 999)
    assert not openspiel._is_far_larger(Made(10, 5), 1000)
    assert not openspiel._is_far_larger(Made(1, 50), 1)
    assert openspiel._is_far_larger(Made(10, 50), 10**9)


def test_names_are_asked_for_once_an_infoset(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    state = Made(2, 3)
    monkeypatch.setattr(Made, "action_to_string", lambda self, action: asked.append(action) or f"a{action}")
    look = openspiel._Look("x")
    first, again = look((state, None)), look((state, None))
    assert first.actions is again.actions
    assert asked == [0, 1]
    assert look._names(state, 0, "()", [0]) == ("a0",)  # other actions, which the caller will refuse
    monkeypatch.setattr(openspiel, "MAX_TEXT", len("()") + len("(1,)"))
    look = openspiel._Look("x")
    look((state, None)), look((state, 1))
    monkeypatch.setattr(openspiel, "MAX_TEXT", len("()") + len("(1,)") - 1)
    look = openspiel._Look("x")
    look((state, None))
    with pytest.raises(GameTooLarge, match="x has 2 infosets so far, with names of 0 MB; take a smaller game"):
        look((state, 1))


def test_first_lines_of_errors() -> None:
    assert openspiel._first_line(ValueError("\n one\ntwo")) == "one"
    assert openspiel._first_line(ValueError(" ")) == "no reason given"
    assert openspiel._first_line(ValueError("x" * 300)) == "x" * 200

"""Gambit's files: written by hand, by the tests, by OpenSpiel and by Gambit itself; damaged ones; refused ones."""

from __future__ import annotations

import io
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pokerlab
from mutations import damaged
from pokerlab.errors import ChanceError, EfgError, ForgottenPast, InfosetMismatch, NotTwoPlayers, NotZeroSum
from pokerlab.form.efg import parse_efg, read_efg
from pokerlab.form.extensive import extensive_game
from random_trees import kuhn_tree, random_tree, to_efg

PENNIES = """EFG 2 R "Matching pennies" { "Even" "Odd" }
"The second player does not see the first one's coin."

p "" 1 1 "coin" { "heads" "tails" } 0
p "" 2 1 "guess" { "heads" "tails" } 0
t "" 1 "even" { 1, -1 }
t "" 2 "odd" { -1, 1 }
p "" 2 1 0
t "" 2
t "" 1
"""

# An ante of 1 each, lost at the root and won back at the ends; betting puts 2 more at stake, paid on the way.
# Ace or two, then bet or fold, then call or fold.
ON_THE_WAY = """EFG 2 R "Ace or two, paid on the way" { "Bettor" "Caller" }
c "deal" 1 "" { "ace" 1/2 "two" 0.5 } 7 "ante" { -1 -1 }
p "" 1 1 "ace" { "bet" "fold" } 0
p "" 2 1 "bet" { "call" "fold" } 1 "a bet" { -2, 0 }
t "" 2 "called and won" { 6, -2 }
t "" 3 "the pot and the bet" { 4 , 0 }
t "" 4 "the pot" { 0 2 }
p "" 1 2 "two" { "bet" "fold" } 0
p "" 2 1 "bet" { "call" "fold" } 1 "a bet" { -2 0 }
t "" 5 "called and lost" { 0 4 }
t "" 3 "the pot and the bet" { 4, 0 }
t "" 4
"""

# The chance to win a duel: payoffs add up to 1.
CONSTANT = """EFG 2 D "Who wins" { "" "" } p "" 1 12 "" { "" "" } 0
p "" 2 3 "" { "x" "x" } 0 t "" 1 "" { .75 .25 } t "" 2 "" { .25 .75 }
p "" 2 3 "" { "x" "x" } 0 t "" 2 "" { .25 .75 } t "" 3 "" { 0.50 1/2 }
"""


def value(text: str) -> float:
    return pokerlab.solve(parse_efg(text), "lp").value


def test_matching_pennies() -> None:
    game = parse_efg(PENNIES, "pennies")
    assert game.name == "pennies"
    found = pokerlab.solve(game, "lp")
    assert found.value == pytest.approx(0, abs=1e-12)
    assert found.strategy.at(1, "", "guess") == pytest.approx({"heads": 0.5, "tails": 0.5})


def test_outcomes_inside_the_tree_add_up() -> None:
    """With b the chance to bluff a two and c that to call: worth c (1 - 3b) / 2 + b less what folding loses."""
    game = parse_efg(ON_THE_WAY)
    assert sorted(np.round(game.A.to_sparse().data, 12)) == [-1.5, -0.5, -0.5, 0.5, 0.5, 1.5]
    found = pokerlab.solve(game, "lp")
    assert found.value == pytest.approx(0.5, abs=1e-12)
    assert found.strategy.at(0, "", "two") == pytest.approx({"bet": 0.5, "fold": 0.5})
    assert found.strategy.at(1, "", "bet") == pytest.approx({"call": 0.5, "fold": 0.5})


def test_constant_sum_is_the_first_players() -> None:
    game = parse_efg(CONSTANT)
    found = pokerlab.solve(game, "lp")
    assert found.value == pytest.approx(5 / 12, abs=1e-12)
    # Infosets without names are called by number, actions without or with equal ones get numbers, as in Gambit.
    assert set(found.strategy.at(0, "", "12")) == {"_1", "_2"}
    assert set(found.strategy.at(1, "", "3")) == {"x_1", "x_2"}


@pytest.mark.parametrize("one", ["1", "+1", "1.", "1.0", "01", "10e-1", "1E+0", ".1e1", "3/3", "+7/7"])
def test_numbers(one: str) -> None:
    text = PENNIES.replace("{ 1, -1 }", f"{{{one},-1}}")
    assert value(text.replace('t "" 2\n', 't "" 2 "odd" {-1.00 1e0}\n')) == pytest.approx(0, abs=1e-12)


def test_kuhn() -> None:
    text = to_efg(kuhn_tree(), on_the_way=False)
    found = pokerlab.solve(parse_efg(text), "lp")
    assert found.value == pytest.approx(-1 / 18, abs=1e-12)
    assert found.strategy.at(1, "", "Kr")["c"] == pytest.approx(1)
    assert value(to_efg(kuhn_tree())) == pytest.approx(-1 / 18, abs=1e-12)
    assert value(text.replace("\n", "\r\n")) == pytest.approx(-1 / 18, abs=1e-12)
    assert value(text.replace("\n", " ")) == pytest.approx(-1 / 18, abs=1e-12)


@pytest.mark.parametrize("seed", range(30))
def test_random_trees_come_back(seed: int) -> None:
    total = float(seed % 3)
    root = random_tree(seed, total=total)
    twin = extensive_game(root)
    game = parse_efg(to_efg(root, seed, total))
    assert game.X.infosets == twin.X.infosets
    assert np.allclose(game.A.to_sparse().toarray(), twin.A.to_sparse().toarray(), atol=1e-12, rtol=0)
    assert [list(game.X.describe(b).states) for b in range(len(game.X.blocks.n))] == [
        list(twin.X.describe(b).states) for b in range(len(twin.X.blocks.n))
    ]


def test_names_may_hold_anything() -> None:
    text = PENNIES.replace('"coin"', r'"a \"quoted\" {coin}, back\\slash' + '\nand line é"')
    name = 'a "quoted" {coin}, back\\slash\nand line é'
    found = pokerlab.solve(parse_efg(text), "lp")
    assert set(found.strategy.at(0, "", name)) == {"heads", "tails"}
    with pytest.raises(EfgError, match="line 10"):
        parse_efg(text.replace('t "" 2\n', "t 2\n"))


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "pennies.efg"
    path.write_bytes(b"\xef\xbb\xbf" + PENNIES.replace("Even", "\xc9ven").encode("latin-1"))
    assert pokerlab.solve(read_efg(path), "lp").value == pytest.approx(0, abs=1e-12)
    assert read_efg(str(path)).name == str(path)
    for missing in (tmp_path / "none.efg", tmp_path, "a\0b.efg"):
        with pytest.raises(EfgError, match=r"cannot read|no such file"):
            read_efg(missing)


def test_a_deep_file_needs_no_recursion() -> None:
    lines = ['EFG 2 R "deep" { "a" "b" }']
    for i in range(20_000):
        lines.append(f'p "" {i % 2 + 1} {i + 1} "" {{ "stop" "go" }} 0')
        lines.append(f't "" {i % 2 + 1} "" {{ {i % 2} {-(i % 2)} }}')
    lines.append('t "" 0')
    game = parse_efg("\n".join(lines))
    assert game.X.infosets == game.Y.infosets == 10_000


REFUSED = {
    "not a Gambit file": (("EFG", "NFG"), EfgError, 1, "begins with EFG 2 R, found NFG"),
    "another version": (("EFG 2", "EFG 3"), EfgError, 1, "version 2"),
    "another letter": (("2 R", "2 Q"), EfgError, 1, "the letter R"),
    "no title": ((' "Matching pennies"', ""), EfgError, 1, "title"),
    "three players": (('"Odd" }', '"Odd" "Third" }'), NotTwoPlayers, 1, "players: 3"),
    "one player": ((' "Odd" }', " }"), NotTwoPlayers, 1, "players: 1"),
    "player 3 moves": (('p "" 2 1 "guess"', 'p "" 3 1 "guess"'), NotTwoPlayers, 5, "no player 3"),
    "player 0 moves": (('p "" 2 1 "guess"', 'p "" 0 1 "guess"'), NotTwoPlayers, 5, "no player 0"),
    "general sum": (("-1, 1 }", "-1, 2 }"), NotZeroSum, 7, "add up to 1, those at line 6 to 0"),
    "forgets": (('p "" 2 1 0', 'p "" 1 1 0'), ForgottenPast, 8, "forgets: infoset 'coin' is reached after 'tails'"),
    "other actions": (('p "" 2 1 0', 'p "" 2 1 "guess" { "heads" "edge" } 0'), InfosetMismatch, 8, "heads, edge"),
    "another name": (('p "" 2 1 0', 'p "" 2 1 "bet" { "heads" "tails" } 0'), InfosetMismatch, 8, "'guess'"),
    "no such infoset": (('p "" 2 1 0', 'p "" 2 9 0'), EfgError, 8, "infoset 9 is not described"),
    "no such event": (('p "" 2 1 0', 'c "" 9 0'), EfgError, 8, "event 9 is not described"),
    "no such outcome": (('t "" 2\n', 't "" 9\n'), EfgError, 9, "outcome 9 is not described"),
    "another outcome": (('t "" 2\n', 't "" 2 "odd" { 1, -1 }\n'), EfgError, 9, "outcome 2 was described otherwise"),
    "payoffs of nothing": (('t "" 2\n', 't "" 0 "odd" { 1, -1 }\n'), EfgError, 9, "outcome 0 is none"),
    "payoff missing": (("{ 1, -1 }", "{ 1 }"), EfgError, 6, "1 payoffs for 2 players"),
    "payoff too many": (("{ 1, -1 }", "{ 1, -1, 0 }"), EfgError, 6, "3 payoffs for 2 players"),
    "not a payoff": (("{ 1, -1 }", '{ 1, "x" }'), EfgError, 6, 'expected a payoff, found "x"'),
    "division by zero": (("{ 1, -1 }", "{ 1/0, -1 }"), EfgError, 6, "divides by zero"),
    "not a number": (("{ 1, -1 }", "{ 1..5, -1 }"), EfgError, 6, "cannot read"),
    "letters in a number": (("{ 1, -1 }", "{ 1x, -1 }"), EfgError, 6, "cannot read"),
    "no actions": (('"coin" { "heads" "tails" }', '"coin" { }'), EfgError, 4, "an action's name"),
    "another kind of node": (('t "" 2\n', 'x "" 2\n'), EfgError, 9, "begins with c, p or t, not x"),
    "no node name": (('t "" 2\n', "t 2\n"), EfgError, 9, "the node's name"),
    "infoset not whole": (('p "" 1 1', 'p "" 1 1.5'), EfgError, 4, "whole number, not 1.5"),
    "infoset too long": (('p "" 1 1', 'p "" 1 ' + "9" * 5000), EfgError, 4, "whole number"),
    "node missing": (('t "" 2\nt "" 1\n', 't "" 2\n'), EfgError, 10, "found the end of the file"),
    "node too many": (('t "" 2\n', 't "" 2\nt "" 2\n'), EfgError, 11, "nothing more"),
    "open quote": (('t "" 2\nt "" 1', 't "" 2\nt "'), EfgError, 10, "without its closing quote"),
    "odd character": (('t "" 2\n', 't "" 2 ;\n'), EfgError, 9, "cannot read ';'"),
    "a sum that is not 1": (
        ('t "" 2\nt', 'c "" 1 "" { "a" 1/2 "b" 1/3 } 0\nt "" 1\nt "" 1\nt'), ChanceError, 9, "0.5, 0.333333",
    ),
    "a negative probability": (
        ('t "" 2\nt', 'c "" 1 "" { "a" 3/2 "b" -1/2 } 0\nt "" 1\nt "" 1\nt'), ChanceError, 9, "1.5, -0.5",
    ),
    "no probability": (('t "" 2\nt', 'c "" 1 "" { "a" "b" } 0\nt "" 1\nt "" 1\nt'), EfgError, 9, "probability"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_refused_by_name_and_line(case: str) -> None:
    (before, after), error, line, text = REFUSED[case]
    assert PENNIES.count(before) >= 1
    with pytest.raises(error) as caught:
        parse_efg(PENNIES.replace(before, after, 1), "my.efg")
    assert type(caught.value) is error
    assert str(caught.value).startswith(f"my.efg, line {line}: "), caught.value
    assert text in str(caught.value)


WHOLE = {
    "not a Gambit file": "expected a Gambit file, which begins with EFG 2 R, found NFG",
    "three players": "players: 3; only two-player games can be solved",
    "player 3 moves": "there is no player 3",
    "no such infoset": "infoset 9 is not described before",
    "another outcome": "outcome 2 was described otherwise before",
    "infoset not whole": "the number of the infoset should be a whole number, not 1.5",
    "infoset too long": "the number of the infoset should be a whole number, not " + "9" * 40,
    "division by zero": "a payoff 1/0 divides by zero",
    "another kind of node": "a node begins with c, p or t, not x",
    "open quote": "a text without its closing quote '\"'",
    "odd character": "cannot read ';'",
    "other actions": "infoset 1 was described otherwise before, with 'guess' heads, tails, not 'guess' heads, edge",
    "no such event": "event 9 is not described before",
    "no such outcome": "outcome 9 is not described before",
    "payoff missing": "outcome 1 has 1 payoffs for 2 players",
}


@pytest.mark.parametrize("case", WHOLE)
def test_whole_messages(case: str) -> None:
    (before, after), error, line, _ = REFUSED[case]
    with pytest.raises(error) as caught:
        parse_efg(PENNIES.replace(before, after, 1), "my.efg")
    assert str(caught.value) == f"my.efg, line {line}: {WHOLE[case]}"


def test_events_are_compared_with_their_odds() -> None:
    chance = 'c "" 1 "toss" {{ "a" {} "b" 0.5 }} 0\nt "" 1\nt "" 1\n'
    for second, fine in (("0.5", True), ("1/2", True), ("0.25", False)):
        text = PENNIES.replace('t "" 2\nt "" 1\n', chance.format("1/2") + chance.format(second))
        if fine:
            assert value(text) == pytest.approx(1, abs=1e-9)
        else:
            with pytest.raises(InfosetMismatch) as caught:
                parse_efg(text)
            assert str(caught.value).endswith("before, with 'toss' a 0.5, b 0.5, not 'toss' a 0.25, b 0.5")


def test_infosets_go_by_names_only_where_all_of_a_player_have_their_own() -> None:
    two = PENNIES.replace('p "" 2 1 0', 'p "" 2 2 "NAME" { "heads" "tails" } 0')
    for name, states in (("late", {"guess", "late"}), ("guess", {"1", "2"}), ("", {"1", "2"})):
        profile = pokerlab.uniform_profile(parse_efg(two.replace("NAME", name)))
        assert {state for _, state, _ in profile.rows(1)} == states


def test_quotes_and_backslashes_in_names() -> None:
    game = parse_efg(PENNIES.replace('"coin"', r'"a \"coin\" \\ \x"'))
    assert next(pokerlab.uniform_profile(game).rows(0))[1] == 'a "coin" \\ \\x'


def test_the_line_of_a_long_rest_is_cut() -> None:
    with pytest.raises(EfgError) as caught:
        parse_efg(PENNIES.replace('t "" 2\n', "t ;" + "x" * 50 + "\n", 1), "f")
    assert str(caught.value) == f"f, line 9: cannot read {';' + 'x' * 19!r}"


@pytest.mark.parametrize("text", ["", " \n", "EFG", "EFG 2 R", '"', "{", "\0", '1e999 "', "é"])
def test_hardly_a_file(text: str) -> None:
    with pytest.raises(EfgError, match=r"^efg, line \d+: "):
        parse_efg(text)


def test_overflow_is_refused() -> None:
    for much in ("1e999", "9" * 5000, "1" + "0" * 320 + "/3"):
        with pytest.raises(pokerlab.PokerlabError, match=r"line 6: payoffs .* are not finite"):
            parse_efg(PENNIES.replace("{ 1, -1 }", f"{{ {much}, -1 }}"))
    big = "1" + "0" * 400
    with pytest.raises(pokerlab.PokerlabError, match=r"line 6: payoffs .* are not finite"):
        parse_efg(PENNIES.replace("{ 1, -1 }", f"{{ {big}/{big}, -1 }}"))


def test_damaged_files_are_refused_cleanly() -> None:
    rng = random.Random(4)
    good = [text.encode() for text in (PENNIES, ON_THE_WAY, CONSTANT, to_efg(random_tree(3, depth=4), 3))]
    complaints = []
    for _ in range(10_000):
        text = damaged(rng, good).decode("utf-8", errors="replace")
        try:
            game = parse_efg(text)
        except pokerlab.PokerlabError as error:
            complaints.append(str(error))
        else:
            assert np.all(np.isfinite(game.A.to_sparse().data))
            pokerlab.uniform_profile(game)
    assert 3_000 < len(complaints) < 10_000
    for complaint in complaints:
        assert "line " in complaint
        assert "\n" not in complaint


def test_opens_what_openspiel_ships() -> None:
    pyspiel = pytest.importorskip("pyspiel")
    assert value(pyspiel.get_kuhn_poker_efg_data()) == pytest.approx(-1 / 18, abs=1e-9)


def test_opens_what_openspiel_writes() -> None:
    pyspiel = pytest.importorskip("pyspiel")
    writer = pytest.importorskip("open_spiel.python.algorithms.gambit")
    game = parse_efg(writer.export_gambit(pyspiel.load_game("leduc_poker")))
    assert (game.X.infosets, game.Y.infosets) == (468, 468)
    assert pokerlab.solve(game, "lp").value == pytest.approx(-0.085606424, abs=1e-8)


@pytest.fixture(scope="module")
def gambit() -> Any:
    return pytest.importorskip("pygambit")


def value_by_gambit(gambit: Any, game: Any) -> float:
    """The first player's, exactly. Not by Gambit's sequence form, which at times (pygambit 16.7) plays the only action
    of an infoset with probability 0.
    """
    profile = gambit.nash.lp_solve(game, rational=True, use_strategic=True).equilibrium
    return float(profile.payoffs[next(iter(game.players))])


class TestGambit:
    """Gambit itself as referee, where it is installed: its files, and the values that its own solver finds."""

    @pytest.mark.parametrize("text", [PENNIES, ON_THE_WAY, CONSTANT], ids=["pennies", "on the way", "constant"])
    def test_both_read_the_same_text(self, gambit: Any, text: str) -> None:
        game = gambit.read_efg(io.StringIO(text))
        assert value(text) == pytest.approx(value_by_gambit(gambit, game), abs=1e-9)

    @pytest.mark.parametrize("seed", range(12))
    def test_what_gambit_writes(self, gambit: Any, seed: int) -> None:
        root = random_tree(seed, depth=4, total=float(seed % 2))
        game = gambit.read_efg(io.StringIO(to_efg(root, seed, float(seed % 2))))
        found = value(game.to_efg())
        assert found == pytest.approx(pokerlab.solve(extensive_game(root), "lp").value, abs=1e-9)
        assert found == pytest.approx(value_by_gambit(gambit, game), abs=1e-9)

    def test_its_catalogue(self, gambit: Any) -> None:
        """Every game that it ships either has the value that Gambit finds, or is refused for a reason Gambit sees."""
        files = sorted(Path(gambit.__file__).parent.rglob("*.efg"))
        solved = 0
        for path in files:
            game = gambit.read_efg(path)
            try:
                mine = pokerlab.solve(read_efg(path), "lp").value
            except NotTwoPlayers:
                assert len(game.players) != 2
            except NotZeroSum:
                assert not game.is_const_sum
            except ForgottenPast:
                assert not game.is_perfect_recall
            else:
                solved += 1
                assert mine == pytest.approx(value_by_gambit(gambit, game), abs=1e-9), path.name
        assert solved or not files


@pytest.mark.parametrize("player", [1, 2])
def test_what_is_not_described_is_an_infoset(player: int) -> None:
    with pytest.raises(EfgError, match=r"efg, line 2: infoset 7 is not described before"):
        parse_efg(f'EFG 2 R "x" {{ "a" "b" }}\np "" {player} 7 0\n')
    with pytest.raises(EfgError, match=r"efg, line 2: event 7 is not described before"):
        parse_efg('EFG 2 R "x" { "a" "b" }\nc "" 7 0\n')

"""Trees made to order: donk bets, thresholds, lines added and removed, sizes of a line, and ranges in files."""

import math
from dataclasses import replace
from fractions import Fraction

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from pokerlab.cards.ranges import Range
from pokerlab.cli import main
from pokerlab.errors import SpotError
from pokerlab.game.bet_sizes import ALL_IN, Size, parse_sizes
from pokerlab.refine.spots.run import solve_spot
from pokerlab.refine.spots.spot import parse_spot, read_spot
from pokerlab.refine.spots.tree import Edit, Sizes, Start, Thresholds, betting_tree
from random_spots import spot_of

GOOD = """
board = "Qs Jh 2h"
pot = 200
stacks = 900
[oop]
range = "AA,KQ,T9s"
[ip]
range = "QQ-99,AK:0.5"
[bets]
bet = "50%"
raise = "60%"
"""


def labels(tree, line=""):
    node = tree[0]
    for word in filter(None, line.split(", ")):
        node = tree[node.children[node.labels.index(word)]]
    return node.labels


def sizes(bet="50%", raise_="60%", donk=None):
    both = Sizes.parse(bet, raise_, "bets", donk), Sizes.parse(bet, raise_)
    return {(street, player): both[player] for street in range(3) for player in range(2)}


def test_donk_bets_are_led_into_the_last_aggressor():
    tree = betting_tree(Start(0, 100, 5000), sizes("50%", "100%", "20%, 30%"))
    assert labels(tree) == ("check", "bet 50")  # nobody bet before
    assert labels(tree, "check, check, deal") == ("check", "bet 50")
    assert labels(tree, "check, bet 50, call, deal") == ("check", "bet 40", "bet 60")
    assert labels(tree, "check, bet 50, call, deal, check") == ("check", "bet 100")  # in position
    assert labels(tree, "bet 50, call, deal") == ("check", "bet 100")  # out of position bet itself
    assert labels(tree, "check, bet 50, raise 250, call, deal") == ("check", "bet 300")
    assert labels(tree, "bet 50, raise 250, call, deal") == ("check", "bet 120", "bet 180")
    assert labels(tree, "check, bet 50, call, deal, check, check, deal") == ("check", "bet 100")
    led = betting_tree(Start(0, 100, 5000, aggressor=1), sizes("50%", "100%", ""))
    assert labels(led) == ("check",)  # never
    assert labels(betting_tree(Start(0, 100, 5000, aggressor=0), sizes("50%", "100%", ""))) == ("check", "bet 50")
    usual = betting_tree(Start(0, 100, 5000, aggressor=1), sizes("50%", "100%"))
    assert labels(usual) == ("check", "bet 50")
    started = betting_tree(Start(1, 100, 5000, bets=(0, 60)), sizes("50%", "100%", "10%"))
    assert labels(started, "call, deal") == ("check", "bet 22")


def kept_by_definition(bets, pot, behind, add, force, merge):
    """Thresholds in exact fractions, as docs/spots.md says it."""
    offered = set(bets)
    if add and Fraction(behind, pot) <= add:
        offered.add(behind)
    if force:
        offered = {behind if Fraction(behind - bet, pot + 2 * bet) <= force else bet for bet in offered}
    left, result = sorted(offered), []
    while left:
        largest = left.pop()
        result.append(largest)
        close = [bet for bet in left if merge and Fraction(pot + largest, pot + bet) <= 1 + merge]
        left = [bet for bet in left if bet not in close]
    return sorted(result)


@given(st.data())
def test_thresholds_are_what_their_definition_says(data):
    pot, behind = data.draw(st.integers(1, 1000)), data.draw(st.integers(1, 2000))
    bets = data.draw(st.lists(st.integers(1, behind), max_size=6))
    add, force, merge = (data.draw(st.integers(0, 60)) for _ in range(3))
    exact = Fraction(add, 20), Fraction(force, 100), Fraction(merge, 100)
    found = Thresholds(*(float(each) for each in exact)).kept(bets, pot, behind)
    assert found == kept_by_definition(bets, pot, behind, *exact)


@settings(max_examples=25, deadline=None)
@given(st.integers(10, 300), st.integers(20, 900), st.integers(0, 40), st.integers(0, 40), st.integers(0, 40))
def test_thresholds_at_every_decision(pot, stack, add, force, merge):
    """Each decision of the tree has what the definition makes of the sizes that are offered there."""
    exact = Fraction(add, 10), Fraction(force, 100), Fraction(merge, 100)
    start, offered = Start(1, pot, stack), sizes("30%, 50%, 60%, 120%", "2.5x, 60%, 75%")
    tree = betting_tree(start, offered, Thresholds(*map(float, exact)))
    half = pot // 2
    for node in tree:
        if node.kind != "decision":
            continue
        most, behind = max(node.put), stack - max(node.put)
        bare = pot + 2 * most
        above = tree[node.parent] if node.parent >= 0 else None
        while above is not None and above.kind != "deal":
            above = tree[above.parent] if above.parent >= 0 else None
        faced, gap = most - (above.put[0] if above else 0), most - min(node.put)
        if behind == 0 or (not faced and max(node.put) == stack):
            assert not [to for to in node.actions if to > 0]
            continue
        part = offered[node.street, node.player][1 if faced else 0]
        least = min(max(1, gap), behind)
        bets = {min(max(size.over(bare, faced), least), behind) for size in part}
        want = kept_by_definition(bets, bare, behind, *exact)
        assert [to - half - most for to in node.actions if to > 0] == want


def test_examples_of_thresholds():
    """With 900 behind 200: all-in is 4.5 pots, and after a bet of 400 leaves half a pot."""
    start, offered = Start(2, 200, 900), sizes("50%, 75%, 200%", "")
    assert labels(betting_tree(start, offered)) == ("check", "bet 100", "bet 150", "bet 400")
    assert labels(betting_tree(start, offered, Thresholds(add_all_in=4.5)))[-1] == "all-in"
    assert labels(betting_tree(start, offered, Thresholds(add_all_in=4.4)))[-1] == "bet 400"
    assert labels(betting_tree(start, offered, Thresholds(force_all_in=0.5)))[-1] == "all-in"
    assert labels(betting_tree(start, offered, Thresholds(force_all_in=0.49)))[-1] == "bet 400"
    assert labels(betting_tree(start, offered, Thresholds(merge=0.17))) == ("check", "bet 150", "bet 400")  # 350 / 300
    assert labels(betting_tree(start, offered, Thresholds(merge=0.16))) == ("check", "bet 100", "bet 150", "bet 400")


def edited(*edits, start=None, bet="50%, 100%", raise_="60%"):
    return betting_tree(start or Start(1, 200, 900), sizes(bet, raise_), edits=edits)


def test_lines_are_added_and_removed():
    plain = edited()
    tree = edited(
        Edit("add", ("check", "bet 150")),
        Edit("add", ("check", "bet 150", "all-in")),
        Edit("remove", ("check", "bet 200")),
        Edit("remove", ("check", "check", "deal", "bet 100")),
        Edit("add", ("check", "check", "deal", "bet 101")),
    )
    assert labels(tree) == labels(plain)
    assert labels(tree, "check") == ("check", "bet 100", "bet 150")
    assert labels(tree, "check, bet 150") == ("fold", "call", "raise 450", "all-in")
    assert labels(tree, "check, bet 150, call, deal") == ("check", "bet 250", "bet 500")
    assert labels(tree, "check, check, deal") == ("check", "bet 101", "bet 200")
    assert labels(tree, "bet 100, call, deal") == labels(plain, "bet 100, call, deal")
    gone = {plain.line(node.index) for node in plain} - {tree.line(node.index) for node in tree}
    assert gone == {
        line for line in (plain.line(node.index) for node in plain)
        if line[:2] == ("check", "bet 200") or line[:4] == ("check", "check", "deal", "bet 100")
    }  # fmt: skip


def test_sizes_of_a_line():
    tree = edited(Edit("sizes", ("check",), parse_sizes("25%, e")), Edit("sizes", ("bet 100",), ()))
    assert labels(tree) == ("check", "bet 100", "bet 200")
    assert labels(tree, "check") == ("check", "bet 50", "bet 216")
    assert labels(tree, "bet 100") == ("fold", "call")
    assert labels(tree, "check, bet 50") == labels(edited(bet="25%, 50%"), "check, bet 50")
    assert labels(edited(Edit("sizes", (), (ALL_IN,)))) == ("check", "all-in")


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (Edit("add", ("bet 100",)), 'add = "bet 100": that is in the tree already'),
        (Edit("add", ("bet 0",)), "expected bet 1 up to bet 899, or all-in"),
        (Edit("add", ("bet 900",)), "expected bet 1 up to bet 899, or all-in"),
        (Edit("add", ("raise 300",)), "expected bet 1 up to bet 899, or all-in"),
        (Edit("add", ("bet 100", "raise 150")), "expected raise 200 up to raise 899, or all-in"),
        (Edit("add", ("check", "check", "7d", "bet 5")), "no line of the tree leads there"),
        (Edit("add", ("bet 70", "all-in")), "no line of the tree leads there"),
        (Edit("add", ("bet " + "9" * 50,)), "expected bet 1 up to bet 899"),
        (Edit("remove", ("bet 70",)), "there is no such bet or raise; there is bet 100, bet 200"),
        (Edit("remove", ("check",)), "there is no such bet or raise; there is bet 100, bet 200"),
        (Edit("sizes", ("bet 70",), ()), 'at = "bet 70": no line of the tree leads there'),
        (Edit("sizes", ("check",), (Size(2.0, "x"),)), "multiples are for raises"),
    ],
)
def test_lines_that_cannot_be(edit, message):
    with pytest.raises(SpotError, match=message):
        edited(edit)


def test_nothing_can_be_added_behind_an_all_in():
    with pytest.raises(SpotError, match="nothing can be bet or raised there"):
        edited(Edit("add", ("all-in", "raise 5")), bet="all-in")


SIZE = st.one_of(
    st.integers(1, 400).map(lambda n: Size(n / 2 + 10)), st.integers(1, 99).map(lambda n: Size(float(n), "c")),
    st.integers(0, 4).map(lambda n: Size(float(n), "e")), st.just(ALL_IN),
)  # fmt: skip
SOME = st.lists(SIZE, max_size=3).map(tuple)


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_every_key_is_read_as_it_is_written(data):
    spot = parse_spot(GOOD)
    three = st.floats(0, 5)
    own = {
        (street, player): Sizes(data.draw(SOME), data.draw(SOME), data.draw(st.none() | SOME) if not player else None)
        for street in range(3)
        for player in range(2)
    }
    words = st.sampled_from(["check", "bet 100", "deal", "raise 300", "all-in"])
    line = st.lists(words, min_size=1, max_size=4).map(tuple)
    edit = st.one_of(
        st.builds(Edit, st.sampled_from(["add", "remove"]), line),
        st.builds(Edit, st.just("sizes"), st.lists(words, max_size=3).map(tuple), SOME),
    )
    spot = replace(
        spot, sizes=own, aggressor=data.draw(st.sampled_from([None, 0, 1])),
        thresholds=Thresholds(*(data.draw(three) for _ in range(3))),
        edits=tuple(data.draw(st.lists(edit, max_size=3))),
    )  # fmt: skip
    again = parse_spot(spot.text())
    assert again == spot
    assert (again.aggressor, again.thresholds, again.edits) == (spot.aggressor, spot.thresholds, spot.edits)


def test_old_spots_have_no_new_keys():
    told = parse_spot(GOOD).text()
    for key in ("donk", "aggressor", "add_all_in", "[[line]]", "[bets]\n"):
        assert key not in told


def test_a_file_with_everything():
    text = GOOD + (
        'donk = "20%"\nadd_all_in = 1.5\nforce_all_in = 0.15\nmerge = 0.1\n[bets.river.oop]\ndonk = ""\n'
        '[state]\naggressor = "ip"\n[[line]]\nadd = "check, bet 150"\n[[line]]\nremove = "check, bet 100"\n'
        '[[line]]\nat = "check, bet 150"\nsizes = "3x"\n'
    )
    spot = parse_spot(text)
    tree = spot.tree()
    assert spot.thresholds == Thresholds(1.5, 0.15, 0.1)
    assert labels(tree) == ("check", "bet 40")
    assert labels(tree, "check") == ("check", "bet 150")
    assert labels(tree, "check, bet 150") == ("fold", "call", "raise 450", "all-in")  # 750 are 1.5 pots of 500
    assert labels(tree, "check, bet 150, call, deal") == ("check", "bet 100", "all-in")
    assert labels(tree, "check, check, deal") == ("check", "bet 100")
    assert labels(tree, "check, check, deal, check, bet 100, call, deal") == ("check",)
    assert parse_spot(spot.text()).tree() == tree


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ("merge = -1\n", "merge is a number from 0"),
        ("add_all_in = inf\n", "add_all_in is a number from 0"),
        ("force_all_in = nan\n", "force_all_in is a number from 0"),
        ('merge = "much"\n', "merge must be a number"),
        ("donk = 3\n", "needs donk sizes for the flop"),
        ('donk = "2x"\n', "flop donk: 2x is for raises"),
        ('[bets.turn.ip]\ndonk = "20%"\n', r"\[bets.turn.ip\]: no such key: donk"),
        ('[state]\naggressor = "me"\n', "aggressor is oop or ip"),
        ('[[line]]\nadd = "bet 150"\nremove = "bet 100"\n', r"\[\[line\]\]: write add"),
        ('[[line]]\nat = "check"\n', 'comes with sizes = "33%"'),
        ('[[line]]\nadd = "bet 150"\nsizes = "3x"\n', 'comes with sizes = "33%"'),
        ("[[line]]\nadd = 3\n", "all are texts"),
        ('[[line]]\nadd = ""\n', "needs a line that ends with a bet or raise"),
        ('[[line]]\nadd = "bet 150"\nwhere = "x"\n', "no such key: where"),
        ('[[line]]\nat = "check"\nsizes = "half"\n', r"\[\[line\]\] sizes: a bet size is"),
        ('[line]\nadd = "bet 150"\n', r"write \[\[line\]\]"),
        ('[[line]]\nadd = "bet 100"\n', "that is in the tree already"),
    ],
)
def test_bad_keys_get_one_clear_line(tmp_path, more, message):
    with pytest.raises(SpotError, match=message):
        parse_spot(GOOD + more).tree()
    (tmp_path / "bad.toml").write_text(GOOD + more)
    result = CliRunner().invoke(main, ["spot", str(tmp_path / "bad.toml"), "--tree"])
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)


def test_ranges_in_files(tmp_path):
    (tmp_path / "btn-open.range").write_text("# as we open\nAA:1,KK:0.5,\nAKs:0.25\n2d2c:0.1 # one hand\n")
    (tmp_path / "ranges").mkdir()
    (tmp_path / "ranges" / "call").write_text("QQ-99, AK:0.5")
    text = GOOD.replace('"AA,KQ,T9s"', '"@btn-open"').replace('"QQ-99,AK:0.5"', '"@ranges/call"')
    text += '[[lock]]\nline = "check"\nplay = { check = "@ranges/call" }\n'
    path = tmp_path / "spot.toml"
    path.write_text(text)
    spot = read_spot(path)
    assert spot.ranges == (Range.parse("AA,KK:0.5,AKs:0.25,2d2c:0.1"), Range.parse("QQ-99,AK:0.5"))
    assert spot.locks[0].play == {"check": spot.ranges[1]}
    assert parse_spot(spot.text()) == spot  # which has the ranges in full
    for written in (path, tmp_path / "btn-open.range"):
        written.write_text(written.read_text(), encoding="utf-8-sig")  # as Windows does
    assert read_spot(path) == spot
    with pytest.raises(SpotError, match="a file beside a spot's own file, and this spot has none"):
        parse_spot(text)
    for strange in ("@", "@" + "x" * 3000, "@\\u0000", "@."):
        path.write_text(text.replace("@btn-open", strange))
        with pytest.raises(SpotError, match="no range file"):
            read_spot(path)
    path.write_text(text.replace("@btn-open", "@co-open"))
    with pytest.raises(SpotError, match=r"no range file 'co-open' in .*, also none that ends with .range"):
        read_spot(path)
    (tmp_path / "btn-open.range").write_text("AA, KX")
    path.write_text(text)
    with pytest.raises(SpotError, match=r"btn-open.range: 'KX' in a range"):
        read_spot(path)


def test_an_edited_tree_is_solved():
    edits = Edit("add", ("check", "bet 30")), Edit("remove", ("bet 50",))
    spot = spot_of(
        "Qs Jh 2h 4c 7d", ("AA,KQ,T9s", "QQ,AK,98s"), bet="50%, e", raise_="e", edits=edits,
        thresholds=Thresholds(merge=0.1),
    )  # fmt: skip
    found = solve_spot(spot, exploitability=0.5)
    assert found.node("check").actions == ("check", "bet 30", "bet 50", "all-in")
    assert found.root.actions == ("check", "all-in")
    assert sum(found.ev) == pytest.approx(100, abs=1e-2)
    assert math.isfinite(found.exploitability)
    assert found.exploitability <= 0.5

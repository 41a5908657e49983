"""Every hand of a decision as columns: equities, losses, blockers and filters, each against counting card by card."""

import csv
import json
import math

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from phevaluator import evaluate_cards

from pokerlab.cards.deck import Deck
from pokerlab.cards.holes import HOLES
from pokerlab.cards.texture import MADE, PARTS, categories
from pokerlab.cli import main
from pokerlab.errors import SpotError
from pokerlab.refine.spots.categories import NAMES, hands_like
from pokerlab.refine.spots.compare import compare
from pokerlab.refine.spots.frames import blocked, blockers, equity_of, node_frame, shares_of
from pokerlab.refine.spots.run import solve_spot
from pokerlab.refine.spots.solution import load_spot_solution
from pokerlab.refine.spots.spot import Lock
from pokerlab.refine.spots.view import blocker_lines, chart, grid_lines, hand_lines, node_json, view_lines, views_of
from pokerlab.terminal import plain
from random_spots import random_spot, spot_of

DECK = Deck()


def text(cards):
    return [DECK.text((card,)) for card in cards]


def rank(cards):
    """Lower is better; the figures are those of the evaluator that others wrote."""
    return evaluate_cards(*text(cards))


@pytest.fixture(scope="module")
def turn():
    rng = np.random.default_rng(11)
    spot = random_spot(rng, 1, (14, 12), cards=12, bet="75%", raise_="all-in")
    return solve_spot(spot, iterations=30)


@pytest.fixture(scope="module")
def river():
    spot = spot_of("Qs Jh 2h 4c 7d", ("AA,KQ,T9s,AhKh,22", "QQ,JJ,AK,AQs,98s"), bet="50%", raise_="60%", blind=10)
    return solve_spot(spot, iterations=40)


def equity_by_counting(node, player):
    mine, theirs, weights = node.hands_of(player), node.hands_of(1 - player), node.weights(1 - player)
    equities = []
    for hand in mine:
        won = met = 0.0
        for other in theirs:
            held = {*HOLES[hand].tolist(), *HOLES[other].tolist(), *node.board}
            if len(held) < 4 + len(node.board) or not weights[other]:
                continue
            rest = [c for c in range(52) if c not in held] if len(node.board) == 4 else [None]
            for card in rest:
                board = node.board if card is None else (*node.board, card)
                a, b = rank((*HOLES[hand], *board)), rank((*HOLES[other], *board))
                won += weights[other] / len(rest) * (1.0 if a < b else 0.5 if a == b else 0.0)
            met += weights[other]
        equities.append(won / met if met else math.nan)
    return np.array(equities)


@pytest.mark.parametrize("line", ["", "bet 75", "check, bet 75"])
def test_equity_is_that_of_counting_every_card(turn, line):
    node = turn.node(line)
    for player in range(2):
        np.testing.assert_allclose(equity_of(node, player), equity_by_counting(node, player), atol=1e-9)


def test_equities_of_both_players_add_up(river, turn):
    for node in (river.root, river.node("bet 50"), turn.root, turn.node("bet 75")):
        both = [np.nansum(shares_of(node, p) * equity_of(node, p)) for p in range(2)]
        assert sum(both) == pytest.approx(1)
        assert node_json(node)["equity"] == {"oop": pytest.approx(both[0]), "ip": pytest.approx(both[1])}


def test_who_can_meet_no_hand_has_no_equity():
    spot = spot_of("Qs Jh 2h 4c 7d", ("AsAh, KsKh", "AsKs, AhKh, AcKc"))
    node = solve_spot(spot, iterations=2).root
    row = dict(zip(node_frame(node)["hand"], equity_of(node)[np.argsort(node.hands)], strict=True))
    assert set(row) == {"AsAh", "KsKh"}
    assert not np.isnan(equity_of(node)).any()  # both meet AcKc
    lonely = solve_spot(spot_of("Qs Jh 2h 4c 7d", ("AsAh, 9c9d", "AsKs, AhKh")), iterations=2).root
    frame = node_frame(lonely)
    assert np.isnan(frame["equity"]).tolist() == [True, False]
    assert np.isnan(frame["ev"]).tolist() == [True, False]
    assert node_json(lonely)["combos"]["oop"]["equity"][0] is None


def test_the_frame(river):
    node = river.node("bet 50")
    frame = node_frame(node, unit="pot")
    assert list(frame)[:8] == ["hand", "kind", "made", "draw", "weight", "share", "equity", "ev"]
    assert list(frame)[8:] == [
        f"{what}{action}" for what in ("", "ev ", "loss ") for action in ("fold", "call", "raise 170")
    ]
    assert len({len(column) for column in frame.values()}) == 1
    for i, hand in enumerate(frame["hand"]):
        (at,) = np.flatnonzero(node.hands == number_of(hand))
        best = max(node.action_ev[at])
        for a, action in enumerate(node.actions):
            assert frame[action][i] == node.strategy[at, a]
            assert frame[f"ev {action}"][i] == pytest.approx(node.action_ev[at, a] / 100)
            assert frame[f"loss {action}"][i] == pytest.approx((best - node.action_ev[at, a]) / 100)
        assert frame["ev"][i] == pytest.approx(node.ev[at] / 100)
        assert frame["weight"][i] == node.weights(1)[node.hands[at]]
    assert frame["share"].sum() == pytest.approx(1)
    other = node_frame(node, player=0)
    assert list(other) == list(frame)[:8]
    assert np.nansum(other["share"] * other["ev"]) + 100 * np.nansum(frame["share"] * frame["ev"]) == pytest.approx(150)
    blinds = node_frame(node, unit="bb")
    np.testing.assert_allclose(blinds["ev"] * 10, frame["ev"] * 100)


def number_of(hand):
    low, high = sorted(DECK.cards(hand))
    return high * (high - 1) // 2 + low


def test_units_that_are_not_known(river, turn):
    with pytest.raises(SpotError, match="write blind = 10"):
        node_frame(turn.root, unit="bb")
    with pytest.raises(SpotError, match="no unit 'euro'; there are chips, bb, pot"):
        node_frame(river.root, unit="euro")


@pytest.mark.parametrize("line", ["", "check, bet 75"])
def test_blockers_are_what_counting_says(turn, line):
    node = turn.node(line)
    weights = dict(zip(node.hands.tolist(), node.weights(node.player)[node.hands], strict=True))
    play = dict(zip(node.hands.tolist(), node.strategy, strict=True))

    def counted(cards):
        left = [h for h in weights if not {*HOLES[h].tolist()} & {*cards}]
        total, mass = sum(weights.values()), sum(weights[h] for h in left)
        before = sum(weights[h] * play[h] for h in weights) / total
        after = sum(weights[h] * play[h] for h in left) / mass if mass else np.full(len(before), math.nan)
        return 1 - mass / total, after, before

    for by, held in (
        ("card", [(card,) for card in range(52) if card not in node.board]),
        ("hand", [tuple(HOLES[h].tolist()) for h in node.hands_of(1 - node.player)]),
    ):
        frame = blockers(node, by)
        assert [sorted(DECK.cards(name)) for name in frame[by]] == [sorted(cards) for cards in held]
        for i, cards in enumerate(held):
            removed, after, before = counted(cards)
            assert frame["removed"][i] == pytest.approx(removed, abs=1e-9)
            np.testing.assert_allclose([frame[a][i] for a in node.actions], after, atol=1e-6)
            np.testing.assert_allclose([frame[f"change {a}"][i] for a in node.actions], after - before, atol=1e-6)
    cards = HOLES[node.hands_of(1 - node.player)[0]].tolist()
    told, (removed, after, before) = blocked(node, DECK.text(cards)), counted(cards)
    assert told["removed"] == pytest.approx(removed, abs=1e-9)
    for a, action in enumerate(node.actions):
        assert told["actions"][action]["before"] == pytest.approx(before[a])
        assert told["actions"][action]["after"] == pytest.approx(after[a])
    assert sum(both["before"] for both in told["made"].values()) == pytest.approx(1)
    with pytest.raises(SpotError, match="by card or by hand"):
        blockers(node, "suit")


def test_blockers_of_all_hands_make_the_frequencies(river, turn):
    """What each hand of the waiting player leaves, weighed by how likely it is held, is how often actions are taken."""
    for node in (river.root, river.node("check"), turn.node("bet 75")):
        frame, shares = blockers(node, "hand"), shares_of(node, 1 - node.player)
        often = [np.nansum(shares * frame[action]) for action in node.actions]
        np.testing.assert_allclose(often, node.frequencies, atol=1e-6)


LIMITS = {"straight flush": 10, "quads": 166, "full house": 322, "flush": 1599, "straight": 1609, "three": 2467}


def by_counting(name, hole, board):
    """Whether a hand is what a name says, by an evaluator of others and by looking at ranks and suits one by one."""
    ranks, shown = [c // 4 for c in hole], [c // 4 for c in board]
    value, alone = rank((*hole, *board)), rank(board) if len(board) == 5 else 9999
    if name == "straight flush":
        return value <= LIMITS["straight flush"] and value < alone
    if name == "quads":
        return LIMITS["straight flush"] < value <= LIMITS["quads"] and max(map(shown.count, shown)) < 4
    if name == "set":
        return LIMITS["straight"] < value <= LIMITS["three"] and ranks[0] == ranks[1] and ranks[0] in shown
    if name == "flush draw":
        suits = [sum(c % 4 == s for c in (*hole, *board)) for s in range(4)]
        draw = any(suits[s] == 4 and any(c % 4 == s for c in hole) for s in range(4))
        return len(board) < 5 and draw and value > LIMITS["flush"]
    assert name == "top pair"
    pairs = sorted((r for r in {*ranks, *shown} if ranks.count(r) + shown.count(r) >= 2), reverse=True)[:2]
    mine = [r for r in pairs if r in ranks]
    return value > LIMITS["three"] and value < alone and mine == [max(shown)] and ranks[0] != ranks[1]


@pytest.mark.parametrize("name", ["quads", "straight flush", "set", "flush draw", "top pair"])
def test_filters_are_what_counting_says(name):
    rng = np.random.default_rng(len(name))
    for shown in (3, 4, 5):
        for _ in range(4):
            board = tuple(rng.permutation(52 if rng.random() < 0.5 else 20)[:shown].tolist())
            mask = hands_like(name, board)
            likely = mask | (rng.random(1326) < 0.1)  # those that it names, and some others
            for hand in np.flatnonzero(likely)[:200]:
                hole = tuple(HOLES[hand].tolist())
                expected = not {*hole} & {*board} and by_counting(name, hole, board)
                assert mask[hand] == expected, (text(hole), text(board))


@settings(max_examples=30, deadline=None)
@given(cards=st.permutations(range(52)), shown=st.integers(3, 5), data=st.data())
def test_filters_combine(cards, shown, data):
    board = tuple(cards[:shown])
    one, two = data.draw(st.sampled_from(NAMES)), data.draw(st.sampled_from(NAMES))
    a, b, all_hands = hands_like(one, board), hands_like(two, board), hands_like("", board)
    assert (all_hands == (categories(board) >= 0)).all()
    assert (hands_like(f"{one}, {two}", board) == (a | b)).all()
    assert (hands_like(f" {one.upper()} +  {two}", board) == (a & b)).all()
    assert (hands_like(f"not {one}", board) == (all_hands & ~a)).all()


def test_names_of_filters():
    """A name of texture's is that category or its whole group, and every category has a name."""
    board = DECK.cards("8c 6h 5h")
    parts = [PARTS[c] if c >= 0 else None for c in categories(board)]
    for made in MADE:
        own = np.array([part is not None and part[0] == made for part in parts])
        named = hands_like(made, board)
        assert (named | ~own).all()
        if made.replace(",", "") not in ("two pair", "straight", "full house"):
            assert (named == own).all(), made
    assert hands_like("top pair, weak kicker + flush draw", board)[number_of("8h7h")]
    assert hands_like("combo draw", board)[number_of("8h7h")]
    assert not hands_like("air", board)[number_of("8h7h")]
    assert hands_like("air", board)[number_of("AcKd")]
    with pytest.raises(SpotError, match="no hands are called 'top pear'"):
        hands_like("flush draw, top pear", board)


def test_every_view(river):
    node = river.node("bet 50")
    assert views_of(node.actions) == (
        "strategy", "ev", "equity", "range", "loss", "blockers", "fold", "call", "raise 170",
        "ev fold", "ev call", "ev raise 170", "loss fold", "loss call", "loss raise 170",
    )  # fmt: skip
    kinds, frame = chart(node), node_frame(node)
    aces = frame["kind"] == "AKo"
    odds = frame["share"][aces] / frame["share"][aces].sum()
    at = 13  # AKo: below the diagonal
    assert kinds["equity"][at] == pytest.approx(odds @ frame["equity"][aces])
    for a, action in enumerate(node.actions):
        assert kinds["action_ev"][at, a] == pytest.approx(odds @ frame[f"ev {action}"][aces])
        assert kinds["loss"][at, a] == pytest.approx(odds @ frame[f"loss {action}"][aces])
    lost = sum(frame[action] * frame[f"loss {action}"] for action in node.actions)
    assert kinds["lost"][at] == pytest.approx(odds @ lost[aces])

    def cell(view, **more):
        return plain(grid_lines(node, view, **more)[2]).split()[1]

    assert cell("equity") == f"{100 * kinds['equity'][at]:.0f}"
    assert cell("ev call") == f"{round(kinds['action_ev'][at, 1], 1) + 0:.1f}"
    assert cell("ev call", unit="pot") == f"{round(kinds['action_ev'][at, 1] / 100, 2) + 0:.2f}"
    assert cell("loss fold") == f"{kinds['loss'][at, 0]:.1f}"
    assert cell("range", player=0) == "."
    with pytest.raises(SpotError, match="no view 'strategy' of the player who waits; there are ev, equity, range"):
        grid_lines(node, player=0)


def test_a_filter_keeps_some_hands(river):
    node = river.node("bet 50")
    mask = hands_like("set, top pair", node.board)
    assert {*node_frame(node, hands=mask)["kind"]} == {"QQ", "JJ", "AQs"}
    told, whole = node_json(node, hands=mask), node_frame(node)
    assert {*told["hands"]} == {"QQ", "JJ", "AQs"}
    kept = np.isin(whole["kind"].astype(str), ["QQ", "JJ", "AQs"])
    often = [whole["share"][kept] @ whole[action][kept] / whole["share"][kept].sum() for action in node.actions]
    assert told["frequencies"] == pytest.approx(often)
    lines = [plain(line) for line in grid_lines(node, hands=mask)]
    assert f"hands like these are {100 * whole['share'][kept].sum():.1f} % of the range" in lines


def test_a_filter_that_keeps_no_hand(river):
    node, mask = river.node("bet 50"), hands_like("overpair", river.spot.board)
    told = json.loads(json.dumps(node_json(node, hands=mask), allow_nan=False))
    assert told["hands"] == {}
    assert told["frequencies"] == [None, None, None]
    lines = [plain(line) for line in grid_lines(node, "loss", hands=mask)]
    assert "no hand of the range is like these" in lines
    assert lines[-1] == "f fold -   c call -   b raise 170 -"
    assert {*" ".join(lines[1:14]).split()} == {*"AKQJT98765432."}


def test_what_is_not_known_of_a_decision_that_is_never_reached():
    """Nobody bets: of who would answer, values are not known; how it would play is."""
    spot = spot_of("Qs Jh 2h 4c 7d", ("AA,KQ", "QQ,AK"), locks=(Lock((), {"check": 1.0}),), bet="50%", raise_="")
    solved = solve_spot(spot, iterations=2)
    node = solved.node("bet 50")
    for view in ("equity", "ev", "loss", "ev call"):
        lines = [plain(line) for line in view_lines(node, view)]
        assert {"-", "."} <= {*" ".join(lines[1:14]).split()} <= {*"AKQJT98765432.-"}
        assert lines[-2:] == ["f fold -   c call -", "this decision is never reached; a dash: not known"]
    assert "this decision is never reached" in plain(view_lines(node, "blockers")[-1])
    assert not any("nan" in plain(line) for view in ("blockers", "range") for line in view_lines(node, view))
    assert "expects - chips" in plain(view_lines(node, hand="QhQd")[1])
    told = json.loads(json.dumps(node_json(node), allow_nan=False))
    assert (told["reached"], told["frequencies"]) == (False, [None, None])
    assert told["hands"]["QQ"]["ev"] is told["hands"]["QQ"]["equity"] is None
    assert told["hands"]["QQ"]["loss"] == [None, None]
    assert sum(told["hands"]["QQ"]["strategy"]) == pytest.approx(1)
    both = compare(solved, solved, "bet 50", view="ev")
    assert np.isnan(both.by_kind("ev")).all()
    assert both.frequencies()["call"] == (None, None)
    assert not any("nan" in plain(line) for line in both.lines())


def test_a_hand_and_what_it_blocks(river):
    node = river.node("bet 50")
    told = node.hand("AsKs")
    assert told["hand"] == "AsKs"
    best = max(action["ev"] for action in told["actions"].values())
    assert [action["loss"] for action in told["actions"].values()] == pytest.approx(
        [best - action["ev"] for action in told["actions"].values()]
    )
    assert told["blocks"] == blocked(node, "AsKs", 0)
    lines = [plain(line) for line in hand_lines(node, "AsKs")]
    assert lines[0].startswith("AsKs: two overcards")
    assert "blocks" in lines[6]
    assert plain(blocker_lines(node, "KsQc")[0]) == "oop holds KsQc"
    for cards in ("Qs", "AsAhAc", "4c5c"):
        with pytest.raises(SpotError, match="one or two cards that are not on the board"):
            blocked(node, cards)


def test_the_command_shows_all_of_it(river, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    river.save("river.solution")

    def spot(*arguments, code=0):
        result = CliRunner().invoke(main, ["spot", "river.solution", "--line", "bet 50", *arguments])
        assert result.exit_code == code, result.stderr
        return result.stdout if not code else result.stderr

    rows = list(csv.DictReader(spot("--csv", "--filter", "set", "--unit", "bb").splitlines()))
    assert {row["kind"] for row in rows} == {"QQ", "JJ"}
    sets = node_frame(river.node("bet 50"), unit="bb", hands=hands_like("set", river.spot.board))
    assert [float(row["ev call"]) for row in rows] == pytest.approx(sets["ev call"], abs=0.01)
    assert "AsKs: two overcards" in spot("--hand", "AsKs")
    assert "ip's range" not in spot("--hand", "AsKs")
    told = json.loads(spot("--hand", "AsKs", "--json", "--unit", "pot"))["node"]
    assert told["unit"] == "pot"
    assert told["hand"]["hand"] == "AsKs"
    assert [len(column) for column in told["combos"]["oop"].values()] == [len(told["combos"]["oop"]["hand"])] * 8
    kept = load_spot_solution("river.solution")
    for unit, many, size in (("chips", "chips", 1), ("bb", "big blinds", 10), ("pot", "starting pots", 100)):
        _, _, expected, exploited = spot("--unit", unit).splitlines()[:4]
        assert expected.startswith(f"expected {many}   oop {kept.figures.ev[0] / size:.3f}   ip ")
        assert expected.endswith(f"of a pot of {kept.spot.total // size}")
        assert f" {kept.exploitability / size:.4f} {many}, " in exploited
    assert "oop holds" in spot("--view", "blockers")
    assert len(json.loads(spot("--view", "blockers", "--json"))["node"]["blockers"]["card"]) == 47
    assert "showdown" in spot("--view", "equity", "--whose", "oop")
    assert len(spot("--view", "blockers", "--csv").splitlines()) == 48
    for wrong, message in (
        (["--view", "loss bet 7"], "no view 'loss bet 7'"),
        (["--filter", "air, flash"], "no hands are called 'flash'"),
        (["--hand", "AsXx"], "a hand is two cards"),
        (["--hand", "9s5h"], "9s5h is not in the range"),
        (["--hand", "Qs5h"], "Qs5h is not in the range of ip, or has a card of the board"),
        (["--hand", "AsKsQc"], "a hand is two cards"),
        (["--whose", "oop", "--view", "strategy"], "no view 'strategy' of the player who waits"),
        (["--view", "blockers", "--filter", "set"], "a filter is for charts and lists of hands, not for blockers"),
        (["--hand", "AsKs", "--filter", "set"], "a filter is for charts and lists of hands, not for a hand"),
        (["--view", "blockers", "--hand", "Qs"], "one or two cards that are not on the board"),
        (["--device", "bogus"], "is solved already"),
        (["--tree", "--unit", "pot"], "--tree does nothing with --unit: leave that out"),
        (["--runouts", "--view", "ev"], "--runouts does nothing with --view: leave that out"),
    ):
        assert message in spot(*wrong, code=2)
    (one,) = csv.DictReader(spot("--csv", "--hand", "AsKs").splitlines())
    assert one["hand"] == "AsKs"
    parts = [*csv.DictReader(spot("--csv", "--hand", "AsKs", "--view", "blockers").splitlines())]
    both = blocked(kept.node("bet 50"), "AsKs")
    assert [float(row["after"]) for row in parts] == pytest.approx(
        [each["after"] for each in (*both["actions"].values(), *both["made"].values())]
    )
    assert [part["part"] for part in parts][:3] == ["fold", "call", "raise 170"]
    waits = spot("--whose", "oop", "--hand", "AsAc")
    assert "AsAc: overpair" in waits
    assert "of ip's range" in waits
    assert "probability" not in waits
    assert len(spot("--whose", "oop", "--csv").splitlines()) == 1 + len(kept.node("bet 50").hands_of(0))
    told = json.loads(spot("--whose", "oop", "--json", "--filter", "overpair"))["node"]
    assert (told["player"], told["whose"], {*told["hands"]}) == ("ip", "oop", {"AA"})
    assert {*told["combos"]["oop"]["kind"]} == {"AA"}
    assert sum(told["frequencies"]) == pytest.approx(1)
    assert {*told["hands"]["AA"]} == {"share", "ev", "equity"}
    assert spot("--csv").startswith("hand,kind,made,draw,weight,share,equity,ev,fold,call,raise 170,ev fold")

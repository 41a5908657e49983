"""Figures of agents and their texts, from counts made up by hand."""

from dataclasses import replace

import pytest

from pokerlab.errors import StoreError
from pokerlab.records.hand_columns import KINDS
from pokerlab.records.hand_stats import AgentStats, Choice, agent_stats, csv_lines, round_lines, stats_csv, stats_lines


def counts(**given):
    return dict.fromkeys(KINDS, 0) | given


ANN = AgentStats(
    agent="Ann", game="leduc", hands=1200, unit="mb/h", mean=12.345, ci95=6.78, vpip=0.5, pfr=0.25, aggression=1.5,
    aggression_later=None, showdowns=300, showdowns_won=120,
    rounds=(counts(fold=1, check=2, bet=1), counts(), counts(call=3, **{"raise": 1})),
)  # fmt: skip
BARTHOLOMEW = AgentStats(
    "Bartholomew", "holdem-nolimit", 7, "mbb/h", -3.0, None, 1.0, 0.0, None, None, 0, 0, ()
)  # fmt: skip


def test_rates():
    assert ANN.rates == [
        {"round": 1, "actions": 4, "fold": 0.25, "check": 0.5, "call": 0.0, "bet": 0.25, "raise": 0.0},
        {"round": 2, "actions": 0, "fold": 0.0, "check": 0.0, "call": 0.0, "bet": 0.0, "raise": 0.0},
        {"round": 3, "actions": 4, "fold": 0.0, "check": 0.0, "call": 0.75, "bet": 0.0, "raise": 0.25},
    ]


def test_rates_of_one_action():
    assert replace(ANN, rounds=(counts(fold=1),)).rates[0]["fold"] == 1.0


def test_json():
    told = ANN.as_json()
    assert (told["showdown_rate"], told["won_at_showdown"]) == (0.25, 0.4)
    assert told["rounds"] == ANN.rates
    assert told["mean"] == 12.345
    assert list(told)[-1] == "rounds"
    assert BARTHOLOMEW.as_json()["won_at_showdown"] is None
    assert BARTHOLOMEW.as_json()["showdown_rate"] == 0.0


def test_lines():
    assert stats_lines([ANN, BARTHOLOMEW]) == [
        "agent        game            hands        won a hand    VPIP    PFR    AF  showdowns    won",
        "Ann          leduc           1,200  +12.3 ± 6.8 mb/h   50.0%  25.0%  1.50      25.0%  40.0%",
        "Bartholomew  holdem-nolimit      7    -3.0 ± - mbb/h  100.0%   0.0%     -       0.0%      -",
    ]
    assert stats_lines([]) == ["agent  game  hands  won a hand  VPIP  PFR  AF  showdowns  won"]
    long = stats_lines([replace(ANN, agent="A" * 70, game="g" * 60)])
    assert all(len(line) <= 100 for line in long)
    assert long[1].startswith("AAAAAAAAAA")
    assert "..." in long[1]
    assert round_lines(ANN) == [
        "Ann in leduc, by round",
        "round    actions   fold  check   call    bet  raise",
        "    1          4  25.0%  50.0%   0.0%  25.0%   0.0%",
        "    2          0   0.0%   0.0%   0.0%   0.0%   0.0%",
        "    3          4   0.0%   0.0%  75.0%   0.0%  25.0%",
    ]


def test_what_goes_without_saying():
    assert (ANN.stakes, ANN.position, ANN.currency, ANN.winnings, ANN.unknown, ANN.showdowns_unknown) == (
        "", "", "", None, 0, 0,
    )  # fmt: skip
    assert ANN.label == "leduc"
    assert replace(ANN, game="", stakes="1/2", position="BTN").label == "1/2 BTN"
    assert replace(ANN, game="").label == "all"
    assert Choice() == Choice(None, None, None, None, 1, ("game",))


def test_lines_with_money():
    ann, other = replace(ANN, currency="$", winnings=1234.5), replace(BARTHOLOMEW, game="kuhn")
    head, first, second = stats_lines([ann, replace(other, winnings=-7.0)])
    plain = stats_lines([ANN, other])
    assert head == f"{plain[0]}  {'in all':>10}"
    assert first == f"{plain[1]}  {'+$1,234.50':>10}"
    assert second == f"{plain[2]}  {'-7':>10}"
    assert stats_lines([ann, other])[2] == f"{plain[2]}  {'-':>10}"


def test_commas():
    head, row = stats_csv([ANN])
    assert head.split(",")[:4] == ["agent", "game", "hands", "unit"]
    assert row.startswith("Ann,leduc,1200,mb/h,12.345,6.78,0.5,0.25,1.5,,300,120,")
    assert "rounds" not in head.split(",")
    assert stats_csv([]) == ["agent"]
    assert csv_lines(["a", "b"], [["x,y", 1]]) == ["a,b", '"x,y",1']


def answers(actions, rows):
    """A query that answers with these actions, then with these rows, and remembers what it was asked."""
    asked = []

    def query(sql, parameters):
        asked.append((sql, parameters))
        return actions if "FROM actions" in sql else rows

    return query, asked


def test_figures_of_rows():
    a = ("A", "g", "mb/h", "")
    actions = [(*a, 0, "call", 4), (*a, 0, "raise", 2), (*a, 2, "bet", 3), (*a, 2, "call", 2)]
    rows = [
        (*a, 17, 16, 50.0, 200.0, 8.0, 0.25, 0.125, 8, 5, 1),
        ("B", "g", "mb/h", "", 1, 1, -50.0, None, -0.5, 1, 0, 0, 0, 0),
    ]
    query, asked = answers(actions, rows)
    first, second = agent_stats(query, Choice())
    assert (first.agent, first.hands, first.mean, first.unknown) == ("A", 17, 50.0, 1)
    assert first.ci95 == pytest.approx(2.13145 * 2.0 / 4 / 0.01, rel=1e-5)  # Student's t of 15 degrees of freedom
    assert (first.aggression, first.aggression_later) == (5 / 6, 1.5)
    assert (first.showdowns, first.showdowns_won, first.vpip, first.pfr) == (8, 5, 0.25, 0.125)
    assert first.won_at_showdown == 5 / 7
    assert first.rounds == (counts(call=4, **{"raise": 2}), counts(), counts(bet=3, call=2))
    assert (second.rounds, second.ci95, second.aggression, second.mean) == ((), None, None, -50.0)
    assert [parameters for _, parameters in asked] == [[], []]
    agent_stats(query, Choice(agent="A"))
    assert [parameters for _, parameters in asked[2:]] == [["A"], ["A"]]
    assert all("WHERE lower(seats.agent) = lower(?)" in sql for sql, _ in asked[2:])


def test_aggression_after_the_first_round():
    a = ("A", "g", "mb/h", "")
    actions = [(*a, 0, "call", 1), (*a, 1, "raise", 3), (*a, 1, "call", 1), (*a, 2, "call", 1)]
    (row,) = agent_stats(answers(actions, [(*a, 9, 9, 1.0, 1.0, 1.0, 1, 1, 0, 0, 0)])[0], Choice())
    assert (row.aggression, row.aggression_later) == (1.0, 1.5)


def test_narrow_lines():
    head, row = stats_lines([replace(ANN, game="g")])
    assert head.startswith("agent  game ")
    assert row.startswith("Ann    g    ")


@pytest.mark.parametrize(
    ("number", "kind", "fine"), [(9, "call", True), (10, "call", False), (-1, "call", False), (0, "shout", False)]
)
def test_actions_that_cannot_be(number, kind, fine):
    query, _ = answers([("A", "g", "mb/h", "", number, kind, 1)], [])
    if fine:
        assert agent_stats(query, Choice()) == []
    else:
        with pytest.raises(StoreError, match=f"an action of round {number} is none that is known"):
            agent_stats(query, Choice())

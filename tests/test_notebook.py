"""Results as a person looks at them in a notebook: HTML that is safe and short, and whole data frames."""

import re
import sys

import numpy as np
import pytest

import pokerlab
from pokerlab.agents.simple import Call, Raise
from pokerlab.errors import PokerlabError
from pokerlab.match.result import OneResult
from pokerlab.notebook import MOST, Table
from pokerlab.refine.spots.frames import node_frame
from random_spots import spot_of

LEDUC = pokerlab.rules_of("leduc")


def cells(html):
    """The text of each row's cells."""
    return [re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row) for row in re.findall(r"<tr>(.*?)</tr>", html)]


def test_cells_are_escaped_and_aligned():
    table = Table("a < b", ("who", "x"), [("<b>", 1234), (None, 0.1234567891), ("y", float("nan"))])
    html = table.html()
    assert '<caption style="text-align: left">a &lt; b</caption>' in html
    assert cells(html) == [["who", "x"], ["&lt;b&gt;", "1,234"], ["", "0.123457"], ["y", ""]]
    assert '<td style="text-align: right">1,234</td>' in html
    assert '<td style="text-align: left">y</td>' in html


def test_a_long_table_is_cut_and_only_made_so_far():
    made = []

    def rows():
        for i in range(10**9):
            made.append(i)
            yield (i,)

    html = Table("", ("i",), rows()).html()
    assert len(cells(html)) == 1 + MOST
    assert f"the first {MOST} rows" in html
    assert len(made) == MOST + 1
    assert "the first" not in Table("", ("i",), [(i,) for i in range(MOST)]).html()


def test_a_solution_is_its_strategy():
    solution = pokerlab.solve("leduc", "cfr+", iterations=50)
    frame = solution.to_pandas()
    assert type(frame).__module__.startswith("pandas")
    assert list(frame.columns) == ["player", "betting", "cards", "c", "r", "f"]
    assert len(frame) == sum(tree.infosets for tree in solution.game.trees)
    row = frame[(frame.player == 1) & (frame.betting == "cr") & (frame.cards == "K")].iloc[0]
    assert {name: row[name] for name in "fcr"} == solution.strategy.at(0, "cr", "K")
    first = frame[(frame.betting == "") & (frame.cards == "J")].iloc[0]
    assert np.isnan(first.f)
    assert f"value {solution.value:+.6g}" in solution._repr_html_()
    assert frame.attrs["caption"].endswith("after 50 iterations")
    assert (
        solution.strategy.to_pandas()
        .drop(columns=["betting", "cards"])
        .equals(frame.drop(columns=["betting", "cards"]))
    )


def test_an_evaluation_has_a_row_a_seat():
    evaluation = pokerlab.evaluate(pokerlab.uniform_profile(pokerlab.compile("kuhn")))
    frame = evaluation.to_pandas()
    assert frame["gain"].mean() == pytest.approx(evaluation.exploitability)
    assert frame["value"].tolist() == list(evaluation.values)
    assert len(cells(evaluation._repr_html_())) == 3


def test_matches():
    result = pokerlab.play_match(LEDUC, [Call(), Raise()], 50, seed=1)
    frame = result.to_pandas()
    assert frame.agent.tolist() == ["call", "raise"]
    assert frame["mean"].tolist() == result.mean.tolist()
    assert frame.ci95.tolist() == result.ci95.tolist()
    assert "leduc, 50 hands, mb/h" in result._repr_html_()
    one = OneResult("call", LEDUC, np.array([1.0, 3.0]), 0.1)
    assert cells(one._repr_html_())[1] == ["call", f"{one.mean:.6g}", f"{one.ci95:.6g}"]


def test_tournaments():
    plan = pokerlab.plan_tournament(["call", "raise", "random"], "kuhn", 60)
    standings = pokerlab.run_tournament(plan, executor=map)
    frame = standings.to_pandas()
    assert frame["rank"].is_monotonic_increasing
    best = frame.iloc[0]
    number = standings.agents.index(best.agent)
    assert best["mean"] == standings.bankroll[number].mean
    assert np.isnan(best[f"against {best.agent}"])
    other = next(a for a in range(3) if a != number)
    assert best[f"against {standings.agents[other]}"] == standings.crosstable[number, other].mean
    assert len(cells(standings._repr_html_())) == 4


def test_without_pandas_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(PokerlabError, match=r"pip install 'pokerlab\[notebook\]'"):
        Table("", ("i",), [(1,)]).to_pandas()


def test_spots():
    solution = pokerlab.solve_spot(spot_of("Qs Jh 2h 4c 7d", ("AA,KQ,T9s", "QQ,AJs,98s"), bet="50%"), iterations=20)
    node = solution.node("check")
    frame = node.to_pandas()
    assert list(frame.columns) == list(node_frame(node))
    assert frame.attrs["caption"] == "QsJh2h4c7d, check: ip to act, pot 100"
    assert sorted(set(frame.kind), key=list(frame.kind).index) == ["AJs", "QQ", "98s"]  # as on the chart
    assert frame["share"].sum() == pytest.approx(1)
    for row in frame.itertuples():
        hand = node.hand(row.hand)
        assert row.ev == pytest.approx(hand["ev"])
        assert row[9] == pytest.approx(hand["actions"][node.actions[0]]["probability"])
    assert "expected chips" in solution._repr_html_()
    assert node._repr_html_() not in solution._repr_html_()
    assert solution.root._repr_html_() in solution._repr_html_()
    assert solution.to_pandas().equals(solution.root.to_pandas())

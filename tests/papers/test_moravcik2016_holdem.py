"""Figure 5 on a tiny blueprint: the order of the techniques, and what the report holds."""

import numpy as np
import pytest

from pokerlab.papers import moravcik2016_holdem as paper
from pokerlab.papers.moravcik2016_holdem import Figure5, measure, river_subgame, river_views
from pokerlab.refine.gadgets import TECHNIQUES
from small_blueprint import small_agent

AGENT = small_agent()


@pytest.fixture(scope="module")
def figure():
    return measure(AGENT, 6, (10, 300), progress=False)


def test_margins(figure):
    last = {technique: figure.margins[technique][:, -1] for technique in TECHNIQUES}
    assert all(margins.shape == (6,) for margins in last.values())
    assert (last["max-margin"] >= np.maximum(last["re-solving"], last["endgame"]) - 1).all()
    assert last["max-margin"].min() > -1
    assert last["re-solving"].min() > -1
    assert last["endgame"].min() < 0
    assert (figure.margins["max-margin"][:, 0] <= last["max-margin"] + 1).all()


def test_subgames_are_rivers_of_both_seats(figure):
    assert {subgame.rest.player for subgame in figure.subgames} == {0, 1}
    for subgame in figure.subgames:
        assert subgame.view.betting.round == 3
        assert subgame.view.betting_text().endswith("/")
        assert subgame.every.to_act == 0
        assert subgame.every.pot == subgame.view.betting.pot
        assert np.isfinite(subgame.had).sum() == 1081
        assert subgame.every.tree().decisions < 1000
    again = [view.betting_text() for view in river_views(AGENT, 6)]
    assert again == [subgame.view.betting_text() for subgame in figure.subgames]


def test_the_blueprint_itself_has_margin_zero(figure):
    subgame = river_subgame(AGENT, figure.subgames[0].view)
    assert np.nanmax(np.abs(subgame.had - figure.subgames[0].had)) < 1e-3


def test_report(figure, monkeypatch, tmp_path):
    monkeypatch.setattr(paper, "blueprint_agent", lambda: AGENT)
    monkeypatch.setattr(paper, "measure", lambda *_: figure)
    report = paper.reproduce(quick=True)
    (table,) = report.tables
    assert [row.label for row in table.rows if row.paper] == ["max-margin", "re-solving", "endgame"]
    assert table.rows[-1].paper == {"margin": -518.5, "95 %": 49.19}
    assert len(report.notes["river_subgames"]) == 6
    assert "6 river subgames" in " ".join(report.sentences)
    report.write(tmp_path)
    assert "<svg" in (tmp_path / "moravcik2016-max-margin-figure5.svg").read_text()


def test_intervals():
    margins = np.array([[1.0], [2.0], [3.0], [6.0]])
    figure = Figure5("x", (5,), [], dict.fromkeys(TECHNIQUES, margins))
    assert figure.mean("endgame")[0] == 3
    assert figure.interval("endgame")[0] == pytest.approx(1.96 * np.std([1, 2, 3, 6], ddof=1) / 2)


@pytest.mark.slow
def test_a_tiny_blueprint_is_trained_where_there_is_none(monkeypatch, tmp_path):
    monkeypatch.setenv("POKERLAB_CACHE", str(tmp_path))
    monkeypatch.setattr(paper, "TINY_SECONDS", 2)
    agent = paper.blueprint_agent()
    assert agent.name == paper.TINY
    assert agent.blueprint.about["iterations"] > 100
    figure = Figure5(agent.name, (5,), [], dict.fromkeys(TECHNIQUES, np.ones((2, 1))))
    assert "pokerlab train holdem-nolimit" in next(figure.sentences())

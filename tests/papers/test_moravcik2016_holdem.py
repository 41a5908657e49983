"""Figure 5 on a tiny blueprint: the order of the techniques, and what the report holds."""

import numpy as np
import pytest

from pokerlab.papers import moravcik2016_holdem as paper
from pokerlab.papers.moravcik2016_holdem import Figure5, measure, river_subgame, river_views
from pokerlab.papers.pieces import Pieces
from pokerlab.refine.gadgets import TECHNIQUES
from small_blueprint import small_agent

AGENT = small_agent()


@pytest.fixture(scope="module")
def pieces(tmp_path_factory):
    return Pieces(tmp_path_factory.mktemp("pieces"))


@pytest.fixture(scope="module")
def figure(pieces):
    return measure(AGENT, 6, (10, 300), pieces, progress=False)


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


def test_report(figure, pieces, monkeypatch, tmp_path):
    """The blueprint is varied: the report has both, and by how much the margin moved."""
    other = Figure5("another", figure.marks, figure.subgames, {name: m + 500 for name, m in figure.margins.items()})
    monkeypatch.setattr(paper, "blueprint_agent", lambda *_: AGENT)
    monkeypatch.setattr(paper, "tiny_agent", lambda *_: None)
    monkeypatch.setattr(paper, "measure", lambda agent, *_: figure if agent is AGENT else other)
    report = paper.reproduce(True, pieces)
    table, varied = report.tables
    judged = [row for row in table.rows if row.paper]
    assert [row.label for row in judged] == ["max-margin", "re-solving", "endgame"]
    assert judged[-1].paper == {"margin": -518.5}
    for row in judged:
        cell = row.cells["margin"]
        assert list(cell.ways) == [AGENT.name, "another"]
        assert cell.ways["another"] == pytest.approx(cell.ours + 500)
        assert cell.sampled["6 subgames"] == row.ours["95 %"]
        assert cell.chance["another"] == pytest.approx(2**0.5 * row.ours["95 %"])
        assert "the paper's ±" in row.why
    assert [row.ours["subgames"] for row in varied.rows] == [6] * 6
    assert len(report.notes["river_subgames"]) == 6
    assert "6 river subgames" in " ".join(report.sentences)
    report.write(tmp_path)
    assert "<svg" in (tmp_path / "moravcik2016-max-margin-figure5.svg").read_text()


def figure_of(margins, name="x"):
    return Figure5(name, (1_000, 3_000), [None] * len(margins), dict.fromkeys(TECHNIQUES, margins))


@pytest.mark.parametrize(
    ("ours", "spread", "others", "verdict"),
    [
        (101.0, 5.0, (102.0,), "matches"),
        (185.0, 5.0, (180.0,), "differs"),
        (185.0, 5.0, (50.0,), "blueprint-dependent"),
        (185.0, 900.0, (180.0,), "too rough"),
    ],
)
def test_verdicts_of_figure_5(ours, spread, others, verdict):
    """By what was measured: a mean, its interval over subgames, other blueprints."""
    noise = spread * np.tile([[-1.0], [1.0]], (20, 2))
    row = figure_of(ours + noise).row("max-margin", 1, [figure_of(other + noise / 5, str(other)) for other in others])
    assert row.cells["margin"].verdict == verdict


def test_a_margin_is_negative_by_more_than_it_still_moves():
    margins = np.array([[-5.0, -6.0], [-1.0, -0.4], [3.0, 2.0], [1.0, 1.0]])
    assert "negative in 25.0% (max-margin)" in next(figure_of(margins).sentences())


def test_intervals():
    margins = np.array([[1.0], [2.0], [3.0], [6.0]])
    figure = Figure5("x", (5,), [], dict.fromkeys(TECHNIQUES, margins))
    assert figure.mean("endgame")[0] == 3
    assert figure.interval("endgame")[0] == pytest.approx(3.182446 * np.std([1, 2, 3, 6], ddof=1) / 2)


@pytest.mark.slow
def test_a_tiny_blueprint_is_trained_where_there_is_none(monkeypatch, tmp_path):
    monkeypatch.setenv("POKERLAB_CACHE", str(tmp_path))
    pieces = Pieces(tmp_path / "pieces")
    agent = paper.blueprint_agent(2, pieces)
    assert agent.name == f"{paper.TINY}, 2 s"
    assert agent.blueprint.about["iterations"] > 100
    monkeypatch.setattr(paper, "train", lambda *_, **__: None)  # it is kept, and not trained again
    again = paper.blueprint_agent(2, pieces).blueprint
    assert (again.about, (again.strategy == agent.blueprint.strategy).all()) == (agent.blueprint.about, True)
    figure = Figure5(agent.name, (5,), [], dict.fromkeys(TECHNIQUES, np.ones((2, 1))))
    assert "pokerlab train holdem-nolimit" in next(figure.sentences())

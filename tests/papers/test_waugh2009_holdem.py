"""Agents that see more and more, and what best responses win of them: pairs, kept work, and a run that goes on."""

import json

import numpy as np
import pytest

from pokerlab.game.catalog import rules_of
from pokerlab.match.exact import run as exact
from pokerlab.match.exact.sample import Estimate, estimate
from pokerlab.papers import waugh2009_holdem as paper
from pokerlab.papers.pieces import Pieces
from pokerlab.papers.verdicts import FAILS, HOLDS, OPEN
from pokerlab.papers.waugh2009_holdem import Measured, Studied, Study, clusters, percentiles
from pokerlab.progress import Bar


@pytest.fixture(autouse=True)
def kept_here(tmp_path, monkeypatch):
    monkeypatch.setenv("POKERLAB_CACHE", str(tmp_path))


def test_what_agents_see():
    assert percentiles(5, recall=True, bets="cap 2 3 3 3").name == "percentile 5 with recall, one bet fewer"
    assert percentiles(3).cards == "percentile:3/percentile:3/percentile:3/percentile:3"
    assert clusters(50).cards == "169/potential:50/potential:50/kmeans:50"
    sights = paper.WHOLE.sights
    assert len(sights) == len({sight.name for sight in sights}) == 11
    assert paper.WHOLE.curve in sights
    assert paper.SMALL.curve in paper.SMALL.sights


def test_differences_are_paired():
    """A difference on the same flops is known better than its parts, and exactly where all flops are known."""
    rng = np.random.default_rng(0)
    luck = rng.normal(100, 30, (2, 6, 2))
    one, other = luck + rng.normal(0, 1, luck.shape), luck + 5 + rng.normal(0, 1, luck.shape)
    sight = percentiles(3)
    less, more = (Measured(sight, 1, 3, won, estimate(won)) for won in (one, other))
    change = more.against(less)
    assert change.mean == pytest.approx((other - one).mean())
    assert change.ci95 < 0.2 * min(less.total.ci95, more.total.ci95)
    assert less.against(more).mean == pytest.approx(-change.mean)
    exact = [Measured(sight, 1, 3, None, Estimate(seats, 0.0)) for seats in ((1.0, 2.0), (4.0, 7.0))]
    assert exact[1].against(exact[0]) == Estimate((3.0, 5.0), 0.0)


class Told(Studied):
    """A study whose figures are given: one agent of each chain's after the other."""

    def __init__(self, study, means, ci95=0.0):
        self.study, self.sampled, self.rules, self.unit, self.size = study, False, rules_of(study.game), "mb/h", 0.01
        self.agents = {
            sight: Measured(sight, 1, 2, None, Estimate((mean, mean), ci95))
            for sight, mean in zip(study.sights, means, strict=True)
        }


def test_what_is_said_of_steps():
    study = Study("holdem-limit:ranks=3", 1, (tuple(percentiles(count) for count in (2, 3, 4, 5)),), percentiles(2))
    told = Told(study, [1.0, 0.5, 0.75, 0.75])
    assert [verdict for *_, verdict in told.changes()] == [FAILS, HOLDS, OPEN]
    assert "of 3 steps: does not hold 1, holds 1, cannot be told 1" in told.sentence()
    assert "; most from percentile 3 to percentile 4, by 25 ± 0 mb/h." in told.sentence()


def test_a_quick_run_is_exact_and_goes_on_from_what_is_kept(tmp_path, monkeypatch):
    pieces = Pieces(tmp_path / "pieces")
    report = paper.reproduce(True, pieces)
    table, changes, curve = report.tables
    figures = {row.label: row.ours["exploitability"] for row in table.rows}
    assert [row.ours["difference"] for row in changes.rows] == [
        pytest.approx(figures["percentile 4"] - figures["percentile 2"])
    ]
    trained = [row.ours["exploitability"] for row in curve.rows]
    assert trained == sorted(trained, reverse=True)
    folder = pieces.place(f"{paper.QUICK.game}, percentile 2, {paper.QUICK.iterations} iterations")
    agent = paper.trained(percentiles(2), paper.QUICK.game, paper.QUICK.iterations, folder)
    again = exact.exploitability(agent, rules_of(paper.QUICK.game), progress=False)
    assert again.summary()["exploitability"] == pytest.approx(figures["percentile 2"], abs=1e-9)
    report.write(tmp_path / "out")
    assert json.loads((tmp_path / "out" / "waugh2009-holdem.json").read_text())["paper"] == "waugh2009-holdem"

    def never(*args, **options):
        raise AssertionError("what is kept was made again")

    monkeypatch.setattr(paper, "train", never)
    monkeypatch.setattr(exact, "FlopTask", lambda *given: never)
    with Bar("", False) as bar:
        kept = paper.measured(percentiles(2), paper.QUICK.game, paper.QUICK.iterations, False, bar, pieces)
    assert kept.total == again.least

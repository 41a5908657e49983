"""Chapter 5 of the thesis: who the opponents are, what is measured of matches really played, and the quick report."""

from dataclasses import replace

import numpy as np
import pytest

from figures import ROOT
from paper_runs import reproduced
from pokerlab.agents.blueprint import BlueprintAgent
from pokerlab.game.hand import new_hand
from pokerlab.opponents.trends import FACTORS, NULL, Trends
from pokerlab.papers.rubin2013_adaptation import (
    AVERAGES,
    PLAYERS,
    QUICK,
    TABLE_5_1,
    TABLE_5_2,
    WHOLE,
    Measured,
    counted,
    drawn_opponents,
    played,
    published,
)
from pokerlab.papers.rubin2013_company import company, tiny_expert
from pokerlab.papers.rubin2013_styles import STYLES, restyled
from pokerlab.papers.verdicts import FAILS, HOLDS, OPEN
from pokerlab.records.types import type_of


@pytest.fixture(scope="module")
def expert():
    return tiny_expert("holdem-limit:raises=1", 2000)


def test_published_averages():
    """As the thesis prints them, to rounding; and the gains that follow from its rows."""
    for rows, averages in ((TABLE_5_1, (355, 366, 361, 365, 364, 365)), (TABLE_5_2, (105, 108, 106, 108, 112, 111))):
        means = np.mean([won for won, _ in rows.values()], axis=0)
        assert means == pytest.approx(averages, abs=0.6)
        assert all(len(won) == len(halves) == len(PLAYERS) for won, halves in rows.values())
    assert [round(published("known", top).value, 1) for top in range(1, 6)] == [10.7, 5.1, 9.4, 8.2, 9.3]
    assert published("unknown", 4).value == pytest.approx(7.6)
    assert published("unknown", 4).interval == pytest.approx(np.hypot(2, 2))


def test_styles_by_hand(expert):
    view = new_hand(expert.rules).dealt((0, 5, 10, 15)).view(1)
    raised = view.legal.raises[0]
    plain = BlueprintAgent(expert).act(view)
    fold, call, up = (plain.get(action, 0.0) for action in (-1, 0, raised))
    for loose, factor in STYLES.values():
        odds = BlueprintAgent(restyled(expert, loose, factor)).act(view)
        folds = fold * (1 - loose) if loose > 0 else fold * (1 + loose) - loose
        calls = call + loose * fold if loose > 0 else call * (1 + loose)
        raises = up if loose > 0 else up * (1 + loose)
        moved = factor * calls if factor > 0 else factor * raises
        expected = {-1: folds, 0: calls - moved, raised: raises + moved}
        assert odds == pytest.approx({a: p for a, p in expected.items() if a in odds}, abs=0.01)


def test_styles_are_what_they_are_called(expert):
    """By what they do in hands with the expert: how often they fold and bet, and that their types are apart."""
    opponents = {"plain": expert, **{name: restyled(expert, *style) for name, style in STYLES.items()}}
    counts = {name: counted(expert, each, 1500).sum(axis=0) for name, each in opponents.items()}
    folds = {name: each[0] / each[[0, 2, 3]].sum() for name, each in counts.items()}
    bets = {name: each[3] / each[1:].sum() for name, each in counts.items()}
    for name in STYLES:
        if "loose" in name:
            assert folds[name] < folds["plain"]
        if "tight" in name:
            assert folds[name] > folds["plain"]
        if "aggressive" in name:
            assert bets[name] > bets["plain"]
        if "passive" in name:
            assert bets[name] < bets["plain"]


def test_known_and_unknown_are_drawn():
    names = {f"opponent {number}": None for number in range(22)}
    drawn = list(drawn_opponents(names, WHOLE))
    assert sorted(drawn) == sorted(names)
    assert drawn[:16] != list(names)[:16]
    assert drawn[:16] == [name for name in names if name in drawn[:16]]
    assert (WHOLE.known >= 15, WHOLE.unknown >= 5) == (True, True)


def model_of(expert, best):
    """Of a caller and a raiser, with one factor that gains for each."""
    opponents, means = company(expert), np.zeros((2, len(FACTORS)))
    for row, factor in enumerate(best):
        means[row, FACTORS.index(factor)] = 10.0
    counts = np.array([counted(expert, opponents[name], 300) for name in ("call", "raise")])
    return Trends(expert.rules, "agent", ("call", "raise"), 10, 0, "all betting", means, np.zeros_like(means), counts)


@pytest.mark.parametrize(("row", "name"), [(0, "call"), (1, "raise")])
def test_who_adapts_really_plays(expert, row, name):
    """Nothing for the first window; then the factor of whom it takes the opponent for."""
    best, plan = (0.07, -0.04), replace(QUICK, hands=60, window=20)
    model, opponent = model_of(expert, best), BlueprintAgent(company(expert)[name])
    factors, met = played(BlueprintAgent(expert), opponent, model, 1, plan, 0)
    assert factors[NULL] == pytest.approx(20 / 60)
    assert factors[FACTORS.index(best[row])] == pytest.approx(40 / 60)
    assert met[row] == 1
    assert type_of(model.counts[row]).shape == (4, 4)


def test_gains_are_those_of_the_factors_taken(expert):
    rng = np.random.default_rng(0)
    trends = [rng.normal(size=(50, len(FACTORS))) for _ in range(2)]
    chosen = {(opponent, 1): rng.dirichlet(np.ones(len(FACTORS)), size=3) for opponent in range(2)}
    of = Measured("it", ("a", "b"), model_of(expert, (0.01, 0.01)), trends, chosen, np.ones((2, 2)))
    expected = []
    for opponent in range(2):
        gain = [
            sum(share * (won[x] - won[NULL]) for x, share in enumerate(shares))
            for shares in chosen[opponent, 1]
            for won in trends[opponent]
        ]
        expected.append(np.mean(gain))
        assert of.gain([opponent], 1)[0] == pytest.approx(expected[-1])
    mean, half = of.gain([0, 1], 1)
    assert mean == pytest.approx(np.mean(expected))
    assert half > np.std(np.mean([of.gains(one, 1)[0] for one in (0, 1)], axis=0)) / np.sqrt(50)


@pytest.mark.slow
def test_quick_report(tmp_path):
    report = reproduced("rubin2013-adaptation", tmp_path, "--quick")
    assert "<svg" in (tmp_path / "rubin2013-adaptation-trends.svg").read_text()
    gains, known, unknown, trends, *others = report["tables"]
    assert len(others) == 3
    published_rows = [row for row in gains["rows"] if row["paper"]]
    assert {row["verdict"] for row in published_rows} == {"not reached"}
    assert [len(table["rows"]) for table in (known, unknown, trends)] == [6, 3, 7]
    told = {each["finding"]: each for each in report["findings"]}
    assert len(told) == 20
    assert {each["verdict"] for each in told.values()} <= {HOLDS, FAILS, OPEN}
    for group, table in (("known", known), ("unknown", unknown)):
        average = table["rows"][-1]["ours"]
        for player in PLAYERS[1:]:
            gain = told[f"an imitator: {player} gains on {group} opponents"]["difference"]
            assert average[player] - average["NoAdapt"] == pytest.approx(gain)


def test_the_page_has_the_published_tables():
    page = (ROOT / "docs" / "rubin2013-adaptation.md").read_text()
    for rows, _ in AVERAGES.values():
        for name, (won, halves) in rows.items():
            cells = " | ".join(f"{mean}±{half}" for mean, half in zip(won, halves, strict=True))
            assert f"| {name} | {cells} |" in page

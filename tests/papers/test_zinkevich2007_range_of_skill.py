"""The range-of-skill paper: small games, and the hold'em half on buckets made up for the test."""

from types import SimpleNamespace

import numpy as np
import pytest

from pokerlab.game.bucket_deals import BucketDeals
from pokerlab.game.deals import merger
from pokerlab.papers import zinkevich2007_holdem as holdem
from pokerlab.papers.zinkevich2007_range_of_skill import small_games


@pytest.mark.slow
def test_small_games(tmp_path):
    report = small_games(quick=True)
    report.write(tmp_path)
    rows = {row.label: row for row in report.tables[0].rows}
    for game in ("Kuhn", "symmetric 10 x 10", "symmetric 30 x 30"):
        for method in ("linear program", "double oracle", "range of skill, GBR I", "range of skill, GBR II"):
            assert rows[f"{game}: {method}"].ours["gap"] <= 1e-6
    assert rows["Leduc: range of skill, GBR II"].ours["ranked"] > 10
    assert "<svg" in (tmp_path / "zinkevich2007-range-of-skill.svg").read_text()
    assert any("ranked" in line for line in report.lines())


def made_up(mine, theirs):
    """Deals into so many children a round for each player, with a showdown that stronger children win more often."""
    sizes = [[k**r for r in (1, 2, 3, 4)] for k in (mine, theirs)]
    parents = tuple(
        tuple(np.arange(n) // k if r else np.zeros(n, int) for r, n in enumerate(row))
        for k, row in zip((mine, theirs), sizes, strict=True)
    )
    rng = np.random.default_rng(mine * 10 + theirs)
    joint = [rng.random((sizes[0][3], sizes[1][3])) + 0.5]
    if mine == theirs:  # whoever sits where, the cards are the same
        joint[0] += joint[0].T
    joint[0] /= joint[0].sum()
    strengths = [np.arange(n) % k / (k - 1) for k, n in ((mine, sizes[0][3]), (theirs, sizes[1][3]))]
    sign = np.clip(strengths[0][:, None] - strengths[1], -0.9, 0.9)
    last = joint[0]
    for r in (3, 2, 1):
        rows, columns = (merger(parents[p][r], sizes[p][r - 1]) for p in range(2))
        joint.insert(0, rows.T @ joint[0] @ columns)
    return BucketDeals("made up", parents, tuple(joint), last * sign)


def test_table_1(monkeypatch):
    """Whole betting gives a responder more than part of it, and finer buckets more than coarse ones could."""
    monkeypatch.setattr(holdem, "build_buckets", lambda name: SimpleNamespace(count=3 if name.endswith("10") else 2))
    monkeypatch.setattr(
        holdem, "bucket_deals", lambda ours, yours=None, boards=None: made_up(ours.count, (yours or ours).count)
    )
    table, told, game = holdem.table_1(quick=False)
    rows = {row.label: row for row in table.rows}
    assert list(rows) == ["Player 1", "Player 2", "Average"]
    average = rows["Average"].ours
    assert 0 <= average["5, abstracted"] <= 0.0011
    assert average["5, full"] >= average["5, abstracted"]
    assert average["10, full"] >= average["10, abstracted"]
    assert "discounted CFR" in told[0]
    assert rows["Average"].paper["10, full"] == 0.0648
    growth = {
        row.why or (row.paper and "reached") or row.label: row for row in holdem.growing_sets(game, 4.0, 30.0).rows
    }
    assert growth["reached"].ours["gap"] <= 4.0
    assert growth["reached"].ours["strategies"] > 1
    assert growth["double oracle"].ours["gap"] <= 4.0
    assert "cut off" in [row.why for row in holdem.growing_sets(game, 0.0, 0.1).rows]

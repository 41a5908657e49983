"""The small-game half of the range-of-skill paper."""

import pytest

from pokerlab.papers import reproduce

pytestmark = pytest.mark.slow


def test_small_games(tmp_path):
    report = reproduce("zinkevich2007-range-of-skill", tmp_path, quick=True)
    rows = {row.label: row for row in report.tables[0].rows}
    for game in ("Kuhn", "symmetric 10 x 10", "symmetric 30 x 30"):
        for method in ("linear program", "double oracle", "range of skill, GBR I", "range of skill, GBR II"):
            assert rows[f"{game}: {method}"].ours["gap"] <= 1e-6
    assert rows["Leduc: range of skill, GBR II"].ours["ranked"] > 10
    assert "<svg" in (tmp_path / "zinkevich2007-range-of-skill.svg").read_text()
    assert any("ranked" in line for line in report.lines())

"""The range-of-skill paper: small games, and the hold'em half on buckets made up for the test."""

import shutil
from types import SimpleNamespace

import numpy as np
import pytest

from pokerlab.game.bucket_deals import BucketDeals
from pokerlab.game.deals import merger
from pokerlab.papers import zinkevich2007_holdem as holdem
from pokerlab.papers.pieces import Pieces
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


@pytest.fixture(scope="module")
def bots(tmp_path_factory):
    """Table 1 and SmallBot's game on two and three buckets a round instead of five and ten."""

    def folds(ours, yours, *, boards, seeds):
        deals = made_up(ours.count, yours.count)
        return deals, iter([(deals, wobbly(deals, seed)) for seed in range(2 * len(seeds))])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(holdem, "build_buckets", lambda name: SimpleNamespace(count=3 if name.endswith("10") else 2))
        patch.setattr(holdem, "bucket_deals", lambda ours, boards=None: made_up(ours.count, ours.count))
        patch.setattr(holdem, "sampled_folds", folds)
        patch.setattr(holdem, "TEN_SEEDS", (1,))
        pieces = Pieces(tmp_path_factory.mktemp("pieces"))
        made = holdem.table_1(False, pieces)
        with pytest.MonkeyPatch.context() as again:  # from what is kept
            again.setattr(holdem, "solve", None)
            again.setattr(holdem, "responses", None)
            kept = holdem.table_1(False, pieces)
        assert kept[:2] == made[:2]
        yield made


def wobbly(deals, seed):
    """The same buckets with other odds, as from another sample."""
    last = deals.joint[3] * np.random.default_rng(seed).uniform(0.98, 1.02, deals.joint[3].shape)
    joint, total = [last / last.sum()], last.sum()
    for r in (3, 2, 1):
        rows, columns = (merger(deals.parents[p][r], len(deals.parents[p][r - 1])) for p in range(2))
        joint.insert(0, rows.T @ joint[0] @ columns)
    return BucketDeals("wobbly", deals.parents, tuple(joint), deals.showdown * last / deals.joint[3] / total)


def test_table_1(bots):
    """Whole betting gives a responder more than part of it, and finer buckets more than coarse ones could."""
    table, told, _ = bots
    rows = {row.label: row for row in table.rows}
    assert list(rows) == ["Player 1", "Player 2", "Average"]
    average = rows["Average"].ours
    assert 0 <= average["5, abstracted"] <= 0.0011
    assert average["5, full"] >= average["5, abstracted"]
    assert average["10, full"] >= average["10, abstracted"]
    assert "discounted CFR" in told[0]
    assert rows["Average"].paper["10, full"] == 0.0648


def test_table_1_states_what_was_varied_and_how_well_it_is_known(bots):
    """Bots as close as the paper's are worse; what is sampled has an interval, what is counted has none."""
    rows = {row.label: row for row in bots[0].rows}
    cells = rows["Average"].cells
    low, high = cells["5, abstracted"].range
    assert low <= 0.0011
    assert 0.005 < high <= 0.0107  # within a step of what the paper's has
    assert set(cells["5, abstracted"].ways) == {"discounted CFR to 0.001", *holdem.BOTS}
    for name, cell in cells.items():
        assert cell.bounds["SmallBot's gap"] == pytest.approx(2 * cells["5, abstracted"].ours, abs=1e-6)
        assert bool(cell.sampled) == name.startswith("10")
        assert len(cell.ways) == 3
        assert cell.paper.half_unit == 0.00005
    ten = cells["10, full"]
    within = ten.ours + ten.bounds["sample against turns left out"]
    assert within > ten.ours > within - 0.2


def test_growing_sets(bots, tmp_path):
    pieces = Pieces(tmp_path)
    table = holdem.growing_sets(bots[2], 1.0, 30.0, pieces)
    growth = {row.note or row.label: row for row in table.rows}
    skill = growth["range of skill"]
    assert skill.ours["gap"] <= 1.0
    assert skill.ours["strategies"] > 1
    assert skill.verdict == "not reached"
    assert "the paper's 298 strategies came to 0.0212" in skill.why
    assert growth["double oracle"].ours["strategies"] == skill.ours["strategies"]
    assert growth["range of skill from uniform play"].ours["strategies"] <= holdem.START_ROUNDS
    again = holdem.growing_sets(bots[2], 0.0, 0.1, Pieces(tmp_path / "others"))
    (*_, cut) = (row for row in again.rows if row.label == "range of skill")
    assert cut.ours["seconds"] >= 0.1


def test_sets_that_were_stopped_go_on_growing(bots, tmp_path, monkeypatch):
    """Every number of finished pieces leads to the same strategies and gaps."""
    monkeypatch.setattr(holdem, "ROUNDS", 2)
    patience, most = 1e9, 7

    def grown(folder):
        stepper = holdem.RangeOfSkill(bots[2], response=3)
        rows = holdem._grown(Pieces(folder), 0.0, "range of skill", stepper, patience, most)
        return [(row.ours["strategies"], row.ours["gap"]) for row in rows], stepper

    whole, stepper = grown(tmp_path / "whole")
    count = Pieces(tmp_path / "whole").count
    assert count == 1 + 4
    for kept in range(2, count):
        folder = shutil.copytree(tmp_path / "whole", tmp_path / str(kept))
        for file in sorted(folder.glob("range-of-skill-part-*"), key=lambda file: int(file.name.split("-")[4]))[kept:]:
            file.unlink()
        rows, again = grown(folder)
        assert rows == whole
        for plan, other in zip(stepper.plans(), again.plans(), strict=True):
            np.testing.assert_array_equal(plan, other)


def test_quick_has_no_verdicts(bots, monkeypatch, tmp_path):
    bot = holdem.Bot(SimpleNamespace(game=None), value=0.0, exploitability=0.1, iterations=1, seconds=1.0)
    monkeypatch.setattr(holdem, "small_bot", lambda *_: bot)
    monkeypatch.setattr(holdem, "responses", lambda *_: np.zeros(3))
    monkeypatch.setattr(holdem, "build_buckets", lambda name: None)
    monkeypatch.setattr(holdem, "bucket_deals", lambda *_, **__: SimpleNamespace(name="600"))
    table, _, _ = holdem.table_1(True, Pieces(tmp_path))
    assert {cell.verdict for row in table.rows for cell in row.cells.values()} == {"not reached"}
    assert table.columns == ["5, abstracted", "5, full"]

"""The page of a store: bankrolls as they were won, a picture to scale, and the figures beneath."""

import re

import pytest

from pokerlab.records import hand_page
from pokerlab.records.hand_page import _picture, bankrolls, hands_page

pytest.importorskip("duckdb")

from pokerlab.records.store import HandStore

BLUE, ORANGE = hand_page.COLOURS[:2]


@pytest.fixture
def hands(tmp_path):
    """Ann wins 100, loses 50, and so on, in turn; a big blind is 100 chips."""
    log = tmp_path / "x.log"
    lines = [f"STATE:{n}:r300f:AcJs|3d2d:-100|100:Ben|Ann" if n % 2 else f"STATE:{n}:f:As8d|8c3h:50|-50:Ben|Ann"
             for n in range(9)]  # fmt: skip
    log.write_text("\n".join(lines) + "\n")
    with HandStore(tmp_path / "s.duckdb") as store:
        store.ingest(log)
        yield store


def test_bankrolls_add_up(hands):
    curve = bankrolls(hands, ["Ann"])["Ann"]
    assert [point[0] for point in curve] == list(range(10))
    assert [point[1] for point in curve] == pytest.approx([0, -0.5, 0.5, 0, 1, 0.5, 1.5, 1, 2, 1.5])
    both = bankrolls(hands, ["Ben", "Ann"])
    assert list(both) == ["Ben", "Ann"]
    assert both["Ben"][-1] == (9, pytest.approx(-1.5))


@pytest.mark.parametrize(
    ("points", "kept"), [(9, range(10)), (5, range(10)), (4, [0, 2, 4, 6, 8, 9]), (3, [0, 3, 6, 9]), (1, [0, 9])]
)
def test_long_curves_are_thinned_out_and_end_where_they_end(hands, monkeypatch, points, kept):
    monkeypatch.setattr(hand_page, "_POINTS", points)
    assert [point[0] for point in bankrolls(hands, ["Ann"])["Ann"]] == list(kept)


def test_four_hundred_points():
    assert hand_page._POINTS == 400


def test_a_picture_to_scale():
    """820 by 310, from the left upper corner at (70, 10): four hands, and from 3 down to -1."""
    curves = {"Ann": [(0, 0.0), (2, 3.0), (4, -1.0)], "Ben": [(0, 0.0), (3, 1.0)]}
    assert _picture(curves) == (
        '<svg viewBox="0 0 900 360" width="900" role="img" aria-label="bankrolls over hands">'
        '<line class="axis" x1="70.0" x2="890.0" y1="242.5" y2="242.5"/>\n'
        '<text x="64.0" y="324.0" text-anchor="end">-1</text>\n'
        '<text x="64.0" y="246.5" text-anchor="end">+0</text>\n'
        '<text x="64.0" y="14.0" text-anchor="end">+3</text>\n'
        '<text x="890.0" y="346.0" text-anchor="end">4 hands</text>\n'
        '<text transform="translate(14 180) rotate(-90)" text-anchor="middle">won</text>\n'
        f'<polyline fill="none" stroke="{BLUE}" stroke-width="1.5" points="70.0,242.5 480.0,10.0 890.0,320.0"/>\n'
        f'<polyline fill="none" stroke="{ORANGE}" stroke-width="1.5" points="70.0,242.5 685.0,165.0"/></svg>'
    )


def test_pictures_of_nothing():
    flat = _picture({"Ann": [(0, 0.0), (2, 0.0)]})
    assert 'points="70.0,10.0 890.0,10.0"' in flat
    assert flat.count("+0<") == 1
    empty = _picture({})
    assert "1 hands" in empty
    assert "polyline" not in empty


def test_figures_and_curves_of_those_who_play_most(hands, monkeypatch):
    rows = hands.stats()
    page = hands_page(hands, rows)
    assert page.count("<polyline") == 2
    assert re.findall(r"<td[^>]*>([^<]*)</td>", page)[:7] == [
        "Ann", "holdem-nolimit", "9", "+166.7", "mbb/h", "44.4%", "44.4%",
    ]  # fmt: skip
    assert re.findall(r"<th[^>]*>([^<]*)</th>", page) == [
        "agent", "game", "hands", "won a hand", "unit", "VPIP", "PFR",
    ]  # fmt: skip
    assert page.count("class=name") == 2 * (1 + len(rows))
    assert "<h1>Hands in s.duckdb</h1>" in page
    assert hand_page._MOST_CURVES == 8
    monkeypatch.setattr(hand_page, "_MOST_CURVES", 1)
    assert hands_page(hands, rows).count("<polyline") == 1
    assert ">-<" in hands_page(hands, [rows[0].__class__(**(vars(rows[0]) | {"mean": None}))])

"""The page of a batch in a real browser, from a file and without a server: it sorts, filters and renews its means."""

import numpy as np
import pytest

from pokerlab.refine.spots.aggregate import Aggregate, batch_of
from pokerlab.refine.spots.aggregate_page import write_report
from pokerlab.refine.spots.batch import solve_batch
from small_batch import BOARDS, TEMPLATE
from web_browser import WAIT, must_be_presentable


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    folder = tmp_path_factory.mktemp("page")
    (folder / "river.toml").write_text(TEMPLATE)
    batch = batch_of([folder / "river.toml"], BOARDS)
    told = Aggregate.of(batch, solve_batch(batch, folder / "out", iterations=50, progress=False))
    write_report(told, folder / "out")
    return told, folder / "out" / "report.html"


def test_the_page_sorts_and_filters(browser, report):
    told, file = report
    problems = []
    page = browser.new_page()
    page.set_default_timeout(WAIT)
    page.on("console", lambda said: problems.append(said.text))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto(file.as_uri())

    def column(number, part="tbody tr:not([hidden])"):
        return page.eval_on_selector_all(
            f"table.filters >> nth=1 >> {part} >> td:nth-child({number})", "all => all.map(one => one.textContent)"
        )

    each = told.decisions[1]  # in position, after a check
    for _ in range(2):  # down, then up
        page.click("table.filters >> nth=1 >> th:has-text('ev ip')")
        shown = [float(text) for text in column(9)]
        assert len(shown) == 4
        assert shown == sorted(shown, reverse=_ == 0)
    assert _means(column, each) == pytest.approx(each.mean().frequencies, abs=0.0006)
    page.select_option("select[data-filter=pairs]", "paired")
    paired = [row for row in each.rows if row.texture.pairs == "paired"]
    assert column(1, "tfoot tr") == [f"{len(paired)} boards"]
    assert len(column(1)) == len(paired) == 2
    assert _means(column, each) == pytest.approx(each.mean(paired).frequencies, abs=0.0006)
    page.fill("input[data-filter=name]", "as5")
    assert len(column(1)) == 1
    page.click("tr[data-choose=suits] >> nth=0")  # one on a texture is that filter alone
    word = page.eval_on_selector("select[data-filter=suits]", "one => one.value")
    assert len(column(1)) == sum(row.texture.suits == word for row in each.rows)
    must_be_presentable(page)
    page.close()
    assert problems == []


def _means(column, each):
    """The frequencies of the foot."""
    places = range(13, 13 + len(each.actions))
    return np.array([float(column(place, "tfoot tr")[0]) / 100 for place in places])

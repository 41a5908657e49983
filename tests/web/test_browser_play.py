"""A real browser after a hand, at the reports and at an agent that is not trained yet: what is offered, and told."""

import shutil
from pathlib import Path
from urllib.parse import quote

import numpy as np

from made_up_reports import bucket_report, paper_report
from naive_buckets import made_up
from pokerlab.abstraction.buckets.html import write_page
from pokerlab.cache import cache_folder
from pokerlab.match.tournament.play import plan_tournament, run_tournament
from pokerlab.match.tournament.report import write
from pokerlab.page import SCRIPT, page
from web_browser import Visitor
from web_client import serving

CASES = Path(__file__).parent.parent / "files" / "leduc.cases"


def test_costs_cases_reports_and_training(browser, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copy(CASES, "leduc.cases")
    plan = plan_tournament(["call", "raise"], "kuhn", 20)
    write(plan, run_tournament(plan, tmp_path / "results" / "kuhn"), tmp_path / "results" / "kuhn")
    evil = "<p id=evil>still</p><script>document.getElementById('evil').textContent = 'moved'</script>"
    rows = "<table class=sorts><thead><tr><th>a</th></tr></thead><tbody></tbody></table>"
    Path("sorted.html").write_text(page("Sorted", [rows, evil], script=SCRIPT))
    paper_report().write(tmp_path / "results")
    write_page(bucket_report(made_up(False), np.random.default_rng(2)), "buckets.html")
    (tmp_path / "cache").mkdir()
    for kept in cache_folder().iterdir() if cache_folder().is_dir() else ():
        if kept.name != "agents":  # none of them is trained
            (tmp_path / "cache" / kept.name).symlink_to(kept)
    monkeypatch.setenv("POKERLAB_CACHE", str(tmp_path / "cache"))
    with serving("--ledger", "web.sqlite") as told:
        visitor = Visitor(browser, int(told["url"].rstrip("/").rpartition(":")[2]))
        view = visitor.page
        view.check("input[value=holdem-limit]")
        view.wait_for_selector(".trainings li[data-agent=smallbot-3] .begin")
        visitor.must_be_presentable()
        visitor.sit("leduc", ["leduc.cases"])
        for number in range(5):
            while visitor.at()[2] != "true":
                before = visitor.at()
                view.click("button.call")
                visitor.moved(before)
            if number < 4:
                before = visitor.at()
                view.click(".next")
                visitor.moved(before)
        view.click(".mistakes summary")
        view.wait_for_selector(".mistakes[data-hands='5']")
        view.wait_for_selector(".free:not([hidden])")
        assert "AIVAT" in view.inner_text(".free")
        view.click(".hands li button")
        view.wait_for_selector(".review[data-hand='4'] .costed .did")
        view.click("details[open] .why")
        view.wait_for_selector(".cases tbody tr")
        visitor.must_be_presentable()
        assert visitor.problems == []
        reported(visitor)
        visitor.context.close()


def reported(visitor):
    """Reports that commands have left; what strangers put into them does not run."""
    view = visitor.page
    view.click("nav [data-place=reports]")
    view.wait_for_selector(".reports")
    visitor.must_be_presentable()
    for file, title in (
        ("results/kuhn1950.json", "kuhn1950"),
        ("buckets.html", "Buckets"),
        ("results/kuhn/index.html", "Tournament: kuhn"),
    ):
        view.click(f"a[href='#/reports/{quote(file, safe='')}']")
        view.frame_locator(".report iframe").locator(f"h1 >> text={title}").wait_for()
        visitor.must_be_presentable()
        assert visitor.problems == []
        view.click("text=All reports")
    view.click("a[href='#/reports/sorted.html']")
    inside = view.frame_locator(".report iframe")
    inside.locator("th[tabindex='0']").wait_for()  # our script has run, and a stranger's has not
    assert inside.locator("#evil").inner_text() == "still"

"""Reports of the folder: which files are taken for some, what is served of them, and that it can do no harm."""

import json
import os
import re

import pytest

from made_up_reports import paper_report
from pokerlab.match.tournament.play import plan_tournament, run_tournament
from pokerlab.match.tournament.report import write
from pokerlab.page import page
from pokerlab.papers.html import page as paper_page
from pokerlab.reading import Damage, Header, read_json
from web_client import at_home


@pytest.fixture
def folder(tmp_path, monkeypatch):
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.chdir(home)
    plan = plan_tournament(["call", "raise"], "kuhn", 20)
    write(plan, run_tournament(plan, home / "results" / "kuhn"), home / "results" / "kuhn")
    paper_report().write(home / "results")
    (home / "buckets.html").write_text(page("Buckets: <169>", ["<p>all of them</p>"]))
    (home / "stranger.html").write_text("<!DOCTYPE html><title>Buckets: mine</title>")
    (home / "stranger.json").write_text('{"papers": []}')
    (tmp_path / "secret.html").write_text(page("Secret", []))
    os.symlink(tmp_path / "secret.html", home / "link.html")
    (home / ".hidden").mkdir()
    (home / ".hidden" / "page.html").write_text(page("Hidden", []))
    return home


def test_reports_are_listed_and_served_as_they_are(folder):
    with at_home(folder) as here:
        told = {one["file"]: (one["kind"], one["title"]) for one in here.get("/api/reports")}
        assert told == {
            "results/kuhn/index.html": ("tournament", "Tournament: kuhn"),
            "results/kuhn1950.json": ("paper", "kuhn1950"),
            "buckets.html": ("page", "Buckets: <169>"),
        }
        for file in ("results/kuhn/index.html", "buckets.html"):
            assert here.get(f"/api/reports/page?file={file}").decode() == (folder / file).read_text()
        assert b"Table 9" in here.get("/api/reports/page?file=results/kuhn1950.json")
        policy = here.headers[b"content-security-policy"].decode()
        assert policy.startswith("sandbox allow-scripts; default-src 'none'; script-src 'sha256-")
        assert policy.count("sha256") == policy.count("unsafe") == 1
        assert "allow-same-origin" not in policy
        others = ("stranger.html", "link.html", ".hidden/page.html", "../secret.html", f"{folder}/buckets.html", "")
        for file in (*others, "results/kuhn/../../buckets.html", "results/kuhn/results.json"):
            assert here.ask("GET", f"/api/reports/page?file={file}")[0] == 404, file
        here.get("/")
        assert b"script-src 'self'; style-src 'self'" in here.headers[b"content-security-policy"]


def test_a_report_leads_nowhere_by_itself(folder):
    """No policy keeps a page that is opened alone from what its head may say."""
    for number, told in enumerate((
        '<meta http-equiv="refresh" content="0; url=http://evil.example/">',
        "<META\nHTTP-EQUIV=Refresh content='0; http://evil.example/'>",
        '<meta content="0; url=http://evil.example/" x=">" http-equiv = refresh>',
        '<meta http-equiv="Content-Security-Policy" content="" ><meta/Http-Equiv="refresh" content="0; url=//evil">',
    )):  # fmt: skip
        (folder / f"{number}.html").write_text(page("Buckets: mine", [told]))
        with at_home(folder) as here:
            served = here.get(f"/api/reports/page?file={number}.html").decode()
        left = re.findall(r"<meta[^<]*[\s/]http-equiv[^<]*", served, re.IGNORECASE)
        assert all("Content-Security-Policy" in one for one in left), left
        assert "evil" in served


def test_a_paper_has_published_figures_beside_ours():
    shown = paper_page(read_json(json.dumps(paper_report().as_json())))
    assert "1.02<small>paper 1.0</small>" in shown
    assert "7.5<small>paper 3.25</small>" in shown
    assert "best: differs: " in shown
    assert "&lt;b&gt;near&lt;/b&gt;" in shown
    assert "<b>near" not in shown
    assert "<td>12.3</td>" in shown
    assert "nobody has it" in shown
    assert shown.count("matches</span> 1") == shown.count("differs</span> 1") == 1
    assert "<h2>Orders</h2>" in shown
    assert "a-b" in shown


def test_damaged_papers_are_refused_in_one_line(folder):
    whole = paper_report().as_json()
    spoilt = [
        {"tables": [3]}, {"tables": {}}, {"tables": [whole["tables"][0] | {"rows": [[]]}]},
        {"tables": [whole["tables"][0] | {"columns": [1]}]},
        {"tables": [whole["tables"][0] | {"rows": [whole["tables"][0]["rows"][0] | {"ours": {"any": "x"}}]}]},
        {"tables": [whole["tables"][0] | {"rows": [whole["tables"][0]["rows"][0] | {"cells": 1}]}]},
    ]  # fmt: skip
    for wrong in spoilt:
        with pytest.raises(Damage):
            paper_page(Header(whole | wrong))
    (folder / "results" / "kuhn1950.json").write_text('{"paper": "kuhn1950", "tables":')
    with at_home(folder) as here:
        status, answer = here.ask("GET", "/api/reports/page?file=results/kuhn1950.json")
        assert status == 422
        assert "is damaged" in answer["error"]
        assert "\n" not in answer["error"]

"""A real browser plays by clicking, reloads, and sees the server go and come back; it is Debian's Chromium, if it is
there. POKERLAB_BROWSER_HANDS=100 plays so many hands of each game.
"""

import os
import random
import re
import socket

import pytest

from pokerlab.game.catalog import rules_of
from pokerlab.records.logs import read_log
from pokerlab.web.games import GAMES
from pokerlab.web.ledger import Ledger
from web_browser import Visitor
from web_client import There, serving

HANDS = int(os.environ.get("POKERLAB_BROWSER_HANDS", "3"))
MOST_BYTES = 300_000
SLOWER = ("holdem-nolimit", "holdem-limit-3p")  # tables that differ, but whose reviews are more of the same


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def test_hands_by_clicking(browser, tmp_path):
    """Of each game; a reload and a server that is killed lie in the middle. Then page, ledger and log say the same."""
    port, path, rng = free_port(), tmp_path / "web.sqlite", random.Random(6)
    visitors, tables, left = {}, {}, {}
    with serving("--ledger", str(path), "--port", str(port), code=None):
        for game in GAMES:
            visitor = visitors[game] = Visitor(browser, port)
            tables[game] = visitor.sit(game, ["random"] * (rules_of(game).players - 1))
            visitor.play(max(1, HANDS // 2), rng)
            visitor.act(rng)
            left[game] = visitor.seen()
            visitor.page.reload()
            visitor.page.wait_for_selector(".felt")
            assert visitor.seen() == left[game]
            assert visitor.problems == []
    with serving("--ledger", str(path), "--port", str(port)):
        for game, visitor in visitors.items():
            assert visitor.seen() == left[game]
            visitor.page.wait_for_selector(".table-page:not(.away)")
            visitor.problems.clear()  # that the server was away
            visitor.play(HANDS, rng)
            visitor.page.wait_for_selector(f".hands li[data-hand='{HANDS - 1}']")
            if game in SLOWER:
                visitor.must_be_presentable()
            visitor.page.click(".hands li button")
            visitor.page.wait_for_selector(".review:not([hidden]) .story")
            if game not in SLOWER:
                visitor.must_be_presentable()
            log = There(port).get(f"/api/tables/{tables[game]}/log")
            must_agree(visitor, game, path, tables[game], log)
            assert visitor.problems == []
        other = Visitor(browser, port)
        other.page.goto(visitors["leduc"].page.url)
        other.page.wait_for_selector(".felt")
        assert other.seen() == visitors["leduc"].seen()
        for visitor in (other, *visitors.values()):
            visitor.context.close()


def must_agree(visitor, game, path, table, log):
    """The page's bankroll and hands, the ledger's, and those of the log."""
    ledger = Ledger(path)
    rows = ledger.finished(table)
    ledger.close()
    (path.parent / "web.log").write_bytes(log)
    records = list(read_log(path.parent / "web.log", rules_of(game)))
    won, shown = sum(row.chips for row in rows), visitor.page.inner_text(".total")
    assert len(rows) == len(records) == HANDS
    assert len(visitor.page.query_selector_all(".hands li")) == min(20, HANDS) or HANDS > 20
    assert float(re.sub("[^0-9.]", "", shown)) * (-1 if "\u2212" in shown else 1) == pytest.approx(won, abs=0.05)
    assert sum(record.payoffs[record.names.index("Ann")] for record in records) == pytest.approx(won)


def test_the_page_is_small_fits_a_phone_and_needs_nothing_from_elsewhere(browser, tmp_path):
    with serving("--ledger", str(tmp_path / "web.sqlite")) as told:
        port = int(told["url"].rstrip("/").rpartition(":")[2])
        visitor = Visitor(browser, port, 390, 844, has_touch=True, is_mobile=True)
        assert visitor.page.evaluate("location.hash") == "#/"  # else the lobby is drawn twice
        table = visitor.sit("holdem-nolimit", ["call"])
        visitor.page.wait_for_selector(".curve")
        assert all(url.startswith((f"http://127.0.0.1:{port}/", "data:")) for url in visitor.bytes)
        files = {url: answer for url, answer in visitor.bytes.items() if "/api/" not in url}
        assert 5 < sum(len(answer.body()) for answer in files.values()) / 1000 < MOST_BYTES / 1000
        wide = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
        assert visitor.page.evaluate(wide)
        before = visitor.at()
        visitor.page.tap("button.call")
        visitor.moved(before)
        small = visitor.page.eval_on_selector_all(
            ".actions button", "all => all.map((one) => one.getBoundingClientRect().height).filter((high) => high < 30)"
        )
        assert small == []
        visitor.page.goto(f"http://127.0.0.1:{port}/#/")
        visitor.page.wait_for_selector(f"a[href='#/table/{table}']")
        visitor.must_be_presentable()
        assert visitor.page.evaluate(wide)
        visitor.page.goto(f"http://127.0.0.1:{port}/#/table/nowhere")
        visitor.page.wait_for_selector("main .problem >> text=there is no table 'nowhere'")
        visitor.must_be_presentable()
        visitor.context.close()

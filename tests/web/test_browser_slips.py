"""Slips of a hand, names without end and a server that goes away: the page does what was meant, and says the rest."""

import random
import re

import pytest

from web_browser import PHONE, Visitor
from web_client import There, play, serving

OVERFLOW = """all => all.map((seat) => seat.querySelector('.name').getComputedTextLength()
    - seat.querySelector('.plate').width.baseVal.value).filter((more) => more > 0)"""


def port_of(told):
    return int(told["url"].rstrip("/").rpartition(":")[2])


@pytest.fixture(scope="module")
def port(tmp_path_factory):
    with serving("--ledger", str(tmp_path_factory.mktemp("web") / "web.sqlite")) as told:
        yield port_of(told)


def opened(browser, port, game, agents):
    """A visitor at a new table."""
    visitor = Visitor(browser, port)
    visitor.sit(game, agents)
    return visitor


def must_stay(visitor, slip, button="button.call"):
    """After a slip nothing is on its way, and nothing has been done."""
    before = visitor.at()
    slip()
    assert visitor.page.is_enabled(button)
    assert visitor.at() == before


def test_second_clicks_and_held_keys_do_nothing(browser, port):
    """Caps Lock does not matter, either."""
    visitor = opened(browser, port, "holdem-limit", ["call"])
    page, mouse, keys = visitor.page, visitor.page.mouse, visitor.page.keyboard

    def moves(act):
        before = visitor.at()
        act()
        visitor.moved(before)

    def click(count):
        mouse.down(click_count=count)
        mouse.up(click_count=count)

    page.hover("button.call")
    moves(lambda: click(1))
    must_stay(visitor, lambda: click(2))
    moves(lambda: keys.down("c"))
    must_stay(visitor, lambda: keys.down("c"))
    keys.up("c")
    while visitor.at()[2] != "true":
        moves(lambda: keys.press("C"))
    page.hover(".next")
    must_stay(visitor, lambda: click(2), ".next")
    moves(lambda: click(1))
    page.hover("button.call")
    must_stay(visitor, lambda: click(2))
    assert visitor.problems == []
    visitor.context.close()


def test_the_raise_is_what_its_button_says(browser, port):
    visitor = opened(browser, port, "holdem-nolimit", ["call"])
    page = visitor.page
    for typed in ("1", "", "999999"):
        page.wait_for_selector("button.raise:enabled")
        page.fill(".sizes .amount", typed)
        said = re.search(r"[\d,]+", page.inner_text("button.raise")).group().replace(",", "")
        before, table = visitor.at(), f"/api/tables/{page.url.rpartition('/')[2]}"
        page.click("button.raise")
        visitor.moved(before)
        story = There(port).get(table)["story"]
        assert [step["words"].split()[-1] for step in story if step["action"].startswith("r")][-1] == said
    assert visitor.problems == []
    luck_catches_up(page)
    assert visitor.problems == []
    visitor.context.close()


def luck_catches_up(page):
    """A figure that is behind is asked for again."""
    asked = 0

    def slowly(route):
        nonlocal asked
        told = route.fetch().json()
        told |= {"way": "cards", "without_luck": {**told["bankroll"], "hands": told["hands"] - (asked == 0)}}
        asked += 1
        route.fulfill(json=told)

    page.route("**/curve", slowly)
    page.reload()
    page.wait_for_selector(".free >> text=/, 0 hands/")
    page.wait_for_selector(".free:not(:has-text(', 0 hands'))")


def test_hands_are_listed_once_and_told_to_you(browser, port):
    visitor = opened(browser, port, "kuhn", ["call"])
    page, there = visitor.page, There(port)
    page.wait_for_selector(".curve")
    assert page.title() == "Kuhn poker against call \u00b7 pokerlab"
    assert not page.is_visible("text=older hands")
    state = there.post("/api/tables", {"game": "kuhn", "agents": ["call"]})
    play(there, state, 45, random.Random(1))
    page.goto(f"http://127.0.0.1:{port}/#/table/{state['table']}")
    page.wait_for_selector(".hands li[data-hand='25']")
    page.eval_on_selector("text=older hands", "button => { button.click(); button.click(); }")
    page.wait_for_selector(".hands li[data-hand='0']")
    hands = page.eval_on_selector_all(".hands li", "all => all.map((one) => Number(one.dataset.hand))")
    assert hands == list(range(44, -1, -1))
    page.click(".hands li button")
    page.wait_for_selector(".story")
    assert re.search(r"\byou (check|bet|call|fold)\b", page.inner_text(".story"))
    assert re.search(r"\bcall (check|bet|call|fold)s\b", page.inner_text(".story"))
    for nothing in ("table", "solve"):
        page.goto(f"http://127.0.0.1:{port}/#/{nothing}/")
        page.wait_for_selector(f"main .problem >> text=There is no such {nothing}")
    assert visitor.problems == []
    visitor.context.close()


def test_names_stay_on_their_plates(browser, port):
    long = "|".join(["call"] * 55)
    state = There(port).post(
        "/api/tables",
        {
            "game": "holdem-limit-3p",
            "agents": ["ensemble:random|random|random", f"ensemble:{long}"],
            "player": "W" * 40,
        },
    )
    visitor = Visitor(browser, port)
    page = visitor.page
    page.goto(f"http://127.0.0.1:{port}/#/table/{state['table']}")
    for size in (page.viewport_size, PHONE):
        page.set_viewport_size(size)
        page.reload()
        page.wait_for_selector(".felt")
        assert page.eval_on_selector_all(".seat", OVERFLOW) == []
        titles = page.eval_on_selector_all(".seat > title", "all => all.map((one) => one.textContent)")
        assert sorted(titles) == sorted(state["view"]["names"])
        assert page.locator("h1").bounding_box()["height"] < 60
        assert page.get_attribute("h1", "title").endswith(long.replace("|", "/"))
    visitor.context.close()


def test_the_page_says_that_the_server_is_away_and_goes_on(browser, tmp_path):
    words = ("--ledger", str(tmp_path / "web.sqlite"))
    with serving(*words, code=None) as told:
        port = port_of(told)
        player, other = opened(browser, port, "leduc", ["call"]), Visitor(browser, port)
        other.page.wait_for_selector(".lobby")
        before = player.at()
    player.page.wait_for_selector("#away >> text=does not answer")
    player.page.click("button.call")
    player.page.wait_for_selector("#notice >> text=does not answer")
    other.page.click("nav [data-place=look]")
    other.page.wait_for_selector("#away >> text=goes on by itself")
    with serving(*words, "--port", str(port)):
        for visitor in (player, other):
            visitor.page.wait_for_selector("#away", state="hidden")
        other.page.wait_for_selector(".make-one")
        assert other.page.title() == "Spots \u00b7 pokerlab"
        player.page.wait_for_selector(".table-page:not(.away)")
        player.page.click("button.call:enabled")
        player.moved(before)
        for visitor in (player, other):
            visitor.context.close()

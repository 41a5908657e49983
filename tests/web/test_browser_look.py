"""A real browser makes a spot from nothing, solves it, and walks it; what it shows is what the commands print."""

import json

import pytest
from click.testing import CliRunner

from naive_buckets import made_up
from pokerlab.abstraction.buckets.lookup import load_buckets
from pokerlab.cards.deck import Deck
from pokerlab.cards.holes import class_name, classes
from pokerlab.cards.ranges import Range
from pokerlab.cli import main
from pokerlab.refine.spots.spot import read_spot
from web_browser import PHONE, SOLVED, Visitor
from web_client import serving

# Of sockets that are still on their way when the page is left.
LEAVE_AT_ONCE = """async () => {
  const { Live } = await import("/api.js");
  for (let i = 0; i < 20; i += 1) new Live("/api/trainings/live", () => {}, () => {}).close();
}"""

# Whether a button reached by keys stays while more is told of a spot that is solved and of an agent in training
STAYS = """async () => {
  const [{ Solving }, { Trainings }] = await Promise.all([import("/solves.js"), import("/training.js")]);
  const goal = { exploitability: 1, iterations: null, seconds: 60 }, recipes = [{ agent: "one", about: "" }];
  const told = (seconds) => ({
    number: 1, name: "one", state: "solving", stage: "walks", goal, seconds, iterations: 10 * seconds,
    exploitability: 5, trace: [], file: null, error: null,
  });
  const solving = new Solving([], () => {}), trainings = new Trainings(() => {});
  const stays = (element, hear) => {
    document.body.append(element);
    hear(told(1));
    const button = element.querySelector(".stop");
    button.focus();
    hear(told(2));
    const there = document.activeElement === button && element.querySelector(".far").textContent.includes("20");
    element.remove();
    return there;
  };
  trainings.show({ recipes });
  solving.close();
  return [
    stays(solving.element, (one) => solving.hear(one)),
    stays(trainings.element, (one) => { trainings.hear(one); trainings.draw(); }),
  ];
}"""


@pytest.fixture(scope="module")
def port(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("web"))
        made_up(False).save("some.buckets")
        with serving("--ledger", "web.sqlite") as told:
            yield int(told["url"].rstrip("/").rpartition(":")[2])


def dragged(page, first, last):
    """Paint the kinds from one cell to another in the range that is open."""
    boxes = [page.locator(f"[data-range]:not([hidden]) [data-kind='{kind}']").bounding_box() for kind in (first, last)]
    (x, y), (to_x, to_y) = [(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) for box in boxes]
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(to_x, to_y)  # at once, as a fast hand does
    page.mouse.up()


def range_becomes(page, text):
    """The text of the range that is open is the shortest for this."""
    page.wait_for_function(
        "text => document.querySelector('[data-range]:not([hidden]) textarea').value === text",
        arg=Range.parse(text).text(),
    )


def made(visitor, name):
    """A turn, by clicking, painting and writing."""
    page = visitor.page
    page.click("nav [data-place=look]")
    page.wait_for_selector(".make-one")
    visitor.must_be_presentable()
    page.click(".make-one")
    for card in ("Qs", "Jh", "2h", "4c"):
        page.click(f".picker [data-card='{card}'][aria-pressed=true]")
    for card in ("Kd", "8h", "8c", "3s"):
        page.click(f".picker [data-card='{card}']")
    for size, text in (
        ("turn.oop.bet", "75%"),
        ("turn.ip.bet", "75%"),
        ("river.oop.bet", ""),
        ("river.ip.bet", "100%"),
    ):
        page.fill(f"[data-size='{size}']", text)
    page.fill("#pot", "100")
    page.fill("#stack-oop", "150")
    page.fill("#stack-ip", "150")
    page.click("[data-range=oop] >> text=none")
    range_becomes(page, "")
    dragged(page, "AA", "TT")
    range_becomes(page, "AA-TT")
    page.fill("[data-range=oop] input[type=range]", "50")
    dragged(page, "AKs", "AQs")
    range_becomes(page, "AA-TT,AKs-AQs:0.5")
    page.click("#tab-ip")
    page.fill("[data-range=ip] textarea", "99-77, KQs")
    page.keyboard.press("Tab")
    range_becomes(page, "99-77, KQs")
    page.fill("#name", name)
    page.fill("#goal", "1.5")


def test_a_spot_is_made_solved_and_walked(browser, port):
    visitor = Visitor(browser, port)
    page = visitor.page
    made(visitor, "my turn")
    page.fill("#pot", "0")
    page.keyboard.press("Tab")
    page.wait_for_selector("[data-field=pot]:not([hidden]) >> text=positive")
    assert all("422" in problem for problem in visitor.problems)
    visitor.problems.clear()
    page.fill("#pot", "100")
    page.keyboard.press("Tab")
    page.wait_for_selector(".weight >> text=decisions")
    visitor.must_be_presentable()
    only_what_is_shown(visitor)
    page.fill("[data-range=ip] textarea", "99-77, KQs, AcKc:0.25")  # and no Tab: it is read when it is solved
    page.click(".go")
    page.wait_for_selector(".solve[data-state=done]", timeout=SOLVED)
    page.wait_for_selector(".solve .curve")
    visitor.must_be_presentable()
    kept = read_spot("my turn.toml")
    assert (kept.pot, kept.stacks, kept.name) == (100, (150, 150), "my turn")
    assert kept.ranges == (Range.parse("AA-TT, AKs-AQs:0.5"), Range.parse("99-77, KQs, AcKc:0.25"))
    page.click(".look-at")
    line = []
    for word in ("check", "check", "7d", "check"):
        before = page.url
        page.wait_for_selector(".look")
        if word == "7d":
            page.wait_for_selector(".deck.told")
            visitor.must_be_presentable()
        page.click(f"[data-card='{word}']" if word == "7d" else f".move:has-text('{word}')")
        line.append(word)
        page.wait_for_function("old => location.href !== old", arg=before)
        page.wait_for_selector(f".crumbs a:nth-child({len(line) + 1})")
    printed = CliRunner().invoke(main, ["spot", "my turn.solution", "--json", "--line", ", ".join(line)])
    assert printed.exit_code == 0, printed.output
    node = json.loads(printed.stdout)["node"]
    shown = page.eval_on_selector_all(
        ".chart g[data-kind]", "all => all.map((one) => [one.dataset.kind, one.textContent])"
    )
    for kind, words in shown:
        assert ("of the range" in words) == (kind in node["hands"])
    assert page.eval_on_selector_all(".move", "all => all.map((one) => one.innerText.replace(/\\s+/g, ' '))") == [
        f"{action} {100 * often:.1f} %" for action, often in zip(node["actions"], node["frequencies"], strict=True)
    ]
    broken_down(page, node)
    page.set_viewport_size(PHONE)
    assert page.eval_on_selector(".breakdown .wide", "table => table.scrollWidth <= table.clientWidth")
    page.set_viewport_size({"width": 1280, "height": 800})
    visitor.must_be_presentable()
    visitor.page.goto(f"http://127.0.0.1:{port}/#/look/my%20turn.solution/check")
    page.wait_for_function("() => document.querySelectorAll('.crumbs a').length === 2")  # else that goes away
    locked_and_compared(visitor)
    assert visitor.problems == []
    visitor.context.close()


def only_what_is_shown(visitor):
    """Nothing is solved that is not what the page shows: a range that cannot be read, a file that was not taken."""
    page = visitor.page
    page.click("#tab-oop")  # of the other one
    page.fill("[data-range=oop] textarea", "AA, ZZ")
    page.click("#tab-ip")
    page.click(".go")
    page.wait_for_selector("[data-field='']:not([hidden]) >> text=out of position cannot be read")
    assert page.is_visible("[data-range=oop] textarea")
    assert all("422" in problem for problem in visitor.problems)
    visitor.problems.clear()
    page.fill("[data-range=oop] textarea", "AA-TT, AKs-AQs:0.5")
    page.keyboard.press("Tab")
    range_becomes(page, "AA-TT, AKs-AQs:0.5")
    page.click("summary >> text=The file")
    page.fill(".file", f"rake = 0.05\n{page.input_value('.file')}")
    page.click(".go")
    page.wait_for_selector("[data-field='']:not([hidden]) >> text=take it first")
    page.click(".take")
    page.wait_for_selector(".limits[open]")
    assert page.input_value("#rake") == "5"
    for rake, line in (("2.9", "rake = 0.029\n"), ("", "[oop]")):
        page.fill("#rake", rake)
        page.keyboard.press("Tab")
        assert line in page.input_value(".file")
    assert "rake" not in page.input_value(".file")
    page.click("#tab-ip")


def broken_down(page, node):
    """A cell's hands are those of the command, by their suits."""
    mine = node["combos"][node["player"]]
    kind = mine["kind"][-1]
    page.click(f".chart [data-kind='{kind}']")
    page.wait_for_selector(f".breakdown h2:has-text('{kind}')")
    rows = page.eval_on_selector_all(
        ".breakdown tr[data-hand]",
        "all => all.map((one) => [one.dataset.hand, one.querySelector('.strip').getAttribute('aria-label')])",
    )
    expected = [
        (hand, [(action, mine[action][i]) for action in node["actions"] if mine[action][i] > 0.0005])
        for i, hand in enumerate(mine["hand"])
        if mine["kind"][i] == kind
    ]
    assert [hand for hand, _ in rows] == [hand for hand, _ in expected]
    for (_, said), (_, odds) in zip(rows, expected, strict=True):
        assert [part.rpartition(" ")[0].rpartition(" ")[0] for part in said.split(", ")] == [name for name, _ in odds]
        for part, (_, often) in zip(said.split(", "), odds, strict=True):
            assert float(part.split(" ")[-2]) == pytest.approx(100 * often, abs=0.51)


def locked_and_compared(visitor):
    """The player in position checks its nines, whatever they think of it; solved again, that is what is shown."""
    page = visitor.page
    page.click(".lock")
    page.click("[data-brush=check]")
    page.click(".range-grid [data-kind='99']")
    page.wait_for_function("() => document.querySelector('#name').value === 'my turn locked'")
    page.fill("#part-0", "60")
    page.fill("#part-1", "60")
    page.click(".solve-again")
    page.wait_for_selector(".problem >> text=120 % together")
    page.fill("#part-1", "")
    page.wait_for_selector(".sum >> text=has the 40 % that are left")
    visitor.must_be_presentable()
    page.fill("#goal", "3")
    page.click(".solve-again")
    page.wait_for_selector(".solve[data-state=done]", timeout=SOLVED)
    assert page.title() == "my turn locked \u00b7 pokerlab"
    every, nines = read_spot("my turn locked.toml").locks
    assert list(every.play.values()) == [0.6, 0.4]
    assert nines.play == {"check": Range.parse("99")}
    page.click(".look-at")
    page.wait_for_selector("#beside")
    page.click(".move:has-text('check')")
    page.wait_for_selector(".crumbs a:nth-child(2)")
    page.select_option("#beside", "my turn.solution")
    page.wait_for_selector("h1:has-text('my turn locked \u2192 my turn')")
    page.click("[data-choice=check]")
    visitor.must_be_presentable()
    said = page.locator(".chart [data-kind='99'] title").text_content()
    words = ["spot", "my turn.solution", "--compare", "my turn locked.solution", "--json", "--line", "check"]
    hands = json.loads(CliRunner().invoke(main, words).stdout)["comparison"]["hands"]
    nines = [i for i, kind in enumerate(hands["kind"]) if kind == "99"]
    assert {round(hands["check before"][i], 3) for i in nines} == {1.0}
    changes = [100 * hands["check change"][i] for i in nines]
    assert min(changes) - 0.06 <= float(said.split()[1].replace("\u2212", "-")) <= max(changes) + 0.06


def test_strategies_trees_and_charts_are_shown(browser, port):
    visitor = Visitor(browser, port)
    page = visitor.page
    page.evaluate(LEAVE_AT_ONCE)
    assert page.evaluate(STAYS) == [True, True]
    page.click("nav [data-place=look]")
    page.select_option("#agent-game", "leduc")
    page.fill("#agent-spec", "uniform")
    page.click(".tree")
    page.wait_for_selector(".tree-list .bars")
    assert len(page.query_selector_all(".tree-list .bars")) > 50
    visitor.must_be_presentable()
    page.goto(f"http://127.0.0.1:{port}/#/look")
    page.select_option("#agent-game", "holdem-limit")
    page.fill("#agent-spec", "uniform")
    page.click(".walk-agent")
    for step in ("call 5", "check"):
        page.click(f".move:has-text('{step}')")
    page.wait_for_selector(".deck")
    visitor.must_be_presentable()
    for card in ("Qs", "7h", "2c"):
        page.click(f".deck [data-card='{card}']")
    page.wait_for_selector(".board-line >> text=7")
    page.click(".chart [data-kind='AKs']")
    page.wait_for_selector(".breakdown h2:has-text('AKs')")
    shown = page.locator(".breakdown tr[data-hand='AsKs'] .strip").get_attribute("aria-label")
    assert shown == "check 50 %, bet 10 50 %"
    visitor.must_be_presentable()
    page.goto(f"http://127.0.0.1:{port}/#/jamfold/8")
    page.wait_for_selector("[data-chart=call] .chart")
    visitor.must_be_presentable()
    assert visitor.problems == []
    visitor.context.close()


def test_buckets_are_shown(browser, port):
    """A card abstraction before the flop and on one, as the command tells it; who shares a bucket stands out."""
    visitor = Visitor(browser, port)
    page = visitor.page
    page.click("nav [data-place=look]")
    page.wait_for_selector("#bucket-cards option >> nth=0", state="attached")
    page.click(".see-buckets")
    page.wait_for_selector(".buckets-page .chart")
    for card in ("Qs", "Jh", "2h"):
        page.click(f".picker [data-card='{card}']")
    page.wait_for_selector(".crumbs")
    printed = CliRunner().invoke(
        main, ["buckets", "show", "some.buckets", "--hand", "AsKs", "--board", "QsJh2h", "--json"]
    )
    said = json.loads(printed.stdout)["rows"][-1]
    page.focus(".chart [data-kind='AA']")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.wait_for_selector(".breakdown h2:has-text('AKs')")
    assert page.evaluate("() => document.activeElement.dataset.kind") == "AKs"
    row = page.locator(".breakdown tr[data-hand='AsKs']").inner_text().split()
    assert row[1:] == [str(said["bucket"]), f"{said['strength']:.3f}"]
    mine = f".long [data-bucket='{said['bucket']}']"
    if page.get_attribute(mine, "aria-pressed") != "true":  # another bucket has more of its hands
        page.click(mine)
    cards = load_buckets("some.buckets")
    buckets = cards.board_buckets(Deck().cards("QsJh2h"))
    sharing = {class_name(int(kind)) for kind in classes()[buckets == said["bucket"]]}
    shown = page.eval_on_selector_all(".chart g[data-kind]:has(.note)", "all => all.map((one) => one.dataset.kind)")
    assert set(shown) == sharing
    assert f"{(buckets == said['bucket']).sum()} hands here" in page.inner_text(".decision")
    visitor.must_be_presentable()
    assert visitor.problems == []
    visitor.context.close()

"""A visitor of the page in a real browser, by Playwright; Debian's Chromium is found by its name."""

from __future__ import annotations

import re
import shutil

PHONE = {"width": 390, "height": 844}
# What differs between light and dark, and cells of charts, of which all but the first rows are more of the same.
COLOURS = {"runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}}
ALL_BUT_CELLS = {"exclude": [[".chart g[data-kind]:nth-of-type(n+30)"]]}
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
WAIT = 240_000  # milliseconds, on a busy machine
SOLVED = 900_000  # kernels may have to be compiled first, by a process that lets others go first


def must_be_presentable(page):
    """As axe-core sees a page and its frames, on a phone and in the dark: nothing serious or critical. Nothing is wider
    than the screen, and nowhere are words that no person wrote.
    """
    grave, before = [], page.viewport_size
    for colours, size, options in (("light", PHONE, {}), ("dark", before, COLOURS)):
        page.set_viewport_size(size)
        page.emulate_media(color_scheme=colours)
        grave += [f"{colours}: {finding}" for frame in page.frames for finding in _grave(frame, options)]
        wide = page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 0, (page.url, size)
    page.emulate_media(color_scheme="light")
    assert grave == [], "\n".join(grave)
    strange = re.findall(r"\b(?:undefined|NaN|null|false|object Object)\b", page.inner_text("body"))
    assert strange == []


def _grave(frame, options):
    from axe_playwright_python.base import AXE_SCRIPT

    if not frame.evaluate("() => Boolean(window.axe)"):
        frame.evaluate(AXE_SCRIPT)
    told = frame.evaluate(
        "([about, options]) => axe.run(about, { resultTypes: ['violations'], ...options })", [ALL_BUT_CELLS, options]
    )
    return [
        f"{one['id']}: {node['html'][:200]} {node['failureSummary']}"
        for one in told["violations"]
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"]
    ]


class Visitor:
    """A page with what went wrong in it."""

    def __init__(self, browser, port, width=1280, height=800, **more):
        self.context = browser.new_context(viewport={"width": width, "height": height}, reduced_motion="reduce", **more)
        self.context.set_default_timeout(WAIT)
        self.page, self.port, self.problems, self.bytes = self.context.new_page(), port, [], {}
        self.page.on("console", lambda said: said.type in ("error", "warning") and self.problems.append(said.text))
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("response", lambda answer: self.bytes.setdefault(answer.url, answer))
        self.page.goto(f"http://127.0.0.1:{port}/")

    def sit(self, game, agents):
        self.page.goto(f"http://127.0.0.1:{self.port}/#/")
        self.page.check(f"input[value={game}]")
        for number, spec in enumerate(agents):
            self.page.fill(f"#agent-{number}", spec)
        self.page.fill("#player", "Ann")
        self.page.click(".sit")
        self.page.wait_for_selector(".table-page[data-hand]")
        return self.page.url.rpartition("/")[2]

    def must_be_presentable(self):
        """What the page shows now is accessible, light and dark, and fits a phone."""
        must_be_presentable(self.page)

    def at(self):
        """(hand, actions, whether it is over), as the page has them."""
        return tuple(
            self.page.eval_on_selector(".table-page", "one => [one.dataset.hand, one.dataset.at, one.dataset.over]")
        )

    def moved(self, before):
        self.page.wait_for_function(
            "before => { const at = document.querySelector('.table-page').dataset;"
            " return [at.hand, at.at, at.over].join() !== before; }", arg=",".join(before), polling=20,
        )  # fmt: skip

    def act(self, rng):
        """Click, or press a key, of what can be done now."""
        before = self.at()
        if before[2] == "true":
            self.page.click(".next") if rng.random() < 0.5 else self.page.keyboard.press("n")
        else:
            names = [name for name in ("fold", "call", "raise") if self.page.is_enabled(f"button.{name}")]
            if self.page.query_selector(".sizes") and rng.random() < 0.5:
                self.page.click(rng.choice([".fractions button:nth-child(1)", ".fractions button:nth-child(3)"]))
            name = rng.choice(["call", *names])
            if rng.random() < 0.3:
                self.page.keyboard.press(name[0])
            else:
                self.page.click(f"button.{name}")
        self.moved(before)

    def play(self, hands, rng):
        """Until so many hands are over."""
        while True:
            hand, _, over = self.at()
            if over == "true" and int(hand) + 1 >= hands:
                return
            self.act(rng)

    def seen(self):
        cards = self.page.eval_on_selector_all(".felt [data-card]", "cards => cards.map((one) => one.dataset.card)")
        return self.at(), cards, self.page.inner_text(".total"), self.page.inner_text(".spoken")

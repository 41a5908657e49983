"""A visitor of the page in a real browser, by Playwright; Debian's Chromium is found by its name."""

from __future__ import annotations

import shutil

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
WAIT = 240_000  # milliseconds, on a busy machine


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

    def must_be_accessible(self):
        """As axe-core sees the page that is shown: nothing serious or critical."""
        from axe_playwright_python.sync_playwright import Axe

        grave = [
            f"{one['id']}: {node['html'][:200]} {node['failureSummary']}"
            for one in Axe().run(self.page).response["violations"]
            if one["impact"] in ("serious", "critical")
            for node in one["nodes"]
        ]
        assert grave == [], "\n".join(grave)

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

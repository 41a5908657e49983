"""One browser for all tests of the page."""

import pytest

from web_browser import CHROMIUM, WAIT


@pytest.fixture(scope="session")
def browser():
    if CHROMIUM is None:
        pytest.skip("no Chromium is installed: the page was not tried in a browser")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is missing: no browser was started")
    with playwright.sync_playwright() as tools:
        started = tools.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"], timeout=2 * WAIT
        )
        yield started
        started.close()

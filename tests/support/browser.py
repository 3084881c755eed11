"""A fixture that starts a headless browser. A conftest.py imports it, and the fixture `installed`."""

import shutil
import sys

import pytest

from browser_tab import LIMIT_MS


# Playwright runs an event loop in this thread until it ends, so it must end before other tests use asyncio.
@pytest.fixture(scope="module")
def chromium(installed):
    """A running browser. Playwright is in an environment of its own, made with this interpreter."""
    packages = next(installed("browser").parents[1].glob("lib/python3*/site-packages"))
    sys.path.append(str(packages))
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=LIMIT_MS)
    with sync_playwright() as playwright:
        program = shutil.which("chromium-headless-shell")
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def context(chromium):
    """A window of the browser, with cookies and a cache of its own."""
    context = chromium.new_context(viewport={"width": 1600, "height": 1000})
    yield context
    context.close()


@pytest.fixture
def expect(chromium):
    """Playwright's assertions, which wait for their condition."""
    from playwright.sync_api import expect as found

    return found

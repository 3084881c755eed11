"""A headless browser, the built pages, and a made-up portal that serves them."""

import pathlib
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]
from browser import chromium, context, expect  # noqa: E402, F401
from installed import installed  # noqa: E402, F401
from machine import BIN, Machine  # noqa: E402

from browser_tab import Tab  # noqa: E402
from fake_portal import FakePortal  # noqa: E402

PAGES = BIN.parents[1] / "portal"  # the build writes the pages beside the programs


@pytest.fixture
def machine(tmp_path):
    machine = Machine(tmp_path / "home")
    yield machine
    machine.close()


@pytest.fixture
def portal():
    assert (PAGES / "index.html").is_file(), f"{PAGES} has no pages; build them with ./dev build"
    fake = FakePortal(PAGES)
    yield fake
    fake.close()


@pytest.fixture
def tab(chromium, portal):
    """tab(width=..., theme=...) opens a tab. At the end no tab may have console messages; `allow` names exceptions."""
    contexts, tabs = [], []

    def open_tab(width=1600, height=1000, theme="light", allow=()):
        context = chromium.new_context(viewport={"width": width, "height": height}, color_scheme=theme)
        contexts.append(context)
        tabs.append((Tab(context, portal.url), allow))
        return tabs[-1][0]

    yield open_tab
    for context in contexts:
        context.close()
    for opened, allow in tabs:
        unexpected = [message for message in opened.messages if not any(part in message for part in allow)]
        assert not unexpected, "\n".join(unexpected)

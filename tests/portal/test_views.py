"""Every view, in both themes, on a phone and on a wide screen: accessible, quiet, and not wider than the screen."""

import pytest

RUNNING, FAILED = "howdah-20261121-064502-x7k2", "howdah-20261121-064505-x7k2"
HOSTILE = "howdah-20261121-064520-x7k2"

VIEWS = {
    "jobs": "/",
    "jobs without folding": "/?fold=0",
    "filtered": "/?q=state:RUNNING",
    "no match": "/?q=nothing",
    "running": f"/jobs/{RUNNING}",
    "failed": f"/jobs/{FAILED}",
    "hostile": f"/jobs/{HOSTILE}",
    "tasks": f"/jobs/{RUNNING}?tab=tasks&task=worker:1",
    "attempts": f"/jobs/{FAILED}?tab=tasks&attempts=all",
    "log": f"/jobs/{RUNNING}?tab=logs&follow=0",
    "wrapped log": f"/jobs/{RUNNING}?tab=logs&wrap=1&follow=0",
    "log search": f"/jobs/{RUNNING}?tab=logs&follow=0&find=epoch",
    "metrics": f"/jobs/{RUNNING}?tab=metrics",
    "charts": f"/jobs/{RUNNING}?tab=charts",
    "log scale": f"/jobs/{RUNNING}?tab=charts&y=log&smooth=0.5&x=relative",
    "timeline": f"/jobs/{RUNNING}?tab=timeline",
    "advice of a job": f"/jobs/{RUNNING}?tab=advice",
    "no advice": f"/jobs/{FAILED}?tab=advice",
    "config": f"/jobs/{RUNNING}?tab=config",
    "events": f"/jobs/{RUNNING}?tab=events",
    "selected": f"/?sel={RUNNING},{FAILED}",
    "comparison": f"/compare?ids={RUNNING},{FAILED},{HOSTILE},missing",
    "comparison by time": f"/compare?ids={RUNNING},{FAILED}&x=time&y=log",
    "comparison of nothing": "/compare",
    "series": "/names/resnet50",
    "series of nothing": "/names/nothing",
    "re-run": f"/rerun/{FAILED}",
    "cluster": "/cluster",
    "nodes by label": "/cluster?group=label",
    "queue": "/cluster/queues/root",
    "leaf queue": "/cluster/queues/root.prod",
    "node": "/cluster/nodes/node3",
    "goodput": "/goodput",
    "goodput by day": "/goodput?by=day&since=30d",
    "advice": "/advice",
    "one check": "/advice/memory-over",
    "notebooks": "/notebooks",
    "about": "/about",
    "unknown page": "/nothing",
}


def check(tab, path, theme, width):
    opened = tab(width=width, theme=theme)
    page = opened.open(path)
    assert opened.violations() == []
    assert page.evaluate("() => document.documentElement.scrollWidth") <= width, "the page is wider than the screen"


@pytest.mark.parametrize("width", [360, 1600])
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("path", VIEWS.values(), ids=VIEWS.keys())
def test_view_has_no_violation_and_no_console_message(tab, path, theme, width):
    check(tab, path, theme, width)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("number", range(7))
def test_job_in_each_state(tab, portal, number, theme):
    check(tab, f"/jobs/{portal.jobs[number]['id']}", theme, 360)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_portal_without_jobs(tab, portal, theme):
    portal.jobs.clear()
    check(tab, "/", theme, 360)


@pytest.mark.parametrize("tab_name", ["logs", "timeline", "charts", "metrics", "tasks"])
def test_job_that_has_nothing_yet(tab, portal, tab_name):
    opened = tab(allow=["Failed to load resource"])
    opened.open(f"/jobs/{portal.jobs[0]['id']}?tab={tab_name}")
    assert opened.violations() == []


@pytest.mark.parametrize("state", ["failing", "loading"])
def test_cluster_that_does_not_answer(tab, portal, state):
    setattr(portal.cluster, state, True)
    check(tab, "/cluster", "dark", 360)


@pytest.mark.parametrize("dialog", ["Kill…", "Scale…", "Keyboard help"])
def test_dialogs(tab, dialog):
    opened = tab(width=360)
    page = opened.open(f"/jobs/{RUNNING}")
    page.get_by_role("button", name=dialog).click()
    page.get_by_role("dialog").wait_for()
    assert opened.violations() == []


def test_column_menu(tab):
    opened = tab(width=360)
    page = opened.open("/")
    page.get_by_text("Columns", exact=True).click()
    page.get_by_role("checkbox", name="Framework").wait_for()
    assert opened.violations() == []

"""A job's page in a browser: live state, actions, tasks, charts, failures of single parts."""

import re

import pytest

from browser_tab import LIMIT_MS
from fake_jobs import HOSTILE

RUNNING, FAILED = "howdah-20261121-064502-x7k2", "howdah-20261121-064505-x7k2"


def test_state_changes_without_reload(tab, portal, expect):
    page = tab().open(f"/jobs/{RUNNING}")
    expect(page.get_by_text("● live")).to_be_visible()
    portal.change_job(
        RUNNING, state="FAILED", reason="worker:1 failed with exit code 7", finished="2026-11-21T07:45:13.000Z"
    )
    expect(page.locator(".lead")).to_contain_text("FAILED")
    expect(page.locator(".reason-line")).to_have_text("worker:1 failed with exit code 7")
    expect(page.get_by_role("button", name="Kill…")).to_have_count(0)


def test_change_outlives_an_older_answer(tab, portal, expect):
    page = tab().open(f"/jobs/{RUNNING}")
    expect(page.get_by_text("● live")).to_be_visible()
    path = f"/api/v1/jobs/{RUNNING}"
    with page.expect_response(lambda answer: answer.url.endswith(path)) as older, portal.delayed(path) as requests:
        portal.publish("resync", {"topic": f"job:{RUNNING}"})
        requests.get(timeout=LIMIT_MS / 1000)
        portal.change_job(RUNNING, state="FAILED", reason="worker:1 failed with exit code 7")
        expect(page.locator(".lead")).to_contain_text("FAILED")
    older.value.finished()
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert "FAILED" in page.locator(".lead").inner_text()
    assert page.locator(".reason-line").inner_text() == "worker:1 failed with exit code 7"


def test_kill_asks_once_and_shows_the_command(tab, portal, expect):
    page = tab().open(f"/jobs/{RUNNING}")
    kill = page.get_by_role("button", name="Kill…")
    kill.click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text(f"howdah kill {RUNNING} --on local")
    dialog.get_by_label("Grace period").fill("abc")
    expect(dialog.get_by_role("alert")).to_contain_text("invalid duration 'abc'")
    expect(dialog.get_by_role("button", name="Kill the job")).to_be_disabled()
    dialog.get_by_label("Grace period").fill("30s")
    expect(dialog).to_contain_text(f"howdah kill {RUNNING} --grace 30s --on local")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(kill).to_be_focused()
    assert portal.posts == []
    kill.click()
    dialog.get_by_role("button", name="Kill the job").click()
    expect(dialog.get_by_role("status")).to_contain_text("stopping")
    expect(page.locator(".lead")).to_contain_text("KILLED")
    assert portal.posts == [(RUNNING, "kill", {})]


def test_scale_shows_why_it_was_refused(tab, portal, expect):
    page = tab(allow=["409"]).open(f"/jobs/{RUNNING}")
    page.get_by_role("button", name="Scale…").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Scale the role").click()
    expect(dialog.get_by_role("alert")).to_contain_text("role 'worker' is not elastic Give it")
    dialog.get_by_label("Tasks").fill("5")
    expect(dialog).to_contain_text(f"howdah scale {RUNNING} worker=5 --on local")
    dialog.get_by_role("button", name="Scale the role").click()
    expect(dialog.get_by_role("status")).to_contain_text("scaling worker to 5 tasks")
    assert portal.posts[-1] == (RUNNING, "scale", {"role": "worker", "instances": 5})


@pytest.mark.parametrize("width", [360, 1600])
def test_stacks_of_a_task_are_shown(tab, portal, expect, width):
    opened = tab(width=width)
    page = opened.open(f"/jobs/{RUNNING}?tab=tasks&task=worker:1")
    page.get_by_role("button", name="Stacks…").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text(f"howdah stacks {RUNNING} worker:1 --on local")
    dialog.get_by_label("native").check()
    dialog.get_by_label("signal").select_option("USR1")
    expect(dialog).to_contain_text(f"howdah stacks {RUNNING} worker:1 --native --signal USR1 --on local")
    assert opened.violations() == []
    dialog.get_by_role("button", name="Sample the stacks").click()
    expect(dialog.get_by_role("status")).to_contain_text("worker:1: 2 processes")
    expect(dialog.get_by_label("stacks of pid 71, local rank 0")).to_contain_text(HOSTILE)
    expect(dialog).to_contain_text("no stack: why")
    expect(dialog).to_contain_text("Further processes, not sampled: 1")
    assert dialog.locator("img").count() == 0 and opened.violations() == []
    assert portal.posts == [(RUNNING, "stacks", {"task": "worker:1", "native": True, "signal": "USR1"})]


def test_read_only_portal_offers_no_actions(tab, portal, expect):
    portal.read_only = True
    page = tab().open(f"/jobs/{RUNNING}")
    expect(page.get_by_role("button", name="Kill…")).to_be_disabled()
    expect(page.get_by_role("button", name="Scale…")).to_be_disabled()
    expect(page.get_by_role("button", name="Stacks…")).to_be_disabled()


def test_failed_part_leaves_the_rest(tab, portal, expect):
    portal.broken.append("/metrics$")
    page = tab(allow=["503"]).open(f"/jobs/{RUNNING}?tab=charts")
    expect(page.get_by_role("alert")).to_contain_text(
        "The metrics could not be read. the ResourceManager does not answer"
    )
    page.get_by_role("link", name="Timeline").click()
    expect(page.get_by_role("group", name=re.compile("Timeline"))).to_be_visible()
    expect(page.get_by_role("alert")).to_have_count(0)


def test_unknown_job_says_so(tab, expect):
    page = tab(allow=["404"]).open("/jobs/nobody")
    expect(page.get_by_role("alert")).to_contain_text("no job 'nobody'")


def test_root_cause_links_to_its_position_in_the_log(tab, expect):
    page = tab().open(f"/jobs/{FAILED}")
    expect(page.locator(".log-tail")).to_contain_text("No module named 'torch'")
    page.get_by_role("link", name="Show this position in the log").click()
    expect(page).to_have_url(re.compile("stream=stderr"))
    expect(page.get_by_role("log")).to_contain_text("No module named 'torch'")


def test_tracking_address_that_is_not_a_web_page_is_text(tab, expect):
    page = tab().open(f"/jobs/{RUNNING}")
    expect(page.get_by_text("javascript:alert(3)")).to_be_visible()
    assert page.locator("a[href^='javascript']").count() == 0


def test_texts_of_users_stay_text_in_every_tab(tab, portal):
    opened = tab()
    hostile = next(row["id"] for row in portal.jobs if row["name"] == HOSTILE)
    for name in ("overview", "tasks", "logs", "metrics", "charts", "timeline", "advice", "config", "events"):
        page = opened.open(f"/jobs/{hostile}?tab={name}")
        assert page.locator("img").count() == 0 and page.locator("body script").count() == 0


def test_many_tasks_are_rendered_only_where_visible(tab, portal, expect):
    page = tab().open(f"/jobs/{RUNNING}?tab=tasks")
    task = {
        "role": "worker",
        "state": "RUNNING",
        "attempt": 0,
        "node": "n",
        "container": "c",
        "ranks": [0],
        "exit_code": None,
        "signal": None,
        "reason": None,
        "started": None,
        "finished": None,
        "usage": None,
        "progress": None,
    }
    expect(page.get_by_text("● live")).to_be_visible()
    portal.publish(
        "job",
        {
            "topic": f"job:{RUNNING}",
            "job": {},
            "removed_tasks": [],
            "events": [],
            "tasks": [{**task, "index": index} for index in range(10_000)],
        },
    )
    expect(page.get_by_text("10,001 rows")).to_be_visible()
    assert page.locator("tbody tr").count() < 200
    page.get_by_role("region", name="Tasks", exact=True).evaluate("box => box.scrollTo(0, box.scrollHeight)")
    expect(page.get_by_role("link", name="worker:9999", exact=True)).to_be_visible()


def test_zoom_of_a_chart_by_keyboard_is_in_the_url(tab, expect):
    page = tab().open(f"/jobs/{RUNNING}?tab=charts")
    chart = page.get_by_role("group", name="Chart of cpu_cores")
    chart.focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".cursor-at").first).to_contain_text("UTC")
    page.keyboard.press("+")
    expect(page).to_have_url(re.compile("from=.*to="))
    page.get_by_role("button", name="Show everything").click()
    expect(page).not_to_have_url(re.compile("from="))


def test_timeline_by_keyboard(tab, expect):
    page = tab().open(f"/jobs/{RUNNING}?tab=timeline")
    page.get_by_role("group", name=re.compile("Timeline")).focus()
    page.keyboard.press("+")
    expect(page).to_have_url(re.compile("from=.*to="))
    page.keyboard.press("0")
    expect(page).not_to_have_url(re.compile("from="))


def test_metric_that_is_not_a_number_is_named(tab, expect):
    page = tab().open(f"/jobs/{RUNNING}?tab=metrics&find=loss")
    expect(page.get_by_text("worker:1: the last value is NaN")).to_be_visible()


def test_secret_is_revealed_on_request(tab, expect):
    page = tab().open(f"/jobs/{RUNNING}?tab=config")
    expect(page.get_by_label("effective job file")).to_contain_text("•••")
    page.get_by_role("button", name="Reveal").click()
    expect(page.get_by_label("effective job file")).to_contain_text("hunter2")


def test_scalars_of_event_files_are_drawn_beside_reported_metrics(tab, portal, expect):
    page = tab().open(f"/jobs/{RUNNING}?tab=metrics")
    section = page.locator("section", has=page.get_by_role("heading", name="TensorBoard scalars"))
    expect(section.get_by_role("group")).to_have_count(2)
    loss = section.get_by_role("group", name="Chart of loss/train")
    expect(loss.locator("canvas")).to_be_visible()
    expect(section).to_contain_text("train: lowest Infinity at step 7, highest Infinity at step 7, last Infinity")
    notes = section.locator(".notes")
    expect(notes).to_contain_text("The event files are still being read.")
    expect(notes).to_contain_text("it is damaged at byte 17 " + HOSTILE)
    loss.press("ArrowRight")
    expect(section).to_contain_text("step 0")
    page.get_by_label("Horizontal axis").select_option("time since the start")
    loss.press("ArrowRight")
    expect(section).to_contain_text("after the start")
    page.get_by_label("log scale").check()
    expect(loss.locator("canvas")).to_be_visible()
    page.get_by_label("Find").fill("loss")
    expect(section.get_by_role("group")).to_have_count(1)
    page.get_by_label("Find").fill("nothing")
    expect(section).to_contain_text("No scalar has this name.")


def test_scalars_of_an_ended_job_are_read_to_their_end(tab, portal, expect):
    page = tab().open(f"/jobs/{FAILED}?tab=metrics")
    section = page.locator("section", has=page.get_by_role("heading", name="TensorBoard scalars"))
    note = section.get_by_text("The event files are still being read.")
    expect(note).to_have_count(3)  # of the section, and of each chart
    portal.scalars_complete = True
    expect(note).to_have_count(0)


def test_scalars_that_cannot_be_read_leave_the_metrics(tab, portal, expect):
    portal.broken.append("/scalars$")
    page = tab(allow=["503"]).open(f"/jobs/{RUNNING}?tab=metrics")
    expect(page.get_by_role("alert")).to_contain_text("The TensorBoard event files could not be read.")
    expect(page.get_by_role("group", name="Chart of loss")).to_be_visible()

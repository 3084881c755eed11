"""The page of notebooks and TensorBoards, and the buttons that start a TensorBoard, with a made-up portal."""

import re

from fake_jobs import job_row, tensorboard

RUNNING, SUCCEEDED, FAILED = (f"howdah-20261121-0645{number:02}-x7k2" for number in (2, 4, 5))
APP = re.compile(r"^http://[0-9a-f]{32}\.localhost:\d+/\.howdah/open\?ticket=a+$")


def test_notebook_is_started_with_the_fields_that_were_filled(tab, portal, expect):
    opened = tab(allow=["400"])
    page = opened.open("/notebooks")
    expect(page.get_by_text("No notebook is running.")).to_be_visible()
    page.get_by_role("button", name="New notebook…").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("GPUs").fill("one")
    expect(dialog.get_by_role("alert")).to_contain_text("gpus: 'one' is not a whole number")
    dialog.get_by_label("GPUs").fill("1")
    dialog.get_by_label("Memory").fill("9")
    expect(dialog).to_contain_text("howdah notebook --memory 9 --gpus 1 --on local")
    assert opened.violations() == []
    dialog.get_by_role("button", name="Start the notebook").click()
    expect(dialog.get_by_role("alert")).to_contain_text("'9' has no unit")
    dialog.get_by_label("Memory").fill("9GiB")
    expect(dialog).to_contain_text("In use: memory")
    dialog.get_by_label("Name").fill("mine")
    dialog.get_by_role("button", name="Start the notebook").click()
    expect(dialog.get_by_role("status")).to_contain_text("was submitted")
    assert portal.posts[-1] == ("notebooks", {"on": "local", "name": "mine", "memory": "9GiB", "gpus": 1})
    dialog.get_by_role("button", name="Close").click()
    expect(page.get_by_role("row", name=re.compile("mine"))).to_contain_text("the queue 'prod' is full")


def test_notebook_is_opened_and_stopped(tab, portal, expect):
    portal.jobs.insert(0, job_row("RUNNING", 40, name="mine", tags=["notebook"]))
    job = portal.jobs[0]["id"]
    portal.jobs[0].update(idle_seconds=725, ends_at="2026-11-22T06:45:00.000Z")
    page = tab().open("/notebooks")
    expect(page.get_by_role("row", name=re.compile("mine RUNNING"))).to_contain_text("12m5s")
    page.get_by_role("button", name="Open mine").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text(f"howdah notebook {job} --on local")
    with page.context.expect_page() as found:
        dialog.get_by_role("button", name="Open in a new tab").click()
    found.value.wait_for_url(APP)
    dialog.get_by_role("button", name="Close").click()
    page.get_by_role("button", name="Stop mine").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("4 running tasks")
    dialog.get_by_role("button", name="Kill the job").click()
    expect(dialog.get_by_role("status")).to_contain_text("stopping")
    assert portal.posts == [(job, "open", {"notebook": True}), (job, "kill", {})]


def test_ended_job_opens_a_tensorboard_of_the_portal(tab, portal, expect):
    portal.job(SUCCEEDED)["urls"]["tensorboard"] = "http://127.0.0.1:6006/"
    page = tab(allow=["503"]).open(f"/jobs/{SUCCEEDED}")
    with page.context.expect_page() as found:
        page.get_by_role("button", name="TensorBoard").click()
    found.value.wait_for_url(APP)  # it serves at the second request
    assert portal.posts == [("tensorboards", {"jobs": [SUCCEEDED]}), *[("tensorboards", "1", "open", {})] * 2]


def test_compared_runs_open_one_tensorboard(tab, portal):
    page = tab(allow=["503"]).open(f"/compare?ids={SUCCEEDED},{FAILED}")
    with page.context.expect_page() as found:
        page.get_by_role("button", name="TensorBoard of these runs").click()
    found.value.wait_for_url(APP)
    assert portal.posts[0] == ("tensorboards", {"jobs": [SUCCEEDED, FAILED]})


def test_tensorboards_are_listed_opened_and_stopped(tab, portal, expect):
    portal.boards = [tensorboard("1", [portal.job(SUCCEEDED), portal.job(FAILED)])]
    portal.boards[0].update(state="serving", problem=f"{FAILED}: it has no TensorBoard")
    opened = tab()
    page = opened.open("/notebooks")
    row = page.get_by_role("row", name=re.compile("job-succeeded, job-failed"))
    expect(row).to_contain_text("it has no TensorBoard")
    expect(page.get_by_role("row", name=re.compile("job-running"))).to_contain_text("of the running job")
    assert opened.violations() == []
    with page.context.expect_page() as found:
        row.get_by_role("button", name="Open TensorBoard 1").click()
    found.value.wait_for_url(APP)
    row.get_by_role("button", name="Stop TensorBoard 1").click()
    expect(row).to_have_count(0)


def test_read_only_portal_starts_and_stops_nothing(tab, portal, expect):
    portal.read_only = True
    portal.jobs.insert(0, job_row("RUNNING", 40, name="mine", tags=["notebook"]))
    portal.boards = [tensorboard("1", [portal.job(FAILED)])]
    page = tab().open("/notebooks")
    for name in ("New notebook…", "Open mine", "Stop mine", "Open TensorBoard 1", "Stop TensorBoard 1"):
        expect(page.get_by_role("button", name=name)).to_be_disabled()

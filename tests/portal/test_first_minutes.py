"""The first minutes of a new user with a real portal: a live training, its end by hand, a second run with more workers,
and the comparison of both."""

import re
import shutil

import pytest

from browser_tab import Tab
from machine import ROOT
from portal import Portal

START_MS = 120_000  # a busy machine imports PyTorch slowly


@pytest.fixture
def training(machine, installed, tmp_path):
    """The folder of a copy of examples/fashion-mnist, whose results stay out of the checkout."""
    folder = tmp_path / "fashion-mnist"
    folder.mkdir()
    for name in ("job.yaml", "train.py"):
        shutil.copy(ROOT / "examples/fashion-mnist" / name, folder)
    machine.env["PATH"] = f"{installed('demo').parent}:{machine.env['PATH']}"
    installed("data")
    return folder


@pytest.fixture
def page(chromium, machine, training):  # training: the portal starts jobs with its environment
    context = chromium.new_context(viewport={"width": 1600, "height": 1000})
    with Portal(machine) as portal:
        tab = Tab(context, portal.address.rstrip("/"))
        yield tab.open("/")
        assert tab.violations() == []
        context.close()
    assert tab.messages == [], tab.messages


def test_a_training_is_watched_killed_run_again_and_compared(page, machine, training, expect):
    expect(page.get_by_text("0 jobs")).to_be_visible()
    first = machine.submit("job.yaml", "--", "--epochs", "1000", cwd=training)

    # The list shows the new job without a reload, and its name leads to its page.
    row = page.get_by_role("row", name=re.compile("fashion-mnist"))
    expect(row).to_contain_text("RUNNING", timeout=START_MS)
    page.keyboard.press("/")
    page.keyboard.type("state:RUNNING")
    page.keyboard.press("Escape")
    expect(page).to_have_url(re.compile(r"q=state:RUNNING"))
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="fashion-mnist")).to_be_visible()

    # Its tasks, its log and its curve of the loss appear while it runs.
    expect(page.locator(".lead")).to_contain_text("RUNNING")
    page.get_by_role("link", name=re.compile("^Tasks")).click()
    expect(page.get_by_role("row", name=re.compile("worker:1"))).to_contain_text("RUNNING")
    page.get_by_role("link", name="Logs").click()
    expect(page.get_by_text(re.compile(r"epoch 2/1000  step \d+")).first).to_be_visible(timeout=START_MS)
    page.get_by_role("link", name="Metrics").click()
    expect(page.get_by_role("group", name="Chart of loss")).to_be_visible(timeout=START_MS)

    # A kill asks once.
    page.get_by_role("button", name="Kill…").click()
    page.get_by_role("dialog").get_by_role("button", name="Kill the job").click()
    expect(page.locator(".lead")).to_contain_text("KILLED")
    assert machine.status(first)["state"] == "KILLED"

    # The second run has two workers more.
    page.keyboard.press("Escape")
    page.get_by_role("link", name="re-run with edits").click()
    page.get_by_role("group", name="worker").get_by_label("instances").fill("4")
    expect(page.get_by_text("The job file is valid.")).to_be_visible()
    page.get_by_role("button", name="Submit…").click()
    page.get_by_role("button", name="Submit the job").click()
    expect(page.get_by_role("dialog")).to_contain_text("was submitted")
    second = next(job for job in machine.jobs() if job != first)
    machine.until(second, lambda status: len(status["tasks"]) == 5 and status["state"] == "RUNNING", "5 tasks")

    # The comparison begins with the differences, and has no other setting.
    page.goto(page.url.split("/rerun")[0] + f"/compare?ids={first},{second}")
    differences = page.get_by_role("region", name="Differences")
    expect(differences.get_by_role("row", name=re.compile("instances"))).to_contain_text("4")
    settings = differences.locator("tbody tr").all_inner_texts()
    assert [text for text in settings if "roles." in text and "instances" not in text] == [], settings
    machine("kill", second, "--grace", "0s")

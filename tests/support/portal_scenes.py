"""Scenes in a browser with a real portal and real jobs. They are the same on every backend."""

import os
import re
import shutil
import signal
import threading

from browser_tab import LIMIT_MS
from machine import DEADLINE_S, ROOT, eventually

ADVICE_S = 300  # several windows, of up to 30 s each, must be slow
START_MS = 120_000  # a busy machine imports PyTorch slowly

# Views of one job that are open at the same time. A browser has only four streams: the other tabs poll.
VIEWS = ("", "?tab=tasks", "?tab=logs", "?tab=charts", "?tab=metrics", "?tab=timeline", "?tab=events")

# Rank 3 is slowed from outside. The ranks do not wait for each other.
STEPS = """
import os, time
with open(os.environ["HOWDAH_PROGRESS"], "a", buffering=1) as progress:
    for step in range(1, 1000000):
        time.sleep(0.05)
        progress.write(f"step {step}\\n")
"""


def copy_of_example(folder):
    """A copy of examples/fashion-mnist in `folder`, so that its results stay out of the checkout."""
    copy = folder / "fashion-mnist"
    copy.mkdir()
    for name in ("job.yaml", "train.py"):
        shutil.copy(ROOT / "examples/fashion-mnist" / name, copy)
    return copy


def first_minutes(page, howdah, training, expect, submit=()):
    """A new user watches a training, ends it, runs it again with more workers, and compares both runs. `training`:
    a copy_of_example; `submit` has further arguments."""
    expect(page.get_by_text("0 jobs")).to_be_visible()
    first = howdah.submit("job.yaml", *submit, "--", "--epochs", "1000", cwd=training)

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
    # There are two: of the reported values, and of the event files.
    expect(page.get_by_role("group", name="Chart of loss").first).to_be_visible(timeout=START_MS)

    # A kill asks once.
    page.get_by_role("button", name="Kill…").click()
    page.get_by_role("dialog").get_by_role("button", name="Kill the job").click()
    expect(page.locator(".lead")).to_contain_text("KILLED")
    assert howdah.status(first)["state"] == "KILLED"

    # The second run has two workers more.
    page.keyboard.press("Escape")
    page.get_by_role("link", name="re-run with edits").click()
    page.get_by_role("group", name="worker").get_by_label("instances").fill("4")
    expect(page.get_by_text("The job file is valid.")).to_be_visible()
    page.get_by_role("button", name="Submit…").click()
    page.get_by_role("button", name="Submit the job").click()
    expect(page.get_by_role("dialog")).to_contain_text("was submitted")
    second = next(job for job in howdah.jobs() if job != first)
    howdah.until(second, lambda status: len(status["tasks"]) == 5 and status["state"] == "RUNNING", "5 tasks")

    # The comparison begins with the differences, and has no other setting.
    page.goto(page.url.split("/rerun")[0] + f"/compare?ids={first},{second}")
    differences = page.get_by_role("region", name="Differences")
    expect(differences.get_by_role("row", name=re.compile("instances"))).to_contain_text("4")
    settings = differences.locator("tbody tr").all_inner_texts()
    assert [text for text in settings if "roles." in text and "instances" not in text] == [], settings
    howdah("kill", second, "--grace", "0s")


class OpenTabs:
    """Tabs that show the list and seven views of one job, and are never loaded again."""

    def __init__(self, context, portal, job, expect):
        self.expect, self.pages = expect, []
        for path in ("", *(f"jobs/{job}{view}" for view in VIEWS)):
            page = context.new_page()
            page.set_default_timeout(LIMIT_MS)
            page.goto(portal.address + path)
            page.evaluate("() => { window.neverLoadedAgain = true; }")
            self.pages.append(page)

    def show(self, state, name):
        """Waits until every tab shows the state of the job."""
        rows, *views = self.pages
        self.expect(rows.get_by_role("row", name=re.compile(name))).to_contain_text(state)
        for page in views:
            self.expect(page.locator(".lead")).to_contain_text(state)
        assert all(page.evaluate("() => window.neverLoadedAgain") for page in self.pages)


class Slowed:
    """Stops a process again and again, so that it runs for a quarter of the time. Use as a context manager."""

    def __init__(self, pid):
        self.pid, self.end = pid, threading.Event()
        self.thread = threading.Thread(target=self._run)

    def _run(self):
        while not self.end.wait(0.1):
            os.kill(self.pid, signal.SIGSTOP)
            self.end.wait(0.3)
            os.kill(self.pid, signal.SIGCONT)

    def __enter__(self):
        self.thread.start()

    def __exit__(self, *_):
        self.end.set()
        self.thread.join(DEADLINE_S)


def slow_rank_is_marked(context, portal, howdah, tmp_path, expect, until_advice=False):
    """The page of a running job marks a slowed rank in the heat map and names it as the slowest; after almost a minute,
    the advice of the job names it too."""
    (tmp_path / "steps.py").write_text(STEPS)
    job = howdah.submit(howdah.job_file(tmp_path, """
name: steps
framework: pytorch
files: [steps.py]
roles: {worker: {instances: 4, memory: 64MiB, vcores: 1, command: exec python3 steps.py}}
""", "steps.yaml"))
    howdah.running(job)
    page = context.new_page()
    page.goto(f"{portal.address}jobs/{job}?tab=charts")
    pid = eventually(lambda: howdah.task(job, "worker", 3)["pids"][0], "the process of rank 3")
    with Slowed(pid):
        slowest = page.locator("ol.worst li").first
        expect(slowest).to_contain_text(re.compile(r"worker:3 .*[2-9]\.\d\d times the median"), timeout=LIMIT_MS)
        expect(page.get_by_role("img", name="Step times of 4 ranks; the slowest are listed below")).to_be_visible()
        if until_advice:
            eventually(lambda: "worker:3" in str(howdah.status(job)["advice"]), "the advice", ADVICE_S)
            expect(page.locator("main")).to_contain_text(re.compile(r"worker:3 \(rank 3\).*times as long"))
    howdah("kill", job, "--grace", "0s")

"""The portal in a browser, with jobs on three nodes: a new user's first minutes, a slow rank, and pages that stay open
through restarts."""
import os
import signal

import pytest

import packed
from browser_tab import Tab
from kill_cases import am_attempts, until
from machine import eventually
from portal import Portal
from portal_scenes import OpenTabs, copy_of_example, first_minutes, slow_rank_is_marked

FOLLOWED = "name: followed\nroles: {w: {memory: 64MiB, command: '%s; exit 3'}}\n"


@pytest.fixture(scope="module")
def pair(module_cluster):
    return module_cluster(nodes=3, rm_ha=True)


@pytest.fixture
def howdah(howdah_of, pair):
    return howdah_of(pair)


@pytest.mark.long
def test_a_training_is_watched_killed_run_again_and_compared(context, howdah, installed, tmp_path, expect):
    installed("data")
    archive = packed.scripts_for(installed("demo"), tmp_path, "python", "python3", "tensorboard")
    keys = {"python.archive": archive, "checkpoint.dir": tmp_path / "checkpoints",
            "tensorboard.logdir": tmp_path / "curves", "roles.chief.memory": "512MiB", "roles.worker.memory": "512MiB"}
    settings = [word for key, value in keys.items() for word in ("--set", f"{key}={value}")]
    with Portal(howdah, "--on", "yarn") as portal:
        tab = Tab(context, portal.address.rstrip("/"))
        first_minutes(tab.open("/"), howdah, copy_of_example(tmp_path), expect, settings)
        assert tab.violations() == []
        tab.page.close()
    assert tab.messages == [], tab.messages


@pytest.mark.long
def test_slow_rank_is_marked(context, howdah, tmp_path, expect):
    with Portal(howdah, "--on", "yarn") as portal:
        slow_rank_is_marked(context, portal, howdah, tmp_path, expect)
        context.close()


@pytest.mark.long
def test_eight_tabs_follow_a_job_through_restarts(context, howdah, pair, tmp_path, expect):
    """The ResourceManager fails over, the application master is killed, and the portal is started again, while the tabs
    are open."""
    job = howdah.submit(howdah.job_file(tmp_path, FOLLOWED % until(tmp_path / "go")))
    with Portal(howdah, "--on", "yarn") as portal:
        address = f"127.0.0.1:{portal.port}"
        tabs = OpenTabs(context, portal, job, expect)
        tabs.show("RUNNING", "followed")
        pair.fail_over()
        for pid in reversed(howdah.agents(job, "am")):
            os.kill(pid, signal.SIGKILL)
        eventually(lambda: len(am_attempts(howdah, job)) == 2, "the new application master", 120)
        howdah.running(job)
        tabs.show("RUNNING", "followed")
    with Portal(howdah, "--on", "yarn", listen=address):
        (tmp_path / "go").touch()
        tabs.show("FAILED", "followed")
        context.close()

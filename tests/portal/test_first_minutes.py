"""A real portal in a real browser: a new user's first minutes, a slow rank, and pages that stay open through
restarts."""

import os
import signal

import pytest

from browser_tab import Tab
from machine import eventually
from portal import Portal
from portal_scenes import OpenTabs, copy_of_example, first_minutes, slow_rank_is_marked

WAITS = "name: followed\nroles: {w: {memory: 8MiB, command: 'while [ ! -e %s ]; do sleep 0.05; done; exit 3'}}\n"


@pytest.fixture
def training(machine, installed, tmp_path):
    machine.env["PATH"] = f"{installed('demo').parent}:{machine.env['PATH']}"
    installed("data")
    return copy_of_example(tmp_path)


def test_a_training_is_watched_killed_run_again_and_compared(context, machine, training, expect):
    with Portal(machine) as portal:
        tab = Tab(context, portal.address.rstrip("/"))
        first_minutes(tab.open("/"), machine, training, expect)
        assert tab.violations() == []
        tab.page.close()
    assert tab.messages == [], tab.messages


def test_slow_rank_is_marked(context, machine, tmp_path, expect):
    with Portal(machine) as portal:
        slow_rank_is_marked(context, portal, machine, tmp_path, expect, until_advice=True)
        context.close()


def test_eight_tabs_follow_a_job_through_restarts(context, machine, tmp_path, expect):
    """The application master is killed, and the portal is started again, while the tabs are open."""
    go = tmp_path / "go"
    job = machine.submit(machine.job_file(tmp_path, WAITS % go))
    with Portal(machine) as portal:
        address = f"127.0.0.1:{portal.port}"
        tabs = OpenTabs(context, portal, job, expect)
        tabs.show("RUNNING", "followed")
        os.kill(machine.agents(job, "am")[-1], signal.SIGKILL)
        eventually(lambda: "application master" in machine("events", job).stdout, "the new application master")
        tabs.show("RUNNING", "followed")
    with Portal(machine, listen=address):
        go.touch()
        tabs.show("FAILED", "followed")
        context.close()

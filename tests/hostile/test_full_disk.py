"""Jobs survive a disk that is full for some minutes. If a job must end because of the full disk, its reason names the
file system. The disk is a small tmpfs."""
import os

import pytest

from full_disk import Filler, am_waits_for_space, small_disks
from machine import Machine, eventually, read
from other_user import needs_mounts

pytestmark = needs_mounts


@pytest.fixture
def disk(tmp_path):
    with small_disks(tmp_path) as make:
        yield make


@pytest.fixture
def machine(disk):
    machine = Machine(disk("disk", "4m") / "home")
    yield machine
    machine.close()


JOB = """
roles:
  worker:
    instances: 2
    memory: 64MiB
    restart: {max: 100, backoff: 10ms}
    command: echo attempt; exec sleep 300
"""


def fill(machine, job):
    """Fills the disk, and kills worker:0 repeatedly until a write of the AM fails. Returns the filler and the last
    attempt that was killed."""
    filler = Filler(machine.home.parent)
    folder = machine.home / "jobs" / job

    before = None
    while before is None or not am_waits_for_space(folder):
        filler.again()
        before = machine.task(job, "worker", 0)
        os.kill(before["pids"][0], 9)

        def restarted():
            now = machine.task(job, "worker", 0)
            return now["attempt"] > before["attempt"] and now["state"] == "RUNNING" and now["pids"]
        eventually(lambda: am_waits_for_space(folder) or restarted(),
                   "the restart of worker:0, or the end of the space")
    return filler, before["attempt"]


def test_a_job_survives_a_disk_that_is_full_for_a_while(machine, tmp_path):
    job = machine.submit(machine.job_file(tmp_path, JOB))
    machine.running(job)
    am = machine.agents(job, "am")
    survivor = machine.task(job, "worker", 1)["pids"][0]
    filler, killed = fill(machine, job)
    assert machine.agents(job, "am") == am
    assert machine.status(job)["state"] not in ("FAILED", "KILLED")
    os.kill(survivor, 0)
    filler.free()
    machine.until(job, lambda s: all(t["state"] == "RUNNING" for t in s["tasks"])
                  and machine.task(job, "worker", 0)["attempt"] > killed, "the restart of worker:0")
    assert machine.agents(job, "am") == am
    assert machine.task(job, "worker", 1)["pids"] == [survivor]
    journal = machine.home / "jobs" / job / "journal.jsonl"
    assert all(line.startswith(b"{") and line.endswith(b"}") for line in read(journal).splitlines())
    # Another AM can read the records from before and after the time of the full disk.
    os.kill(am[1], 9)
    eventually(lambda: b'"am_attempt":1' in read(journal), "the takeover by another AM")
    assert machine("kill", job).code == 0
    assert machine.status(job)["state"] == "KILLED"
    machine.assert_clean(job)


def test_kill_ends_a_job_on_a_full_disk(machine, tmp_path):
    job = machine.submit(machine.job_file(tmp_path, JOB))
    machine.running(job)
    fill(machine, job)
    done = machine("kill", job)
    assert done.code == 0, done
    assert machine.status(job)["state"] == "KILLED", machine.status(job)
    machine.assert_clean(job)


def test_the_reason_names_the_full_file_system_if_the_reserved_space_is_missing(machine, tmp_path):
    job = machine.submit(machine.job_file(tmp_path, JOB))
    machine.running(job)
    filler, _ = fill(machine, job)
    (machine.home / "jobs" / job / "reserve").unlink()
    filler.again()
    machine("kill", job)
    status = machine.until(job, lambda s: s["state"] in ("FAILED", "KILLED"), "the end")
    assert status["state"] == "FAILED", status
    for text in ("No space left on device", f"{machine.home.parent} (tmpfs), 4 MiB, ", " free"):
        assert text in status["reason"], status
    assert "out-of-memory" not in status["advice"], status
    machine.assert_clean(job)


TRAIN = """
checkpoint: {dir: %(disk)s}
roles:
  worker:
    memory: 64MiB
    command: |
      exec python3 -c '
      with open("%(disk)s/step-7.pt", "wb", buffering=0) as file:
          while True: file.write(bytes(65536))'
"""


def test_the_advice_names_the_full_disk_and_recommends_no_truncated_checkpoint(disk, tmp_path):
    full = disk("full", "1m")
    machine = Machine(tmp_path / "home")
    try:
        done = machine("run", machine.job_file(tmp_path, TRAIN % {"disk": full}))
        assert done.code == 1, done
        status = machine.status()
        assert "No space left on device" in status["reason"], status
        assert f"free some space on {full} (tmpfs), 1 MiB, 0 B free" in status["advice"], status
        assert "newest checkpoint" not in status["advice"], status
        assert "step-7.pt" in status["advice"] and "may be cut off" in status["advice"], status
    finally:
        machine.close()

"""Attacks by another user of the machine cannot read, change or end a running job. --attack-for SECONDS repeats
the attacks."""
import os
import shutil

import pytest

from machine import BIN, Machine, read
from other_user import needs_root
from stranger import attack, public_folder

SECRET = "very-secret-value"
JOB = """
framework: horovod
env: {TOKEN: %s}
history: {tony: %s}
roles:
  worker: {instances: 2, memory: 64MiB, command: exec sleep 86000}
"""


def unchanged(machine, job):
    """The parts of the job that a stranger might change: processes, attempts, and the contents of files."""
    tasks = [(t["role"], t["index"], t["attempt"], t["state"], t["pids"]) for t in machine.status(job)["tasks"]]
    files = {str(path): read(path) for folder in ("jobs", "leases") for path in (machine.home / folder).rglob("*")
             if path.is_file() and path.name != "metrics"}  # the job itself adds its samples to metrics
    return tasks, sorted(machine.alive(job)), files


@pytest.fixture
def public():
    with public_folder() as folder:
        yield folder


@pytest.fixture
def machine(public):
    machine = Machine(public / "home")
    yield machine
    machine.close()


@needs_root
def test_a_stranger_cannot_read_end_or_delete_a_job(machine, public, pytestconfig):
    machine.home.mkdir(mode=0o755)  # other users may enter the home
    history = public / "history"
    (history / "intermediate").mkdir(parents=True)
    (history / "intermediate").chmod(0o1777)
    victim = public / "victim"
    victim.mkdir()
    victim.chmod(0o1777)
    (victim / ".precious").write_text("precious")
    howdah = shutil.copy(BIN, public)  # a copy, because other users may be unable to enter the checkout
    job = machine.submit(machine.job_file(public, JOB % (SECRET, history)))
    machine.running(job)
    before = unchanged(machine, job)
    written = sorted(path for path in history.rglob("*") if path.is_file())
    assert written
    paths = [machine.home, *machine.home.rglob("*"), *(history / "intermediate").rglob("*"), victim / ".precious"]
    refused = attack(job, machine.alive(job), paths, public / "own", SECRET,
                     seconds=pytestconfig.getoption("attack_for"), home=str(machine.home), howdah=str(howdah),
                     may_read=[str(machine.home), str(victim / ".precious")],
                     sticky=[str(history / "intermediate"), str(victim)])
    assert refused > 1000
    assert unchanged(machine, job) == before
    done = machine("exec", job, "worker:1", "--", "bash", "-c", "echo $TOKEN")
    assert (done.code, done.stdout) == (0, f"{SECRET}\n"), done
    done = machine("kill", job)
    assert done.code == 0, done
    status = machine.status(job)
    assert (status["state"], status["advice"]) == ("KILLED", None), status
    machine.assert_clean(job)
    ended = [path for path in history.rglob("*-KILLED.jhist") if os.stat(path).st_uid == 0]
    assert len(ended) == 1, list(history.rglob("*"))
    moved = machine("history", "move", "--dir", history)
    assert list((history / "finished").rglob(ended[0].name)), moved
    assert (victim / ".precious").read_text() == "precious"

"""A HOWDAH_HOME that several hosts share, through a file system that does not share locks between them. A mount
namespace with an overlay stands for the other host's view, and a UTS namespace for its name."""
import errno
import json
import os
import pathlib
import subprocess

import pytest

import syscall_faults
from machine import BIN, eventually, kill_together
from other_user import needs_mounts

pytestmark = needs_mounts

JOB = """
roles:
  worker: {memory: 64MiB, command: exec sleep 300}
"""
OVERLAY = "mount -t overlay overlay -o lowerdir={home},upperdir={scratch}/upper,workdir={scratch}/work {scratch}/view"


class View:
    """The home as another host sees it, through an overlay: its locks are separate, and writes do not reach the job."""

    def __init__(self, machine, scratch):
        self.home, self.scratch = machine.home, pathlib.Path(scratch)
        self.env = {**machine.env, "HOWDAH_HOME": str(self.scratch / "view")}

    def prepare(self):
        # Overlays cannot be stacked, so the changed files go to a tmpfs.
        return ["set -e", f"mount -t tmpfs tmpfs {self.scratch}",
                f"mkdir {self.scratch}/upper {self.scratch}/work {self.scratch}/view",
                OVERLAY.format(home=self.home, scratch=self.scratch)]

    def __call__(self, *howdah, host=None, setup=()):
        lines = [*self.prepare(), *([f"hostname {host}"] if host else []), *setup,
                 " ".join([str(BIN), *map(str, howdah)])]
        return subprocess.run(["unshare", "-mu", "bash", "-c", "\n".join(lines)], env=self.env, text=True,
                              capture_output=True, timeout=60)


@pytest.fixture
def running(machine, tmp_path):
    job = machine.submit(machine.job_file(tmp_path, JOB))
    machine.running(job)
    return job


@pytest.fixture
def view(machine, tmp_path):
    (tmp_path / "other").mkdir()
    view = View(machine, tmp_path / "other")
    mounted = subprocess.run(["unshare", "-mu", "bash", "-c", "\n".join(view.prepare())], capture_output=True,
                             text=True, timeout=60)
    if mounted.returncode != 0:
        pytest.skip(f"this machine does not allow an overlay here: {mounted.stderr.strip()}")
    return view


def snapshot(machine, job):
    folder = machine.home / "jobs" / job
    return {str(p.relative_to(folder)) for p in folder.rglob("*")}, (folder / "journal.jsonl").read_bytes()


@pytest.mark.parametrize("command", [["list"], ["list", "--all"], ["status"], ["doctor"]], ids=" ".join)
@pytest.mark.parametrize("host", [None, "login2"], ids=["same-host", "other-host"])
def test_commands_do_not_end_a_job_whose_lock_is_invisible(machine, running, view, command, host):
    before, alive = snapshot(machine, running), set(machine.alive(running))
    done = view(*command, *([running] if command == ["status"] else []), host=host)
    assert done.returncode in ((0, 3) if command == ["doctor"] else (0, 1)), done
    if command != ["doctor"]:
        assert running in done.stdout and "FAILED" not in done.stdout, done
    if command != ["doctor"] and host:
        assert f"runs on {os.uname().nodename}" in done.stdout, done
    assert set(machine.alive(running)) == alive
    assert snapshot(machine, running) == before
    assert machine.status(running)["state"] == "RUNNING"
    assert machine("kill", running).code == 0
    machine.assert_clean(running)


def test_another_host_refuses_orders_for_the_job(machine, running, view):
    for command in (["kill", running], ["scale", running, "worker=2"], ["exec", running, "worker:0", "--", "true"],
                    ["logs", "-f", running], ["wait", running]):
        done = view(*command, host="login2")
        assert done.returncode not in (0, 1), (command, done)
        assert f"runs on {os.uname().nodename}" in done.stderr, (command, done)
    assert machine.status(running)["state"] == "RUNNING"
    machine("kill", running)


def test_a_job_of_an_earlier_boot_of_this_host_is_dead(machine, running, view):
    # The job's processes cannot have survived, even if pids and start times happen to be the same.
    boot = view.scratch.parent / "boot_id"
    boot.write_text("00000000-0000-0000-0000-000000000000\n")
    done = view("status", running, setup=[f"mount --bind {boot} /proc/sys/kernel/random/boot_id"])
    assert done.returncode in (0, 1) and "FAILED" in done.stdout, done


def test_a_lost_lock_file_does_not_end_a_running_job(machine, running):
    folder = machine.home / "jobs" / running
    (folder / "am.lock").unlink()
    assert running in machine("list").stdout
    assert machine.status(running)["state"] == "RUNNING"
    assert not (folder / "am.lock").exists(), "a reader has made the lock file"
    machine("kill", running)


def test_a_job_that_lost_its_processes_and_its_lock_file_is_ended(machine, running):
    folder = machine.home / "jobs" / running
    kill_together(machine.agents(running, "am"))
    (folder / "am.lock").unlink()
    eventually(lambda: machine.status(running)["state"] == "FAILED", f"the end of {running}")
    eventually(lambda: not machine.alive(running), "the end of its processes")


def test_a_damaged_host_record_is_reported_and_the_job_continues(machine, running):
    host = machine.home / "jobs" / running / "host.json"
    whole = host.read_bytes()
    assert json.loads(whole)["host"] == os.uname().nodename
    host.write_bytes(whole[:len(whole) // 2])
    assert "host.json" in machine("list").stdout
    assert machine("status", running).code != 0
    assert machine.alive(running)
    host.write_bytes(whole)
    assert machine("kill", running).code == 0


def test_doctor_removes_the_file_that_it_locks(machine):
    done = machine("doctor")
    assert f"locks work on " in done.stdout + done.stderr, done
    assert not (machine.home / ".doctor-lock").exists()


@pytest.mark.parametrize("fault, text", [
    (errno.ENOLCK, "files cannot be locked on"), (errno.ENOSYS, "files cannot be locked on"),
    (0, "do not exclude each other"),
], ids=["no-lock-server", "mounted-without-locks", "locks-without-effect"])
def test_doctor_reports_a_file_system_whose_locks_do_not_work(machine, fault, text):
    if not syscall_faults.supported():
        pytest.skip("this machine does not allow system call filters")
    done = machine("doctor", preexec_fn=syscall_faults.failing("flock", fault))
    assert done.code == 3, done
    problem = next(line for line in done.stdout.splitlines() if text in line)
    assert "PROBLEM" in problem, done
    assert "set HOWDAH_HOME to a directory on a local disk" in done.stdout, done

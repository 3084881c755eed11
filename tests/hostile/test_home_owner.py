"""HOWDAH_HOME is used only if no other user can change its content, because job files contain commands."""
import os
import shutil
import subprocess

import pytest

from machine import BIN, Machine
from other_user import UID, needs_root, python_as_other

JOB = """
roles:
  worker: {memory: 64MiB, command: echo hello}
"""


@pytest.fixture
def shared(tmp_path):
    """A directory that everybody can enter."""
    for folder in (tmp_path, tmp_path.parent, tmp_path.parent.parent):
        os.chmod(folder, 0o755)
    return tmp_path


@needs_root
@pytest.mark.parametrize("name", ["", "jobs", "leases"])
def test_a_home_of_another_user_is_refused(shared, name):
    home = shared / "evil"
    for folder in (home, home / "jobs", home / "leases"):
        folder.mkdir()
    os.chown(home / name, UID, UID)
    machine = Machine(home)
    for command in (["run", machine.job_file(shared, JOB)], ["submit", machine.job_file(shared, JOB)], ["list"],
                    ["status", "last"]):
        done = machine(*command)
        assert done.code != 0, (command, done)
        assert f"belongs to user {UID}" in done.stderr and "HOWDAH_HOME" in done.stderr, (command, done)
    assert list((home / "jobs").iterdir()) == []
    assert "belongs to user" in str(machine("doctor"))


@pytest.mark.parametrize("mode", [0o777, 0o775, 0o1777])
@pytest.mark.parametrize("name", ["", "jobs", "leases"])
def test_a_writable_home_is_refused_until_its_mode_is_changed(shared, name, mode):
    machine = Machine(shared / "home")
    (machine.home / name).mkdir(parents=True, exist_ok=True)
    os.chmod(machine.home / name, mode)
    done = machine("run", machine.job_file(shared, JOB))
    assert done.code != 0 and "chmod go-w" in done.stderr, done
    os.chmod(machine.home / name, mode & ~0o22)
    assert machine("run", machine.job_file(shared, JOB)).code == 0


def test_a_home_that_others_may_read_keeps_working(shared):
    machine = Machine(shared / "home")
    machine.home.mkdir(mode=0o755)
    assert machine("run", machine.job_file(shared, JOB)).code == 0
    assert os.stat(machine.home / "jobs").st_mode & 0o777 == 0o700


def test_a_new_home_is_private(shared):
    machine = Machine(shared / "deep" / "home")
    before = os.umask(0)
    try:
        assert machine("run", machine.job_file(shared, JOB)).code == 0
    finally:
        os.umask(before)
    for folder in (machine.home.parent, machine.home, machine.home / "jobs", machine.home / "leases"):
        assert os.stat(folder).st_mode & 0o777 == 0o700, folder


@needs_root
def test_a_home_behind_a_link_of_another_user_is_refused(shared):
    sticky = shared / "sticky"
    sticky.mkdir()
    os.chmod(sticky, 0o1777)
    (shared / "own").mkdir(mode=0o700)
    python_as_other("import os, sys; os.symlink(*sys.argv[1:])", shared / "own", sticky / "home", check=True)
    machine = Machine(sticky / "home")
    done = machine("list")
    assert done.code != 0 and f"belongs to user {UID}" in done.stderr, done


@needs_root
def test_the_agent_refuses_a_job_directory_of_another_user(shared):
    machine = Machine(shared / "home")
    assert machine("run", machine.job_file(shared, JOB)).code == 0
    job = machine.jobs()[0]
    folder = machine.home / "jobs" / job
    for file in ("am.lock", "am.log"):
        (folder / file).unlink()
    shutil.chown(folder, UID, UID)
    agent = BIN.parent / "howdah-agent"
    for arguments in (["am", "--job-dir", folder, "--lease-dir", machine.home / "leases"],
                      ["task", "--job", job, "--job-file", folder / "job.json", "--container", "c", "--role", "worker",
                       "--index", "0", "--am", "127.0.0.1:1", "--tls", folder / "tls", "--staging", folder,
                       "--work", folder / "work", "--logs", folder / "logs", "--environment", folder / "e"]):
        done = subprocess.run([agent, *map(str, arguments)], capture_output=True, text=True, timeout=60)
        assert done.returncode != 0, done
        assert f"belongs to user {UID}" in done.stderr, done
    assert machine.jobs() == [job]

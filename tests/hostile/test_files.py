"""Files of a job that are links to other directories, or that have a set-user-id bit."""
import os
import tarfile

import pytest

from other_user import UID, needs_root

JOB = """
source: %s
files: [%s]
roles:
  worker: {memory: 64MiB, command: '%s'}
"""


@pytest.fixture
def source(tmp_path):
    """A source with a link to a directory outside of it."""
    victim, folder = tmp_path / "victim", tmp_path / "source"
    victim.mkdir()
    folder.mkdir()
    (victim / "data.csv").write_text("precious")
    (folder / "out").symlink_to(victim)
    return folder


@pytest.mark.parametrize("unpack", [False, True])
def test_files_are_not_written_through_a_symlink_in_the_source(machine, tmp_path, source, unpack):
    mine = tmp_path / "data.csv"
    mine.write_text("mine")
    with tarfile.open(tmp_path / "packed.tar.gz", "w:gz") as packed:
        packed.add(mine, "data.csv")
    entry = f"{{from: {mine}, to: out/data.csv}}"
    if unpack:
        entry = f"{{from: {tmp_path}/packed.tar.gz, to: out, unpack: true}}"
    done = machine("run", machine.job_file(tmp_path, JOB % (source, entry, "true")))
    assert done.code != 0, done
    assert "out exists and is not a directory" in done.stderr, done
    assert {file.name: file.read_text() for file in (tmp_path / "victim").iterdir()} == {"data.csv": "precious"}


@needs_root
def test_copies_have_no_set_user_id_bit(machine, tmp_path, source):
    (source / "out").unlink()
    tool = source / "tool"
    tool.write_text("#!/bin/sh\n")
    os.chown(tool, UID, UID)
    tool.chmod(0o6755)
    (source / "folder").mkdir()
    (source / "folder").chmod(0o3777)
    command = "stat -c %a tool other folder; exec sleep 300"
    job = machine.submit(machine.job_file(tmp_path, JOB % (source, f"{{from: {tool}, to: other}}", command)))
    machine.running(job)
    machine.until(job, lambda _: machine.log(job, "worker:0").count("\n") == 3, "the modes in the log")
    assert machine.log(job, "worker:0").split() == ["755", "755", "777"]
    copies = [path for path in (machine.home / "jobs" / job).rglob("*") if path.stat().st_mode & 0o6000]
    assert copies == []
    machine("kill", job)

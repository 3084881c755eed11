"""Commands for a job that is still being submitted."""
import os
import shutil
import subprocess

from machine import BIN, eventually, read

JOB = """
roles:
  worker: {memory: 64MiB, command: exec sleep 300}
"""
# Delays the start of the application master until the test writes to a pipe.
AGENT = """#!/bin/bash
[ "$1" = am ] && read < %s
exec -a howdah-agent %s "$@"
"""
CLOCK_NANOSLEEP = b"230"  # on x86-64


def test_kill_waits_for_the_application_master_of_a_new_job(machine, tmp_path):
    shutil.copy(BIN, tmp_path / "howdah")
    os.mkfifo(tmp_path / "go")
    agent = tmp_path / "howdah-agent"
    agent.write_text(AGENT % (tmp_path / "go", BIN.parent / "howdah-agent"))
    agent.chmod(0o755)
    submitting = subprocess.Popen([tmp_path / "howdah", "submit", machine.job_file(tmp_path, JOB)], env=machine.env,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    job = eventually(lambda: next((j for j in machine.jobs() if (machine.home / "jobs" / j / "journal.jsonl").exists()),
                                  None), "the job's journal")
    killing = machine.start("kill", job)
    eventually(lambda: killing.poll() is not None or read(f"/proc/{killing.pid}/syscall").split()[:1] == [
        CLOCK_NANOSLEEP], "`howdah kill` to wait")
    (tmp_path / "go").write_text("\n")
    out, err = killing.communicate(timeout=60)
    assert killing.returncode == 0, (out, err)
    submitting.communicate(timeout=60)
    assert machine.status(job)["state"] == "KILLED"
    machine.assert_clean(job)

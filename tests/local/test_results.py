"""The content of HOWDAH_RESULT when a process ends: `howdah result`, its limits, and kills."""

import os
import signal

import pytest

JOB = """
roles:
  worker:
    instances: 2
    memory: 64MiB
    processes: 2
    command: 'printf "$HOWDAH_RANK\\n\\0" > "$HOWDAH_RESULT"; [ $HOWDAH_LOCAL_RANK = 1 ] || rm "$HOWDAH_RESULT"'
"""


def test_bytes_of_each_process_are_printed(machine, tmp_path):
    job = machine.submit(machine.job_file(tmp_path, JOB))
    assert machine("wait", job).code == 0
    assert [task["result_bytes"] for task in machine.status(job)["tasks"]] == [[-1, 3], [-1, 3]]
    assert machine("result", job, "worker:1", "--rank", "1").stdout == "3\n\0"
    missing = machine("result", job, "worker:0")
    assert (missing.code, missing.stdout) == (
        1,
        "",
    ) and "worker:0 has no result: it has not written the file" in missing.stderr
    wrong = machine("result", job, "worker:0", "--rank", "2")
    assert (
        wrong.code == 2 and "worker:0 has no process with the local rank 2; its processes are 0 to 1" in wrong.stderr
    )
    assert machine("result", job, "reader:0").code == 2


def test_result_of_a_failed_process_is_kept(machine, tmp_path):
    command = 'echo why > "$HOWDAH_RESULT"; exit 3'
    job = machine.submit(machine.job_file(tmp_path, f"roles: {{worker: {{memory: 64MiB, command: '{command}'}}}}"))
    assert machine("wait", job).code == 1
    assert machine("result", job, "worker:0").stdout == "why\n"
    cause = machine.status(job)["cause"]
    assert cause == {"kind": "exit", "role": "worker", "index": 0, "attempt": 0}


def test_result_belongs_to_the_newest_attempt(machine, tmp_path):
    command = '[ $HOWDAH_ATTEMPT = 1 ] || { echo old > "$HOWDAH_RESULT"; exit 1; }'
    job = machine.submit(
        machine.job_file(
            tmp_path, f"roles: {{worker: {{memory: 64MiB, command: '{command}', restart: {{max: 1, backoff: 1ms}}}}}}"
        )
    )
    assert machine("wait", job).code == 0
    assert machine("result", job, "worker:0").code == 1


def test_running_process_has_no_result_yet(machine, tmp_path):
    command = 'echo early > "$HOWDAH_RESULT"; exec sleep 86400'
    job = machine.submit(machine.job_file(tmp_path, f"roles: {{worker: {{memory: 64MiB, command: '{command}'}}}}"))
    machine.running(job)
    done = machine("result", job, "worker:0")
    assert done.code == 1 and "worker:0 has no result yet: it is RUNNING" in done.stderr
    machine("kill", job, "--grace", "0s")


def test_link_in_place_of_the_result_fails_the_process(machine, tmp_path):
    command = 'ln -s /etc/hostname "$HOWDAH_RESULT"'
    job = machine.submit(machine.job_file(tmp_path, f"roles: {{worker: {{memory: 64MiB, command: '{command}'}}}}"))
    assert machine("wait", job).code == 1
    assert "reading its result: opening" in machine.status(job)["reason"]


@pytest.mark.parametrize("victim", ["am", "task"])
def test_killed_am_keeps_the_result_and_killed_executor_fails_the_job(machine, tmp_path, victim):
    """The AM's guardian starts another AM, which receives the end of the task. A task whose executor dies fails."""
    go = tmp_path / "go"
    command = f'while [ ! -e {go} ]; do sleep 0.02; done; echo kept > "$HOWDAH_RESULT"'
    job = machine.submit(machine.job_file(tmp_path, f"roles: {{worker: {{memory: 64MiB, command: '{command}'}}}}"))
    machine.running(job)
    pids = machine.agents(job, victim)
    os.kill(pids[-1], signal.SIGKILL)
    go.touch()
    machine("wait", job)
    state = machine.status(job)["state"]
    assert state == ("SUCCEEDED" if victim == "am" else "FAILED")
    assert machine("result", job, "worker:0").stdout == ("kept\n" if victim == "am" else "")

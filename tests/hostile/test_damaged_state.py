"""Damaged state files: an application master that cannot read the events of its predecessor ends the job with a reason
that names the file. It never starts a task that still runs."""
import os
import signal

import pytest

from machine import eventually, read

# Each attempt of the task records its start, and fails if another attempt is still running.
JOB = """
env: {NOTES: %s}
roles:
  worker:
    memory: 64MiB
    command: |
      echo start >> $NOTES
      exec 9>>$NOTES.lock
      flock -n 9 || { echo twice >> $NOTES; exit 7; }
      exec sleep 300
"""


def replaced_am(machine, tmp_path, damage):
    """Runs a job whose AM is killed. `damage` changes the bytes of events.bin before another AM reads them."""
    notes = tmp_path / "notes"
    job = machine.submit(machine.job_file(tmp_path, JOB % notes))
    machine.running(job)
    eventually(lambda: b"start" in read(notes), "the task's start")
    _, am = machine.agents(job, "am")
    os.kill(am, signal.SIGSTOP)
    events = machine.home / "jobs" / job / "events.bin"
    damaged = damage(events.read_bytes())
    if damaged is None:
        events.unlink()
    else:
        events.write_bytes(damaged)
    os.kill(am, signal.SIGKILL)
    return job, notes


def taken_over(machine, job, attempt):
    journal = machine.home / "jobs" / job / "journal.jsonl"
    eventually(lambda: b'"am_attempt":%d' % attempt in read(journal), f"AM attempt {attempt}: {machine.status(job)}")


def flip(where):
    def damage(content):
        damaged = bytearray(content)
        damaged[where] ^= 0xff
        return bytes(damaged)
    return damage


def missing(content):
    """Stands for the loss of the file. Without the file, the guardian does not start another AM."""


def second_length_is_2_gib(b):
    at = 8 + 12 + int.from_bytes(b[8:12], "little")
    return b[:at] + (2 << 30).to_bytes(4, "little") + b[at + 4:]


@pytest.mark.parametrize("damage", [
    pytest.param(lambda b: b"", id="empty"),
    pytest.param(missing, id="missing"),
    pytest.param(lambda b: b[:len(b) // 2], id="cut-in-half"),
    pytest.param(lambda b: b[:30], id="cut-after-the-beginning"),
    pytest.param(second_length_is_2_gib, id="length-of-2-GiB"),
    pytest.param(lambda b: os.urandom(len(b)), id="random"),
    pytest.param(flip(-1), id="flipped-at-the-end"),
    pytest.param(flip(100), id="flipped"),
    pytest.param(lambda b: b + bytes(64), id="zeros-at-the-end"),
    pytest.param(lambda b: b"\x0e\0\0\0" + b[20:], id="format-without-checksums")])
def test_no_task_starts_twice_when_the_event_log_is_damaged(machine, tmp_path, damage):
    job, notes = replaced_am(machine, tmp_path, damage)
    done = machine("wait", job)
    status = machine.status(job)
    assert (done.code, status["state"]) == (1, "FAILED"), (done, status)
    if damage is not missing:
        assert "events.bin" in status["reason"], status["reason"]
    assert notes.read_text() == "start\n"
    machine.assert_clean(job)


def test_a_torn_record_at_the_end_is_removed_and_the_job_continues(machine, tmp_path):
    job, notes = replaced_am(machine, tmp_path, lambda b: b + b[8:20] + b"half")
    # The appended record has a valid header but an incomplete content, like a record whose write was interrupted.
    taken_over(machine, job, 1)
    assert machine.status(job)["state"] == "RUNNING"
    assert notes.read_text() == "start\n"
    assert machine("kill", job).code == 0


def test_a_torn_last_line_of_the_journal_is_removed(machine, tmp_path):
    job, notes = replaced_am(machine, tmp_path, lambda b: b)
    taken_over(machine, job, 1)
    _, am = machine.agents(job, "am")
    os.kill(am, signal.SIGSTOP)
    journal = machine.home / "jobs" / job / "journal.jsonl"
    with journal.open("ab") as file:
        file.write(b'{"time":"2026-11-')
    os.kill(am, signal.SIGKILL)
    taken_over(machine, job, 2)
    assert machine("kill", job).code == 0
    lines = journal.read_bytes().splitlines()
    assert all(line.startswith(b"{") and line.endswith(b"}") for line in lines), lines
    assert notes.read_text() == "start\n"

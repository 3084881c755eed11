"""Ctrl-C, SIGTERM and SIGKILL at `howdah run` and `howdah submit`: before the job runs, and while nobody reads."""
import os
import select
import shutil
import signal
import subprocess

import pytest

from machine import BIN, DEADLINE_S, eventually

LINES = 50000
TALKER = f"name: talker\nroles: {{w: {{memory: 16MiB, command: 'seq 1 {LINES}; exec sleep 300'}}}}\n"


def is_writable(fd):
    return bool(select.select([], [fd], [], 0)[1])


def shown_numbers(text):
    return [int(line.removeprefix("w:0 │ ")) for line in text.splitlines() if line.startswith("w:0 │ ")]


@pytest.mark.parametrize("flags, stream", [([], "stdout"), (["--json"], "stderr")])
@pytest.mark.parametrize("blocking", [True, False])
def test_signals_stop_the_job_while_nobody_reads_its_output(machine, tmp_path, flags, stream, blocking):
    read_end, write_end = os.pipe()
    os.set_blocking(write_end, blocking)
    other = {"stdout": "stderr", "stderr": "stdout"}[stream]
    with open(tmp_path / "other", "w") as file:
        run = subprocess.Popen([BIN, "run", machine.job_file(tmp_path, TALKER), *flags], env=machine.env,
                               stdin=subprocess.DEVNULL, **{stream: write_end, other: file})
    eventually(lambda: not is_writable(write_end), "a full pipe")
    os.close(write_end)
    run.send_signal(signal.SIGINT)
    machine.until("last", lambda status: status["state"] == "KILLED", "the end")
    with open(read_end) as pipe:
        text = pipe.read()
    assert run.wait(DEADLINE_S) == 4, text[-1000:]
    assert shown_numbers(text) == list(range(1, LINES + 1))
    assert "press Ctrl-C again" in (text if stream == "stderr" else (tmp_path / "other").read_text())


def test_signals_before_the_client_knows_the_id_stop_the_job(machine, tmp_path):
    (tmp_path / "bin").mkdir()
    shutil.copy(BIN, tmp_path / "bin/howdah")
    os.mkfifo(tmp_path / "gate")
    agent = tmp_path / "bin/howdah-agent"
    agent.write_text(f"""#!/bin/sh
if [ "$1" = am ]; then : > {tmp_path}/started; read gate < {tmp_path}/gate; fi
exec {BIN}-agent "$@"
""")
    agent.chmod(0o755)
    run = subprocess.Popen([tmp_path / "bin/howdah", "run", machine.job_file(tmp_path, TALKER)], env=machine.env,
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    eventually((tmp_path / "started").exists, "the start of the application master")
    for number in (signal.SIGINT, signal.SIGTERM):
        run.send_signal(number)
        assert run.stderr.readline() == "howdah: stopping the job after its submission\n"
    (tmp_path / "gate").write_text("go\n")
    _, stderr = run.communicate(timeout=DEADLINE_S)
    job, = machine.jobs()
    assert run.returncode == 4 and f"{job} submitted" in stderr and f"stopping {job} without grace period" in stderr
    assert machine.status(job)["state"] == "KILLED"
    machine.assert_clean(job)


@pytest.mark.parametrize("command, numbers, code", [
    ("run", [signal.SIGINT, signal.SIGINT], 4),
    ("submit", [signal.SIGINT], -signal.SIGINT),
    ("submit", [signal.SIGKILL], -signal.SIGKILL),
])
def test_next_submission_removes_files_of_an_interrupted_one(machine, tmp_path, command, numbers, code):
    os.mkfifo(tmp_path / "env.tar")
    archive = os.open(tmp_path / "env.tar", os.O_RDWR)  # the client waits for its content
    client = machine.start(command, machine.job_file(tmp_path, "python: {archive: env.tar}\n" + TALKER))
    begun, = eventually(lambda: [job for job in machine.jobs() if (machine.home / "jobs" / job / "python").exists()],
                        "the beginning of the staging")
    ended = [machine("run", "hello.yaml").id]
    assert set(machine.jobs()) == {begun, *ended}  # the submission is in progress, so its files stay
    for number in numbers[:-1]:
        client.send_signal(number)
        assert "press Ctrl-C again to cancel the submission" in client.stderr.readline()
    client.send_signal(numbers[-1])
    assert client.wait(DEADLINE_S) == code
    os.close(archive)
    assert begun in machine.jobs()
    ended.append(machine("run", "hello.yaml").id)
    assert set(machine.jobs()) == set(ended)

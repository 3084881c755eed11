"""A task puts named pipes, links and devices in the place of its log, error and progress files. Nothing blocks on them,
and the true exit code is reported."""
import signal

import pytest

JOB = """
roles:
  worker:
    memory: 64MiB
    restart: {max: 0}
    command: |
      %s
"""
STDERR = "f=$(readlink /proc/self/fd/2)"
ATTACKS = {
    "stderr-fifo": f"{STDERR}; rm $f; mkfifo $f; exit 7",
    "stdout-fifo": "f=$(readlink /proc/self/fd/1); rm $f; mkfifo $f; exit 7",
    "stderr-link-to-device": f"{STDERR}; ln -sf /dev/zero $f; exit 7",
    "stderr-directory": f"{STDERR}; rm $f; mkdir $f; exit 7",
    "error-file-fifo": "mkfifo $TORCHELASTIC_ERROR_FILE; exit 7",
    "progress-fifo": "rm $HOWDAH_PROGRESS; mkfifo $HOWDAH_PROGRESS; exit 7",
}


@pytest.mark.parametrize("framework", ["plain", "pytorch"])
@pytest.mark.parametrize("attack", ATTACKS)
def test_exit_code_is_reported(machine, tmp_path, framework, attack):
    if attack == "error-file-fifo" and framework == "plain":
        pytest.skip("a plain job has no error file")
    text = f"framework: {framework}\n" + JOB % ATTACKS[attack]
    done = machine("run", machine.job_file(tmp_path, text))
    assert done.code == 1, done
    status = machine.status(done.id)
    assert "exit code 7" in status["reason"], status
    task = status["tasks"][0]
    assert (task["attempt"], task["exit_code"]) == (0, 7), task
    machine.assert_clean(done.id)


def test_commands_name_a_pipe_in_place_of_a_log(machine, tmp_path):
    job = machine.submit(machine.job_file(tmp_path, JOB % ("echo shown; " + ATTACKS["stderr-fifo"])))
    assert machine("wait", job).code == 1
    done = machine("logs", job, "worker:0", "--stderr")
    assert done.code != 0 and "it is a FIFO, not a regular file" in done.stderr, done
    assert machine("logs", job, "worker:0", "--stdout").stdout == "shown\n"
    assert machine("logs", "-f", job).code == 0


def test_run_reacts_to_sigint_while_a_log_is_a_pipe(machine, tmp_path):
    command = ATTACKS["stderr-fifo"].replace("exit 7", "echo replaced; exec sleep 300")
    run = machine.start("run", machine.job_file(tmp_path, JOB % command))
    for line in run.stdout:
        if "replaced" in line:
            break
    run.send_signal(signal.SIGINT)
    _, stderr = run.communicate(timeout=60)
    assert run.returncode == 4, (run.returncode, stderr)

"""An application master or an executor whose event loop hangs is replaced, and `howdah kill` ends its job."""
import os
import signal

from machine import eventually

JOB = """
timeouts: {heartbeat: 10m, am: 10m}
roles:
  worker: {memory: 64MiB, command: exec sleep 300, restart: {max: 1}}
"""
HUNG = "did not turn its event loop for 30 s"


def start(machine, tmp_path):
    job = machine.submit(machine.job_file(tmp_path, JOB))
    machine.running(job)
    return job


def await_reason(machine, job):
    journal = machine.home / "jobs" / job / "journal.jsonl"
    eventually(lambda: HUNG in journal.read_text(), f"a hang in the journal of {job}")


def stop(pid):
    os.kill(pid, signal.SIGSTOP)
    return pid


def test_guardians_replace_agents_that_hang(machine, tmp_path):
    hung_am, hung_executor, suspended = (start(machine, tmp_path) for _ in range(3))
    stopped_am = stop(machine.agents(hung_am, "am")[1])
    stopped_executor = stop(machine.agents(hung_executor, "task")[1])
    # Imitate a suspended machine: stop all agents of this job until the other two jobs have replaced their agents.
    agents = machine.agents(suspended, "am") + machine.agents(suspended, "task")
    for pid in agents:
        stop(pid)
    await_reason(machine, hung_am)
    eventually(lambda: len(machine.agents(hung_am, "am")) == 2, "another application master")
    assert stopped_am not in machine.agents(hung_am, "am")
    await_reason(machine, hung_executor)
    machine.until(hung_executor, lambda s: s["tasks"][0]["attempt"] == 1 and s["tasks"][0]["state"] == "RUNNING",
                  "the second attempt of the task")
    assert stopped_executor not in machine.agents(hung_executor, "task")
    for pid in agents:
        os.kill(pid, signal.SIGCONT)
    # Both the application master and the executor answer.
    assert machine("exec", suspended, "worker:0", "--", "true").code == 0
    assert machine.agents(suspended, "am") + machine.agents(suspended, "task") == agents
    for job in (hung_am, hung_executor, suspended):
        assert machine("kill", job).code == 0
        machine.assert_clean(job)


def test_kill_ends_a_job_whose_application_master_does_not_answer(machine, tmp_path):
    job = start(machine, tmp_path)
    guardian, am = machine.agents(job, "am")
    stop(am)
    done = machine("kill", job)
    assert done.code == 0, done
    assert f"its guardian (pid {guardian}) was sent SIGTERM" in done.stderr, done
    status = machine.status(job)
    assert status["state"] == "KILLED" and "did not turn its event loop" in status["reason"], status
    machine.assert_clean(job)

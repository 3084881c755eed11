"""kill -9 of a user process, an executor, the AM or the client at random moments: every job ends in the expected state,
leaves nothing behind, and reports the root cause."""
import os
import random
import signal

import pytest

from machine import eventually

ROUNDS = int(os.environ.get("HOWDAH_KILL_ROUNDS", "25"))  # the rounds of each test

LONG = """
name: victim
roles:
  worker: {instances: 3, memory: 16MiB, command: "setsid sleep 300 & sleep 300"}
  ps: {memory: 16MiB, kind: service, command: "exec sleep 300"}
"""
SHORT = LONG.replace("& sleep 300", "& sleep 0.4")


def moment(seed):
    """A random delay of 0 to 0.2 s, so that kills hit before, during and after the start of the job."""
    return random.Random(seed).choice([0, 0, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2]) * random.Random(seed + 1).random()


def pause(seconds):
    signal.sigtimedwait([], seconds)


def kill9(pid):
    try:
        os.kill(pid, signal.SIGKILL)
        return True
    except ProcessLookupError:
        return False


def final(machine, job, code, state):
    done = machine("wait", job)
    status = machine.status(job)
    assert (done.code, status["state"]) == (code, state), (done, status)
    machine.assert_clean(job)
    return status


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_a_killed_user_process_fails_the_job(machine, tmp_path, seed):
    job = machine.submit(machine.job_file(tmp_path, LONG))
    machine.running(job)
    pause(moment(seed))
    victim = random.Random(seed).choice([("worker", 0), ("worker", 2), ("ps", 0)])
    assert kill9(machine.task(job, *victim)["pids"][0])
    status = final(machine, job, 1, "FAILED")
    assert "%s:%d" % victim in status["reason"] and "SIGKILL" in status["reason"], status["reason"]
    task = machine.task(job, *victim)
    assert (task["state"], task["signal"], task["exit_code"]) == ("FAILED", "SIGKILL", None)


@pytest.mark.parametrize("which", ["guardian", "executor"])
@pytest.mark.parametrize("seed", range(ROUNDS))
def test_a_killed_executor_fails_the_job(machine, tmp_path, seed, which):
    job = machine.submit(machine.job_file(tmp_path, LONG))
    machine.running(job)
    pause(moment(seed))
    agents = machine.agents(job, "task")
    assert len(agents) == 8, agents
    assert kill9(random.Random(seed).choice(agents[:4] if which == "guardian" else agents[4:]))
    status = final(machine, job, 1, "FAILED")
    assert "lost" in status["reason"] and "executor" in status["reason"], status["reason"]
    assert [t for t in status["tasks"] if t["state"] == "LOST"], status


def next_am(machine, job, before):
    """Waits until another AM has replaced the AM with the pid `before`. Returns the pid of the new AM."""
    def look():
        agents = machine.agents(job, "am")
        return agents if len(agents) == 2 and agents[1] != before else None
    return eventually(look, "an application master after the one that was killed")[1]


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_a_killed_am_is_replaced_and_tasks_continue(machine, tmp_path, seed):
    """The next AM continues the job, and no task restarts."""
    job = machine.submit(machine.job_file(tmp_path, LONG))
    pause(moment(seed))
    am = machine.agents(job, "am")[1]
    assert kill9(am)
    next_am(machine, job, am)
    machine.running(job)
    status = machine.status(job)
    assert status["generation"] == 0 and all(t["attempt"] == 0 for t in status["tasks"]), status
    assert machine("kill", job, "--grace", "0s").code == 0
    final(machine, job, 4, "KILLED")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_an_am_killed_before_it_acts_on_a_signal_leaves_the_signal_to_the_next_am(machine, tmp_path, number):
    """The guardian receives the signal and the end of the AM at the same time."""
    job = machine.submit(machine.job_file(tmp_path, LONG))
    machine.running(job)
    guardian, am = machine.agents(job, "am")
    os.kill(guardian, signal.SIGSTOP)
    assert kill9(am)
    os.kill(guardian, number)
    os.kill(guardian, signal.SIGCONT)
    status = final(machine, job, 4, "KILLED")
    assert f"{signal.Signals(number).name} to the application master" in status["reason"], status


@pytest.mark.parametrize("seed", range(ROUNDS // 5))
def test_an_am_killed_while_tasks_end_is_replaced(machine, tmp_path, seed):
    job = machine.submit(machine.job_file(tmp_path, SHORT))
    machine.until(job, lambda s: s["started"], "the start")  # the tasks may have ended since
    pause(0.3 + moment(seed))
    for pid in machine.agents(job, "am")[1:]:
        kill9(pid)
    status = final(machine, job, 0, "SUCCEEDED")
    assert all(t["attempt"] == 0 for t in status["tasks"]), status


def test_an_am_killed_twenty_times_loses_no_output(machine, tmp_path):
    """The same processes run until the end, the log has every line once, and `status` works after each kill."""
    go = tmp_path / "go"
    job = machine.submit(machine.job_file(tmp_path, f"""
name: steps
roles:
  worker:
    instances: 2
    memory: 16MiB
    command: 'for ((i = 0; ; i++)); do echo $i; [ ! -e {go} ] || exit 0; sleep 0.01; done'
"""))
    machine.running(job)
    pids = [t["pids"] for t in machine.status(job)["tasks"]]
    am = machine.agents(job, "am")[1]
    for _ in range(20):
        assert kill9(am)
        am = next_am(machine, job, am)
        assert machine.status(job)["state"] == "RUNNING"
        pause(1.05)  # the guardian stops restarting an AM that repeatedly dies within a second
    assert [t["pids"] for t in machine.status(job)["tasks"]] == pids
    go.touch()
    status = final(machine, job, 0, "SUCCEEDED")
    assert status["generation"] == 0, status
    for index in range(2):
        steps = machine("logs", job, f"worker:{index}").stdout.split()
        assert steps == [str(i) for i in range(len(steps))] and len(steps) > 20


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_a_killed_am_guardian_does_not_affect_the_job(machine, tmp_path, seed):
    """The job continues without the guardian."""
    job = machine.submit(machine.job_file(tmp_path, SHORT))
    pause(moment(seed))
    assert kill9(machine.agents(job, "am")[0])
    final(machine, job, 0, "SUCCEEDED")


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_a_killed_am_and_its_guardian_fail_the_job(machine, tmp_path, seed):
    """Nothing restarts the AM, so the first client that reads the job records its end."""
    job = machine.submit(machine.job_file(tmp_path, LONG))
    pause(moment(seed))
    for pid in machine.agents(job, "am"):
        kill9(pid)
    status = final(machine, job, 1, "FAILED")
    assert "application master" in status["reason"], status["reason"]


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_a_killed_client_does_not_affect_the_job(machine, tmp_path, seed):
    client = machine.start("run", machine.job_file(tmp_path, SHORT))
    job = eventually(lambda: next((j for j in machine.jobs() if machine.agents(j, "am")), None), "the job's AM")
    pause(moment(seed))
    client.kill()
    client.communicate()
    eventually(lambda: (machine.home / "jobs" / job / "journal.jsonl").exists(), "the journal")
    final(machine, job, 0, "SUCCEEDED")


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_killed_tasks_restart_within_their_budget(machine, tmp_path, seed):
    job = machine.submit(machine.job_file(tmp_path, """
name: restarts
roles:
  worker:
    instances: 2
    memory: 16MiB
    restart: {max: 1, backoff: 10ms}
    command: '[ $HOWDAH_ATTEMPT = 1 ] || exec sleep 300'
  other: {memory: 16MiB, command: "sleep 0.5"}
"""))
    machine.running(job)
    pause(moment(seed))
    for index in range(2):
        assert kill9(machine.task(job, "worker", index)["pids"][0])
    final(machine, job, 0, "SUCCEEDED")
    assert [machine.task(job, "worker", i)["attempt"] for i in range(2)] == [1, 1]

"""Kills of several processes at once, several commands at once, and a client that dies while it submits a job."""
import pytest

from machine import eventually, kill_together

JOB = """
source: %s
roles:
  worker: {instances: 2, memory: 16MiB, command: exec sleep 300, restart: {max: %d}}
"""


@pytest.mark.parametrize("budget", [0, 1])
def test_executor_and_guardian_killed_together_lose_one_attempt(machine, tmp_path, source, budget):
    job = machine.submit(machine.job_file(tmp_path, JOB % (source, budget)))
    before = {t["index"]: t["pids"] for t in machine.running(job)["tasks"]}
    alive = machine.alive(job)
    agents = [pid for pid in machine.agents(job, "task") if "--index 1 " in alive[pid]]
    assert len(agents) == 2, alive
    kill_together(agents)
    if budget == 0:
        status = machine.until(job, lambda s: s["state"] == "FAILED", "the end")
        assert "worker:1 was lost" in status["reason"], status
    else:
        status = machine.until(job, lambda s: s["tasks"][1]["attempt"] == 1 and s["tasks"][1]["state"] == "RUNNING",
                               "the second attempt of worker:1")
        assert status["tasks"][0]["pids"] == before[0], status
        assert machine("kill", job).code == 0
    assert not set(before[1]) & set(machine.alive(job)), "a process of the lost attempt"
    machine.assert_clean(job)


def test_all_agents_of_a_running_job_killed_together_leave_nothing(machine, tmp_path, source):
    job = machine.submit(machine.job_file(tmp_path, JOB % (source, 1)))
    machine.running(job)
    kill_together(machine.agents(job, "am") + machine.agents(job, "task"))
    machine.until(job, lambda s: s["state"] == "FAILED", "the end")
    machine.assert_clean(job)


def test_six_kills_at_once_end_the_job_once(machine, tmp_path, source):
    job = machine.submit(machine.job_file(tmp_path, JOB % (source, 0)))
    machine.running(job)
    kills = [machine.start("kill", job) for _ in range(6)]
    for one in kills:
        stdout, stderr = one.communicate(timeout=60)
        assert one.returncode == 0, (stdout, stderr)
    assert machine.status(job)["state"] == "KILLED"
    journal = (machine.home / "jobs" / job / "journal.jsonl").read_text()
    assert journal.count('"JobFinished"') == 1, journal
    machine.assert_clean(job)


@pytest.mark.parametrize("seen", ["job.json", "staging", "journal.jsonl", "am.lock", "am.json"])
def test_client_killed_during_submission_leaves_a_whole_job_or_none(machine, tmp_path, source, seen):
    """The client dies as soon as the test sees a file of the new job. Afterwards every command works, and the job is
    complete if it has a journal."""
    client = machine.start("submit", machine.job_file(tmp_path, JOB % (source, 0)))
    eventually(lambda: client.poll() is not None or list(machine.home.glob(f"jobs/*/{seen}")), seen)
    client.kill()
    client.communicate()
    (job,) = machine.jobs()
    begun = (machine.home / "jobs" / job / "journal.jsonl").exists()
    for command in (["list", "--all"], ["doctor"]):
        done = machine(*command)
        assert done.code in (0, 3), done
        assert (job in done.stdout) or not begun or command == ["doctor"], done
    if begun:
        killed = machine("kill", job)
        assert killed.code in (0, 1, 3), killed
        machine.until(job, lambda s: s["state"] in ("KILLED", "FAILED"), "the end")
    eventually(lambda: not machine.alive(job), f"the end of {machine.alive(job)}")
    assert not list((machine.home / "leases").glob("*.lease"))
    again = machine("run", "--memory", "16MiB", "--source", source, "--", "true")
    assert again.code == 0, again

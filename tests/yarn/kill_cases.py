"""Helpers for tests that kill parts of a job: job files, waiting, and checks of the result."""
import os
import pathlib
import signal

import job_reports
from machine import eventually

WORKER = "memory: 64MiB, command: \"setsid sleep 300 & (setsid nohup sleep 300 &) ; {until}\""
FOREVER = "sleep 300"


def job_text(roles, job="", name="victim"):
    roles = "\n".join(f"  {role}: {{{keys}}}" for role, keys in roles.items())
    return f"name: {name}\n{job}\nroles:\n{roles}\n"


def submit(howdah, tmp_path, roles, job="", name="victim"):
    return howdah.submit(howdah.job_file(tmp_path, job_text(roles, job, name), f"{name}.yaml"))


def worker(until=FOREVER, more=""):
    return f"{more + ', ' if more else ''}{WORKER.format(until=until)}"


def until(path):
    """A command that succeeds once this file exists."""
    return f"while [ ! -e {path} ]; do sleep 0.1; done"


def kill9(*pids):
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def ended(howdah, job, state, *facts, by_its_am=True):
    """Waits for the end of the job and returns its status. Checks that the state is as expected, that all commands
    report the same reason, and that nothing of the job is left."""
    code = {"SUCCEEDED": 0, "FAILED": 1, "KILLED": 4}[state]
    done = howdah("wait", job, timeout=120)
    status = howdah.status(job)
    assert (done.code, status["state"], status["exit_code"]) == (code, state, code), (done, status)

    def still():
        return [line for line in howdah.alive(job).values() if "howdah-agent task" in line or "sleep" in line]
    assert not still(), f"a final state is visible, and the job still has {still()}"
    app = howdah.cluster.wait_app(job)
    assert app["finalStatus"] == state, app
    job_reports.assert_facts(status["reason"] or "", *facts)
    if status["reason"]:
        job_reports.final_status(howdah, job, by_its_am=by_its_am)
    howdah.assert_clean(job)
    return status


def runs_again(howdah, job, index):
    """Waits until attempt 1 of the task runs."""
    howdah.until(job, lambda s: [s["tasks"][index][k] for k in ("attempt", "state")] == [1, "RUNNING"], "attempt 1")


def tasks_of(howdah, job):
    return {(t["role"], t["index"]): t for t in howdah.status(job)["tasks"]}


def events(howdah, job):
    done = howdah("events", job)
    assert done.code == 0, done
    return done.stdout


def node_of(cluster, pid):
    """The name (nm1, nm2, ...) of the node on which the process runs."""
    return pathlib.Path(os.readlink(f"/proc/{pid}/cwd")).relative_to(cluster.folder).parts[0]


def am_node(howdah, job):
    return node_of(howdah.cluster, howdah.agents(job, "am")[0])


def name_of_node(cluster, host):
    return next(n for n in cluster.setup.node_names() if cluster.host(n) == host)


def task_away_from_am(howdah, job, role="worker"):
    """Finds a task of the role that is not on the AM's node; returns its index and the name of its node."""
    at = am_node(howdah, job)
    for (of, index), task in tasks_of(howdah, job).items():
        node = name_of_node(howdah.cluster, task["node"])
        if of == role and node != at:
            return index, node
    raise AssertionError("every task is where the AM is")


def am_files(howdah, job):
    """The directory of the AM's container."""
    return pathlib.Path(os.readlink(f"/proc/{howdah.agents(job, 'am')[1]}/cwd"))


def wait_until_stored(howdah, job):
    """Waits until HDFS has the AM's current journal and events, which an AM on another node needs."""
    here = am_files(howdah, job)
    for name in ("journal.jsonl", "events.bin"):
        at = f"/user/alice/.howdah/jobs/{job}/{name}"
        eventually(lambda: howdah.cluster.size_in_hdfs(at) == (here / name).stat().st_size, f"the copy of {name}")


def am_attempts(howdah, job):
    return howdah.cluster.rm(f"apps/{job}/appattempts")["appAttempts"]["appAttempt"]


def steps(folder):
    """A command that writes one line per step, numbered from 1. A restarted task would repeat numbers."""
    count = f"i=$((i+1)); echo $i >> {folder}/steps.$HOWDAH_TASK_INDEX"
    return f"i=0; while [ ! -e {folder}/go ]; do {count}; sleep 0.05; done"


def assert_unbroken(folder, tasks):
    for index in range(tasks):
        counted = [int(line) for line in (folder / f"steps.{index}").read_text().split()]
        assert counted == list(range(1, len(counted) + 1)), "a step is missing or came twice"


def kill_am(howdah, job):
    """Kills the AM. Returns when the next AM runs and has answered a request."""
    guardian, am = howdah.agents(job, "am")
    kill9(am)

    def others():
        agents = howdah.agents(job, "am")
        return agents if len(agents) == 2 and am not in agents else None
    assert eventually(others, "another AM")[0] == guardian
    assert howdah.status(job)["state"] == "RUNNING"

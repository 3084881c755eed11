"""Jobs whose parts are killed, and what is to be seen of them then."""
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
    """A command that ends well once there is such a file."""
    return f"while [ ! -e {path} ]; do sleep 0.1; done"


def kill9(*pids):
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def ended(howdah, job, state, *facts, by_its_am=True):
    """The status of the job, whose end is as expected and said alike everywhere; nothing of it is left."""
    code = {"SUCCEEDED": 0, "FAILED": 1, "KILLED": 4}[state]
    done = howdah("wait", job, timeout=120)
    status = howdah.status(job)
    assert (done.code, status["state"], status["exit_code"]) == (code, state, code), (done, status)
    still = [command for command in howdah.alive(job).values() if "howdah-agent task" in command or "sleep" in command]
    assert not still, f"a final state is visible, and the job still has {still}"
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
    """nm1 and so on: whose container the process is in."""
    return pathlib.Path(os.readlink(f"/proc/{pid}/cwd")).relative_to(cluster.folder).parts[0]


def am_node(howdah, job):
    return node_of(howdah.cluster, howdah.agents(job, "am")[0])


def name_of_node(cluster, host):
    return next(n for n in cluster.setup.node_names() if cluster.host(n) == host)


def elsewhere(howdah, job, role="worker"):
    """A task of the role on a node without the AM, and that node."""
    at = am_node(howdah, job)
    for (of, index), task in tasks_of(howdah, job).items():
        node = name_of_node(howdah.cluster, task["node"])
        if of == role and node != at:
            return index, node
    raise AssertionError("every task is where the AM is")


def stored(howdah, job):
    """Waits until what the AM knows now is in HDFS, for one on another machine."""
    here = pathlib.Path(os.readlink(f"/proc/{howdah.agents(job, 'am')[1]}/cwd"))
    for name in ("journal.jsonl", "events.bin"):
        at = f"/user/alice/.howdah/jobs/{job}/{name}"
        eventually(lambda: howdah.cluster.size_in_hdfs(at) == (here / name).stat().st_size, f"the copy of {name}")


def am_attempts(howdah, job):
    return howdah.cluster.rm(f"apps/{job}/appattempts")["appAttempts"]["appAttempt"]


def steps(folder):
    """A task that writes a line a step, and whose every step must come once: it never starts again."""
    count = f"i=$((i+1)); echo $i >> {folder}/steps.$HOWDAH_TASK_INDEX"
    return f"i=0; while [ ! -e {folder}/go ]; do {count}; sleep 0.05; done"


def assert_unbroken(folder, tasks):
    for index in range(tasks):
        counted = [int(line) for line in (folder / f"steps.{index}").read_text().split()]
        assert counted == list(range(1, len(counted) + 1)), "a step is missing or came twice"


def kill_am(howdah, job):
    """Returns once another one is there, which is asked."""
    guardian, am = howdah.agents(job, "am")
    kill9(am)

    def others():
        agents = howdah.agents(job, "am")
        return agents if len(agents) == 2 and am not in agents else None
    assert eventually(others, "another AM")[0] == guardian
    assert howdah.status(job)["state"] == "RUNNING"

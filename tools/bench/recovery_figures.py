"""(h) The time from a kill until the whole job runs again. For kills from which TonY recovers, the time is compared
with TonY's on the same cluster."""
import os
import signal
import statistics
import time

from figures import Row
from tony_figures import pids
from tony_jobs import Tony
from yarn_jobs import LIMIT_S

HEARTBEAT_S = 5
FIRST_RUN_S = 3  # pause before a kill, because TonY's AM may not recover from a kill soon after the start


def seconds_until_restarted(yarn, out, tasks, killed, what):
    """Waits until all these tasks have restarted. Returns the seconds from the kill to the last start. The caller must
    remove the tasks' old stamps before the kill."""
    paths = [out / str(task) for task in tasks]
    yarn.cluster.wait(lambda: all(p.exists() for p in paths), what, LIMIT_S)
    return max(int(path.read_text()) / 1e9 for path in paths) - killed


def kill(pid, number=signal.SIGKILL):
    os.kill(pid, number)
    return time.time()


class Victim:
    """A running job of two tasks."""

    def __init__(self, yarn, **keys):
        self.yarn, self.howdah = yarn, yarn.howdah
        self.job = yarn.submit(2, **keys)
        self.job.starts()
        self.howdah.running(self.job.id)

    def task(self, index):
        return self.howdah.task(self.job.id, "worker", index)

    def executor_of(self, index):
        container, alive = self.task(index)["container"], self.howdah.alive(self.job.id)
        return [pid for pid in self.howdah.agents(self.job.id, "task") if container in alive[pid]][1]

    def again(self, tasks, kill_it, what):
        for task in tasks:
            (self.job.out / str(task)).unlink()
        return seconds_until_restarted(self.yarn, self.job.out, tasks, kill_it(), what)

    def until(self, condition, what):
        self.howdah.until(self.job.id, condition, what)
        return time.time()


def of_tasks(yarn, runs):
    """Kills a task in a job without ranks, where only the killed task restarts, and in a job with ranks, where both
    tasks restart."""
    plain = {"roles": {"worker": {"restart": {"max": 99, "backoff": "1ms"}}}}
    for name, keys, tasks in (("one task", {}, [1]), ("all ranks", {"framework": "pytorch"}, [0, 1])):
        victim = Victim(yarn, **plain, **keys)
        for kind, goal, pick in (("user process", "< 0.3 s", lambda: victim.task(1)["pids"][0]),
                                 ("executor", "grant + 0.3 s", lambda: victim.executor_of(1))):
            times = []
            for _ in range(runs):
                victim.howdah.running(victim.job.id)
                times.append(victim.again(tasks, lambda: kill(pick()), f"the {name} again"))
            yield Row("h", f"kill -9 of a {kind} to {name} running again", statistics.median(times), "s", runs, goal,
                      "")
        victim.job.kill()


def of_a_frozen_executor(yarn, runs):
    times = []
    victim = Victim(yarn, timeouts={"heartbeat": f"{HEARTBEAT_S}s"}, roles={"worker": {"restart": {"max": 99}}})
    for _ in range(runs):
        attempt = victim.task(1)["attempt"]
        frozen = kill(victim.executor_of(1), signal.SIGSTOP)
        times.append(victim.until(lambda s: s["tasks"][1]["attempt"] > attempt, "the report") - frozen)
        victim.howdah.running(victim.job.id)
    victim.job.kill()
    yield Row("h", f"SIGSTOP of an executor to reported, heartbeat limit {HEARTBEAT_S} s", statistics.median(times),
              "s", runs, f"< {HEARTBEAT_S + 1} s", "")


def of_the_am(yarn, runs):
    times, elsewhere = [], []
    victim = Victim(yarn, am={"attempts": 2})
    tasks = [victim.task(index)["pids"] for index in (0, 1)]
    for _ in range(runs):
        before = victim.howdah.agents(victim.job.id, "am")
        time.sleep(1.1)  # the guardian stops restarting an AM that repeatedly dies within a second
        killed = kill(before[1])
        yarn.cluster.wait(lambda: victim.howdah.agents(victim.job.id, "am")[1:] not in ([], before[1:]), "an AM",
                          LIMIT_S)
        times.append(victim.until(lambda s: s["state"] == "RUNNING", "the status") - killed)
    yield Row("h", "kill -9 of the AM to another one's status", statistics.median(times), "s", runs, "< 3 s", "")
    before = victim.howdah.agents(victim.job.id, "am")
    for pid in before:
        killed = kill(pid)
    yarn.cluster.wait(lambda: len(victim.howdah.agents(victim.job.id, "am")) == 2
                      and not set(before) & set(victim.howdah.agents(victim.job.id, "am")), "an AM", LIMIT_S)
    adopted = victim.until(lambda s: "adopted" in (s["reason"] or ""), "the status")
    elsewhere.append(adopted - killed)
    same = [victim.task(index)["pids"] for index in (0, 1)] == tasks
    yield Row("h", "kill -9 of AM and guardian to another one's status", elsewhere[0], "s", 1, "< 3 s",
              "same processes" if same else "OTHER PROCESSES")
    victim.job.kill()


def of_tony(yarn, runs):
    """Kills processes of jobs of TonY, which can only restart the whole job."""
    tony = Tony(yarn)
    more = {"tony.am.retry-count": 1, "tony.application.fail-on-worker-failure-enabled": "true"}
    patterns = {"user process": lambda run: _sleepers(run), "executor": lambda run: pids("executor", 1)}
    for kind, find in patterns.items():
        times = []
        for _ in range(runs):
            run = tony.run(2, 30, more)
            run.starts()
            time.sleep(FIRST_RUN_S)
            pid = find(run)[0]
            for task in (0, 1):
                (run.out / str(task)).unlink()
            times.append(seconds_until_restarted(yarn, run.out, (0, 1), kill(pid), "TonY's tasks again"))
            run.client.kill()
            run.wait()
            app = max(app["id"] for app in yarn.cluster.apps())
            yarn.cluster.rm(f"apps/{app}/state", {"state": "KILLED"}, "PUT", "alice")
            yarn.cluster.wait_idle(LIMIT_S)
        yield Row("h", f"TonY 0.4.7: kill -9 of a {kind} to all running again", statistics.median(times), "s", runs,
                  "", "")


def _sleepers(run):
    from machine import processes
    return [pid for pid, (_, command, _) in processes().items()
            if command.startswith("bash ") and str(run.out) in command]


def recoveries(yarn, runs):
    runs = min(runs, 5)
    for figures in (of_tasks, of_a_frozen_executor, of_the_am, of_tony):
        yield from figures(yarn, runs)

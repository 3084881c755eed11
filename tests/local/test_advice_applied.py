"""Advice proves itself: a real job gets a finding; the job runs again with the change that the finding prints; it
succeeds, the finding is gone, and the saving is the promised one. tests/local/test_advice.py does the same for checks
that need no long run; here the records of the jobs are read in slow motion (slow_motion.py).

All jobs run at the same time, except those that need both cores, which follow each other."""
import concurrent.futures
import dataclasses
import datetime
import json
import os
import re
import shutil
import subprocess
import sys
import time

import pytest

from machine import BIN, Machine
from slow_motion import FACTOR, slow_motion

PYTHON = sys.executable
LIMIT_S = 120  # for one run of a job

REPORT = """
import os, time
def report(line):
    with open(os.environ["HOWDAH_PROGRESS"], "a") as f: print(line, file=f)
"""

# Loader workers decode batches in 50 ms of CPU time each, and a training step takes 36 ms. So one worker is too slow.
# The priority keeps other tests from taking the cores that the check examines.
INPUT_BOUND = REPORT + """
import contextlib, multiprocessing
with contextlib.suppress(PermissionError): os.nice(-15)
def decode(queue):
    while True:
        end = time.process_time() + 0.05
        while time.process_time() < end: pass
        queue.put(None)
queue = multiprocessing.Queue(2)
for _ in range(int(os.environ["OMP_NUM_THREADS"])):  # the task's vcores
    multiprocessing.Process(target=decode, args=(queue,), daemon=True).start()
waited = 0
for step in range(1, 926):
    began = time.monotonic()
    queue.get()
    waited += time.monotonic() - began
    time.sleep(0.036)
    report(f"input {waited:.6f}\\nstep {step}")
"""

# Each step needs a resource that the tasks share, for 100 ms. The tasks divide 120 steps.
SCALING = REPORT + """
import fcntl, sys
tasks = int(os.environ["HOWDAH_WORLD_SIZE"])
with open(sys.argv[1], "w") as lock:
    for step in range(1, 120 // tasks + 1):
        fcntl.flock(lock, fcntl.LOCK_EX)
        time.sleep(0.1)
        fcntl.flock(lock, fcntl.LOCK_UN)
        time.sleep(0.005)
        report(f"step {step}")
"""

# 230 steps of 50 ms, and checkpoints of 250 ms. A failure is injected when an attempt has run for 13 s.
CHECKPOINTS = REPORT + """
import signal
every = int(os.environ["SAVE_EVERY"])
state = os.path.join(os.environ["HOWDAH_CHECKPOINT_DIR"], "step")
step = int(open(state).read()) if os.path.exists(state) else 0
began = time.monotonic()
while step < 230:
    time.sleep(0.05)
    step += 1
    report(f"step {step}")
    if step % every == 0:
        report("checkpointing")
        time.sleep(0.25)
        with open(state + ".new", "w") as f: f.write(str(step))
        os.rename(state + ".new", state)
        report(f"checkpoint {step}")
    if time.monotonic() - began > 13: os.kill(os.getpid(), signal.SIGKILL)
"""

# The tasks divide 20 pieces of work of 200 ms.
SHARED_WORK = """
import fcntl, sys, time
while True:
    with open(sys.argv[1], "a+") as f:
        fcntl.flock(f, fcntl.LOCK_EX)
        f.seek(0)
        if len(f.read()) >= 20: break
        f.write("x")
    time.sleep(0.2)
"""

# A loop of short parallel sections on two cores, for 36 s. Threads that wait for the others spin. The priority keeps
# other tests from taking the cores.
THREADS = r"""
#include <omp.h>
#include <sched.h>
#include <unistd.h>
#include <cstdio>
#include <cstdlib>
int main() {
  if (nice(-15) == -1) std::perror("nice");
  cpu_set_t all, two;
  sched_getaffinity(0, sizeof all, &all);
  CPU_ZERO(&two);
  for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&two) < 2; ++cpu) if (CPU_ISSET(cpu, &all)) CPU_SET(cpu, &two);
  sched_setaffinity(0, sizeof two, &two);
  const double begin = omp_get_wtime();
  long step = 0;
  double reported = 0, sum = 0;
  while (omp_get_wtime() - begin < 36) {
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 20000; ++i) sum += 1.0 / (i + 1 + sum * 0);
    ++step;
    if (omp_get_wtime() - reported < 0.5) continue;
    reported = omp_get_wtime();
    FILE* const file = std::fopen(std::getenv("HOWDAH_PROGRESS"), "a");
    std::fprintf(file, "step %ld\n", step);
    std::fclose(file);
  }
  return sum > 0 ? 0 : 1;
}
"""


def program(folder, text):
    path = folder / "program.py"
    path.write_text(text)
    return path


@dataclasses.dataclass
class Run:
    """One run of a job, and what `howdah` says about its record in slow motion."""
    id: str
    findings: list
    status: dict

    def finding(self, check):
        found = [f for f in self.findings if f["check"] == check]
        assert len(found) == 1, self.findings
        return found[0]

    def held(self, resource):
        """In hours."""
        return self.status["account"]["resources"]["held"][f"{resource}_seconds"] / 3600

    def until_end(self, since):
        """From the job's time `submitted` or `started` until its end, in hours."""
        begin, end = (datetime.datetime.fromisoformat(self.status[name].replace("Z", "+00:00"))
                      for name in (since, "finished"))
        return (end - begin).total_seconds() / 3600

    def ran(self):
        return self.until_end("started")

    def steps(self):
        return self.status["tasks"][0]["progress"]["step"]


class Case:
    """Runs a job in a HOWDAH_HOME of its own."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir()
        self.machine = Machine(folder / "home")

    def run(self, text, *flags):
        done = self.machine("run", self.machine.job_file(self.folder, text), *flags, timeout=LIMIT_S)
        assert done.code == 0, done
        return self.record(done.id)

    def record(self, job):
        slow = slow_motion(self.machine, self.folder / f"slow-{job}")
        advised = slow("advise", job, "--json")
        assert advised.code == 0, advised
        return Run(job, json.loads(advised.stdout), slow.status(job))

    def run_twice(self, check, text, *flags):
        """Runs the job, and again with the change that the finding of this check prints."""
        first = self.run(text, *flags)
        return first, self.run(text, *flags, *sets(first.finding(check)))


def sets(finding):
    assert finding["change"]["set"], finding
    return [word for change in finding["change"]["set"] for word in ("--set", change)]


def memory_over(case):
    """LIMIT_KIB is a limit of the data segment, because the local backend does not limit memory."""
    hold = "x = bytearray(300 << 20); x[::4096] = b'1' * len(x[::4096]); import time; time.sleep(36)"
    text = f"""
metrics: {{interval: 1s}}
roles:
  worker:
    memory: 3GiB
    env: {{LIMIT_KIB: unlimited}}
    command: |
      ulimit -d $LIMIT_KIB
      exec {PYTHON} -c "{hold}"
"""
    first = case.run(text)
    (change,) = first.finding("memory-over")["change"]["set"]
    mib = int(re.fullmatch(r"roles.worker.memory=(\d+)MiB", change)[1])
    limit = "roles.worker.env.LIMIT_KIB="
    second = case.run(text, "--set", change, "--set", f"{limit}{mib << 10}")
    assert case.machine("run", case.folder / "job.yaml", "--set", f"{limit}{250 << 10}").code == 1, "it has no effect"
    return first, second


def vcores_over(case):
    return case.run_twice("vcores-over", """
metrics: {interval: 1s}
roles: {worker: {memory: 16MiB, vcores: 8, command: exec sleep 36}}
""")


def input_bound(case):
    return case.run_twice("input-bound", f"""
metrics: {{interval: 1s}}
roles: {{worker: {{memory: 256MiB, command: ['{PYTHON}', '{program(case.folder, INPUT_BOUND)}']}}}}
""")


def threads(case):
    source, binary = case.folder / "threads.cc", case.folder / "threads"
    source.write_text(THREADS)
    subprocess.run([os.environ.get("CXX", "g++"), "-O1", "-fopenmp", "-o", binary, source], check=True)
    return case.run_twice("threads", f"""
metrics: {{interval: 1s}}
roles:
  worker:
    memory: 64MiB
    vcores: 2
    env: {{OMP_NUM_THREADS: 6, OMP_WAIT_POLICY: active}}
    command: [{binary}]
""")


def scaling(case):
    text = f"""
name: scaled
roles:
  worker:
    memory: 32MiB
    vcores: 10
    command: ['{PYTHON}', '{program(case.folder, SCALING)}', '{case.folder / "lock"}']
"""
    case.run(text)
    return case.run_twice("scaling", text, "--set", "roles.worker.instances=4")


def checkpoint_interval(case):
    text = f"""
checkpoint: {{dir: '{case.folder / "state"}'}}
roles:
  worker:
    memory: 32MiB
    env: {{SAVE_EVERY: 2}}
    restart: {{max: 10, backoff: 0s}}
    command: ['{PYTHON}', '{program(case.folder, CHECKPOINTS)}']
"""
    first = case.run(text)
    found = first.finding("checkpoint-interval")
    assert "is too frequent" in found["text"], found
    steps = re.search(r"which is every (\d+) steps$", found["change"]["other"])
    assert steps, found
    shutil.rmtree(case.folder / "state")
    return first, case.run(text, "--set", f"roles.worker.env.SAVE_EVERY={steps[1]}")


def queue_wait(case):
    machine = case.machine
    mib = (os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")) >> 20
    release = case.folder / "release"
    os.mkfifo(release)
    keeper = os.open(release, os.O_RDWR)
    blocker = machine.job_file(case.folder, f"""
name: blocker
roles: {{holder: {{memory: {mib * 55 // 100}MiB, command: 'read line < {release}'}}}}
""", "blocker.yaml")
    text = f"""
roles:
  worker:
    instances: 4
    memory: {mib * 15 // 100}MiB
    command: ['{PYTHON}', '{program(case.folder, SHARED_WORK)}', '{case.folder / "work"}']
"""

    def run(*flags, release_after=None):
        holder = machine.submit(blocker)
        machine.running(holder)
        waiting = machine.submit(machine.job_file(case.folder, text), *flags)
        if release_after is not None:
            machine.until(waiting, lambda s: s["reason"], "the reason of the wait")
            time.sleep(release_after)  # the wait itself
            os.write(keeper, b"done\n")
        ended = machine.until(waiting, lambda s: s["state"] == "SUCCEEDED", "the end")
        if release_after is None:
            os.write(keeper, b"done\n")
        machine.until(holder, lambda s: s["state"] == "SUCCEEDED", "the end")
        (case.folder / "work").unlink()
        return case.record(ended["id"])

    first = run(release_after=13)
    return first, run(*sets(first.finding("queue-wait")))


ALONE = (input_bound, threads)
CASES = (memory_over, vcores_over, scaling, checkpoint_interval, queue_wait) + ALONE


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """By the function of the case: a future of its two runs."""
    folder = tmp_path_factory.mktemp("applied")
    cases = {function: Case(folder / function.__name__) for function in CASES}
    with concurrent.futures.ThreadPoolExecutor(len(CASES)) as together, concurrent.futures.ThreadPoolExecutor(1) as one:
        yield {function: (one if function in ALONE else together).submit(function, case)
               for function, case in cases.items()}
        for case in cases.values():
            case.machine.close()


def assert_saved(finding, resource, measured):
    promised = finding["saving"][resource]
    assert promised == pytest.approx(measured, rel=0.2), (finding, measured)


def test_memory_that_is_not_used_is_freed(results):
    first, second = results[memory_over].result()
    assert_saved(first.finding("memory-over"), "memory_gib_hours", first.held("memory_gib") - second.held("memory_gib"))
    assert second.findings == [], "neither too much nor too little"


def test_vcores_that_are_not_used_are_freed(results):
    first, second = results[vcores_over].result()
    assert_saved(first.finding("vcores-over"), "vcore_hours", first.held("vcore") - second.held("vcore"))
    assert second.findings == []


def test_input_bound_job_gets_vcores_for_its_loader_workers(results):
    first, second = results[input_bound].result()
    found = first.finding("input-bound")
    assert found["change"]["set"] == ["roles.worker.vcores=2"], found
    assert_saved(found, "hours", first.ran() - second.ran())
    assert found["saving"]["vcore_hours"] == 0 < second.held("vcore") - first.held("vcore"), "it holds more vcores"
    assert second.ran() * 3600 > 30 * FACTOR, "as many samples as the check needs"
    assert second.findings == []


def test_threads_are_limited_to_the_vcores(results):
    first, second = results[threads].result()
    found = first.finding("threads")
    assert found["change"]["set"] == ["roles.worker.env.OMP_NUM_THREADS=2"], found
    assert not any(found["saving"][what] for what in ("hours", "vcore_hours")), "it cannot be known in advance"
    assert second.steps() > first.steps()
    assert second.findings == []


def test_job_that_does_not_scale_gets_fewer_instances(results):
    first, second = results[scaling].result()
    found = first.finding("scaling")
    assert found["change"]["set"] == ["roles.worker.instances=1"], found
    assert_saved(found, "vcore_hours", first.held("vcore") - second.held("vcore"))
    assert found["saving"]["hours"] == pytest.approx(first.ran() - second.ran(), abs=0.1 * first.ran())
    assert second.findings == []


def test_checkpoints_are_as_frequent_as_failures_require(results):
    first, second = results[checkpoint_interval].result()
    assert_saved(first.finding("checkpoint-interval"), "hours", first.ran() - second.ran())
    assert second.findings == []


def test_gang_that_waits_starts_with_half_of_its_tasks(results):
    first, second = results[queue_wait].result()
    found = first.finding("queue-wait")
    assert found["change"]["set"] == ["roles.worker.instances={min: 2, max: 4}"], found
    assert_saved(found, "hours", first.until_end("submitted") - second.until_end("submitted"))
    assert second.findings == []


def test_full_shared_memory_is_relieved_by_fewer_loader_workers(tmp_path):
    """The jobs run in a mount namespace whose /dev/shm has 16 MiB."""
    machine = Machine(tmp_path / "home")
    job = machine.job_file(tmp_path, """
metrics: {interval: 1s}
roles:
  worker:
    memory: 64MiB
    env: {LOADERS: 3}
    command: |
      for i in $(seq $LOADERS); do head -c 5M /dev/zero > /dev/shm/batch$i; done
      sleep 3
      rm /dev/shm/batch*
""")

    def run(*flags):
        script = 'mount -t tmpfs -o size=16m tmpfs /dev/shm && exec "$@"'
        words = ["unshare", "--mount", "sh", "-c", script, "sh", str(BIN), "run", str(job), *flags]
        subprocess.run(words, env=machine.env, check=True, timeout=LIMIT_S, stdin=subprocess.DEVNULL)
        return json.loads(machine("advise", "last", "--json").stdout)

    (found,) = run()
    assert (found["check"], found["severity"]) == ("shm", "severe"), found
    assert found["change"]["other"].startswith("fewer data loader workers"), found
    assert run("--set", "roles.worker.env.LOADERS=2") == []
    machine.close()

"""Advice proves itself: a real job gets a finding; the job runs again with the change that the finding prints; it
succeeds, the finding is gone, and the saving is the promised one. tests/local/test_advice.py does the same for checks
that need no long run, and tests/idle for those that need the cores for themselves. Here the records of the jobs are
read in slow motion (slow_motion.py). All jobs run at the same time."""
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import time

import pytest

from advised_jobs import LIMIT_S, PYTHON, REPORT, Case, assert_saved, program, sets
from machine import BIN, Machine

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


CASES = (memory_over, vcores_over, scaling, checkpoint_interval, queue_wait)


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """By the function of the case: a future of its two runs."""
    folder = tmp_path_factory.mktemp("applied")
    cases = {function: Case(folder / function.__name__) for function in CASES}
    with concurrent.futures.ThreadPoolExecutor(len(CASES)) as threads:
        yield {function: threads.submit(function, case) for function, case in cases.items()}
        for case in cases.values():
            case.machine.close()


@pytest.mark.long
def test_memory_that_is_not_used_is_freed(results):
    first, second = results[memory_over].result()
    assert_saved(first.finding("memory-over"), "memory_gib_hours", first.held("memory_gib") - second.held("memory_gib"))
    assert second.findings == [], "neither too much nor too little"


@pytest.mark.long
def test_vcores_that_are_not_used_are_freed(results):
    first, second = results[vcores_over].result()
    assert_saved(first.finding("vcores-over"), "vcore_hours", first.held("vcore") - second.held("vcore"))
    assert second.findings == []


@pytest.mark.long
def test_job_that_does_not_scale_gets_fewer_instances(results):
    first, second = results[scaling].result()
    found = first.finding("scaling")
    assert found["change"]["set"] == ["roles.worker.instances=1"], found
    assert_saved(found, "vcore_hours", first.held("vcore") - second.held("vcore"))
    assert found["saving"]["hours"] == pytest.approx(first.ran() - second.ran(), abs=0.1 * first.ran())
    assert second.findings == []


@pytest.mark.long
def test_checkpoints_are_as_frequent_as_failures_require(results):
    first, second = results[checkpoint_interval].result()
    assert_saved(first.finding("checkpoint-interval"), "hours", first.ran() - second.ran())
    assert second.findings == []


@pytest.mark.long
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

"""Healthy jobs of half a minute, and a recorder of their runs: `python3 tests/support/healthy_runs.py FILE` runs all of
them, and packs their records (job file, journal, metrics) into FILE. tests/local/test_advice_healthy.py reads the
records in slow motion and expects no advice. The runs differ by their seed: noise, pauses for evaluations, a slow
start, growth of an elastic role, several ranks, a failure between checkpoints, waits for input, parameter servers."""
import concurrent.futures
import os
import pathlib
import sys
import tarfile
import tempfile

from machine import Machine

NAMES = ("job.json", "journal.jsonl", "metrics")
SECONDS = 34  # of running: 30 samples at one per second, and some more
LIMIT_S = 180

# Arguments: kind, seed. Steps of 40 to 80 ms until the time is over; a step computes for a part of its time.
PROGRAM = """
import os, random, sys, time
kind, seed = sys.argv[1], int(sys.argv[2])
rank = int(os.environ.get("HOWDAH_RANK", 0))
common, own = random.Random(seed), random.Random(1000 * seed + rank)
step_s, busy = common.uniform(0.04, 0.08), common.uniform(0.1, 0.3)
noise, evaluate_every, evaluation_s = common.uniform(0.05, 0.4), common.uniform(6, 12), common.uniform(0.3, 1.2)
warm_up, wait, save_every = common.uniform(2, 6), common.uniform(0.02, 0.15), common.uniform(2.5, 4)
began = time.monotonic()
def report(line):
    with open(os.environ["HOWDAH_PROGRESS"], "a") as f: print(line, file=f)
def compute(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end: sum(range(200))
state, step, waited, saved, evaluated = "state", 0, 0.0, began, began
if kind == "checkpoints":
    state = os.path.join(os.environ["HOWDAH_CHECKPOINT_DIR"], "state")
    if os.path.exists(state): step, begun = map(float, open(state).read().split())
    else: begun = time.time()
    step, end = int(step), began + SECONDS - (time.time() - begun)
else:
    end = began + SECONDS
hold = bytearray((2050 if kind == "memory" else common.randint(5, 20)) << 20)
hold[::4096] = b"1" * len(hold[::4096])
if kind == "warm-up": time.sleep(warm_up)
while time.monotonic() < end:
    length = step_s * own.uniform(1 - noise, 1 + noise)
    if kind == "input":
        time.sleep(length * wait)
        waited += length * wait
        report(f"input {waited:.6f}")
    compute(length * (0.9 if kind == "cores" else busy))
    if kind != "cores": time.sleep(length * (1 - busy))
    step += 1
    report(f"step {step}")
    report(f"metric loss {1 / step + own.uniform(0, 0.01)}")
    now = time.monotonic()
    if kind == "evaluation" and now - evaluated > evaluate_every:
        time.sleep(evaluation_s)
        evaluated = time.monotonic()
    if kind == "checkpoints" and now - saved > save_every:
        report("checkpointing")
        time.sleep(0.2)
        with open(state, "w") as f: f.write(f"{step} {begun}")
        report(f"checkpoint {step}")
        saved = time.monotonic()
        if os.environ["HOWDAH_ATTEMPT"] == "0" and now - began > 12: sys.exit(1)
"""

JOB = """
name: {name}
metrics: {{interval: 1s}}
{more}
roles:
  worker:
    instances: {instances}
    memory: {memory}
    vcores: {vcores}
    restart: {{max: 2, backoff: 0s}}
    command: ['{python}', '{program}', {kind}, '{seed}']
"""
SERVERS = """  ps: {{memory: 32MiB, kind: service, command: ['{python}', '{program}', server, '{seed}']}}
"""
KINDS = {"steady": 6, "evaluation": 6, "warm-up": 5, "elastic": 4, "ranks": 5, "checkpoints": 4, "input": 5,
         "cores": 2, "servers": 2, "memory": 1}


def job_of(kind, seed, folder):
    program = folder / "program.py"
    program.write_text(PROGRAM.replace("SECONDS", str(SECONDS)))
    more = f"checkpoint: {{dir: '{folder}'}}" if kind == "checkpoints" else ""
    values = {"name": f"{kind}-{seed}", "kind": kind, "seed": seed, "program": program, "python": "/usr/bin/python3",
              "more": more, "instances": {"ranks": 4, "servers": 2, "elastic": "{min: 1, max: 3}"}.get(kind, 1),
              "memory": {"memory": "2304MiB", "elastic": "1GiB"}.get(kind, "32MiB"), "vcores": 1}
    return (JOB + (SERVERS if kind == "servers" else "")).format(**values)


def run(kind, seed, folder):
    """Runs the job, and returns the directory of its record."""
    folder.mkdir()
    machine = Machine(folder / "home")
    holder = None
    if kind == "elastic":  # leaves memory for one task, and later for the others
        mib = (os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")) >> 20
        text = f"roles: {{holder: {{memory: {mib * 9 // 10 - 1500}MiB, command: exec sleep {10 + seed}}}}}"
        holder = machine.submit(machine.job_file(folder, text, "holder.yaml"), cwd=folder)
        machine.running(holder)
    done = machine("run", machine.job_file(folder, job_of(kind, seed, folder)), cwd=folder, timeout=LIMIT_S)
    assert done.code == 0, done
    if holder:
        machine.until(holder, lambda s: s["state"] == "SUCCEEDED", "the end")
    return machine.home / "jobs" / done.id


def record(file):
    with tempfile.TemporaryDirectory() as below, tarfile.open(file, "w:xz") as tar, \
            concurrent.futures.ThreadPoolExecutor(8) as pool:
        runs = {f"{kind}-{seed}": pool.submit(run, kind, seed, pathlib.Path(below) / f"{kind}-{seed}")
                for kind, count in KINDS.items() for seed in range(1, count + 1)}
        for name, future in runs.items():
            for part in NAMES:
                tar.add(future.result() / part, f"{name}/{part}")


if __name__ == "__main__":
    record(sys.argv[1])

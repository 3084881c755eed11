"""chaos [ITEM...] [--on local|yarn] [--framework pytorch|tensorflow] [--minutes N] [--every SECONDS] [--seed N]
[--kinds A,B...] [--rounds N] - long runs with random faults. Exit code 1: a job did not survive as it should.

  training  a real distributed training under one fault after another (default: yarn, 20 minutes, every 20 s); its model
            must be the same as that of an undisturbed run; --kinds: only these kinds of faults (faults.py)
  feed      three ranks that read a feed under one fault after another, also of its source; each row must be in the
            checkpoint once per pass
  am        20 kills of the AM during one training, which must not lose a step; each next AM must work within 5 s
  failover  two ResourceManagers, with a failover while a job starts, runs and ends, 20 times each (yarn)
"""
import argparse
import heapq
import json
import pathlib
import random
import re
import sys
import tempfile
import time

import jobs
from faults import CLUSTER, LOCAL, SOURCE, ClusterFaults, Faults, with_source

# The limits for the duration of a fault that pauses, disconnects or stops something: the minimum in seconds, and the
# maximum as a share of the interval between two faults.
LEAST_PAUSE_S, MOST_OF_INTERVAL = 1.0, 0.75


def say(*words, **how):
    print(time.strftime("%H:%M:%S"), *words, flush=True, **how)


def until(due):
    """Sleeps until the time `due`, because there is nothing to do between two faults."""
    time.sleep(max(0.0, due - time.monotonic()))


def state_of(howdah, job):
    done = howdah("status", job, "--json", timeout=120)
    return json.loads(done.stdout)["state"] if done.code == 0 else f"not known: {done.stderr}"


def print_status(howdah, job, what):
    done = howdah("status", job, timeout=120)
    say(what, done.stdout + done.stderr, sep="\n")


def make_faults(howdah, job, options, source=None):
    """Makes one fault after another; returns how often each kind was made. source: of the job's feed."""
    rng = random.Random(options.seed)
    kinds, faults = (LOCAL, Faults) if options.on == "local" else (CLUSTER, ClusterFaults)
    if source:
        kinds, faults = kinds + SOURCE, with_source(faults, source)
    faults, kinds = faults(howdah, job, rng), options.kinds.split(",") if options.kinds else kinds
    end = time.monotonic() + options.minutes * 60
    counts, repairs, bag = {}, [], []
    due = time.monotonic() + options.every
    while (due := max(due, time.monotonic())) < end:
        while repairs and repairs[0][0] < due:
            when, _, what, repair = heapq.heappop(repairs)
            until(when)
            repair()
            say("  goes on:", what)
        until(due)
        due += options.every
        bag = bag or rng.sample(kinds, len(kinds))  # every kind is made once before any is repeated
        kind = bag.pop()
        state = state_of(howdah, job)
        if state in ("SUCCEEDED", "FAILED", "KILLED"):
            say(f"{state}, before all faults were made")
            break
        hit = getattr(faults, kind)()
        say(f"{state}; {kind}: {hit[0] if hit else 'nothing to hit'}")
        if hit:
            counts[kind] = counts.get(kind, 0) + 1
            if hit[1]:
                pause = rng.uniform(LEAST_PAUSE_S, MOST_OF_INTERVAL * options.every)
                heapq.heappush(repairs, (time.monotonic() + pause, len(counts), hit[0], hit[1]))
    for _, _, _, repair in sorted(repairs, key=lambda r: r[0]):
        repair()
    print_status(howdah, job, "after the last fault:")
    return counts


def training(howdah, options):
    pace = 0.05
    steps = int(options.minutes * 60 / pace * jobs.ROLES[options.framework][-1])
    undisturbed = jobs.Training(howdah, options.framework, steps, 0, "undisturbed")
    wanted = undisturbed.result(options.minutes * 60 + 600)
    say("undisturbed:", *wanted)
    disturbed = jobs.Training(howdah, options.framework, steps, pace, "disturbed")
    howdah.running(disturbed.job)
    counts = make_faults(howdah, disturbed.job, options)
    say("no more faults;", sum(counts.values()), "were made:", counts)
    got = disturbed.result(options.minutes * 60 + 900)
    status = howdah.status(disturbed.job)
    say("disturbed:", *got, "; generations:", status["generation"], "; account:", status["account"])
    if options.on == "yarn":
        howdah.assert_clean(disturbed.job, 60)
    whole = got[1:] == (steps, steps * (steps + 1) // 2)
    if not whole:
        say("steps are missing or came twice")
    return whole and abs(got[0] - wanted[0]) < 0.01


def feed(howdah, options):
    run = jobs.Reading(howdah)
    howdah.running(run.job)
    counts = make_faults(howdah, run.job, options, run.source)
    say("no more faults;", sum(counts.values()), "were made:", counts)
    steps, passes = run.result(600)
    status = howdah.status(run.job)
    missing, repeated = [number for number, _ in passes], sum(number for _, number in passes)
    say(f"{steps} steps, {len(passes)} passes; rows missing per pass {min(missing)} to {max(missing)}, rows repeated"
        f" {repeated}; generations: {status['generation']}")
    return repeated == 0 and max(missing) < run.RANKS


def am(howdah, options):
    """Waits more than a second before each kill, because the guardian stops restarting an AM that repeatedly dies
    within a second."""
    run = jobs.Training(howdah, options.framework, 1500, 0.05, "am")
    howdah.running(run.job)
    slowest = 0.0
    for _ in range(options.rounds):
        until(time.monotonic() + 1.2)
        before = howdah.agents(run.job, "am")
        faults = Faults(howdah, run.job, random.Random(options.seed))
        faults.kill_am()
        begun = time.monotonic()
        while howdah.agents(run.job, "am")[1:] in ([], before[1:]) or state_of(howdah, run.job) != "RUNNING":
            pass
        slowest = max(slowest, time.monotonic() - begun)
    result = run.result(600)
    log = howdah("logs", run.job, run.speaker, timeout=60).stdout
    times = [float(at) for at in re.findall(r"step \d+ at (\S+)", log)]
    gaps = sorted(b - a for a, b in zip(times, times[1:]))
    status = howdah.status(run.job)
    say(f"{options.rounds} AMs killed; another one and the status after {slowest:.2f} s at most; a step took"
        f" {gaps[len(gaps) // 2]:.3f} s (median), {gaps[len(gaps) * 99 // 100]:.3f} s (99 %), {gaps[-1]:.3f} s (most);"
        f" generation {status['generation']}; result {result}")
    return status["generation"] == 0 and result[1:] == (1500, 1500 * 1501 // 2) and slowest < 5


def failover(howdah, options):
    from machine import eventually
    cluster = howdah.cluster
    folder = pathlib.Path(tempfile.mkdtemp(prefix="howdah-chaos-"))
    for number in range(options.rounds):
        go = folder / f"go-{number}"
        file = howdah.job_file(folder, f"name: failover\nroles:\n  worker: {{instances: 4, memory: 64MiB, command: "
                               f"'while [ ! -e {go} ]; do sleep 0.05; done'}}\n")
        client = howdah.start("submit", file)
        until(time.monotonic() + random.Random(number).uniform(0, 2))
        cluster.fail_over()
        job, said = (text.strip() for text in client.communicate(timeout=180))
        if client.returncode != 0:
            say(f"round {number}: not submitted: {said}")
            return False
        howdah.running(job)
        cluster.fail_over()
        go.touch()
        until(time.monotonic() + random.Random(-number).uniform(0, 0.5))
        cluster.fail_over()
        done = howdah("wait", job, timeout=180)
        status = howdah.status(job)
        attempts = [task["attempt"] for task in status["tasks"]]
        say(f"round {number}: {status['state']}, attempts {attempts}, generation {status['generation']}")
        if done.code != 0 or attempts != [0] * 4:
            return False
        eventually(lambda: cluster.app(job)["finalStatus"] == "SUCCEEDED", "the end in YARN", 60)
    return True


ITEMS = {"training": training, "feed": feed, "am": am, "failover": failover}


def main():
    parser = argparse.ArgumentParser(prog="chaos", usage=__doc__)
    parser.add_argument("items", nargs="*")
    parser.add_argument("--on", choices=("local", "yarn"), default="yarn")
    parser.add_argument("--framework", choices=tuple(jobs.ROLES), default="pytorch")
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--every", type=float, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kinds", default="")
    parser.add_argument("--rounds", type=int, default=20)
    options = parser.parse_args()
    if set(options.items) - set(ITEMS):
        parser.error(f"an item is one of {', '.join(ITEMS)}")
    kinds = (LOCAL if options.on == "local" else CLUSTER) + (SOURCE if options.items == ["feed"] else [])
    if options.kinds and set(options.kinds.split(",")) - set(kinds):
        parser.error(f"kinds on {options.on} are {', '.join(kinds)}")
    jobs.fetch(["feeds"] if options.items == ["feed"] else ["feeds", jobs.ROLES[options.framework][0], "data"],
               options.on)
    if options.on == "yarn":
        import network
        network.enter()
    failed = []
    for item in options.items or [name for name in ITEMS if options.on == "yarn" or name != "failover"]:
        with jobs.start_howdah(options.on, pathlib.Path(tempfile.mkdtemp(prefix="howdah-chaos-"))) as howdah:
            say(f"{item}: {'came through' if (came := ITEMS[item](howdah, options)) else 'DID NOT COME THROUGH'}")
        failed += [] if came else [item]
    sys.exit(1 if failed else 0)


main()

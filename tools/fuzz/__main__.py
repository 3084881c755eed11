"""fuzz [TARGET...] [--seconds N] [--minutes N] [--jobs N] [--record] [--keep] - runs the fuzz targets of build/fuzz.
Exit code 1: a target crashed, took more than 10 s for an input, or needed more than 1 GiB.

Each target (default: all) runs for --seconds (60). With --minutes, one run follows another until that time is over; the
next target is always the one with the fewest recorded seconds of those that are not done (runs.py). --jobs targets run
at once (default: one per core).

A run begins with the inputs in tests/fuzz (corpus.py), and with those that earlier runs on this machine found. An input
with a finding is stored in build/fuzz/findings, and the output of the last run in build/log/fuzz-TARGET.

  --record  adds runs without a finding to tests/fuzz/runs.tsv, which is kept in git
  --keep    writes found inputs to tests/fuzz/found: those that reach code that no file in tests/fuzz/corpus reaches
"""
import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import threading
import time

import corpus
from runs import Run, Runs

BUILD = pathlib.Path("build/fuzz")
LOGS = pathlib.Path("build/log")


def say(*words):
    print(time.strftime("%H:%M:%S"), *words, flush=True)


def program(target):
    return BUILD / "bin" / f"fuzz_{target}"


def environment():
    # The sanitizer records the stack of each allocation. Three frames take less time, and name the caller. Some targets
    # write files for each input, which are fastest in memory.
    return {**os.environ, "ASAN_OPTIONS": "detect_leaks=0:malloc_context_size=3", "TMPDIR": "/dev/shm"}


def fuzz(target, seconds):
    """Runs a target. Returns the run, or None after a finding."""
    corpus.unpack(target)
    (BUILD / "findings").mkdir(exist_ok=True)
    # Entropic scheduling would take half of the time of long runs. A child process would look up the names of new
    # functions, and some targets end all their children.
    command = [program(target), f"-max_total_time={seconds}", "-timeout=10", "-rss_limit_mb=1024", "-max_len=65536",
               "-detect_leaks=0", "-entropic=0", "-print_funcs=0", "-print_final_stats=1",
               f"-artifact_prefix={BUILD}/findings/{target}-", corpus.found(target), corpus.kept(target)]
    run = Run(target)
    with open(LOGS / f"fuzz-{target}", "w") as log:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment(),
                                   text=True, errors="replace")
        for line in process.stderr:
            log.write(line)
            run.read(line)
        process.stderr.close()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    run.end(usage.ru_utime + usage.ru_stime)
    return run if process.returncode == 0 else None


class Queue:
    """Which target runs next. Each target runs once; or, until `end`, the one with the fewest recorded seconds."""

    def __init__(self, targets, runs, end):
        self._left, self._runs, self._end = list(targets), runs, end
        self._busy = set()  # running, or with a finding

    def take(self):
        if self._end is None:
            return self._left.pop(0) if self._left else None
        lines = [self._runs.of(target) for target in self._left if target not in self._busy]
        lines = [line for line in lines if not line.done()]
        if not lines or time.monotonic() >= self._end:
            return None
        target = min(lines, key=lambda line: line.seconds).target
        self._busy.add(target)
        return target

    def give_back(self, target):
        self._busy.discard(target)


def work(queue, runs, lock, options):
    """Runs one target after another. Returns the targets with findings."""
    failed = []
    while True:
        with lock:
            target = queue.take()
        if target is None:
            return failed
        run = fuzz(target, options.seconds)
        if run is None:
            failed.append(target)
            say(f"{target}: FAILED; see {LOGS}/fuzz-{target} and {BUILD}/findings")
            continue
        say(f"{target}: {run}, no finding")
        with lock:
            runs.add(run)
            if options.record:
                runs.write()
        if options.keep:
            say(f"{target}: {corpus.keep(target, program(target), environment())} inputs kept")
        with lock:
            queue.give_back(target)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args()
    names = [target.removeprefix("fuzz_") for target in options.targets]
    targets = names or sorted(path.name.removeprefix("fuzz_") for path in (BUILD / "bin").glob("fuzz_*"))
    LOGS.mkdir(exist_ok=True)
    runs = Runs(pathlib.Path("tests/fuzz/runs.tsv"))
    end = None if options.minutes is None else time.monotonic() + 60 * options.minutes
    queue, lock = Queue(targets, runs, end), threading.Lock()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        workers = [pool.submit(work, queue, runs, lock, options) for _ in range(options.jobs)]
        failed = [target for worker in workers for target in worker.result()]
    sys.exit(1 if failed else 0)


main()

"""The figures of the local backend. One function per figure measures it and yields rows of the table."""
import json
import os
import signal
import statistics
import subprocess
import time
from collections import namedtuple

import kernel_events
from local_jobs import BIN, HOWDAH, ROOT, LocalBackend, memory_of, parent_of

# value: the measurement, in `unit`. goal: a text. ratio: a comparison with an alternative, or an empty text.
Row = namedtuple("Row", "item what value unit runs goal ratio")
MIB = 1 << 20


class NotMeasured(Exception):
    """A prerequisite of a figure is missing."""


def timed(call):
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def median_ms(runs, call):
    return 1000 * statistics.median(timed(call) for _ in range(runs))


def framework_python(name):
    found = subprocess.run([ROOT / "tools/ml-env", "--print", name], capture_output=True, text=True)
    if found.returncode != 0:
        raise NotMeasured(f"{name} is not installed; run tools/ml-env {name}")
    return found.stdout.split()[0]


def end_to_end():
    """(a) The whole command for a job of four roles running /bin/true, compared with torchrun and bare processes."""
    true = ["/bin/true"]
    with LocalBackend() as backend:
        path = backend.job_file("true", {f"role{i}": {"command": true} for i in range(4)})
        ours = median_ms(15, lambda: backend.howdah("run", path))

    def bare():
        for process in [subprocess.Popen(true) for _ in range(4)]:
            process.wait()
    bare_ms = median_ms(15, bare)
    yield Row("a", "job of 4 roles, /bin/true, end to end", ours, "ms", 15, "< 45 ms", "")
    yield Row("a", "four bare processes", bare_ms, "ms", 15, "", f"{bare_ms / ours:.2f} of ours")
    torchrun = [framework_python("torch"), ROOT / "tests/contract/train/torchrun311.py", "--standalone",
                "--nproc_per_node", "4", "--no_python", *true]
    other = median_ms(5, lambda: subprocess.run(torchrun, check=True, capture_output=True))
    yield Row("a", "torchrun --standalone, 4 processes", other, "ms", 5, ">= 15x ours", f"{other / ours:.1f} x ours")


def executor_start():
    """(b) From the start of `howdah-agent task` to the first instruction of the user's process, by the kernel's
    timestamps."""
    times = []
    for _ in range(15):
        with LocalBackend() as backend, kernel_events.ProcessEvents() as events:
            job = backend.submit("start", {"sleeper": {"command": ["/bin/sleep", "1000"]}})
            entry, _ = job.wait_for("TaskStarted")
            user = entry["pids"][0]
            guardian = parent_of(parent_of(user))
            seen = events.list()
            begun = next(e.at for e in seen if e.what == kernel_events.FORK and e.pid == guardian)
            running = [e.at for e in seen if e.what == kernel_events.EXEC and e.pid == user][-1]
            times.append(1000 * (running - begun))
            job.kill()
    yield Row("b", "executor's start to first instruction of the user's process", statistics.median(times), "ms",
              len(times), "< 15 ms", "")


def death_to_status():
    """(c) From the death of the user's process to the journal entry about it."""
    times = []
    for _ in range(15):
        with LocalBackend() as backend, kernel_events.ProcessEvents() as events:
            job = backend.submit("death", {"sleeper": {"command": ["/bin/sleep", "1000"]}})
            user = job.wait_for("TaskStarted")[0]["pids"][0]
            os.kill(user, signal.SIGKILL)
            _, seen = job.wait_for("TaskExited")
            died = next(e.at for e in events.list() if e.what == kernel_events.EXIT and e.pid == user)
            times.append(1000 * (seen - died))
            job.wait()
    yield Row("c", "user's process dies to status shows it", statistics.median(times), "ms", len(times), "< 20 ms", "")


def idle_memory():
    """(d) The memory of the agents of a job with one idle task."""
    with LocalBackend() as backend:
        job = backend.submit("idle", {"sleeper": {"command": ["/bin/sleep", "1000"]}})
        user = job.wait_for("TaskStarted")[0]["pids"][0]
        executor = parent_of(user)
        am = json.loads((job.folder / "am.json").read_text())["pid"]
        for what, pid, resident_goal, anonymous_goal in (
                ("AM", am, "< 20 MiB", ""), ("AM's guardian", parent_of(am), "", "< 2 MiB"),
                ("executor", executor, "< 16 MiB", "< 4 MiB"),
                ("executor's guardian", parent_of(executor), "", "< 2 MiB")):
            resident, anonymous = memory_of(pid)
            yield Row("d", f"{what}, idle: resident", resident / MIB, "MiB", 1, resident_goal, "")
            yield Row("d", f"{what}, idle: anonymous", anonymous / MIB, "MiB", 1, anonymous_goal, "")
        job.kill()


def attach():
    """(e) An AM with 1,000 and with 10,000 executors connected by real gRPC. howdah-bench-attach prints the figures."""
    program = BIN / "howdah-bench-attach"
    if not program.exists():
        raise NotMeasured(f"{program.name} was not built")
    for executors, goal in ((1000, "< 300 ms"), (10000, "< 3000 ms")):
        result = subprocess.run([program, str(executors)], capture_output=True, text=True)
        if result.returncode != 0:
            raise NotMeasured(f"{program.name} {executors}: {result.stderr.strip()[-300:]}")
        figures = json.loads(result.stdout)
        what = f"{executors:,} executors: last registration to the start order of all"
        yield Row("e", what, figures["told_ms"], "ms", 1, goal, "")
        what = f"{executors:,} executors: newer tokens of the AM to the files of all"
        yield Row("e", what, figures["tokens_ms"], "ms", 1, "< 5000 ms" if executors == 1000 else "", "")
        resident = figures["server_resident_bytes"] / MIB
        yield Row("d", f"AM with {executors:,} executors: resident", resident, "MiB", 1, "", "")


def core_events():
    """(f) Events per second through the job core."""
    program = BIN / "core_bench"
    if not program.exists():
        raise NotMeasured(f"{program.name} was not built")
    output = subprocess.run([program, "--benchmark_format=json"], check=True, capture_output=True, text=True).stdout
    for figure in json.loads(output)["benchmarks"]:
        if "items_per_second" in figure:
            yield Row("f", f"job core, {figure['name']}", figure["items_per_second"], "events/s", 1, "> 500,000/s", "")


def log_throughput():
    """(g) One task writes to its log as fast as it can, compared with the same write to a file on the same disk."""
    blocks, size = 16384, 1 << 18  # 4 GiB
    write = ["/bin/dd", "if=/dev/zero", f"bs={size}", f"count={blocks}", "status=none"]
    ours, bare = [], []
    for _ in range(3):
        with LocalBackend() as backend:
            target = backend.home / "raw"

            def raw():
                with open(target, "wb") as out:
                    subprocess.run(write, stdout=out, check=True)
            bare.append(blocks * size / 1e6 / timed(raw))
            target.unlink()
            with kernel_events.ProcessEvents() as events:
                job = backend.submit("log", {"writer": {"command": write}})
                user = job.wait_for("TaskStarted")[0]["pids"][0]
                if job.wait() != 0:
                    raise NotMeasured("the writing job failed")
                seen = [e.at for e in events.list() if e.pid == user]
                ours.append(blocks * size / 1e6 / (seen[-1] - seen[0]))
            written = sum(p.stat().st_size for p in job.folder.glob("logs/**/stdout"))
            if written != blocks * size:
                raise NotMeasured(f"the log holds {written} bytes of {blocks * size}")
    rate, disk = statistics.median(ours), statistics.median(bare)
    ratio = f"{rate / disk:.2f} of bare"
    yield Row("g", "log of one task writing as fast as it can", rate, "MB/s", 3, "> 500 MB/s", ratio)
    yield Row("g", "the same write to a file", disk, "MB/s", 3, "", "")


def metric_samples():
    """(metrics-a) The cost of one sample of a task's metrics, of which there is one every 5 s."""
    program = BIN / "executor_bench"
    if not program.exists():
        raise NotMeasured(f"{program.name} was not built")
    output = subprocess.run([program, "--benchmark_format=json"], check=True, capture_output=True, text=True).stdout
    for figure in json.loads(output)["benchmarks"]:
        what = figure["name"].removeprefix("BM_Sample/").replace(":", " ").replace("/", ", ")
        share = 100 * figure["cpu_time"] / 5e6  # 5 s are 5e6 microseconds
        yield Row("metrics-a", f"samples every 5 s: {what}", share, "% of a core", 1, "8: < 0.1 %", "")
        yield Row("metrics-a", "memory that samples allocate", figure["heap_KiB"], "KiB", 1, "< 64 KiB", "")


def index_queries():
    """(portal-b) Queries of the portal's index with 100,000 jobs, without HTTP."""
    program = BIN / "index_bench"
    if not program.exists():
        raise NotMeasured(f"{program.name} was not built")
    output = subprocess.run([program, "--benchmark_format=json"], check=True, capture_output=True, text=True).stdout
    texts = {"WriteAllRows": ("index from nothing: write 100,000 rows", "< 60 s"),
             "OpenAndFirstPage": ("open the index, first page", "< 150 ms"),
             "Newest": ("newest 50 of 100,000 jobs", "< 100 ms"),
             "NewestWithFacets": ("the same with facets", "< 100 ms"),
             "UserAndState": ("jobs of a user in a state", "< 100 ms"),
             "PartOfAReason": ("jobs with a part of a reason", "< 100 ms"),
             "ByGoodput": ("by goodput", "< 100 ms"),
             "ByDuration": ("by duration", "< 100 ms"),
             "Page1000": ("page 1,000", "< 100 ms")}
    for figure in json.loads(output)["benchmarks"]:
        what, goal = texts[figure["name"].split("/")[0].removeprefix("BM_")]
        yield Row("portal-b", f"{what}, p99", figure["p99_ms"], "ms", figure["iterations"], goal, "")


ITEMS = {"a": end_to_end, "b": executor_start, "c": death_to_status, "d": idle_memory, "e": attach, "f": core_events,
         "g": log_throughput, "metrics-a": metric_samples}
NEEDS_EVENTS = {"b", "c", "g"}


def measure(item):
    if item != "f" and item != "e" and not HOWDAH.exists():
        raise NotMeasured(f"{HOWDAH} is not built")
    if item in NEEDS_EVENTS and not kernel_events.available():
        raise NotMeasured("needs root and a kernel that reports process events")
    yield from ITEMS[item]()

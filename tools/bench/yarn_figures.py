"""The figures of the YARN backend. One function per figure takes a cluster and a number of runs, and yields rows."""
import os
import statistics
import subprocess
import time

import kernel_events
from figures import MIB, NotMeasured, Row, timed
from local_jobs import BIN, memory_of
from protection_figures import protected_transfers
from recovery_figures import recoveries
from tony_figures import beside_tony
from yarn_jobs import LIMIT_S, Yarn

from yarn_baseline import measure_baseline  # in tests/yarn

WIDTHS = (2, 8, 16)
# Seconds that TonY's last release, 0.5.3, took for the same tasks on the same kind of cluster with 2 cores, by the
# number of tasks: medians of three runs.
TONY_S = {2: 6.8, 8: 12.9, 16: 21.9}
LARGE = 1 << 30


def submission(yarn, runs):
    """(a) From the start of `submit` until the job is accepted. The cluster's cache has all files of the job."""
    source = str(yarn.source("cached", {"train.py": b"print()\n", "model.bin": os.urandom(MIB)}))
    yarn.submit(source=source).kill()
    accepted, returned = [], []
    for _ in range(runs):
        job = yarn.submit(source=source)
        accepted.append(1000 * (job.accepted() - job.begun))
        returned.append(1000 * (job.returned - job.begun))
        job.kill()
    yield Row("a", "howdah submit: its start to accepted by the RM, files cached", statistics.median(accepted), "ms",
              runs, "< 150 ms", "")
    yield Row("a", "the same, to the end of the command", statistics.median(returned), "ms", runs, "", "")


def am_start(yarn, runs):
    """(b) From the AM's first instruction to the ResourceManager's log line about its registration. Both times are from
    the same clock."""
    times = []
    offset = time.time() - time.monotonic()
    for _ in range(runs):
        with kernel_events.ProcessEvents() as events:
            job = yarn.submit()
            guardian = job.agents("am")[0]
            begun = [e.at for e in events.list() if e.what == kernel_events.EXEC and e.pid == guardian][-1]
        times.append(1000 * (job.registered() - begun - offset))
        job.kill()
    yield Row("b", "AM: start of its process to registered", statistics.median(times), "ms", runs, "< 50 ms", "")


def with_kerberos(yarn, runs):
    """(j) As (a), alternating between this cluster and one with Kerberos and encrypted RPC; and (b) on the latter."""
    with Yarn(kerberos=True, rpc="privacy") as secured:
        accepted = {yarn: [], secured: []}
        for run in range(runs + 1):
            for cluster, times in accepted.items():
                job = cluster.submit()
                if run > 0:  # the first submission fills the cache
                    times.append(1000 * (job.accepted() - job.begun))
                job.kill()
        plain, protected = (statistics.median(times) for times in accepted.values())
        yield Row("j", "howdah submit: its start to accepted by the RM, with Kerberos", protected, "ms", runs, "", "")
        yield Row("j", "the same, longer than without Kerberos", protected - plain, "ms", runs, "< 100 ms",
                  f"{protected / plain:.2f} x without")
        for row in measure("b", secured, runs):
            yield row._replace(item="j", what=f"{row.what}, with Kerberos")


def gangs(yarn, runs):
    """(c) From `submit` until all processes run, alternating with bare containers. The program for bare containers
    starts them twice, and only the second start counts, so that the start of its JVM is excluded. The nodes have cached
    the agent, as after the first job of any user. The starts of runs are spread evenly over a second, because a start
    has to wait for the nodes' heartbeats, one per second."""
    first = yarn.submit(max(WIDTHS))
    first.starts()
    first.kill()
    for width in WIDTHS:
        ours, bare = [], []
        for run in range(runs):
            at_s = (run + 0.5) / runs
            bare.append(measure_baseline(yarn.cluster, width, rounds=2, at_ms=round(1000 * at_s))[-1]["floor"])
            yarn.cluster.wait_idle(LIMIT_S)
            time.sleep((at_s - time.time()) % 1)
            job = yarn.submit(width)
            ours.append(1000 * (max(job.starts()) - job.begun))
            job.kill()
        least, median = statistics.median(bare), statistics.median(ours)
        yield Row("c", f"{width} tasks: howdah submit to all user processes running", median, "ms", runs,
                  f"< {1.1 * least + 50:,.0f} ms", f"{median / least:.2f} of the floor, {TONY_S[width]} s with TonY")
        yield Row("c", f"{width} bare containers: what has to be waited for YARN alone", least, "ms", runs, "", "")


def idle_memory(yarn, _):
    """(d) The memory of the agents of a job with one idle task."""
    job = yarn.submit()
    (am_guardian, am), (guardian, executor) = job.agents("am"), job.agents("task")
    for what, pid, resident_goal, anonymous_goal in (
            ("AM", am, "< 25 MiB", ""), ("AM's guardian", am_guardian, "", ""),
            ("executor", executor, "< 16 MiB", "< 4 MiB"), ("executor's guardian", guardian, "", "")):
        resident, anonymous = memory_of(pid)
        yield Row("d", f"{what}, idle: resident", resident / MIB, "MiB", 1, resident_goal, "")
        yield Row("d", f"{what}, idle: anonymous", anonymous / MIB, "MiB", 1, anonymous_goal, "")
    job.kill()


def second_submission(yarn, _):
    """(e) The bytes that the submission of a changed script adds to HDFS."""
    def in_hdfs():
        files = yarn.cluster.files_in_hdfs("/user/alice/.howdah")
        lengths = {}
        for path in files:
            status = yarn.cluster.http("nn-http", f"/webhdfs/v1{path}?op=GETFILESTATUS&user.name=alice")
            lengths[path] = (status or {"FileStatus": {"length": 0}})["FileStatus"]["length"]
        return lengths
    source = yarn.source("changing", {"train.py": b"#\n" * 1000, "model.bin": os.urandom(MIB), "data": os.urandom(MIB)})
    yarn.submit(source=str(source)).kill()
    before = in_hdfs()
    (source / "train.py").write_bytes(b"##\n" * 1000)
    job = yarn.submit(source=str(source))
    added = {path: size for path, size in in_hdfs().items() if path not in before and "/journal" not in path}
    job.kill()
    cached = [size for path, size in added.items() if "/cache/" in path]
    script = (source / "train.py").stat().st_size
    yield Row("e", f"a script of {script:,} bytes changed: sent to the cache", sum(cached), "bytes", 1,
              "the script", f"in {len(cached)} file(s)")
    yield Row("e", "what every submission sends (job file, start of the AM)", sum(added.values()) - sum(cached),
              "bytes", 1, "", "")


def transfers(yarn, runs):
    """(f) Whole commands that copy files to and from HDFS, alternating with the same commands of Hadoop's own
    client."""
    program = BIN / "hdfs_live"
    if not program.exists():
        raise NotMeasured(f"{program.name} was not built")
    large, back = yarn.folder / "large", yarn.folder / "back"
    with large.open("wb") as out:
        for _ in range(LARGE // MIB):
            out.write(os.urandom(MIB))
    ways = {
        "ours": lambda *words: yarn_program(yarn, program, *words),
        "hdfs dfs": lambda what, *words: yarn.cluster.fs(f"-{what}", *words, user="alice", timeout=600)}
    seconds = {(what, way): [] for what in ("put", "get") for way in ways}
    for _ in range(runs):
        for way, call in ways.items():
            path = f"/user/alice/{way.replace(' ', '-')}"
            seconds["put", way].append(timed(lambda: call("put", large, path)))
            seconds["get", way].append(timed(lambda: call("get", path, back)))
            back.unlink()
            yarn.cluster.http("nn-http", f"/webhdfs/v1{path}?op=DELETE&user.name=alice", method="DELETE")
    large.unlink()
    for what in ("put", "get"):
        ours, theirs = (LARGE / 1e6 / statistics.median(seconds[what, way]) for way in ways)
        yield Row("f", f"{what} of 1 GiB", ours, "MB/s", runs, "not slower", f"{ours / theirs:.2f} x hdfs dfs -{what}")
        yield Row("f", f"hdfs dfs -{what} of 1 GiB, its JVM included", theirs, "MB/s", runs, "", "")


def yarn_program(yarn, program, *words):
    done = subprocess.run([program, *map(str, words)], env=yarn.howdah.env, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{program.name} {words}: {done.stderr}")


ITEMS = {"a": submission, "b": am_start, "c": gangs, "d": idle_memory, "e": second_submission, "f": transfers,
         "g": beside_tony, "h": recoveries, "i": protected_transfers, "j": with_kerberos}
NEEDS_EVENTS = {"b"}


def measure(item, yarn, runs):
    if item in NEEDS_EVENTS and not kernel_events.available():
        raise NotMeasured("needs root and a kernel that reports process events")
    yield from ITEMS[item](yarn, runs)

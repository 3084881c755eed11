"""The figures of the Python package, beside TensorFlowOnSpark, Petastorm, pyarrow's Flight server and Spark alone. The
measurements are made by other processes, which have the environments of tools/ml-env; see python_client.py."""
import contextlib
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

from figures import HOWDAH, NotMeasured, Row, framework_python
from local_jobs import BIN, ROOT

HERE = pathlib.Path(__file__).parent
SITE = f"lib/python{sys.version_info[0]}.{sys.version_info[1]}/site-packages"
KIB, MS, NS = 1 << 10, 1e-3, 1e-9


def site_packages(name):
    return str(pathlib.Path(framework_python(name)).parents[1] / SITE)


def environment(folder, *packages):
    """The environment of a client of the local backend, whose interpreter has the packages of tools/ml-env."""
    sites = [site_packages(name) for name in ("arrow", *packages)]
    return {**os.environ, "HOWDAH_HOME": f"{folder}/home", "HOWDAH_ON": "local", "XDG_CACHE_HOME": f"{folder}/cache",
            "PATH": os.pathsep.join([str(BIN), os.environ["PATH"]]), "BENCH_SITE": sites[0],
            # The package tensorflowonspark of the environment comes before ours.
            "PYTHONPATH": os.pathsep.join([*reversed(sites), str(ROOT / "python"), str(HERE)]),
            "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}


@contextlib.contextmanager
def scratch():
    """A folder. The jobs of the HOWDAH_HOME in it are killed at the end."""
    with tempfile.TemporaryDirectory(prefix="howdah-bench-", ignore_cleanup_errors=True) as name:
        folder = pathlib.Path(name)
        (folder / "work").mkdir()
        yield folder
        subprocess.run([HOWDAH, "kill", "--all", "--grace", "0s"], capture_output=True,
                       env={**os.environ, "HOWDAH_HOME": f"{folder}/home", "HOWDAH_ON": "local"})


class Child:
    """A process that measures. It takes one measurement at each turn: `with Child(…) as child: child.turn()`."""

    def __init__(self, words, folder, environment):
        self._process = subprocess.Popen([*map(str, words)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                         stderr=(folder / "errors").open("a"), cwd=folder / "work", env=environment,
                                         text=True)
        self._errors = folder / "errors"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.stdin.close()
        try:
            self._process.wait(120)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()

    def turn(self):
        """The next measurement: a dict."""
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write("\n")
            self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            lines = self._errors.read_text(errors="replace").splitlines()
            failures = [line for line in lines if re.match(r"[\w.]+(Error|Exception|Failed|Exit)\b", line)]
            raise NotMeasured((failures or lines or ["the process that measures has ended"])[-1])
        return json.loads(line)


def client(item, folder, *packages, **more):
    return Child([sys.executable, HERE / "python_client.py", item], folder, {**environment(folder, *packages), **more})


def turns(item, runs, *packages):
    """Lists of measurements by name: of one process."""
    with scratch() as folder, client(item, folder, *packages) as child:
        child.turn()  # Spark compiles its code, and files are cached
        return columns([child.turn() for _ in range(runs)])


def columns(found):
    return {name: [one[name] for one in found] for name in found[0]}


def spread(values, unit=1.0):
    low, high = min(values) / unit, max(values) / unit
    return f"{low:,.0f} to {high:,.0f}" if high >= 1000 else f"{low:.3g} to {high:.3g}"


def row(item, what, values, unit, goal="", ratio="", scale=1.0):
    text = "; ".join(filter(None, [ratio, spread(values, scale) if len(values) > 1 else ""]))
    return Row(item, what, statistics.median(values) / scale, unit, len(values), goal, text)


def ratio_of(ours, theirs):
    """The median of the ratios of neighbouring measurements, with the spread."""
    ratios = [a / b for a, b in zip(ours, theirs)]
    return f"{statistics.median(ratios):.3g} ({spread(ratios)})"


def rates(item, what, runs, name, peer_goal):
    """Rows per second of Howdah, Spark alone and TensorFlowOnSpark, which take turns."""
    found = turns(name, runs, "spark", "tfos")
    ours = found["howdah"]
    yield row(item, what, ours, "rows/s", "", "")
    yield row(item, "  Spark alone: the batches are dropped", found["alone"], "rows/s", ">= 0.85 x",
              f"ours {ratio_of(ours, found['alone'])} x")
    yield row(item, "  TensorFlowOnSpark 2.2.5", found["tfos"], "rows/s", peer_goal,
              f"ours {ratio_of(ours, found['tfos'])} x")
    yield row(item, "  CPU time of the reader", found["cpu"], "ns/row", "< 100 ns" if name == "rows" else "", "", NS)


def doubles(runs):
    """(python-a)"""
    return rates("python-a", "rows of 10 doubles: DataFrame to batches of 256", runs, "rows", ">= 200 x")


def images(runs):
    """(python-b)"""
    yield from rates("python-b", "images of 784 bytes with a label, batches of 256", runs, "images", ">= 40 x")
    yield from rates("python-b", "blobs of 150 KiB, batches of 16", runs, "blobs", ">= 2.5 x")


def small_partitions(runs):
    """(python-c)"""
    found = turns("partitions", runs, "spark", "tfos")
    ours, alone = found["howdah"], found["alone"]
    more = [a - b for a, b in zip(ours, alone)]
    yield row("python-c", "1,000 partitions of one row: each", ours, "ms", "", "", MS)
    yield row("python-c", "  Spark alone: each", alone, "ms", "", "", MS)
    yield row("python-c", "  more than Spark alone: each", more, "ms", "< 10 ms", "", MS)
    yield row("python-c", "  TensorFlowOnSpark: each", found["tfos"], "s", "", "")


@contextlib.contextmanager
def on_yarn():
    """A folder, and the environment of a client of a cluster of tests/yarn."""
    from yarn_jobs import Yarn

    with scratch() as folder, Yarn() as yarn:
        names = ("HOWDAH_ON", "HOWDAH_HOME", "HADOOP_CONF_DIR", "HADOOP_USER_NAME")
        yield folder, {"BENCH_HDFS": str(BIN / "hdfs_live"), **{name: str(yarn.howdah.env[name]) for name in names}}


def over_tls(runs):
    """(python-d) The executor is on a cluster, because jobs of the local backend have no port."""
    found = {}
    with on_yarn() as (folder, variables), contextlib.ExitStack() as stack:
        children = {ranks: stack.enter_context(client(f"tls-{ranks}", folder, **variables)) for ranks in (1, 2, 4)}
        children["peer"] = stack.enter_context(client("flight-server", folder))
        for _ in range(runs):
            for name, child in children.items():
                found.setdefault(name, []).append(child.turn()["rate"])
    for ranks in (1, 2, 4):
        yield row("python-d", f"rows of 10 doubles over TLS, {ranks} rank{'s' * (ranks > 1)}", found[ranks], "rows/s",
                  ">= 0.7 x", f"{ratio_of(found[ranks], found['peer'])} x pyarrow")
    yield row("python-d", "  pyarrow's Flight server, which drops the rows", found["peer"], "rows/s")


def hdfs_files(runs):
    """(python-k)"""
    with on_yarn() as (folder, variables), client("files", folder, **variables) as child:
        found = columns([child.turn() for _ in range(runs)])
    yield row("python-k", "Parquet in HDFS as a feed, 10 doubles", found["feed"], "rows/s", ">= 0.8 x",
              f"{ratio_of(found['feed'], found['dataset'])} x the dataset")
    yield row("python-k", "  pyarrow's dataset, local copy", found["dataset"], "rows/s")
    yield row("python-k", "a file through howdah.fs", found["fs"], "MB/s", ">= 0.8 x",
              f"{ratio_of(found['fs'], found['live'])} x hdfs_live", 1e6)
    yield row("python-k", "  hdfs_live get", found["live"], "MB/s", "", "", 1e6)


def first_pass(runs):
    """(python-e) Both sides have the Spark 3.5 of Petastorm's environment, because it needs old versions of PyArrow and
    pandas."""
    petastorm = pathlib.Path(framework_python("petastorm"))
    for passes in (1, 3):
        with scratch() as folder:
            spark = folder / "spark"  # without the other packages
            spark.mkdir()
            for name in ("pyspark", "py4j"):
                (spark / name).symlink_to(petastorm.parents[1] / SITE / name)
            ours = environment(folder)
            ours["PYTHONPATH"] += f"{os.pathsep}{spark}"
            theirs = {**ours, "PYTHONPATH": str(HERE), "PYSPARK_PYTHON": str(petastorm)}
            with Child([sys.executable, HERE / "python_client.py", f"last-row-{passes}"], folder, ours) as left, \
                    Child([petastorm, HERE / "python_petastorm.py", passes], folder, theirs) as right:
                found = columns([{"ours": left.turn()["s"], "theirs": right.turn()["s"]} for _ in range(runs + 1)][1:])
        what = "the first pass" if passes == 1 else "three passes"
        yield row("python-e", f"2 M rows, DataFrame to the last row of {what}", found["ours"], "s", "<= 0.5 x",
                  f"{ratio_of(found['ours'], found['theirs'])} x Petastorm")
        yield row("python-e", "  Petastorm 0.13.1: converter and reader", found["theirs"], "s")


def reader_cpu(runs):
    """(python-f)"""
    found = turns("reader-cpu", runs)
    yield row("python-f", "a reader's CPU time, 10 columns, batches of 256", found["cpu"], "ns/row", "< 100 ns", "",
              NS)
    yield row("python-f", "  table of this process to batches", found["rate"], "rows/s")


def calls(runs):
    """(python-g)"""
    found = turns("calls", runs)
    more = [a - b for a, b in zip(found["run"], found["floor"])]
    yield row("python-g", "howdah.run(lambda: 0), local", found["run"], "ms", "", "", MS)
    yield row("python-g", "  python3 -c 'import cloudpickle'", found["floor"], "ms", "", "", MS)
    yield row("python-g", "  more than that", more, "ms", "< 80 ms", "", MS)
    yield row("python-g", "upload after the function has changed", found["upload"], "KiB", "< 64 KiB", "", KIB)


MEMORY = {"executor": "executor, without the blocks", "blocks": "blocks in shared memory", "together": "both together",
          "late_growth": "  growth after the first quarter", "trainer": "  growth of the trainer",
          "spark_worker": "  growth of Spark's worker"}


def memory_rows(item, title, found, limit):
    for name, what in MEMORY.items():
        goal = {"together": f"<= {limit} MiB", "late_growth": "flat"}.get(name, "")
        yield row(item, f"{title}: {what}", found[name], "MiB", goal, "", 1 << 20)


def memory(runs):
    """(python-h)"""
    yield from memory_rows("python-h", "partition of 192 MiB, buffer 16 MiB", turns("memory", 1, "spark"), 80)


def large_partition(runs):
    """(python-l)"""
    with scratch() as folder, client("large", folder, "spark") as child:
        one = child.turn()
    yield from memory_rows("python-l", "partition of 10 GB", {name: [one[name]] for name in MEMORY}, 320)
    for name, values in one["tenths"].items():
        text = " ".join(f"{value / (1 << 20):.0f}" for value in values)
        yield Row("python-l", f"  {name}, median", statistics.median(values) / (1 << 20), "MiB", 1, "flat", text)
    yield row("python-l", "  from the call to the result", [one["seconds"]], "s")


def killed_rank(runs):
    """(python-i)"""
    found = turns("killed-rank", runs)
    yield row("python-i", "a rank is killed: exception in the driver", found["notified"], "ms", "< 100 ms",
              "TensorFlowOnSpark: 600 s, or never", MS)
    found = turns("killed-in-pass", runs, "spark")
    yield row("python-i", "a rank is killed in a pass: next row after that", found["continued"], "ms", "", "", MS)
    yield row("python-i", "  Spark tasks that failed", found["failed_tasks"], "", "0")


def unchanged(runs):
    """(python-j)"""
    for n, goal in ((100, ">= 50 x"), (1, ">= 40 x")):
        found = turns(f"tuples-{n}", runs, "spark", "tfos")
        yield row("python-j", f"RDD of tuples, unchanged program: next_batch({n})", found["ours"], "rows/s", goal,
                  f"{ratio_of(found['ours'], found['theirs'])} x TensorFlowOnSpark")
        yield row("python-j", "  TensorFlowOnSpark 2.2.5", found["theirs"], "rows/s")


ITEMS = {"python-a": doubles, "python-b": images, "python-c": small_partitions, "python-d": over_tls,
         "python-e": first_pass, "python-f": reader_cpu, "python-g": calls, "python-h": memory, "python-i": killed_rank,
         "python-j": unchanged, "python-k": hdfs_files, "python-l": large_partition}


def measure(item, runs):
    if not HOWDAH.exists():
        raise NotMeasured(f"{HOWDAH} is not built")
    yield from ITEMS[item](runs)

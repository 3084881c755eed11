"""Measures jobs of the Python package in the process that submits them: `python_client.py ITEM`.

The process has the environment that python_figures.py gives it. For each line of its stdin it takes one measurement,
and writes a dict as JSON to its stdout. An item is a generator of these dicts. Times are seconds of the monotonic
clock, which all processes of a machine share.
"""
import importlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

import howdah

MIB = 1 << 20
COLUMNS = 10  # of the table of doubles


def reader(n, passes=1, **options):
    """A function that reads batches of n rows in a rank. It returns a dict for each pass."""
    def read():
        feed, found = howdah.context().feed("train"), []
        for _ in range(passes):
            begun, cpu, head, rows = None, 0.0, 0, 0
            for batch in feed.numpy(n, **options):
                ended = time.monotonic()
                size = len(next(iter(batch.values())))
                if begun is None:
                    begun, cpu, head = ended, time.process_time(), size
                rows += size
            found.append({"begun": begun, "ended": ended, "cpu": time.process_time() - cpu, "head": head, "rows": rows})
        return found
    return read


def rate(found):
    """The rows per second between the first and the last batch of all readers."""
    begun, ended = min(one["begun"] for one in found), max(one["ended"] for one in found)
    return (sum(one["rows"] for one in found) - sum(one["head"] for one in found)) / (ended - begun)


def run(function, source, *, workers=1, feed={}, **keys):
    """The results of all ranks."""
    keys = {"memory": "1GiB", "env": {"PYTHONPATH": os.environ["BENCH_SITE"]}, **keys}
    job = howdah.submit(function, workers=workers, data={"train": howdah.Feed(source, **feed)}, **keys)
    return job.results(timeout=300)


def doubles(rows):
    import numpy as np
    import pyarrow as pa

    values = np.random.default_rng(1).random((COLUMNS, rows))
    return pa.table({f"x{column}": values[column] for column in range(COLUMNS)})


# --- items ---


def reader_cpu():
    """A table of this process, because Spark would be the slowest part."""
    table = doubles(4_000_000)
    while True:
        (passes,) = run(reader(256), table)
        yield {"cpu": passes[0]["cpu"] / (passes[0]["rows"] - passes[0]["head"]), "rate": rate(passes)}


def calls():
    """howdah.run of a function that does nothing, and the upload after the function has changed."""
    howdah.run(lambda: 0, follow=False)  # fills the store of files
    number = 0
    while True:
        number += 1
        floor = timed(lambda: subprocess.run([sys.executable, "-c", "import cloudpickle"], check=True))
        ours = timed(lambda: howdah.run(lambda: 0, follow=False))
        before = stored()
        howdah.run(changed(number), follow=False)
        upload = sum(size for path, size in stored().items() if path not in before)
        yield {"floor": floor, "run": ours, "upload": upload}


def timed(call):
    start = time.monotonic()
    call()
    return time.monotonic() - start


def changed(number):
    """Another function for each number."""
    def function():
        return number
    return function


def stored():
    """The files that are uploaded to a cluster, with their sizes."""
    folder = pathlib.Path(os.environ["XDG_CACHE_HOME"])
    return {path: path.stat().st_size for path in folder.rglob("*") if path.is_file()}


def killed_rank():
    """From the signal that kills a rank to the exception in the process that waits for the job."""
    def train():
        time.sleep(1000)
    while True:
        job = howdah.submit(train, memory="256MiB")
        while not (pids := [pid for task in job.status().tasks for pid in task.pids]):
            time.sleep(0.01)
        died = []

        def kill():
            time.sleep(0.3)  # the main thread waits for the job by now
            died.append(time.monotonic())
            os.kill(pids[0], signal.SIGKILL)
        threading.Thread(target=kill).start()
        try:
            job.result()
        except howdah.JobFailed:
            yield {"notified": time.monotonic() - died[0]}


ITEMS = {"reader-cpu": reader_cpu, "calls": calls, "killed-rank": killed_rank}


def find(item):
    """The generator of an item. Modules are imported only for their items, because they need other packages."""
    if item in ITEMS:
        return ITEMS[item]()
    for name in ("python_files", "python_flight", "python_memory", "python_spark"):
        items = importlib.import_module(name).ITEMS
        if item in items:
            return items[item]()
    sys.exit(f"unknown item {item}")


def main():
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print
    found = find(sys.argv[1])
    for _ in sys.stdin:
        print(json.dumps(next(found)), file=answers, flush=True)
    found.close()


if __name__ == "__main__":
    main()

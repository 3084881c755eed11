"""The items of python_client.py that sample the memory of all processes through which a large partition passes."""
import os
import pathlib
import statistics
import threading
import time

import howdah
from python_spark import spark_session
from spark_frames import cached, doubles

ROWS = 2_400_000  # 192 MiB in one partition
BUFFER = 16  # MiB
EVERY_S = 0.05
LARGE_ROWS = 125_000_000  # 10 GB in one partition, which Spark computes while it sends them
LARGE_EVERY_S = 1.0
LARGE_LIMIT_S = 3600


def slow_reader(n, pause_s):
    """A function that reads so slowly that the buffer is full most of the time."""
    def read():
        rows = 0
        for number, batch in enumerate(howdah.context().feed("train").numpy(n)):
            rows += len(batch["x0"])
            if number % 8 == 0:
                time.sleep(pause_s)
        return rows
    return read


def sample():
    """Bytes by kind of process: anonymous memory of the executor, of the trainer and of Spark's Python worker, and the
    blocks that the executor holds."""
    found = {"executor": 0, "blocks": 0, "trainer": 0, "spark_worker": 0}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
            kind = kind_of(words, (folder / "environ").read_bytes())
            if kind == "executor":
                found["blocks"] += blocks(folder)
            if kind:
                found[kind] += anonymous(folder)
        except OSError:  # it has ended
            continue
    return found


def kind_of(words, environ):
    home, spark = os.environ["HOWDAH_HOME"].encode(), f"BENCH_ID={os.getpid()}".encode()
    if b"task" in words and any(home in word for word in words):
        return "executor"
    if b"HOWDAH_FEED=" in environ and home in environ:
        return "trainer"
    return "spark_worker" if b"pyspark.daemon" in words and spark in environ else ""


def anonymous(folder):
    fields = dict(line.split(":") for line in (folder / "smaps_rollup").read_text().splitlines()[1:])
    return int(fields["Anonymous"].split()[0]) * 1024


def blocks(folder):
    files = {}
    for fd in (folder / "fd").iterdir():
        if os.readlink(fd).startswith("/memfd:"):
            info = fd.stat()
            files[info.st_ino] = info.st_blocks * 512
    return sum(files.values())


def sampled(read, frame, every_s, limit_s, **feed):
    """The rows that a job reads from a frame, and samples of the memory while the executor has blocks."""
    done, samples = threading.Event(), []

    def watch():
        while not done.wait(every_s):
            samples.append(sample())
    thread = threading.Thread(target=watch)
    thread.start()
    try:
        job = howdah.submit(read, memory="1GiB", env={"PYTHONPATH": os.environ["BENCH_SITE"]},
                            data={"train": howdah.Feed(frame, **feed)})
        rows = job.result(timeout=limit_s)
    finally:
        done.set()
        thread.join()
    return rows, [one for one in samples if one["blocks"]]


def memory():
    os.environ["BENCH_ID"] = str(os.getpid())
    with spark_session("local[1]") as spark:
        frame = cached(doubles(spark, ROWS, 1))
        while True:
            yield summary(sampled(slow_reader(256, 0.008), frame, EVERY_S, 300, buffer=f"{BUFFER}MiB")[1])


def large():
    """A partition of 10 GB with the default buffer."""
    os.environ["BENCH_ID"] = str(os.getpid())
    with spark_session("local[1]") as spark:
        while True:
            start = time.monotonic()
            frame = doubles(spark, LARGE_ROWS, 1)
            rows, samples = sampled(slow_reader(4096, 0.02), frame, LARGE_EVERY_S, LARGE_LIMIT_S, remainder="short")
            assert rows == LARGE_ROWS, rows
            yield {**summary(samples), "seconds": time.monotonic() - start, "tenths": tenths(samples)}


def tenths(samples):
    """The medians of ten parts of the samples, by kind of process."""
    size = len(samples) / 10
    parts = [samples[round(number * size):round((number + 1) * size)] for number in range(10)]
    return {name: [statistics.median(one[name] for one in part) for part in parts if part] for name in samples[0]}


def summary(samples):
    """Maxima while the executor has blocks. The trainer and Spark's worker: their growth since the first block."""
    together = [one["executor"] + one["blocks"] for one in samples]
    quarter = len(samples) // 4
    top = {name: max(one[name] for one in samples) for name in samples[0]}
    for name in ("trainer", "spark_worker"):
        top[name] -= samples[0][name]
    return {**top, "together": max(together), "late_growth": max(together) - max(together[:quarter])}


ITEMS = {"memory": memory, "large": large}

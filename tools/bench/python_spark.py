"""The items of python_client.py that read from Spark: one session with one executor of one core, and one trainer.
Howdah, Spark alone and TensorFlowOnSpark take turns on the same cached DataFrame."""
import array
import contextlib
import importlib
import os
import pathlib
import shutil
import time

import howdah
from python_client import rate, reader, run
from spark_frames import EXECUTOR, PARTITIONS, PASS_ROWS, cached, doubles, session

LIMIT_S = 120


def binaries(spark, rows, size, partitions=PARTITIONS):
    """Rows of random bytes with a label."""
    def fill(batches):
        import numpy as np
        import pyarrow as pa

        for batch in batches:
            data = np.random.default_rng(1).bytes(batch.num_rows * size)
            values = [data[at:at + size] for at in range(0, len(data), size)]
            yield pa.RecordBatch.from_arrays([pa.array(values, pa.binary()), batch.column(0)], ["data", "label"])
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", str(max(1, (8 << 20) // size)))
    try:
        return cached(spark.range(0, rows, 1, partitions).mapInArrow(fill, "data binary, label bigint"))
    finally:
        spark.conf.unset("spark.sql.execution.arrow.maxRecordsPerBatch")


def alone(frame):
    """The same query, whose batches are dropped: a dict as that of a reader."""
    def drop(batches):
        import pyarrow as pa

        begun = head = rows = 0
        for batch in batches:
            ended = time.monotonic()
            begun, head = begun or ended, head or batch.num_rows
            rows += batch.num_rows
        if rows:
            yield pa.RecordBatch.from_pydict({"begun": [begun], "ended": [ended], "head": [head], "rows": [rows]})
    environment = frame.sparkSession.sparkContext.environment
    environment["BENCH_SIDE"] = "alone"  # separate workers: those of a feed have frozen their objects
    try:
        found = [row.asDict() for row in
                 frame.mapInArrow(drop, "begun double, ended double, head long, rows long").collect()]
    finally:
        del environment["BENCH_SIDE"]
    first = min(found, key=lambda one: one["begun"])
    return {"begun": first["begun"], "ended": max(one["ended"] for one in found), "head": first["head"],
            "rows": sum(one["rows"] for one in found)}


class TensorFlowOnSpark:
    """One cluster with one trainer, which converts batches of n rows to arrays: `with TensorFlowOnSpark(…) as peer:`.
    package: the original one, or the one of Howdah."""

    def __init__(self, spark, n, package="tensorflowonspark", arrays=True):
        self._spark, self._n, self._package, self._arrays = spark, n, package, arrays
        self._log = pathlib.Path(f"batches-{package}-{n}").absolute()

    def __enter__(self):
        self._log.touch()
        cluster = importlib.import_module(f"{self._package}.TFCluster")
        train = trainer(self._n, self._package, self._arrays)
        self._cluster = cluster.run(self._spark.sparkContext, train, str(self._log), 1, 0, master_node="chief",
                                    input_mode=cluster.InputMode.SPARK)
        return self

    def __exit__(self, *_):
        self._cluster.shutdown(grace_secs=0)

    def read(self, rdd, rows):
        """A dict as that of a reader. The number of rows must be a multiple of n."""
        old = len(self._batches())
        self._cluster.train(rdd, 1)
        limit = time.monotonic() + LIMIT_S
        while sum(size for _, size in self._batches()[old:]) < rows:
            if time.monotonic() > limit:
                raise RuntimeError(f"{self._package} has not read {rows} rows")
            time.sleep(0.1)
        times, sizes = zip(*self._batches()[old:])
        return {"begun": times[0], "ended": times[-1], "head": sizes[0], "rows": sum(sizes)}

    def _batches(self):
        """Pairs of the time and the rows of each batch."""
        values = array.array("d")
        values.frombytes(self._log.read_bytes())
        return list(zip(values[::2], values[1::2]))


def trainer(n, package, arrays):
    def train(log, context):
        import array
        import importlib
        import threading

        import numpy as np

        found = array.array("d")

        def save():
            with open(log, "ab", buffering=0) as out:
                done = 0
                while True:
                    end = len(found) // 2 * 2
                    if end > done:
                        out.write(found[done:end].tobytes())
                        done = end
                    time.sleep(0.1)
        threading.Thread(target=save, daemon=True).start()
        feed = importlib.import_module(f"{package}.TFNode").DataFeed(context.mgr)
        while not feed.should_stop():
            rows = feed.next_batch(n)
            if rows and arrays:
                [np.array(column) for column in zip(*rows)]
            if rows:
                found.extend((time.monotonic(), len(rows)))
        time.sleep(0.3)  # the thread saves the last batches
    return train


@contextlib.contextmanager
def spark_session(master=EXECUTOR):
    import pyspark

    spark = session(master)
    try:
        yield spark
    finally:
        application = spark.sparkContext.applicationId
        spark.stop()
        shutil.rmtree(f"{os.path.dirname(pyspark.__file__)}/work/{application}", ignore_errors=True)


def compare(frame, few, n):
    """Rows per second of the three sides. few: the DataFrame for TensorFlowOnSpark, which would take minutes."""
    with TensorFlowOnSpark(frame.sparkSession, n) as peer:
        rows = few.count()
        while True:
            (passes,) = run(reader(n), frame)
            cpu = passes[0]["cpu"] / (passes[0]["rows"] - passes[0]["head"])
            theirs = rate([peer.read(few.rdd.map(list), rows)])
            yield {"howdah": rate(passes), "cpu": cpu, "alone": rate([alone(frame)]), "tfos": theirs}


def rows():
    with spark_session() as spark:
        yield from compare(cached(doubles(spark, 4_000_000)), cached(doubles(spark, 25_600, 1)), 256)


def images():
    with spark_session() as spark:
        yield from compare(binaries(spark, 400_000, 784), binaries(spark, 25_600, 784, 1), 256)


def blobs():
    with spark_session() as spark:
        frame = binaries(spark, 3_200, 150 << 10)
        yield from compare(frame, frame, 16)


def partitions():
    """The seconds of each of many partitions of one row, after the first one."""
    count = 1_000
    with spark_session() as spark:
        frame, few = cached(doubles(spark, count, count)), cached(doubles(spark, 5, 5))
        with TensorFlowOnSpark(spark, 1) as peer:
            while True:
                (passes,) = run(reader(1), frame)
                theirs = 1 / rate([peer.read(few.rdd.map(list), 5)])
                yield {"howdah": 1 / rate(passes), "alone": 1 / rate([alone(frame)]), "tfos": theirs}


def unchanged(n, ours, theirs):
    """Rows per second of next_batch(n): an RDD of tuples, with the API of TensorFlowOnSpark on both sides. ours,
    theirs: rows."""
    with spark_session() as spark:
        rdds = [doubles(spark, rows, 2).rdd.map(tuple).cache() for rows in (ours, theirs)]
        for rdd in rdds:
            rdd.count()
        with TensorFlowOnSpark(spark, n, arrays=False) as peer, \
                TensorFlowOnSpark(spark, n, "howdah.tfos", arrays=False) as own:
            while True:
                yield {"ours": rate([own.read(rdds[0], ours)]), "theirs": rate([peer.read(rdds[1], theirs)])}


def last_row(passes):
    """Seconds from the call to the last row of so many passes."""
    with spark_session("local[1]") as spark:
        frame = cached(doubles(spark, PASS_ROWS))
        while True:
            start = time.monotonic()
            (found,) = run(reader(256, passes), frame, feed={"epochs": passes})
            yield {"s": found[-1]["ended"] - start}


def killed_in_pass():
    """Seconds from the death of a rank in the middle of a pass to the next row, and the Spark tasks that failed."""
    with spark_session("local[1, 1]") as spark:
        frame, number = cached(doubles(spark, 1_000_000)), 0
        while True:
            number += 1
            once = f"{os.getcwd()}/died-{number}"
            (continued,) = run(dies(once), frame, restart=1)
            jobs = spark.sparkContext._jsc.sc().statusStore().jobsList(None)
            failed = sum(jobs.apply(number).numFailedTasks() for number in range(jobs.size()))
            yield {"continued": continued, "failed_tasks": failed}


def dies(once):
    """A function that kills its process in the middle of the pass, and returns the seconds until its next row."""
    def read():
        died, rows = pathlib.Path(once), 0
        for batch in howdah.context().feed("train").numpy(256):
            if died.exists():
                return time.monotonic() - float(died.read_text())
            rows += len(batch["x0"])
            if rows >= 256_000:
                died.write_text(str(time.monotonic()))
                os.kill(os.getpid(), 9)
    return read


ITEMS = {"rows": rows, "images": images, "blobs": blobs, "partitions": partitions, "killed-in-pass": killed_in_pass,
         "tuples-100": lambda: unchanged(100, 400_000, 25_600), "tuples-1": lambda: unchanged(1, 100_000, 10_000),
         "last-row-1": lambda: last_row(1), "last-row-3": lambda: last_row(3)}

"""Feeds from a Spark with separate executors, whose tasks and executors are killed, run twice, or lack packages."""

import os
import threading

import pytest

import spark as sparks
from machine import eventually
from spark import ROWS, frame, mapped, values

sparks.site_packages()

import howdah  # noqa: E402
from howdah._feed import driver, spark_rows  # noqa: E402

ALL = [0, driver.MOST]


@pytest.fixture(scope="module")
def spark():
    """Two executors with one slot each."""
    session = sparks.session("local-cluster[2, 1, 512]", **{"spark.sql.execution.arrow.maxRecordsPerBatch": "700",
                                                            "spark.executor.memory": "512m"})
    yield session
    sparks.stop(session)


def test_killed_task_repeats_no_accepted_row(world, spark, tmp_path):
    marker = str(tmp_path / "task")

    def hang_once(batch):
        import os
        import threading

        from pyspark import TaskContext
        if batch.column(0)[0].as_py() > 9000 and not os.path.exists(marker):
            with open(marker + ".new", "w") as file:
                file.write(str(TaskContext.get().taskAttemptId()))
            os.rename(marker + ".new", marker)
            threading.Event().wait(600)

    def kill():
        eventually(lambda: os.path.exists(marker), "a task that hangs", 150)  # the executors start
        with open(marker) as file:
            spark.sparkContext._jsc.sc().killTaskAttempt(int(file.read()), True, "a test")

    killer = threading.Thread(target=kill)
    killer.start()
    world.supply(howdah.Feed(mapped(frame(spark), hang_once)))
    assert values(world.read()) == list(range(ROWS)) and world.ledger.repeated == 0
    killer.join(60)


def test_killed_executors_repeat_no_accepted_row_and_need_only_pyarrow(world, spark, tmp_path):
    marker = str(tmp_path / "executor-lost")

    def kill_once(batch):
        import importlib.util
        import os
        import signal
        assert importlib.util.find_spec("howdah") is None
        if batch.column(0)[0].as_py() > 9000 and not os.path.exists(marker):
            open(marker, "w").close()
            with open(f"/proc/{os.getppid()}/status") as status:  # the daemon of the workers; its parent is the JVM
                parent = next(line for line in status if line.startswith("PPid:"))
            os.kill(int(parent.split()[1]), signal.SIGKILL)

    world.supply(howdah.Feed(mapped(frame(spark), kill_once)))
    assert values(world.read()) == list(range(ROWS)) and world.ledger.repeated == 0
    assert os.path.exists(marker)
    world.ledger.end()


def test_two_slots_are_enough_for_feeds_and_other_spark_jobs(make, spark, monkeypatch):
    monkeypatch.setattr(spark_rows, "PATIENCE_S", 0.3)
    world = make(readers=4, credit=1)
    writer = world.supply(howdah.Feed(frame(spark, partitions=9)))
    world.ledger.request(0, ALL)
    world.ledger.wait(lambda: world.ledger.credit == [0] * 4)
    assert spark.range(1000, numPartitions=2).count() == 1000  # waits for both slots
    eventually(lambda: writer.stats().waited, "the end of the Spark job")
    with world.ledger.changed:
        world.ledger.credit = [None] * 4
        world.ledger.changed.notify_all()
    world.ledger.wait(lambda: world.ledger.complete(0))
    assert values(world.ledger.table(0)) == list(range(ROWS)) and world.ledger.repeated == 0


def test_spark_that_is_stopped_halfway_is_an_error(make, spark):
    world = make(credit=2)
    writer = world.supply(howdah.Feed(frame(spark)))
    world.ledger.request(0, ALL)
    world.ledger.wait(lambda: world.ledger.credit == [0, 0])
    sparks.stop(spark)
    eventually(lambda: world.job.killed, "the end of the job")
    assert "the job needs rows of the feed, and the SparkContext of its DataFrame was stopped" in str(writer.error)


LACKS = """import sys

class Lacks:
    def find_spec(self, name, path=None, target=None):
        if name == "MODULE" or name.startswith("MODULE."):
            raise ModuleNotFoundError("No module named 'MODULE'", name="MODULE")

sys.meta_path.insert(0, Lacks())
"""


@pytest.mark.parametrize("module, text", [
    ("pyarrow", "the Python of Spark's executors has no pyarrow, or one that is too old"),
    ("pyarrow._flight",
     "the Python of Spark's executors has a pyarrow without Flight (No module named 'pyarrow._flight')"),
])
@pytest.mark.parametrize("kind", ["DataFrame", "RDD"])
def test_executor_without_a_module_is_named(world, tmp_path, module, text, kind):
    (tmp_path / "python").mkdir()
    (tmp_path / "python/sitecustomize.py").write_text(LACKS.replace("MODULE", module))
    session = sparks.session("local[1]", **{"spark.executorEnv.PYTHONPATH": f"{tmp_path}/python"})
    try:
        writer = world.supply(howdah.Feed(session.range(10) if kind == "DataFrame" else session.sparkContext.range(10)))
        world.ledger.request(0, ALL)
        eventually(lambda: world.job.killed, "the end of the job", 180)  # a Python worker starts
        assert isinstance(writer.error, howdah.FeedError) and text in str(writer.error)
    finally:
        sparks.stop(session)

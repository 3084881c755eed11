"""DataFrames of Spark Connect as sources of feeds: a real server against executors in this process."""

import os
import pathlib

import pytest

import spark as sparks
from machine import eventually
from spark import ROWS, frame, mapped, values

if not list(pathlib.Path(sparks.site_packages()[1]).glob("pyspark/jars/spark-connect_*")):
    pytest.skip("PySpark has the server of Connect from 4.0 on", allow_module_level=True)

from pyspark.sql.connect import session as connect  # noqa: E402

import howdah  # noqa: E402
from howdah._feed import driver, spark_rows  # noqa: E402
from howdah._feed import spark as source  # noqa: E402

ALL = [0, driver.MOST]


@pytest.fixture(scope="module")
def spark():
    """A session of Spark Connect."""
    before = dict(os.environ)
    server = sparks.ConnectServer()
    session = connect.SparkSession.builder.remote(server.url).getOrCreate()
    yield session
    session.stop()
    server.close()
    for name in set(os.environ) - set(before):  # PySpark would use Connect from now on
        del os.environ[name]


def test_every_row_arrives_once_and_in_its_place_in_each_pass(world, spark):
    writer = world.supply(howdah.Feed(frame(spark), epochs=2))
    for pass_ in range(2):
        read = world.read(pass_)
        assert values(read) == list(range(ROWS)) and read.column_names == ["i", "text", "x"]
    assert world.ledger.partitions == 5 and world.ledger.repeated == 0
    eventually(lambda: writer.stats().partitions == 10, "the end of the Spark job")


def test_rows_of_a_lost_node_are_sent_again(world, spark):
    world.supply(howdah.Feed(frame(spark)))
    world.read()
    for partition in (1, 3):
        world.ledger.forget(0, partition, 10, 700)
    before = sum(world.ledger.taken)
    assert values(world.read(0, [1, 2], [3, 4])) == list(range(ROWS))
    assert sum(world.ledger.taken) - before == 2 * 690 and world.ledger.repeated == 0


def test_task_whose_readers_are_full_frees_its_slot_and_continues_later(make, spark, monkeypatch):
    monkeypatch.setattr(spark_rows, "PATIENCE_S", 0.3)
    world = make(credit=2)
    writer = world.supply(howdah.Feed(frame(spark)))
    world.ledger.request(0, ALL)
    world.ledger.wait(lambda: world.ledger.credit == [0, 0])
    assert spark.range(0, 1000, 1, 2).count() == 1000  # waits for slots
    eventually(lambda: writer.stats().waited, "the end of the Spark job")
    with world.ledger.changed:
        world.ledger.credit = [3, None]
        world.ledger.changed.notify_all()
    world.ledger.wait(lambda: world.ledger.complete(0))
    assert values(world.ledger.table(0)) == list(range(ROWS)) and world.ledger.repeated == 0


def test_sends_are_accepted_once_for_each_key(world, spark):
    world.ledger.request(0, ALL)
    writer = world.client.feed("train")
    parts = [spark.range(first, first + 100, 1, 3).selectExpr("id as i") for first in (0, 100)]
    assert writer.send(parts[0], key=0) and writer.send(parts[1], key=1) and not writer.send(parts[0], key=0)
    writer.close()
    world.ledger.wait(lambda: world.ledger.complete(0))
    assert sorted(values(world.ledger.table(0))) == list(range(200)) and world.ledger.repeated == 0


def test_computing_tasks_are_cancelled_when_the_job_needs_no_more_rows(world, spark, tmp_path, monkeypatch):
    monkeypatch.setattr(source, "_GRACE_S", 0.1)
    started = str(tmp_path / "started")

    def hang(batch):
        import threading
        open(started, "w").close()
        threading.Event().wait(600)

    writer = world.supply(howdah.Feed(mapped(frame(spark), hang)))
    world.ledger.request(0, ALL)
    eventually(lambda: os.path.exists(started), "a task that computes")
    world.ledger.end()
    eventually(lambda: writer._supplier._workers == 0, "the end of the Spark job")
    assert not world.job.killed and writer.error is None


def test_exception_in_a_task_kills_the_job_and_is_raised(world, spark):
    def fail(batch):
        raise ValueError("no more rows today")

    world.supply(howdah.Feed(mapped(frame(spark, 10), fail)))
    world.ledger.request(0, ALL)
    eventually(lambda: world.job.killed, "the end of the job")
    with pytest.raises(Exception, match="no more rows today"):
        world.client.raise_failure(world.client.status())


def test_columns_that_a_feed_cannot_carry_are_refused(spark):
    with pytest.raises(howdah.FeedTypeError, match=r"the column 'c' of the type map<string,int>: convert it with"):
        howdah.Feed(spark.range(1).selectExpr("map('a', 1) as c"))
    with pytest.raises(howdah.FeedTypeError, match="a feed cannot read a streaming DataFrame itself"):
        howdah.Feed(spark.readStream.format("rate").load())

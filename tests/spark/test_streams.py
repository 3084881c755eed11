"""Streams of Spark as sources of feeds: DStreams, and foreachBatch of Structured Streaming."""

import pytest

import spark as sparks
from machine import eventually
from spark import values

sparks.site_packages()

import howdah  # noqa: E402
from howdah._feed import driver, objects  # noqa: E402

ALL = [0, driver.MOST]


@pytest.fixture
def streams(spark):
    """A StreamingContext whose batches take 0.2 s."""
    from pyspark.streaming import StreamingContext

    context = StreamingContext(spark.sparkContext, 0.2)
    yield context
    context.stop(stopSparkContext=False, stopGraceFully=False)


def elements(world):
    with world.ledger.changed:
        blocks = [batch for _, rows in sorted(world.ledger.rows.items()) for _, batch in sorted(rows.items())]
    return [element for batch in blocks for element in objects.elements_of(batch)]


# --- DStreams ---


def test_each_rdd_of_a_dstream_is_sent_once(world, spark, streams):
    rdds = [spark.sparkContext.range(first, first + 50, numSlices=2) for first in (0, 50, 100)]
    stream = streams.queueStream([*rdds, spark.sparkContext.parallelize([], 2)]).map(lambda i: (i, f"row {i}"))
    writer = world.supply(howdah.Feed(stream, stream=True))
    world.ledger.request(0, ALL)
    streams.start()
    world.ledger.wait(lambda: sum(world.ledger.taken) == 150)
    eventually(lambda: writer.stats().partitions == 6, "the end of the third RDD")
    writer.close()
    assert world.ledger.closed and elements(world) == [(i, f"row {i}") for i in range(150)]
    assert not world.ledger.repeated and writer.stats().rows == 150


def test_rdd_with_the_time_of_an_accepted_one_is_not_sent_again(world, spark, streams):
    import datetime

    source = howdah.Feed(streams.queueStream([spark.sparkContext.range(0, 1)]), stream=True)._open()
    world.client.supply("train", source)
    world.ledger.request(0, ALL)
    time, rdd = datetime.datetime(2024, 1, 1), spark.sparkContext.range(0, 50)
    source.on_rdd(time, rdd)
    source.on_rdd(time, rdd)
    assert elements(world) == list(range(50)) and world.ledger.repeated == 0


def test_dstream_continues_when_the_ranks_read_no_more(world, spark, streams):
    stream = streams.queueStream([spark.sparkContext.range(0, 50) for _ in range(3)])
    done = []
    writer = world.supply(howdah.Feed(stream, stream=True))
    stream.foreachRDD(lambda rdd: done.append(rdd.count()))
    world.ledger.end()
    streams.start()
    eventually(lambda: len(done) >= 3, "three batches")
    assert not world.job.killed and writer.error is None and not world.ledger.rows


def test_exception_in_a_dstream_kills_the_job_and_is_raised(world, spark, streams):
    stream = streams.queueStream([spark.sparkContext.range(0, 50)]).map(lambda i: 1 // (i - 20))
    writer = world.supply(howdah.Feed(stream, stream=True))
    world.ledger.request(0, ALL)
    streams.start()
    with pytest.raises(Exception, match="ZeroDivisionError"):
        streams.awaitTermination(120)
    assert world.job.killed and "ZeroDivisionError" in str(writer.error)


def test_dstream_that_a_feed_cannot_read_is_refused(spark, streams):
    stream = streams.queueStream([spark.sparkContext.range(0, 50)])
    for keys, text in (({}, "a DStream has no end: give howdah.Feed(dstream, stream=True)"),
                       ({"stream": True, "columns": ["a"]}, "columns= cannot select columns of a DStream")):
        with pytest.raises(howdah.FeedMisuse) as caught:
            howdah.Feed(stream, **keys)
        assert text in str(caught.value)
    stream.foreachRDD(lambda rdd: None)
    streams.start()
    with pytest.raises(howdah.FeedMisuse, match=r"make the howdah.Feed before StreamingContext.start\(\)"):
        howdah.Feed(stream, stream=True)


# --- Structured Streaming ---


def test_batch_that_was_accepted_is_not_sent_again_after_a_failure(world, spark, tmp_path):
    for number in range(3):
        spark.range(100 * number, 100 * number + 100, 1, 2).write.parquet(f"{tmp_path}/in/{number}")
    world.ledger.request(0, ALL)
    writer, tried = world.client.feed("train"), []

    def send(frame, number):
        tried.append((number, writer.send(frame, key=number)))
        if len(tried) == 2:
            raise ValueError("after the send")

    def start():
        rows = spark.readStream.schema("id long").option("maxFilesPerTrigger", 2).parquet(f"{tmp_path}/in/*")
        keys = rows.writeStream.foreachBatch(send).option("checkpointLocation", f"{tmp_path}/checkpoint")
        return keys.trigger(availableNow=True).start()

    with pytest.raises(Exception, match="after the send"):
        start().awaitTermination(120)
    assert start().awaitTermination(120)
    assert tried == [(0, True), (1, True), (1, False), (2, True)]
    writer.close()
    world.ledger.wait(lambda: world.ledger.complete(0))
    assert sorted(world.ledger.table(0)["id"].to_pylist()) == list(range(300)) and world.ledger.repeated == 0


def test_send_that_fails_is_an_error_of_this_send_only(world, spark):
    world.ledger.request(0, ALL)
    writer = world.client.feed("train")

    def fail(batch):
        raise ValueError("no more rows today")

    frame = spark.range(0, 100, 1, 2).selectExpr("id as i")
    with pytest.raises(Exception, match="no more rows today"):
        writer.send(sparks.mapped(frame, fail), key=1)
    with pytest.raises(howdah.FeedTypeError, match="the column 'm' of the type map<int,int>"):
        writer.send(frame.selectExpr("map(1, 2) as m"), key=1)
    assert writer.send(frame, key=1) and values(world.ledger.table(0)) == list(range(100))
    assert not world.job.killed


def test_keys_of_sends_are_apart_from_those_of_the_partitions_of_other_sends(world, spark):
    world.ledger.request(0, ALL)
    writer = world.client.feed("train")
    assert writer.send(spark.range(0, 100, 1, 2).selectExpr("nullif(id, -1) as i"), key="2024-01-01")
    assert writer.send({"i": list(range(100, 110))}, key="2024-01-01/1")
    assert values(world.ledger.table(0)) == list(range(110))


def test_columns_that_change_between_sends_are_named(world, spark):
    world.ledger.request(0, ALL)
    writer, frame = world.client.feed("train"), spark.range(0, 100, 1, 2)
    assert writer.send(frame.selectExpr("id as i", "'x' as text"))
    for names, text in ((["id as i"], "the columns of the first send are i, text, and those of this send i: send the"),
                        (["cast(id as string) as i", "'x' as text"], "the column 'i' has the type bigint in the first "
                         "send, and string in this one: cast it to bigint")):
        with pytest.raises(howdah.FeedTypeError) as caught:
            writer.send(frame.selectExpr(*names))
        assert text in str(caught.value)


def test_send_returns_when_the_ranks_read_no_more(make, spark):
    import threading

    world = make(credit=1)
    world.ledger.request(0, ALL)
    writer, sent = world.client.feed("train"), []
    thread = threading.Thread(target=lambda: sent.append(writer.send(spark.range(0, 8000, 1, 4), key=0)))
    thread.start()
    world.ledger.wait(lambda: world.ledger.credit == [0, 0])
    world.ledger.end()
    thread.join(120)
    assert sent == [False] and not world.job.killed
    assert writer.send(spark.range(10)) is False


def test_lost_rows_of_a_send_are_sent_again(world, spark):
    world.ledger.request(0, ALL)
    writer = world.client.feed("train")
    writer.send(spark.range(0, 1000, 1, 4).selectExpr("id as i"), key=0)
    writer.send(spark.range(1000, 2000, 1, 4).selectExpr("id as i"), key=1)
    places = sorted(world.ledger.rows)
    world.ledger.forget(*places[1], 10, 100)
    world.ledger.forget(*places[6], 0, 250)
    world.ledger.request(0, [0, 100])
    world.ledger.wait(lambda: sum(world.ledger.taken) == 2000 + 90 + 250)
    assert values(world.ledger.table(0)) == list(range(2000)) and world.ledger.repeated == 0
    assert writer.send(spark.range(2000, 2001).selectExpr("id as i"), key=2)


def test_send_waits_until_the_readers_have_room(make, spark, monkeypatch):
    import threading

    from howdah._feed import spark_rows

    monkeypatch.setattr(spark_rows, "PATIENCE_S", 0.3)
    world = make(credit=1)
    world.ledger.request(0, ALL)
    writer, sent = world.client.feed("train"), []
    frame = spark.range(0, 8000, 1, 4).selectExpr("id as i")
    thread = threading.Thread(target=lambda: sent.append(writer.send(frame, key=0)))
    thread.start()
    world.ledger.wait(lambda: world.ledger.credit == [0, 0])
    eventually(lambda: writer.stats().waited, "the end of the Spark job")
    assert not sent
    with world.ledger.changed:
        world.ledger.credit = [None, None]
        world.ledger.changed.notify_all()
    thread.join(120)
    assert sent == [True] and values(world.ledger.table(0)) == list(range(8000)) and world.ledger.repeated == 0

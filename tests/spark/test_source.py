"""Spark DataFrames as sources of feeds: real Spark jobs against executors in this process."""

import os

import pytest

import spark as sparks
from machine import eventually
from spark import ROWS, frame, jobs, mapped, values

sparks.site_packages()

import pyarrow as pa  # noqa: E402

import howdah  # noqa: E402
from howdah._feed import cut, driver, spark_rows, spark_task  # noqa: E402
from howdah._feed import spark as source  # noqa: E402

ALL = [0, driver.MOST]


# --- rows ---


def test_every_row_arrives_once_and_in_its_place_in_each_pass(world, spark, small):
    before = len(jobs(spark))
    writer = world.supply(howdah.Feed(frame(spark), epochs=2))
    for pass_ in range(2):
        read = world.read(pass_)
        assert values(read) == list(range(ROWS)) and read.column_names == ["i", "text", "x"]
        assert read["text"][7].as_py() == "row 7" and read["x"][7].as_py() == 1.0
    assert world.ledger.partitions == 5 and world.ledger.repeated == 0
    assert min(world.ledger.taken) > ROWS / 10
    eventually(lambda: writer.stats().partitions == 10, "the end of the Spark job")
    assert writer.stats().rows == 2 * ROWS and writer.stats().bytes > 2 * ROWS * 20
    assert jobs(spark)[before:] == [[f"howdah: train → howdah-1, pass {number} of 2", 0] for number in (1, 2)]


def test_columns_are_selected_whatever_their_names(world, spark):
    strange = frame(spark, 100).toDF("a.b", "a b", "`c`")
    world.supply(howdah.Feed(strange, columns=["`c`", "a.b"]))
    read = world.read()
    assert read.column_names == ["`c`", "a.b"] and read["a.b"].to_pylist() == list(range(100))


def test_types_of_columns_and_nulls_arrive(world, spark):
    from pyspark.ml.linalg import Vectors
    from pyspark.sql import Row

    rows = [Row(i=i, vector=Vectors.dense([i, 1.5]) if i % 2 else Vectors.sparse(2, [0], [float(i)]), tags=["a"] * i,
                none=None if i else 1.5, inner=Row(p=i, q=[[i]]), data=bytes(i)) for i in range(6)]
    world.supply(howdah.Feed(spark.createDataFrame(rows).repartition(1).sortWithinPartitions("i")))
    read = world.read()
    assert read["vector"].to_pylist() == [[0, 0], [1, 1.5], [2, 0], [3, 1.5], [4, 0], [5, 1.5]]
    assert read["tags"].to_pylist()[3] == ["a"] * 3 and read["none"].null_count == 5
    assert read["inner"].to_pylist()[2] == {"p": 2, "q": [[2]]} and read["data"].to_pylist()[2] == b"\0\0"


@pytest.mark.parametrize("rows", [0, 3])
def test_empty_partitions_end(world, spark, rows):
    world.supply(howdah.Feed(frame(spark).where(f"i < {rows}")))
    world.ledger.request(0, ALL)
    world.ledger.wait(lambda: world.ledger.complete(0))
    assert sum(world.ledger.taken) == rows and world.ledger.partitions == 5


def test_partitions_of_a_shuffle_stay_the_same_in_all_passes(world, spark):
    world.supply(howdah.Feed(frame(spark).selectExpr("i % 1000 as i").groupBy("i").count(), epochs=2))
    first, second = (world.read(pass_) for pass_ in range(2))
    assert sorted(values(first)) == list(range(1000)) and first.equals(second)


# --- mistakes ---


@pytest.mark.parametrize("expression, text", [
    ("map('a', 1) as c", "the column 'c' of the type map<string,int>: convert it with pyspark.sql.functions.map_ent"),
    ("cast(1 as decimal(5, 2)) as c", "the column 'c' of the type decimal(5,2): cast it to double"),
    ("null as c", "the column 'c' of the type void: it has only nulls; cast it to"),
    ("named_struct('d', array(cast(1 as decimal(5, 2)))) as c", "the column 'c.d' of the type decimal(5,2): cast it"),
    ("interval '1 02:03:04' day to second as c", "cast it with CAST(CAST(… AS INTERVAL SECOND) AS BIGINT)"),
    ("interval '1-2' year to month as c", "cast it with CAST(CAST(… AS INTERVAL MONTH) AS BIGINT)"),
])
def test_column_that_a_feed_cannot_carry_is_refused(spark, expression, text):
    with pytest.raises(howdah.FeedTypeError) as caught:
        howdah.Feed(spark.range(1).selectExpr("id", expression))
    assert text in str(caught.value)
    howdah.Feed(spark.range(1).selectExpr("id", expression), columns=["id"])


def test_source_that_cannot_be_read_is_refused(spark):
    rows = frame(spark)
    with pytest.raises(howdah.FeedTypeError, match="a feed cannot carry .* interval"):
        howdah.Feed(spark.range(1).selectExpr("make_interval(1) as c"))
    for given, text in (
        (spark.readStream.format("rate").load(), "foreachBatch(lambda df, n: job.feed(NAME).send(df, key=n)"),
        ([rows, rows], "must be the only source of a feed: unite several DataFrames with df.unionByName(other)"),
        (lambda: rows, "a function must not return a DataFrame or RDD of Spark: give the DataFrame itself"),
        (rows.toDF("a", "a", "b"), "the source has several columns with the name 'a'; its columns are a, a, b"),
        (spark.sparkContext.parallelize([]), "the RDD has no elements"),
    ):
        with pytest.raises(howdah.FeedTypeError) as caught:
            howdah.Feed(given)
        assert text in str(caught.value)
    with pytest.raises(howdah.FeedTypeError, match="the source has no column 'z'; its columns are i, text, x"):
        howdah.Feed(rows, columns=["z"])


# --- blocks ---


def batches(table, size):
    return [batch for first in range(0, len(table), size) for batch in table.slice(first, size).to_batches()]


def test_boundaries_of_blocks_do_not_depend_on_batches():
    rows = 5000
    table = pa.table({"text": ["x" * (i * 7919 % 5000) if i % 11 else None for i in range(rows)],
                      "lists": [["ab"] * (i % 5) for i in range(rows)],
                      "inner": [{"a": i, "b": [i] * (i % 3)} if i % 2 else None for i in range(rows)]}).combine_chunks()
    found = {size: [(first, len(block)) for first, block in cut.blocks(batches(table, size), table.column_names)]
             for size in (1, 999, 1024, rows)}
    assert len(found[1]) > 4 and all(cuts == found[1] for cuts in found.values())
    for _, block in cut.blocks(batches(table, 999), table.column_names):
        assert pa.ipc.get_record_batch_size(block) < 8 << 20
    whole = pa.Table.from_batches([block for _, block in cut.blocks(batches(table, 999), table.column_names)])
    assert whole.to_pydict() == table.to_pydict()


def test_blocks_grow_with_the_partition_and_large_rows_have_blocks_of_their_own():
    numbers = pa.table({"i": range(3_000_000)})
    sizes = [len(block) for _, block in cut.blocks(numbers.to_batches(), ["i"])]
    assert sizes[:5] == [1000] * 5 and sizes[6] == 1500 and max(sizes) > 100_000 and sum(sizes) == 3_000_000
    data = [10, 5 << 20, 3 << 20, 9 << 20, 10, 10]
    large = pa.table({"data": [bytes(size) for size in data]})
    assert [(at, len(part)) for at, part in cut.blocks(batches(large, 4), ["data"])] == [
        (0, 1), (1, 1), (2, 1), (3, 1), (4, 2)]


def test_boundaries_of_blocks_fall_together_with_those_of_batches():
    table = pa.table({"data": [b"x" * 784] * 30_000, "label": range(30_000)}).combine_chunks()
    given = batches(table, 10_000)
    ends = [first + len(block) for first, block in cut.blocks(given, table.column_names)]
    assert {10_000, 20_000} <= set(ends) and len(ends) < 20
    kept = {batch.column(0).buffers()[2].address for batch in given}
    for _, block in cut.blocks(given, table.column_names):
        assert block.column(0).buffers()[2].address in kept, "no value is copied"


# --- the protocol ---


def test_task_whose_readers_are_full_frees_its_slot_and_continues_later(make, spark, small, monkeypatch):
    monkeypatch.setattr(spark_rows, "PATIENCE_S", 0.3)
    world = make(credit=2)
    writer = world.supply(howdah.Feed(frame(spark)))
    world.ledger.request(0, ALL)
    world.ledger.wait(lambda: world.ledger.credit == [0, 0])
    assert spark.range(1000, numPartitions=2).count() == 1000  # waits for slots
    eventually(lambda: writer.stats().waited, "the end of the Spark job")
    with world.ledger.changed:
        world.ledger.credit = [3, None]
        world.ledger.changed.notify_all()
    world.ledger.wait(lambda: world.ledger.complete(0))
    assert values(world.ledger.table(0)) == list(range(ROWS)) and world.ledger.repeated == 0


def test_refused_blocks_and_lost_connections_repeat_no_accepted_row(world, spark, small):
    refused = set()

    def refuse(place, first):
        new = (place, first) not in refused and first % 3 == 0
        refused.add((place, first))
        return new

    world.ledger.refuse = refuse
    for executor in world.executors:
        executor.drop_after = 3
    world.supply(howdah.Feed(frame(spark)))
    assert values(world.read()) == list(range(ROWS)) and world.ledger.repeated == 0
    assert world.ledger.digests and world.ledger.same_digests()


def test_rows_of_a_lost_node_are_sent_again_before_other_rows(make, spark, small):
    world = make(credit=None)
    world.supply(howdah.Feed(frame(spark)))
    world.read()
    for partition in (1, 3):
        world.ledger.forget(0, partition, 10, 700)
    before = sum(world.ledger.taken)
    assert values(world.read(0, [1, 2], [3, 4])) == list(range(ROWS))
    assert sum(world.ledger.taken) - before == 2 * 690 and world.ledger.repeated == 0


def test_lost_rows_interrupt_a_spark_job_that_waits(make, spark, small):
    world = make(readers=1, credit=None)

    def refuse(place, first):
        return place[1] in (2, 3) and not world.ledger.requests[1:]

    world.ledger.refuse = refuse
    world.supply(howdah.Feed(frame(spark)))
    world.ledger.request(0, ALL)
    eventually(lambda: not any(world.ledger.missing((0, part)) for part in (0, 1)), "two partitions")
    world.ledger.forget(0, 0, 5, 50)
    world.ledger.request(0, [0, 1])
    world.ledger.wait(lambda: world.ledger.complete(0))
    assert values(world.ledger.table(0)) == list(range(ROWS)) and world.ledger.repeated == 0


def test_python_worker_that_dies_repeats_no_accepted_row(world, spark, small, tmp_path):
    marker = str(tmp_path / "died")

    def die_once(batch):
        import os
        if batch.column(0)[0].as_py() > 9000 and not os.path.exists(marker):
            open(marker, "w").close()
            os._exit(1)

    world.supply(howdah.Feed(mapped(frame(spark), die_once)))
    assert values(world.read()) == list(range(ROWS)) and world.ledger.repeated == 0
    assert os.path.exists(marker)


def test_input_that_breaks_off_is_not_the_end_of_its_partition(world, spark, small, tmp_path):
    """If Spark fails in the middle of the input of a task, the task sees the end of the input before it fails."""
    accepted, died = str(tmp_path / "accepted"), str(tmp_path / "died")

    def die_once(batch):
        import os
        import threading
        if batch.column(0)[0].as_py() > 6000 and not os.path.exists(died):
            while not os.path.exists(accepted):
                threading.Event().wait(0.02)
            open(died, "w").close()
            os._exit(1)

    # More than the buffers between the processes.
    large = frame(spark, 7000, 1).selectExpr("i", "repeat('x', 2000) as text")
    world.supply(howdah.Feed(mapped(large, die_once)))
    world.ledger.request(0, ALL)
    world.ledger.wait(lambda: sum(world.ledger.taken) > 0)
    open(accepted, "w").close()
    world.ledger.wait(lambda: world.ledger.complete(0))
    assert os.path.exists(died) and world.ledger.ends == {(0, 0): 7000} and world.ledger.repeated == 0
    assert values(world.ledger.table(0)) == list(range(7000))


# --- the end ---


def test_blocked_tasks_end_successfully_when_the_job_needs_no_more_rows(make, spark, small):
    world = make(credit=1)
    before = len(jobs(spark))
    writer = world.supply(howdah.Feed(frame(spark)))
    world.ledger.request(0, ALL)
    world.ledger.wait(lambda: world.ledger.asked > 4)
    world.ledger.end()
    eventually(lambda: writer._supplier._workers == 0, "the end of the Spark job")
    assert not world.job.killed and writer.stats().over
    assert [failed for _, failed in jobs(spark)[before:]] == [0]
    assert not spark.sparkContext.statusTracker().getActiveJobsIds()


def test_computing_tasks_are_cancelled_when_the_job_needs_no_more_rows(make, spark, small, tmp_path, monkeypatch):
    monkeypatch.setattr(source, "_GRACE_S", 0.1)
    world = make()
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


def test_executor_that_fails_again_and_again_ends_the_job(world, spark):
    world.ledger.refuse = lambda place, first: "no space left on device"
    writer = world.supply(howdah.Feed(frame(spark, 100, 1)))
    world.ledger.request(0, ALL)
    eventually(lambda: world.job.killed, "the end of the job")
    assert str(writer.error) == "no space left on device"


def test_stopped_spark_is_an_error_when_rows_are_needed(make, tmp_path):
    session = sparks.session("local[1]")
    world = make()
    writer = world.supply(howdah.Feed(frame(session, 10)))
    sparks.stop(session)
    world.ledger.request(0, ALL)
    eventually(lambda: world.job.killed, "the end of the job")
    assert "the SparkContext of its DataFrame was stopped" in str(writer.error)

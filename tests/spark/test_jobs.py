"""A Spark DataFrame as the source of a feed, on the local backend."""
import os
import pathlib
import sys

import pytest

import spark as sparks
from machine import BIN, ROOT

SITE = sparks.site_packages()[0]
sys.path.insert(0, str(ROOT / "python"))

import howdah  # noqa: E402

ROWS = 50_000


@pytest.fixture
def spark(machine, tmp_path, monkeypatch):
    """Spark, in a process that is a client of the machine of the test."""
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    for name, value in (("HOWDAH_HOME", machine.home), ("HOWDAH_ON", "local"), ("XDG_CACHE_HOME", tmp_path / "cache"),
                        ("PATH", f"{BIN.parent}{os.pathsep}{os.environ['PATH']}")):
        monkeypatch.setenv(name, str(value))
    session = sparks.session("local[2, 4]")
    yield session
    sparks.stop(session)


def test_ranks_read_each_row_of_a_frame_once_in_each_pass(spark, tmp_path):
    frame = spark.range(0, ROWS, 1, 6).selectExpr("id as i", "concat('row ', id) as text", "array(id, id + 1) as pair")
    died = pathlib.Path(tmp_path / "died")

    def read():
        ctx = howdah.context()
        feed, passes = ctx.feed("train"), []
        for number in range(2):
            passes.append([])
            for rows in feed.numpy(100):
                assert rows["pair"].shape == (len(rows["i"]), 2) and rows["text"][0] == f"row {rows['i'][0]}"
                passes[-1].append(rows["i"].tolist())
                if ctx.rank == 1 and len(passes[0]) == 50 and not died.exists():
                    died.touch()
                    os._exit(1)
        return passes

    feed = howdah.Feed(frame, epochs=2, remainder="short")
    job = howdah.submit(read, workers=2, framework="pytorch", restart=1, memory="512MiB", env={"PYTHONPATH": SITE},
                        data={"train": feed})
    results = job.results(timeout=300)
    for number in range(2):
        sizes = [[len(batch) for batch in passes[number]] for passes in results]
        rows = [i for passes in results for batch in passes[number] for i in batch]
        assert sizes[0] == sizes[1] and len(rows) == len(set(rows)) == ROWS
    assert died.exists() and not spark.sparkContext.statusTracker().getActiveJobsIds()


def submit(function, frame, **feed):
    return howdah.submit(function, workers=2, framework="pytorch", memory="512MiB", env={"PYTHONPATH": SITE},
                         data={"train": howdah.Feed(frame, **feed)})


def test_ranks_read_the_objects_of_an_rdd(spark):
    def read():
        return list(howdah.context().feed("train").rows())

    objects = spark.sparkContext.range(0, 1000, numSlices=4).map(lambda i: (i, {f"{i}", f"{i + 1}"}))
    results = submit(read, objects, remainder="short").results(timeout=300)
    found = [element for elements in results for element in elements]
    assert sorted(found) == [(i, {f"{i}", f"{i + 1}"}) for i in range(1000)]


def test_rdd_of_tuples_becomes_arrays_and_keeps_its_elements(spark):
    def read():
        feed = howdah.context().feed("train")
        arrays = [batch["_2"].shape for batch in feed.numpy(50)]
        return arrays, list(feed.rows())

    import numpy

    tuples = spark.sparkContext.range(0, 400, numSlices=3).map(lambda i: (i, numpy.full((2, 3), i, "float32")))
    results = submit(read, tuples, epochs=2).results(timeout=300)
    assert [shapes for shapes, _ in results] == [[(50, 2, 3)] * 4] * 2
    found = sorted((element for _, elements in results for element in elements), key=lambda element: element[0])
    assert [i for i, _ in found] == list(range(400)) and all(array[1, 2] == i for i, array in found)
    assert found[3][1].dtype == "float32"


def test_partition_whose_rows_change_is_named(spark, tmp_path):
    """The first attempt dies when the job has some of its rows."""
    died, arrived = str(tmp_path / "died"), str(tmp_path / "arrived")
    os.mkfifo(arrived)

    def change(partition):
        import os

        first = not os.path.exists(died)
        for i in partition:
            if first and i == 40_000:
                os.read(os.open(arrived, os.O_RDWR), 1)
                open(died, "w").close()
                os._exit(1)
            yield i if first else i + 1

    def read():
        signal = os.open(arrived, os.O_RDWR)
        for _ in howdah.context().feed("train").numpy(100):
            os.write(signal, b".")

    job = submit(read, spark.sparkContext.range(0, ROWS, numSlices=1).mapPartitions(change), split="dynamic")
    with pytest.raises(howdah.FeedChanged, match="partition 0 of the feed has changed: an attempt has read other rows"):
        job.result(timeout=300)


def test_pass_of_an_empty_frame_is_an_error(spark):
    def read():
        return [len(batch["id"]) for batch in howdah.context().feed("train").numpy(10)]

    with pytest.raises(howdah.FeedEmpty):
        submit(read, spark.range(0, 0, 1, 3)).result(timeout=300)
    with pytest.raises(howdah.FeedEmpty):  # fewer rows than ranks
        submit(read, spark.range(0, 1, 1, 3), remainder="short").result(timeout=300)


def test_batches_of_a_stream_are_sent_by_spark(spark, tmp_path):
    def read():
        return [i for batch in howdah.context().feed("live").numpy(10) for i in batch["id"].tolist()]

    for number in range(3):
        spark.range(100 * number, 100 * number + 100, 1, 2).write.parquet(f"{tmp_path}/in/{number}")
    job = howdah.submit(read, workers=2, framework="pytorch", memory="512MiB", env={"PYTHONPATH": SITE},
                        data={"live": howdah.Feed(stream=True, remainder="short")})
    writer = job.feed("live")
    rows = spark.readStream.schema("id long").option("maxFilesPerTrigger", 2).parquet(f"{tmp_path}/in/*")
    query = rows.writeStream.foreachBatch(lambda frame, number: writer.send(frame, key=number))
    query.option("checkpointLocation", f"{tmp_path}/checkpoint").trigger(availableNow=True).start().awaitTermination()
    writer.close()
    assert sorted(i for seen in job.results(timeout=300) for i in seen) == list(range(300))

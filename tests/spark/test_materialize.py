"""DataFrames of Spark as files, and feeds that read them."""
import os
import pathlib
import shutil
import threading

import pytest

import spark as sparks
from machine import BIN

SITE = os.pathsep.join(sparks.site_packages())

import howdah  # noqa: E402
from howdah._feed import materialized  # noqa: E402
from howdah.spark import materialize  # noqa: E402


@pytest.fixture
def folder(tmp_path):
    return str(tmp_path / "files")


def files_of(feed):
    """The folder and the Parquet files of a feed."""
    source = feed.keys["from"]
    found = pathlib.Path((source if isinstance(source, str) else source[0]).removeprefix("file:"))
    return found, sorted(found.glob("*.parquet"))


def path(frame, folder, **keys):
    return str(files_of(materialize(frame, folder, **keys))[0])


def rows(feed):
    import pyarrow.parquet

    return [row for file in files_of(feed)[1] for row in pyarrow.parquet.read_table(file).to_pylist()]


def write(spark, target, count):
    spark.range(count).selectExpr("id as i", "id % 3 as k").write.mode("overwrite").parquet(str(target))


# --- files ---


def test_rows_and_types_are_those_of_the_frame(spark, folder):
    from pyspark.ml.linalg import Vectors

    frame = spark.createDataFrame([(i, Vectors.dense([i, 1]), ["a"] * i) for i in range(5)], ["i.d", "vector", "tags"])
    feed = materialize(frame, folder, epochs=3, shuffle=100)
    assert rows(feed) == [{"i.d": i, "vector": [i, 1], "tags": ["a"] * i} for i in range(5)]
    assert (feed.keys["epochs"], feed.keys["shuffle"]) == (3, 100)
    with pytest.raises(howdah.FeedTypeError, match="a feed cannot carry the column 'c' of the type map<string,int>"):
        materialize(spark.range(1).selectExpr("map('a', 1) as c"), folder)


def test_files_have_at_most_rows_per_file_rows(spark, folder):
    import pyarrow.parquet

    frame = spark.range(0, 1000, 1, 2)
    files = files_of(materialize(frame, folder, rows_per_file=300))[1]
    assert [pyarrow.parquet.read_metadata(file).num_rows for file in files] == [300, 200] * 2
    assert path(frame, folder) != path(frame, folder, rows_per_file=300)


# --- identity ---


def test_same_plan_and_files_are_written_once(spark, folder, tmp_path):
    data = tmp_path / "data"
    write(spark, data, 100)

    def frame(limit=50, column="k"):
        return spark.read.parquet(str(data)).where(f"i < {limit}").groupBy(column).count()

    first, again = path(frame(), folder), frame()
    before = len(spark.sparkContext.statusTracker().getJobIdsForGroup(None))
    assert path(again, folder) == first
    assert len(spark.sparkContext.statusTracker().getJobIdsForGroup(None)) == before
    others = [path(frame(51), folder), path(frame(column="i"), folder), path(frame().limit(2), folder)]
    assert len({first, *others}) == 4
    write(spark, data, 101)
    assert path(frame(), folder) != first
    csv = tmp_path / "csv"
    csv.write_text("1;2\n3;4\n")
    assert path(spark.read.option("sep", ";").csv(str(csv)), folder) != path(spark.read.csv(str(csv)), folder)


def test_values_in_memory_and_programs_have_an_identity(spark, folder):
    from pyspark.sql.functions import udf

    def frame(value):
        return spark.createDataFrame([(value,)], ["v"])

    one = frame(1)
    assert path(one, folder) == path(one, folder)
    assert len({path(frame(value), folder) for value in (1, 2, 1)}) == 3  # RDDs
    values = [spark.sql(f"select * from values ({value}) as t(v)") for value in (1, 2, "'1'", 1)]
    assert [path(value, folder) == path(values[0], folder) for value in values] == [True, False, False, True]
    plus = [spark.range(3).select(udf(lambda i, n=n: i + n, "long")("id").alias("v")) for n in (1, 2)]
    assert rows(materialize(plus[0], folder)) != rows(materialize(plus[1], folder))
    assert path(plus[0], folder) == path(plus[0], folder)
    now = [spark.range(1).selectExpr("current_timestamp() as t") for _ in range(2)]
    assert path(now[0], folder) != path(now[1], folder)


def test_plans_with_many_columns_are_compared_as_a_whole(spark, folder):
    def frame(last):
        return spark.range(2).selectExpr(*[f"id + {i} as c{i}" for i in range(100)], f"id + {last} as last")

    assert path(frame(1), folder) == path(frame(1), folder) != path(frame(2), folder)
    assert spark.conf.get("spark.sql.debug.maxToStringFields") == "25"


# --- failures ---


def test_failed_write_leaves_nothing(spark, folder):
    frame = spark.range(10).selectExpr("if(id = 7, raise_error('row 7'), id) as v")
    with pytest.raises(Exception, match="row 7"):
        materialize(frame, folder)
    assert not [file for file in pathlib.Path(folder).rglob("*") if file.is_file()]


def test_deleted_files_are_written_again(spark, folder):
    frame = spark.range(10)
    first = path(frame, folder)
    shutil.rmtree(first)
    assert path(frame, folder) != first and len(rows(materialize(frame, folder))) == 10


def test_concurrent_calls_use_the_same_files(spark, folder, monkeypatch):
    barrier, commit, found = threading.Barrier(2), materialized._Store.commit, []

    def together(self, *arguments):
        barrier.wait(60)
        return commit(self, *arguments)

    monkeypatch.setattr(materialized._Store, "commit", together)
    threads = [threading.Thread(target=lambda: found.append(path(spark.range(10), folder))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 2 and len(set(found)) == 1
    assert [entry.name for entry in pathlib.Path(found[0]).parent.iterdir() if entry.is_dir()] == [found[0][-32:]]


def test_sources_that_cannot_be_written_are_refused(spark, folder):
    for given, error, text in (
        (spark.readStream.format("rate").load(), howdah.FeedTypeError, "cannot write a streaming DataFrame"),
        (spark.sparkContext.range(3), TypeError, "materialize() needs a DataFrame of Spark"),
        ([1], TypeError, "materialize() needs a DataFrame of Spark, not an object of <class 'list'>"),
    ):
        with pytest.raises(error) as caught:
            materialize(given, folder)
        assert text in str(caught.value)
    with pytest.raises(ValueError, match="rows_per_file is 0; it must be an integer of at least 1"):
        materialize(spark.range(1), folder, rows_per_file=0)


# --- a job ---


def test_job_reads_the_files_without_spark(machine, folder, tmp_path, monkeypatch):
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    for name, value in (("HOWDAH_HOME", machine.home), ("HOWDAH_ON", "local"), ("XDG_CACHE_HOME", tmp_path / "cache"),
                        ("PATH", f"{BIN.parent}{os.pathsep}{os.environ['PATH']}")):
        monkeypatch.setenv(name, str(value))
    session = sparks.session("local[2]")
    feed = materialize(session.range(0, 1000, 1, 3), folder, epochs=2, remainder="short", split="equal")
    sparks.stop(session)

    def read():
        reader = howdah.context().feed("train")
        return [[i for batch in reader.numpy(100) for i in batch["id"].tolist()] for _ in range(2)]

    job = howdah.submit(read, workers=2, memory="512MiB", env={"PYTHONPATH": SITE}, data={"train": feed})
    results = job.results(timeout=300)
    for pass_ in range(2):
        assert sorted(results[0][pass_] + results[1][pass_]) == list(range(1000))

"""DataFrames of Spark Connect as files, and feeds that read them: a real server."""
import os
import pathlib
import shutil

import pytest

import spark as sparks

if not list(pathlib.Path(sparks.site_packages()[1]).glob("pyspark/jars/spark-connect_*")):
    pytest.skip("PySpark has the server of Connect from 4.0 on", allow_module_level=True)

from pyspark.sql.connect import session as connect  # noqa: E402

import howdah  # noqa: E402
from howdah.spark import materialize  # noqa: E402


@pytest.fixture(scope="module")
def server():
    before = dict(os.environ)
    server = sparks.ConnectServer()
    yield server
    server.close()
    for name in set(os.environ) - set(before):  # PySpark would use Connect from now on
        del os.environ[name]


@pytest.fixture
def start(server):
    """start() opens a new session."""
    sessions = []

    def session():
        sessions.append(connect.SparkSession.builder.remote(server.url).create())
        return sessions[-1]

    yield session
    for one in sessions:
        one.stop()


@pytest.fixture
def folder(tmp_path):
    return str(tmp_path / "files")


def path(frame, folder, **keys):
    """The folder of the files of a frame."""
    source = materialize(frame, folder, **keys).keys["from"]
    return (source if isinstance(source, str) else source[0]).removeprefix("file:").replace("///", "/")


def rows(folder):
    import pyarrow.parquet

    return [row for file in sorted(pathlib.Path(folder).glob("*.parquet"))
            for row in pyarrow.parquet.read_table(file).to_pylist()]


def test_rows_and_types_are_those_of_the_frame(start, folder):
    frame = start().range(0, 1000, 1, 2).selectExpr("id as `i.d`", "cast(id as string) as text")
    found = path(frame, folder, rows_per_file=300)
    assert rows(found) == [{"i.d": i, "text": str(i)} for i in range(1000)]
    assert len(list(pathlib.Path(found).glob("*.parquet"))) == 4
    assert materialize(frame, folder, rows_per_file=300, epochs=3).keys["epochs"] == 3


def test_same_plan_and_files_are_written_once_by_all_sessions(start, folder, tmp_path):
    data = f"{tmp_path}/data [1] {{2}}"
    first, other = start(), start()

    def write(count):
        first.range(count).selectExpr("id as i", "id % 3 as k").write.mode("overwrite").parquet(data)

    def frame(session, limit=50, column="k"):
        found = session.read.parquet(data.replace("[", "\\[").replace("{", "\\{"))
        return found.where(found["i"] < limit).groupBy(column).count()

    write(100)
    same = path(frame(first), folder)
    other.range(1)  # the next plans of this session have other numbers
    assert path(frame(other), folder) == path(frame(first), folder) == same
    others = [path(frame(other, 51), folder), path(frame(other, column="i"), folder),
              path(frame(other).limit(2), folder)]
    assert len({same, *others}) == 4
    write(101)
    assert path(frame(other), folder) != same


def test_values_in_memory_have_an_identity(start, folder):
    frames = [start().createDataFrame([(value,)], "v int") for value in (1, 2, 1)]
    found = [path(frame, folder) for frame in frames]
    assert found[0] == found[2] != found[1]
    now = [start().range(1).selectExpr("current_timestamp() as t") for _ in range(2)]
    assert path(now[0], folder) != path(now[1], folder)


def test_plans_that_do_not_describe_their_rows_count_in_their_session_only(start, folder):
    from pyspark.sql.connect.functions import udf
    from pyspark.sql.types import LongType

    first, other = start(), start()
    for session, count in ((first, 3), (other, 4)):
        session.range(count).createTempView("names")
        session.udf.register("plus", lambda i, n=count: i + n, LongType())

    def made(session):
        cached = session.range(5)
        cached.cache()
        return [session.table("names"), session.sql("select * from names"), session.range(3).selectExpr("plus(id) v"),
                session.range(3).select(udf(lambda i: i, LongType())("id").alias("v")), cached]

    frames = made(first)
    found = [path(frame, folder) for frame in frames]
    assert [path(frame, folder) for frame in frames] == found
    assert not set(found) & {path(frame, folder) for frame in made(other)}
    assert len(rows(found[0])) == 3 and len(rows(path(other.table("names"), folder))) == 4


def test_deleted_files_are_written_again_and_a_failed_write_does_not_count(start, folder):
    session = start()
    frame = session.range(10)
    first = path(frame, folder)
    shutil.rmtree(first)
    assert path(frame, folder) != first and len(rows(path(frame, folder))) == 10
    fails = session.range(10).selectExpr("if(id = 7, raise_error('row 7'), id) as v")
    for _ in range(2):
        with pytest.raises(Exception, match="row 7"):
            materialize(fails, folder)


def test_mistakes_are_refused(start, folder):
    frame = start().range(1)
    with pytest.raises(TypeError, match=r"materialize\(\) needs directory= for a DataFrame of Spark Connect"):
        materialize(frame)
    with pytest.raises(howdah.FeedTypeError, match="a feed cannot carry the column 'c' of the type map<string,int>"):
        materialize(frame.selectExpr("map('a', 1) as c"), folder)

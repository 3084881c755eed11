"""Predictions for Spark DataFrames: real Spark jobs, and jobs on the local backend."""
import os
import signal
import sys
import threading

import pytest

import spark as sparks
from machine import BIN, ROOT, eventually, kill_together

SITE = os.pathsep.join(sparks.site_packages())
sys.path.insert(0, str(ROOT / "python"))

import numpy as np  # noqa: E402

import howdah  # noqa: E402
from howdah.spark import Predictor  # noqa: E402

RUN = {"memory": "512MiB", "env": {"PYTHONPATH": SITE}}


@pytest.fixture
def client(machine, tmp_path, monkeypatch):
    """This process is a client of the machine of the test."""
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    for name, value in (("HOWDAH_HOME", machine.home), ("HOWDAH_ON", "local"), ("XDG_CACHE_HOME", tmp_path / "cache"),
                        ("PATH", f"{BIN.parent}{os.pathsep}{os.environ['PATH']}")):
        monkeypatch.setenv(name, str(value))
    return machine


@pytest.fixture(scope="module")
def spark():
    """Executors in processes of their own. A task that fails runs again once."""
    session = sparks.session("local-cluster[2, 1, 512]", **{
        "spark.executor.memory": "512m", "spark.task.maxFailures": "2"})
    yield session
    sparks.stop(session)


def doubles(make=None, **keys):
    """A predictor that returns twice its input."""
    return Predictor(make or (lambda: lambda x: x * 2.0), schema="y double", columns=["x"], **{**RUN, **keys})


def table(frame):
    """The rows of a DataFrame, in their order."""
    import pyarrow as pa

    return frame.toArrow() if hasattr(frame, "toArrow") else pa.Table.from_batches(frame._collect_as_arrow())


def numbers(spark, rows, partitions):
    return spark.range(0, rows, 1, partitions).selectExpr("id", "id * 1.5 as x").selectExpr("id", "cast(x as float) x")


def message(frame):
    """The text of the error with which Spark evaluates a DataFrame."""
    with pytest.raises(Exception) as caught:
        frame.collect()
    return str(caught.value)


def hide(spark, folder, monkeypatch, missing):
    """New Python workers of the executors do not find this module."""
    (folder / "sitecustomize.py").write_text(f"""import sys

class Without:
    def find_spec(self, name, path=None, target=None):
        if name == {missing!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Without())
""")
    monkeypatch.setitem(spark.sparkContext.environment, "PYTHONPATH", str(folder))


# --- rows ---


def test_each_row_gets_one_prediction_although_predictors_die(client, spark):
    def make():
        ctx, calls = howdah.context(), [0]

        def predict(x):
            calls[0] += 1
            if ctx.index == 0 and ctx.attempt < 2 and calls[0] == 40:
                os.kill(os.getpid(), signal.SIGKILL)
            return {"y": x * 2.0, "by": np.full(len(x), ctx.index)}
        return predict

    rows = 1_000_000
    with Predictor(make, schema="y double, by int", columns=["x"], workers=2, **RUN) as predictor:
        found = table(predictor.transform(numbers(spark, rows, 200)))
        assert client.task(predictor.job.id, "worker", 0)["attempt"] == 2
    assert np.array_equal(found["id"].to_numpy(), np.arange(rows))
    assert np.array_equal(found["y"].to_numpy(), 2.0 * (np.arange(rows) * 1.5).astype("float32"))
    assert set(found["by"].unique().to_pylist()) == {0, 1}


def test_rows_go_to_a_new_container_when_the_only_one_is_lost(client, spark, tmp_path):
    hangs = str(tmp_path / "hangs")

    def make():
        calls = []

        def predict(x):
            calls.append(len(x))
            if len(calls) == 20 and not os.path.exists(hangs):
                open(hangs, "w").close()
                signal.pause()
            return x * 2.0
        return predict

    predictor = doubles(make)
    lost = []

    def lose():
        eventually(lambda: os.path.exists(hangs), "the 20th batch", 300)
        lost.extend(client.agents(predictor.job.id, "task"))
        kill_together(lost)

    thread = threading.Thread(target=lose)
    thread.start()
    with predictor:
        found = table(predictor.transform(numbers(spark, 20_000, 4)))
    thread.join()
    assert lost and found["id"].to_pylist() == list(range(20_000))
    assert found["y"].to_pylist() == [2.0 * i * 1.5 for i in range(20_000)]


def test_columns_of_all_types_are_kept_and_new_ones_added(client, spark):
    from pyspark.ml.linalg import Vectors, VectorUDT

    rows = [(i, Vectors.dense([i, 1.0]) if i % 2 else Vectors.sparse(2, [0], [float(i)]), [[float(i)] * 2] * 3)
            for i in range(600)]
    frame = spark.createDataFrame(rows, ["i", "vec.tor", "image"]).selectExpr(
        "*", "map('a', i) as map", "timestamp_seconds(i) as time", "cast(i as decimal(9, 2)) as exact",
        "if(i % 2 = 0, null, concat('row ', i)) as text")

    def make():
        def predict(vector, image, text):
            assert vector.shape == (len(text), 2) and image.shape == (len(text), 3, 2)
            return [{"sum": float(v.sum()), "means": m.mean(0), "upper": t and t.upper()}
                    for v, m, t in zip(vector, image, text)]
        return predict

    schema = "sum double, means array<float>, upper string"
    with Predictor(make, schema=schema, columns=["vec.tor", "image", "text"], batch_size=64, **RUN) as predictor:
        found = predictor.transform(frame)
        assert found.columns == [*frame.columns, "sum", "means", "upper"]
        assert isinstance(found.schema["vec.tor"].dataType, VectorUDT)
        answered = found.collect()
        assert [row[:7] for row in answered] == [tuple(row) for row in frame.collect()]
        assert [row[7:] for row in answered] == [
            (i + i % 2, [i, i], f"ROW {i}" if i % 2 else None) for i in range(600)]
        assert found.where("i = 7").select("upper").collect()[0].upper == "ROW 7"
        assert len(found.limit(3).collect()) == 3


# --- errors ---


def test_errors_of_the_predict_function_reach_the_user(client, spark):
    def make():
        def guess(x):
            if 777 in x:
                raise ZeroDivisionError(f"the number {x[-1] - x[-1]:g}")
            if 1777 in x:
                return x[1:]
            return x.astype(str) if 2777 in x else x
        return guess

    frame = spark.range(0, 4000, 1, 4).selectExpr("cast(id as double) as x")
    with doubles(make) as predictor:
        text = message(predictor.transform(frame.where("x < 1000")))
        assert text.count("ZeroDivisionError: the number 0") == text.count("the predict function has failed in") == 1
        assert "cannot answer rows 768 to 999 of partition 0: the predict function has failed in worker:0 on" in text
        assert text.count("in guess") == 1
        text = message(predictor.transform(frame.where("x >= 1000 and x < 2000")))
        assert "of partition 1: the predict function has returned 231 results for 232 rows" in text
        text = message(predictor.transform(frame.where("x >= 2000 and x < 3000")))
        assert "of partition 2: the results for the column 'y' (<U32) do not fit its type double" in text
        assert predictor.transform(frame.where("x >= 3000")).count() == 1000


def test_error_of_make_predict_fn_reaches_the_user(client, spark):
    def make():
        if howdah.context().attempt == 0:
            signal.pause()  # until this process is killed
        raise ZeroDivisionError("the model is broken")

    predictor = doubles(make, restart=1)
    found = predictor.transform(numbers(spark, 100, 2))
    pid = eventually(lambda: client.task(predictor.job.id, "worker", 0)["pids"], "a process")[0]
    os.kill(pid, signal.SIGKILL)
    text = message(found)
    assert text.count("the traceback in worker:0") == text.count("in make\n") == 1
    assert "ZeroDivisionError: the model is broken" in text.splitlines()
    with pytest.raises(ZeroDivisionError, match="the model is broken"):
        predictor.transform(numbers(spark, 100, 2).toDF("other", "x"))


def test_predictor_that_was_closed_is_named(client, spark):
    frame = numbers(spark, 100, 2)
    with doubles() as predictor:
        found = predictor.transform(frame)
        assert found.count() == 100
    assert f"the predictor {predictor.job.id} was closed: evaluate a DataFrame of transform() before" in message(found)
    with pytest.raises(howdah.HowdahError, match="was closed"):
        predictor.transform(frame)
    assert predictor.job.state == "SUCCEEDED" and "closed" in repr(predictor)
    predictor.close()
    with pytest.raises(ZeroDivisionError), doubles() as killed:
        raise ZeroDivisionError
    assert killed.job.state == "KILLED"


@pytest.mark.parametrize("missing, text", [
    ("pyarrow._flight", "needs pyarrow with Arrow Flight in the Python of Spark's executors, and on"),
    ("pyarrow", "No module named 'pyarrow'"),
])
def test_executor_without_a_package_is_named(client, spark, tmp_path, monkeypatch, missing, text):
    hide(spark, tmp_path, monkeypatch, missing)
    with doubles() as predictor:
        assert text in message(predictor.transform(numbers(spark, 10, 1)))


def test_executors_need_no_pandas(client, spark, tmp_path, monkeypatch):
    hide(spark, tmp_path, monkeypatch, "pandas")
    with doubles() as predictor:
        found = table(predictor.transform(numbers(spark, 100, 2)))
    assert found["y"].to_pylist() == [2.0 * i * 1.5 for i in range(100)]

    def read():
        return sum(int(batch["id"].sum()) for batch in howdah.context().feed("train").numpy(100))

    assert howdah.run(read, data={"train": howdah.Feed(numbers(spark, 100, 2), remainder="short")}, **RUN) == 4950


def test_mistakes_are_refused(client, spark):
    frame = numbers(spark, 10, 1)
    for keys, error, text in (
        ({"schema": "x float"}, ValueError, "the schema has the column 'x', and the DataFrame has it, too"),
        ({"schema": "y float", "columns": ["z"]}, ValueError, "the DataFrame has no column 'z'; its columns are id, x"),
    ):
        with Predictor(lambda: lambda x: x, **keys, **RUN) as predictor, pytest.raises(error, match=text):
            predictor.transform(frame)
    for keys, error, text in (
        ({"schema": "y float, y int"}, ValueError, "several columns with the name 'y'"),
        ({"schema": 7}, TypeError, "schema is 7; it must name the new columns, as in"),
        ({"schema": "y float", "batch_size": 0}, ValueError, "batch_size is 0; it must be an integer of at least 1"),
        ({"schema": "y float", "columns": "x"}, TypeError, r"must be a list of names: columns=\['x'\]"),
        ({"schema": "y float", "worker": 2}, TypeError, "unexpected keyword argument 'worker'"),
        ({"schema": "y interval year to month"}, howdah.FeedTypeError, "has the column 'y' of the type interval"),
    ):
        with pytest.raises(error, match=text):
            Predictor(lambda: lambda x: x, **keys)
    # A job ends with success if its rank runs already when the predictor is closed.
    states = [client.status(job)["state"] for job in client.jobs()]
    assert len(states) == 2 and set(states) <= {"KILLED", "SUCCEEDED"}

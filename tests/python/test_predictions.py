"""Predictors without Spark: the pieces of a partition, and inputs and results of predict functions."""

import datetime
import subprocess
import sys
import threading
from collections import namedtuple

import pytest

import arrow
from machine import ROOT, eventually

arrow.site_packages()

import numpy as np  # noqa: E402
import pyarrow as pa  # noqa: E402

from howdah._errors import FeedLost  # noqa: E402
from howdah._feed import ask_task, predict, predict_task  # noqa: E402
from howdah._feed.answers import Questions  # noqa: E402
from question_executor import QuestionExecutor  # noqa: E402

DOUBLE = [("y", pa.float64())]


def batch(**columns):
    return pa.RecordBatch.from_pydict(columns)


def results(function, rows, schema=DOUBLE, batch_size=100):
    return predict.Answerer(function, batch_size, pa.schema(schema)).results(rows)


# --- tasks ---


@pytest.mark.parametrize("size", [1, 7, 256, 1000, 5000])
def test_pieces_have_multiples_of_the_batch_size(size):
    rows = pa.table({"x": range(5000), "text": ["a" * (i % 9) for i in range(5000)]})
    given = [part for first in range(0, 5000, size) for part in rows.slice(first, size).to_batches()]
    found = list(predict_task.pieces(given, [0], 256))
    assert pa.Table.from_batches(found).to_pydict() == rows.to_pydict()
    assert [len(piece) % 256 for piece in found[:-1]] == [0] * (len(found) - 1) and len(found[-1]) == 5000 % 256
    assert max(map(len, found)) <= 16 * 256


def test_pieces_have_about_4_mib():
    rows = batch(x=range(2000), data=[bytes(20_000)] * 2000)
    assert [len(piece) for piece in predict_task.pieces([rows], [0, 1], 64)] == [192] * 10 + [64, 16]
    assert [len(piece) for piece in predict_task.pieces([rows], [0], 500)] == [2000]
    assert list(predict_task.pieces([rows.slice(0, 0)], [0], 64)) == []


@pytest.mark.parametrize("keep", [True, False])
def test_rows_get_their_answers_however_questions_are_divided(keep):
    schema = pa.schema(DOUBLE)

    def ask(questions, keys):
        assert keys["batch_size"] == 64
        for question in questions:
            assert question.schema.names == ["i"]
            for part in (question.slice(0, 10), question.slice(10)):
                doubled = pa.array([2.0 * i for i in part.column(0).to_pylist()])
                yield part, pa.RecordBatch.from_arrays([doubled], schema=schema).serialize().to_pybytes()

    rows = batch(text=[f"row {i}" for i in range(1000)], i=range(1000))
    keys = {"batch_size": 64, "columns": [1], "names": ["i"], "kept": [0, 1] if keep else []}
    keys["schema"] = schema.serialize().to_pybytes()
    found = pa.Table.from_batches(list(predict_task.predict([rows], keys, ask)))
    assert found["c2" if keep else "c0"].to_pylist() == [2.0 * i for i in range(1000)]
    assert found.num_columns == (3 if keep else 1)
    assert not keep or found["c0"].to_pylist() == rows.column(0).to_pylist()


# --- inputs ---


def test_columns_become_arrays_as_in_pandas():
    def check(i, x, none, flag, text, data, day, lists):
        assert i.dtype == "int64" and x.dtype == "float32" and none.dtype == "float64" and flag.dtype == bool
        assert np.isnan(none[1]) and list(text) == ["a", None] and list(data) == [b"1", b"22"]
        assert day.dtype == "datetime64[D]" and lists.shape == (2, 2, 1)
        i[0] = 9  # arrays are writable
        return i

    rows = batch(i=[1, 2], x=pa.array([1, 2], pa.float32()), none=[1, None], flag=[True, False], text=["a", None],
                 data=[b"1", b"22"], day=[datetime.date(2020, 1, 1)] * 2, lists=[[[1], [2]], [[3], [4]]])
    assert results(check, rows).column(0).to_pylist() == [9.0, 2.0]


def test_function_gets_one_argument_per_column_or_one_matrix():
    rows = batch(a=[1, 2], b=[3.0, 4.0])
    assert results(lambda a, b: a + b, rows).column(0).to_pylist() == [4, 6]
    assert results(lambda *columns: columns[0] * len(columns), rows).column(0).to_pylist() == [2, 4]
    assert results(lambda matrix: matrix.sum(1), rows).column(0).to_pylist() == [4, 6]
    assert results(lambda a, b, c=1: a + b + c, rows).column(0).to_pylist() == [5, 7]
    struct = batch(s=[{"a": 1, "b": 2}, {"a": 3, "b": 4}])
    assert results(lambda a, b: a * b, struct).column(0).to_pylist() == [2, 12]


def test_function_is_called_with_at_most_batch_size_rows():
    sizes = []
    results(lambda x: sizes.append(len(x)) or x, batch(x=range(250)))
    assert sizes == [100, 100, 50]


@pytest.mark.parametrize("function, rows, text", [
    (lambda a, b, c: a, batch(a=[1], b=[2]), "takes 3 arguments, and there are 2 columns (a, b): give one argument"),
    (lambda a: a, batch(a=[1], b=["x"]), "takes 1 argument, and there are 2 columns (a, b): give one argument per"),
    (lambda a: a, batch(a=[[1], [1, 2]]), "the column 'a' has 2 values, and the rows before it 1 in row 1 of a batch"),
    (lambda a: a, batch(a=[[1], None]), "the column 'a' is null in row 1 of a batch: the lists of a column must have"),
])  # fmt: skip
def test_columns_that_the_function_cannot_take_are_named(function, rows, text):
    with pytest.raises(predict.Wrong) as caught:
        results(function, rows)
    assert text in str(caught.value)


# --- results ---

SCHEMA = [("n", pa.int32()), ("scores", pa.list_(pa.float32())), ("text", pa.string())]
N, SCORES, TEXT = np.arange(3), np.arange(6.0).reshape(3, 2), np.array(["a", "b", "c"])
PAIR = namedtuple("PAIR", "n scores text")
STRUCTURED = np.array(list(zip(N, map(tuple, SCORES), TEXT)), [("n", "i8"), ("scores", "f8", 2), ("text", "U1")])


@pytest.mark.parametrize("given", [
    {"text": TEXT, "n": N, "scores": SCORES},
    {"text": list("abc"), "n": [0, 1, 2], "scores": [list(row) for row in SCORES]},
    {"text": np.array(list("abc"), object), "n": N.astype("float64"), "scores": SCORES.astype("float16")},
    [{"n": i, "scores": SCORES[i], "text": str(TEXT[i])} for i in range(3)],
    [PAIR(int(i), SCORES[i], TEXT[i]) for i in range(3)],
    STRUCTURED, list(STRUCTURED),
])  # fmt: skip
def test_forms_of_results(given):
    found = predict.record_batch(given, 3, pa.schema(SCHEMA))
    assert found.to_pydict() == {"n": [0, 1, 2], "scores": SCORES.tolist(), "text": ["a", "b", "c"]}
    assert found.schema.equals(pa.schema(SCHEMA))


@pytest.mark.parametrize("kind, given, found", [
    (pa.float32(), np.array([[1.5], [2.5]]), [1.5, 2.5]),
    (pa.int8(), [1, None], [1, None]),
    (pa.string(), np.array(["a", None], object), ["a", None]),
    (pa.bool_(), np.array([True, False]), [True, False]),
    (pa.binary(), np.array([[1, 2], [3, 4]], "uint8"), [b"\1\2", b"\3\4"]),
    (pa.binary(), [b"a", b"bc"], [b"a", b"bc"]),
    (pa.list_(pa.list_(pa.int64())), np.arange(8).reshape(2, 2, 2), [[[0, 1], [2, 3]], [[4, 5], [6, 7]]]),
    (pa.list_(pa.float64()), [np.array([1.0]), np.array([])], [[1.0], []]),
    (pa.list_(pa.string()), np.array([["a"], ["b"]]), [["a"], ["b"]]),
    (pa.date32(), np.array(["2020-01-01", "2020-01-02"], "M8[D]"), [datetime.date(2020, 1, 1 + i) for i in range(2)]),
    (pa.struct([("a", pa.int64())]), [{"a": 1}, {"a": 2}], [{"a": 1}, {"a": 2}]),
])  # fmt: skip
def test_results_are_converted_to_the_type_of_their_column(kind, given, found):
    one = predict.record_batch({"y": given}, 2, pa.schema([("y", kind)]))
    assert one.column(0).to_pylist() == found and one.schema.field(0).type == kind
    if not pa.types.is_struct(kind):  # whose rows are those of the schema
        assert predict.record_batch(given, 2, pa.schema([("y", kind)])).equals(one)


@pytest.mark.parametrize("schema, given, text", [
    (DOUBLE, N[:2], "has returned 2 results for 3 rows"),
    (DOUBLE, [{"y": 1.0}] * 4, "has returned 4 results for 3 rows"),
    (SCHEMA, {"n": N, "scores": SCORES, "text": TEXT[:1]}, "has returned 1 results for 3 rows in the column 'text'"),
    (DOUBLE, 1.5, "has returned a single value of <class 'float'> for 'y', instead of an array with 3 results"),
    (DOUBLE, TEXT, "the results for the column 'y' (<U1) do not fit its type double: they have the type <U1"),
    ([("y", pa.string())], N, "the results for the column 'y' (int64) do not fit its type string"),
    ([("y", pa.int32())], N + 0.5, "the results for the column 'y' (float64) do not fit its type int32"),
    ([("y", pa.int8())], N + 200, "the results for the column 'y' (int64) do not fit its type int8"),
    (DOUBLE, SCORES, "do not fit its type double: they have the shape (3, 2), and the type needs 1 dimensions"),
    ([("y", pa.list_(pa.float32()))], N, "they have the shape (3,), and the type needs 2 dimensions"),
    ([("y", pa.list_(pa.float32()))], [["a"], ["b"], ["c"]], "the results for the column 'y' (a list) do not fit"),
    (SCHEMA, {"n": N}, "has returned the columns n, and the schema has n, scores, text"),
    (SCHEMA, N, "an object of <class 'numpy.ndarray'> for the columns n, scores, text: return a dict of arrays"),
    (DOUBLE, [{"y": 1}, {"z": 1}, {"y": 1}], "the results 1 and 0 of the predict function have different columns"),
])  # fmt: skip
def test_wrong_results_are_named(schema, given, text):
    with pytest.raises(predict.Wrong) as caught:
        predict.record_batch(given, 3, pa.schema(schema))
    assert text in str(caught.value)


# --- questions ---


@pytest.fixture
def executor(tmp_path):
    started = QuestionExecutor(tmp_path, unanswered=40)
    yield started
    started.stop()


def ask(executor, rows, size):
    return ask_task.ask(iter([rows.slice(first, size) for first in range(0, len(rows), size)]), executor.keys())


def start(executor, function, batch_size=64):
    answerer = predict.Answerer(function, batch_size, pa.schema(DOUBLE))
    questions = Questions(executor.path, "predict", {})

    def run():
        try:
            for group in predict.groups(questions, batch_size):
                answerer.answer(group)
        except FeedLost:  # the executor has ended
            pass

    threading.Thread(target=run, daemon=True).start()


def test_small_questions_that_wait_are_predicted_together(executor):
    sizes = []

    def function(x):
        eventually(lambda: len(executor.takes) >= 9, "questions that were requested ahead")
        sizes.append(len(x))
        return x * 2

    start(executor, function)
    asking = ask(executor, batch(x=range(400)), 10)
    found = [value for _, payload in asking
             for value in pa.ipc.read_record_batch(pa.py_buffer(payload), pa.schema(DOUBLE)).column(0).to_pylist()]
    assert found == [2.0 * i for i in range(400)]
    assert sum(sizes) == 400 and max(sizes) == 60 and len(sizes) < 20


def test_exception_refuses_only_the_question_that_causes_it(executor):
    def function(x):
        if 155 in x:
            raise ZeroDivisionError("row 155")
        return x

    start(executor, function)
    found = []
    with pytest.raises(ask_task.AskFailed) as caught:
        for question, _ in ask(executor, batch(x=range(400)), 10):
            found.append(question.column(0)[0].as_py())
    text = str(caught.value)
    assert "cannot answer rows 150 to 159 of partition 0: the predict function has failed in worker:0 on" in text
    assert text.count("Traceback") == 1 and text.endswith("ZeroDivisionError: row 155") and "predict.py" not in text
    assert found == list(range(0, 10 * len(found), 10))


def test_module_is_imported_without_spark_and_arrow():
    missing = "import sys; sys.modules.update(pyspark=None, pyarrow=None, numpy=None)"
    code = f"{missing}; import howdah; howdah.spark.Predictor"
    subprocess.run([sys.executable, "-c", code], env={"PYTHONPATH": str(ROOT / "python")}, check=True)

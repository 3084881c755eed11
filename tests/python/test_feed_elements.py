"""Elements of RDDs: the rows of a feed as the objects that the RDD had."""

import datetime
import pickle
import subprocess
import sys
import threading
from collections import namedtuple

import pytest

import arrow
from machine import ROOT

arrow.site_packages()

import numpy as np  # noqa: E402
import pyarrow as pa  # noqa: E402

from feed_executor import serve  # noqa: E402, F401
from howdah import _errors  # noqa: E402
from howdah._feed import objects  # noqa: E402

Point = namedtuple("Point", "x y")
DAY, TIME = datetime.date(2024, 2, 29), datetime.datetime(2024, 2, 29, 1, 2, 3, 4)


def batches(elements, plan=None, partition=3):
    return list(objects.batches(iter(elements), plan or objects.plan_of(elements[: objects.FIRST]), partition))


def same(a, b):
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and bool((a == b).all())
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(map(same, a, b))
    return a == b


COLUMNS = {
    "ints with a null": ([1, 2, None, -4], "value", ["int"]),
    "bools": ([True, False], "value", ["bool"]),
    "tuples": ([(1, "a", 2.5, b"x"), (2, None, 1.0, b"")], "tuple", ["int", "str", "float", "bytes"]),
    "a column whose first values are null": ([(1, None)] * 3 + [(2, [3])], "tuple", ["int", ["list", "int"]]),
    "lists of one type": ([[1, 2], [3], []], "value", [["list", "int"]]),
    "lists of several types": ([[1, "a"], [2, "b"]], "list", ["int", "str"]),
    "rows of TensorFlowOnSpark": ([[[0.5, 1.0], 7], [[2.0, 3.0], 8]], "list", [["list", "float"], "int"]),
    "dicts with keys in any order": ([{"a": 1, "b": [0.5]}, {"b": [], "a": 2}], "dict", ["int", ["list", "float"]]),
    "nested lists": ([[[1], [2, 3]], [[]]], "value", [["list", ["list", "int"]]]),
    "times": ([(DAY, TIME)], "tuple", ["date", "datetime"]),
    "arrays": ([np.zeros((2, 3), "float32"), np.ones((2, 3), "float32")], "value", [["array", "float32", [2, 3]]]),
    "arrays of bools": ([np.array([True, False])], "value", [["array", "bool", [2]]]),
    "arrays of several lengths": ([np.arange(3), np.arange(0)], "value", [["array", "int64", None]]),
    "scalars of numpy": ([(np.float32(1.5), np.bool_(True))], "tuple", [["numpy", "float32"], ["numpy", "bool"]]),
}

PICKLES = {
    "set": ([{1}], "element 0 has the type builtins.set, which columns cannot hold: the element"),
    "named tuple": ([Point(1, 2)], f"element 0 has the type {__name__}.Point, which columns cannot hold: the element"),
    "tuple in a tuple": ([(1, (2,))], "element 0 has the type builtins.tuple, which columns cannot hold: the field"),
    "int and float": ([1, 2.5], "element 1 has a float where the first elements have a value of the type int"),
    "tuples of several lengths": ([(1,), (1, 2)], "element 1 has the fields _1, _2, and the first element _1"),
    "large int": ([1, 1 << 70], "element 1 has a value that Arrow cannot hold (Python int too large to convert to C "
                                "long): the element"),
    "text that is not Unicode": (["\ud800"], "element 0 has a value that Arrow cannot hold"),
    "empty tuple": ([()], "element 0 is empty"),
    "dict with other keys": ([{1: 2}], "element 0 has no fields with names"),
    "only nulls": ([None, None], "element 0 has no value: the element is None in the first elements"),
    "null in a list": ([[1, None]], "element 0 has no value: the field '_2' is None in the first elements"),
    "time with a zone": ([TIME.replace(tzinfo=datetime.timezone.utc)], "element 0 has a time with a time zone"),
    "arrays of several types": ([np.zeros(2), np.zeros(2, "int8")], "element 1 has an array of int8 where the first"),
    "array of objects": ([np.array([object, None])], "element 0 has the type numpy.ndarray, which columns cannot hold"),
}


@pytest.mark.parametrize("name", list(COLUMNS))
def test_elements_of_one_type_are_columns(name):
    elements, kind, types = COLUMNS[name]
    plan = objects.plan_of(elements)
    assert (plan["kind"], plan["types"]) == (kind, types)
    (batch,) = [pa.Table.from_batches(batches(elements, plan)).combine_chunks().to_batches()[0]]
    assert objects.kind_of(batch.schema) == kind and all(map(same, objects.elements_of(batch), elements))


@pytest.mark.parametrize("name", list(PICKLES))
def test_other_elements_are_pickled_with_the_reason(name):
    elements, why = PICKLES[name]
    plan = objects.plan_of(elements)
    assert plan["kind"] == "pickle" and plan["why"].startswith(why)
    found = batches(elements, plan)
    assert found[0].column_names == ["_pickled"] and objects.why_pickled(found[0].schema) == plan["why"]
    back = [element for batch in found for element in objects.elements_of(batch)]
    assert name == "array of objects" or all(map(same, back, elements))


def test_elements_that_do_not_fit_are_pickled_and_the_others_are_columns():
    elements = [(i,) for i in range(5000)]
    elements[1500], elements[3000] = (0.5,), {1}
    found = batches(elements)
    assert [element for batch in found for element in objects.elements_of(batch)] == elements
    kinds = [objects.kind_of(batch.schema) for batch in found]
    assert kinds.count("pickle") == 2 and kinds[0] == kinds[-1] == "tuple"
    why = ("element 1500 of partition 3 has a float where the first elements have a value of the type int in the field "
           "'_1'")
    assert {objects.why_pickled(batch.schema) for batch in found if objects.kind_of(batch.schema) == "pickle"} == {why}


def test_large_elements_are_converted_a_few_at_a_time():
    sizes = [batch.num_rows for batch in batches([bytes(1 << 20)] * 20)]
    assert max(sizes) <= 2 and sum(sizes) == 20


def test_element_that_cannot_be_pickled_is_named():
    with pytest.raises(objects.Unfit) as caught:
        batches([{1}, threading.Lock()])
    assert "element 1 of partition 3 of the type lock cannot be pickled: cannot pickle '_thread" in str(caught.value)


def test_element_whose_class_is_missing_is_named():
    schema = objects.schema_of({"kind": "pickle", "why": ""})
    batch = pa.RecordBatch.from_arrays([pa.array([b"cnowhere\nPoint\n)R."], pa.binary())], schema=schema)
    with pytest.raises(objects.Unfit, match="an element of the RDD cannot be unpickled here: ModuleNotFoundError: No"):
        objects.elements_of(batch)


def test_rows_of_spark_are_the_same_without_spark():
    row = objects._create_row(["a", "b"], (1, objects._create_row(["c"], (2,))))
    assert (row.a, row["a"], row[0], tuple(row)[0]) == (1, 1, 1, 1) and row == (1, (2,))
    assert row.asDict(True) == {"a": 1, "b": {"c": 2}} and repr(row) == "Row(a=1, b=Row(c=2))"
    assert pickle.loads(pickle.dumps(row)).b.c == 2
    for wrong, error in ((lambda: row.z, AttributeError), (lambda: row["z"], KeyError)):
        with pytest.raises(error):
            wrong()


def test_module_needs_only_pyarrow():
    code = "import sys; sys.path[:0] = sys.argv[1:]; import objects; print('howdah' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code, str(ROOT / "python/howdah/_feed"), arrow.site_packages()],
                          capture_output=True, text=True)
    assert done.stdout == "False\n", done


# --- in a rank ---


def test_rows_gives_the_elements_and_arrays_are_columns(serve):
    elements = [(i, np.full((2, 2), i, "float32")) for i in range(100)]
    executor, ctx = serve(batches(elements), passes=4)
    feed = ctx.feed()
    assert all(map(same, feed.rows(), elements))
    groups = list(feed._elements(33))
    assert list(map(len, groups)) == [33, 33, 33, 1] and all(map(same, sum(groups, []), elements))
    found = list(feed.numpy(50))
    assert found[1]["_2"].shape == (50, 2, 2) and found[1]["_1"].tolist() == list(range(50, 100))
    assert [row for row in feed.rows(columns=["_1"])][:2] == [{"_1": 0}, {"_1": 1}]


def test_arrays_of_elements_that_are_no_columns_are_an_error_with_the_remedy(serve):
    elements = [(i,) for i in range(1024)] + [{1}]
    executor, ctx = serve(batches(elements), passes=5)
    feed = ctx.feed()
    assert list(feed.rows()) == elements
    assert sum(feed._elements(1000), []) == elements
    text = ("the elements of the RDD are not columns, because element 1024 of partition 3 has the type set, and the "
            "first element is a tuple: read them with .rows() or next_batch, or map them to tuples, dicts or Rows of "
            "numbers, strings, bytes and arrays of one type each")
    for read in (lambda: feed.numpy(1025), lambda: feed.arrow(1025), lambda: feed.rows(columns=["_1"])):
        with pytest.raises(_errors.FeedTypeError) as caught:
            list(read())
        assert str(caught.value) == text

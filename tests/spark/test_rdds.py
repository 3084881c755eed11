"""RDDs of Spark as sources of feeds: real Spark jobs against executors in this process."""

import datetime

import pytest

import spark as sparks
from machine import eventually
from spark import values

sparks.site_packages()

import numpy as np  # noqa: E402

import howdah  # noqa: E402
from howdah._feed import driver, objects  # noqa: E402

ROWS = 3000
ALL = [0, driver.MOST]


def elements(table):
    return [element for batch in table.to_batches() for element in objects.elements_of(batch)]


def read_all(world):
    """The elements of all accepted blocks, which may have several schemas, in the order of the source."""
    world.ledger.request(0, ALL)
    world.ledger.wait(lambda: world.ledger.complete(0) or world.job.killed)
    assert not world.job.killed, world.client.feed("train").error
    blocks = [batch for _, rows in sorted(world.ledger.rows.items()) for _, batch in sorted(rows.items())]
    return blocks, [element for batch in blocks for element in objects.elements_of(batch)]


def same(a, b):
    if isinstance(a, np.ndarray):
        return type(b) is type(a) and a.dtype == b.dtype and a.shape == b.shape and bool((a == b).all())
    if isinstance(a, (tuple, list)):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    return type(a) is type(b) and a == b


def kinds():
    import numpy
    from pyspark.sql import Row

    day = datetime.date(2024, 2, 29)
    return {
        "number": (lambda i: i, ["value"], "value"),
        "text": (lambda i: f"row {i}", ["value"], "value"),
        "tuple": (lambda i: (i, "x", b"y", i / 7, i % 2 == 0, None if i % 3 else 1.5),
                  ["_1", "_2", "_3", "_4", "_5", "_6"], "tuple"),
        "list": (lambda i: [i, f"row {i}"], ["_1", "_2"], "list"),
        "list of numbers": (lambda i: [float(i), i / 3], ["value"], "value"),
        "lists": (lambda i: ([i] * (i % 4), [[i, 2], []]), ["_1", "_2"], "tuple"),
        "dict": (lambda i: {"i": i, "day": day, "at": datetime.datetime(2024, 1, 1, 0, 0, i % 60)},
                 ["i", "day", "at"], "dict"),
        "Row": (lambda i: Row(i=i, t="x"), ["i", "t"], "row"),
        "array": (lambda i: (numpy.full((2, 3), i, "float32"), i), ["_1", "_2"], "tuple"),
        "arrays of several lengths": (lambda i: numpy.arange(i % 5), ["value"], "value"),
        "scalars of numpy": (lambda i: (numpy.float32(i), numpy.int8(i % 100)), ["_1", "_2"], "tuple"),
        "set": (lambda i: {i, i + 1}, ["_pickled"], "pickle"),
        "tuple in a tuple": (lambda i: (i, (i, i)), ["_pickled"], "pickle"),
    }


@pytest.mark.parametrize("name", list(kinds()))
def test_elements_arrive_in_their_order_and_as_they_were(world, spark, name):
    of, names, kind = kinds()[name]
    world.supply(howdah.Feed(spark.sparkContext.range(0, ROWS, numSlices=3).map(of)))
    table = world.read()
    assert (table.column_names, objects.kind_of(table.schema)) == (names, kind)
    found = elements(table)
    assert len(found) == ROWS and all(same(of(i), element) for i, element in enumerate(found))
    assert world.ledger.partitions == 3 and world.ledger.repeated == 0


def test_objects_of_a_class_of_the_main_program_arrive(world, spark):
    def numbered(partition):
        class Point:  # Spark's tasks have this class only by value
            def __init__(self, i):
                self.i = i

        return map(Point, partition)

    world.supply(howdah.Feed(spark.sparkContext.range(0, 100, numSlices=2).mapPartitions(numbered)))
    assert [point.i for point in elements(world.read())] == list(range(100))


def test_elements_that_do_not_fit_the_first_ones_are_pickled(world, spark):
    def of(i):
        return (i,) if i < 1500 else (i, i) if i < 1600 else (i,)

    world.supply(howdah.Feed(spark.sparkContext.range(0, ROWS, numSlices=2).map(of)))
    blocks, found = read_all(world)
    assert found == [of(i) for i in range(ROWS)] and world.ledger.repeated == 0
    why = {objects.why_pickled(batch.schema) for batch in blocks if objects.kind_of(batch.schema) == "pickle"}
    assert why == {"element 0 of partition 1 has the fields _1, _2, and the first element _1"}
    assert {objects.kind_of(batch.schema) for batch in blocks} == {"tuple", "pickle"}


def test_columns_of_an_rdd_are_selected(world, spark):
    world.supply(howdah.Feed(spark.sparkContext.range(0, 100).map(lambda i: {"i": i, "j": 2 * i}), columns=["j"]))
    table = world.read()
    assert table.column_names == ["j"] and table["j"].to_pylist() == [2 * i for i in range(100)]
    assert elements(table)[3] == {"j": 6}


def test_passes_and_lost_rows_of_an_rdd_are_the_same_rows(world, spark):
    world.supply(howdah.Feed(spark.sparkContext.range(0, ROWS, numSlices=4).map(lambda i: {i}), epochs=2))
    first, second = (elements(world.read(pass_)) for pass_ in range(2))
    assert first == second == [{i} for i in range(ROWS)]
    world.ledger.forget(0, 2, 5, 50)
    assert elements(world.read(0, [2, 3])) == first and world.ledger.repeated == 0


def test_worker_that_has_sent_rows_freezes_its_objects_once(world, spark):
    def frozen(_):
        import gc

        return gc.get_freeze_count()

    numbers = spark.sparkContext.range(0, 8, numSlices=8)
    world.supply(howdah.Feed(numbers))
    world.read()
    counts = set(numbers.map(frozen).collect()) - {0}
    assert counts and min(counts) > 10_000
    assert set(numbers.map(frozen).collect()) - {0} <= counts, "this happens once in the life of a worker"


# --- mistakes ---


def test_rdd_that_a_feed_cannot_read_is_refused(spark):
    sc = spark.sparkContext
    for rdd, columns, text in (
        (sc.parallelize([]), None, "the RDD has no elements, so its columns are not known: give a DataFrame"),
        (sc.parallelize([{1}]), ["a"], "the elements of the RDD are not columns, because element 0 has the type "
                                       "builtins.set, which columns cannot hold: the element: give no columns"),
        (sc.parallelize([(1, 2)]), ["z"], "the source has no column 'z'; its columns are _1, _2"),
        (sc.parallelize([(1, 2)]), [], "the source has no columns"),
    ):
        with pytest.raises(howdah.FeedTypeError) as caught:
            howdah.Feed(rdd, columns=columns)
        assert text in str(caught.value)


@pytest.mark.parametrize("columns, of, text", [
    (None, lambda i: {i} if i < 150 else (n for n in [i]),
     "element 50 of partition 1 of the type generator cannot be pickled: cannot pickle 'generator' object; map the "
     "elements of the RDD to values that can be"),
    (["_1"], lambda i: (i,) if i < 150 else (f"{i}",),
     "element 50 of partition 1 has a str where the first elements have a value of the type int in the field '_1': map "
     "the elements of the RDD to values of one type"),
], ids=["cannot be pickled", "differs"])
def test_element_that_a_feed_cannot_carry_ends_the_job(world, spark, columns, of, text):
    writer = world.supply(howdah.Feed(spark.sparkContext.range(0, 200, numSlices=2).map(of), columns=columns))
    world.ledger.request(0, ALL)
    eventually(lambda: world.job.killed, "the end of the job")
    assert isinstance(writer.error, howdah.FeedTypeError) and str(writer.error) == text


def test_function_of_an_rdd_that_cannot_be_pickled_is_an_error_of_feed(spark):
    import threading

    lock = threading.Lock()
    with pytest.raises(Exception, match="cannot pickle '_thread.lock' object"):
        howdah.Feed(spark.sparkContext.range(0, 10).map(lambda i: (i, lock)))


# --- send ---


@pytest.mark.parametrize("kind", ["DataFrame", "RDD"])
def test_send_lets_spark_send_the_rows_once_for_each_key(world, spark, kind):
    def data(first):
        if kind == "RDD":
            return spark.sparkContext.range(first, first + 100, numSlices=3).map(lambda i: {"i": i})
        return spark.range(first, first + 100, 1, 3).selectExpr("id as i")

    world.ledger.request(0, ALL)
    writer = world.client.feed("train")
    assert writer.send(data(0), key=0) and writer.send(data(100), key=1) and not writer.send(data(0), key=0)
    assert writer.send(data(200)) and not howdah.Job("howdah-1", on="local", name="j").feed("train").send(data(0), "1")
    writer.close()
    world.ledger.wait(lambda: world.ledger.complete(0))
    assert values(world.ledger.table(0)) == list(range(300)) and world.ledger.repeated == 0
    assert writer.stats().rows == 300

"""The rows of a DataFrame or RDD of Spark, and the Spark jobs that send them; see spark_task.py.

A DataFrame of a SparkContext, and an RDD, are planned once, so partitions keep their numbers, and shuffles are computed
once. A DataFrame of Spark Connect is planned for each Spark job, which computes all of its partitions: those that are
not wanted end at once.
"""

from __future__ import annotations

import hashlib
import json
import pkgutil
import re
from typing import Any, Callable, Iterator, Mapping, NamedTuple, Sequence

from .. import _needs
from .._errors import FeedError, FeedTypeError
from . import objects
from .spark_task import TURN, Address
from .writer import is_of_connect

PATIENCE_S = 10.0  # a Spark task that is blocked for so long ends, and frees its slot

_SENT = """boolean byte short integer long float double string char varchar binary date timestamp timestamp_ntz
    array struct"""
_REMEDIES = {
    "map": "convert it with pyspark.sql.functions.map_entries(…)",
    "decimal": "cast it to double, or to bigint in units of the last digit",
    "void": "it has only nulls; cast it to the type that its values would have, such as double",
    "daytimeinterval": "cast it with CAST(CAST(… AS INTERVAL SECOND) AS BIGINT)",
    "yearmonthinterval": "cast it with CAST(CAST(… AS INTERVAL MONTH) AS BIGINT)",
    "interval": "cast it to string, or compute a number from it",
    "variant": "cast it to string, or extract its fields with pyspark.sql.functions.variant_get(…)",
    "time": "cast it to string, or extract its fields with pyspark.sql.functions.hour(…)",
}


_NO_PYARROW = re.compile(r"No module named '(pyarrow[^']*)'|PyArrow >= [\d.]+ must be installed[^\n]*")


class Result(NamedTuple):
    """The end of a Spark task."""

    partition: int  # of Spark
    number: int  # of the feed's partition; -1 if it is not known
    what: str  # of Attempt.supply: the task has succeeded, so `ended` is the true end; also refused, unfit, skipped
    text: str  # of an error
    counts: dict[str, float]
    rows: int = -1  # with `ended`: the number of rows of the partition, and their digest
    digest: int | None = None


class Turn(NamedTuple):
    """One Spark job."""

    pass_: int
    partitions: Sequence[int] | None  # of Spark, in this order; None: all
    numbers: Mapping[int, int]  # the numbers of the feed's partitions; others have Spark's number, or that of a send
    key: str  # of a send; "": the rows are the source of the feed
    group: str
    text: str  # describes the Spark job


# --- columns ---


def is_rdd(given: Any) -> bool:
    return not hasattr(type(given), "schema") and hasattr(given, "mapPartitions")


def open_rows(given: Any, columns: Sequence[str] | None = None, empty: bool = False) -> Callable[[], SparkRows]:
    """A function that returns the rows of a DataFrame or RDD for one job. Reads the first elements of an RDD, which
    `empty` allows to have none. Raises FeedTypeError for data that a feed cannot carry."""
    if is_rdd(given):
        plan = _plan(given, columns, empty)
        return lambda: rdd_rows(given, plan)
    if given.isStreaming:
        raise FeedTypeError(
            "a feed cannot read a streaming DataFrame itself: use a feed without a source, and send each batch in "
            "foreachBatch(lambda df, n: job.feed(NAME).send(df, key=n))"
        )
    names, frame = _columns(given, columns)
    if is_of_connect(given):
        from .spark_connect import ConnectRows

        return lambda: ConnectRows(frame, names, _types(names, frame))
    context = frame.sparkSession.sparkContext

    def make() -> SparkRows:
        rows = RddRows(context, names, lambda task: frame.mapInArrow(task, "nothing int").rdd, None)
        rows.columns = _types(names, frame)
        return rows

    return make


def nodes_of(given: Any) -> list[str]:
    """The nodes on which executors of this DataFrame, RDD or DStream run now, if Spark runs on YARN."""
    if is_of_connect(given):
        return []
    context = given.context if hasattr(given, "context") else given.sparkSession.sparkContext
    context = getattr(context, "sparkContext", context)  # of a StreamingContext
    if context.master != "yarn" or context._jsc is None:
        return []
    found = context._jsc.sc().statusStore().executorList(True)
    executors = [found.apply(number) for number in range(found.size())]
    hosts = {executor.hostPort().rpartition(":")[0] for executor in executors if executor.id() != "driver"}
    return sorted(hosts - {""})  # an executor that has just been added has no address yet


def _types(names: Sequence[str], frame: Any) -> dict[str, str]:
    return {name: field.dataType.simpleString() for name, field in zip(names, frame.schema.fields)}


def rdd_rows(rdd: Any, plan: dict[str, Any]) -> SparkRows:
    return RddRows(rdd.context, [], lambda task: rdd.mapPartitions(task), plan)


def _plan(rdd: Any, columns: Sequence[str] | None, empty: bool) -> dict[str, Any]:
    """How the elements of an RDD become rows; see objects.py."""
    first = rdd.take(objects.FIRST)
    if not first:
        if not empty:
            raise FeedTypeError("the RDD has no elements, so its columns are not known: give a DataFrame with a schema")
        return {"kind": "pickle", "why": "the RDD has no elements"}
    plan = objects.plan_of(first)
    if columns is None:
        return plan
    if plan["kind"] == "pickle":
        raise FeedTypeError(
            f"the elements of the RDD are not columns, because {plan['why']}: give no columns, or map the elements to "
            "tuples, dicts or Rows of numbers, strings, bytes and arrays of one type each"
        )
    for name in columns:
        if name not in plan["names"]:
            raise FeedTypeError(f"the source has no column {name!r}; its columns are {', '.join(plan['names'])}")
    if not columns:
        raise FeedTypeError("the source has no columns")
    return {**plan, "columns": list(columns)}


def _columns(frame: Any, columns: Sequence[str] | None) -> tuple[list[str], Any]:
    """The names of the columns to send, and a DataFrame of them with numbers as names.

    Spark would take a dot in a name for the path to a field, so the tasks give the columns their names.
    """
    try:
        schema = frame.schema
    except ValueError as error:  # PySpark 3.5 does not know calendar intervals
        raise FeedTypeError(f"a feed cannot carry a column of the DataFrame: {error}; drop or cast it") from error
    all_names = list(schema.names)
    names = all_names if columns is None else list(columns)
    if not names:
        raise FeedTypeError("the source has no columns")
    numbered = frame.toDF(*[f"c{number}" for number in range(len(all_names))])
    selected = []
    for name in names:
        if all_names.count(name) != 1:
            found = "no column" if name not in all_names else "several columns with the name"
            raise FeedTypeError(f"the source has {found} {name!r}; its columns are {', '.join(all_names)}")
        at = all_names.index(name)
        column = numbered[f"c{at}"]
        if _is_vector(schema.fields[at].dataType):
            column = _needs.load("pyspark.ml.functions", "howdah.Feed").vector_to_array(column)
        else:
            _check(schema.fields[at].dataType, name)
        selected.append(column)
    return names, numbered.select(*[column.alias(f"c{number}") for number, column in enumerate(selected)])


def _is_vector(given: Any) -> bool:
    return type(given).__name__ == "VectorUDT"


def _check(given: Any, column: str) -> None:
    """Raises FeedTypeError for a type that a feed cannot carry."""
    kind = given.typeName()
    if kind == "array":
        _check(given.elementType, column)
    elif kind == "struct":
        for field in given.fields:
            _check(field.dataType, f"{column}.{field.name}")
    elif hasattr(type(given), "sqlType"):  # a type that a program has defined
        remedy = "pyspark.ml.functions.vector_to_array(…)" if _is_vector(given) else "a function that returns an array"
        raise _refused(column, type(given).__name__, f"convert it with {remedy}")
    elif kind not in _SENT.split():
        raise _refused(column, given.simpleString(), _REMEDIES.get(kind, "cast it to another type"))


def _refused(column: str, kind: str, remedy: str) -> FeedTypeError:
    return FeedTypeError(f"a feed cannot carry the column {column!r} of the type {kind}: {remedy}")


# --- Spark jobs ---


class SparkRows:
    """The rows of a DataFrame or RDD. Used by one thread at a time, apart from `results` and `cancel`."""

    count: int | None = None  # partitions of Spark; None while it is not known
    columns: dict[str, str] = {}  # their types by name; empty for an RDD, whose elements may differ

    def prepare(self, job: str, feed: str, address: Address, group: str, text: str) -> None:
        """Plans the rows, if that was not done, which may run Spark jobs."""
        raise NotImplementedError

    def run(self, turn: Turn, address: Address) -> dict[int, Result]:
        """Runs a Spark job. Returns results by Spark's partitions; those of lost tasks are missing. Returns what it
        has if the Spark job was cancelled."""
        raise NotImplementedError

    def results(self, group: str) -> dict[int, Result]:
        """By Spark's partitions: the results of the tasks of this Spark job that are known so far."""
        raise NotImplementedError

    def cancel(self, group: str) -> None:
        raise NotImplementedError


def explained(error: Exception) -> Exception:
    """The error of a Spark job, or one that says what the executors of Spark lack."""
    missing = _NO_PYARROW.search(str(error))
    if missing is None:
        return error
    lacks = "has a pyarrow without Flight" if "flight" in missing[0] else "has no pyarrow, or one that is too old"
    found = FeedError(
        f"the Python of Spark's executors {lacks} ({missing[0]}): install pyarrow with Flight there, such as that of "
        "pip, or give Spark an archive of an environment that has it (spark.archives)"
    )
    found.__cause__ = error
    return found


def keys_of(job: str, feed: str, names: Sequence[str], address: Address) -> dict[str, Any]:
    """The parameters of spark_task.supply."""
    keys = {"job": job, "feed": feed, "names": names, "patience": PATIENCE_S}
    keys.update(token=address.token, ca=address.ca, server_name=address.server_name)
    return keys


def text_of(turn: Turn, address: Address) -> str:
    """The property or parameter of Spark's tasks that describes their Spark job."""
    fields = {"pass": turn.pass_, "partitions": turn.partitions, "key": turn.key, "group": turn.group}
    return json.dumps({**fields, "numbers": turn.numbers, "locations": list(address.locations)})


class RddRows(SparkRows):
    """make: the RDD whose partitions run the task. names: of the columns. plan: for the elements of an RDD."""

    def __init__(
        self, context: Any, names: Sequence[str], make: Callable[[Any], Any], plan: dict[str, Any] | None
    ) -> None:
        self._context, self._names, self._make, self._plan = context, names, make, plan
        self._rdd: Any = None
        self._results: Any = None  # an accumulator: (group, result) of each task

    def prepare(self, job: str, feed: str, address: Address, group: str, text: str) -> None:
        if self._rdd is not None:
            return
        self._check_context()
        self._context.setJobGroup(group, text, True)
        self._results = self._context.accumulator([], _lists())
        rdd = self._make(task_of(keys_of(job, feed, self._names, address), self._plan, self._results))
        self.count = rdd.getNumPartitions()
        self._rdd = rdd

    def run(self, turn: Turn, address: Address) -> dict[int, Result]:
        self._check_context()
        self._context.setJobGroup(turn.group, turn.text, True)
        self._context.setLocalProperty(TURN, text_of(turn, address))
        partitions = range(self.count or 0) if turn.partitions is None else turn.partitions
        try:
            self._context.runJob(_Final(self._rdd), list, list(partitions))
        except Exception:
            self._check_context()  # a stopped SparkContext cancels its jobs
            raise
        found = self.results(turn.group)
        self._results.value.clear()  # no Spark job of these rows runs now
        return found

    def results(self, group: str) -> dict[int, Result]:
        found = [] if self._results is None else list(self._results.value)
        return {result[0]: Result(*result) for of, result in found if of == group}

    def cancel(self, group: str) -> None:
        self._context.cancelJobGroup(group)

    def _check_context(self) -> None:
        if self._context._jsc is None or self._context._jsc.sc().isStopped():
            raise FeedError("the job needs rows of the feed, and the SparkContext of its DataFrame was stopped")


class _Final:
    """An RDD for SparkContext.runJob, whose elements are not changed. runJob would add a step to an RDD of a DataFrame,
    for which each task needs a second Python worker."""

    def __init__(self, rdd: Any) -> None:
        self._rdd = rdd

    def mapPartitions(self, function: Any) -> Any:
        return self._rdd


def _lists() -> Any:
    """The parameters of an accumulator that is a list."""
    base: Any = _needs.load("pyspark.accumulators", "howdah.Feed").AccumulatorParam

    # This class is inside a function, so that Spark's tasks get its code with its name: they have no package howdah.
    class Lists(base):  # type: ignore[misc]
        def zero(self, value: list[Any]) -> list[Any]:
            return []

        def addInPlace(self, value: list[Any], more: list[Any]) -> list[Any]:
            value += more
            return value

    return Lists()


def task_of(
    keys: dict[str, Any], plan: dict[str, Any] | None, results: Any
) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """The function of each task. It carries the texts of these modules. results: None returns the results as record
    batches."""
    texts = {}
    for name in ("ahead", "cut", "digest", "local_calls", "spark_task", "objects"):
        text = pkgutil.get_data("howdah._feed", f"{name}.py") or b""
        texts[name] = (f"howdah_{name}_{hashlib.sha256(text).hexdigest()}", text.decode())

    def task(rows: Iterator[Any]) -> Iterator[Any]:
        import sys
        from types import ModuleType

        names: dict[str, dict[str, Any]] = {}
        for name, (kept, text) in texts.items():
            module = sys.modules.get(kept)
            if module is None:  # the first task of this process; compiling takes milliseconds
                module = ModuleType(kept)
                exec(compile(text, f"howdah/_feed/{name}.py", "exec"), module.__dict__)
                sys.modules[kept] = module
            names[name] = module.__dict__
        if plan is not None:
            rows = names["objects"]["batches"](rows, plan, names["spark_task"]["partition_id"]())
        result = names["spark_task"]["supply"](rows, keys, names)
        names["spark_task"]["settle"]()
        if results is None:
            return iter([names["spark_task"]["as_batch"](result)])
        results.add([result])
        return iter(())

    return task

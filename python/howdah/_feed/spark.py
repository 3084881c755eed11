"""A Spark DataFrame as the source of a feed. Each request of partitions is one Spark job, whose tasks send the rows to
the executors of the job; see spark_task.py. No row passes through this process.

    thread of the feed:  takes the requested partitions ──▶ Spark job ──▶ a result for each partition
                         partitions whose readers are full: asks the job, until there is room ──▶ Spark job
    watching thread:     cancels the Spark job when no more rows are wanted, or a request needs another one first

The Spark jobs of one feed run the same RDD, so partitions keep their numbers, and shuffles are computed once.
"""

from __future__ import annotations

import json
import pkgutil
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, Sequence, Tuple

from .. import _needs
from .._errors import FeedError, FeedTypeError
from .driver import MOST, Supplier, Wanted
from .source import Source
from .spark_task import GROUP, LOCATIONS, PASS, Address, Broken, SourceFailed

if TYPE_CHECKING:
    from .._job import Job

Result = Tuple[str, str, Dict[str, float]]  # of Attempt.supply, the text of an error, and numbers

PATIENCE_S = 10.0  # a Spark task that is blocked for so long ends, and frees its slot

_GRACE_S = 2.0  # for tasks to end successfully before their Spark job is cancelled
_VALUE = {bool: "boolean", int: "bigint", float: "double", str: "string", bytes: "binary", bytearray: "binary"}
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


# --- from DataFrames and RDDs to a source ---


def open_spark(given: Any, *, columns: Sequence[str] | None, epochs: int, stream: bool) -> Callable[[], Source]:
    """A function that returns the source for a job. Raises FeedTypeError for data that a feed cannot carry."""
    frame = given if hasattr(type(given), "schema") else _frame_of(given)
    if frame.isStreaming:
        raise FeedTypeError(
            "a feed cannot read a streaming DataFrame itself: use a feed without a source, and send each batch in "
            "foreachBatch(lambda df, n: job.feed(NAME).send(df.toArrow(), key=str(n)))"
        )
    names, selected = _columns(frame, columns)
    passes = None if stream else epochs
    return lambda: SparkSource(selected, names, passes)


def _frame_of(rdd: Any) -> Any:
    """An RDD as a DataFrame. Reads its first element."""
    sql: Any = _needs.load("pyspark.sql", "howdah.Feed")
    session = sql.SparkSession.builder.getOrCreate()
    first = next(iter(rdd.take(1)), None)
    if first is None:
        raise FeedTypeError("the RDD has no elements, so its columns are not known: give a DataFrame with a schema")
    try:
        if type(first) in _VALUE:
            return session.createDataFrame(rdd, _VALUE[type(first)])
        if isinstance(first, (sql.Row, tuple, dict)):
            return session.createDataFrame(rdd)
    except Exception as error:
        raise FeedTypeError(
            f"Spark cannot make a DataFrame of the RDD: {error}; give spark.createDataFrame(rdd, schema)"
        ) from error
    raise FeedTypeError(
        f"a feed cannot read an RDD of objects of the type {type(first).__name__} yet: map its elements to Rows, "
        "tuples or dicts, or give a DataFrame"
    )


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


class SparkSource(Source):
    """The rows of a DataFrame, for one job. names: of its columns. passes: None for a stream."""

    def __init__(self, frame: Any, names: Sequence[str], passes: int | None) -> None:
        self.passes = passes
        self._frame, self._names = frame, names
        self._context = frame.sparkSession.sparkContext
        self._rdd: Any = None
        self._results: Any = None  # an accumulator: (group, partition, result, text, counts) of each task
        self._count: int | None = None

    def supplier(self, job: Job[Any], feed: str) -> Supplier:
        return SparkSupplier(job, feed, self)

    def count(self, pass_: int) -> int | None:
        return self._count

    def prepare(self, job: str, feed: str, address: Address, group: str, text: str) -> None:
        """Plans the DataFrame, which computes its shuffles. Must be called once, before run."""
        self._check_context()
        self._context.setJobGroup(group, text, True)
        self._results = self._context.accumulator([], _lists())
        keys = {"job": job, "feed": feed, "names": self._names, "patience": PATIENCE_S}
        keys.update(token=address.token, ca=address.ca, server_name=address.server_name)
        rdd = self._frame.mapInArrow(_task(keys, self._results), "nothing int").rdd
        self._count = rdd.getNumPartitions()
        self._rdd = rdd

    def run(self, pass_: int, partitions: Sequence[int], address: Address, group: str, text: str) -> None:
        """Runs a Spark job that supplies partitions, in this order."""
        self._check_context()
        self._context.setJobGroup(group, text, True)
        self._context.setLocalProperty(PASS, str(pass_))
        self._context.setLocalProperty(LOCATIONS, json.dumps(list(address.locations)))
        self._context.setLocalProperty(GROUP, group)
        self._context.runJob(self._rdd, list, list(partitions))

    def results(self, group: str) -> dict[int, Result]:
        """By partition: the results of the tasks of this Spark job that have ended so far."""
        found = [] if self._results is None else list(self._results.value)
        return {partition: (what, text, counts) for of, partition, what, text, counts in found if of == group}

    def forget_results(self) -> None:
        """Must not be called while a Spark job runs."""
        if self._results is not None:
            self._results.value.clear()

    def cancel(self, group: str) -> None:
        self._context.cancelJobGroup(group)

    def _check_context(self) -> None:
        if self._context._jsc is None or self._context._jsc.sc().isStopped():
            raise FeedError("the job needs rows of the feed, and the SparkContext of its DataFrame was stopped")


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


def _task(keys: dict[str, Any], results: Any) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """The function of each task. It carries the text of spark_task.py."""
    text = (pkgutil.get_data("howdah._feed", "spark_task.py") or b"").decode()

    def task(batches: Iterator[Any]) -> Iterator[Any]:
        names: dict[str, Any] = {"__name__": "howdah_spark_task"}
        exec(compile(text, "howdah/_feed/spark_task.py", "exec"), names)
        results.add([names["supply"](batches, keys)])
        return iter(())

    return task


class _Running:
    """The Spark job that runs. Guarded by the lock of its supplier."""

    def __init__(self, group: str, pass_: int, partitions: Sequence[int]) -> None:
        self.group, self.pass_, self.partitions = group, pass_, set(partitions)
        self.ended = False
        self.outdated = False  # other partitions are needed first


class SparkSupplier(Supplier):
    """Supplies one feed of a job by Spark jobs, one after another."""

    def __init__(self, job: Job[Any], feed: str, source: SparkSource) -> None:
        super().__init__(job, feed, source)
        self._feed, self._spark = feed, source
        self._paused = Wanted()  # partitions whose tasks have ended before all rows were accepted
        self._running: _Running | None = None
        self._jobs = 0

    def _wake(self) -> None:
        """Partitions were added to those that are wanted."""
        if self._workers == 0:
            self._workers = 1
            threading.Thread(target=self._work, name="howdah feed", daemon=True).start()
        running = self._running
        if running is not None:
            # The tasks that have not ended ask for missing rows themselves; the others do not run again.
            supplied = running.partitions.difference(self._spark.results(running.group))
            count = self._spark.count(running.pass_) or 0
            for pass_, first, end in self._wanted.candidates():
                needed = set(range(first, min(end, count)))
                running.outdated |= pass_ < running.pass_ or (pass_ == running.pass_ and not needed <= supplied)
        self._changed.notify_all()

    def _work(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._over or (self._connected and self._has_work()))
                if self._over:
                    self._workers = 0
                    return
                connection = self._connection
            try:
                turn = self._next_turn()
                if turn is not None:
                    self._run(*turn, connection)
            except Broken:
                self._lost(connection)
            except SourceFailed as failed:
                self._fail(failed.__cause__ or failed)
            except Exception as error:
                self._fail(error)

    def _has_work(self) -> bool:
        return any(True for wanted in (self._wanted, self._paused) for _ in wanted.candidates())

    def _next_turn(self) -> tuple[int, list[int]] | None:
        """The pass and the partitions of the next Spark job: those that were requested, then those that were paused."""
        with self._changed:
            requested = next((pass_ for pass_, _, _ in self._wanted.candidates()), None)
        if requested is not None:
            self._prepare(requested)
            return requested, self._take_all(requested)
        for pass_, first, _ in list(self._paused.candidates()):
            what = self._link.action("ask", **{"pass": pass_, "partition": first})["what"]
            if what == "send":
                return pass_, self._take_all(pass_)
            if what == "over":
                self._end()
            elif what == "done":
                self._paused.remove(pass_, first, first + 1)
            if self._over or any(True for _ in self._wanted.candidates()):
                break
        return None

    def _prepare(self, pass_: int) -> None:
        if self._spark.count(pass_) is None:
            text = self._description(pass_)
            with self._spark_job(pass_, []) as running:
                self._spark.prepare(self._job.id, self._feed, self._link.address, running.group, text)
        self._count(pass_)

    def _take_all(self, pass_: int) -> list[int]:
        count = self._spark.count(pass_) or 0
        taken: dict[int, None] = {}
        with self._changed:
            for wanted in (self._wanted, self._paused):
                for of, first, end in wanted.candidates():
                    taken.update(dict.fromkeys(range(first, min(end, count)) if of == pass_ else ()))
                wanted.remove(pass_, 0, MOST)
        return list(taken)

    def _run(self, pass_: int, partitions: list[int], connection: int) -> None:
        """Runs one Spark job."""
        if not partitions:
            return
        text = self._description(pass_)
        with self._spark_job(pass_, partitions) as running:
            with self._changed:
                self._running = running
            self._spark.run(pass_, partitions, self._link.address, running.group, text)
        results = self._spark.results(running.group)
        self._spark.forget_results()
        self._note(pass_, partitions, results, connection)

    @contextmanager
    def _spark_job(self, pass_: int, partitions: Sequence[int]) -> Iterator[_Running]:
        """Cancels the Spark job that the caller runs inside, when it is not needed any more."""
        self._jobs += 1
        running = _Running(f"howdah {self._job.id} {self._feed} {self._jobs}", pass_, partitions)
        threading.Thread(target=self._watch, args=(running,), name="howdah feed", daemon=True).start()
        try:
            yield running
        except Exception as error:
            if not self._over and not running.outdated:
                raise SourceFailed from error
        finally:
            with self._changed:
                running.ended, self._running = True, None
                self._changed.notify_all()

    def _note(self, pass_: int, partitions: Sequence[int], results: dict[int, Result], connection: int) -> None:
        """Decides from the results of a Spark job which partitions need another one."""
        refused = None
        for number in partitions:
            result, text, counts = results.get(number, ("again", "", {}))
            self._add(partitions=int(result == "done"), **{name: value for name, value in counts.items() if value})
            if result == "unfit":
                raise FeedTypeError(text)
            if result == "refused":
                refused = FeedError(text)
            elif result == "over":
                self._end()
            elif result == "lost":
                self._lost(connection)
            if result not in ("done", "over"):
                with self._changed:
                    self._paused.add(pass_, number, number + 1)
        if refused is not None:
            self._reject(refused)
            self._pause(self._rejections)

    def _watch(self, running: _Running) -> None:
        """Cancels a Spark job that is not needed any more."""
        with self._changed:
            self._changed.wait_for(lambda: running.ended or running.outdated or self._over)
            if not running.outdated:  # the tasks end by themselves, successfully, unless they compute
                self._changed.wait_for(lambda: running.ended, timeout=_GRACE_S)
            if running.ended:
                return
        self._spark.cancel(running.group)

    def _description(self, pass_: int) -> str:
        text = f"howdah: {self._feed} → {self._job.id}"
        return text if self._spark.passes is None else f"{text}, pass {pass_ + 1} of {self._spark.passes}"

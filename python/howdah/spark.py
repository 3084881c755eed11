"""Predictions for the rows of Spark DataFrames, by the ranks of a job; and DataFrames as files.

    with howdah.spark.Predictor(load_model, schema="score float", columns=["image"], workers=4, gpus=1) as predictor:
        predictor.transform(df).write.parquet("hdfs:///scores")

Needs PySpark when it is used, not when it is imported.
"""

from __future__ import annotations

import pkgutil
import socket
import threading
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Mapping, Sequence, TypedDict, Union

from . import _keys, _needs
from ._errors import FeedTypeError, HowdahError
from ._submit import submit

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

    from ._feed.directory import Directory
    from ._feed.writer import Feed
    from ._job import Job

__all__ = ["Predictor", "materialize"]

_FEED = "predict"
_PATIENCE_S = 600.0  # for an executor that answers
_RESTARTS = 3  # of each predictor
_OWN_KEYS = ("args", "kwargs", "workers", "gpus")
_ADVICE = "drop the column, or choose others with columns=[…] and keep=False"


class PredictorKeys(TypedDict, total=False):
    """The keywords of howdah.submit that a Predictor takes, too."""

    processes: int
    memory: str
    vcores: int
    framework: "_keys.Framework"
    on: "Union[str, None]"
    name: "Union[str, None]"
    python: "Union[_keys.PathLike, None]"
    code: "Union[_keys.PathLike, None]"
    files: "Sequence[Union[_keys.PathLike, Mapping[str, Any]]]"
    env: "Mapping[str, str]"
    env_from: "Sequence[str]"
    checkpoint: "Union[_keys.PathLike, Mapping[str, Any], None]"
    restart: "Union[int, Mapping[str, Any]]"
    tensorboard: "Union[_keys.PathLike, None]"
    queue: "Union[str, None]"
    tags: "Sequence[str]"
    timeouts: "Mapping[str, str]"
    data: "Mapping[str, Any]"
    options: "Mapping[str, Any]"


class Predictor:
    """A job whose ranks predict the rows of Spark DataFrames: `predictor.transform(df)`.

    make_predict_fn: a function without arguments that loads a model and returns a predict function, as for
    pyspark.ml.functions.predict_batch_udf. Each rank calls make_predict_fn once. The predict function gets numpy
    arrays, one per column, of at most batch_size rows. A column of arrays is one array with more dimensions. Columns of
    numbers become one matrix if the function has only one parameter. It returns the results of all rows: an array, a
    dict of arrays, or a list of dicts.

    schema: the new columns, as DDL ("label int, scores array<float>") or a StructType. columns: of the input; default
    all. keep: whether the result has the columns of the input, too. workers, gpus and as_run: as for howdah.submit; by
    default a task that fails is restarted 3 times.

    The job starts at once, and ends with close() or the `with` block. All methods are thread-safe.
    """

    job: Job[Any]

    def __init__(
        self,
        make_predict_fn: Callable[[], Callable[..., Any]],
        *,
        schema: Any,
        columns: Sequence[str] | None = None,
        batch_size: int = 256,
        keep: bool = True,
        workers: int | tuple[int, int] = 1,
        gpus: int = 0,
        **as_run: Unpack[PredictorKeys],
    ) -> None:
        _keys.check("howdah.spark.Predictor", as_run, [name for name in _keys.DEFAULTS if name not in _OWN_KEYS])
        if not callable(make_predict_fn):
            raise TypeError("make_predict_fn must be a function without arguments that returns the predict function")
        if not isinstance(batch_size, int) or batch_size < 1:
            raise ValueError(f"batch_size is {batch_size!r}; it must be an integer of at least 1")
        if isinstance(columns, str):
            raise TypeError(f"columns must be a list of names: columns=[{columns!r}]")
        pa: Any = _needs.load("pyarrow", "howdah.spark.Predictor")
        self._new = _struct(schema)
        self._columns, self._batch_size, self._keep = columns, batch_size, keep
        self._workers = workers if isinstance(workers, int) else max(workers)
        self._schema: bytes = pa.schema(_arrow_fields(self._new)).serialize().to_pybytes()
        self._lock = threading.Lock()  # guards the fields below
        self._directory: Directory | None = None
        self._closed = False
        from ._feed.predict import serve

        keys: Dict[str, Any] = {"restart": _RESTARTS, **as_run, "workers": workers, "gpus": gpus}
        keys["name"] = keys.get("name") or "predict"
        keys["options"] = {**(keys.get("options") or {}), f"feeds.{_FEED}": {"answers": True}}
        self.job = submit(serve, args=(make_predict_fn, _FEED, batch_size, self._schema), **keys)

    def transform(self, df: Any) -> Any:
        """A DataFrame with the predictions: one row for each row of df, in the same order in each partition.

        Waits until the first rank of the job runs. The predictions are computed whenever Spark evaluates the result, so
        the predictor must not be closed before. Raises the error of the job if it has ended.
        """
        plan = _Input(df, self._columns, self._keep, self._new)
        keys = self._task_keys(plan.session)
        keys.update(columns=plan.numbers, names=plan.names, kept=plan.kept)
        answered = plan.frame.mapInArrow(_task(keys), plan.types)
        return plan.restored(answered)

    def close(self) -> None:
        """Ends the job. DataFrames of transform() cannot be evaluated any more."""
        self._close(kill=False)

    def _close(self, kill: bool) -> None:
        from ._feed import directory

        with self._lock:
            if self._closed:
                return
            self._closed = True
            if self._directory is not None:
                self._directory.close(self._closed_text())
        if kill:
            directory.kill(self.job)
        else:
            directory.end(self.job, _FEED)

    def _closed_text(self) -> str:
        return f"the predictor {self.job.id} was closed: evaluate a DataFrame of transform() before close()"

    def _task_keys(self, session: Any) -> Dict[str, Any]:
        from ._feed import directory

        with self._lock:
            if self._closed:
                raise HowdahError(self._closed_text())
            if self._directory is None:
                self._directory = directory.Directory(self.job, _FEED, *_driver_hosts(session))
            found = self._directory
        address = directory.wait_for_address(self.job, _FEED)
        keys: Dict[str, Any] = {name: address[name] for name in ("token", "ca", "server_name", "locations")}
        keys.update(job=self.job.id, feed=_FEED, patience=_PATIENCE_S, directory=found.key)
        keys["executors"] = self._workers
        return {**keys, "batch_size": self._batch_size, "schema": self._schema}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        self._close(kill=kind is not None)

    def __repr__(self) -> str:
        return f"<Predictor {self.job.id}{' (closed)' if self._closed else ''}>"


# --- types ---


def _struct(schema: Any) -> Any:
    """The new columns as a StructType."""
    types: Any = _needs.load("pyspark.sql.types", "howdah.spark.Predictor")
    if isinstance(schema, str):
        _needs.load("pyspark.sql", "howdah.spark.Predictor").SparkSession.builder.getOrCreate()  # parses the text
        schema = types._parse_datatype_string(schema)
    if isinstance(schema, types.StructField):
        schema = types.StructType([schema])
    if not isinstance(schema, types.StructType) or not len(schema.fields):
        raise TypeError(
            f"schema is {schema!r}; it must name the new columns, as in schema=\"label int, scores array<float>\""
        )
    names = list(schema.names)
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"the schema has several columns with the name {name!r}")
    return schema


def _arrow_fields(struct: Any) -> List[Any]:
    pa: Any = _needs.load("pyarrow", "howdah.spark.Predictor")
    to_arrow = _needs.load("pyspark.sql.pandas.types", "howdah.spark.Predictor").to_arrow_type
    fields = []
    for field in struct.fields:
        _refuse_type(field.dataType, field.name, "the schema")
        fields.append(pa.field(field.name, to_arrow(field.dataType)))
    return fields


def _refuse_type(given: Any, column: str, owner: str) -> None:
    """Raises FeedTypeError for a type whose values Spark cannot give to Python as Arrow data."""
    kind = given.typeName()
    if kind == "array":
        _refuse_type(given.elementType, column, owner)
    elif kind == "map":
        _refuse_type(given.keyType, column, owner)
        _refuse_type(given.valueType, column, owner)
    elif kind == "struct":
        for field in given.fields:
            _refuse_type(field.dataType, f"{column}.{field.name}", owner)
    elif hasattr(type(given), "sqlType") or kind in ("interval", "yearmonthinterval", "variant", "void", "time"):
        name = type(given).__name__ if hasattr(type(given), "sqlType") else given.simpleString()
        raise FeedTypeError(f"{owner} has the column {column!r} of the type {name}, which predictors cannot read or "
                            f"return: {_ADVICE}")  # fmt: skip


class _Input:
    """A DataFrame for the tasks of a Predictor. Its columns have numbers as names, because Spark would take a dot in a
    name for the path to a field.

    frame: the columns that the tasks get. numbers, names: of those that are sent. kept: the numbers of those that the
    tasks return. types: of the columns that the tasks return.
    """

    def __init__(self, df: Any, columns: Sequence[str] | None, keep: bool, new: Any) -> None:
        sql_types: Any = _needs.load("pyspark.sql.types", "howdah.spark.Predictor")
        if not hasattr(df, "mapInArrow"):
            raise TypeError(f"transform() needs a DataFrame of Spark, not an object of {type(df)}")
        if df.isStreaming:
            raise FeedTypeError("transform() cannot read a streaming DataFrame: call it for each batch in foreachBatch")
        self.session = df.sparkSession
        fields = list(df.schema.fields)
        every = [field.name for field in fields]
        self.names = every if columns is None else list(columns)
        for name in self.names:
            if every.count(name) != 1:
                found = "no column" if name not in every else "several columns with the name"
                raise ValueError(f"the DataFrame has {found} {name!r}; its columns are {', '.join(every)}")
        if not self.names:
            raise ValueError("the DataFrame has no columns for the predict function")
        used = list(range(len(every))) if keep else [every.index(name) for name in self.names]
        self._vectors = {number for number in used if type(fields[number].dataType).__name__ == "VectorUDT"}
        numbered = df.toDF(*[f"c{number}" for number in range(len(every))])
        selected, types = [], []
        for number in used:
            column, kind = numbered[f"c{number}"], fields[number].dataType
            if number in self._vectors:
                column = _needs.load("pyspark.ml.functions", "howdah.spark.Predictor").vector_to_array(column)
                kind = sql_types.ArrayType(sql_types.DoubleType(), False)
            else:
                _refuse_type(kind, every[number], "the DataFrame")
            selected.append(column.alias(f"c{number}"))
            types.append(kind)
        self.frame = numbered.select(*selected)
        self.numbers = [used.index(every.index(name)) for name in self.names]
        self.kept = list(range(len(used))) if keep else []
        self._out = [*(every if keep else []), *new.names]
        for name in new.names:
            if keep and name in every:
                raise ValueError(
                    f"the schema has the column {name!r}, and the DataFrame has it, too: rename it in the schema, or "
                    "give keep=False"
                )
        types = [*(types if keep else []), *(field.dataType for field in new.fields)]
        self.types = sql_types.StructType(
            [sql_types.StructField(f"c{number}", kind) for number, kind in enumerate(types)]
        )

    def restored(self, answered: Any) -> Any:
        """The DataFrame of the tasks with the names of the columns, and with vectors."""
        if self.kept and self._vectors:
            to_vector = _needs.load("pyspark.ml.functions", "howdah.spark.Predictor").array_to_vector
            answered = answered.select(*[
                to_vector(answered[name]).alias(name) if number in self._vectors else answered[name]
                for number, name in enumerate(self.types.names)
            ])  # fmt: skip
        return answered.toDF(*self._out)


# --- tasks ---


def _driver_hosts(session: Any) -> tuple[str, str]:
    """The address of this process for Spark's executors, and the one on which it listens."""
    if ".connect." in type(session).__module__:  # the settings are those of the server
        return socket.gethostname(), "0.0.0.0"
    host = str(session.conf.get("spark.driver.host"))
    return host, str(session.conf.get("spark.driver.bindAddress", None) or host)


def task_text(name: str) -> str:
    """The text of a module that travels to Spark's tasks."""
    return (pkgutil.get_data("howdah._feed", f"{name}.py") or b"").decode()


def _task(keys: Dict[str, Any]) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """The function of each task. It carries the code that it needs."""
    texts = {name: task_text(name) for name in ("ask_task", "predict_task")}

    def task(batches: Iterator[Any]) -> Iterator[Any]:
        import socket
        from importlib import import_module

        try:
            import_module("pyarrow.flight")
        except ImportError as error:
            raise ImportError(
                f"howdah.spark.Predictor needs pyarrow with Arrow Flight in the Python of Spark's executors, and on "
                f"{socket.gethostname()} there is none ({error}): install the wheel of pyarrow 10 or newer there"
            ) from None
        names: Dict[str, Any] = {"__name__": "howdah.spark"}
        for name, text in texts.items():
            exec(compile(text, f"howdah/_feed/{name}.py", "exec"), names)
        yield from names["predict"](batches, keys, names["ask"])

    return task


# --- files ---


def materialize(df: Any, directory: str | None = None, rows_per_file: int | None = None, **feed: Any) -> Feed:
    """Writes a DataFrame to Parquet files, and returns a feed that reads them. Spark is not needed any more then.

    A DataFrame with the same plan and the same input files as before is not written again: its files are used. A plan
    whose inputs have no such identity (an RDD, a table of a database) is written once per DataFrame and Spark session.

    directory: where the files of all DataFrames are, as a path or URI that the ranks can read; default
    `.howdah/materialized` in the home directory of Spark's default file system. A DataFrame of Spark Connect has no
    default. rows_per_file: at most. feed: the keywords of howdah.Feed, such as epochs and shuffle.

    Raises FeedTypeError for a column that a feed cannot carry.
    """
    from ._feed import materialized

    return materialized.feed(df, directory, rows_per_file, feed)

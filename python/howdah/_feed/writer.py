"""The pushing side of feeds: `howdah.Feed` describes a feed and its source, and `job.feed(name)` writes to a feed."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Sequence

from .._errors import FeedMisuse, FeedTypeError

if TYPE_CHECKING:
    from typing import Literal

    from .._job import Job
    from .driver import Supplier
    from .source import Rows, Source

KEPT = 1 << 30  # bytes of rows of an iterator, or of FeedWriter.send, that this process keeps for a restart


class Feed:
    """A stream of rows into a job: `howdah.run(train, workers=4, data={"train": howdah.Feed(table, epochs=3)})`.

    source: a pyarrow Table, RecordBatch, RecordBatchReader or dataset, a pandas DataFrame, a dict of arrays, an
    iterable of these, or a function that returns one of them. This process sends the rows, so it must live until the
    job has read them. An iterator can be read only once, so it has one epoch; a function is called once for each
    pass, the first time by this constructor. It is called again if rows are needed that were lost with a node.
    Without a source, rows are sent by `job.feed(name).send(…)`.

    The source can also be a path, directory, pattern or URI of files, such as "hdfs:///data/*.parquet", or a list of
    these. The ranks read the files themselves, each part once. format: of the files ("parquet", "arrow", "csv",
    "tfrecord"), if their names do not end with it.

    epochs: passes over the source. split: "equal", "dynamic" or "all"; by default the framework decides. remainder:
    the rows that do not fill a batch of every rank: "drop", "short" or "repeat". shuffle: rows of the pool from which
    rows are drawn. columns: the columns to send. stream: one pass over everything that is sent until the feed is
    closed; each item of an iterable is sent when it arrives. buffer, spool, recompute, changed, roles: as in the job
    file.

    Raises FeedTypeError for a column that a feed cannot carry. Dictionaries are sent as their values.
    """

    def __init__(
        self,
        source: Any = None,
        *,
        epochs: int = 1,
        split: Literal["equal", "dynamic", "all"] | None = None,
        remainder: Literal["drop", "short", "repeat"] = "drop",
        shuffle: int | None = None,
        seed: int = 0,
        columns: Sequence[str] | None = None,
        stream: bool = False,
        buffer: str = "256MiB",
        spool: str = "10GiB",
        recompute: bool = False,
        changed: Literal["fail", "accept"] = "fail",
        roles: Sequence[str] | None = None,
        format: Literal["parquet", "arrow", "csv", "tfrecord"] | None = None,
    ) -> None:
        given: dict[str, tuple[Any, Any]] = {
            "epochs": (epochs, 1),
            "split": (split, None),
            "remainder": (remainder, "drop"),
            "shuffle": (shuffle, None),
            "seed": (seed, 0),
            "stream": (stream, False),
            "roles": (list(roles) if roles is not None else None, None),
            "buffer": (buffer, "256MiB"),
            "spool": (spool, "10GiB"),
            "recompute": (recompute, False),
            "changed": (changed, "fail"),
        }
        # The keys of the feed in the job file. The source stays in this process.
        self.keys: dict[str, Any] = {name: value for name, (value, default) in given.items() if value != default}
        self._open: Callable[[], Source] | None = None
        self._of_spark = source if is_of_spark(source) or is_dstream(source) else None
        if is_path(source):
            self.keys = {"from": uris_of(source), **self.keys}
            for name, value in (("format", format), ("columns", columns)):
                if value is not None:
                    self.keys[name] = value if isinstance(value, str) else list(value)
        elif format is not None:
            raise FeedMisuse("format= is that of files, and the source of this feed is not a path")
        elif source is not None:
            for one in source if isinstance(source, (list, tuple)) else ():
                if is_path(one):
                    refuse_foreign(one)
            from .source import open_source

            self._open = open_source(source, columns=columns, epochs=epochs, stream=stream)
        elif columns is not None:
            raise FeedMisuse("columns= selects columns of a source, and this feed has no source")

    @property
    def has_source(self) -> bool:
        return self._open is not None

    def open(self) -> Source:
        """The source, for one job."""
        assert self._open is not None
        return self._open()

    def nodes(self) -> list[str]:
        """The nodes of YARN on which the source computes its rows, as far as is known."""
        if self._of_spark is None:
            return []
        from .spark_rows import nodes_of

        return nodes_of(self._of_spark)

    def __reduce__(self) -> Any:
        """A copy in another process has no source, unless it reads files."""
        return _without_source, (self.keys,)

    def __repr__(self) -> str:
        keys = "".join(f", {name}={value!r}" for name, value in self.keys.items())
        kind = "of files" if "from" in self.keys else "with a source" if self.has_source else "without a source"
        return f"<Feed {kind}{keys}>"


def _without_source(keys: dict[str, Any]) -> Feed:
    given = dict(keys)
    return Feed(given.pop("from", None), **given)


@dataclass(frozen=True)
class FeedStats:
    """The numbers of a feed that this process supplies."""

    rows: int = 0  # rows that the job has acknowledged; rows that were sent again count again
    bytes: int = 0  # bytes of the blocks that were sent
    partitions: int = 0  # partitions that this process has completed
    refused: int = 0  # blocks that a reader had no room for; they were sent again later
    waited: float = 0.0  # seconds in which the threads that send waited until readers had room, all together
    connected: bool = False
    over: bool = False  # no further rows are wanted: everything was read, or the job has ended


def sum_of(stats: Sequence[FeedStats]) -> FeedStats:
    names = ("rows", "bytes", "partitions", "refused", "waited")
    sums: dict[str, Any] = {name: sum(getattr(one, name) for one in stats) for name in names}
    return FeedStats(**sums, connected=any(s.connected for s in stats), over=any(s.over for s in stats))


class FeedWriter:
    """Writes to one feed of a running job. All methods are thread-safe. Job.feed(name) returns it.

    This process keeps up to 1 GiB of the newest rows that it has sent, and sends them again if a node is lost or the
    ranks restart without a checkpoint.
    """

    def __init__(self, job: Job[Any], name: str, source: Source | None = None) -> None:
        self.name = name
        self._job, self._source = job, source
        self._supplier: Supplier | None = None
        self._sender: Supplier | None = None  # of DataFrames and RDDs of Spark
        self._lock = threading.Lock()
        if source is not None:
            self._connected()

    def send(self, data: Any, key: str | int | None = None) -> bool:
        """Sends rows, and returns when the job has them.

        data: a table or several, as for Feed, or a DataFrame or RDD of Spark, whose rows Spark's tasks send. All calls
        send the same columns. key: data with the key of an earlier send that has succeeded are not sent again; another
        process may have sent them. A key cannot have the character U+001F.

        Returns False if data with this key were sent before, or if nobody reads the feed any longer. Raises the job's
        error if the job has failed, FeedTypeError for other columns than in the first call, and FeedError if the feed
        has failed or is closed.
        """
        if self._source is not None:
            raise FeedMisuse(f"the feed {self.name!r} has a source, which supplies its rows; use a feed without one")
        from .spark_task import KEY_END

        if KEY_END in str(key):
            raise FeedMisuse(f"the key {key!r} has the character {KEY_END!r}, which separates parts; remove it")
        supplier = self._spark() if is_of_spark(data) else self._connected()
        sent = supplier.send(data, None if key is None else str(key))
        if sent is None:
            self._job.raise_failure(self._job.wait() if supplier.job_ends else self._job.status())
        return bool(sent)

    def close(self) -> None:
        """Ends the feed: the pass ends when all rows that were sent are read. No process can send any more."""
        if self._source is not None and not self._source.endless:
            raise FeedMisuse(
                f"the feed {self.name!r} ends with its source; `howdah feed ID {self.name} --close` ends a stream"
            )
        self._connected().close_feed()

    def stats(self) -> FeedStats:
        """The numbers so far."""
        return sum_of([supplier.stats() for supplier in (self._supplier, self._sender) if supplier is not None])

    @property
    def error(self) -> BaseException | None:
        """The exception of the source, if the job was killed for it."""
        return self._supplier.error if self._supplier is not None else None

    def release(self) -> None:
        """Ends the threads of this writer; the job has ended."""
        for supplier in (self._supplier, self._sender):
            if supplier is not None:
                supplier.stop()

    def _connected(self) -> Supplier:
        from .source import Sent

        with self._lock:
            if self._supplier is None:
                self._supplier = (self._source or Sent()).supplier(self._job, self.name)
                self._supplier.start()
            return self._supplier

    def _spark(self) -> Supplier:
        from .spark_send import SparkSends

        with self._lock:
            if self._sender is None:
                self._sender = SparkSends().supplier(self._job, self.name)
                self._sender.start()
            return self._sender

    def __repr__(self) -> str:
        return f"<FeedWriter {self.name} of {self._job.id}>"


class Kept:
    """The newest partitions, up to a number of bytes. Thread-safe."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._lock = threading.Lock()
        self._bytes = 0
        self._rows: OrderedDict[int, tuple[Rows, int]] = OrderedDict()

    def add(self, number: int, rows: Rows) -> None:
        size = rows.memory
        with self._lock:
            if size > self._limit or number in self._rows:
                return
            self._rows[number] = (rows, size)
            self._bytes += size
            while self._bytes > self._limit:
                _, (_, dropped) = self._rows.popitem(last=False)
                self._bytes -= dropped

    def get(self, number: int) -> Rows | None:
        with self._lock:
            found = self._rows.get(number)
        return found[0] if found else None

    def numbers(self) -> list[int]:
        with self._lock:
            return list(self._rows)


def is_of_connect(given: Any) -> bool:
    """Whether this is a DataFrame of Spark Connect."""
    return type(given).__module__.startswith("pyspark.sql.connect") and type(given).__name__ == "DataFrame"


def is_of_spark(given: Any) -> bool:
    """Whether this is a DataFrame or RDD of Spark."""
    bases = {(base.__module__, base.__name__) for base in type(given).__mro__}
    modules = ("pyspark.sql.dataframe", "pyspark.sql.classic.dataframe", "pyspark.rdd", "pyspark.core.rdd")
    return is_of_connect(given) or any((of, name) in bases for of in modules for name in ("DataFrame", "RDD"))


def is_dstream(given: Any) -> bool:
    """Whether this is a DStream of Spark."""
    bases = {(base.__module__, base.__name__) for base in type(given).__mro__}
    return ("pyspark.streaming.dstream", "DStream") in bases


def is_path(given: Any) -> bool:
    """Whether this is a path or URI, or a list of them."""
    if isinstance(given, (list, tuple)):
        return bool(given) and all(map(is_path, given)) and not any(isinstance(one, (list, tuple)) for one in given)
    # An attribute of a DataFrame of Spark 3.5 would be looked up among its columns, which may have unknown types.
    return isinstance(given, str) or hasattr(type(given), "__fspath__")


def uris_of(given: Any) -> str | list[str]:
    """Absolute paths and URIs."""
    if isinstance(given, (list, tuple)):
        return [_uri_of(one) for one in given]
    return _uri_of(given)


def _uri_of(given: Any) -> str:
    text = os.fspath(given)
    if not isinstance(text, str) or not text:
        raise FeedTypeError(f"a feed cannot read the path {text!r}: give a path or URI as str")
    if text.startswith("file:/"):
        return "file:///" + text[len("file:") :].lstrip("/")
    return text if "://" in text else os.path.abspath(os.path.expanduser(text))


def refuse_foreign(given: Any) -> None:
    """Raises FeedTypeError for sources of other systems. The message names a way that works."""
    if is_of_spark(given):
        raise FeedTypeError(
            f"a {type(given).__name__} of Spark must be the only source of a feed: unite several DataFrames with "
            "df.unionByName(other), or send each of them with FeedWriter.send(df)"
        )
    if type(given).__module__.partition(".")[0] == "pyspark":
        raise FeedTypeError(
            f"a feed cannot read a {type(given).__name__} of Spark: write it with df.write.parquet(…), and give "
            "pyarrow.dataset.dataset(…) of the files"
        )
    if isinstance(given, (str, bytes)) or hasattr(given, "__fspath__"):
        raise FeedTypeError(
            f"a feed reads either files or rows of a process, and the path {given!r} is among other data: give only "
            'paths, as in howdah.Feed(["a.parquet", "b.parquet"])'
        )


def unknown(given: Any) -> str:
    """The message for an object that is not a source."""
    return (
        f"a feed cannot read an object of the type {type(given).__name__}: give a pyarrow Table, RecordBatch, "
        "RecordBatchReader or dataset, a pandas DataFrame, a dict of arrays, an iterable of these, or a function that "
        "returns one of them"
    )

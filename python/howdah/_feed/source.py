"""The rows of a feed's source, as Arrow record batches: divided into partitions, and these into blocks.

Partitions have the same numbers in every pass. Blocks have a fixed number of rows, so their boundaries depend only on
the row number, whichever rows are sent first.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import chain
from typing import TYPE_CHECKING, Any, Callable, Iterable, Iterator, Mapping, NamedTuple, Sequence

from .. import _needs
from .._errors import FeedError, FeedTypeError
from .wire import Wire
from .writer import KEPT, Kept, is_dstream, is_of_spark, refuse_foreign, unknown

if TYPE_CHECKING:
    from .._job import Job
    from .driver import Supplier

pa: Any = _needs.load("pyarrow", "howdah.Feed")

BLOCK_LIMIT = 8 << 20  # bytes of a block that has more than one row
ROW_LIMIT = 256 << 20  # bytes of a row

_BLOCK = 4 << 20  # the intended bytes of a block: rows of up to twice the average size fit into BLOCK_LIMIT
_BLOCKS = 4  # of a partition
_FINEST = 64  # a small table has at most so many blocks, so that all ranks get some of them
_FEWEST_ROWS = 1024  # of such a block


class Gone(FeedError):
    """Rows of an iterator are needed again, and this process does not have them any more."""


class Layout(NamedTuple):
    """The division of a source into blocks."""

    block: int  # rows of a block
    partition: int  # rows of a partition, a multiple of `block`


def layout(row_bytes: float, rows: int | None = None) -> Layout:
    """row_bytes: of an average row. rows: of the source; None if their number is not known."""
    block = max(1, int(_BLOCK / max(row_bytes, 0.125)))
    if rows is not None:
        block = min(block, max(_FEWEST_ROWS, -(-rows // _FINEST)))
    return Layout(block, block * _BLOCKS)


# --- rows in memory ---


class Batches:
    """Record batches of one schema, one after another. Thread-safe."""

    def __init__(self, batches: Iterable[Any], wire: Wire) -> None:
        self._batches = [batch for batch in batches if batch.num_rows]
        self._wire = wire
        self._ends: list[int] = []  # the number of rows up to the end of each batch
        self.rows = 0
        for batch in self._batches:
            self.rows += batch.num_rows
            self._ends.append(self.rows)

    @property
    def schema(self) -> Any:
        return self._wire.schema

    @property
    def memory(self) -> int:
        return sum(batch.nbytes for batch in self._batches)

    def cut(self, first: int, end: int) -> Any:
        """These rows as one batch, in the form in which they are sent."""
        pieces = []
        at = bisect_right(self._ends, first)
        while first < end:
            start = self._ends[at] - self._batches[at].num_rows
            length = min(end, self._ends[at]) - first
            pieces.append(self._wire.convert(self._batches[at].slice(first - start, length)))
            first += length
            at += 1
        if len(pieces) == 1:
            return pieces[0]
        return pa.Table.from_batches(pieces, self.schema).combine_chunks().to_batches()[0]

    def row_bytes(self) -> float:
        """Bytes of an average row: of up to 64 rows at up to 64 places."""
        step = max(64, self.rows // 64)
        samples = [self.cut(first, min(first + 64, self.rows)) for first in range(0, self.rows, step)]
        return float(sum(batch.nbytes for batch in samples) / max(1, sum(batch.num_rows for batch in samples)))


class Rows:
    """The rows of one partition, in memory. repeatable: every process that supplies the partition has the same blocks.
    Thread-safe."""

    def __init__(
        self, batches: Batches, block: int, base: int = 0, count: int | None = None, repeatable: bool = True
    ) -> None:
        self._batches, self._block, self._base = batches, block, base
        self.count = batches.rows if count is None else count
        self.repeatable = repeatable

    @property
    def memory(self) -> int:
        """Bytes of all batches to which these rows belong."""
        return self._batches.memory

    @property
    def schema(self) -> Any:
        return self._batches.schema

    def blocks(self, first: int, end: int) -> Iterator[tuple[int, Any]]:
        """The blocks with the rows first <= row < end, as pairs (first row of the block, batch)."""
        end = min(end, self.count)
        for start in range(first // self._block * self._block, end, self._block):
            whole = self._batches.cut(self._base + start, self._base + min(start + self._block, self.count))
            for at, batch in _fitting(start, whole):
                low, high = max(at, first), min(at + batch.num_rows, end)
                if low < high:
                    yield low, batch.slice(low - at, high - low)


def _fitting(at: int, batch: Any) -> Iterator[tuple[int, Any]]:
    """Halves a block until each part fits into BLOCK_LIMIT."""
    size = pa.ipc.get_record_batch_size(batch)
    if size <= BLOCK_LIMIT:
        yield at, batch
    elif batch.num_rows > 1:
        half = batch.num_rows // 2
        yield from _fitting(at, batch.slice(0, half))
        yield from _fitting(at + half, batch.slice(half))
    elif size <= ROW_LIMIT:
        yield at, batch
    else:
        raise FeedTypeError(f"row {at} of a partition has {size / 2**20:.1f} MiB; a row has at most 256 MiB: split it")


# --- sources ---


class Source:
    """The rows of a feed, for one job. partition() and close() are called by one thread at a time, the rest by any."""

    reads = True  # whether partition() may find rows that are not at hand
    kills = True  # whether the job is killed if the source raises
    endless = False  # whether only close() ends the feed

    def ranges(self, first: int, end: int) -> list[tuple[int, int]]:
        """Those of the requested partitions that this source may be able to supply."""
        return [(first, end)]

    def at_hand(self, pass_: int, number: int) -> Rows | None:
        """The rows of a partition that this process already has; None if it has to read them."""
        return None

    def partition(self, pass_: int, number: int) -> Rows | None:
        """The rows of a partition; None if the source ends before it. Raises what the source raises."""
        return self.at_hand(pass_, number)

    def count(self, pass_: int) -> int | None:
        """The number of partitions; None while it is not known."""
        return None

    def close(self) -> None:
        """Ends the iteration over a source that was not read to its end."""

    def supplier(self, job: Job[Any], feed: str) -> Supplier:
        """The threads that supply this source to a feed of a job."""
        from .driver import Supplier

        return Supplier(job, feed, self)


class Table(Source):
    """Rows in memory."""

    def __init__(self, batches: Batches) -> None:
        self._batches = batches
        self._layout = layout(batches.row_bytes(), batches.rows)

    def at_hand(self, pass_: int, number: int) -> Rows | None:
        first = number * self._layout.partition
        left = self._batches.rows - first
        if left <= 0:
            return None
        return Rows(self._batches, self._layout.block, first, min(left, self._layout.partition))

    def count(self, pass_: int) -> int | None:
        return -(-self._batches.rows // self._layout.partition)


class Stream(Source):
    """Rows that are read one after another.

    begin: begins to read; raises Gone if that is not possible again. each: every item is a partition as soon as it
    arrives; otherwise the boundaries of partitions depend only on row numbers. keep: bytes of rows to keep.
    """

    def __init__(
        self, begin: Callable[[], Iterator[Any]], columns: Sequence[str] | None, each: bool, keep: int
    ) -> None:
        self._begin, self._columns, self._each = begin, columns, each
        self._wire: Wire | None = None
        self._layout: Layout | None = None
        self._items: Iterator[Any] | None = None
        self._parts: Iterator[Rows] | None = None
        self._at = 0  # the number of the next partition
        self._count: int | None = None
        self._kept = Kept(keep)

    def at_hand(self, pass_: int, number: int) -> Rows | None:
        return self._kept.get(number)

    def count(self, pass_: int) -> int | None:
        return self._count

    def partition(self, pass_: int, number: int) -> Rows | None:
        kept = self._kept.get(number)
        if kept is not None or (self._count is not None and number >= self._count):
            return kept
        if self._parts is None or number < self._at:
            self.close()
            self._items = self._begin()
            self._parts, self._at = self._cut(self._items), 0
        for rows in self._parts:
            self._kept.add(self._at, rows)
            self._at += 1
            if self._at > number:
                return rows
        self._count = self._at
        return None

    def close(self) -> None:
        end = getattr(self._items, "close", None)
        self._items = self._parts = None
        if end is not None:
            end()

    def _cut(self, items: Iterator[Any]) -> Iterator[Rows]:
        found: list[Any] = []
        rows = 0
        for number, item in enumerate(items):
            for batch in batches_of(item):
                if self._wire is None:
                    self._wire = Wire(batch.schema, self._columns)
                self._wire.check(batch.schema, number)
                if batch.num_rows and self._layout is None:
                    self._layout = layout(Batches([batch], self._wire).row_bytes())
                while not self._each and self._layout and rows + batch.num_rows >= self._layout.partition:
                    wanted = self._layout.partition - rows
                    found.append(batch.slice(0, wanted))
                    yield self._rows(found)
                    batch, found, rows = batch.slice(wanted), [], 0
                found.append(batch)
                rows += batch.num_rows
            if self._each and rows:
                yield self._rows(found)
                found, rows = [], 0
        if rows:
            yield self._rows(found)

    def _rows(self, found: list[Any]) -> Rows:
        assert self._wire is not None and self._layout is not None
        return Rows(Batches(found, self._wire), self._layout.block)


class PerPass(Source):
    """A function that is called at the start of each pass. It is called again if rows are needed that this process
    does not have any more. first: the source that the first call has returned."""

    def __init__(self, make: Callable[[], Source], first: Source | None) -> None:
        self._make = make
        self._next = first
        self._current: tuple[int, Source] | None = None  # the pass, and its source

    def at_hand(self, pass_: int, number: int) -> Rows | None:
        source = self._of(pass_)
        return source.at_hand(pass_, number) if source is not None else None

    def partition(self, pass_: int, number: int) -> Rows | None:
        source = self._of(pass_) or self._call(pass_)
        try:
            return source.partition(pass_, number)
        except Gone:
            return self._call(pass_).partition(pass_, number)

    def count(self, pass_: int) -> int | None:
        source = self._of(pass_)
        return source.count(pass_) if source else None

    def close(self) -> None:
        if self._current:
            self._current[1].close()

    def _of(self, pass_: int) -> Source | None:
        current = self._current
        return current[1] if current is not None and current[0] == pass_ else None

    def _call(self, pass_: int) -> Source:
        self.close()
        self._current = None
        source, self._next = self._next or self._make(), None
        self._current = (pass_, source)
        return source


class Sent(Source):
    """The data that FeedWriter.send was given. Thread-safe."""

    reads = kills = False

    def __init__(self) -> None:
        self._kept = Kept(KEPT)
        self._wire: Wire | None = None
        self._layout: Layout | None = None

    def rows(self, data: Any) -> Rows:
        """The data of one call of send, as the rows of one partition."""
        found = list(batches_of(data))
        if not found:
            raise FeedTypeError("send: the iterator has no items, so it has no columns")
        if self._wire is None:
            self._wire = Wire(found[0].schema)
        for number, batch in enumerate(found):
            self._wire.check(batch.schema, number)
        batches = Batches(found, self._wire)
        if self._layout is None and batches.rows:
            self._layout = layout(batches.row_bytes())
        # The size of blocks depends on the first data that this process has sent.
        return Rows(batches, self._layout.block if self._layout else 1, repeatable=False)

    def add(self, number: int, rows: Rows) -> None:
        self._kept.add(number, rows)

    def ranges(self, first: int, end: int) -> list[tuple[int, int]]:
        return [(number, number + 1) for number in self._kept.numbers() if first <= number < end]

    def at_hand(self, pass_: int, number: int) -> Rows | None:
        return self._kept.get(number)


# --- from a program's data to a source ---


def open_source(given: Any, *, columns: Sequence[str] | None, epochs: int, stream: bool) -> Callable[[], Source]:
    """A function that returns the source for a job. Raises FeedTypeError for data that a feed cannot carry."""
    if is_of_spark(given):
        from .spark import open_spark

        return open_spark(given, columns=columns, epochs=epochs, stream=stream)
    if is_dstream(given):
        from .spark_send import open_dstream

        return open_dstream(given, columns, stream)
    refuse_foreign(given)
    parts: list[Any] = [*given] if isinstance(given, (list, tuple)) else [given]
    if parts and all(map(_is_table, parts)):
        batches = _in_memory(parts, columns)
        return lambda: Table(batches)
    if parts and all(map(_is_dataset, parts)):
        for part in parts:
            Wire(part.schema, columns)
        return lambda: Stream(lambda: chain.from_iterable(map(batches_of, parts)), columns, False, 0)
    if isinstance(given, pa.RecordBatchReader):
        Wire(parts[0].schema, columns)
        return _once(given, columns, epochs, stream)
    if isinstance(given, Iterator):
        return _once(given, columns, epochs, stream)
    if isinstance(given, Iterable):
        begun = [] if stream else [_checked(iter(given), columns)]
        return lambda: Stream(lambda: begun.pop() if begun else iter(given), columns, stream, 0)
    if callable(given):
        return _per_pass(given, columns, stream)
    raise FeedTypeError(unknown(given))


def _in_memory(tables: Iterable[Any], columns: Sequence[str] | None) -> Batches:
    found = []
    all_tables = list(map(_to_table, tables))
    wire = Wire(all_tables[0].schema, columns)
    for number, table in enumerate(all_tables):
        wire.check(table.schema, number)
        found += table.to_batches()
    return Batches(found, wire)


def _once(given: Any, columns: Sequence[str] | None, epochs: int, stream: bool) -> Callable[[], Source]:
    """An iterator, which can be read only once."""
    if epochs > 1:
        raise FeedError(
            f"a {type(given).__name__} can be read only once, but epochs={epochs}: give a function that returns a new "
            "one for each pass, as in howdah.Feed(lambda: read(), epochs=3), or a pyarrow.Table"
        )
    unread = [given if stream or isinstance(given, pa.RecordBatchReader) else _checked(given, columns)]

    def begin() -> Iterator[Any]:
        if not unread:
            raise Gone(
                f"rows of the feed are needed again, but its source is a {type(given).__name__}, which can be read "
                f"only once, and this process keeps only its last {KEPT >> 30} GiB: give a function that returns a new "
                "one, as in howdah.Feed(lambda: read())"
            )
        return _closing(unread.pop(), given)

    return lambda: Stream(begin, columns, stream, KEPT)


def _checked(given: Iterator[Any], columns: Sequence[str] | None) -> Iterator[Any]:
    """Reads the first item, so that its columns are checked before the job is submitted. Returns all items."""
    first = []
    for item in given:
        for batch in batches_of(item):
            Wire(batch.schema, columns)
            first.append(batch)
        break
    return chain(first, given)


def _closing(items: Iterator[Any], given: Any) -> Iterator[Any]:
    try:
        yield from items
    finally:
        close = getattr(given, "close", None)
        if close is not None:
            close()


def _per_pass(function: Callable[[], Any], columns: Sequence[str] | None, stream: bool) -> Callable[[], Source]:
    def make() -> Source:
        returned = function()
        if is_of_spark(returned):
            raise FeedTypeError("a function must not return a DataFrame or RDD of Spark: give the DataFrame itself")
        return open_source(returned, columns=columns, epochs=1, stream=stream)()

    # The first call is made now, so that the columns are checked before the job is submitted.
    first = [] if stream else [make()]
    return lambda: PerPass(make, first.pop() if first else None)


def batches_of(item: Any) -> Iterator[Any]:
    """The record batches of a table, a reader, a dataset, or an iterable of these. At least one for each table, which
    may be empty."""
    refuse_foreign(item)
    if isinstance(item, pa.RecordBatch):
        yield item
    elif _is_table(item):
        table = _to_table(item)
        yield from table.to_batches() or [pa.RecordBatch.from_pylist([], schema=table.schema)]
    elif isinstance(item, pa.RecordBatchReader):
        yield from item
    elif _is_dataset(item):
        yield from item.to_batches()
    elif isinstance(item, Iterable) and not isinstance(item, (str, bytes)):
        for inner in item:
            yield from batches_of(inner)
    else:
        raise FeedTypeError(unknown(item))


def _module(given: Any) -> str:
    return type(given).__module__.partition(".")[0]


def _is_table(given: Any) -> bool:
    frame = _module(given) == "pandas" and hasattr(given, "columns")
    return frame or isinstance(given, (pa.Table, pa.RecordBatch, Mapping))


def _is_dataset(given: Any) -> bool:
    return type(given).__module__ == "pyarrow._dataset" and hasattr(given, "to_batches")


def _to_table(given: Any) -> Any:
    if isinstance(given, pa.Table):
        return given
    if isinstance(given, pa.RecordBatch):
        return pa.Table.from_batches([given])
    if isinstance(given, Mapping):
        columns = {str(name): _column(str(name), values) for name, values in given.items()}
        lengths = {name: len(column) for name, column in columns.items()}
        if len(set(lengths.values())) > 1:
            raise FeedTypeError(f"the columns of the source have different lengths: {lengths}")
        return pa.table(columns)
    try:
        return pa.Table.from_pandas(given, preserve_index=False)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError) as error:
        raise FeedTypeError(f"the DataFrame cannot be converted to Arrow: {'; '.join(map(str, error.args))}") from error


def _column(name: str, values: Any) -> Any:
    """A column from a pyarrow array, a list, or an array of numpy, PyTorch, JAX, … with one dimension or more."""
    if isinstance(values, (pa.Array, pa.ChunkedArray)):
        return values
    try:
        if isinstance(values, (list, tuple, range)):
            return pa.array(values)
        if not hasattr(values, "__array__"):
            raise TypeError("it is neither a list nor an array; pyarrow.Table.from_pylist(…) makes a table of rows")
        numpy: Any = _needs.load("numpy", "howdah.Feed")
        array = numpy.asarray(values)
        if array.ndim < 2:
            return pa.array(array)
        size = int(numpy.prod(array.shape[1:]))
        if size == 0:
            raise TypeError(f"its shape is {array.shape}")
        rows = pa.FixedSizeListArray.from_arrays(pa.array(numpy.ascontiguousarray(array).reshape(-1)), size)
        if array.ndim == 2:
            return rows
        tensor = pa.fixed_shape_tensor(rows.type.value_type, array.shape[1:])
        return pa.ExtensionArray.from_storage(tensor, rows)
    except (TypeError, ValueError, pa.ArrowException) as error:
        raise FeedTypeError(
            f"the column {name!r} of the type {type(values).__name__} cannot be converted to Arrow: {error}"
        ) from error

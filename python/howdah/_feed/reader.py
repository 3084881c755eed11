"""The reader of a feed, which Context.feed returns."""

from __future__ import annotations

import os
import threading
import time
import weakref
from typing import TYPE_CHECKING, Any, Callable, Iterator, Mapping, Sequence

from .._errors import FeedError, FeedLost, FeedMisuse, FeedTypeError
from . import point
from .batches import Converter, record_batch, refuse_pickles, take_rows
from .columns import Options
from .connection import Connection, Fetch, Stopped
from .objects import Unfit, elements_of

if TYPE_CHECKING:
    from .torch import Shared

_ALL_ROWS = 1 << 40  # more than a pass has
_ROWS_AHEAD = 64  # rows() requests single rows
_MOST_BATCHES = 256  # of one reply
_REPORT_INTERVAL = 1.0  # seconds
_ROWS_CONVERTED = 256  # rows() converts as many at a time, if they are read in order


class Pass:
    """One pass over the feed, in batches of `rows` rows. Used by one thread at a time."""

    def __init__(self, reader: FeedReader, number: int, rows: int, ahead: int, workers: Shared | None) -> None:
        self.number, self.rows, self.steps = number, rows, 0
        self.ended = False
        self._reader, self._connection, self._workers = reader, reader._connected(), workers
        # Half of the batches that are requested ahead come in one reply.
        batches = min(max(1, ahead // 2), _MOST_BATCHES)
        self._ahead = -(-ahead // batches)  # requests
        self._sent: list[Fetch] = []
        self._reported = time.monotonic()
        self._format = _next_format(number, rows, batches)

    def _returned(self) -> int:
        return self._reader._rows if self._workers is None else self._workers.got

    def _send(self, waiting: bool) -> None:
        text = self._format % (self._returned(), "true" if waiting else "false")
        self._sent.append(self._connection.send(text, Fetch()))

    def peek(self) -> Fetch | None:
        """The first batches, which next() will return; None at the end of the pass."""
        while len(self._sent) < max(1, self._ahead):
            self._send(True)
        try:
            reply = self._connection.wait(self._sent[0])
        except Stopped:
            return None
        return None if "end" in reply else self._sent[0]

    def next(self) -> Fetch | None:
        """Waits for the next reply: one or more batches of `rows` rows, of which only the last one may be shorter.
        Returns None at the end of the pass."""
        if self.ended:
            return None
        while len(self._sent) < self._ahead:
            self._send(False)
        # This request replaces the one that is taken, and says whether the program has to wait.
        if not self._sent:
            self._send(True)
        else:
            self._send(not (self._sent[0].done or self._connection.poll(self._sent[0])))
        fetch = self._sent.pop(0)
        try:
            reply = self._connection.wait(fetch)
        except Stopped:
            self._end()
            return None
        except FeedError:
            self._end()
            raise
        if "end" in reply:
            self._end()
            self._reader._steps = self.steps
            return None
        return fetch

    def report(self) -> None:
        """Tells the executor how many rows the program has got, at most once per second. Called between the batches of
        one reply, because the next request may come much later."""
        now = time.monotonic()
        if now - self._reported >= _REPORT_INTERVAL:
            self._reported = now
            self._post_returned()

    def _post_returned(self) -> None:
        self._connection.post("returned", {"pass": self.number, "rows": self._returned()})

    def close(self) -> None:
        """Batches that were requested and not returned are not read. The next pass skips them."""
        if not self.ended and self._connection.usable:
            self._end(left=True)
            try:
                self._post_returned()
            except FeedError:  # the next use of the feed raises it
                pass
        self._sent = []

    def _end(self, left: bool = False) -> None:
        """left: before the end of the pass."""
        self.ended = True
        if self._reader._reading == self.number:
            self._reader._reading = None
        if not left:
            self._reader._unfinished = None
            if self._workers is not None:
                self._workers.batch = 0


class FeedReader:
    """Reads a feed: the share of its rows that belongs to this rank. Each iteration over the result of numpy(),
    torch(), tf(), jax(), arrow() or rows() is one pass over the feed. The next iteration skips the rest of a pass that
    the program has left; it still has to arrive.

    Arguments of these methods: n: the rows of a batch, the same on all ranks unless the feed has split="dynamic".
    columns: the columns to return; a field of a struct is `a.b`. as_tuple: a batch is a tuple of these columns instead
    of a dict. shapes: {"image": (28, 28)} gives each row a shape. dtypes: {"image": "float32"} casts. nulls: values
    for nulls. ragged: list columns that are returned as (values, offsets). map: a function that is applied to each
    batch. prefetch: batches that are requested ahead.

    A column that cannot be returned raises FeedTypeError, which names the column, the row and the remedy. Arrays are
    writable and private. They are valid as long as they are held, and then keep their block in memory, also beyond the
    feed's `buffer`. Marks and commits are thread-safe; one iteration belongs to one thread at a time.
    """

    name: str

    def __init__(self, path: str, name: str, place: Mapping[str, int]) -> None:
        self.name = name
        self._path, self._place = path, dict(place)
        self._lock = threading.Lock()
        self._connection: Connection | None = None
        self._opened: dict[str, Any] = {}
        self._next_pass = 0  # of the next iteration
        self._reading: int | None = None  # the pass that is being read
        self._unfinished: tuple[int, int] | None = None  # the pass whose end was not reached, and its rows per batch
        self._pass = 0  # of the newest batch
        self._rows = 0  # of this pass that were returned
        self._iterations = 0
        self._step: int | None = None
        self._marks = False  # the executor has got a mark
        self._steps: int | None = None
        self._schema: Any = None
        self._stopped = False
        self._peeked: Pass | None = None
        self._workers: Shared | None = None  # reads in the workers of a DataLoader
        self._connected()

    # --- reading ---

    def numpy(
        self,
        n: int,
        *,
        columns: Sequence[str] | None = None,
        as_tuple: Sequence[str] | None = None,
        shapes: Mapping[str, Sequence[int]] = {},
        dtypes: Mapping[str, Any] = {},
        nulls: Mapping[str, Any] = {},
        ragged: Sequence[str] = (),
        map: Callable[[Any], Any] | None = None,
        prefetch: int = 2,
    ) -> Batches:
        """Batches as dicts of numpy arrays."""
        options = Options(columns, as_tuple, shapes, dtypes, nulls, ragged, map, prefetch)
        return Batches(self, n, options, lambda: Converter(options, "numpy"))

    def torch(
        self,
        n: int,
        device: Any = None,
        *,
        columns: Sequence[str] | None = None,
        as_tuple: Sequence[str] | None = None,
        shapes: Mapping[str, Sequence[int]] = {},
        dtypes: Mapping[str, Any] = {},
        nulls: Mapping[str, Any] = {},
        ragged: Sequence[str] = (),
        map: Callable[[Any], Any] | None = None,
        prefetch: int = 2,
    ) -> Any:
        """An IterableDataset, whose items are batches: dicts of tensors. Strings are lists, times int64.

        device: where the tensors are. The dataset can be iterated itself, or by a
        DataLoader(…, batch_size=None, num_workers=k). Its first worker then reads all batches, in order."""
        from .torch import dataset

        options = Options(columns, as_tuple, shapes, dtypes, nulls, ragged, map, prefetch)
        return dataset(self, n, device, options)

    def tf(
        self,
        n: int,
        *,
        columns: Sequence[str] | None = None,
        as_tuple: Sequence[str] | None = None,
        shapes: Mapping[str, Sequence[int]] = {},
        dtypes: Mapping[str, Any] = {},
        nulls: Mapping[str, Any] = {},
        ragged: Sequence[str] = (),
        map: Callable[[Any], Any] | None = None,
        prefetch: int = 2,
    ) -> Any:
        """A tf.data.Dataset of batches: dicts of tensors. Ragged columns are RaggedTensors, binaries and strings string
        tensors, times int64. `map` becomes a part of the dataset. Waits for the first batch, which has the types."""
        from .tf import dataset

        options = Options(columns, as_tuple, shapes, dtypes, nulls, ragged, map, prefetch)
        return dataset(self, n, options)

    def jax(
        self,
        n: int,
        sharding: Any = None,
        *,
        columns: Sequence[str] | None = None,
        as_tuple: Sequence[str] | None = None,
        shapes: Mapping[str, Sequence[int]] = {},
        dtypes: Mapping[str, Any] = {},
        nulls: Mapping[str, Any] = {},
        ragged: Sequence[str] = (),
        map: Callable[[Any], Any] | None = None,
        prefetch: int = 2,
    ) -> Batches:
        """Batches as dicts of jax arrays. Strings are lists, times int64.

        sharding: the batches of all processes together form global arrays with this sharding."""
        from .jax import converter

        options = Options(columns, as_tuple, shapes, dtypes, nulls, ragged, map, prefetch)
        return Batches(self, n, options, lambda: converter(options, sharding))

    def arrow(
        self,
        n: int,
        *,
        columns: Sequence[str] | None = None,
        as_tuple: Sequence[str] | None = None,
        map: Callable[[Any], Any] | None = None,
        prefetch: int = 2,
    ) -> Batches:
        """Batches as pyarrow.RecordBatch; with as_tuple tuples of pyarrow arrays."""
        options = Options(columns, as_tuple, map=map, prefetch=prefetch)
        return Batches(self, n, options, lambda: _records(options))

    def rows(
        self,
        *,
        columns: Sequence[str] | None = None,
        as_tuple: Sequence[str] | None = None,
        nulls: Mapping[str, Any] = {},
        map: Callable[[Any], Any] | None = None,
        prefetch: int = _ROWS_AHEAD,
    ) -> Batches:
        """Single rows as dicts of Python values; the elements of an RDD as they were. They are batches of one row, so
        on all ranks the same number."""
        options = Options(columns, as_tuple, nulls=nulls, map=map, prefetch=prefetch)
        return Batches(self, 1, options, lambda: _row(options))

    # --- state ---

    @property
    def schema(self) -> Any:
        """The pyarrow.Schema of the feed, with all columns. Raises FeedMisuse before the first batch has arrived."""
        if self._schema is None:
            raise FeedMisuse(f"the schema of the feed {self.name!r} is not known before the first batch: read it first")
        return self._schema

    @property
    def epoch(self) -> int:
        """The number of the current pass, from 0; before an iteration and after its end, that of the next pass. After
        a restart, reading continues in this pass."""
        return self._following() if self._reading is None else self._reading

    @property
    def position(self) -> int:
        """The number of rows of the pass that this reader has returned since the last restart."""
        return self._rows

    @property
    def steps(self) -> int | None:
        """The number of batches of the last pass that was read to its end; None before."""
        return self._steps

    def commit(self) -> None:
        """Rows that were returned up to now are not read again after a restart. With split="equal" or "all", the commit
        counts when all ranks have called it."""
        self._connected().request("commit", {"pass": self._pass, "rows": self._rows})

    def state_dict(self) -> dict[str, Any]:
        """The position at the newest Context.progress(step), to be saved with the checkpoint of this step. Not needed
        with Context.checkpoint(). With split="equal" or "all" it is that of all ranks; with split="dynamic" the ranks
        must have called progress(step) before. The values can be written as JSON."""
        found = None
        if self._step is not None and not self._is_stream():
            found = point.request(self._connected(), self._step)
        return {"feed": self.name, "epoch": self.epoch, "position": self._rows, "step": self._step, "point": found}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Reports that the program has restored the checkpoint with this state, in this job or in another one. Not
        needed after Context.latest(). The feed then continues after the rows of that checkpoint. All ranks must call it
        before the first batch."""
        if state.get("feed") != self.name:
            raise FeedMisuse(f"the state is that of the feed {state.get('feed')!r}, not of {self.name!r}")
        if self._iterations:
            raise FeedMisuse(f"load_state_dict of the feed {self.name!r} must be called before the first batch is read")
        step = state.get("step")
        if step is not None:
            self._found(int(step), state.get("point"))

    def stop(self) -> None:
        """No rank reads further rows of this feed: iterations end, and so do the sources."""
        self._stopped = True
        self._connected().request("stop", True)

    # --- for howdah.tfos ---

    def _leave(self) -> None:
        """This rank needs no further rows. It must read on until all ranks have called this: then iterations end, and
        so do the sources."""
        self._connected().post("leave", True)

    def _elements(self, n: int, prefetch: int = 2) -> Batches:
        """Batches as lists of up to n rows, each as rows() returns it."""
        options = Options(prefetch=prefetch)
        return Batches(self, n, options, lambda: _lists(options))

    # --- for Context ---

    def _mark(self, step: int, *, wait: bool = False) -> None:
        """The program has done this step with the rows returned so far. wait: until the mark is in the job's log."""
        self._step = step
        mark = {"step": step, "pass": self._pass, "rows": self._rows, "wait": wait}
        pending = self._connected().post("step", mark)
        # Until the executor has a mark, it uses the lines of Context.progress(), and may read one before the mark.
        if wait or not self._marks:
            self._connected().wait(pending)
        self._marks = True

    def _returned(self) -> None:
        """Reports the rows of the pass that the program has got, after the last request for a batch."""
        self._connected().post("returned", {"pass": self._pass, "rows": self._rows})

    def _checkpointed(self, step: int) -> None:
        self._connected().wait(self._connected().post("checkpointed", step))

    def _point(self, step: int) -> str | None:
        """The rows that a checkpoint of this step covers, for another job; None for a stream, which no job repeats.
        Raises FeedLost if the job has replaced this process: its checkpoint must not become visible."""
        try:
            rows = point.request(self._connected(), step)
        except FeedError as error:
            if isinstance(error, FeedLost) or not self._is_stream():
                raise
            return None
        return None if self._is_stream() else rows

    def _found(self, step: int, restored: str | None = None) -> None:
        """The program has restored the checkpoint of this step. Has no effect after a row was read. restored: the point
        in the checkpoint."""
        if self._iterations == 0:
            reply = point.found(self._connected(), step, restored)
            self._next_pass = self._pass = reply.get("pass", self._next_pass)
            self._step = step

    # --- inside ---

    def _is_stream(self) -> bool:
        self._connected()
        return self._opened.get("passes") is None

    def _connected(self) -> Connection:
        """The connection of this process: a child made by fork opens its own."""
        found = self._connection
        if found is not None and found.usable:
            return found
        with self._lock:
            connection = Connection(self._path, self.name)
            opened = connection.request("open", self.name, **self._place)
            if not self._opened:
                self.name = opened.get("feed", self.name)
                self._next_pass = self._pass = opened.get("pass", 0)
            self._opened, self._connection = opened, connection
            if opened.get("source"):
                self._read_files(opened, connection)
            weakref.finalize(self, connection.abandon).atexit = False
            return connection

    def _read_files(self, opened: dict[str, Any], connection: Connection) -> None:
        from .file_helper import FileHelper

        place = {name: opened[name] for name in ("feed", "reader", "readers", "split")}
        FileHelper({**opened["source"], **place, "job": os.environ.get("HOWDAH_JOB_ID", "")}, connection)

    def _following(self) -> int:
        return max(self._next_pass, self._workers.next_pass if self._workers is not None else 0)

    def _begin(self, n: int, prefetch: int, workers: Shared | None = None) -> Pass | None:
        """Begins the next pass. Returns None if the feed has no further pass."""
        if self._peeked is not None:
            found, self._peeked = self._peeked, None
            if found.rows != n:
                raise FeedMisuse(
                    f"this pass over the feed {self.name!r} has begun in batches of {found.rows} rows, for "
                    f"tf({found.rows}), and cannot continue in batches of {n}"
                )
            return found
        self._connected()
        number = self._following()
        self._iterations += 1
        passes = self._opened.get("passes")
        if self._stopped:
            return None
        if passes is not None and number >= passes:
            # After a restart, a program that counts passes itself iterates more often than there are passes left.
            if self._iterations <= passes:
                return None
            raise FeedMisuse(
                f"the feed {self.name!r} has {_counted(passes)}, and {'it was' if passes == 1 else 'all were'} read: "
                f"give epochs={self._iterations} or more to howdah.Feed"
            )
        self._skip_rest()
        self._next_pass, self._pass, self._reading, self._rows = number + 1, number, number, 0
        self._unfinished = (number, n)
        if workers is not None:
            workers.begin(number, n)
        elif self._workers is not None:
            self._workers.next_pass = number + 1
        return Pass(self, number, n, prefetch, workers)

    def _skip_rest(self) -> None:
        """Reads the rest of a pass that the program has left: the next pass begins when all ranks have read it."""
        unfinished = self._unfinished
        if unfinished is None and self._workers is not None and self._workers.batch:
            unfinished = (self._workers.current, self._workers.batch)
        self._unfinished = None
        if unfinished is None:
            return
        number, rows = unfinished
        try:
            while True:
                request = _next_format(number, rows, _MOST_BATCHES) % (_ALL_ROWS, "true")
                if "end" in self._connected().wait(self._connected().send(request, Fetch())):
                    return
        except Stopped:
            pass

    def _peek(self, n: int, prefetch: int) -> Any:
        """The schema of the feed. The first batch of the next pass is requested, and returned by the next iteration."""
        if self._peeked is None:
            self._peeked = self._begin(n, prefetch)
        fetch = None if self._peeked is None else self._peeked.peek()
        if fetch is not None:
            self._schema = fetch.slices[0][0].schema
        return self._schema


def _next_format(number: int, rows: int, batches: int) -> str:
    """A request for batches of the pass. It lacks the rows that the program has got, and whether it waits."""
    wanted = f'"pass":{number},"rows":{rows}' + (f',"batches":{batches}' if batches > 1 else "")
    return f'"next":{{{wanted},"returned":%d,"waiting":%s}}'


def _counted(passes: int) -> str:
    return "1 pass" if passes == 1 else f"{passes} passes"


class Batches:
    """An iterable of batches. Each iteration is one pass over the feed."""

    def __init__(self, reader: FeedReader, n: int, options: Options, converter: Callable[[], Any]) -> None:
        check(n, options)
        self.reader, self.n, self.options = reader, n, options
        self._converter = converter

    def __iter__(self) -> Iterator[Any]:
        return self.iterate(None)

    def iterate(self, workers: Shared | None) -> Iterator[Any]:
        """workers: this is the worker of a DataLoader, and shares this state with its parent."""
        reader = self.reader
        current = reader._begin(self.n, self.options.prefetch, workers)
        if current is None:
            return
        convert, change = self._converter(), self.options.map
        where = _Where(current)
        try:
            while True:
                fetch = current.next()
                if fetch is None:
                    return
                if reader._schema is None:
                    reader._schema = fetch.slices[0][0].schema
                left, slices = fetch.rows, fetch.slices
                del fetch
                while left:
                    rows = min(left, self.n)
                    left -= rows
                    current.steps += 1
                    part, slices = (take_rows(slices, rows), slices) if left else (slices, [])
                    batch = convert(part, where)
                    part = []  # the program alone holds the batch from now on
                    if change is not None:
                        batch = change(batch)
                    if workers is None:
                        reader._pass = current.number
                        reader._rows += rows
                    else:
                        workers.fetched += rows
                    handed, batch = [batch], None
                    yield handed.pop()
                    if left:
                        current.report()
        finally:
            current.close()


class _Where:
    """Describes rows of the newest batch."""

    def __init__(self, current: Pass) -> None:
        self._pass = current

    def __call__(self, row: int) -> str:
        return f"row {row} of batch {self._pass.steps - 1} (pass {self._pass.number})"


def check(n: int, options: Options) -> None:
    if not isinstance(n, int) or n < 1:
        raise FeedMisuse(f"the number of rows of a batch is {n!r}; it must be an integer of at least 1")
    if options.prefetch < 0:
        raise FeedMisuse(f"prefetch is {options.prefetch}; it must be at least 0")


def _records(options: Options) -> Callable[[Any, Any], Any]:
    names = options.as_tuple if options.as_tuple is not None else options.columns

    def convert(slices: Any, where: Any) -> Any:
        for block, _, _ in slices:
            refuse_pickles(block.schema)
        batch = record_batch(slices, names)
        return tuple(batch.columns) if options.as_tuple is not None else batch

    return convert


def _row(options: Options) -> Callable[[Any, Any], Any]:
    names = options.as_tuple if options.as_tuple is not None else options.columns
    as_elements = names is None and not options.nulls
    block: Any = None  # of the previous row
    first = 0
    found: list[Any] = []  # rows of this block, from `first` on, that are converted

    def convert(slices: Any, where: Any) -> Any:
        nonlocal block, first, found
        ((at, row, _),) = slices
        if at is not block or not first <= row < first + len(found):
            in_order = at is block and row == first + len(found)
            count = min(_ROWS_CONVERTED, at.rows - row) if in_order else 1
            block, first = at, row
            if not as_elements:
                refuse_pickles(at.schema)
            batch = record_batch([(at, row, count)], names)
            found = _elements(batch) if as_elements else batch.to_pylist()
        values = found[row - first]
        if as_elements:
            return values
        for name, value in options.nulls.items():
            if values.get(name, value) is None:
                values[name] = value
        return tuple(values.values()) if options.as_tuple is not None else values

    return convert


def _lists(options: Options) -> Callable[[Any, Any], Any]:
    def convert(slices: Any, where: Any) -> Any:
        batches = (record_batch([part], None) for part in slices)
        return [element for batch in batches for element in _elements(batch)]

    return convert


def _elements(batch: Any) -> list[Any]:
    try:
        return elements_of(batch)
    except Unfit as unfit:
        raise FeedTypeError(str(unfit)) from unfit.__cause__

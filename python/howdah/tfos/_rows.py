"""The rows of a DataFeed in a node: those of TFCluster.train() from the feed `input`, and those of
TFCluster.inference() from the feed `inference`, which need results."""

from __future__ import annotations

import pickle
import threading
from collections import deque
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Sequence

from .. import _context
from .._errors import FeedEmpty, FeedMisuse
from .TFNode import Rows, arrays_of

if TYPE_CHECKING:
    from .._feed.reader import Pass

INPUT, INFERENCE = "input", "inference"  # the names of the feeds

_AHEAD = 512  # rows that are requested ahead
_CONVERTED = 256  # rows that are converted at a time, if the program reads fewer


class Input:
    """The rows of the feed `input`, for this process. One thread at a time takes rows.

    The first call determines the batches in which rows are requested: with split="equal" all workers must request the
    same. Later calls may take other numbers of rows.
    """

    def __init__(self, name: str) -> None:
        self.name, self.ended, self.begun = name, False, False
        self._lock = threading.Lock()
        self._reader = _context.context().feed(name)
        opened = self._reader._opened
        self.readers: int = opened.get("readers", 1)
        self.lockstep: bool = opened.get("split") != "dynamic"
        self._pass: Pass | None = None
        self._arrived = self._given = 0  # rows; the executor counts whole batches as given
        self._left: deque[tuple[Any, int, int]] = deque()  # (block, first row, rows): arrived, not converted
        self._converted: list[Any] = []
        self._at = 0  # the first of the converted rows that is not given
        self._converted_from: tuple[Any, int] = (None, 0)  # their block, and the row of it that is the first of them
        self._dropping: threading.Thread | None = None
        self._converters: dict[int, Any] = {}  # by the schema, which lives as long as the connection

    def take(self, count: int) -> list[Any]:
        end = self._at + count
        if end <= len(self._converted):
            rows = self._converted[self._at : end]
            self._at = end
            self._count(count)
            return rows
        with self._lock:
            return self._convert(count)

    def take_arrays(self, count: int) -> Any:
        from .._feed.batches import Converter
        from .._feed.columns import Options
        from .._feed.objects import kind_of

        with self._lock:
            slices = self._slices(count)
        schemas = {id(block.schema): block.schema for block, _, _ in slices}
        kind = kind_of(next(iter(schemas.values()))) if len(schemas) == 1 else None
        if kind in (None, "pickle"):
            return arrays_of([row for part in slices for row in _rows_of(part)])
        converter = self._converters.get(next(iter(schemas)))
        if converter is None:
            converter = self._converters[next(iter(schemas))] = Converter(Options(), "numpy")
        columns = converter(slices, lambda row: f"row {row} of the batch")
        if kind == "value":
            return columns["value"]
        return columns if kind in ("dict", "row") else tuple(columns.values())

    def answer(self, results: Sequence[Any]) -> None:
        raise FeedMisuse(
            "batch_results() needs rows of TFCluster.inference(), and this DataFeed reads those of train(): use "
            "ctx.get_data_feed(train_mode=False)"
        )

    def terminate(self) -> None:
        self.ended = True
        if self.readers == 1:
            self._reader.stop()
        elif self._dropping is None:
            # All workers get the same number of rows, so those that have not left need this one to continue.
            self._reader._leave()
            self._dropping = threading.Thread(target=self._drop, name="howdah drop", daemon=True)
            self._dropping.start()

    def finish(self) -> None:
        """The program of this node has returned. Drops the rows that it has not read, if others depend on that."""
        if self._dropping is not None:
            if self.lockstep:
                self._dropping.join()
        elif self.lockstep and not self.ended and self.readers > 1:
            self._reader._leave()
            self._drop()
        elif not self.ended and self.readers == 1:
            self._reader.stop()
        if not self.lockstep and self.begun:
            self._reader.commit()  # otherwise the others would read the rows of this node again

    def wait_for_end(self) -> None:
        """Waits for the end of the feed, which shutdown() closes. The program reads rows of inference() now."""
        if self.begun:
            self._drop()
        elif self.take(1):
            raise FeedMisuse(
                "TFCluster.train() has sent rows, and this node reads only those of inference(): use "
                "ctx.get_data_feed(train_mode=True) for them"
            )

    def _drop(self) -> None:
        """Reads to the end of the feed. Another thread of the program may still wait for rows."""
        more = True
        while more:
            with self._lock:
                self._left.clear()
                more = bool(self._next(1))
                self._given = self._reader._rows = self._arrived

    def _count(self, rows: int) -> None:
        """The program gets so many rows. Called before it waits for further ones, which need their place."""
        current = self._pass
        if current is not None:
            self._given += rows
            self._reader._rows = min(self._arrived, -(-self._given // current.rows) * current.rows)
            current.report()

    def _convert(self, count: int) -> list[Any]:
        """The next `count` rows; fewer at the end. Converts further rows with them. The caller has the lock."""
        rows = self._converted[self._at :]
        self._converted, self._at = [], 0
        self._count(len(rows))
        while len(rows) < count:
            missing = count - len(rows)
            part = self._part(missing, max(missing, _CONVERTED))
            if part is None:
                break
            self._converted, self._converted_from = _rows_of(part), part[:2]
            self._at = min(missing, len(self._converted))
            rows += self._converted[: self._at]
            self._count(self._at)
        return rows

    def _slices(self, count: int) -> list[tuple[Any, int, int]]:
        """The next `count` rows as parts of blocks; fewer at the end. The caller has the lock."""
        found: list[tuple[Any, int, int]] = []
        left = len(self._converted) - self._at
        if left:
            block, first = self._converted_from
            self._left.appendleft((block, first + self._at, left))
        self._converted, self._at = [], 0
        while count > 0:
            part = self._part(count, count)
            if part is None:
                break
            found.append(part)
            count -= part[2]
            self._count(part[2])
        return found

    def _part(self, count: int, most: int) -> tuple[Any, int, int] | None:
        """At most `most` rows of one block; None at the end. Waits for the next reply if no rows are left. In the first
        call, `count` becomes the size of the batches."""
        from .._feed.batches import take_part

        if not self._left:
            self._left.extend(self._next(count))
        if not self._left:
            return None
        return take_part(self._left, most)

    def _next(self, count: int) -> list[tuple[Any, int, int]]:
        """The rows of the next reply; an empty list at the end."""
        try:
            if not self.begun:
                self._pass = self._reader._begin(count, max(2, _AHEAD // count))
                self.begun = True
            fetch = None if self._pass is None else self._pass.next()
        except FeedEmpty:
            fetch = None
        except FeedMisuse as error:
            raise FeedMisuse(
                f"{error}. All workers read the rows of TFCluster.train() in step; a worker whose function has "
                "returned before it has read a row counts as a reader of batches of 1 row"
            ) from error
        if fetch is None:
            self.ended = True
            return []
        self._arrived += fetch.rows
        return fetch.slices


def _rows_of(part: tuple[Any, int, int]) -> list[Any]:
    from .._feed.batches import record_batch
    from .._feed.objects import elements_of

    return elements_of(record_batch([part], None))


class _Asked:
    """A block of rows of inference(), with the results so far."""

    def __init__(self, question: Any) -> None:
        from .._feed.objects import elements_of

        self.question = question
        self.rows: list[Any] = elements_of(question.batch)
        self.taken = 0
        self.results: list[Any] = []


class Answers:
    """The rows of TFCluster.inference(), which need results. One thread takes rows, and one adds results."""

    def __init__(self, name: str) -> None:
        self.ended = False
        self._lock = threading.Lock()
        self._arrived: SimpleQueue[Any] = SimpleQueue()  # questions; an exception; None at the end
        self._asked: deque[_Asked] = deque()  # with rows that have no result
        self._batches: deque[int] = deque()  # rows without results of each batch, in order
        self._short = ""  # why the last results do not fit
        self._begun = False
        self._name = name

    def take(self, count: int) -> list[Any]:
        self._begin()
        with self._lock:
            if self._short:
                raise self._unlike(self._short)
            current = self._asked[-1] if self._asked else None
        if current is None or current.taken == len(current.rows):
            question = self._arrived.get()
            if isinstance(question, BaseException):
                raise question
            if question is None:
                self.ended = True
                self._arrived.put(None)
                return []
            current = _Asked(question)
            with self._lock:
                self._asked.append(current)
        rows = current.rows[current.taken : current.taken + count]
        with self._lock:
            current.taken += len(rows)
            self._batches.append(len(rows))
        return rows

    def take_arrays(self, count: int) -> Any:
        return arrays_of(self.take(count))

    def answer(self, results: Sequence[Any]) -> None:
        with self._lock:
            waiting = sum(self._batches)
            if len(results) > waiting:
                raise self._unlike(_counts(len(results), waiting))
            complete = self._assign(list(results))
        for asked in complete:
            asked.question.answer(pickle.dumps(asked.results, protocol=5))

    def _assign(self, left: list[Any]) -> list[_Asked]:
        """Gives results to the oldest rows that have none. Returns the blocks that are complete now."""
        only = self._batches[0] if len(self._batches) == 1 else 0
        # Results are missing if those of a single batch are incomplete when the next batch is read.
        self._short = _counts(len(left), only) if 0 < len(left) < only else ""
        count = len(left)
        while count:
            used = min(count, self._batches[0])
            count -= used
            self._batches[0] -= used
            if self._batches[0] == 0:
                self._batches.popleft()
        complete = []
        while left:
            first = self._asked[0]
            used = min(len(left), first.taken - len(first.results))
            first.results += left[:used]
            del left[:used]
            if len(first.results) == len(first.rows):
                complete.append(self._asked.popleft())
        return complete

    def terminate(self) -> None:
        self.ended = True

    def _unlike(self, text: str) -> FeedMisuse:
        """Refuses the rows that have no results. Their Spark tasks fail with this text."""
        if self._asked:
            self._asked[0].question.refuse(text)
            self._asked.popleft()
        return FeedMisuse(f"{text}; there must be exactly one result per row")

    def _begin(self) -> None:
        if self._begun:
            return
        self._begun = True
        questions = _context.context()._questions(self._name)
        threading.Thread(target=self._receive, args=(questions,), name="howdah inference", daemon=True).start()
        threading.Thread(target=self._watch, name="howdah inference", daemon=True).start()

    def _receive(self, questions: Any) -> None:
        try:
            for question in questions:
                self._arrived.put(question)
            self._arrived.put(None)
        except BaseException as error:
            self._arrived.put(error)

    def _watch(self) -> None:
        """Waits for the end of the feed `input`, which shutdown() closes."""
        try:
            _input().wait_for_end()
            self._arrived.put(None)
        except BaseException as error:
            self._arrived.put(error)


def _counts(results: int, rows: int) -> str:
    surplus = abs(results - rows)
    number = "one result" if surplus == 1 else str(surplus)
    return f"batch_results() has {results} results for {rows} rows: {number} too {'many' if results > rows else 'few'}"


_lock = threading.Lock()  # of _opened
_opened: dict[str, Rows] = {}  # by the name of the feed


def _input() -> Input:
    with _lock:
        found = _opened.get(INPUT)
        if not isinstance(found, Input):
            found = _opened[INPUT] = Input(INPUT)
    return found


def of_node(train_mode: bool) -> Rows:
    """The rows of this process: the same object at every call."""
    if train_mode:
        return _input()
    with _lock:
        return _opened.setdefault(INFERENCE, Answers(INFERENCE))


def finish() -> None:
    """The program of this node, which reads the feed `input`, has returned."""
    _input().finish()

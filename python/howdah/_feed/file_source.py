"""Reads the files of a feed for one rank, and sends their rows as a source of the feed.

    supply ── request: these parts of this pass ──▶ wanted
    decoder:  takes the next wanted part, decodes it ──▶ blocks, at most 32 MiB ahead
    sender:   ask ──▶ which rows are missing, and who takes them?
              DoPut ──▶ blocks; … until the job has all rows of the part

With split "equal", partition p is for reader p % readers, and only this reader's process reads it, so the order of rows
does not depend on time. With "all", the process of reader 0 reads everything. With "dynamic", a process reads its own
partitions first, and then those of others that no process has claimed.
"""

from __future__ import annotations

import json
import threading
from heapq import heappop, heappush, nsmallest
from collections import deque
from contextlib import suppress
from typing import Any, Iterator, Sequence

from .. import _needs
from .._errors import FeedChanged, FeedError, FeedTypeError
from .file_formats import READERS, check, merged, sent
from .file_plan import Part, Places, Plan, check_restored, decode, format_of, order, part_bytes
from .source import BLOCK_LIMIT, ROW_LIMIT
from .spark_task import Address, Broken, Calls, Sent, missing_parts

pa: Any = _needs.load("pyarrow", "howdah.Feed")

_AHEAD = 32 << 20  # bytes of decoded blocks
_BLOCK = 4 << 20  # the intended bytes of a block
_FEW_ROWS = 1024  # of a block, if there are fewer parts than readers
_NEXT = 4  # parts whose bytes may be requested ahead
_TRIES = 3  # to read a part, if the file system does not answer
_RETRY_S = 1.0


class Over(Exception):
    """No further rows are wanted."""


class Settings:
    """The values of `source` in the reply to `open`, and the place of the reader."""

    def __init__(self, given: dict[str, Any]) -> None:
        self.feed: str = given["feed"]
        self.reader: int = given["reader"]
        self.readers: int = given["readers"]
        self.split: str = given["split"]
        self.sources: list[str] = given["from"]
        self.format: str | None = given["format"]
        self.columns: list[str] | None = given["columns"]
        self.shuffled: bool = given["shuffled"]
        self.seed: int = given["seed"]
        self.address = Address((given["location"],), given["token"], given["ca"], given["server_name"])

    @property
    def name(self) -> str:
        """The source, for people."""
        more = len(self.sources) - 1
        return f"the reading of {self.sources[0]}" + (f" and {more} more" if more else "")

    def owns(self, part: int) -> bool:
        """Whether this process is the first one to read the part."""
        return self.reader == (0 if self.split == "all" else part % self.readers)


def make_plan(settings: Settings, places: Places) -> Plan:
    """Lists the files. Raises FeedError if there are none, or the first one cannot be read."""
    files = places.files()
    names = [places.name(file) for file in files]
    format = settings.format or (format_of(names) if names else "parquet")
    if not files:  # all are empty, so the feed has no rows
        return Plan(format, (), 0, pa.schema([]), "")
    reader = READERS[format](settings.columns)
    step = -(-len(files) // reader.samples)
    schemas = []
    unit = 0
    for file, name in list(zip(files, names))[::step]:
        with _named(name), places.open(file) as opened:
            schemas.append(reader.schema(opened, name))
            unit = unit or reader.unit(opened)
            if format == "csv":
                check(schemas[-1], name, schemas[0], names[0], types=False)
    schema = merged(schemas)
    try:
        sent([], schema)
    except FeedTypeError as error:  # a column that a feed cannot carry
        raise FeedTypeError(f"reading {names[0]}: {error}") from None
    return Plan(format, files, part_bytes([file.size for file in files], format, unit), schema, names[0])


class _named:
    """Names a file in all errors of the block."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: BaseException | None, *rest: Any) -> None:
        if isinstance(error, Exception) and not isinstance(error, (FeedError, OSError, ModuleNotFoundError)):
            text = str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
            raise FeedError(text if self._name in text else f"reading {self._name}: {text}") from error
        if isinstance(error, OSError) and self._name not in str(error):
            text = f"reading {self._name}: {error.strerror or error}"
            raise (OSError(error.errno, text) if error.errno else OSError(text)) from error


class Rows:
    """The blocks of one partition, which a thread decodes ahead."""

    def __init__(self, pass_: int, number: int) -> None:
        self.pass_, self.number = pass_, number
        self.blocks: deque[tuple[int, Any]] = deque()  # (first row, block)
        self.read = 0  # rows
        self.complete = False
        self.error: BaseException | None = None
        self.dropped = False  # nobody wants the rest


class Wanted:
    """The parts of one pass that this process may have to read. Not thread-safe."""

    def __init__(self, settings: Settings, parts: int, pass_: int) -> None:
        self._settings, self._parts = settings, parts
        self._positions = [0] * parts
        for position, part in enumerate(order(parts, settings.shuffled, settings.seed, pass_)):
            self._positions[part] = position
        self._wanted: set[int] = set()
        self._heap: list[tuple[int, int]] = []
        self.begun: set[int] = set()  # parts that this process has read, or has begun to read

    def add(self, first: int, end: int) -> None:
        """Adds those of the parts first <= part < end that this process reads."""
        settings = self._settings
        step = 1
        if settings.split != "dynamic":
            step = 1 if settings.split == "all" else settings.readers
            first += (settings.reader - first) % step
            if not settings.owns(first):
                return
        for part in range(first, min(end, self._parts), step):
            if part not in self._wanted:
                self._wanted.add(part)
                position = self._positions[part]
                # The parts of others come last, and first those that the others will reach last.
                heappush(self._heap, (position if settings.owns(part) else 2 * self._parts - position, part))

    def remove(self, part: int) -> None:
        self._wanted.discard(part)

    def next(self) -> list[int]:
        """Some parts that are read next, in order."""
        return [part for _, part in nsmallest(_NEXT, self._heap) if part in self._wanted]

    def first(self) -> int | None:
        """The part to read next."""
        while self._heap and self._heap[0][1] not in self._wanted:
            heappop(self._heap)
        return self._heap[0][1] if self._heap else None


class FileSource:
    """calls: to the executor. Every function may raise Over."""

    def __init__(self, settings: Settings, calls: Calls) -> None:
        self._settings, self._calls = settings, calls
        self._places = Places(settings.sources)
        self._changed = threading.Condition()  # guards all fields below
        self._plan: Plan | None = None
        self._parts: list[Part] = []
        self._wanted: dict[int, Wanted] = {}  # by pass
        self._queue: deque[Rows] = deque()  # in the order in which they are sent
        self._ahead = 0  # bytes of blocks that are decoded and not sent
        self._ended: BaseException | None = None
        self._busy: list[tuple[int, int]] = []  # parts that other processes have claimed; of the decoder

    def run(self) -> None:
        """Reads until no further rows are wanted."""
        threading.Thread(target=self._hear, name="supply", daemon=True).start()
        self._set_plan(self._agree())
        self._action("source-ended", partitions=len(self._parts))
        threading.Thread(target=self._decode, name="decode", daemon=True).start()
        while True:
            self._send(self._next_rows())

    # --- the job ---

    def _action(self, kind: str, **body: Any) -> dict[str, Any]:
        """An action that is repeated until it is answered."""
        while True:
            try:
                return self._calls.action(kind, **body)
            except Broken:  # the application master is being replaced
                self._pause()

    def _pause(self) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._ended is not None, _RETRY_S)
            if self._ended is not None:
                raise self._ended

    def _end(self, error: BaseException) -> None:
        with self._changed:
            self._ended = self._ended or error
            self._changed.notify_all()

    def _hear(self) -> None:
        """Follows the requests of the job."""
        try:
            while True:
                try:
                    for message in self._calls.replies("supply", name=self._settings.name):
                        self._on(message)
                except Broken:
                    pass
                self._pause()
        except BaseException as error:
            self._end(error)

    def _on(self, message: dict[str, Any]) -> None:
        if message.get("failed") or message.get("over"):  # the readers have the error of the feed
            raise Over
        request = message["request"]
        with self._changed:
            # All parts that are missing: what was wanted before and is not in the list has arrived.
            self._changed.wait_for(lambda: self._plan is not None or self._ended is not None)
            if self._ended is not None:
                raise self._ended
            assert self._plan is not None
            if message.get("restored") is not None:
                check_restored(self._settings.feed, self._plan, message["restored"])
            count = len(self._parts)
            wanted = self._of(request["pass"])
            for first, end in request["partitions"]:
                wanted.add(first, count if end is None else end)
            for rows in self._queue:  # is being read
                if rows.pass_ == request["pass"]:
                    wanted.remove(rows.number)
            self._changed.notify_all()

    def _of(self, pass_: int) -> Wanted:
        if pass_ not in self._wanted:
            self._wanted[pass_] = Wanted(self._settings, len(self._parts), pass_)
            for old in [old for old in self._wanted if old < pass_ - 1 and self._wanted[old].first() is None]:
                del self._wanted[old]
        return self._wanted[pass_]

    def _agree(self) -> Plan:
        """The plan of the job, which this process makes if nobody has made one."""
        reply = self._action("plan", plan=None)
        while reply.get("plan") is None:
            made = make_plan(self._settings, self._places).encode() if reply.get("make") else None
            reply = self._action("plan", plan=made)
        return decode(reply["plan"])

    def _set_plan(self, plan: Plan) -> None:
        parts = plan.parts()
        with self._changed:
            self._plan, self._parts = plan, parts
            self._changed.notify_all()

    # --- decoding ---

    def _decode(self) -> None:
        try:
            while True:
                rows = self._begin()
                try:
                    self._decode_part(rows)
                except Over:
                    raise
                except Exception as error:
                    rows.error = error
                with self._changed:
                    rows.complete = True
                    self._changed.notify_all()
        except BaseException as error:
            self._end(error)

    def _begin(self) -> Rows:
        """Waits for the next part that this process has to read."""
        turn = self._settings.reader
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._ended is not None or self._busy or self._first() is not None)
                if self._ended is not None:
                    raise self._ended
                part = self._first()
                seen = part is not None and part[1] in self._wanted[part[0]].begun
            patient = part is None
            if part is None:
                turn += 1
                part = self._busy[turn % len(self._busy)]
            elif self._settings.split != "dynamic" and not seen:
                return self._take(*part)
            what = self._ask(*part, patient=patient)["what"]
            if what == "over":
                raise Over
            if what == "wait" and self._settings.split == "dynamic":
                continue
            self._busy = [other for other in self._busy if other != part]
            if what not in ("done", "busy"):
                return self._take(*part)
            if what == "busy":
                self._busy.append(part)
            self._drop(*part)

    def _first(self) -> tuple[int, int] | None:
        """(pass, number) of the next part."""
        for pass_ in sorted(self._wanted):
            number = self._wanted[pass_].first()
            if number is not None:
                return pass_, number
        return None

    def _drop(self, pass_: int, number: int) -> None:
        with self._changed:
            self._of(pass_).remove(number)

    def _take(self, pass_: int, number: int) -> Rows:
        rows = Rows(pass_, number)
        with self._changed:
            wanted = self._of(pass_)
            wanted.remove(number)
            wanted.begun.add(number)
            self._queue.append(rows)
            self._changed.notify_all()
        return rows

    def _decode_part(self, rows: Rows) -> None:
        part = self._parts[rows.number]
        name = self._places.name(part.file)
        for attempt in range(1, _TRIES + 1):
            try:
                with _named(name):
                    self._read(rows, part, name)
                self._places.check(part.file)
                return
            except (FeedChanged, FileNotFoundError):
                self._places.check(part.file)
                raise
            except OSError as error:
                self._places.check(part.file)
                if attempt == _TRIES or isinstance(error, PermissionError):
                    raise
                self._pause()
            except Exception:
                self._places.check(part.file)  # a file that is being written is not damaged
                raise

    def _read(self, rows: Rows, part: Part, name: str) -> None:
        plan = self._plan
        assert plan is not None
        few = self._few()
        first = 0
        with self._places.open(part.file) as file:
            file.then = self._then(part)
            reader = READERS[plan.format](self._settings.columns)
            found = reader.batches(file, name, part.start, part.end, plan.schema, plan.schema_file)
            for batch in sent(found, plan.schema):
                for block in cut(batch, few):
                    # Rows of an attempt before this one are there already.
                    if first >= rows.read and not self._add(rows, first, block):
                        return
                    first += block.num_rows

    def _then(self, part: Part) -> list[tuple[int, int]]:
        """The parts of the same file that are probably read next."""
        with self._changed:
            first = self._first()
            numbers = [] if first is None else self._wanted[first[0]].next()
            parts = [self._parts[number] for number in numbers]
        return [(other.start, other.end) for other in parts if other.file == part.file]

    def _few(self) -> bool:
        """Whether rows have to be spread, because there are few parts."""
        return self._settings.split == "dynamic" and len(self._parts) < 2 * self._settings.readers

    def _add(self, rows: Rows, first: int, block: Any) -> bool:
        """Adds a block when there is space for it. Returns False if nobody wants it."""
        with self._changed:
            self._changed.wait_for(lambda: self._ended is not None or self._ahead < _AHEAD or rows.dropped)
            if self._ended is not None:
                raise self._ended
            if rows.dropped:
                return False
            rows.blocks.append((first, block))
            rows.read = first + block.num_rows
            self._ahead += block.nbytes
            self._changed.notify_all()
            return True

    # --- sending ---

    def _next_rows(self) -> Rows:
        with self._changed:
            self._changed.wait_for(lambda: self._ended is not None or self._queue)
            if self._ended is not None:
                raise self._ended
            return self._queue[0]

    def _ask(self, pass_: int, number: int, patient: bool = False) -> dict[str, Any]:
        settings = self._settings
        if settings.split != "dynamic":
            return self._action("ask", **{"pass": pass_, "partition": number}, reader=settings.reader)
        near = None if self._few() else settings.reader
        claim = {"claim": settings.reader + 1, "near": near, "patient": patient}
        return self._action("ask", **{"pass": pass_, "partition": number}, **claim)

    def _send(self, rows: Rows) -> None:
        """Sends a partition until the job has all of its rows."""
        reported = again = False
        while not again:
            block = self._peek(rows)
            if block is None and not reported:
                place = {"pass": rows.pass_, "partition": rows.number}
                self._action("partition-ended", rows=rows.read, **place)
                reported = True
            answer = self._ask(rows.pass_, rows.number)
            if answer["what"] == "over":
                raise Over
            if answer["what"] in ("done", "busy"):
                break
            if answer["what"] != "wait":
                # Without a block to send, rows are missing that were sent before.
                again = block is None
                if block is not None:
                    with suppress(Broken):  # the next answer names another reader, or the same one when it is back
                        self._put(rows, answer, block[1].schema)
        with self._changed:
            rows.dropped = True
            self._ahead -= sum(block.nbytes for _, block in rows.blocks)
            rows.blocks.clear()
            self._queue.popleft()
            if again:
                self._of(rows.pass_).add(rows.number, rows.number + 1)
            self._changed.notify_all()

    def _peek(self, rows: Rows) -> tuple[int, Any] | None:
        """Waits for the next block. None: the partition has no further one."""
        with self._changed:
            self._changed.wait_for(lambda: self._ended is not None or rows.blocks or rows.complete)
            if self._ended is not None:
                raise self._ended
            if rows.blocks:
                return rows.blocks[0]
            if rows.error is not None:
                raise rows.error
            return None

    def _put(self, rows: Rows, answer: dict[str, Any], schema: Any) -> None:
        """Sends missing rows until the reader takes no more, or the limit of the answer is reached."""
        place = {"pass": rows.pass_, "partition": rows.number, "reader": answer["reader"]}
        left = answer.get("limit") or (_FEW_ROWS if self._few() else 1 << 62)
        blocks = Sent(self._calls.refused)
        try:
            with self._calls.put(answer["locations"], schema, **place) as (writer, reader):
                blocks.send(writer, reader, self._pieces(rows, answer["missing"], left))
        finally:
            self._put_back(rows, blocks.rest)

    def _pieces(
        self, rows: Rows, missing: Sequence[Sequence[Any]], left: int
    ) -> Iterator[tuple[tuple[int, Any], bytes]]:
        """Missing blocks of at most `left` rows together."""
        while left > 0 and (piece := self._next_piece(rows, missing, left)) is not None:
            left -= piece[1].num_rows
            yield piece, json.dumps({"from": piece[0]}).encode()

    def _next_piece(self, rows: Rows, missing: Sequence[Sequence[Any]], most: int) -> tuple[int, Any] | None:
        """The next missing rows, at most `most` of them."""
        while True:
            if self._peek_or_error(rows) is None:
                return None
            with self._changed:
                first, block = rows.blocks.popleft()
                self._ahead -= block.nbytes
                self._changed.notify_all()
            parts = missing_parts(first, block, missing)
            if parts and parts[0][1].num_rows > most:
                at, part = parts[0]
                parts[:1] = [(at, part.slice(0, most)), (at + most, part.slice(most))]
            self._put_back(rows, parts[1:])
            if parts:
                return parts[0]

    def _peek_or_error(self, rows: Rows) -> tuple[int, Any] | None:
        """As _peek. An error is raised by the next call of _peek, after the blocks under way are acknowledged."""
        with self._changed:
            self._changed.wait_for(lambda: self._ended is not None or rows.blocks or rows.complete)
            if self._ended is not None:
                raise self._ended
            return rows.blocks[0] if rows.blocks else None

    def _put_back(self, rows: Rows, pieces: list[tuple[int, Any]]) -> None:
        with self._changed:
            rows.blocks.extendleft(reversed(pieces))
            self._ahead += sum(block.nbytes for _, block in pieces)


def cut(batch: Any, few: bool) -> Iterator[Any]:
    """Divides a batch into blocks. The boundaries depend on the batch only. few: small blocks, for several readers."""
    if batch.num_rows == 0:
        return
    size = max(1, _BLOCK * batch.num_rows // max(1, batch.nbytes))
    if few:
        size = min(size, _FEW_ROWS)
    for first in range(0, batch.num_rows, size):
        yield from _fitting(batch.slice(first, min(size, batch.num_rows - first)))


def _fitting(block: Any) -> Iterator[Any]:
    size = pa.ipc.get_record_batch_size(block)
    if size <= BLOCK_LIMIT:
        yield block
    elif block.num_rows > 1:
        half = block.num_rows // 2
        yield from _fitting(block.slice(0, half))
        yield from _fitting(block.slice(half))
    elif size <= ROW_LIMIT:
        yield block
    else:
        raise FeedError(f"a row has {size / 2**20:.1f} MiB; a row of a feed has at most 256 MiB: split it")


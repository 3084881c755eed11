"""Asks the ranks of a job: sends blocks of rows to its executors, and yields each with its answer.

The text of this module travels to Spark's tasks, so it needs only the standard library and pyarrow.

    this thread:           sends blocks until `window_bytes` have no answer ──▶ yields the first one with its answer
    a thread of each call: receives answers

Blocks without an answer go to another executor when a call ends, or when its executor reports that no rank answers.
A block is part of one call at a time, so it gets one answer.
"""

from __future__ import annotations

import json
import os
import queue
import socket
import stat
import threading
import time
from collections import deque
from contextlib import suppress
from importlib import import_module
from typing import Any, Iterator

pa: Any = import_module("pyarrow")
flight: Any = import_module("pyarrow.flight")

_BLOCK = 8 << 20  # bytes of a block that has more than one row
_ROW = 256 << 20  # bytes of a row
_MOST_LOST = 3  # losses of a block, until it counts as their cause
_SLOWEST_RETRY_S = 1.0
_END_S = 5.0  # for an executor to end a call
_DIRECTORY_S = 90.0  # for one reply of the directory, which waits up to 60 s for a task of the job
_UNIX = "grpc+unix://"
_LOST = (flight.FlightUnavailableError, flight.FlightTimedOutError, flight.FlightCancelledError, OSError)


class AskFailed(Exception):
    """A block was refused, or nothing answers it."""


class _Question:
    """A block that was sent, or will be. first: the number of its first row in the partition."""

    __slots__ = ("batch", "first", "size", "payload", "lost")

    def __init__(self, batch: Any, first: int, size: int) -> None:
        self.batch, self.first, self.size = batch, first, size
        self.payload: bytes | None = None
        self.lost = 0  # how often all processes of an executor have ended while it was the oldest of its call


class _Call:
    """One call to an executor. Its thread puts (call, message) into `events`, and (call, None) at the end."""

    def __init__(self, client: Any, keys: dict[str, Any], schema: Any, events: queue.SimpleQueue[Any]) -> None:
        self.flying: dict[int, _Question] = {}  # by the number of the block in this call
        self.closing = False  # no further blocks are sent
        self.client, self._events, self._sent = client, events, 0
        self._error: Exception | None = None
        descriptor = flight.FlightDescriptor.for_command(json.dumps({"feed": keys["feed"]}).encode())
        options = flight.FlightCallOptions(headers=[(b"authorization", b"Bearer " + keys["token"].encode())])
        self._writer, self._reader = client.do_exchange(descriptor, options)
        self._writer.begin(schema)
        self._thread = threading.Thread(target=self._read, name="howdah ask", daemon=True)
        self._thread.start()

    def send(self, question: _Question) -> None:
        self.flying[self._sent] = question
        number, self._sent = self._sent, self._sent + 1
        try:
            self._writer.write_with_metadata(question.batch, json.dumps({"block": number}).encode())
        except (flight.FlightError, OSError):  # the call has ended, and its thread reports that
            self.closing = True

    def finish(self) -> None:
        """Sends no further blocks. The call ends when those that were sent are answered."""
        if not self.closing:
            self.closing = True
            with suppress(pa.ArrowException, OSError):
                self._writer.done_writing()

    def end(self) -> None:
        """Ends the call. Its answers are not needed any more."""
        if not self.flying:
            self.finish()
            self._thread.join(_END_S)
        self.closing = True
        with suppress(pa.ArrowException, OSError):
            self._reader.cancel()
        self._thread.join(_END_S)
        self.error()

    def error(self) -> Exception | None:
        """The reason why the call has ended."""
        try:
            self._writer.close()
        except (pa.ArrowException, OSError) as error:
            return self._error or error
        return self._error

    def _read(self) -> None:
        try:
            while True:
                message = self._reader.read_chunk().app_metadata
                if message is not None:
                    self._events.put((self, message))
        except StopIteration:
            pass
        except Exception as error:
            self._error = error
        self._events.put((self, None))


class _Asking:
    """The questions of one partition."""

    def __init__(self, keys: dict[str, Any], window_bytes: int) -> None:
        self._keys, self._window = keys, window_bytes
        self.partition = _partition()
        self._locations = self._order(keys["locations"])
        self._clients: dict[str, Any] = {}
        self._events: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._asked: deque[_Question] = deque()  # in the order of the rows
        self._unsent: deque[_Question] = deque()
        if sum(location.startswith(_UNIX) for location in keys["locations"]) < keys.get("executors", 0):
            self._find()  # more may have started since the locations were read
        self._bytes = 0  # of `_asked`
        self._calls: set[_Call] = set()
        self._current: _Call | None = None  # the call to which blocks are sent
        self._schema: Any = None
        self._turn = 0  # the next location
        self._failures = 0  # since the last answer
        self._failing_since = 0.0
        self._retry_at = 0.0
        self._last = ""  # the reason of the newest failure

    def run(self, batches: Iterator[Any]) -> Iterator[tuple[Any, bytes]]:
        questions: Iterator[_Question] | None = self._questions(batches)
        try:
            while True:
                while questions is not None and (not self._asked or self._bytes < self._window):
                    question = next(questions, None)
                    if question is None:
                        questions = None
                        break
                    self._asked.append(question)
                    self._unsent.append(question)
                    self._bytes += question.size
                    self._send()
                if not self._asked:
                    break
                head = self._asked[0]
                while head.payload is None:
                    self._send()
                    self._receive()
                self._asked.popleft()
                self._bytes -= head.size
                yield head.batch, head.payload
        finally:
            for call in self._calls:
                call.end()

    def _questions(self, batches: Iterator[Any]) -> Iterator[_Question]:
        first = 0
        for batch in batches:
            for part, size in _parts(batch):
                if size > _ROW:
                    at = f"row {first} of partition {self.partition}"
                    raise AskFailed(f"{at} has {size / 2**20:.1f} MiB; a row has at most 256 MiB: send fewer columns")
                yield _Question(part, first, size)
                first += part.num_rows

    # --- sending ---

    def _send(self) -> None:
        """Sends blocks, unless no executor can be reached now."""
        while self._unsent:
            if self._current is None and (time.monotonic() < self._retry_at or not self._open()):
                return
            assert self._current is not None
            if self._current.closing:  # it has broken off, and its thread reports that
                return
            self._current.send(self._unsent.popleft())

    def _open(self) -> bool:
        self._schema = self._unsent[0].batch.schema if self._schema is None else self._schema
        if not self._locations:
            self._failed("none of them can be reached from this machine")
            return False
        location = self._locations[self._turn % len(self._locations)]
        self._turn += 1
        try:
            self._current = _Call(self._client(location), self._keys, self._schema, self._events)
        except _LOST as error:
            self._clients.pop(location, None)
            self._failed(_line(error))
            return False
        except pa.ArrowException as error:
            raise self._refused(error) from None
        self._calls.add(self._current)
        return True

    def _client(self, location: str) -> Any:
        client = self._clients.get(location)
        if client is None:
            near = location.startswith(_UNIX)
            options = [("grpc.use_local_subchannel_pool", 1)]  # a new client connects at once
            if not near:  # finds out that a machine has vanished
                options += [("grpc.keepalive_time_ms", 30_000), ("grpc.keepalive_timeout_ms", 20_000)]
                options += [("grpc.http2.max_pings_without_data", 0)]
            client = self._clients[location] = flight.FlightClient(
                location,
                tls_root_certs=None if near else self._keys["ca"].encode(),
                override_hostname=None if near else self._keys["server_name"],
                generic_options=options,
            )
        return client

    def _order(self, locations: Any) -> list[str]:
        """The usable locations in the order of preference: sockets of this user on this machine, then TLS."""
        near = [location for location in locations if location.startswith(_UNIX) and _is_own(location)]
        far = [location for location in locations if not location.startswith(_UNIX)]
        return [
            group[(self.partition + number) % len(group)] for group in (near, far) for number in range(len(group))
        ]

    # --- receiving ---

    def _receive(self) -> None:
        """Waits for one message, or until blocks can be sent again."""
        waits = self._unsent and self._current is None
        timeout = max(0.0, self._retry_at - time.monotonic()) if waits else None
        try:
            call, message = self._events.get(timeout=timeout)
        except queue.Empty:
            return
        if message is None:
            self._ended(call)
            return
        data = memoryview(message)
        head = bytes(data[:4096])
        if b"\n" not in head:
            head = bytes(data)
        end = head.index(b"\n")
        answer = json.loads(head[:end])
        question: _Question | None = call.flying.pop(answer["block"], None)
        if question is None:
            return
        if "error" in answer:
            raise self._failure(question, answer["error"])
        if "lost" in answer:
            self._lost(call, answer["block"], question, answer["lost"])
            return
        question.payload = bytes(data[end + 1 :])
        self._failures, self._retry_at = 0, 0.0

    def _lost(self, call: _Call, number: int, question: _Question, why: str) -> None:
        """No process of an executor answers this block any more, nor the other blocks of the call."""
        self._again([question])
        if call is self._current:
            self._current = None
        if call.closing:
            return
        oldest = question if number < min(call.flying, default=number + 1) else call.flying[min(call.flying)]
        oldest.lost += 1
        if oldest.lost >= _MOST_LOST:
            raise self._failure(oldest, f"{_MOST_LOST} times the process that was to answer them has ended ({why})")
        call.finish()
        self._failed(why)

    def _ended(self, call: _Call) -> None:
        self._calls.discard(call)
        if call is self._current:
            self._current = None
        error = call.error()
        if error is not None and not isinstance(error, _LOST):
            raise self._refused(error) from None
        if call.flying or error is not None:
            self._again(list(call.flying.values()))
            call.flying.clear()
            self._clients = {where: client for where, client in self._clients.items() if client is not call.client}
            self._failed(_line(error) if error is not None else "the executor has ended the call")

    def _again(self, questions: list[_Question]) -> None:
        self._unsent = deque(sorted([*self._unsent, *questions], key=lambda question: question.first))

    def _failure(self, question: _Question, text: str) -> AskFailed:
        last = question.first + question.batch.num_rows - 1
        rows = f"rows {question.first} to {last} of partition {self.partition}"
        return AskFailed(f"the job {self._keys['job']} cannot answer {rows}: {text}")

    def _refused(self, error: Exception) -> AskFailed:
        return AskFailed(f"an executor of the job {self._keys['job']} has refused a call: {_line(error)}")

    # --- failures ---

    def _failed(self, why: str) -> None:
        """An executor cannot be reached, or does not answer. The next one is tried, and after all of them there is a
        pause. Raises AskFailed when this goes on for too long."""
        now = time.monotonic()
        if self._failures == 0:
            self._failing_since = now
        self._failures, self._last = self._failures + 1, why
        if self._failures % max(1, len(self._locations)) == 0:  # all were tried
            self._find()
            pause = 0.05 * 2 ** min(self._failures // max(1, len(self._locations)), 10)
            self._retry_at = time.monotonic() + min(pause, _SLOWEST_RETRY_S)
        patience = self._keys["patience"]
        if now - self._failing_since >= patience:
            raise AskFailed(
                f"no executor of the job {self._keys['job']} has answered partition {self.partition} for {patience:g} "
                f"s: the job has ended, or its executors cannot be reached from {socket.gethostname()} ({self._last})"
            )

    def _find(self) -> None:
        """Gets the locations of the executors that run now, from the process that submitted the job."""
        found = look_up(self._keys.get("directory"))
        if "ended" in found:
            raise AskFailed(found["ended"])
        if found.get("locations"):
            self._locations = self._order(found["locations"])


def look_up(directory: Any) -> dict[str, Any]:
    """The answer of a directory: {"locations": […]}, or {"ended": text} if the job has ended. {} if it does not answer.
    directory: host, port and secret, or None."""
    if not directory:
        return {}
    host, port, secret = directory
    try:
        with socket.create_connection((host, port), timeout=10) as connection:
            connection.settimeout(_DIRECTORY_S)
            connection.sendall(f"{secret}\n".encode())
            with connection.makefile("rb") as file:
                answer: dict[str, Any] = json.loads(file.read(16 << 20) or b"{}")
                return answer
    except (OSError, ValueError):
        return {}


def _partition() -> int:
    """The number of the partition of this Spark task; 0 outside Spark."""
    try:
        context = import_module("pyspark").TaskContext.get()
    except ImportError:
        return 0
    return 0 if context is None else int(context.partitionId())


def _is_own(location: str) -> bool:
    try:
        found = os.stat(location[len(_UNIX) :])
    except OSError:
        return False
    return stat.S_ISSOCK(found.st_mode) and found.st_uid == os.getuid()


def _parts(batch: Any) -> Iterator[tuple[Any, int]]:
    """Halves a batch until each part fits into a block: (part, bytes)."""
    if not batch.num_rows:
        return
    size = pa.ipc.get_record_batch_size(batch)
    if size <= _BLOCK or batch.num_rows == 1:
        yield batch, size
        return
    half = batch.num_rows // 2
    yield from _parts(batch.slice(0, half))
    yield from _parts(batch.slice(half))


def _line(error: BaseException) -> str:
    """The text of an error of Flight without details of the client."""
    return str(error).partition(". gRPC client debug context")[0].partition(". Client context")[0]


def ask(batches: Iterator[Any], keys: dict[str, Any], window_bytes: int = 32 << 20) -> Iterator[tuple[Any, bytes]]:
    """Yields the rows of `batches` in their order: each block with its answer.

    batches: RecordBatches of one schema. Large ones are divided; those without rows are left out. keys: `feed`, `job`
    (for messages), `token`, `ca`, `server_name` and `locations` of the executors, and `patience`: the seconds
    after which the call fails if no executor answers. `directory`, if given, is the argument of look_up. `executors`,
    if given, is the largest number of executors of the job: if `locations` has fewer, the directory is asked at once.
    window_bytes: of the blocks that are sent and not yielded.

    Raises AskFailed with the reason of a rank that has refused a block, and if the job has ended.
    """
    return _Asking(keys, window_bytes).run(batches)

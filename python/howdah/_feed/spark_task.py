"""Calls of a feed to the executors of a job, and the code of the Spark tasks that send a DataFrame or an RDD.

The text of this module travels to Spark's tasks, so it needs only the standard library and pyarrow.

    task:  ask ──▶ which rows of the partition are missing, and who takes them?
           reads Spark's batches from the start, cuts them into blocks, and sends the blocks with missing rows
           … until the job has all rows, nobody wants them any more, or readers have been full for 10 s
"""

from __future__ import annotations

import gc
import json
import os
import stat
import threading
import time
from collections import deque
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import Any, Callable, Iterable, Iterator, NamedTuple, Sequence

pa: Any = import_module("pyarrow")
flight: Any = import_module("pyarrow.flight")

DEPTH = 2  # blocks of a partition that are under way: one is sent while the job accepts the other
KEY_END = "\x1f"  # between the key of a send and the number of a partition; not in the keys of FeedWriter.send
TURN = "howdah.feed"  # the local property that describes a Spark job, as JSON

_ROW = 256 << 20  # bytes of a row
_REPLY_S = 60.0  # for one reply to an action; `ask` is answered after 10 s at the latest
_SLOWEST_RETRY_S = 1.0
_UNIX = "grpc+unix://"


class Broken(Exception):
    """A connection to an executor was lost, or could not be made."""


class Refused(Exception):
    """An executor has refused a call."""


class Unfit(Exception):
    """A feed cannot carry a row."""


class SourceFailed(Exception):
    """The source has raised its __cause__."""


class Address(NamedTuple):
    """Where the executors of a job listen for a feed."""

    locations: Sequence[str]
    token: str
    ca: str  # the certificate of the job's authority, in PEM format
    server_name: str  # the name in the executors' certificates


def reachable(locations: Sequence[str]) -> list[str]:
    """The locations in the order of preference: sockets of this user on this machine, then TLS."""

    def own(location: str) -> bool:
        try:
            found = os.stat(location[len(_UNIX) :])
        except OSError:
            return False
        return stat.S_ISSOCK(found.st_mode) and found.st_uid == os.getuid()

    near = [location for location in locations if location.startswith(_UNIX) and own(location)]
    return near + [location for location in locations if not location.startswith(_UNIX)]


class Calls:
    """The calls to the executors of a job, for one feed. local: the LocalCalls for executors on this machine; None: all
    calls use Flight. Thread-safe."""

    refused: type[Exception] = Refused  # raised if an executor refuses a call

    def __init__(self, job: str, feed: str, local: Any = None) -> None:
        self._job, self._feed, self._local = job, feed, local
        self._lock = threading.Lock()
        self._clients: dict[str, Any] = {}
        self._idle: dict[str, list[Any]] = {}  # clients for `put`, which no call uses now
        self._address = Address((), "", "", "")
        self._main = ""  # the location for actions
        self._turn = 0

    def use(self, address: Address) -> None:
        """Chooses an executor for actions: another one at every call."""
        usable = reachable(address.locations)
        if not usable:
            raise self.refused(f"no executor of {self._job} can be reached from this machine: {address.locations}")
        with self._lock:
            if address[1:] != self._address[1:]:
                self._clients.clear()
                self._idle.clear()
            self._address = address
            self._main = usable[self._turn % len(usable)]
            self._turn += 1

    def use_next(self) -> None:
        """Chooses another executor for actions."""
        self.use(self._address)

    @property
    def address(self) -> Address:
        return self._address

    def action(self, kind: str, **body: Any) -> dict[str, Any]:
        """The one reply to an action."""
        if self._local is not None:
            location = self._main
            with self._errors(location):
                text = json.dumps({"feed": self._feed, **body}).encode()
                found = self._local.action(location, self._address.token, kind, text, _REPLY_S)
                if found is not None:
                    return dict(found)
        for reply in self.replies(kind, timeout=_REPLY_S, **body):
            return reply
        raise self.refused(f"the executor has not replied to {kind!r}")

    def replies(self, kind: str, *, timeout: float | None = None, **body: Any) -> Iterator[dict[str, Any]]:
        """The replies to an action, as they arrive."""
        location = self._main
        with self._errors(location):
            request = flight.Action(kind, json.dumps({"feed": self._feed, **body}).encode())
            for result in self._client(location).do_action(request, self._options(timeout)):
                yield json.loads(result.body.to_pybytes())

    @contextmanager
    def put(self, locations: Sequence[str], schema: Any, **command: Any) -> Iterator[tuple[Any, Any]]:
        """The writer of blocks to an executor, and the reader of its answers."""
        usable = reachable(locations)
        if not usable:
            raise self.refused(f"no location of a reader of {self._job} can be reached from this machine: {locations}")
        with self._errors(usable[0]):
            text = json.dumps({"feed": self._feed, **command}).encode()
            writer, reader, free = self._begin_put(usable[0], schema, text)
            try:
                yield writer, reader
            except BaseException:
                with suppress(pa.ArrowException):
                    writer.close()
                raise
            writer.close()  # raises the status of the call
            free()

    def _begin_put(self, location: str, schema: Any, command: bytes) -> tuple[Any, Any, Callable[[], None]]:
        """Writer, reader, and a function to call after the call has ended without an error."""
        if self._local is not None:
            put = self._local.put(location, self._address.token, schema, command)
            if put is not None:
                return put, put, lambda: None
        descriptor = flight.FlightDescriptor.for_command(command)
        client, free = self._putter(location)
        writer, reader = client.do_put(descriptor, schema, self._options(None))
        return writer, reader, free

    def _putter(self, location: str) -> tuple[Any, Callable[[], None]]:
        """A client for a call of `put`, and a function that makes it available again. Over TLS, each of the calls that
        run at the same time has a connection: one thread encrypts the data of a connection, and one decrypts them."""
        if location.startswith(_UNIX):
            return self._client(location), lambda: None
        with self._lock:
            idle = self._idle.setdefault(location, [])
            client = idle.pop() if idle else self._connect(location)
        return client, lambda: idle.append(client)

    @contextmanager
    def _errors(self, location: str) -> Iterator[None]:
        lost = (flight.FlightUnavailableError, flight.FlightTimedOutError, flight.FlightCancelledError, OSError)
        try:
            yield
        except lost as error:
            with self._lock:
                self._clients.pop(location, None)
                self._idle.pop(location, None)
            raise Broken(str(error)) from error
        except pa.ArrowException as error:
            text = f"the executor at {location} refused a call of the feed {self._feed!r}: {error}"
            raise self.refused(text) from error

    def _options(self, timeout: float | None) -> Any:
        headers = [(b"authorization", b"Bearer " + self._address.token.encode())]
        return flight.FlightCallOptions(timeout=timeout, headers=headers)

    def _client(self, location: str) -> Any:
        with self._lock:
            if location not in self._clients:
                self._clients[location] = self._connect(location)
            return self._clients[location]

    def _connect(self, location: str) -> Any:
        # With a pool of its own, a new client connects at once, however often another one has failed.
        return flight.FlightClient(
            location,
            tls_root_certs=None if location.startswith(_UNIX) else self._address.ca.encode(),
            override_hostname=None if location.startswith(_UNIX) else self._address.server_name,
            generic_options=[("grpc.use_local_subchannel_pool", 1)],
        )


class Sent:
    """The blocks of one call that are not acknowledged, as pairs (first row, block). failed: the error if the job has
    failed. accepted: called with the rows that a reader has accepted, and their digest if the executor has computed it.
    sent: called with the bytes of each block."""

    def __init__(
        self,
        failed: type[Exception],
        accepted: Callable[[int, int, int | None], None] = lambda first, end, digest: None,
        sent: Callable[[int], None] = lambda size: None,
    ) -> None:
        self._failed, self._accepted, self._sent = failed, accepted, sent
        self.flying: deque[tuple[int, Any]] = deque()  # sent, and not answered
        self.refused: list[tuple[int, Any]] = []

    def send(self, writer: Any, reader: Any, blocks: Iterator[tuple[tuple[int, Any], bytes]]) -> None:
        """Sends blocks with their metadata until there are no more, or the reader has no room. Takes all answers."""
        while len(self.flying) < DEPTH or _has_room(self._take(reader)):
            found = next(blocks, None)
            if found is None:
                break
            piece, metadata = found
            self.flying.append(piece)
            writer.write_with_metadata(piece[1], metadata)
            self._sent(piece[1].nbytes)
        writer.done_writing()
        while self.flying and self._take(reader) is not None:
            pass

    def _take(self, reader: Any) -> dict[str, Any] | None:
        """Takes the answer to the oldest block. None: the call has ended, and closing the writer gives the reason."""
        message = reader.read()
        if message is None:
            return None
        answer: dict[str, Any] = json.loads(message.to_pybytes())
        if "failed" in answer:
            raise self._failed(answer["failed"])
        piece = self.flying.popleft()
        if "acknowledged" in answer:
            first, end = answer["acknowledged"]
            self._accepted(first, end, answer.get("digest"))
        else:
            self.refused.append(piece)
        return answer

    @property
    def rest(self) -> list[tuple[int, Any]]:
        """The blocks that must be sent again, in their order."""
        return [*self.refused, *self.flying]


def _has_room(answer: dict[str, Any] | None) -> bool:
    """Whether the reader takes more blocks of this call."""
    return bool(answer and answer.get("credit"))


# --- rows of a partition ---


def missing_parts(first: int, batch: Any, missing: Sequence[Sequence[Any]]) -> list[tuple[int, Any]]:
    """The missing rows of a block."""
    parts = []
    for start, end in missing:
        low = max(first, start)
        high = first + batch.num_rows if end is None else min(first + batch.num_rows, end)
        if low < high:
            parts.append((low, batch.slice(low - first, high - low)))
    return parts


class Pieces:
    """The rows of a partition that are to be sent. found: its blocks, each of which is read once. digest_of and
    plain_block: as in digest.py. The executor computes the digests of plain blocks that are sent."""

    def __init__(
        self,
        found: Iterator[tuple[int, Any]],
        digest_of: Callable[[int, Any], int | None],
        plain_block: Callable[[Any], Any] = lambda batch: None,
    ) -> None:
        self._blocks, self._digest_of, self._plain_block = found, digest_of, plain_block
        self._digests: dict[tuple[int, int], int | None] = {}  # of unsent blocks, by first row and number of rows
        self._sent: set[tuple[int, int]] = set()  # blocks whose digest the executor computes
        self._unsent: deque[tuple[int, Any]] = deque()  # rows that were read and not accepted, in their order
        self._digest: int | None = 0  # of all blocks that were read, apart from those of _sent
        self.rows = 0  # that were read
        self.ended = False  # the input has ended
        self.accepted_rows = 0
        self.moved = time.monotonic()  # the last time when rows were read or accepted

    @property
    def complete(self) -> bool:
        """Whether all rows were read and sent."""
        return self.ended and not self._unsent

    @property
    def unsent(self) -> bool:
        return bool(self._unsent)

    @property
    def digest(self) -> int | None:
        """The digest of all blocks that were read. No call may be open."""
        for first, batch in self._unsent:
            self._close(first, batch)
        return self._digest

    def next(self, missing: Sequence[Sequence[Any]]) -> tuple[int, Any] | None:
        """The next missing rows; None if there are none."""
        last = missing[-1][1] if missing else 0
        while True:
            if self._unsent:
                block = self._unsent.popleft()
            elif self.ended or (last is not None and self.rows >= last):
                return None
            else:
                try:
                    read = next(self._blocks, None)
                except Exception as error:  # not an error of the call that is open
                    raise SourceFailed from error
                if read is None:
                    self.ended = True
                    return None
                block = self._open(*read)
                self.rows = block[0] + block[1].num_rows
                self.moved = time.monotonic()
            parts = missing_parts(*block, missing)
            if [(first, part.num_rows) for first, part in parts] == [(block[0], block[1].num_rows)]:
                return block
            self._close(*block)
            self._unsent.extendleft(reversed(parts[1:]))
            if parts:
                return parts[0]

    def put_back(self, pieces: Sequence[tuple[int, Any]]) -> None:
        self._unsent.extendleft(reversed(pieces))

    def metadata(self, piece: tuple[int, Any]) -> bytes:
        """The metadata of a block that is sent."""
        first, batch = piece
        key = first, batch.num_rows
        return json.dumps({"from": first, "digest": "body" if key in self._sent else self._digests.get(key)}).encode()

    def accepted(self, first: int, end: int, digest: int | None = None) -> None:
        """digest: the one that the executor has computed."""
        key = first, end - first
        if key in self._sent:
            self._sent.remove(key)
            self._add(digest)
        self._digests.pop(key, None)
        self.accepted_rows += end - first
        self.moved = time.monotonic()

    def _open(self, first: int, batch: Any) -> tuple[int, Any]:
        """A block that was read, in the form in which it is sent."""
        plain = self._plain_block(batch)
        key = first, batch.num_rows
        if plain is None:
            self._digests[key] = self._digest_of(first, batch)
            self._add(self._digests[key])
            return first, batch
        self._sent.add(key)
        return first, plain

    def _close(self, first: int, batch: Any) -> None:
        """A block is not sent as a whole now."""
        key = first, batch.num_rows
        if key in self._sent:
            self._sent.remove(key)
            self._digests[key] = self._digest_of(first, batch)
            self._add(self._digests[key])

    def _add(self, digest: int | None) -> None:
        self._digest = None if digest is None or self._digest is None else (self._digest + digest) % 2**64


# --- the task ---


class Attempt:
    """One attempt of a Spark task to supply a partition. patience: seconds until a task that is blocked ends."""

    def __init__(self, calls: Calls, place: dict[str, int], pieces: Pieces, patience: float) -> None:
        self._calls, self._place, self._pieces, self._patience = calls, place, pieces, patience
        self.counts = {"rows": 0, "bytes": 0, "refused": 0, "waited": 0.0}

    @property
    def end(self) -> tuple[int, int | None]:
        """The number of rows that were read, and their digest."""
        return self._pieces.rows, self._pieces.digest

    def supply(self) -> str:
        """Returns `ended` (the job has all rows that the input had), `done` (the job has all rows of the partition),
        `over`, `paused` (readers are full), `again` (rows before those that were read are missing), or `lost` (no
        executor can be reached).

        The input also ends if Spark fails in the middle of it, and then the task fails later. So only the process that
        sees the end of the task may report the end of the partition, with the numbers in `end`.
        """
        failures = 0  # attempts in a row in which no row was accepted
        while True:
            start, accepted = time.monotonic(), self.counts["rows"]
            blocked = "paused"
            try:
                answer = self._calls.action("ask", **self._place)
                if answer["what"] in ("done", "over"):
                    return str(answer["what"])
                if answer["what"] == "wait":
                    self.counts["waited"] += time.monotonic() - start
                elif not self._send(answer):
                    return "again"
                elif self._pieces.complete:
                    return "ended"
                failures = 0 if self.counts["rows"] > accepted or not self._pieces.unsent else failures + 1
            except Broken:
                self._calls.use_next()
                failures, blocked = failures + 1, "lost"
            if time.monotonic() - self._pieces.moved >= self._patience:
                return blocked
            if failures:
                time.sleep(min(0.05 * 2 ** min(failures, 10), _SLOWEST_RETRY_S))

    def _send(self, answer: dict[str, Any]) -> bool:
        """Sends missing rows until all are sent, or the reader takes no more. Returns false if the missing rows come
        before those that this attempt can still supply."""
        piece = self._pieces.next(answer["missing"])
        if piece is None:
            return self._pieces.ended and all(first >= self._pieces.rows for first, _ in answer["missing"])
        self._pieces.put_back([piece])
        with suppress(Broken):  # the ledger names another reader, or the same one when it is back
            self._put(answer, piece[1].schema)
        return True

    def _put(self, answer: dict[str, Any], schema: Any) -> None:
        place = {**self._place, "reader": answer["reader"]}
        sent = Sent(self._calls.refused, self._accepted, self._sent)
        try:
            with self._calls.put(answer["locations"], schema, **place) as (writer, reader):
                sent.send(writer, reader, self._blocks(answer["missing"], schema))
        finally:
            self.counts["refused"] += len(sent.refused)
            self._pieces.put_back(sent.rest)

    def _blocks(self, missing: Sequence[Sequence[Any]], schema: Any) -> Iterator[tuple[tuple[int, Any], bytes]]:
        """The missing blocks of this schema, which is that of a call."""
        while (piece := self._pieces.next(missing)) is not None:
            _check_size(*piece)
            if not piece[1].schema.equals(schema, check_metadata=True):
                self._pieces.put_back([piece])
                return
            yield piece, self._pieces.metadata(piece)

    def _accepted(self, first: int, end: int, digest: int | None) -> None:
        self._pieces.accepted(first, end, digest)
        self.counts["rows"] += end - first

    def _sent(self, size: int) -> None:
        self.counts["bytes"] += size


def _check_size(first: int, batch: Any) -> None:
    size = batch.nbytes if batch.num_rows == 1 else 0
    if size > _ROW:
        raise Unfit(f"row {first} of a partition has {size / 2**20:.1f} MiB; a row has at most 256 MiB: split it")


def partition_id() -> int:
    """The number of the partition of this Spark task."""
    return int(import_module("pyspark").TaskContext.get().partitionId())


def part_key(key: str, partition: int) -> str:
    """The key of a partition of Spark in a send with this key."""
    return f"{key}{KEY_END}{partition}"


def _number(calls: Calls, key: str, patience: float) -> int | None:
    """The number that a partition of a send has in the feed. None: the job has its rows, or wants none any more."""
    start = time.monotonic()
    while True:
        try:
            found: int | None = calls.action("send", key=key)["partition"]
            return found
        except Broken:
            if time.monotonic() - start >= patience:
                raise
            calls.use_next()
            time.sleep(0.1)


_kept: dict[tuple[str, str, str], Calls] = {}  # the connections of this process, which runs one task after another
_MOST_KEPT = 4


def _calls(job: dict[str, Any], local: Callable[[], Any]) -> Calls:
    key = job["job"], job["feed"], job["token"]
    if key not in _kept:
        if len(_kept) == _MOST_KEPT:
            del _kept[next(iter(_kept))]  # the oldest
        _kept[key] = Calls(job["job"], job["feed"], local())
    return _kept[key]


def supply(
    batches: Iterable[Any], job: dict[str, Any], modules: dict[str, dict[str, Any]]
) -> tuple[str, tuple[Any, ...]]:
    """Supplies the partition of this Spark task.

    job: `job`, `feed`, `token`, `ca`, `server_name`, `names` (of the columns), `patience`, and `turn` if it is not a
    local property: `pass`, `partitions` that are wanted (null: all), `numbers` of partitions in the feed, `key` of a
    send, `group` of the Spark job, `locations`. modules: the contents of the other modules of the task, by their names.
    Returns the group, and the fields of spark_rows.Result.
    """
    context = import_module("pyspark").TaskContext.get()
    turn = json.loads(job.get("turn") or context.getLocalProperty(TURN))
    partition = context.partitionId()
    number: int | None = turn["numbers"].get(str(partition), -1 if turn["key"] else partition)
    counts: dict[str, float] = {}
    result, text = "", ""
    end: tuple[int, int | None] = (-1, None)
    calls = _calls(job, modules["local_calls"]["LocalCalls"])
    try:
        if turn["partitions"] is not None and partition not in turn["partitions"]:
            return turn["group"], (partition, -1, "skipped", "", counts)
        calls.use(Address(turn["locations"], job["token"], job["ca"], job["server_name"]))
        if number == -1:
            number = _number(calls, part_key(turn["key"], partition), job["patience"])
        if number is None:
            return turn["group"], (partition, -1, "done", "", counts)
        place = {"pass": turn["pass"], "partition": number}
        read = modules["ahead"]["Ahead"]()
        pieces = Pieces(read, modules["digest"]["digest_of"], modules["digest"]["plain_block"])
        attempt = Attempt(calls, place, pieces, job["patience"])
        counts = attempt.counts
        result = read.run(attempt.supply, modules["cut"]["blocks"](batches, job["names"]))
        end = attempt.end if result == "ended" else end
    except SourceFailed as failed:
        if not getattr(failed.__cause__, "unfit", False):
            raise failed.__cause__ or failed
        result, text = "unfit", str(failed.__cause__)
    except Broken:
        result = "lost"
    except Refused as error:
        result, text = "refused", str(error)
    except Unfit as error:
        result, text = "unfit", str(error)
    return turn["group"], (partition, -1 if number is None else number, result, text, counts, *end)


_is_settled = False


def settle() -> None:
    """Exempts the objects of this process from garbage collection, once, if Spark uses the process for further tasks.

    Spark collects garbage after each task, and the next task waits for that (manager() of pyspark.daemon). With the
    modules of pyarrow and pandas this takes tens of milliseconds, as long as a task with a small partition.
    """
    global _is_settled
    if os.environ.get("SPARK_REUSE_WORKER") and not _is_settled:
        gc.collect()
        gc.freeze()
        _is_settled = True


def as_batch(result: tuple[str, tuple[Any, ...]]) -> Any:
    """A result as a row of a DataFrame of Spark Connect."""
    partition = pa.array([result[1][0]], pa.int32())
    return pa.RecordBatch.from_pydict({"partition": partition, "result": [json.dumps(result)]})

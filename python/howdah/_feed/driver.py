"""Supplies the rows of one feed to a running job, over Arrow Flight.

    job ── request: these partitions of this pass ──▶ Supplier ── takes the next one ──▶ 4 threads
    thread:   ask ──▶ which rows are missing, and who takes them?   (the answer may come late: readers are full)
              DoPut ──▶ blocks; each is acknowledged, or refused: ask again
              … until the job has all rows of the partition

The job keeps the record of accepted rows, so a thread needs none: after any error it asks again.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import threading
import time
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Iterator
from uuid import uuid4

from .. import _program
from .._errors import FeedError, HowdahError, Unavailable
from .digest import digest_of, plain_block
from .local_calls import LocalCalls
from .source import Rows, Source
from .source import Sent as SentData
from .spark_task import Address, Broken, Calls, Pieces, Sent, SourceFailed
from .writer import FeedStats

if TYPE_CHECKING:
    from .._job import Job


THREADS = 4  # partitions that are sent at the same time
MOST = 1 << 31  # the end of a range of partitions whose number is not known

_SLOWEST_RETRY_S = 5.0
_TRIES = 5  # errors in a row, other than a lost connection, until the feed fails


class Wanted:
    """The partitions that the job has requested, by pass. Not thread-safe."""

    def __init__(self) -> None:
        self._ranges: dict[int, list[tuple[int, int]]] = {}

    def add(self, pass_: int, first: int, end: int) -> None:
        kept = []
        for a, b in self._ranges.get(pass_, []):
            if b < first or end < a:
                kept.append((a, b))
            else:
                first, end = min(a, first), max(b, end)
        self._ranges[pass_] = sorted([*kept, (first, end)] if first < end else kept)

    def remove(self, pass_: int, first: int, end: int) -> None:
        parts = []
        for a, b in self._ranges.get(pass_, []):
            parts += [(a, min(b, first)), (max(a, end), b)]
        self._ranges[pass_] = [(a, b) for a, b in parts if a < b]

    def candidates(self) -> Iterator[tuple[int, int, int]]:
        """(pass, first, end) of each range; older passes first."""
        for pass_ in sorted(self._ranges):
            for first, end in self._ranges[pass_]:
                yield pass_, first, end


class Link(Calls):
    """The connections to the executors of a job, for one feed. Thread-safe."""

    refused = FeedError

    def __init__(self, job: str, feed: str) -> None:
        super().__init__(job, feed, LocalCalls())
        self._finding: subprocess.Popen[bytes] | None = None

    def connect(self) -> None:
        """Chooses an executor for actions: another one at every call. Waits until the job's executors listen, and
        raises Unavailable if that takes too long."""
        self.use(self._find())

    def stop(self) -> None:
        """Ends a connect() that waits."""
        process = self._finding
        if process is not None:
            process.terminate()

    def _find(self) -> Address:
        self._finding = process = _program.stream(["feed", self._job, self._feed, "--address"])
        stdout, stderr = process.communicate()
        self._finding = None
        done = _program.Done(process.returncode, stdout, stderr.decode("utf-8", "replace"))
        if done.code == _program.USAGE:  # for example, the job has no such feed
            raise FeedError(done.message)
        if done.code != 0:
            raise Unavailable(done.message)
        raw = json.loads(done.stdout)
        return Address(tuple(raw["locations"]), raw["token"], raw["ca"], raw["server_name"])


class Supplier:
    """Supplies one feed of a job from a source, by threads of its own, until the job needs no further rows.

    If the source raises, the job is killed, and `error` is the exception.
    """

    def __init__(self, job: Job[Any], feed: str, source: Source) -> None:
        self._job, self._source = job, source
        self._link = Link(job.id, feed)
        self._changed = threading.Condition()  # guards all fields below
        self._wanted = Wanted()
        self._active: set[tuple[int, int]] = set()  # (pass, partition) that a thread supplies
        self._sending: dict[int, Rows] = {}  # by partition: the data of calls of send that wait
        self._reading = False  # a thread reads from the source
        self._workers = 0
        self._connection = 0  # the number of the newest connection
        self._counted = 0  # the connection to whose job the number of partitions was reported
        self._connected = self._over = False
        self.job_ends = False  # the feed is over because the job has begun to end
        self._rejections = 0  # errors since the last rows were accepted
        self._failed: BaseException | None = None  # the reason why it is over
        self._stats = FeedStats()
        self.error: BaseException | None = None  # the exception for which the job was killed

    # --- for the writer ---

    def start(self) -> None:
        """Starts to connect to the job."""
        threading.Thread(target=self._serve, name="howdah feed", daemon=True).start()

    def stop(self) -> None:
        """Supplies nothing any more. Does not wait for the threads, which may be in the source."""
        self._end()
        self._link.stop()

    def stats(self) -> FeedStats:
        with self._changed:
            return replace(self._stats, connected=self._connected and not self._over, over=self._over)

    def send(self, data: Any, key: str | None) -> bool | None:
        """Sends the data as one partition. Returns False if the key was sent before, and None if the feed is over."""
        assert isinstance(self._source, SentData)
        rows = self._source.rows(data)
        # Every send has a key, so that the action can be repeated when its reply is lost.
        reply = self._call("send", key=uuid4().hex if key is None else key)
        if reply is None:
            return None
        number = reply["partition"]
        if number is None:
            return False
        self._source.add(number, rows)
        with self._changed:
            self._sending[number] = rows
            self._wanted.add(0, number, number + 1)
            self._wake()
            self._changed.wait_for(lambda: self._over or number not in self._sending)
            delivered = self._sending.pop(number, None) is None
            if not delivered and self._failed is not None:
                raise self._failed
            return True if delivered else None

    def close_feed(self) -> None:
        self._call("close")

    def _call(self, kind: str, **body: Any) -> dict[str, Any] | None:
        """An action that is repeated until it is answered. None: the feed is over."""
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._over or self._connected)
                if self._failed is not None:
                    raise self._failed
                if self._over:
                    return None
                connection = self._connection
            try:
                return self._link.action(kind, **body)
            except Broken:
                self._lost(connection)

    # --- the connection ---

    def _serve(self) -> None:
        failures = 0
        while not self._over:
            try:
                self._link.connect()
                failures = 0 if self._listen() else failures + 1
            except Unavailable:
                failures += 1
            except Exception as error:
                if self._over or self._job_over():
                    break
                self._fail(error)
            if self._over or self._job_over():
                break
            self._pause(failures)
        self._end()

    def _listen(self) -> bool:
        """Follows the requests of the job until the connection is lost. Returns whether it was ever useful."""
        with self._changed:
            self._connection += 1
            self._connected = True
            mine = self._connection
            self._changed.notify_all()
        useful: list[bool] = []
        # Not joined: a call that hangs cannot be cancelled, and the next connection does not wait for it.
        threading.Thread(target=self._hear, args=(mine, useful), name="howdah feed", daemon=True).start()
        with self._changed:
            self._changed.wait_for(lambda: self._over or not self._connected)
        return bool(useful)

    def _hear(self, connection: int, useful: list[bool]) -> None:
        try:
            for message in self._link.replies("supply", name=f"the process {os.getpid()} on {socket.gethostname()}"):
                useful.append(True)
                self._on(message)
        except Broken:
            pass
        except FeedError as error:
            self._reject(error)
        except Exception as error:
            self._fail(error)
        self._lost(connection)

    def _on(self, message: dict[str, Any]) -> None:
        if message.get("failed"):
            self._end(FeedError(message["failed"]))
        elif message.get("over"):
            self.job_ends = message.get("job_ends", False)
            self._end()
        elif "request" in message:
            pass_ = message["request"]["pass"]
            self._count(pass_)
            with self._changed:
                for first, end in message["request"]["partitions"]:
                    for part in self._source.ranges(first, MOST if end is None else end):
                        self._wanted.add(pass_, *part)
                self._wake()

    def _lost(self, connection: int) -> None:
        with self._changed:
            if connection == self._connection:
                self._connected = False
                self._changed.notify_all()

    def _job_over(self) -> bool:
        try:
            return self._job.done()
        except HowdahError:  # for example, the ResourceManager is restarting
            return False

    def _pause(self, failures: int) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._over, timeout=min(0.05 * 2 ** min(failures, 10), _SLOWEST_RETRY_S))

    # --- the end ---

    def _await_end(self) -> None:
        """An answer to another call has said that the feed is over. Waits for the answer to "supply", which says why,
        or until the connection is lost: the next one gets that answer, too."""
        with self._changed:
            connection = self._connection
            self._changed.wait_for(lambda: self._over or not self._connected or self._connection != connection)

    def _end(self, failed: BaseException | None = None) -> None:
        with self._changed:
            if not self._over:
                self._failed = failed
            self._over = True
            self._changed.notify_all()

    def _reject(self, error: FeedError) -> None:
        """Counts an error that may pass, such as a full disk."""
        with self._changed:
            self._rejections += 1
            last = self._rejections >= _TRIES
        if last:
            self._fail(error)

    def _fail(self, error: BaseException) -> None:
        with self._changed:
            kill = not self._over and self._source.kills
            if kill:
                self.error = error
            self._end(error)
        if kill:
            with suppress(HowdahError):  # the job has ended
                self._job.kill()

    # --- partitions ---

    def _wake(self) -> None:
        """Partitions were added to those that are wanted."""
        while self._workers < THREADS:
            self._workers += 1
            threading.Thread(target=self._work, name="howdah feed", daemon=True).start()
        self._changed.notify_all()

    def _work(self) -> None:
        while True:
            task = self._take()
            if task is None:
                return
            pass_, number, rows, connection = task
            try:
                if rows is None:
                    rows = self._read(pass_, number)
                self._count(pass_)
                if rows is not None:
                    self._supply(pass_, number, rows)
            except Broken:
                with self._changed:
                    self._wanted.add(pass_, number, number + 1)
                self._lost(connection)
            except SourceFailed as failed:
                self._fail(failed.__cause__ or failed)
            except Exception as error:
                self._fail(error)
            with self._changed:
                self._active.discard((pass_, number))
                self._changed.notify_all()

    def _take(self) -> tuple[int, int, Rows | None, int] | None:
        """Waits for the next partition to supply: (pass, partition, its rows if they are at hand, connection). None:
        the feed is over. The last thread then closes the source."""
        picked: list[tuple[int, int, Rows | None]] = []

        def pick() -> bool:
            picked[:] = [] if self._over or not self._connected else self._pick()
            return self._over or bool(picked)

        with self._changed:
            self._changed.wait_for(pick)
            if picked:
                pass_, number, rows = picked[0]
                self._active.add((pass_, number))
                self._wanted.remove(pass_, number, number + 1)
                self._reading = self._reading or rows is None
                return pass_, number, rows, self._connection
            self._workers -= 1
            last = self._workers == 0
        if last:
            self._source.close()
        return None

    def _pick(self) -> list[tuple[int, int, Rows | None]]:
        """The partition to supply next: (pass, partition, its rows if they are at hand); none or one."""
        for pass_, first, end in self._wanted.candidates():
            number = first
            while (pass_, number) in self._active:
                number += 1
            count = self._source.count(pass_)
            if count is not None and number >= count:
                self._wanted.remove(pass_, number, MOST)
            elif number < end:
                rows = self._sending.get(number) or self._source.at_hand(pass_, number)
                if rows is not None or (self._source.reads and not self._reading):
                    return [(pass_, number, rows)]
                if not self._source.reads:  # they were dropped since the request
                    self._wanted.remove(pass_, number, number + 1)
        return []

    def _read(self, pass_: int, number: int) -> Rows | None:
        try:
            rows = self._source.partition(pass_, number)
        except BaseException as error:
            raise SourceFailed from error
        finally:
            with self._changed:
                self._reading = False
                self._changed.notify_all()
        return rows

    def _count(self, pass_: int) -> None:
        """Reports the number of partitions, once it is known. Each connection gets it, because an application master
        that has lost its log does not know the number."""
        connection = self._connection
        count = None if self._counted == connection else self._source.count(pass_)
        if count is not None:
            self._link.action("source-ended", partitions=count)
            self._counted = connection

    def _supply(self, pass_: int, number: int, rows: Rows) -> None:
        """Supplies a partition until the job has all of its rows."""
        place: dict[str, Any] = {"pass": pass_, "partition": number}
        pieces = self._pieces(rows)
        ended, failures = False, 0
        while not self._over:
            start = time.monotonic()
            answer = self._link.action("ask", **place)
            if answer["what"] == "over":
                self._await_end()
            elif answer["what"] == "done":
                self._add(partitions=int(ended))
                with self._changed:
                    self._sending.pop(number, None)
                return
            elif answer["what"] == "wait":
                self._add(waited=time.monotonic() - start)
            else:
                missing = answer["missing"]
                piece = pieces.next(missing)
                if piece is None and any(first < pieces.rows for first, _ in missing):
                    pieces = self._pieces(rows)  # rows that were sent are needed again
                    piece = pieces.next(missing)
                moved = False
                if piece is not None:
                    pieces.put_back([piece])
                    moved = self._send(place, rows, answer, pieces)
                if pieces.ended and not ended:
                    digest = pieces.digest if rows.repeatable else None
                    self._link.action("partition-ended", rows=rows.count, digest=digest, **place)
                    ended = moved = True
                failures = 0 if moved else failures + 1
                if failures:
                    self._pause(failures)

    def _pieces(self, rows: Rows) -> Pieces:
        if not rows.repeatable:
            return Pieces(rows.blocks(0, rows.count), lambda first, batch: None)
        return Pieces(rows.blocks(0, rows.count), digest_of, plain_block)

    def _send(self, place: dict[str, Any], rows: Rows, answer: dict[str, Any], pieces: Pieces) -> bool:
        """Sends missing rows until all are sent, or the reader takes no more. Returns whether it has taken any."""
        def accepted(first: int, end: int, digest: int | None) -> None:
            pieces.accepted(first, end, digest)
            self._add(rows=end - first)

        def blocks() -> Iterator[tuple[tuple[int, Any], bytes]]:
            while (piece := pieces.next(answer["missing"])) is not None:
                yield piece, pieces.metadata(piece)

        sent = Sent(self._link.refused, accepted, lambda size: self._add(bytes=size))
        rows_before = pieces.accepted_rows
        try:
            with self._link.put(answer["locations"], rows.schema, reader=answer["reader"], **place) as (writer, reader):
                sent.send(writer, reader, blocks())
        except Broken:
            pass  # the ledger names another reader, or the same one when it is back
        except FeedError as error:
            self._reject(error)
        finally:
            pieces.put_back(sent.rest)
            self._add(refused=len(sent.refused))
        return pieces.accepted_rows > rows_before

    def _add(self, **counts: float) -> None:
        with self._changed:
            old: Any = self._stats
            self._stats = replace(old, **{name: getattr(old, name) + value for name, value in counts.items()})
            if "rows" in counts:
                self._rejections = 0

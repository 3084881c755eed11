"""DataFrames and RDDs that a program sends to a feed one after another, and DStreams. Spark's tasks send the rows.

Each partition of Spark is one partition of the feed. Its key is that of the send and its number (part_key). When all of
them are accepted, a partition without rows that has the key of the send itself is ended: the send is then accepted.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Callable, Sequence
from uuid import uuid4

from .._errors import FeedError, FeedMisuse, FeedTypeError
from .driver import MOST, Supplier
from .objects import FIRST, plan_of
from .source import Source
from .spark import Running, SparkJobs
from .spark_rows import Result, SparkRows, open_rows, rdd_rows
from .spark_task import SourceFailed, part_key

if TYPE_CHECKING:
    from .._job import Job

_KEPT = 64  # the newest sends, whose rows can be sent again


class Send:
    """One DataFrame or RDD. Guarded by the lock of its supplier."""

    def __init__(self, rows: SparkRows, key: str, text: str) -> None:
        self.rows, self.key, self.text = rows, key, text
        self.left: set[int] | None = None  # partitions of Spark that the job does not have; None: all
        self.numbers: dict[int, int] = {}  # their numbers in the feed, as far as they are known
        self.error: BaseException | None = None
        self.begun = False  # a Spark job was run

    def ended(self) -> bool:
        return self.error is not None or self.left == set()


class SparkSends(Source):
    """The DataFrames and RDDs of FeedWriter.send."""

    reads = False
    kills = False

    def supplier(self, job: Job[Any], feed: str) -> Supplier:
        return SparkSender(job, feed, self)


class SparkSender(SparkJobs):
    """Supplies DataFrames and RDDs that are sent."""

    def __init__(self, job: Job[Any], feed: str, source: Source) -> None:
        super().__init__(job, feed, source)
        self._queue: list[Send] = []  # sends that wait until the job has their rows, in order
        # By number in the feed: (send, Spark's partition).
        self._kept: OrderedDict[int, tuple[Send, int]] = OrderedDict()
        self._lost_rows: set[int] = set()  # numbers of partitions with rows that are needed again
        self._columns: dict[str, str] = {}  # of the first send
        # Numbers that were requested since the newest Spark job began, or the job was asked about a partition. Results
        # and answers for these numbers may be older than the request.
        self._requested: list[tuple[int, int]] = []

    # --- for the writer ---

    def send(self, data: Any, key: str | None) -> bool | None:
        """Sends the data. Returns False if the key was sent before, and None if the feed is over."""
        return self.send_rows(open_rows(data, empty=True)(), key)

    def fail(self, error: BaseException) -> None:
        """The source has failed before it could send."""
        self._fail(error)

    def send_rows(self, rows: SparkRows, key: str | None) -> bool | None:
        with self._changed:
            self._columns = self._columns or rows.columns
        _check_columns(self._columns, rows.columns)
        # Every send has a key, so that it can be repeated when a reply is lost.
        key = uuid4().hex if key is None else key
        reply = self._call("send", key=key)
        if reply is None:
            return None
        if reply["partition"] is None:
            return None if self._over else False
        send = Send(rows, key, f"howdah: {self._feed} → {self._job.id}, send {key}")
        with self._changed:
            self._queue.append(send)
            self._wake()
            self._changed.wait_for(lambda: self._over or send.ended())
            if send in self._queue:
                self._queue.remove(send)
            if send.error is not None:
                raise send.error
            if not send.ended():
                if self._failed is not None:
                    raise self._failed
                return None
        ended = self._call("partition-ended", **{"pass": 0, "partition": reply["partition"], "rows": 0})
        return None if ended is None else True

    # --- Spark jobs ---

    def _on(self, message: dict[str, Any]) -> None:
        if "request" not in message:
            return super()._on(message)
        ranges = [(first, MOST if end is None else end) for first, end in message["request"]["partitions"]]
        with self._changed:
            self._requested += ranges
            for number, (send, partition) in self._kept.items():
                # Partitions that the job has never had completely are supplied anyway.
                if partition not in (send.left or ()) and _contains(ranges, number):
                    self._lost_rows.add(number)
            if self._lost_rows:
                self._wake()

    def _has_work(self) -> bool:
        return bool(self._lost_rows) or any(not send.ended() for send in self._queue)

    def _is_outdated(self, running: Running) -> bool:
        # A send that is queued waits. Rows that were lost may be those for which the readers of this Spark job wait.
        unfinished = running.unfinished()
        for number in self._lost_rows:
            send, partition = self._kept[number]
            if send.rows is not running.rows or partition not in unfinished:
                return True
        return False

    def _do_work(self, connection: int) -> None:
        lost = self._lost_turn()
        if lost is not None:
            send, numbers = lost
            results = self._run(send, sorted(numbers), numbers)
            with self._changed:
                for partition, number in numbers.items():
                    if partition not in results or results[partition].what not in ("ended", "done", "over"):
                        self._lost_rows.add(number)
                self._add_ends(0, results.values())
            return self._judge(list(results.values()), connection)
        with self._changed:
            send = next(send for send in self._queue if not send.ended())
        try:
            if not send.begun:
                self._prepare(send)
            elif not self._has_room(send):
                return
            left = None if send.left is None else sorted(send.left)
            if left == []:
                return
            results = self._run(send, left, dict(send.numbers))
            send.begun = True
            with self._changed:
                self._note(send, results)
            self._judge(list(results.values()), connection)
        except SourceFailed as failed:
            self._refuse(send, failed.__cause__ or failed)
        except (FeedError, FeedTypeError) as error:
            self._refuse(send, error)

    def _run(self, send: Send, partitions: Sequence[int] | None, numbers: dict[int, int]) -> dict[int, Result]:
        turn = self._turn(0, partitions, send.text)._replace(key=send.key, numbers=numbers)
        with self._changed:
            self._requested.clear()
        return self._run_job(send.rows, turn)

    def _prepare(self, send: Send) -> None:
        """Plans the rows. If that gives their number of partitions, their numbers are in the order of Spark's."""
        turn = self._turn(0, [], send.text)
        with self._spark_job(send.rows, turn):
            send.rows.prepare(self._job.id, self._feed, self._link.address, turn.group, turn.text)
        if send.rows.count is None:
            return
        left = set()
        for partition in range(send.rows.count):
            number = self._link.action("send", key=part_key(send.key, partition))["partition"]
            if number is not None:
                send.numbers[partition] = number
                left.add(partition)
        with self._changed:
            send.left = left
            self._changed.notify_all()

    def _note(self, send: Send, results: dict[int, Result]) -> None:
        """Takes the results of a Spark job of a send. Called with the lock."""
        if send.left is None and send.rows.count is not None:  # of Spark Connect
            send.left = set(range(send.rows.count))
        for partition, result in results.items():
            if result.number >= 0:
                send.numbers[partition] = result.number
                self._kept[result.number] = (send, partition)
            # A partition that has `ended` is left until the job knows that. Rows may have been lost after the task has
            # ended: _has_room asks.
            if result.what == "done":
                self._complete(send, partition, result.number)
        self._add_ends(0, results.values())
        sends = list(OrderedDict.fromkeys(send for send, _ in self._kept.values()))
        for old in sends[:-_KEPT]:
            for number in [number for number, (of, _) in self._kept.items() if of is old]:
                del self._kept[number]
                self._lost_rows.discard(number)
        self._changed.notify_all()

    def _on_end(self, result: Result) -> None:
        send, partition = self._kept.get(result.number, (None, -1))
        if send is not None:
            self._complete(send, partition, result.number)

    def _complete(self, send: Send, partition: int, number: int) -> None:
        """The job had all rows of a partition, unless it has requested them since. Called with the lock."""
        if send.left is not None and not _contains(self._requested, number):
            send.left.discard(partition)
            self._changed.notify_all()

    def _has_room(self, send: Send) -> bool:
        """Whether the job takes rows of the send now. Waits for a while if it does not."""
        for partition in sorted(send.left or ()):
            number = send.numbers.get(partition)
            if number is None:
                return True
            with self._changed:
                self._requested.clear()
            what = self._link.action("ask", **{"pass": 0, "partition": number})["what"]
            if what == "send":
                return True
            if what == "over":
                self._await_end()
            with self._changed:
                if what == "done":
                    self._complete(send, partition, number)
                if self._over or self._lost_rows:
                    return False
        return False

    def _lost_turn(self) -> tuple[Send, dict[int, int]] | None:
        """The next partitions with lost rows: their send, and their numbers by Spark's partitions."""
        with self._changed:
            if not self._lost_rows:
                return None
            send = self._kept[min(self._lost_rows)][0]
            numbers = {}
            for number in sorted(self._lost_rows):
                of, partition = self._kept[number]
                if of is send:
                    numbers[partition] = number
            self._lost_rows.difference_update(numbers.values())
        return send, numbers

    def _refuse(self, send: Send, error: BaseException) -> None:
        """Ends a send with an error; others go on."""
        if self._source.kills:
            return self._fail(error)
        with self._changed:
            send.error = error
            self._changed.notify_all()


def _check_columns(first: dict[str, str], given: dict[str, str]) -> None:
    if first and given and list(first) != list(given):
        raise FeedTypeError(
            f"the columns of the first send are {', '.join(first)}, and those of this send {', '.join(given)}: send "
            "the same columns in the same order each time"
        )
    for name, kind in given.items():
        if kind != first.get(name, kind):
            raise FeedTypeError(
                f"the column {name!r} has the type {first[name]} in the first send, and {kind} in this one: cast it to "
                f"{first[name]}"
            )


def _contains(ranges: Sequence[tuple[int, int]], number: int) -> bool:
    return any(first <= number < end for first, end in ranges)


def open_dstream(given: Any, columns: Sequence[str] | None, stream: bool) -> Callable[[], Source]:
    """A function that returns the source for a job."""
    if not stream:
        raise FeedMisuse("a DStream has no end: give howdah.Feed(dstream, stream=True)")
    if columns is not None:
        raise FeedMisuse("columns= cannot select columns of a DStream: use dstream.map(…)")
    source = DStreamSource(given)
    return lambda: source


class DStreamSource(SparkSends):
    """The RDDs of a DStream. The StreamingContext must not be started when this object is made."""

    kills = endless = True

    def __init__(self, stream: Any) -> None:
        self._changed = threading.Condition()
        self._sender: SparkSender | None = None
        self._plan: dict[str, Any] | None = None  # of the first elements

        def on_rdd(time: Any, rdd: Any) -> None:
            self.on_rdd(time, rdd)

        try:
            stream.foreachRDD(on_rdd)
        except Exception as error:
            raise FeedMisuse(
                f"a feed cannot read this DStream: {error}; make the howdah.Feed before StreamingContext.start()"
            ) from error

    def supplier(self, job: Job[Any], feed: str) -> Supplier:
        sender = SparkSender(job, feed, self)
        with self._changed:
            if self._sender is not None:
                raise FeedMisuse("a DStream can be the source of one job: make a howdah.Feed of it for each job")
            self._sender = sender
            self._changed.notify_all()
        return sender

    def on_rdd(self, time: Any, rdd: Any) -> None:
        """Called by Spark for each RDD, one after another. Waits until the job has been submitted."""
        with self._changed:
            self._changed.wait_for(lambda: self._sender is not None)
        assert self._sender is not None
        try:
            first = rdd.take(FIRST)
        except Exception as error:
            self._sender.fail(error)
            raise
        if first:
            self._plan = self._plan or plan_of(first)
            key = str(round(time.timestamp() * 1000))
            self._sender.send_rows(rdd_rows(rdd, self._plan), key)

    def __reduce__(self) -> Any:
        return _Recovered, ()


class _Recovered:
    """A DStreamSource in a StreamingContext that was recovered from a checkpoint."""

    def on_rdd(self, time: Any, rdd: Any) -> None:
        raise FeedError(
            "a StreamingContext that was recovered from a checkpoint cannot continue a feed: make a new one, or send "
            "its RDDs in foreachRDD(lambda time, rdd: howdah.Job.attach(ID).feed(NAME).send(rdd, key=str(time)))"
        )

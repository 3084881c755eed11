"""A DataFrame or RDD of Spark as the source of a feed. Each request of partitions is one Spark job, whose tasks send
the rows to the executors of the job; see spark_rows.py and spark_task.py. No row passes through this process.

    thread of the feed:  takes the requested partitions ──▶ Spark job ──▶ a result for each partition
                         partitions whose readers are full: asks the job, until there is room ──▶ Spark job
    watching thread:     cancels the Spark job when no more rows are wanted, or a request needs another one first
"""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Callable, Iterable, Iterator, Sequence

from .._errors import FeedError, FeedTypeError
from .driver import MOST, Supplier, Wanted
from .source import Source
from .spark_rows import Result, SparkRows, Turn, explained, open_rows
from .spark_task import Broken, SourceFailed

if TYPE_CHECKING:
    from .._job import Job

_REPORTERS = 8  # threads that report ends of partitions
_GRACE_S = 2.0  # for tasks to end successfully before their Spark job is cancelled
_AGAIN_S = 1.0  # until a Spark job that still runs is cancelled again


def open_spark(given: Any, *, columns: Sequence[str] | None, epochs: int, stream: bool) -> Callable[[], Source]:
    """A function that returns the source for a job. Raises FeedTypeError for data that a feed cannot carry."""
    rows = open_rows(given, columns)
    passes = None if stream else epochs
    return lambda: SparkSource(rows(), passes)


class SparkSource(Source):
    """The rows of a DataFrame or RDD, for one job. passes: None for a stream."""

    def __init__(self, rows: SparkRows, passes: int | None) -> None:
        self.rows, self.passes = rows, passes

    def supplier(self, job: Job[Any], feed: str) -> Supplier:
        return SparkSupplier(job, feed, self)

    def count(self, pass_: int) -> int | None:
        return self.rows.count


class Running:
    """The Spark job that runs. Guarded by the lock of its supplier."""

    def __init__(self, rows: SparkRows, turn: Turn) -> None:
        self.rows, self.turn = rows, turn
        self.ended = False
        self.outdated = False  # other partitions are needed first

    def unfinished(self) -> set[int]:
        """The partitions of Spark whose tasks have not ended, as far as is known."""
        partitions = range(self.rows.count or 0) if self.turn.partitions is None else self.turn.partitions
        return set(partitions).difference(self.rows.results(self.turn.group))


class SparkJobs(Supplier):
    """Supplies a feed by Spark jobs, one after another, in one thread."""

    def __init__(self, job: Job[Any], feed: str, source: Source) -> None:
        super().__init__(job, feed, source)
        self._feed = feed
        self._running: Running | None = None
        self._jobs = 0
        self._ends: dict[tuple[int, int], Result] = {}  # by (pass, number): ends that the job does not know yet

    def _has_work(self) -> bool:
        """Called with the lock."""
        raise NotImplementedError

    def _do_work(self, connection: int) -> None:
        """Runs one Spark job, or finds that none is needed now."""
        raise NotImplementedError

    def _is_outdated(self, running: Running) -> bool:
        """Whether a Spark job must end because partitions of others are needed first. Called with the lock."""
        raise NotImplementedError

    def _wake(self) -> None:
        if self._workers == 0:
            self._workers = 1
            threading.Thread(target=self._work, name="howdah feed", daemon=True).start()
        if self._running is not None:
            self._running.outdated |= self._is_outdated(self._running)
        self._changed.notify_all()

    def _work(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._over or (self._connected and (self._ends or self._has_work())))
                if self._over:
                    self._workers = 0
                    return
                connection, has_work = self._connection, not self._ends
            try:
                if has_work:
                    self._do_work(connection)
                self._end_partitions()
            except Broken:
                self._lost(connection)
            except SourceFailed as failed:
                self._fail(failed.__cause__ or failed)
            except Exception as error:
                self._fail(error)

    def _add_ends(self, pass_: int, results: Iterable[Result]) -> None:
        """Takes the ends of partitions from the results of tasks that have succeeded. Called with the lock."""
        self._ends.update({(pass_, result.number): result for result in results if result.what == "ended"})

    def _end_partitions(self) -> None:
        """Reports ends of partitions to the job."""
        with self._changed:
            ends = list(self._ends.items())

        def report(end: tuple[tuple[int, int], Result]) -> None:
            (pass_, number), result = end
            place = {"pass": pass_, "partition": number}
            self._link.action("partition-ended", rows=result.rows, digest=result.digest, **place)
            with self._changed:
                self._ends.pop((pass_, number), None)
                self._on_end(result)
                self._changed.notify_all()
            self._add(partitions=1)

        with ThreadPoolExecutor(_REPORTERS, "howdah feed") as pool:
            for _ in pool.map(report, ends):
                pass

    def _on_end(self, result: Result) -> None:
        """The job knows the end of a partition. Called with the lock."""

    def _turn(self, pass_: int, partitions: Sequence[int] | None, text: str) -> Turn:
        self._jobs += 1
        return Turn(pass_, partitions, {}, "", f"howdah {self._job.id} {self._feed} {self._jobs}", text)

    def _run_job(self, rows: SparkRows, turn: Turn) -> dict[int, Result]:
        """Runs one Spark job. Returns the results by Spark's partitions."""
        with self._spark_job(rows, turn) as running:
            with self._changed:
                self._running = running
            return rows.run(turn, self._link.address)
        return rows.results(turn.group)  # it was cancelled

    @contextmanager
    def _spark_job(self, rows: SparkRows, turn: Turn) -> Iterator[Running]:
        """Cancels the Spark job that the caller runs inside, when it is not needed any more."""
        running = Running(rows, turn)
        threading.Thread(target=self._watch, args=(running,), name="howdah feed", daemon=True).start()
        try:
            yield running
        except Exception as error:
            if not self._over and not running.outdated:
                raise SourceFailed from explained(error)
        finally:
            with self._changed:
                running.ended, self._running = True, None
                self._changed.notify_all()

    def _watch(self, running: Running) -> None:
        with self._changed:
            self._changed.wait_for(lambda: running.ended or running.outdated or self._over)
            if not running.outdated:  # the tasks end by themselves, successfully, unless they compute
                self._changed.wait_for(lambda: running.ended, timeout=_GRACE_S)
            if running.ended:
                return
        ended = False
        while not ended:  # Spark cancels only jobs that it has: this one may begin a moment later
            running.rows.cancel(running.turn.group)
            with self._changed:
                ended = self._changed.wait_for(lambda: running.ended, timeout=_AGAIN_S)

    def _judge(self, results: Sequence[Result], connection: int) -> None:
        """Counts results, and acts on errors in them. Raises FeedTypeError for rows that a feed cannot carry."""
        refused = None
        for result in results:
            counts = {name: value for name, value in result.counts.items() if value}
            self._add(partitions=int(result.what == "done"), **counts)
            if result.what == "unfit":
                raise FeedTypeError(result.text)
            if result.what == "refused":
                refused = FeedError(result.text)
            elif result.what == "over":
                self._await_end()
            elif result.what == "lost":
                self._lost(connection)
        if refused is not None:
            self._reject(refused)
            self._pause(self._rejections)


class SparkSupplier(SparkJobs):
    """Supplies a feed from a SparkSource."""

    def __init__(self, job: Job[Any], feed: str, source: SparkSource) -> None:
        super().__init__(job, feed, source)
        self._spark = source
        self._paused = Wanted()  # partitions whose tasks have ended before all rows were accepted

    def _has_work(self) -> bool:
        return any(True for wanted in (self._wanted, self._paused) for _ in wanted.candidates())

    def _is_outdated(self, running: Running) -> bool:
        # The tasks that have not ended ask for missing rows themselves; the others do not run again.
        supplied, pass_ = running.unfinished(), running.turn.pass_
        for of, first, end in self._wanted.candidates():
            needed = set(range(first, min(end, self._spark.rows.count or 0)))
            if of < pass_ or (of == pass_ and not needed <= supplied):
                return True
        return False

    def _do_work(self, connection: int) -> None:
        pass_ = self._next_pass()
        if pass_ is None:
            return
        rows = self._spark.rows
        if rows.count is None:
            turn = self._turn(pass_, [], self._description(pass_))
            with self._spark_job(rows, turn):
                rows.prepare(self._job.id, self._feed, self._link.address, turn.group, turn.text)
        self._count(pass_)
        partitions = self._take_all(pass_)
        if partitions == []:
            return
        results = self._run_job(rows, self._turn(pass_, partitions, self._description(pass_)))
        self._count(pass_)
        with self._changed:
            for number in range(rows.count or 0) if partitions is None else partitions:
                if number not in results or results[number].what not in ("ended", "done", "over", "skipped"):
                    self._paused.add(pass_, number, number + 1)
            if partitions is None and rows.count is None:  # the Spark job was cancelled
                self._wanted.add(pass_, 0, MOST)
            self._add_ends(pass_, results.values())
        self._judge(list(results.values()), connection)

    def _next_pass(self) -> int | None:
        """The pass of the next Spark job: of partitions that were requested, then of those that were paused."""
        with self._changed:
            requested = next((pass_ for pass_, _, _ in self._wanted.candidates()), None)
        if requested is not None:
            return requested
        for pass_, first, _ in list(self._paused.candidates()):
            what = self._link.action("ask", **{"pass": pass_, "partition": first})["what"]
            if what == "send":
                return pass_
            if what == "over":
                self._await_end()
            elif what == "done":
                self._paused.remove(pass_, first, first + 1)
            if self._over or any(True for _ in self._wanted.candidates()):
                break
        return None

    def _take_all(self, pass_: int) -> list[int] | None:
        """The wanted partitions of a pass. None: all, and their number is not known."""
        count = self._spark.rows.count
        taken: dict[int, None] = {}
        with self._changed:
            for wanted in (self._wanted, self._paused):
                for of, first, end in wanted.candidates():
                    if of == pass_ and count is not None:
                        taken.update(dict.fromkeys(range(first, min(end, count))))
                wanted.remove(pass_, 0, MOST)
        return None if count is None else list(taken)

    def _description(self, pass_: int) -> str:
        text = f"howdah: {self._feed} → {self._job.id}"
        return text if self._spark.passes is None else f"{text}, pass {pass_ + 1} of {self._spark.passes}"

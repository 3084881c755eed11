"""The position of a process in its job. Outside a job it is rank 0 of 1, so that the same program runs anywhere."""

from __future__ import annotations

import json
import os
import shutil
import signal
import tempfile
import threading
from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING, Iterator, Mapping

from ._checkpoints import Checkpoints, sync_tree, write_ranks
from ._errors import FeedError, HowdahError

if TYPE_CHECKING:
    from ._feed.answers import Questions
    from ._feed.reader import FeedReader

_SAVING_S = 1.0  # between two reports that a checkpoint is being saved
_MOST_REPORTS = 600  # of one checkpoint: a longer save may be hung


class Context:
    """The position of this process in its job, its progress and its checkpoints.

    `rank` is None in services and sidecars, which have no rank. All methods are thread-safe.
    """

    job_id: str  # "" outside a job
    job_name: str
    role: str
    index: int  # the index of the task in its role
    role_size: int
    rank: int | None
    world_size: int
    local_rank: int
    local_world_size: int
    attempt: int  # the number of earlier starts of this task
    generation: int  # the number of earlier starts of the tasks as a group
    cluster: dict[str, list[str]]  # the addresses of all tasks by role
    port: int | None  # reserved for this task; None except in the process with local rank 0
    checkpoint_dir: str | None
    log_dir: str | None  # the directory for TensorBoard's event files

    def __init__(self, environment: Mapping[str, str]) -> None:
        def number(name: str, default: int) -> int:
            return int(environment.get(name, default))

        inside = "HOWDAH_JOB_ID" in environment
        self.job_id = environment.get("HOWDAH_JOB_ID", "")
        self.job_name = environment.get("HOWDAH_JOB_NAME", "")
        self.role = environment.get("HOWDAH_ROLE", "worker")
        self.index = number("HOWDAH_TASK_INDEX", 0)
        self.role_size = number("HOWDAH_ROLE_SIZE", 1)
        self.rank = number("HOWDAH_RANK", 0) if "HOWDAH_RANK" in environment or not inside else None
        self.world_size = number("HOWDAH_WORLD_SIZE", 1)
        self.local_rank = number("HOWDAH_LOCAL_RANK", 0)
        self.local_world_size = number("HOWDAH_LOCAL_WORLD_SIZE", 1)
        self.attempt = number("HOWDAH_ATTEMPT", 0)
        self.generation = number("HOWDAH_GENERATION", 0)
        self.cluster = json.loads(environment.get("HOWDAH_CLUSTER", "{}"))
        self.port = number("HOWDAH_PORT", 0) or None
        self.checkpoint_dir = environment.get("HOWDAH_CHECKPOINT_DIR") or None
        self.log_dir = environment.get("TB_LOG_DIR") or None
        self._progress = environment.get("HOWDAH_PROGRESS")
        self._signal = environment.get("HOWDAH_STOP_SIGNAL", "SIGTERM")
        self._total: int | None = None
        self._stopping: threading.Event | None = None
        self._saves: Counter[int] = Counter()  # completed saves of each step with all=True
        self._lock = threading.Lock()
        self._feed_path = environment.get("HOWDAH_FEED") or None
        self._feed_lock = threading.Lock()  # of the next two
        self._feeds: dict[str, FeedReader] = {}
        self._found: int | None = None  # the step of the checkpoint that latest() has returned
        self._points: Mapping[str, str] = {}  # the positions of feeds in this checkpoint

    def feed(self, name: str | None = None) -> FeedReader:
        """The reader of a feed of this job: the same object at every call. The name may be omitted if the job has one
        feed. Raises FeedError outside a job."""
        if self._feed_path is None:
            if not self.job_id:
                raise FeedError(
                    f"Context.feed({name or ''!r}): this process is not in a job; start it with howdah.run(…, "
                    f'data={{"{name or "train"}": howdah.Feed(…)}})'
                )
            raise FeedError(
                f'Context.feed({name or ""!r}): the job {self.job_id} has no feed; give howdah.run(…, '
                f'data={{"{name or "train"}": howdah.Feed(…)}}), or a key `feeds` in the job file'
            )
        from ._feed.reader import FeedReader

        with self._feed_lock:
            reader = self._feeds.get(name or "")
            if reader is None:
                place = {"local_rank": self.local_rank, "attempt": self.attempt}
                reader = FeedReader(self._feed_path, name or "", place)
                reader = self._feeds.setdefault(reader.name, reader)
                self._feeds[name or ""] = reader
                if self._found is not None:
                    reader._found(self._found, self._points.get(reader.name))
        return reader

    def _questions(self, name: str, prefetch: int = 2) -> Questions:
        """The questions of a feed with answers, for this process."""
        if self._feed_path is None:
            raise FeedError(f"the questions of the feed {name!r}: this process is not in a job that has the feed")
        from ._feed.answers import Questions

        return Questions(self._feed_path, name, {"local_rank": self.local_rank, "attempt": self.attempt}, prefetch)

    def _readers(self) -> list[FeedReader]:
        return list({id(reader): reader for reader in list(self._feeds.values())}.values())

    def progress(self, step: int, total: int | None = None) -> None:
        """Reports that `step` is done. total: the number of all steps, if it is known.

        A later checkpoint of this step commits the rows that feeds have returned up to now."""
        for reader in self._readers():  # before the line: the executor uses lines for readers that send no marks
            reader._mark(step)
        with self._lock:
            lines = []
            if total is not None and total != self._total:
                self._total = total
                lines.append(f"steps {total}")
            self._report(*lines, f"step {step}")

    def checkpointed(self, step: int) -> None:
        """Reports that a checkpoint of `step` is complete. Only needed by programs that do not use checkpoint()."""
        for reader in self._readers():
            reader._checkpointed(step)
        self._report(f"checkpoint {step}")

    def _report(self, *lines: str) -> None:
        if self._progress:
            with open(self._progress, "a", encoding="ascii") as file:
                file.write("".join(line + "\n" for line in lines))

    @property
    def stopping(self) -> bool:
        """Whether a stop was requested. After the first use of this attribute, the stop signal sets the attribute
        instead of ending the process. The first use must be in the main thread."""
        if self._stopping is None:
            requested = threading.Event()
            try:
                signal.signal(getattr(signal, self._signal), lambda *_: requested.set())
            except ValueError:
                raise HowdahError("the first use of Context.stopping must be in the main thread") from None
            self._stopping = requested
        return self._stopping.is_set()

    def _stop_requested(self) -> bool:
        return self._stopping is not None and self._stopping.is_set()

    @contextmanager
    def checkpoint(self, step: int, *, all: bool = False) -> Iterator[str]:
        """A directory for the files of a checkpoint. At the end of the block, the files are written to the disk, the
        directory is renamed atomically to checkpoint_dir/step-N, and the checkpoint is reported. The files of ranks
        other than 0 are kept only with all=True, as step-N-rank-R. All ranks of world_size must save the step then.
        Rank 0 waits for them before it renames the directories of all ranks. It raises HowdahError after 10 minutes, or
        if a stop was requested and a rank does not begin to save. After an exception the files of this rank are lost.

        The checkpoint commits the rows that feeds have returned up to the start of the block. All ranks should call
        checkpoint(), even if their files are not kept: with split="dynamic" each rank has rows of its own."""
        for reader in self._readers():
            reader._mark(step, wait=True)  # must be in the log of the job before the checkpoint is there
        checkpoints = self._checkpoints()
        first = self.rank in (0, None)
        if checkpoints is None or not (first or all):
            with tempfile.TemporaryDirectory(prefix="howdah-checkpoint-") as scratch:
                yield scratch
            return
        name = f"step-{step}" if first else f"step-{step}-rank-{self.rank}"
        save, ranks = checkpoints.save_id(self._saves[step]), self.world_size if all else 1
        scratch = checkpoints.begin(name)
        try:
            yield scratch
            with self._saving():
                if ranks > 1:
                    write_ranks(scratch, save, ranks)
                sync_tree(scratch)
                if not first:
                    checkpoints.offer(scratch, name, save)
            if first:
                checkpoints.await_ranks(step, save, ranks, self._stop_requested)  # does not extend the grace
                with self._saving():
                    self._save_points(scratch, step)  # fails if the job has replaced this process in the meantime
                    checkpoints.publish(scratch, name, save, ranks)
            self._saves[step] += all
        except BaseException:
            shutil.rmtree(scratch, ignore_errors=True)
            raise
        if first:
            self.checkpointed(step)

    @contextmanager
    def _saving(self) -> Iterator[None]:
        """Reports repeatedly that a checkpoint is being saved, so that the grace of a stop does not end."""
        saved = threading.Event()

        def report() -> None:
            for _ in range(_MOST_REPORTS):
                if saved.wait(_SAVING_S):
                    return
                self._report("checkpointing")

        self._report("checkpointing")
        thread = threading.Thread(target=report, name="howdah checkpoint", daemon=True)
        thread.start()
        try:
            yield
        finally:
            saved.set()
            thread.join()

    def _save_points(self, folder: str, step: int) -> None:
        """The positions of the feeds, for a new job that continues this checkpoint."""
        readers = self._readers()
        if readers:
            from ._feed import point

            point.save(folder, step, readers)

    def latest(self) -> tuple[int, str | None]:
        """The step and the directory of the newest complete checkpoint; (0, None) if there is none. Feeds continue
        after the rows of this checkpoint, which may be that of an earlier job, so all ranks must restore it before they
        read a row."""
        checkpoints = self._checkpoints()
        step, directory = (0, None) if checkpoints is None else checkpoints.newest()
        if directory is not None:
            with self._feed_lock:
                known, self._found = self._found, step
                if known != step and self._feed_path is not None:
                    from ._feed import point

                    self._points = point.load(directory)
            if known != step:
                for reader in self._readers():
                    reader._found(step, self._points.get(reader.name))
        return step, directory

    def _checkpoints(self) -> Checkpoints | None:
        """The checkpoints of the job; None if it has no directory for them."""
        root = self.checkpoint_dir
        if root is None:
            return None
        if root.startswith("file:"):
            root = "/" + root[len("file:") :].lstrip("/")
        elif "://" in root:
            raise HowdahError(
                f"checkpoint_dir is {root}, but Context.checkpoint() and latest() support only directories: set it to "
                "a directory that all nodes share, or let the program itself save checkpoints to this URI and report "
                "each with checkpointed(step)"
            )
        task = f"{self.role}-{self.index}-{self.local_rank}"
        return Checkpoints(root, self.job_id, task, self.attempt, self.generation)

    def __repr__(self) -> str:
        rank = "no rank" if self.rank is None else f"rank {self.rank} of {self.world_size}"
        return f"<Context {self.role}:{self.index}, {rank}>"


_current: Context | None = None


def context() -> Context:
    """The context of this process: the same object at every call."""
    global _current
    if _current is None:
        _current = Context(os.environ)
    return _current

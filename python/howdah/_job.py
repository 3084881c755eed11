"""Submitted jobs: their status, results, output and end."""

from __future__ import annotations

import json
import pickle
import subprocess
import threading
from typing import TYPE_CHECKING, Any, Generator, Generic, Mapping, Sequence, TypeVar

from . import _calls, _program
from ._errors import HowdahError, JobFailed, JobKilled, NoResult, failure

if TYPE_CHECKING:
    from typing_extensions import Self

    from ._feed.source import Source
    from ._feed.writer import FeedWriter
    from ._streams import Events, Forward, Lines

T = TypeVar("T")

_FINAL = ("SUCCEEDED", "FAILED", "KILLED")


class _Record:
    """The fields of a JSON object as attributes. `raw` is the object as a dict."""

    raw: dict[str, Any]

    def __init__(self, raw: Mapping[str, Any]) -> None:
        self.raw = dict(raw)

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            if name == "raw" or name.startswith("__"):
                raise AttributeError(name)
            try:
                return self.raw[name]
            except KeyError:
                raise AttributeError(f"{type(self).__name__} has no attribute {name!r}") from None

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self.raw})


class TaskStatus(_Record):
    """A task in a snapshot of its job (docs/status.md)."""

    role: str
    index: int
    state: str
    attempt: int
    ready: bool
    node: str | None
    container: str | None
    ranks: list[int]
    pids: list[int]
    exit_code: int | None
    signal: str | None
    reason: str | None
    started: str | None
    finished: str | None
    usage: dict[str, Any]
    progress: dict[str, Any] | None
    result_bytes: list[int]

    def __repr__(self) -> str:
        return f"<{self.role}:{self.index} {self.state}>"


class Status(_Record):
    """A snapshot of a job (docs/status.md). Times are in UTC."""

    id: str
    name: str
    state: str
    exit_code: int | None
    on: str
    framework: str
    generation: int
    reason: str | None
    advice: str | None
    cause: dict[str, Any] | None
    submitted: str | None
    started: str | None
    finished: str | None
    urls: dict[str, str | None]
    account: dict[str, Any]
    children: list[dict[str, Any]]
    feeds: list[dict[str, Any]]  # empty if the job has none, or has ended
    tasks: list[TaskStatus]

    def __init__(self, raw: Mapping[str, Any]) -> None:
        super().__init__(raw)
        self.feeds = list(raw.get("feeds", []))
        self.tasks = [TaskStatus(task) for task in raw.get("tasks", [])]

    @property
    def final(self) -> bool:
        """Whether the job has ended."""
        return self.state in _FINAL

    def __repr__(self) -> str:
        return f"<Status of {self.id}: {self.state}>"


class Job(Generic[T]):
    """A submitted job. Every method is thread-safe, and none needs an event loop. `await job` gives its result."""

    def __init__(self, id: str, *, on: str | None = None, name: str | None = None) -> None:
        self.id = id
        self._on, self._name = on, name
        self._writers: dict[str, FeedWriter] = {}
        self._lock = threading.Lock()  # guards _writers

    @classmethod
    def attach(cls, id: str = "last", *, on: str | None = None) -> Job[Any]:
        """The job with this id, name or part of an id; "last" is the newest."""
        status = Status(json.loads(_program.output(["status", id, "--json", *_program.on(on)])))
        return cls(status.id, on=status.on, name=status.name)

    @property
    def on(self) -> str:
        """The backend: "local" or "yarn"."""
        if self._on is None:
            self._on = self.status().on
        return self._on

    @property
    def name(self) -> str:
        if self._name is None:
            self._name = self.status().name
        return self._name

    # --- state ---

    def status(self) -> Status:
        """A snapshot of the job."""
        return Status(json.loads(_program.output(["status", self.id, "--json"])))

    @property
    def state(self) -> str:
        return self.status().state

    @property
    def reason(self) -> str | None:
        return self.status().reason

    @property
    def advice(self) -> str | None:
        return self.status().advice

    @property
    def urls(self) -> dict[str, str | None]:
        return self.status().urls

    def wait(self, timeout: float | None = None) -> Status:
        """Waits until the job ends, whether it succeeds or not. Raises TimeoutError after `timeout` seconds; the job
        continues."""
        limit = [] if timeout is None else ["--timeout", f"{max(1, round(timeout * 1000))}ms"]
        done = _program.call(["wait", self.id, *limit])
        if done.code == _program.TIMED_OUT:
            raise TimeoutError(f"{self.id} has not ended after {timeout:g} s")
        status = self.status()
        if not status.final:
            raise HowdahError(done.message)
        return status

    def done(self) -> bool:
        """Whether the job has ended."""
        return self.status().final

    # --- results ---

    def result(self, timeout: float | None = None) -> T:
        """The value that rank 0 has returned. Waits for the end of the job; raises JobFailed, JobKilled or
        NoResult."""
        status = self.wait(timeout)
        self.raise_failure(status)
        for task in status.tasks:
            if 0 in task.ranks:
                value: T = self._value(task, task.ranks.index(0))
                return value
        raise NoResult(f"{self.id} has no process with rank 0, so it has no result")

    def results(self, timeout: float | None = None) -> list[T]:
        """The values that all ranks have returned, in the order of the ranks."""
        status = self.wait(timeout)
        self.raise_failure(status)
        ranked = [(rank, local, task) for task in status.tasks for local, rank in enumerate(task.ranks)]
        return [self._value(task, local) for _, local, task in sorted(ranked, key=lambda item: item[0])]

    def exception(self, timeout: float | None = None) -> JobFailed | None:
        """The failure of the job; None if the job succeeded. Raises JobKilled if the job was killed."""
        try:
            self.raise_failure(self.wait(timeout))
        except JobFailed as error:
            return error
        return None

    def raise_failure(self, status: Status) -> None:
        """Raises JobKilled if the ended job was killed, and JobFailed if it failed. If it was killed because the source
        of a feed in this process has raised, raises that exception."""
        if status.state == "KILLED":
            for writer in list(self._writers.values()):
                if writer.error is not None:
                    raise writer.error
            raise JobKilled(self, status.reason or "")
        if status.state == "FAILED":
            raise self._failure(status)

    def _failure(self, status: Status) -> JobFailed:
        cause = status.cause or {}
        name = f"{cause['role']}:{cause['index']}" if cause.get("role") else None
        reason = status.reason or f"{self.id} failed"
        raised = self._raised(status, cause) if name else None
        if raised is None:
            return failure(self, reason, status.advice, name, None, None, None)
        cls, original = _unpickled(raised.payload)
        return failure(self, reason, status.advice, name, raised.traceback, cls, original)

    def _raised(self, status: Status, cause: Mapping[str, Any]) -> _calls.Result | None:
        """The exception of the failed task. If several of its processes raised an exception, the earliest of these."""
        found = []
        for task in status.tasks:
            if (task.role, task.index, task.attempt) != (cause["role"], cause["index"], cause.get("attempt")):
                continue
            for local, size in enumerate(task.result_bytes):
                result = self._fetch(task, local) if size >= 0 else None
                if result is not None and result.kind == "exception":
                    found.append(result)
        return min(found, key=lambda result: result.at, default=None)

    def _fetch(self, task: TaskStatus, local: int) -> _calls.Result | None:
        return self.fetch(task.role, task.index, local)

    def fetch(self, role: str, index: int, local: int) -> _calls.Result | None:
        """The result of a process; None if this package did not write it."""
        data = _program.output(["result", self.id, f"{role}:{index}", "--rank", str(local)])
        return _calls.decode_result(data)

    def _value(self, task: TaskStatus, local: int) -> Any:
        name = f"{task.role}:{task.index}" + (f", process {local}," if len(task.ranks) > 1 else "")
        if local >= len(task.result_bytes) or task.result_bytes[local] < 0:
            raise NoResult(f"{name} of {self.id} has no result: it runs a command, or its function did not return")
        return self.value_of(self._fetch(task, local), name)

    def value_of(self, result: _calls.Result | None, name: str) -> Any:
        if result is None:
            raise NoResult(
                f"{name} of {self.id} runs a command; `howdah result` prints what it has written to $HOWDAH_RESULT"
            )
        if result.kind != "value":
            raise NoResult(f"{name} of {self.id} has not returned: {result.type}: {result.message}")
        return pickle.loads(result.payload)

    # --- output ---

    def logs(
        self,
        task: str | None = None,
        *,
        follow: bool = False,
        stdout: bool = True,
        stderr: bool = True,
        attempt: int | None = None,
        tail: int | None = None,
    ) -> Lines:
        """The lines of the output of all tasks, of a role, or of one task ("worker:0"). follow: whether to wait for new
        lines until the job ends."""
        from ._streams import Lines

        flags = ["--json"]
        flags += ["-f"] if follow else []
        if not (stdout or stderr):
            raise ValueError("logs: stdout and stderr are both False")
        flags += [] if stderr else ["--stdout"]
        flags += [] if stdout else ["--stderr"]
        flags += [] if attempt is None else ["--attempt", str(attempt)]
        flags += [] if tail is None else ["--tail", str(tail)]
        return Lines(["logs", self.id, *([task] if task else []), *flags])

    def events(self, *, follow: bool = False) -> Events:
        """The entries of the journal. follow: whether to wait for new entries until the job ends."""
        from ._streams import Events

        return Events(["events", self.id, "--json", *(["-f"] if follow else [])])

    # --- orders ---

    def cancel(self) -> bool:
        """Kills the job, like concurrent.futures.Future.cancel(). Returns False if the job had already ended."""
        if self.done():
            return False
        self.kill()
        return self.state == "KILLED"

    def kill(self, grace: str | None = None) -> None:
        """Kills the job, and waits until its processes have ended. grace: replaces the job's checkpoint.grace."""
        _program.output(["kill", self.id, *([] if grace is None else ["--grace", grace])])

    def scale(self, **role_n: int) -> None:
        """Changes the number of tasks of elastic roles: job.scale(worker=4)."""
        for role, number in role_n.items():
            _program.output(["scale", self.id, f"{role}={number}"])

    def exec(
        self, task: str, argv: Sequence[str], *, input: bytes | None = None, timeout: float | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        """Runs a command in the environment of a running task."""
        arguments = ["exec", self.id, task, "--", *map(str, argv)]
        done = _program.call(arguments, input=input, timeout=timeout)
        return subprocess.CompletedProcess(list(argv), done.code, done.stdout, done.stderr.encode())

    def open(self, task: str, port: int) -> Forward:
        """Forwards a local port to a port of a task."""
        from ._streams import Forward

        return Forward(self.id, task, port)

    # --- feeds ---

    def feed(self, name: str) -> FeedWriter:
        """The writer of a feed: job.feed("live").send(table). Returns the same object at every call."""
        return self._writer(name, None)

    def supply(self, name: str, source: Source) -> None:
        """Starts to supply a feed from a source in this process."""
        self._writer(name, source)

    def release_feeds(self) -> None:
        """Ends the threads that supply feeds; the job has ended."""
        for writer in list(self._writers.values()):
            writer.release()

    def _writer(self, name: str, source: Source | None) -> FeedWriter:
        from ._feed.writer import FeedWriter

        with self._lock:
            if name not in self._writers:
                self._writers[name] = FeedWriter(self, name, source)
            return self._writers[name]

    # --- Python ---

    def __await__(self) -> Generator[Any, None, T]:
        from ._threads import in_thread

        return in_thread(self.result).__await__()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if not self.done():
            self.kill()

    def __repr__(self) -> str:
        try:
            status = self.status()
        except Exception:  # the backend cannot be reached
            return f"<Job {self.id}>"
        reason = f": {status.reason}" if status.reason else ""
        return f"<Job {self.id} ({status.name}) on {status.on} {status.state}{reason}>"

    def _repr_html_(self) -> str:
        from . import _notebook

        return _notebook.table(self.status())

    def _ipython_display_(self) -> None:
        from . import _notebook

        _notebook.show(self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Job) and other.id == self.id

    def __hash__(self) -> int:
        return hash(self.id)

    def __reduce__(self) -> tuple[Any, ...]:
        return _attached, (self.id, self._on, self._name)


def _attached(id: str, on: str | None, name: str | None) -> Job[Any]:
    return Job(id, on=on, name=name)


def _unpickled(payload: bytes) -> tuple[type[BaseException] | None, BaseException | None]:
    """The class of an exception, and the exception; each is None if it cannot be unpickled here."""
    cls: Any = None
    original: Any = None
    try:
        pickled_class, pickled_state = pickle.loads(payload)
        cls = pickle.loads(pickled_class) if pickled_class else None
        if not (isinstance(cls, type) and issubclass(cls, BaseException)):
            return None, None
        if pickled_state:
            arguments, args, state = pickle.loads(pickled_state)
            original = cls.__new__(cls, *arguments)
            if not hasattr(cls.__init__, "__code__"):  # an __init__ in C takes the same arguments as __new__
                original.__init__(*arguments)
            original.args = args
            original.__setstate__(state)
    except Exception:  # the module is not installed here, or has another version
        pass
    return cls, original


def jobs(all: bool = False, *, on: str | None = None) -> list[Job[Any]]:
    """The queued and running jobs of this user, newest first; with all=True also finished ones."""
    found = json.loads(_program.output(["list", "--json", *(["--all"] if all else []), *_program.on(on)]))
    return [Job(item["id"], on=item["on"], name=item["name"]) for item in found]

"""The exceptions of the package."""

from __future__ import annotations

from pickle import PicklingError as _PicklingError
from typing import TYPE_CHECKING, Any, NamedTuple, Sequence

if TYPE_CHECKING:
    from ._job import Job


class HowdahError(Exception):
    """The base class of all exceptions that Howdah raises, except TimeoutError."""


class Problem(NamedTuple):
    """A mistake in a job file."""

    key: str  # such as "roles.worker.memory"; empty if the problem has no key
    text: str
    line: int | None  # the line number in the job file
    file: str

    def __str__(self) -> str:
        return f"{self.key}: {self.text}" if self.key else self.text


class JobFileError(HowdahError):
    """The job cannot be submitted, because its job file has mistakes. Nothing was submitted."""

    problems: list[Problem]

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = list(problems)
        super().__init__("\n".join(map(str, self.problems)))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.problems,)


class Refused(HowdahError):
    """The backend cannot run the job. Each reason is one sentence with numbers."""

    reasons: list[str]

    def __init__(self, reasons: Sequence[str]) -> None:
        self.reasons = list(reasons)
        super().__init__("\n".join(self.reasons))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.reasons,)


class Unavailable(HowdahError):
    """The backend could not be reached, or the job has no application master that could answer."""


class NoResult(HowdahError):
    """The job has no result: it runs a command, or its function did not return."""


class PicklingError(HowdahError, _PicklingError):
    """A function or its arguments cannot be sent. The message names the object, and the variables that refer to it."""


class FeedError(HowdahError):
    """A feed cannot be read or written. The base class of the exceptions of feeds."""


class FeedEmpty(FeedError):
    """A pass over a feed ended without a single batch."""


class FeedMisuse(FeedError):
    """A reader was used in a way that its feed does not allow, such as different batch sizes on the ranks."""


class FeedTypeError(FeedError, TypeError):
    """A column cannot be sent, or not returned in the requested form. The message names the column, and where a value
    is the cause the row, and how to convert it."""


class FeedChanged(FeedError):
    """The source has supplied other rows than before for the same partition."""


class FeedLost(FeedError):
    """The source of the feed is gone, or the executor that serves it, and rows are missing."""


class JobKilled(HowdahError):
    """The job was killed: by a user, by Ctrl-C or by `timeouts.run`."""

    job: Job[Any]
    reason: str

    def __init__(self, job: Job[Any], reason: str) -> None:
        self.job, self.reason = job, reason
        super().__init__(reason or f"{job.id} was killed")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.job, self.reason)


class JobFailed(HowdahError):
    """The job failed. `reason` is its root cause, as Howdah has determined it.

    If the root cause is an exception in a function, the raised JobFailed is also an instance of that exception's class,
    and its `__cause__` is the original exception if that can be unpickled.
    """

    job: Job[Any]
    reason: str
    advice: str | None
    task: str | None  # the task with the root cause, such as "worker:2"
    traceback: str | None  # the remote traceback, if the root cause is an exception in a function

    def __init__(
        self,
        job: Job[Any],
        reason: str,
        advice: str | None = None,
        task: str | None = None,
        traceback: str | None = None,
    ) -> None:
        self.job, self.reason, self.advice, self.task, self.traceback = job, reason, advice, task, traceback
        self.args = (reason,)

    def __str__(self) -> str:
        text = self.reason
        if self.advice:
            text += f"\nadvice: {self.advice}"
        if self.traceback:
            text += f"\n\nthe traceback in {self.task}:\n{self.traceback.rstrip()}"
        return text

    def __reduce__(self) -> tuple[Any, ...]:
        return _failed, (self.job, self.reason, self.advice, self.task, self.traceback, self.__cause__)


def _failed(job: Any, reason: str, advice: Any, task: Any, traceback: Any, cause: BaseException | None) -> JobFailed:
    return failure(job, reason, advice, task, traceback, type(cause) if cause is not None else None, cause)


def failure(
    job: Job[Any],
    reason: str,
    advice: str | None,
    task: str | None,
    traceback: str | None,
    cls: type[BaseException] | None,
    original: BaseException | None,
) -> JobFailed:
    """A JobFailed that is an instance of `cls` too, with the attributes of the original exception."""
    kind: type[JobFailed] = JobFailed
    error = kind.__new__(kind)
    if cls is not None and issubclass(cls, Exception) and not issubclass(cls, JobFailed):
        try:
            kind = type(cls.__name__, (JobFailed, cls), {"__module__": cls.__module__})
            error = kind.__new__(kind, *(original.args if original is not None else ()))
            _copy_attributes(original, error)
        except Exception:  # the class cannot be subclassed
            error = JobFailed.__new__(JobFailed)
    JobFailed.__init__(error, job, reason, advice, task, traceback)
    error.__cause__ = original
    return error


def _copy_attributes(original: BaseException | None, error: BaseException) -> None:
    """Copies attributes of Python and of C, such as OSError.errno."""
    names = {
        name for cls in type(original).__mro__ for name, value in vars(cls).items() if hasattr(type(value), "__set__")
    }
    for name in {*names, *getattr(original, "__dict__", {})}:
        if name.startswith("__") or name == "args" or isinstance(getattr(type(original), name, None), property):
            continue
        try:
            setattr(error, name, getattr(original, name))
        except Exception:  # the attribute is read-only or not set
            pass

"""Streams of a job: lines of output, entries of the journal, and forwarded ports. Each is a running `howdah`."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, Any, AsyncIterator, Generic, Iterator, Mapping, NamedTuple, TypeVar

from . import _program
from ._errors import HowdahError, Unavailable

if TYPE_CHECKING:
    from typing_extensions import Self

T = TypeVar("T")


class Line(NamedTuple):
    """A line of a task's output."""

    task: str  # such as "worker:0"
    stream: str  # "stdout" or "stderr"
    text: str  # without the newline
    rank: int  # the local rank of the process
    attempt: int


class Event:
    """An entry of the journal (docs/status.md). Its fields are attributes; `raw` is the entry as a dict."""

    time: str
    type: str

    def __init__(self, raw: Mapping[str, Any]) -> None:
        self.raw = dict(raw)
        self.time, self.type = self.raw["time"], self.raw["type"]

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            if name == "raw" or name.startswith("__"):
                raise AttributeError(name)
            return self.raw.get(name)

    def __repr__(self) -> str:
        fields = " ".join(f"{key}={value!r}" for key, value in self.raw.items() if key not in ("time", "type"))
        return f"<{self.time} {self.type} {fields}>"


class _Stream(Generic[T]):
    """An iterator for `for` and `async for`, in one thread at a time. close() or the end of a `with` block ends it."""

    def __init__(self, arguments: list[str]) -> None:
        self._command = arguments[0]
        self._process = _program.stream(arguments)
        self._closed = False

    def _decode(self, line: bytes) -> T:
        raise NotImplementedError

    def __iter__(self) -> Iterator[T]:
        return self

    def __next__(self) -> T:
        assert self._process.stdout is not None
        try:
            line = b"" if self._closed else self._process.stdout.readline()
        except ValueError:  # another thread has closed the stream meanwhile
            line = b""
        if line:
            return self._decode(line)
        self._end()
        raise StopIteration

    def __aiter__(self) -> AsyncIterator[T]:
        return self._items()

    async def _items(self) -> AsyncIterator[T]:
        from ._threads import in_thread

        missing: Any = object()
        try:
            while True:
                item = await in_thread(lambda: next(self, missing))
                if item is missing:
                    return
                yield item
        finally:
            self.close()

    def _end(self) -> None:
        if self._closed:
            return
        code, message = self._process.wait(), _stderr(self._process)
        self.close()
        if code != 0:
            raise (Unavailable if code == _program.REFUSED else HowdahError)(
                message or f"`howdah {self._command}` ended with exit code {code}"
            )

    def close(self) -> None:
        """Ends the stream. May be called from any thread, and more than once."""
        if self._closed:
            return
        self._closed = True
        if self._process.poll() is None:
            self._process.terminate()
        self._process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if hasattr(self, "_closed"):
            self.close()
            for pipe in (self._process.stdout, self._process.stderr):
                if pipe is not None:
                    pipe.close()


class Lines(_Stream[Line]):
    """The lines of a job's output, in the order in which they arrive."""

    def _decode(self, line: bytes) -> Line:
        item = json.loads(line)
        return Line(item["task"], item["stream"], item["text"], item["rank"], item["attempt"])


class Events(_Stream[Event]):
    """The entries of a job's journal."""

    def _decode(self, line: bytes) -> Event:
        return Event(json.loads(line))


class Forward:
    """A local port that leads to a port of a task, until it is closed or the job ends. A context manager."""

    port: int
    url: str  # such as "http://127.0.0.1:40123/"

    def __init__(self, job: str, task: str, port: int) -> None:
        self._process = _program.stream(["open", job, task, str(port)])
        assert self._process.stdout is not None
        line = self._process.stdout.readline().decode().strip()
        if not line:
            self._process.wait()
            raise HowdahError(_stderr(self._process) or f"port {port} of {task} cannot be reached")
        self.port = int(line.rstrip("/").rpartition(":")[2])
        self.url = line if "://" in line else f"http://{line}/"

    def close(self) -> None:
        if self._process.poll() is None:
            self._process.terminate()
        self._process.wait()
        for pipe in (self._process.stdout, self._process.stderr):
            if pipe is not None:
                pipe.close()

    def __enter__(self) -> Forward:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Forward {self.url}>"


def _stderr(process: subprocess.Popen[bytes]) -> str:
    assert process.stderr is not None
    return (
        _program.Done(0, b"", process.stderr.read().decode("utf-8", "replace")).stderr.replace("howdah: ", "").strip()
    )

"""Follows a job for `howdah.run`: prints states to stderr and merged output to stdout, and stops the job on Ctrl-C."""

from __future__ import annotations

import sys
import threading
from queue import SimpleQueue
from typing import Any

from . import _program
from ._job import Job
from ._streams import Event, Events, Line, Lines

_END = object()


def run(job: Job[Any], *, show: bool, value: bool) -> Any:
    """Waits for the end of the job, and returns rank 0's value.

    show: whether anything is printed. value: whether the job has a function.
    """
    display = _display(job) if show else None
    ended = _Interruptible(job).follow(display)
    if ended.state == "SUCCEEDED" and not value:
        return None
    if ended.state != "SUCCEEDED":
        job.raise_failure(job.status())
    if ended.rank_0 is not None:
        role, index, local = ended.rank_0
        return job.value_of(_fetch(job, role, index, local), f"{role}:{index}")
    return job.result()


def _fetch(job: Job[Any], role: str, index: int, local: int) -> Any:
    done = _program.call(["result", job.id, f"{role}:{index}", "--rank", str(local)])
    if done.code != 0:
        job.result()  # raises NoResult, or the reason why the result cannot be read
    from ._calls import decode_result

    return decode_result(done.stdout)


class _Ended:
    """The final state of the job and the process of rank 0, from the journal, so without another call of `howdah`."""

    def __init__(self) -> None:
        self.state = "QUEUED"
        self.rank_0: tuple[str, int, int] | None = None

    def add(self, event: Event) -> None:
        raw = event.raw
        if event.type.startswith("Job"):
            self.state = raw.get("state", self.state)
        elif 0 in raw.get("ranks", ()):
            self.rank_0 = (raw["role"], raw["index"], raw["ranks"].index(0))


class _Interruptible:
    """Follows a job. The first Ctrl-C stops the job with its grace period, the second Ctrl-C without a grace period."""

    def __init__(self, job: Job[Any]) -> None:
        self._job = job
        self._interrupts = 0
        self._arrived: SimpleQueue[Any] = SimpleQueue()

    def follow(self, display: _Plain | None) -> _Ended:
        ended = _Ended()
        streams: list[Any] = [self._job.events(follow=True)]
        if display is not None:
            streams.append(self._job.logs(follow=True))
        for stream in streams:
            threading.Thread(target=self._pump, args=(stream,), daemon=True).start()
        left = len(streams)
        try:
            while left:
                try:
                    item = self._arrived.get()
                    if item is _END:
                        left -= 1
                    elif isinstance(item, BaseException):
                        raise item
                    else:
                        if isinstance(item, Event):
                            ended.add(item)
                        if display is not None:
                            display.add(item)
                except KeyboardInterrupt:
                    self._interrupt(display)
        finally:
            for stream in streams:
                stream.close()
        if display is not None:
            display.finish()
        return ended

    def _pump(self, stream: Lines | Events) -> None:
        try:
            for item in stream:
                self._arrived.put(item)
        except Exception as error:
            self._arrived.put(error)
        self._arrived.put(_END)

    def _interrupt(self, display: _Plain | None) -> None:
        self._interrupts += 1
        first = self._interrupts == 1
        if display is not None:
            hint = "; interrupt again to skip the grace period" if first else " without grace period"
            display.note(f"stopping {self._job.id}{hint}")
        grace = None if first else "0s"
        threading.Thread(target=self._kill, args=(grace,), daemon=True).start()

    def _kill(self, grace: str | None) -> None:
        try:
            self._job.kill(grace)
        except Exception as error:
            self._arrived.put(error)


class _Plain:
    """Prints as `howdah run` does."""

    def __init__(self, job: Job[Any]) -> None:
        self._job = job
        self._several: set[str] = set()  # tasks with several processes
        self._reason = ""
        self._state = "QUEUED"

    def add(self, item: Event | Line) -> None:
        if isinstance(item, Line):
            name = f"{item.task}/{item.rank}" if item.rank or item.task in self._several else item.task
            sys.stdout.write(f"{name} │ {item.text}\n")
            sys.stdout.flush()
            return
        raw = item.raw
        if len(raw.get("pids", ())) > 1:
            self._several.add(f"{raw['role']}:{raw['index']}")
        if item.type.startswith("Job"):
            self.on_job(raw)

    def on_job(self, raw: dict[str, Any]) -> None:
        state, reason = raw.get("state", self._state), raw.get("reason") or ""
        if state != self._state or (reason and reason != self._reason):
            self.note(f"{raw['time'][11:23]}  {state}" + (f"  {reason}" if reason else ""))
        self._state, self._reason = state, reason

    def note(self, text: str) -> None:
        sys.stderr.write(text + "\n")
        sys.stderr.flush()

    def finish(self) -> None:
        pass


class _Table(_Plain):
    """Shows the live table of a notebook instead of the states."""

    def __init__(self, job: Job[Any]) -> None:
        super().__init__(job)
        from . import _notebook

        self._table = _notebook.Live(job)

    def on_job(self, raw: dict[str, Any]) -> None:
        self._table.changed()

    def finish(self) -> None:
        self._table.finish()


def _display(job: Job[Any]) -> _Plain:
    if "IPython" in sys.modules:
        from . import _notebook

        if _notebook.active():
            return _Table(job)
    display = _Plain(job)
    display.note(f"{job.id} submitted: {job.name}")
    return display

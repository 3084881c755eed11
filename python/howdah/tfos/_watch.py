"""Follows the journal of the job of a cluster, in a thread of its own."""

from __future__ import annotations

import threading
import time
from typing import Any, Mapping, Sequence

from .._errors import HowdahError
from .._job import Job
from .._streams import Events

_ENDS = ("TaskExited", "TaskLost", "TaskStopped", "TaskRemoved", "TaskPending")


class Watch:
    """The states of the nodes of a cluster. Thread-safe. roles: the numbers of the nodes by role. readers: the roles
    that train."""

    def __init__(self, job: Job[Any], roles: Mapping[str, Sequence[int]], readers: Sequence[str]) -> None:
        self._job, self._readers = job, tuple(readers)
        self._missing = {(role, index) for role, numbers in roles.items() for index in range(len(numbers))}
        self._changed = threading.Condition()  # guards all fields
        self.nodes: dict[tuple[str, int], dict[str, Any]] = {}  # the newest fields of each node
        self._alive: set[tuple[str, int]] = set()
        self._none_since = time.monotonic()  # no trainer is alive since then
        self.ended = False  # the job has ended, or cannot be followed any more
        self._error: HowdahError | None = None
        self._stop_requested = False
        self._events: Events = job.events(follow=True)
        threading.Thread(target=self._follow, name="howdah cluster", daemon=True).start()

    def wait_until_started(self, timeout: float) -> bool:
        """Waits until every node has started, or the job ends. Returns False if it takes longer."""
        with self._changed:
            return self._changed.wait_for(lambda: self.ended or not self._missing, timeout)

    def wait_for_end(self, timeout: float | None) -> bool:
        """Waits until the job has ended. Returns False if it takes longer."""
        with self._changed:
            return self._changed.wait_for(lambda: self.ended, timeout)

    def wait_for_no_trainer(self, seconds: float, done: threading.Event) -> bool:
        """Waits until no trainer has been alive for so long (True), or the job ends or note_done was called (False)."""
        with self._changed:
            while not (self.ended or done.is_set()):
                left = None if self._alive else self._none_since + seconds - time.monotonic()
                if left is not None and left <= 0:
                    return True
                self._changed.wait(left)
            return False

    def note_done(self, done: threading.Event) -> None:
        """Ends wait_for_no_trainer(…, done)."""
        with self._changed:
            done.set()
            self._changed.notify_all()

    def request_stop(self) -> None:
        """Ends wait_for_stop_request."""
        with self._changed:
            self._stop_requested = True
            self._changed.notify_all()

    def wait_for_stop_request(self) -> None:
        """Waits until request_stop() is called, or the job ends."""
        with self._changed:
            self._changed.wait_for(lambda: self.ended or self._stop_requested)

    def missing(self) -> list[str]:
        """The nodes that have not started."""
        with self._changed:
            return [f"{role}:{index}" for role, index in sorted(self._missing)]

    def close(self) -> None:
        self._events.close()

    def _follow(self) -> None:
        try:
            for event in self._events:
                self._note(event.raw)
        except HowdahError as error:
            self._error = error
        with self._changed:
            self.ended = True
            self._changed.notify_all()

    def _note(self, entry: Mapping[str, Any]) -> None:
        with self._changed:
            if entry["type"].startswith("Task") and "role" in entry:
                self._note_task(entry)
            if entry["type"] == "JobFinished":
                self.ended = True
            self._changed.notify_all()

    def _note_task(self, entry: Mapping[str, Any]) -> None:
        node = (entry["role"], entry["index"])
        self.nodes.setdefault(node, {}).update(entry)
        if entry["type"] == "TaskStarted":
            self._missing.discard(node)
            if node[0] in self._readers:
                self._alive.add(node)
        elif entry["type"] in _ENDS and node in self._alive:
            self._alive.discard(node)
            if not self._alive:
                self._none_since = time.monotonic()

"""Reports to Spark's tasks where the executors of a job run now: tasks live longer than executors.

A task asks only when no executor that it knows answers. Its request is a line with a secret, and the answer one JSON
object: {"locations": […]}, {"ended": text}, or {} if the locations are not known now.
"""

from __future__ import annotations

import hmac
import json
import secrets
import socket
import threading
import time
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Callable

from .. import _program
from .._errors import HowdahError, Unavailable

if TYPE_CHECKING:
    from .._job import Job

_REQUEST_S = 10.0  # until a connection has sent its secret
_MOST_SILENT = 64  # connections that have not sent a secret
_LONGEST_SECRET = 200
_RETRY_S = 0.1
_END_S = 30.0  # for ranks to end after the feed was closed


class Server:
    """A TCP server of this process. answers: by secret."""

    def __init__(self, host: str) -> None:
        self._answers: dict[str, Callable[[], dict[str, Any]]] = {}
        self._silent: deque[socket.socket] = deque()  # connections that have not sent a secret, the oldest one first
        self._lock = threading.Lock()  # of `_silent`
        self._socket = _listener(host)
        self.port: int = self._socket.getsockname()[1]
        threading.Thread(target=self._accept, name="howdah directory", daemon=True).start()

    def put(self, secret: str, answer: Callable[[], dict[str, Any]]) -> None:
        self._answers[secret] = answer

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
                self._admit(connection)
                threading.Thread(target=self._serve, args=(connection,), name="howdah directory", daemon=True).start()
            except (OSError, RuntimeError):  # this process has no file descriptor or thread left
                time.sleep(_RETRY_S)

    def _admit(self, connection: socket.socket) -> None:
        """Ends the oldest silent connection if there are too many."""
        with self._lock:
            oldest = self._silent.popleft() if len(self._silent) == _MOST_SILENT else None
            self._silent.append(connection)
        if oldest is not None:
            with suppress(OSError):  # it has ended
                oldest.shutdown(socket.SHUT_RDWR)

    def _serve(self, connection: socket.socket) -> None:
        with connection, suppress(OSError):
            try:
                given = _first_line(connection)
            finally:
                with self._lock, suppress(ValueError):
                    self._silent.remove(connection)
            for secret, answer in list(self._answers.items()):
                if hmac.compare_digest(secret.encode(), given):
                    connection.sendall(json.dumps(answer()).encode())


def _first_line(connection: socket.socket) -> bytes:
    """The first line that a connection sends, or its beginning if the line does not end in time."""
    deadline, line = time.monotonic() + _REQUEST_S, b""
    while not line.endswith(b"\n") and len(line) < _LONGEST_SECRET:
        connection.settimeout(max(deadline - time.monotonic(), 0.001))
        received = connection.recv(_LONGEST_SECRET - len(line))
        if not received:
            break
        line += received
    connection.settimeout(_REQUEST_S)
    return line.strip()


def _listener(host: str) -> socket.socket:
    """A socket that listens on this address, or on all if this machine does not have it."""
    family, kind, _, _, address = socket.getaddrinfo(host, 0, type=socket.SOCK_STREAM)[0]
    listener = socket.socket(family, kind)
    try:
        listener.bind(address)
    except OSError:
        listener.bind(("", 0))
    listener.listen(128)
    return listener


_servers: dict[str, Server] = {}  # by address; for DataFrames that are evaluated later, they are not closed
_lock = threading.Lock()


class Directory:
    """Where the executors run that answer a feed of a job. Thread-safe.

    host: of this process, for Spark's executors. bind: the address on which this process listens, by default `host`.
    """

    def __init__(self, job: Job[Any], feed: str, host: str, bind: str | None = None) -> None:
        self._job, self._feed = job, feed
        self._lock = threading.Lock()
        self._found: dict[str, Any] = {}
        self._found_at = 0.0  # when the newest look-up began
        self._closed: dict[str, Any] = {}
        self._secret = secrets.token_hex(16)
        bind = bind or host
        with _lock:
            if bind not in _servers:
                _servers[bind] = Server(bind)
            self._server = _servers[bind]
        self._server.put(self._secret, self.answer)
        self.key = (host, self._server.port, self._secret)

    def close(self, text: str) -> None:
        """From now on tasks raise this text."""
        self._closed = {"ended": text}
        self._server.put(self._secret, lambda: {"ended": text})

    def answer(self) -> dict[str, Any]:
        asked = time.monotonic()
        with self._lock:
            if self._found_at <= asked:
                self._found_at = time.monotonic()
                self._found = self._look_up()
            return self._closed or self._found  # it was closed during the look-up

    def _look_up(self) -> dict[str, Any]:
        try:
            return {"locations": address(self._job, self._feed)["locations"]}
        except HowdahError as error:
            return {"ended": str(error)} if ended(self._job) else {}


def address(job: Job[Any], feed: str) -> dict[str, Any]:
    """`locations`, `token`, `ca` and `server_name` of the executors. Waits up to 60 s for a task. Raises the error of
    the job if it has ended."""
    done = _program.call(["feed", job.id, feed, "--address"])
    if done.code != 0:
        status = job.status()
        if status.final:
            job.raise_failure(status)
            raise HowdahError(f"the job {job.id} has ended")
    found: dict[str, Any] = json.loads(_program.check(done).stdout)
    return found


def wait_for_address(job: Job[Any], feed: str) -> dict[str, Any]:
    """The same, however long it takes until the job runs."""
    while True:
        try:
            return address(job, feed)
        except Unavailable as error:
            if ended(job) or "is closed" in str(error):
                raise


def end(job: Job[Any], feed: str) -> None:
    """Ends a job whose ranks answer a feed: with success, if they end in time, or else by killing it."""
    if any(task.state == "RUNNING" for task in job.status().tasks):
        if _program.call(["feed", job.id, feed, "--close"]).code == 0:
            with suppress(TimeoutError):
                job.wait(_END_S)
    kill(job)


def kill(job: Job[Any]) -> None:
    """Kills the job, if it has not ended."""
    if not job.done():
        try:
            job.kill()
        except HowdahError:
            if not job.done():
                raise


def ended(job: Job[Any]) -> bool:
    try:
        return job.done()
    except HowdahError:
        return False

"""Calls of a feed to an executor on this machine, over its unix socket for sources.

The messages are those of Arrow Flight, without gRPC. This process writes each block into the memory file of the feed,
at a place that the executor has assigned, so the body is copied once. If a call cannot be made this way, the methods
return None, and the caller uses Flight.

    put: texts of the block ──▶ ◀── write at this offset; a descriptor of the file
    pwritev: the body
    written ──▶ ◀── acknowledged, or refused

The text of this module travels to Spark's tasks, so it needs only the standard library and pyarrow.
"""

from __future__ import annotations

import array
import json
import os
import socket
import threading
from collections import deque
from importlib import import_module
from typing import Any

pa: Any = import_module("pyarrow")

_UNIX = "grpc+unix://"
_MESSAGE = 128 << 10  # the limit of the executor
_TEXT = 32 << 10  # bytes of a schema or of the body of an action that may be sent this way
_SMALL = 48 << 10  # a message of so many bytes carries the body of its block
_PARTS = 1000  # buffers of one system call: the kernel accepts 1024
_IDLE = 8  # connections to one executor that are kept for later calls


class LocalCalls:
    """The connections to executors on this machine, for one feed. Thread-safe.

    Raises OSError if a connection is lost, and ArrowInvalid if the executor refuses a call.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: dict[tuple[str, str], list[_Connection]] = {}  # by path and token

    def action(self, location: str, token: str, kind: str, body: bytes, timeout: float) -> dict[str, Any] | None:
        """The result of an action that has one; None: use Flight."""
        connection = self._connection(location, token) if len(body) <= _TEXT else None
        if connection is None:
            return None
        try:
            reply = connection.wait(connection.send({"action": kind}, body), timeout)
        except BaseException:
            connection.close()
            raise
        self._give_back(location, token, connection)
        if "error" in reply:
            raise _error_of(reply)
        result: dict[str, Any] = reply["result"]
        return result

    def put(self, location: str, token: str, schema: Any, command: bytes) -> Put | None:
        """Begins to send blocks. The object is the writer and the reader of a DoPut of pyarrow. None: use Flight."""
        header = schema.serialize().to_pybytes()[8:]
        connection = self._connection(location, token) if len(header) <= _TEXT else None
        if connection is None:
            return None
        return Put(connection, schema, header, command, lambda: self._give_back(location, token, connection))

    def _connection(self, location: str, token: str) -> _Connection | None:
        if not location.startswith(_UNIX):
            return None
        path = os.path.join(os.path.dirname(location[len(_UNIX) :]), "put")
        with self._lock:
            idle = self._idle.get((location, token), [])
            while idle:
                connection = idle.pop()
                if connection.is_open():
                    return connection
                connection.close()
        return _connect(path, token)

    def _give_back(self, location: str, token: str, connection: _Connection) -> None:
        """Keeps a connection for later calls. One that has the memory file is closed, because an open descriptor would
        keep the memory of the feed after the end of the job."""
        with self._lock:
            idle = self._idle.setdefault((location, token), [])
            if len(idle) < _IDLE and connection.file < 0:
                idle.append(connection)
                return
        connection.close()


def _connect(path: str, token: str) -> _Connection | None:
    found = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    try:
        found.connect(path)
    except OSError:  # an executor without such a socket
        found.close()
        return None
    connection = _Connection(found)
    try:
        reply = connection.wait(connection.send({"token": token}), _REPLY_S)
    except BaseException:
        connection.close()
        raise
    if "error" in reply:
        connection.close()
        raise _error_of(reply)
    return connection


_REPLY_S = 60.0


class _Connection:
    """Is used by one thread at a time."""

    def __init__(self, found: socket.socket) -> None:
        self._socket = found
        self._buffer = bytearray(_MESSAGE)
        self._last = 0  # the id of the newest request
        self._replies: dict[int, dict[str, Any]] = {}  # that arrived before those that were awaited
        self.file = -1  # a descriptor of the memory file of the feed, for writing

    def is_open(self) -> bool:
        try:
            self._socket.settimeout(None)
            self._socket.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
        except BlockingIOError:
            return True
        except OSError:
            pass
        return False  # nothing is expected, so the executor has closed the connection

    def close(self) -> None:
        self._socket.close()
        if self.file >= 0:
            os.close(self.file)
            self.file = -1

    def __del__(self) -> None:
        self.close()

    def send(self, request: dict[str, Any], *parts: Any) -> int:
        self._last += 1
        line = json.dumps({"id": self._last, **request}).encode() + b"\n"
        self._socket.settimeout(_REPLY_S)
        if len(parts) < _PARTS:
            self._socket.sendmsg([line, *parts])
        else:
            self._socket.send(b"".join([line, *parts]))
        return self._last

    def wait(self, number: int, timeout: float | None) -> dict[str, Any]:
        """The reply to a request."""
        while number not in self._replies:
            self._socket.settimeout(timeout)
            size, more, _, _ = self._socket.recvmsg_into([self._buffer], socket.CMSG_SPACE(4), socket.MSG_CMSG_CLOEXEC)
            for level, kind, data in more:
                if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                    self._take_files(array.array("i", data[: len(data) // 4 * 4]))
            if size == 0:
                raise ConnectionResetError("the executor has closed the connection")
            reply = json.loads(self._buffer[:size])
            self._replies[reply["id"]] = reply
        return self._replies.pop(number)

    def _take_files(self, files: array.array[int]) -> None:
        for file in files:
            if self.file >= 0:
                os.close(self.file)
            self.file = file


def _error_of(reply: dict[str, Any]) -> Exception:
    error = reply["error"]
    kind = ConnectionError if error["kind"] == "unavailable" else pa.ArrowInvalid
    found: Exception = kind(error["message"])
    return found


class Put:
    """Sends blocks of one partition to one reader."""

    def __init__(self, connection: _Connection, schema: Any, header: bytes, command: bytes, give_back: Any) -> None:
        self._connection, self._texts, self._give_back = connection, (command, header), give_back
        self._encoder = _Encoder(schema)
        self._sent: deque[int] = deque()  # the ids of requests whose replies are answers
        self._is_good = True

    def write_with_metadata(self, batch: Any, metadata: bytes) -> None:
        command, schema = self._texts
        header, body = self._encoder.encode(batch)
        size = sum(map(len, body))
        sizes = [len(command), len(metadata), len(schema), len(header), size]
        texts = [command, metadata, schema, header]
        self._is_good = False
        if sum(sizes) <= _SMALL:
            self._sent.append(self._connection.send({"put": sizes}, *texts, *body))
        else:
            self._write(self._connection.send({"put": sizes}, *texts), body)
        self._is_good = True

    def _write(self, number: int, body: list[Any]) -> None:
        reply = self._connection.wait(number, _REPLY_S)
        if "error" in reply:
            raise _error_of(reply)
        if "answer" in reply:
            self._connection._replies[number] = reply
        else:
            _write_at(self._connection.file, body, reply["write"])
            number = self._connection.send({"written": number})
        self._sent.append(number)

    def done_writing(self) -> None:
        """All blocks are sent."""

    def read(self) -> Any:
        """The answer to the oldest block; None if there is none. Waits as long as the executor lives."""
        if not self._sent:
            return None
        reply = self._connection.wait(self._sent[0], None)
        if "error" in reply:
            self._is_good = False
            raise _error_of(reply)
        self._sent.popleft()
        return pa.py_buffer(json.dumps(reply["answer"]).encode())

    def close(self) -> None:
        if self._is_good and not self._sent:
            self._give_back()
        else:
            self._connection.close()


class _Encoder:
    """Encodes batches of one schema without copying their buffers."""

    def __init__(self, schema: Any) -> None:
        self._parts: list[Any] = []
        self._stream = pa.ipc.new_stream(_Sink(self._parts), schema)
        self._begun = False

    def encode(self, batch: Any) -> tuple[bytes, list[Any]]:
        """The flatbuffer Message, and the parts of the body."""
        self._stream.write_batch(batch)
        parts, self._parts[:] = list(self._parts), []
        if not self._begun:
            _, parts = _divided(parts)  # the schema
            self._begun = True
        return _divided(parts)


class _Sink:
    """A file of pyarrow that collects what is written to it."""

    closed = False

    def __init__(self, parts: list[Any]) -> None:
        self._parts = parts

    def write(self, part: Any) -> int:
        self._parts.append(part)
        return len(part)

    def writable(self) -> bool:
        return True

    def flush(self) -> None:
        pass

    def close(self) -> None:
        pass


def _divided(parts: list[Any]) -> tuple[bytes, list[Any]]:
    """The flatbuffer of an encapsulated message, and the parts that follow it."""
    head, used, needed = b"", 0, 8
    while len(head) < needed:
        head += bytes(parts[used])
        used += 1
        if len(head) >= 8:
            needed = 8 + int.from_bytes(head[4:8], "little")
    return head[8:], parts[used:]


def _write_at(file: int, parts: list[Any], offset: int) -> None:
    for first in range(0, len(parts), _PARTS):
        piece = parts[first : first + _PARTS]
        size = sum(map(len, piece))
        if os.pwritev(file, piece, offset) != size:
            raise OSError("the memory of the feed is full")
        offset += size

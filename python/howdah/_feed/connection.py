"""The protocol HOWDAH_FEED between a reader and the executor of its task.

The socket is AF_UNIX, SOCK_SEQPACKET. Each message is one JSON object of at most 128 KiB. Requests have an `id`, and
replies the `id` of their request. Replies to `next` come in the order of the requests. Other replies may come before
them: a mark must not wait until a batch is ready. A reply without `id` answers the oldest request. A reply with
`"more": true` has a continuation, with the same id: one message can carry at most 253 descriptors. An entry of
`schemas` may have only a part of the schema, which later entries with the same id continue.

Leases. A block that a reply names belongs to this process until it sends `release`. A release carries `after`, the id
of the last `next` whose reply was received. If the executor has already sent a later reply that names the block, the
release of this block has no effect.

No thread receives: batches are prefetched by requests that are sent ahead, and a thread that needs a reply receives.
"""

from __future__ import annotations

import array
import base64
import json
import os
import socket
import threading
import weakref
from collections import deque
from contextlib import suppress
from typing import Any, TypeVar

from .._errors import FeedChanged, FeedEmpty, FeedError, FeedLost, FeedMisuse
from .blocks import Block, Handle, Memory, ipc, pa

_LIMIT = 128 << 10  # bytes of a message
_MOST_FDS = 253  # of a message: SCM_MAX_FD of the kernel
_SPACE = socket.CMSG_SPACE(4 * _MOST_FDS)
# Plain numbers, because operators of enumerations take microseconds.
_CLOEXEC, _DONTWAIT, _CTRUNC = int(socket.MSG_CMSG_CLOEXEC), int(socket.MSG_DONTWAIT), int(socket.MSG_CTRUNC)
_decode = json.JSONDecoder().raw_decode
_KINDS = {"FeedEmpty": FeedEmpty, "FeedMisuse": FeedMisuse, "FeedChanged": FeedChanged, "FeedLost": FeedLost}


class Stopped(Exception):
    """The program needs no further rows: a rank has called stop(), or the job ends."""


class Pending:
    """A request that was sent."""

    __slots__ = ("reply", "error")

    def __init__(self) -> None:
        self.reply: dict[str, Any] | None = None
        self.error: FeedError | Stopped | None = None

    @property
    def done(self) -> bool:
        return self.reply is not None or self.error is not None

    def take(self, connection: Connection, reply: dict[str, Any], fds: list[int], number: int) -> bool:
        """Takes a reply. Returns False if it has a continuation."""
        self.reply = reply
        return True


class Fetch(Pending):
    """A request for a batch. slices: (block, first row in the block, rows)."""

    __slots__ = ("slices", "rows", "_named")

    def __init__(self) -> None:
        super().__init__()
        self.slices: list[tuple[Block, int, int]] = []
        self.rows = 0
        self._named: list[list[int]] = []  # the same with the numbers of the blocks, until the reply is complete

    def take(self, connection: Connection, reply: dict[str, Any], fds: list[int], number: int) -> bool:
        if fds or reply.get("schemas"):
            connection._add_blocks(reply, fds)
        named = reply.get("slices", ())
        if reply.get("more") or self._named:
            self._named += named
            if reply.get("more"):
                return False
            named = self._named
        blocks: dict[int, Block] = {}
        for number_of_block, first, rows in named:
            block = blocks.get(number_of_block)
            if block is None:
                block = blocks[number_of_block] = connection._use(number_of_block)
            self.slices.append((block, first, rows))
            self.rows += rows
        connection._finish_fetch(number, list(blocks.values()))
        self.reply = reply
        return True


class _Release(Pending):
    """leases: each block with the number of the lease that ends, unless the executor has named the block again."""

    __slots__ = ("leases",)

    def __init__(self, leases: list[tuple[Memory, int]]) -> None:
        super().__init__()
        self.leases = leases

    def take(self, connection: Connection, reply: dict[str, Any], fds: list[int], number: int) -> bool:
        for memory, lease in self.leases:
            if memory.lease == lease:
                connection._forget(memory)
        self.reply = reply
        return True


def failure_of(error: dict[str, Any]) -> FeedError | Stopped:
    kind, message = error.get("kind", ""), error.get("message", "")
    return Stopped(message) if kind == "FeedStopped" else _KINDS.get(kind, FeedError)(message)


def _descriptors(parts: list[tuple[int, int, bytes]]) -> list[int]:
    fds = array.array("i")
    for level, kind, data in parts:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            fds.frombytes(data[: len(data) - len(data) % fds.itemsize])
    return fds.tolist()


_P = TypeVar("_P", bound=Pending)


class Connection:
    """A connection for one feed. Thread-safe. A child made by fork cannot use it: `usable` is False there."""

    def __init__(self, path: str, feed: str) -> None:
        self._feed = feed
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET | socket.SOCK_CLOEXEC)
        try:
            self._socket.connect(path)
        except OSError as error:
            self._socket.close()
            raise FeedLost(
                f"reading the feed {feed!r}: the executor of this task does not answer at {path}: {error.strerror}"
            ) from None
        self._view = memoryview(bytearray(_LIMIT))
        self._buffers = [self._view]
        self._lock = threading.Lock()  # of everything below, and of sending
        self._received = threading.Condition(self._lock)
        self._receiving = False  # a thread waits for a message
        self._number = 0
        self._pending: dict[int, Pending] = {}
        self._schemas: dict[int, Any] = {}  # the bytes; after the first use the schema
        self._blocks: dict[int, Memory] = {}
        self._recent: list[Block] = []  # the blocks of the last batch: the next one may be in them, too
        self._after = 0
        self._dropped: deque[Memory] = deque()  # blocks without users; appended by finalizers, in any thread
        self._why_closed: str | None = None
        self._closing = False  # the socket is closed once no thread waits
        self.usable = True
        _connections.add(self)

    # --- requests ---

    def send(self, body: str, pending: _P, fd: int | None = None) -> _P:
        """Sends a request. body: members of the JSON object, such as '"stop":true'. fd: a file that travels along."""
        with self._lock:
            self._send(body, pending, 0, fd)
        self._release()
        return pending

    def wait(self, pending: Pending) -> dict[str, Any]:
        """The reply. Raises the error that it contains."""
        while not pending.done:
            self._receive(pending)
        if pending.error is not None:
            raise pending.error
        assert pending.reply is not None
        return pending.reply

    def request(self, name: str, value: Any, **more: Any) -> dict[str, Any]:
        return self.wait(self.post(name, value, **more))

    def post(self, name: str, value: Any, **more: Any) -> Pending:
        """Sends a request whose reply may be ignored."""
        return self.send(json.dumps({name: value, **more})[1:-1], Pending())

    def poll(self, pending: Pending) -> bool:
        """Whether the reply is there."""
        with self._lock:
            while not pending.done and not self._receiving and self._receive_one(_DONTWAIT):
                pass
        self._release()
        return pending.done

    def close(self, why: str) -> None:
        """Ends the connection. Later requests raise FeedLost with this text."""
        with self._lock:
            self._end(why)

    def abandon(self) -> None:
        """The reader is gone. The connection stays open as long as the program has arrays."""
        with self._lock:
            self._recent = []
        self._release()

    def __del__(self) -> None:
        if not hasattr(self, "usable"):  # there was no connection
            return
        with self._lock:
            self._end(f"reading the feed {self._feed!r}: the reader is gone")
        self._release()

    def _send(self, body: str, pending: Pending, flags: int, fd: int | None = None) -> None:
        if self._why_closed is not None:
            raise FeedLost(self._why_closed)
        self._number += 1
        self._pending[self._number] = pending
        try:
            text = f'{{"id":{self._number},{body}}}'.encode()
            if fd is None:
                self._socket.send(text, flags)
            else:
                self._socket.sendmsg([text], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [fd]))], flags)
        except BaseException as error:
            del self._pending[self._number]
            if isinstance(error, ConnectionError):
                self._end(self._lost())
                raise FeedLost(self._lost()) from None
            raise

    # --- replies ---

    def _receive(self, pending: Pending) -> None:
        """Waits until the reply is there, or another message has come."""
        with self._lock:
            if pending.done:
                return
            if self._receiving:  # another thread receives, and then continues this one
                self._received.wait()
                return
            self._receiving = True
        try:
            self._receive_one(0, unlocked=True)
        finally:
            with self._lock:
                self._receiving = False
                if self._closing:
                    self._socket.close()
                self._received.notify_all()
            self._release()

    def _receive_one(self, flags: int, unlocked: bool = False) -> bool:
        """Receives one message. Returns False if there is none. The caller has the lock, or unlocked is true."""
        if self._why_closed is not None:
            return False
        try:
            size, parts, found, _ = self._socket.recvmsg_into(self._buffers, _SPACE, flags | _CLOEXEC)
        except BlockingIOError:
            return False
        except OSError:
            size, parts, found = 0, [], 0
        fds = _descriptors(parts) if parts else []
        try:
            if unlocked:
                with self._lock:
                    self._dispatch(size, found, fds)
            else:
                self._dispatch(size, found, fds)
        finally:
            for fd in fds:
                os.close(fd)
        return True

    def _dispatch(self, size: int, flags: int, fds: list[int]) -> None:
        if size == 0:
            self._end(self._lost())
            return
        if flags & _CTRUNC:
            self._end(
                f"reading the feed {self._feed!r}: this process has too many open files to receive a block; raise the "
                "limit (ulimit -n)",
                close=False,  # the program may still have arrays
            )
            return
        reply = _decode(str(self._view[:size], "utf-8"))[0]
        number = reply.get("id") or next(iter(self._pending), 0)
        pending = self._pending.get(number)
        if pending is None:
            return
        if "error" in reply:
            pending.error = failure_of(reply["error"])
        else:
            try:
                if not pending.take(self, reply, fds, number):
                    return
            except FeedError as error:  # a block cannot be mapped
                pending.error = error
        del self._pending[number]

    def _lost(self) -> str:
        return f"reading the feed {self._feed!r}: the executor of this task has closed the connection; its log says why"

    def _end(self, why: str, close: bool = True) -> None:
        if self._why_closed is None:
            self._why_closed = why
            self._closing = close
            if close and not (self._receiving and self.usable):
                self._socket.close()
            elif close:
                # The thread that waits for a message wakes up and closes the socket. If it were closed now, the thread
                # would not wake up, and would read from the next file that gets this number.
                with suppress(OSError):  # the executor has closed it
                    self._socket.shutdown(socket.SHUT_RDWR)
        self._recent = []
        left, self._pending = list(self._pending.values()), {}
        for pending in left:
            if isinstance(pending, _Release):
                pending.take(self, {}, [], 0)
            else:
                pending.error = FeedLost(why)
        for memory in [memory for memory in self._blocks.values() if memory.lease == 0]:
            self._forget(memory)  # of a reply that was not complete
        self._received.notify_all()

    # --- blocks; the caller has the lock ---

    def _add_blocks(self, reply: dict[str, Any], fds: list[int]) -> None:
        for entry in reply.get("schemas", ()):  # a long schema has several entries
            number = entry["id"]
            self._schemas[number] = self._schemas.get(number, b"") + base64.b64decode(entry["bytes"])
        for entry, fd in zip(reply.get("blocks", ()), fds):
            memory = Memory(fd, entry["id"], entry["schema"], entry["rows"], entry["offset"], entry["bytes"])
            self._blocks[memory.id] = memory

    def _schema(self, number: int) -> Any:
        found = self._schemas[number]
        if isinstance(found, bytes):
            found = self._schemas[number] = ipc.read_schema(pa.py_buffer(found))
        return found

    def _use(self, number: int) -> Block:
        memory = self._blocks[number]
        block = memory.block() if memory.block is not None else None
        if block is None:
            handle = memory.handle() if memory.handle is not None else None
            if handle is None:
                handle = Handle(memory, self)
                memory.handle = weakref.ref(handle)
                memory.lease += 1
                weakref.finalize(handle, _drop, weakref.ref(self), memory).atexit = False
            block = Block(handle, self._schema(memory.schema))
            memory.block = weakref.ref(block)
        return block

    def _finish_fetch(self, number: int, blocks: list[Block]) -> None:
        self._after = number
        self._recent = blocks

    def _forget(self, memory: Memory) -> None:
        if self._blocks.get(memory.id) is memory:
            del self._blocks[memory.id]
        memory.unmap()

    # --- leases ---

    def _drop(self, memory: Memory) -> None:
        """No object uses the block any more. Called by the garbage collector: in any thread, at any time."""
        self._dropped.append(memory)
        self._release()

    def _release(self) -> None:
        """Sends `release` for blocks without users. If the lock is taken, its owner does this later."""
        while self._dropped and self._lock.acquire(blocking=False):
            try:
                done = self._send_release()
            finally:
                self._lock.release()
            if not done:
                return

    def _send_release(self) -> bool:
        leases: list[tuple[Memory, int]] = []
        while self._dropped and len(leases) < 1000:
            memory = self._dropped.popleft()
            if not memory.used():
                leases.append((memory, memory.lease))
        if not leases:
            return True
        if self._why_closed is not None:  # the executor has released all blocks, or this is not its reader
            for memory, _ in leases:
                self._forget(memory)
            return True
        body = f'"release":{[memory.id for memory, _ in leases]},"after":{self._after}'
        try:
            self._send(body, _Release(leases), _DONTWAIT)
        except BlockingIOError:  # the next request tries again
            self._dropped.extend(memory for memory, _ in leases)
            return False
        except FeedLost:
            self._dropped.extend(memory for memory, _ in leases)
        return True

    def _after_fork(self) -> None:
        """In the child: its copies of arrays stay valid only as long as the parent holds its own."""
        self._lock = threading.Lock()  # a thread of the parent may have had it
        self._received = threading.Condition(self._lock)
        self.usable = False
        with self._lock:
            self._end(f"reading the feed {self._feed!r}: a child made by fork cannot continue a pass of its parent")


def _drop(connection: weakref.ref[Connection], memory: Memory) -> None:
    found = connection()
    if found is None:
        memory.unmap()
    else:
        found._drop(memory)


_connections: weakref.WeakSet[Connection] = weakref.WeakSet()


def _after_fork() -> None:
    for connection in list(_connections):
        connection._after_fork()


os.register_at_fork(after_in_child=_after_fork)

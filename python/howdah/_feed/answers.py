"""A rank's side of a feed with answers: each block of rows is a question, and its answer is any bytes.

    {"serve": feed, "local_rank", "attempt"} → {"feed"}
    {"take": true}                           → {"blocks": [one], "schemas", "question": q, "exchange", "block"}
    {"answer": q, "bytes": N} with a memfd   → {}
    {"refuse": q, "message"}                 → {}

A question that this process has neither answered nor refused when it ends goes to another process.
"""

from __future__ import annotations

import json
import os
import threading
import weakref
from collections import deque
from typing import Any, Iterator, Mapping

from .._errors import FeedError, FeedMisuse
from .blocks import Handle, Memory
from .connection import Connection, Pending, Stopped

LIMIT = 256 << 20  # bytes of an answer


class _Take(Pending):
    """A request for a question."""

    __slots__ = ("handle", "schema")

    def __init__(self) -> None:
        super().__init__()
        self.handle: Handle | None = None
        self.schema: Any = None

    def take(self, connection: Connection, reply: dict[str, Any], fds: list[int], number: int) -> bool:
        connection._add_blocks(reply, fds)
        for entry in reply.get("blocks", ()):
            # The answer ends the lease of the block, so the connection must not release it.
            memory: Memory = connection._blocks.pop(entry["id"])
            self.handle = Handle(memory, connection)
            weakref.finalize(self.handle, memory.unmap).atexit = False
            self.schema = memory.schema
        if reply.get("more"):
            return False
        if self.handle is None:
            raise FeedError("the executor has sent a question without a block; report this")
        self.schema = connection._schema(self.schema)
        self.reply = reply
        return True


class Question:
    """Some rows that wait for an answer. Thread-safe."""

    __slots__ = ("exchange", "block", "rows", "_questions", "_number", "_handle", "_schema", "_batch")

    def __init__(self, questions: Questions, take: _Take, reply: Mapping[str, Any]) -> None:
        self.exchange: int = reply["exchange"]  # numbers the clients' calls on this executor
        self.block: int = reply["block"]  # numbers the questions of a call
        self._questions, self._number = questions, int(reply["question"])
        self._handle, self._schema, self._batch = take.handle, take.schema, None
        self.rows: int = take.handle.memory.rows if take.handle is not None else 0

    @property
    def batch(self) -> Any:
        """The rows as a pyarrow.RecordBatch. Its memory is valid until the question is answered or refused."""
        if self._batch is None:
            handle = self._handle
            if handle is None:
                raise FeedMisuse("the rows of a question cannot be read after its answer")
            # The private mapping: arrays of numpy that share its memory may be written to.
            batch = handle.memory.batch(handle, self._schema, private=True)
            if batch.num_rows != self.rows:
                raise FeedError(f"a block of a feed has {batch.num_rows} rows instead of {self.rows}; report this")
            self._batch = batch
        return self._batch

    @property
    def ended(self) -> bool:
        """Whether the question was answered or refused."""
        return self._handle is None

    def answer(self, payload: Any) -> None:
        """Answers the question. payload: bytes, or another object with a buffer, of at most 256 MiB."""
        view = memoryview(payload).cast("B")
        if len(view) > LIMIT:
            size = f"{len(view) / 2**20:.1f} MiB"
            raise FeedMisuse(f"the answer to {self.rows} rows has {size}; it has at most 256 MiB: ask for fewer rows")
        self._end()
        if not len(view):
            self._questions._post({"answer": self._number, "bytes": 0})
            return
        fd = os.memfd_create("answer", os.MFD_CLOEXEC)
        try:
            written = 0
            while written < len(view):
                written += os.write(fd, view[written:])
            self._questions._post({"answer": self._number, "bytes": len(view)}, fd)
        finally:
            os.close(fd)

    def refuse(self, text: str) -> None:
        """The client gets this text as an error, and no answer."""
        self._end()
        self._questions._post({"refuse": self._number, "message": shortened(text)})

    def _end(self) -> None:
        with self._questions._lock:
            if self._handle is None:
                raise FeedMisuse("the question was answered before")
            self._handle = self._batch = None


class Questions:
    """The questions of a feed for this process. The iteration ends when the job ends.

    path: HOWDAH_FEED. place: `local_rank` and `attempt`. prefetch: questions that are requested ahead. One thread at a
    time iterates; questions can be answered by any thread, in any order. An error of an earlier answer is raised by a
    later call.
    """

    def __init__(self, path: str, feed: str, place: Mapping[str, int], prefetch: int = 2) -> None:
        self.prefetch = prefetch
        self._lock = threading.Lock()
        self._sent: deque[_Take] = deque()
        self._posted: deque[Pending] = deque()  # answers whose reply was not looked at
        self._ended = False
        self._connection = Connection(path, feed)
        self.feed: str = self._connection.request("serve", feed, **place).get("feed", feed)

    def __iter__(self) -> Iterator[Question]:
        while True:
            question = self.take()
            if question is None:
                return
            yield question

    def take(self, wait: bool = True) -> Question | None:
        """The next question. None: the job ends, or wait is false and no question is there."""
        self._raise_errors()
        while not self._ended and len(self._sent) <= self.prefetch:
            self._sent.append(self._connection.send('"take":true', _Take()))
        if self._ended or not (wait or self._connection.poll(self._sent[0])):
            return None
        take = self._sent.popleft()
        try:
            reply = self._connection.wait(take)
        except Stopped:
            self._ended = True
            return None
        return Question(self, take, reply)

    @property
    def ended(self) -> bool:
        """Whether the job has no further questions."""
        return self._ended

    def close(self) -> None:
        """Ends the connection. Questions that were not answered go to other processes."""
        self._ended = True
        self._sent.clear()
        self._connection.close(f"the questions of the feed {self.feed!r} were closed")

    def _post(self, body: dict[str, Any], fd: int | None = None) -> None:
        self._raise_errors()
        pending = self._connection.send(json.dumps(body)[1:-1], Pending(), fd)
        with self._lock:
            self._posted.append(pending)

    def _raise_errors(self) -> None:
        with self._lock:
            while self._posted and self._posted[0].done:
                error = self._posted.popleft().error
                if error is not None and not isinstance(error, Stopped):
                    raise error


def shortened(text: str, limit: int = 48 << 10) -> str:
    """The text without its middle, if it does not fit into a message of the protocol."""
    size = len(json.dumps(text))
    if size <= limit:
        return text
    kept = max(1, int(len(text) * limit / size) // 2 - 50)
    return f"{text[:kept]}\n… {len(text) - 2 * kept} characters …\n{text[-kept:]}"

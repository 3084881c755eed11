"""An executor for readers of a feed: the server side of HOWDAH_FEED, in one process, with the blocks of a test."""
import array
import base64
import json
import os
import selectors
import socket
import threading
from collections import deque

import pyarrow as pa
import pytest

from howdah import _context

ALIGNMENT = 64


def encapsulated(batch):
    return batch.serialize().to_pybytes()


class Reader:
    """The rows of one pass that were fetched, in the order of the lane."""

    def __init__(self, lane):
        self.rest = deque(lane)  # (block, first row, rows)
        self.fetched = 0

    def take(self, rows):
        slices = []
        while rows and self.rest:
            block, first, available = self.rest[0]
            count = min(rows, available)
            slices.append([block, first, count])
            rows -= count
            self.fetched += count
            if count == available:
                self.rest.popleft()
            else:
                self.rest[0] = (block, first + count, available - count)
        return slices


class FeedExecutor:
    """Serves `blocks` (RecordBatches) in the order of `lane`: (block, first row, rows), by default all rows in order.

    All requests are in `requests`, as (name, value). `allowed` limits the rows of each pass that can be read; allow()
    raises it. A reply to `next` waits for this limit, and all other replies are sent at once. `leased` has the blocks
    that are leased to connections. A block that is not leased any more is overwritten, as a real executor reuses it.
    """

    def __init__(self, path, blocks, *, lane=None, passes=1, first_pass=0, allowed=1 << 60, most_fds=253, ids=True):
        self.path = str(path)
        self.blocks, self.passes, self.first_pass, self.allowed = blocks, passes, first_pass, allowed
        self.most_fds, self.ids = most_fds, ids
        self.lane = lane or [(number, 0, block.num_rows) for number, block in enumerate(blocks)]
        self.requests = []
        self.failures = {}  # the error that the next request of this name gets
        self.found_pass = None  # the pass in replies to "found"
        self.points = []  # the points in requests "found"; None: there was none
        self.leased = {}  # (connection, block) -> the number of the last reply that named it
        self.reused = set()
        self._readers, self._waiting, self._sent_schemas = {}, [], set()
        self._number = 0
        self._memfds = [self._memory(block) for block in blocks]
        self._lock = threading.Lock()
        self._server = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._server.bind(self.path)
        self._server.listen()
        self._wake, self._woken = socket.socketpair()
        self._selector = selectors.DefaultSelector()
        for sock in (self._server, self._woken):
            self._selector.register(sock, selectors.EVENT_READ)
        self._stopped = False
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self._stopped:
            return
        self._stopped = True
        self._wake.send(b"x")
        self._thread.join(60)
        for key in list(self._selector.get_map().values()):
            key.fileobj.close()
        for fd, _, _ in self._memfds:
            os.close(fd)

    def sent(self, name):
        """The values of all requests of this name."""
        with self._lock:
            return [value for found, value in self.requests if found == name]

    def allow(self, rows):
        with self._lock:
            self.allowed = rows
        self._wake.send(b"x")

    @staticmethod
    def _memory(block):
        """The block in a memfd, at an offset that is a multiple of 64 but not of a page."""
        fd = os.memfd_create("block", os.MFD_CLOEXEC)
        data, offset = encapsulated(block), 4096 + ALIGNMENT
        os.pwrite(fd, data, offset)
        return fd, offset, len(data)

    def _serve(self):
        while not self._stopped:
            for key, _ in self._selector.select():
                if key.fileobj is self._server:
                    self._selector.register(self._server.accept()[0], selectors.EVENT_READ)
                elif key.fileobj is self._woken:
                    self._woken.recv(64)
                else:
                    self._read(key.fileobj)
            with self._lock:
                self._answer_waiting()

    def _read(self, sock):
        try:
            data, fds, _, _ = socket.recv_fds(sock, 1 << 17, 1)
        except ConnectionError:
            data, fds = b"", []
        if not data:
            self._selector.unregister(sock)
            sock.close()
            with self._lock:
                for held in [key for key in self.leased if key[0] is sock]:
                    self._end_lease(held)
                self._waiting = [item for item in self._waiting if item[0] is not sock]
            return
        request = json.loads(data)
        number = request.pop("id")
        name, value = next(iter(request.items()))
        if name == "found":
            self.points.append(os.pread(fds[0], request["bytes"], 0) if fds else None)
        for fd in fds:
            os.close(fd)
        with self._lock:
            self.requests.append((name, request if name in ("open", "release") else value))
            if name in self.failures:
                self._send(sock, number, {"error": self.failures.pop(name)})
            elif name == "next":
                self._waiting.append((sock, number, value))
            elif name == "point":
                self._send_point(sock, number, b"point of step %d" % value)
            else:
                self._send(sock, number, self._simple(sock, name, value, request))

    def _send_point(self, sock, number, point):
        fd = os.memfd_create("point")
        os.write(fd, point)
        self._send(sock, number, {"bytes": len(point)}, [fd])
        os.close(fd)

    def _simple(self, sock, name, value, request):
        if name == "open":
            return {"feed": value or "train", "reader": 0, "readers": 1, "passes": self.passes,
                    "pass": self.first_pass, "split": "equal", "remainder": "drop"}  # fmt: skip
        if name == "found" and self.found_pass is not None:
            return {"pass": self.found_pass}
        if name == "release":
            for block in value:
                if self.leased.get((sock, block), 1 << 60) <= request["after"]:
                    self._end_lease((sock, block))
        return {}

    def _end_lease(self, held):
        del self.leased[held]
        block = held[1]
        if not any(other == block for _, other in self.leased):
            self.reused.add(block)
            fd, offset, size = self._memfds[block]
            os.pwrite(fd, b"\xee" * size, offset)

    def _answer_waiting(self):
        left = []
        for sock, number, value in self._waiting:
            if value["pass"] not in self._readers:
                self._readers[value["pass"]] = Reader(self.lane)
            reader = self._readers[value["pass"]]
            blocked = any(item[0] is sock for item in left)
            if blocked or (reader.rest and reader.fetched + value["rows"] > self.allowed):
                left.append((sock, number, value))
                continue
            batches = min(value.get("batches", 1), max(1, (self.allowed - reader.fetched) // value["rows"]))
            slices = reader.take(batches * value["rows"])
            if slices:
                self._send_batch(sock, number, slices)
            else:
                self._send(sock, number, {"end": {"rows": reader.fetched, "left_out": 0, "repeated": 0}})
        self._waiting = left

    def _send_batch(self, sock, number, slices):
        """Several messages if there are more new blocks than descriptors in one message."""
        messages, message, fds = [], {"blocks": [], "schemas": [], "slices": []}, []
        for block, first, rows in slices:
            if (sock, block) not in self.leased:
                if len(fds) == self.most_fds:
                    messages.append((message, fds))
                    message, fds = {"blocks": [], "schemas": [], "slices": []}, []
                self._describe(sock, block, message, fds)
            self.leased[sock, block] = number
            message["slices"].append([block, first, rows])
        for part, part_fds in messages:
            self._send(sock, number, {**part, "more": True}, part_fds)
        self._send(sock, number, message, fds)

    def _describe(self, sock, block, message, fds):
        fd, offset, size = self._memfds[block]
        if block in self.reused:
            self.reused.remove(block)
            os.pwrite(fd, encapsulated(self.blocks[block]), offset)
        schema = self.blocks[block].schema
        numbers = [str(other.schema) for other in self.blocks]
        number = numbers.index(str(schema))
        if (sock, number) not in self._sent_schemas:
            self._sent_schemas.add((sock, number))
            data = schema.serialize().to_pybytes()
            for part in (data[:50], data[50:]):
                message["schemas"].append({"id": number, "bytes": base64.b64encode(part).decode()})
        rows = self.blocks[block].num_rows
        message["blocks"].append({"id": block, "offset": offset, "bytes": size, "schema": number, "rows": rows})
        fds.append(fd)

    def _send(self, sock, number, reply, fds=()):
        if self.ids:
            reply = {"id": number, **reply}
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))] if fds else []
        try:
            sock.sendmsg([json.dumps(reply).encode()], rights)
        except OSError:  # the process has ended
            pass


def numbers(rows, first=0, blocks=1, columns=("x",)):
    """Blocks of int64 columns, whose values count from `first`."""
    batches = []
    for number in range(blocks):
        start = first + number * rows
        batches.append(pa.RecordBatch.from_pydict({name: list(range(start, start + rows)) for name in columns}))
    return batches


def one_block(**columns):
    return [pa.RecordBatch.from_pydict(columns)]


@pytest.fixture
def serve(tmp_path):
    """serve(blocks, **options) returns an executor and a context whose feeds it serves."""
    started = []

    def start(blocks, environment=(), **options):
        path = tmp_path / f"feed-{len(started)}"
        executor = FeedExecutor(path, blocks, **options)
        started.append(executor)
        variables = {"HOWDAH_JOB_ID": "job-1", "HOWDAH_RANK": "0", "HOWDAH_FEED": str(path), "HOWDAH_LOCAL_RANK": "3"}
        return executor, _context.Context({**variables, **dict(environment)})

    yield start
    for executor in started:
        executor.__exit__()

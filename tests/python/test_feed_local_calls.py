"""Calls to an executor on this machine, against a socket in this process that answers as a test wants."""
import contextlib
import json
import os
import socket
import threading

import pytest

import arrow

SITE = arrow.site_packages()

import numpy as np  # noqa: E402
import pyarrow as pa  # noqa: E402

from howdah._feed import ahead, local_calls, spark_task  # noqa: E402

LARGE = pa.record_batch([pa.array(np.arange(100_000)), pa.array([f"row {i}" for i in range(100_000)])], ["i", "text"])
SMALL = LARGE.slice(7, 3)


class Executor:
    """Gives each announced block a place in a memory file. answer(put): the reply to the put or to its `written`, or
    None for an acknowledgement."""

    def __init__(self, folder):
        self.location = f"grpc+unix://{folder}/flight"
        self.file = os.memfd_create("test")
        os.ftruncate(self.file, 64 << 20)
        self.puts = []  # (sizes, texts, body, place) of each block
        self.tokens = []
        self.answer = lambda put: None
        self.hold = 0  # answers to keep until so many wait, which are then sent in the opposite order
        self.held = []
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._listener.bind(f"{folder}/put")
        self._listener.listen()
        self._connections = []
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self):
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.drop()
        os.close(self.file)

    def drop(self):
        for connection in self._connections:
            with contextlib.suppress(OSError):  # the source has closed it
                connection.shutdown(socket.SHUT_RDWR)
        self._connections.clear()

    def _accept(self):
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self._connections.append(connection)
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        announced, sent_file = {}, False
        with connection, contextlib.suppress(ConnectionResetError):  # the source has closed it
            while message := connection.recv(1 << 20):
                line, _, rest = message.partition(b"\n")
                request = json.loads(line)
                number, reply, files = request["id"], {}, []
                if "token" in request:
                    self.tokens.append(request["token"])
                elif "action" in request:
                    reply = self.answer(request) or {"result": {"action": request["action"], **json.loads(rest)}}
                elif "put" in request:
                    put = self._put(request["put"], rest)
                    reply = self.answer(put) if put["at"] is not None else self._answered(put)
                    if reply is None:
                        announced[number] = put
                        reply = {"write": put["at"]}
                        files = [] if sent_file else [self.file]
                        sent_file = True
                else:
                    reply = self._answered(announced.pop(request["written"]))
                self.held.append(({"id": number, **reply}, files))
                if "answer" not in reply or len(self.held) >= self.hold:
                    for one, more in reversed(self.held):
                        with contextlib.suppress(OSError):
                            socket.send_fds(connection, [json.dumps(one).encode()], more)
                    self.held.clear()

    def _put(self, sizes, rest):
        texts = []
        for size in sizes[:4]:
            texts.append(rest[:size])
            rest = rest[size:]
        at = None if rest else sum(put["sizes"][4] + 64 & ~63 for put in self.puts if put["at"] is not None)
        self.puts.append({"sizes": sizes, "texts": texts, "body": rest, "at": at})
        return self.puts[-1]

    def _answered(self, put):
        first = json.loads(put["texts"][1])["from"]
        return self.answer(put) or {"answer": {"acknowledged": [first, first + 1], "credit": True}}

    def batch(self, put):
        """The record batch that has arrived."""
        _, _, schema, header = put["texts"]
        body = put["body"] if put["at"] is None else os.pread(self.file, put["sizes"][4], put["at"])
        message = b"".join(b"\xff\xff\xff\xff" + len(text).to_bytes(4, "little") + text for text in (schema, header))
        with pa.ipc.open_stream(message + body) as stream:
            return stream.read_next_batch()


@pytest.fixture
def executor(tmp_path):
    found = Executor(tmp_path)
    yield found
    found.close()


def begin(executor, batch, calls=None):
    return (calls or local_calls.LocalCalls()).put(executor.location, "secret", batch.schema, b'{"feed": "train"}')


def write(put, batch, first):
    put.write_with_metadata(batch, json.dumps({"from": first}).encode())


def answer(put):
    return json.loads(put.read().to_pybytes())


@pytest.mark.parametrize("batch", [
    LARGE, LARGE.slice(11, 60_001), SMALL,
    pa.record_batch([pa.array([None] * 50_000 + [1]), pa.nulls(50_001)], ["a", "b"]),
    pa.record_batch([pa.array([[1, 2], []] * 30_000), pa.array([{"x": 1}] * 60_000)], ["list", "struct"]).slice(5),
    pa.record_batch([pa.array([i]) for i in range(300)], [f"c{i}" for i in range(300)]),
    pa.record_batch([pa.array(np.full(100, i)) for i in range(300)], [f"c{i}" for i in range(300)]),
], ids=["numbers and texts", "slice", "few rows", "nulls", "nested", "columns", "long columns"])
def test_blocks_arrive_unchanged(executor, batch):
    put = begin(executor, batch)
    for first in (0, 1):
        write(put, batch, first)
    assert [answer(put)["acknowledged"][0] for _ in range(2)] == [0, 1]
    put.close()
    assert executor.tokens == ["secret"] and executor.puts[0]["texts"][0] == b'{"feed": "train"}'
    for found in executor.puts:
        assert executor.batch(found).equals(batch)
        assert (found["at"] is None) == (sum(found["sizes"]) <= local_calls._SMALL)


def test_body_with_many_buffers_is_written_in_several_calls(executor, monkeypatch):
    monkeypatch.setattr(local_calls, "_PARTS", 2)
    put = begin(executor, LARGE)
    write(put, LARGE, 0)
    assert executor.batch(executor.puts[0]).equals(LARGE) and answer(put)["credit"]


def test_answers_are_read_in_the_order_of_the_blocks(executor):
    executor.hold = 2
    put = begin(executor, LARGE)
    executor.answer = lambda put: None
    write(put, SMALL, 0)
    write(put, SMALL, 1)
    assert [answer(put)["acknowledged"][0] for _ in range(2)] == [0, 1]


def test_block_that_nobody_takes_is_not_written(executor):
    executor.answer = lambda put: {"answer": {"refused": [0, 5]}}
    put = begin(executor, LARGE)
    write(put, LARGE, 0)
    assert answer(put) == {"refused": [0, 5]} and put.read() is None
    assert not any(os.pread(executor.file, 1 << 20, 0))


@pytest.mark.parametrize("batch", [LARGE, SMALL], ids=["announced", "whole"])
@pytest.mark.parametrize("kind, error", [("refused", pa.ArrowInvalid), ("unavailable", ConnectionError)])
def test_errors_are_those_of_flight(executor, batch, kind, error):
    executor.answer = lambda put: {"error": {"kind": kind, "message": "the disk is full"}}
    put = begin(executor, batch)
    with pytest.raises(error, match="the disk is full"):
        write(put, batch, 0)
        put.read()
    put.close()


def test_connections_are_used_again_until_the_executor_closes_them(executor):
    calls = local_calls.LocalCalls()
    for _ in range(3):
        assert calls.action(executor.location, "secret", "ask", b'{"pass": 1}', 60) == {"action": "ask", "pass": 1}
    put = begin(executor, SMALL, calls)
    write(put, SMALL, 0)
    answer(put)
    put.close()
    assert executor.tokens == ["secret"]
    executor.drop()
    assert calls.action(executor.location, "secret", "ask", b"{}", 60) == {"action": "ask"}
    assert executor.tokens == ["secret", "secret"]


def test_connection_with_a_block_that_has_no_answer_is_closed(executor):
    calls = local_calls.LocalCalls()
    put = begin(executor, SMALL, calls)
    write(put, SMALL, 0)
    put.close()
    begin(executor, SMALL, calls)
    assert executor.tokens == ["secret", "secret"]


def test_no_descriptor_of_the_memory_is_kept_after_a_call(executor):
    calls = local_calls.LocalCalls()

    def descriptors():
        own = os.stat(executor.file).st_ino
        return sum(os.stat(f"/proc/self/fd/{fd}").st_ino == own for fd in os.listdir("/proc/self/fd")
                   if os.path.exists(f"/proc/self/fd/{fd}"))

    put = begin(executor, LARGE, calls)
    write(put, LARGE, 0)
    answer(put)
    assert descriptors() == 2
    put.close()
    assert descriptors() == 1
    assert calls.action(executor.location, "secret", "ask", b"{}", 60) == {"action": "ask"}
    assert executor.tokens == ["secret", "secret"]


def test_lost_executor_is_an_error_of_the_connection(executor):
    put = begin(executor, LARGE)
    write(put, LARGE, 0)
    answer(put)
    executor.drop()
    with pytest.raises(OSError):
        write(put, LARGE, 1)
        put.read()
    put.close()


def test_other_calls_use_flight(executor, tmp_path):
    calls = local_calls.LocalCalls()
    wide = pa.record_batch([pa.array([1]) for _ in range(1000)], [f"a column with a name {i}" for i in range(1000)])
    assert begin(executor, wide, calls) is None
    assert calls.action(executor.location, "secret", "plan", b"x" * (40 << 10), 60) is None
    for location in (f"grpc+unix://{tmp_path}/none/flight", "grpc+tls://127.0.0.1:1"):
        assert calls.action(location, "secret", "ask", b"{}", 60) is None
        assert calls.put(location, "secret", SMALL.schema, b"{}") is None
    assert executor.tokens == []


def test_calls_of_a_source_use_the_socket(executor, tmp_path):
    (tmp_path / "flight").touch()
    calls = spark_task.Calls("local-1", "train", local_calls.LocalCalls())
    listener = socket.socket(socket.AF_UNIX)
    os.unlink(tmp_path / "flight")
    listener.bind(str(tmp_path / "flight"))  # nothing listens there
    with listener:
        calls.use(spark_task.Address([executor.location], "secret", "", "name"))
        assert calls.action("ask", partition=3) == {"action": "ask", "feed": "train", "partition": 3}
        with calls.put([executor.location], SMALL.schema, partition=3) as (writer, reader):
            writer.write_with_metadata(SMALL, b'{"from": 0}')
            writer.done_writing()
            assert json.loads(reader.read().to_pybytes())["credit"]
        executor.answer = lambda put: {"error": {"kind": "refused", "message": "no"}}
        with pytest.raises(spark_task.Refused, match="refused a call of the feed 'train': no"):
            calls.action("ask")
        executor.answer = lambda put: {"error": {"kind": "unavailable", "message": "later"}}
        with pytest.raises(spark_task.Broken, match="later"):
            calls.action("ask")


# --- reading ahead ---


def test_nothing_is_read_before_it_is_wanted():
    read = []

    def blocks():
        for first in range(3):
            read.append(first)
            yield first, SMALL

    assert ahead.Ahead().run(lambda: "done", blocks()) == "done" and read == []
    found = ahead.Ahead()
    assert found.run(lambda: str([first for first, _ in found]), blocks()) == "[0, 1, 2]"


def test_blocks_that_are_read_ahead_are_limited(monkeypatch):
    monkeypatch.setattr(ahead, "_AHEAD", 2 * SMALL.nbytes)
    read, found = [], ahead.Ahead()

    def blocks():
        for first in range(100):
            read.append(first)
            yield first, SMALL

    def send():
        next(found)
        return "paused"

    assert found.run(send, blocks()) == "paused" and len(read) <= 4


def test_errors_of_both_sides_are_raised():
    found = ahead.Ahead()

    def broken():
        yield 0, SMALL
        raise ValueError("the input")

    with pytest.raises(ValueError, match="the input"):
        found.run(lambda: str(list(found)), broken())

    def fails():
        raise KeyError("the executor")

    with pytest.raises(KeyError, match="the executor"):
        ahead.Ahead().run(fails, iter([(0, SMALL)]))

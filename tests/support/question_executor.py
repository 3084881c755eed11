"""An executor for feeds with answers, in one process: the Flight server for clients and the socket for readers."""
import array
import base64
import json
import os
import socket
import threading
from collections import deque

import pyarrow as pa
import pyarrow.flight as flight

from feed_flight import TOKEN, _Token

PATIENCE_S = 60


class _Call:
    """One call of DoExchange. answers: texts and payloads for the client; None: the call has ended."""

    def __init__(self, number):
        self.number = number
        self.answers = deque()
        self.open = {}  # the blocks without an answer
        self.half_closed = self.dropped = False


class QuestionExecutor(flight.FlightServerBase):
    """kill_ranks() closes the connections of all readers, and stop() ends all calls. drop_after: the number of the
    block with which a call ends.

    unanswered: the blocks that a client may have sent and that are not answered. takes: all questions that were taken,
    as (exchange, block, first value of the first column).
    """

    def __init__(self, folder, name="executor", unanswered=4):
        super().__init__(f"grpc+unix://{folder}/{name}.flight", middleware={"token": _Token()})
        self.location = f"grpc+unix://{folder}/{name}.flight"
        self.path = f"{folder}/{name}.sock"
        self.unanswered, self.takes, self.served, self.kills = unanswered, [], [], {}
        self.changed = threading.Condition()
        self.stopped = self.ended = False
        self.drop_after, self._open = 0, set()
        self._questions, self._waiting, self._next, self._calls = deque(), deque(), 0, 0
        self._held = {}  # question: (call, block, batch, connection)
        self._serving = set()
        self._server = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._server.bind(self.path)
        self._server.listen()
        threading.Thread(target=self._accept, daemon=True).start()

    def keys(self, *others, patience=PATIENCE_S):
        return {"feed": "predict", "job": "howdah-1", "token": TOKEN, "ca": "", "server_name": "", "patience": patience,
                "locations": [executor.location for executor in (self, *others)]}

    @property
    def waiting(self):
        """How many requests for a question wait."""
        return len(self._waiting)

    # --- clients ---

    def do_exchange(self, context, descriptor, reader, writer):
        assert json.loads(descriptor.command) == {"feed": "predict"}
        with self.changed:
            call, self._calls = _Call(self._calls), self._calls + 1
            self._open.add(call)
            assert self.changed.wait_for(lambda: self.stopped or self._serving, PATIENCE_S)
        sender = threading.Thread(target=self._send_answers, args=(call, writer), daemon=True)
        sender.start()
        try:
            self._receive(call, reader)
        finally:
            with self.changed:
                call.half_closed = True
                self.changed.notify_all()
            sender.join()
            self._open.discard(call)
        if self.stopped:
            raise flight.FlightUnavailableError("the executor of this task ends")

    def _receive(self, call, reader):
        for chunk in reader:
            with self.changed:
                block = json.loads(chunk.app_metadata.to_pybytes())["block"]
                self.drop_after -= 1
                if self.drop_after == 0:
                    call.dropped = True
                    raise flight.FlightUnavailableError("the connection was lost")
                call.open[block] = chunk.data
                self._ask(call, block, chunk.data)
                self.changed.wait_for(lambda: self.stopped or len(call.open) < self.unanswered)

    def _send_answers(self, call, writer):
        while True:
            with self.changed:
                assert self.changed.wait_for(
                    lambda: call.answers or call.dropped or (call.half_closed and not call.open), PATIENCE_S)
                if call.dropped or not call.answers:
                    return
                answer = call.answers.popleft()
            try:
                writer.write_metadata(pa.py_buffer(answer))
            except (pa.ArrowException, OSError):  # the client is gone
                call.dropped = True

    def _ask(self, call, block, batch):
        if not self._serving or self.stopped:
            self._answer(call, {"block": block, "lost": "no rank of this executor answers"})
            return
        self._questions.append((call, block, batch))
        self._hand_out()

    def _answer(self, call, head, payload=b""):
        if call.open.pop(head["block"], None) is None:  # after stop()
            return
        call.answers.append(json.dumps(head).encode() + b"\n" + payload)
        self.changed.notify_all()

    # --- readers ---

    def _accept(self):
        while not self.stopped:
            try:
                connection = self._server.accept()[0]
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        while True:
            try:
                data, parts, _, _ = connection.recvmsg(1 << 17, socket.CMSG_SPACE(64))
            except OSError:
                data = b""
            if not data:
                break
            fds = [fd for _, _, part in parts for fd in array.array("i", part)]
            with self.changed:
                self._request(connection, json.loads(data), fds)
        with self.changed:
            self._gone(connection)
        connection.close()

    def _request(self, connection, request, fds):
        number, name = request.pop("id"), next(iter(request))
        if name == "serve":
            self.served.append(request)
            self._serving.add(connection)
            self._send(connection, number, {"feed": request["serve"]})
            self.changed.notify_all()
        elif name == "take" and self.ended:
            self._send(connection, number, {"error": {"kind": "FeedStopped", "message": "the job ends"}})
        elif name == "take":
            self._waiting.append((connection, number))
            self._hand_out()
        else:
            found = self._held.pop(request[name], None)
            self._send(connection, number, {} if found else {"error": {"kind": "FeedMisuse", "message": "no question"}})
            payload = b""
            for fd in fds:
                payload = os.pread(fd, request["bytes"], 0)
                os.close(fd)
            if found:
                head = {"block": found[1]} if name == "answer" else {"block": found[1], "error": request["message"]}
                self._answer(found[0], head, payload)

    def _hand_out(self):
        while self._questions and self._waiting:
            call, block, batch = self._questions.popleft()
            connection, number = self._waiting.popleft()
            question, self._next = self._next, self._next + 1
            self._held[question] = (call, block, batch, connection)
            self.takes.append((call.number, block, batch.column(0)[0].as_py()))
            data, schema = batch.serialize().to_pybytes(), batch.schema.serialize().to_pybytes()
            fd = os.memfd_create("block")
            os.pwrite(fd, data, 64)
            schemas = [{"id": question, "bytes": base64.b64encode(part).decode()} for part in (schema[:9], schema[9:])]
            block_of = {"id": question, "offset": 64, "bytes": len(data), "schema": question, "rows": batch.num_rows}
            self._send(connection, number, {"blocks": [], "schemas": schemas[:1], "more": True})
            self._send(connection, number, {"blocks": [block_of], "schemas": schemas[1:], "question": question,
                                            "exchange": call.number, "block": block}, [fd])  # fmt: skip
            os.close(fd)

    def _gone(self, connection):
        self._serving.discard(connection)
        self._waiting = deque(item for item in self._waiting if item[0] is not connection)
        for question, (call, block, batch, holder) in list(self._held.items()):
            if holder is connection:
                del self._held[question]
                self._ask(call, block, batch)
        if not self._serving:
            left, self._questions = self._questions, deque()
            for call, block, batch in left:
                self._ask(call, block, batch)
        self._hand_out()

    def _send(self, connection, number, reply, fds=()):
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))] if fds else []
        try:
            connection.sendmsg([json.dumps({"id": number, **reply}).encode()], rights)
        except OSError:  # the process has ended
            pass

    # --- events ---

    def kill_ranks(self):
        with self.changed:
            for connection in self._serving:
                connection.shutdown(socket.SHUT_RDWR)

    def end_job(self):
        with self.changed:
            self.ended = True
            waiting, self._waiting = self._waiting, deque()
            for connection, number in waiting:
                self._send(connection, number, {"error": {"kind": "FeedStopped", "message": "the job ends"}})

    def stop(self):
        """Ends all calls. A block without an answer is lost."""
        if self.stopped:
            return
        with self.changed:
            self.stopped = True
            for call in self._open:
                for block in list(call.open):
                    self._answer(call, {"block": block, "lost": "the executor ends"})
            self.changed.notify_all()
        self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()
        self.kill_ranks()
        self.shutdown()

"""A rank that answers the questions of the feed `ask`. It speaks the protocol of HOWDAH_FEED itself.

The column `do` of a question says what to do: sum (the answer is the sum of the column x), refuse, die, hold (answer
later), release (answer all that are held), meet (answer when two processes of the task have such a question), large
(an answer of x bytes), short (send a file that is too short first), pipe (send a pipe first), again (answer twice).
"""
import array
import base64
import json
import os
import select
import signal
import socket
import sys

import pyarrow as pa

PLACE = {"local_rank": int(os.environ["HOWDAH_LOCAL_RANK"]), "attempt": int(os.environ["HOWDAH_ATTEMPT"])}
NAME = f"{os.environ['HOWDAH_TASK_INDEX']}/{PLACE['local_rank']}"


class Executor:
    def __init__(self):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.connect(os.environ["HOWDAH_FEED"])
        self.number, self.replies, self.schemas = 0, {}, {}

    def send(self, fd=None, **request):
        self.number += 1
        text = json.dumps({"id": self.number, **request}).encode()
        rights = [] if fd is None else [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [fd]))]
        self.socket.sendmsg([text], rights)
        return self.number

    def receive(self, number):
        """The reply to a request, with the descriptors that it carries."""
        while number not in self.replies:
            text, parts, _, _ = self.socket.recvmsg(1 << 17, socket.CMSG_SPACE(64))
            if not text:
                raise SystemExit("the executor has closed the connection")
            reply = json.loads(text)
            self.replies[reply["id"]] = reply, [fd for part in parts for fd in array.array("i", part[2])]
        return self.replies.pop(number)

    def batch(self, reply, fds):
        for schema in reply["schemas"]:
            self.schemas[schema["id"]] = pa.ipc.read_schema(pa.py_buffer(base64.b64decode(schema["bytes"])))
        [block], [fd] = reply["blocks"], fds
        message = os.pread(fd, block["bytes"], block["offset"])
        os.close(fd)
        return pa.ipc.read_record_batch(pa.py_buffer(message), self.schemas[block["schema"]])

    def answer(self, question, payload, missing=0):
        """The reply of the executor. missing: bytes that the file does not have."""
        if not payload:
            return self.receive(self.send(answer=question, bytes=0))[0]
        fd = os.memfd_create("answer")
        with open(fd, "wb", closefd=False) as file:
            file.write(payload[:len(payload) - missing])
        number = self.send(fd, answer=question, bytes=len(payload))
        os.close(fd)
        return self.receive(number)[0]


def answer_of(batch):
    return f"{NAME} {sum(batch.column('x').to_pylist())}".encode()


def meet():
    open(f"meet-{PLACE['local_rank']}", "w").close()
    while len([name for name in os.listdir() if name.startswith("meet-")]) < 2:
        select.select([], [], [], 0.01)


def main():
    executor = Executor()
    served = executor.receive(executor.send(serve="ask", **PLACE))[0]
    print(f"serve {served}", flush=True)
    held = []
    while True:
        reply, fds = executor.receive(executor.send(take=True))
        if "error" in reply:
            print(f"end {reply['error']['kind']}", flush=True)
            return 0 if reply["error"]["kind"] == "FeedStopped" else 1
        batch = executor.batch(reply, fds)
        question, do = reply["question"], batch.column("do")[0].as_py()
        print(f"{do} {reply['block']}", flush=True)
        if do == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        elif do == "hold":
            held.append((question, answer_of(batch)))
        elif do == "meet":
            meet()
            executor.answer(question, answer_of(batch))
        elif do == "refuse":
            executor.receive(executor.send(refuse=question, message="no answer to ünicode"))
        elif do == "large":
            executor.answer(question, b"x" * batch.column("x")[0].as_py())
        elif do == "empty":
            executor.answer(question, b"")
        elif do == "short":
            error = executor.answer(question, b"12345", missing=1)["error"]
            executor.answer(question, f"{error['kind']}: {error['message']}".encode())
        elif do == "pipe":
            ends = os.pipe()
            error = executor.receive(executor.send(ends[0], answer=question, bytes=1))[0]["error"]
            executor.answer(question, f"{error['kind']}: {error['message']}".encode())
        elif do == "again":
            executor.answer(question, b"first")
            print(executor.answer(question, b"second")["error"]["kind"], flush=True)
        else:
            executor.answer(question, answer_of(batch))
        if do == "release":
            print(f"released {[executor.answer(*one) for one in held]}", flush=True)
            held = []


if __name__ == "__main__":
    sys.exit(main())

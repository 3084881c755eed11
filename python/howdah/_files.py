"""The process `howdah-agent files`, which reads and writes the files of the cluster for this process.

Messages are frames: the sizes of a header and a payload (two big-endian numbers of 4 bytes), the header (JSON), and the
payload. A thread receives the answers, so requests of several threads are under way at the same time. Bytes that are
read arrive in memory that both processes share. The process is started at the first request; a child made by fork
starts its own.
"""

from __future__ import annotations

import atexit
import errno
import fcntl
import itertools
import json
import os
import struct
import subprocess
import tempfile
import threading
from collections import deque
from typing import Any, NamedTuple

from . import _arena, _program
from ._errors import HowdahError

PIECE = 4 << 20  # the bytes that one request usually reads or writes
LARGEST = 16 << 20  # the limit of howdah-agent
_PIPE_SIZE, _SET_PIPE_SIZE = 1 << 20, 1031  # F_SETPIPE_SZ, which fcntl lacks before Python 3.10
_SIZES = struct.Struct(">II")

_ERRNO_OF_CLASS = {
    "AccessControlException": errno.EACCES,
    "FileNotFoundException": errno.ENOENT,
    "FileAlreadyExistsException": errno.EEXIST,
    "PathIsNotEmptyDirectoryException": errno.ENOTEMPTY,
    "ParentNotDirectoryException": errno.ENOTDIR,
    "PathIsNotDirectoryException": errno.ENOTDIR,
    "NSQuotaExceededException": errno.EDQUOT,
    "DSQuotaExceededException": errno.EDQUOT,
}
_ERRNO_OF_CODE = {"not_found": errno.ENOENT, "no_space": errno.ENOSPC, "timeout": errno.ETIMEDOUT}
_ERRNO_OF_TEXT = {
    os.strerror(number): number
    for number in (errno.EACCES, errno.EPERM, errno.EEXIST, errno.ENOTEMPTY, errno.EISDIR, errno.ENOTDIR, errno.EROFS)
}


class Answer(NamedTuple):
    header: dict[str, Any]
    payload: bytes


def error_of(error: dict[str, str]) -> OSError:
    """The exception for an error of howdah-agent. The message names the path and the remedy."""
    message = error["message"]
    number = (
        _ERRNO_OF_CLASS.get(error["class"].rpartition(".")[2])
        or _ERRNO_OF_CODE.get(error["code"])
        or _ERRNO_OF_TEXT.get(message.rpartition(": ")[2])
    )
    return OSError(message) if number is None else OSError(number, message)


class Pending:
    """A request that is under way. part: of the shared memory, where the bytes arrive."""

    def __init__(self, part: _arena.Part | None = None) -> None:
        self._part = part
        self._done = threading.Event()
        self._answer: Answer | OSError | None = None

    def finish(self, answer: Answer | OSError) -> None:
        self._answer = answer
        self._done.set()

    def wait(self) -> Answer:
        self._done.wait()
        answer = self._answer
        if isinstance(answer, Answer):
            if "error" in answer.header:
                raise error_of(answer.header["error"])
            return answer
        assert answer is not None
        raise answer

    def bytes(self) -> memoryview:
        """The bytes that were read. Their memory is not used again while the view or a part of it exists."""
        answer = self.wait()
        if self._part is None:
            return memoryview(answer.payload)
        return self._part.view(answer.header["read"])


class Server:
    """A running howdah-agent. Thread-safe."""

    def __init__(self) -> None:
        arguments = [agent(), "files"]
        user = _user()
        if user:
            arguments += ["--user", user]
        self._arena = _arena.make()
        if self._arena is not None:
            arguments += ["--memory", str(self._arena.fd)]
        self._stderr = tempfile.TemporaryFile()
        self._process = subprocess.Popen(
            arguments,
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            start_new_session=True,
            pass_fds=() if self._arena is None else (self._arena.fd,),
        )
        if self._arena is not None:
            self._arena.close()
        assert self._process.stdin is not None and self._process.stdout is not None
        self._in, self._out = self._process.stdin.fileno(), self._process.stdout.fileno()
        for pipe in (self._in, self._out):
            try:
                fcntl.fcntl(pipe, _SET_PIPE_SIZE, _PIPE_SIZE)
            except OSError:  # the user has used up the limit of the kernel
                pass
        self._ids = itertools.count(1)
        self._pending: dict[int, Pending] = {}
        self._lock = threading.Lock()  # of what follows, and of the frames that are written
        self._why_ended: str | None = None
        self._posted: deque[tuple[str, dict[str, Any]]] = deque()
        threading.Thread(target=self._receive, name="howdah-files", daemon=True).start()

    @property
    def ended(self) -> bool:
        return self._why_ended is not None

    def read(self, file: int, start: int, end: int, until: int = 0, *, only_shared: bool = False) -> Pending | None:
        """Requests bytes of an open file, at most LARGEST.

        until: the end of the bytes that are read in order from here; 0: not known. only_shared: returns None if the
        shared memory has no space, instead of receiving the bytes through the pipe.
        """
        part = None if self._arena is None else self._arena.take(end - start)
        fields = {"file": file, "offset": start, "length": end - start, "until": until}
        if part is not None:
            fields["memory"] = part.start
        elif only_shared:
            return None
        return self._send("read", b"", fields, Pending(part))

    def send(self, op: str, payload: Any = b"", **fields: Any) -> Pending:
        """Sends a request. payload: anything with the buffer interface."""
        return self._send(op, payload, fields, Pending())

    def _send(self, op: str, payload: Any, fields: dict[str, Any], pending: Pending) -> Pending:
        with self._lock:
            self._write(op, fields, memoryview(payload).cast("B"), pending)
        self._send_posted()
        return pending

    def post(self, op: str, **fields: Any) -> None:
        """Sends a request whose answer is ignored, now or after the request that is being sent. Finalizers use it: the
        garbage collector may call them in a thread that has the lock."""
        self._posted.append((op, fields))
        self._send_posted()

    def _send_posted(self) -> None:
        while self._posted and self._lock.acquire(blocking=False):
            try:
                op, fields = self._posted.popleft()
                self._write(op, fields, memoryview(b""), Pending())
            except ConnectionError:  # nobody waits for the answer
                pass
            finally:
                self._lock.release()

    def _write(self, op: str, fields: dict[str, Any], body: memoryview, pending: Pending) -> None:
        """The caller has the lock."""
        if self._why_ended is not None:
            raise ConnectionError(self._why_ended)
        number = next(self._ids)
        header = json.dumps({"id": number, "op": op, **fields}).encode()
        self._pending[number] = pending
        try:
            write_all(self._in, [memoryview(_SIZES.pack(len(header), len(body)) + header), body])
        except OSError:
            pass  # it has ended; the receiving thread reports why
        except BaseException:  # such as KeyboardInterrupt: the rest of the frame is missing
            self._process.kill()
            raise

    def request(self, op: str, payload: Any = b"", **fields: Any) -> Answer:
        return self.send(op, payload, **fields).wait()

    def _receive(self) -> None:
        while True:
            try:
                answer = self._read_frame()
            except ValueError:  # no JSON
                self._process.kill()
                break
            if answer is None:
                break
            with self._lock:
                pending = self._pending.pop(answer.header["id"], None)
            if pending is not None:
                pending.finish(answer)
        code = self._process.wait()
        self._stderr.seek(0)
        text = self._stderr.read().decode("utf-8", "replace").strip()[-2000:]
        how = f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
        why = f"howdah-agent, which reads and writes the files of the cluster, {how}" + (f": {text}" if text else "")
        with self._lock:
            self._why_ended = self._why_ended or why
            left = list(self._pending.values())
            self._pending.clear()
        for pending in left:
            pending.finish(ConnectionError(why))

    def _read_frame(self) -> Answer | None:
        """The next answer; None at the end."""
        sizes = _read(self._out, _SIZES.size)
        if sizes is None:
            return None
        header_size, payload_size = _SIZES.unpack(sizes)
        header, payload = _read(self._out, header_size), _read(self._out, payload_size)
        if header is None or payload is None:
            return None
        return Answer(json.loads(header), payload)

    def close(self) -> None:
        """Ends the process at the end of the program. The process deletes files that were not closed."""
        with self._lock:
            self._why_ended = self._why_ended or "the program ends"
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()

    def forget(self) -> None:
        """Releases, in a child made by fork, the pipes of the parent's process, which ends with its input. Other
        objects still have the descriptors, so they must stay in use."""
        null = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
        for pipe in (self._in, self._out):
            os.dup2(null, pipe, inheritable=False)
        os.close(null)
        self._lock = threading.Lock()  # a thread of the parent may have had it
        self._process.returncode = 0  # it is no child of this process
        self._why_ended = "a file cannot be used in a child of the process that has opened it; open it in the child"


def write_all(fd: int, parts: list[memoryview]) -> None:
    while parts:
        written = os.writev(fd, parts)
        while parts and written >= len(parts[0]):
            written -= len(parts[0])
            parts.pop(0)
        if parts and written:
            parts[0] = parts[0][written:]


def _read(fd: int, size: int) -> bytes | None:
    """Exactly this many bytes, or None at the end."""
    if size <= 65536:
        pieces = []
        while size:
            piece = os.read(fd, size)
            if not piece:
                return None
            pieces.append(piece)
            size -= len(piece)
        return b"".join(pieces)
    data = bytearray(size)
    rest = memoryview(data)
    while rest:
        count = os.readv(fd, [rest])
        if count == 0:
            return None
        rest = rest[count:]
    return bytes(data)


def agent() -> str:
    """The path of howdah-agent: in a task that of its executor, elsewhere the one beside `howdah`."""
    given = os.environ.get("HOWDAH_AGENT")
    if given and os.access(given, os.X_OK):
        return given
    program = _program.find()
    for path in (program, os.path.realpath(program)):
        beside = os.path.join(os.path.dirname(path), "howdah-agent")
        if os.access(beside, os.X_OK):
            return beside
    raise HowdahError(f"howdah-agent is not beside {program}; install both with `pip install howdah`")


def _user() -> str:
    import pwd

    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:  # in containers
        return ""


_lock = threading.Lock()
_server: Server | None = None
_of_parents: list[Server] = []


def server() -> Server:
    """The server of this process. Starts one at the first call, and another one if it has ended."""
    global _server
    with _lock:
        if _server is None or _server.ended:
            _server = Server()
        return _server


def _close() -> None:
    if _server is not None:
        _server.close()


def _after_fork() -> None:
    global _lock, _server
    _lock = threading.Lock()
    if _server is not None:
        _server.forget()
        _of_parents.append(_server)
        _server = None


atexit.register(_close)
os.register_at_fork(after_in_child=_after_fork)

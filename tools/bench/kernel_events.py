"""The kernel's process events. They give the times at which processes start and end, to the microsecond and without
polling. They need Linux and root."""
import socket
import struct
import threading
from collections import namedtuple

FORK, EXEC, EXIT = 1, 2, 0x80000000
Event = namedtuple("Event", "what at pid parent")  # at: by the monotonic clock, in s; parent: None except for FORK

NETLINK_CONNECTOR, CN_PROC, LISTEN, IGNORE = 11, (1, 1), 1, 2
NETLINK_HEADER, CONNECTOR_HEADER, EVENT_HEADER = "=IHHII", "=IIIIHH", "=IIQ"
BODY_AT = struct.calcsize(NETLINK_HEADER) + struct.calcsize(CONNECTOR_HEADER)


class ProcessEvents:
    """Collects the events inside `with ProcessEvents() as events:`; events.list() returns them.

    Raises OSError if the kernel does not report events to this process."""

    def __enter__(self):
        self._socket = socket.socket(socket.AF_NETLINK, socket.SOCK_DGRAM, NETLINK_CONNECTOR)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8 << 20)
        self._socket.bind((0, CN_PROC[0]))
        self._events, self._lock = [], threading.Lock()
        self._order(LISTEN)
        threading.Thread(target=self._read, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._order(IGNORE)
        self._socket.close()

    def list(self):
        with self._lock:
            return list(self._events)

    def _order(self, order):
        body = struct.pack(CONNECTOR_HEADER, *CN_PROC, 0, 0, 4, 0) + struct.pack("=I", order)
        size = struct.calcsize(NETLINK_HEADER) + len(body)
        self._socket.send(struct.pack(NETLINK_HEADER, size, 3, 0, 0, 0) + body)

    def _read(self):
        while True:
            try:
                data = self._socket.recv(4096)
            except OSError:
                return
            event = decode(data)
            if event:
                with self._lock:
                    self._events.append(event)


def decode(data):
    """The event in a datagram, or None for other types of events and for threads."""
    what, _, nanos = struct.unpack_from(EVENT_HEADER, data, BODY_AT)
    pids = struct.unpack_from("=4I", data.ljust(BODY_AT + 32, b"\0"), BODY_AT + struct.calcsize(EVENT_HEADER))
    if what == FORK and pids[2] == pids[3]:  # a new process, not a new thread
        return Event(what, nanos / 1e9, pids[3], pids[1])
    if what in (EXEC, EXIT) and pids[0] == pids[1]:
        return Event(what, nanos / 1e9, pids[0], None)
    return None


def available():
    try:
        with ProcessEvents():
            return True
    except OSError:
        return False

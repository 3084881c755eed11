"""Queues and variables that the processes of one node share.

The rows of feeds do not pass through a manager. It is for small objects of a program, and for tests of code that uses
TFNode.DataFeed.
"""

from __future__ import annotations

import gc
import threading
from multiprocessing.managers import BaseManager
from queue import Queue
from typing import TYPE_CHECKING, Any, Sequence

# In the process of a server; set when it starts.
_queues: dict[str, Any] = {}
_values: dict[str, Any] = {}


def _begin(names: Sequence[str]) -> None:
    # Objects of the process that forked this one, such as gRPC's, must not be collected here, without their threads.
    gc.freeze()
    _values.clear()
    _queues.clear()
    _queues.update({name: Queue() for name in names})


def _queue(name: str) -> Any:
    return _queues.get(name)


def _get(key: str) -> Any:
    return _values[key]


def _set(key: str, value: Any) -> None:
    _values[key] = value


class TFManager(BaseManager):
    """A server process with queues and variables, or a connection to one. start() and connect() make it.

    get_queue(name): a proxy of the queue, with the methods of queue.Queue. set(key, value). get(key): a proxy of the
    value, whose _getvalue() returns the value itself; str() of the proxy is the representation of the value.
    """

    if TYPE_CHECKING:

        def get_queue(self, name: str) -> Any: ...

        def get(self, key: str) -> Any: ...

        def set(self, key: str, value: Any) -> Any: ...


TFManager.register("get_queue", callable=_queue)
TFManager.register("get", callable=_get)
TFManager.register("set", callable=_set)


def start(authkey: str | bytes, queues: Sequence[str], mode: str = "local") -> TFManager:
    """Starts the server of a manager. mode: "local" for the processes of this machine, "remote" for all machines: the
    server then listens on every interface, and accepts pickled objects from everyone with the key."""
    if mode not in ("local", "remote"):
        raise ValueError(f"the mode of a manager is {mode!r}; it must be 'local' or 'remote'")
    manager = TFManager(("", 0) if mode == "remote" else None, authkey=_key(authkey))
    manager.start(initializer=_begin, initargs=(list(queues),))
    return manager


def connect(address: Any, authkey: str | bytes) -> TFManager:
    """A connection to a manager. address: its attribute `address`; for a remote one a tuple of host and port."""
    manager = TFManager(tuple(address) if isinstance(address, list) else address, authkey=_key(authkey))
    manager.connect()
    return manager


def _key(given: str | bytes) -> bytes:
    return given.encode() if isinstance(given, str) else bytes(given)


class NodeManager:
    """The manager of a node of a cluster, `ctx.mgr`. Its server starts when it is first used. Thread-safe."""

    def __init__(self, queues: Sequence[str]) -> None:
        self._names = list(queues)
        self._lock = threading.Lock()
        self._started: TFManager | None = None

    def get_queue(self, name: str) -> Any:
        return self._manager().get_queue(name)

    def get(self, key: str) -> Any:
        return self._manager().get(key)

    def set(self, key: str, value: Any) -> Any:
        return self._manager().set(key, value)

    @property
    def address(self) -> Any:
        return self._manager().address

    def _manager(self) -> TFManager:
        with self._lock:
            if self._started is None:
                import uuid

                self._started = start(uuid.uuid4().bytes, self._names)
                self._started.set("state", "running")
            return self._started

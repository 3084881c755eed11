"""Memory that this process shares with howdah-agent: the agent receives the bytes of files there, and nothing copies
them through a pipe."""

from __future__ import annotations

import ctypes
import fcntl
import mmap
import os
import threading
import weakref
from collections import deque
from typing import Any

SIZE = 48 << 20  # pages count as used memory only once they have been written to
_ADD_SEALS, _SEAL_SHRINK, _SEAL_GROW = 1033, 2, 4  # which fcntl lacks


class Arena:
    """Gives out parts of a memory file, low addresses first. Thread-safe."""

    def __init__(self) -> None:
        self.fd = os.memfd_create("howdah-files", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        os.ftruncate(self.fd, SIZE)
        fcntl.fcntl(self.fd, _ADD_SEALS, _SEAL_SHRINK | _SEAL_GROW)
        self._map = mmap.mmap(self.fd, SIZE)
        self._lock = threading.Lock()
        self._free = [(0, SIZE)]  # sorted (start, end)
        self._returned: deque[tuple[int, int]] = deque()  # by finalizers, which must not wait for the lock

    def take(self, size: int) -> Part | None:
        """A part of this size, or None if all parts are in use."""
        size = -(-size // mmap.PAGESIZE) * mmap.PAGESIZE
        with self._lock:
            while self._returned:
                self._insert(*self._returned.popleft())
            for at, (start, end) in enumerate(self._free):
                if end - start >= size:
                    self._free[at : at + 1] = [(start + size, end)] if end - start > size else []
                    return Part(self, start, size)
        return None

    def _insert(self, start: int, end: int) -> None:
        before = [one for one in self._free if one[0] < start]
        after = self._free[len(before) :]
        if before and before[-1][1] == start:
            start = before.pop()[0]
        if after and after[0][0] == end:
            end = after.pop(0)[1]
        self._free = [*before, (start, end), *after]

    def close(self) -> None:
        """Closes the descriptor. The memory stays until no part is used."""
        os.close(self.fd)


class Part:
    """A part of the arena. It is free again when neither this object nor a view of it exists any more."""

    __slots__ = ("start", "_bytes")

    def __init__(self, arena: Arena, start: int, size: int) -> None:
        self.start = start
        # Views keep this object, and not only the mapping.
        self._bytes: Any = (ctypes.c_char * size).from_buffer(arena._map, start)
        weakref.finalize(self._bytes, arena._returned.append, (start, start + size)).atexit = False

    def view(self, size: int) -> memoryview:
        return memoryview(self._bytes).cast("B")[:size].toreadonly()


def make() -> Arena | None:
    """None if this system or this interpreter has no memory files."""
    try:
        return Arena()
    except (AttributeError, OSError):
        return None

"""Blocks: memory files that the executor shares with its readers.

Each block is mapped twice. The private mapping is for the arrays of the program, which may write to it. The shared one
is read-only: rows that are needed a second time are copied from it, because the program may have changed them.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import weakref
from typing import Any

from .. import _needs
from .._errors import FeedError

pa: Any = _needs.load("pyarrow", "howdah.Context.feed")
ipc: Any = _needs.load("pyarrow.ipc", "howdah.Context.feed")

_libc = ctypes.CDLL(None, use_errno=True)
_mmap, _munmap = _libc.mmap, _libc.munmap
_mmap.restype = ctypes.c_void_p
_mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
_munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
_FAILED = ctypes.c_void_p(-1).value


def _map(fd: int, size: int, protection: int, flags: int, offset: int) -> int:
    # The module mmap would keep one descriptor open per block.
    address = _mmap(None, size, protection, flags, fd, offset)
    if address is None or address == _FAILED:
        number = ctypes.get_errno()
        raise FeedError(f"mapping {size} bytes of a block of a feed: {os.strerror(number)}")
    return int(address)


class Memory:
    """The mappings of one block. Not thread-safe: its connection calls it."""

    __slots__ = ("id", "schema", "rows", "viewed", "lease", "handle", "block", "_size", "_skip", "_bytes", "_mapped")

    def __init__(self, fd: int, number: int, schema: int, rows: int, offset: int, size: int) -> None:
        start = offset - offset % mmap.PAGESIZE
        self.id, self.schema, self.rows = number, schema, rows  # schema: its number
        self.viewed = 0  # rows before this one may be in arrays of the program
        self.lease = 0  # counts how often the block came into use
        self.handle: weakref.ref[Handle] | None = None
        self.block: weakref.ref[Block] | None = None
        self._skip, self._bytes = offset - start, size
        self._size = self._skip + size
        private = _map(fd, self._size, mmap.PROT_READ | mmap.PROT_WRITE, mmap.MAP_PRIVATE, start)
        try:
            shared = _map(fd, self._size, mmap.PROT_READ, mmap.MAP_SHARED, start)
        except BaseException:
            _munmap(private, self._size)
            raise
        self._mapped: tuple[int, ...] = (private, shared)

    def used(self) -> bool:
        return self.handle is not None and self.handle() is not None

    def batch(self, handle: Handle, schema: Any, *, private: bool) -> Any:
        """The RecordBatch, as views of the memory. The views keep the handle."""
        address = self._mapped[0 if private else 1] + self._skip
        buffer = pa.foreign_buffer(address, self._bytes, handle)
        batch = ipc.read_record_batch(ipc.read_message(buffer), schema)
        batch.validate()
        return batch

    def unmap(self) -> None:
        for address in self._mapped:
            _munmap(address, self._size)
        self._mapped = ()


class Handle:
    """Is referenced by everything that uses the memory of a block. Keeps the connection open: the executor takes all
    blocks of a connection that is closed."""

    __slots__ = ("memory", "_connection", "__weakref__")

    def __init__(self, memory: Memory, connection: object) -> None:
        self.memory, self._connection = memory, connection


class Block:
    """A block that is read, with its decoded columns."""

    __slots__ = ("handle", "schema", "rows", "decoded", "_batches", "__weakref__")

    def __init__(self, handle: Handle, schema: Any) -> None:
        self.handle, self.schema, self.rows = handle, schema, handle.memory.rows
        self.decoded: dict[tuple[int, bool], Any] = {}  # belongs to the converter; the key is (converter, private)
        self._batches: dict[bool, Any] = {}

    def claim(self, first: int, rows: int) -> bool:
        """Whether these rows may be returned as views of the private mapping: at most once for each row."""
        memory = self.handle.memory
        if first < memory.viewed:
            return False
        memory.viewed = first + rows
        return True

    def batch(self, private: bool) -> Any:
        found = self._batches.get(private)
        if found is None:
            found = self._batches[private] = self.handle.memory.batch(self.handle, self.schema, private=private)
            if found.num_rows != self.rows:
                raise FeedError(f"a block of a feed has {found.num_rows} rows instead of {self.rows}; report this")
        return found

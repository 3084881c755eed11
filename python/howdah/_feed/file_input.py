"""Open files of a feed. Files of HDFS are read ahead, because each request takes some time to reach a DataNode."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from typing import Any, Sequence

from .. import _needs
from .._files import LARGEST, PIECE

pa: Any = _needs.load("pyarrow", "howdah.Feed")

_OPENED_AHEAD = 24 << 20  # bytes that are requested for chunks whose reading has not begun


class Chunk:
    """A range of a file that is read from its beginning to its end."""

    def __init__(self, start: int, end: int, run: int) -> None:
        self.start, self.end = start, end
        self.run = run  # the end of the chunks that follow without a gap
        self.at = self.asked = start  # read and requested up to here
        self.requests: deque[tuple[int, int, Any]] = deque()
        self.rest = memoryview(b"")  # received bytes that begin at `at`

    def restart(self, at: int) -> None:
        self.at = self.asked = at
        self.requests.clear()
        self.rest = memoryview(b"")


class HadoopInput:
    """A file of HDFS for Arrow. Arrow calls it under a lock of its own."""

    def __init__(self, system: Any, path: str) -> None:
        from ..fs import _Native

        self._native = _Native(system._uri, path)
        self._at = self._end = 0
        self._piece = PIECE
        self._chunks: list[Chunk] = []  # in the order of the file
        self._starts: list[int] = []
        self._unopened: deque[Chunk] = deque()  # in the order of reading
        self.closed = False

    def expect(self, ranges: Sequence[tuple[int, int]], piece: int) -> None:
        """Announces ranges that do not overlap, in the order in which their reading begins, and requests the first
        bytes of them. piece: the bytes of each range that are requested ahead."""
        known = {(chunk.start, chunk.end): chunk for chunk in self._chunks if chunk.at == chunk.start}
        self._piece = piece
        chunks: list[Chunk] = []
        run = 0
        for start, end in reversed(ranges):
            # A range that is read in pieces alternates with others.
            run = run if end - start <= piece and chunks and chunks[-1].start == end else end
            chunks.append(known.get((start, end)) or Chunk(start, end, run))
        self._unopened = deque(chunk for chunk in reversed(chunks) if chunk.asked == chunk.start)
        self._chunks = sorted(chunks, key=lambda chunk: chunk.start)
        self._starts = [chunk.start for chunk in self._chunks]
        self._open_chunks()

    def read_buffer(self, size: int = -1) -> memoryview:
        """Arrow prefers this to read(), because it copies nothing."""
        total = self._native.size
        start = self._at
        end = total if size is None or size < 0 else min(total, start + size)
        if end <= start:
            return memoryview(b"")
        chunk = self._chunk_at(start, end)
        if chunk is not None:
            pieces = self._read_chunk(chunk, start, end)
        else:
            # A reader of large pieces in order gets the next one while it decodes this one.
            pieces = list(self._native.pieces(start, end, start == self._end and end - start >= PIECE))
        self._at = self._end = end
        return pieces[0] if len(pieces) == 1 else memoryview(b"".join(pieces))

    def read(self, size: int = -1) -> bytes:
        return bytes(self.read_buffer(size))

    def _chunk_at(self, start: int, end: int) -> Chunk | None:
        at = bisect_right(self._starts, start) - 1
        return self._chunks[at] if at >= 0 and end <= self._chunks[at].end else None

    def _read_chunk(self, chunk: Chunk, start: int, end: int) -> list[memoryview]:
        if self._native.reopened():
            for other in self._chunks:
                other.restart(other.at)
        if start != chunk.at:
            chunk.restart(start)
        while chunk.asked < end:
            self._request(chunk, min(end, chunk.asked + LARGEST), end)
        pieces = []
        while chunk.at < end:
            if not chunk.rest:
                first, last, pending = chunk.requests.popleft()
                chunk.rest = self._native.received(pending, first, last)
            piece = chunk.rest[: end - chunk.at]
            chunk.rest = chunk.rest[len(piece) :] or memoryview(b"")  # an empty view would keep the memory, too
            chunk.at += len(piece)
            pieces.append(piece)
        if chunk.asked < chunk.end and chunk.asked - chunk.at < self._piece:
            stop = min(chunk.end, chunk.asked + self._piece)
            self._request(chunk, stop, stop, only_shared=True)
        self._open_chunks()
        return pieces

    def _request(self, chunk: Chunk, end: int, until: int, only_shared: bool = False) -> bool:
        pending = self._native.send(chunk.asked, end, until, only_shared=only_shared)
        if pending is not None:
            chunk.requests.append((chunk.asked, end, pending))
            chunk.asked = end
        return pending is not None

    def _open_chunks(self) -> None:
        """Requests the first bytes of chunks while there is space for them."""
        ahead = sum(chunk.asked - chunk.at for chunk in self._chunks if chunk.at == chunk.start)
        while self._unopened:
            chunk = self._unopened[0]
            stop = min(chunk.end, chunk.start + min(self._piece, LARGEST))
            if chunk.asked == chunk.at == chunk.start:  # else it was read without having been requested ahead
                if ahead + stop - chunk.start > _OPENED_AHEAD:
                    return
                if not self._request(chunk, stop, chunk.run if stop == chunk.end else stop, only_shared=True):
                    return
                ahead += stop - chunk.start
            self._unopened.popleft()

    def seek(self, offset: int, whence: int = 0) -> int:
        self._at = offset + (0, self._at, self._native.size)[whence]
        return self._at

    def tell(self) -> int:
        return self._at

    def size(self) -> int:
        return int(self._native.size)

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def close(self) -> None:
        if not self.closed:
            self.closed = True
            self._chunks, self._starts = [], []
            self._unopened.clear()
            self._native.close()


class Opened:
    """An open file.

    arrow: the pyarrow.NativeFile, which can be read at any offset. kept: belongs to the reader of the format, for
    further parts of the file; None: the file is closed after this part. then: the parts of the file that are probably
    read after this one.
    """

    def __init__(self, system: Any, path: str) -> None:
        self.kept: Any = None
        self.then: Sequence[tuple[int, int]] = ()
        hadoop = getattr(getattr(system, "handler", None), "fs", None)
        self._source = None if hadoop is None else HadoopInput(hadoop, path)
        self.arrow = system.open_input_file(path) if hadoop is None else pa.PythonFile(self._source, mode="r")

    @property
    def ahead(self) -> bool:
        """Whether the file has to be read ahead."""
        return self._source is not None

    def expect(self, ranges: Sequence[tuple[int, int]], piece: int) -> None:
        if self._source is not None:
            self._source.expect(ranges, piece)

    def close(self) -> None:
        self.arrow.close()

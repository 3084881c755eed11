"""A Spark task reads its input while it sends earlier rows. So Spark computes rows in this time, too.

The thread of the task reads, because the code of a program may depend on its thread, and another thread sends.

The text of this module travels to Spark's tasks, so it needs only the standard library.
"""

from __future__ import annotations

import threading
from collections import deque
from typing import Any, Callable, Iterator

_AHEAD = 8 << 20  # bytes of blocks that are read ahead


class Ahead:
    """The blocks of a Spark task. Nothing is read before the first block is wanted."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._blocks: deque[tuple[int, Any]] = deque()
        self._bytes = 0
        self._wanted = self._ended = self._stopped = False
        self._error: BaseException | None = None

    def run(self, send: Callable[[], str], found: Iterator[tuple[int, Any]]) -> str:
        """Reads blocks while another thread calls `send`, which iterates over this object. Returns what it returns."""
        results: list[str] = []
        errors: list[BaseException] = []

        def run() -> None:
            try:
                results.append(send())
            except BaseException as error:
                errors.append(error)
            with self._changed:
                self._stopped = True
                self._changed.notify_all()

        thread = threading.Thread(target=run, name="howdah feed", daemon=True)
        thread.start()
        self._read(found)
        thread.join()
        if errors:
            raise errors[0]
        return results[0]

    def _read(self, found: Iterator[tuple[int, Any]]) -> None:
        """Reads until the input ends, or nothing more is wanted."""
        try:
            while self._has_room():
                block = next(found, None)
                if block is None:
                    break
                with self._changed:
                    self._blocks.append(block)
                    self._bytes += block[1].nbytes
                    self._changed.notify_all()
        except BaseException as error:
            self._error = error
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def _has_room(self) -> bool:
        with self._changed:
            self._changed.wait_for(lambda: self._stopped or (self._wanted and self._bytes < _AHEAD))
            return not self._stopped

    def __iter__(self) -> Iterator[tuple[int, Any]]:
        return self

    def __next__(self) -> tuple[int, Any]:
        with self._changed:
            self._wanted = True
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._blocks or self._ended)
            if self._blocks:
                block = self._blocks.popleft()
                self._bytes -= block[1].nbytes
                self._changed.notify_all()
                return block
        if self._error is not None:
            raise self._error
        raise StopIteration

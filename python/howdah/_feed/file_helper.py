"""Starts the process that reads the files of a feed (files.py), in the rank, and reports its failures to the job."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import weakref
from typing import Any

from .._errors import FeedError
from .connection import Connection, Stopped

_STARTS = 3  # of a process that crashes

# The process finds the same modules as this one.
_BOOT = "import sys; sys.path[:] = sys.argv.pop().split(':'); from howdah._feed.files import main; main()"


class FileHelper:
    """Runs the process for the reader of one feed, until no further rows are wanted or this process ends.

    settings: as Settings in file_source.py. connection: to the executor, for failures.
    """

    def __init__(self, settings: dict[str, Any], connection: Connection) -> None:
        self._settings, self._connection = settings, connection
        self._process: subprocess.Popen[bytes] | None = None
        _helpers.add(self)
        threading.Thread(target=self._run, name="howdah files", daemon=True).start()

    def _run(self) -> None:
        why = ""
        for _ in range(_STARTS):
            try:
                code, line = self._run_once()
            except OSError as error:
                return self._report(f"the process that reads its files cannot be started: {error}", False)
            if line:
                found = json.loads(line)
                return self._report(found["message"], found["changed"])
            if code == 0:
                return None
            why = f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
        hint = "; it may need more memory, which counts for the task" if why.endswith(" 9") else ""
        return self._report(f"the process that reads its files {why}, {_STARTS} times{hint}", False)

    def _run_once(self) -> tuple[int, bytes]:
        path = ":".join(os.path.abspath(one) for one in sys.path)
        self._process = process = subprocess.Popen(
            [sys.executable, "-c", _BOOT, path],
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,  # signals to the rank are not for it
        )
        assert process.stdin is not None and process.stdout is not None
        rest = memoryview(json.dumps(self._settings).encode() + b"\n")
        try:
            while rest:
                rest = rest[os.write(process.stdin.fileno(), rest) :]
        except BrokenPipeError:  # it has ended; its exit code says why
            pass
        lines = process.stdout.read().splitlines()
        return process.wait(), lines[-1] if lines else b""

    def _report(self, message: str, changed: bool) -> None:
        try:
            self._connection.request("source_failed", {"message": message, "changed": changed})
        except (FeedError, Stopped):  # the job or the feed has ended
            pass

    def after_fork(self) -> None:
        """In a child: the process must end with the parent, although the child may live longer."""
        process = self._process
        if process is not None and process.stdin is not None:
            process.stdin.close()


_helpers: weakref.WeakSet[FileHelper] = weakref.WeakSet()


def _after_fork() -> None:
    for helper in list(_helpers):
        helper.after_fork()
    _helpers.clear()


os.register_at_fork(after_in_child=_after_fork)

"""The process that reads the files of a feed for one rank. The rank starts it, and it ends when its stdin closes.

stdin: one line of JSON, the settings (file_source.Settings), and then nothing. stdout: nothing, or one line of JSON
{"message", "changed"} if the files cannot be read. The exit code is 0 when no further rows are wanted, and 1 after such
a line.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from typing import Any, NoReturn

from .. import _needs
from .._errors import FeedChanged


def main() -> NoReturn:
    report = os.dup(1)
    os.dup2(2, 1)  # for libraries that print
    given: dict[str, Any] = json.loads(sys.stdin.buffer.readline())
    threading.Thread(target=_end_with_the_rank, name="stdin", daemon=True).start()
    code = 0
    try:
        _read(given)
    except Exception as error:
        code = 1
        text = str(error) or type(error).__name__
        if isinstance(error, ModuleNotFoundError) and (error.name or "").startswith("pyarrow."):
            text = f"reading files needs the module {error.name}: install all of PyArrow (pip install pyarrow)"
        line = json.dumps({"message": text[:8000], "changed": isinstance(error, FeedChanged)})
        os.write(report, line.encode() + b"\n")
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)  # threads may be in a call of a file system


def _end_with_the_rank() -> None:
    sys.stdin.buffer.read()
    os._exit(0)


def _read(given: dict[str, Any]) -> None:
    from .file_source import FileSource, Over, Settings
    from .local_calls import LocalCalls
    from .spark_task import Calls

    _needs.load("pyarrow", "howdah.Feed").set_cpu_count(max(1, min(4, os.cpu_count() or 1)))
    settings = Settings(given)
    calls = Calls(given["job"], settings.feed, LocalCalls())
    calls.use(settings.address)
    try:
        FileSource(settings, calls).run()
    except Over:
        pass


if __name__ == "__main__":
    main()

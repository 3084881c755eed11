"""The two files between a client and a task: the call, with the pickled function, and the result.

Each file consists of one line of JSON, followed by pickled bytes. Any version of Python can read the line, so that a
mistake is reported before anything is unpickled. Tasks load this module, too, so it imports little.
"""

from __future__ import annotations

import json
from typing import Any, Dict, NamedTuple, Optional, Tuple

LIMIT = 64 << 20  # the largest size of a result in bytes, as in `howdah result`


class Call(NamedTuple):
    name: str  # the name of the function, for messages
    python: Tuple[int, int]  # the version of the caller's Python
    payload: bytes  # pickled (function, args, kwargs)


class Result(NamedTuple):
    """The result of a process: the value of its function, or the exception that ended it."""

    kind: str  # "value" or "exception"
    at: float  # seconds since 1970, by the clock of the node
    # The pickled value. For an exception, a pickled pair: its pickled class, and its pickled (arguments, args, state).
    # Each of the two is b"" if it could not be pickled.
    payload: bytes
    type: str = ""
    message: str = ""
    traceback: str = ""


def encode_call(call: Call) -> bytes:
    return _encode({"howdah": "call", "name": call.name, "python": list(call.python)}, call.payload)


def decode_call(data: bytes) -> Call:
    head, payload = _decode(data, "call")
    return Call(head["name"], (head["python"][0], head["python"][1]), payload)


def encode_result(result: Result) -> bytes:
    head = {"howdah": "result", "kind": result.kind, "at": result.at}
    if result.kind == "exception":
        head.update(type=result.type, message=result.message, traceback=result.traceback)
    return _encode(head, result.payload)


def decode_result(data: bytes) -> Optional[Result]:
    """The result; None if this package did not write the bytes."""
    try:
        head, payload = _decode(data, "result")
        return Result(
            head["kind"], head["at"], payload, head.get("type", ""), head.get("message", ""), head.get("traceback", "")
        )
    except (ValueError, KeyError):
        return None


def _encode(head: Dict[str, Any], payload: bytes) -> bytes:
    return json.dumps(head).encode() + b"\n" + payload


def _decode(data: bytes, what: str) -> Tuple[Dict[str, Any], bytes]:
    line, _, payload = data.partition(b"\n")
    head = json.loads(line)
    if not isinstance(head, dict) or head.get("howdah") != what:
        raise ValueError(f"this is not a {what} of Howdah")
    return head, payload

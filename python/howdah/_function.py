"""Runs the function of a call, and makes its value or exception a result. Used in tasks only."""

from __future__ import annotations

import os
import pickle
import sys
import time
from typing import Any

from ._calls import LIMIT, Call, Result, encode_result

_PACKAGE = os.path.dirname(os.path.abspath(__file__))


def task_name() -> str:
    """The name of this task for messages, such as "worker:2 on node7"."""
    name = f"{os.environ.get('HOWDAH_ROLE', 'worker')}:{os.environ.get('HOWDAH_TASK_INDEX', '0')}"
    return f"{name} on {os.uname().nodename}"


def execute(call: Call) -> Result:
    """Calls the function. Raises the exceptions of the function."""
    function, args, kwargs = _load(call)
    value = function(*args, **kwargs)
    payload = _dump_value(call, value)
    if len(payload) > LIMIT - 4096:  # the header needs less than 4096 bytes
        raise ValueError(
            f"the result of {call.name}() has {len(payload) / (1 << 20):.1f} MiB, and the limit is {LIMIT >> 20} MiB: "
            "write it to a file that outlives the task, and return the file's path"
        )
    return Result("value", time.time(), payload)


def _load(call: Call) -> Any:
    here = sys.version_info[:2]
    if here != call.python:
        raise RuntimeError(
            f"the function was pickled by Python {call.python[0]}.{call.python[1]}, and {task_name()} has "
            f'{here[0]}.{here[1]}; give python="pack", or an archive with Python {call.python[0]}.{call.python[1]}'
        )
    try:
        return pickle.loads(call.payload)
    except ModuleNotFoundError as error:
        missing = ModuleNotFoundError(
            f"{call.name}() needs the module {error.name!r}, which {task_name()} does not have: send its code with "
            "code=DIRECTORY, or a Python environment that contains it with python=",
            name=error.name,
        )
        raise missing from None


def _dump_value(call: Call, value: Any) -> bytes:
    try:
        return pickle.dumps(value, protocol=5)
    except Exception:  # for example, the class of the object was defined in a notebook
        from . import _pickling

        try:
            return _pickling.dumps(value)
        except Exception as error:
            where = _pickling.explain(value, "the result", error)
            raise pickle.PicklingError(
                f"the result of {call.name}() cannot be pickled: {where}; return plain values, or write the object to "
                "a file and return the file's path"
            ) from None


def exception_result(error: BaseException, text: str) -> Result:
    from . import _pickling

    def dump(value: Any) -> bytes:
        try:
            return _pickling.dumps(value)
        except Exception:
            return b""

    # Do not pickle the exception itself: unpickling fails if its __init__ accepts other arguments than its `args`.
    cls = type(error)
    reduced = error.__reduce__()
    usual = isinstance(reduced, tuple) and len(reduced) in (2, 3) and reduced[0] is cls
    arguments = reduced[1] if usual else error.args
    attributes = reduced[2] if usual and len(reduced) == 3 else {}
    state = dump((arguments, error.args, attributes)) or dump((arguments, error.args, {}))
    if len(state) > LIMIT // 2:
        state = b""
    payload = pickle.dumps((dump(cls), state), protocol=5)
    return Result("exception", time.time(), payload, cls.__qualname__, str(error)[: 1 << 20], text[-(1 << 20) :])


def remote_traceback(error: BaseException) -> str:
    """The traceback without the frames of this package."""
    import traceback

    frame = error.__traceback__
    while frame is not None and os.path.dirname(os.path.abspath(frame.tb_frame.f_code.co_filename)) == _PACKAGE:
        frame = frame.tb_next
    return "".join(traceback.format_exception(type(error), error, frame))


def write_result(result: Result) -> None:
    path = os.environ.get("HOWDAH_RESULT")
    if path:
        with open(path, "wb") as file:
            file.write(encode_result(result))

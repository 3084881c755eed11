"""Pickles functions, and explains why a function cannot be pickled."""

from __future__ import annotations

import pickle
import types
from typing import Any, Iterator

from . import _needs

_DEPTH = 8  # the maximum depth of the search for the object that cannot be pickled


def dumps(value: Any) -> bytes:
    data: bytes = _needs.load("cloudpickle", "howdah").dumps(value, protocol=5)
    return data


def dump_call(function: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bytes:
    from ._errors import PicklingError

    try:
        return dumps((function, args, kwargs))
    except Exception as error:
        if isinstance(error, ModuleNotFoundError) and error.name == "cloudpickle":
            raise
        for value, what in ((function, f"{name}()"), (args, "args"), (kwargs, "kwargs")):
            why = _failure(value)
            if why is not None:
                where = explain(value, what, why)
                raise PicklingError(
                    f"{name}() cannot be sent: {where}; create the object inside the function, or pass the values from "
                    "which it is made"
                ) from error
        raise PicklingError(f"{name}() cannot be sent: {error}") from error


def explain(value: Any, name: str, error: BaseException) -> str:
    """Names the object that cannot be pickled and its location: "the global 'lock' of train() is an object of …"."""
    seen = {id(value)}
    for _ in range(_DEPTH):
        for inner, step in _parts(value):
            if id(inner) in seen:
                continue
            seen.add(id(inner))
            why = _failure(inner)
            if why is not None:
                value, error = inner, why
                name = f"{step} of {name}"
                break
        else:
            break
    return f"{name} is an object of the type {_type_name(value)} ({_last_line(error)})"


def _failure(value: Any) -> BaseException | None:
    try:
        dumps(value)
    except Exception as error:
        return error
    return None


def _parts(value: Any) -> Iterator[tuple[Any, str]]:
    """The objects that are pickled with this one, each with the name that leads to it."""
    if isinstance(value, types.FunctionType):
        for name, cell in zip(value.__code__.co_freevars, value.__closure__ or ()):
            try:
                yield cell.cell_contents, f"the variable {name!r}"
            except ValueError:  # the variable has no value yet
                pass
        for name in sorted(_names(value.__code__)):
            if name in value.__globals__:
                yield value.__globals__[name], f"the global {name!r}"
        for item in value.__defaults__ or ():
            yield item, "a default argument"
        for key, item in (value.__kwdefaults__ or {}).items():
            yield item, f"the default of {key!r}"
    elif isinstance(value, types.MethodType):
        yield value.__self__, "the object"
    elif isinstance(value, dict):
        for key, item in value.items():
            yield item, f"the item {key!r}"
    elif isinstance(value, (list, tuple, set, frozenset)):
        for index, item in enumerate(value):
            yield item, f"the item {index}"
    else:
        for name, item in (getattr(value, "__dict__", None) or {}).items():
            if isinstance(value, type) and name in ("__dict__", "__weakref__"):
                continue
            yield item, f"the attribute {name!r}"


def _names(code: types.CodeType) -> set[str]:
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= _names(constant)
    return names


def _type_name(value: Any) -> str:
    cls = type(value)
    return cls.__qualname__ if cls.__module__ == "builtins" else f"{cls.__module__}.{cls.__qualname__}"


def _last_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return lines[-1] if lines else type(error).__name__


def loads(data: bytes) -> Any:
    return pickle.loads(data)

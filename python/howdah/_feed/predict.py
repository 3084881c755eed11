"""The ranks of a Predictor: each answers questions with the results of a predict function.

Inputs and results have the forms of pyspark.ml.functions.predict_batch_udf.
"""

from __future__ import annotations

import inspect
import os
import traceback
from typing import Any, Callable, Iterator, Mapping, Sequence

from .._context import context
from .._errors import FeedMisuse
from .._function import task_name
from .answers import Question, Questions
from .columns import Bad, dense, np, pa

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_MOST_AHEAD = 32  # questions that are requested ahead, if they have fewer rows than a batch


class Wrong(Exception):
    """The predict function cannot take the columns, or its results are not those of the schema."""


def serve(make: Callable[[], Callable[..., Any]], feed: str, batch_size: int, schema: bytes) -> None:
    """The function of a rank. schema: of the results, in IPC format."""
    predict = make()
    if not callable(predict):
        raise TypeError(f"make_predict_fn must return a function, and has returned an object of {type(predict)}")
    answerer = Answerer(predict, batch_size, pa.ipc.read_schema(pa.py_buffer(schema)))
    for group in groups(context()._questions(feed), batch_size):
        answerer.answer(group)


def groups(questions: Questions, batch_size: int) -> Iterator[list[Question]]:
    """Questions whose rows are predicted together: one with batch_size rows or more, or smaller ones that are there."""
    held: Question | None = None
    while True:
        question = held or questions.take()
        if question is None:
            return
        group, rows, held = [question], question.rows, None
        questions.prefetch = min(_MOST_AHEAD, max(2, -(-batch_size // max(1, rows))))
        while rows < batch_size:
            held = questions.take(wait=False)
            if held is None or rows + held.rows > batch_size or not held.batch.schema.equals(question.batch.schema):
                break
            group.append(held)
            rows, held = rows + held.rows, None
        yield group


class Answerer:
    """Calls a predict function."""

    def __init__(self, predict: Callable[..., Any], batch_size: int, schema: Any) -> None:
        self._predict, self._batch_size, self._schema = predict, batch_size, schema
        self._least, self._most = _arguments(predict)

    def answer(self, group: Sequence[Question]) -> None:
        """Answers questions with columns of the same types. A question with an error is refused, and the others are
        answered."""
        failure: Exception | None = None
        try:
            batches = [question.batch for question in group]
            results = self.results(batches[0] if len(group) == 1 else pa.concat_batches(batches))
            first = 0
            for question, batch in zip(group, batches):
                payload = results.slice(first, batch.num_rows).serialize()
                first += batch.num_rows
                question.answer(payload)
        except Exception as error:
            failure = error
        if failure is None:
            return
        left = [question for question in group if not question.ended]
        if not left:
            raise failure
        if len(group) == 1:
            left[0].refuse(_text(failure))
            return
        for question in left:
            self.answer([question])

    def results(self, batch: Any) -> Any:
        """The results for some rows, as one RecordBatch."""
        found = []
        for first in range(0, batch.num_rows, self._batch_size):
            part = batch.slice(first, self._batch_size)
            found.append(record_batch(self._predict(*self._inputs(part)), part.num_rows, self._schema))
        return found[0] if len(found) == 1 else pa.concat_batches(found)

    def _inputs(self, batch: Any) -> list[Any]:
        columns = {name: array for field, given in zip(batch.schema, batch.columns)
                   for name, array in _flat(field.name, given)}  # fmt: skip
        inputs = [array_of(name, array) for name, array in columns.items()]
        if self._least <= len(inputs) and (self._most is None or len(inputs) <= self._most):
            return inputs
        if self._least <= 1 and all(array.ndim == 1 and array.dtype.kind in "biuf" for array in inputs):
            return [np.column_stack(inputs)]
        wanted = self._least if self._most in (None, self._least) else f"{self._least} to {self._most}"
        raise Wrong(
            f"the predict function takes {wanted} argument{'' if wanted == 1 else 's'}, and there are {len(inputs)} "
            f"columns ({', '.join(columns)}): give one argument per column, or a single one for columns of numbers, or "
            "choose columns with columns=[…]"
        )


def _arguments(function: Callable[..., Any]) -> tuple[int, int | None]:
    """The least and the greatest number of arguments. The greatest is None if there is no limit."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return 0, None
    positional = [one for one in parameters if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    least = sum(one.default is one.empty for one in positional)
    return least, None if any(one.kind == one.VAR_POSITIONAL for one in parameters) else len(positional)


def _text(error: BaseException) -> str:
    """The reason why a question is refused: for an exception of the program, its traceback without this package."""
    if isinstance(error, (Wrong, FeedMisuse)):
        return str(error)
    frame = error.__traceback__
    while frame is not None and os.path.abspath(frame.tb_frame.f_code.co_filename).startswith(_PACKAGE):
        frame = frame.tb_next
    lines = traceback.format_exception(type(error), error, frame)
    return f"the predict function has failed in {task_name()}\n{''.join(lines).rstrip()}"


# --- inputs ---


def is_number(kind: Any) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind))


def _flat(name: str, array: Any) -> Iterator[tuple[str, Any]]:
    """The fields of a struct as columns."""
    if not pa.types.is_struct(array.type):
        yield name, array
        return
    for field, inner in zip(array.type, array.flatten()):
        yield from _flat(f"{name}.{field.name}", inner)


def array_of(name: str, array: Any) -> Any:
    """A column as an array of numpy. As in pandas, nulls are NaN or None, and integers with nulls are floats."""
    kind = inner = array.type
    while hasattr(inner, "value_type"):
        inner = inner.value_type
    try:
        if is_number(inner) and (inner is not kind or not array.null_count):
            return dense(array)
        return array.to_numpy(zero_copy_only=False)
    except Bad as bad:
        raise Wrong(
            f"the column {name!r} {bad.why} in row {bad.row} of a batch: the lists of a column must have one length, "
            "and no nulls"
        ) from None
    except (pa.ArrowException, KeyError, TypeError) as error:
        raise Wrong(f"the column {name!r} of the type {kind} cannot become an array: {error}") from None


# --- results ---


def record_batch(given: Any, rows: int, schema: Any) -> Any:
    """The results of a predict function: an array, a dict of arrays, or a list of rows (dicts, or structured)."""
    columns = _columns(given, rows, schema.names)
    arrays = []
    for field in schema:
        values = columns[field.name]
        try:
            count = len(values)
        except TypeError:
            raise Wrong(
                f"the predict function has returned a single value of {type(values)} for {field.name!r}, instead of an "
                f"array with {rows} results"
            ) from None
        if count != rows:
            raise Wrong(f"the predict function has returned {count} results for {rows} rows{_of(field, schema)}")
        try:
            arrays.append(_array(values, field.type))
        except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
            shape = getattr(values, "dtype", None) or f"a {type(values).__name__}"
            raise Wrong(
                f"the results for the column {field.name!r} ({shape}) do not fit its type {field.type}: {error}"
            ) from None
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _of(field: Any, schema: Any) -> str:
    return "" if len(schema) == 1 else f" in the column {field.name!r}"


def _columns(given: Any, rows: int, names: list[str]) -> Mapping[str, Any]:
    if isinstance(given, Mapping):
        found = list(given)
    elif getattr(getattr(given, "dtype", None), "names", None):  # a structured array
        found = list(given.dtype.names)
    elif isinstance(given, (list, tuple)) and given and _row_names(given[0]) is not None:
        if len(given) != rows:
            raise Wrong(f"the predict function has returned {len(given)} results for {rows} rows")
        found = _row_names(given[0]) or []
        for number, row in enumerate(given):
            if set(_row_names(row) or ()) != set(found):
                raise Wrong(f"the results {number} and 0 of the predict function have different columns")
        given = {name: [_value(row, name) for row in given] for name in found}
    elif len(names) == 1:
        return {names[0]: given}
    else:
        raise Wrong(
            f"the predict function has returned an object of {type(given)} for the columns {', '.join(names)}: return "
            "a dict of arrays, or a list of dicts"
        )
    if set(found) != set(names):
        raise Wrong(
            f"the predict function has returned the columns {', '.join(map(str, found))}, and the schema has "
            f"{', '.join(names)}"
        )
    columns: Mapping[str, Any] = given if isinstance(given, Mapping) else {name: given[name] for name in found}
    return columns


def _row_names(row: Any) -> list[str] | None:
    if isinstance(row, Mapping):
        return list(row)
    names = getattr(row, "_fields", None) or getattr(getattr(row, "dtype", None), "names", None)
    return list(names) if names else None


def _value(row: Any, name: str) -> Any:
    value = getattr(row, name) if hasattr(row, "_fields") else row[name]
    return value.item() if isinstance(value, np.generic) else value


def _array(values: Any, kind: Any) -> Any:
    types = pa.types
    depth, inner = 0, kind
    while types.is_list(inner) or types.is_large_list(inner):
        depth, inner = depth + 1, inner.value_type
    if isinstance(values, (list, tuple)) and (depth or any(value is None for value in values)):
        return pa.array([_plain(value) for value in values], kind)
    array = np.asarray(values)
    if array.dtype.kind == "V" and array.dtype.names is None:  # a number type of another package, such as bfloat16
        array = array.astype("float32")
    if array.dtype == object or types.is_struct(inner) or types.is_map(inner):
        return pa.array([_plain(value) for value in values], kind)
    if types.is_binary(inner) and array.dtype == np.uint8 and array.ndim == depth + 2:
        return pa.array([row.tobytes() for row in array], kind) if not depth else pa.array(array.tolist(), kind)
    if array.ndim == depth + 2 and array.shape[-1] == 1:
        array = array[..., 0]
    if array.ndim != depth + 1:
        raise ValueError(f"they have the shape {array.shape}, and the type needs {depth + 1} dimensions")
    _check(array.dtype, inner)
    if array.dtype == np.float16:
        array = array.astype("float32")
    if array.dtype.kind in "US":
        flat = pa.array(array.reshape(-1).tolist(), inner)
    else:
        flat = pa.array(np.ascontiguousarray(array).reshape(-1)).cast(inner)
    return _lists(flat, array.shape, kind)


def _lists(flat: Any, shape: tuple[int, ...], kind: Any) -> Any:
    if len(shape) == 1:
        return flat
    rows, length = shape[0], shape[1]
    inner = _lists(flat, (rows * length, *shape[2:]), kind.value_type)
    large = pa.types.is_large_list(kind)
    offsets = pa.array(np.arange(rows + 1, dtype="int64" if large else "int32") * length)
    lists = pa.LargeListArray if large else pa.ListArray
    return lists.from_arrays(offsets, inner).cast(kind)


def _plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value


def _check(dtype: Any, kind: Any) -> None:
    """Refuses conversions between numbers, strings and times, which Arrow would do."""
    types = pa.types
    if types.is_boolean(kind):
        allowed = "b"
    elif is_number(kind) or types.is_decimal(kind):
        allowed = "biuf"
    elif types.is_temporal(kind):
        allowed = "M"
    else:
        allowed = "S" if types.is_binary(kind) else "U"
    if dtype.kind not in allowed:
        raise ValueError(f"they have the type {dtype}")

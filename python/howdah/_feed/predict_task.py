"""The code of the Spark tasks of a Predictor: cuts a partition into questions, and adds the answers to its rows.

The text of this module travels to Spark's tasks, so it needs only the standard library and pyarrow.
"""

from __future__ import annotations

from collections import deque
from importlib import import_module
from typing import Any, Callable, Iterable, Iterator, Sequence

pa: Any = import_module("pyarrow")

_BLOCK = 4 << 20  # the intended bytes of a question
_CALLS = 16  # of the predict function for one question, at most


def predict(batches: Iterable[Any], keys: dict[str, Any], ask: Callable[..., Iterator[Any]]) -> Iterator[Any]:
    """The rows of a partition with the new columns.

    keys: those of ask, and `batch_size`, `columns` (numbers of the columns that are sent), `names` (of these), `kept`
    (numbers of the columns that are returned), `schema` (of the new columns, in IPC format).
    """
    schema = pa.ipc.read_schema(pa.py_buffer(keys["schema"]))
    waiting: deque[Any] = deque()  # rows whose questions are not answered

    def questions() -> Iterator[Any]:
        for part in pieces(batches, keys["columns"], keys["batch_size"]):
            waiting.append(part)
            yield pa.RecordBatch.from_arrays([part.column(number) for number in keys["columns"]], names=keys["names"])

    for question, payload in ask(questions(), keys):
        new = pa.ipc.read_record_batch(pa.py_buffer(payload), schema)
        for rows, first in _next(waiting, question.num_rows):
            columns = [rows.column(number) for number in keys["kept"]]
            columns += new.slice(first, rows.num_rows).columns
            yield pa.RecordBatch.from_arrays(columns, names=[f"c{number}" for number in range(len(columns))])


def _next(waiting: deque[Any], rows: int) -> Iterator[tuple[Any, int]]:
    """Takes the first rows that wait, as pairs (batch, number of its first row)."""
    first = 0
    while first < rows:
        batch = waiting.popleft()
        if batch.num_rows > rows - first:  # the question was divided
            waiting.appendleft(batch.slice(rows - first))
            batch = batch.slice(0, rows - first)
        yield batch, first
        first += batch.num_rows


def pieces(batches: Iterable[Any], columns: Sequence[int], batch_size: int) -> Iterator[Any]:
    """Cuts and joins batches: each piece except the last one has a multiple of batch_size rows, if possible of about 4
    MiB in these columns."""
    held: deque[Any] = deque()
    rows = 0  # in `held`
    for batch in batches:
        if not batch.num_rows:
            continue
        held.append(batch)
        rows += batch.num_rows
        row_bytes = sum(batch.column(number).nbytes for number in columns) / batch.num_rows
        most = max(1, min(_CALLS, int(_BLOCK / max(row_bytes * batch_size, 1))))
        while rows >= batch_size:
            count = batch_size * min(most, rows // batch_size)
            rows -= count
            yield _joined([part for part, _ in _next(held, count)])
    if rows:
        yield _joined(list(held))


def _joined(parts: list[Any]) -> Any:
    if len(parts) == 1:
        return parts[0]
    return pa.Table.from_batches(parts).combine_chunks().to_batches()[0]

"""The Spark tasks of TFCluster.inference(): elements go to the nodes as pickles, and one result returns for each.

The text of this module travels to Spark's tasks, so it needs only the standard library and pyarrow.
"""

from __future__ import annotations

import pickle
from importlib import import_module
from typing import Any, Callable, Iterator

pa: Any = import_module("pyarrow")

_BLOCK_BYTES = 1 << 20  # of the elements that are sent together
_BLOCK_ROWS = 8192


class ResultsFailed(Exception):
    """A partition has a wrong number of results."""


def _joined(batches: Iterator[Any]) -> Iterator[Any]:
    """Joins small batches, because each is one question to a node."""
    held: list[Any] = []
    rows = size = 0
    for batch in batches:
        held.append(batch)
        rows, size = rows + batch.num_rows, size + batch.nbytes
        if size >= _BLOCK_BYTES or rows >= _BLOCK_ROWS:
            yield pa.Table.from_batches(held).combine_chunks().to_batches()[0]
            held, rows, size = [], 0, 0
    if held:
        yield pa.Table.from_batches(held).combine_chunks().to_batches()[0]


def results(
    partition: int,
    elements: Iterator[Any],
    keys: dict[str, Any],
    batches: Callable[..., Iterator[Any]],
    ask: Callable[..., Iterator[tuple[Any, bytes]]],
) -> Iterator[Any]:
    """Yields one result per element. batches, ask: of objects.py and ask_task.py."""
    plan = {"kind": "pickle", "why": "they are rows of inference()"}
    first = 0
    for batch, payload in ask(_joined(batches(elements, plan, partition)), keys):
        found = pickle.loads(payload)
        if len(found) != batch.num_rows:
            last = first + batch.num_rows - 1
            raise ResultsFailed(
                f"rows {first} to {last} of partition {partition} have {len(found)} results, and need {batch.num_rows}"
            )
        first += batch.num_rows
        yield from found

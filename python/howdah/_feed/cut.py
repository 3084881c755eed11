"""Cuts the rows of a partition into blocks.

The text of this module travels to Spark's tasks, so it needs only the standard library and pyarrow.
"""

from __future__ import annotations

from bisect import bisect_right
from importlib import import_module
from typing import Any, Iterable, Iterator, Sequence

pa: Any = import_module("pyarrow")
pc: Any = import_module("pyarrow.compute")

_BLOCK = 4 << 20  # bytes of a block that has more than one row
_FEWEST_ROWS = 1000  # the limit for the first 4 blocks of a partition; it grows with the number of the first row
_STEPS = (10_000, 5_000, 2_500, 2_000, 1_250, 1_000, 625, 500, 250, 200, 125, 100)  # divisors of Spark's batches


def blocks(batches: Iterable[Any], names: Sequence[str]) -> Iterator[tuple[int, Any]]:
    """Cuts the rows of a partition into pairs (first row, block). The boundaries depend only on the rows, whatever the
    sizes of the batches. names: of the columns; empty: as they are."""
    held = _Held()
    for given in batches:
        batch = _named(given, names) if names else given
        if held.parts and not batch.schema.equals(held.parts[0].batch.schema, check_metadata=True):
            yield held.take(held.first + held.rows)
        ends = _ends(batch)
        at = 0
        while at < batch.num_rows:
            most = max(_FEWEST_ROWS, held.first // 4)
            before = ends[at - 1] if at else 0
            end = bisect_right(ends, before + _BLOCK - held.size, at, min(at + most - held.rows, batch.num_rows))
            if end == at and not held.parts:
                end += 1  # a row that is larger than a block
            held.add(batch, ends, at, end)
            at = end
            if at < batch.num_rows or held.rows == most:
                yield held.take(_boundary(held.first, held.first + held.rows))
    if held.parts:
        yield held.take(held.first + held.rows)


def _boundary(first: int, most: int) -> int:
    """The end of a block that may end at any row up to `most`. A block that is cut at a boundary of Spark's batches is
    part of one of them, so its rows need not be copied. By default these batches have 10,000 rows."""
    for step in _STEPS:
        end = most // step * step
        if 2 * (end - first) > most - first:
            return end
    return most


class _Part:
    """The rows from `at` to `end` of a batch. ends: the bytes up to the end of each of its rows."""

    def __init__(self, batch: Any, ends: Sequence[int], at: int, end: int) -> None:
        self.batch, self.ends, self.at, self.end = batch, ends, at, end

    @property
    def size(self) -> int:
        return self.ends[self.end - 1] - (self.ends[self.at - 1] if self.at else 0)


class _Held:
    """The rows that were read and are in no block yet."""

    def __init__(self) -> None:
        self.parts: list[_Part] = []
        self.first = self.rows = self.size = 0  # size: in bytes

    def add(self, batch: Any, ends: Sequence[int], at: int, end: int) -> None:
        if at == end:
            return
        added = _Part(batch, ends, at, end)
        self.rows, self.size = self.rows + end - at, self.size + added.size
        if self.parts and self.parts[-1].batch is batch and self.parts[-1].end == at:
            self.parts[-1].end = end
        else:
            self.parts.append(added)

    def take(self, end: int) -> tuple[int, Any]:
        """The block that ends before this row."""
        found, rest, first, missing = [], [], self.first, end - self.first
        for part in self.parts:
            count = min(missing, part.end - part.at)
            if count:
                found.append(part.batch.slice(part.at, count))
            if count < part.end - part.at:
                rest.append(_Part(part.batch, part.ends, part.at + count, part.end))
            missing -= count
        self.parts, self.first = rest, end
        self.rows, self.size = sum(part.end - part.at for part in rest), sum(part.size for part in rest)
        return first, _joined(found)


def _named(batch: Any, names: Sequence[str]) -> Any:
    fields = [pa.field(name, field.type, field.nullable) for name, field in zip(names, batch.schema)]
    return pa.RecordBatch.from_arrays(batch.columns, schema=pa.schema(fields))


def _joined(parts: list[Any]) -> Any:
    if len(parts) == 1:
        return parts[0]
    return pa.Table.from_batches(parts).combine_chunks().to_batches()[0]


def _ends(batch: Any) -> Sequence[int]:
    """The bytes up to the end of each row."""
    total: Any = 0
    for column in batch.columns:
        total = _sum(total, _sizes(column))
    if isinstance(total, int):
        return range(total, total * batch.num_rows + 1, total)
    ends = pc.cumulative_sum(total.cast(pa.int64()))
    # Not to_pylist: it makes an object for each row.
    return memoryview(ends.buffers()[1]).cast("q")[ends.offset : ends.offset + len(ends)]


def _sum(a: Any, b: Any) -> Any:
    return a + b if isinstance(a, int) and isinstance(b, int) else pc.add(a, b)


def _sizes(column: Any) -> Any:
    """The bytes of each row of a column: an int if all rows have the same number, else an array. They depend on the
    values only, and not on the buffers, which Spark's batches determine."""
    types = pa.types
    if types.is_struct(column.type):
        size: Any = 1
        for inner in column.flatten():
            size = _sum(size, _sizes(inner))
        return size
    if types.is_fixed_size_list(column.type):
        inner = _sizes(column.values.slice(0, 1)) if len(column.values) else 1
        return column.type.list_size * inner + 1
    if types.is_list(column.type) or types.is_large_list(column.type):
        lengths = pc.fill_null(pc.list_value_length(column), 0).cast(pa.int64())
        inner = _sizes(column.flatten())
        if isinstance(inner, int):
            return pc.add(pc.multiply(lengths, inner), 9)
        totals = pa.concat_arrays([pa.array([0], pa.int64()), pc.cumulative_sum(inner)])
        ends = pc.cumulative_sum(lengths)
        return pc.add(pc.subtract(totals.take(ends), totals.take(pc.subtract(ends, lengths))), 9)
    if any(of(column.type) for of in (types.is_string, types.is_large_string, types.is_binary, types.is_large_binary)):
        return pc.add(pc.fill_null(pc.binary_length(column), 0).cast(pa.int64()), 9)
    return column.type.bit_width // 8 + 1

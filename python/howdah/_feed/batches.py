"""Batches: the rows of a reply, which may lie in several blocks, as the values that an adapter returns.

Rows within one block are views of it. Rows of several blocks are copied.
"""

from __future__ import annotations

from itertools import count
from typing import Any, Callable, MutableSequence, Sequence

from .._errors import FeedTypeError
from .blocks import Block, pa
from .columns import Column, Options, columns_of, np
from .objects import kind_of, why_pickled

Slices = Sequence["tuple[Block, int, int]"]
_SCATTERED = 16  # more slices than this are gathered by row numbers
_numbers = count()


class _Decoded:
    """The columns of one block: the Arrow arrays, and the numpy arrays of those columns whose slices are values."""

    __slots__ = ("arrays", "whole", "all_whole")

    def __init__(self, columns: list[Column], batch: Any) -> None:
        self.arrays = [column.of(batch) for column in columns]
        self.whole = [column.whole(array) for column, array in zip(columns, self.arrays)]
        self.all_whole = not any(array is None for array in self.whole) and not any(column.dtype for column in columns)


class Converter:
    """Converts the batches of one iteration.

    adapter: numpy, torch, tf or jax. leaf: converts one array of numpy; ragged: converts (values, offsets).
    """

    def __init__(
        self,
        options: Options,
        adapter: str,
        leaf: Callable[[Any], Any] | None = None,
        ragged: Callable[[Any, Any], Any] | None = None,
    ) -> None:
        self._options, self._adapter, self._leaf, self._ragged = options, adapter, leaf, ragged
        self._number = next(_numbers)
        self._schema: Any = None
        self.columns: list[Column] = []
        self._keys: list[str] = []

    def prepare(self, schema: Any) -> None:
        """Chooses the columns. Called with the schema of each block."""
        if schema is self._schema:
            return
        refuse_pickles(schema)
        if self._schema is None:
            self.columns = columns_of(schema, self._options, self._adapter)
            self._keys = [column.key for column in self.columns]
        else:
            check_schema(self._schema, schema)
        self._schema = schema

    def __call__(self, slices: Slices, where: Callable[[int], str]) -> Any:
        """where: describes a row of the batch for messages."""
        if len(slices) == 1:
            block, first, rows = slices[0]
            values = self._views(block, first, rows, where) if block.claim(first, rows) else None
        else:
            values = None
        if values is None:
            values = self._copies(slices, where)
        if self._leaf is not None:
            values = [self._finished(value) for value in values]
        if self._options.as_tuple is not None:
            return tuple(values)
        return dict(zip(self._keys, values))

    def _finished(self, value: Any) -> Any:
        leaf = self._leaf
        assert leaf is not None
        if isinstance(value, np.ndarray):
            return leaf(value)
        if isinstance(value, tuple):
            return self._ragged(*value) if self._ragged is not None else tuple(map(leaf, value))
        return [leaf(item) if isinstance(item, np.ndarray) else item for item in value]

    def _decoded(self, block: Block, private: bool) -> _Decoded:
        key = (self._number, private)
        found: _Decoded | None = block.decoded.get(key)
        if found is None:
            self.prepare(block.schema)
            found = block.decoded[key] = _Decoded(self.columns, block.batch(private))
        return found

    def _views(self, block: Block, first: int, rows: int, where: Callable[[int], str]) -> list[Any]:
        decoded = self._decoded(block, True)
        last = first + rows
        if decoded.all_whole:
            return [array[first:last] for array in decoded.whole]
        return [
            column.values(array.slice(first, rows), where) if whole is None else column.cast(whole[first:last])
            for column, array, whole in zip(self.columns, decoded.arrays, decoded.whole)
        ]

    def _copies(self, slices: Slices, where: Callable[[int], str]) -> list[Any]:
        blocks = {id(block): block for block, _, _ in slices}
        decoded = {key: self._decoded(block, False) for key, block in blocks.items()}
        gather = _Gather(slices) if len(slices) > _SCATTERED else None
        values = []
        for number, column in enumerate(self.columns):
            wholes = {key: found.whole[number] for key, found in decoded.items()}
            if _alike(list(wholes.values())):
                if gather is not None:
                    value = gather.numpy(wholes)
                else:
                    value = np.concatenate([wholes[id(block)][first : first + rows] for block, first, rows in slices])
                values.append(column.cast(value))
                continue
            arrays = {key: found.arrays[number] for key, found in decoded.items()}
            if gather is not None:
                array = gather.arrow(arrays)
            else:
                array = pa.concat_arrays([arrays[id(block)].slice(first, rows) for block, first, rows in slices])
            # With one slice, the array is still the shared mapping, to which the program must not write.
            values.append(column.values(array, where) if len(slices) > 1 else _own(column.values(array, where)))
        return values


def _alike(arrays: list[Any]) -> bool:
    """Whether rows of these arrays can be in one array."""
    if any(array is None for array in arrays):
        return False
    return all(array.shape[1:] == arrays[0].shape[1:] and array.dtype == arrays[0].dtype for array in arrays)


def _own(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, tuple):
        return tuple(map(_own, value))
    return [_own(item) if isinstance(item, np.ndarray) else item for item in value]


class _Gather:
    """Takes single rows from several blocks, as in a feed that is shuffled."""

    def __init__(self, slices: Slices) -> None:
        parts, firsts, lengths = zip(*slices)
        owners = list(map(id, parts))
        counts = np.array(lengths)
        self.rows = int(counts.sum())
        starts = np.repeat(np.cumsum(counts) - counts, counts)
        owner = np.repeat(np.array(owners), counts)
        place = np.repeat(np.array(firsts), counts) + np.arange(self.rows) - starts
        self._parts = {key: np.flatnonzero(owner == key) for key in dict.fromkeys(owners)}
        self._places = {key: place[rows] for key, rows in self._parts.items()}

    def numpy(self, arrays: dict[int, Any]) -> Any:
        if len(arrays) == 1:
            key, array = next(iter(arrays.items()))
            return array[self._places[key]]
        one = next(iter(arrays.values()))
        out = np.empty((self.rows, *one.shape[1:]), one.dtype)
        for key, array in arrays.items():
            out[self._parts[key]] = array[self._places[key]]
        return out

    def arrow(self, arrays: dict[int, Any]) -> Any:
        joined = pa.concat_arrays([array.take(_indices(self._places[key])) for key, array in arrays.items()])
        order = np.argsort(np.concatenate([self._parts[key] for key in arrays]))
        return joined.take(_indices(order))

    def batch(self, batches: dict[int, Any]) -> Any:
        """The rows of whole record batches."""
        columns = [
            self.arrow({key: batch.column(number) for key, batch in batches.items()})
            for number in range(next(iter(batches.values())).num_columns)
        ]
        return pa.RecordBatch.from_arrays(columns, schema=next(iter(batches.values())).schema)


def _indices(rows: Any) -> Any:
    # pyarrow.array() would import pandas, which takes a second.
    return pa.Array.from_buffers(pa.int64(), len(rows), [None, pa.py_buffer(np.ascontiguousarray(rows, "int64"))])


def take_part(slices: MutableSequence[tuple[Block, int, int]], most: int) -> tuple[Block, int, int]:
    """Removes at most `most` rows of one block from the start of the slices, and returns them."""
    block, first, rows = slices[0]
    if rows <= most:
        del slices[0]
        return block, first, rows
    slices[0] = (block, first + most, rows - most)
    return block, first, most


def take_rows(slices: MutableSequence[tuple[Block, int, int]], rows: int) -> list[tuple[Block, int, int]]:
    """Removes so many rows from the start of the slices, and returns them."""
    found = []
    while rows:
        part = take_part(slices, rows)
        found.append(part)
        rows -= part[2]
    return found


def refuse_pickles(schema: Any) -> None:
    """Raises FeedTypeError if the rows are elements of an RDD that are not columns."""
    if kind_of(schema) == "pickle":
        raise FeedTypeError(
            f"the elements of the RDD are not columns, because {why_pickled(schema)}: read them with .rows() or "
            "next_batch, or map them to tuples, dicts or Rows of numbers, strings, bytes and arrays of one type each"
        )


def check_schema(first: Any, later: Any) -> None:
    """Raises FeedTypeError if two blocks of a feed have different columns."""
    for number in range(max(len(first), len(later))):
        if number >= len(first) or number >= len(later) or first.field(number).name != later.field(number).name:
            raise FeedTypeError(
                f"the columns of the feed have changed from {', '.join(first.names)} to {', '.join(later.names)}: send "
                "the same columns in the same order each time"
            )
        if not first.field(number).type.equals(later.field(number).type):
            raise FeedTypeError(
                f"the column {first.field(number).name!r} has the type {later.field(number).type} in a later block, "
                f"and {first.field(number).type} before: cast it in the source"
            )


def record_batch(slices: Slices, names: Sequence[str] | None) -> Any:
    """The rows as one RecordBatch: a view of a block, or a copy. names: the columns; None: all."""
    blocks = {id(block): block for block, _, _ in slices}
    batches = {key: block.batch(False) for key, block in blocks.items()}
    first = next(iter(batches.values()))
    for batch in batches.values():
        check_schema(first.schema, batch.schema)
    if names is not None:
        for name in names:
            if name not in first.schema.names:
                raise FeedTypeError(f"the feed has no column {name!r}; its columns are {', '.join(first.schema.names)}")
        batches = {key: batch.select(list(names)) for key, batch in batches.items()}
    if len(slices) == 1:
        block, start, rows = slices[0]
        return batches[id(block)].slice(start, rows)
    if len(slices) > _SCATTERED:
        return _Gather(slices).batch(batches)
    return pa.concat_batches([batches[id(block)].slice(start, rows) for block, start, rows in slices])

"""Digests of the rows of a feed, with which the job notices that a source has other rows than before.

The digest of a block is a number of 64 bits. It depends on the values of the block and on the number of its first row,
and not on the buffers of the columns. The digest of a partition is the sum of those of its blocks, modulo 2^64.

The text of this module travels to Spark's tasks, so it needs only the standard library and pyarrow.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any
from zlib import crc32

pa: Any = import_module("pyarrow")
pc: Any = import_module("pyarrow.compute")

_MASK = (1 << 64) - 1


class _Unknown(Exception):
    """A type whose values have no digest."""


def digest_of(first: int, batch: Any) -> int | None:
    """The digest of a block whose first row has this number. None if a type of a column has none, and for pickles:
    equal objects may have different pickles."""
    if (batch.schema.metadata or {}).get(b"howdah.rows") == b"pickle":
        return None
    value = 0
    try:
        for column in batch.columns:
            value = _column(column, value)
    except _Unknown:
        return None
    return _mixed(_mixed((first << 32) + value) + batch.num_rows)


def _mixed(value: int) -> int:
    """A permutation of the numbers of 64 bits, with which sums of digests do not depend on regular differences."""
    value = (value + 0x9E3779B97F4A7C15) & _MASK
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & _MASK
    return value ^ (value >> 31)


def _column(column: Any, value: int) -> int:
    """Continues a checksum with the values of a column. The place of a null may contain any value, so nulls are
    removed, and their positions are part of the checksum."""
    types = pa.types
    if isinstance(column, pa.ExtensionArray):
        column = column.storage
    kind = column.type
    if types.is_null(kind):
        return crc32(b"%d" % len(column), value)
    if column.null_count:
        value = _values(pc.is_valid(column).cast(pa.uint8()), 1, value)
        column = column.drop_null()
    if types.is_boolean(kind):
        return _values(column.cast(pa.uint8()), 1, value)
    if types.is_string(kind) or types.is_binary(kind):
        return _texts(column, pa.int32(), value)
    if types.is_large_string(kind) or types.is_large_binary(kind):
        return _texts(column, pa.int64(), value)
    if types.is_list(kind) or types.is_large_list(kind):
        value = _column(pc.list_value_length(column), value)
        return _column(column.flatten(), value)
    if types.is_fixed_size_list(kind):
        return _column(column.flatten(), value)
    if types.is_struct(kind):
        for inner in column.flatten():
            value = _column(inner, value)
        return value
    try:
        width = kind.bit_width
    except ValueError:
        raise _Unknown from None
    if kind.num_fields or width % 8:
        raise _Unknown
    return _values(column, width // 8, value)


def _values(column: Any, width: int, value: int) -> int:
    """Continues with the values of a column without nulls, of this many bytes each."""
    if not len(column):
        return value
    data = memoryview(column.buffers()[1])
    return crc32(data[column.offset * width : (column.offset + len(column)) * width], value)


def _texts(column: Any, size: Any, value: int) -> int:
    if not len(column):
        return value
    value = _column(pc.binary_length(column), value)
    _, bounds, data = column.buffers()
    ends = pa.Array.from_buffers(size, column.offset + len(column) + 1, [None, bounds])
    first, end = ends[column.offset].as_py(), ends[column.offset + len(column)].as_py()
    return value if data is None else crc32(memoryview(data)[first:end], value)

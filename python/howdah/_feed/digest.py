"""Digests of the rows of a feed, with which the job notices that a source has other rows than before.

The digest of a block is a number of 64 bits. It depends on the values of the block and on the number of its first row,
and not on the buffers of the columns. The digest of a partition is the sum of those of its blocks, modulo 2^64.

If all values of a block are plain, its digest is that of its body in Arrow's IPC format. The executor computes it for
blocks that are sent, several times as fast as the standard library of Python (src/feed/server/block_digest.h). The
values alone decide which digest a block has, so all attempts to send it agree.

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
    if _is_pickled(batch):
        return None
    plain = plain_block(batch)
    value = 0
    try:
        for column in (batch if plain is None else plain).columns:
            value = _column(column, value) if plain is None else _body(column, value)
    except _Unknown:
        return None
    return _mixed(_mixed((first << 32) + value) + batch.num_rows)


def plain_block(batch: Any) -> Any:
    """A block with the same values, whose body in the IPC format depends on nothing else. None if some value is null,
    whose place may have any content, or has a type whose buffers may differ."""
    if _is_pickled(batch):
        return None
    columns = []
    for column in batch.columns:
        found = _plain(column)
        if found is None:
            return None
        columns.append(found)
    return pa.RecordBatch.from_arrays(columns, schema=batch.schema)


def _is_pickled(batch: Any) -> bool:
    return bool((batch.schema.metadata or {}).get(b"howdah.rows") == b"pickle")


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


# --- plain values ---


def _plain(column: Any) -> Any:
    """The column with exact buffers: pyarrow writes the values after a slice as its padding. None: it is not plain."""
    types, kind = pa.types, column.type
    if isinstance(column, pa.ExtensionArray):
        storage = _plain(column.storage)
        return None if storage is None else pa.ExtensionArray.from_storage(kind, storage)
    if column.null_count:
        return None
    if any(of(kind) for of in (types.is_string, types.is_binary, types.is_large_string, types.is_large_binary)):
        bounds, first, end = _bounds(column)
        data = column.buffers()[2]
        data = pa.py_buffer(b"") if data is None else data.slice(first, end - first)
        return pa.Array.from_buffers(kind, len(column), [None, bounds, data], 0)
    if types.is_struct(kind):
        fields = [_plain(inner) for inner in column.flatten()]
        if not fields or any(field is None for field in fields):
            return None
        return pa.Array.from_buffers(kind, len(column), [None], 0, children=fields)
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        inner = _plain(column.flatten()) if _has_width(kind.value_type) else None
        if inner is None:
            return None
        buffers = [None] if types.is_fixed_size_list(kind) else [None, _bounds(column)[0]]
        return pa.Array.from_buffers(kind, len(column), buffers, 0, children=[inner])
    if not _has_width(kind):
        return None
    width = kind.bit_width // 8
    data = column.buffers()[1]
    data = pa.py_buffer(b"") if data is None else data.slice(column.offset * width, len(column) * width)
    return pa.Array.from_buffers(kind, len(column), [None, data], 0)


def _has_width(kind: Any) -> bool:
    """Whether all values of this type have the same number of bytes."""
    try:
        return bool(kind.bit_width % 8 == 0 and not kind.num_fields and not isinstance(kind, pa.BaseExtensionType))
    except ValueError:
        return False


def _bounds(column: Any) -> tuple[Any, int, int]:
    """The ends of the values of a column with rows, as offsets from its first value; the places of the first and of
    the last value in the column's data."""
    large = pa.types.is_large_string(column.type) or pa.types.is_large_binary(column.type)
    kind = pa.int64() if large or pa.types.is_large_list(column.type) else pa.int32()
    width = kind.bit_width // 8
    buffer = column.buffers()[1].slice(column.offset * width, (len(column) + 1) * width)
    ends = pa.Array.from_buffers(kind, len(column) + 1, [None, buffer], 0)
    first, end = ends[0].as_py(), ends[len(column)].as_py()
    if first:
        buffer = pc.subtract(ends, pa.scalar(first, kind)).buffers()[1].slice(0, (len(column) + 1) * width)
    return buffer, first, end


def _body(column: Any, value: int) -> int:
    """Continues a checksum with the body of a column of a plain block: each buffer fills a multiple of 8 bytes."""
    if isinstance(column, pa.ExtensionArray):
        column = column.storage
    for buffer in column.buffers():
        if buffer is not None:
            value = crc32(bytes(-buffer.size % 8), crc32(memoryview(buffer), value))
    return value

"""TFRecord files, without TensorFlow.

    from howdah.data import tfrecord
    tfrecord.write(table, "hdfs:///data/train.tfrecord")
    table = tfrecord.read("hdfs:///data/*.tfrecord")

Paths are on this machine, or URIs: `file:` and `hdfs:`. All checksums are verified.
"""

from __future__ import annotations

import io
import os
import re
import struct
from glob import glob
from typing import Any, BinaryIO, Iterator, Sequence, Union, cast

from .. import _needs
from . import _crc32c, _example

pa: Any = _needs.load("pyarrow", "howdah.data.tfrecord")

Uri = Union[str, "os.PathLike[str]"]
RECORD = "record"  # the column of a table of records

_LENGTH = struct.Struct("<Q")
_SUM = struct.Struct("<I")
_HEADER, _FOOTER = 12, 4
_PIECE = 4 << 20
_MAGIC = re.compile(r"[*?\[]")
_MOST = 1 << 30  # bytes of a record: a larger length is that of a file that is not a TFRecord file


def read(
    uri: Uri | Sequence[Uri], *, records: bool = False, columns: Sequence[str] | None = None, schema: Any = None
) -> Any:
    """The Examples of TFRecord files as a pyarrow.Table, one column per feature.

    uri: a file, a directory, a pattern such as "hdfs:///data/*.tfrecord", or a list of these. Files may be compressed
    with gzip or zlib.
    records: the table has one column, "record", with the bytes of the records, which may be anything.
    columns: the features to read. schema: a pyarrow.Schema with the types of some or all of the columns.

    Without a schema, a column is a list if a record has not exactly one value of the feature; a missing feature is
    null. Bytes become binary, floats float32, and integers int64.
    """
    if records:
        data = [record for path in _paths(uri) for record in _records(path)]
        return pa.table({RECORD: pa.array(data, pa.binary())})
    builder = _Columns(columns, schema)
    for path in _paths(uri):
        for number, record in enumerate(_records(path)):
            try:
                builder.add(_example.parse(record))
            except ValueError as error:
                raise ValueError(
                    f"reading {path}: record {number} is not an Example: {error}; records=True reads records of any "
                    "content"
                ) from None
            except _Conflict as error:
                raise ValueError(f"reading {path}: record {number}: {error}") from None
    return builder.table()


def write(table: Any, uri: Uri, *, records: bool = False, compression: str | None = None) -> None:
    """Writes a pyarrow.Table or RecordBatch as Examples to one file, one record per row.

    Integers and booleans become int64, floats float32, strings and binaries bytes. A null is a missing feature.
    records: the table has one column, with the bytes of the records. compression: None or "gzip". An existing file is
    replaced.
    """
    if compression not in (None, "gzip"):
        raise ValueError(f"the compression {compression!r} is not supported; it can be None or 'gzip'")
    if isinstance(table, pa.RecordBatch):
        table = pa.Table.from_batches([table])
    rows = _record_column(table) if records else _examples(table)
    with _open(os.fspath(uri), "wb") as file:
        if compression is None:
            _write_records(file, rows)
            return
        import gzip

        with gzip.GzipFile(fileobj=file, mode="wb", mtime=0, filename="") as packed:
            _write_records(cast(BinaryIO, packed), rows)


# --- for feeds ---


def records_of(file: Any, name: str) -> Iterator[bytes]:
    """The records of an open file. name: for errors, which are ValueErrors."""
    return _read_records(_decompressed(file), name)


def table_of(records: Sequence[bytes], name: str, first: int, columns: Sequence[str] | None, schema: Any) -> Any:
    """The Examples as a table. first: the number of the first one in the file. With a schema, the table has exactly its
    columns and types. Raises ValueError, which names the file."""
    builder = _Columns(columns, schema)
    for number, record in enumerate(records, first):
        try:
            builder.add(_example.parse(record))
        except (ValueError, _Conflict) as error:
            raise ValueError(f"reading {name}: record {number}: {error}") from None
    try:
        table = builder.table()
    except ValueError as error:
        raise ValueError(f"reading {name}, records {first} to {first + len(records) - 1}: {error}") from None
    if schema is not None and columns is None:
        for column in table.column_names:
            if column not in schema.names:
                raise ValueError(f"reading {name}: the first records of the first file lack the feature {column!r}")
    return table


# --- files ---


def _is_local(uri: str) -> bool:
    return uri.startswith("file:") or not re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", uri)


def _local_path(uri: str) -> str:
    if not uri.startswith("file:"):
        return uri
    from urllib.parse import unquote

    return "/" + unquote(re.sub("^file:(//[^/]*)?", "", uri)).lstrip("/")


def _hadoop(uri: str) -> tuple[Any, str]:
    from .. import fs

    if not re.match("(howdah-)?hdfs://", uri):
        raise ValueError(f"the scheme of {uri} is not supported; the schemes are file: and hdfs:")
    return fs._opened(uri)


def _open(uri: str, mode: str) -> Any:
    if _is_local(uri):
        return open(_local_path(uri), mode)
    files, path = _hadoop(uri)
    return files.open(path, mode)


def _paths(uri: Uri | Sequence[Uri]) -> list[str]:
    """The files, sorted by name within a directory or pattern."""
    if isinstance(uri, (list, tuple)):
        return [path for one in uri for path in _paths(one)]
    text = os.fspath(cast(Uri, uri))
    if _is_local(text):
        place = _local_path(text)
        if os.path.isdir(place):
            found = [entry.path for entry in os.scandir(place) if entry.is_file()]
        elif _MAGIC.search(place) and not os.path.exists(place):
            found = [path for path in glob(place) if os.path.isfile(path)]
        else:
            return [text]
    else:
        files, place = _hadoop(text)
        prefix = text[: len(text) - len(place)] if text.endswith(place) else re.split("(?<=[^/:])/", text)[0]
        if _MAGIC.search(place) and not files.exists(place):
            listed = [entry for entry in files.glob(place, detail=True).values()]
        elif files.isdir(place):
            listed = files.ls(place)
        else:
            return [text]
        found = [prefix + entry["name"] for entry in listed if entry["type"] == "file"]
    # Hadoop's programs do not count such files as data: _SUCCESS, ._COPYING_
    found = sorted(path for path in found if not path.rpartition("/")[2].startswith(("_", ".")))
    if not found:
        raise FileNotFoundError(2, f"reading {text}: it matches no file")
    return found


def _records(path: str) -> Iterator[bytes]:
    """The records of a file."""
    with _open(path, "rb") as file:
        yield from _read_records(_decompressed(file), path)


def _decompressed(file: Any) -> Any:
    """The file, decompressed if its beginning is not that of a TFRecord file."""
    start = file.read(_HEADER)
    file.seek(0)
    if len(start) == _HEADER and _crc32c.masked([start[:8]])[0] == _SUM.unpack(start[8:])[0]:
        return file
    if start[:2] == b"\x1f\x8b":
        import gzip

        return gzip.GzipFile(fileobj=file)
    if start[:1] == b"\x78" and len(start) > 1 and (start[0] << 8 | start[1]) % 31 == 0:
        import zlib

        return io.BytesIO(zlib.decompress(file.read()))
    return file


def _read_records(file: Any, path: str) -> Iterator[bytes]:
    """Reads and verifies the records of about 4 MiB at once."""
    rest, offset = b"", 0  # rest: bytes from this offset of the file, which begin with a record
    while True:
        piece = file.read(_PIECE)
        data = rest + piece if rest else piece
        if not data:
            return
        at, spans = 0, []
        while at + _HEADER <= len(data):
            size = _LENGTH.unpack_from(data, at)[0]
            if size > _MOST:
                break
            end = at + _HEADER + size
            if end + _FOOTER > len(data):
                break
            spans.append((at, end))
            at = end + _FOOTER
        _verify(data, spans, path, offset)
        for begin, end in spans:
            yield data[begin + _HEADER : end]
        rest, offset = data[at:], offset + at
        if not rest or len(rest) < _HEADER and piece:
            continue
        if len(rest) >= _HEADER:
            # Verify the length before so many bytes are read.
            _verify_length(rest, path, offset)
            missing = _HEADER + _LENGTH.unpack_from(rest)[0] + _FOOTER - len(rest)
            if piece:
                rest += file.read(max(0, missing - _PIECE))
                continue
        raise ValueError(
            f"reading {path}: the file ends within the record at byte {offset}; it is incomplete, or still written"
        )


def _verify(data: bytes, spans: list[tuple[int, int]], path: str, offset: int) -> None:
    view = memoryview(data)
    lengths = _crc32c.masked([view[begin : begin + 8] for begin, _ in spans])
    contents = _crc32c.masked([view[begin + _HEADER : end] for begin, end in spans])
    for (begin, end), length_sum, content_sum in zip(spans, lengths.tolist(), contents.tolist()):
        if length_sum != _SUM.unpack_from(data, begin + 8)[0]:
            raise _corrupt(path, offset + begin, "length")
        if content_sum != _SUM.unpack_from(data, end)[0]:
            raise _corrupt(path, offset + begin, "content")


def _verify_length(record: bytes, path: str, offset: int) -> None:
    if _crc32c.masked([record[:8]])[0] != _SUM.unpack_from(record, 8)[0]:
        raise _corrupt(path, offset, "length")


def _corrupt(path: str, offset: int, part: str) -> ValueError:
    return ValueError(
        f"reading {path}: the checksum of the {part} of the record at byte {offset} is wrong: the file is damaged, or "
        "not a TFRecord file"
    )


def _write_records(file: BinaryIO, rows: Iterator[bytes]) -> None:
    batch: list[bytes] = []
    size = 0
    for row in rows:
        batch.append(row)
        size += len(row)
        if size >= _PIECE or len(batch) >= 65536:
            _write_batch(file, batch)
            batch, size = [], 0
    _write_batch(file, batch)


def _write_batch(file: BinaryIO, batch: list[bytes]) -> None:
    lengths = [_LENGTH.pack(len(record)) for record in batch]
    parts: list[bytes] = []
    for record, length, length_sum, content_sum in zip(
        batch, lengths, _crc32c.masked(lengths).tolist(), _crc32c.masked(batch).tolist()
    ):
        parts += (length, _SUM.pack(length_sum), record, _SUM.pack(content_sum))
    file.write(b"".join(parts))


# --- tables from Examples ---


class _Conflict(Exception):
    pass


class _Columns:
    """The columns of a table, whose types follow from all Examples."""

    def __init__(self, columns: Sequence[str] | None, schema: Any) -> None:
        self._only = None if columns is None else set(columns)
        self._order = list(columns or ())
        self._schema = {field.name: field.type for field in schema} if schema is not None else {}
        self._rows = 0
        self._kinds: dict[str, int] = {}
        self._values: dict[str, list[Any]] = {}  # a list of values per row, or None

    def add(self, features: dict[str, tuple[int, list[Any]]]) -> None:
        for name, (kind, values) in features.items():
            if self._only is not None and name not in self._only:
                continue
            known = self._kinds.setdefault(name, kind)
            if known == 0:
                self._kinds[name] = known = kind
            if kind not in (0, known):
                raise _Conflict(
                    f"the feature {name!r} has {_example.NAMES[kind]} values, and {_example.NAMES[known]} values in an "
                    "earlier record"
                )
            column = self._values.setdefault(name, [])
            column += [None] * (self._rows - len(column))
            column.append(values)
        self._rows += 1

    def table(self) -> Any:
        names = self._order or sorted({*self._values, *self._schema})
        arrays = [self._array(name) for name in names]
        return pa.table(arrays, names=names) if names else pa.table({})

    def _array(self, name: str) -> Any:
        values = self._values.get(name, [])
        values = values + [None] * (self._rows - len(values))
        kind = self._kinds.get(name, 0)
        types = {_example.BYTES: pa.binary(), _example.FLOAT: pa.float32(), _example.INT64: pa.int64()}
        item = types.get(kind, pa.null())
        wanted = self._schema.get(name)
        is_list = any(row is not None and len(row) != 1 for row in values)
        if wanted is not None:
            is_list = any(
                test(wanted) for test in (pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list)
            )
        if is_list:
            array = pa.array(values, pa.list_(item))
        else:
            array = pa.array([self._single(name, row) for row in values], item)
        if wanted is None or array.type == wanted:
            return array
        try:
            return array.cast(wanted)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            raise ValueError(f"the column {name!r} has {array.type}, not {wanted} as in the schema: {error}") from None

    @staticmethod
    def _single(name: str, row: list[Any] | None) -> Any:
        if not row:
            return None
        if len(row) > 1:
            raise ValueError(f"the feature {name!r} has {len(row)} values in a record, but no list in the schema")
        return row[0]


# --- Examples from tables ---


def _record_column(table: Any) -> Iterator[bytes]:
    if table.num_columns != 1:
        raise ValueError(f"records=True needs a table with one column, and this one has {table.num_columns}")
    kind = table.schema.field(0).type
    if not any(test(kind) for test in (pa.types.is_binary, pa.types.is_large_binary, pa.types.is_fixed_size_binary)):
        raise ValueError(f"records=True needs a column of binaries, and {table.column_names[0]!r} has {kind}")
    for number, value in enumerate(table.column(0).to_pylist()):
        if value is None:
            raise ValueError(f"the column {table.column_names[0]!r} is null in row {number}; a record cannot be null")
        yield value


def _kind(name: str, given: Any) -> tuple[int, bool]:
    """The kind of a feature, and whether it is a list."""
    kind, is_list = given, False
    if any(test(kind) for test in (pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list)):
        kind, is_list = kind.value_type, True
    if pa.types.is_integer(kind) or pa.types.is_boolean(kind):
        return _example.INT64, is_list
    if pa.types.is_floating(kind):
        return _example.FLOAT, is_list
    texts = (pa.types.is_string, pa.types.is_large_string, pa.types.is_binary, pa.types.is_large_binary)
    if any(test(kind) for test in texts) or pa.types.is_fixed_size_binary(kind):
        return _example.BYTES, is_list
    raise TypeError(
        f"the column {name!r} has the type {given}, which an Example cannot hold: cast it to integers, floats, "
        "strings, binaries, or to lists of these"
    )


def _examples(table: Any) -> Iterator[bytes]:
    columns = []
    for name, field in zip(table.column_names, table.schema):
        kind = field.type
        if pa.types.is_dictionary(kind):
            kind = kind.value_type
            index = table.column_names.index(name)
            table = table.set_column(index, name, table.column(index).cast(kind))
        columns.append((name, *_kind(name, kind)))
    row_number = 0
    for batch in table.to_batches(max_chunksize=4096):
        lists = [column.to_pylist() for column in batch.columns]
        for row in zip(*lists):
            features = {}
            for (name, kind, is_list), value in zip(columns, row):
                if value is not None:
                    features[name] = (kind, _converted(name, kind, value if is_list else [value], row_number))
            yield _example.serialize(features)
            row_number += 1


def _converted(name: str, kind: int, values: list[Any], row: int) -> list[Any]:
    if None in values:
        raise ValueError(f"the list in column {name!r} has a null in row {row}, and an Example cannot hold it")
    if kind == _example.BYTES:
        return [value.encode() if isinstance(value, str) else value for value in values]
    if kind == _example.INT64:
        if any(value > 0x7FFFFFFFFFFFFFFF for value in values):
            raise ValueError(f"the column {name!r} has a number above 2^63 - 1 in row {row}; an Example cannot hold it")
        return [int(value) for value in values]
    try:
        struct.pack(f"<{len(values)}f", *values)
    except OverflowError:
        raise ValueError(f"the column {name!r} has a number in row {row} that float32 cannot hold") from None
    return values

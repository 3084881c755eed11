"""Rows of Spark as Examples of TensorFlow, and Examples as rows. Its text travels to Spark's tasks.

The form of a column is (kind, is list): the kinds are those of _example.py; 0: no record has a value.
"""

from __future__ import annotations

import io
import os
from typing import Any, Dict, Iterable, Iterator, Mapping, Sequence, Tuple

from ..data import _example, tfrecord

Form = Tuple[int, bool]
Forms = Dict[str, Form]

_KINDS = {_example.INT64: "boolean tinyint smallint int bigint", _example.FLOAT: "float double"}
_KINDS[_example.BYTES] = "string binary"
_KIND_OF = {name: kind for kind, names in _KINDS.items() for name in names.split()}
_CHUNK = 4 << 20  # bytes of a file that are passed on at a time


def form_of(column: str, dtype: str) -> Form:
    """dtype: as in DataFrame.dtypes."""
    is_list = dtype.startswith("array<")
    item = dtype[len("array<") : -1] if is_list else dtype
    kind = _KIND_OF.get(item.partition("(")[0] if item.startswith(("char(", "varchar(")) else item)
    if item.startswith(("char(", "varchar(")):
        kind = _example.BYTES
    if kind is None:
        raise TypeError(
            f"the column {column!r} has the type {dtype}, which an Example cannot hold: cast it to a number, string or "
            "binary, or to an array of these"
        )
    return kind, is_list


def to_examples(dtypes: Sequence[Tuple[str, str]], rows: Iterable[Any]) -> Iterator[bytes]:
    """Serialized Examples of rows. A null is a missing feature."""
    forms = [(name, *form_of(name, dtype)) for name, dtype in dtypes]
    for number, row in enumerate(rows):
        features = {}
        for name, kind, is_list in forms:
            value = row[name]
            if value is not None:
                values = list(value) if is_list else [value]
                features[name] = (kind, tfrecord._converted(name, kind, _bytes(values), number))
        yield _example.serialize(features)


def _bytes(values: Sequence[Any]) -> list[Any]:
    return [bytes(value) if isinstance(value, bytearray) else value for value in values]


def add_forms(forms: Forms, features: Mapping[str, Tuple[int, Sequence[Any]]]) -> None:
    """Adds the features of an Example. Raises ValueError if a feature has other values than before."""
    for name, (kind, values) in features.items():
        known, is_list = forms.get(name, (0, False))
        if kind and known and kind != known:
            raise ValueError(
                f"the feature {name!r} has {_example.NAMES[kind]} values in one record, and {_example.NAMES[known]} "
                "values in another"
            )
        forms[name] = (known or kind, is_list or len(values) > 1 or (len(values) == 0 and kind != 0))


def forms_of_files(files: Iterable[Tuple[str, Any]]) -> Iterator[Forms]:
    """The forms of the columns of these files."""
    forms: Forms = {}
    for path, data in files:
        for record in _records(path, data):
            add_forms(forms, _example.parse(record))
    yield forms


def rows_of_files(forms: Forms, binary: Sequence[str], files: Iterable[Tuple[str, Any]]) -> Iterator[Tuple[Any, ...]]:
    """The rows of these files, with the columns sorted by name."""
    for path, data in files:
        for number, record in enumerate(_records(path, data)):
            try:
                yield row_of(forms, binary, record)
            except ValueError as error:
                raise ValueError(f"record {number} of {path}: {error}") from None


def row_of(forms: Forms, binary: Sequence[str], record: bytes) -> Tuple[Any, ...]:
    features = _example.parse(record)
    return tuple(_value(name, *forms[name], name in binary, features.get(name)) for name in sorted(forms))


def _value(name: str, kind: int, is_list: bool, binary: bool, feature: Any) -> Any:
    if feature is None or (feature[0] == 0 and not is_list):
        return None
    found = list(feature[1])
    if kind == _example.BYTES:
        found = [bytearray(value) if binary else _text(name, value) for value in found]
    if is_list:
        return found
    return found[0] if found else None


def _text(name: str, value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        raise ValueError(
            f"the feature {name!r} is not text in UTF-8: name it in binary_features, and it becomes a binary column"
        ) from None


def _records(path: str, data: Any) -> Iterator[bytes]:
    return tfrecord._read_records(tfrecord._decompressed(io.BytesIO(bytes(data))), path)


# --- writing ---


def write_part(directory: str, dtypes: Sequence[Tuple[str, str]], part: int, rows: Iterable[Any]) -> Iterator[int]:
    """Writes a partition to a file of a local directory, which appears when it is complete."""
    path = os.path.join(directory, f"part-r-{part:05}")
    scratch = os.path.join(directory, f".part-r-{part:05}.{os.getpid()}")
    os.makedirs(directory, exist_ok=True)
    try:
        with open(scratch, "wb") as file:
            tfrecord._write_records(file, to_examples(dtypes, rows))
        os.replace(scratch, path)
    finally:
        if os.path.exists(scratch):
            os.unlink(scratch)
    yield part


def chunks(dtypes: Sequence[Tuple[str, str]], part: int, rows: Iterable[Any]) -> Iterator[Tuple[int, bytes]]:
    """The bytes of the file of a partition, in pieces; at least one."""
    file = io.BytesIO()
    held: list[bytes] = []
    size = 0
    for record in to_examples(dtypes, rows):
        held.append(record)
        size += len(record)
        if size >= _CHUNK:
            tfrecord._write_records(file, iter(held))
            yield part, file.getvalue()
            file, held, size = io.BytesIO(), [], 0
    tfrecord._write_records(file, iter(held))
    yield part, file.getvalue()

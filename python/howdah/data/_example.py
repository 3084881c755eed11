"""TensorFlow's protobuf message `Example`, without protobuf and TensorFlow.

    Example { Features features = 1; }
    Features { map<string, Feature> feature = 1; }
    Feature { oneof { BytesList bytes_list = 1; FloatList float_list = 2; Int64List int64_list = 3; } }
    BytesList { repeated bytes value = 1; }
    FloatList { repeated float value = 1 [packed]; }
    Int64List { repeated int64 value = 1 [packed]; }
"""

from __future__ import annotations

import struct
from typing import Any, Iterator, Mapping

BYTES, FLOAT, INT64 = 1, 2, 3  # the field of Feature that is set
NAMES = {0: "no values", BYTES: "bytes", FLOAT: "float", INT64: "int64"}

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5  # wire types


def _varint(data: bytes, at: int) -> tuple[int, int]:
    number = shift = 0
    while True:
        byte = data[at]
        at += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number & 0xFFFFFFFFFFFFFFFF, at
        shift += 7
        if shift > 63:
            raise ValueError("a number has more than 10 bytes")


def _fields(data: bytes, at: int, end: int) -> Iterator[tuple[int, int, int, int]]:
    """The fields of a message: number, wire type, begin and end of the value."""
    while at < end:
        key, at = _varint(data, at)
        wire = key & 7
        begin = at
        if wire == _VARINT:
            _, at = _varint(data, at)
        elif wire == _FIXED64:
            at += 8
        elif wire == _FIXED32:
            at += 4
        elif wire == _BYTES:
            size, begin = _varint(data, at)
            at = begin + size
        else:
            raise ValueError(f"a field has the wire type {wire}")
        if at > end:
            raise ValueError("it ends within a field")
        yield key >> 3, wire, begin, at


def parse(data: bytes) -> dict[str, tuple[int, list[Any]]]:
    """The features of a serialized Example: kind and values by name. Raises ValueError if it is not an Example."""
    features: dict[str, tuple[int, list[Any]]] = {}
    try:
        for number, wire, begin, end in _fields(data, 0, len(data)):
            if (number, wire) != (1, _BYTES):
                continue
            for entry, entry_wire, entry_begin, entry_end in _fields(data, begin, end):
                if (entry, entry_wire) == (1, _BYTES):
                    name, feature = _entry(data, entry_begin, entry_end)
                    features[name] = feature
    except IndexError:
        raise ValueError("it ends within a number") from None
    except UnicodeDecodeError:
        raise ValueError("the name of a feature is not UTF-8") from None
    return features


def _entry(data: bytes, at: int, end: int) -> tuple[str, tuple[int, list[Any]]]:
    name, kind = "", 0
    values: list[Any] = []
    for number, wire, begin, stop in _fields(data, at, end):
        if (number, wire) == (1, _BYTES):
            name = data[begin:stop].decode()
        elif (number, wire) == (2, _BYTES):
            for list_kind, list_wire, list_begin, list_end in _fields(data, begin, stop):
                if list_kind in (BYTES, FLOAT, INT64) and list_wire == _BYTES:
                    if list_kind != kind:
                        kind, values = list_kind, []
                    values += _values(data, list_kind, list_begin, list_end)
    return name, (kind, values)


def _values(data: bytes, kind: int, at: int, end: int) -> list[Any]:
    values: list[Any] = []
    for number, wire, begin, stop in _fields(data, at, end):
        if number != 1:
            continue
        if kind == BYTES and wire == _BYTES:
            values.append(data[begin:stop])
        elif kind == FLOAT and wire in (_BYTES, _FIXED32):
            values += struct.unpack(f"<{(stop - begin) // 4}f", data[begin : stop - (stop - begin) % 4])
        elif kind == INT64 and wire == _VARINT:
            values.append(_signed(_varint(data, begin)[0]))
        elif kind == INT64 and wire == _BYTES:
            while begin < stop:
                value, begin = _varint(data, begin)
                values.append(_signed(value))
    return values


def _signed(number: int) -> int:
    return number - (1 << 64) if number >> 63 else number


def _put(number: int) -> bytes:
    if 0 <= number < 0x80:
        return bytes((number,))
    number &= 0xFFFFFFFFFFFFFFFF
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def _message(field: int, data: bytes) -> bytes:
    return _put(field << 3 | _BYTES) + _put(len(data)) + data


def serialize(features: Mapping[str, tuple[int, list[Any]]]) -> bytes:
    """An Example with its features sorted by name, so that equal features give equal bytes."""
    entries = []
    for name, (kind, values) in sorted(features.items()):
        if kind == BYTES:
            content = b"".join(_message(1, value) for value in values)
        elif kind == FLOAT:
            content = _message(1, struct.pack(f"<{len(values)}f", *values)) if values else b""
        else:
            content = _message(1, b"".join(map(_put, values))) if values else b""
        entries.append(_message(1, _message(1, name.encode()) + _message(2, _message(kind, content))))
    return _message(1, b"".join(entries))

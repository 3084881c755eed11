"""howdah.data.tfrecord, without TensorFlow."""

import gzip
import os
import struct
import zlib

import pytest

import arrow

arrow.site_packages()

import pyarrow as pa  # noqa: E402

from howdah.data import _crc32c, _example, tfrecord  # noqa: E402


def crc_by_bit(data):
    value = 0xFFFFFFFF
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
    return value ^ 0xFFFFFFFF


def test_checksums_are_those_of_rfc_3720():
    strings = [b"123456789", b"\0" * 32, b"\xff" * 32, bytes(range(32)), bytes(range(31, -1, -1)), b""]
    assert _crc32c.crc32c(strings).tolist() == [0xE3069283, 0x8A9136AA, 0x62A8AB43, 0x46DD794E, 0x113FDB5C, 0]


def test_checksums_of_any_lengths_agree_with_the_definition():
    strings = [os.urandom(length) for length in [*range(140), 1000, 4096, 4097, 0, 20_000]]
    assert _crc32c.crc32c(strings).tolist() == [crc_by_bit(string) for string in strings]
    assert _crc32c.crc32c([]).tolist() == []


def framed(record):
    """A record by the definition of the format."""

    def masked(data):
        value = crc_by_bit(data)
        return ((value >> 15 | value << 17) + 0xA282EAD8) & 0xFFFFFFFF

    length = struct.pack("<Q", len(record))
    return length + struct.pack("<I", masked(length)) + record + struct.pack("<I", masked(record))


RECORDS = [b"", b"a", b"x" * 100_000, bytes(range(256))]


def test_records_survive_a_round_trip(tmp_path):
    path = tmp_path / "r.tfrecord"
    table = pa.table({"record": pa.array(RECORDS, pa.binary())})
    tfrecord.write(table, path, records=True)
    assert path.read_bytes() == b"".join(map(framed, RECORDS))
    assert tfrecord.read(path, records=True) == table
    tfrecord.write(table, path, records=True, compression="gzip")
    assert gzip.decompress(path.read_bytes()) == b"".join(map(framed, RECORDS))
    assert tfrecord.read(f"file://{path}", records=True) == table
    path.write_bytes(zlib.compress(b"".join(map(framed, RECORDS))))
    assert tfrecord.read(path, records=True) == table


def test_records_larger_than_a_read_are_complete(tmp_path):
    records = [os.urandom(size) for size in (5 << 20, 10, 9 << 20, (4 << 20) - 16, 1)]
    tfrecord.write(pa.table({"record": records}), tmp_path / "r", records=True)
    assert tfrecord.read(tmp_path / "r", records=True)["record"].to_pylist() == records


@pytest.mark.parametrize("size", [0, 1, 11, 12, 16, 20, 30])
def test_file_that_ends_within_a_record_is_an_error(tmp_path, size):
    whole = framed(b"a") + framed(b"twelve bytes")
    path = tmp_path / "r"
    path.write_bytes(whole[:size])
    if size == 0:
        assert tfrecord.read(path, records=True).num_rows == 0
        return
    begin = 0 if size < 17 else 17
    with pytest.raises(ValueError, match=f"reading {path}: the file ends within the record at byte {begin};"):
        tfrecord.read(path, records=True)


def test_each_damaged_byte_is_an_error(tmp_path):
    whole = framed(b"first") + framed(b"second")
    for position in range(len(whole)):
        damaged = bytearray(whole)
        damaged[position] ^= 0x10
        (tmp_path / "r").write_bytes(damaged)
        with pytest.raises(ValueError, match="checksum|ends within the record"):
            tfrecord.read(tmp_path / "r", records=True)


def test_damaged_record_is_named_by_file_and_byte(tmp_path):
    (tmp_path / "r").write_bytes(framed(b"first") + framed(b"second").replace(b"second", b"secont"))
    with pytest.raises(ValueError, match=f"reading {tmp_path}/r: the checksum of the content of .* at byte 21 is"):
        tfrecord.read(tmp_path / "r", records=True)


def feature_bytes():
    """An Example, from the definition of protobuf."""

    def field(number, data):
        assert len(data) < 128
        return bytes([number << 3 | 2, len(data)]) + data

    integers = b"\x01" + b"\xff" * 9 + b"\x01" + b"\xac\x02"
    return field(
        1,
        field(1, field(1, b"b") + field(2, field(1, field(1, b"xy") + field(1, b""))))
        + field(1, field(1, b"f") + field(2, field(2, field(1, struct.pack("<f", 1.5)))))
        + field(1, field(1, b"i") + field(2, field(3, field(1, integers)))),
    )


FEATURES = {"b": (_example.BYTES, [b"xy", b""]), "f": (_example.FLOAT, [1.5]), "i": (_example.INT64, [1, -1, 300])}


def test_example_has_the_bytes_of_protobuf():
    assert _example.serialize(FEATURES) == feature_bytes()
    assert _example.parse(feature_bytes()) == FEATURES


# Written by tf.io.TFRecordWriter of TensorFlow 2.21: tf.train.Example with the features of the test below, serialized
# with deterministic=True, and a record without content.
GOLDEN = bytes.fromhex(
    "410000000000000000a9c2ab0a3f0a0d0a016212080a060a0278790a000a070a016512021a000a0d0a0166120812060a040000c03f"
    "0a160a016912111a0f0a0d01ffffffffffffffffff01ac02bf56e25d000000000000000029039807d8ea82a2"
)


def test_file_of_tensorflow_is_read_and_written_byte_for_byte(tmp_path):
    first = {**FEATURES, "e": (_example.INT64, [])}
    (tmp_path / "golden").write_bytes(GOLDEN)
    records = tfrecord.read(tmp_path / "golden", records=True)
    assert [_example.parse(record) for record in records["record"].to_pylist()] == [first, {}]
    table = pa.table({"record": [_example.serialize(first), b""]})
    tfrecord.write(table, tmp_path / "own", records=True)
    assert (tmp_path / "own").read_bytes() == GOLDEN
    assert tfrecord.read(tmp_path / "golden").to_pydict() == {
        "b": [[b"xy", b""], None],
        "e": [[], None],
        "f": [1.5, None],
        "i": [[1, -1, 300], None],
    }


def test_numbers_that_are_not_packed_are_read():
    # Old writers repeat the field: 1.5 and 2.5 with wire type 5, 7 and 8 with wire type 0.
    floats = b"\x0d" + struct.pack("<f", 1.5) + b"\x0d" + struct.pack("<f", 2.5)
    integers = b"\x08\x07\x08\x08"
    entries = b""
    for name, kind, values in ((b"f", 2, floats), (b"i", 3, integers)):
        feature = bytes([kind << 3 | 2, len(values)]) + values
        entry = b"\x0a\x01" + name + bytes([0x12, len(feature)]) + feature
        entries += bytes([0x0A, len(entry)]) + entry
    assert _example.parse(bytes([0x0A, len(entries)]) + entries) == {
        "f": (_example.FLOAT, [1.5, 2.5]),
        "i": (_example.INT64, [7, 8]),
    }


def test_any_bytes_are_an_example_or_a_value_error():
    whole = feature_bytes()
    for length in range(len(whole)):
        for tail in (b"", b"\xff", b"\xff" * 12):
            try:
                _example.parse(whole[:length] + tail)
            except ValueError:
                pass


TABLE = {
    "age": pa.array([1, None, -3], pa.int64()),
    "flags": pa.array([[1], [2, 3], None], pa.list_(pa.int64())),
    "image": pa.array([b"\x00\xff", b"", None], pa.binary()),
    "one": pa.array([0.5, 1.5, None], pa.float32()),
    "weights": pa.array([[], [0.25], None], pa.list_(pa.float32())),
}


def test_examples_survive_a_round_trip(tmp_path):
    table = pa.table(TABLE)
    for written in (table, table.to_batches()[0]):
        tfrecord.write(written, tmp_path / "t")
        assert tfrecord.read(tmp_path / "t") == table
    assert tfrecord.read(tmp_path / "t", columns=["one", "age"]) == table.select(["one", "age"])


def test_other_types_are_written_as_the_nearest_of_an_example(tmp_path):
    table = pa.table(
        {
            "b": pa.array([True, False]),
            "d": pa.array(["x", "y"]).dictionary_encode(),
            "f": pa.array([0.1, 2.0], pa.float64()),
            "l": pa.array([["é"], ["a", "b"]], pa.large_list(pa.string())),
            "u": pa.array([[1, 2], [3, 4]], pa.list_(pa.uint8(), 2)),
        }
    )
    tfrecord.write(table, tmp_path / "t")
    read = tfrecord.read(tmp_path / "t")
    assert read["b"].to_pylist() == [1, 0] and read["d"].to_pylist() == [b"x", b"y"]
    assert read["f"].type == pa.float32() and read["l"].to_pylist() == [["é".encode()], [b"a", b"b"]]
    assert read["u"].to_pylist() == [[1, 2], [3, 4]]
    schema = pa.schema([("d", pa.string()), ("l", pa.list_(pa.string())), ("b", pa.bool_()), ("new", pa.int64())])
    read = tfrecord.read(tmp_path / "t", schema=schema)
    assert read["d"].to_pylist() == ["x", "y"] and read["l"].to_pylist() == [["é"], ["a", "b"]]
    assert read["b"].to_pylist() == [True, False] and read["new"].to_pylist() == [None, None]


def test_lists_of_one_value_stay_lists_with_a_schema(tmp_path):
    table = pa.table({"a": pa.array([[1], [2]], pa.list_(pa.int64()))})
    tfrecord.write(table, tmp_path / "t")
    assert tfrecord.read(tmp_path / "t")["a"].to_pylist() == [1, 2]
    assert tfrecord.read(tmp_path / "t", schema=table.schema) == table


@pytest.mark.parametrize(
    "column, message",
    [
        (pa.array([0], pa.timestamp("s")), "the column 'c' has the type timestamp.*cast it to integers"),
        (pa.array([{"x": 1}]), "the column 'c' has the type struct"),
        (pa.array([[1, None]]), "the list in column 'c' has a null in row 0"),
        (pa.array([2**63], pa.uint64()), r"'c' has a number above 2\^63 - 1 in row 0"),
        (pa.array([1e300]), "'c' has a number in row 0 that float32 cannot hold"),
    ],
)
def test_values_that_an_example_cannot_hold_are_named(tmp_path, column, message):
    with pytest.raises((ValueError, TypeError), match=message):
        tfrecord.write(pa.table({"c": column}), tmp_path / "t")


def test_mistakes_name_file_record_and_remedy(tmp_path):
    write, read = tfrecord.write, tfrecord.read
    write(pa.table({"record": [b"\x00\xff no Example"]}), tmp_path / "r", records=True)
    with pytest.raises(ValueError, match="r: record 0 is not an Example.*records=True"):
        read(tmp_path / "r")
    write(pa.table({"a": [1]}), tmp_path / "1")
    write(pa.table({"a": ["x"]}), tmp_path / "2")
    with pytest.raises(ValueError, match="2: record 0: the feature 'a' has bytes values, and int64 values in an"):
        read([tmp_path / "1", tmp_path / "2"])
    with pytest.raises(ValueError, match="the column 'a' has int64, not"):
        read(tmp_path / "1", schema=pa.schema([("a", pa.struct([("x", pa.int64())]))]))
    with pytest.raises(ValueError, match="'lz4' is not supported"):
        write(pa.table({"a": [1]}), tmp_path / "t", compression="lz4")
    with pytest.raises(ValueError, match="needs a table with one column"):
        write(pa.table({"a": [b""], "b": [b""]}), tmp_path / "t", records=True)
    with pytest.raises(ValueError, match="the scheme of s3://b/k is not supported"):
        read("s3://b/k")
    for missing in (tmp_path / "none", f"{tmp_path}/*.none"):
        with pytest.raises(FileNotFoundError):
            read(missing)


def test_directories_and_patterns_are_read_in_the_order_of_names(tmp_path):
    for number in (2, 1, 3):
        tfrecord.write(pa.table({"a": [number]}), tmp_path / f"part-{number}")
    (tmp_path / "_SUCCESS").touch()
    (tmp_path / ".part-4.tmp").touch()
    for uri in (tmp_path, f"{tmp_path}/part-*", f"file://{tmp_path}"):
        assert tfrecord.read(uri)["a"].to_pylist() == [1, 2, 3]
    assert tfrecord.read([tmp_path / "part-3", tmp_path / "part-1"])["a"].to_pylist() == [3, 1]

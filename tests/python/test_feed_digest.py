"""The digests of blocks depend on values only."""
import datetime
import json
import random
import sys
import zlib

import pytest

import arrow
from machine import ROOT

arrow.site_packages()
sys.path.insert(0, str(ROOT / "python"))

import numpy as np  # noqa: E402
import pyarrow as pa  # noqa: E402

from howdah._feed.digest import digest_of, plain_block  # noqa: E402
from howdah._feed.spark_task import Pieces  # noqa: E402

COLUMNS = {
    "int64": (pa.int64(), list(range(40))),
    "int8 with nulls": (pa.int8(), [None if i % 3 else i for i in range(40)]),
    "double": (pa.float64(), [i / 7 for i in range(40)]),
    "bool": (pa.bool_(), [i % 5 == 0 for i in range(40)]),
    "bool with nulls": (pa.bool_(), [None if i % 4 else i % 5 == 0 for i in range(40)]),
    "string": (pa.string(), [f"row {i}" for i in range(40)]),
    "string with nulls": (pa.string(), [None if i % 7 == 2 else "x" * i for i in range(40)]),
    "large binary": (pa.large_binary(), [bytes(range(i)) for i in range(40)]),
    "fixed size binary": (pa.binary(3), [None if i == 5 else b"%03d" % i for i in range(40)]),
    "list": (pa.list_(pa.int32()), [None if i == 9 else list(range(i % 6)) for i in range(40)]),
    "list of strings": (pa.large_list(pa.string()), [["a"] * (i % 3) + [None] for i in range(40)]),
    "fixed size list": (pa.list_(pa.float32(), 2), [None if i == 30 else [i, i + 1] for i in range(40)]),
    "struct": (pa.struct([("a", pa.int16()), ("b", pa.string())]),
               [None if i == 3 else {"a": i, "b": None if i % 2 else str(i)} for i in range(40)]),
    "timestamp": (pa.timestamp("us"), [datetime.datetime(2026, 1, 1 + i % 28) for i in range(40)]),
    "date": (pa.date32(), [datetime.date(2026, 1, 1 + i % 28) for i in range(40)]),
}


def batch(values, kind):
    return pa.RecordBatch.from_arrays([pa.array(values, kind)], names=["column"])


@pytest.mark.parametrize("name", COLUMNS)
def test_equal_values_have_one_digest_whatever_their_buffers(name):
    kind, values = COLUMNS[name]
    expected = digest_of(7, batch(values, kind))
    assert expected is not None
    # A slice in the middle of other rows, whose bits share bytes with those of the first and the last row.
    longer = batch([*values[3:], *values, *values[:5]], kind).slice(len(values) - 3, len(values))
    assert digest_of(7, longer) == expected
    joined = pa.Table.from_batches([batch(values[:13], kind), batch(values[13:], kind)]).combine_chunks()
    assert digest_of(7, joined.to_batches()[0]) == expected


@pytest.mark.parametrize("name", COLUMNS)
def test_changed_values_change_the_digest(name):
    kind, values = COLUMNS[name]
    expected = digest_of(0, batch(values, kind))
    assert digest_of(1, batch(values, kind)) != expected, "other row numbers"
    assert digest_of(0, batch(values[:-1], kind)) != expected
    numbers = random.Random(name)
    for _ in range(20):
        first, second = sorted(numbers.sample(range(len(values)), 2))
        if values[first] == values[second]:
            continue
        other = list(values)
        other[first], other[second] = other[second], other[first]
        assert digest_of(0, batch(other, kind)) != expected, (first, second)


def test_place_of_a_null_may_have_any_content():
    validity = pa.py_buffer(b"\x0d")
    columns = [pa.Array.from_buffers(pa.int32(), 4, [validity, pa.array([1, garbage, 3, 4], pa.int32()).buffers()[1]])
               for garbage in (0, 77)]
    assert columns[0].null_count == 1
    digests = {digest_of(0, pa.RecordBatch.from_arrays([column], names=["i"])) for column in columns}
    assert len(digests) == 1


def total_of(blocks, of=digest_of):
    pieces = Pieces(iter(blocks), of)
    while pieces.next([[0, None]]) is not None:
        pass
    return pieces.digest


# --- plain blocks ---


def body_of(batch):
    """The body of the message that pyarrow sends."""
    return pa.ipc.read_message(batch.serialize()).body.to_pybytes()


def formula(first, batch):
    """The digest as the executor computes it (block_digest_test.cc)."""
    def mixed(value):
        value = (value + 0x9E3779B97F4A7C15) % 2**64
        value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        value = (value ^ value >> 27) * 0x94D049BB133111EB % 2**64
        return value ^ value >> 31
    return mixed((mixed(((first << 32) + zlib.crc32(body_of(batch))) % 2**64) + batch.num_rows) % 2**64)


def test_formula_is_that_of_the_executor():
    block = batch([b"b" * (1 << 20)], pa.binary(1 << 20))
    assert body_of(block) == b"b" * (1 << 20)
    rows = pa.RecordBatch.from_arrays([pa.array([b"b" * (1 << 17)] * 8, pa.binary(1 << 17))], names=["data"])
    assert formula(7, rows) == digest_of(7, rows) != digest_of(8, rows)


@pytest.mark.parametrize("name", COLUMNS)
def test_digest_of_plain_values_is_that_of_the_body_that_is_sent(name):
    kind, values = COLUMNS[name]
    values = [value for value in values if value is not None]
    whole = batch([*values[3:], *values, *values[:5]], kind).slice(len(values) - 3, len(values))
    for first, rows in ((0, len(values)), (0, 5), (3, 5), (len(values) - 1, 1)):
        block = whole.slice(first, rows)
        plain = plain_block(block)
        if name in ("bool", "bool with nulls", "list of strings", "struct"):
            assert plain is None, "a bitmap, a null in the struct, or bounds that may be missing"
            continue
        plain.validate(full=True)
        assert plain.equals(block)
        assert digest_of(first, block) == digest_of(first, plain) == formula(first, plain)
        assert body_of(plain) == body_of(plain_block(batch(block.column(0).to_pylist(), kind))), "the same body"


def test_blocks_are_plain_if_all_their_values_are():
    numbers, texts = pa.array([1, 2]), pa.array(["a", None])
    assert plain_block(pa.RecordBatch.from_arrays([numbers, texts], names=["i", "t"])) is None
    assert plain_block(pa.RecordBatch.from_arrays([numbers, texts], names=["i", "t"]).slice(0, 1)) is not None
    struct = pa.StructArray.from_arrays([pa.array([3, 4, 5]), pa.array(["x", "y", "z"])], ["a", "b"])
    plain = plain_block(pa.RecordBatch.from_arrays([struct.slice(1)], names=["s"]))
    assert plain.column(0).to_pylist() == [{"a": 4, "b": "y"}, {"a": 5, "b": "z"}]
    assert digest_of(0, plain) == formula(0, plain)
    tensors = pa.FixedShapeTensorArray.from_numpy_ndarray(np.arange(24, dtype=np.float32).reshape(4, 2, 3))
    block = pa.RecordBatch.from_arrays([tensors], names=["t"]).slice(1, 2)
    assert plain_block(block).equals(block) and digest_of(0, block) == formula(0, plain_block(block))
    pickled = batch([b"pickle"], pa.binary()).replace_schema_metadata({"howdah.rows": "pickle"})
    assert plain_block(pickled) is None


def sends(blocks):
    """Pieces whose executor computes digests, and the function that accepts a piece as the executor does."""
    pieces = Pieces(iter(blocks), digest_of, plain_block)

    def accept(piece):
        first, block = piece
        given = json.loads(pieces.metadata(piece))["digest"]
        pieces.accepted(first, first + block.num_rows, formula(first, block) if given == "body" else None)
        return given
    return pieces, accept


PLAIN = [(at, batch(list(range(at, at + 10)), pa.int64())) for at in (0, 10, 20, 30)]
TOTAL = sum(digest_of(*block) for block in PLAIN) % 2**64


def test_sum_is_the_same_whoever_computes_the_digests():
    pieces, accept = sends(PLAIN)
    while (piece := pieces.next([[0, None]])) is not None:
        assert accept(piece) == "body"
    assert pieces.digest == TOTAL
    pieces, accept = sends(PLAIN)
    assert [accept(pieces.next([[5, 12], [20, None]])) for _ in range(3)] == [None, None, "body"]
    assert accept(pieces.next([[5, 12], [20, None]])) == "body" and pieces.next([[5, 12], [20, None]]) is None
    assert pieces.digest == TOTAL, "blocks that are not sent, or only in part, count as well"


def test_blocks_that_another_attempt_has_sent_meanwhile_count():
    pieces, accept = sends(PLAIN)
    first, second = pieces.next([[0, None]]), pieces.next([[0, None]])
    accept(first)
    pieces.put_back([second])
    assert pieces.next([[20, None]])[0] == 20
    pieces, accept = sends(PLAIN)
    while (piece := pieces.next([[0, None]])) is not None:
        if piece[0] == 30:
            pieces.put_back([piece])
            break
        accept(piece)
    assert pieces.digest == TOTAL, "the end of the partition may be reported before its last block is accepted"
    assert accept(pieces.next([[30, None]])) == digest_of(*PLAIN[3])
    assert pieces.digest == TOTAL


def test_sum_is_unknown_if_the_executor_has_not_returned_a_digest():
    pieces, _ = sends(PLAIN)
    pieces.next([[0, None]])
    pieces.accepted(0, 10)
    assert pieces.digest is None


def test_order_of_blocks_is_part_of_their_sum():
    first, second = batch([1, 2], pa.int64()), batch([3, 4], pa.int64())
    one = total_of([(0, first), (2, second)])
    other = total_of([(0, second), (2, first)])
    assert one == (digest_of(0, first) + digest_of(2, second)) % 2**64 != other
    assert total_of([]) == 0
    assert total_of([(0, first), (2, second)], lambda first, batch: None if first else 5) is None
    assert total_of([(0, first), (2, second)], lambda first, batch: 2**64 - 1 if first else 2) == 1


def test_pickles_and_types_without_a_layout_have_no_digest():
    pickled = batch([b"pickle"], pa.binary()).replace_schema_metadata({"howdah.rows": "pickle"})
    assert digest_of(0, pickled) is None
    union = pa.UnionArray.from_dense(pa.array([0], pa.int8()), pa.array([0], pa.int32()), [pa.array([1])])
    assert digest_of(0, pa.RecordBatch.from_arrays([union], names=["u"])) is None

"""The digests of blocks depend on values only."""
import datetime
import random
import sys

import pytest

import arrow
from machine import ROOT

arrow.site_packages()
sys.path.insert(0, str(ROOT / "python"))

import pyarrow as pa  # noqa: E402

from howdah._feed.digest import digest_of  # noqa: E402
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

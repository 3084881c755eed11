"""The columns of a feed as arrays: the table of types, the options, and the errors."""

import pytest

import arrow

SITE = arrow.site_packages()

import numpy as np  # noqa: E402
import pyarrow as pa  # noqa: E402

from feed_executor import numbers, one_block, serve  # noqa: E402, F401
from howdah import _errors  # noqa: E402


def read(serve, data, n=64, **options):
    """The first batch of a feed with these columns."""
    _, ctx = serve(one_block(**data))
    return next(iter(ctx.feed("train").numpy(n, **options)))


VECTOR = pa.struct(
    [("type", pa.int8()), ("size", pa.int32()), ("indices", pa.list_(pa.int32())), ("values", pa.list_(pa.float64()))]
)
DENSE = {"type": 1, "size": None, "indices": None, "values": [1.0, 2.0, 3.0]}
SPARSE = {"type": 0, "size": 3, "indices": [2], "values": [5.0]}
IMAGE = pa.struct(
    [("origin", pa.string()), ("height", pa.int32()), ("width", pa.int32()), ("nChannels", pa.int32())]
    + [("mode", pa.int32()), ("data", pa.binary())]
)


def image(height, width):
    data = bytes(range(height * width * 3))
    return {"origin": "", "height": height, "width": width, "nChannels": 3, "mode": 16, "data": data}


def tensors():
    values = pa.array([[1, 2, 3, 4], [5, 6, 7, 8]], pa.list_(pa.int32(), 4))
    return pa.ExtensionArray.from_storage(pa.fixed_shape_tensor(pa.int32(), (2, 2)), values)


COLUMNS = {
    "int8": (pa.array([1, -2], pa.int8()), np.array([1, -2], "int8")),
    "float": (pa.array([0.5, 2], pa.float32()), np.array([0.5, 2], "float32")),
    "boolean": (pa.array([True, False]), np.array([True, False])),
    "timestamp": (pa.array([1, 2], pa.timestamp("ms")), np.array([1, 2], "datetime64[ms]")),
    "date": (pa.array([1, 2], pa.date32()), np.array([1, 2], "datetime64[D]")),
    "list": (pa.array([[1, 2], [3, 4]]), np.array([[1, 2], [3, 4]])),
    "nested": (pa.array([[[1], [2]], [[3], [4]]]), np.array([[[1], [2]], [[3], [4]]])),
    "fixed list": (pa.array([[1, 2], [3, 4]], pa.list_(pa.int16(), 2)), np.array([[1, 2], [3, 4]], "int16")),
    "tensor": (tensors(), np.array([[[1, 2], [3, 4]], [[5, 6], [7, 8]]], "int32")),
    "dense": (pa.array([DENSE, DENSE], VECTOR), np.array([[1.0, 2, 3], [1, 2, 3]])),
    "sparse": (pa.array([DENSE, SPARSE], VECTOR), np.array([[1.0, 2, 3], [0, 0, 5]])),
    "binary": (pa.array([b"ab", b"cd"]), np.array([[97, 98], [99, 100]], "uint8")),
    "fixed binary": (pa.array([b"ab", b"cd"], pa.binary(2)), np.array([[97, 98], [99, 100]], "uint8")),
    "binaries": (pa.array([b"ab", b"c"]), [b"ab", b"c"]),
    "string": (pa.array(["é", ""]), np.array(["é", ""], object)),
    "image": (pa.array([image(1, 2)] * 2, IMAGE), np.array([[[[0, 1, 2], [3, 4, 5]]]] * 2, "uint8")),
    "images": (
        pa.array([image(1, 1), image(2, 1)], IMAGE),
        [np.array([[[0, 1, 2]]], "uint8"), np.array([[[0, 1, 2]], [[3, 4, 5]]], "uint8")],
    ),
}


def same(found, expected):
    if isinstance(expected, list):
        return isinstance(found, list) and all(map(same, found, expected)) and len(found) == len(expected)
    if isinstance(expected, np.ndarray):
        return found.dtype == expected.dtype and found.shape == expected.shape and bool((found == expected).all())
    return found == expected


@pytest.mark.parametrize("name", COLUMNS)
def test_column_becomes_the_array_of_the_table(serve, name):
    column, expected = COLUMNS[name]
    as_list = isinstance(expected, list)
    doubled = expected * 2 if as_list else np.concatenate([expected, expected])
    block = pa.RecordBatch.from_arrays([column], ["c"])
    _, ctx = serve([block, block])
    feed = ctx.feed("train")
    found = next(iter(feed.numpy(2)))["c"]  # within one block
    assert same(found, expected), found
    _, ctx = serve([block, block])
    found = next(iter(ctx.feed("train").numpy(4)))["c"]  # of two blocks
    assert same(found, doubled), found
    _, ctx = serve([block, block], lane=[(i % 2, i // 2 % 2, 1) for i in range(32)])
    found = next(iter(ctx.feed("train").numpy(32)))["c"]  # single rows
    order = [0, 0, 1, 1]
    assert same(found[:4], [expected[i] for i in order] if as_list else expected[order])


def test_struct_gives_one_column_per_field(serve):
    columns = {"a": pa.array([{"b": 1, "c": {"d": 2.5}}, {"b": 3, "c": {"d": 4.5}}]), "e": [5, 6]}
    batch = read(serve, columns)
    assert {key: value.tolist() for key, value in batch.items()} == {"a.b": [1, 3], "a.c.d": [2.5, 4.5], "e": [5, 6]}
    assert list(read(serve, columns, columns=["a.c.d"])) == ["a.c.d"]
    assert list(read(serve, columns, columns=["a"])) == ["a.b", "a.c.d"]
    null = {"a": pa.array([None, {"b": 3}])}
    assert read(serve, null, nulls={"a.b": 9})["a.b"].tolist() == [9, 3]


def test_options_choose_shape_type_and_form(serve):
    columns = {"image": [bytes(range(6)), bytes(6)], "label": [1, 2], "tags": [[1], [2, 3]]}
    image_, label = read(
        serve, columns, as_tuple=("image", "label"), shapes={"image": (2, 3)}, dtypes={"image": "float32"}
    )
    assert image_.shape == (2, 2, 3) and image_.dtype == np.float32 and label.tolist() == [1, 2]
    values, offsets = read(serve, columns, ragged=["tags"], dtypes={"tags": "float32"})["tags"]
    assert values.tolist() == [1, 2, 3] and values.dtype == np.float32 and offsets.tolist() == [0, 1, 3]
    assert read(serve, columns, columns=["label"], map=lambda batch: batch["label"].sum()) == 3


@pytest.mark.parametrize(
    "column, null, expected",
    [
        (pa.array([1, None, 3]), 0, [1, 0, 3]),
        (pa.array([0.5, None], pa.float32()), float("nan"), None),
        (pa.array([True, None]), False, [True, False]),
        (pa.array(["a", None]), "none", ["a", "none"]),
        (pa.array([[1, 2], None]), [0, 0], [[1, 2], [0, 0]]),
        (pa.array([b"ab", None]), b"--", [[97, 98], [45, 45]]),
    ],
)
def test_nulls_get_the_value_of_the_option(serve, column, null, expected):
    found = read(serve, {"c": column}, nulls={"c": null})["c"]
    assert found.tolist() == expected if expected is not None else np.isnan(found[1])


@pytest.mark.parametrize(
    "column, options, message",
    [
        ([1, None], {}, r"the column 'c' is null in row 1 of batch 0 \(pass 0\): give nulls=\{'c': …\} a value"),
        ([[1], [2, 3]], {}, r"'c' has 2 values, and the rows before it 1 in row 1 .*give ragged=\('c',\)"),
        ([[1, None]], {}, "'c' contains a null in row 0"),
        ([b"ab", b"c"], {"shapes": {"c": (2,)}}, "'c' has 1 bytes, and the rows before it 2 in row 1"),
        ([b"ab"], {"shapes": {"c": (3,)}}, r"row of the column 'c' has 2 values, which do not fill the shape \(3,\)"),
        (pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int8())), {}, "'c' has the type map.*map_keys"),
        (pa.array([1], pa.decimal128(5)), {}, "'c' has the type decimal.*cast it to double"),
        ([["a"]], {}, "'c' has the type list<.*string>, which arrays cannot hold: convert it to numbers"),
        (["a"], {"dtypes": {"c": "int8"}}, "invalid literal|could not convert"),
    ],
)
def test_value_that_an_array_cannot_hold_is_named_with_its_remedy(serve, column, options, message):
    with pytest.raises((_errors.FeedTypeError, ValueError), match=message):
        read(serve, {"c": column}, **options)


def test_null_raises_when_its_batch_is_read(serve):
    _, ctx = serve(one_block(x=[1, 2, None], y=[[1], [2], [3, 4]]))
    batches = iter(ctx.feed("train").numpy(1))
    assert next(batches)["x"].tolist() == [1] and next(batches)["y"].tolist() == [[2]]
    with pytest.raises(_errors.FeedTypeError, match="'x' is null in row 0 of batch 2"):
        next(batches)


def test_null_value_that_the_type_cannot_hold_is_an_error(serve):
    with pytest.raises(_errors.FeedMisuse, match="nulls has the value nan for 'x', which the type int64 cannot hold"):
        read(serve, {"x": [1, None]}, nulls={"x": float("nan")})


def test_columns_that_change_are_named(serve):
    _, ctx = serve([*numbers(2), pa.RecordBatch.from_pydict({"x": [0.5]})])
    with pytest.raises(_errors.FeedTypeError, match="'x' has the type double in a later block, and int64 before"):
        list(ctx.feed("train").numpy(2))


def test_rows_are_dicts_and_arrow_batches_are_complete(serve):
    blocks = [*one_block(x=[1, None], s=["a", "b"]), *one_block(x=[3], s=["c"])]
    _, ctx = serve(blocks, passes=4)
    feed = ctx.feed("train")
    assert list(feed.rows(nulls={"x": 0})) == [{"x": 1, "s": "a"}, {"x": 0, "s": "b"}, {"x": 3, "s": "c"}]
    assert list(feed.rows(as_tuple=("s",))) == [("a",), ("b",), ("c",)]
    assert [batch.to_pydict() for batch in feed.arrow(2, columns=["x"])] == [{"x": [1, None]}, {"x": [3]}]
    assert [batch["x"].to_pylist() for batch in feed.arrow(3)] == [[1, None, 3]]

"""Batches as a tf.data.Dataset."""

from __future__ import annotations

from typing import Any, Iterator

from .. import _needs
from .._errors import FeedError
from .batches import Converter
from .columns import Column, Options, columns_of, pa, storage
from .reader import Batches, FeedReader

tf: Any = _needs.load("tensorflow", "FeedReader.tf")


def dataset(reader: FeedReader, n: int, options: Options) -> Any:
    plain = options._replace(map=None)
    batches = Batches(reader, n, plain, lambda: Converter(plain, "tf", _tensor, _ragged_tensor))
    schema = reader._peek(n, options.prefetch)
    if schema is None:
        raise FeedError(f"the feed {reader.name!r} has ended without a batch, so the types of its columns are unknown")
    columns = columns_of(schema, plain, "tf")
    specs = [_spec(column) for column in columns]
    if options.as_tuple is not None:
        signature: Any = tuple(specs)
    else:
        signature = {column.key: spec for column, spec in zip(columns, specs)}

    def generate() -> Iterator[Any]:
        return iter(batches)

    found = tf.data.Dataset.from_generator(generate, output_signature=signature)
    if options.map is not None:
        found = found.map(options.map)
    return found.with_options(_dataset_options())


def _dataset_options() -> Any:
    options = tf.data.Options()
    # Batches that TensorFlow reads ahead would count as returned to the program.
    options.experimental_optimization.inject_prefetch = False
    # Each rank has its share of the rows already.
    options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.OFF
    return options


def _tensor(array: Any) -> Any:
    return tf.constant(array, tf.string) if array.dtype == object else array


def _ragged_tensor(values: Any, offsets: Any) -> Any:
    return tf.RaggedTensor.from_row_splits(values, offsets, validate=False)


def _spec(column: Column) -> Any:
    if column.kind == "string" or column._bytes:
        return tf.TensorSpec((None,), tf.string)
    shape, dtype = _row_shape(column.type), _type(column)
    if column.ragged:
        return tf.RaggedTensorSpec((None, None, *shape[1:]), dtype, ragged_rank=1, row_splits_dtype=tf.int64)
    return tf.TensorSpec((None, *(shape if column.shape is None else column.shape)), dtype)


def _row_shape(given: Any) -> tuple[int | None, ...]:
    """The shape of one row; None where only the data have it."""
    if isinstance(given, pa.BaseExtensionType):
        if given.extension_name != "arrow.fixed_shape_tensor":
            return _row_shape(given.storage_type)
        order = given.permutation or range(len(given.shape))
        return tuple(given.shape[axis] for axis in order)
    if pa.types.is_fixed_size_list(given):
        return (given.list_size, *_row_shape(given.value_type))
    if pa.types.is_list(given) or pa.types.is_large_list(given):
        return (None, *_row_shape(given.value_type))
    if pa.types.is_fixed_size_binary(given):
        return (given.byte_width,)
    if pa.types.is_struct(given):  # an image, or a vector of Spark ML
        return (None, None, None) if given.num_fields > 4 else (None,)
    return (None,) if pa.types.is_binary(given) or pa.types.is_large_binary(given) else ()


def _type(column: Column) -> Any:
    if column.dtype is not None:
        return tf.as_dtype(column.dtype)
    given = storage(column.type)
    while pa.types.is_list(given) or pa.types.is_large_list(given) or pa.types.is_fixed_size_list(given):
        given = storage(given.value_type)
    if column.kind in ("binary", "image"):
        return tf.uint8
    if column.kind == "vector":
        return tf.float64
    if column.kind == "bool" or pa.types.is_boolean(given):
        return tf.bool
    names = {"halffloat": "float16", "float": "float32", "double": "float64"}
    return tf.int64 if pa.types.is_temporal(given) else tf.as_dtype(names.get(str(given), str(given)))

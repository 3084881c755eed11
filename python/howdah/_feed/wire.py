"""The columns of a feed in the form in which they are sent."""

from __future__ import annotations

from typing import Any, Sequence

from .. import _needs
from .._errors import FeedTypeError

pa: Any = _needs.load("pyarrow", "howdah.Feed")


class Wire:
    """The columns of a source in the form in which they are sent: without dictionaries, views and run-end encoding.

    Raises FeedTypeError for a column that a feed cannot carry.
    """

    def __init__(self, schema: Any, columns: Sequence[str] | None = None) -> None:
        names = list(schema.names if columns is None else columns)
        for name in names:
            if schema.names.count(name) != 1:
                found = "no column" if name not in schema.names else "several columns with the name"
                raise FeedTypeError(f"the source has {found} {name!r}; its columns are {', '.join(schema.names)}")
        if not names:
            raise FeedTypeError("the source has no columns")
        given = [schema.field(name) for name in names]
        fields = [pa.field(field.name, _sent_type(field.type, field.name), field.nullable) for field in given]
        self.schema = pa.schema(fields)
        self._given = pa.schema(given)
        self._plain = columns is None and self.schema.equals(schema)

    def check(self, schema: Any, item: int) -> None:
        """Raises FeedTypeError if the schema is not that of the first item."""
        for field in self._given:
            at = schema.get_field_index(field.name)
            if at < 0:
                raise FeedTypeError(f"item {item} of the source has no column {field.name!r}, unlike the first item")
            if not schema.field(at).type.equals(field.type):
                raise FeedTypeError(
                    f"the column {field.name!r} has the type {field.type} in the first item of the source, and "
                    f"{schema.field(at).type} in item {item}: cast it to {field.type}"
                )

    def convert(self, batch: Any) -> Any:
        if self._plain:
            return batch
        columns = [_convert(batch.column(field.name), field.type) for field in self.schema]
        return pa.RecordBatch.from_arrays(columns, schema=self.schema)


def _sent_type(given: Any, column: str) -> Any:
    types = pa.types

    def refuse(cast: str) -> FeedTypeError:
        return FeedTypeError(f"a feed cannot carry the column {column!r} of the type {given}: {cast}")

    if types.is_dictionary(given) or types.is_run_end_encoded(given):
        return _sent_type(given.value_type, column)
    if types.is_map(given):
        entry = f"list<struct<key: {given.key_type}, value: {given.item_type}>>"
        raise refuse(f"cast it to {entry}")
    if types.is_decimal(given):
        raise refuse("cast it to float64, or to int64 in units of the last digit")
    if types.is_null(given):
        raise refuse("it has only nulls; cast it to the type that its values would have, such as float64")
    if types.is_duration(given) or types.is_interval(given):
        raise refuse("cast it to int64")
    if types.is_union(given):
        raise refuse("give each of its types a column")
    if isinstance(given, pa.BaseExtensionType):
        tensor = given.extension_name in ("arrow.fixed_shape_tensor", "arrow.variable_shape_tensor")
        return given if tensor else _sent_type(given.storage_type, column)
    if types.is_struct(given):
        inner = [given.field(i) for i in range(given.num_fields)]
        return pa.struct([pa.field(f.name, _sent_type(f.type, f"{column}.{f.name}"), f.nullable) for f in inner])
    if types.is_list(given) or types.is_large_list(given) or types.is_fixed_size_list(given) or _is_list_view(given):
        field = given.value_field.with_type(_sent_type(given.value_type, column))
        if types.is_fixed_size_list(given):
            return pa.list_(field, given.list_size)
        return pa.large_list(field) if str(given).startswith("large") else pa.list_(field)
    return {"string_view": pa.string(), "binary_view": pa.binary()}.get(str(given), given)


def _is_list_view(given: Any) -> bool:
    return str(given).startswith(("list_view", "large_list_view"))


def _convert(column: Any, sent: Any) -> Any:
    if column.type.equals(sent):
        return column
    if pa.types.is_run_end_encoded(column.type):
        compute: Any = _needs.load("pyarrow.compute", "howdah.Feed")
        return _convert(compute.run_end_decode(column), sent)
    if isinstance(column.type, pa.BaseExtensionType):
        return _convert(column.storage, sent)
    return column.cast(sent)

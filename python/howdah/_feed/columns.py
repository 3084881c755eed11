"""Columns of Arrow as arrays of numpy: the table "column" of docs/python-api.md.

A Column converts the values of one column, or of one field of a struct. Arrays are views of Arrow's memory where the
type allows it.
"""

from __future__ import annotations

from typing import Any, Callable, Mapping, NamedTuple, Sequence

from .. import _needs
from .._errors import FeedMisuse, FeedTypeError

np: Any = _needs.load("numpy", "howdah.Context.feed")
pa: Any = _needs.load("pyarrow", "howdah.Context.feed")

_MISSING = object()
_NUMBERS = {"halffloat": "float16", "float": "float32", "double": "float64"}
_NUMBERS.update({f"{sign}int{bits}": f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)})
_VECTOR = {"type": "int8", "size": "int32", "indices": "list", "values": "list"}  # VectorUDT of Spark ML
_IMAGE = {"origin": "string", "height": "int32", "width": "int32", "nChannels": "int32", "mode": "int32"}


class Bad(Exception):
    """A value that cannot be converted. row: in the array."""

    def __init__(self, row: int, why: str) -> None:
        super().__init__(why)
        self.row, self.why = row, why


class Options(NamedTuple):
    """The arguments of FeedReader.numpy and of its siblings."""

    columns: Sequence[str] | None = None
    as_tuple: Sequence[str] | None = None
    shapes: Mapping[str, Sequence[int]] = {}
    dtypes: Mapping[str, Any] = {}
    nulls: Mapping[str, Any] = {}
    ragged: Sequence[str] = ()
    map: Callable[[Any], Any] | None = None
    prefetch: int = 2


# --- memory ---


class _Address:
    """Describes memory of a buffer to numpy. The array keeps this object, and so the buffer."""

    __slots__ = ("__array_interface__", "buffer")
    __array_interface__: dict[str, Any]
    buffer: Any


def view(buffer: Any, dtype: Any, first: int, count: int) -> Any:
    """Values in a buffer as a writable array. The owner of the buffer permits this for its private mapping; memory
    that Arrow has allocated for this reader belongs to it, too."""
    if count == 0 or buffer is None:
        return np.zeros(count, dtype)
    if (first + count) * dtype.itemsize > buffer.size:
        raise FeedTypeError("a column of a feed is shorter than its number of rows; report this")
    owner = _Address()
    owner.buffer = buffer
    owner.__array_interface__ = {
        "shape": (count,),
        "typestr": dtype.str,
        "data": (buffer.address + first * dtype.itemsize, False),
        "version": 3,
    }
    return np.asarray(owner)


_UINT8 = np.dtype("uint8")


def _bits(buffer: Any, first: int, count: int) -> Any:
    data = view(buffer, _UINT8, first // 8, (first % 8 + count + 7) // 8)
    return np.unpackbits(data, bitorder="little")[first % 8 : first % 8 + count]


def _valid(array: Any) -> Any:
    return _bits(array.buffers()[0], array.offset, len(array)).view(bool)


def _refuse_nulls(array: Any) -> None:
    if array.null_count:
        raise Bad(int(np.argmin(_valid(array))), "is null")


def _offsets(array: Any) -> Any:
    large = str(array.type).startswith("large_")
    return view(array.buffers()[1], np.dtype("int64" if large else "int32"), array.offset, len(array) + 1)


def _one_length(lengths: Any, unit: str) -> int:
    size = int(lengths[0]) if len(lengths) else 0
    unequal = lengths != size
    if unequal.any():
        row = int(np.argmax(unequal))
        raise Bad(row, f"has {int(lengths[row])} {unit}, and the rows before it {size}")
    return size


# --- types ---


def _is_list(given: Any) -> bool:
    types = pa.types
    return bool(types.is_list(given) or types.is_large_list(given) or types.is_fixed_size_list(given))


def _fields(given: Any) -> dict[str, str]:
    fields = (given.field(i) for i in range(given.num_fields))
    return {field.name: "list" if _is_list(field.type) else str(field.type) for field in fields}


def is_vector(given: Any) -> bool:
    return pa.types.is_struct(given) and _fields(given) == _VECTOR


def is_image(given: Any) -> bool:
    if not pa.types.is_struct(given):
        return False
    fields = _fields(given)
    return fields.pop("data", "") in ("binary", "large_binary") and fields == _IMAGE


def storage(given: Any) -> Any:
    """The type without extension types."""
    return storage(given.storage_type) if isinstance(given, pa.BaseExtensionType) else given


def remedy(given: Any) -> str | None:
    """How to convert a type that arrays cannot hold. None: arrays can hold it."""
    given = storage(given)
    types = pa.types
    if types.is_map(given):
        return "cast it to lists of its keys and values, such as map_keys(c) and map_values(c) in Spark"
    if types.is_decimal(given):
        return "cast it to double, or to long in units of its last digit"
    if types.is_interval(given):
        return "cast it to long"
    if _is_list(given):
        inner = storage(given.value_type)
        if types.is_string(inner) or types.is_large_string(inner) or is_binary(inner) or types.is_struct(inner):
            return "convert it to numbers, or read it with .rows() or .arrow()"
        return remedy(inner)
    if str(given) in _NUMBERS or types.is_boolean(given) or types.is_temporal(given) and not types.is_time(given):
        return None
    if types.is_string(given) or types.is_large_string(given) or is_binary(given) or types.is_struct(given):
        return None
    return "cast it to a number, a string or a binary"


def is_binary(given: Any) -> bool:
    types = pa.types
    return bool(types.is_binary(given) or types.is_large_binary(given) or types.is_fixed_size_binary(given))


def is_string(given: Any) -> bool:
    return bool(pa.types.is_string(given) or pa.types.is_large_string(given))


# --- conversion of arrays without a choice ---


def dense(array: Any) -> Any:
    """Numbers, times, and lists of them, as an array with the rows as its first dimension. Raises Bad."""
    given = array.type
    if isinstance(given, pa.BaseExtensionType):
        return _extension(array)
    _refuse_nulls(array)
    types, rows = pa.types, len(array)
    if _is_list(given):
        return _lists(array)
    if types.is_boolean(given):
        return _bits(array.buffers()[1], array.offset, rows).view(bool)
    name = _NUMBERS.get(str(given))
    if name is not None:
        return view(array.buffers()[1], np.dtype(name), array.offset, rows)
    if types.is_date32(given):
        return view(array.buffers()[1], np.dtype("int32"), array.offset, rows).astype("datetime64[D]")
    if types.is_date64(given):
        return view(array.buffers()[1], np.dtype("datetime64[ms]"), array.offset, rows).astype("datetime64[D]")
    kind = "timedelta64" if types.is_duration(given) else "datetime64"
    return view(array.buffers()[1], np.dtype(f"{kind}[{given.unit}]"), array.offset, rows)


def _lists(array: Any) -> Any:
    rows = len(array)
    if pa.types.is_fixed_size_list(array.type):
        size, first = array.type.list_size, array.offset * array.type.list_size
    else:
        offsets = _offsets(array)
        size, first = _one_length(np.diff(offsets), "values"), int(offsets[0])
    try:
        inner = dense(array.values.slice(first, rows * size))
    except Bad as bad:
        if bad.why == "is null":
            raise Bad(bad.row // size, "contains a null") from None
        raise Bad(bad.row // size, f"contains a list that {bad.why}") from None
    return inner.reshape((rows, size) + inner.shape[1:])


def _extension(array: Any) -> Any:
    name, inner = array.type.extension_name, dense(array.storage)
    if name == "arrow.bool8":
        return inner != 0
    if name != "arrow.fixed_shape_tensor":
        return inner
    inner = inner.reshape((len(array), *array.type.shape))
    order = array.type.permutation
    return inner if order is None else inner.transpose(0, *(axis + 1 for axis in order))


def binaries(array: Any) -> Any:
    """Binaries of one length as uint8 [rows, length]. Raises Bad."""
    _refuse_nulls(array)
    rows = len(array)
    if pa.types.is_fixed_size_binary(array.type):
        size, first = array.type.byte_width, array.offset * array.type.byte_width
    else:
        offsets = _offsets(array)
        size, first = _one_length(np.diff(offsets), "bytes"), int(offsets[0])
    return view(array.buffers()[-1], _UINT8, first, rows * size).reshape(rows, size)


def vectors(array: Any) -> Any:
    """Vectors of Spark ML, sparse ones converted to dense. Raises Bad."""
    _refuse_nulls(array)
    kinds, sizes = dense(array.field("type")), array.field("size")
    if (kinds == 1).all():
        return dense(array.field("values"))
    rows = len(array)
    values, value_offsets = array.field("values"), _offsets(array.field("values"))
    indices, index_offsets = array.field("indices"), _offsets(array.field("indices"))
    data, places = dense(values.values), dense(indices.values)
    sparse = kinds == 0
    declared = view(sizes.buffers()[1], np.dtype("int32"), sizes.offset, rows)
    width = _one_length(np.where(sparse, declared, np.diff(value_offsets)), "values")
    out = np.zeros((rows, width), data.dtype)
    for row in range(rows):
        found = data[value_offsets[row] : value_offsets[row + 1]]
        if sparse[row]:
            out[row, places[index_offsets[row] : index_offsets[row + 1]]] = found
        else:
            out[row] = found
    return out


def images(array: Any) -> Any:
    """Images of one size as uint8 [rows, height, width, channels]. Raises Bad."""
    _refuse_nulls(array)
    sizes = [dense(array.field(name)) for name in ("height", "width", "nChannels")]
    shape = [_one_length(size, unit) for size, unit in zip(sizes, ("pixels in height", "pixels in width", "channels"))]
    data = binaries(array.field("data"))
    if data.shape[1] != int(np.prod(shape)):
        raise Bad(0, f"has {data.shape[1]} bytes for {shape[0]} × {shape[1]} pixels of {shape[2]} bytes")
    return data.reshape(len(array), *shape)


def image_list(array: Any) -> list[Any]:
    """Images of different sizes."""
    return [images(array.slice(row, 1))[0] for row in range(len(array))]


# --- columns ---


class Column:
    """One column in the form that an adapter asks for. `kind` is number, bool, time, list, string, binary or image."""

    def __init__(self, key: str, path: tuple[int, ...], given: Any, options: Options, adapter: str) -> None:
        self.key, self._path, self.type = key, path, given
        plain = storage(given)
        why = remedy(given)
        if why is not None:
            raise FeedTypeError(f"the column {key!r} has the type {given}, which arrays cannot hold: {why}")
        self.kind = _kind(plain)
        self.ragged = key in options.ragged
        if self.ragged and self.kind not in ("list", "binary"):
            raise FeedMisuse(f"ragged contains {key!r}, but the column has the type {given}; only lists can be ragged")
        self.shape = tuple(options.shapes[key]) if key in options.shapes else None
        self.dtype = _dtype(key, options.dtypes[key]) if key in options.dtypes else None
        self._null = options.nulls.get(key, _MISSING)
        self._adapter = adapter
        self._integers = adapter != "numpy" and pa.types.is_temporal(plain)  # times as int64
        self._width: Any = None  # the shape of the rows returned so far, which all rows of a list must have
        self._bytes = adapter == "tf" and self.kind == "binary" and self.shape is None and not self.ragged

    def of(self, batch: Any) -> Any:
        """The Arrow array of this column in a batch."""
        array = batch.column(self._path[0])
        for field in self._path[1:]:
            array = array.flatten()[field] if array.null_count else array.field(field)
        return array

    def whole(self, array: Any) -> Any:
        """All rows as one array without copying, whose slices are the values of batches; else None."""
        if self.ragged or self._bytes or self.kind == "string":
            return None
        if self.kind == "vector" and not self._all_dense(array):
            return None
        try:
            found = self._array(array)
            self._check_width(found)
        except Bad:  # a batch that does not contain the row may still be converted
            return None
        return self._shaped(found)

    def values(self, array: Any, where: Callable[[int], str]) -> Any:
        """The rows of a batch: an array, a list, or (values, offsets). where: describes a row for messages."""
        try:
            found = self._values(array)
            self._check_width(found)
        except Bad as bad:
            raise FeedTypeError(f"the column {self.key!r} {bad.why} in {where(bad.row)}: {self._advice(bad)}") from None
        return self.cast(self._shaped(found))

    def cast(self, found: Any) -> Any:
        """The rows of a batch with the type that the option `dtypes` demands."""
        if self.dtype is None:
            return found
        if isinstance(found, tuple):
            return self.cast(found[0]), found[1]
        if not isinstance(found, np.ndarray):
            raise FeedTypeError(f"dtypes contains {self.key!r}, whose rows are no array but a list")
        return found.astype(self.dtype)

    def _check_width(self, found: Any) -> None:
        if self.kind not in ("list", "vector") or self.ragged:
            return
        if self._width is None:
            self._width = found.shape[1:]
        elif self._width != found.shape[1:]:
            raise Bad(0, f"has values of the shape {found.shape[1:]}, and the rows before it {self._width}")

    def _all_dense(self, array: Any) -> bool:
        return not array.null_count and bool((dense(array.field("type")) == 1).all())

    def _array(self, array: Any) -> Any:
        if self._null is not _MISSING and array.null_count:
            return self._filled(array)
        if self.kind == "binary":
            return binaries(array)
        if self.kind == "vector":
            return vectors(array)
        if self.kind == "image":
            return images(array)
        return self._as_integers(dense(array))

    def _as_integers(self, found: Any) -> Any:
        if not self._integers:
            return found
        if found.dtype.str.endswith("[D]"):
            return found.view("int64")
        return found.astype(f"{found.dtype.str[1]}8[us]", copy=False).view("int64")

    def _values(self, array: Any) -> Any:
        if self.ragged:
            return self._ragged(array)
        if self.kind == "string" or self._bytes:
            return self._objects(array)
        try:
            return self._array(array)
        except Bad as bad:
            if bad.why in ("is null", "contains a null"):
                raise
            if self.kind == "binary" and self.shape is None:
                return array.to_pylist()
            if self.kind == "image" and self._adapter != "tf":
                return image_list(array)
            raise

    def _objects(self, array: Any) -> Any:
        if self._null is _MISSING:
            _refuse_nulls(array)
        found = array.to_pylist()
        if array.null_count:
            found = [self._null if value is None else value for value in found]
        if self._adapter in ("torch", "jax"):
            return found
        out = np.empty(len(found), object)
        out[:] = found
        return out

    def _ragged(self, array: Any) -> Any:
        if array.null_count and self._null is not _MISSING:
            raise FeedMisuse(f"nulls contains the ragged column {self.key!r}: replace its nulls in the source")
        _refuse_nulls(array)
        if pa.types.is_fixed_size_list(array.type) or pa.types.is_fixed_size_binary(array.type):
            found = self._array(array)
            return found.reshape(-1, *found.shape[2:]), np.arange(len(array) + 1, dtype="int64") * found.shape[1]
        offsets = _offsets(array).astype("int64")
        first, last = int(offsets[0]), int(offsets[-1])
        if self.kind == "binary":
            return view(array.buffers()[-1], _UINT8, first, last - first), offsets - first
        try:
            found = dense(array.values.slice(first, last - first))
        except Bad as bad:
            row = int(np.searchsorted(offsets, bad.row + first, side="right")) - 1
            raise Bad(row, "contains a null" if bad.why == "is null" else f"contains a list that {bad.why}") from None
        return self._as_integers(found), offsets - first

    def _filled(self, array: Any) -> Any:
        """With `nulls`: a copy, in which each null has the value of the option."""
        if self.kind in ("number", "bool", "time"):
            valid = _valid(array)
            buffers = [None, *array.buffers()[1:]]
            bare = pa.Array.from_buffers(array.type, len(array), buffers, offset=array.offset)
            found = self._as_integers(dense(bare)).copy()
            found[~valid] = self._as_null(found.dtype)
            return found
        value = self._null
        found = [value if row is None else row for row in array.to_pylist()]
        if self.kind == "binary":
            lengths = np.array([len(row) for row in found])
            return np.frombuffer(bytearray().join(found), _UINT8).reshape(len(found), _one_length(lengths, "bytes"))
        if self.kind != "list":
            raise Bad(int(np.argmin(_valid(array))), "is null")
        _one_length(np.array([len(row) for row in found]), "values")
        inner = storage(array.type)
        while _is_list(inner):
            inner = storage(inner.value_type)
        return np.array(found, "bool" if pa.types.is_boolean(inner) else _NUMBERS.get(str(inner)))

    def _as_null(self, dtype: Any) -> Any:
        try:
            value = np.array(self._null)
            cast = value.astype(dtype, casting="unsafe" if value.dtype.kind in "iub" else "same_kind")
            if value.dtype.kind in "mMOUS" or dtype.kind == "f" or cast == value:
                return cast
        except (TypeError, ValueError, OverflowError):
            pass
        raise FeedMisuse(f"nulls has the value {self._null!r} for {self.key!r}, which the type {dtype} cannot hold")

    def _shaped(self, found: Any) -> Any:
        if self.shape is None or not isinstance(found, np.ndarray):
            return found
        size = int(np.prod(found.shape[1:]))
        if size != int(np.prod(self.shape)):
            raise FeedTypeError(
                f"each row of the column {self.key!r} has {size} values, which do not fill the shape {self.shape}: "
                f"correct shapes[{self.key!r}]"
            )
        return found.reshape(len(found), *self.shape)

    def _advice(self, bad: Bad) -> str:
        if bad.why == "is null":
            if self.kind in ("image", "vector"):
                return "filter such rows in the source"
            return f"give nulls={{{self.key!r}: …}} a value for it, or filter such rows in the source"
        if bad.why == "contains a null":
            return "replace it in the source"
        if self.kind == "image":
            return "resize the images in the source"
        if self.kind == "binary":
            return "read it without shapes: rows of different lengths are returned as a list of bytes"
        return f"give ragged=({self.key!r},) for values with offsets, or rows of one length"


def _kind(plain: Any) -> str:
    if _is_list(plain):
        return "list"
    if is_vector(plain):
        return "vector"
    if is_image(plain):
        return "image"
    if is_string(plain):
        return "string"
    if is_binary(plain):
        return "binary"
    if pa.types.is_temporal(plain):
        return "time"
    return "bool" if pa.types.is_boolean(plain) else "number"


def _dtype(key: str, given: Any) -> Any:
    name = getattr(given, "as_numpy_dtype", given)  # of TensorFlow
    text = str(name)
    try:
        return np.dtype(text[len("torch.") :] if text.startswith("torch.") else name)
    except TypeError:
        raise FeedMisuse(f"dtypes has {given!r} for {key!r}, which numpy does not know; give a numpy type") from None


def columns_of(schema: Any, options: Options, adapter: str) -> list[Column]:
    """The columns that a program asks for, in its order. A struct gives one column per field, such as `a.b`."""
    available: dict[str, tuple[tuple[int, ...], Any]] = {}
    inside: dict[str, list[str]] = {}  # the keys below a struct

    def add(key: str, path: tuple[int, ...], given: Any, parents: tuple[str, ...]) -> None:
        if pa.types.is_struct(given) and not is_vector(given) and not is_image(given):
            for number in range(given.num_fields):
                field = given.field(number)
                add(f"{key}.{field.name}", (*path, number), field.type, (*parents, key))
            return
        available[key] = (path, given)
        for parent in parents:
            inside.setdefault(parent, []).append(key)

    for number, field in enumerate(schema):
        add(field.name, (number,), field.type, ())
    wanted: list[str] = []
    for key in available if options.columns is None and options.as_tuple is None else requested(options):
        if key not in available and key not in inside:
            raise FeedMisuse(f"the feed has no column {key!r}; its columns are {', '.join(available)}")
        wanted += inside[key] if key in inside and key not in available else [key]
    for name, keys in (("shapes", options.shapes), ("dtypes", options.dtypes), ("nulls", options.nulls)):
        _check_keys(name, keys, wanted)
    _check_keys("ragged", options.ragged, wanted)
    return [Column(key, *available[key], options, adapter) for key in wanted]


def requested(options: Options) -> list[str]:
    """The names in `columns` or `as_tuple`."""
    if options.as_tuple is not None:
        names = list(options.as_tuple)
        if options.columns is not None and not set(names) <= set(options.columns):
            raise FeedMisuse(f"as_tuple={tuple(names)} has a column that is not in columns={tuple(options.columns)}")
        return names
    return list(options.columns or ())


def _check_keys(option: str, keys: Any, columns: list[str]) -> None:
    for key in keys:
        if key not in columns:
            raise FeedMisuse(f"{option} contains {key!r}, which is not among the columns {', '.join(columns)}")

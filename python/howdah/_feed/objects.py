"""Elements of an RDD as record batches, and back.

The first elements of an RDD make a plan: columns, if they agree, else one column of pickles. Later elements that do not
fit the columns are pickled, too. The metadata of a schema tell how to make the elements again:

    howdah.rows    value, tuple, list, dict or row; pickle: the only column, `_pickled`, has one pickle per element
    howdah.types   with columns: the types of their values, as in a plan
    howdah.why     with pickles: the reason why these elements are no columns

The text of this module travels to Spark's tasks, so it needs only the standard library and pyarrow.
"""

from __future__ import annotations

import datetime
import io
import json
import pickle
from bisect import bisect_right
from importlib import import_module
from itertools import accumulate, chain, islice
from typing import Any, Iterable, Iterator, Sequence

pa: Any = import_module("pyarrow")

ROWS, TYPES, WHY = b"howdah.rows", b"howdah.types", b"howdah.why"
PICKLED = "_pickled"
FIRST = 10  # elements that make the plan

_CHUNK_ROWS = 1024  # elements that are converted together, at most
_CHUNK_BYTES = 2 << 20
_PLAIN = {bool: "bool", int: "int", float: "float", str: "str", bytes: "bytes"}
_PLAIN.update({datetime.date: "date", datetime.datetime: "datetime"})
_OF = {name: kind for kind, name in _PLAIN.items()}
_ARROW = {"bool": "bool_", "int": "int64", "float": "float64", "str": "string", "bytes": "binary", "date": "date32"}


class Unfit(ValueError):
    """An element that a feed cannot carry."""

    unfit = True  # for spark_task.py, whose text has other classes


class _Unlike(Exception):
    """An element differs from the plan. row: in its chunk."""

    def __init__(self, row: int, why: str) -> None:
        super().__init__(why)
        self.row, self.why = row, why


# --- plans ---
#
# A plan is an object of JSON: {"kind", "names", "types"}, or {"kind": "pickle", "why"}. A type is one of
#   "bool", "int", "float", "str", "bytes", "date", "datetime"    types of Python; datetime without a time zone
#   ["list", type]                                                a list of values of one type
#   ["numpy", dtype]                                              a scalar of numpy
#   ["array", dtype, shape]                                       an array of numpy; shape null: 1-D, of any length


def plan_of(first: Sequence[Any]) -> dict[str, Any]:
    """The plan for an RDD that begins with these elements; at least one."""
    kind, names = _kind(first[0])
    if kind == "list":
        try:  # a list of numbers is one value
            return {"kind": "value", "names": ["value"], "types": [_type(list(first), "the element")]}
        except _Unlike:
            pass
    try:
        columns = _transposed(first, kind, names)
        if kind == "value":
            return {"kind": kind, "names": names, "types": [_type(columns[0], "the element")]}
        types = [_type(column, f"the field {name!r}") for name, column in zip(names, columns)]
        return {"kind": kind, "names": names, "types": types}
    except _Unlike as unlike:
        return {"kind": "pickle", "why": f"element {unlike.row} {unlike.why}"}


def _kind(element: Any) -> tuple[str, list[str]]:
    kind = type(element)
    if kind.__name__ == "Row" and kind.__module__.startswith("pyspark."):
        return "row", list(getattr(element, "__fields__", []))
    if kind is dict:
        return "dict", list(element)
    if kind in (tuple, list):
        return kind.__name__, [f"_{number + 1}" for number in range(len(element))]
    return "value", ["value"]


def _transposed(elements: Sequence[Any], kind: str, names: Sequence[str]) -> list[Sequence[Any]]:
    """The values of each column. Raises _Unlike if elements differ in their fields."""
    if kind == "value":
        return [elements]
    if not names or not all(type(name) is str for name in names) or len(set(names)) != len(names):
        raise _Unlike(0, "has no fields with names" if kind in ("dict", "row") else "is empty")
    known: Any = set(names) if kind == "dict" else list(names)
    for row, element in enumerate(elements):
        of, found = _kind(element)
        if of != kind:
            raise _Unlike(row, f"has the type {type(element).__name__}, and the first element is a {kind}")
        if (set(found) if kind == "dict" else found) != known:
            raise _Unlike(row, f"has the fields {', '.join(map(str, found))}, and the first element {', '.join(names)}")
    if kind == "dict":
        return [[element[name] for element in elements] for name in names]
    return list(zip(*elements))


def _type(values: Sequence[Any], what: str) -> Any:
    """The type of these values. Raises _Unlike if a column cannot hold them."""
    some = next((row for row, value in enumerate(values) if value is not None), None)
    if some is None:
        raise _Unlike(0, f"has no value: {what} is None in the first elements")
    given = values[some]
    kind = type(given)
    found: Any = _PLAIN.get(kind)
    if kind is list:
        _check(values, list, True)
        inner = [item for value in values if value is not None for item in value]
        found = ["list", _type(inner, f"a value in {what}")]
    elif kind.__module__ == "numpy":
        found = _numpy_type(values, given)
    if found is None:
        raise _Unlike(some, f"has the type {kind.__module__}.{kind.__name__}, which columns cannot hold: {what}")
    try:
        _array(values, found)
    except _Unlike as unlike:
        raise _Unlike(unlike.row, f"{unlike.why}: {what}") from None
    return found


def _numpy_type(values: Sequence[Any], given: Any) -> Any:
    dtype = getattr(given, "dtype", None)
    if dtype is None or dtype.kind not in "biuf" or not dtype.isnative or dtype.itemsize > 8:
        return None
    shape = getattr(given, "shape", ())
    if not shape:
        return ["numpy", dtype.name] if type(given).__name__ != "ndarray" else None
    same = all(getattr(value, "shape", None) == shape for value in values)
    if same and given.size > 0:
        return ["array", dtype.name, list(shape)]
    return ["array", dtype.name, None] if len(shape) == 1 else None


def _arrow_type(given: Any) -> Any:
    if isinstance(given, str):
        return pa.timestamp("us") if given == "datetime" else getattr(pa, _ARROW[given])()
    if given[0] == "list":
        return pa.list_(_arrow_type(given[1]))
    name: str = given[1]
    inner = getattr(pa, "bool_" if name == "bool" else name)()
    if given[0] == "numpy":
        return inner
    return pa.list_(inner) if given[2] is None else pa.list_(inner, _product(given[2]))


def _product(shape: Sequence[int]) -> int:
    size = 1
    for length in shape:
        size *= length
    return size


def _field(name: str, given: Any) -> Any:
    metadata = None
    if given[0] == "array" and given[2] is not None and len(given[2]) > 1:
        # Readers see a tensor. The executors of Spark need no pyarrow that has this type.
        text = json.dumps({"shape": given[2]})
        metadata = {"ARROW:extension:name": "arrow.fixed_shape_tensor", "ARROW:extension:metadata": text}
    return pa.field(name, _arrow_type(given), metadata=metadata)


def schema_of(plan: dict[str, Any]) -> Any:
    if plan["kind"] == "pickle":
        return pa.schema([pa.field(PICKLED, pa.binary(), False)], {ROWS: b"pickle", WHY: plan["why"].encode()})
    metadata = {ROWS: plan["kind"].encode(), TYPES: json.dumps(plan["types"]).encode()}
    return pa.schema([_field(name, given) for name, given in zip(plan["names"], plan["types"])], metadata)


# --- from elements to record batches ---


def batches(elements: Iterable[Any], plan: dict[str, Any], partition: int) -> Iterator[Any]:
    """Record batches with the elements of a partition, in their order. Their boundaries and types depend only on the
    elements. Raises Unfit."""
    schema = schema_of(plan)
    pickled = schema if plan["kind"] == "pickle" else None
    source = iter(elements)
    first, size = 0, 1
    while True:
        chunk = list(islice(source, size))
        if not chunk:
            return
        batch = None
        if plan["kind"] != "pickle":
            try:
                batch = _columns(chunk, plan, schema)
            except _Unlike as unlike:
                why = f"element {first + unlike.row} of partition {partition} {unlike.why}"
                if "columns" in plan:
                    raise Unfit(f"{why}: map the elements of the RDD to values of one type") from None
                pickled = pickled or schema_of({"kind": "pickle", "why": why})
        if batch is None:
            data = [_dumped(element, first + row, partition) for row, element in enumerate(chunk)]
            batch = pa.RecordBatch.from_arrays([pa.array(data, pa.binary())], schema=pickled)
        yield batch
        first += len(chunk)
        size = max(1, min(2 * size, _CHUNK_ROWS, _CHUNK_BYTES * len(chunk) // max(1, batch.nbytes)))


def _columns(chunk: Sequence[Any], plan: dict[str, Any], schema: Any) -> Any:
    kind, names, types = plan["kind"], plan["names"], plan["types"]
    arrays = []
    for name, given, values in zip(names, types, _transposed(chunk, kind, names)):
        if "columns" in plan and name not in plan["columns"]:
            continue
        try:
            arrays.append((name, _array(values, given)))
        except _Unlike as unlike:
            what = "" if kind == "value" else f" in the field {name!r}"
            raise _Unlike(unlike.row, unlike.why + what) from None
    if "columns" in plan:
        found = dict(arrays)
        fields = [schema.field(name) for name in plan["columns"]]
        return pa.RecordBatch.from_arrays([found[name] for name in plan["columns"]], schema=pa.schema(fields))
    return pa.RecordBatch.from_arrays([array for _, array in arrays], schema=schema)


def _array(values: Sequence[Any], given: Any, nulls: bool = True) -> Any:
    """The values as an Arrow array. Raises _Unlike if they do not all have the type."""
    if given[0] == "array":
        return _arrays(values, given)
    if given[0] == "list":
        _check(values, list, nulls)
        ends = list(accumulate((len(value) if value is not None else 0 for value in values), initial=0))
        try:
            inner = _array(list(chain.from_iterable(value for value in values if value is not None)), given[1], False)
        except _Unlike as unlike:
            raise _Unlike(bisect_right(ends, unlike.row) - 1, unlike.why) from None
        offsets: list[int | None] = [*ends]
        for row, value in enumerate(values):
            if value is None:
                offsets[row] = None
        return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), inner)
    if given[0] == "numpy":
        _check(values, getattr(import_module("numpy"), given[1].replace("bool", "bool_")), nulls)
    else:
        _check(values, _OF[given], nulls)
    if given == "datetime":
        for row, value in enumerate(values):
            if value is not None and (value.tzinfo is not None or value.fold):
                raise _Unlike(row, "has a time with a time zone")
    try:
        return pa.array(values, _arrow_type(given))
    except (pa.ArrowException, OverflowError, UnicodeError) as error:
        raise _Unlike(_first_bad(values, given), f"has a value that Arrow cannot hold ({error})") from None


def _check(values: Sequence[Any], kind: type, nulls: bool) -> None:
    found = set(map(type, values))
    found.discard(kind)
    if nulls:
        found.discard(type(None))
    if found:
        row = next(row for row, value in enumerate(values) if type(value) in found)
        name = type(values[row]).__name__
        raise _Unlike(row, f"has a {name} where the first elements have a value of the type {kind.__name__}")


def _first_bad(values: Sequence[Any], given: Any) -> int:
    for row, value in enumerate(values):
        try:
            pa.array([value], _arrow_type(given))
        except (pa.ArrowException, OverflowError, UnicodeError):
            return row
    return 0


def _arrays(values: Sequence[Any], given: Any) -> Any:
    numpy: Any = import_module("numpy")
    _check(values, numpy.ndarray, False)
    dtype, shape = numpy.dtype(given[1]), None if given[2] is None else tuple(given[2])
    for row, value in enumerate(values):
        if value.dtype != dtype:
            raise _Unlike(row, f"has an array of {value.dtype} where the first elements have {dtype}")
        if value.shape != shape and (shape is not None or value.ndim != 1):
            raise _Unlike(row, f"has an array of the shape {value.shape} where the first elements have {shape}")
    flat = pa.array(numpy.concatenate([value.reshape(-1) for value in values] or [numpy.empty(0, dtype)]))
    if shape is not None:
        return pa.FixedSizeListArray.from_arrays(flat, _product(shape))
    ends = list(accumulate(map(len, values), initial=0))
    return pa.ListArray.from_arrays(pa.array(ends, pa.int32()), flat)


def _dumped(element: Any, row: int, partition: int) -> bytes:
    try:
        return pickle.dumps(element, protocol=5)
    except Exception:  # such as a class of the main program, which the tasks have only by value
        pass
    try:
        try:
            by_value = import_module("pyspark.cloudpickle")
        except ImportError:
            by_value = import_module("cloudpickle")
        found: bytes = by_value.dumps(element, protocol=5)
        return found
    except Exception as error:
        raise Unfit(
            f"element {row} of partition {partition} of the type {type(element).__name__} cannot be pickled: {error}; "
            "map the elements of the RDD to values that can be"
        ) from error


# --- from record batches to elements ---


def kind_of(schema: Any) -> str | None:
    """The kind of the elements (`howdah.rows`); None if the rows are not elements of an RDD."""
    found = (schema.metadata or {}).get(ROWS)
    return None if found is None else str(found.decode())


def why_pickled(schema: Any) -> str:
    return str((schema.metadata or {}).get(WHY, b"").decode())


def elements_of(batch: Any) -> list[Any]:
    """The elements of the RDD, as it had them; dicts of a batch of other rows."""
    kind = kind_of(batch.schema)
    if kind is None:
        rows: list[Any] = batch.to_pylist()
        return rows
    if kind == "pickle":
        return list(map(_loaded, batch.column(0).to_pylist()))
    names = batch.schema.names
    columns = [_values(batch.column(at), given) for at, given in enumerate(json.loads(batch.schema.metadata[TYPES]))]
    if kind == "value":
        return columns[0]
    if kind == "tuple":
        return list(zip(*columns))
    if kind == "list":
        return list(map(list, zip(*columns)))
    if kind == "dict":
        return [dict(zip(names, values)) for values in zip(*columns)]
    made = row_class()(*names)
    return [made(*values) for values in zip(*columns)]


def _values(array: Any, given: Any) -> list[Any]:
    if given[0] == "numpy":
        kind = getattr(import_module("numpy"), given[1].replace("bool", "bool_"))
        return [None if value is None else kind(value) for value in array.to_pylist()]
    if given[0] != "array":
        found: list[Any] = array.to_pylist()
        return found
    if isinstance(array, pa.ExtensionArray):
        array = array.storage
    ends = [0]
    if given[2] is None:
        ends = list(accumulate(array.value_lengths().to_pylist(), initial=0))
    flat = array.flatten().to_numpy(zero_copy_only=False).copy()
    if given[2] is None:
        return [flat[first:end] for first, end in zip(ends, ends[1:])]
    return list(flat.reshape(len(array), *given[2]))


class Row(tuple):  # type: ignore[type-arg]
    """As pyspark.sql.Row, without pyspark."""

    __fields__: list[str]

    def __new__(cls, *values: Any) -> Row:
        return super().__new__(cls, values)

    def __call__(self, *values: Any) -> Row:
        return _create_row(list(self), values)

    def asDict(self, recursive: bool = False) -> dict[str, Any]:
        def plain(value: Any) -> Any:
            return value.asDict(True) if recursive and isinstance(value, Row) else value

        return {name: plain(value) for name, value in zip(self.__fields__, self)}

    def __getitem__(self, key: Any) -> Any:
        return super().__getitem__(self._at(key, KeyError) if isinstance(key, str) else key)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return super().__getitem__(self._at(name, AttributeError))

    def _at(self, name: str, error: type[Exception]) -> int:
        fields = self.__dict__.get("__fields__", [])
        if name not in fields:
            raise error(name)
        return int(fields.index(name))

    def __reduce__(self) -> Any:
        return _create_row, (self.__dict__.get("__fields__", []), tuple(self))

    def __repr__(self) -> str:
        named = zip(self.__dict__.get("__fields__", []), self)
        return f"Row({', '.join(f'{name}={value!r}' for name, value in named)})"


def _create_row(fields: Sequence[str], values: Sequence[Any]) -> Row:
    row = Row(*values)
    row.__fields__ = list(fields)
    return row


_row_class: list[Any] = []


def row_class() -> Any:
    """pyspark.sql.Row if this process has pyspark, else Row."""
    if not _row_class:
        try:
            _row_class.append(import_module("pyspark.sql.types").Row)
        except ImportError:
            _row_class.append(Row)
    return _row_class[0]


class _Unpickler(pickle.Unpickler):
    """Finds the functions of PySpark that pickles of its tasks name, also without pyspark."""

    def find_class(self, module: str, name: str) -> Any:
        try:
            return super().find_class(module, name)
        except ImportError:
            if module.startswith("pyspark.cloudpickle"):
                return super().find_class(module[len("pyspark.") :], name)
            if (module, name) == ("pyspark.sql.types", "_create_row"):
                return _create_row
            raise


def _loaded(data: bytes) -> Any:
    try:
        if b"pyspark" in data:
            return _Unpickler(io.BytesIO(data)).load()
        return pickle.loads(data)
    except Exception as error:
        raise Unfit(
            f"an element of the RDD cannot be unpickled here: {type(error).__name__}: {error}; the ranks need the "
            "modules of its classes, and the cloudpickle of Spark's tasks for classes of the main program"
        ) from error

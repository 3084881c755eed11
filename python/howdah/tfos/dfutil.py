"""Spark DataFrames as TFRecord files of Examples, and back, without a jar and without TensorFlow.

Python functions of Spark's tasks do the work; the Python of the executors needs numpy and pyarrow.
"""

from __future__ import annotations

import json
import weakref
from importlib import import_module
from typing import Any, Callable, Iterable, Iterator, Sequence

from ..data import _example
from . import _carried, _examples

_NEEDS = ("_needs", "data._crc32c", "data._example", "data.tfrecord")
_FORMS = "_howdah_columns.json"  # beside the files: the columns that are arrays

loadedDF: weakref.WeakKeyDictionary[Any, str] = weakref.WeakKeyDictionary()  # the directories of loaded DataFrames


def isLoadedDF(df: Any) -> bool:
    """Whether loadTFRecords() has returned this DataFrame."""
    return df in loadedDF


def saveAsTFRecords(df: Any, output_dir: str) -> None:
    """Writes a DataFrame as Examples to TFRecord files in a new directory, one per partition.

    Integers and booleans become int64, floats and doubles float32, strings and binaries bytes; arrays have several
    values. A null is a missing feature. On file systems other than `file:` the driver writes the files.
    """
    dtypes = list(df.dtypes)
    forms = {name: _examples.form_of(name, dtype) for name, dtype in dtypes}  # raises for types that do not fit
    sc = df.sparkSession.sparkContext
    files, path = _hadoop(sc, output_dir)
    if files.exists(path):
        raise FileExistsError(17, f"writing TFRecord files: the directory {path.toString()} exists; remove it first")
    files.mkdirs(path)
    directory = _local(path)
    if directory is not None:
        write = _carried.function("tfos._examples", "write_part", _NEEDS)
        df.rdd.mapPartitionsWithIndex(lambda part, rows: write(directory, dtypes, part, rows)).count()
    else:
        pieces = _carried.function("tfos._examples", "chunks", _NEEDS)
        _write_all(sc, files, path, df.rdd.mapPartitionsWithIndex(lambda part, rows: pieces(dtypes, part, rows)))
    _write(sc, files, path, _FORMS, json.dumps({"arrays": sorted(name for name in forms if forms[name][1])}).encode())
    _write(sc, files, path, "_SUCCESS", b"")


def loadTFRecords(sc: Any, input_dir: str, binary_features: Sequence[str] = ()) -> Any:
    """The Examples of TFRecord files as a DataFrame, whose columns are sorted by name.

    int64 becomes bigint, float double, and bytes string, or binary for features in binary_features. A feature is an
    array if any record has not exactly one value, or if saveAsTFRecords() has written an array. Missing features are
    null. Reads all records to find the columns.
    """
    binary = list(binary_features)
    records = sc.binaryFiles(input_dir)
    look = _carried.function("tfos._examples", "forms_of_files", _NEEDS)
    forms: _examples.Forms = {}
    for found in records.mapPartitions(look).collect():
        for name, (kind, is_list) in found.items():
            known = forms.get(name, (0, False))
            if kind and known[0] and kind != known[0]:
                raise ValueError(
                    f"the feature {name!r} has {_example.NAMES[kind]} values in one file of {input_dir}, and "
                    f"{_example.NAMES[known[0]]} values in another"
                )
            forms[name] = (known[0] or kind, known[1] or is_list)
    for name in _arrays(sc, input_dir):
        forms[name] = (forms.get(name, (0, True))[0], True)
    if not forms:
        raise ValueError(f"the TFRecord files in {input_dir} have no record with a feature, so they have no columns")
    read = _carried.function("tfos._examples", "rows_of_files", _NEEDS)
    session = import_module("pyspark.sql").SparkSession.builder.getOrCreate()
    rows = records.mapPartitions(lambda files: read(forms, binary, files))
    frame = session.createDataFrame(rows, _schema(forms, binary), verifySchema=False)
    loadedDF[frame] = input_dir
    return frame


def toTFExample(dtypes: Sequence[tuple[str, str]]) -> Callable[[Iterable[Any]], Iterator[tuple[bytearray, None]]]:
    """A function for mapPartitions that returns pairs (serialized Example, None) of Rows. dtypes: DataFrame.dtypes."""
    convert = _carried.function("tfos._examples", "to_examples", _NEEDS)
    types = list(dtypes)
    return lambda rows: ((bytearray(record), None) for record in convert(types, rows))


def fromTFExample(iter: Iterable[Any], binary_features: Sequence[str] = ()) -> list[Any]:
    """A function for mapPartitions that returns Rows of pairs (serialized Example, anything)."""
    records = [_serialized(item[0] if isinstance(item, tuple) else item) for item in iter]
    forms: _examples.Forms = {}
    for record in records:
        _examples.add_forms(forms, _example.parse(record))
    row_class: Any = import_module("pyspark.sql").Row
    make = row_class(*sorted(forms))
    return [make(*_examples.row_of(forms, binary_features, record)) for record in records]


def infer_schema(example: Any, binary_features: Sequence[str] = ()) -> Any:
    """The StructType of a tf.train.Example, or of a serialized one."""
    forms: _examples.Forms = {}
    _examples.add_forms(forms, _example.parse(_serialized(example)))
    return _schema(forms, binary_features)


def _serialized(example: Any) -> bytes:
    return bytes(example.SerializeToString() if hasattr(example, "SerializeToString") else example)


def _schema(forms: _examples.Forms, binary: Sequence[str]) -> Any:
    types: Any = import_module("pyspark.sql.types")
    fields = []
    for name in sorted(forms):
        kind, is_list = forms[name]
        item = {_example.INT64: types.LongType(), _example.FLOAT: types.DoubleType()}.get(kind)
        if item is None:
            item = types.BinaryType() if name in binary else types.StringType()
        fields.append(types.StructField(name, types.ArrayType(item) if is_list else item, True))
    return types.StructType(fields)


# --- files, with the file systems of Spark's JVM ---


def _hadoop(sc: Any, uri: str) -> tuple[Any, Any]:
    path = sc._jvm.org.apache.hadoop.fs.Path(uri)
    files = path.getFileSystem(sc._jsc.hadoopConfiguration())
    return files, files.makeQualified(path)


def _local(path: Any) -> str | None:
    """The directory on this machine, or on a file system that all executors share."""
    return str(path.toUri().getPath()) if path.toUri().getScheme() == "file" else None


def _write(sc: Any, files: Any, directory: Any, name: str, data: bytes) -> None:
    stream = files.create(sc._jvm.org.apache.hadoop.fs.Path(directory, name), True)
    try:
        stream.write(bytearray(data))
    finally:
        stream.close()


def _write_all(sc: Any, files: Any, directory: Any, pieces: Any) -> None:
    """Writes the files of all partitions, which come in pieces, in order."""
    stream, current = None, -1
    try:
        for part, data in pieces.toLocalIterator(prefetchPartitions=True):
            if part != current:
                if stream is not None:
                    stream.close()
                name = sc._jvm.org.apache.hadoop.fs.Path(directory, f"part-r-{part:05}")
                stream, current = files.create(name, True), part
            if stream is not None:
                stream.write(bytearray(data))
    finally:
        if stream is not None:
            stream.close()


def _arrays(sc: Any, uri: str) -> list[str]:
    """The columns that saveAsTFRecords() has written as arrays."""
    files, directory = _hadoop(sc, uri)
    path = sc._jvm.org.apache.hadoop.fs.Path(directory, _FORMS)
    if any(letter in uri for letter in "*?[{") or not files.exists(path):
        return []
    stream = files.open(path)
    try:
        data = bytes(sc._jvm.org.apache.commons.io.IOUtils.toByteArray(stream))
    finally:
        stream.close()
    found: list[str] = json.loads(data).get("arrays", [])
    return found

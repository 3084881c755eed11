"""Predictions with a SavedModel, for the rows of a partition. Its text travels to Spark's tasks."""

from __future__ import annotations

from importlib import import_module
from itertools import islice
from typing import Any, Dict, Iterable, Iterator, Tuple

_loaded: Dict[Tuple[Any, ...], Any] = {}  # the models of this process


def predictions(keys: Dict[str, Any], rows: Iterable[Any]) -> Iterator[Tuple[Any, ...]]:
    """One tuple per row, with the outputs in the order of keys["outputs"]."""
    model = source = None
    found = iter(rows)
    while True:
        batch = list(islice(found, keys["batch_size"]))
        if not batch:
            return
        if model is None:
            model, source = _load(keys)
        tf: Any = import_module("tensorflow")
        inputs = {}
        for name, values in zip(keys["inputs"], zip(*batch)):
            wanted = model.structured_input_signature[1].get(name)
            if wanted is None:
                names = ", ".join(sorted(model.structured_input_signature[1]))
                raise ValueError(f"the signature {keys['signature']!r} has no input {name!r}; its inputs are {names}")
            inputs[name] = tf.constant([_plain(value) for value in values], wanted.dtype)
            if None not in wanted.shape.as_list()[1:]:
                inputs[name] = tf.reshape(inputs[name], [len(batch), *wanted.shape.as_list()[1:]])
        outputs = model(**inputs)
        for name in keys["outputs"]:
            if name not in outputs:
                names = ", ".join(sorted(outputs))
                raise ValueError(f"the signature {keys['signature']!r} has no output {name!r}; its outputs are {names}")
        columns = [outputs[name].numpy() for name in keys["outputs"]]
        for name, column in zip(keys["outputs"], columns):
            if column.shape[:1] != (len(batch),):
                raise ValueError(
                    f"the output {name!r} has the shape {column.shape} for {len(batch)} rows: it must have one result "
                    "per row"
                )
        yield from zip(*[_values(column) for column in columns])
    del source


def _load(keys: Dict[str, Any]) -> Tuple[Any, Any]:
    """The function of the signature, and the model, which must live as long as the function is used."""
    key = (keys["directory"], keys["signature"], tuple(keys["tags"]))
    if key not in _loaded:
        tf: Any = import_module("tensorflow")
        model = tf.saved_model.load(keys["directory"], tags=keys["tags"])
        if keys["signature"] not in model.signatures:
            raise ValueError(
                f"the SavedModel in {keys['directory']} has no signature {keys['signature']!r}; its signatures are "
                f"{', '.join(model.signatures) or 'none'}"
            )
        _loaded[key] = (model.signatures[keys["signature"]], model)
    found: Tuple[Any, Any] = _loaded[key]
    return found


def _plain(value: Any) -> Any:
    """A value of Spark for tf.constant."""
    if hasattr(value, "toArray"):  # a vector of Spark ML
        return value.toArray().tolist()
    return bytes(value) if isinstance(value, bytearray) else value


def _values(column: Any) -> Any:
    """The rows of an output as values of Python. Strings of TensorFlow are bytes: those that are text become str."""
    values = column.tolist()
    if column.dtype.kind != "O":
        return values
    try:
        return _decoded(values)
    except UnicodeDecodeError:
        return [bytearray(value) if isinstance(value, bytes) else value for value in values]


def _decoded(value: Any) -> Any:
    if isinstance(value, list):
        return [_decoded(item) for item in value]
    return value.decode() if isinstance(value, bytes) else value

"""Batches as arrays of JAX."""

from __future__ import annotations

from typing import Any

from .. import _needs
from .._errors import FeedTypeError
from .batches import Converter
from .columns import Options, np

jax: Any = _needs.load("jax", "FeedReader.jax")


def converter(options: Options, sharding: Any) -> Converter:
    wide = bool(jax.config.jax_enable_x64)

    def convert(array: Any) -> Any:
        if not wide and array.dtype.kind in "iu" and array.dtype.itemsize == 8:
            array = _narrowed(array)
        if sharding is None:
            return jax.device_put(array)
        return jax.make_array_from_process_local_data(sharding, array)

    return Converter(options, "jax", convert)


def _narrowed(array: Any) -> Any:
    """Without jax_enable_x64, JAX cuts integers to 32 bits without an error."""
    narrow = array.astype(f"{array.dtype.kind}4")
    if not np.array_equal(narrow, array):
        value = array[narrow != array].flat[0]
        raise FeedTypeError(
            f"the number {value} does not fit into the 32 bits that JAX has for integers: set "
            'jax.config.update("jax_enable_x64", True), or give the column another type, such as '
            'dtypes={"x": "float32"}'
        )
    return narrow

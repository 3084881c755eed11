"""Registers Howdah's file system with fsspec."""

from __future__ import annotations

import os
import sys
from typing import Any

_CLASS = "howdah.fs.HadoopFileSystem"


def register(fsspec: Any) -> None:
    """Registers the protocol howdah-hdfs, in tasks also hdfs unless another package has registered it."""
    fsspec.register_implementation("howdah-hdfs", _CLASS, clobber=True)
    registry = sys.modules["fsspec.registry"]  # the attribute `registry` of fsspec is an object of this module
    known = registry.known_implementations.get("hdfs", {}).get("class", "fsspec.")
    # fsspec's own implementation needs a JVM and Hadoop's native library.
    if "HOWDAH_AGENT" in os.environ and known.startswith("fsspec.") and "hdfs" not in registry.registry:
        fsspec.register_implementation("hdfs", _CLASS, clobber=True)


class _AtImport:
    """Registers the file system when the program first imports fsspec, whose import takes too long for every task."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name != "fsspec":
            return None
        from importlib.util import find_spec

        sys.meta_path.remove(self)
        spec: Any = find_spec(name)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def execute_and_register(module: Any) -> None:
                execute(module)
                register(module)

            spec.loader.exec_module = execute_and_register
        return spec


def register_at_import() -> None:
    if "fsspec" in sys.modules:
        register(sys.modules["fsspec"])
    else:
        sys.meta_path.insert(0, _AtImport())

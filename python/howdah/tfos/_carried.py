"""Modules of this package for Spark's tasks, whose Python does not need the package: their texts travel with a task."""

from __future__ import annotations

import hashlib
import os
from typing import Any, Callable

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def function(module: str, name: str, needs: tuple[str, ...] = ()) -> Callable[..., Any]:
    """A function of a module, such as "tfos._examples", which can be pickled without this package. needs: the modules
    that it imports from the package, in the order in which they can be imported."""
    texts = []
    for one in (*needs, module):
        with open(os.path.join(_PACKAGE, *one.split(".")) + ".py", encoding="utf-8") as file:
            texts.append((one, file.read()))
    root = "howdah_carried_" + hashlib.sha256(repr(texts).encode()).hexdigest()[:16]

    def call(*args: Any) -> Any:
        import sys
        import types

        if f"{root}.{module}" not in sys.modules:
            for one, text in texts:
                package = root
                for part in ("", *one.split(".")[:-1]):
                    package += f".{part}" if part else ""
                    if package not in sys.modules:
                        sys.modules[package] = types.ModuleType(package)
                        sys.modules[package].__path__ = []
                        above, _, last = package.rpartition(".")
                        if above:
                            setattr(sys.modules[above], last, sys.modules[package])
                made = types.ModuleType(f"{root}.{one}")
                made.__package__ = package
                sys.modules[made.__name__] = made
                exec(compile(text, f"howdah/{one.replace('.', '/')}.py", "exec"), vars(made))
                setattr(sys.modules[package], one.rpartition(".")[2], made)
        return getattr(sys.modules[f"{root}.{module}"], name)(*args)

    return call

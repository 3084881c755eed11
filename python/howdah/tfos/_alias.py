"""Makes `import tensorflowonspark` work where the wheel howdah-tensorflowonspark is not installed, as in tasks."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, Sequence

NAME = "tensorflowonspark"


class _Finder(MetaPathFinder, Loader):
    """Finds the modules of howdah.tfos under the name of TensorFlowOnSpark. It is asked last, so an installed package
    comes first."""

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> Any:
        from . import MODULES

        if fullname == NAME:
            return ModuleSpec(fullname, self, is_package=True)
        package, _, module = fullname.rpartition(".")
        return ModuleSpec(fullname, self) if package == NAME and module in MODULES else None

    def create_module(self, spec: ModuleSpec) -> Any:
        _, _, module = spec.name.rpartition(".")
        return None if spec.name == NAME else import_module(f"howdah.tfos.{module}")

    def exec_module(self, module: ModuleType) -> None:
        if module.__name__ == NAME:
            from . import __version__

            vars(module)["__version__"] = __version__


def install() -> None:
    """Has no effect if it was called before."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.append(_Finder())

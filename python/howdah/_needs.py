"""Imports packages that only some parts of Howdah need."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def load(module: str, user: str) -> Any:
    """Imports a module of another package. user: the name of the module that needs it, for the error."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        package = module.partition(".")[0]
        if error.name != package:
            raise
        raise ModuleNotFoundError(f"{user} needs the package {package}: pip install {package}", name=package) from None

"""The arguments of a program. Nodes unpickle them, so this module does not need pyspark."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any, Iterator, Mapping


class Namespace:
    """Arguments as attributes. They come from a dict, a namespace of argparse, or another Namespace; a list of words
    becomes `argv`."""

    argv: list[str] | None = None

    def __init__(self, d: Any) -> None:
        if isinstance(d, list):
            self.argv = d
        elif isinstance(d, Mapping):
            vars(self).update(d)
        elif isinstance(d, (argparse.Namespace, Namespace)):
            vars(self).update(vars(d))
        else:
            raise Exception(f"a Namespace cannot be made of a {type(d).__name__}: give a dict, a namespace, or a list")

    def __iter__(self) -> Iterator[Any]:
        return iter(self.argv if self.argv is not None else vars(self))

    def __repr__(self) -> str:
        if self.argv is not None:
            return repr(self.argv)
        return f"Namespace({', '.join(f'{name}={vars(self)[name]!r}' for name in sorted(vars(self)))})"

    def __eq__(self, other: object) -> bool:
        return vars(self) == vars(other) if isinstance(other, Namespace) else NotImplemented

    def __hash__(self) -> int:
        return hash(repr(self))

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...

"""Finds the modules that a function or script imports and that must be sent with the job."""

from __future__ import annotations

import os
import sys
from typing import Iterable

_FOREIGN = ("site-packages", "dist-packages")
_OWN = ("howdah", "cloudpickle")


class Modules:
    """The modules below the current directory or beside the script that a function or script imports, directly or not.

    Imports are found by parsing the files. So imports within functions are found, too, and no module is executed. A
    name that is computed at run time is not found.
    """

    def __init__(self, roots: Iterable[str]) -> None:
        self.roots = list(dict.fromkeys(os.path.realpath(root) for root in roots))
        self.files: dict[str, str] = {}  # path in the working directory -> path on this machine
        self._seen: set[str] = set()

    def add_names(self, names: Iterable[str]) -> None:
        """Adds the modules among these dotted names, and all that they import."""
        pending = list(names)
        while pending:
            name = pending.pop()
            if name in self._seen or not name or name.partition(".")[0] in _OWN:
                continue
            self._seen.add(name)
            found = self._find(name)
            if found is None:
                continue
            package, _, _ = name.rpartition(".")
            if package:
                pending.append(package)
            inside, path = found
            if path is None:  # the package is a directory without __init__.py
                continue
            self.files[inside] = path
            pending.extend(imports_of(path, name if inside.endswith("/__init__.py") else package))

    def add_script(self, path: str, inside: str) -> None:
        """Adds a script under the name `inside`, and all that it imports from its directory."""
        self.files[inside] = path
        self.add_names(imports_of(path, ""))

    def _find(self, name: str) -> tuple[str, str | None] | None:
        relative = name.replace(".", "/")
        for root in self.roots:
            for inside in (f"{relative}/__init__.py", f"{relative}.py"):
                path = os.path.join(root, inside)
                if os.path.isfile(path) and not is_foreign(path):
                    return inside, path
            if os.path.isdir(os.path.join(root, relative)):
                return relative, None
        return None


def is_foreign(path: str) -> bool:
    """Whether the file belongs to the interpreter or an installed package."""
    parts = path.split(os.sep)
    if any(name in parts for name in _FOREIGN):
        return True
    library = os.path.join(sys.prefix, "lib", f"python{sys.version_info[0]}.{sys.version_info[1]}")
    return path.startswith(library + os.sep)


def imports_of(path: str, package: str) -> list[str]:
    """The dotted names that a module imports. package: the package of the module, for relative imports."""
    import ast

    with open(path, "rb") as file:
        source = file.read()
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):  # such as code for another version of Python; its import will report the error
        return []
    names: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.extend(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parents = package.split(".") if package else []
                kept = parents[: len(parents) - (node.level - 1)]
                base = ".".join([*kept, base] if base else kept)
            names.append(base)
            names.extend(f"{base}.{alias.name}" if base else alias.name for alias in node.names if alias.name != "*")
    return names


def names_in(pickled: bytes) -> set[str]:
    """Every short string in a pickle that could be the name of a module.

    Such a name belongs to a global, to a module that is passed, or to an import in a function's code. Bytes that only
    look like a string do no harm, because no module has that name.
    """
    import re

    names = set()
    for match in re.finditer(rb"\x8c([\x01-\xff])", pickled):
        text = pickled[match.end() : match.end() + match.group(1)[0]]
        try:
            name = text.decode("ascii")
        except UnicodeDecodeError:
            continue
        if all(part.isidentifier() for part in name.split(".")):
            names.add(name)
    return names


def roots() -> list[str]:
    """The current directory, the directory of the script, and the directories of sys.path below these."""
    here = os.getcwd()
    main = getattr(sys.modules.get("__main__"), "__file__", None)
    script = [os.path.dirname(os.path.abspath(main))] if main and not is_foreign(os.path.abspath(main)) else []
    found = [*script, here]
    for entry in sys.path:
        path = os.path.abspath(entry or here)
        if os.path.isdir(path) and any(path.startswith(root.rstrip("/") + "/") for root in [here, *script]):
            found.append(path)
    return [root for root in found if not is_foreign(root + "/")]

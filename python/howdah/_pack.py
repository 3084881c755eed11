"""Packs the environment of this interpreter for nodes that do not have it: `python="pack"`."""

from __future__ import annotations

import io
import os
import sys
import tarfile
from typing import Iterator

from . import _store
from ._errors import HowdahError

_LEFT_OUT = ("__pycache__",)


def current() -> str:
    """The path of an archive of this environment. The environment is packed again only after a change."""
    prefix = os.path.realpath(sys.prefix)
    conda = os.path.isdir(os.path.join(prefix, "conda-meta"))
    if sys.prefix == sys.base_prefix and not conda:
        raise HowdahError(
            'python="pack" packs a virtual environment or a conda environment, and '
            f"{sys.executable} belongs to neither: create one with `python3 -m venv`, and start this program with its "
            "interpreter"
        )
    files = list(_files(prefix))
    state = "".join(f"{inside}\0{info.st_size}\0{info.st_mtime_ns}\0{info.st_mode}\n" for inside, _, info in files)
    name = f"env-{_store.digest((prefix + chr(0) + state).encode())}.tar.gz"
    path = os.path.join(_store.directory("environments"), name)
    if not os.path.exists(path):
        _write(path, prefix, files)
    return path


def _files(prefix: str) -> Iterator[tuple[str, str, os.stat_result]]:
    for folder, folders, names in os.walk(prefix):
        folders[:] = sorted(name for name in folders if name not in _LEFT_OUT)
        links = [name for name in folders if os.path.islink(os.path.join(folder, name))]
        for name in sorted([*names, *links]):
            path = os.path.join(folder, name)
            yield os.path.relpath(path, prefix), path, os.lstat(path)


def _write(path: str, prefix: str, files: list[tuple[str, str, os.stat_result]]) -> None:
    temporary = f"{path}.{os.getpid()}"
    try:
        with tarfile.open(temporary, "w:gz", compresslevel=1) as archive:
            for inside, file, _ in files:
                info = archive.gettarinfo(file, inside)
                if info is None:  # the file is a socket
                    continue
                info.uid = info.gid = 0
                info.uname = info.gname = ""
                if info.issym() and os.path.isabs(info.linkname) and info.linkname.startswith(prefix + os.sep):
                    info.linkname = os.path.relpath(info.linkname, os.path.dirname(file))
                if not info.isreg():
                    archive.addfile(info)
                    continue
                with open(file, "rb") as source:
                    data = source.read()
                if inside.startswith("bin/"):
                    data = _portable(data, prefix)
                info.type, info.linkname = tarfile.REGTYPE, ""
                info.size = len(data)
                archive.addfile(info, io.BytesIO(data))
        os.replace(temporary, path)
    except BaseException:
        if os.path.exists(temporary):
            os.unlink(temporary)
        raise


def _portable(data: bytes, prefix: str) -> bytes:
    """The content of a script. If its first line names the interpreter of this environment, the line is changed so that
    the interpreter is looked up in PATH."""
    line, end, rest = data.partition(b"\n")
    if not line.startswith(b"#!" + prefix.encode() + b"/bin/python"):
        return data
    return b"#!/usr/bin/env " + os.path.basename(line[2:].split()[0]) + end + rest

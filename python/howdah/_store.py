"""Stores files that are sent with jobs under names that depend on their content. So a file that has not changed keeps
its path, and is uploaded once."""

from __future__ import annotations

import os
import time
from typing import Iterable

_KEEP_S = 30 * 86400  # an unused file is removed after this time


def directory(kind: str) -> str:
    """A directory that only its owner can read."""
    root = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    path = os.path.join(root, "howdah", kind)
    os.makedirs(path, mode=0o700, exist_ok=True)
    return path


def digest(data: bytes) -> str:
    from hashlib import sha256

    return sha256(data).hexdigest()[:32]


def put(kind: str, name: str, data: bytes) -> str:
    """Writes the file unless it exists, and returns its path. `name` must depend on the content."""
    folder = directory(kind)
    path = os.path.join(folder, name)
    try:
        os.utime(path)
        return path
    except FileNotFoundError:
        pass
    _remove_unused(folder)
    temporary = f"{path}.{os.getpid()}"
    with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(data)
    os.replace(temporary, path)
    return path


def _remove_unused(folder: str) -> None:
    limit = time.time() - _KEEP_S
    with os.scandir(folder) as entries:
        for entry in entries:
            try:
                if entry.stat().st_mtime < limit:
                    os.unlink(entry.path)
            except OSError:  # another process has removed it
                pass


def archive(files: Iterable[tuple[str, bytes]]) -> bytes:
    """A zip archive whose bytes depend only on the names and contents of the files."""
    import io
    import zipfile

    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as out:
        for name, data in sorted(files):
            info = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            out.writestr(info, data)
    return buffer.getvalue()

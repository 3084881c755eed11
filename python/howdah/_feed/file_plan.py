"""The plan of a feed that reads files: the files, and the parts into which they are divided.

All processes of a job use one plan, which the application master keeps. Its text is JSON, compressed, in base64.
"""

from __future__ import annotations

import base64
import json
import os
import re
import zlib
from contextlib import contextmanager
from fnmatch import fnmatchcase
from typing import Any, Iterator, NamedTuple, Sequence

from .. import _needs
from .._errors import FeedChanged, FeedError
from .file_input import Opened

pa: Any = _needs.load("pyarrow", "howdah.Feed")

FORMATS = {
    "parquet": (".parquet", ".pq"),
    "arrow": (".arrow", ".feather", ".ipc"),
    "csv": (".csv", ".csv.gz"),
    "tfrecord": (".tfrecord", ".tfrecords", ".tfrecord.gz", ".tfrecords.gz"),
}
_LARGEST_PART, _SMALLEST_PART = 64 << 20, 1 << 20  # bytes of a file
_PARTS = 64  # a small set of files has about as many parts
_LONGEST_TEXT = 256 << 20  # bytes of a plan of another job, when it is not compressed
_NAMED = 3  # files in a message
_MAGIC = re.compile(r"[*?\[]")
_BRACES = re.compile(r"\{([^{}]*)\}")


class File(NamedTuple):
    """One file. path: in the file system of the source with this number."""

    source: int
    path: str
    size: int
    modified: int  # milliseconds


class Part(NamedTuple):
    """A part of a file: a partition of the feed."""

    file: File
    start: int
    end: int


class Plan(NamedTuple):
    format: str
    files: Sequence[File]
    part: int  # bytes of a part; 0: each file is one part
    schema: Any  # of the rows that are read
    schema_file: str  # the file that has this schema

    def parts(self) -> list[Part]:
        found = []
        for file in self.files:
            step = self.part or file.size
            found += [Part(file, start, min(start + step, file.size)) for start in range(0, file.size, step)]
        return found

    def encode(self) -> str:
        value = {
            "version": 1,
            "format": self.format,
            "files": self.files,
            "part": self.part,
            "schema": base64.b64encode(self.schema.serialize().to_pybytes()).decode(),
            "schema_file": self.schema_file,
        }
        return base64.b64encode(zlib.compress(json.dumps(value).encode())).decode()


def decode(text: str) -> Plan:
    value = json.loads(zlib.decompress(base64.b64decode(text)))
    ipc: Any = _needs.load("pyarrow.ipc", "howdah.Feed")
    schema = ipc.read_schema(pa.py_buffer(base64.b64decode(value["schema"])))
    files = [File(*one) for one in value["files"]]
    return Plan(value["format"], files, value["part"], schema, value["schema_file"])


def check_restored(feed: str, plan: Plan, text: str) -> None:
    """Raises FeedChanged if the plan does not have the parts of the plan of a checkpoint, which has this text. The
    position in the checkpoint would then stand for other rows."""
    remedy = (
        "; continue with the files of the checkpoint, or delete howdah-feeds.json from its directory to read all files "
        "from the start"
    )
    try:
        stream = zlib.decompressobj()
        value = json.loads(stream.decompress(base64.b64decode(text), _LONGEST_TEXT))
        before = [File(*one) for one in value["files"]]
        format, part = value["format"], value["part"]
        found = _difference(plan.files, before)
        if found is None and plan.format != format:
            found = f"it reads them as {plan.format}, and the checkpoint is of {format}"
        if found is None and plan.part != part:
            found = f"their parts have {plan.part} bytes, and those of the checkpoint {part}"
    except (ValueError, LookupError, TypeError, AttributeError, zlib.error) as error:
        raise FeedError(
            f"the list of the files of the feed {feed} in the checkpoint is damaged: {error!r}; restore another "
            "checkpoint"
        ) from None
    if found is not None:
        raise FeedChanged(
            f"the feed {feed} has other files than the checkpoint that this job continues: {found}{remedy}"
        )


def _difference(now: Sequence[File], before: Sequence[File]) -> str | None:
    """The difference between two lists of files, for people. None: they have the same files in the same order."""
    old = {file.path: file for file in before}
    new = {file.path: file for file in now}
    texts = [f"{path} is gone" for path in old if path not in new]
    texts += [f"{path} is new" for path in new if path not in old]
    for path, file in new.items():
        then = old.get(path, file)
        if file.size != then.size:
            texts.append(f"{path} had {then.size} bytes, and now has {file.size}")
        elif file.modified != then.modified:
            texts.append(f"{path} was written again")
    if not texts and [file.path for file in now] != [file.path for file in before]:
        texts = ["the files have another order"]
    more = len(texts) - _NAMED
    return None if not texts else "; ".join(texts[:_NAMED]) + (f"; and {more} more" if more > 0 else "")


def part_bytes(sizes: Sequence[int], format: str, unit: int = 0) -> int:
    """The bytes of a part. Only these formats can be read from the middle of a file. unit: the bytes that are read as a
    whole in the first file; smaller parts would have no rows."""
    if format not in ("parquet", "arrow"):
        return 0
    return min(_LARGEST_PART, max(_SMALLEST_PART, unit, sum(sizes) // _PARTS))


def order(parts: int, shuffled: bool, seed: int, number: int) -> list[int]:
    """The order of the parts in the pass with this number."""
    if not shuffled:
        return list(range(parts))
    from hashlib import blake2b

    return sorted(range(parts), key=lambda part: blake2b(f"{seed} {number} {part}".encode(), digest_size=8).digest())


class Places:
    """The file systems of the paths and URIs in `from`."""

    def __init__(self, sources: Sequence[str]) -> None:
        self._sources = list(sources)
        self._found: dict[int, tuple[Any, str]] = {}
        self._opened: tuple[File, Opened] | None = None

    def name(self, file: File) -> str:
        """The file, for people."""
        source = self._sources[file.source]
        base = _base(_expanded(source)[0])[0]
        path = self._system(file.source)[1]
        if "://" in source and not source.startswith("file:") and base.endswith(path) and path:
            return base[: len(base) - len(path)] + file.path
        return file.path

    @contextmanager
    def open(self, file: File) -> Iterator[Opened]:
        """The open file. Raises FeedChanged if it is not the file of the plan. If the reader keeps something of the
        file, the file stays open until another one is opened, or until an error."""
        try:
            if self._opened is None or self._opened[0] != file:
                self.close()
                self._opened = file, Opened(self._system(file.source)[0], file.path)
                self.check(file)
            opened = self._opened[1]
            yield opened
        except BaseException:
            self.close()
            raise
        if opened.kept is None:  # a thread of a reader may still use the file
            self.close()

    def close(self) -> None:
        opened, self._opened = self._opened, None
        if opened is not None:
            opened[1].close()

    def check(self, file: File) -> None:
        """Raises FeedChanged if the file is not that of the plan."""
        found = self._system(file.source)[0].get_file_info(file.path)
        name = self.name(file)
        if not found.is_file:
            raise FeedChanged(f"the file {name} is gone since the job has begun to read it")
        if (found.size, _modified(found)) != (file.size, file.modified):
            raise FeedChanged(
                f"the file {name} has changed since the job has begun to read it: it had {file.size} bytes, and now "
                f"has {found.size}; write new data to new files, or start another job"
            )

    def files(self) -> list[File]:
        """All files with their sizes, without those that are empty. Raises FeedError if a source has no file."""
        files: dict[str, File] = {}
        for number, source in enumerate(self._sources):
            found: list[Any] = []
            for pattern in _expanded(source):
                found += self._matches(number, pattern)
            if not found:
                kind = "the pattern matches no file" if _MAGIC.search(source) or "{" in source else "it has no files"
                raise FeedError(
                    f"reading {source}: {kind}; names that begin with '_' or '.' do not count, as in Hadoop"
                )
            for info in found:
                file = File(number, info.path, info.size, _modified(info))
                files.setdefault(self.name(file), file)
        return [file for file in files.values() if file.size]

    def _system(self, number: int) -> tuple[Any, str]:
        """The file system of a source, and the path before its first pattern."""
        known = self._found.get(number)
        if known is None:
            known = self._found[number] = _system_of(_base(_expanded(self._sources[number])[0])[0])
        return known

    def _matches(self, number: int, pattern: str) -> list[Any]:
        base, rest = _base(pattern)
        system, path = _system_of(base) if "{" in self._sources[number] else self._system(number)
        info = system.get_file_info(path)
        if not rest:
            if info.is_file:
                return [info]
            if info.type == _types().NotFound:
                raise FeedError(f"reading {pattern}: no such file or directory")
        if info.type != _types().Directory:
            return []
        found = list(_below(system, path) if not rest else _matching(system, path, rest))
        return sorted(found, key=lambda one: one.path)


def _types() -> Any:
    return _needs.load("pyarrow.fs", "howdah.Feed").FileType


def _modified(info: Any) -> int:
    return (info.mtime_ns or 0) // 1_000_000


def _expanded(pattern: str) -> list[str]:
    """The patterns without {a,b}."""
    braces = _BRACES.search(pattern)
    if braces is None:
        return [pattern]
    return [
        expanded
        for choice in braces[1].split(",")
        for expanded in _expanded(pattern[: braces.start()] + choice + pattern[braces.end() :])
    ]


def _base(pattern: str) -> tuple[str, list[str]]:
    """The part before the first component with a pattern, and the components from there on."""
    magic = _MAGIC.search(pattern)
    if magic is None:
        return pattern, []
    at = pattern.rindex("/", 0, magic.start()) if "/" in pattern[: magic.start()] else -1
    return pattern[:at] or "/", [part for part in pattern[at + 1 :].split("/") if part]


def _system_of(uri: str) -> tuple[Any, str]:
    fs: Any = _needs.load("pyarrow.fs", "howdah.Feed")
    if uri.startswith("file:"):
        return fs.LocalFileSystem(), os.path.normpath("/" + re.sub("^file:(//[^/]*)?", "", uri).lstrip("/"))
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]+://", uri) is None:
        return fs.LocalFileSystem(), os.path.abspath(uri)
    if re.match("(howdah-)?hdfs://", uri):
        from ..fs import arrow

        system, path = arrow(uri)
        return system, path
    system, path = fs.FileSystem.from_uri(uri)
    return system, path


def _children(system: Any, path: str) -> list[Any]:
    selector = _needs.load("pyarrow.fs", "howdah.Feed").FileSelector(path, recursive=False)
    return sorted(system.get_file_info(selector), key=lambda info: info.path)


def _name(info: Any) -> str:
    return str(info.path).rstrip("/").rpartition("/")[2]


def _below(system: Any, path: str) -> Iterator[Any]:
    """The files of a directory and its subdirectories."""
    for info in _children(system, path):
        name = _name(info)
        if name.startswith(("_", ".")):
            continue
        if info.is_file:
            yield info
        elif "=" in name:
            raise FeedError(
                f"reading {path}: the directory {name} has the values of a column in its name, which a feed does not "
                f"read; to read only the columns of the files, write the pattern {path.rstrip('/')}/*=*/*"
            )
        else:
            yield from _below(system, info.path)


def _matching(system: Any, path: str, patterns: list[str]) -> Iterator[Any]:
    for info in _children(system, path):
        name = _name(info)
        if not fnmatchcase(name, patterns[0]) or (name[:1] in "_." and patterns[0][:1] != name[:1]):
            continue
        if len(patterns) > 1:
            if not info.is_file:
                yield from _matching(system, info.path, patterns[1:])
        elif info.is_file:
            yield info
        else:
            yield from _below(system, info.path)


def format_of(names: Sequence[str]) -> str:
    """The format that all of these names end with."""
    found: tuple[str, str] | None = None
    for name in names:
        lower = name.lower()
        format = next((one for one, ends in FORMATS.items() if lower.endswith(ends)), None)
        if format is None:
            ends = ", ".join(end for ends in FORMATS.values() for end in ends)
            raise FeedError(
                f"reading {name}: the name does not end with that of a format ({ends}); set the format of the feed, as "
                'in howdah.Feed(path, format="parquet")'
            )
        if found is not None and found[0] != format:
            raise FeedError(
                f"the files of a feed have one format, but {found[1]} is {found[0]}, and {name} is {format}"
            )
        found = format, name
    assert found is not None
    return found[0]

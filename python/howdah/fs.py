"""Files in HDFS, without a JVM: a file system for fsspec, and through it for pandas, PyArrow, Dask and others.

    import howdah
    with howdah.fs.HadoopFileSystem().open("/data/train.csv") as file: ...
    filesystem, path = howdah.fs.arrow("hdfs:///data/train.parquet")
"""

from __future__ import annotations

import json
import os
import re
import threading
from collections import deque
from datetime import datetime, timezone
from typing import Any, Iterator

from . import _files, _fsspec, _needs

_fsspec_module: Any = _needs.load("fsspec", "howdah.fs")
_spec: Any = _needs.load("fsspec.spec", "howdah.fs")

_URI = re.compile(r"(?:howdah-hdfs|hdfs)://([^/]*)")
_MAGIC = re.compile(r"[*?\[]")


class HadoopFileSystem(_spec.AbstractFileSystem):  # type: ignore[misc]
    """The file system of the cluster. In a task of a job it has the rights of the job, and needs no configuration.

    host, port: the NameNode or the name service. Without them, or with host="default", the cluster's default file
    system. replication, hdfs_block_size: for new files; 0: the defaults of the cluster. Paths are absolute.
    """

    protocol = ("howdah-hdfs", "hdfs")
    root_marker = "/"
    _uri: str

    def __init__(
        self,
        host: str | None = None,
        port: int | None = None,
        *,
        replication: int = 0,
        hdfs_block_size: int = 0,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self.replication, self.hdfs_block_size = replication, hdfs_block_size
        if host and host != "default":
            self._uri = f"hdfs://{host}:{port}" if port else f"hdfs://{host}"
        else:
            self._uri = ""

    @classmethod
    def _strip_protocol(cls, path: Any) -> Any:
        if isinstance(path, list):
            return [cls._strip_protocol(one) for one in path]
        text = os.fspath(path)
        text = _URI.sub("", text, count=1) if _URI.match(text) else text
        if text and not text.startswith("/"):
            raise ValueError(f"the path {text!r} is not absolute: write it as /{text}, or as hdfs://…/{text}")
        return re.sub("/{2,}", "/", text).rstrip("/") or "/"

    @staticmethod
    def _get_kwargs_from_urls(path: Any) -> dict[str, Any]:
        match = _URI.match(path if isinstance(path, str) else "")
        if not match or not match[1]:
            return {}
        host, _, port = match[1].partition(":")
        return {"host": host, "port": int(port)} if port.isdigit() else {"host": match[1]}

    def unstrip_protocol(self, name: str) -> str:
        return f"howdah-hdfs://{self._uri[len('hdfs://') :]}{self._strip_protocol(name)}"

    def _request(self, op: str, path: str, **fields: Any) -> _files.Answer:
        return _files.server().request(op, fs=self._uri, path=path, **fields)

    # --- looking ---

    def _entry(self, fields: dict[str, Any], path: str) -> dict[str, Any]:
        return {
            "name": path,
            "size": fields["length"],
            "type": "directory" if fields["directory"] else "file",
            "mtime": fields["modified"] / 1000,
            "owner": fields["owner"],
            "group": fields["group"],
            "mode": fields["permission"],
            "block_size": fields["block_size"],
        }

    def info(self, path: str, **options: Any) -> dict[str, Any]:
        path = self._strip_protocol(path)
        return self._entry(self._request("stat", path).header, path)

    def ls(self, path: str, detail: bool = True, **options: Any) -> Any:
        path = self._strip_protocol(path)
        listed = json.loads(self._request("list", path).payload)
        if len(listed) == 1 and not listed[0]["directory"] and listed[0]["name"] == path.rpartition("/")[2]:
            # Listing a file returns the file itself, and listing a directory can return a file of the same name.
            own = self.info(path)
            if own["type"] == "file":
                return [own] if detail else [path]
        parent = "" if path == "/" else path
        entries = [self._entry(fields, f"{parent}/{fields['name']}") for fields in listed]
        return entries if detail else [entry["name"] for entry in entries]

    def exists(self, path: str, **options: Any) -> bool:
        try:
            self.info(path)
        except (FileNotFoundError, NotADirectoryError):
            return False
        return True

    def modified(self, path: str) -> datetime:
        return datetime.fromtimestamp(self.info(path)["mtime"], timezone.utc)

    # --- changing ---

    def mkdir(self, path: str, create_parents: bool = True, **options: Any) -> None:
        path = self._strip_protocol(path)
        if self.exists(path):
            raise FileExistsError(17, f"making the directory {path}: it exists")
        if not create_parents:
            self.info(self._parent(path))
        self._request("mkdirs", path)

    def makedirs(self, path: str, exist_ok: bool = False) -> None:
        path = self._strip_protocol(path)
        if not exist_ok and self.exists(path):
            raise FileExistsError(17, f"making the directory {path}: it exists")
        self._request("mkdirs", path)

    def rmdir(self, path: str) -> None:
        """Removes an empty directory."""
        path = self._strip_protocol(path)
        if self.info(path)["type"] != "directory":
            raise NotADirectoryError(20, f"removing the directory {path}: it is a file")
        self._request("delete", path)

    def rm_file(self, path: str) -> None:
        self._request("delete", self._strip_protocol(path))

    _rm = rm_file

    def rm(self, path: str | list[str], recursive: bool = False, maxdepth: int | None = None) -> None:
        """Removes files and directories at once: they do not get into Hadoop's trash."""
        if maxdepth is not None:
            super().rm(path, recursive=recursive, maxdepth=maxdepth)
            return
        for one in path if isinstance(path, list) else [path]:
            one = self._strip_protocol(one)
            matches = self.glob(one) if _MAGIC.search(one) and not self.exists(one) else [one]
            if not matches:
                raise FileNotFoundError(2, f"removing {one}: no file matches")
            for match in matches:
                self._request("delete", match, recursive=recursive)

    def mv(
        self, path1: str, path2: str, recursive: bool | None = None, maxdepth: int | None = None, **options: Any
    ) -> None:
        """Renames a file or directory atomically. A file or an empty directory at path2 is replaced, as by os.rename.
        If path2 ends with a slash, it is the directory to move to."""
        source, target = self._strip_protocol(path1), self._strip_protocol(path2)
        if path2.endswith("/") and target != "/":
            target += "/" + source.rpartition("/")[2]
        self._request("rename", source, to=target, overwrite=True)

    def cp_file(self, path1: str, path2: str, **options: Any) -> None:
        source, target = self._strip_protocol(path1), self._strip_protocol(path2)
        if self.info(source)["type"] == "directory":
            self.makedirs(target, exist_ok=True)
            return
        with self.open(source, "rb") as reader, self.open(target, "wb") as writer:
            while True:
                piece = reader.read(_files.PIECE)
                if not piece:
                    break
                writer.write(piece)

    def touch(self, path: str, truncate: bool = True, **options: Any) -> None:
        """Creates an empty file. With truncate=False an existing file stays as it is."""
        if truncate or not self.exists(path):
            self.open(path, "wb").close()

    # --- content ---

    def _open(
        self,
        path: str,
        mode: str = "rb",
        block_size: int | None = None,
        autocommit: bool = True,
        cache_options: dict[str, Any] | None = None,
        **options: Any,
    ) -> HadoopFile:
        size = block_size or _files.PIECE
        return HadoopFile(self, path, mode, size, autocommit, cache_options=cache_options, **options)

    def cat_file(self, path: str, start: int | None = None, end: int | None = None, **options: Any) -> bytes:
        """The bytes of the file from start to end; negative numbers count from the end of the file."""
        path = self._strip_protocol(path)
        native = _Native(self._uri, path)
        try:
            first, last, _ = slice(start, end).indices(native.size)
            return native.read(first, max(first, last))
        finally:
            native.close()

    def get_file(self, rpath: str, lpath: Any = None, **options: Any) -> None:
        """Copies a file to this machine, or makes a directory there."""
        if hasattr(lpath, "write") or options.get("outfile") is not None or self.isdir(rpath):
            # Each byte is read once, in order: a cache would only copy it.
            super().get_file(rpath, lpath, **{"cache_type": "none", **options})
            return
        callback = options.get("callback") or _fsspec_module.callbacks.NoOpCallback()
        native = _Native(self._uri, self._strip_protocol(rpath))
        try:
            callback.set_size(native.size)
            os.makedirs(os.path.dirname(os.path.abspath(lpath)), exist_ok=True)
            with open(lpath, "wb", buffering=0) as target:
                for piece in native.pieces(0, native.size):
                    _files.write_all(target.fileno(), [piece])
                    callback.relative_update(len(piece))
        finally:
            native.close()


class _Native:
    """An open file of howdah-agent that is read. It is opened again in a child made by fork, and if the agent ends."""

    def __init__(self, uri: str, path: str) -> None:
        self._uri, self._path = uri, path
        self._next: tuple[int, int, Any] | None = None  # a part that is read ahead
        self._open()
        self.size: int = self._size

    def _open(self) -> None:
        self._server = _files.server()
        answer = self._server.request("open", fs=self._uri, path=self._path)
        self._file, self._size = answer.header["file"], answer.header["size"]
        self._next = None

    def send(self, start: int, end: int, until: int = 0, *, only_shared: bool = False) -> _files.Pending | None:
        """Requests the bytes from start to end; the other parameters are those of Server.read."""
        return self._server.read(self._file, start, end, until, only_shared=only_shared)

    def received(self, pending: Any, start: int, end: int) -> memoryview:
        """The bytes from start to end, which were requested."""
        piece: memoryview = pending.bytes()
        if len(piece) != end - start:
            raise OSError(f"reading {self._path}: the file has become shorter than its {self.size} bytes")
        return piece

    def pieces(self, start: int, end: int, ahead: bool = False) -> Iterator[memoryview]:
        """The bytes from start to end. ahead: requests the bytes behind them, too, for the next call."""
        self.reopened()
        until = 0 if ahead else end
        waiting: deque[tuple[int, int, Any]] = deque()
        at = start
        if self._next is not None and self._next[0] == start and self._next[1] <= end:
            waiting.append(self._next)
            at = self._next[1]
        self._next = None
        while waiting or at < end:
            while at < end and len(waiting) < 2:
                stop = min(at + _files.PIECE, end)
                waiting.append((at, stop, self.send(at, stop, until)))
                at = stop
            if ahead and at == end and end < self.size and self._next is None:
                stop = min(end + _files.PIECE, self.size)
                self._next = (end, stop, self.send(end, stop))
            first, last, pending = waiting.popleft()
            yield self.received(pending, first, last)

    def read(self, start: int, end: int, ahead: bool = False) -> bytes:
        """As pieces(), in one object."""
        return b"".join(self.pieces(start, end, ahead)) if start < end else b""

    def reopened(self) -> bool:
        """Opens the file again if the process that had it has ended. Requests that are under way are then void."""
        if self._server is _files.server():
            return False
        self._open()
        return True

    def close(self) -> None:
        if not self._server.ended:
            self._server.post("close", file=self._file)


class HadoopFile(_spec.AbstractBufferedFile):  # type: ignore[misc]
    """A file that is read at any offset, or written once from its beginning to its end."""

    closed: bool

    def __init__(
        self,
        fs: HadoopFileSystem,
        path: str,
        mode: str = "rb",
        block_size: int = _files.PIECE,
        autocommit: bool = True,
        cache_type: str = "readahead",
        cache_options: dict[str, Any] | None = None,
        size: int | None = None,
        **options: Any,
    ) -> None:
        if mode not in ("rb", "wb", "xb"):
            raise ValueError(
                f"opening {path}: the mode {mode!r} is not supported, because a file can only be read, or written from "
                "its beginning; the modes are rb, wb and xb"
            )
        self._target, self._written_to = path, path
        self._native: _Native | None = None
        self._file: int | None = None
        self._last_end = 0
        if mode == "rb":
            self._native = _Native(fs._uri, path)
            size = self._native.size
        else:
            if not autocommit:
                parent, _, name = path.rpartition("/")
                self._written_to = f"{parent}/.{name}.{os.urandom(8).hex()}"
            self._server = _files.server()
            self._file = self._server.request(
                "create",
                fs=fs._uri,
                path=self._written_to,
                overwrite=mode == "wb",
                replication=fs.replication,
                block_size=fs.hdfs_block_size,
            ).header["file"]
        super().__init__(
            fs,
            path,
            mode,
            block_size,
            autocommit=autocommit,
            cache_type=cache_type,
            cache_options=cache_options,
            size=size,
            **options,
        )

    def _fetch_range(self, start: int, end: int) -> bytes:
        assert self._native is not None
        end = min(end, self._native.size)  # without a cache, fsspec asks for bytes behind the end
        sequential = start == self._last_end
        self._last_end = end
        return self._native.read(start, end, ahead=sequential)

    def _initiate_upload(self) -> None:
        pass  # the file was created when it was opened

    def _upload_chunk(self, final: bool = False) -> bool:
        data = self.buffer.getbuffer()
        try:
            for at in range(0, len(data), _files.PIECE):
                self._server.request("write", data[at : at + _files.PIECE], file=self._file)
        finally:
            data.release()
        if final:
            file, self._file = self._file, None
            self._server.request("close", file=file)
            if self.autocommit:
                self.commit()
        return True

    def commit(self) -> None:
        """Gives a file that was written in a transaction its name."""
        if self._written_to != self._target:
            self.fs._request("rename", self._written_to, to=self._target, overwrite=True)

    def discard(self) -> None:
        """Deletes a file that is not complete, or that was written in a transaction."""
        file, self._file = self._file, None
        if file is not None:
            if not self._server.ended:
                self._server.request("discard", file=file)
        elif self._written_to != self._target:
            self.fs._request("delete", self._written_to)

    def close(self) -> None:
        if self.closed:
            return
        if self._native is not None:
            super().close()
            self._native.close()
        elif self._file is not None and self._server.ended:
            # In a child made by fork, the file belongs to the parent. Else the agent has ended, and the file is lost.
            self.closed = True
            self._server.send("close", file=self._file)
        else:
            try:
                super().close()
            except BaseException:
                self.closed = True
                raise

    def __exit__(self, kind: Any, *rest: Any) -> None:
        if kind is not None and self._native is None and not self.closed:
            self.closed = True
            self.discard()  # half a file must not look complete
            return
        self.close()

    def __del__(self) -> None:
        if not hasattr(self, "closed") or self.closed:
            return
        if self._native is not None:
            super().__del__()
        elif not self._server.ended:
            # This thread may be in a request, and closing a written file waits for answers.
            threading.Thread(target=super().__del__, name="howdah-files-close").start()


def _opened(uri: str) -> tuple[HadoopFileSystem, str]:
    """The file system of a URI of HDFS, and the path in it."""
    files = HadoopFileSystem(**HadoopFileSystem._get_kwargs_from_urls(uri))
    return files, HadoopFileSystem._strip_protocol(uri)


def arrow(uri: str | os.PathLike[str]) -> tuple[Any, str]:
    """PyArrow's file system for this URI, and the path in it. A path without a scheme is on this machine."""
    pyarrow_fs = _needs.load("pyarrow.fs", "howdah.fs.arrow")
    text = os.fspath(uri)
    if _URI.match(text):
        files, path = _opened(text)
        return pyarrow_fs.PyFileSystem(pyarrow_fs.FSSpecHandler(files)), path
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]+:", text):
        found, path = pyarrow_fs.FileSystem.from_uri(text)
        return found, path
    return pyarrow_fs.LocalFileSystem(), os.path.abspath(text)


_fsspec.register(_fsspec_module)

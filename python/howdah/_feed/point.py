"""The positions of feeds in a checkpoint, from which another job can continue. A point is the account of the rows that
the checkpoint covers, made by the application master. The package does not look into it."""

from __future__ import annotations

import base64
import json
import os
import warnings
from typing import TYPE_CHECKING, Any, Iterable, Mapping

from .._checkpoints import sync
from .._errors import FeedError, FeedLost
from .connection import Connection, Pending

if TYPE_CHECKING:
    from .reader import FeedReader

FILE = "howdah-feeds.json"  # in the directory of a checkpoint


class _Content(Pending):
    """A reply whose content is in a memory file."""

    __slots__ = ("content",)
    content: bytes

    def take(self, connection: Connection, reply: dict[str, Any], fds: list[int], number: int) -> bool:
        size = int(reply["bytes"])
        self.content = os.pread(fds[0], size, 0)
        if len(self.content) != size:
            raise FeedError("the executor has sent a part of the position of a feed; report this")
        self.reply = reply
        return True


def request(connection: Connection, step: int) -> str:
    """The point of a checkpoint of this step, as a text."""
    pending = connection.send(f'"point":{step}', _Content())
    connection.wait(pending)
    return base64.b64encode(pending.content).decode()


def found(connection: Connection, step: int, point: str | None) -> dict[str, Any]:
    """Reports that the program has restored the checkpoint of this step."""
    if point is None:
        return connection.request("found", step)
    content = base64.b64decode(point)
    fd = os.memfd_create("howdah-point", os.MFD_CLOEXEC)
    try:
        left = memoryview(content)
        while left:
            left = left[os.write(fd, left) :]
        return connection.wait(connection.send(f'"found":{step},"bytes":{len(content)}', Pending(), fd))
    finally:
        os.close(fd)


def save(folder: str, step: int, readers: Iterable[FeedReader]) -> None:
    """Writes the points of all feeds into the directory of a checkpoint. A feed whose point is too large is left out
    with a warning: the training is more important than another job that may continue it."""
    points = {}
    for reader in readers:
        try:
            point = reader._point(step)
        except FeedLost:
            raise
        except FeedError as error:
            warnings.warn(f"no other job can continue the checkpoint of step {step} at its row: {error}", stacklevel=4)
            continue
        if point is not None:
            points[reader.name] = point
    if points:
        path = os.path.join(folder, FILE)
        with open(path, "w", encoding="ascii") as file:
            json.dump({"step": step, "feeds": points}, file)
        for written in (path, folder):
            sync(written)


def load(folder: str) -> Mapping[str, str]:
    """The points in the directory of a checkpoint, by the names of the feeds."""
    path = os.path.join(folder, FILE)
    try:
        with open(path, encoding="ascii") as file:
            found = json.load(file)["feeds"]
            return {str(name): str(point) for name, point in found.items()}
    except FileNotFoundError:
        return {}
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise FeedError(
            f"the positions of the feeds in {path} are damaged: {error!r}; restore another checkpoint"
        ) from None

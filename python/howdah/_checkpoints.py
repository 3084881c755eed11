"""The directories of checkpoints. A directory gets its final name when its files are on the disk.

    .step-5.JOB.worker-0-0.1.x   is being filled by the second attempt of worker:0
    step-5-rank-3                of rank 3, with all=True
    step-5                       of rank 0, which gets its name after those of all other ranks
    .step-5.old                  the directory that step-5 is about to replace
"""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import tempfile
import time
from contextlib import suppress

from ._errors import HowdahError

_RANKS = "howdah-ranks.json"  # in each directory of a checkpoint of all ranks
_RANKS_S = 600.0  # until all ranks have saved
_STEP = re.compile(r"step-(\d+)")
_OLD = re.compile(r"\.(step-\d+(?:-rank-\d+)?)\.old")


class Checkpoints:
    """The checkpoints in a directory. owner: the task and process of the job that uses this object."""

    def __init__(self, root: str, owner: str, attempt: int) -> None:
        self._root, self._owner, self._attempt = root, owner, attempt

    def begin(self, name: str) -> str:
        """A directory to be filled. It is in the same file system as the checkpoints, so that it can be renamed."""
        os.makedirs(self._root, exist_ok=True)
        self._remove_leftovers()
        return tempfile.mkdtemp(prefix=f".{name}.{self._owner}.{self._attempt}.", dir=self._root)

    def publish(self, scratch: str, name: str) -> None:
        """Gives a directory its final name. Until then, an earlier directory of this name stays."""
        target, old = os.path.join(self._root, name), os.path.join(self._root, f".{name}.old")
        os.chmod(scratch, 0o777 & ~_umask())
        try:
            while not _rename(scratch, target):
                shutil.rmtree(old, ignore_errors=True)
                os.rename(target, old)
        except BaseException:
            self._restore()
            raise
        sync(self._root)
        with suppress(FileNotFoundError):
            os.rename(old, scratch)  # so that _restore never finds a part of it
            shutil.rmtree(scratch, ignore_errors=True)

    def await_ranks(self, step: int, save: str, ranks: int) -> None:
        """Waits until all ranks but this one have published their directories of a save."""
        deadline = time.monotonic() + _RANKS_S
        for rank in range(1, ranks):
            folder = os.path.join(self._root, f"step-{step}-rank-{rank}")
            while _ranks_of(folder)[0] != save:
                if time.monotonic() > deadline:
                    raise HowdahError(
                        f"the checkpoint of step {step} is incomplete: rank 0 has waited {_RANKS_S:g} s for {folder}; "
                        f"each rank must call checkpoint({step}, all=True), and all nodes must share {self._root}"
                    )
                time.sleep(0.1)

    def newest(self) -> tuple[int, str | None]:
        """The step and the directory of the newest complete checkpoint; (0, None) if there is none."""
        if not os.path.isdir(self._root):
            return 0, None
        self._restore()
        matches = [match for match in map(_STEP.fullmatch, os.listdir(self._root)) if match]
        for match in sorted(matches, key=lambda match: int(match[1]), reverse=True):
            directory = os.path.join(self._root, match[0])
            if _is_complete(directory):
                return int(match[1]), directory
        return 0, None

    def _restore(self) -> None:
        """Gives a directory its name back whose replacement was interrupted."""
        for match in filter(None, map(_OLD.fullmatch, os.listdir(self._root))):
            target = os.path.join(self._root, match[1])
            if not os.path.isdir(target):
                with suppress(OSError):  # another rank was faster
                    os.rename(os.path.join(self._root, match[0]), target)

    def _remove_leftovers(self) -> None:
        """Removes the directories that earlier attempts of this task have not completed."""
        leftover = re.compile(rf"\.step-\d+(?:-rank-\d+)?\.{re.escape(self._owner)}\.(\d+)\.\w+")
        for match in filter(None, map(leftover.fullmatch, os.listdir(self._root))):
            if int(match[1]) < self._attempt:
                shutil.rmtree(os.path.join(self._root, match[0]), ignore_errors=True)


def write_ranks(folder: str, save: str, ranks: int) -> None:
    """Marks a directory as that of one rank. save: the same for all directories of a checkpoint."""
    with open(os.path.join(folder, _RANKS), "w", encoding="ascii") as file:
        json.dump({"save": save, "ranks": ranks}, file)


def sync(path: str) -> None:
    """Writes a file or the entries of a directory to the disk."""
    fd = os.open(path, os.O_RDONLY)
    try:
        os.fsync(fd)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # this file system has nothing to write
            raise
    finally:
        os.close(fd)


def sync_tree(folder: str) -> None:
    """Writes a directory and all that it contains to the disk."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                sync_tree(entry.path)
            elif entry.is_file(follow_symlinks=False):
                sync(entry.path)
    sync(folder)


def _rename(scratch: str, target: str) -> bool:
    """False: there is a directory of this name."""
    try:
        os.rename(scratch, target)
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
            raise
        return False
    return True


def _ranks_of(folder: str) -> tuple[str, int]:
    """The save and the number of ranks. ("", 1): the directory is missing, or is not of a checkpoint of all ranks."""
    path = os.path.join(folder, _RANKS)
    try:
        with open(path, encoding="ascii") as file:
            found = json.load(file)
            return str(found["save"]), int(found["ranks"])
    except FileNotFoundError:
        return "", 1
    except (ValueError, LookupError, TypeError) as error:
        raise HowdahError(f"{path} is damaged: {error!r}; remove {folder} to restore another checkpoint") from None


def _is_complete(directory: str) -> bool:
    """Whether all ranks have saved the checkpoint, if it is one of all ranks."""
    save, ranks = _ranks_of(directory)
    return all(_ranks_of(f"{directory}-rank-{rank}")[0] == save for rank in range(1, ranks))


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask

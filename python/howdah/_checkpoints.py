"""The directories of checkpoints. A directory gets its final name when its files are on the disk.

    .step-5.JOB.worker-0-0.1.x       is being filled by the second attempt of worker:0
    .step-5-rank-3.JOB.0.0.saved     of rank 3, with all=True; complete, until rank 0 has published step-5
    step-5-rank-3                    the same directory afterwards
    step-5                           of rank 0; it decides which save of step 5 counts
    .step-5.old                      the directory that step-5 is about to replace
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
from typing import Callable

from ._errors import HowdahError

_RANKS = "howdah-ranks.json"  # in each directory of a checkpoint of all ranks
_RANKS_S = 600.0  # until all ranks have saved
_BEGIN_S = 5.0  # until all ranks have begun to save, when the job stops
_STEP = re.compile(r"step-(\d+)")
_OLD = re.compile(r"\.(step-\d+)\.old")


class Checkpoints:
    """The checkpoints in a directory, as one process of a job uses them."""

    def __init__(self, root: str, job: str, task: str, attempt: int, generation: int) -> None:
        self._root, self._job, self._task = root, job, task
        self._attempt, self._generation = attempt, generation

    def save_id(self, earlier: int) -> str:
        """Identifies the directories that all ranks save together. earlier: the number of earlier saves of the step."""
        return f"{self._job}.{self._generation}.{earlier}"

    def begin(self, name: str) -> str:
        """A directory to be filled. It is in the same file system as the checkpoints, so that it can be renamed."""
        os.makedirs(self._root, exist_ok=True)
        self._remove_leftovers()
        return self._scratch(name)

    def offer(self, scratch: str, name: str, save: str) -> None:
        """Keeps the complete directory of a rank for rank 0, which publishes it."""
        os.chmod(scratch, 0o777 & ~_umask())
        if not _rename(scratch, self._saved(name, save)):
            shutil.rmtree(scratch)  # an earlier attempt of this task has offered this step
        sync(self._root)

    def await_ranks(self, step: int, save: str, ranks: int, stopping: Callable[[], bool]) -> None:
        """Waits until all ranks but this one have offered their directories."""
        start = time.monotonic()
        for name in (f"step-{step}-rank-{rank}" for rank in range(1, ranks)):
            while not os.path.isdir(self._saved(name, save)):
                begun = any(entry.startswith(f".{name}.") for entry in os.listdir(self._root))
                stopped = stopping() and not begun
                if time.monotonic() - start > (_BEGIN_S if stopped else _RANKS_S):
                    reason = "the job stops before it is saved" if stopped else f"rank 0 has waited {_RANKS_S:g} s"
                    raise HowdahError(
                        f"the checkpoint of step {step} is incomplete without {self._root}/{name}: {reason}; all "
                        f"{ranks} ranks must call checkpoint({step}, all=True), and all nodes must share {self._root}"
                    )
                time.sleep(0.1)

    def publish(self, scratch: str, name: str, save: str, ranks: int) -> None:
        """Gives the directories of all ranks their final names. Until then, an earlier checkpoint stays."""
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
        self._restore()
        if not self._collect(name, save, ranks):
            raise HowdahError(
                f"the checkpoint {target} is incomplete: the directory of another rank was removed before rank 0 could "
                "rename it; only one job may use a checkpoint_dir at a time"
            )

    def newest(self) -> tuple[int, str | None]:
        """The step and the directory of the newest complete checkpoint; (0, None) if there is none."""
        if not os.path.isdir(self._root):
            return 0, None
        self._restore()
        matches = [match for match in map(_STEP.fullmatch, os.listdir(self._root)) if match]
        for match in sorted(matches, key=lambda match: int(match[1]), reverse=True):
            directory = os.path.join(self._root, match[0])
            if self._collect(match[0], *_ranks_of(directory)):
                return int(match[1]), directory
        return 0, None

    def _scratch(self, name: str) -> str:
        return tempfile.mkdtemp(prefix=f".{name}.{self._job}.{self._task}.{self._attempt}.", dir=self._root)

    def _saved(self, name: str, save: str) -> str:
        return os.path.join(self._root, f".{name}.{save}.saved")

    def _set_aside(self, path: str, name: str) -> str:
        """Gives a directory a name that only this process uses. Empty if another process was faster."""
        aside = self._scratch(name)
        with suppress(FileNotFoundError):
            os.rename(path, aside)
        return aside

    def _restore(self) -> None:
        """Gives a directory its name back if its replacement was interrupted; removes it if it was replaced."""
        for match in filter(None, map(_OLD.fullmatch, os.listdir(self._root))):
            old, target = os.path.join(self._root, match[0]), os.path.join(self._root, match[1])
            with suppress(OSError):  # another rank was faster
                if os.path.isdir(target):
                    shutil.rmtree(self._set_aside(old, match[1]))
                else:
                    os.rename(old, target)

    def _collect(self, name: str, save: str, ranks: int) -> bool:
        """Gives the directories of the other ranks their final names, if rank 0 has not. False: one is missing."""
        return all(self._collect_rank(f"{name}-rank-{rank}", save) for rank in range(1, ranks))

    def _collect_rank(self, name: str, save: str) -> bool:
        saved, target = self._saved(name, save), os.path.join(self._root, name)
        with suppress(FileNotFoundError):  # another process was faster
            while _ranks_of(target)[0] != save and os.path.isdir(saved) and not _rename(saved, target):
                aside = self._set_aside(target, name)
                if _ranks_of(aside)[0] == save:  # another process has put it there in the meantime
                    saved = aside
                else:
                    shutil.rmtree(aside)
        return _ranks_of(target)[0] == save

    def _remove_leftovers(self) -> None:
        """Removes the directories that earlier attempts of this task have not completed, and those that earlier
        generations of the job have not published."""
        step, job = r"\.(step-\d+)(?:-rank-\d+)?", re.escape(self._job)
        filled = re.compile(rf"{step}\.{job}\.{re.escape(self._task)}\.(\d+)\.\w+")
        saved = re.compile(rf"{step}\.({job}\.(\d+)\.\d+)\.saved")
        for name in os.listdir(self._root):
            if match := filled.fullmatch(name):
                left = int(match[2]) < self._attempt
            elif match := saved.fullmatch(name):
                left = int(match[3]) < self._generation
                left = left and _ranks_of(os.path.join(self._root, match[1]))[0] != match[2]
            else:
                continue
            if left:
                shutil.rmtree(os.path.join(self._root, name), ignore_errors=True)


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


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask

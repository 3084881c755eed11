"""Small file systems that tests fill."""
import contextlib
import os
import pathlib
import subprocess

PAGE = 4096


@contextlib.contextmanager
def small_disks(folder):
    """Yields a function that makes a file system below the folder. Its arguments are a name and a size such as "4m"."""
    made = []

    def make(name, size):
        path = folder / name
        path.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", path], check=True)
        made.append(path)
        return path
    try:
        yield make
    finally:
        for path in made:
            subprocess.run(["umount", "-l", path], check=True)


class Filler:
    """Fills the disk of a directory. again() fills the space that has become free since the last call."""

    def __init__(self, path):
        self.file = open(pathlib.Path(path) / "filler", "wb", buffering=0)

    def again(self):
        for size in (1 << 20, 4096, 1):
            try:
                while self.file.write(b"x" * size):
                    pass
            except OSError:
                pass

    def free(self):
        os.unlink(self.file.name)
        self.file.close()


def am_waits_for_space(job_folder):
    """Whether a write of the AM has failed on a full tmpfs. tmpfs allocates whole pages, so a failed write fills
    the file up to the end of a page."""
    return any((job_folder / name).stat().st_size % PAGE == 0 for name in ("events.bin", "journal.jsonl"))

"""Jobs on the local backend, for measurements. They have their own HOWDAH_HOME. Their progress is read from the
journal."""
import ctypes
import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = (ROOT / os.environ.get("HOWDAH_BIN", "build/release/bin/howdah")).parent
HOWDAH = BIN / "howdah"
LIMIT_SECONDS = 60

_libc = ctypes.CDLL(None, use_errno=True)
IN_MODIFY = 0x2


class LocalBackend:
    """A HOWDAH_HOME inside `with LocalBackend() as backend:`. Its jobs are killed and its files removed at the end."""

    def __enter__(self):
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="howdah-bench-"))
        self.environment = {**os.environ, "HOWDAH_HOME": str(self.home), "HOWDAH_ON": "local"}
        return self

    def __exit__(self, *_):
        self.howdah("kill", "--all", "--grace", "0s", check=False)
        shutil.rmtree(self.home, ignore_errors=True)

    def howdah(self, *words, check=True):
        result = subprocess.run([HOWDAH, *map(str, words)], env=self.environment, capture_output=True, text=True)
        if check and result.returncode != 0:
            raise RuntimeError(f"howdah {' '.join(map(str, words))}: exit {result.returncode}\n{result.stderr}")
        return result

    def job_file(self, name, roles):
        """Writes a job file with roles {name: {...}}. A role has 32 MiB unless it contains `memory`."""
        path = self.home / f"{name}.json"
        roles = {role: {"memory": "32MiB", **keys} for role, keys in roles.items()}
        path.write_text(json.dumps({"name": name, "roles": roles}))
        return path

    def submit(self, name, roles):
        return Job(self, self.howdah("submit", self.job_file(name, roles)).stdout.strip())


class Job:
    def __init__(self, backend, job_id):
        self.backend, self.id = backend, job_id
        self.folder = backend.home / "jobs" / job_id

    def journal(self):
        lines = (self.folder / "journal.jsonl").read_text().splitlines()
        return [json.loads(line) for line in lines if line]

    def wait_for(self, kind):
        """Waits for the first journal entry of a type. Returns the entry, and the time at which this program read it
        (seconds of the monotonic clock)."""
        watch = _libc.inotify_init1(0)
        _libc.inotify_add_watch(watch, str(self.folder / "journal.jsonl").encode(), IN_MODIFY)
        deadline = time.monotonic() + LIMIT_SECONDS
        try:
            while True:
                for entry in self.journal():
                    if entry["type"] == kind:
                        return entry, time.monotonic()
                if not select.select([watch], [], [], max(0, deadline - time.monotonic()))[0]:
                    raise RuntimeError(f"{self.id}: no {kind} within {LIMIT_SECONDS} s; see {self.folder}/am.log")
                os.read(watch, 4096)
        finally:
            os.close(watch)

    def wait(self):
        return self.backend.howdah("wait", self.id, check=False).returncode

    def kill(self):
        self.backend.howdah("kill", self.id, "--grace", "0s")


def memory_of(pid):
    """The memory of a process: (resident, anonymous) bytes."""
    fields = dict(line.split(":") for line in pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:])
    return tuple(int(fields[name].split()[0]) * 1024 for name in ("Rss", "Anonymous"))


def parent_of(pid):
    return int(pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])

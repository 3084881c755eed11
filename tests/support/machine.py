"""Runs `howdah` with a HOWDAH_HOME of its own, and finds the processes and files of the jobs on this machine."""
import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = ROOT / os.environ.get("HOWDAH_BIN", "build/release/bin/howdah")
# Whether the programs have sanitizers. These keep freed memory, so the size of a process says nothing.
SANITIZED = "HOWDAH_BIN" in os.environ
CONTRACT = ROOT / "tests/contract"
FINAL = ("SUCCEEDED", "FAILED", "KILLED")
DEADLINE_S = 60


def eventually(condition, what, deadline_s=DEADLINE_S):
    """Waits until condition() is true, and returns its value. `what` describes the condition in the error message."""
    end = time.monotonic() + deadline_s
    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < end, f"waited {deadline_s} s for {what}"
        time.sleep(0.005)  # polls, because /proc sends no events


def read(path):
    try:
        return pathlib.Path(path).read_bytes()
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return b""


def processes():
    """A dictionary of all processes except zombies: pid -> (ppid, command line, environment).

    A process whose first thread has ended, while others still run, also has the state Z. It still holds its files and
    locks, so it is not a zombie yet.
    """
    found = {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        stat = read(f"/proc/{entry}/stat")
        if not stat:
            continue
        fields = stat.rsplit(b")", 1)[1].split()
        state, ppid, threads = fields[0], fields[1], int(fields[17])
        if state not in b"ZX" or threads > 1:
            command = read(f"/proc/{entry}/cmdline").replace(b"\0", b" ").decode("utf-8", "replace")
            found[int(entry)] = (int(ppid), command, read(f"/proc/{entry}/environ"))
    return found


def kill_together(pids):
    """Stops all processes before the first one dies, so that none of them can react to the death of another.

    The kernel itself may end some of them: a process that asked for a signal at the death of its parent gets it.
    """
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def percent_of_machine(machine, percent):
    """A percentage of the memory that this machine offers to jobs, in MiB. The error for too-big.yaml contains that
    memory."""
    done = machine("plan", "too-big.yaml")
    amount, unit = re.search(r"offers ([\d.]+) (\wiB)", done.stderr + done.stdout).groups()
    return int(float(amount) * percent / 100 * {"MiB": 1, "GiB": 1024, "TiB": 1 << 20}[unit])


class Done:
    def __init__(self, process, stdout, stderr):
        self.code, self.stdout, self.stderr = process.returncode, stdout, stderr
        found = re.search(r"howdah-\d{8}-\d{6}-\w{4}|application_\d+_\d+", stderr + stdout)
        self.id = found.group(0) if found else None

    def __repr__(self):
        return f"exit {self.code}\n--- stdout\n{self.stdout[-4000:]}\n--- stderr\n{self.stderr[-4000:]}"


class Machine:
    def __init__(self, home):
        self.home = pathlib.Path(home)
        self.env = {**os.environ, "HOWDAH_HOME": str(home), "HOWDAH_ON": "local"}
        self.env.pop("MNIST_DIR", None)

    def start(self, *args, cwd=CONTRACT, env=None, **kwargs):
        return subprocess.Popen([str(BIN), *map(str, args)], cwd=cwd, env={**self.env, **(env or {})}, text=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **kwargs)

    def __call__(self, *args, timeout=DEADLINE_S, **kwargs):
        process = self.start(*args, **kwargs)
        try:
            stdout, stderr = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            stdout, stderr = process.communicate()
            raise AssertionError(f"howdah {args} took longer than {timeout} s: {Done(process, stdout, stderr)}")
        return Done(process, stdout, stderr)

    def submit(self, *args, **kwargs):
        done = self("submit", *args, **kwargs)
        assert done.code == 0, done
        assert done.stdout == done.id + "\n", done
        return done.id

    def status(self, job="last"):
        done = self("status", job, "--json")
        assert done.code == 0, done
        return json.loads(done.stdout)

    def task(self, job, role, index):
        return next(t for t in self.status(job)["tasks"] if (t["role"], t["index"]) == (role, index))

    def log(self, job, task, *flags):
        done = self("logs", job, task, *flags)
        assert done.code == 0, done
        return done.stdout

    def until(self, job, condition, what):
        """Returns the first status of the job that meets the condition. The error message contains the last status."""
        last = {}

        def look():
            last.update(status := self.status(job))
            return status if condition(status) else None
        try:
            return eventually(look, f"{what} of {job}")
        except AssertionError as late:
            raise AssertionError(f"{late}; its last status: {json.dumps(last)}") from None

    def running(self, job):
        """Waits until every task runs; returns the status."""
        return self.until(job, lambda s: all(t["state"] == "RUNNING" for t in s["tasks"]), "all tasks running")

    def job_file(self, tmp_path, text, name="job.yaml"):
        path = pathlib.Path(tmp_path) / name
        path.write_text(text)
        return path

    # --- processes and files of a job ---

    def agents(self, job, kind):
        """The pids of the job's `howdah-agent KIND` processes, guardians first."""
        ours = {pid: ppid for pid, (ppid, command, _) in processes().items()
                if f"howdah-agent {kind} " in command + " " and job in command}
        return sorted(ours, key=lambda pid: ours[pid] in ours)

    def alive(self, job):
        """The processes of the job, its agents and the processes that its tasks started: pid -> command line."""
        mark = f"HOWDAH_JOB_ID={job}".encode()
        return {pid: command for pid, (_, command, environment) in processes().items()
                if mark in environment.split(b"\0") or (job in command and "howdah-agent" in command)}

    def assert_clean(self, job):
        """Checks that nothing of the job is left: no process, lease, port, working directory or secret."""
        eventually(lambda: not self.alive(job), f"the end of {self.alive(job)}", 5)
        left = {p.name for p in (self.home / "jobs" / job).iterdir()}
        kept = {"job.json", "journal.jsonl", "am.log", "am.lock", "logs", "agents", "metrics", "outputs"}
        assert left <= kept, left
        assert not (self.home / "leases" / f"{job}.lease").exists()

    @staticmethod
    def diagnostics(_):
        """The diagnostics that the backend itself stores for a finished job, or None if it stores none."""

    def jobs(self):
        directory = self.home / "jobs"
        return sorted(p.name for p in directory.iterdir()) if directory.exists() else []

    def close(self):
        for job in self.jobs():
            for pid in self.alive(job):
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass

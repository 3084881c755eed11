"""A home that cannot be written, any umask, and hard limits of open files: no secret becomes readable, nothing hangs,
and each refusal names the cause."""
import os
import resource
import stat
import subprocess

import pytest

from machine import BIN, eventually, percent_of_machine
from other_user import needs_mounts

SLEEPER = """
env: {TOKEN: very-secret}
roles:
  worker: {memory: 64MiB, command: exec sleep 300}
"""
SHORT = "roles: {worker: {memory: 16MiB, command: echo hello}}\n"


# --- a home that cannot be written ---

@needs_mounts
def test_ended_jobs_are_readable_in_a_read_only_home(machine, tmp_path):
    done = machine("run", machine.job_file(tmp_path, SHORT))
    assert done.code == 0, done

    def howdah(*words):
        lines = ["set -e", f"mount --bind {machine.home} {machine.home}",
                 f"mount -o remount,bind,ro {machine.home}", f'exec "{BIN}" "$@"']
        return subprocess.run(["unshare", "-m", "bash", "-c", "\n".join(lines), "bash", *map(str, words)],
                              env=machine.env, cwd=tmp_path, text=True, capture_output=True, timeout=60)
    shown = {"list": ["--all"], "status": [done.id], "logs": [done.id], "wait": [done.id], "events": [done.id],
             "kill": [done.id]}
    for command, words in shown.items():
        answer = howdah(command, *words)
        assert answer.returncode == 0, (command, answer)
        assert done.id in answer.stdout + answer.stderr or "hello" in answer.stdout, (command, answer)
    doctor = howdah("doctor")
    assert doctor.returncode == 3 and "Read-only file system" in doctor.stdout, doctor
    refused = howdah("run", "job.yaml")
    assert refused.returncode != 0 and "Read-only file system" in refused.stderr, refused
    assert str(machine.home) in refused.stderr, refused
    assert machine.jobs() == [done.id]


# --- umask ---

@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077, 0o777], ids=oct)
def test_keys_and_state_files_are_private_under_any_umask(machine, tmp_path, umask):
    job = machine.submit(machine.job_file(tmp_path, SLEEPER), preexec_fn=lambda: os.umask(umask))
    machine.running(job)
    folder = machine.home / "jobs" / job
    # The directories of the tasks belong to the tasks, whose own umask applies there.
    of_tasks = {folder / "work", folder / "logs", folder / "staging"}
    checked = set()
    for path in [machine.home, machine.home / "jobs", machine.home / "leases", folder, *folder.rglob("*")]:
        if of_tasks & set(path.parents):
            continue
        mode = stat.S_IMODE(path.lstat().st_mode)
        if path.is_dir():
            assert mode & 0o700 == 0o700, (path, oct(mode))
        elif not stat.S_ISREG(path.lstat().st_mode):
            continue
        elif path.suffix in (".key", ".pem", ".json", ".jsonl", ".bin"):
            assert mode == 0o600, (path, oct(mode))
            checked.add(path.name)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {"journal.jsonl", "job.json", "am.json", "events.bin"} <= checked, checked
    secret = [p for p in folder.rglob("*") if p.is_file() and (b"PRIVATE KEY" in p.read_bytes()
                                                             or b"very-secret" in p.read_bytes())]
    assert secret, "no file with a secret was found, so the test would prove nothing"
    for path in secret:
        assert stat.S_IMODE(path.stat().st_mode) == 0o600, path
    assert machine("kill", job).code == 0
    machine.assert_clean(job)


# --- hard limits of open files ---

@pytest.mark.parametrize("limit", [64, 24, 12])
def test_a_hard_limit_of_open_files_is_named_or_enough(machine, tmp_path, limit):
    """64 are enough. With fewer, the job is refused, and the error names the limit. Nothing is left."""
    done = machine("run", machine.job_file(tmp_path, SHORT),
                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit)))
    if limit == 64:
        assert done.code == 0, done
        assert machine.log(done.id, "worker:0") == "hello\n"
    else:
        assert done.code == 3 and f"the hard limit of open files is {limit} (ulimit -Hn)" in done.stderr, done
    for job in machine.jobs():
        eventually(lambda job=job: not machine.alive(job), f"the end of the processes of {job}")
    leases = machine.home / "leases"
    assert not leases.exists() or not list(leases.glob("*.lease"))


# --- inotify ---

WITHOUT_INOTIFY = ["unshare", "--user", "--map-root-user", "sh", "-c",
                   'echo 0 > /proc/sys/user/max_inotify_instances && exec "$@"', "sh"]
needs_namespaces = pytest.mark.skipif(subprocess.run([*WITHOUT_INOTIFY, "true"], capture_output=True).returncode != 0,
                                      reason="this machine does not allow user namespaces")


@needs_namespaces
def test_job_waits_for_memory_without_an_inotify_instance(machine, tmp_path):
    """All programs of a user share a limited number of instances."""
    role = "roles: {worker: {memory: %dMiB, command: %s}}\n"
    most = percent_of_machine(machine, 60)
    held = machine.submit(machine.job_file(tmp_path, role % (most, "exec sleep 300"), "held.yaml"))
    machine.running(held)
    file = machine.job_file(tmp_path, role % (most, "echo hello"), "waits.yaml")
    submitted = subprocess.run([*WITHOUT_INOTIFY, BIN, "submit", file], env=machine.env, cwd=tmp_path, text=True,
                               capture_output=True, timeout=60)
    job = submitted.stdout.strip()
    assert submitted.returncode == 0, submitted
    machine.until(job, lambda status: held in (status.get("reason") or ""), "the wait for the other job")
    assert machine("kill", held).code == 0
    assert machine("wait", job).code == 0

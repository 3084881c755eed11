"""The keys in an agent's memory cannot be read by its task, and a job of an ordinary user works nevertheless."""
import json
import os
import shutil

from machine import BIN, eventually, kill_together, processes
from other_user import needs_root, run_as_other

LIMIT = 12345 * 1024


def as_user(home, *arguments, cwd):
    """Runs `howdah` as the other user, whose soft limit for core files is LIMIT."""
    environment = {"PATH": os.environ["PATH"], "HOWDAH_HOME": str(home), "HOME": str(home), "USER": "other"}
    return run_as_other("prlimit", f"--core={LIMIT}:", BIN, *arguments, cwd=cwd, env=environment)


def job_of_other_user(tmp_path, text):
    for folder in (tmp_path, tmp_path.parent, tmp_path.parent.parent):
        os.chmod(folder, 0o755)  # pytest's folders would exclude the other user
    folder = tmp_path / "other"
    folder.mkdir()
    (folder / "job.yaml").write_text(text)
    shutil.chown(folder, 61001, 61001)
    return folder


def agents_of(job):
    return [pid for pid, (_, command, _) in processes().items()
            if command.startswith("howdah-agent") and job in command]


@needs_root
def test_a_task_cannot_read_the_memory_of_its_executor(tmp_path):
    folder = job_of_other_user(tmp_path, """
roles:
  worker:
    command: |
      ulimit -c
      cat /proc/$PPID/environ > /dev/null 2>&1 && echo readable || echo refused
      cat /proc/self/environ > /dev/null && echo own
    memory: 64MiB
""")
    done = as_user(folder / "home", "run", "job.yaml", cwd=folder)
    assert done.returncode == 0, done
    logs = as_user(folder / "home", "logs", "last", "worker:0", cwd=folder).stdout
    assert logs.splitlines() == [str(LIMIT // 1024), "refused", "own"]


# The client finds the agents of a job without an AM by the owner of their processes. That user does not own the
# directories of these processes in /proc.
@needs_root
def test_a_job_without_agents_is_ended_by_the_next_client(tmp_path):
    folder = job_of_other_user(tmp_path, """
roles:
  worker: {command: exec sleep 300, memory: 64MiB}
""")
    home = folder / "home"
    submitted = as_user(home, "submit", "job.yaml", cwd=folder)
    assert submitted.returncode == 0, submitted
    job = submitted.stdout.strip()

    def status():
        return json.loads(as_user(home, "status", job, "--json", cwd=folder).stdout)

    eventually(lambda: status()["state"] == "RUNNING", "the job to run")
    ams = [pid for pid, (_, command, _) in processes().items()
           if command.startswith("howdah-agent am") and job in command]
    assert len(ams) == 2, ams
    kill_together(ams)
    # am.lock becomes free when the kernel has removed the killed processes.
    eventually(lambda: status()["state"] == "FAILED", "the end of the job")
    eventually(lambda: not agents_of(job), "the executor to end")

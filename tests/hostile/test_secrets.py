"""Another user of the machine cannot read a job's keys, its values of `env`, or the environments of its processes."""
import os

from other_user import needs_root, run_as_other

JOB = """
env: {TOKEN: very-secret}
roles:
  worker: {command: exec sleep 300, memory: 64MiB}
"""


@needs_root
def test_other_users_cannot_read_keys_and_environments(machine, tmp_path):
    for folder in (tmp_path, tmp_path.parent, tmp_path.parent.parent):
        os.chmod(folder, 0o755)  # pytest's own folders exclude other users, which would hide a mistake of Howdah
    job = machine.submit(machine.job_file(tmp_path, JOB))
    machine.running(job)
    folder = machine.home / "jobs" / job
    secrets = [path for path in folder.rglob("*") if path.is_file() and (b"very-secret" in path.read_bytes()
                                                                       or b"PRIVATE KEY" in path.read_bytes())]
    assert secrets, "no file with a secret was found, so the test would prove nothing"
    for path in secrets:
        assert run_as_other("/bin/cat", path).returncode != 0, path
    for pid in machine.alive(job):
        assert run_as_other("/bin/cat", f"/proc/{pid}/environ").returncode != 0, pid
        assert b"very-secret" not in run_as_other("/bin/cat", f"/proc/{pid}/cmdline", text=False).stdout
    machine("kill", job)

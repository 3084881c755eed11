"""Attacks by another user of the nodes cannot read, change or end a running job. --attack-for SECONDS repeats
the attacks."""
import pathlib

from machine import read
from other_user import needs_root
from stranger import attack, public_folder

SECRET = "very-secret-value"
JOB = """
env: {TOKEN: %s}
roles:
  worker: {instances: 2, memory: 64MiB, command: exec sleep 86000}
"""


def private_files(howdah, job):
    """The files with keys and other secrets in the directories of the job's containers."""
    agents = howdah.agents(job, "am") + howdah.agents(job, "task")
    folders = {pathlib.Path(f"/proc/{pid}/cwd").resolve() for pid in agents}
    return [path for folder in folders for path in folder.rglob("*") if path.is_file()
            and (b"PRIVATE KEY" in (text := read(path)) or SECRET.encode() in text or path.name == "container_tokens")]


@needs_root
def test_a_stranger_on_a_node_cannot_read_end_or_delete_a_job(howdah, tmp_path, pytestconfig):
    job = howdah.submit(howdah.job_file(tmp_path, JOB % SECRET))
    before = howdah.running(job)["tasks"]
    processes = howdah.alive(job)
    files = private_files(howdah, job)
    assert files
    agents = howdah.agents(job, "am") + howdah.agents(job, "task")
    with public_folder() as folder:
        attack(job, agents, files, folder / "own", SECRET, seconds=pytestconfig.getoption("attack_for"), page=True)
    after = howdah.running(job)["tasks"]
    assert [(t["attempt"], t["pids"]) for t in after] == [(t["attempt"], t["pids"]) for t in before]
    assert howdah.alive(job) == processes
    assert howdah("kill", job).code == 0
    assert howdah.status(job)["state"] == "KILLED"
    howdah.assert_clean(job)

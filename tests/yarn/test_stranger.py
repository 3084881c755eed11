"""Another user of the nodes attacks a running job, and changes, reads and ends nothing. --attack-for SECONDS repeats
the attacks."""
import pathlib

from machine import read
from other_user import needs_root
from stranger import attack, public_folder

SECRET = "very-secret-value"
JOB = """
env: {TOKEN: %s}
roles:
  worker: {instances: 2, memory: 64MiB, command: exec sleep 86400}
"""


def private_files(howdah, job):
    """The files with keys and other secrets in the directories of the job's containers."""
    agents = howdah.agents(job, "am") + howdah.agents(job, "task")
    folders = {pathlib.Path(f"/proc/{pid}/cwd").resolve() for pid in agents}
    return [path for folder in folders for path in folder.rglob("*") if path.is_file()
            and (b"PRIVATE KEY" in (text := read(path)) or SECRET.encode() in text or path.name == "container_tokens")]


@needs_root
def test_stranger_on_a_node_reads_ends_and_deletes_nothing(howdah, tmp_path, pytestconfig):
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

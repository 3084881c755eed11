"""Attacks by another user of the nodes, or of the cluster, cannot read, change or end a running job. --attack-for
SECONDS repeats the attacks."""
import pathlib

from job_reports import assert_facts
from machine import read
from other_user import needs_root
from stranger import ATTACKS, all_refused, attack, public_folder, target_of

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


# Commands for a job that belongs to somebody else.
COMMANDS = (["logs"], ["events"], ["outputs"], ["kill"], ["exec", "worker:0", "--", "true"],
            ["renew"], ["stacks"], ["result", "worker:0"], ["advise"], ["tensorboard"], ["scale", "worker=3"])


@needs_root
def test_another_user_of_a_secure_cluster_reads_and_stops_nothing(secured_cluster, howdah_of, tmp_path):
    """Bob attacks from his own container, with his own ticket, account and tokens."""
    alice, bob = howdah_of(secured_cluster), howdah_of(secured_cluster, "bob")
    job = alice.submit(alice.job_file(tmp_path, JOB % SECRET))
    before = alice.running(job)["tasks"]
    agents = alice.agents(job, "am") + alice.agents(job, "task")
    uid = secured_cluster.accounts.uid("bob")
    with public_folder() as folder:
        target = target_of(job, agents, private_files(alice, job), folder / "own", SECRET, uid=uid, page=True)
        (tmp_path / "target.json").write_text(target)
        (tmp_path / "attacks.py").write_text(ATTACKS.read_text())
        done = bob("run", bob.job_file(tmp_path, """
name: attack
files: [target.json, attacks.py]
roles: {worker: {memory: 256MiB, command: python3 attacks.py < target.json}}
""", "attack.yaml"), timeout=300)
    assert done.code == 0, done
    assert all_refused(bob.log(done.id, "worker:0")) > 500
    seen = bob.status(job)  # what YARN shows to every user
    assert (seen["state"], seen["name"], seen["tasks"]) == ("RUNNING", "job", []), seen
    for command, *words in COMMANDS:
        refused = bob(command, job, *words)
        assert refused.code in (2, 3), refused
        assert_facts(refused.stderr.removesuffix("\n"), job)
        assert SECRET not in refused.stdout + refused.stderr, refused
    after = alice.running(job)["tasks"]
    assert [(t["attempt"], t["pids"]) for t in after] == [(t["attempt"], t["pids"]) for t in before]
    assert alice("kill", job).code == 0
    alice.assert_clean(job)

"""The queue of gangs on a real cluster: which waiting job gets its containers next, and application masters that step
aside."""
import json
import os
import re

import pytest

from job_reports import assert_facts
from machine import eventually

ROUNDS = int(os.environ.get("HOWDAH_ROUNDS", "1"))
JOBS = 10


@pytest.fixture(scope="module")
def small(module_cluster):
    """Two nodes with four vcores each, which are all that the jobs compete for."""
    return module_cluster(nodes=2, node_mb=12288, node_vcores=4, min_mb=1024)


@pytest.fixture
def alice(howdah_of, small):
    small.wait_idle()
    return howdah_of(small, "alice")


def gang(howdah, tmp_path, name, instances=3, command="sleep 0.5", more=""):
    text = f"name: {name}\n{more}\nroles:\n  worker: {{instances: {instances}, memory: 1GiB, command: '{command}'}}\n"
    return howdah.job_file(tmp_path, text, f"{name}.yaml")


def submit_all(howdah, tmp_path, count):
    """Submits jobs at the same time, and returns their ids in the order of the queue."""
    clients = [howdah.start("submit", gang(howdah, tmp_path, f"job{i}")) for i in range(count)]
    ids = [client.communicate(timeout=60)[0].split()[-1] for client in clients]
    assert [client.returncode for client in clients] == [0] * count, ids
    return sorted(ids)


def rows_of(howdah):
    done = howdah("queue", "--json")
    assert done.code == 0, done
    return {row["name"]: row for row in json.loads(done.stdout)}


def am_attempts(cluster, job):
    return cluster.rm(f"apps/{job}/appattempts")["appAttempts"]["appAttempt"]


@pytest.mark.parametrize("number", range(ROUNDS))
def test_ten_jobs_all_finish(alice, small, tmp_path, number):
    jobs = submit_all(alice, tmp_path, JOBS)
    for job in jobs:
        assert alice("wait", job, timeout=300).code == 0, alice("status", job).stdout


@pytest.mark.parametrize("number", range(ROUNDS))
def test_application_masters_step_aside_for_the_first_gang(alice, small, tmp_path, number):
    """Six application masters run and no gang, because they got the vcores at the moment when these became free."""
    holder = alice.submit(gang(alice, tmp_path, "holder", 7, "exec sleep 300"))
    alice.running(holder)
    jobs = submit_all(alice, tmp_path, JOBS)
    assert alice("kill", holder).code == 0
    for job in jobs:
        assert alice("wait", job, timeout=300).code == 0, alice("status", job).stdout
    attempts = [len(am_attempts(small, job)) for job in jobs]
    assert max(attempts) > 1 and attempts[0] == 1, attempts


def test_reason_names_position_and_jobs_ahead(alice, small, tmp_path):
    holder = alice.submit(gang(alice, tmp_path, "holder", 4, "exec sleep 300"))
    alice.running(holder)
    first = alice.submit(gang(alice, tmp_path, "first", 3))
    second = alice.submit(gang(alice, tmp_path, "second", 2))
    reason = eventually(lambda: re.search("1 job is ahead.*", alice.status(second).get("reason") or ""),
                        "the reason of the second job").group()
    assert_facts(reason, "in the queue 'default'", first, "× 1 GiB, 1 vcore", "waits for")
    assert alice("kill", holder).code == 0
    for job in (first, second):
        assert alice("wait", job, timeout=300).code == 0


def test_large_gang_is_not_overtaken_by_small_jobs(alice, small, tmp_path):
    """Small jobs arrive all the time while a job needs almost the whole cluster. None starts before it."""
    holder = alice.submit(gang(alice, tmp_path, "holder", 1, "exec sleep 300"))
    alice.running(holder)
    large = alice.submit(gang(alice, tmp_path, "large", 6))
    small_jobs = [alice.submit(gang(alice, tmp_path, f"small{i}", 1)) for i in range(3)]
    eventually(lambda: rows_of(alice)["small0"]["state"] in ("waiting", "before AM"), "the small job waits")
    assert alice("kill", holder).code == 0
    for job in (large, *small_jobs):
        assert alice("wait", job, timeout=300).code == 0
    started = [alice.status(job)["tasks"][0]["started"] for job in (large, *small_jobs)]
    assert started[0] == min(started), started


def node_of_am(cluster, job):
    return am_attempts(cluster, job)[-1]["nodeId"].split(":")[0]


def submit_away_from_am(howdah, cluster, job_file):
    """Submits the job until its task and its application master are on different nodes."""
    for _ in range(10):
        job = howdah.submit(job_file)
        task = howdah.running(job)["tasks"][0]
        if task["node"] != node_of_am(cluster, job):
            return job, task
        assert howdah("kill", job, "--grace", "0s").code == 0
    raise AssertionError("YARN always puts both on the same node")


def test_application_master_leaves_nodes_and_its_tasks_run_on(howdah_of, module_cluster, tmp_path):
    """The application master moves up to three times, although am.attempts is 2."""
    cluster = module_cluster(nodes=3)
    howdah = howdah_of(cluster, "alice")
    go = tmp_path / "go"
    job, task = submit_away_from_am(howdah, cluster, howdah.job_file(tmp_path, f"""
name: moving
am: {{attempts: 2}}
roles:
  worker: {{memory: 64MiB, restart: {{max: 0}}, command: "until [ -e {go} ]; do sleep 0.2; done"}}
"""))
    nodes = {cluster.host(node): node for node in cluster.setup.node_names()}
    moves = 0
    while moves < 3 and (host := node_of_am(cluster, job)) != task["node"]:
        cluster.exclude(nodes[host], graceful_s=3600)
        moves += 1
        eventually(lambda: len(am_attempts(cluster, job)) == moves + 1, "another application master")
        eventually(lambda: howdah.status(job)["state"] == "RUNNING", "the job is running again")
        cluster.exclude()
        cluster.wait_active()
    status = howdah.status(job)
    assert status["tasks"][0]["pids"] == task["pids"] and status["tasks"][0]["attempt"] == 0, status
    go.touch()
    assert howdah("wait", job).code == 0


@pytest.fixture(scope="module")
def shared(module_cluster):
    """Two queues with limits of their own, and a node with a label."""
    most = {"capacity": 50, "maximum-capacity": 50, "user-limit-factor": 10}
    return module_cluster(nodes=3, node_mb=4096, min_mb=1024, labels={"fast": ["nm3"]},
                          queues={"ml": most, "etl": most},
                          extra={"yarn-site": {"yarn.cluster.max-application-priority": 5}})


@pytest.mark.long
def test_queues_labels_priorities_and_users(shared, howdah_of, tmp_path):
    """Two users share two queues and a label. Limits of one queue hold up nobody in the other one."""
    alice, bob = howdah_of(shared, "alice"), howdah_of(shared, "bob")
    holder = bob.submit(gang(bob, tmp_path, "holder", 2, "exec sleep 300", "queue: ml"))  # 3 of the queue's 4 GiB
    bob.running(holder)
    first = alice.submit(gang(alice, tmp_path, "first", 2, more="queue: ml"))
    other = alice.submit(gang(alice, tmp_path, "other", 2, more="queue: etl"))
    fast = alice.submit(gang(alice, tmp_path, "fast", 1, more="queue: etl\nnode_label: fast"))
    for job in (other, fast):
        assert alice("wait", job, timeout=300).code == 0, alice.status(job)
    rows = rows_of(alice)
    assert rows["holder"]["state"] == "running" and rows["holder"]["user"] == "bob", rows
    assert rows["first"]["state"] in ("next", "before AM") and rows["first"]["position"] == 1, rows
    assert rows["first"]["needs"] == [{"count": 2, "memory_bytes": 1 << 30, "vcores": 1, "gpus": 0}], rows

    assert alice("queue", "priority", first, "4").code == 0
    assert rows_of(bob)["first"]["priority"] == 4
    too_high = alice("queue", "priority", first, "9")
    assert too_high.code == 3 and "yarn.cluster.max-application-priority" in too_high.stderr, too_high
    refused = alice("queue", "move", first, "nowhere")
    assert refused.code == 3 and "nowhere" in refused.stderr, refused
    assert alice("queue", "move", first, "etl").code == 0
    assert alice("wait", first, timeout=300).code == 0
    assert shared.app(first)["queue"].split(".")[-1] == "etl"
    assert bob("kill", holder).code == 0


def test_tags(alice, tmp_path):
    tags = "tags: [" + ", ".join(f"t{i}" for i in range(10)) + "]"
    many = alice("submit", gang(alice, tmp_path, "many", 1, more=tags))
    assert many.code == 3 and "may have nine" in many.stderr, many
    own = alice("submit", gang(alice, tmp_path, "own", 1, more="tags: ['howdah-gang:1x1m']"))
    assert own.code == 2 and "set by Howdah" in own.stderr, own

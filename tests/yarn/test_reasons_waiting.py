"""Jobs that wait: provokes the situations 1 to 3, 5 to 10 and 17 of docs/failures.md on a real cluster. The reason
contains the same numbers as the ResourceManager reports."""
import pytest

import scheduling_cases
from job_reports import Run, assert_facts
from scheduling_cases import free_mb, mib, max_mib_of, queue


@pytest.fixture
def alice(howdah_of, difficult):
    return howdah_of(difficult, "alice")


@pytest.fixture
def bob(howdah_of, difficult):
    return howdah_of(difficult, "bob")


def holds(howdah, tmp_path, text):
    """Submits a job that holds its containers until it is killed. Returns its id when all tasks run."""
    job = howdah.submit(howdah.job_file(tmp_path, text, "holder.yaml"))
    howdah.running(job)
    return job


def test_1_the_queue_is_full(difficult, alice, bob, tmp_path):
    holder = holds(bob, tmp_path, """
name: holder
queue: small
roles:
  worker: {memory: 512MiB, command: exec sleep 300}
""")
    run = Run(alice, tmp_path, "name: j\nqueue: small\nroles:\n  worker: {memory: 256MiB, command: 'true'}\n")
    reason = run.reason("is full")
    small, app = queue(difficult, "small"), difficult.app(holder)
    assert max_mib_of(difficult, "small") == scheduling_cases.SMALL_MB == small["resourcesUsed"]["memory"] + 128
    use = mib(app["allocatedMB"])
    largest = f"bob with {holder} ({use}"
    if difficult.setup.kerberos:  # bob's applications are his own, unless alice is an administrator
        largest = f"applications of bob that alice may not view use {use}"
    assert_facts(reason, "'small'", mib(small["resourcesUsed"]["memory"]), mib(scheduling_cases.SMALL_MB), "25 %",
                 largest, "1 more container of 256 MiB, 1 core for worker")
    assert bob("kill", holder).code == 0
    assert run.end()["state"] == "SUCCEEDED"


def test_2_am_share_exhausted_and_17_file_changed_meanwhile(difficult, alice, bob, tmp_path):
    holder = holds(bob, tmp_path, """
name: holder
queue: tiny
roles:
  worker: {memory: 64MiB, command: exec sleep 300}
""")
    data = difficult.write("/user/alice/data.txt", b"one", "alice")
    run = Run(alice, tmp_path, f"""
name: j
queue: tiny
files: ["hdfs:///user/alice/data.txt"]
roles:
  worker: {{memory: 64MiB, command: cat data.txt}}
""")
    reason = run.reason("application master limit")
    tiny = queue(difficult, "tiny")
    assert tiny["numActiveApplications"] == 1
    assert_facts(reason, "'tiny'", mib(tiny["AMResourceLimit"]["memory"]), mib(tiny["usedAMResource"]["memory"]),
                 "1 application runs", "maximum-am-resource-percent", "1 %")
    assert alice.status(run.id)["state"] == "QUEUED"
    changed = difficult.write("/user/alice/data.txt", b"two", "alice")
    assert data != changed
    assert bob("kill", holder).code == 0
    status = run.end(code=1)
    reason = status["reason"]
    assert_facts(reason, "worker:0", "hdfs://", "/user/alice/data.txt", "changed after submission",
                 scheduling_cases.time_of(data), scheduling_cases.time_of(changed))


def test_3_user_limit_8_incomplete_gang_9_released_to_avoid_a_deadlock(difficult, alice, tmp_path):
    run = Run(alice, tmp_path, """
name: j
queue: single
timeouts: {hold: 8s}
roles:
  worker: {instances: 3, memory: 512MiB, command: 'true'}
""")
    reason = run.reason("user limit")
    mine = next(u for u in queue(difficult, "single")["users"]["user"] if u["username"] == "alice")
    limit = mine["userResourceLimit"]["memory"]
    assert_facts(reason, "'single'", f"alice uses {mib(mine['resourcesUsed']['memory'])}", f"capacity, {mib(limit)}",
                 "user-limit-factor")
    reason = run.reason("2 of 3 containers are held", "they are released in", "user limit")
    assert_facts(reason, "no more were granted for")
    reason = run.reason("2 of 3 containers were held")
    assert_facts(reason, "released to avoid a deadlock", "requested again in")
    assert difficult.app(run.id)["runningContainers"] == 1, "only the application master has kept its container"
    run.reason("2 of 3 containers are held")
    run.kill()


def test_5_and_7_reasons_for_fragmented_memory_and_for_gpus_in_use(difficult, alice, bob, tmp_path):
    holder = holds(bob, tmp_path, """
name: holder
roles:
  hog: {instances: 3, max_per_node: 1, memory: 640MiB, command: exec sleep 300}
  trainer: {instances: 2, memory: 64MiB, gpus: 1, command: exec sleep 300}
""")
    short = Run(alice, tmp_path, "name: j\nroles:\n  big: {memory: 448MiB, command: 'true'}\n", "pieces")
    gpus = Run(alice, tmp_path, "name: j\nroles:\n  learner: {instances: 2, memory: 64MiB, gpus: 1, command: 'true'}\n",
               "gpus")
    reason = gpus.reason("yarn.io/gpu")
    nodes = {n["nodeHostName"]: n for n in difficult.nodes()}

    def of(host, what):
        amounts = nodes[difficult.host(host)][what]["resourceInformations"]["resourceInformation"]
        return next(a["value"] for a in amounts if a["name"] == "yarn.io/gpu")
    assert_facts(reason, "of 3 yarn.io/gpu", "learner requests",
                 *(f"{difficult.host(n)} uses {of(n, 'usedResource')} of {of(n, 'totalResource')}"
                   for n in ("nm1", "nm2")))
    reason = short.reason("fragmented")
    free = free_mb(difficult)
    assert_facts(reason, f"fragmented: {mib(sum(free.values()))}, ", f"at most {mib(max(free.values()))}, ",
                 "on one node", "big", "448 MiB")
    assert sum(free.values()) >= 448 > max(free.values())
    assert bob("kill", holder).code == 0
    assert short.end()["state"] == gpus.end()["state"] == "SUCCEEDED"


def test_6_a_label_without_healthy_nodes(difficult, alice, tmp_path):
    difficult.set_health_output("nm4", "ERROR 1/1 local-dirs are bad")
    difficult.wait_active(3)
    run = Run(alice, tmp_path, "name: j\nroles:\n  worker: {memory: 64MiB, node_label: fast, command: 'true'}\n")
    bare = Run(alice, tmp_path, "name: j\nnode_label: bare\nroles:\n  w: {memory: 64MiB, command: 'true'}\n", "bare")
    sick = next(n for n in difficult.nodes() if n["nodeHostName"] == difficult.host("nm4"))
    reason = run.reason("label 'fast'")
    assert_facts(reason, "1 UNHEALTHY", difficult.host("nm4"), "1/1 local-dirs are bad")
    assert "1/1 local-dirs are bad" in sick["healthReport"] and sick["state"] == "UNHEALTHY"
    assert_facts(bare.reason("label 'bare'"), "no node has the label")
    bare.kill()
    difficult.set_health_output("nm4", None)
    assert run.end()["state"] == "SUCCEEDED"
    assert alice.task(run.id, "worker", 0)["node"] == difficult.host("nm4")


def test_10_no_healthy_node(difficult, alice, tmp_path):
    for node in scheduling_cases.PLAIN:
        difficult.set_health_output(
            node, "ERROR 1/1 log-dirs usable space is below configured utilization percentage: /var/log")
    difficult.wait_active(1)
    run = Run(alice, tmp_path, "name: j\nroles:\n  worker: {memory: 64MiB, command: 'true'}\n")
    assert_facts(run.reason("no healthy node"), "3 UNHEALTHY", difficult.host("nm1"), "usable space is below")
    for node in scheduling_cases.PLAIN:
        difficult.set_health_output(node, None)
    assert run.end()["state"] == "SUCCEEDED"

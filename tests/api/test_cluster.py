"""The state of this machine in the portal: its node, its use by jobs, what waits, and the recorded history."""
import csv
import io
import os
import pathlib

import pytest

from machine import eventually
from portal import Portal

HOLDER = "name: holder\nroles: {w: {instances: 2, memory: 64MiB, vcores: 1, command: exec sleep 86399}}\n"
# Together with the holder it needs more than the machine has.
WAITS = "name: waits\nroles: {{big: {{memory: {}MiB, command: 'true'}}}}\n"
FAILS = "name: broken\nroles: {w: {memory: 8MiB, command: 'exit 3'}}\n"
MIB = 1 << 20
HOST = os.uname().nodename


def one(answer):
    """The only backend of an answer."""
    assert [backend["name"] for backend in answer["backends"]] == ["local"]
    return answer["backends"][0]


def until(portal, route, condition, what, **query):
    def look():
        backend = one(portal.get(route, **query).json)
        return backend if condition(backend) else None
    return eventually(look, what)


@pytest.fixture
def holder(machine, tmp_path):
    job = machine.submit(machine.job_file(tmp_path, HOLDER, "holder.yaml"))
    machine.running(job)
    return job


def test_machine_shows_its_use_and_the_job_that_waits(machine, tmp_path, portal, holder):
    state = until(portal, "cluster", lambda s: s["memory_bytes"]["used"], "the use of the machine")
    total = state["memory_bytes"]["total"]
    assert state["state"] == "ok" and state["detail"] is None and state["since"] is None
    assert state["nodes"] == {"total": 1, "usable": 1, "states": [{"state": "RUNNING", "count": 1}]}
    assert state["memory_bytes"]["used"] == 128 * MIB and state["vcores"]["used"] == 2
    assert state["vcores"]["total"] == len(os.sched_getaffinity(0))
    assert state["pending"]["containers"] == 0 and state["applications"] == {"running": 1, "waiting": 0}
    assert state["waiting_jobs"] == [] and "history" not in state

    waiting = machine.submit(machine.job_file(tmp_path, WAITS.format(total // MIB - 100)))
    sentence = machine.until(waiting, lambda s: (s["reason"] or "").startswith("waiting for"), "the reason")["reason"]
    state = until(portal, "cluster", lambda s: s["waiting_jobs"] and s["waiting_jobs"][0]["reason"] == sentence,
                  "the waiting job")
    job = state["waiting_jobs"][0]
    assert (job["id"], job["name"], job["tasks"], job["gpus"]) == (waiting, "waits", 1, 0)
    state = until(portal, "cluster", lambda s: s["pending"]["containers"] == 1, "the pending request")
    assert state["pending"]["memory_bytes"] == (total // MIB - 100) * MIB
    assert state["applications"] == {"running": 1, "waiting": 1}

    applications = until(portal, "cluster/applications", lambda s: sum(a["job"] for a in s["applications"]) == 2,
                         "both applications")
    by_id = {application["id"]: application for application in applications["applications"]}
    user = portal.get("health").json["user"]
    assert by_id[holder] | {"submitted": None} == {
        "id": holder, "name": "holder", "type": "HOWDAH", "user": user, "queue": None, "state": "RUNNING",
        "submitted": None, "containers": 2, "memory_bytes": 128 * MIB, "vcores": 2, "gpus": 0, "job": True,
        "reason": None}
    assert by_id[waiting]["state"] == "WAITING" and by_id[waiting]["reason"] == sentence
    for field, value in (("type", "HOWDAH"), ("user", user)):
        assert [group | {field: value} for group in applications[f"by_{field}"]] == [
            {field: value, "running": 1, "waiting": 1, "containers": 2, "memory_bytes": 128 * MIB, "vcores": 2,
             "gpus": 0}]
    assert one(portal.get("cluster/queues").json)["queues"] == []
    machine("kill", waiting)


def test_node_shows_tasks_failures_and_other_containers(machine, tmp_path, portal, holder):
    failed = machine("run", machine.job_file(tmp_path, FAILS)).id

    def has_all(state):
        return state["nodes"][0]["failures"] and len(state["nodes"][0]["tasks"]) == 2
    node, = until(portal, "cluster/nodes", has_all, "the failure and the tasks", node=HOST)["nodes"]
    assert (node["node"], node["port"], node["state"], node["usable"]) == (HOST, None, "RUNNING", True)
    assert [(task["job"], task["task"], task["state"]) for task in node["tasks"]] == [
        (holder, "w:0", "RUNNING"), (holder, "w:1", "RUNNING")]
    assert node["complete"] and node["others"] == 0 and node["masters"] == [] and node["avoided"] == []
    failure, = node["failures"]
    assert (failure["job"], failure["task"], failure["lost"]) == (failed, "w:0", False)
    assert "exit code 3" in failure["reason"], failure
    missing = portal.get("cluster/nodes", status=404, node="nowhere").json
    assert "no backend has a node 'nowhere'" in missing["detail"]


def test_rows_are_csv_on_request(portal, holder):
    until(portal, "cluster", lambda s: s["applications"]["running"] == 1, "the job")
    for route in ("cluster/nodes", "cluster/applications", "cluster/queues"):
        answer = portal.get(route, headers={"Accept": "text/csv"})
        rows = list(csv.DictReader(io.StringIO(answer.text)))
        assert answer.headers["Content-Type"].startswith("text/csv")
        assert [row["backend"] for row in rows] == ([] if route == "cluster/queues" else ["local"]), route


def test_changes_are_events_of_the_topic(machine, tmp_path, portal):
    with portal.stream("cluster") as stream:
        assert stream.next() == ("open", {"topic": "cluster"})
        job = machine.submit(machine.job_file(tmp_path, HOLDER))
        machine.running(job)

        def is_seen(data):
            state = one(portal.get("cluster").json)
            return data == {"topic": "cluster", "backends": ["local"]} and state["applications"]["running"] == 1
        stream.until("cluster", is_seen)


def test_history_survives_a_restart_and_damage_costs_only_the_history(machine):
    def history(portal):
        return one(portal.get("cluster", history=1).json)["history"]
    with Portal(machine) as portal:
        first = eventually(lambda: (h := history(portal))["series"]["nodes"] == [1] and h, "the first point")
        assert first["width"] == 60 and first["problem"] is None
    path = pathlib.Path(machine.home) / "portal/cluster-local"
    with Portal(machine) as portal:
        again = history(portal)
        assert again["start"] == first["start"] and again["series"]["nodes"][0] == 1
    path.write_bytes(os.urandom(path.stat().st_size))
    with Portal(machine) as portal:
        new = eventually(lambda: (h := history(portal))["series"]["nodes"][-1] == 1 and h, "a new point")
        assert new["start"] >= first["start"] and portal.get("cluster").json["backends"][0]["state"] == "ok"
    path.unlink()
    path.mkdir()
    with Portal(machine) as portal:
        assert "cluster-local" in history(portal)["problem"]
        assert one(portal.get("cluster").json)["state"] == "ok"


def test_damaged_lease_is_a_problem_with_the_last_state(machine, portal, holder):
    until(portal, "cluster", lambda s: s["applications"]["running"] == 1, "the state")
    lease = pathlib.Path(machine.home) / "leases" / f"{holder}.lease"
    content = lease.read_bytes()
    with open(lease, "r+b") as file:  # in place, because a new file would not be locked
        file.write(b"x" * len(content))
    failing = until(portal, "cluster", lambda s: s["state"] == "failing", "the problem")
    assert "it is damaged" in failing["detail"] and failing["since"] <= failing["at"]
    assert failing["applications"] == {"running": 1, "waiting": 0} and failing["age_seconds"] > 0
    with open(lease, "r+b") as file:
        file.write(content)
    until(portal, "cluster", lambda s: s["state"] == "ok" and s["since"] is None, "the end of the problem")

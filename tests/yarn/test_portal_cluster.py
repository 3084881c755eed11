"""The state of a cluster in the portal: nodes, queues, applications of all users, and why jobs wait."""
import pytest

import scheduling_cases
from machine import eventually
from portal import Portal

MIB = 1 << 20


def one(answer):
    """The only backend of an answer."""
    assert [backend["name"] for backend in answer["backends"]] == ["yarn"]
    return answer["backends"][0]


def until(portal, route, condition, what, **query):
    def look():
        backend = one(portal.get(route, **query).json)
        return backend if condition(backend) else None
    return eventually(look, what, 120)


@pytest.fixture
def alice(howdah_of, difficult):
    return howdah_of(difficult, "alice")


@pytest.fixture
def bob(howdah_of, difficult):
    return howdah_of(difficult, "bob")


def test_queue_shows_its_users_and_waiting_jobs_with_the_sentence_of_status(difficult, alice, bob, tmp_path):
    holder = bob.submit(bob.job_file(tmp_path, """
name: holder
queue: small
roles: {worker: {memory: 512MiB, command: exec sleep 86399}}
""", "holder.yaml"))
    bob.running(holder)
    with Portal(alice, "--on", "yarn") as portal:
        job = alice.submit(alice.job_file(
            tmp_path, "name: j\nqueue: small\nroles: {worker: {memory: 256MiB, command: 'true'}}\n"))
        sentence = alice.until(job, lambda s: "is full" in (s["reason"] or ""), "the reason")["reason"]
        state = until(portal, "cluster", lambda s: [w["reason"] for w in s["waiting_jobs"]] == [sentence],
                      "the waiting job")
        assert (state["waiting_jobs"][0]["id"], state["waiting_jobs"][0]["queue"]) == (job, "small")
        viewed = not difficult.setup.kerberos  # whether alice may view the applications of bob
        assert "'small'" in sentence and ("bob with " + holder if viewed else "applications of bob") in sentence

        answer = until(portal, "cluster/queues", lambda s: any(q["waiting_jobs"] for q in s["queues"]), "the queues")
        queues = {queue["queue"]: queue for queue in answer["queues"]}
        assert queues.keys() == {"root", *(f"root.{name}" for name in scheduling_cases.SETUP["queues"])}
        small, of_rm = queues["root.small"], scheduling_cases.queue(difficult, "small")
        assert small["leaf"] and small["parent"] == "root" and not queues["root"]["leaf"]
        assert small["capacity_share"] == small["maximum_share"] == 0.25
        assert small["memory_bytes"]["used"] == of_rm["resourcesUsed"]["memory"] * MIB
        assert small["memory_bytes"]["maximum"] == scheduling_cases.SMALL_MB * MIB
        assert abs(small["used_share"] - of_rm["usedCapacity"] / 100) < 0.01
        assert [(holds["user"], holds["applications"]) for holds in small["held_by"] if holds["share"]] == [
            *([("bob", 1)] if viewed else []), ("alice", 1)]
        assert [waits["reason"] for waits in small["waiting_jobs"]] == [sentence]
        assert queues["root.stopped"]["state"] == "STOPPED" and queues["root.tiny"]["am_share"]["maximum"] < 0.02
        assert small["am_share"]["used"] is None, "the protocol does not report it"
        pending = until(portal, "cluster", lambda s: s["pending"]["containers"], "the pending container")["pending"]
        assert (pending["containers"], pending["memory_bytes"], pending["gpus"]) == (1, 256 * MIB, None)

        applications = {a["id"]: a for a in one(portal.get("cluster/applications").json)["applications"]}
        assert applications[holder]["user"] == "bob" and not applications[holder]["job"]
        assert applications[holder]["memory_bytes"] == (difficult.app(holder)["allocatedMB"] * MIB if viewed else None)
        assert applications[job]["job"] and applications[job]["type"] == "HOWDAH"
        assert alice("kill", job).code == 0
    assert bob("kill", holder).code == 0


def test_nodes_have_gpus_labels_states_and_what_runs_there(difficult, alice, tmp_path):
    difficult.set_health_output("nm4", "ERROR 1/1 local-dirs are bad")
    difficult.wait_active(3)
    job = alice.submit(alice.job_file(
        tmp_path, "name: j\nroles: {trainer: {memory: 64MiB, gpus: 2, command: exec sleep 86399}}\n"))
    alice.running(job)
    first = difficult.host("nm1")
    with Portal(alice, "--on", "yarn") as portal:
        state = until(portal, "cluster", lambda s: s["gpus"]["used"] == 2, "the GPUs in use")
        assert state["nodes"] == {"total": 4, "usable": 3, "states": [{"state": "RUNNING", "count": 3},
                                                                      {"state": "UNHEALTHY", "count": 1}]}
        assert state["gpus"] == {"used": 2, "total": 3}
        assert state["memory_bytes"]["total"] == scheduling_cases.TOTAL_MB * MIB
        nodes = {node["node"]: node for node in one(portal.get("cluster/nodes").json)["nodes"]}
        of_rm = {node["nodeHostName"]: node for node in difficult.nodes()}
        assert nodes.keys() == of_rm.keys()
        assert nodes[first]["gpus"] == {"used": 2, "total": 2} and nodes[first]["rack"] == "/default-rack"
        sick = nodes[difficult.host("nm4")]
        assert (sick["state"], sick["usable"], sick["label"]) == ("UNHEALTHY", False, "fast")
        assert "1/1 local-dirs are bad" in sick["health"]

        def runs(state):
            return any(task["state"] == "RUNNING" for node in state["nodes"] for task in node.get("tasks") or [])
        node, = until(portal, "cluster/nodes", runs, "the running task", node=first)["nodes"]
        assert [(task["job"], task["task"], task["state"]) for task in node["tasks"]] == [(job, "trainer:0", "RUNNING")]
        assert node["containers"] == of_rm[first]["numContainers"]
        assert node["others"] == node["containers"] - 1 - len(node["masters"]) and node["complete"]
        masters = [n for host in of_rm for n in one(portal.get("cluster/nodes", node=host).json)["nodes"][0]["masters"]]
        assert masters == [job]
        assert alice("kill", job).code == 0
    difficult.set_health_output("nm4", None)


def test_applications_of_other_kinds_are_listed_by_type_and_user(difficult, alice):
    other = difficult.run_command("sleep 300", user="carol")
    try:
        with Portal(alice, "--on", "yarn") as portal:
            answer = until(portal, "cluster/applications", lambda s: any(a["id"] == other for a in s["applications"]),
                           "the application")
            found = next(a for a in answer["applications"] if a["id"] == other)
            assert (found["user"], found["type"], found["job"]) == ("carol", "COMMAND",
                                                                    False)
            assert found["type"] == "COMMAND" and "COMMAND" in [group["type"] for group in answer["by_type"]]
            assert "carol" in [group["user"] for group in answer["by_user"]]
    finally:
        difficult.rm(f"apps/{other}/state", {"state": "KILLED"}, "PUT", "carol")


@pytest.mark.long
def test_silent_resource_manager_leaves_the_last_state_and_does_not_delay_the_other_backend(new_cluster, howdah_of):
    cluster = new_cluster(nodes=1)
    howdah = howdah_of(cluster)

    def states(portal):
        return {backend["name"]: backend for backend in portal.get("cluster").json["backends"]}
    with Portal(howdah, "--on", "local,yarn") as portal:
        before = eventually(lambda: (s := states(portal))["yarn"]["state"] == "ok" and s["yarn"], "the state", 120)
        assert before["nodes"]["total"] == 1
        cluster["rm"].stop()
        failing = eventually(lambda: (s := states(portal))["yarn"]["state"] == "failing" and s, "the problem", 120)
        assert "did not answer within" in failing["yarn"]["detail"], failing
        assert failing["yarn"]["nodes"] == before["nodes"] and failing["yarn"]["age_seconds"] > 0
        assert failing["yarn"]["since"] == failing["yarn"]["at"] >= before["at"]
        assert failing["local"]["state"] == "ok" and failing["local"]["since"] is None
        cluster["rm"].kill()
        refused = eventually(lambda: "refused" in (s := states(portal))["yarn"]["detail"] and s, "a refusal", 120)
        assert refused["yarn"]["since"] == failing["yarn"]["since"] and refused["local"]["state"] == "ok"

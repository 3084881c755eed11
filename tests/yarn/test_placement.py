"""Conditions for the nodes of tasks, and the applications that tasks start, on a cluster without placement handlers."""
import pytest

from machine import eventually

# The nodes and their attributes, which their NodeManagers report. nm1 and nm3 are in one rack.
ATTRIBUTES = {"nm1": {"gen": "v100", "disk": "ssd"}, "nm2": {"gen": "v100"}, "nm3": {"gen": "a100", "disk": "nvme"},
              "nm4": {}}
PROVIDER = "yarn.nodemanager.node-attributes.provider"


@pytest.fixture(scope="module")
def attributed(module_cluster):
    def provided(attributes):
        listed = ":".join(f"{name},STRING,{value}" for name, value in attributes.items())
        return {PROVIDER: "config", f"{PROVIDER}.configured-node-attributes": listed} if listed else {}
    return module_cluster(nodes=4, node_mb=1024, node_extra={node: provided(a) for node, a in ATTRIBUTES.items()})


@pytest.fixture
def howdah(howdah_of, attributed):
    return howdah_of(attributed)


def job_of(howdah, tmp_path, roles):
    return howdah.submit(howdah.job_file(tmp_path, f"name: placed\nam: {{memory: 256MiB}}\nroles:\n{roles}"))


def role(name, instances, placement, memory="128MiB", command="sleep 300"):
    return f"  {name}: {{instances: {instances}, memory: {memory}, command: {command}, placement: {placement}}}\n"


def names_of(howdah, job, role_name):
    """The names of the nodes of the role's tasks, sorted."""
    hosts = {howdah.cluster.setup.node_host(name): name for name in howdah.cluster.setup.node_names()}
    return sorted(hosts[task["node"]] for task in howdah.status(job)["tasks"] if task["role"] == role_name)


def placed(howdah, job):
    howdah.until(job, lambda status: status["tasks"] and all(t["state"] == "RUNNING" for t in status["tasks"]),
                 "every task to run")
    return lambda name: names_of(howdah, job, name)


@pytest.mark.parametrize("attributes,allowed", [
    ("{gen: v100}", {"nm1", "nm2"}),
    ("{gen: [a100, h100]}", {"nm3"}),
    ("{gen: v100, '!disk': ssd}", {"nm2"}),
    ("{'nm.yarn.io/disk': [ssd, nvme]}", {"nm1", "nm3"}),
    ("{'!gen': [v100, a100]}", {"nm4"}),
])
def test_tasks_run_only_on_nodes_with_the_attributes(howdah, tmp_path, attributes, allowed):
    nodes = placed(howdah, job_of(howdah, tmp_path, role("worker", 3, f"{{attributes: {attributes}}}")))("worker")
    assert set(nodes) <= allowed, nodes


def test_roles_keep_apart_and_near(howdah, tmp_path):
    job = job_of(howdah, tmp_path, role("ps", 2, "{apart: [ps]}") + role("near", 3, "{near: [ps]}") +
                 role("worker", 2, "{apart: [ps, worker]}"))
    nodes = placed(howdah, job)
    servers, workers = set(nodes("ps")), set(nodes("worker"))
    assert len(servers) == len(workers) == 2 and not servers & workers, (servers, workers)
    assert set(nodes("near")) <= servers, (nodes("near"), servers)


def test_rack_has_at_most_the_allowed_number_of_tasks(howdah, tmp_path):
    job = job_of(howdah, tmp_path, role("worker", 3, "{max_per_rack: 2}"))
    howdah.until(job, lambda status: sum(1 for t in status["tasks"] if t["container"]) == 2, "two containers")
    # All nodes are in one rack, so the third task waits until a container is free.
    assert howdah("scale", job, "worker=2").code != 0  # the role is not elastic
    status = howdah.status(job)
    assert sorted(t["state"] for t in status["tasks"]) == ["ALLOCATED", "ALLOCATED", "PENDING"], status


def test_job_without_a_suitable_node_is_refused(howdah, tmp_path):
    worker = role("worker", 1, "{attributes: {gen: h100, os: rhel7}}")
    file = howdah.job_file(tmp_path, f"name: refused\nroles:\n{worker}")
    done = howdah("submit", file)
    assert done.code == 3, done
    assert "roles.worker.placement.attributes: no node meets the conditions. Attributes of the nodes: " \
        "gen: a100 (1 node), v100 (2 nodes); os: no node has it" in done.stderr, done


# The child is a job of Howdah, because it is an application of YARN like any other.
CHILD = """
name: child
am: {memory: 256MiB}
tags: ["%s"]
roles: {worker: {memory: 64MiB, command: sleep 300}}
"""


def test_children_are_listed_and_end_with_their_job(howdah, tmp_path):
    parent = job_of(howdah, tmp_path, "  worker: {memory: 128MiB, command: 'echo tag=$HOWDAH_CHILD_TAG; sleep 300'}\n")
    howdah.until(parent, lambda status: status["state"] == "RUNNING", "the parent to run")
    tag = eventually(lambda: howdah.log(parent, "worker:0").strip().removeprefix("tag="), "the tag")
    child = howdah.submit(howdah.job_file(tmp_path, CHILD % tag, "child.yaml"))
    other = job_of(howdah, tmp_path, role("worker", 1, "{}"))
    placed(howdah, child)
    assert howdah.status(parent)["children"] == [
        {"id": child, "name": "child", "type": "HOWDAH", "state": "RUNNING",
         "tracking": howdah.status(child)["urls"]["tracking"]}]
    assert f"child        {child} HOWDAH RUNNING child" in howdah("status", parent).stdout
    assert howdah("kill", parent).code == 0
    assert howdah("wait", parent).code == 4
    assert howdah("wait", child).code == 4
    assert f"the Howdah job {parent}, which started this application, has ended" in \
        howdah.cluster.app(child)["diagnostics"]
    assert howdah.status(parent)["children"][0]["state"] == "KILLED"
    assert howdah.status(other)["state"] in ("QUEUED", "STARTING", "RUNNING")

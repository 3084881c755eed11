"""Tests of the test cluster itself, on which all other tests in this folder rely."""
import json
import os
import pathlib
import signal
import subprocess
import sys

import pytest

from daemons import processes_of
from yarn_baseline import measure_baseline
from cluster_user import Howdah
from machine import eventually

MB = 1 << 20


def test_hdfs_returns_written_files(cluster, tmp_path):
    data = os.urandom(3 * MB)
    (tmp_path / "given").write_bytes(data)
    cluster.fs("-put", tmp_path / "given", "kept", user="alice")  # relative to /user/alice
    cluster.fs("-get", "/user/alice/kept", tmp_path / "got", user="bob")
    assert (tmp_path / "got").read_bytes() == data
    assert "/user/alice/kept" in cluster.files_in_hdfs("/user")
    cluster.fs("-rm", "-skipTrash", "/user/alice/kept", user="alice")
    assert "/user/alice/kept" not in cluster.files_in_hdfs("/user")


def test_a_container_runs_on_the_requested_node(cluster, tmp_path):
    seen = tmp_path / "seen"
    tmp_path.chmod(0o777)
    app = cluster.wait_app(cluster.run_command(f"env >{seen}; exit 7"))
    # `queue` is the path of the queue from Hadoop 3.4 on, and only its name before.
    assert (app["state"], app["user"], app["queue"].split(".")[-1]) == ("FAILED", "alice", "default"), app
    assert "exitCode: 7" in app["diagnostics"], app
    environment = dict(line.split("=", 1) for line in seen.read_text().splitlines() if "=" in line)
    nodes = {cluster.node_id(n) for n in cluster.setup.node_names()}
    assert f"{environment['NM_HOST']}:{environment['NM_PORT']}" in nodes
    assert {n["id"] for n in cluster.nodes()} == nodes and len({n.split(":")[0] for n in nodes}) == 3
    # The environment is as bare as on a cluster without any additional configuration.
    assert not [name for name in environment if name.startswith(("HADOOP_COMMON", "HOWDAH_HOME", "PYTEST"))]
    assert "HADOOP_CONF_DIR" not in environment, environment


def test_daemons_report_the_expected_version(cluster):
    assert cluster.rm("info")["clusterInfo"]["hadoopVersion"] == cluster.setup.version


def test_leftovers_of_an_application_are_found(cluster, tmp_path):
    """assert_clean() must fail as long as something of the application is left."""
    howdah = Howdah(cluster, tmp_path / "home", "bob")
    app = cluster.run_command("sleep 300", user="bob")
    cluster.wait(lambda: [c for c in howdah.alive(app).values() if c.startswith("sleep ")], "the user's process")
    assert howdah.containers(app) and howdah.on_nodes(app)
    with pytest.raises(AssertionError, match="sleep 300"):
        howdah.assert_clean(app, deadline_s=0)
    howdah.close()
    assert cluster.wait_app(app)["state"] == "KILLED"
    howdah.assert_clean(app)


def test_a_timeout_shows_the_relevant_logs(cluster):
    with pytest.raises(AssertionError) as failure:
        cluster.wait(lambda: False, "nothing", 0)
    for words in ("waited 0 s for nothing", '"activeNodes": 3', cluster.node_id("nm2"), "--- rm.log", "--- dn.log"):
        assert words in str(failure.value)


def states(cluster):
    return {n["id"]: n["state"] for n in cluster.nodes()}


@pytest.mark.long
def test_daemons_can_be_killed_paused_and_started_again(new_cluster):
    expiry = {"yarn.nm.liveness-monitor.expiry-interval-ms": 3000}
    cluster = new_cluster(nodes=2, rm_recovery=True, nm_recovery=True, extra={"yarn-site": expiry})
    app = cluster.run_command("sleep 300")
    cluster.wait_app(app, ["ACCEPTED"])
    sleeping = cluster.wait(lambda: [p for p, c in cluster.processes().items() if c.startswith("sleep ")], "its AM")
    cluster["nm1"].kill()
    cluster["nm2"].kill()
    assert set(sleeping) <= set(cluster.processes()), "a container outlives its NodeManager"
    cluster["nm1"].start()
    cluster["nm2"].restart()
    cluster["rm"].kill()
    assert cluster.metrics() == {}
    cluster["rm"].start()
    cluster.wait_active()
    assert cluster.app(app)["state"] in ("ACCEPTED", "RUNNING") and set(sleeping) <= set(cluster.processes())
    cluster["nm2"].stop()
    cluster.wait(lambda: states(cluster)[cluster.node_id("nm2")] == "LOST", "nm2 lost")
    cluster["nm2"].cont()
    cluster.wait_active()
    cluster["dn"].kill()
    cluster["nn"].restart()
    cluster["dn"].start()
    cluster.wait(cluster.hdfs_ready, "HDFS")
    cluster["nm1"].term(patience_s=1)
    assert not cluster["nm1"].alive()


@pytest.mark.long
def test_settings_of_a_cluster_take_effect(new_cluster):
    cluster = new_cluster(
        nodes=2, gpus=(2, 0), labels={"fast": ["nm2"]}, health_script=True, hdfs=False, am_percent=0.5,
        queues={"default": {"capacity": 60}, "small": {"capacity": 40, "maximum-capacity": 40}},
        extra={"yarn-site": {"yarn.resourcemanager.am.max-attempts": 5}}, node_extra={"nm2": {
            "yarn.nodemanager.resource.memory-mb": 1024}})
    # A node that has just registered is active before the scheduler has counted its memory.
    cluster.wait(lambda: all(n["availMemoryMB"] for n in cluster.nodes()), "the free memory of each node")
    nodes = {n["id"]: n for n in cluster.nodes()}
    big, small = (nodes[cluster.node_id(n)] for n in ("nm1", "nm2"))
    gpus = [{r["name"]: r["value"] for r in n["totalResource"]["resourceInformations"]["resourceInformation"]}
            for n in (big, small)]
    assert [g["yarn.io/gpu"] for g in gpus] == [2, 0]
    assert (big["availMemoryMB"], small["availMemoryMB"], small["nodeLabels"]) == (4096, 1024, ["fast"])
    queues = cluster.rm("scheduler")["scheduler"]["schedulerInfo"]["queues"]["queue"]
    assert {q["queueName"]: round(q["capacity"]) for q in queues} == {"default": 60, "small": 40}
    queue = "yarn.scheduler.capacity.root.small.state"
    cluster.configure_queues({queue: "STOPPED"})
    queues = cluster.rm("scheduler")["scheduler"]["schedulerInfo"]["queues"]["queue"]
    assert {q["queueName"]: q["state"] for q in queues} == {"default": "RUNNING", "small": "STOPPED"}
    cluster.set_health_output("nm1", "ERROR a disk is broken")
    cluster.wait(lambda: states(cluster)[cluster.node_id("nm1")] == "UNHEALTHY", "nm1 unhealthy")
    assert "a disk is broken" in cluster.trouble()
    cluster.set_health_output("nm1", None)
    cluster.wait_active()
    cluster.exclude("nm2")
    cluster.wait(lambda: cluster.metrics()["decommissionedNodes"] == 1, "nm2 decommissioned")


OWNER = """
import json, sys
sys.path[:0] = {path!r}
from cluster import Cluster, Setup
cluster = Cluster(Setup(nodes=1, hdfs=False))
app = cluster.run_command("setsid sleep 300")
cluster.wait(lambda: [c for c in cluster.processes().values() if c.startswith("sleep ")], "the container")
print(json.dumps(str(cluster.folder)), flush=True)
sys.stdin.read()
"""


@pytest.mark.long
def test_daemons_end_when_the_test_run_is_killed():
    path = [p for p in sys.path if p.endswith(("tests/yarn", "tests/support"))]
    owner = subprocess.Popen([sys.executable, "-c", OWNER.format(path=path)], stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE, text=True)
    folder = pathlib.Path(json.loads(owner.stdout.readline()))
    assert len(processes_of(folder)) >= 3, processes_of(folder)
    owner.send_signal(signal.SIGKILL)
    owner.wait()
    eventually(lambda: not folder.exists() and not processes_of(folder), f"the end of {processes_of(folder)}")


@pytest.mark.long
def test_the_yarn_baseline_is_measured(cluster):
    rounds = measure_baseline(cluster, width=4, rounds=2)
    assert len(rounds) == 2
    for seen in rounds:
        assert seen["width"] == 4 and min(seen.values()) > 0, seen
        assert seen["floor"] == pytest.approx(seen["am"] + seen["gang"], abs=1), seen
        assert seen["total"] >= seen["floor"] + seen["registered"] - 1, seen

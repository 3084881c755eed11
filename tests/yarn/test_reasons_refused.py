"""Requests that a cluster can never satisfy, and clusters that cannot be reached: the situations 4 and 11 to 13 of
docs/failures.md. The client refuses the job before it submits anything, except a job for a missing queue, which the
ResourceManager may create. No files are left behind."""
import re
import shutil
import socket
import time

import pytest

import scheduling_cases
from job_reports import assert_facts
from scheduling_cases import mib, max_mib_of, queue

ROLE = "roles:\n  worker: {memory: 64MiB, command: 'true'}\n"


@pytest.fixture
def alice(howdah_of, difficult):
    return howdah_of(difficult, "alice")


def refused(howdah, tmp_path, text, code=3, submitted=False):
    """Runs `run` with a job that must be refused; returns the error. Checks that HDFS has no files of the job, and the
    ResourceManager no application, unless it refuses the job itself (submitted=True)."""
    cluster = howdah.cluster
    before = {app["id"] for app in cluster.apps()}
    done = howdah("run", howdah.job_file(tmp_path, f"name: j\n{text}"))
    assert done.code == code and not done.stdout, done
    assert {app["id"] for app in cluster.apps() if not submitted or app["state"] != "FAILED"} <= before
    assert [f for f in cluster.files_in_hdfs(f"/user/{howdah.user}/.howdah/jobs")] == []
    # Lines about the staging may precede the error.
    return re.sub(r"\A(staging .*\n)?(staged .*\n)?", "", done.stderr).removesuffix("\n")


def test_4_no_node_is_large_enough(difficult, alice, tmp_path):
    largest = max((n for n in difficult.nodes() if not n.get("nodeLabels")), key=lambda n: n["availMemoryMB"])
    assert largest["availMemoryMB"] == scheduling_cases.NODE_MB
    text = refused(alice, tmp_path, "roles:\n  worker: {memory: 2GiB, command: 'true'}\n")
    assert_facts(text, "roles.worker", "2 GiB", "the largest node, 127.0.0.1", f"has {mib(scheduling_cases.NODE_MB)}",
                 "; lower roles.worker.memory to ")


@pytest.mark.parametrize("role, facts", [
    ("gpus: 3", ["3 yarn.io/gpu", "largest node", "2 yarn.io/gpu", "; lower roles.worker.gpus to 2"]),
    ("vcores: 17", ["17 cores", "16 cores"]),
    ("resources: {yarn.io/fpga: 1}", ["1 yarn.io/fpga", "not a resource type", "yarn.io/gpu", "memory-mb", "vcores"]),
    ("node_label: slow", ["label 'slow' does not exist", "fast", "bare"]),
    ("node_label: fast, gpus: 1", ["1 yarn.io/gpu", "largest node with the label 'fast'", "127.0.0.14",
                                      "; remove roles.worker.gpus"]),
])
def test_4_no_node_has_the_resource(alice, tmp_path, role, facts):
    text = refused(alice, tmp_path, f"roles:\n  worker: {{memory: 64MiB, command: 'true', {role}}}\n")
    assert_facts(text, "roles.worker", *facts)


def test_4_the_gang_exceeds_the_maximum_of_the_queue(difficult, alice, tmp_path):
    text = refused(alice, tmp_path,
                   "queue: small\nroles:\n  worker: {instances: 4, memory: 256MiB, command: 'true'}\n")
    assert_facts(text, "1 GiB", "in total", "'small'", "can never have more than", mib(max_mib_of(difficult, "small")))


def test_11_unknown_queue_and_missing_permission(difficult, alice, tmp_path):
    assert queue(difficult, "stopped")["state"] == "STOPPED"
    mine = ("root.default", "root.small", "root.tiny", "root.single")
    # Only a submission shows whether the ResourceManager creates a missing queue.
    text = refused(alice, tmp_path, f"queue: smal\n{ROLE}", submitted=True)
    assert_facts(text, "to unknown queue: smal;", "'smal' does not exist", "the nearest name is 'small'",
                 "alice may submit to", *mine)
    text = refused(alice, tmp_path, f"queue: closed\n{ROLE}")
    assert_facts(text, "alice may not submit to the queue 'closed'", *mine)
    assert "root.closed" not in text
    assert_facts(refused(alice, tmp_path, f"queue: stopped\n{ROLE}"), "'stopped' is stopped", *mine)


# --- 12: the ResourceManager ---

def conf_with(cluster, tmp_path, file, properties):
    """Copies the client configuration of the cluster and adds the properties to a file; returns the new directory."""
    conf = tmp_path / "conf"
    if not conf.exists():
        shutil.copytree(cluster.conf_dir, conf)
    path = conf / f"{file}.xml"
    lines = "".join(f"<property><name>{k}</name><value>{v}</value></property>" for k, v in properties.items())
    path.write_text(path.read_text().replace("</configuration>", f"{lines}</configuration>"))
    return conf


@pytest.fixture
def dead_ports():
    """Three addresses with reserved ports on which nothing listens."""
    sockets = [socket.socket() for _ in range(3)]
    for s in sockets:
        s.bind(("127.0.0.1", 0))
    yield [f"127.0.0.1:{s.getsockname()[1]}" for s in sockets]
    for s in sockets:
        s.close()


def unreachable(howdah, tmp_path, conf, limit_s):
    began = time.monotonic()
    done = howdah("run", howdah.job_file(tmp_path, f"name: j\n{ROLE}"), env={"HADOOP_CONF_DIR": str(conf)})
    assert done.code == 3, done
    assert time.monotonic() - began < limit_s, f"it took {time.monotonic() - began:.1f} s\n{done}"
    return done.stderr.removesuffix("\n")


def test_12_the_resource_manager_is_unreachable(difficult, alice, tmp_path, dead_ports):
    conf = conf_with(difficult, tmp_path, "yarn-site", {"yarn.resourcemanager.address": dead_ports[0]})
    text = unreachable(alice, tmp_path, conf, 30)
    assert_facts(text, "ResourceManager cannot be reached", dead_ports[0], "refused", "yarn.resourcemanager.address",
                 conf / "yarn-site.xml")


def test_12_neither_of_two_resource_managers_is_reachable(difficult, alice, tmp_path, dead_ports):
    conf = conf_with(difficult, tmp_path, "yarn-site", {
        "yarn.resourcemanager.ha.enabled": "true", "yarn.resourcemanager.ha.rm-ids": "rm1,rm2",
        "yarn.resourcemanager.address.rm1": dead_ports[0], "yarn.resourcemanager.address.rm2": dead_ports[1]})
    text = unreachable(alice, tmp_path, conf, 30)
    assert_facts(text, "ResourceManager cannot be reached", f"{dead_ports[0]}: ", f"{dead_ports[1]}: ", "refused",
                 "yarn.resourcemanager.address.rm1", "yarn.resourcemanager.address.rm2", conf / "yarn-site.xml",
                 "standby")


def test_12_resource_manager_does_not_answer(difficult, alice, tmp_path):
    difficult["rm"].stop()
    try:
        text = unreachable(alice, tmp_path, difficult.conf_dir, 60)
    finally:
        difficult["rm"].cont()
    how = "did not complete the authentication" if difficult.setup.kerberos else "did not answer"
    assert_facts(text, "ResourceManager", f"localhost:{difficult.configuration.port['rm']}", how,
                 "yarn.resourcemanager.address", difficult.conf_dir / "yarn-site.xml")


# --- 13: HDFS ---

def admin(cluster, *args):
    cluster.java("org.apache.hadoop.hdfs.tools.DFSAdmin", *args)


def test_13_safe_mode(difficult, alice, tmp_path):
    admin(difficult, "-safemode", "enter")
    try:
        text = refused(alice, tmp_path, ROLE)
    finally:
        admin(difficult, "-safemode", "leave")
    assert_facts(text, "safe mode", "by hand", "dfsadmin -safemode leave")


def test_13_quotas(howdah_of, difficult, tmp_path):
    carol = howdah_of(difficult, "carol")
    home = "/user/carol"
    admin(difficult, "-setQuota", "3", home)
    try:
        names = refused(carol, tmp_path, ROLE)
    finally:
        admin(difficult, "-clrQuota", home)
    assert_facts(names, home, "may hold 3 files and directories", "would make 4", "setQuota")
    admin(difficult, "-setSpaceQuota", "1m", home)
    try:
        space = refused(carol, tmp_path, ROLE)
    finally:
        admin(difficult, "-clrSpaceQuota", home)
    assert_facts(space, home, "may hold 1 MiB", "space quota", "this would make", "setSpaceQuota")


def test_13_hdfs_is_full(howdah_of, difficult, tmp_path):
    carol = howdah_of(difficult, "carol")
    # A DataNode accepts a block only if it has room for a whole one.
    carol.env["HADOOP_CONF_DIR"] = str(conf_with(difficult, tmp_path, "hdfs-site", {"dfs.blocksize": "64t"}))
    text = refused(carol, tmp_path, ROLE)
    state = difficult.http("nn-http", "/jmx?qry=Hadoop:service=NameNode,name=FSNamesystem")["beans"][0]
    assert state["CapacityRemaining"] < 64 << 40
    assert_facts(text, "no DataNode that can take a block", " left (", "1 datanode(s) running")


def test_every_command_refuses_the_same_jobs(difficult, alice, tmp_path):
    """`submit` and `plan` report the same error as `run`."""
    job = alice.job_file(tmp_path, f"name: j\nqueue: stopped\n{ROLE}")
    before = alice.jobs()
    for command in ("submit", "plan"):
        done = alice(command, job)
        assert done.code == 3 and "'stopped' is stopped" in done.stderr + done.stdout, done
    assert alice.jobs() == before

"""Programs for TensorFlowOnSpark on a YARN cluster: Spark's executors and the nodes are in containers of it."""
import json
import os
import sys

import pytest

import tfos
import yarn_client
from machine import ROOT

sys.path.insert(0, str(ROOT / "tests/yarn"))
SITES = tfos.sparks.site_packages()

import tfos_cases  # noqa: E402
from cluster import Cluster, Setup  # noqa: E402
from cluster_user import Howdah  # noqa: E402


@pytest.fixture(scope="module")
def cluster():
    with Cluster(Setup(heartbeat_ms=100)) as cluster:
        yield cluster


@pytest.fixture
def client(cluster, tmp_path, monkeypatch):
    """The programs of this test are clients of the cluster."""
    user = Howdah(cluster, tmp_path / "home")
    yarn_client.become(user, tmp_path, monkeypatch)
    monkeypatch.delenv("HOWDAH_ON")  # `--master yarn` is enough
    yield user
    user.close()


def settings_of(real):
    """Small containers. The Python of the containers is that of the nodes, with the packages of the environment."""
    return {
        "spark.yarn.jars": f"local:{real.site}/pyspark/jars/*", "spark.executor.instances": "1",
        "spark.executor.memoryOverhead": "128m", "spark.yarn.am.memory": "512m", "spark.yarn.am.memoryOverhead": "128m",
        "spark.driver.host": "127.0.0.1", "spark.scheduler.minRegisteredResourcesRatio": "1.0",
        "spark.scheduler.maxRegisteredResourcesWaitingTime": "120s",
        "spark.executorEnv.PYTHONPATH": f"{ROOT / 'python'}{os.pathsep}{real.site}"}


# These use one path in Spark, which writes to its default file system, and in Python, which reads local files.
SPARK_WRITES_FILES = ("inference", "parallel", "files")


@pytest.mark.parametrize("name", list(tfos_cases.CASES))
def test_program_runs_on_yarn(client, real, out, tmp_path, name):
    case = tfos_cases.CASES[name]
    settings = settings_of(real)
    if name in SPARK_WRITES_FILES:
        settings |= {"spark.hadoop.fs.defaultFS": "file:///", "spark.yarn.stagingDir": f"file://{tmp_path}"}
    done = real.run(f"{name}.py", *case.arguments(out), master="yarn", settings=settings)
    assert done.code == 0, done
    case.check(out, done)
    case.ours(out, done)
    status = json.loads(client("status", "last", "--json").stdout)
    assert status["state"] == "SUCCEEDED" and len(status["tasks"]) == case.nodes, status
    hosts = {client.cluster.setup.node_host(node) for node in client.cluster.setup.node_names()}
    assert all(task["node"].partition(":")[0] in hosts for task in status["tasks"]), status

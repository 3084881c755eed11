"""Spark on YARN and a job on the same cluster: the tasks of Spark send rows to the tasks of the job."""
import json
import os
import pkgutil
import signal
import sys
import threading
import types

import pytest

import spark as sparks
import yarn_client
from machine import ROOT, eventually, kill_together

sys.path.insert(0, str(ROOT / "tests/yarn"))
SITES = sparks.site_packages()

from cluster import Cluster, Setup  # noqa: E402
from cluster_user import Howdah  # noqa: E402
import howdah  # noqa: E402
import howdah.spark  # noqa: E402
from howdah import _files  # noqa: E402
from howdah._feed import spark_rows  # noqa: E402

ROWS = 20_000


@pytest.fixture(scope="module")
def cluster():
    with Cluster(Setup(heartbeat_ms=100)) as cluster:
        yield cluster


@pytest.fixture
def client(cluster, tmp_path, monkeypatch):
    """Makes this process a client of the cluster."""
    user = Howdah(cluster, tmp_path / "home")
    yarn_client.become(user, tmp_path, monkeypatch)
    yield user
    user.close()
    _files._close()


@pytest.fixture
def start_spark(client):
    """start_spark(executors, memory, setting=…) starts Spark with executors in containers of the cluster."""
    sessions = []

    def start(executors, memory, **settings):
        sessions.append(sparks.session("yarn", **{
            "spark.yarn.jars": f"local:{SITES[1]}/pyspark/jars/*", "spark.executor.instances": str(executors),
            "spark.executor.cores": "2", "spark.executor.memory": memory, "spark.executor.memoryOverhead": "128m",
            "spark.yarn.am.memory": "512m", "spark.yarn.am.memoryOverhead": "128m", "spark.driver.host": "127.0.0.1",
            "spark.scheduler.minRegisteredResourcesRatio": "1.0",
            "spark.scheduler.maxRegisteredResourcesWaitingTime": "120s",
            "spark.executorEnv.PYTHONPATH": os.pathsep.join(SITES),
            "spark.sql.execution.arrow.maxRecordsPerBatch": "700", **settings}))
        return sessions[-1]

    yield start
    for session in sessions:
        sparks.stop(session)


@pytest.fixture
def both_transports(monkeypatch):
    """Spark's tasks with even numbers use TLS. The nodes of a test cluster share one file system, so all tasks could
    use the unix sockets."""
    def get_data(package, name):
        text = pkgutil.get_data(package, name)
        assert name != "spark_task.py" or b"return near + [" in text
        return text.replace(b"return near + [", b"return (near if partition_id() % 2 else []) + [")
    monkeypatch.setattr(spark_rows, "pkgutil", types.SimpleNamespace(get_data=get_data))


def test_job_runs_on_the_nodes_of_spark_and_rows_use_both_transports(client, start_spark, both_transports, tmp_path):
    spark, go = start_spark(1, "512m"), str(tmp_path / "go")

    def read():
        import select

        ctx = howdah.context()
        rows = [i for batch in ctx.feed("train").numpy(100, columns=["i"]) for i in batch["i"].tolist()]
        open(f"{go}-{ctx.rank}", "w").close()
        while not os.path.exists(go):
            select.select([], [], [], 0.05)
        return rows

    frame = sparks.frame(spark, ROWS, 6)
    frame.count()  # the executor is registered
    feed = howdah.Feed(frame, remainder="short")
    (node,) = feed.nodes()
    keys = {"workers": 2, "framework": "pytorch", "memory": "512MiB", "env": {"PYTHONPATH": SITES[0]}}
    placed = howdah.plan(read, data={"train": feed}, options={"roles.worker.locality": {"racks": ["/r"]}}, **keys)
    assert node not in placed.job_file and "/r" in placed.job_file
    job = howdah.submit(read, data={"train": feed}, **keys)
    eventually(lambda: all(os.path.exists(f"{go}-{rank}") for rank in range(2)), "all rows", 300)
    # YARN takes other nodes of the rack after three heartbeats.
    assert node in {task.node.partition(":")[0] for task in job.status().tasks}
    (row,) = json.loads(client("feed", job.id, "--json").stdout)
    assert row["unix_bytes"] > 0 and row["tls_bytes"] > 0 and row["unix_bytes"] + row["tls_bytes"] == row["bytes"]
    open(go, "w").close()
    rows = [i for seen in job.results(timeout=180) for i in seen]
    assert len(rows) == len(set(rows)) == ROWS
    sparks.stop(spark)  # removes its files from HDFS
    client.assert_clean(job.id)


def test_both_attempts_of_a_speculative_task_supply_each_row_once(client, start_spark, tmp_path):
    """A speculative attempt runs on another node than the first one, which hangs."""
    started = str(tmp_path / "started")

    def hang_once(batch):
        import threading

        from pyspark import TaskContext
        attempt = TaskContext.get().attemptNumber()
        open(f"{started}-{TaskContext.get().partitionId()}-{attempt}", "w").close()
        if batch.column(0)[0].as_py() > 19000 and attempt == 0:
            threading.Event().wait(600)

    def read():
        return [i for batch in howdah.context().feed("train").numpy(100, columns=["i"]) for i in batch["i"].tolist()]

    # Only one executor of this size fits on a node.
    spark = start_spark(2, "2200m", **{
        "spark.speculation": "true", "spark.speculation.interval": "50ms", "spark.speculation.quantile": "0.1",
        "spark.speculation.multiplier": "1.1", "spark.speculation.minTaskRuntime": "0ms"})
    feed = howdah.Feed(sparks.mapped(sparks.frame(spark, ROWS, 4), hang_once), remainder="short")
    job = howdah.submit(read, workers=2, framework="pytorch", memory="512MiB", env={"PYTHONPATH": SITES[0]},
                        data={"train": feed})
    rows = [i for seen in job.results(timeout=400) for i in seen]
    assert len(rows) == len(set(rows)) == ROWS
    assert os.path.exists(f"{started}-3-0") and os.path.exists(f"{started}-3-1")


@pytest.fixture
def predictors_over_both_transports(monkeypatch):
    """Spark's tasks with odd numbers use only TLS, and the others only unix sockets; see both_transports."""
    def task_text(name, original=howdah.spark.task_text):
        text = original(name)
        assert name != "ask_task" or "for group in (near, far)" in text
        return text.replace("for group in (near, far)", "for group in ((near, far)[self.partition % 2],)")
    monkeypatch.setattr(howdah.spark, "task_text", task_text)


def test_predictor_of_the_cluster_answers_each_row_in_order_although_a_container_is_lost(
        client, start_spark, predictors_over_both_transports, tmp_path):
    hangs = str(tmp_path / "hangs")

    def make():
        ctx, calls = howdah.context(), []

        def predict(x):
            calls.append(len(x))
            if ctx.index == 0 and len(calls) == 5 and not os.path.exists(hangs):
                open(hangs, "w").close()
                signal.pause()
            return x * 2.0
        return predict

    def lose():
        eventually(lambda: os.path.exists(hangs), "the fifth batch of worker:0", 600)
        container = predictor.job.status().tasks[0].container
        alive = client.alive(predictor.job.id)
        lost.extend(pid for pid in client.agents(predictor.job.id, "task") if container in alive[pid])
        kill_together(lost)

    spark, lost = start_spark(1, "512m"), []
    frame = spark.range(0, ROWS, 1, 6).selectExpr("id", "cast(id * 1.5 as float) as x")
    keys = {"schema": "y double", "columns": ["x"], "batch_size": 100, "workers": 2, "memory": "512MiB"}
    with howdah.spark.Predictor(make, env={"PYTHONPATH": SITES[0]}, **keys) as predictor:
        found = predictor.transform(frame)  # waits until a rank runs
        running = lambda: [task.state for task in predictor.job.status().tasks] == ["RUNNING"] * 2  # noqa: E731
        eventually(running, "the other rank", 120)
        thread = threading.Thread(target=lose)
        thread.start()
        rows = found.collect()
        thread.join()
    assert len(lost) == 2 and [row.id for row in rows] == list(range(ROWS))
    assert [row.y for row in rows] == [2.0 * i * 1.5 for i in range(ROWS)]
    assert predictor.job.state == "SUCCEEDED"
    sparks.stop(spark)  # removes its files from HDFS
    client.assert_clean(predictor.job.id)

"""The workflow of examples/spark-then-train on a real cluster: real Spark prepares a data set, PyTorch trains on it, an
evaluation follows."""
import json
import re

import pytest

from cluster_user import Howdah
from machine import ROOT, eventually

WORKFLOW = ROOT / "examples/spark-then-train"
RUN_S = 900  # an upper bound for a busy machine, not the expected duration
DATA = "/tmp/circle"  # outside the home, in which assert_clean allows no other files

# Spark in cluster mode, whose application does not need the task that has started it.
ENDLESS = """import pyspark
with pyspark.SparkContext() as context:
    while True:
        context.parallelize(range(8)).count()
"""
ENDLESS_COMMAND = ('exec spark-submit --master yarn --deploy-mode cluster --conf "spark.yarn.tags=$HOWDAH_CHILD_TAG" '
                   "--driver-memory 512m --executor-memory 512m --num-executors 1 endless.py")


@pytest.fixture(scope="module")
def flags(tmp_path_factory, installed):
    """The flags that give tasks the programs of a node with Spark and Hadoop's client: `spark-submit` and `hdfs`. Spark
    reads its jars from this machine, instead of uploading them for every application."""
    folder = tmp_path_factory.mktemp("programs")
    installed("torch")
    python = installed("clusters")
    spark = next(python.parents[1].glob("lib/python3*/site-packages/pyspark"))
    begin = f"#!/bin/sh\nexport SPARK_HOME={spark} PYSPARK_PYTHON={python}\n"
    for name, command in (("spark-submit", f'exec {spark}/bin/spark-submit "$@"'),
                          ("hdfs", f'shift\nexec {spark}/bin/spark-class org.apache.hadoop.fs.FsShell "$@"')):
        (folder / name).write_text(f"{begin}{command}\n")
        (folder / name).chmod(0o755)
    (folder / "spark-defaults.conf").write_text(
        f"spark.yarn.jars local:{spark}/jars/*\nspark.ui.enabled false\n"
        f"spark.yarn.appMasterEnv.PYSPARK_PYTHON {python}\n")
    env = {"PATH": f"{folder}:/usr/bin:/bin", "SPARK_CONF_DIR": folder, "HADOOP_USER_NAME": "alice"}
    return [word for name, value in env.items() for word in ("--set", f"env.{name}={value}")]


@pytest.fixture(scope="module")
def run(hadoop, flags, tmp_path_factory):
    """run(...) runs the workflow as alice, with further flags."""
    howdah = Howdah(hadoop, tmp_path_factory.mktemp("workflow"))
    yield lambda *more: howdah("run", "job.yaml", *flags, *more, cwd=WORKFLOW, env={"DATA": DATA}, timeout=RUN_S)
    howdah.close()


@pytest.fixture(scope="module")
def trained(run):
    """The finished workflow."""
    return run()


def spark_apps(hadoop):
    return {app["id"]: app for app in hadoop.apps("?applicationTypes=SPARK")}


def accuracy(done):
    return float(re.search(r"evaluate:0 │ accuracy (\d\.\d+) on \d+ points", done.stdout).group(1))


def test_spark_prepares_then_pytorch_trains_then_the_evaluation_reports(hadoop, howdah, trained):
    assert trained.code == 0, trained
    assert accuracy(trained) > 0.95
    assert re.search(r"train:0 │ epoch 4 loss 0\.\d+ with 2 processes and \d+ points", trained.stdout), trained
    assert [app["finalStatus"] for app in spark_apps(hadoop).values()] == ["SUCCEEDED"]
    tasks = {f"{t['role']}:{t['index']}": t for t in howdah.status(trained.id)["tasks"]}
    assert {name: task["state"] for name, task in tasks.items()} == dict.fromkeys(
        ("prepare:0", "train:0", "train:1", "evaluate:0"), "SUCCEEDED"), tasks
    written = hadoop.files_in_hdfs(DATA)
    for name in ("train/_SUCCESS", "test/_SUCCESS", "model.pt"):
        assert f"{DATA}/{name}" in written, written


def test_the_last_step_is_repeated_alone(hadoop, run, trained):
    before = spark_apps(hadoop).keys()
    again = run("--from", "evaluate")
    assert again.code == 0, again
    assert accuracy(again) == accuracy(trained)
    assert "train:0" not in again.stdout, again
    assert spark_apps(hadoop).keys() == before


def test_sparks_application_ends_with_a_job_that_is_killed_in_the_first_step(hadoop, howdah, flags, tmp_path):
    before = spark_apps(hadoop).keys()
    (tmp_path / "endless.py").write_text(ENDLESS)
    spec = {"name": "endless", "files": [f"{tmp_path}/endless.py"], "env": {"HADOOP_CONF_DIR": str(hadoop.conf_dir)},
            "roles": {"prepare": {"kind": "setup", "memory": "1GiB", "command": ENDLESS_COMMAND},
                      "train": {"memory": "64MiB", "command": "true"}}}
    job = howdah.submit(howdah.job_file(tmp_path, json.dumps(spec)), *flags)
    app, = eventually(lambda: [app for app in spark_apps(hadoop) if app not in before], f"Spark's application of {job}",
                      RUN_S)
    eventually(lambda: spark_apps(hadoop)[app]["state"] == "RUNNING", f"the start of {app}", RUN_S)
    eventually(lambda: app in json.dumps(howdah.status(job).get("children")), f"{app} among the children of {job}")
    assert howdah("kill", job).code == 0
    eventually(lambda: spark_apps(hadoop)[app]["state"] == "KILLED", f"the end of {app}", RUN_S)

"""Access to running jobs on a cluster, through the AM, which has the only open port."""
import json
import pathlib
import subprocess
import urllib.error

import pytest

import packed
from inside_cases import *  # noqa: F403
from inside_cases import Opened
from machine import eventually

# Writes a curve of ten steps into the directory argv[1], with TensorBoard's own writer.
CURVE = """
import sys
from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.summary.writer.event_file_writer import EventFileWriter
writer = EventFileWriter(sys.argv[1])
for step in range(10):
    value = Summary.Value(tag="accuracy", simple_value=step / 10)
    writer.add_event(Event(wall_time=1000 + step, step=step, summary=Summary(value=[value])))
writer.close()
"""


@pytest.fixture
def machine(howdah):
    return howdah


@pytest.fixture
def archive(installed, tmp_path):
    """archive("jupyter", "jupyter") returns an archive for `python:`, which works on this machine only."""
    def make(name, *programs):
        return packed.scripts_for(installed(name), tmp_path, "python", *programs)
    return make


def points(opened, run):
    tags = json.loads(opened.get("data/plugin/scalars/tags"))
    if "accuracy" not in tags.get(run, {}):
        return 0
    return len(json.loads(opened.get(f"data/plugin/scalars/scalars?run={run}&tag=accuracy")))


def test_tensorboard_follows_event_files_in_hdfs(cluster, machine, installed, archive, tmp_path):
    python = installed("demo")
    subprocess.run([python, "-c", CURVE, tmp_path / "curve"], check=True)
    event_file, = (tmp_path / "curve").iterdir()
    curve = event_file.read_bytes()
    job = machine.submit(machine.job_file(tmp_path, f"""
name: curves
python: {{archive: {archive("demo", "tensorboard")}}}
tensorboard: {{logdir: "hdfs:///user/alice/.howdah/curves"}}
roles:
  worker: {{memory: 64MiB, command: exec sleep 600}}
"""))
    machine.running(job)
    path = "/user/alice/.howdah/curves/first/" + event_file.name
    cluster.write(path, curve[:len(curve) // 2], "alice")
    with Opened(machine, "tensorboard", job) as opened:
        some = eventually(lambda: points(opened, "first"), "the beginning of the curve")
        assert some < 10
        cluster.write(path, curve, "alice")
        eventually(lambda: points(opened, "first") == 10, "the whole curve")
    assert machine("kill", job).code == 0
    machine.assert_clean(job)
    machine.env["PATH"] = f"{pathlib.Path(python).parent}:{machine.env['PATH']}"
    with Opened(machine, "tensorboard", job) as opened:
        eventually(lambda: points(opened, "first") == 10, "the curve of the job that has ended")
    assert "a copy of 1 event files" in opened.stderr


def test_a_notebook_on_a_node_is_reachable_with_its_token(machine, archive):
    with Opened(machine, "notebook", "--memory", "512MiB", "--python", archive("jupyter", "jupyter")) as opened:
        token = opened.first_line.split("/lab?token=")[1]
        assert json.loads(opened.get(f"api/status?token={token}"))["kernels"] == 0
        with pytest.raises(urllib.error.HTTPError, match="403"):
            opened.get("api/status?token=another")
    job = machine.status()["id"]
    assert machine.status(job)["state"] == "RUNNING"
    assert machine("kill", job).code == 0
    machine.assert_clean(job)
    stages = [line.split("  ", 1)[-1] for line in opened.stderr.splitlines()]
    for stage in ("STARTING", "RUNNING", "1 task connected; preparing working directories",
                  "starting JupyterLab in worker:0; this can take two minutes"):
        assert stages.count(stage) == 1, opened.stderr

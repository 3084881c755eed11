"""The portal shows the scalars that PyTorch's SummaryWriter and TensorFlow write for TensorBoard, while they grow."""
import subprocess

import pytest

from machine import ROOT, eventually
from portal import Portal

PYTORCH = """
import os, pathlib, sys, time
from torch.utils.tensorboard import SummaryWriter
writer = SummaryWriter(os.path.join(os.environ["TB_LOG_DIR"], "pytorch"))
for step in range(10):
    writer.add_scalar("loss", 2 ** -step, step)
    writer.add_scalar("rate", 1e-3, step, new_style=True)
writer.add_text("note", "not a scalar", 1)
writer.flush()
while not pathlib.Path(sys.argv[1]).exists(): time.sleep(0.05)
writer.add_scalar("loss", 0.25, 10)
writer.close()
"""
TENSORFLOW = """
import os, sys
sys.path.append(sys.argv[1])  # tf.summary needs the package tensorboard
import tensorflow as tf
writer = tf.summary.create_file_writer(os.path.join(os.environ["TB_LOG_DIR"], "tensorflow"))
with writer.as_default():
    for step in range(5): tf.summary.scalar("loss", step / 4, step=step)
    tf.summary.histogram("weights", [1.0, 2.0], step=1)
writer.close()
"""


@pytest.fixture
def job(machine, installed, tmp_path):
    """The id of a job whose role `torch` writes a last point once tmp_path/more exists."""
    (tmp_path / "pytorch.py").write_text(PYTORCH)
    (tmp_path / "tensorflow_.py").write_text(TENSORFLOW)
    packages = next(installed("demo").parents[1].glob("lib/python3*/site-packages"))
    return machine.submit(machine.job_file(tmp_path, f"""
name: scalars
tensorboard: {{logdir: {tmp_path}/curves}}
roles:
  torch: {{memory: 512MiB, command: [{installed('demo')}, {tmp_path}/pytorch.py, {tmp_path}/more]}}
  tensorflow: {{memory: 1GiB, command: [{installed('tensorflow')}, {tmp_path}/tensorflow_.py, {packages}]}}
"""))


def runs(portal, job, tag):
    return {run["run"]: run for run in portal.get(f"jobs/{job}/scalars/data", tag=tag).json["runs"]}


def test_scalars_are_read_while_they_grow_and_shown_in_the_browser(machine, installed, tmp_path, job):
    with Portal(machine) as portal:
        machine.until(job, lambda s: s["tasks"][1]["state"] == "SUCCEEDED", "the end of TensorFlow")
        eventually(lambda: len(runs(portal, job, "loss").get("pytorch", {"step": []})["step"]) == 10, "ten points")
        listed = portal.get(f"jobs/{job}/scalars").json
        assert [tag["tag"] for tag in listed["tags"]] == ["loss", "rate"], listed
        assert (listed["complete"], listed["problem"], listed["logdir"]) == (True, None, f"{tmp_path}/curves"), listed
        loss = runs(portal, job, "loss")
        assert loss["pytorch"]["step"] == list(range(10)) and loss["tensorflow"]["step"] == list(range(5))
        assert loss["pytorch"]["value"] == [2 ** -step for step in range(10)]
        assert loss["tensorflow"]["value"] == [step / 4 for step in range(5)]
        assert runs(portal, job, "rate")["pytorch"]["value"] == [pytest.approx(1e-3)] * 10
        assert runs(portal, job, "absent") == {}
        (tmp_path / "more").touch()
        eventually(lambda: runs(portal, job, "loss")["pytorch"]["step"][-1] == 10, "the last point")
        words = [str(installed("browser")), str(ROOT / "tests/support/browse.py"), "scalars",
                 f"{portal.address}jobs/{job}?tab=metrics"]
        seen = subprocess.run(words, capture_output=True, text=True, timeout=420)
        assert seen.returncode == 0, seen
        assert seen.stdout.splitlines() == [
            "Chart of loss; Chart of rate",
            "pytorch: lowest 0.00195313 at step 9, highest 1 at step 0, last 0.25 at step 10; "
            "tensorflow: lowest 0 at step 0, highest 1 at step 4, last 1 at step 4; "
            "pytorch: lowest 0.001 at step 0, highest 0.001 at step 0, last 0.001 at step 9",
        ], seen


def test_job_without_a_log_directory_has_no_scalars(machine, tmp_path):
    done = machine("run", machine.job_file(tmp_path, "roles: {worker: {memory: 16MiB, command: 'true'}}\n"))
    with Portal(machine) as portal:
        answer = portal.get(f"jobs/{done.id}/scalars")
        assert answer.json == {"logdir": None, "complete": True, "problem": None, "tags": []}, answer
        portal.get(f"jobs/{done.id}/scalars/data", status=400)

"""Functions as jobs on a real cluster, whose nodes have neither the package nor cloudpickle in their Python."""

import os
import pathlib
import sys
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

import howdah as package  # noqa: E402
import yarn_client  # noqa: E402
from machine import eventually  # noqa: E402


@pytest.fixture
def on_cluster(howdah, tmp_path, monkeypatch):
    """Makes this process a client of the cluster."""
    yarn_client.become(howdah, tmp_path, monkeypatch)
    return howdah


def test_function_runs_with_its_modules_and_returns_values(on_cluster):
    pathlib.Path("travelled.py").write_text("factor = 10\n")

    def train(base):
        import travelled

        ctx = package.context()
        return ctx.rank, ctx.world_size, base * travelled.factor, package.__file__

    job = package.submit(train, args=(4,), workers=2, memory="256MiB", name="train")
    values = job.results(timeout=180)
    assert [value[:3] for value in values] == [(0, 2, 40), (1, 2, 40)]
    assert all(value[3].endswith("/.howdah/howdah.zip/howdah/__init__.py") for value in values)
    stored = [file for file in on_cluster.cluster.files_in_hdfs("/user/alice/.howdah/history") if job.id in file]
    assert f"/user/alice/.howdah/history/{job.id}/results/worker-1/0" in stored, stored
    assert (job.on, package.Job.attach("train").results()) == ("yarn", values)
    on_cluster.assert_clean(job.id)


def test_exception_of_the_root_cause_is_raised(on_cluster):
    def train():
        if package.context().rank == 1:
            raise ValueError("the loss is not a number")
        time.sleep(3600)

    with pytest.raises(ValueError) as caught:
        package.run(train, workers=2, memory="256MiB", follow=False)
    assert isinstance(caught.value, package.JobFailed) and caught.value.task == "worker:1"
    assert "in train" in caught.value.traceback and caught.value.__cause__.args == ("the loss is not a number",)
    on_cluster.assert_clean(caught.value.job.id)


def test_results_survive_the_death_of_the_application_master(on_cluster):
    """One task ends before the AM is killed, and the other one afterwards. The guardian starts another AM."""
    folder = pathlib.Path.cwd()

    def train():
        ctx = package.context()
        if ctx.rank == 1:
            while not os.path.exists(f"{folder}/go"):
                time.sleep(0.05)
        return ctx.rank * 7

    job = package.submit(train, workers=2, memory="256MiB")
    eventually(
        lambda: [task.state for task in job.status().tasks] == ["SUCCEEDED", "RUNNING"], "the end of worker:0", 180
    )
    os.kill(on_cluster.agents(job.id, "am")[-1], 9)
    (folder / "go").touch()
    assert job.results(timeout=180) == [0, 7]

"""A browser uses TensorBoard and JupyterLab through the port that the client forwards."""
import os
import pathlib
import re
import signal
import subprocess

import pytest

from machine import ROOT, Machine, eventually
from tensorboard_curve import CURVE


@pytest.fixture
def browse(installed):
    def look(*words):
        done = subprocess.run([str(installed("browser")), str(ROOT / "tests/support/browse.py"), *words],
                              capture_output=True, text=True, timeout=420)
        assert done.returncode == 0, done
        return done.stdout.strip()
    return look


class Serving:
    """A command that prints an address and serves until Ctrl-C."""

    def __init__(self, machine, *words, env=None):
        self.process = machine.start(*words, env=env)
        self.url = self.process.stdout.readline().strip()
        assert re.match(r"http:", self.url), (self.url, self.process.stderr.read())

    def __enter__(self):
        return self.url

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGINT)
        self.stderr = self.process.communicate(timeout=60)[1]
        assert self.process.returncode == 0, self.stderr


@pytest.fixture(scope="module", autouse=True)
def idle(installed, tmp_path_factory):
    """An unused notebook. JupyterLab checks only once a minute whether it has been idle for long enough to exit, so
    the notebook starts before the first test."""
    machine = Machine(tmp_path_factory.mktemp("idle"))
    path = f"{pathlib.Path(installed('jupyter')).parent}:{os.environ['PATH']}"
    client = machine.start("notebook", "--memory", "512MiB", "--idle", "1s", env={"PATH": path})
    yield machine, client
    machine.close()
    client.communicate()


@pytest.mark.long
def test_tensorboard_shows_curves_while_the_job_runs_and_afterwards(machine, installed, browse, tmp_path):
    path = f"{pathlib.Path(installed('demo')).parent}:{os.environ['PATH']}"
    source = tmp_path / "source"
    source.mkdir()
    (source / "curve.py").write_text(CURVE)
    job = machine.submit(machine.job_file(tmp_path, f"""
name: curves
source: {source}
tensorboard: {{logdir: {tmp_path}/curves}}
roles:
  worker: {{instances: 1, memory: 256MiB, command: "python3 curve.py && exec sleep 600"}}
"""), env={"PATH": path})
    eventually(lambda: "written" in machine("logs", job, "worker:0").stdout, "the curve")
    with Serving(machine, "tensorboard", job) as url:
        assert int(browse("tensorboard", url, "accuracy")) > 50
    assert machine("kill", job).code == 0
    with Serving(machine, "tensorboard", job, env={"PATH": path}) as url:
        assert int(browse("tensorboard", url, "accuracy")) > 50
    done = machine("tensorboard", job, env={"PATH": "/nowhere"})
    assert done.code == 1 and "pip install tensorboard" in done.stderr, done


@pytest.mark.long
def test_a_notebook_runs_cells_and_survives_a_closed_browser(machine, installed, browse):
    path = f"{pathlib.Path(installed('jupyter')).parent}:{os.environ['PATH']}"
    with Serving(machine, "notebook", "--memory", "512MiB", env={"PATH": path}) as url:
        assert browse("notebook", url) == "42 worker"
    job = machine.status()["id"]
    token = url.split("token=")[1]
    assert machine.status(job)["name"] == "notebook" and job in machine("list").stdout
    with Serving(machine, "notebook", job) as again:
        assert again.endswith(token)
    for secret_free in (machine.home / "jobs" / job).rglob("*"):
        if secret_free.is_file() and "work" not in secret_free.relative_to(machine.home).parts:
            assert token not in secret_free.read_text(errors="replace"), secret_free
    assert machine("kill", job).code == 0
    machine.assert_clean(job)


def test_without_jupyterlab_the_error_names_the_installation(machine):
    done = machine("notebook", "--memory", "64MiB", env={"PATH": "/usr/bin:/bin"})
    assert done.code == 1 and "pip install jupyterlab" in done.stderr, done


def test_an_idle_notebook_ends(idle):
    machine, client = idle
    stdout, stderr = client.communicate(timeout=180)
    assert client.returncode == 0 and "lab?token=" in stdout, (stdout, stderr)
    assert "has finished: SUCCEEDED" in stderr
    assert machine.status()["state"] == "SUCCEEDED"

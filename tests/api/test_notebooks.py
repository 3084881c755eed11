"""Notebooks that are started through the API, and TensorBoards that the portal runs, with the real programs."""
import datetime
import json
import os
import pathlib
import signal

import pytest

from machine import eventually, processes
from opened_app import App
from portal import HEADERS, Portal
from tensorboard_curve import CURVE

LONG_S = 400  # JupyterLab takes a minute to start on a busy machine
PLAIN = "name: plain\nroles: {w: {memory: 8MiB, command: 'true'}}\n"


@pytest.fixture
def with_tools(machine, installed):
    """A machine whose PATH has TensorBoard and PyTorch."""
    machine.env["PATH"] = f"{pathlib.Path(installed('demo')).parent}:{os.environ['PATH']}"
    return machine


def curves(machine, folder, name):
    """An ended job that has written event files."""
    source = folder / name
    source.mkdir()
    (source / "curve.py").write_text(CURVE)
    job = machine.submit(machine.job_file(folder, f"""
name: {name}
source: {source}
tensorboard: {{logdir: {folder}/{name}/curves}}
roles: {{worker: {{memory: 256MiB, command: python3 curve.py}}}}
""", f"{name}.yaml"))
    assert machine("wait", job, timeout=LONG_S).code == 0
    return job


def opened(portal, board):
    """The TensorBoard's origin, when it serves."""
    def ask():
        answer = portal.request("POST", f"/api/v1/tensorboards/{board}/open", "{}", HEADERS)
        assert answer.status in (200, 503), answer
        return answer.json["url"] if answer.status == 200 else None
    app = App(eventually(ask, "TensorBoard", LONG_S))
    app.redeem()
    return app


def runs(app, wanted):
    """The runs that TensorBoard has found."""
    def look():
        found = set(json.loads(app.request("GET", "/data/runs").text))
        return found if len(found) == wanted else None
    return eventually(look, f"{wanted} runs")


def tensorboards():
    return [pid for pid, (_, command, _) in processes().items() if "howdah-tensorboard." in command]


def test_tensorboard_shows_ended_jobs_until_it_is_stopped(with_tools, tmp_path):
    jobs = [curves(with_tools, tmp_path, name) for name in ("first", "second")]
    with Portal(with_tools) as portal:
        board = portal.post("tensorboards", {"jobs": jobs}, status=202).json["id"]
        assert portal.post("tensorboards", {"jobs": jobs}, status=202).json["id"] == board
        app = opened(portal, board)
        assert {run.partition("/")[0] for run in runs(app, 2)} == set(jobs)
        [listed] = portal.get("tensorboards").json["tensorboards"]
        assert listed["state"] == "serving" and [job["name"] for job in listed["jobs"]] == ["first", "second"]
        assert portal.post(f"tensorboards/{board}/stop", {}, status=200).json["text"] == "TensorBoard was stopped"
        assert app.request("GET", "/").status == 410
        assert tensorboards() == [] and portal.get("tensorboards").json["tensorboards"] == []
        portal.post(f"tensorboards/{board}/stop", {}, status=404)
        assert [line["action"] for line in portal.audit()] == ["tensorboard", "tensorboard", "stop tensorboard"]


@pytest.mark.parametrize("kill", [False, True])
def test_tensorboard_ends_with_its_portal(with_tools, tmp_path, kill):
    job = curves(with_tools, tmp_path, "first")
    portal = Portal(with_tools)
    opened(portal, portal.post("tensorboards", {"jobs": [job]}, status=202).json["id"])
    assert tensorboards()
    if kill:
        portal.process.send_signal(signal.SIGKILL)
    portal.stop()
    eventually(lambda: not tensorboards(), "the end of TensorBoard")


def test_jobs_without_event_files_are_explained(with_tools, tmp_path):
    plain = with_tools.submit(with_tools.job_file(tmp_path, PLAIN))
    assert with_tools("wait", plain).code == 0
    with Portal(with_tools) as portal:
        board = portal.post("tensorboards", {"jobs": [plain]}, status=202).json["id"]
        refused = portal.post(f"tensorboards/{board}/open", {}, status=409).json
        assert f"{plain} has no TensorBoard" in refused["detail"]
        [listed] = portal.get("tensorboards").json["tensorboards"]
        assert listed["state"] == "failed" and listed["problem"] in refused["detail"]
        assert "write a list" in portal.post("tensorboards", {"jobs": []}, status=400).json["detail"]
        portal.post("tensorboards", {"jobs": ["no-such-job"]}, status=404)


def test_missing_tensorboard_is_explained(machine, tmp_path):
    job = machine.submit(machine.job_file(tmp_path, PLAIN + f"tensorboard: {{logdir: {tmp_path}}}\n"))
    assert machine("wait", job).code == 0
    with Portal(machine, env={"PATH": "/usr/bin:/bin"}) as portal:
        board = portal.post("tensorboards", {"jobs": [job]}, status=202).json["id"]
        assert "pip install tensorboard" in portal.post(f"tensorboards/{board}/open", {}, status=409).json["detail"]


def address_of(portal, job):
    answer = portal.request("POST", f"/api/v1/jobs/{job}/open", '{"notebook": true}', HEADERS)
    return answer.json["url"] if answer.status == 200 else None


def test_notebook_is_started_listed_opened_and_stopped(machine, installed):
    machine.env["PATH"] = f"{pathlib.Path(installed('jupyter')).parent}:{os.environ['PATH']}"
    with Portal(machine) as portal:
        job = portal.post("notebooks", {"memory": "512MiB", "limit": "1h"}, status=202).json["id"]
        eventually(lambda: [row["id"] for row in portal.get("notebooks").json["notebooks"]] == [job], "the notebook")
        assert portal.jobs(q="tag:notebook")[0]["id"] == job
        app = App(eventually(lambda: address_of(portal, job), "JupyterLab", LONG_S))
        landing = app.redeem().headers["Location"]
        assert "jupyter-config-data" in app.request("GET", landing).text
        row = eventually(lambda: next((row for row in portal.get("notebooks").json["notebooks"]
                                       if row["idle_seconds"] is not None), None), "the time without use")
        begun, end = (datetime.datetime.fromisoformat(row[key].replace("Z", "+00:00"))
                      for key in ("started", "ends_at"))
        assert end - begun == datetime.timedelta(hours=1)
        assert 0 <= row["idle_seconds"] <= (datetime.datetime.now(datetime.timezone.utc) - begun).total_seconds()
        portal.post(f"jobs/{job}/kill", {"grace": "0s"}, status=202)
        eventually(lambda: portal.get("notebooks").json["notebooks"] == [], "the end of the notebook")
        assert ("notebook", job) in [(line["action"], line["job"]) for line in portal.audit()]


@pytest.mark.parametrize("body, words", [
    ({"memory": "9"}, "--memory: '9' has no unit"), ({"gpus": "one"}, "gpus: write a whole number"),
    ({"idle": "soon"}, "idle: write a duration"), ({"on": "slurm"}, "does not show the backend 'slurm'"),
    ({"disk": 1}, "unknown field 'disk'"), ({"python": "/no/env.tar.gz"}, "/no/env.tar.gz"),
    ({"limit": "x"}, "limit: write a duration"), ({"gpus": 4000}, "GPU")])
def test_wrong_notebook_is_explained(portal, body, words):
    assert words in portal.post("notebooks", body, status=400).json["detail"]
    assert portal.get("notebooks").json["notebooks"] == []


def test_read_only_portal_starts_nothing(machine):
    with Portal(machine, "--read-only") as portal:
        portal.post("notebooks", {}, status=403)
        portal.post("tensorboards", {"jobs": ["last"]}, status=403)
        portal.post("tensorboards/1/open", {}, status=403)
        portal.post("tensorboards/1/stop", {}, status=403)

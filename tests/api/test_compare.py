"""Comparisons and series of runs, with real jobs."""
import json

import pytest

from machine import eventually

RUN = """
name: trial
env: {{BATCH: "{batch}", API_KEY: "key-{batch}"}}
files: [{files}]
roles:
  worker:
    instances: {workers}
    memory: 64MiB
    command: 'echo metric loss 0.{batch} >> $HOWDAH_PROGRESS; echo step {batch} >> $HOWDAH_PROGRESS; exit {code}'
"""


def run(machine, tmp_path, batch, workers=1, code=0, files=""):
    done = machine("run", machine.job_file(tmp_path, RUN.format(batch=batch, workers=workers, code=code, files=files)))
    assert done.code == (1 if code else 0), done
    return done.id


def complete(portal):
    """Waits until the portal has read every job once."""
    eventually(lambda: portal.get("jobs").json["complete"], "complete list")
    return portal


def settings_of(answer):
    return {setting["name"]: setting for setting in answer["settings"]}


@pytest.fixture
def two_runs(machine, tmp_path):
    (tmp_path / "b.txt").write_text("b")
    (tmp_path / "a.txt").write_text("a")
    return [run(machine, tmp_path, 32, files="b.txt"), run(machine, tmp_path, 64, workers=2, files="a.txt, b.txt")]


def test_comparison_has_the_differences_that_history_diff_shows(machine, two_runs, portal):
    answer = portal.get("compare", ids=",".join(two_runs)).json
    assert [one["id"] for one in answer["runs"]] == two_runs
    assert all(one["problem"] is None for one in answer["runs"]), answer["runs"]
    settings = settings_of(answer)
    command = json.loads(machine("history", "diff", *two_runs, "--json").stdout)
    different = {name: setting["values"] for name, setting in settings.items() if not setting["same"]}
    assert different == {one["name"]: [one["before"], one["after"]] for one in command["configuration"]}
    assert different["env.BATCH"] == ["32", "64"] and different["roles.worker.instances"] == ["1", "2"]
    assert different["env.API_KEY"] == ["(hidden)", "(hidden)"]
    assert "files[b.txt].from" not in different and different["files[a.txt].to"] == [None, "a.txt"]
    kinds = {name: settings[name]["kind"] for name in different}
    assert (kinds["env.BATCH"], kinds["files[a.txt].to"], kinds["roles.worker.instances"]) == (
        "environment", "files", "job file")
    assert settings["on"]["same"] and settings["on"]["values"] == ["local", "local"]
    [tasks] = [one for one in answer["outcome"] if one["name"] == "tasks"]
    assert tasks == {"name": "tasks", "same": False, "values": ["1", "2"]}
    assert [one["roles"][0]["tasks"] for one in answer["runs"]] == [1, 2]
    assert all(one["account"]["running_seconds"] is not None for one in answer["runs"])


def test_run_that_cannot_be_read_is_explained_beside_the_others(machine, two_runs, portal):
    missing = "howdah-20200101-000000-aaaa"
    (machine.home / "jobs" / two_runs[1] / "job.json").unlink()
    answer = portal.get("compare", ids=f"{two_runs[0]},{missing},{two_runs[1]}").json
    problems = [one["problem"] for one in answer["runs"]]
    assert problems[0] is None and missing in problems[1] and problems[2], problems
    assert settings_of(answer)["env.BATCH"]["values"] == ["32", None, None]
    assert answer["runs"][2]["state"] == "SUCCEEDED"


def test_each_run_is_compared_once_and_names_are_resolved(machine, two_runs, portal):
    answer = complete(portal).get("compare", ids=f"last,{two_runs[1]},{two_runs[0]}").json
    assert [one["id"] for one in answer["runs"]] == [two_runs[1], two_runs[0]]


@pytest.mark.parametrize("ids, words", [("", "ids"), (",".join(f"job{i}" for i in range(21)), "names 21")])
def test_wrong_number_of_runs_is_explained(portal, ids, words):
    assert words in portal.get("compare", status=400, ids=ids).json["detail"]


def test_runs_of_a_name_have_their_figures(machine, tmp_path, portal):
    ids = [run(machine, tmp_path, batch) for batch in (1, 2)] + [run(machine, tmp_path, 3, code=1)]
    complete(portal)
    eventually(lambda: len(portal.jobs(q="name:trial state:ended")) == 3, "three ended runs")
    answer = portal.get("names/trial").json
    assert (answer["name"], answer["total"], answer["next"], answer["notes"]) == ("trial", 3, None, []), answer
    assert [one["id"] for one in answer["runs"]] == ids[::-1]
    assert [one["state"] for one in answer["runs"]] == ["FAILED", "SUCCEEDED", "SUCCEEDED"]
    assert all(one["took_seconds"] > 0 and one["problem"] is None for one in answer["runs"])
    metrics = [one["metrics"]["loss"] for one in answer["runs"]]
    assert metrics == pytest.approx([0.3, 0.2, 0.1]), metrics
    assert all(one["marks"] == [] and one["differences"] is None for one in answer["runs"])
    first = portal.get("names/trial", limit=2).json
    assert [one["id"] for one in first["runs"]] == ids[:0:-1]
    second = portal.get("names/trial", limit=2, after=first["next"]).json
    assert [one["id"] for one in second["runs"]] == ids[:1] and second["next"] is None
    assert portal.get("names/other").json["runs"] == [] and portal.get("names/tri*").json["runs"] == []
    assert portal.get("names/trial", user="nobody").json["runs"] == []


def test_run_outside_the_band_is_marked_with_its_differences(machine, tmp_path, portal):
    for _ in range(4):
        run(machine, tmp_path, 1)
    last = run(machine, tmp_path, 9)
    complete(portal)
    eventually(lambda: len(portal.jobs(q="name:trial state:succeeded")) == 5, "five ended runs")
    runs = portal.get("names/trial").json["runs"]
    marks = {mark["figure"]: mark for mark in runs[0]["marks"]}
    loss = marks["metric.loss"]
    assert runs[0]["id"] == last and loss["side"] == "above", runs[0]
    assert (loss["value"], loss["median"]) == pytest.approx((0.9, 0.1))
    assert runs[0]["differences"]["id"] == runs[1]["id"]
    names = {one["name"] for one in runs[0]["differences"]["differences"]}
    assert names == {"env.API_KEY", "env.BATCH", "roles.worker.command"}
    assert not any(mark["figure"] == "metric.loss" for one in runs[1:] for mark in one["marks"])

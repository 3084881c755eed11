"""Stacks of a running task through the portal."""
import pytest

from portal import Portal

JOB = """
name: waits
roles:
  w: {instances: 2, memory: 8MiB, command: exec sleep 86399}
  later: {memory: 8MiB, command: exit 0, after: [{role: w, finished: true}]}
"""


@pytest.fixture
def job(machine, tmp_path):
    job = machine.submit(machine.job_file(tmp_path, JOB))
    machine.until(job, lambda s: [t["state"] for t in s["tasks"]][:2] == ["RUNNING"] * 2, "two running tasks")
    return job


def test_sample_shows_each_process_and_is_recorded(machine, job, portal):
    answer = portal.post(f"jobs/{job}/stacks", {"task": "w:1", "native": False, "signal": None}, status=200).json
    assert answer["text"] == f"w:1: 1 process of {job} sampled" and answer["task"] == "w:1", answer
    [process] = answer["processes"]
    assert process["local_rank"] == 0 and process["state"].startswith("sleep sleeps"), process
    assert process["stacks"] is None and "the program is not Python" in process["problem"], process
    assert [(e["action"], e["arguments"]["task"], e["outcome"]) for e in portal.audit()] == [("stacks", "w:1", "done")]
    jsonschema = pytest.importorskip("jsonschema")
    api = portal.get("openapi.json").json
    route = api["paths"]["/api/v1/jobs/{id}/stacks"]["post"]
    jsonschema.validate(answer, route["responses"]["200"]["content"]["application/json"]["schema"])


@pytest.mark.parametrize("body, status, says", [
    ({}, 400, "task: the name of a task is missing"),
    ({"task": "w:9"}, 400, "no task 'w:9'"),
    ({"task": "w"}, 400, "'w' has several tasks"),
    ({"task": "w:0", "signal": "SOON"}, 400, "there is no signal 'SOON'"),
    ({"task": "w:0", "native": 1}, 400, "native: write true or false"),
    ({"task": "later:0"}, 409, "later:0 is not running: its state is PENDING"),
])
def test_tasks_that_cannot_be_sampled_are_explained(job, portal, body, status, says):
    assert says in portal.post(f"jobs/{job}/stacks", body, status=status).json["detail"]


def test_ended_job_and_read_only_portal_have_no_stacks(machine, job):
    with Portal(machine, "--read-only") as portal:
        assert "--read-only" in portal.post(f"jobs/{job}/stacks", {"task": "w:0"}, status=403).json["detail"]
    assert machine("kill", job, "--grace", "0s").code == 0
    with Portal(machine) as portal:
        detail = portal.post(f"jobs/{job}/stacks", {"task": "w:0"}, status=409).json["detail"]
        assert "has already finished: KILLED; only running tasks have stacks" in detail

"""Jobs that are submitted again with edits, through the portal."""
import pytest

from portal import Portal

JOB = """
name: again
env: {API_KEY: very-secret}
source: src
roles: {w: {memory: 64MiB, command: printenv API_KEY | grep -qx very.secret}}
"""


@pytest.fixture
def job(machine, tmp_path):
    (tmp_path / "src").mkdir()
    (tmp_path / "src/train.py").write_text("")
    done = machine("run", machine.job_file(tmp_path, JOB))
    assert done.code == 0, done
    return done.id


def test_edited_job_is_submitted_with_its_secrets_and_recorded(machine, job, portal):
    form = portal.get(f"jobs/{job}/rerun").json
    assert form["problem"] is None and form["missing"] == [] and "very-secret" not in form["job"], form
    body = {"job": form["job"], "set": ["roles.w.instances=2", "env.OTHER_TOKEN=hush"]}
    answer = portal.post(f"jobs/{job}/rerun", body, status=202).json
    status = machine.until(answer["id"], lambda s: s["state"] in ("SUCCEEDED", "FAILED"), "an end")
    assert status["state"] == "SUCCEEDED" and len(status["tasks"]) == 2, status
    [entry] = portal.audit()
    assert (entry["action"], entry["job"], entry["outcome"]) == ("submit", job, "done"), entry
    assert entry["arguments"] == {"set": ["roles.w.instances", "env.OTHER_TOKEN"]}


def test_plan_reports_the_problems_of_the_command(machine, job, portal):
    text = portal.get(f"jobs/{job}/rerun").json["job"]
    good = portal.post("plan", {"job": text, "of": job, "set": ["roles.w.instances=3"]}, status=200).json
    assert good["accepted"] and good["problems"] == [] and good["roles"][0]["min"] == 3, good
    bad = portal.post("plan", {"job": text + "\nrolls: {}\n", "of": job}, status=200).json
    [problem] = bad["problems"]
    assert not bad["accepted"] and problem["key"] == "rolls" and problem["line"] > 0 and "roles" in problem["text"]
    huge = portal.post("plan", {"job": text, "of": job, "set": ["roles.w.memory=900TiB"]}, status=200).json
    assert not huge["accepted"] and huge["refusals"], huge
    refused = portal.post(f"jobs/{job}/rerun", {"job": text, "set": ["roles.w.memory=soon"]}, status=400).json
    assert "roles.w.memory" in refused["detail"], refused
    for body, words in (({}, "job: the text"), ({"job": "a", "set": "b"}, "set: write a list"), ([], "not a JSON")):
        assert words in portal.post("plan", body, status=400).json["detail"]


@pytest.mark.parametrize("change, of, key", [
    (("API_KEY: ", "OTHER_KEY: "), True, "env.OTHER_KEY"),
    (("", ""), False, "env.API_KEY"),
])
def test_hidden_value_without_an_earlier_one_is_a_problem(machine, job, portal, change, of, key):
    text = portal.get(f"jobs/{job}/rerun").json["job"].replace(*change)
    plan = portal.post("plan", {"job": text, "of": job if of else None}, status=200).json
    [problem] = plan["problems"]
    assert not plan["accepted"] and problem["key"] == key and "is hidden" in problem["text"], plan
    if of:
        refused = portal.post(f"jobs/{job}/rerun", {"job": text}, status=400).json
        assert key in refused["detail"] and "write the value" in refused["detail"], refused
        assert machine.jobs() == [job]


def test_source_that_is_gone_is_named(job, tmp_path, portal):
    (tmp_path / "src/train.py").unlink()
    (tmp_path / "src").rmdir()
    form = portal.get(f"jobs/{job}/rerun").json
    assert form["missing"] == [str(tmp_path / "src")] and "is not on this machine" in form["problem"], form
    refused = portal.post(f"jobs/{job}/rerun", {"job": form["job"]}, status=400).json
    assert "source" in refused["detail"], refused


def test_read_only_portal_plans_and_submits_nothing(machine, job):
    with Portal(machine, "--read-only") as portal:
        text = portal.get(f"jobs/{job}/rerun").json["job"]
        assert portal.post("plan", {"job": text, "of": job}, status=200).json["accepted"]
        assert "--read-only" in portal.post(f"jobs/{job}/rerun", {"job": text}, status=403).json["detail"]
        assert portal.audit() == []

"""Jobs of TonY in the portal and in the goodput report, from the history that tony-site.xml names."""
import json

import pytest

from machine import eventually
from portal import Portal

ID = "application_1541469337545_0031"
HELD_S = 0.010 + 0.019  # by the two workers together, according to the events in TonyHistory.java


@pytest.fixture
def site(machine, tony, tmp_path):
    """A history that TonY has written, named by tony-site.xml."""
    location, conf = tmp_path / "old", tmp_path / "conf"
    tony.write(location / "finished/2018/11/15" / ID)
    conf.mkdir()
    (conf / "tony-site.xml").write_text(f"""<configuration>
        <property><name>tony.history.location</name><value>file://{location}</value></property></configuration>""")
    machine.env["TONY_CONF_DIR"] = str(conf)
    return location


@pytest.fixture
def portal(machine, site):
    with Portal(machine) as portal:
        yield portal


def test_portal_shows_jobs_of_tony_beside_those_of_howdah(machine, portal, tmp_path):
    own = machine.submit(machine.job_file(tmp_path, "name: own\nroles: {w: {memory: 8MiB, command: 'true'}}\n"))

    def both():
        jobs = portal.get("jobs").json["jobs"]
        return jobs if {job["id"] for job in jobs} == {own, ID} else None

    job = eventually(both, "the two jobs")[1]
    assert (job["name"], job["state"], job["on"], job["user"]) == ("mnist <é> & co", "FAILED", "tony", "ann")
    assert job["reason"] == "worker:1: Exception from container-launch.\nexit 1"
    assert job["queue"] == "ml" and job["gpus"] == 2 and job["goodput"] is None
    status = portal.get(f"jobs/{ID}").json
    assert [(t["state"], t["node"]) for t in status["tasks"]] == [("SUCCEEDED", "node2"), ("FAILED", "node3")]
    events = portal.get(f"jobs/{ID}/events").json["events"]
    assert events[0]["entry"]["type"] == "JobSubmitted" and events[-1]["entry"]["type"] == "JobFinished"
    assert "memory: 3GiB" in portal.get(f"jobs/{ID}/job.yaml").text
    assert portal.get(f"jobs/{ID}/advice").json["findings"] == []


def test_history_runs_no_jobs_and_says_what_does(portal):
    eventually(lambda: portal.get("jobs").json["jobs"], "the job")
    backends = {backend["name"]: backend["runs_jobs"] for backend in portal.get("health").json["backends"]}
    assert backends == {"local": True, "tony": False}
    assert [backend["name"] for backend in portal.get("cluster").json["backends"]] == ["local"]
    job = portal.get(f"jobs/{ID}/rerun").json["job"]
    plan = portal.post("plan", {"job": job, "of": ID}, status=200).json
    assert not plan["accepted"] and "`howdah tony`" in plan["refusals"][0], plan
    refused = portal.post(f"jobs/{ID}/rerun", {"job": job}, status=400).json
    assert "`howdah tony`" in refused["detail"], refused
    assert "`yarn logs" in portal.get(f"jobs/{ID}/logs/worker:0", status=404).json["detail"]


def test_hardware_of_tonys_jobs_counts_as_held_only(machine, portal):
    eventually(lambda: portal.get("jobs").json["jobs"], "the job")
    report = json.loads(machine("goodput", "--by", "backend", "--json").stdout)
    tony = next(group for group in report["groups"] if group["group"] == "tony")
    assert tony["held"]["gpu_seconds"] == pytest.approx(HELD_S) and tony["useful"] is None and tony["goodput"] is None
    assert portal.get("goodput", by="backend").json["groups"] == report["groups"]

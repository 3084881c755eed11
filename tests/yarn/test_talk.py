"""The example of the talk, with a shorter training and shorter periods, and without frameworks."""
import json
import subprocess

from machine import ROOT

TALK = ROOT / "examples/dataproc-talk"
LIMIT_S = 900


def test_eleven_jobs_grow_the_cluster_to_ten_nodes_and_lose_nothing(tmp_path):
    policy = tmp_path / "short.yaml"
    policy.write_text((TALK / "policy.yaml").read_text().replace("cooldownPeriod: 120s", "cooldownPeriod: 5s"))
    done = subprocess.run([TALK / "replay", "--variant", "plain", "--mode", "gangs", "--train", "20",
                           "--policy", policy, "--json", tmp_path / "figures.json"],
                          capture_output=True, text=True, timeout=LIMIT_S)
    assert done.returncode == 0, done
    result, = json.loads((tmp_path / "figures.json").read_text())
    assert result["largest"] == 10, done.stdout
    assert [job["state"] for job in result["jobs"]] == ["SUCCEEDED"] * 11
    assert all(job["restarts"] == 0 and job["unreadable"] == [] for job in result["jobs"]), result["jobs"]
    assert "SCALE_DOWN" in done.stdout

"""The metrics of a job on a cluster: live, after the death of its AM process, and in the history."""
import json

from kill_cases import kill_am
from machine import eventually

JOB = """
metrics: {interval: 1s}
roles:
  worker:
    instances: 2
    memory: 64MiB
    command: |
      i=0
      while [ ! -e %s ]; do
        i=$((i + 1)); echo "step $i" >> $HOWDAH_PROGRESS; sleep 0.2
      done
"""


def metrics(howdah, job, *words):
    done = howdah("history", "metrics", job, *words, "--json")
    assert done.code == 0, done
    return json.loads(done.stdout)


def samples(howdah, job, name, task):
    found = [s for s in metrics(howdah, job)["series"] if (s["name"], s["task"]) == (name, task)]
    return sum(value is not None for value in found[0]["mean"]) if found else 0


def test_metrics_of_a_running_job_survive_an_am_kill_and_are_in_the_history(howdah, tmp_path):
    go = tmp_path / "go"
    job = howdah.submit(howdah.job_file(tmp_path, JOB % go))
    howdah.running(job)
    for task in ("worker:0", "worker:1"):
        eventually(lambda: samples(howdah, job, "step", task) >= 2, f"points of {task}")
    live = metrics(howdah, job)
    kill_am(howdah, job)
    eventually(lambda: samples(howdah, job, "cpu_cores", "worker:0") >= 3, "points for the next AM")
    assert metrics(howdah, job)["start"] == live["start"]
    go.touch()
    assert howdah("wait", job, timeout=120).code == 0
    past = metrics(howdah, job)
    assert past["start"] == live["start"]
    for task in ("worker:0", "worker:1"):
        for name in ("cpu_cores", "memory_bytes", "step"):
            assert samples(howdah, job, name, task) >= 2, (name, task, past)
    stored = howdah.cluster.files_in_hdfs(f"/user/alice/.howdah/history/{job}")
    assert f"/user/alice/.howdah/history/{job}/metrics" in stored, stored
    howdah.assert_clean(job)

"""The metrics of a job: live, after its end, across the death of its AM, and with a damaged file."""
import csv
import datetime
import io
import json
import os
import shutil
import signal

import pytest

from machine import eventually

JOB = """
name: metrics
metrics: {interval: 1s}
roles:
  worker:
    instances: 2
    memory: 256MiB
    restart: {max: 0}
    command: |
      i=0
      while [ ! -e %(done)s ]; do
        i=$((i + 1))
        echo "line $i"
        echo "step $i" >> $HOWDAH_PROGRESS
        echo "metric loss 0.5" >> $HOWDAH_PROGRESS
        read -t 0.2 < %(fifo)s
      done
      echo "metric loss nan" >> $HOWDAH_PROGRESS
"""


def submit(machine, tmp_path, text=JOB):
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    keeper = os.open(fifo, os.O_RDWR)  # keeps the pipe open, so that `read -t` waits
    job = machine.submit(machine.job_file(tmp_path, text % {"done": tmp_path / "done", "fifo": fifo}))
    return job, lambda: ((tmp_path / "done").touch(), os.close(keeper))


def metrics(machine, job, *words):
    done = machine("history", "metrics", job, *words, "--json")
    return json.loads(done.stdout) if done.code == 0 else None


def series(answer, name, task="worker:0"):
    found = [s for s in answer["series"] if (s["name"], s["task"]) == (name, task)]
    return found[0] if found else None


def samples(machine, job, name, task="worker:0"):
    """The number of points with samples."""
    answer = metrics(machine, job, task, "--series", name)
    found = series(answer, name, task) if answer else None
    return sum(value is not None for value in found["mean"]) if found else 0


def times(answer, found):
    """The times at which the points with samples begin, in seconds since the epoch."""
    start = datetime.datetime.fromisoformat(answer["start"].replace("Z", "+00:00")).timestamp()
    return [start + i * answer["width"] for i, value in enumerate(found["mean"]) if value is not None]


def am_pid(machine, job):
    return json.loads((machine.home / "jobs" / job / "am.json").read_text())["pid"]


def test_series_appear_while_the_job_runs_and_stay_after_its_end(machine, tmp_path):
    job, finish = submit(machine, tmp_path)
    eventually(lambda: samples(machine, job, "cpu_cores") >= 2, "two points of cpu_cores")
    live = metrics(machine, job)
    for name in ("memory_bytes", "processes", "stdout_bytes", "step", "metric.loss"):
        for task in ("worker:0", "worker:1"):
            found = series(live, name, task)
            assert found and any(value is not None for value in found["mean"]), (name, task, live)
    rdma = series(live, "rdma_rx")
    assert rdma["absent"] or any(value is not None for value in rdma["mean"]), rdma
    assert series(live, "net_rx")["scope"] == "node"
    assert series(live, "step")["rank"] == 0 and series(live, "cpu_cores")["rank"] is None
    assert max(value or 0 for value in series(live, "memory_bytes")["max"]) > 100_000
    assert "note" not in live
    finish()
    status = machine.until(job, lambda s: s["state"] == "SUCCEEDED", "the end")
    past = metrics(machine, job)
    assert [(s["name"], s["task"]) for s in past["series"]] == [(s["name"], s["task"]) for s in live["series"]]
    assert past["start"] == live["start"] and past["width"] == live["width"] == 5
    steps = [value for value in series(past, "step")["max"] if value is not None]
    assert steps == sorted(steps) and steps[-1] >= 5
    loss = series(past, "metric.loss")
    assert loss["last"] == "NaN", loss
    assert loss["last_step"] == steps[-1] or loss["last_step"] >= steps[-1] - 1
    assert "NaN" in loss["mean"] and 0.5 in loss["mean"], loss
    assert machine.status(job)["finished"] == status["finished"]


def test_points_csv_and_text(machine, tmp_path):
    job, finish = submit(machine, tmp_path)
    eventually(lambda: samples(machine, job, "cpu_cores") >= 3, "three points of cpu_cores")
    finish()
    machine.until(job, lambda s: s["state"] == "SUCCEEDED", "the end")
    merged = metrics(machine, job, "worker", "--series", "cpu_cores,step", "--points", "1")
    assert [(s["name"], s["task"], len(s["mean"])) for s in merged["series"]] == [
        ("cpu_cores", "worker:0", 1), ("step", "worker:0", 1), ("cpu_cores", "worker:1", 1), ("step", "worker:1", 1)]
    done = machine("history", "metrics", job, "worker:1", "--csv", "--series", "processes")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert len(rows) >= 2
    assert {(row["task"], row["series"], row["scope"], row["rank"]) for row in rows} == {
        ("worker:1", "processes", "task", "")}
    assert all(float(row["mean"]) >= 1 and float(row["max"]) >= float(row["mean"]) for row in rows)
    text = machine("history", "metrics", job, "worker:1").stdout
    assert text.splitlines()[0].split() == ["TASK", "RANK", "SERIES", "SCOPE", "MEAN", "MAX", "LAST"]
    assert "worker:0" not in text and "memory_bytes" in text


def test_wrong_names_are_explained(machine, tmp_path):
    job, finish = submit(machine, tmp_path)
    eventually(lambda: samples(machine, job, "cpu_cores") >= 1, "a sample")
    wrong = machine("history", "metrics", job, "wrker")
    assert wrong.code == 2 and "no task 'wrker'; the tasks are worker:0, worker:1" in wrong.stderr, wrong
    assert machine("history", "metrics", job, "--points", "0").code == 2
    unknown = machine("history", "metrics", job, "--series", "no_such")
    assert unknown.code == 0 and "the job has no such series" in unknown.stderr, unknown
    finish()
    machine.until(job, lambda s: s["state"] == "SUCCEEDED", "the end")


def test_job_without_samples_says_why(machine, tmp_path):
    done = machine("run", machine.job_file(tmp_path, """
        name: off
        metrics: {interval: 0s}
        roles: {worker: {memory: 64MiB, command: exit 0}}
        """))
    assert done.code == 0, done
    none = machine("history", "metrics", done.id)
    assert none.code == 2 and f"{done.id} has no metrics; " in none.stderr and "interval: 0s" in none.stderr, none


def test_next_am_continues_the_series(machine, tmp_path):
    job, finish = submit(machine, tmp_path)
    file = machine.home / "jobs" / job / "metrics"
    eventually(lambda: file.exists() and samples(machine, job, "cpu_cores") >= 2, "a file of metrics")
    before = metrics(machine, job)
    am = am_pid(machine, job)
    os.kill(am, signal.SIGKILL)
    eventually(lambda: am_pid(machine, job) != am, "the next AM")
    points = samples(machine, job, "cpu_cores")
    eventually(lambda: samples(machine, job, "cpu_cores") >= points + 2, "samples for the next AM")
    finish()
    machine.until(job, lambda s: s["state"] == "SUCCEEDED", "the end")
    after = metrics(machine, job)
    assert after["start"] == before["start"]
    for task in ("worker:0", "worker:1"):
        begins = times(after, series(after, "cpu_cores", task))
        gaps = [later - earlier for earlier, later in zip(begins, begins[1:])]
        # A gap has the points that the dead AM had not written yet, and at most one more.
        assert max(gaps) <= 3 * after["width"], (task, gaps)


def test_damaged_file_costs_only_the_metrics(machine, tmp_path):
    job, finish = submit(machine, tmp_path)
    file = machine.home / "jobs" / job / "metrics"
    eventually(lambda: file.exists(), "a file of metrics")
    am = am_pid(machine, job)
    os.kill(am, signal.SIGSTOP)
    file.write_bytes(b"howdahMT" + bytes(500))
    os.kill(am, signal.SIGKILL)
    eventually(lambda: am_pid(machine, job) != am, "the next AM")
    eventually(lambda: samples(machine, job, "cpu_cores") >= 1, "samples for the next AM")
    assert "continuing the metrics in" in (machine.home / "jobs" / job / "am.log").read_text()
    finish()
    machine.until(job, lambda s: s["state"] == "SUCCEEDED", "the end")
    assert samples(machine, job, "cpu_cores") >= 1
    for damaged in (b"", b"\0" * 100, file.read_bytes()[:-1]):
        file.write_bytes(damaged)
        failed = machine("history", "metrics", job)
        assert failed.code == 1 and f"reading the metrics of {job}: the file cannot be used: " in failed.stderr, failed
        assert machine("status", job).code == 0


def test_metrics_of_a_job_whose_am_does_not_answer_come_from_its_file(machine, tmp_path):
    job, finish = submit(machine, tmp_path)
    file = machine.home / "jobs" / job / "metrics"
    eventually(lambda: file.exists(), "a file of metrics")
    am = am_pid(machine, job)
    os.kill(am, signal.SIGSTOP)
    done = machine("history", "metrics", job, "--json")
    os.kill(am, signal.SIGCONT)
    assert done.code == 0, done
    answer = json.loads(done.stdout)
    assert series(answer, "cpu_cores") and "does not answer" in answer["note"], answer
    assert " old" in done.stderr, done
    finish()
    machine.until(job, lambda s: s["state"] == "SUCCEEDED", "the end")


@pytest.mark.skipif(shutil.which("nvidia-smi") is None, reason="needs an NVIDIA GPU")
def test_gpu_of_this_machine_is_measured(machine, tmp_path):
    job, end = submit(machine, tmp_path, JOB.replace("instances: 2", "instances: 1\n    gpus: 1"))
    names = ("gpu_util", "gpu_memory", "gpu0_util", "gpu0_memory")

    def measured():
        found = {one["name"]: [mean for mean in one["mean"] if mean is not None]
                 for one in metrics(machine, job, "worker:0")["series"] if one["name"].startswith("gpu")}
        return found if all(found.get(name) for name in names[:2]) else None

    found = eventually(measured, "the use of the GPU")
    assert all(0 <= mean <= 1 for name in names for mean in found.get(name, [])), found
    end()
    assert machine("wait", job).code == 0

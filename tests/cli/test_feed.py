"""`howdah feed`: the requests that it refuses."""
import json
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = ROOT / os.environ.get("HOWDAH_BIN", "build/release/bin/howdah")
DEADLINE_S = 60


@pytest.fixture
def home(tmp_path):
    """The environment for howdah(). Jobs that still run at the end of the test are killed."""
    env = {**os.environ, "HOWDAH_HOME": str(tmp_path / "home"), "XDG_CONFIG_HOME": str(tmp_path / "config")}
    env.pop("HOWDAH_ON", None)
    yield env
    for job in json.loads(howdah(env, "list", "--json").stdout):
        howdah(env, "kill", job["id"], "--grace", "0s")


def howdah(env, *arguments):
    return subprocess.run([BIN, *arguments], env=env, capture_output=True, text=True, timeout=DEADLINE_S)


def job_file(tmp_path, text):
    path = tmp_path / "job.yaml"
    path.write_text(text)
    return str(path)


@pytest.mark.parametrize("arguments, said", [
    ([], "id"),
    (["last"], "no job yet"),
    (["x", "--close", "--address"], "exclude each other"),
    (["x", "--close", "--json"], "remove --json"),
])
def test_wrong_usage_exits_with_2_and_a_hint(home, arguments, said):
    done = howdah(home, "feed", *arguments)
    assert done.returncode == 2, done
    assert said in done.stderr, done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize("feeds, name, code, said", [
    ("{}", [], 2, "has no feeds; add `feeds: {train: {}}`"),
    ("{train: {}, val: {}}", ["tran"], 2, "has no feed tran; its feeds are train, val"),
    ("{train: {}}", ["train"], 3, "is SUCCEEDED, and feeds exist only while a job runs"),
    ("{train: {}}", [], 3, "is SUCCEEDED, and feeds exist only while a job runs"),
])
def test_feeds_of_an_ended_job_are_refused(home, tmp_path, feeds, name, code, said):
    job = f"roles: {{w: {{memory: 8MiB, command: 'true'}}}}\nfeeds: {feeds}\n"
    assert howdah(home, "run", job_file(tmp_path, job)).returncode == 0
    done = howdah(home, "feed", "last", *name)
    assert done.returncode == code, done
    assert said in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize("arguments", [["--address"], ["train", "--close"]])
def test_feed_of_a_running_job_without_feeds_is_refused(home, tmp_path, arguments):
    sleeper = "roles: {w: {memory: 8MiB, command: 'echo ready; exec sleep 86399'}}\n"
    run = subprocess.Popen([BIN, "run", job_file(tmp_path, sleeper)], env=home, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True)
    assert run.stdout.readline() == "w:0 │ ready\n"
    done = howdah(home, "feed", "last", *arguments)
    assert done.returncode == 2, done
    assert "the job has no feeds" in done.stderr
    howdah(home, "kill", "last", "--grace", "0s")
    run.communicate(timeout=DEADLINE_S)

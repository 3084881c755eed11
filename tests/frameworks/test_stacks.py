"""Stacks of real programs, taken by py-spy and gdb."""
import json
import shutil

import pytest

from machine import eventually

PROGRAM = """
import select, threading
def load_batch():
    select.select([], [], [], 86400)
def prefetch():
    threading.Event().wait()
threading.Thread(target=prefetch, daemon=True).start()
print("ready", flush=True)
load_batch()
"""


def start(machine, tmp_path, folder):
    source = tmp_path / "src"
    source.mkdir()
    (source / "train.py").write_text(PROGRAM)
    job = machine.submit(machine.job_file(tmp_path, f"""
        source: {source}
        env: {{PATH: "{folder}/bin:/usr/bin:/bin"}}
        roles: {{worker: {{memory: 64MiB, command: exec /usr/bin/python3 train.py}}}}
        """))
    eventually(lambda: "ready" in machine.log(job, "worker:0"), "the program")
    return job


def sample(machine, job, *flags):
    done = machine("stacks", job, "worker:0", "--json", *flags)
    assert done.code == 0, done
    [process] = json.loads(done.stdout)["tasks"][0]["processes"]
    return process


def test_py_spy_shows_each_thread_while_the_program_runs_on(machine, installed, tmp_path):
    job = start(machine, tmp_path, installed("py-spy").parents[1])
    process = sample(machine, job)
    if process["problem"] and "forbids tracing" in process["problem"]:
        pytest.skip(process["problem"])
    assert process["tool"] == "py-spy" and process["problem"] is None, process
    assert "load_batch (train.py:" in process["stacks"] and "prefetch (train.py:" in process["stacks"], process
    native = sample(machine, job, "--native")
    assert native["tool"] == "py-spy --native" and "load_batch (train.py:" in native["stacks"], native
    assert "select" in native["stacks"].replace("select.select", ""), native
    assert machine.status(job)["tasks"][0]["state"] == "RUNNING"
    assert sample(machine, job)["state"].startswith("python3"), "the process is not stopped"


def test_gdb_shows_native_frames_and_says_why_there_are_no_others(machine, tmp_path):
    if shutil.which("gdb", path="/usr/bin:/bin") is None:
        pytest.skip("gdb is not in /usr/bin")
    job = start(machine, tmp_path, tmp_path)
    process = sample(machine, job, "--native")
    if process["tool"] is None:
        pytest.skip(process["problem"])
    assert process["tool"] in ("gdb", "eu-stack") and "#0 " in process["stacks"], process
    assert "only native frames: py-spy is not in the PATH of the task" in process["problem"], process
    assert " sleeps" in sample(machine, job, "--native")["state"], "the process is not stopped"

"""Real PyTorch, TensorFlow and JAX find each other, train, restart, and report the cause of a failure."""
import os
import re
import shutil
import signal
import urllib.request

import pytest

from machine import ROOT, eventually

GOOD = 0.8       # the accuracy that every training in tests/contract must reach
RUN_S = 240      # an upper bound for a busy machine, not the expected duration
EXAMPLES = ROOT / "examples"


def accuracies(text):
    return [float(a) for a in re.findall(r"accuracy (\d\.\d+)", text)]


def losses(text, who, epoch):
    """The distinct losses that the processes printed for an epoch. Each process prints the mean over all processes, so
    there is only one value if the processes really train together."""
    return set(re.findall(rf"{who} \d/\d epoch {epoch} loss (\d+\.\d+)", text))


def states(machine):
    return {f"{t['role']}:{t['index']}": t["state"] for t in machine.status()["tasks"]}


def run_contract(machine, name, interpreter):
    done = machine("run", f"{name}.yaml", env={"CONTRACT_PYTHON": str(interpreter)}, timeout=RUN_S)
    assert done.code == 0, done
    assert machine("advise", done.id).stdout == "no advice\n", machine("advise", done.id)
    return done


def test_pytorch_ddp_reaches_the_expected_accuracy(machine, installed):
    done = run_contract(machine, "ddp", installed("torch"))
    assert [a > GOOD for a in accuracies(done.stdout)] == [True], done
    for rank in range(4):
        assert f"rank {rank}/4 epoch 1" in done.stdout, done
    assert len(losses(done.stdout, "rank", 1)) == 1, done
    assert states(machine)["chief:0"] == "SUCCEEDED"
    assert [t["ranks"] for t in machine.status()["tasks"]] == [[0, 1], [2, 3]]


def test_tensorflow_multi_worker_mirrored_reaches_the_expected_accuracy(machine, installed):
    done = run_contract(machine, "tf-multiworker", installed("tensorflow"))
    assert [a > GOOD for a in accuracies(done.stdout)] == [True, True], done
    assert len(losses(done.stdout, "worker", 1)) == 1, done
    assert states(machine) == {"worker:0": "SUCCEEDED", "worker:1": "SUCCEEDED"}


def test_tensorflow_parameter_server_reaches_the_expected_accuracy(machine, installed):
    done = run_contract(machine, "tf-ps", installed("tensorflow"))
    assert [a > GOOD for a in accuracies(done.stdout)] == [True], done
    assert states(machine) == {"chief:0": "SUCCEEDED", "worker:0": "STOPPED", "worker:1": "STOPPED", "ps:0": "STOPPED"}


def test_jax_reaches_the_expected_accuracy(machine, installed):
    done = run_contract(machine, "jax", installed("jax"))
    assert [a > GOOD for a in accuracies(done.stdout)] == [True], done
    assert len(losses(done.stdout, "process", 1)) == 1, done
    assert "process 1/2 epoch 1" in done.stdout, done


def test_several_jax_processes_of_one_task_have_different_ranks(machine, installed):
    done = machine("run", "jax.yaml", "--set", "roles.worker.instances=1", "--set", "roles.worker.processes=2",
                   env={"CONTRACT_PYTHON": str(installed("jax"))}, timeout=RUN_S)
    assert done.code == 0, done
    assert "process 1/2 epoch 1" in done.stdout, done


def epochs(log):
    """The epochs that one attempt of rank 0 of the Fashion-MNIST example started, in order."""
    return sorted({int(e) for e in re.findall(r"^epoch (\d+)/", log, re.M)})


def test_a_killed_rank_restarts_all_ranks_from_the_checkpoint(machine, installed, tmp_path):
    installed("data")
    (tmp_path / "job.yaml").write_text(f"""
name: restart
framework: pytorch
files: [{EXAMPLES}/fashion-mnist/train.py]
roles:
  worker:
    instances: 4
    memory: 512MiB
    command: exec {installed("torch")} train.py --images 8000 --epochs 8
    restart: {{max: 1, backoff: 100ms}}
checkpoint: {{dir: {tmp_path}/checkpoints}}
""")
    job = machine.submit("job.yaml", cwd=tmp_path)
    # The second epoch starts only after the checkpoint of the first epoch has been saved.
    eventually(lambda: "epoch 2/8" in machine("logs", job, "worker:0").stdout, f"the second epoch of {job}", RUN_S)
    before = machine.status(job)
    os.kill(before["tasks"][2]["pids"][0], signal.SIGKILL)
    done = machine("wait", job, timeout=RUN_S)
    after = machine.status(job)
    assert done.code == 0, (done, after)
    assert after["generation"] == 1, after
    assert [t["attempt"] for t in after["tasks"]] == [1, 1, 1, 1], after
    assert [t["ranks"] for t in after["tasks"]] == [t["ranks"] for t in before["tasks"]] == [[0], [1], [2], [3]]
    first = epochs(machine.log(job, "worker:0", "--attempt", "0"))
    second = epochs(machine.log(job, "worker:0", "--attempt", "1"))
    assert first[-1] < 8, "it was killed too late to show anything"
    assert second == list(range(second[0], 9)), (first, second)
    assert second[0] >= first[-1], f"epochs {first} were begun, so all but the last were safe; then it ran {second}"
    assert accuracies(machine.log(job, "worker:0")) > [0.7]


def test_the_reason_is_the_exception_of_the_rank_that_raised_it(machine, installed, tmp_path):
    # Rank 2 fails before it joins the process group, so that the other ranks wait for it. If it failed in a collective,
    # the other ranks would notice the closed connection and could exit before rank 2.
    (tmp_path / "step.py").write_text("""import os, torch, torch.distributed as dist
if os.environ["RANK"] == "2":
    raise ValueError("bad shard 17")
dist.init_process_group("gloo")
""")
    (tmp_path / "job.yaml").write_text(f"""
framework: pytorch
files: [step.py]
roles:
  worker: {{instances: 2, processes: 2, memory: 512MiB, command: exec {installed("torch")} step.py}}
""")
    done = machine("run", "job.yaml", cwd=tmp_path, timeout=RUN_S)
    assert done.code == 1, done
    reason = machine.status()["reason"]
    assert "worker:1" in reason and "ValueError: bad shard 17 (step.py line 3)" in reason, reason


def test_a_missing_python_module_is_named(machine, tmp_path):
    (tmp_path / "job.yaml").write_text("""
framework: pytorch
roles:
  worker: {instances: 2, memory: 64MiB, command: "exec python3 -c 'import torch_that_is_not_there'"}
""")
    done = machine("run", "job.yaml", cwd=tmp_path)
    assert done.code == 1, done
    status = machine.status()
    assert "No module named 'torch_that_is_not_there'" in status["reason"], status
    assert "python:" in status["advice"], status


def test_the_demo_learns_and_shows_its_curves(machine, installed, tmp_path):
    installed("data")
    example = shutil.copytree(EXAMPLES / "fashion-mnist", tmp_path / "example",
                              ignore=shutil.ignore_patterns("logs", "checkpoints"))
    path = f"{installed('demo').parent}:{os.environ['PATH']}"
    job = machine.submit("job.yaml", cwd=example, env={"PATH": path})
    url = eventually(lambda: machine.status(job)["urls"]["tensorboard"], f"TensorBoard's address in {job}", RUN_S)
    with urllib.request.urlopen(url, timeout=30) as page:
        assert b"TensorBoard" in page.read()
    done = machine("wait", job, timeout=RUN_S)
    assert done.code == 0, (done, machine.status(job))
    assert [a > GOOD for a in accuracies(machine.log(job, "chief:0"))] == [True]
    assert list((example / "logs" / job).glob("events.out.tfevents.*"))
    assert [f.name for f in (example / "checkpoints").iterdir()] == ["trained.pt"]


@pytest.mark.parametrize("example, environment, shows", [
    ("hello", None, r"greeter:2 │ hello from greeter:2 of 3"),
    pytest.param("tensorflow-ps", "tensorflow", r"test accuracy 0\.[78]", marks=pytest.mark.long),
    pytest.param("jax", "jax", r"test accuracy 0\.[78]", marks=pytest.mark.long),
], ids=["hello", "tensorflow-ps", "jax"])
def test_examples_print_the_expected_output(machine, installed, example, environment, shows):
    env = {"PYTHON": str(installed(environment))} if environment and installed("data") else {}
    done = machine("run", EXAMPLES / example / "job.yaml", env=env, timeout=RUN_S)
    assert done.code == 0, done
    assert re.search(shows, done.stdout), done
    assert machine("advise", done.id).stdout == "no advice\n", machine("advise", done.id)

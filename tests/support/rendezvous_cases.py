"""Jobs of frameworks that use a rendezvous server of the AM, on every backend."""
import os
import re
import signal
import subprocess

from machine import ROOT, eventually

EXAMPLES = ROOT / "examples"
RUN_S = 240  # an upper bound for a busy machine, not the expected duration


def run_horovod_with_a_killed_rank(machine, installed, tmp_path):
    """Kills one of the four processes of a training. All restart from the checkpoint. Returns the id of the job."""
    installed("data")
    env = {"PYTHON": str(installed("horovod")), "EPOCHS": "8", "IMAGES": "8000"}
    job = machine.submit("job.yaml", "--set", f"checkpoint.dir={tmp_path}/checkpoints", "--set",
                         "roles.worker.memory=512MiB", cwd=EXAMPLES / "horovod", env=env)
    before = machine.running(job)
    eventually((tmp_path / "checkpoints/trained.pt").exists, f"the first checkpoint of {job}", RUN_S)
    os.kill(before["tasks"][2]["pids"][0], signal.SIGKILL)
    done = machine("wait", job, timeout=RUN_S)
    after = machine.status(job)
    assert done.code == 0, (done, after)
    assert after["generation"] == 1, after
    assert [(t["ranks"], t["attempt"], t["container"]) for t in after["tasks"]] == \
        [([rank], 1, before["tasks"][rank]["container"]) for rank in range(4)], (before, after)
    first = machine.log(job, "worker:0", "--attempt", "0")
    assert "epoch 8/8" not in first, "it was killed too late to show anything"
    second = [machine.log(job, f"worker:{rank}", "--attempt", "1") for rank in range(4)]
    epochs = [int(e) for e in re.findall(r"^rank 0/4 epoch (\d)/8", second[0], re.M)]
    assert epochs and epochs[0] >= 2 and epochs == list(range(epochs[0], 9)), (first, second[0])
    for rank, log in enumerate(second):
        assert f"rank {rank}/4 epoch 8/8" in log, log
    assert len(set(re.findall(r"epoch 8/8 loss (\S+)", "".join(second)))) == 1, f"each has the mean over all: {second}"
    assert float(re.search(r"test accuracy (\d\.\d+)", second[0]).group(1)) > 0.75, second[0]
    return job


def losses(text):
    return [float(loss) for loss in re.findall(r"\[\d+\]\ttrain-mlogloss:(\S+)", text)]


def check_xgboost_equals_one_process(machine, installed):
    """Four processes train the same model as a single process. Returns the id of the job."""
    installed("data")
    done = machine("run", "job.yaml", "--set", "roles.worker.memory=512MiB", cwd=EXAMPLES / "xgboost",
                   env={"PYTHON": str(installed("xgboost"))}, timeout=RUN_S)
    assert done.code == 0, done
    alone = subprocess.run([str(installed("xgboost")), str(EXAMPLES / "xgboost/train.py")], stdout=subprocess.PIPE,
                           text=True, check=True).stdout
    log = machine.log(done.id, "worker:0")
    assert len(losses(alone)) == 8
    assert [abs(a - b) < 0.01 for a, b in zip(losses(log), losses(alone), strict=True)] == [True] * 8, (log, alone)
    for rank in range(4):
        assert f"Task {rank} got rank {rank}" in machine.log(done.id, f"worker:{rank}"), done
        assert rank == 0 or not losses(machine.log(done.id, f"worker:{rank}")), "what is printed is printed once"
    accuracy = [float(re.search(r"test accuracy (\d\.\d+)", text).group(1)) for text in (log, alone)]
    assert accuracy[0] > 0.7 and abs(accuracy[0] - accuracy[1]) < 0.02, accuracy
    return done.id

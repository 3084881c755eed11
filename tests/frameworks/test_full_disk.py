"""A real training with DDP on a full disk. With --attack-for 60 the disk is full for at least a minute."""
import time

import pytest

import job_reports
from full_disk import Filler, am_waits_for_space, small_disks
from machine import Machine, eventually
from other_user import needs_mounts

pytestmark = needs_mounts

# Trains until the file argv[1] exists. Rank 0 writes a checkpoint after each step.
TRAIN = """
import os, pathlib, select, sys
import torch, torch.distributed as dist
checkpoint = pathlib.Path(os.environ["HOWDAH_CHECKPOINT_DIR"]) / "checkpoint.pt"
dist.init_process_group("gloo")
net = torch.nn.Linear(64, 64)
step = 0
if checkpoint.exists():
    saved = torch.load(checkpoint)
    net.load_state_dict(saved["net"])
    step = saved["step"]
dist.barrier()
model = torch.nn.parallel.DistributedDataParallel(net)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
end = torch.zeros(1)
while not end.item():
    optimizer.zero_grad()
    model(torch.ones(8, 64)).square().mean().backward()
    optimizer.step()
    step += 1
    if dist.get_rank() == 0:
        torch.save({"net": net.state_dict(), "step": step}, checkpoint.with_suffix(".part"))
        os.replace(checkpoint.with_suffix(".part"), checkpoint)
        with open(os.environ["HOWDAH_PROGRESS"], "a") as progress:
            print(f"step {step}", file=progress)
    select.select([], [], [], 0.1)
    end += os.path.exists(sys.argv[1])
    dist.broadcast(end, 0)
"""
JOB = """
framework: pytorch
source: %(source)s
checkpoint: {dir: "%(disk)s/checkpoints", grace: 5s}
roles:
  worker:
    instances: 2
    memory: 256MiB
    restart: {max: %(restarts)d, backoff: 1s}
    command: exec %(python)s train.py %(end)s
"""


START_S = 180  # for two imports of torch on a busy machine


@pytest.fixture
def disk(tmp_path):
    with small_disks(tmp_path) as make:
        yield make


@pytest.fixture
def start(tmp_path, installed):
    """Starts the training on a disk, and returns its id when it has made some steps."""
    def begin(machine, disk, restarts):
        source = tmp_path / "source"
        source.mkdir()
        (source / "train.py").write_text(TRAIN)
        (disk / "checkpoints").mkdir()
        values = {"source": source, "disk": disk, "restarts": restarts, "python": installed("torch"),
                  "end": tmp_path / "end"}
        job = machine.submit(machine.job_file(tmp_path, JOB % values))
        eventually(lambda: step_of(machine.status(job)) >= 3, "three steps", START_S)
        return job
    return begin


def step_of(status):
    return ((status["tasks"][0]["progress"] or {}).get("step")) or 0


def test_training_continues_after_a_full_disk(disk, start, tmp_path, pytestconfig):
    """The job and its checkpoints are on the full disk: ranks fail, and the AM cannot record their failures. When the
    disk has space again, the training continues from the last complete checkpoint."""
    path = disk("disk", "16m")
    machine = Machine(path / "home")
    try:
        job = start(machine, path, restarts=100)
        am = machine.agents(job, "am")
        filler, folder = Filler(path), machine.home / "jobs" / job
        end = time.monotonic() + pytestconfig.getoption("attack_for")

        def waits():
            filler.again()
            return am_waits_for_space(folder) and time.monotonic() >= end
        eventually(waits, "a failed write of the AM", pytestconfig.getoption("attack_for") + START_S)
        before = step_of(machine.status(job))
        filler.free()
        eventually(lambda: step_of(machine.status(job)) > before + 3, "more steps", START_S)
        assert machine.agents(job, "am") == am
        (tmp_path / "end").touch()
        assert machine("wait", job, timeout=120).code == 0
        status = machine.status(job)
        assert status["state"] == "SUCCEEDED" and status["generation"] >= 1, status
        machine.assert_clean(job)
    finally:
        machine.close()


def test_reason_names_the_disk_that_stays_full(disk, start, tmp_path):
    path = disk("full", "16m")
    machine = Machine(tmp_path / "home")
    try:
        job = start(machine, path, restarts=0)
        Filler(path).again()
        assert machine("wait", job, timeout=120).code == 1
        status = machine.status(job)
        full = f"{path} (tmpfs), 16 MiB, 0 B free"
        job_reports.assert_facts(status["reason"], "worker:0", "No space left on device", full)
        assert f"free some space on {full}" in status["advice"], status
        machine.assert_clean(job)
    finally:
        machine.close()

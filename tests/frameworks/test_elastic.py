"""A real training whose number of workers grows and shrinks: no step is lost or repeated."""
import json

TRAIN = """
import json, os, select, signal
import torch, torch.distributed as dist
from torch import nn
stop = torch.zeros(1)
def wanted(*_): stop[0] = 1
signal.signal(signal.SIGTERM, wanted)  # each step is saved, so a stop at the end of a step loses nothing
torch.manual_seed(1)
net = nn.Linear(4, 1)
saved, first = os.environ["HOWDAH_CHECKPOINT_DIR"] + "/net.pt", 0
dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
if os.path.exists(saved):
    state = torch.load(saved)
    net.load_state_dict(state["net"])
    first = state["step"]
model = nn.parallel.DistributedDataParallel(net)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
goal, step = torch.tensor([[1.0, -2.0, 3.0, 0.5]]), first
while True:
    end = torch.tensor([float(os.path.exists(os.environ["GO"])), stop.item()])
    dist.all_reduce(end)  # all ranks leave the loop after the same step
    if end.sum() > 0: break
    step += 1
    data = torch.randn(16, 4, generator=torch.Generator().manual_seed(step * 64 + rank))
    optimizer.zero_grad()
    loss = ((model(data) - data @ goal.T) ** 2).mean()
    loss.backward()
    optimizer.step()
    if rank == 0:
        torch.save({"net": net.state_dict(), "step": step}, saved + ".part")
        os.replace(saved + ".part", saved)
        with open(os.environ["STEPS"], "a") as steps:
            print(json.dumps({"step": step, "world": world, "loss": loss.item()}), file=steps)
while end[1] > 0 and not stop.item(): select.select([], [], [], 0.02)  # wait for this rank's own SIGTERM
"""


def test_scaling_to_4_1_and_3_workers_loses_no_step(machine, installed, tmp_path):
    source, steps = tmp_path / "src", tmp_path / "steps"
    source.mkdir()
    steps.touch()
    (source / "train.py").write_text(TRAIN)
    job = machine.submit(machine.job_file(tmp_path, f"""
        framework: pytorch
        source: {source}
        env: {{GO: {tmp_path}/go, STEPS: {steps}, OMP_NUM_THREADS: 1}}
        checkpoint: {{dir: {tmp_path}/checkpoints, grace: 60s}}
        timeouts: {{settle: 1s}}
        roles:
          worker:
            instances: {{min: 1, max: 4}}
            memory: 256MiB
            command: exec {installed("torch")} train.py
        """))
    done = lambda: [json.loads(line) for line in steps.read_text().splitlines()]
    sizes = []
    for size in (2, 4, 1, 3):
        assert machine("scale", job, f"worker={size}").code == 0
        machine.until(job, lambda s: done() and done()[-1]["world"] == size and s["state"] == "RUNNING",
                      f"a step with {size}")
        status = machine.status(job)
        assert sorted(r for t in status["tasks"] for r in t["ranks"]) == list(range(size)), status
        sizes.append(size)
    (tmp_path / "go").touch()
    assert machine("wait", job).code == 0, machine.status(job)
    assert [s["step"] for s in done()] == list(range(1, len(done()) + 1)), "a step was lost, or done twice"
    seen = [s["world"] for s in done()]
    assert [w for i, w in enumerate(seen) if i == 0 or seen[i - 1] != w][-4:] == sizes, seen
    assert done()[-1]["loss"] < done()[0]["loss"] / 2
    machine.assert_clean(job)

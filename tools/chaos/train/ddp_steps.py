"""Fashion-MNIST with PyTorch DistributedDataParallel. The data of a step depend only on its number, so a run with
faults ends with the same model as a run without. The checkpoint contains the sum of the numbers of all steps, which is
wrong if a step was lost or repeated.

Variables: STEPS, PACE (the least duration of a step in seconds), SAVE_EVERY, HOWDAH_CHECKPOINT_DIR."""
import gzip
import os
import pathlib
import signal
import sys
import time

import numpy
import torch
import torch.distributed as dist
from torch import nn

STEPS, PACE, SAVE_EVERY = int(os.environ["STEPS"]), float(os.environ["PACE"]), int(os.environ["SAVE_EVERY"])
BATCH = 128  # images per step of all ranks together
CHECKPOINT = pathlib.Path(os.environ["HOWDAH_CHECKPOINT_DIR"]) / "checkpoint.pt"


def load(part):
    def read(kind, offset):
        with gzip.open(pathlib.Path(os.environ["DATA"]) / f"{part}-{kind}-ubyte.gz") as file:
            return numpy.frombuffer(file.read(), numpy.uint8, offset=offset)
    labels = read("labels-idx1", 8)
    images = read("images-idx3", 16).reshape(len(labels), 784)
    return torch.from_numpy(images / 255.0).float(), torch.from_numpy(labels.astype("int64"))


def report_progress(line):
    with open(os.environ["HOWDAH_PROGRESS"], "a") as progress:
        print(line, file=progress)


def save(state):
    part = CHECKPOINT.with_suffix(".part")
    torch.save(state, part)
    os.replace(part, CHECKPOINT)
    report_progress(f"checkpoint {state['step']}")


def main():
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    images, labels = load("train")
    torch.manual_seed(1)
    net = nn.Sequential(nn.Linear(784, 64), nn.ReLU(), nn.Linear(64, 10))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
    step, total = 0, 0
    if CHECKPOINT.exists():
        saved = torch.load(CHECKPOINT)
        net.load_state_dict(saved["net"])
        optimizer.load_state_dict(saved["optimizer"])
        step, total = saved["step"], saved["sum"]
    # No rank writes a checkpoint before all ranks have read the same checkpoint.
    dist.barrier()
    model = nn.parallel.DistributedDataParallel(net)
    stop_requested = []
    signal.signal(signal.SIGTERM, lambda *_: stop_requested.append(1))
    while step < STEPS:
        begun = time.monotonic()
        step += 1
        chosen = torch.randint(len(labels), (BATCH,), generator=torch.Generator().manual_seed(step))[rank::world]
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(images[chosen]), labels[chosen]).backward()
        optimizer.step()
        total += step
        print(f"step {step} at {time.time():.3f}", flush=True)
        report_progress(f"step {step}")
        if rank == 0 and (step % SAVE_EVERY == 0 or stop_requested):
            save({"net": net.state_dict(), "optimizer": optimizer.state_dict(), "step": step, "sum": total})
        if stop_requested:
            sys.exit(0)
        time.sleep(max(0.0, PACE - (time.monotonic() - begun)))
    if rank == 0:
        images, labels = load("t10k")
        accuracy = (net(images).argmax(1) == labels).float().mean().item()
        print(f"RESULT accuracy {accuracy:.4f} steps {step} sum {total}", flush=True)
    dist.barrier()


main()

"""Fashion-MNIST with PyTorch DistributedDataParallel, step by step: what a step trains on is a function of its number
alone, so that a run that was disturbed ends with the model of one that was not. The model counts its own steps: `sum`
is that of their numbers, and wrong if one was lost or came twice.

STEPS, PACE (seconds a step takes at least), SAVE_EVERY; checkpoints are in $HOWDAH_CHECKPOINT_DIR."""
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
BATCH = 128  # of all ranks together
CHECKPOINT = pathlib.Path(os.environ["HOWDAH_CHECKPOINT_DIR"]) / "checkpoint.pt"


def load(part):
    def read(kind, offset):
        with gzip.open(pathlib.Path(os.environ["DATA"]) / f"{part}-{kind}-ubyte.gz") as file:
            return numpy.frombuffer(file.read(), numpy.uint8, offset=offset)
    labels = read("labels-idx1", 8)
    images = read("images-idx3", 16).reshape(len(labels), 784)
    return torch.from_numpy(images / 255.0).float(), torch.from_numpy(labels.astype("int64"))


def tell(line):
    with open(os.environ["HOWDAH_PROGRESS"], "a") as progress:
        print(line, file=progress)


def save(state):
    part = CHECKPOINT.with_suffix(".part")
    torch.save(state, part)
    os.replace(part, CHECKPOINT)
    tell(f"checkpoint {state['step']}")


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
    # All ranks have read the same one before any writes the next.
    dist.barrier()
    model = nn.parallel.DistributedDataParallel(net)
    told_to_stop = []
    signal.signal(signal.SIGTERM, lambda *_: told_to_stop.append(1))
    while step < STEPS:
        begun = time.monotonic()
        step += 1
        chosen = torch.randint(len(labels), (BATCH,), generator=torch.Generator().manual_seed(step))[rank::world]
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(images[chosen]), labels[chosen]).backward()
        optimizer.step()
        total += step
        print(f"step {step} at {time.time():.3f}", flush=True)
        tell(f"step {step}")
        if rank == 0 and (step % SAVE_EVERY == 0 or told_to_stop):
            save({"net": net.state_dict(), "optimizer": optimizer.state_dict(), "step": step, "sum": total})
        if told_to_stop:
            sys.exit(0)
        time.sleep(max(0.0, PACE - (time.monotonic() - begun)))
    if rank == 0:
        images, labels = load("t10k")
        accuracy = (net(images).argmax(1) == labels).float().mean().item()
        print(f"RESULT accuracy {accuracy:.4f} steps {step} sum {total}", flush=True)
    dist.barrier()


main()

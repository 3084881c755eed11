"""Logistic regression on Fashion-MNIST, data-parallel with Horovod on PyTorch.

Rank 0 saves a checkpoint after each epoch; a restarted job continues from it.
"""
import gzip
import os
from pathlib import Path

import horovod.torch as hvd
import torch
from torch import nn

DATA = Path(os.environ.get("DATA", "/usr/share/datasets/fashion-mnist"))
EPOCHS, IMAGES, BATCH, RATE = int(os.environ.get("EPOCHS", 3)), int(os.environ.get("IMAGES", 20000)), 64, 0.1


def load(part):
    images = gzip.decompress((DATA / f"{part}-images-idx3-ubyte.gz").read_bytes())
    labels = gzip.decompress((DATA / f"{part}-labels-idx1-ubyte.gz").read_bytes())
    images = torch.frombuffer(bytearray(images), dtype=torch.uint8, offset=16).view(-1, 784)
    return images.float() / 255, torch.frombuffer(bytearray(labels), dtype=torch.uint8, offset=8).long()


def save(checkpoint, net, epoch):
    new = checkpoint.with_suffix(".new")
    torch.save({"net": net.state_dict(), "epoch": epoch}, new)
    new.replace(checkpoint)


def main():
    hvd.init()
    torch.set_num_threads(1)
    torch.manual_seed(1)
    net = nn.Linear(784, 10)
    optimizer = hvd.DistributedOptimizer(torch.optim.SGD(net.parameters(), lr=RATE),
                                         named_parameters=net.named_parameters())
    checkpoint, done = Path(os.environ["HOWDAH_CHECKPOINT_DIR"]) / "trained.pt", 0
    if hvd.rank() == 0 and checkpoint.exists():
        saved = torch.load(checkpoint)
        net.load_state_dict(saved["net"])
        done = saved["epoch"]
    hvd.broadcast_parameters(net.state_dict(), root_rank=0)
    done = hvd.broadcast_object(done, root_rank=0)
    images, labels = (part[:IMAGES][hvd.rank()::hvd.size()] for part in load("train"))
    for epoch in range(done + 1, EPOCHS + 1):
        total = 0.0
        for at in range(0, len(images), BATCH):
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(net(images[at:at + BATCH]), labels[at:at + BATCH])
            loss.backward()
            optimizer.step()
            total += loss.item() * len(images[at:at + BATCH])
        mean = hvd.allreduce(torch.tensor(total / len(images)), name="loss").item()
        print(f"rank {hvd.rank()}/{hvd.size()} epoch {epoch}/{EPOCHS} loss {mean:.4f}", flush=True)
        if hvd.rank() == 0:
            save(checkpoint, net, epoch)
    if hvd.rank() == 0:
        images, labels = load("t10k")
        print(f"test accuracy {(net(images).argmax(1) == labels).float().mean():.3f}", flush=True)
    hvd.shutdown()


if __name__ == "__main__":
    main()

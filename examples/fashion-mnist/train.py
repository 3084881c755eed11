"""Classifies ten kinds of clothes: PyTorch DistributedDataParallel on Fashion-MNIST.

This is an ordinary DDP script, configured by its environment. MASTER_ADDR, MASTER_PORT, RANK and WORLD_SIZE describe
the process group, as under torchrun; HOWDAH_CHECKPOINT_DIR is the directory for checkpoints, and TB_LOG_DIR the one
for TensorBoard. Without these variables, `python3 train.py` trains with one process. """
import argparse
import gzip
import os
import time
from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

CLASSES = ("T-shirt", "trousers", "pullover", "dress", "coat", "sandal", "shirt", "sneaker", "bag", "boot")


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, default=Path("/usr/share/datasets/fashion-mnist"),
                        help="folder of the four idx.gz files (Debian: dataset-fashion-mnist)")
    parser.add_argument("--images", type=int, default=24000, help="of the 60,000 to train on")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batch", type=int, default=64, help="of each process")
    return parser.parse_args()


def read_idx(path):
    """Reads an idx file: two zero bytes, the type, the number of dimensions, their sizes, and then the data."""
    raw = gzip.decompress(path.read_bytes())
    sizes = np.frombuffer(raw, ">u4", count=raw[3], offset=4)
    return np.frombuffer(raw, np.uint8, offset=4 + 4 * raw[3]).reshape(sizes)


def load(folder, part, first, count, step=1):
    images = read_idx(folder / f"{part}-images-idx3-ubyte.gz")[first:count:step]
    labels = read_idx(folder / f"{part}-labels-idx1-ubyte.gz")[first:count:step]
    return torch.from_numpy(images / np.float32(255)).unsqueeze(1), torch.from_numpy(labels.astype(np.int64))


def network():
    return nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(8, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(16 * 7 * 7, 10))


class Checkpoint:
    """The state after the last complete epoch. save() writes a new file and renames it, so that a kill during the save
    leaves the old file."""

    def __init__(self, folder):
        self.path = Path(folder) / "fashion-mnist.pt" if folder else None

    def load(self, model, optimizer):
        if not self.path or not self.path.exists():
            return 0
        saved = torch.load(self.path)
        model.load_state_dict(saved["model"])
        optimizer.load_state_dict(saved["optimizer"])
        return saved["epochs"]

    def save(self, model, optimizer, epochs):
        if self.path:
            part = self.path.with_suffix(".part")
            torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epochs": epochs}, part)
            part.replace(self.path)

    def finish(self):
        """Rename the checkpoint of a finished training, so that the next job starts from the beginning."""
        if self.path:
            self.path.replace(self.path.with_name("trained.pt"))


class Progress:
    """Reports steps, metrics and checkpoints to Howdah, as lines of a file. Reports nothing outside a job."""

    def __init__(self):
        self.path = os.environ.get("HOWDAH_PROGRESS", os.devnull)

    def report(self, *lines):
        with open(self.path, "a") as file:
            file.write("".join(line + "\n" for line in lines))


class Board:
    """Writes TensorBoard's scalars, if a folder is given and the writer is installed."""

    def __init__(self, folder):
        self.writer = None
        if folder:
            try:
                from torch.utils.tensorboard import SummaryWriter
                self.writer = SummaryWriter(Path(folder) / os.environ.get("HOWDAH_JOB_ID", "alone"))
            except ImportError as missing:
                print(f"no curves will be written: {missing}", flush=True)

    def scalar(self, name, value, step):
        if self.writer:
            self.writer.add_scalar(name, value, step)
            self.writer.flush()


def train_epoch(model, optimizer, images, labels, batch, order, on_step):
    for step, part in enumerate(order.split(batch)):
        loss = nn.functional.cross_entropy(model(images[part]), labels[part])
        optimizer.zero_grad()
        loss.backward()  # gradients are averaged over all processes here
        optimizer.step()
        on_step(step, loss.item())


@torch.no_grad()
def confusion(model, images, labels):
    """Counts how often each class was recognised as each other class."""
    counts = torch.zeros(10, 10, dtype=torch.int64)
    for part, truth in zip(images.split(500), labels.split(500)):
        counts.index_put_((truth, model(part).argmax(1)), torch.tensor(1), accumulate=True)
    return counts


def report(model, folder):
    counts = confusion(model, *load(folder, "t10k", 0, None))
    right = counts.diagonal().sum().item() / counts.sum().item()
    counts.fill_diagonal_(0)
    truth, guess = divmod(counts.argmax().item(), 10)
    print(f"most often mistaken: {CLASSES[truth]} for {CLASSES[guess]}", flush=True)
    print(f"test accuracy {right:.3f}", flush=True)
    return right


def main():
    args = arguments()
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", 1)))
    for name, alone in (("MASTER_ADDR", "127.0.0.1"), ("MASTER_PORT", "29500"), ("RANK", "0"), ("WORLD_SIZE", "1")):
        os.environ.setdefault(name, alone)
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()

    images, labels = load(args.data, "train", rank, args.images // world * world, world)
    torch.manual_seed(1)  # every process starts with the same weights
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    checkpoint = Checkpoint(os.environ.get("HOWDAH_CHECKPOINT_DIR"))
    done = checkpoint.load(model, optimizer)
    board = Board(os.environ.get("TB_LOG_DIR") if rank == 0 else None)
    progress = Progress()
    steps = -(-len(images) // args.batch)
    progress.report(f"steps {steps * args.epochs}")
    if rank == 0:
        print(f"{world} processes, {len(images) * world} images, {args.epochs} epochs"
              + (f", going on after epoch {done}" if done else ""), flush=True)

    shared = DistributedDataParallel(model)
    for epoch in range(done + 1, args.epochs + 1):
        began = time.monotonic()

        def on_step(step, loss):
            if (step + 1) % max(1, steps // 4) != 0:
                return
            total = (epoch - 1) * steps + step + 1
            progress.report(f"step {total}")
            if rank == 0:
                rate = (step + 1) * args.batch * world / (time.monotonic() - began)
                print(f"epoch {epoch}/{args.epochs}  step {step + 1}/{steps}  loss {loss:.3f}  {rate:.0f} images/s",
                      flush=True)
                progress.report(f"metric loss {loss}")
                board.scalar("loss", loss, total)

        order = torch.randperm(len(images), generator=torch.Generator().manual_seed(epoch))
        train_epoch(shared, optimizer, images, labels, args.batch, order, on_step)
        if rank == 0:
            checkpoint.save(model, optimizer, epoch)
            if checkpoint.path:
                progress.report(f"checkpoint {epoch * steps}")
        dist.barrier()  # no process starts an epoch before the checkpoint of the previous one is saved

    if rank == 0:
        board.scalar("test accuracy", report(model, args.data), args.epochs)
        checkpoint.finish()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

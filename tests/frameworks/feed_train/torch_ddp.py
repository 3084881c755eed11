"""Softmax regression with PyTorch's DistributedDataParallel. LOADER: the workers of a DataLoader."""
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import DataLoader

import howdah
from account import BATCH, PASSES, PIXELS, RATE, Account

COLUMNS = {"as_tuple": ("image", "label", "id"), "dtypes": {"label": "int64"}}


def main():
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    context = howdah.context()
    train, val = context.feed("train"), context.feed("val")
    net = nn.Linear(PIXELS, 10, dtype=torch.float64)
    nn.init.zeros_(net.weight)
    nn.init.zeros_(net.bias)
    model = nn.parallel.DistributedDataParallel(net)
    optimizer = torch.optim.SGD(model.parameters(), lr=RATE)
    account = Account(context, train)
    batches = train.torch(BATCH, **COLUMNS)
    workers = int(os.environ.get("LOADER", 0))
    if workers:
        batches = DataLoader(batches, batch_size=None, num_workers=workers)
    for _ in range(PASSES):
        account.begin()
        for images, labels, ids in batches:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(images.double() / 255), labels).backward()
            optimizer.step()
            account.step(ids)
        right = rows = 0
        with torch.no_grad():
            for images, labels, _ in val.torch(BATCH, **COLUMNS):
                right += (net(images.double() / 255).argmax(1) == labels).sum()
                rows += len(labels)
        account.validated(right, rows)
    account.save(net.weight.detach().T, net.bias.detach())
    dist.barrier()
    dist.destroy_process_group()


main()

"""Fits a line with DistributedDataParallel until TRAIN_SECONDS have passed on rank 0."""
import os
import time

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(1, 1, bias=False))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
end = time.monotonic() + float(os.environ["TRAIN_SECONDS"])
steps, ends = 0, torch.zeros(1)
while not ends:
    x = torch.randn(64, 1)
    loss = ((model(x) - 3 * x) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    steps += 1
    print(f"step {steps}, loss {loss.item():.4f}", flush=True)
    ends = torch.tensor([float(dist.get_rank() == 0 and time.monotonic() > end)])
    dist.all_reduce(ends)  # all ranks take the same number of steps
    time.sleep(1)
dist.destroy_process_group()

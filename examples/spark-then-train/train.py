"""Step 2: PyTorch learns whether a point is inside the circle. An ordinary DistributedDataParallel script."""
import sys

import torch
import torch.distributed as dist
from torch.nn.functional import binary_cross_entropy_with_logits
from torch.nn.parallel import DistributedDataParallel

from points import load, network

folder, model_file = sys.argv[1:]
dist.init_process_group("gloo")      # reads MASTER_ADDR, MASTER_PORT, RANK and WORLD_SIZE
rank, world = dist.get_rank(), dist.get_world_size()
x, inside = load(folder)
torch.manual_seed(1)                 # every process starts with the same weights, and draws the same permutations
model = DistributedDataParallel(network())
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(5):
    mine = torch.randperm(len(x))[:len(x) // world * world][rank::world]
    for batch in mine.split(128):
        loss = binary_cross_entropy_with_logits(model(x[batch]), inside[batch])
        optimizer.zero_grad()
        loss.backward()              # gradients are averaged over all processes here
        optimizer.step()
    if rank == 0:
        print(f"epoch {epoch} loss {loss.item():.4f} with {world} processes and {len(x)} points", flush=True)
if rank == 0:
    torch.save(model.module.state_dict(), model_file)
dist.destroy_process_group()

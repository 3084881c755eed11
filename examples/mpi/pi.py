"""Computes pi with MPI: each rank sums its strips of the quarter circle, and one reduction sums the results."""
import os

from mpi4py import MPI

STRIPS = 1_000_000


def main():
    world = MPI.COMM_WORLD
    width = 1.0 / STRIPS
    part = sum(4.0 / (1.0 + ((strip + 0.5) * width) ** 2) for strip in range(world.rank, STRIPS, world.size))
    pi = world.allreduce(part * width)
    task = f"{os.environ['HOWDAH_ROLE']}:{os.environ['HOWDAH_TASK_INDEX']}"
    print(f"rank {world.rank}/{world.size} in {task}: pi is {pi:.9f}", flush=True)


if __name__ == "__main__":
    main()

"""Estimates pi with random points. The work is many small tasks, so that Ray can move them between nodes.

Ray starts the tasks of a lost node again on another one, and gives tasks to nodes that join later. This script prints
the number of nodes whenever it changes."""
import os
import random
import time

import ray

PARTS = int(os.environ["PARTS"])     # number of Ray's tasks
POINTS = 200_000                     # random points of each task


@ray.remote(max_retries=-1)
def hits(part):
    """The number of random points in the quarter of a circle. The seed makes the result repeatable."""
    numbers = random.Random(part)
    return sum(numbers.random() ** 2 + numbers.random() ** 2 < 1 for _ in range(POINTS))


def main():
    ray.init()                               # reads RAY_ADDRESS
    inside, known, began = 0, None, time.monotonic()
    waiting = [hits.remote(part) for part in range(PARTS)]
    while waiting:
        done, waiting = ray.wait(waiting)    # waits for a node with a free core, too
        inside += sum(ray.get(done))
        nodes = sum(node["Alive"] for node in ray.nodes()) - 1     # without the head
        if nodes != known:
            known = nodes
            print(f"nodes: {known}, after {PARTS - len(waiting)} parts", flush=True)
    print(f"{PARTS} parts in {time.monotonic() - began:.1f} s")
    print(f"pi is about {4 * inside / (PARTS * POINTS):.3f}")


if __name__ == "__main__":
    main()

"""Estimates pi with random points. The work is many small tasks, so that Dask can move them between workers.

Dask starts the tasks of a lost worker again on another one, and gives tasks to workers that join later. This script
prints the number of workers whenever it changes."""
import os
import random
import time

from distributed import Client, as_completed

PARTS = int(os.environ["PARTS"])     # number of Dask's tasks
POINTS = 200_000                     # random points of each task


def hits(part):
    """The number of random points in the quarter of a circle. The seed makes the result repeatable."""
    numbers = random.Random(part)
    return sum(numbers.random() ** 2 + numbers.random() ** 2 < 1 for _ in range(POINTS))


def main():
    with Client(timeout=300) as client:      # reads DASK_SCHEDULER_ADDRESS; waits until the scheduler listens
        client.wait_for_workers(1, timeout=300)
        inside, known, began = 0, None, time.monotonic()
        for done, future in enumerate(as_completed(client.map(hits, range(PARTS))), start=1):
            inside += future.result()
            workers = len(client.scheduler_info(n_workers=-1)["workers"])
            if workers != known:
                known = workers
                print(f"workers: {known}, after {done} parts", flush=True)
        print(f"{PARTS} parts in {time.monotonic() - began:.1f} s")
        print(f"pi is about {4 * inside / (PARTS * POINTS):.3f}")


if __name__ == "__main__":
    main()

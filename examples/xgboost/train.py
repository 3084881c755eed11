"""Boosted trees on Fashion-MNIST with XGBoost, over all processes of a job, or in one process without a job.

Histograms are summed over all processes, so that every process grows the same trees.
"""
import contextlib
import gzip
import os
from pathlib import Path

import numpy as np
import xgboost
from xgboost import collective

DATA = Path(os.environ.get("DATA", "/usr/share/datasets/fashion-mnist"))
ROWS, ROUNDS, EVERY = 8000, 8, 8  # every eighth pixel is enough for a quick example


def load(part, rows):
    images = gzip.decompress((DATA / f"{part}-images-idx3-ubyte.gz").read_bytes())
    labels = gzip.decompress((DATA / f"{part}-labels-idx1-ubyte.gz").read_bytes())
    images = np.frombuffer(images, np.uint8, offset=16).reshape(-1, 784)
    return images[:rows, ::EVERY], np.frombuffer(labels, np.uint8, offset=8)[:rows]


def communicator():
    """Passes the tracker's address to XGBoost, which does not read these variables itself."""
    if "DMLC_TRACKER_URI" not in os.environ:
        return contextlib.nullcontext()
    return collective.CommunicatorContext(dmlc_tracker_uri=os.environ["DMLC_TRACKER_URI"],
                                          dmlc_tracker_port=int(os.environ["DMLC_TRACKER_PORT"]),
                                          dmlc_task_id=os.environ["DMLC_TASK_ID"])


def main():
    with communicator():
        rank, world = collective.get_rank(), collective.get_world_size()
        images, labels = load("train", ROWS)
        rows = xgboost.DMatrix(images[rank::world], labels[rank::world])
        # XGBoost prints the loss of each round once, into the output of rank 0.
        model = xgboost.train({"objective": "multi:softprob", "num_class": 10, "max_depth": 4, "nthread": 1}, rows,
                              ROUNDS, evals=[(rows, "train")])
    if rank == 0:  # outside the communicator, because inside it even creating a DMatrix is a collective operation
        images, labels = load("t10k", 2000)
        guess = model.predict(xgboost.DMatrix(images)).argmax(1)
        print(f"test accuracy {(guess == labels).mean():.3f}", flush=True)


if __name__ == "__main__":
    main()

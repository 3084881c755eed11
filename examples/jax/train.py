"""Logistic regression on Fashion-MNIST over all processes of a job, with JAX.

The batch is one global array, and each process holds some of its rows. The step is written as for one process. The
compiler inserts the sums over all processes, because the rows are distributed.
"""
import gzip
import os
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import NamedSharding, PartitionSpec

DATA = Path(os.environ.get("DATA", "/usr/share/datasets/fashion-mnist"))
EPOCHS, BATCH, RATE = 3, 128, 0.1


def load(part):
    images = gzip.decompress((DATA / f"{part}-images-idx3-ubyte.gz").read_bytes())
    labels = gzip.decompress((DATA / f"{part}-labels-idx1-ubyte.gz").read_bytes())
    images = np.frombuffer(images, np.uint8, offset=16).reshape(-1, 784)
    return images.astype("float32") / 255, np.frombuffer(labels, np.uint8, offset=8).astype("int32")


def loss_of(params, images, labels):
    logs = jax.nn.log_softmax(images @ params["weights"] + params["bias"])
    return -jnp.take_along_axis(logs, labels[:, None], 1).mean()


@jax.jit
def step(params, images, labels):
    loss, gradients = jax.value_and_grad(loss_of)(params, images, labels)
    return jax.tree.map(lambda p, g: p - RATE * g, params, gradients), loss


def main():
    jax.distributed.initialize()
    me, count = jax.process_index(), jax.process_count()
    mesh = jax.make_mesh((jax.device_count(),), ("rows",))
    everywhere, by_row = NamedSharding(mesh, PartitionSpec()), NamedSharding(mesh, PartitionSpec("rows"))
    params = jax.device_put({"weights": np.zeros((784, 10), "float32"), "bias": np.zeros(10, "float32")}, everywhere)
    images, labels = (part[me::count] for part in load("train"))
    for epoch in range(1, EPOCHS + 1):
        for at in range(0, len(images) - BATCH + 1, BATCH):
            rows = [jax.make_array_from_process_local_data(by_row, part[at:at + BATCH]) for part in (images, labels)]
            params, loss = step(params, *rows)
        if me == 0:
            print(f"epoch {epoch}/{EPOCHS}  loss {float(loss.addressable_data(0)):.3f}", flush=True)
    if me == 0:
        weights, bias = (np.asarray(params[name].addressable_data(0)) for name in ("weights", "bias"))
        images, labels = load("t10k")
        print(f"test accuracy {((images @ weights + bias).argmax(1) == labels).mean():.3f}", flush=True)
    jax.distributed.shutdown()


if __name__ == "__main__":
    main()

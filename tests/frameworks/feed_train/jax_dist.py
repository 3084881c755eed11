"""Softmax regression with JAX. The batches of all processes form global arrays."""
import os

os.environ["JAX_PLATFORMS"] = "cpu"
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

import howdah
from account import BATCH, PASSES, PIXELS, RATE, Account

COLUMNS = {"as_tuple": ("image", "label", "id"), "dtypes": {"label": "int64"}}


def logits(params, images):
    return images.astype("float64") / 255 @ params["w"] + params["b"]


def loss(params, images, labels):
    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(logits(params, images)), labels[:, None], 1))


@jax.jit
def step(params, images, labels):  # the batch is sharded, so XLA inserts the all-reduce
    gradients = jax.grad(loss)(params, images, labels)
    return jax.tree.map(lambda p, g: p - RATE * g, params, gradients)


def main():
    jax.config.update("jax_enable_x64", True)
    jax.distributed.initialize()
    context = howdah.context()
    train, val = context.feed("train"), context.feed("val")
    mesh = Mesh(np.array(jax.devices()), ("data",))
    rows_of_all, everywhere = NamedSharding(mesh, PartitionSpec("data")), NamedSharding(mesh, PartitionSpec())
    params = jax.device_put({"w": np.zeros((PIXELS, 10)), "b": np.zeros(10)}, everywhere)
    account = Account(context, train)
    for _ in range(PASSES):
        account.begin()
        for images, labels, ids in train.jax(BATCH, sharding=rows_of_all, **COLUMNS):
            assert images.shape[0] == jax.process_count() * ids.addressable_data(0).shape[0]
            params = step(params, images, labels)
            account.step(np.asarray(ids.addressable_data(0)))
        mine = jax.tree.map(lambda p: p.addressable_data(0), params)
        right = rows = 0
        for images, labels, _ in val.jax(BATCH, **COLUMNS):
            right += int((logits(mine, images).argmax(1) == labels).sum())
            rows += len(labels)
        account.validated(right, rows)
    account.save(np.asarray(mine["w"]), np.asarray(mine["b"]))
    jax.distributed.shutdown()


main()

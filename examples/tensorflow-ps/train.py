"""Asynchronous training with TensorFlow's ParameterServerStrategy on Fashion-MNIST.

Every task runs this script and finds its role in TF_CONFIG. Workers and ps become servers that wait for requests. The
chief stores the model's variables on the ps and schedules steps on idle workers.
"""
import gzip
import os
from pathlib import Path

import numpy as np
import tensorflow as tf

DATA = Path(os.environ.get("DATA", "/usr/share/datasets/fashion-mnist"))
IMAGES, STEPS, BATCH, RATE = 20000, 800, 64, 0.1


def load(part):
    images = gzip.decompress((DATA / f"{part}-images-idx3-ubyte.gz").read_bytes())
    labels = gzip.decompress((DATA / f"{part}-labels-idx1-ubyte.gz").read_bytes())
    images = np.frombuffer(images, np.uint8, offset=16).reshape(-1, 784)
    return images, np.frombuffer(labels, np.uint8, offset=8).astype("int32")


def batches():
    images, labels = load("train")
    # Send the images to the workers as bytes, not as floats: that is a quarter of the data.
    rows = tf.data.Dataset.from_tensor_slices((images[:IMAGES], labels[:IMAGES]))
    rows = rows.shuffle(IMAGES).repeat().batch(BATCH)
    return rows.map(lambda images, labels: (tf.cast(images, tf.float32) / 255, labels))


def train(cluster):
    strategy = tf.distribute.ParameterServerStrategy(cluster)
    coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
    with strategy.scope():
        weights, bias = tf.Variable(tf.zeros((784, 10))), tf.Variable(tf.zeros(10))

    @tf.function
    def step(feed):
        def on_worker(images, labels):
            with tf.GradientTape() as tape:
                scores = tf.linalg.matmul(images, weights) + bias
                loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, scores))
            for variable, gradient in zip((weights, bias), tape.gradient(loss, (weights, bias))):
                variable.assign_sub(RATE * gradient)
            return loss
        return strategy.run(on_worker, next(feed))

    feeds = iter(coordinator.create_per_worker_dataset(tf.autograph.experimental.do_not_convert(batches)))
    for quarter in range(1, 5):
        losses = [coordinator.schedule(step, (feeds,)) for _ in range(STEPS // 4)]
        coordinator.join()
        mean = np.mean([loss.fetch() for loss in losses])
        print(f"{quarter * STEPS // 4} steps, loss {mean:.3f}", flush=True)
    images, labels = load("t10k")
    right = (images / 255 @ weights.numpy() + bias.numpy()).argmax(1) == labels
    print(f"test accuracy {right.mean():.3f}", flush=True)


if __name__ == "__main__":
    cluster = tf.distribute.cluster_resolver.TFConfigClusterResolver()
    if cluster.task_type == "chief":
        train(cluster)
    else:
        tf.distribute.Server(cluster.cluster_spec(), cluster.task_type, cluster.task_id).join()

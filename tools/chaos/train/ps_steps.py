"""Fashion-MNIST with TensorFlow's parameter servers. The checkpoint contains the number of finished steps and the sum
of their numbers, which is wrong if a step was lost or repeated. If a worker does not finish a step, TensorFlow
schedules it on another worker.

Variables: STEPS, PACE (the least duration of a step in seconds), SAVE_EVERY, HOWDAH_CHECKPOINT_DIR."""
import gzip
import json
import os
import pathlib
import time

import numpy
import tensorflow as tf

STEPS, PACE, SAVE_EVERY = int(os.environ["STEPS"]), float(os.environ["PACE"]), int(os.environ["SAVE_EVERY"])
BATCH, ROWS = 128, 12000
TASK = json.loads(os.environ["TF_CONFIG"])["task"]


def load(part, rows):
    def read(kind, offset):
        with gzip.open(pathlib.Path(os.environ["DATA"]) / f"{part}-{kind}-ubyte.gz") as file:
            return numpy.frombuffer(file.read(), numpy.uint8, offset=offset)
    labels = read("labels-idx1", 8)[:rows]
    return read("images-idx3", 16)[:rows * 784].reshape(len(labels), 784), labels.astype("int64")


def report_progress(line):
    with open(os.environ["HOWDAH_PROGRESS"], "a") as progress:
        print(line, file=progress)


@tf.autograph.experimental.do_not_convert
def batches():  # the chief traces this function, and every worker runs it
    data = tf.data.Dataset.from_tensor_slices(load("train", ROWS))
    data = data.shuffle(ROWS).repeat().batch(BATCH)
    return data.map(lambda images, labels: (tf.cast(images, tf.float32) / 255, labels))


def chief(resolver):
    strategy = tf.distribute.ParameterServerStrategy(resolver)  # waits for every worker and ps
    coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
    with strategy.scope():
        weights = tf.Variable(tf.zeros((784, 10)))
        bias = tf.Variable(tf.zeros((10,)))
        done = tf.Variable(0, dtype=tf.int64)
        total = tf.Variable(0, dtype=tf.int64)
    checkpoint = tf.train.Checkpoint(weights=weights, bias=bias, done=done, total=total)
    manager = tf.train.CheckpointManager(checkpoint, os.environ["HOWDAH_CHECKPOINT_DIR"], max_to_keep=2)
    manager.restore_or_initialize()

    @tf.function
    def step(feed):
        def replica(images, labels):
            with tf.GradientTape() as tape:
                logits = tf.linalg.matmul(images, weights) + bias
                loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))
            for variable, gradient in zip((weights, bias), tape.gradient(loss, (weights, bias))):
                variable.assign_sub(0.1 * gradient)
            return loss
        return strategy.run(replica, next(feed))

    feeds = iter(coordinator.create_per_worker_dataset(batches))
    number = int(done.numpy())
    while number < STEPS:
        begun, first = time.monotonic(), number + 1
        number = min(number + SAVE_EVERY, STEPS)
        for _ in range(first, number + 1):
            coordinator.schedule(step, (feeds,))
        coordinator.join()
        done.assign(number)
        total.assign_add(sum(range(first, number + 1)))
        manager.save()
        print(f"step {number} at {time.time():.3f}", flush=True)
        report_progress(f"step {number}")
        report_progress(f"checkpoint {number}")
        time.sleep(max(0.0, (number + 1 - first) * PACE - (time.monotonic() - begun)))
    images, labels = load("t10k", 10000)
    right = tf.argmax(images / 255.0 @ weights.numpy() + bias.numpy(), 1).numpy() == labels
    print(f"RESULT accuracy {right.mean():.4f} steps {done.numpy()} sum {total.numpy()}", flush=True)


cluster = tf.distribute.cluster_resolver.TFConfigClusterResolver()
if TASK["type"] == "chief":
    chief(cluster)
else:
    tf.distribute.Server(cluster.cluster_spec(), TASK["type"], TASK["index"]).join()

"""Fashion-MNIST with TensorFlowOnSpark: Spark feeds the images, and the workers train in step.

    spark-submit --master 'local[2]' train.py --images /usr/share/datasets/fashion-mnist

The program uses only the API of TensorFlowOnSpark. It runs on the package tensorflowonspark, too.
"""
import argparse
import gzip
import os

import numpy as np
from pyspark import SparkConf, SparkContext
from tensorflowonspark import TFCluster


def main_fun(args, ctx):
    import tensorflow as tf

    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    feed = ctx.get_data_feed(train_mode=True)
    with strategy.scope():
        weights, bias = tf.Variable(tf.zeros((784, 10))), tf.Variable(tf.zeros(10))

    @tf.function(input_signature=[tf.TensorSpec((None, 784)), tf.TensorSpec((None,), tf.int32)])
    def step(images, labels):
        def replica():
            with tf.GradientTape() as tape:
                logits = tf.linalg.matmul(images, weights) + bias
                loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))
            gradients = tf.distribute.get_replica_context().all_reduce("MEAN", tape.gradient(loss, [weights, bias]))
            for variable, gradient in zip((weights, bias), gradients):
                variable.assign_sub(args.learning_rate * gradient)
            return loss
        return strategy.reduce("MEAN", strategy.run(replica), axis=None)

    steps, loss = 0, None
    while not feed.should_stop():
        rows = feed.next_batch(args.batch_size)
        if not rows:
            break
        images = np.stack([np.frombuffer(row[0], np.uint8) for row in rows]).astype("float32") / 255
        loss = step(tf.constant(images), tf.constant([row[1] for row in rows], tf.int32))
        steps += 1
        if steps % 50 == 0:
            print(f"step {steps}: loss {float(loss):.3f}", flush=True)
    print(f"{ctx.job_name}:{ctx.task_index} has done {steps} steps", flush=True)
    if ctx.job_name == "chief":
        np.savez(args.model, weights=weights.numpy(), bias=bias.numpy())


def load(folder, name):
    """The images as rows of 784 bytes, and the labels."""
    with gzip.open(os.path.join(folder, f"{name}-images-idx3-ubyte.gz")) as file:
        images = np.frombuffer(file.read(), np.uint8, offset=16).reshape(-1, 784)
    with gzip.open(os.path.join(folder, f"{name}-labels-idx1-ubyte.gz")) as file:
        return images, np.frombuffer(file.read(), np.uint8, offset=8)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--images", default="/usr/share/datasets/fashion-mnist")
    parser.add_argument("--rows", type=int, default=20000)
    parser.add_argument("--cluster_size", type=int, default=2)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--batch_size", type=int, default=64)
    parser.add_argument("--learning_rate", type=float, default=0.2)
    parser.add_argument("--model", default=os.path.abspath("model.npz"))
    args = parser.parse_args()

    sc = SparkContext(conf=SparkConf().setAppName("fashion-mnist"))
    images, labels = load(args.images, "train")
    rows = [(images[i].tobytes(), int(labels[i])) for i in range(args.rows)]
    cluster = TFCluster.run(sc, main_fun, args, args.cluster_size, num_ps=0, tensorboard=False,
                            input_mode=TFCluster.InputMode.SPARK, master_node="chief")
    cluster.train(sc.parallelize(rows, 8), args.epochs)
    cluster.shutdown(grace_secs=5)

    model = np.load(args.model)
    images, labels = load(args.images, "t10k")
    right = (images / 255.0 @ model["weights"] + model["bias"]).argmax(axis=1) == labels
    print(f"test accuracy {right.mean():.3f}")
    sc.stop()

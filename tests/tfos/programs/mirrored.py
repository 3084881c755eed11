"""InputMode.SPARK with MultiWorkerMirroredStrategy: two workers train a classifier in step."""
import argparse
import os

import numpy as np
from pyspark import SparkConf, SparkContext
from tensorflowonspark import TFCluster, compat


def main_fun(args, ctx):
    import tensorflow as tf

    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    assert strategy.num_replicas_in_sync == ctx.num_workers == 2
    feed = ctx.get_data_feed()
    with strategy.scope():
        weights = tf.Variable(tf.zeros((64, 4)))

    @tf.function(input_signature=[tf.TensorSpec((None, 64)), tf.TensorSpec((None,), tf.int32)])
    def step(images, labels):
        def replica():
            with tf.GradientTape() as tape:
                logits = tf.linalg.matmul(images, weights)
                loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))
            (gradient,) = tape.gradient(loss, [weights])
            gradient = tf.distribute.get_replica_context().all_reduce("MEAN", gradient)
            weights.assign_sub(0.5 * gradient)
            return loss
        return strategy.reduce("MEAN", strategy.run(replica), axis=None)

    steps, loss = 0, None
    while not feed.should_stop():
        rows = feed.next_batch(args.batch_size)
        if not rows:
            break
        images = np.stack([np.frombuffer(row[0], np.uint8) for row in rows]).astype("float32") / 255
        loss = float(step(tf.constant(images), tf.constant([row[1] for row in rows], tf.int32)))
        steps += 1
    module = tf.Module()
    module.weights = weights
    module.__call__ = tf.function(lambda x: tf.linalg.matmul(x, weights), [tf.TensorSpec((None, 64))])
    if ctx.job_name == "chief":
        tf.saved_model.save(module, os.path.join(args.output, "export"))
    with open(os.path.join(args.output, f"{ctx.job_name}-{ctx.task_index}"), "w") as file:
        file.write(f"{steps} {loss} {float(tf.reduce_sum(tf.abs(weights)))}")
    assert not compat.is_gpu_available()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch_size", type=int, default=50)
    parser.add_argument("--output")
    parser.add_argument("--partitions", default="even", choices=["even", "uneven"])
    args = parser.parse_args()
    sc = SparkContext(conf=SparkConf().setAppName("mirrored"))

    def image(i):
        pixels = np.random.default_rng(i).integers(0, 60, 64).astype("uint8")
        pixels[16 * (i % 4):16 * (i % 4) + 16] += 150
        return pixels.tobytes(), i % 4

    rdd = sc.parallelize(range(2000), 4)
    if args.partitions == "uneven":  # with TensorFlowOnSpark, workers in step then wait for each other forever
        rdd = sc.parallelize(range(1501), 2).union(sc.parallelize(range(500), 1))
    rdd = rdd.map(image)
    cluster = TFCluster.run(sc, main_fun, args, 2, 0, False, TFCluster.InputMode.SPARK, master_node="chief")
    cluster.train(rdd, 2)
    cluster.shutdown(grace_secs=1)
    sc.stop()

"""Keras with InputMode.SPARK: MultiWorkerMirroredStrategy and fit(), with a generator that reads the rows of Spark."""
import argparse
import os

import numpy as np
from pyspark import SparkConf, SparkContext
from tensorflowonspark import TFCluster, TFNode


def main_fun(args, ctx):
    os.environ["TF_USE_LEGACY_KERAS"] = "1"  # Keras 2: fit() of Keras 3 does not work with several workers
    import tensorflow as tf
    from tensorflowonspark import compat

    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    feed = TFNode.DataFeed(ctx.mgr)

    def rows():
        while not feed.should_stop():
            batch = feed.next_batch(1)
            if len(batch) > 0:
                yield np.array(batch[0][0], "float32") / 255.0, np.array([batch[0][1]], "int32")

    dataset = tf.data.Dataset.from_generator(rows, (tf.float32, tf.int32), (tf.TensorShape([64]), tf.TensorShape([1])))
    options = tf.data.Options()
    compat.disable_auto_shard(options)
    dataset = dataset.batch(args.batch_size).with_options(options)
    with strategy.scope():
        model = tf.keras.Sequential([tf.keras.layers.Dense(4, input_shape=(64,))])
        model.compile(loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["accuracy"],
                      optimizer=tf.keras.optimizers.SGD(0.5))
    # The partitions may be fed unevenly, so the workers do only 80 % of the steps.
    steps = int(args.rows * 0.8 / args.batch_size)
    history = model.fit(dataset, epochs=args.epochs, steps_per_epoch=steps, verbose=0).history
    compat.export_saved_model(model, os.path.join(args.output, "export"), ctx.job_name == "chief")
    feed.terminate()
    with open(os.path.join(args.output, f"{ctx.job_name}-{ctx.task_index}"), "w") as file:
        file.write(f"{args.epochs * steps} {history['accuracy'][-1]}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch_size", type=int, default=20)
    parser.add_argument("--cluster_size", type=int, default=2)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--rows", type=int, default=1200)
    parser.add_argument("--output")
    args = parser.parse_args()
    sc = SparkContext(conf=SparkConf().setAppName("keras"))

    def image(i):
        pixels = np.random.default_rng(i).integers(0, 60, 64)
        pixels[16 * (i % 4):16 * (i % 4) + 16] += 150
        return pixels.tolist(), i % 4

    rdd = sc.parallelize(range(args.rows), 2 * args.cluster_size).map(image)
    cluster = TFCluster.run(sc, main_fun, args, args.cluster_size, num_ps=0, tensorboard=False,
                            input_mode=TFCluster.InputMode.SPARK, master_node="chief")
    cluster.train(rdd, args.epochs)
    cluster.shutdown(grace_secs=1)
    sc.stop()

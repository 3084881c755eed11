"""Clusters that fail: prints what the driver sees, and whether it can go on."""
import argparse
import os
import signal
import time

import numpy as np
from pyspark import SparkConf, SparkContext
from tensorflowonspark import TFCluster


def main_fun(args, ctx):
    feed = ctx.get_data_feed()
    rows = 0
    while not feed.should_stop():
        rows += len(feed.next_batch(50))
        if args.what == "dead" and ctx.job_name == "worker" and rows >= 100:
            os.kill(os.getpid(), signal.SIGKILL)
        if args.what == "error" and ctx.job_name == "worker" and rows >= 100:
            raise ValueError("the loss is not a number")
    if args.what == "late" and ctx.job_name == "chief":
        time.sleep(args.export)  # the export of a model
        raise OSError("no space left for the export")


def train_in_step(args, ctx):
    import tensorflow as tf

    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    feed = ctx.get_data_feed()

    @tf.function(input_signature=[tf.TensorSpec((), tf.float32)])
    def step(value):
        # The copy of the value is on the device of the replica.
        return strategy.run(lambda: tf.distribute.get_replica_context().all_reduce("SUM", tf.identity(value)))

    while not feed.should_stop():
        rows = feed.next_batch(50)
        if len(rows) > 0:
            step(tf.constant(float(np.sum(rows))))


def see(text, action):
    start = time.monotonic()
    try:
        action()
        found = "returned"
    except BaseException as error:
        lines = [line for line in str(error).splitlines() if line.strip()]
        wanted = [line for line in lines if any(word in line for word in ("loss", "space", "imeout", "SIGKILL"))]
        found = f"raised {type(error).__name__}: {(wanted or lines or [''])[0].strip()}"
    print(f"{text} {found} ({time.monotonic() - start:.0f} s)", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--what", choices=["error", "dead", "late", "uneven", "second"])
    parser.add_argument("--feed_timeout", type=int, default=20)
    parser.add_argument("--export", type=float, default=3)
    args = parser.parse_args()
    sc = SparkContext(conf=SparkConf().setAppName("failing"))
    rows = sc.parallelize(range(2000), 4)
    if args.what == "uneven":
        rows = sc.parallelize(range(2000), 1)
    function = train_in_step if args.what == "uneven" else main_fun
    cluster = TFCluster.run(sc, function, args, 2, 0, False, TFCluster.InputMode.SPARK, master_node="chief")
    see("train", lambda: cluster.train(rows, 1, feed_timeout=args.feed_timeout))
    if args.what == "second":
        def second():
            other = TFCluster.run(sc, main_fun, args, 2, 0, False, TFCluster.InputMode.SPARK, master_node="chief",
                                  reservation_timeout=30)
            other.train(rows, 1, feed_timeout=args.feed_timeout)
            other.shutdown()

        see("second cluster", second)
    see("shutdown", cluster.shutdown)
    see("another Spark job", lambda: sc.parallelize([1]).count())
    sc.stop()

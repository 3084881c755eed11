"""A ps beside a chief and a worker that Spark feeds. Each row is read once, by one of the two."""
import argparse
import threading

import numpy as np
from pyspark import SparkConf, SparkContext
from tensorflowonspark import TFCluster


def main_fun(args, ctx):
    if ctx.job_name == "ps":
        threading.Event().wait()
    assert ctx.num_workers == 2 and len(ctx.cluster_spec["ps"]) == 1
    feed = ctx.get_data_feed()
    total, rows = np.zeros(2), 0
    while not feed.should_stop():
        batch = feed.next_batch(50)
        if len(batch) > 0:
            total += np.array(batch).sum(axis=0)
            rows += len(batch)
    np.save(f"{args.output}/{ctx.job_name}-sum.npy", np.append(total, rows))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--output")
    args = parser.parse_args()
    sc = SparkContext(conf=SparkConf().setAppName("ps"))
    cluster = TFCluster.run(sc, main_fun, args, 3, 1, False, TFCluster.InputMode.SPARK, master_node="chief")
    cluster.train(sc.parallelize([[i, 1] for i in range(3000)], 6), 1)
    cluster.shutdown()
    sc.stop()

"""Every worker stops after a number of steps, long before the rows of all epochs have been read."""
import argparse
import os

import numpy as np
from pyspark import SparkConf, SparkContext
from tensorflowonspark import TFCluster, TFNode


def main_fun(args, ctx):
    feed = TFNode.DataFeed(ctx.mgr, train_mode=True)
    weights = np.zeros(10)

    def rows():
        while not feed.should_stop():
            batch = feed.next_batch(1)
            if len(batch) > 0:
                yield batch[0]

    step = 0
    for step, row in enumerate(rows(), 1):
        weights += np.array(row[:10]) * 1e-6
        if step == args.steps:
            feed.terminate()
            break
    with open(os.path.join(args.output, f"{ctx.job_name}-{ctx.task_index}"), "w") as file:
        file.write(str(step))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--cluster_size", type=int, default=2)
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--output")
    args = parser.parse_args()
    sc = SparkContext(conf=SparkConf().setAppName("terminate"))
    rdd = sc.parallelize(range(2000), 4).map(lambda i: [float(i + j) for j in range(11)])
    cluster = TFCluster.run(sc, main_fun, args, args.cluster_size, 0, input_mode=TFCluster.InputMode.SPARK,
                            master_node="chief")
    cluster.train(rdd, num_epochs=5)
    cluster.train(rdd, num_epochs=1)
    cluster.shutdown(grace_secs=1)
    sc.stop()

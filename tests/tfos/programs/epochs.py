"""Several epochs of an RDD, in batches of several sizes: every worker reads the same number of rows."""
import argparse
import json
import os

from pyspark import SparkConf, SparkContext
from tensorflowonspark import TFCluster


def main_fun(args, ctx):
    feed = ctx.get_data_feed(train_mode=True)
    rows, sizes = [], []
    while not feed.should_stop():
        batch = feed.next_batch(64 if len(sizes) % 2 == 0 else 40)
        sizes.append(len(batch))
        rows += batch
    with open(os.path.join(args.output, f"{ctx.job_name}-{ctx.task_index}.json"), "w") as file:
        json.dump({"rows": rows, "sizes": sizes, "types": sorted({type(row).__name__ for row in rows})}, file)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--cluster_size", type=int, default=2)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--output")
    args = parser.parse_args()
    sc = SparkContext(conf=SparkConf().setAppName("epochs"))
    rdd = sc.parallelize(range(1000), 3).map(lambda i: (i, [i / 2, i / 4], f"row {i}"))
    cluster = TFCluster.run(sc, main_fun, args, args.cluster_size, 0, False, TFCluster.InputMode.SPARK)
    cluster.train(rdd, args.epochs)
    cluster.shutdown()
    sc.stop()

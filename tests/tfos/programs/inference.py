"""Inference: one result per row, in the order of the rows."""
import argparse

import numpy as np
from pyspark import SparkConf, SparkContext
from tensorflowonspark import TFCluster, TFNode


def main_fun(args, ctx):
    feed = TFNode.DataFeed(ctx.mgr, False)
    while not feed.should_stop():
        batch = feed.next_batch(args.batch_size)
        if len(batch) > 0:
            images = np.array([row[0] for row in batch])
            scores = images.sum(axis=1)
            feed.batch_results([(row[1], float(score)) for row, score in zip(batch, scores)])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch_size", type=int, default=100)
    parser.add_argument("--output")
    args = parser.parse_args()
    sc = SparkContext(conf=SparkConf().setAppName("inference"))
    cluster = TFCluster.run(sc, main_fun, args, 2, 0, False, TFCluster.InputMode.SPARK)
    rows = sc.parallelize(range(2500), 7).map(lambda i: ([i, 2.0 * i], f"row {i}"))
    results = cluster.inference(rows)
    assert results.count() == 2500
    found = results.collect()
    assert found == [(f"row {i}", 3.0 * i) for i in range(2500)], found[:3]
    results.map(lambda result: f"{result[0]},{result[1]}").saveAsTextFile(args.output + "/predictions")
    cluster.shutdown()
    print(len(found))
    sc.stop()

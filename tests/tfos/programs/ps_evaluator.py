"""A chief, a worker, a ps and an evaluator. The ps and the evaluator run until the others have ended."""
import argparse
import os
import threading

import numpy as np
from pyspark import SparkConf, SparkContext
from tensorflowonspark import TFCluster


def main_fun(args, ctx):
    with open(f"{args.output}/node-{ctx.executor_id}", "w") as file:
        file.write(f"{ctx.job_name}:{ctx.task_index}")
    if ctx.job_name == "ps":
        threading.Event().wait()
    if ctx.job_name == "evaluator":
        with open(f"{args.output}/trained"):  # a FIFO
            pass
        with open(f"{args.output}/evaluated", "w") as file:
            file.write(str(float(np.load(f"{args.output}/model.npy").sum())))
        threading.Event().wait()
    assert ctx.num_workers == 2 and len(ctx.cluster_spec["ps"]) == 1
    feed = ctx.get_data_feed()
    total, rows = np.zeros(2), 0
    while not feed.should_stop():
        batch = feed.next_batch(50)
        if not batch:
            break
        total += np.array(batch).sum(axis=0)
        rows += len(batch)
    np.save(f"{args.output}/{ctx.job_name}-sum.npy", np.append(total, rows))
    if ctx.job_name == "chief":
        np.save(f"{args.output}/model.npy", total)
        with open(f"{args.output}/trained", "w"):
            pass
        with open(f"{args.output}/evaluated") as file:
            np.save(f"{args.output}/evaluation.npy", float(file.read()))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--output")
    args = parser.parse_args()
    os.mkfifo(f"{args.output}/trained")
    os.mkfifo(f"{args.output}/evaluated")
    sc = SparkContext(conf=SparkConf().setAppName("ps_evaluator"))
    cluster = TFCluster.run(sc, main_fun, args, 4, 1, False, TFCluster.InputMode.SPARK, master_node="chief",
                            eval_node=True)
    cluster.train(sc.parallelize([[i, 1] for i in range(3000)], 6), 1)
    cluster.shutdown()
    print([(node["executor_id"], node["job_name"], node["task_index"]) for node in cluster.cluster_info])
    sc.stop()

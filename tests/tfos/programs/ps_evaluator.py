"""A chief and a worker that read files, a ps and an evaluator. The last two run until the others have ended."""
import argparse
import glob
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
    first = 0 if ctx.job_name == "chief" else 1
    paths = sorted(glob.glob(f"{args.input}/part-*"))[first::ctx.num_workers]
    rows = np.concatenate([np.loadtxt(path, delimiter=",", ndmin=2) for path in paths])
    np.save(f"{args.output}/{ctx.job_name}-sum.npy", np.append(rows.sum(axis=0), len(rows)))
    if ctx.job_name == "chief":
        np.save(f"{args.output}/model.npy", rows.sum(axis=0))
        with open(f"{args.output}/trained", "w"):
            pass
        with open(f"{args.output}/evaluated") as file:
            np.save(f"{args.output}/evaluation.npy", float(file.read()))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--input")
    parser.add_argument("--output")
    args = parser.parse_args()
    os.mkfifo(f"{args.output}/trained")
    os.mkfifo(f"{args.output}/evaluated")
    sc = SparkContext(conf=SparkConf().setAppName("ps_evaluator"))
    cluster = TFCluster.run(sc, main_fun, args, 4, 1, False, TFCluster.InputMode.TENSORFLOW, master_node="chief",
                            eval_node=True)
    nodes = sorted((node["executor_id"], node["job_name"], node["task_index"]) for node in cluster.cluster_info)
    cluster.shutdown()
    print(nodes)
    sc.stop()

"""TFParallel: independent instances, each of which predicts the rows of its own files."""
import argparse
import glob

import numpy as np
from pyspark import SparkConf, SparkContext
from tensorflowonspark import TFParallel


def inference(args, ctx):
    from tensorflowonspark import util

    util.single_node_env(num_gpus=0)
    paths = sorted(glob.glob(f"{args.input}/part-*"))[ctx.executor_id::ctx.num_workers]
    rows = np.concatenate([np.loadtxt(path, ndmin=1) for path in paths])
    with open(f"{args.output}/part-{ctx.worker_num:05}", "w") as file:
        file.writelines(f"{int(row)},{int(row) ** 2}\n" for row in rows)


def by_argv(argv, ctx):
    assert argv[1:] == ["--output", argv[2]]
    with open(f"{argv[2]}/argv-{ctx.executor_id}", "w") as file:
        file.write(str(ctx.num_workers))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--input")
    parser.add_argument("--output")
    args = parser.parse_args()
    sc = SparkContext(conf=SparkConf().setAppName("parallel"))
    sc.parallelize(range(100), 4).saveAsTextFile(args.input)
    TFParallel.run(sc, inference, args, 2)
    TFParallel.run(sc, by_argv, ["parallel.py", "--output", args.output], 2, use_barrier=False)
    sc.stop()

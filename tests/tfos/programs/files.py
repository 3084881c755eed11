"""InputMode.TENSORFLOW: every worker reads its shard of the files itself, and the chief writes the model."""
import argparse
import glob
import json
import os

import numpy as np
from pyspark import SparkConf, SparkContext
from tensorflowonspark import TFCluster


def main_fun(args, ctx):
    config = json.loads(os.environ["TF_CONFIG"])
    assert config["task"] == {"type": ctx.job_name, "index": ctx.task_index}
    assert len(ctx.cluster_spec["worker"]) + 1 == ctx.num_workers == args.cluster_size
    paths = sorted(glob.glob(os.path.join(args.images_labels, "part-*")))[ctx.worker_num::ctx.num_workers]
    rows = np.concatenate([np.loadtxt(path, delimiter=",", ndmin=2) for path in paths])
    weights = np.linalg.lstsq(rows[:, :-1], rows[:, -1], rcond=None)[0]
    model_dir = ctx.absolute_path(args.model_dir)
    assert model_dir.startswith("file:///")
    if ctx.job_name == "chief":
        np.save(os.path.join(model_dir[len("file://"):], "weights.npy"), weights)
    with open(f"{args.model_dir}/{ctx.job_name}-{ctx.task_index}", "w") as file:
        file.write(str(len(rows)))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--cluster_size", type=int, default=3)
    parser.add_argument("--images_labels")
    parser.add_argument("--model_dir", default="model")
    args = parser.parse_args()
    sc = SparkContext(conf=SparkConf().setAppName("files"))
    os.mkdir(args.model_dir)
    sc.parallelize(range(600), 6).map(lambda i: f"{i},{i % 7},{2 * i + 3 * (i % 7)}").saveAsTextFile(args.images_labels)
    cluster = TFCluster.run(sc, main_fun, args, args.cluster_size, num_ps=0, tensorboard=False,
                            input_mode=TFCluster.InputMode.TENSORFLOW, master_node="chief")
    cluster.shutdown(grace_secs=1)
    print(json.dumps(np.load(os.path.join(args.model_dir, "weights.npy")).round(6).tolist()))
    sc.stop()

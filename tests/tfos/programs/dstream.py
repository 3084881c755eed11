"""Spark Streaming: the micro-batches of a DStream are fed until stop_streaming() is called."""
import argparse
import threading

from pyspark import SparkConf, SparkContext
from pyspark.streaming import StreamingContext
from tensorflowonspark import TFCluster


def main_fun(args, ctx):
    feed = ctx.get_data_feed()
    rows = []
    while not feed.should_stop():
        rows += feed.next_batch(10)
        with open(f"{args.output}/{ctx.job_name}-{ctx.task_index}.tmp", "w") as file:
            file.write(" ".join(map(str, rows)))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--output")
    args = parser.parse_args()
    sc = SparkContext(conf=SparkConf().setAppName("dstream"))
    ssc = StreamingContext(sc, 1)
    fed, stopped = [], threading.Event()
    stream = ssc.queueStream([sc.parallelize(range(100 * i, 100 * i + 100), 2) for i in range(3)])
    cluster = TFCluster.run(sc, main_fun, args, 2, 0, False, TFCluster.InputMode.SPARK)
    cluster.train(stream)

    def note(rdd):
        fed.append(rdd.count())
        if sum(fed) == 300 and not stopped.is_set():
            stopped.set()
            threading.Thread(target=cluster.stop_streaming).start()

    stream.foreachRDD(note)
    ssc.start()
    cluster.shutdown(ssc)
    print(sum(fed))
    sc.stop()

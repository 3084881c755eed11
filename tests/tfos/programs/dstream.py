"""Spark Streaming: the micro-batches of a DStream are fed until the program stops the StreamingContext."""
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
    parser.add_argument("--stop", default="stream", choices=["stream", "cluster"])
    args = parser.parse_args()
    sc = SparkContext(conf=SparkConf().setAppName("dstream"))
    ssc = StreamingContext(sc, 3)
    fed, stopped = [], threading.Event()
    stream = ssc.queueStream([sc.parallelize(range(100 * i, 100 * i + 100), 2) for i in range(3)])
    cluster = TFCluster.run(sc, main_fun, args, 2, 0, False, TFCluster.InputMode.SPARK)
    cluster.train(stream)

    def stop():
        if args.stop == "stream":
            ssc.stop(stopSparkContext=False, stopGraceFully=True)
        else:
            cluster.stop_streaming()  # only with howdah-tensorflowonspark

    def note(rdd):
        fed.append(rdd.count())
        if sum(fed) == 300 and not stopped.is_set():
            stopped.set()
            threading.Thread(target=stop).start()

    stream.foreachRDD(note)
    ssc.start()
    cluster.shutdown(ssc)
    print(sum(fed))
    sc.stop()

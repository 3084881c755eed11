"""Keras with InputMode.TENSORFLOW: the workers read their shards of the files, and fit() trains them in step."""
import argparse
import os

from pyspark import SparkConf, SparkContext
from tensorflowonspark import TFCluster


def main_fun(args, ctx):
    os.environ["TF_USE_LEGACY_KERAS"] = "1"  # Keras 2: fit() of Keras 3 does not work with several workers
    import tensorflow as tf
    from tensorflowonspark import compat

    strategy = tf.distribute.MultiWorkerMirroredStrategy()

    def parsed(line):
        fields = tf.io.decode_csv(line, [[0.0]] * 3)
        return tf.stack(fields[:2]), fields[2]

    files = tf.data.Dataset.list_files(os.path.join(args.input, "part-*"), shuffle=False)
    lines = files.shard(ctx.num_workers, ctx.worker_num).interleave(tf.data.TextLineDataset)
    options = tf.data.Options()
    compat.disable_auto_shard(options)
    dataset = lines.map(parsed).repeat().batch(args.batch_size).with_options(options)
    with strategy.scope():
        model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
        model.compile(loss="mse", optimizer=tf.keras.optimizers.SGD(0.2))
    saver = tf.keras.callbacks.ModelCheckpoint(os.path.join(args.output, f"{ctx.job_name}-weights-{{epoch}}"),
                                               save_weights_only=True)
    history = model.fit(dataset, epochs=args.epochs, steps_per_epoch=args.steps, callbacks=[saver], verbose=0).history
    compat.export_saved_model(model, os.path.join(args.output, "export"), ctx.job_name == "chief")
    with open(os.path.join(args.output, f"{ctx.job_name}-{ctx.task_index}"), "w") as file:
        file.write(f"{args.epochs * args.steps} {history['loss'][-1]}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch_size", type=int, default=20)
    parser.add_argument("--cluster_size", type=int, default=2)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--input")
    parser.add_argument("--output")
    args = parser.parse_args()
    sc = SparkContext(conf=SparkConf().setAppName("keras"))
    cluster = TFCluster.run(sc, main_fun, args, args.cluster_size, num_ps=0, tensorboard=False,
                            input_mode=TFCluster.InputMode.TENSORFLOW, master_node="chief")
    cluster.shutdown(grace_secs=1)
    sc.stop()

"""Fits a line with ParameterServerStrategy until TRAIN_SECONDS have passed."""
import os
import time

import tensorflow as tf

tf.config.threading.set_intra_op_parallelism_threads(1)
tf.config.threading.set_inter_op_parallelism_threads(1)


def train(cluster):
    strategy = tf.distribute.ParameterServerStrategy(cluster)
    coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
    with strategy.scope():
        slope = tf.Variable(0.0)

    @tf.function
    def step():
        def on_worker():
            x = tf.random.normal([64])
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((slope * x - 3.0 * x) ** 2)
            slope.assign_sub(0.1 * tape.gradient(loss, slope))
            return loss
        return strategy.run(on_worker)

    end = time.monotonic() + float(os.environ["TRAIN_SECONDS"])
    steps = 0
    while steps == 0 or time.monotonic() < end:
        loss = coordinator.schedule(step)
        coordinator.join()
        steps += 1
        print(f"step {steps}, loss {loss.fetch():.4f}", flush=True)
        time.sleep(1)
    print(f"slope {slope.numpy():.2f}", flush=True)


cluster = tf.distribute.cluster_resolver.TFConfigClusterResolver()
if cluster.task_type == "chief":
    train(cluster)
else:
    print(f"{cluster.task_type} is ready", flush=True)
    tf.distribute.Server(cluster.cluster_spec(), cluster.task_type, cluster.task_id).join()

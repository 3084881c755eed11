"""Softmax regression with TensorFlow's MultiWorkerMirroredStrategy. VALUES: whether the program distributes each batch
among the replicas of its process, as it must if there are several. Without GPUs there is one."""
import os

import tensorflow as tf

import howdah
from account import BATCH, PASSES, PIXELS, RATE, Account

COLUMNS = {"as_tuple": ("image", "label", "id"), "shapes": {"image": (PIXELS,)}, "dtypes": {"label": "int64"}}


def main():
    strategy = tf.distribute.MultiWorkerMirroredStrategy()  # before any other call of TensorFlow
    context = howdah.context()
    train, val = context.feed("train"), context.feed("val")
    with strategy.scope():  # assignments by replicas assign the mean
        weights = tf.Variable(tf.zeros((PIXELS, 10), tf.float64), aggregation=tf.VariableAggregation.MEAN)
        bias = tf.Variable(tf.zeros((10,), tf.float64), aggregation=tf.VariableAggregation.MEAN)

    def logits(images):
        return tf.cast(images, tf.float64) / 255 @ weights + bias

    def replica(images, labels):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits(images)))
        for variable, gradient in zip((weights, bias), tape.gradient(loss, (weights, bias))):
            variable.assign_sub(RATE * gradient)

    step = tf.function(lambda images, labels: strategy.run(replica, (images, labels)), reduce_retracing=True)

    local = strategy.extended.worker_devices

    def distributed(tensor):
        parts = tf.split(tensor, len(local))
        return strategy.experimental_distribute_values_from_function(
            lambda replica: parts[replica.replica_id_in_sync_group % len(local)])

    account = Account(context, train)
    for _ in range(PASSES):
        account.begin()
        for images, labels, ids in train.tf(BATCH * len(local), **COLUMNS):
            batch = (images, labels)
            step(*(map(distributed, batch) if "VALUES" in os.environ else batch))
            account.step(ids.numpy())
        right = rows = 0
        for images, labels, _ in val.tf(BATCH, **COLUMNS):
            right += int(tf.reduce_sum(tf.cast(tf.argmax(logits(images), 1) == labels, tf.int64)))
            rows += len(labels)
        account.validated(right, rows)
    account.save(weights.numpy(), bias.numpy())


main()

"""Spark ML with TensorFlow: TFEstimator.fit trains a linear model, and TFModel.transform predicts with it."""
import argparse
import os

from pyspark import SparkConf, SparkContext
from pyspark.sql import SparkSession
from tensorflowonspark import pipeline


def train_fn(args, ctx):
    import numpy as np
    import tensorflow as tf

    feed = ctx.get_data_feed(input_mapping=args.input_mapping)
    x, y = [], []
    while not feed.should_stop():
        batch = feed.next_batch(args.batch_size)
        x += batch["x"]
        y += batch["y_"]
    weights = np.linalg.lstsq(np.array(x), np.array(y), rcond=None)[0]
    if ctx.job_name == "chief":
        module = tf.Module()
        module.weights = tf.Variable(weights.astype("float32"))

        @tf.function(input_signature=[tf.TensorSpec((None, 2), tf.float32, name="features")])
        def predict(features):
            prediction = tf.linalg.matvec(features, module.weights)
            return {"prediction": prediction, "above": prediction > 100.0, "twice": tf.stack([prediction] * 2, 1)}

        tf.saved_model.save(module, args.export_dir, signatures={"serving_default": predict})


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--output")
    # TensorFlowOnSpark gives several outputs in an order that differs from process to process.
    parser.add_argument("--outputs", default="one", choices=["one", "all"])
    args = parser.parse_args()
    sc = SparkContext(conf=SparkConf().setAppName("pipeline"))
    spark = SparkSession.builder.getOrCreate()
    df = spark.createDataFrame([([float(i), float(i % 5)], 3.0 * i + 0.5 * (i % 5), i) for i in range(400)],
                               "features array<double>, label double, id int").repartition(4)
    estimator = pipeline.TFEstimator(train_fn, args).setInputMapping({"features": "x", "label": "y_"}) \
        .setClusterSize(2).setMasterNode("chief").setEpochs(2).setBatchSize(50).setGraceSecs(1) \
        .setExportDir(os.path.join(args.output, "export"))
    model = estimator.fit(df)
    assert isinstance(model, pipeline.TFModel) and model.getExportDir() == os.path.join(args.output, "export")
    columns = {"prediction": "z_score"}
    if args.outputs == "all":
        columns = {"twice": "a_pair", **columns, "above": "m_flag"}
    model.setInputMapping({"features": "features"}).setBatchSize(64).setOutputMapping(columns) \
        .setSignatureDefKey("serving_default").setTagSet("serve")
    rows = model.transform(df.orderBy("id").coalesce(1)).collect()
    assert set(rows[0].asDict()) == set(columns.values()), rows[0]
    for i, row in enumerate(rows):
        assert abs(row.z_score - (3.0 * i + 0.5 * (i % 5))) < 0.01, (i, row)
        if args.outputs == "all":
            assert row.m_flag == (row.z_score > 100) and row.a_pair == [row.z_score] * 2, (i, row)
    print(len(rows))
    sc.stop()

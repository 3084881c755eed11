"""Step 1: Spark makes a data set for the training, and another one for the evaluation.

The points stand for a table of yours: Spark reads it, drops what is broken, and computes the columns for the model."""
import sys

from pyspark.sql import SparkSession, functions as F

folder = sys.argv[1]
spark = SparkSession.builder.appName("prepare").getOrCreate()
raw = spark.range(40_000).select(
    (F.rand(1) * 4 - 2).alias("x"), (F.rand(2) * 4 - 2).alias("y"), F.rand(3).alias("quality"))
good = raw.where("quality > 0.1")
labelled = good.select("x", "y", (F.col("x") ** 2 + F.col("y") ** 2 < 2).cast("int").alias("inside"))
for name, part in zip(("train", "test"), labelled.randomSplit([0.8, 0.2], seed=4)):
    part.write.mode("overwrite").csv(f"{folder}/{name}")
    print(f"{name}: {part.count()} points", flush=True)
spark.stop()

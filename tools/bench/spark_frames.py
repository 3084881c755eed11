"""Spark sessions and DataFrames for measurements: one executor of one core."""
EXECUTOR = "local-cluster[1,1,3072]"
PARTITIONS = 8
COLUMNS = 10
PASS_ROWS = 2_000_000


def session(master=EXECUTOR):
    from pyspark.sql import SparkSession

    settings = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false", "spark.log.level": "ERROR",
                "spark.driver.memory": "1g", "spark.executor.memory": "3g", "spark.worker.cleanup.enabled": "true"}
    builder = SparkSession.builder.master(master).appName("bench")
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def cached(frame):
    frame = frame.cache()
    frame.count()
    return frame


def doubles(spark, rows, partitions=PARTITIONS):
    return spark.range(0, rows, 1, partitions).selectExpr(*[f"rand({n}) as x{n}" for n in range(COLUMNS)])

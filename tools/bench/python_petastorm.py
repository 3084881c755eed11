"""Measures Petastorm: `python_petastorm.py PASSES`, with the turns of python_client.py. The interpreter has Petastorm
and the versions of PyArrow, pandas and NumPy that it needs. The rows are those of python_spark.py."""
import json
import os
import sys
import tempfile
import time

from petastorm import make_batch_reader
from petastorm.spark import SparkDatasetConverter, make_spark_converter

import spark_frames

BATCH = 256


def last_row(passes):
    """Seconds from the call of the converter to the last row of so many passes, in batches of 256."""
    spark = spark_frames.session("local[1]")
    frame = spark_frames.cached(spark_frames.doubles(spark, spark_frames.PASS_ROWS))
    with tempfile.TemporaryDirectory(dir=os.getcwd()) as folder:
        spark.conf.set(SparkDatasetConverter.PARENT_CACHE_DIR_URL_CONF, f"file://{folder}")
        while True:
            start, rows = time.monotonic(), 0
            converter = make_spark_converter(frame, dtype=None)
            with make_batch_reader(converter.file_urls, num_epochs=passes) as reader:
                for group in reader:
                    columns = group._asdict()
                    for first in range(0, len(group[0]), BATCH):
                        batch = {name: values[first:first + BATCH] for name, values in columns.items()}
                        rows += len(batch["x0"])
            ended = time.monotonic()
            converter.delete()
            if rows != passes * spark_frames.PASS_ROWS:
                sys.exit(f"{rows} rows instead of {passes * spark_frames.PASS_ROWS}")
            yield {"s": ended - start}


def main():
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print
    found = last_row(int(sys.argv[1]))
    for _ in sys.stdin:
        print(json.dumps(next(found)), file=answers, flush=True)
    found.close()


if __name__ == "__main__":
    main()

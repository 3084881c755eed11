"""The items of python_client.py that read files of HDFS: a Parquet file as a feed, and a file through howdah.fs."""
import os
import pathlib
import subprocess

import pyarrow.dataset as dataset
import pyarrow.parquet as parquet

from howdah import fs
from python_client import doubles, rate, reader, run, timed

ROWS = 4_000_000
ROW_GROUP = 200_000
PATH = "/tmp/bench.parquet"


def files():
    """Rows per second of the feed, and of pyarrow's dataset on a local copy in the page cache; and seconds of copies of
    the whole file."""
    local, copy = pathlib.Path("bench.parquet"), pathlib.Path("copy")
    parquet.write_table(doubles(ROWS), local, row_group_size=ROW_GROUP, use_dictionary=False, compression="none")
    hdfs = fs.HadoopFileSystem()
    hdfs.put_file(str(local), PATH)
    while True:
        passes = run(reader(256), f"hdfs://{PATH}", memory="2GiB")
        ours = rate(passes[0])
        theirs = ROWS / timed(lambda: sum(batch.num_rows for batch in dataset.dataset(local).to_batches()))
        copied = timed(lambda: hdfs.get_file(PATH, str(copy)))
        live = timed(lambda: subprocess.run([os.environ["BENCH_HDFS"], "get", PATH, str(copy)], check=True))
        size = local.stat().st_size
        yield {"feed": ours, "dataset": theirs, "fs": size / copied, "live": size / live}


ITEMS = {"files": files}

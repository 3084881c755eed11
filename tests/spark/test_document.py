"""The examples of docs/spark.md: each runs as a program of its own."""
import os
import re
import subprocess

import pytest

import spark as sparks
from machine import BIN, ROOT

DOCUMENT = (ROOT / "docs/spark.md").read_text()
SECTIONS = ("Predictions", "materialize")


FIRST = "from pyspark.sql import SparkSession\n"
SPARK = 'spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()\n'


@pytest.fixture
def run(machine, tmp_path):
    """run(code) runs a program, and returns the output of its jobs."""
    def run(code):
        (tmp_path / "block.py").write_text(code)
        made = subprocess.run([ROOT / "tools/ml-env", "feeds"], stdout=subprocess.PIPE, text=True, check=True)
        python = made.stdout.strip()
        env = {**machine.env, "XDG_CACHE_HOME": str(tmp_path / "cache"), "SPARK_LOCAL_IP": "127.0.0.1",
               "PATH": f"{BIN.parent}{os.pathsep}{os.environ['PATH']}", "PYSPARK_PYTHON": python,
               "PYTHONPATH": os.pathsep.join([str(ROOT / "python"), *sparks.site_packages()])}  # fmt: skip
        done = subprocess.run([python, "block.py"], cwd=tmp_path, capture_output=True, text=True, timeout=600, env=env)
        assert done.returncode == 0, f"{code}\n{done.stdout}\n{done.stderr}"
        return "".join(machine("logs", job).stdout for job in machine.jobs())
    return run


def blocks(text):
    return re.findall(r"```python\n(.*?)```", text, re.DOTALL)


def section(name):
    return DOCUMENT.split(f"\n## {name}\n")[1].split("\n## ")[0]


def test_frame_is_read_by_all_ranks(run):
    """The rows come from the program instead of HDFS, and become arrays instead of PyTorch's tensors."""
    code = blocks(DOCUMENT)[0]
    for old, new in ((FIRST, FIRST + SPARK), ("feed.torch(256", "feed.numpy(100"),
                     ('spark.read.parquet("hdfs:///data/images")',
                      'spark.range(0, 3200, 1, 5).selectExpr("array(id) as image", "id as label", "1.0 as quality")'),
                     ("            ...\n", "            print('batch', epoch, batch[0].shape, len(batch))\n")):
        assert old in code
        code = code.replace(old, new, 1)
    lines = run(code).splitlines()
    found = [sum(line.endswith(f"batch {epoch} (100, 1) 2") for line in lines) for epoch in range(3)]
    assert found == [32] * 3


def test_batches_of_a_streaming_frame_are_sent(run):
    (code,) = blocks(section("Streams"))
    assert "...\n" in code
    before = f"""import howdah
{FIRST}{SPARK}
for first in range(0, 4000, 1000):
    spark.range(first, first + 1000).write.mode("append").parquet("data")
df = spark.readStream.schema("id long").option("maxFilesPerTrigger", 1).parquet("data")

def train():
    feed = howdah.context().feed("live")
    print("sum", sum(int(batch["id"].sum()) for batch in feed.numpy(10)))

"""
    output = run(before + code.replace("...\n", "query.processAllAvailable()\n", 1) + "job.result()\n")
    assert sum(map(int, re.findall(r"sum (\d+)", output))) == sum(range(4000))


@pytest.mark.parametrize("name", SECTIONS)
def test_example_with_its_own_data_runs(run, name):
    (code,) = blocks(section(name))
    run(code.replace(FIRST, FIRST + SPARK, 1))

"""The examples of docs/spark.md that have all their data: each runs as a program of its own."""
import os
import re
import subprocess

import pytest

import spark as sparks
from machine import BIN, ROOT

DOCUMENT = (ROOT / "docs/spark.md").read_text()
SECTIONS = ("Predictions", "materialize")


@pytest.mark.parametrize("section", SECTIONS)
def test_code_block_of_the_document_runs(machine, tmp_path, section):
    (block,) = re.findall(r"```python\n(.*?)```", DOCUMENT.split(f"\n## {section}\n")[1].split("\n## ")[0], re.DOTALL)
    settings = 'spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()\n'
    first = "from pyspark.sql import SparkSession\n"
    (tmp_path / "block.py").write_text(block.replace(first, first + settings, 1))
    made = subprocess.run([ROOT / "tools/ml-env", "feeds"], stdout=subprocess.PIPE, text=True, check=True)
    python = made.stdout.strip()
    env = {**machine.env, "XDG_CACHE_HOME": str(tmp_path / "cache"), "SPARK_LOCAL_IP": "127.0.0.1",
           "PATH": f"{BIN.parent}{os.pathsep}{os.environ['PATH']}", "PYSPARK_PYTHON": python,
           "PYTHONPATH": os.pathsep.join([str(ROOT / "python"), *sparks.site_packages()])}  # fmt: skip
    done = subprocess.run([python, "block.py"], cwd=tmp_path, capture_output=True, text=True, timeout=600, env=env)
    assert done.returncode == 0, f"{block}\n{done.stdout}\n{done.stderr}"

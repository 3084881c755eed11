"""The examples of docs/feeds.md: each runs as a program of its own."""
import json
import os
import pathlib
import re
import subprocess

import pytest

from machine import BIN, ROOT

DOCUMENT = (ROOT / "docs/feeds.md").read_text()
TABLE, CLIENT = re.findall(r"```python\n(.*?)```", DOCUMENT, re.DOTALL)
LIVE, FILES, ANSWERS = re.findall(r"```yaml\n(.*?)```", DOCUMENT, re.DOTALL)
WRITE = """\
import numpy, pyarrow, pyarrow.parquet
image = pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(numpy.zeros(3200 * 4, "uint8")), 4)
pyarrow.parquet.write_table(pyarrow.table({"image": image, "label": range(3200)}), "train.parquet")
"""
READ = """\
import howdah
print("sum", sum(int(batch["x"].sum()) for batch in howdah.context().feed("live").numpy(10)))
"""


@pytest.fixture
def python():
    """An interpreter with PyArrow."""
    made = subprocess.run([ROOT / "tools/ml-env", "feeds"], stdout=subprocess.PIPE, text=True, check=True)
    return pathlib.Path(made.stdout.strip())


@pytest.fixture
def run(machine, python, tmp_path):
    """run(code) runs a program in the folder `work`, beside what earlier programs have written."""
    work = tmp_path / "work"
    work.mkdir()
    path = os.pathsep.join([str(python.parent), str(BIN.parent), os.environ["PATH"]])
    machine.env.update(PATH=path, HOWDAH_ON="local", XDG_CACHE_HOME=str(tmp_path / "cache"),
                       PYTHONPATH=str(ROOT / "python"))

    def run(code):
        (work / "block.py").write_text(code)
        done = subprocess.run([python, "block.py"], cwd=work, capture_output=True, text=True, timeout=240,
                              env=machine.env)
        assert done.returncode == 0, f"{code}\n{done.stdout}\n{done.stderr}"
    run.work = work
    return run


def test_table_of_a_process_is_read_by_all_ranks(machine, run):
    run(WRITE)
    assert "feed.torch(" in TABLE and "            ...\n" in TABLE
    # PyTorch is not needed to read arrays.
    code = TABLE.replace("feed.torch(256", "feed.numpy(100").replace("            ...\n", """\
            image, label = batch
            assert image.shape == (100, 4) and label.shape == (100,)
            print("batch", epoch)
""")
    run(code)
    (job,) = machine.jobs()
    lines = machine("logs", job).stdout.splitlines()
    assert [sum(line.endswith(f"batch {epoch}") for line in lines) for epoch in range(3)] == [32] * 3


def test_plain_client_sends_rows_to_a_feed_of_a_job_file(machine, run):
    (run.work / "job.yaml").write_text(LIVE)
    (run.work / "train.py").write_text(READ)
    job = machine.submit(run.work / "job.yaml", "--set", "roles.worker.memory=256MiB",
                         "--set", f"roles.worker.env.PYTHONPATH={ROOT}/python")
    assert '"ID"' in CLIENT
    run("import pyarrow\ntable = pyarrow.table({'x': range(4000)})\n" + CLIENT.replace('"ID"', f'"{job}"'))
    assert machine("feed", job, "live", "--close").code == 0
    assert machine("wait", job, timeout=120).code == 0
    assert sum(map(int, re.findall(r"sum (\d+)", machine("logs", job).stdout))) == sum(range(4000))


@pytest.mark.parametrize("text", [FILES, ANSWERS])
def test_job_file_is_valid(machine, run, text):
    (run.work / "job.yaml").write_text(text)
    for name in ("train.py", "predict.py"):
        (run.work / name).write_text("")
    plan = json.loads(machine("plan", "--json", run.work / "job.yaml").stdout)
    assert plan["problems"] == [] and plan["refusals"] == [] and plan["ignored"] == []

"""The document for Python and the notebook: every block of code runs."""

import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCUMENT = (ROOT / "docs/python-api.md").read_text()
IN_HDFS = DOCUMENT.split("\n## Files in HDFS\n")[1].split("\n## ")[0]  # needs a cluster: tests/yarn/test_fs.py
FEEDS = DOCUMENT.split("\n## Feeds\n")[1].split("\n## ")[0]  # needs PyArrow: tests/local/test_feeds.py
BLOCKS = re.findall(r"```python\n(.*?)```", DOCUMENT.replace(IN_HDFS, "").replace(FEEDS, ""), re.DOTALL)


def run(code):
    pathlib.Path("block.py").write_text(code)
    return subprocess.run(
        [sys.executable, "block.py"],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": str(ROOT / "python")},
    )


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_code_block_of_the_document_runs(machine, number):
    done = run(BLOCKS[number])
    assert done.returncode == 0, f"{BLOCKS[number]}\n{done.stdout}\n{done.stderr}"


def test_cells_of_the_notebook_run(machine):
    cells = json.loads((ROOT / "examples/notebook/first-steps.ipynb").read_text())["cells"]
    done = run("\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"))
    assert done.returncode == 0, done.stderr
    assert "pi is about 3.1" in done.stdout and "worker:2 failed with exit code 1" in done.stdout


def test_table_of_keywords_is_complete():
    sys.path.insert(0, str(ROOT / "python"))
    from howdah import _keys

    table = (ROOT / "docs/python-api.md").read_text().split("| keyword |")[1].split("\n\n")[0]
    listed = [word for row in table.splitlines()[2:] for word in re.findall(r"`(\w+)`", row.split("|")[1])]
    assert sorted(listed) == sorted([*_keys.DEFAULTS, "follow"])

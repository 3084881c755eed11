"""A Spark DataFrame as the source of a feed, on the local backend."""
import os
import pathlib
import sys

import pytest

import spark as sparks
from machine import BIN, ROOT

SITE = sparks.site_packages()[0]
sys.path.insert(0, str(ROOT / "python"))

import howdah  # noqa: E402

ROWS = 50_000


@pytest.fixture
def spark(machine, tmp_path, monkeypatch):
    """Spark, in a process that is a client of the machine of the test."""
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    for name, value in (("HOWDAH_HOME", machine.home), ("HOWDAH_ON", "local"), ("XDG_CACHE_HOME", tmp_path / "cache"),
                        ("PATH", f"{BIN.parent}{os.pathsep}{os.environ['PATH']}")):
        monkeypatch.setenv(name, str(value))
    session = sparks.session("local[2]")
    yield session
    sparks.stop(session)


def test_ranks_read_each_row_of_a_frame_once_in_each_pass(spark, tmp_path):
    frame = spark.range(0, ROWS, 1, 6).selectExpr("id as i", "concat('row ', id) as text", "array(id, id + 1) as pair")
    died = pathlib.Path(tmp_path / "died")

    def read():
        ctx = howdah.context()
        feed, passes = ctx.feed("train"), []
        for number in range(2):
            passes.append([])
            for rows in feed.numpy(100):
                assert rows["pair"].shape == (len(rows["i"]), 2) and rows["text"][0] == f"row {rows['i'][0]}"
                passes[-1].append(rows["i"].tolist())
                if ctx.rank == 1 and len(passes[0]) == 50 and not died.exists():
                    died.touch()
                    os._exit(1)
        return passes

    feed = howdah.Feed(frame, epochs=2, remainder="short")
    job = howdah.submit(read, workers=2, framework="pytorch", restart=1, memory="512MiB", env={"PYTHONPATH": SITE},
                        data={"train": feed})
    results = job.results(timeout=300)
    for number in range(2):
        sizes = [[len(batch) for batch in passes[number]] for passes in results]
        rows = [i for passes in results for batch in passes[number] for i in batch]
        assert sizes[0] == sizes[1] and len(rows) == len(set(rows)) == ROWS
    assert died.exists() and not spark.sparkContext.statusTracker().getActiveJobsIds()

"""Feeds of files in HDFS: the ranks read them without a JVM, and continue after the loss of processes."""
import os
import pathlib
import signal
import sys

import pytest

import arrow
import yarn_client
from machine import ROOT, eventually

SITE = arrow.site_packages()
sys.path.insert(0, str(ROOT / "python"))

import numpy as np  # noqa: E402
import pyarrow as pa  # noqa: E402
import pyarrow.parquet  # noqa: E402

import howdah as package  # noqa: E402
from howdah import _files, fs  # noqa: E402
from howdah.data import tfrecord  # noqa: E402

SIZES = (1, 4000, 2, 2500, 10, 10, 3477)
ROWS = sum(SIZES)
TOGETHER = {"framework": "pytorch", "memory": "512MiB", "env": {"PYTHONPATH": SITE}}


@pytest.fixture
def client(howdah, tmp_path, monkeypatch):
    """Makes this process a client of the cluster."""
    yarn_client.become(howdah, tmp_path, monkeypatch)
    yield howdah
    _files._close()


@pytest.fixture
def folder(client, tmp_path):
    """A directory in HDFS."""
    files = fs.HadoopFileSystem(replication=1)
    path = f"/user/alice/.howdah/feeds-{tmp_path.name}"  # which assert_clean leaves out
    files.makedirs(path, exist_ok=True)
    yield path
    files.rm(path, recursive=True)


def table(rows, first=0, **columns):
    numbers = np.arange(first, first + rows)
    return pa.table({"i": numbers, "text": pa.array([f"row {i}" for i in numbers], pa.string()), **columns})


def write(folder, sizes=SIZES, **options):
    first = 0
    for number, size in enumerate(sizes):
        system, path = fs.arrow(f"hdfs://{folder}/part-{number:03}.parquet")
        pa.parquet.write_table(table(size, first), path, filesystem=system, **options)
        first += size
    fs.HadoopFileSystem().touch(f"{folder}/_SUCCESS")


def reader(batch, epochs=1):
    def read():
        feed = package.context().feed("train")
        return [[rows["i"].tolist() for rows in feed.numpy(batch, columns=["i"])] for _ in range(epochs)]
    return read


def read_once(results, epoch, rows, left_out=0):
    sizes = [[len(batch) for batch in passes[epoch]] for passes in results]
    seen = [i for passes in results for batch in passes[epoch] for i in batch]
    assert all(size == sizes[0] for size in sizes), sizes
    assert len(seen) == len(set(seen)) and rows - left_out <= len(seen) <= rows


def test_ranks_read_files_of_hdfs(client, folder):
    write(folder)
    feed = package.Feed(f"hdfs://{folder}", epochs=3, remainder="short", shuffle=100, seed=1)
    job = package.submit(reader(32, epochs=3), workers=2, data={"train": feed}, **TOGETHER)
    results = job.results(timeout=240)
    for epoch in range(3):
        read_once(results, epoch, ROWS, left_out=1)
    client.assert_clean(job.id)


def test_pattern_of_tfrecord_files(client, folder):
    for number in range(2):
        tfrecord.write(table(500, 500 * number), f"hdfs://{folder}/part-{number}.tfrecord")
    feed = package.Feed(f"hdfs://{folder}/*.tfrecord", remainder="short", columns=["i"])
    results = package.submit(reader(100), workers=2, data={"train": feed}, **TOGETHER).results(timeout=240)
    read_once(results, 0, 1000)


def test_rows_of_one_file_reach_other_containers_over_tls(client, folder):
    """The file is larger than the buffers, so its reader gives rows away."""
    write(folder, sizes=(60_000,), row_group_size=5000)

    def read():
        from howdah._feed import file_helper

        file_helper._BOOT = file_helper._BOOT.replace(
            "from howdah._feed.files", "import howdah._feed.spark_task as task; reachable = task.reachable; "
            "task.reachable = lambda all: [one for one in all if one.startswith('grpc+tls')] or reachable(all); "
            "from howdah._feed.files")
        feed = package.context().feed("train")
        return [[rows["i"].tolist() for rows in feed.numpy(50, columns=["i"])]]

    feed = package.Feed(f"hdfs://{folder}", remainder="short", buffer="1MiB")
    results = package.submit(read, workers=2, data={"train": feed}, **TOGETHER).results(timeout=240)
    read_once(results, 0, 60_000)


def test_rows_of_a_lost_container_are_read_again(client, folder):
    write(folder, sizes=[20_000] * 4)
    go = pathlib.Path.cwd() / "go"

    def read():
        import select

        ctx = package.context()
        seen = []
        for batch in ctx.feed("train").numpy(16, columns=["i"]):
            seen += batch["i"].tolist()
            if len(seen) == 160 and ctx.generation == 0:
                open(f"{go}-{ctx.rank}", "w").close()
                while True:
                    select.select([], [], [], 1)
        return seen

    feed = package.Feed(f"hdfs://{folder}", remainder="short", buffer="1MiB")
    job = package.submit(read, workers=2, data={"train": feed}, options={"restart": 1}, **TOGETHER)
    eventually(lambda: all(os.path.exists(f"{go}-{rank}") for rank in range(2)), "the first rows", 240)
    os.kill(client.agents(job.id, "task")[0], signal.SIGKILL)
    rows = [i for seen in job.results(timeout=240) for i in seen]
    assert len(rows) == len(set(rows)) == 80_000
    assert job.status().generation == 1
    client.assert_clean(job.id)


def test_missing_directory_is_an_error_of_the_readers(client):
    feed = package.Feed("hdfs:///user/alice/nothing")
    with pytest.raises(package.FeedError, match="reading hdfs:///user/alice/nothing: no such file or directory"):
        package.submit(reader(8), workers=2, data={"train": feed}, **TOGETHER).result(timeout=240)


def test_path_of_the_submitting_machine_is_refused(client):
    pa.parquet.write_table(table(10), "a.parquet")
    with pytest.raises(package.Refused, match=r"a.parquet is on this machine.*write file:///"):
        package.submit(reader(8), data={"train": package.Feed("a.parquet")}, **TOGETHER)
    results = package.submit(reader(5), data={"train": package.Feed(f"file://{os.getcwd()}/a.parquet")},
                             **TOGETHER).results(timeout=240)
    read_once(results, 0, 10)

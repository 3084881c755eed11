"""Feeds on a real cluster: rows over the unix socket and over TLS, and after the loss of processes."""
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

import howdah as package  # noqa: E402
from howdah import _files, fs  # noqa: E402
from howdah._feed import spark_task  # noqa: E402

ROWS = 10_000
TABLE = pa.table({"i": np.arange(ROWS), "x": np.arange(ROWS) / 7})
LARGE = TABLE.append_column("bytes", pa.array([bytes(1000)] * ROWS))  # more than the buffers take
TOGETHER = {"framework": "pytorch", "memory": "512MiB", "env": {"PYTHONPATH": SITE}}


@pytest.fixture
def client(howdah, tmp_path, monkeypatch):
    """Makes this process a client of the cluster."""
    yarn_client.become(howdah, tmp_path, monkeypatch)
    yield howdah
    _files._close()


def only(prefix, reachable, used):
    """Replaces spark_task.reachable: locations of one kind. Adds those that were chosen to `used`."""
    def choose(locations):
        chosen = [location for location in reachable(locations) if location.startswith(prefix)]
        used.update(chosen[:1])
        return chosen
    return choose


@pytest.mark.parametrize("prefix", ["grpc+unix", "grpc+tls"])
def test_rows_arrive_over_each_transport(client, monkeypatch, prefix):
    if prefix == "grpc+unix" and client.cluster.setup.accounts:
        pytest.skip("the executors run under another account than this process")

    def read():
        feed = package.context().feed("train")
        return [[batch["i"].tolist() for batch in feed.numpy(64, columns=["i"])] for _ in range(2)]

    used = set()
    monkeypatch.setattr(spark_task, "reachable", only(prefix, spark_task.reachable, used))
    feed = package.Feed(TABLE, epochs=2, remainder="short")
    job = package.submit(read, workers=2, data={"train": feed}, **TOGETHER)
    results = job.results(timeout=180)
    for number in range(2):
        sizes = [[len(batch) for batch in passes[number]] for passes in results]
        rows = [i for passes in results for batch in passes[number] for i in batch]
        assert sizes[0] == sizes[1] and len(rows) == len(set(rows)) == ROWS
    assert used
    client.assert_clean(job.id)


def waiter(go, restarts):
    """A function that returns the rows that it has read. After 160 rows it waits for a file."""
    def read():
        import select

        ctx = package.context()
        seen = []
        for batch in ctx.feed("train").numpy(16, columns=["i"]):
            seen += batch["i"].tolist()
            if len(seen) == 160 and ctx.generation == 0:
                open(f"{go}-{ctx.rank}", "w").close()
                while restarts or not os.path.exists(go):
                    select.select([], [], [], 0.01)
        return seen
    return read


def test_feed_continues_after_the_death_of_the_application_master(client):
    """The guardian starts another application master, which has the log of the feed."""
    go = pathlib.Path.cwd() / "go"
    feed = package.Feed(LARGE, remainder="short", buffer="1MiB")
    job = package.submit(waiter(str(go), False), workers=2, data={"train": feed}, **TOGETHER)
    eventually(lambda: all(os.path.exists(f"{go}-{rank}") for rank in range(2)), "the first rows", 180)
    am = client.agents(job.id, "am")
    os.kill(am[-1], signal.SIGKILL)
    eventually(lambda: set(client.agents(job.id, "am")) - set(am), "another application master", 180)
    go.touch()
    rows = [i for seen in job.results(timeout=180) for i in seen]
    assert len(rows) == len(set(rows)) == ROWS
    assert [task.attempt for task in job.status().tasks] == [0, 0]
    client.assert_clean(job.id)


def test_feed_continues_if_the_application_master_is_lost_with_its_log(client):
    """The copy of the log lacks 3,200 rows that the ranks have read. The executors have the records about them."""
    place = pathlib.Path.cwd()

    def read():
        import select

        ctx = package.context()
        seen = []
        for batch in ctx.feed("train").numpy(16, columns=["i"]):
            seen += batch["i"].tolist()
            if len(seen) not in (160, 1760):
                continue
            (place / f"at-{len(seen)}-{ctx.rank}").touch()
            while not (place / f"go-{len(seen)}").exists():
                select.select([], [], [], 0.01)
        return seen

    feed = package.Feed(LARGE, remainder="short", buffer="1MiB")
    job = package.submit(read, workers=2, data={"train": feed}, **TOGETHER)

    def have_read(rows):
        eventually(lambda: all((place / f"at-{rows}-{rank}").exists() for rank in range(2)), f"{rows} rows", 180)

    have_read(160)
    files = fs.HadoopFileSystem()

    def stored(name):
        return [file for file in client.in_hdfs(job.id) if file.endswith(f"/{name}")]

    def copied():
        journals = stored("journal.jsonl")
        return journals and stored("feed-train.bin") and files.cat_file(journals[0]).count(b"TaskStarted") == 2
    eventually(copied, "the copies of the logs", 60)
    [path] = stored("feed-train.bin")
    old = files.cat_file(path)
    (place / "go-160").touch()
    have_read(1760)
    am = client.agents(job.id, "am")
    for pid in am:
        os.kill(pid, signal.SIGKILL)
    with files.open(path, "wb") as file:
        file.write(old)
    eventually(lambda: set(client.agents(job.id, "am")) - set(am), "another attempt of the application master", 180)
    (place / "go-1760").touch()
    rows = [i for seen in job.results(timeout=180) for i in seen]
    assert len(rows) == len(set(rows)) == ROWS
    assert job.status().generation == 0
    assert [task.attempt for task in job.status().tasks] == [0, 0]
    client.assert_clean(job.id)


def test_feed_starts_again_with_a_job_whose_logs_are_lost(client):
    """The application master dies before its logs are copied to HDFS, so the next one starts all tasks again."""
    def read():
        return [i for batch in package.context().feed("train").numpy(16, columns=["i"]) for i in batch["i"].tolist()]

    feed = package.Feed(LARGE, remainder="short", buffer="1MiB")
    job = package.submit(read, workers=2, data={"train": feed}, **TOGETHER)
    eventually(lambda: client.agents(job.id, "am"), "the application master", 180)
    for pid in client.agents(job.id, "am"):
        os.kill(pid, signal.SIGKILL)
    rows = [i for seen in job.results(timeout=180) for i in seen]
    assert len(rows) == len(set(rows)) == ROWS
    client.assert_clean(job.id)


def test_rows_of_a_lost_container_are_requested_again(client):
    go = pathlib.Path.cwd() / "go"
    feed = package.Feed(LARGE, remainder="short", buffer="1MiB")
    job = package.submit(waiter(str(go), True), workers=2, data={"train": feed}, options={"restart": 1}, **TOGETHER)
    eventually(lambda: all(os.path.exists(f"{go}-{rank}") for rank in range(2)), "the first rows", 180)
    for pid in client.agents(job.id, "task")[:1]:
        os.kill(pid, signal.SIGKILL)
    rows = [i for seen in job.results(timeout=180) for i in seen]
    assert len(rows) == len(set(rows)) == ROWS
    assert job.status().generation == 1
    client.assert_clean(job.id)

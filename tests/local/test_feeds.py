"""Feeds on the local backend, from the process that has the rows to the functions in the ranks."""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading

import pytest

import arrow
from machine import BIN, ROOT, eventually

SITE = arrow.site_packages()
sys.path.insert(0, str(ROOT / "python"))

import numpy as np  # noqa: E402
import pyarrow as pa  # noqa: E402

import howdah  # noqa: E402
from howdah._feed import local_calls, spark_task  # noqa: E402

ROWS = 10_000
TABLE = pa.table({"i": np.arange(ROWS), "x": np.arange(ROWS) / 7, "text": [f"row {i}" for i in range(ROWS)]})
# The ranks of a PyTorch job restart together, and read with split `equal`. The functions need no PyTorch.
TOGETHER = {"framework": "pytorch", "memory": "512MiB", "env": {"PYTHONPATH": SITE}, "follow": False}
# The ranks of a plain job restart alone.
ALONE = {"env": {"PYTHONPATH": SITE}, "memory": "512MiB"}


@pytest.fixture(autouse=True)
def client(machine, tmp_path, monkeypatch):
    """Makes this process a client of the machine of the test."""
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    for name, value in (("HOWDAH_HOME", machine.home), ("HOWDAH_ON", "local"), ("XDG_CACHE_HOME", tmp_path / "cache"),
                        ("PATH", f"{BIN.parent}{os.pathsep}{os.environ['PATH']}")):
        monkeypatch.setenv(name, str(value))


def submit(function, **keys):
    return howdah.submit(function, **{**{k: v for k, v in TOGETHER.items() if k != "follow"}, **keys})


def reader(batch, epochs=1):
    """A function that returns for each pass the rows of each batch."""
    def read():
        feed = howdah.context().feed("train")
        return [[rows["i"].tolist() for rows in feed.numpy(batch, columns=["i"])] for _ in range(epochs)]
    return read


def flat(passes):
    return [i for batches in passes for batch in batches for i in batch]


def read_by_all(results, epoch=0):
    """The rows of a pass of all ranks, sorted. Checks that all ranks have batches of the same sizes."""
    sizes = [[len(batch) for batch in passes[epoch]] for passes in results]
    assert all(size == sizes[0] for size in sizes), sizes
    return sorted(flat([passes[epoch] for passes in results]))


def uneven():
    """Tables of very different sizes."""
    first = 0
    for size in (1, 4000, 2, 2500, 10, 10, 3477):
        yield TABLE.slice(first, size)
        first += size


@pytest.mark.parametrize("workers", [2, 4])
def test_each_row_is_read_once_in_each_of_three_passes(workers):
    feed = howdah.Feed(TABLE, epochs=3, remainder="short")
    results = submit(reader(32, epochs=3), workers=workers, data={"train": feed}).results(timeout=120)
    assert len(results) == workers
    for epoch in range(3):
        rows = read_by_all(results, epoch)
        assert len(set(rows)) == len(rows) > ROWS - workers


def test_run_feeds_the_job_and_returns_the_value_of_rank_0():
    rows = howdah.run(reader(100), workers=1, data={"train": TABLE}, **TOGETHER)
    assert sorted(flat(rows)) == list(range(ROWS))


@pytest.mark.parametrize("remainder, fewest, repeated", [("drop", ROWS - 3 * 64, 0), ("short", ROWS - 2, 0),
                                                         ("repeat", ROWS, 3 * 64)])
def test_ranks_get_equal_batches_of_uneven_partitions(remainder, fewest, repeated):
    feed = howdah.Feed(uneven, remainder=remainder)
    results = submit(reader(64), workers=3, data={"train": feed}).results(timeout=120)
    rows = read_by_all(results)
    assert len(set(rows)) >= fewest and len(rows) - len(set(rows)) < max(1, repeated)
    if remainder != "short":
        assert {len(batch) for batch in results[0][0]} == {64}


def test_split_all_gives_every_rank_all_rows():
    results = submit(reader(128), workers=3, data={"train": howdah.Feed(TABLE, split="all", remainder="short")})
    assert [sorted(flat(rows)) for rows in results.results(timeout=120)] == [list(range(ROWS))] * 3


def test_split_dynamic_gives_each_row_to_one_rank():
    feed = howdah.Feed(TABLE, remainder="short")
    job = howdah.submit(reader(128), workers=3, data={"train": feed}, **ALONE)
    assert sorted(i for rows in job.results(timeout=120) for i in flat(rows)) == list(range(ROWS))


def test_shuffled_feed_has_another_order_and_the_same_rows():
    feed = howdah.Feed(TABLE, epochs=2, shuffle=500, seed=3, remainder="short")
    results = submit(reader(50, epochs=2), workers=2, data={"train": feed}).results(timeout=120)
    passes = [flat([results[0][epoch]]) for epoch in range(2)]
    assert passes[0] != sorted(passes[0]) and passes[0] != passes[1]
    assert all(len(set(read_by_all(results, epoch))) == ROWS for epoch in range(2))


def test_columns_arrive_unchanged():
    def read():
        (batch,) = howdah.context().feed("train").numpy(ROWS)
        return float(batch["x"].mean()), sorted(batch["text"])[:2], batch["image"].shape, int(batch["image"].sum())

    images = np.arange(ROWS * 6, dtype=np.uint8).reshape(ROWS, 2, 3)
    data = {"x": TABLE["x"], "text": TABLE["text"].dictionary_encode(), "image": images}
    value = howdah.run(read, data={"train": howdah.Feed(data)}, **TOGETHER)
    assert value[0] == pytest.approx(np.mean(TABLE["x"].to_numpy()), rel=1e-12)
    assert value[1:] == (["row 0", "row 1"], (ROWS, 2, 3), int(images.sum(dtype=np.int64)))


@pytest.mark.parametrize("rows, announced", [(ROWS, False), (2_000_000, True)])
def test_source_on_this_machine_writes_into_the_memory_of_the_executor(monkeypatch, rows, announced):
    puts, writes = [], []
    begin, write = spark_task.Calls._begin_put, local_calls._write_at
    monkeypatch.setattr(spark_task.Calls, "_begin_put",
                        lambda calls, *given: puts.append(begin(calls, *given)) or puts[-1])
    monkeypatch.setattr(local_calls, "_write_at", lambda *given: writes.append(write(*given)))

    def total():
        return sum(int(batch["i"].sum()) for batch in howdah.context().feed("train").numpy(1000))

    found = submit(total, data={"train": howdah.Feed({"i": np.arange(rows)}, epochs=1)}).result(timeout=120)
    assert found == rows * (rows - 1) // 2 and bool(writes) == announced
    assert puts and all(isinstance(writer, local_calls.Put) for writer, *_ in puts)


def test_rows_larger_than_the_buffer_arrive():
    def read():
        feed = howdah.context().feed("train")
        return [len(data) for batch in feed.numpy(2) for data in batch["data"]]

    table = pa.table({"data": [bytes(size) for size in (10 << 20, 1, 12 << 20, 3 << 20)]})
    value = howdah.run(read, data={"train": howdah.Feed(table, buffer="1MiB")}, **TOGETHER)
    assert value == [10 << 20, 1, 12 << 20, 3 << 20]


# --- failures ---


def train(root, last, batch=16):
    """A function that saves the rows of each rank with every checkpoint. Rank 1 dies once, after step `last`."""
    def step_by_step():
        import select

        ctx = howdah.context()

        def state(rank, step):
            return f"{root}/rank-{rank}-step-{step}.json"
        step, _ = ctx.latest()
        seen = json.load(open(state(ctx.rank, step))) if step else []
        for rows in ctx.feed("train").numpy(batch, columns=["i"]):
            seen += rows["i"].tolist()
            step += 1
            if step % 10 == 0:
                with open(state(ctx.rank, step) + ".new", "w") as file:
                    json.dump(seen, file)
                os.rename(state(ctx.rank, step) + ".new", state(ctx.rank, step))
            ctx.progress(step)
            if step % 10 == 0 and ctx.rank == 0:
                while not all(os.path.exists(state(rank, step)) for rank in range(ctx.world_size)):
                    select.select([], [], [], 0.01)
                with ctx.checkpoint(step):
                    pass
            if step == last and ctx.rank == 1 and ctx.generation == 0:
                os.kill(os.getpid(), signal.SIGKILL)
        return seen
    return step_by_step


@pytest.mark.parametrize("make", [lambda: TABLE, uneven, lambda: uneven], ids=["table", "generator", "function"])
def test_killed_rank_reads_each_row_once_since_the_checkpoint(tmp_path, make):
    (tmp_path / "states").mkdir()
    feed = howdah.Feed(make(), remainder="short")
    job = submit(train(str(tmp_path / "states"), last=25), workers=2, data={"train": feed}, options={"restart": 1},
                 checkpoint=tmp_path / "checkpoints")
    seen = [i for rows in job.results(timeout=120) for i in rows]
    assert len(seen) == len(set(seen)) == ROWS
    assert job.status().generation == 1


def test_killed_rank_of_a_stream_reads_each_row_once_since_the_checkpoint(tmp_path):
    (tmp_path / "states").mkdir()
    feed = howdah.Feed(stream=True, remainder="short")
    with submit(train(str(tmp_path / "states"), last=25), workers=2, data={"train": feed}, options={"restart": 1},
                checkpoint=tmp_path / "checkpoints") as job:
        for first in range(0, ROWS, 1000):
            assert job.feed("train").send(TABLE.slice(first, 1000), key=str(first))
        job.feed("train").close()
        seen = [i for rows in job.results(timeout=120) for i in rows]
    assert len(seen) == len(set(seen)) == ROWS
    assert job.status().generation == 1
    assert os.listdir(tmp_path / "checkpoints/step-20") == [], "no other job continues a stream"


def test_killed_rank_without_checkpoints_reads_from_the_start(tmp_path):
    def read():
        ctx = howdah.context()
        seen = []
        for rows in ctx.feed("train").numpy(16, columns=["i"]):
            seen += rows["i"].tolist()
            if len(seen) == 320 and ctx.rank == 1 and ctx.generation == 0:
                os.kill(os.getpid(), signal.SIGKILL)
        return seen

    job = submit(read, workers=3, data={"train": howdah.Feed(TABLE, remainder="short")}, options={"restart": 1})
    seen = [i for rows in job.results(timeout=120) for i in rows]
    assert len(seen) == len(set(seen)) > ROWS - 3


def test_rank_that_restarts_alone_leaves_its_rows_to_all():
    def read():
        ctx = howdah.context()
        seen = []
        for rows in ctx.feed("train").numpy(10, columns=["i"]):
            if len(seen) == 200 and ctx.rank == 1 and ctx.attempt == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            seen += rows["i"].tolist()
        return seen

    # Without "short" each rank leaves out the rows that do not fill its last batch.
    data = {"train": howdah.Feed(TABLE, remainder="short")}
    job = howdah.submit(read, workers=2, restart=1, data=data, **ALONE)
    seen = [i for rows in job.results(timeout=120) for i in rows]
    assert sorted(seen) == list(range(ROWS))


def test_rank_that_restarts_alone_after_the_last_row_finds_the_end():
    def read():
        ctx = howdah.context()
        rows = sum(len(batch["i"]) for batch in ctx.feed("train").numpy(10))
        if ctx.rank == 1 and ctx.attempt == 0:
            os._exit(7)
        return ctx.attempt, rows

    job = howdah.submit(read, workers=2, restart=1, data={"train": howdah.Feed(TABLE, remainder="short")}, **ALONE)
    first, second = job.results(timeout=120)
    assert first[0] == 0 and second == (1, 0)


@pytest.mark.parametrize("split", ["equal", "all"])
def test_rank_that_restarts_alone_ends_a_job_whose_ranks_read_in_lockstep(split):
    def read():
        ctx = howdah.context()
        for number, _ in enumerate(ctx.feed("train").numpy(10)):
            if number == 20 and ctx.rank == 0 and ctx.attempt == 0:
                os._exit(9)

    feed = howdah.Feed(TABLE, split=split, remainder="short", buffer="1MiB")
    with pytest.raises(howdah.FeedMisuse, match="rank 0 of the feed train has restarted alone.* set `split: dynamic`"):
        limit = {"feed": "3s"}
        howdah.submit(read, workers=2, restart=3, data={"train": feed}, timeouts=limit, **ALONE).results(timeout=120)


def test_ranks_in_lockstep_that_restart_one_after_the_other_read_on(tmp_path):
    gone = str(tmp_path / "gone")

    def read():
        import select

        ctx = howdah.context()
        if ctx.rank == 0 and ctx.attempt == 1:
            open(gone, "w").close()
        rows = 0
        for number, batch in enumerate(ctx.feed("train").numpy(10)):
            rows += len(batch["i"])
            if number == 20 and ctx.attempt == 0:
                while ctx.rank == 1 and not os.path.exists(gone):  # until rank 0 has restarted
                    select.select([], [], [], 0.01)
                os._exit(9)
        return ctx.attempt, rows

    feed = howdah.Feed(TABLE, split="equal", remainder="short", buffer="1MiB")
    results = howdah.submit(read, workers=2, restart=1, data={"train": feed}, **ALONE).results(timeout=120)
    assert [attempt for attempt, _ in results] == [1, 1] and sum(rows for _, rows in results) == ROWS, results


def test_rank_that_restarts_alone_restores_its_own_checkpoint(tmp_path):
    path, started = str(tmp_path / "rank-0"), str(tmp_path / "rank-1-reads")

    def read():
        import pickle
        import select

        ctx = howdah.context()
        feed, seen, step = ctx.feed("train"), [], 0
        if ctx.attempt:
            seen, step, state = pickle.load(open(path, "rb"))
            feed.load_state_dict(state)
        for rows in feed.numpy(10, columns=["i"]):
            seen += rows["i"].tolist()
            step += 1
            ctx.progress(step)
            if ctx.rank == 1 and step == 3:
                open(started, "w").close()
            while ctx.rank == 0 and not os.path.exists(started):
                select.select([], [], [], 0.01)
            if ctx.rank == 0 and step == 3:
                pickle.dump((seen, step, feed.state_dict()), open(path, "wb"))
            if ctx.rank == 0 and step == 4 and ctx.attempt == 0:
                os.kill(os.getpid(), signal.SIGKILL)
        return seen

    # A block of 4 MiB fills the buffer of a rank, so the next one is for the other rank.
    rows = {"i": np.arange(4000), "data": [bytes(4096)] * 4000}
    feed = howdah.Feed(rows, remainder="short", buffer="1MiB")
    job = howdah.submit(read, workers=2, restart=1, data={"train": feed}, **ALONE)
    assert {i for seen in job.results(timeout=120) for i in seen} == set(range(4000))


def test_feed_continues_after_the_death_of_the_application_master(machine, tmp_path):
    go = str(tmp_path / "go")

    def read():
        import select

        seen = []
        for rows in howdah.context().feed("train").numpy(16, columns=["i"]):
            seen += rows["i"].tolist()
            if len(seen) == 160:
                open(f"{go}-{howdah.context().rank}", "w").close()
                while not os.path.exists(go):
                    select.select([], [], [], 0.01)
        return seen

    job = submit(read, workers=2, data={"train": howdah.Feed(TABLE, remainder="short", buffer="1MiB")})
    eventually(lambda: all(os.path.exists(f"{go}-{rank}") for rank in range(2)), "the first rows")
    am = machine.agents(job.id, "am")[1]
    os.kill(am, signal.SIGKILL)
    eventually(lambda: [pid for pid in machine.agents(job.id, "am")[1:] if pid != am], "the next application master")
    pathlib.Path(go).touch()
    seen = [i for rows in job.results(timeout=120) for i in rows]
    assert len(seen) == len(set(seen)) == ROWS
    assert job.status().generation == 0


def test_source_that_raises_kills_the_job_and_raises_from_run():
    def broken():
        yield TABLE.slice(0, 100)
        raise ValueError("the rows are used up")

    with pytest.raises(ValueError, match="the rows are used up"):
        howdah.run(reader(16), workers=2, data={"train": howdah.Feed(broken())}, **TOGETHER)
    assert howdah.Job.attach("last").state == "KILLED"


def test_failed_function_is_raised_once_although_the_source_has_more_rows():
    ended = threading.Event()

    def endless():
        try:
            while True:
                yield TABLE
        finally:
            ended.set()

    def fail():
        for _ in howdah.context().feed("train").numpy(16):
            raise ArithmeticError("the loss is not a number")

    with pytest.raises(ArithmeticError, match="the loss is not a number"):
        howdah.run(fail, workers=2, data={"train": howdah.Feed(endless(), buffer="1MiB")}, **TOGETHER)
    assert ended.wait(60)


def test_end_of_the_pushing_process_is_named_by_the_readers(tmp_path):
    script = tmp_path / "push.py"
    script.write_text("""
import itertools, os, howdah, numpy

def read():
    for rows in howdah.context().feed("train").numpy(10, columns=["i"]):
        howdah.context().progress(1)

def rows(read=read):
    yield {"i": numpy.arange(100)}
    job.wait(timeout=100)

job = howdah.submit(read, framework="pytorch", memory="512MiB", env={"PYTHONPATH": os.environ["PYTHONPATH"]},
                    timeouts={"feed": "1s"}, data={"train": howdah.Feed(rows(), stream=True)})
while job.feed("train").stats().rows < 100:
    pass
os._exit(0)
""")
    path = f"{ROOT / 'python'}{os.pathsep}{SITE}"
    subprocess.run([sys.executable, script], check=True, env={**os.environ, "PYTHONPATH": path}, timeout=120)
    with pytest.raises(howdah.FeedLost, match=r"the process \d+ on "):
        howdah.Job.attach("last").result(timeout=120)


# --- writers ---


def adder():
    """A function that adds up a stream."""
    def total():
        return sum(int(rows["i"].sum()) for rows in howdah.context().feed("live").numpy(5, columns=["i"]))
    return total


def test_sent_data_with_the_same_key_is_read_once():
    live = {"live": howdah.Feed(stream=True, remainder="short")}
    with submit(adder(), workers=2, data=live) as job:
        writer = job.feed("live")
        assert writer.send(TABLE.slice(0, 1000), key="0") is True
        assert howdah.Job.attach(job.id).feed("live").send(TABLE.slice(0, 1000), key="0") is False
        assert writer.send({"i": TABLE["i"][1000:], "x": TABLE["x"][1000:], "text": TABLE["text"][1000:]}) is True
        writer.close()
        assert sum(job.results(timeout=120)) == ROWS * (ROWS - 1) // 2
        assert writer.stats().rows == ROWS and writer.send(TABLE) is False


def test_stream_is_closed_on_the_command_line(machine):
    with submit(adder(), data={"live": howdah.Feed(stream=True, remainder="short")}) as job:
        job.feed("live").send(TABLE.slice(0, 10))
        done = machine("feed", job.id, "live", "--close")
        assert done.code == 0, done
        assert job.result(timeout=120) == 45
        assert howdah.Job.attach(job.id).feed("live").send(TABLE) is False


def test_send_raises_the_error_of_the_job():
    def fail():
        for _ in howdah.context().feed("live").numpy(5):
            raise ArithmeticError("the loss is not a number")

    with submit(fail, data={"live": howdah.Feed(stream=True, buffer="1MiB")}) as job:
        with pytest.raises(ArithmeticError, match="the loss is not a number"):
            while job.feed("live").send({"i": np.arange(1 << 20)}):
                pass


def test_reader_that_stops_early_ends_the_source():
    ended = threading.Event()

    def endless():
        try:
            while True:
                yield TABLE
        finally:
            ended.set()

    def read():
        feed = howdah.context().feed("train")
        for number, rows in enumerate(feed.numpy(16)):
            if number == 2:
                feed.stop()
                break
        return number

    assert howdah.run(read, workers=2, data={"train": howdah.Feed(endless(), buffer="1MiB")}, **TOGETHER) == 2
    assert ended.wait(60)


def test_rest_of_a_pass_that_was_left_early_is_skipped():
    def read():
        import itertools

        feed = howdah.context().feed("train")
        rank = howdah.context().rank
        passes = [[rows["i"].tolist() for rows in itertools.islice(feed.numpy(16), 2 + rank)] for _ in range(3)]
        return passes + [[rows["i"].tolist() for rows in feed.numpy(16)]]

    feed = howdah.Feed(TABLE, epochs=4, remainder="short", buffer="1MiB")
    results = submit(read, workers=2, data={"train": feed}).results(timeout=120)
    assert [[len(batches) for batches in passes[:3]] for passes in results] == [[2] * 3, [3] * 3]
    assert len(set(read_by_all(results, epoch=3))) == ROWS


# --- mistakes ---


def test_different_batch_sizes_are_an_error_that_names_both():
    def read():
        return [len(rows["i"]) for rows in howdah.context().feed("train").numpy(16 + howdah.context().rank)]

    with pytest.raises(howdah.FeedMisuse, match="1[67].*1[67]"):
        howdah.run(read, workers=2, data={"train": howdah.Feed(TABLE)}, **TOGETHER)


def test_pass_without_a_batch_is_an_error():
    with pytest.raises(howdah.FeedEmpty):
        howdah.run(reader(64), workers=2, data={"train": howdah.Feed(TABLE.slice(0, 100))}, **TOGETHER)


@pytest.mark.parametrize("data, key", [({"Train": howdah.Feed()}, "feeds"),
                                       ({"train": howdah.Feed(split="equl")}, "split"),
                                       ({"train": howdah.Feed(roles=["wrker"])}, "roles"),
                                       ({"train": howdah.Feed(epochs=2, stream=True)}, "epochs")])
def test_wrong_options_are_problems_of_the_job_file(data, key):
    with pytest.raises(howdah.JobFileError) as caught:
        howdah.submit(reader(1), data=data)
    assert any(key in problem.key for problem in caught.value.problems), caught.value.problems
    assert howdah.jobs(all=True) == []


def test_unknown_feed_names_the_feeds_of_the_job():
    with submit(adder(), data={"live": howdah.Feed(stream=True)}) as job:
        with pytest.raises(howdah.FeedError, match="lve"):
            job.feed("lve").send(TABLE)
        job.feed("live").close()


# --- the job's files and status ---


def test_status_of_a_feed_and_the_files_of_an_ended_job(machine, tmp_path):
    go = str(tmp_path / "go")

    def read():
        import select

        rows = 0
        for batch in howdah.context().feed("train").numpy(16):
            rows += len(batch["i"])
            if rows == 160:
                open(f"{go}-ready", "w").close()
                while not os.path.exists(go):
                    select.select([], [], [], 0.01)
        return rows

    with submit(read, data={"train": howdah.Feed(TABLE, remainder="short")}) as job:
        eventually(lambda: os.path.exists(f"{go}-ready"), "the first rows")
        (feed,) = json.loads(machine("feed", job.id, "--json").stdout)
        assert (feed["name"], feed["pass"], feed["sources"]) == ("train", 0, 1) and feed["bytes"] > 0
        assert eventually(lambda: job.status().raw["feeds"][0]["rows"] >= 144, "the rows of ten batches")
        files = machine.home / "jobs" / job.id
        assert (files / "feed-train.bin").exists()
        job.kill()
        assert not list(files.glob("feed-*"))
    assert machine("feed", job.id).code == 3


# --- the document ---


SECTION = (ROOT / "docs/python-api.md").read_text().split("\n## Feeds\n")[1].split("\n## ")[0]
BLOCKS = [block for block in re.findall(r"```python\n(.*?)```", SECTION, re.DOTALL)
          if "import tensorflow" not in block]  # tests/frameworks/test_feeds.py


@pytest.mark.parametrize("number", range(2))
def test_code_block_of_the_document_runs(number):
    assert len(BLOCKS) == 2
    pathlib.Path("block.py").write_text(BLOCKS[number])
    # An environment of its own, because tasks unpickle functions with the cloudpickle of the caller's interpreter.
    made = subprocess.run([ROOT / "tools/ml-env", "feeds"], stdout=subprocess.PIPE, text=True, check=True)
    done = subprocess.run([made.stdout.strip(), "block.py"], capture_output=True, text=True, timeout=120,
                          env={**os.environ, "PYTHONPATH": str(ROOT / "python")})
    assert done.returncode == 0, f"{BLOCKS[number]}\n{done.stdout}\n{done.stderr}"

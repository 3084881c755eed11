"""Feeds of files on the local backend: the ranks read the files themselves."""
import json
import os
import pathlib
import signal
import sys

import pytest

import arrow
from machine import BIN, ROOT, eventually

SITE = arrow.site_packages()
sys.path.insert(0, str(ROOT / "python"))

import numpy as np  # noqa: E402
import pyarrow as pa  # noqa: E402
import pyarrow.csv  # noqa: E402
import pyarrow.parquet  # noqa: E402

import howdah  # noqa: E402
from howdah.data import tfrecord  # noqa: E402

UNEVEN = (1, 4000, 2, 2500, 10, 10, 3477)
ROWS = sum(UNEVEN)
# The ranks of a PyTorch job restart together, and read with split `equal`. The functions need no PyTorch.
TOGETHER = {"framework": "pytorch", "memory": "512MiB", "env": {"PYTHONPATH": SITE}}


@pytest.fixture(autouse=True)
def client(machine, tmp_path, monkeypatch):
    """Makes this process a client of the machine of the test."""
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    for name, value in (("HOWDAH_HOME", machine.home), ("HOWDAH_ON", "local"), ("XDG_CACHE_HOME", tmp_path / "cache"),
                        ("PATH", f"{BIN.parent}{os.pathsep}{os.environ['PATH']}")):
        monkeypatch.setenv(name, str(value))


def table(rows, first=0):
    numbers = np.arange(first, first + rows)
    return pa.table({"i": numbers, "x": numbers / 8, "text": pa.array([f"row {i}" for i in numbers], pa.string())})


def write(folder, sizes=UNEVEN, format="parquet", **options):
    """Writes files with these numbers of rows. The rows of all files are numbered in the column `i`."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    first = 0
    for number, size in enumerate(sizes):
        rows, path = table(size, first), str(folder / f"part-{number:03}.{format}")
        first += size
        if format == "parquet":
            pa.parquet.write_table(rows, path, **options)
        elif format == "arrow":
            with pa.ipc.new_file(path, rows.schema) as file:
                file.write_table(rows, max_chunksize=700)
        elif format == "ipc":  # a stream
            with pa.ipc.new_stream(path, rows.schema) as file:
                file.write_table(rows)
        elif format.startswith("csv"):
            with pa.output_stream(path, compression="gzip" if format.endswith("gz") else None) as file:
                pa.csv.write_csv(rows, file)
        else:
            tfrecord.write(rows, path)
    return str(folder)


def submit(function, **keys):
    return howdah.submit(function, **{**TOGETHER, **keys})


def reader(batch, epochs=1, columns=("i",)):
    """A function that returns for each pass the column `i` of each batch."""
    def read():
        feed = howdah.context().feed("train")
        return [[rows["i"].tolist() for rows in feed.numpy(batch, columns=columns)] for _ in range(epochs)]
    return read


def flat(passes):
    return [i for batches in passes for batch in batches for i in batch]


def read_by_all(results, epoch=0):
    """The rows of a pass of all ranks, sorted. Checks that all ranks have batches of the same sizes."""
    sizes = [[len(batch) for batch in passes[epoch]] for passes in results]
    assert all(size == sizes[0] for size in sizes), sizes
    return sorted(flat([passes[epoch] for passes in results]))


# --- rows ---


@pytest.mark.parametrize("workers", [2, 4])
def test_each_row_is_read_once_in_each_of_three_passes(workers):
    feed = howdah.Feed(write("data"), epochs=3, remainder="short")
    results = submit(reader(32, epochs=3), workers=workers, data={"train": feed}).results(timeout=120)
    assert len(results) == workers
    for epoch in range(3):
        rows = read_by_all(results, epoch)
        assert len(set(rows)) == len(rows) > ROWS - workers


@pytest.mark.parametrize("format", ["arrow", "ipc", "csv", "csv.gz", "tfrecord"])
def test_rows_of_other_formats(format):
    def read():
        feed = howdah.context().feed("train")
        return [(row["i"], row["x"], row["text"]) for row in feed.rows()]

    results = submit(read, workers=2, data={"train": howdah.Feed(write("data", format=format))}).results(timeout=120)
    text = (lambda i: b"row %d" % i) if format == "tfrecord" else "row {}".format
    rows = sorted(row for rows in results for row in rows)
    assert len(rows) >= ROWS - 1 and rows[:1234] == [(i, i / 8, text(i)) for i in range(1234)]


def test_records_of_tfrecord_files_are_not_parsed():
    os.mkdir("data")
    records = [b"record %d" % i for i in range(100)]
    tfrecord.write(pa.table({"r": records}), "data/part-0", records=True)

    def read():
        return [row["record"] for row in howdah.context().feed("train").rows()]

    feed = howdah.Feed("data", columns=["record"], format="tfrecord")
    assert submit(read, data={"train": feed}).result(timeout=120) == records


def test_columns_patterns_and_lists_select_what_is_read():
    write("a"), write("b", sizes=(10,))

    def read():
        feed = howdah.context().feed("train")
        rows = [i for batch in feed.numpy(10) for i in batch["i"].tolist()]
        return feed.schema.names, sorted(rows)

    feed = howdah.Feed(["a/part-00[02].parquet", "b"], columns=["x", "i"])
    names, rows = submit(read, data={"train": feed}).result(timeout=120)
    assert names == ["x", "i"] and rows == sorted([0, 4001, 4002, *range(7)]), "in the order of the list"


def test_split_all_gives_every_rank_all_rows():
    feed = howdah.Feed(write("data"), split="all", remainder="short")
    results = submit(reader(128), workers=3, data={"train": feed}).results(timeout=120)
    assert [sorted(flat(rows)) for rows in results] == [list(range(ROWS))] * 3
    assert results[0] == results[1] == results[2] and flat(results[0]) == list(range(ROWS)), "in the order of the files"


def test_split_dynamic_gives_each_row_to_one_rank():
    feed = howdah.Feed(write("data"), epochs=2, remainder="short")
    keys = {**TOGETHER, "framework": "plain"}
    results = howdah.submit(reader(128, epochs=2), workers=3, data={"train": feed}, **keys).results(timeout=120)
    for epoch in range(2):
        assert sorted(flat([passes[epoch] for passes in results])) == list(range(ROWS))


def test_rows_of_one_file_are_shared_by_the_ranks_of_a_dynamic_feed():
    def read():
        import select

        rows = []
        for batch in howdah.context().feed("train").numpy(100):
            rows += batch["i"].tolist()
            if len(rows) == 100:  # every rank begins before one of them has read everything
                pathlib.Path(f"{here}/{howdah.context().rank}").touch()
                while len([name for name in os.listdir(here) if name in ("0", "1")]) < 2:
                    select.select([], [], [], 0.01)
        return rows

    here = os.getcwd()
    feed = howdah.Feed(write("data", sizes=(20_000,)), remainder="short")
    results = howdah.submit(read, workers=2, data={"train": feed}, **{**TOGETHER, "framework": "plain"}).results(120)
    assert sorted(results[0] + results[1]) == list(range(20_000))


def test_processes_of_one_task_read_files_of_their_own():
    feed = howdah.Feed(write("data"), remainder="short")
    job = submit(reader(64), workers=1, processes=2, data={"train": feed})
    rows = read_by_all(job.results(timeout=120))
    assert len(set(rows)) == len(rows) > ROWS - 2


# --- order ---


@pytest.mark.parametrize("sizes, buffer, shuffle", [
    (UNEVEN, "256MiB", 200), (UNEVEN, "256MiB", 0), ((60_000,), "1MiB", 200), ((50_000, 100, 9, 20_000), "1MiB", 0),
], ids=["uneven", "not shuffled", "one file", "files larger than the buffer"])  # fmt: skip
def test_same_seed_gives_every_rank_the_same_order(sizes, buffer, shuffle):
    folder = write("data", sizes=sizes, row_group_size=5000)

    def run():
        feed = howdah.Feed(folder, epochs=2, shuffle=shuffle, seed=5, remainder="short", buffer=buffer)
        return submit(reader(50, epochs=2), workers=3, data={"train": feed}).results(timeout=120)

    once, again = run(), run()
    assert once == again
    rows = read_by_all(once, 1)
    assert len(set(rows)) == len(rows) > sum(sizes) - 3
    assert not shuffle or once[0][0] != once[0][1], "each pass has another order"


def test_shuffle_changes_the_order_of_files_from_pass_to_pass():
    folder = write("data", sizes=[100] * 12)
    feed = howdah.Feed(folder, epochs=3, shuffle=1, seed=7)
    passes = submit(reader(100, epochs=3), data={"train": feed}).result(timeout=120)
    files = [[batch[0] // 100 for batch in batches] for batches in passes]
    assert all(sorted(order) == list(range(12)) for order in files)
    assert len({tuple(order) for order in files}) == 3 and list(range(12)) not in files


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


@pytest.mark.parametrize("format", ["parquet", "csv"])
def test_killed_rank_reads_each_row_once_since_the_checkpoint(tmp_path, format):
    (tmp_path / "states").mkdir()
    feed = howdah.Feed(write("data", format=format), remainder="short")
    job = submit(train(str(tmp_path / "states"), last=25), workers=2, data={"train": feed}, options={"restart": 1},
                 checkpoint=tmp_path / "checkpoints")
    seen = [i for rows in job.results(timeout=120) for i in rows]
    assert len(seen) == len(set(seen)) == ROWS
    assert job.status().generation == 1


def test_rank_that_restarts_alone_leaves_its_rows_to_all():
    def read():
        ctx = howdah.context()
        seen = []
        for rows in ctx.feed("train").numpy(10, columns=["i"]):
            if len(seen) == 200 and ctx.rank == 1 and ctx.attempt == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            seen += rows["i"].tolist()
        return seen

    feed = howdah.Feed(write("data"))
    job = howdah.submit(read, workers=2, restart=1, data={"train": feed}, **{**TOGETHER, "framework": "plain"})
    seen = [i for rows in job.results(timeout=120) for i in rows]
    assert sorted(seen) == list(range(ROWS))


def halting(go, epochs=1):
    """A function that returns its rows, and waits after 160 of them until the file `go` exists."""
    def read():
        import select

        seen = []
        for _ in range(epochs):
            for rows in howdah.context().feed("train").numpy(16, columns=["i"]):
                seen += rows["i"].tolist()
                if len(seen) == 160:
                    open(f"{go}-{howdah.context().rank}", "w").close()
                    while not os.path.exists(go):
                        select.select([], [], [], 0.01)
        return seen
    return read


def wait_until_halted(go, ranks=2):
    eventually(lambda: all(os.path.exists(f"{go}-{rank}") for rank in range(ranks)), "the first rows")


def test_feed_continues_after_the_death_of_the_application_master(machine, tmp_path):
    go = str(tmp_path / "go")
    feed = howdah.Feed(write("data", sizes=[2000] * 8), remainder="short", buffer="1MiB")
    job = submit(halting(go), workers=2, data={"train": feed})
    wait_until_halted(go)
    am = machine.agents(job.id, "am")[1]
    os.kill(am, signal.SIGKILL)
    eventually(lambda: [pid for pid in machine.agents(job.id, "am")[1:] if pid != am], "the next application master")
    pathlib.Path(go).touch()
    seen = [i for rows in job.results(timeout=120) for i in rows]
    assert len(seen) == len(set(seen)) == 16_000
    assert job.status().generation == 0


def helpers():
    """The processes that read files, of this user."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and b"howdah._feed.files" in (entry / "cmdline").read_bytes():
                found.append(int(entry.name))
        except OSError:
            pass
    return found


def mine(pids, job):
    return [pid for pid in pids if f"HOWDAH_JOB_ID={job}".encode() in pathlib.Path(f"/proc/{pid}/environ").read_bytes()]


def test_killed_reading_process_is_replaced(tmp_path):
    go = str(tmp_path / "go")
    feed = howdah.Feed(write("data", sizes=[20_000] * 4), remainder="short", buffer="1MiB")
    job = submit(halting(go), workers=2, data={"train": feed})
    wait_until_halted(go)
    reading = mine(helpers(), job.id)
    assert len(reading) == 2
    for pid in reading:
        os.kill(pid, signal.SIGKILL)
    pathlib.Path(go).touch()
    seen = [i for rows in job.results(timeout=120) for i in rows]
    assert len(seen) == len(set(seen)) == 80_000


def test_job_that_needs_no_driver(machine):
    write("data", sizes=(30, 50))
    pathlib.Path("train.py").write_text(
        "import howdah\n"
        "rows = [i for batch in howdah.context().feed().numpy(8, columns=['i']) for i in batch['i'].tolist()]\n"
        "print('read', len(rows), sum(rows))\n"
    )
    path = f"{ROOT / 'python'}{os.pathsep}{SITE}"
    pathlib.Path("job.yaml").write_text(
        f"source: .\nenv: {{PYTHONPATH: {json.dumps(path)}}}\nfeeds: {{train: {{from: data, columns: [i]}}}}\n"
        f"roles: {{worker: {{memory: 512MiB, command: [{json.dumps(sys.executable)}, train.py]}}}}\n"
    )
    done = machine("run", os.path.abspath("job.yaml"), timeout=120)
    assert done.code == 0 and f"read 80 {sum(range(80))}" in done.stdout, done


# --- errors ---


def fails_with(kind, message, source, **keys):
    """Runs a job whose feed fails, and checks the exception of the readers."""
    with pytest.raises(kind) as caught:
        submit(reader(8), data={"train": howdah.Feed(source, **keys)}).result(timeout=120)
    assert message in str(caught.value), caught.value


def test_directory_without_files_is_an_error():
    os.mkdir("data")
    pathlib.Path("data/_SUCCESS").touch()
    fails_with(howdah.FeedError, f"reading {os.getcwd()}/data: it has no files", "data")


def test_pattern_without_files_is_an_error():
    fails_with(howdah.FeedError, "data/*.parquet: the pattern matches no file", "data/*.parquet")


def test_missing_path_is_a_problem_of_the_job_file():
    with pytest.raises(howdah.JobFileError, match="feeds.train.from: no such file or directory"):
        submit(reader(8), data={"train": howdah.Feed("nothing")})


def test_file_that_is_not_of_its_format_is_an_error():
    write("data", sizes=(10,))
    pathlib.Path("data/part-001.parquet").write_bytes(b"no Parquet" * 100)
    fails_with(howdah.FeedError, f"reading {os.getcwd()}/data/part-001.parquet: ", "data")


def test_files_with_different_columns_are_an_error_that_names_both():
    write("data", sizes=(10,))
    pa.parquet.write_table(table(10).cast(pa.schema([("i", "int32"), ("x", "float64"), ("text", "string")])),
                           "data/other.parquet")
    fails_with(howdah.FeedError, "the column 'i' has the type int64 in", "data")
    with pytest.raises(howdah.FeedError, match="part-000.parquet, and int32 in .*other.parquet"):
        howdah.Job.attach("last").result(timeout=120)


def test_unknown_column_is_an_error():
    fails_with(howdah.FeedError, "it has no column 'y'; its columns are i, x, text", write("data"), columns=["y"])


def test_file_that_cannot_be_read_is_an_error():
    write("data", sizes=(10, 10))
    os.chmod("data/part-001.parquet", 0)
    if os.access("data/part-001.parquet", os.R_OK):
        pytest.skip("root may read every file")
    fails_with(howdah.FeedError, "reading " + os.getcwd() + "/data/part-001.parquet: ", "data")


def test_file_that_changes_is_an_error_that_names_it(tmp_path):
    go = str(tmp_path / "go")
    # The first pass may have been read when the files change. The second pass reads at least one of them again, because
    # the executor cannot keep the rows of all.
    folder = write("data", sizes=[30_000] * 4)
    feed = howdah.Feed(folder, epochs=2, buffer="1MiB", spool="64KiB", columns=["i", "x", "text"])
    job = submit(halting(go, epochs=2), data={"train": feed})
    wait_until_halted(go, ranks=1)
    for number in range(4):
        pa.parquet.write_table(table(9), f"{folder}/part-00{number}.parquet")
    pathlib.Path(go).touch()
    with pytest.raises(howdah.FeedChanged, match="part-00[0-3].parquet has changed since the job has begun to read it"):
        job.result(timeout=120)


def test_feed_of_empty_files_has_no_batch():
    write("data", sizes=(0, 0))
    with pytest.raises(howdah.FeedEmpty):
        submit(reader(8), data={"train": howdah.Feed("data")}).result(timeout=120)


def test_reading_process_that_dies_again_and_again_is_an_error():
    def read():
        import howdah._feed.file_helper as helper

        helper._BOOT = "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
        return [len(rows["i"]) for rows in howdah.context().feed("train").numpy(8)]

    with pytest.raises(howdah.FeedError, match="the process that reads its files was killed by signal 9, 3 times"):
        submit(read, data={"train": howdah.Feed(write("data"))}).result(timeout=120)


def test_processes_end_with_the_job():
    job = submit(reader(8), workers=2, data={"train": howdah.Feed(write("data"))})
    job.results(timeout=120)
    eventually(lambda: not mine(helpers(), job.id), "the end of the reading processes")


def test_memory_of_the_reading_process_is_bounded(tmp_path):
    """A row group that is much larger than the blocks that are decoded ahead."""
    go = str(tmp_path / "go")
    os.mkdir("data")
    blobs = pa.array([os.urandom(1 << 10) * 64 for _ in range(4000)], pa.binary())  # 250 MiB
    pa.parquet.write_table(pa.table({"i": np.arange(4000), "blob": blobs}), "data/a.parquet", row_group_size=4000,
                           use_dictionary=False, compression="none")
    job = submit(halting(go), data={"train": howdah.Feed("data", buffer="1MiB")})
    wait_until_halted(go, ranks=1)
    (pid,) = mine(helpers(), job.id)
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    peak = int(status.split("VmHWM:")[1].split()[0]) >> 10
    pathlib.Path(go).touch()
    assert len(job.result(timeout=120)) == 4000
    assert peak < 250, f"{peak} MiB"


def test_command_line_shows_the_source(machine, tmp_path):
    go = str(tmp_path / "go")
    folder = write("data")
    with submit(halting(go), data={"train": howdah.Feed(folder)}) as job:
        wait_until_halted(go, ranks=1)
        (feed,) = json.loads(machine("feed", job.id, "--json").stdout)
        assert (feed["name"], feed["sources"]) == ("train", 1) and feed["bytes"] > 0
        pathlib.Path(go).touch()
        job.result(timeout=120)


def test_data_of_a_program_is_not_mixed_with_paths():
    with pytest.raises(howdah.FeedTypeError, match="give only paths"):
        howdah.Feed([table(3), "data"])
    assert howdah.Feed("data").keys == {"from": f"{os.getcwd()}/data"}

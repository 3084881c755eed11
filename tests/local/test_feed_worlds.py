"""Feeds whose number of ranks changes in the middle of a pass, within a job and from one job to the next one: each row
is in the checkpoint exactly once."""
import json
import os
import signal
import sys

import pytest

import arrow
from machine import BIN, ROOT, eventually

SITE = arrow.site_packages()
sys.path.insert(0, str(ROOT / "python"))

import numpy as np  # noqa: E402
import pyarrow as pa  # noqa: E402
import pyarrow.parquet as pq  # noqa: E402

import howdah  # noqa: E402

ROWS = 10_000
TABLE = pa.table({"i": np.arange(ROWS)})
BATCH, SAVE_EVERY, GATE = 16, 5, 12  # rows; steps


@pytest.fixture(autouse=True)
def client(machine, tmp_path, monkeypatch):
    """Makes this process a client of the machine of the test."""
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    for name, value in (("HOWDAH_HOME", machine.home), ("HOWDAH_ON", "local"), ("XDG_CACHE_HOME", tmp_path / "cache"),
                        ("PATH", f"{BIN.parent}{os.pathsep}{os.environ['PATH']}")):
        monkeypatch.setenv(name, str(value))


def count_rows(root, own=None):
    """A function that counts how often each row was read in each pass, with the counts of all ranks in a checkpoint
    every few steps. Each start of the ranks stops after some steps until the file `root/go-WORLD` exists, where WORLD
    is the number of ranks. own: a file in which the program saves its state itself, in place of Context.checkpoint.
    Rank 0 returns the counts of the last checkpoint."""
    def count():
        import select

        import numpy as np

        ctx = howdah.context()
        feed = ctx.feed("train")
        counts, step = np.zeros((2, ROWS), int), 0
        if own is None:
            step, directory = ctx.latest()
            if directory:
                counts = np.load(f"{directory}/counts.npy")
        elif os.path.exists(own):
            saved = json.load(open(own))
            counts, step = np.array(saved["counts"]), saved["step"]
            feed.load_state_dict(saved["feed"])
        begun, parts = step, []

        def until(done):
            while not done():
                select.select([], [], [], 0.005)

        def part(rank, at):
            return f"{root}/{ctx.generation}-{ctx.world_size}-{at}-{rank}.json"

        def save():
            """Rank 0 saves the rows that all ranks have read since the last checkpoint."""
            with open(part(ctx.rank, step) + ".new", "w") as file:
                json.dump(parts, file)
            os.rename(part(ctx.rank, step) + ".new", part(ctx.rank, step))
            parts.clear()
            if ctx.rank != 0:
                return
            for rank in range(ctx.world_size):
                until(lambda: os.path.exists(part(rank, step)))
                for number, rows in json.load(open(part(rank, step))):
                    np.add.at(counts[number], rows, 1)
            if own is None:
                with ctx.checkpoint(step) as folder:
                    np.save(f"{folder}/counts.npy", counts)
                return
            with open(own + ".new", "w") as file:
                json.dump({"counts": counts.tolist(), "step": step, "feed": feed.state_dict()}, file)
            os.rename(own + ".new", own)
            ctx.checkpointed(step)

        def gate():
            if ctx.rank == 0:  # which has saved the last checkpoint
                open(f"{root}/at-{ctx.world_size}-{ctx.generation}", "w").close()
            until(lambda: os.path.exists(f"{root}/go-{ctx.world_size}"))

        for _ in range(2):
            for rows in feed.numpy(BATCH, columns=["i"]):
                step += 1
                parts.append((feed.epoch, rows["i"].tolist()))
                ctx.progress(step)
                if step % SAVE_EVERY == 0:
                    save()
                if step == begun + GATE:
                    gate()
        save()
        return counts.tolist()
    return count


def submit(root, feed, workers, own=None, **keys):
    root.mkdir()
    return howdah.submit(count_rows(str(root), own), workers=workers, framework="pytorch", memory="256MiB",
                         env={"PYTHONPATH": SITE}, timeouts={"settle": "1s"}, data={"train": feed}, **keys)


def at_gate(job, root, ranks, but=()):
    found = lambda: [path for path in root.glob(f"at-{ranks}-*") if path not in but]
    return eventually(found, f"{ranks} ranks in the middle of a pass: {job.status()}")


def assert_each_row_is_counted_once(passes, left_out):
    """left_out: the most rows that a pass may leave out."""
    for counts in np.array(passes):
        assert counts.max() == 1 and counts.sum() >= ROWS - left_out, np.bincount(counts)


@pytest.mark.parametrize("options", [{"remainder": "short"}, {"remainder": "short", "shuffle": 300},
                                     {"remainder": "drop", "shuffle": 300}], ids=["ordered", "shuffled", "drop"])
def test_rows_are_counted_once_when_4_ranks_become_2_and_then_3(tmp_path, options):
    root = tmp_path / "root"
    job = submit(root, howdah.Feed(TABLE, epochs=2, **options), (2, 4), restart=3, checkpoint=tmp_path / "checkpoints")
    at_gate(job, root, 4)
    job.scale(worker=2)
    before = at_gate(job, root, 2)
    os.kill(job.status().tasks[1].raw["pids"][0], signal.SIGKILL)
    at_gate(job, root, 2, before)
    job.scale(worker=3)
    at_gate(job, root, 3)
    (root / "go-3").touch()
    assert_each_row_is_counted_once(job.result(timeout=120), 2 if options["remainder"] == "short" else 3 * BATCH - 1)


def test_source_returns_to_an_earlier_pass_with_the_ranks(tmp_path):
    """All threads of the source wait to supply a later pass when the ranks return to an earlier one, whose rows are not
    kept."""
    def read():
        ctx = howdah.context()
        step, _ = ctx.latest()
        feed, counts = ctx.feed("train"), []
        for number in range(2):
            rows = 0
            for batch in feed.numpy(10):
                rows += len(batch["i"])
                step += 1
                ctx.progress(step)
                if step == 5:
                    with ctx.checkpoint(step):
                        pass
                if ctx.generation == 0 and number == 1 and rows == 1000:
                    os.kill(os.getpid(), signal.SIGKILL)
            counts.append(rows)
        return counts

    image = np.zeros((ROWS, 16 << 10), "uint8")  # ten partitions, more than a source sends at the same time
    feed = howdah.Feed({"i": np.arange(ROWS), "image": image}, epochs=2, buffer="1MiB", spool="1MiB")
    job = howdah.submit(read, framework="pytorch", memory="256MiB", restart=1, env={"PYTHONPATH": SITE},
                        data={"train": feed}, checkpoint=tmp_path / "checkpoints")
    assert job.result(timeout=120) == [ROWS - 50, ROWS]


@pytest.mark.parametrize("own", [False, True], ids=["checkpoint", "state_dict"])
@pytest.mark.parametrize("options", [{}, {"shuffle": 300, "seed": 1}], ids=["ordered", "shuffled"])
def test_new_job_continues_the_checkpoint_of_another_job_at_its_row(tmp_path, options, own):
    state = {"own": str(tmp_path / "state.json")} if own else {"checkpoint": tmp_path / "checkpoints"}
    feed = howdah.Feed(TABLE, epochs=2, remainder="short", **options)
    for number, workers in enumerate((3, 1)):  # in the middle of the first pass
        job = submit(tmp_path / f"root-{number}", feed, workers, **state)
        at_gate(job, tmp_path / f"root-{number}", workers)
        job.kill()
    job = submit(tmp_path / "root-2", feed, 2, **state)
    (tmp_path / "root-2/go-2").touch()
    assert_each_row_is_counted_once(job.result(timeout=120), 1)
    again = submit(tmp_path / "root-3", feed, 1, **state)  # nothing is left to read
    assert again.result(timeout=120) == job.result()


def test_new_job_with_another_source_is_refused(tmp_path):
    job = submit(tmp_path / "root-0", howdah.Feed(TABLE), 2, checkpoint=tmp_path / "checkpoints")
    at_gate(job, tmp_path / "root-0", 2)
    job.kill()
    other = submit(tmp_path / "root-1", howdah.Feed(TABLE.slice(0, 4000)), 2, checkpoint=tmp_path / "checkpoints")
    (tmp_path / "root-1/go-2").touch()
    with pytest.raises(howdah.FeedChanged, match="partition"):
        other.result(timeout=120)


def test_new_job_continues_a_checkpoint_only_with_the_same_files(tmp_path):
    (tmp_path / "data").mkdir()
    for number in range(4):
        pq.write_table(TABLE.slice(2500 * number, 2500), tmp_path / f"data/{number}.parquet")
    feed = howdah.Feed(tmp_path / "data", epochs=2, remainder="short")
    job = submit(tmp_path / "root-0", feed, 2, checkpoint=tmp_path / "checkpoints")
    at_gate(job, tmp_path / "root-0", 2)
    job.kill()
    (tmp_path / "data/3.parquet").rename(tmp_path / "data/4.parquet")  # as many files and rows as before
    other = submit(tmp_path / "root-1", feed, 2, checkpoint=tmp_path / "checkpoints")
    (tmp_path / "root-1/go-2").touch()
    with pytest.raises(howdah.FeedChanged, match="the feed train has other files .*/3.parquet is gone; .*/4.parquet is "
                                                 "new; .* delete howdah-feeds.json"):
        other.result(timeout=120)
    rows = howdah.Feed(TABLE, epochs=2, remainder="short")
    pushed = submit(tmp_path / "root-2", rows, 2, checkpoint=tmp_path / "checkpoints")
    (tmp_path / "root-2/go-2").touch()
    with pytest.raises(howdah.FeedChanged, match="in the checkpoint of step 10"):
        pushed.result(timeout=120)
    (tmp_path / "data/4.parquet").rename(tmp_path / "data/3.parquet")
    again = submit(tmp_path / "root-3", feed, 1, checkpoint=tmp_path / "checkpoints")
    (tmp_path / "root-3/go-1").touch()
    assert_each_row_is_counted_once(again.result(timeout=120), 1)


def test_damaged_position_is_an_error_that_names_the_step(tmp_path):
    job = submit(tmp_path / "root-0", howdah.Feed(TABLE), 2, checkpoint=tmp_path / "checkpoints")
    at_gate(job, tmp_path / "root-0", 2)
    job.kill()
    newest = max((tmp_path / "checkpoints").iterdir(), key=lambda path: int(path.name.split("-")[1]))
    (newest / "howdah-feeds.json").write_text('{"step": 10, "feeds": {"train": "AAAA"}}')
    other = submit(tmp_path / "root-1", howdah.Feed(TABLE), 2, checkpoint=tmp_path / "checkpoints")
    with pytest.raises(howdah.FeedMisuse, match="the checkpoint of step 10 is damaged"):
        other.result(timeout=120)

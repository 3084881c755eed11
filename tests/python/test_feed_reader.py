"""Readers of feeds, with an executor that the tests control."""

import base64
import gc
import os
import pathlib
import subprocess
import sys
import threading

import pytest

import arrow
from machine import ROOT, eventually

SITE = arrow.site_packages()

import numpy as np  # noqa: E402
import pyarrow as pa  # noqa: E402

from feed_executor import numbers, one_block, serve  # noqa: E402, F401
from howdah import _context, _errors  # noqa: E402


# --- passes and batches ---


def test_each_iteration_is_one_pass_and_batches_span_blocks(serve):
    executor, ctx = serve(numbers(10, blocks=3), passes=2)
    feed = ctx.feed("train")
    assert feed is ctx.feed("train") and (feed.name, feed.epoch, feed.steps) == ("train", 0, None)
    for number in range(2):
        found = [batch["x"].tolist() for batch in feed.numpy(8)]
        assert found == [list(range(first, min(first + 8, 30))) for first in (0, 8, 16, 24)]
        assert (feed.steps, feed.position) == (4, 30)
    with pytest.raises(_errors.FeedMisuse, match="'train' has 2 passes, and all were read: give epochs=3 or more"):
        next(iter(feed.numpy(8)))
    assert executor.sent("open") == [{"open": "train", "local_rank": 3, "attempt": 0}]
    assert feed.schema.names == ["x"]


def test_requests_are_sent_ahead_and_say_what_the_program_has_got(serve):
    executor, ctx = serve(numbers(8), allowed=1)
    batches = iter(ctx.feed().numpy(2, prefetch=2))
    three = lambda: executor.sent("next")[2:]  # noqa: E731
    threading.Thread(target=lambda: eventually(three, "three requests") and executor.allow(8)).start()
    assert next(batches)["x"].tolist() == [0, 1]  # has waited
    found = [(sent["returned"], sent["waiting"]) for sent in executor.sent("next")]
    assert found == [(0, False), (0, False), (0, True)]
    assert next(batches)["x"].tolist() == [2, 3]
    eventually(lambda: executor.sent("next")[-1]["returned"] == 2, "the request for the fourth batch")
    assert [batch["x"].tolist() for batch in batches] == [[4, 5], [6, 7]]
    eventually(lambda: executor.sent("next")[-1]["returned"] == 8, "the request after the last batch")


def test_reply_may_have_half_of_the_batches_that_are_requested_ahead(serve):
    executor, ctx = serve(numbers(7, blocks=3), allowed=9)
    feed = ctx.feed()
    batches = iter(feed.numpy(2, prefetch=8))
    assert [next(batches)["x"].tolist() for _ in range(4)] == [[0, 1], [2, 3], [4, 5], [6, 7]]
    assert feed.position == 8
    executor.allow(100)
    assert [batch["x"].tolist() for batch in batches] == [[8, 9], *([n, n + 1] for n in range(10, 20, 2)), [20]]
    assert (feed.steps, feed.position) == (11, 21)
    found = [(sent["rows"], sent["batches"], sent["returned"]) for sent in executor.sent("next")]
    assert found[:4] == [(2, 4, 0)] * 3 + [(2, 4, 8)]


def test_program_that_takes_long_for_the_batches_of_a_reply_reports_them(serve, monkeypatch):
    executor, ctx = serve(numbers(100))
    now = [0.0]
    monkeypatch.setattr("howdah._feed.reader.time.monotonic", lambda: now[0])
    for number, _ in enumerate(ctx.feed().numpy(1, prefetch=80), 1):
        now[0] = number * 0.125
        if number == 30:
            break
    eventually(lambda: executor.sent("returned")[-1:] == [{"pass": 0, "rows": 30}], "the last report")
    assert [sent["rows"] for sent in executor.sent("returned")] == [8, 16, 24, 30]


def test_without_prefetch_only_the_current_batch_is_requested(serve):
    executor, ctx = serve(numbers(8))
    batches = iter(ctx.feed("train").numpy(4, prefetch=0))
    next(batches)
    assert executor.sent("next") == [{"pass": 0, "rows": 4, "returned": 0, "waiting": True}]


def test_iteration_that_stops_early_reports_its_rows_and_the_next_one_is_the_next_pass(serve):
    executor, ctx = serve(numbers(20), passes=2)
    feed = ctx.feed("train")
    for batch in feed.numpy(5):
        break
    eventually(lambda: executor.sent("returned") == [{"pass": 0, "rows": 5}], "the report")
    assert feed.epoch == 1 and next(iter(feed.numpy(5)))["x"][0] == 0
    assert executor.sent("next")[-1]["pass"] == 1


def test_feed_that_restarts_ends_quietly_when_its_passes_are_read(serve):
    _, ctx = serve(numbers(4), passes=3, first_pass=2)
    feed = ctx.feed("train")
    assert feed.epoch == 2
    assert [len(list(feed.numpy(4))) for _ in range(3)] == [1, 0, 0]


def test_replies_without_ids_answer_the_oldest_request(serve):
    _, ctx = serve(numbers(6), ids=False)
    assert [batch["x"].tolist() for batch in ctx.feed("train").numpy(3)] == [[0, 1, 2], [3, 4, 5]]


def test_batch_of_more_blocks_than_one_message_can_carry_is_complete(serve):
    _, ctx = serve(numbers(1, blocks=40), most_fds=7)
    assert [batch["x"].tolist() for batch in ctx.feed("train").numpy(40)] == [list(range(40))]


def test_scattered_rows_keep_their_order(serve):
    order = np.random.default_rng(7).permutation(300)
    lane = [(int(row) // 100, int(row) % 100, 1) for row in order]
    spans = [range(first, first + 100) for first in (0, 100, 200)]
    blocks = [
        pa.RecordBatch.from_pydict({"x": [float(row) for row in rows], "s": [f"s{row}" for row in rows]})
        for rows in spans
    ]
    _, ctx = serve(blocks, lane=lane)
    found = list(ctx.feed("train").numpy(100))
    assert np.concatenate([batch["x"] for batch in found]).tolist() == order.tolist()
    assert [s for batch in found for s in batch["s"]] == [f"s{row}" for row in order]
    _, ctx = serve(blocks, lane=lane)
    assert pa.Table.from_batches(ctx.feed("train").arrow(100))["x"].to_pylist() == order.tolist()


# --- memory ---


def test_arrays_are_writable_views_that_stay_valid_and_blocks_are_released(serve):
    executor, ctx = serve(numbers(10, blocks=3), passes=4)
    feed = ctx.feed("train")
    kept = next(iter(feed.numpy(5)))["x"]
    assert kept.flags.writeable and not kept.flags.owndata
    for batch in feed.numpy(5):
        pass
    kept += 100
    del batch
    eventually(lambda: {block for _, block in executor.leased} == {0}, "release of blocks 1 and 2")
    first = next(iter(feed.numpy(5)))["x"]
    assert first.tolist() == list(range(5))  # what the program has written is not read again
    assert kept.tolist() == list(range(100, 105))
    del kept, first
    assert len(list(feed.numpy(5))) == 6
    eventually(lambda: not executor.leased, "release of all blocks")


def test_block_that_is_named_again_after_its_release_was_sent_stays_valid(serve):
    executor, ctx = serve(numbers(10), lane=[(0, 0, 2), (0, 4, 2), (0, 2, 2)], allowed=2)
    feed = ctx.feed("train")
    batches = iter(feed.numpy(2, prefetch=1))
    assert next(batches)["x"].tolist() == [0, 1]
    feed._connection._recent = []  # as if the last batch had been in another block: no object uses block 0 now
    gc.collect()
    executor.allow(4)
    assert next(batches)["x"].tolist() == [4, 5]
    executor.allow(6)
    assert next(batches)["x"].tolist() == [2, 3]


def test_arrays_outlive_the_reader(serve):
    executor, ctx = serve(numbers(10))
    kept = next(iter(ctx.feed("train").numpy(5)))["x"]
    del ctx
    gc.collect()
    assert executor.leased and kept.tolist() == list(range(5))
    del kept
    gc.collect()
    eventually(lambda: not executor.leased, "release")


def test_descriptors_are_not_kept(serve):
    _, ctx = serve(numbers(2, blocks=30))
    feed = ctx.feed("train")
    before = len(os.listdir("/proc/self/fd"))
    kept = list(feed.numpy(2))
    assert len(os.listdir("/proc/self/fd")) == before and len(kept) == 30


def test_numpy_batches_do_not_import_pandas(serve):
    executor, _ = serve(one_block(x=[1, None], s=["a", "b"], b=[b"1", b"22"], t=[[1], [2]]))
    code = (
        "import sys; from howdah import _context; ctx = _context.Context({'HOWDAH_FEED': sys.argv[1]}); "
        "print(next(iter(ctx.feed('train').numpy(2, nulls={'x': 7})))['x'].tolist(), 'pandas' in sys.modules)"
    )
    assert run_python(sys.executable, code, executor.path, path=SITE) == "[1, 7] False"


# --- marks ---


POINT = base64.b64encode(b"point of step 2").decode()


def test_progress_and_checkpoints_mark_the_rows_that_were_returned(serve, tmp_path):
    progress, directory = tmp_path / "progress", tmp_path / "checkpoints"
    environment = {"HOWDAH_PROGRESS": str(progress), "HOWDAH_CHECKPOINT_DIR": str(directory)}
    executor, ctx = serve(numbers(10), environment)
    feed = ctx.feed("train")
    batches = iter(feed.numpy(3))
    next(batches)
    ctx.progress(1)
    next(batches)
    with ctx.checkpoint(2):
        assert executor.sent("step")[-1] == {"step": 2, "pass": 0, "rows": 6, "wait": True}
        assert feed.state_dict() == {"feed": "train", "epoch": 0, "position": 6, "step": 2, "point": POINT}
        assert executor.sent("checkpointed") == []
    assert executor.sent("step")[0] == {"step": 1, "pass": 0, "rows": 3, "wait": False}
    assert executor.sent("checkpointed") == [2] and (directory / "step-2").is_dir()
    assert progress.read_text().split("\n")[0] == "step 1"
    feed.commit()
    assert executor.sent("commit") == [{"pass": 0, "rows": 6}]


def test_mark_does_not_wait_for_a_batch(serve):
    executor, ctx = serve(numbers(10), allowed=2)
    batches = iter(ctx.feed("train").numpy(2))
    next(batches)
    with ctx.checkpoint(1):  # while two requests for batches wait
        pass
    assert executor.sent("step") == [{"step": 1, "pass": 0, "rows": 2, "wait": True}]


def test_mark_is_answered_while_another_thread_waits_for_a_batch(serve):
    executor, ctx = serve(numbers(10), allowed=2)
    batches = iter(ctx.feed("train").numpy(2))
    next(batches)
    found = []
    thread = threading.Thread(target=lambda: found.append(next(batches)["x"].tolist()))
    thread.start()
    eventually(lambda: executor.sent("next")[-1]["waiting"], "the thread")
    ctx.feed("train").commit()
    executor.allow(4)
    thread.join(60)
    assert found == [[2, 3]]


@pytest.mark.parametrize("opened_before", [True, False])
def test_restored_checkpoint_is_reported_before_the_first_row_and_once(serve, tmp_path, opened_before):
    (tmp_path / "step-7").mkdir()
    executor, ctx = serve(numbers(4), {"HOWDAH_CHECKPOINT_DIR": str(tmp_path)}, passes=2)
    executor.found_pass = 1
    if opened_before:
        ctx.feed("train")
    assert ctx.latest()[0] == 7 and ctx.latest()[0] == 7
    feed = ctx.feed("train")
    assert executor.sent("found") == [7] and feed.epoch == 1
    list(feed.numpy(4))
    assert executor.sent("next")[0]["pass"] == 1
    (tmp_path / "step-9").mkdir()
    assert ctx.latest()[0] == 9 and executor.sent("found") == [7]


def test_executor_has_the_first_mark_before_the_line_of_its_step(serve, tmp_path, monkeypatch):
    _, ctx = serve(numbers(10), {"HOWDAH_PROGRESS": str(tmp_path / "progress")})
    feed = ctx.feed("train")
    next(iter(feed.numpy(3)))
    marks, done = [], []
    post = feed._connection.post
    monkeypatch.setattr(feed._connection, "post", lambda *given: marks.append(post(*given)) or marks[-1])
    monkeypatch.setattr(ctx, "_report", lambda *lines: done.append([mark.done for mark in marks]))
    ctx.progress(1)
    assert done == [[True]]


def test_position_is_in_the_checkpoint_and_is_reported_by_another_job(serve, tmp_path):
    environment = {"HOWDAH_CHECKPOINT_DIR": str(tmp_path / "checkpoints")}
    _, ctx = serve(numbers(10), environment)
    next(iter(ctx.feed("train").numpy(3)))
    with ctx.checkpoint(2) as folder:
        assert os.listdir(folder) == []
    assert sorted(os.listdir(tmp_path / "checkpoints/step-2")) == ["howdah-feeds.json"]
    for before in (True, False):  # whether the feed is opened before latest()
        executor, ctx = serve(numbers(10), environment)
        if before:
            ctx.feed("train")
        ctx.latest()
        ctx.feed("train").load_state_dict({"feed": "train", "step": 2})
        assert executor.points == [b"point of step 2", None]


def test_position_is_on_the_disk_before_the_checkpoint_is_visible(serve, tmp_path, monkeypatch):
    _, ctx = serve(numbers(10), {"HOWDAH_CHECKPOINT_DIR": str(tmp_path)})
    next(iter(ctx.feed("train").numpy(3)))
    fsync, found = os.fsync, []

    def record(fd):
        found.append((os.path.basename(os.readlink(f"/proc/self/fd/{fd}")), (tmp_path / "step-2").exists()))
        fsync(fd)

    monkeypatch.setattr(os, "fsync", record)
    with ctx.checkpoint(2) as folder:
        scratch = os.path.basename(folder)
    after = found[found.index(("howdah-feeds.json", False)) + 1 :]
    assert after == [(scratch, False), (tmp_path.name, True)]


def test_position_that_is_too_large_is_left_out_with_a_warning(serve, tmp_path):
    executor, ctx = serve(numbers(10), {"HOWDAH_CHECKPOINT_DIR": str(tmp_path)})
    next(iter(ctx.feed("train").numpy(3)))
    executor.failures["point"] = {"kind": "FeedError", "message": "the position has 5000000 bytes"}
    with pytest.warns(UserWarning, match="step 2 at its row: the position has 5000000 bytes"):
        with ctx.checkpoint(2):
            pass
    assert os.listdir(tmp_path / "step-2") == []


def test_stream_has_no_position(serve, tmp_path):
    executor, ctx = serve(numbers(10), {"HOWDAH_CHECKPOINT_DIR": str(tmp_path)}, passes=None)
    next(iter(ctx.feed("train").numpy(3)))
    with ctx.checkpoint(2):
        pass
    executor.failures["point"] = {"kind": "FeedError", "message": "the position has 5000000 bytes"}
    with ctx.checkpoint(3):
        pass
    assert os.listdir(tmp_path / "step-2") == os.listdir(tmp_path / "step-3") == []
    assert ctx.feed("train").state_dict()["point"] is None


@pytest.mark.parametrize("passes", [1, None])
def test_process_that_the_job_has_replaced_completes_no_checkpoint(serve, tmp_path, passes):
    directory = tmp_path / "checkpoints"
    executor, ctx = serve(numbers(10), {"HOWDAH_CHECKPOINT_DIR": str(directory)}, passes=passes)
    next(iter(ctx.feed("train").numpy(3)))
    with pytest.raises(_errors.FeedLost, match="other processes"):
        with ctx.checkpoint(2):
            # FeedsTest.PositionOfAProcessThatTheAmHasReplacedIsLost: the executor sends this kind.
            executor.failures["point"] = {"kind": "FeedLost", "message": "the job has other processes now"}
    assert os.listdir(directory) == [] and executor.sent("checkpointed") == []


def test_rest_of_a_pass_that_was_left_is_requested_before_the_next_pass(serve):
    executor, ctx = serve(numbers(10), passes=2)
    feed = ctx.feed("train")
    next(iter(feed.numpy(3, prefetch=0)))
    assert [len(batch["x"]) for batch in feed.numpy(5)] == [5, 5]
    skipped = [sent for sent in executor.sent("next") if sent["pass"] == 0][1:]
    assert len(skipped) == 2 and all(sent["rows"] == 3 and sent["returned"] > 10 for sent in skipped)


def test_state_of_a_checkpoint_is_reported_when_it_is_loaded(serve):
    executor, ctx = serve(numbers(4))
    feed = ctx.feed("train")
    feed.load_state_dict({"feed": "train", "epoch": 0, "position": 3, "step": 5})
    assert executor.sent("found") == [5]
    next(iter(feed.numpy(1)))
    with pytest.raises(_errors.FeedMisuse, match="must be called before the first batch is read"):
        feed.load_state_dict(feed.state_dict())


# --- errors ---


@pytest.mark.parametrize("kind", ["FeedEmpty", "FeedLost", "FeedChanged", "FeedMisuse"])
def test_error_of_the_executor_is_raised_as_its_class(serve, kind):
    executor, ctx = serve(numbers(4))
    executor.failures["next"] = {"kind": kind, "message": "rows 3 and 4"}
    with pytest.raises(getattr(_errors, kind), match="rows 3 and 4"):
        next(iter(ctx.feed("train").numpy(2)))


def test_stop_ends_the_iteration_of_every_rank(serve):
    executor, ctx = serve(numbers(4))
    executor.failures["next"] = {"kind": "FeedStopped", "message": ""}
    feed = ctx.feed("train")
    assert list(feed.numpy(2)) == []
    feed.stop()
    assert executor.sent("stop") == [True] and list(feed.numpy(2)) == []


def test_executor_that_is_gone_is_reported(serve):
    executor, ctx = serve(numbers(4), allowed=2)
    batches = iter(ctx.feed("train").numpy(2))
    next(batches)
    threading.Thread(target=executor.__exit__).start()
    with pytest.raises(_errors.FeedLost, match="the executor of this task has closed the connection"):
        next(batches)


def test_feed_outside_a_job_is_an_error():
    with pytest.raises(_errors.FeedError, match=r'not in a job; start .* howdah.run\(…, data=\{"val": howdah.Feed'):
        _context.Context({}).feed("val")
    with pytest.raises(_errors.FeedError, match="the job job-1 has no feed; give"):
        _context.Context({"HOWDAH_JOB_ID": "job-1"}).feed()


def test_missing_pyarrow_is_named():
    code = (
        "import sys; sys.modules['pyarrow'] = None\nfrom howdah import _context\n"
        "try: _context.Context({'HOWDAH_FEED': '/none'}).feed('train')\nexcept ImportError as error: print(error)"
    )
    assert "pyarrow" in run_python(sys.executable, code)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda feed: feed.numpy(0), "the number of rows of a batch is 0"),
        (lambda feed: feed.numpy(2, prefetch=-1), "prefetch is -1"),
        (lambda feed: next(iter(feed.numpy(2, columns=["y"]))), "the feed has no column 'y'; its columns are x"),
        (lambda feed: next(iter(feed.numpy(2, nulls={"z": 0}))), "nulls contains 'z'"),
        (lambda feed: next(iter(feed.numpy(2, ragged=["x"]))), "only lists can be ragged"),
        (lambda feed: next(iter(feed.numpy(2, dtypes={"x": "float31"}))), "'float31' for 'x', which numpy does not"),
    ],
)
def test_incorrect_arguments_are_named(serve, call, message):
    _, ctx = serve(numbers(4))
    with pytest.raises(_errors.FeedMisuse, match=message):
        call(ctx.feed("train"))


# --- frameworks, in environments of their own ---


def run_python(python, code, *arguments, path=None):
    """The output of a program that can import this package and PyArrow."""
    folders = [str(ROOT / "python"), *([str(path)] if path else [])]
    done = subprocess.run(
        [python, "-c", code, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(folders), "TF_CPP_MIN_LOG_LEVEL": "3", "JAX_PLATFORMS": "cpu"},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture
def framework(serve, tmp_path):
    """framework(name, code, blocks, **options) runs the code, in which `feed` is a reader, in an environment of
    tools/ml-env. Returns the executor."""
    (tmp_path / "arrow").mkdir()
    (tmp_path / "arrow/pyarrow").symlink_to(pathlib.Path(SITE) / "pyarrow")

    def run(name, code, blocks, **options):
        done = subprocess.run([str(ROOT / "tools/ml-env"), name], stdout=subprocess.PIPE, text=True, check=True)
        executor, _ = serve(blocks, **options)
        begin = "import os, sys, howdah\n"
        begin += "os.environ.update(HOWDAH_JOB_ID='j', HOWDAH_RANK='0', HOWDAH_FEED=sys.argv[1])\n"
        begin += "ctx = howdah.context(); feed = ctx.feed('train')\n"
        run_python(done.stdout.strip(), begin + code, executor.path, path=tmp_path / "arrow")
        return executor

    return run


FEATURES = {
    "x": [float(i) for i in range(10)],
    "s": [f"s{i}" for i in range(10)],
    "t": pa.array(range(10), pa.timestamp("ms")),
    "tags": [[i] * (i % 3) for i in range(10)],
    "image": [bytes([i] * 4) for i in range(10)],
}


@pytest.mark.long
def test_tensors_of_pytorch(framework):
    code = """
import torch
dataset = feed.torch(4, ragged=["tags"], shapes={"image": (2, 2)}, dtypes={"x": torch.float32})
assert isinstance(dataset, torch.utils.data.IterableDataset)
found = list(dataset)
assert [len(b["x"]) for b in found] == [4, 4, 2] and found[0]["x"].dtype == torch.float32
assert torch.cat([b["x"] for b in found]).tolist() == list(range(10))
assert found[1]["s"] == ["s4", "s5", "s6", "s7"] and found[0]["t"].tolist() == [0, 1000, 2000, 3000]
values, offsets = found[0]["tags"]
assert values.tolist() == [1, 2, 2] and offsets.tolist() == [0, 0, 1, 3, 3]
assert found[0]["image"].shape == (4, 2, 2)
found[0]["image"] += 1
"""
    framework("trainers", code, one_block(**FEATURES))


@pytest.mark.long  # Debian's PyTorch has an older NumPy than PyArrow needs
@pytest.mark.parametrize("start, persistent", [("fork", False), ("spawn", True)])
def test_workers_of_a_dataloader_return_every_batch_in_order_and_marks_are_exact(framework, start, persistent):
    # The program runs from a file: spawned workers import it.
    code = f"""
import pathlib
pathlib.Path(sys.argv[1] + ".py").write_text('''
import os, sys, howdah
from torch.utils.data import DataLoader
if __name__ == "__main__":
    ctx = howdah.context(); feed = ctx.feed("train")
    loader = DataLoader(feed.torch(4, columns=["x"]), batch_size=None, num_workers=2,
                        multiprocessing_context="{start}", persistent_workers={persistent})
    for epoch in range(2):
        rows = []
        assert feed.epoch == epoch
        for step, batch in enumerate(loader):
            rows += batch["x"].tolist()
            ctx.progress(epoch * 100 + step)
            assert feed.position == len(rows), (feed.position, rows)
        assert rows == list(range(10)), rows
''')
import subprocess
sys.exit(subprocess.run([sys.executable, sys.argv[1] + ".py"]).returncode)
"""
    executor = framework("trainers", code, numbers(5, blocks=2), passes=2)
    marks = [(mark["step"], mark["pass"], mark["rows"]) for mark in executor.sent("step")]
    assert marks == [(e * 100 + i, e, rows) for e in range(2) for i, rows in enumerate((4, 8, 10))]
    assert all(sent["returned"] <= 10 for sent in executor.sent("next"))
    # The worker's last request was sent before the program had got the last batch.
    assert [sent for sent in executor.sent("returned") if sent["rows"] == 10] == [
        {"pass": epoch, "rows": 10} for epoch in range(2)
    ]


def test_datasets_of_tensorflow(framework):
    code = """
import tensorflow as tf
dataset = feed.tf(4, ragged=["tags"], map=lambda batch: {**batch, "twice": batch["x"] * 2})
assert dataset.element_spec["x"] == tf.TensorSpec((None,), tf.float64), dataset.element_spec
found = list(dataset)
assert [int(b["x"].shape[0]) for b in found] == [4, 4, 2]
assert found[2]["twice"].numpy().tolist() == [16, 18] and found[0]["t"].numpy().tolist() == [0, 1000, 2000, 3000]
assert found[0]["s"].numpy().tolist() == [b"s0", b"s1", b"s2", b"s3"]
assert found[0]["image"].numpy()[1] == bytes([1] * 4)
assert found[0]["tags"].to_list() == [[], [1], [2, 2], []]
x, image = next(iter(feed.tf(4, as_tuple=("x", "image"), shapes={"image": (2, 2)})))
assert image.shape == (4, 2, 2) and image.dtype == tf.uint8
assert feed.position == 4, feed.position
"""
    framework("tensorflow", code, one_block(**FEATURES), passes=2)


def test_arrays_of_jax(framework):
    code = """
import jax, numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec
from howdah._errors import FeedTypeError
sharding = NamedSharding(Mesh(np.array(jax.devices()), ("batch",)), PartitionSpec("batch"))
found = list(feed.jax(4, columns=["x", "image", "s"], sharding=sharding))
assert isinstance(found[0]["x"], jax.Array) and found[0]["x"].sharding == sharding
assert found[1]["x"].tolist() == [4, 5, 6, 7] and found[2]["image"].shape == (2, 4) and found[0]["s"][0] == "s0"
assert next(iter(feed.jax(4, columns=["t"])))["t"].tolist() == [0, 1000, 2000, 3000]
try: next(iter(feed.jax(4, columns=["big"])))
except FeedTypeError as error: assert "1099511627776 does not fit into the 32 bits" in str(error)
else: raise AssertionError
"""
    framework("jax", code, one_block(**FEATURES, big=[1 << 40] * 10), passes=3)


def test_imports_of_the_package_stay_small():
    code = "import sys, howdah; howdah.context(); print({'numpy', 'pyarrow', 'ctypes'} & set(sys.modules))"
    assert run_python(sys.executable, code, path=SITE) == "set()"

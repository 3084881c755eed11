"""The pushing side of feeds, against executors in this process (tests/support/feed_flight.py)."""

import os
import pathlib
import pickle
import subprocess
import sys
import threading

import cloudpickle
import pytest
import yaml

import arrow
from machine import eventually

SITE = arrow.site_packages()

import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402
import pyarrow as pa  # noqa: E402

from feed_flight import ROWS, SOURCES, TABLE, Executor, World, tables, threads  # noqa: E402
import howdah  # noqa: E402
from howdah import _jobfile, _program, _submit  # noqa: E402
from howdah._feed import driver, source  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
ALL = [0, driver.MOST]


@pytest.fixture
def make(tmp_path, monkeypatch):
    """make(readers=2, credit=None) starts executors."""
    worlds = []

    def start(**keys):
        world = World(tmp_path, **keys)
        monkeypatch.setattr(_program, "find", lambda: str(world.job.program))
        worlds.append(world)
        return world

    yield start
    for world in worlds:
        world.close()


@pytest.fixture
def world(make):
    return make()


@pytest.fixture
def small(monkeypatch):
    """Divides the rows of a test into several partitions and blocks."""
    monkeypatch.setattr(source, "_BLOCK", 16 << 10)


# --- sources ---


@pytest.mark.parametrize("name", SOURCES)
def test_every_row_arrives_once_and_in_its_place(world, tmp_path, small, name):
    (tmp_path / "data").mkdir()
    world.supply(howdah.Feed(SOURCES[name](tmp_path / "data")))
    assert world.read().equals(TABLE.combine_chunks()) and world.ledger.repeated == 0
    assert world.ledger.partitions > 4 and min(world.ledger.taken) > ROWS / 10
    stats = world.client.feed("train").stats()
    assert (stats.connected, stats.over, stats.refused) == (True, False, 0) and stats.bytes > TABLE.nbytes / 2


@pytest.mark.parametrize("rows", [0, 1])
def test_source_with_one_row_or_none_ends(world, rows):
    world.supply(howdah.Feed(TABLE.slice(0, rows)))
    world.ledger.request(0, ALL)
    world.ledger.wait(lambda: world.ledger.complete(0))
    assert world.ledger.partitions == rows and sum(world.ledger.taken) == rows


def test_iterator_without_items_ends(world):
    world.supply(howdah.Feed(iter([])))
    world.ledger.request(0, ALL)
    world.ledger.wait(lambda: world.ledger.partitions == 0)


def test_stream_sends_each_item_when_it_arrives(world):
    more = threading.Event()

    def items():
        yield TABLE.slice(0, 10)
        assert more.wait(60)
        yield {"i": np.arange(10, 12), "text": ["row 10", "row 11"]}

    world.supply(howdah.Feed(items(), stream=True))
    world.ledger.request(0, ALL)
    world.ledger.wait(lambda: sum(world.ledger.taken) == 10)
    more.set()
    world.ledger.wait(lambda: world.ledger.complete(0))
    assert world.ledger.partitions == 2 and world.ledger.table(0).equals(TABLE.slice(0, 12))


def test_columns_are_selected(world):
    world.supply(howdah.Feed({"n": [None], "b": [1], "a": [2]}, columns=["a", "b"]))
    assert world.read().to_pydict() == {"a": [2], "b": [1]}


def test_columns_are_sent_in_a_form_that_readers_know(world):
    words = pa.array(["x", "y", "x"]).dictionary_encode()
    world.supply(
        howdah.Feed(
            pa.table(
                {
                    "words": words,
                    "lists": pa.ListArray.from_arrays([0, 1, 1, 3], words),
                    "struct": pa.StructArray.from_arrays([words], ["w"]),
                    "view": pa.array(["a", "b", "c"], pa.string_view()),
                    "runs": pa.RunEndEncodedArray.from_arrays([2, 3], pa.array([5, 6])),
                }
            )
        )
    )
    read = world.read()
    texts = pa.string()
    assert read.schema.types == [texts, pa.list_(texts), pa.struct([("w", texts)]), texts, pa.int64()]
    assert read["lists"].to_pylist() == [["x"], [], ["y", "x"]] and read["runs"].to_pylist() == [5, 5, 6]


def test_arrays_with_several_dimensions_keep_their_shape(world):
    images = np.arange(24, dtype=np.uint8).reshape(2, 3, 4)
    world.supply(howdah.Feed({"flat": images[:, 0], "image": images, "mask": images > 3}))
    read = world.read()
    assert read["flat"].type == pa.list_(pa.uint8(), 4)
    assert read["image"].type.shape == [3, 4] and read["mask"].type.value_type == pa.bool_()
    assert (read["image"].combine_chunks().to_numpy_ndarray() == images).all()


@pytest.mark.parametrize(
    "column, text",
    [
        (pa.array([None]), "the column 'c' of the type null: it has only nulls; cast it to"),
        (pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int8())), "cast it to list<struct<key: string, value: int8>>"),
        (pa.array([1], pa.decimal128(5, 2)), "the column 'c' of the type decimal128(5, 2): cast it to float64"),
        (pa.array([{"d": [1]}], pa.struct([("d", pa.list_(pa.duration("s")))])), "'c.d' of the type duration[s]: cast"),
        (pa.array([(1, 2, 3)], pa.month_day_nano_interval()), "cast it to int64"),
    ],
)
def test_column_that_a_feed_cannot_carry_is_refused(column, text):
    table = pa.table({"c": column})
    for given in (table, table.to_reader(), iter([table]), [table], lambda: table, lambda: iter([table])):
        with pytest.raises(howdah.FeedTypeError) as caught:
            howdah.Feed(given)
        assert text in str(caught.value)


def spark(name):
    return type(name, (), {"__module__": "pyspark.sql"})()


@pytest.mark.parametrize(
    "given, text",
    [
        (spark("Broadcast"), "cannot read a Broadcast of Spark: write it with df.write.parquet"),
        (7, "cannot read an object of the type int: give a pyarrow Table, "),
        ([1, 2], "cannot read an object of the type int"),
        ([{"x": 1}], "the column 'x' of the type int cannot be converted to Arrow: it is neither a list nor an array"),
        ({"x": [1], "y": [1, 2]}, "the columns of the source have different lengths: {'x': 1, 'y': 2}"),
        ({"x": [1, "a"]}, "the column 'x' of the type list cannot be converted to Arrow"),
        (pd.DataFrame({"x": [1, "a"]}), "the DataFrame cannot be converted to Arrow: "),
        ([{"x": [1]}, {"x": [1.5]}], "'x' has the type int64 in the first item of the source, and double in item 1"),
        ({}, "the source has no columns"),
    ],
)
def test_source_that_cannot_be_read_is_refused(given, text):
    with pytest.raises(howdah.FeedTypeError) as caught:
        howdah.Feed(given)
    assert text in str(caught.value)


def test_wrong_use_of_an_iterator_and_of_columns_is_refused():
    with pytest.raises(howdah.FeedError, match="a generator can be read only once, but epochs=3: give a function that"):
        howdah.Feed(tables(), epochs=3)
    with pytest.raises(howdah.FeedTypeError, match="the source has no column 'x'; its columns are i, text"):
        howdah.Feed(TABLE, columns=["x"])
    with pytest.raises(howdah.FeedMisuse, match="this feed has no source"):
        howdah.Feed(columns=["x"])


# --- blocks ---


def rows_of(batches, block):
    return source.Rows(source.Batches(batches, source.Wire(batches[0].schema)), block)


def test_boundaries_of_blocks_depend_only_on_row_numbers():
    for batches in (TABLE.to_batches(), pa.concat_tables(tables(size=77)).to_batches()):
        rows = rows_of(batches, 1000)
        assert [at for at, _ in rows.blocks(0, ROWS)] == list(range(0, ROWS, 1000))
        for first, end in ((1500, 3700), (2999, 3001), (19_990, 30_000)):
            blocks = list(rows.blocks(first, end))
            assert [at for at, _ in blocks[1:]] == list(range(first // 1000 * 1000 + 1000, min(end, ROWS), 1000))
            assert pa.Table.from_batches([b for _, b in blocks]).equals(TABLE.slice(first, end - first))


def test_block_with_large_rows_is_divided():
    sizes = [10, 5 << 20, 3 << 20, 9 << 20, 10, 10]
    batch = pa.record_batch({"data": [bytes(size) for size in sizes]})
    blocks = list(rows_of([batch], 100).blocks(0, 6))
    assert [(at, len(part)) for at, part in blocks] == [(0, 1), (1, 1), (2, 1), (3, 1), (4, 2)]
    assert [(at, len(part)) for at, part in rows_of([batch], 100).blocks(2, 5)] == [(2, 1), (3, 1), (4, 1)]


def test_row_above_the_limit_is_refused(monkeypatch):
    monkeypatch.setattr(source, "ROW_LIMIT", 9 << 20)
    with pytest.raises(howdah.FeedTypeError, match="row 1 of a partition has 10.0 MiB; a row has at most 256 MiB"):
        list(rows_of([pa.record_batch({"data": [b"", bytes(10 << 20)]})], 1).blocks(0, 2))


def test_blocks_have_about_four_mebibytes_and_small_tables_many_blocks():
    assert source.layout(784) == (5349, 21396)
    assert source.layout(784, 60_000) == (1024, 4096)
    assert source.layout(8, 10) == (1024, 4096) and source.layout(1 << 30) == (1, 4)


def test_requested_ranges_are_merged_and_split():
    wanted = driver.Wanted()
    for part in ((5, 9), (0, 2), (2, 3), (8, 12), (20, 20)):
        wanted.add(1, *part)
    assert list(wanted.candidates()) == [(1, 0, 3), (1, 5, 12)]
    wanted.remove(1, 6, 7)
    wanted.remove(1, 0, 1)
    wanted.add(0, 4, 5)
    assert list(wanted.candidates()) == [(0, 4, 5), (1, 1, 3), (1, 5, 6), (1, 7, 12)]


# --- the protocol ---


def test_readers_that_are_full_receive_rows_later(make, small):
    world = make(credit=2)
    writer = world.supply(howdah.Feed(TABLE))
    world.ledger.request(0, ALL)
    world.ledger.wait(lambda: world.ledger.credit == [0, 0])
    eventually(lambda: writer.stats().waited, "a thread that waits")
    assert len(world.ledger.blocks) == 4
    while not world.ledger.complete(0):
        with world.ledger.changed:
            world.ledger.credit = [1, 0] if world.ledger.credit[0] == 0 else world.ledger.credit
            world.ledger.changed.notify_all()
            world.ledger.changed.wait(0.05)
    assert world.ledger.table(0).equals(TABLE.combine_chunks()) and world.ledger.repeated == 0
    assert writer.stats().refused > 0


def test_refused_blocks_are_sent_again(world, small):
    refused = set()

    def refuse(place, first):
        new = (place, first) not in refused and first % 3 == 0
        refused.add((place, first))
        return new

    world.ledger.refuse = refuse
    writer = world.supply(howdah.Feed(TABLE))
    assert world.read().equals(TABLE.combine_chunks()) and world.ledger.repeated == 0
    assert writer.stats().refused > 0
    assert world.ledger.digests and world.ledger.same_digests()


def test_lost_connection_repeats_no_accepted_row(world, small):
    for executor in world.executors:
        executor.drop_after = 3
    world.supply(howdah.Feed(TABLE))
    assert world.read().equals(TABLE.combine_chunks()) and world.ledger.repeated == 0
    assert world.ledger.digests and world.ledger.same_digests()


def test_supplier_reconnects_through_another_executor(make, small):
    world = make(readers=2, credit=2)
    world.supply(howdah.Feed(TABLE))
    world.ledger.request(0, ALL)
    world.ledger.wait(lambda: world.ledger.credit == [0, 0])
    first = world.executors[0]
    world.executors[0] = world.executors[1]  # reader 0 has moved
    world.job.address([world.executors[1]])
    first.stop()
    world.ledger.wait(lambda: len(world.ledger.suppliers) == 2)
    with world.ledger.changed:
        world.ledger.credit = [None, None]
    world.ledger.wait(lambda: world.ledger.complete(0))
    assert world.ledger.table(0).equals(TABLE.combine_chunks()) and world.ledger.repeated == 0


@pytest.mark.parametrize("name", ["table", "generator", "reader", "function with a generator", "list of datasets"])
def test_rows_of_a_lost_node_are_sent_again(world, tmp_path, small, name):
    (tmp_path / "data").mkdir()
    world.supply(howdah.Feed(SOURCES[name](tmp_path / "data")))
    world.read()
    for partition in (1, 3):
        world.ledger.forget(0, partition, 10, 700)
    before = sum(world.ledger.taken)
    assert world.read(0, [1, 2], [3, 4]).equals(TABLE.combine_chunks())
    assert sum(world.ledger.taken) - before == 2 * 690 and world.ledger.repeated == 0


def test_rows_of_an_iterator_that_are_not_kept_kill_the_job(world, small, monkeypatch):
    monkeypatch.setattr(source, "KEPT", 100_000)
    writer = world.supply(howdah.Feed(tables()))
    world.read()
    world.ledger.forget(0, 0, 0, 5)
    world.ledger.request(0, [0, 1])
    eventually(lambda: world.job.killed, "the end of the job")
    with pytest.raises(howdah.FeedError, match="its source is a generator, which can be read only once"):
        world.client.raise_failure(world.client.status())
    assert writer.error is not None and writer.stats().over


def test_function_is_called_once_per_pass(world, small):
    calls = []

    def read():
        calls.append(None)
        return tables()

    world.supply(howdah.Feed(read, epochs=3))
    for pass_ in range(3):
        assert world.read(pass_).equals(TABLE.combine_chunks())
    assert len(calls) == 3 and world.ledger.repeated == 0


def test_feed_supplies_two_jobs(make, tmp_path):
    feed = howdah.Feed(tables)
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        world = World(tmp_path / name)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(_program, "find", lambda: str(world.job.program))
            world.supply(feed)
            assert world.read().equals(TABLE.combine_chunks())
            world.close()


# --- the end ---


def test_exception_of_the_source_kills_the_job_and_is_raised(world):
    def read():
        yield TABLE.slice(0, 10)
        raise ValueError("no more rows today")

    world.supply(howdah.Feed(read()))
    world.ledger.request(0, ALL)
    eventually(lambda: world.job.killed, "the end of the job")
    for _ in range(2):
        with pytest.raises(ValueError, match="no more rows today"):
            world.client.raise_failure(world.client.status())


def test_conversion_that_fails_kills_the_job(world):
    items = iter([{"x": [1]}, {"y": [1]}])
    world.supply(howdah.Feed(items))
    world.ledger.request(0, ALL)
    eventually(lambda: world.job.killed, "the end of the job")
    with pytest.raises(howdah.FeedTypeError, match="item 1 of the source has no column 'x'"):
        world.client.raise_failure(world.client.status())


def test_source_ends_when_the_job_needs_no_more_rows(world, small):
    ended = threading.Event()

    def endless():
        try:
            while True:
                yield TABLE
        finally:
            ended.set()

    writer = world.supply(howdah.Feed(endless()))
    world.ledger.request(0, ALL)
    world.ledger.wait(lambda: sum(world.ledger.taken) > ROWS)
    world.ledger.end()
    assert ended.wait(60)
    eventually(lambda: not threads(), f"the end of {threads()}")
    assert writer.stats().over and not world.job.killed


def test_end_of_the_job_ends_the_supplier(make):
    world = make(credit=0)
    writer = world.supply(howdah.Feed(TABLE))
    world.ledger.request(0, ALL)
    world.ledger.wait(lambda: world.ledger.asked > 0)
    world.job.state("SUCCEEDED")
    os.unlink(world.folder / "address")
    for executor in world.executors:
        executor.stop()
    eventually(lambda: not threads(), f"the end of {threads()}")
    assert writer.stats().over and writer.error is None and not world.job.killed


def test_failed_feed_ends_the_supplier_without_killing_the_job(world):
    writer = world.supply(howdah.Feed(TABLE))
    world.ledger.request(0, ALL)
    world.ledger.wait(lambda: world.ledger.suppliers)
    with world.ledger.changed:
        world.ledger.failed = "the batch sizes differ"
        world.ledger.changed.notify_all()
    eventually(lambda: writer.stats().over, "the end of the feed")
    assert writer.error is None and not world.job.killed


def test_executor_that_fails_again_and_again_ends_the_job(world):
    world.ledger.refuse = lambda place, first: "no space left on device"
    writer = world.supply(howdah.Feed(TABLE))
    world.ledger.request(0, ALL)
    eventually(lambda: world.job.killed, "the end of the job")
    assert str(writer.error) == "no space left on device"


def test_wrong_token_is_an_error(world, monkeypatch):
    world.job.address(world.executors, token="wrong")
    writer = world.supply(howdah.Feed(TABLE))
    eventually(lambda: world.job.killed, "the end of the job")
    assert "the token is not that of the feed" in str(writer.error)


def test_tls_needs_the_authority_of_the_job(make, tmp_path):
    certificate, key = tmp_path / "certificate", tmp_path / "key"
    command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=howdah-executor"
    names = ["-addext", "subjectAltName=DNS:howdah-executor", "-keyout", key, "-out", certificate]
    subprocess.run([*command.split(), *names], check=True, capture_output=True)
    world = make(readers=0)
    world.ledger.credit, world.ledger.taken = [None], [0]
    tls = (certificate.read_bytes(), key.read_bytes())
    executor = Executor(world.ledger, "", world.executors, tls=tls)
    world.job.address([executor], ca=certificate.read_text())
    world.supply(howdah.Feed(TABLE))
    assert world.read().equals(TABLE.combine_chunks())


# --- send ---


def test_sent_rows_arrive_in_the_order_of_sends(world):
    writer = world.client.feed("train")
    world.ledger.request(0, ALL)
    assert writer is world.client.feed("train") and writer.stats() == howdah.FeedStats()
    assert writer.send(TABLE.slice(0, 5)) is True
    assert writer.send(tables(ROWS, 3000)) is True
    assert writer.send({"i": [1], "text": ["x"]}) is True
    assert writer.send(TABLE.slice(0, 0)) is True
    assert writer.stats().rows == ROWS + 6 and writer.stats().partitions == 4
    with pytest.raises(howdah.FeedTypeError, match="'i' has the type int64 in the first item of the source, and doub"):
        writer.send({"i": [0.5], "text": ["x"]})
    writer.close()
    world.ledger.wait(lambda: world.ledger.complete(0))
    assert world.ledger.table(0)["i"].to_pylist() == [*range(5), *range(ROWS), 1]
    with pytest.raises(howdah.FeedError, match="the feed train is closed"):
        writer.send(TABLE)
    assert not world.job.killed


def test_key_is_sent_once_by_all_processes(world):
    writer, other = world.client.feed("train"), howdah.Job("howdah-1").feed("train")
    world.ledger.request(0, ALL)
    assert writer.send(TABLE, key="batch 7") is True
    assert [other.send(TABLE, key="batch 7"), writer.send(TABLE, key="batch 7")] == [False, False]
    assert other.send(TABLE, key="batch 8") is True
    assert sum(world.ledger.taken) == 2 * ROWS
    other.release()


def test_send_waits_for_readers_and_ends_with_the_feed(make):
    world = make(credit=0)
    sent = []
    sender = threading.Thread(target=lambda: sent.append(world.client.feed("train").send(TABLE)))
    sender.start()
    world.ledger.request(0, ALL)
    world.ledger.wait(lambda: world.ledger.asked > 1)
    assert sent == []
    world.ledger.end()
    sender.join(60)
    assert sent == [False] and world.client.feed("train").send(TABLE) is False


def test_send_raises_the_error_of_the_job(make):
    world = make(credit=0)
    raised = []

    def send():
        try:
            world.client.feed("train").send(TABLE)
        except howdah.JobFailed as error:
            raised.append(error.reason)

    sender = threading.Thread(target=send)
    sender.start()
    world.ledger.request(0, ALL)
    world.ledger.wait(lambda: world.ledger.asked > 0)
    world.job.state("FAILED", "worker:1 failed with exit code 1")
    os.unlink(world.folder / "address")
    for executor in world.executors:
        executor.stop()
    sender.join(60)
    assert raised == ["worker:1 failed with exit code 1"]


def test_sent_rows_are_sent_again_when_they_are_lost(world):
    writer = world.client.feed("train")
    world.ledger.request(0, ALL)
    writer.send(TABLE)
    writer.send(TABLE)
    world.ledger.forget(0, 1, 50, 60)
    world.ledger.request(0, [1, 2])
    world.ledger.wait(lambda: not world.ledger.missing((0, 1)))
    assert world.ledger.table(0).equals(pa.concat_tables([TABLE, TABLE]).combine_chunks())


def test_wrong_use_of_a_writer_is_refused(world):
    writer = world.supply(howdah.Feed(TABLE))
    with pytest.raises(howdah.FeedMisuse, match="the feed 'train' has a source"):
        writer.send(TABLE)
    with pytest.raises(howdah.FeedMisuse, match="ends with its source"):
        writer.close()


def test_unknown_feed_is_an_error(world):
    os.unlink(world.folder / "address")
    with pytest.raises(howdah.FeedError, match="the job has no feed trian"):
        world.client.feed("trian").send(TABLE)


# --- the job ---


def test_options_of_feeds_become_keys_of_the_job_file(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    data = {
        "train": howdah.Feed(TABLE, epochs=3, split="equal", shuffle=10, seed=7, roles=["worker"], spool="1GiB"),
        "live": howdah.Feed(stream=True, remainder="short", buffer="1GiB", recompute=True, changed="accept"),
        "val": TABLE,
    }
    prepared = _submit.prepare(print, {"data": data, "timeouts": {"feed": "1m"}})
    feeds = {
        "train": {"epochs": 3, "split": "equal", "shuffle": 10, "seed": 7, "roles": ["worker"], "spool": "1GiB"},
        "live": {"remainder": "short", "stream": True, "buffer": "1GiB", "recompute": True, "changed": "accept"},
        "val": {},
    }
    job = yaml.safe_load(prepared.text)
    assert job["feeds"] == feeds and job["timeouts"] == {"feed": "1m"}
    assert [feed.has_source for feed in prepared.feeds.values()] == [True, False, True]
    settings = _jobfile.settings({"data": {"live": howdah.Feed(), "train": howdah.Feed(epochs=2, roles=["a"])}})
    assert settings == ["feeds.live.epochs=1", "feeds.train.epochs=2", 'feeds.train.roles=["a"]']


def test_source_stays_in_its_process():
    copy = pickle.loads(pickle.dumps(howdah.Feed(tables, epochs=3)))
    assert repr(copy) == "<Feed without a source, epochs=3>"

    @howdah.job(data={"train": howdah.Feed(tables(), shuffle=9)})
    def train():
        return 1

    assert train() == 1 and len(cloudpickle.dumps(train)) < 10_000


def test_feed_without_a_source_needs_no_other_package():
    code = "import howdah, sys; howdah.Feed(epochs=2); print('pyarrow' in sys.modules, 'numpy' in sys.modules)"
    env = {"PYTHONPATH": str(ROOT / "python")}
    done = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, env=env)
    assert done.stdout == "False False\n", done


"""Feeds of files without a job: plans, formats, and the process that reads, with a job that the tests control."""
import base64
import os
import pathlib
import threading
import zlib

import pytest

import arrow
from machine import eventually

SITE = arrow.site_packages()

import numpy as np  # noqa: E402
import pyarrow as pa  # noqa: E402
import pyarrow.csv  # noqa: E402
import pyarrow.parquet  # noqa: E402

import howdah  # noqa: E402
from howdah import _errors  # noqa: E402
from howdah._feed import file_formats, file_plan, file_source  # noqa: E402
from howdah._feed.writer import Feed  # noqa: E402
from howdah.data import tfrecord  # noqa: E402

from file_job import Calls, Job  # noqa: E402


def table(rows, first=0):
    text = pa.array([f"row {i}" for i in range(first, first + rows)], pa.string())
    return pa.table({"i": np.arange(first, first + rows), "text": text})


def settings(sources, **keys):
    given = {"feed": "train", "reader": 0, "readers": 1, "split": "equal", "from": [str(one) for one in sources],
             "format": None, "columns": None, "shuffled": False, "seed": 0, "token": "t", "location": "here", "ca": "",
             "server_name": ""}  # fmt: skip
    return file_source.Settings({**given, **keys})


def plan_of(*sources, **keys):
    chosen = settings(sources, **keys)
    places = file_plan.Places(chosen.sources)
    return file_source.make_plan(chosen, places), places


def names(*sources):
    places = file_plan.Places([str(one) for one in sources])
    return [places.name(file) for file in places.files()]


@pytest.fixture
def folder(tmp_path):
    """Empty files with one byte each, which only listings use."""
    for name in ("b/2.csv", "b/1.csv", "b/_hidden/3.csv", "b/.tmp.csv", "b/sub/4.csv", "c/5.csv", "c/6.txt",
                 "_SUCCESS"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    (tmp_path / "c/empty.csv").touch()
    return tmp_path


# --- plans ---


@pytest.mark.parametrize("sources, expected", [
    (["b"], ["b/1.csv", "b/2.csv", "b/sub/4.csv"]),
    (["b/2.csv"], ["b/2.csv"]),
    (["b/.tmp.csv"], ["b/.tmp.csv"]),
    (["c/*.csv"], ["c/5.csv"]),
    (["*/[15].csv"], ["b/1.csv", "c/5.csv"]),
    (["[bc]"], ["b/1.csv", "b/2.csv", "b/sub/4.csv", "c/5.csv", "c/6.txt"]),
    (["{c,b}/?.csv"], ["c/5.csv", "b/1.csv", "b/2.csv"]),
    (["c/5.csv", "b/1.csv", "c"], ["c/5.csv", "b/1.csv", "c/6.txt"]),
])  # fmt: skip
def test_files_of_paths_and_patterns(folder, sources, expected):
    assert names(*(folder / source for source in sources)) == [str(folder / name) for name in expected]
    assert names(*(f"file://{folder / source}" for source in sources)) == [str(folder / name) for name in expected]


@pytest.mark.parametrize("source, message", [
    ("d", "d: no such file or directory"),
    ("d*/x", r"d\*/x: the pattern matches no file"),
    ("b/_hidden", None),
    ("e", "e: it has no files; names that begin with '_' or '.' do not count"),
    ("p", r"the directory year=2020 has the values of a column in its name.*p/\*=\*/\*"),
])  # fmt: skip
def test_sources_without_files_are_errors(folder, source, message):
    (folder / "e").mkdir()
    (folder / "e/_SUCCESS").touch()
    (folder / "p/year=2020").mkdir(parents=True)
    if message is None:
        assert names(folder / source) == [f"{folder}/b/_hidden/3.csv"]
    else:
        with pytest.raises(_errors.FeedError, match=message):
            names(folder / source)


def test_plan_survives_as_text(tmp_path):
    for number, rows in enumerate((100, 3)):
        pa.parquet.write_table(table(rows), tmp_path / f"{number}.parquet")
    plan, places = plan_of(tmp_path)
    again = file_plan.decode(plan.encode())
    assert again._replace(files=list(again.files)) == plan._replace(files=list(plan.files))
    assert plan.format == "parquet" and plan.schema == table(1).schema and plan.schema_file == f"{tmp_path}/0.parquet"
    assert [part.file for part in plan.parts()] == list(plan.files)


def test_parts_cover_each_file_once():
    files = [file_plan.File(0, "a", 10 << 20, 0), file_plan.File(0, "b", 1, 0), file_plan.File(0, "c", 200 << 20, 0)]
    step = file_plan.part_bytes([file.size for file in files], "parquet")
    parts = file_plan.Plan("parquet", files, step, None, "a").parts()
    for file in files:
        own = [(part.start, part.end) for part in parts if part.file is file]
        assert own[0][0] == 0 and own[-1][1] == file.size
        assert all(end == start for (_, end), (start, _) in zip(own, own[1:]))
    assert 60 < len(parts) < 80
    assert file_plan.part_bytes([1 << 40], "parquet") == 64 << 20 and file_plan.part_bytes([1 << 40], "csv") == 0


def test_order_depends_on_the_seed_and_the_pass_only():
    assert file_plan.order(5, False, 7, 3) == [0, 1, 2, 3, 4]
    orders = {(seed, number): tuple(file_plan.order(20, True, seed, number)) for seed in (0, 1) for number in (0, 1)}
    assert len(set(orders.values())) == 4 and all(sorted(order) == list(range(20)) for order in orders.values())
    assert file_plan.order(6, True, 7, 0) == file_plan.order(6, True, 7, 0) == [4, 0, 3, 2, 1, 5]


@pytest.mark.parametrize("given, format", [(["a.parquet", "b.PQ"], "parquet"), (["x.feather", "y.arrow"], "arrow"),
                                           (["a.csv.gz"], "csv"), (["part.tfrecords"], "tfrecord")])  # fmt: skip
def test_format_is_that_of_the_names(given, format):
    assert file_plan.format_of(given) == format


def test_names_without_one_format_are_errors():
    with pytest.raises(_errors.FeedError, match=r"reading part-r-0000: .*howdah.Feed\(path, format="):
        file_plan.format_of(["part-r-0000"])
    with pytest.raises(_errors.FeedError, match="a.csv is csv, and b.parquet is parquet"):
        file_plan.format_of(["a.csv", "b.parquet"])


def test_changed_files_are_found(tmp_path):
    path = tmp_path / "a.parquet"
    pa.parquet.write_table(table(10), path)
    plan, places = plan_of(path)
    places.check(plan.files[0])
    os.utime(path, (1, 1))
    with pytest.raises(_errors.FeedChanged, match=f"the file {path} has changed"):
        places.check(plan.files[0])
    path.unlink()
    with pytest.raises(_errors.FeedChanged, match=f"the file {path} is gone"):
        places.check(plan.files[0])


# --- formats ---


def write(path, rows, **options):
    path = str(path)
    if path.endswith(".parquet"):
        pa.parquet.write_table(rows, path, **options)
    elif path.endswith(".arrow"):
        with pa.ipc.new_file(path, rows.schema) as file:
            file.write_table(rows, max_chunksize=1000)
    elif path.endswith(".ipc"):
        with pa.ipc.new_stream(path, rows.schema) as file:
            file.write_table(rows, max_chunksize=1000)
    elif ".csv" in path:
        with pa.output_stream(path, compression="gzip" if path.endswith("gz") else None) as file:
            pa.csv.write_csv(rows, file)
    else:
        tfrecord.write(rows, path)


def rows_of(plan, places, columns=None):
    """The rows of each part."""
    found = []
    for part in plan.parts():
        name = places.name(part.file)
        with places.open(part.file) as file:
            batches = file_formats.READERS[plan.format](columns).batches(
                file, name, part.start, part.end, plan.schema, plan.schema_file)
            found.append(pa.Table.from_batches(batches, plan.schema))
    return found


@pytest.mark.parametrize("format", ["parquet", "arrow", "ipc", "csv", "csv.gz", "tfrecord"])
def test_parts_have_all_rows(tmp_path, format):
    rows = table(10_000)
    write(tmp_path / f"a.{format}", rows, **({"row_group_size": 700} if format == "parquet" else {}))
    plan, places = plan_of(tmp_path)
    if plan.part:
        plan = plan._replace(part=20_000)
    found = rows_of(plan, places)
    if format in ("parquet", "arrow"):
        assert len(found) > 3 and sum(part.num_rows > 0 for part in found) > 2
    whole = pa.concat_tables(found)
    assert whole["i"].to_pylist() == rows["i"].to_pylist()
    assert whole["text"].cast("string").to_pylist() == rows["text"].to_pylist()


@pytest.mark.parametrize("format", ["parquet", "arrow", "csv", "tfrecord"])
def test_columns_are_selected_in_their_order(tmp_path, format):
    write(tmp_path / f"a.{format}", table(5).append_column("y", pa.array([0.5] * 5)))
    plan, places = plan_of(tmp_path, columns=["y", "i"])
    (found,) = rows_of(plan, places, ["y", "i"])
    assert found.to_pydict() == {"y": [0.5] * 5, "i": [0, 1, 2, 3, 4]}
    with pytest.raises(_errors.FeedTypeError, match=f"{tmp_path}/a.{format}: it has no column 'z'; its columns are "):
        plan_of(tmp_path, columns=["z"])


@pytest.mark.parametrize("format", ["parquet", "arrow", "csv"])
@pytest.mark.parametrize("other, message", [
    ({"i": ["x"], "text": ["y"]}, "'i'"),
    ({"i": [1]}, "b.{format} has no column 'text', unlike .*a.{format}"),
    ({"i": [1], "text": ["y"], "z": [3]}, "b.{format} has the column 'z', and .*a.{format} has not"),
])  # fmt: skip
def test_other_columns_in_a_later_file_are_errors(tmp_path, format, other, message):
    write(tmp_path / f"a.{format}", table(5))
    write(tmp_path / f"b.{format}", pa.table(other))
    if format == "csv" and message == "'i'":
        message = "conversion error"
        for number in range(40):  # the types are those of a sample, which does not have the last file
            write(tmp_path / f"a.{format}-{number:02}.{format}", table(5))
    with pytest.raises(_errors.FeedTypeError, match=message.format(format=format)) as caught:
        rows_of(*plan_of(tmp_path))
    assert f"{tmp_path}/a.{format}" in str(caught.value) and f"{tmp_path}/b.{format}" in str(caught.value)


@pytest.mark.parametrize("format, first, later, types", [
    ("csv", {"x": [1], "y": [None]}, {"x": [0.5], "y": ["a"]}, ["double", "string"]),
    ("csv", {"x": [1], "y": [True]}, {"x": ["a"], "y": [False]}, ["string", "bool"]),
    ("tfrecord", {"x": [1], "y": [b"a"]}, {"x": [[1, 2]], "y": pa.array([None], pa.binary())},
     ["list<item: int64>", "binary"]),
])  # fmt: skip
def test_types_are_those_of_several_files(tmp_path, format, first, later, types):
    write(tmp_path / f"a.{format}", pa.table(first))
    write(tmp_path / f"b.{format}", pa.table(later))
    plan, places = plan_of(tmp_path)
    assert [str(type_) for type_ in plan.schema.types] == types
    assert sum(part.num_rows for part in rows_of(plan, places)) == 2


def test_examples_of_another_type_are_errors(tmp_path):
    for number in range(7):
        write(tmp_path / f"a{number}.tfrecord", table(5))
    write(tmp_path / "b.tfrecord", pa.table({"i": [[1, 2]], "text": ["x"]}))
    plan, places = plan_of(tmp_path)
    with pytest.raises(_errors.FeedTypeError, match=r"b.tfrecord.*'i' has 2 values.*columns=\[\"record\"\]"):
        rows_of(plan, places)


def test_damaged_files_are_errors_that_name_them(tmp_path):
    for name in ("a.parquet", "a.arrow", "a.tfrecord"):
        (tmp_path / name).write_bytes(b"ARROW1 no data of this format" * 9)
        with pytest.raises(_errors.FeedError, match=f"reading {tmp_path}/{name}"):
            plan_of(tmp_path / name)


def test_column_that_a_feed_cannot_carry_is_an_error(tmp_path):
    pa.parquet.write_table(pa.table({"m": pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int64()))}),
                           tmp_path / "a.parquet")
    with pytest.raises(_errors.FeedTypeError, match="'m'"):
        plan_of(tmp_path)


def test_blocks_are_small_and_have_all_rows():
    batch = pa.record_batch({"i": np.arange(3_000_000)})
    blocks = list(file_source.cut(batch, few=False))
    assert all(pa.ipc.get_record_batch_size(block) <= 8 << 20 for block in blocks) and 4 <= len(blocks) <= 12
    assert pa.Table.from_batches(blocks)["i"].to_pylist() == batch["i"].to_pylist()
    assert {block.num_rows for block in list(file_source.cut(batch, few=True))[:-1]} == {1024}
    skewed = pa.record_batch({"b": pa.array([b"x" * (9 << 20), *[b""] * 9])})
    blocks = list(file_source.cut(skewed, few=False))
    assert pa.Table.from_batches(blocks) == pa.Table.from_batches([skewed]) and blocks[0].num_rows == 1


# --- the process that reads ---


@pytest.fixture
def start():
    """Starts the processes of all readers, as threads. Returns their errors, by reader."""
    jobs, threads = [], []

    def run(job, sources, readers=1, **keys):
        errors = {}
        jobs.append(job)

        def read(reader):
            try:
                chosen = settings(sources, reader=reader, readers=readers, **keys)
                file_source.FileSource(chosen, Calls(job, reader)).run()
            except BaseException as error:
                errors[reader] = error
        for reader in range(readers):
            threads.append(threading.Thread(target=read, args=[reader], daemon=True))
            threads[-1].start()
        return errors

    yield run
    for job in jobs:
        job.end()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()


@pytest.fixture
def files(tmp_path):
    for number in range(7):
        pa.parquet.write_table(table(100 + number, 1000 * number), tmp_path / f"{number}.parquet")
    return tmp_path


def all_rows(job, pass_=0):
    return sorted(value for (of, _), rows in job.rows.items() if of == pass_ for value, _ in rows.values())


ALL = sorted(1000 * number + row for number in range(7) for row in range(100 + number))


@pytest.mark.parametrize("split", ["equal", "all", "dynamic"])
def test_processes_share_the_parts(start, files, split):
    job = Job()
    errors = start(job, [files], readers=3, split=split)
    for pass_ in (0, 1):
        job.request(pass_, [0, None])
        eventually(lambda: job.complete(pass_), "the rows of the pass")
        assert all_rows(job, pass_) == ALL
        for (of, partition), rows in job.rows.items():
            readers = {reader for _, reader in rows.values()}
            if of == pass_ and split != "dynamic":
                assert readers == {partition % 3 if split == "equal" else 0}
    assert errors == {}
    job.end()
    eventually(lambda: len(errors) == 3, "the end of the processes")
    assert all(isinstance(error, file_source.Over) for error in errors.values())


def test_order_of_a_shuffled_feed_is_that_of_the_pass(start, files):
    job = Job()
    start(job, [files], readers=2, shuffled=True, seed=3)
    for pass_ in (0, 1):
        job.request(pass_, [0, None])
        eventually(lambda: job.complete(pass_), "the rows of the pass")
        wanted = file_plan.order(7, True, 3, pass_)
        for reader in (0, 1):
            assert [p for p, _ in job.values(pass_)[reader]] == [p for p in wanted if p % 2 == reader]


def test_only_missing_rows_are_sent_again(start, files):
    job = Job()
    start(job, [files])
    job.request(0, [0, None])
    eventually(lambda: job.complete(0), "all rows")
    with job.changed:
        for row in range(20, 30):
            del job.rows[0, 4][row]
        job.arrived.clear()
    job.request(0, [4, 5])
    eventually(lambda: job.complete(0), "the rows that were lost")
    assert job.arrived == [(0, 4, 20, 0)] and all_rows(job) == ALL


def test_parts_of_a_process_that_is_gone_are_read_by_another_one(start, files):
    job = Job()
    job.claims[0, 5] = 99
    start(job, [files], split="dynamic")
    job.request(0, [0, None])
    eventually(lambda: len({place for place in job.rows}) == 6, "the other parts")
    assert (0, 5) not in job.rows
    with job.changed:
        del job.claims[0, 5]
        job.changed.notify_all()
    eventually(lambda: job.complete(0), "the part of the process that is gone")
    assert all_rows(job) == ALL


def test_limit_of_an_answer_is_kept(start, files):
    job = Job(limit=30)
    start(job, [files])
    job.request(0, [0, None])
    eventually(lambda: job.complete(0), "all rows")
    assert [first for _, partition, first, _ in job.arrived if partition == 0] == [0, 30, 60, 90]


def test_blocks_that_are_refused_are_sent_again(start, tmp_path):
    pa.parquet.write_table(table(3000), tmp_path / "a.parquet", row_group_size=100)
    job = Job(room=5)
    start(job, [tmp_path])
    job.request(0, [0, None])
    eventually(lambda: len(job.arrived) == 5, "the first blocks")
    with job.changed:
        job.room = 1 << 60
        job.changed.notify_all()
    eventually(lambda: job.complete(0), "all rows")
    assert all_rows(job) == list(range(3000))


def test_error_of_a_file_comes_after_its_good_rows(start, files):
    (files / "3.parquet").write_bytes(b"PAR1 nothing PAR1")
    job = Job()
    errors = start(job, [files])
    job.request(0, [0, None])
    eventually(lambda: errors, "the error")
    assert isinstance(errors[0], _errors.FeedError) and f"reading {files}/3.parquet: " in str(errors[0])
    assert {partition for _, partition in job.rows} == {0, 1, 2}


def test_file_that_has_changed_since_the_plan_is_an_error(start, files):
    job = Job()
    errors = start(job, [files])
    eventually(lambda: job.plan, "the plan")
    pa.parquet.write_table(table(2), files / "6.parquet")
    job.request(0, [0, None])
    eventually(lambda: errors, "the error")
    assert isinstance(errors[0], _errors.FeedChanged) and "6.parquet has changed" in str(errors[0])


def test_position_of_other_files_is_refused_before_a_row_is_sent(start, files):
    before, _ = plan_of(files)
    pa.parquet.write_table(table(2, 99), files / "7.parquet")
    for split in ("equal", "dynamic"):
        job = Job()
        errors = start(job, [files], readers=2, split=split)
        eventually(lambda: job.count, "the plan")
        job.request(0, [0, None], restored=before.encode())
        eventually(lambda: len(errors) == 2, "the errors of both processes")
        assert all(isinstance(error, _errors.FeedChanged) for error in errors.values()), errors
        text = f"the feed train has other files than the checkpoint that this job continues: {files}/7.parquet is new; "
        assert text + "continue with the files of the checkpoint, or delete howdah-feeds.json" in str(errors[0])
        assert job.arrived == []


def test_position_of_the_same_files_is_continued(start, files):
    before, _ = plan_of(files)
    job = Job()
    errors = start(job, [files])
    job.request(0, [0, None], restored=before._replace(schema=pa.schema([]), schema_file="").encode())
    eventually(lambda: job.complete(0) or errors, "the rows of the pass")
    assert errors == {} and all_rows(job) == ALL


def test_differences_from_the_files_of_a_checkpoint_are_named(files):
    plan, _ = plan_of(files)
    first, second, *rest = plan.files
    cases = [
        (plan._replace(files=[first, *rest]), f": {second.path} is new; continue"),
        (plan._replace(files=[*plan.files, second._replace(path="/b")]), ": /b is gone; continue"),
        (plan._replace(files=[first._replace(size=7), second, *rest]), f"had 7 bytes, and now has {first.size};"),
        (plan._replace(files=[first, second._replace(modified=1), *rest]), f"{second.path} was written again;"),
        (plan._replace(files=[second, first, *rest]), "the files have another order;"),
        (plan._replace(files=[]), "; and 4 more; continue"),
        (plan._replace(part=plan.part + 1), f"their parts have {plan.part} bytes, and those of the checkpoint"),
        (plan._replace(format="csv"), "it reads them as parquet, and the checkpoint is of csv"),
    ]
    for before, text in cases:
        with pytest.raises(_errors.FeedChanged) as raised:
            file_plan.check_restored("train", plan, before.encode())
        assert text in str(raised.value)
    good = plan.encode()
    for damaged in ("", "!", good[: len(good) // 2], good[8:], base64.b64encode(zlib.compress(b"{}")).decode(), "AAAA"):
        with pytest.raises(_errors.FeedError, match="in the checkpoint is damaged"):
            file_plan.check_restored("train", plan, damaged)


def test_empty_files_have_no_parts(start, tmp_path):
    (tmp_path / "a.parquet").touch()
    pa.parquet.write_table(table(0), tmp_path / "b.parquet")
    job = Job()
    assert start(job, [tmp_path]) == {}
    job.request(0, [0, None])
    eventually(lambda: job.complete(0), "the end of the empty file")
    assert (job.count, job.ends, job.rows) == (1, {(0, 0): 0}, {})


# --- howdah.Feed ---


def test_feed_of_paths(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", "/home/u")
    assert Feed("hdfs:///data/*.parquet", epochs=3).keys == {"from": "hdfs:///data/*.parquet", "epochs": 3}
    assert Feed("data").keys == {"from": f"{tmp_path}/data"}
    feed = Feed(["~/a", pathlib.Path("b.csv"), "file:/c"], format="csv", columns=("x", "y"))
    assert feed.keys == {"from": ["/home/u/a", f"{tmp_path}/b.csv", "file:///c"], "format": "csv",
                         "columns": ["x", "y"]}  # fmt: skip
    assert not feed.has_source and "of files" in repr(feed)
    import pickle

    assert pickle.loads(pickle.dumps(feed)).keys == feed.keys


def test_wrong_sources_are_errors():
    with pytest.raises(_errors.FeedMisuse, match="format= is that of files"):
        howdah.Feed({"x": [1]}, format="csv")
    with pytest.raises(_errors.FeedTypeError, match="among other data"):
        howdah.Feed([table(1), "a.csv"])
    with pytest.raises(_errors.FeedTypeError, match="cannot read the path b'x'"):
        howdah.Feed([pathlib.Path("a"), BytesPath()])


class BytesPath:
    def __fspath__(self):
        return b"x"

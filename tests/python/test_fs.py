"""howdah.fs on the files of this machine, which howdah-agent serves like those of HDFS."""

import gc
import multiprocessing
import os
import pathlib
import subprocess
import sys
import threading

import pytest

import arrow
from machine import BIN, eventually, processes

SITE = arrow.site_packages()

import fsspec  # noqa: E402

from howdah import _arena, _files, _fsspec, fs  # noqa: E402

CONTENT = os.urandom(3 * _files.PIECE + 12345)


@pytest.fixture
def files(monkeypatch):
    monkeypatch.setenv("PATH", f"{BIN.parent}{os.pathsep}{os.environ['PATH']}")
    files = fs.HadoopFileSystem()
    monkeypatch.setattr(files, "_uri", "file:///")
    return files


@pytest.fixture
def big(files, tmp_path):
    with files.open(f"{tmp_path}/big", "wb") as file:
        file.write(CONTENT[:10])
        file.write(CONTENT[10:])
    return f"{tmp_path}/big"


def test_written_file_is_read_at_any_offset(files, big):
    assert pathlib.Path(big).read_bytes() == CONTENT and pathlib.Path(big).stat().st_mode & 0o777 == 0o644
    with files.open(big) as file:
        for offset, length in ((0, 1), (_files.PIECE - 1, 2), (len(CONTENT) - 3, 10), (7, 2 * _files.PIECE), (5, 0)):
            file.seek(offset)
            assert file.read(length) == CONTENT[offset : offset + length]
        assert file.seek(-4, os.SEEK_END) == len(CONTENT) - 4 and file.read() == CONTENT[-4:]
    with files.open(big) as file:
        assert b"".join(iter(lambda: file.read(1_000_003), b"")) == CONTENT
    assert files.cat_file(big, 5, 9) == CONTENT[5:9] and files.cat_file(big, -2) == CONTENT[-2:]
    assert files.cat_ranges([big, big], [0, 100], [3, 105]) == [CONTENT[:3], CONTENT[100:105]]


def test_file_and_directory_are_copied_to_this_machine(files, big, tmp_path, monkeypatch):
    read, send = [], fs._Native.send

    def count(self, start, end, *rest, **options):
        read.append((start, end))
        return send(self, start, end, *rest, **options)
    monkeypatch.setattr(fs._Native, "send", count)
    (tmp_path / "from/empty").mkdir(parents=True)
    os.link(big, tmp_path / "from/big")
    files.get(f"{tmp_path}/from", f"{tmp_path}/to", recursive=True)
    assert (tmp_path / "to/big").read_bytes() == CONTENT and (tmp_path / "to/empty").is_dir()
    assert sum(end - start for start, end in read) == len(CONTENT)  # each byte once


def test_text_and_lines(files, tmp_path):
    with files.open(f"{tmp_path}/a", "w") as file:
        file.write("é\nb\n")
    with files.open(f"{tmp_path}/a", "r") as file:
        assert list(file) == ["é\n", "b\n"]


def test_directories_are_listed_and_searched(files, tmp_path):
    root = str(tmp_path)
    files.makedirs(f"{root}/a/b")
    files.pipe({f"{root}/a/1.csv": b"1", f"{root}/a/b/2.csv": b"22", f"{root}/a/b/a": b""})
    assert sorted(files.ls(f"{root}/a", detail=False)) == [f"{root}/a/1.csv", f"{root}/a/b"]
    assert {entry["name"]: (entry["type"], entry["size"]) for entry in files.ls(f"{root}/a")} == {
        f"{root}/a/1.csv": ("file", 1),
        f"{root}/a/b": ("directory", 0),
    }
    assert files.ls(f"{root}/a/1.csv", detail=False) == [f"{root}/a/1.csv"]
    assert files.find(root) == [f"{root}/a/1.csv", f"{root}/a/b/2.csv", f"{root}/a/b/a"]
    assert files.glob(f"{root}/a/**/*.csv") == [f"{root}/a/1.csv", f"{root}/a/b/2.csv"]
    assert files.du(root) == 3 and files.isdir(root) and files.isfile(f"{root}/a/1.csv")
    assert files.info(f"{root}/a")["mode"] == 0o755
    assert abs(files.modified(root).timestamp() - os.stat(root).st_mtime) < 0.01


def test_file_in_a_directory_of_the_same_name_is_listed(files, tmp_path):
    files.makedirs(f"{tmp_path}/a")
    files.touch(f"{tmp_path}/a/a")
    assert files.ls(f"{tmp_path}/a", detail=False) == [f"{tmp_path}/a/a"]


def test_files_are_moved_copied_and_removed(files, tmp_path):
    root = str(tmp_path)
    files.pipe({f"{root}/a": b"a", f"{root}/b": b"b"})
    files.mv(f"{root}/a", f"{root}/b")  # replaces it
    assert files.ls(root, detail=False) == [f"{root}/b"] and files.cat(f"{root}/b") == b"a"
    files.mkdir(f"{root}/d")
    files.mv(f"{root}/b", f"{root}/d/")
    files.cp(f"{root}/d", f"{root}/e", recursive=True)
    assert files.cat(f"{root}/e/b") == b"a"
    with pytest.raises(OSError):
        files.rm(f"{root}/d")
    files.rm(f"{root}/d", recursive=True)
    files.rm(f"{root}/e/*")
    files.rmdir(f"{root}/e")
    assert files.ls(root) == []
    files.touch(f"{root}/t")
    files.touch(f"{root}/t", truncate=False)
    files.rm_file(f"{root}/t")
    assert not files.exists(f"{root}/t")


def test_errors_name_the_path_and_the_reason(files, tmp_path):
    root = str(tmp_path)
    for call in (files.info, files.ls, files.rm, files.cat_file, files.rm_file, files.open):
        with pytest.raises(FileNotFoundError, match=f"{root}/none: "):
            call(f"{root}/none")
    files.touch(f"{root}/a")
    with pytest.raises(FileExistsError, match=f"creating {root}/a: File exists"):
        files.open(f"{root}/a", "xb")
    for make in (files.mkdir, files.makedirs):
        with pytest.raises(FileExistsError):
            make(root)
    with pytest.raises(FileNotFoundError):
        files.mkdir(f"{root}/no/parent", create_parents=False)
    with pytest.raises(NotADirectoryError):
        files.rmdir(f"{root}/a")
    with pytest.raises(FileNotFoundError, match="no file matches"):
        files.rm(f"{root}/*.csv")
    with pytest.raises(IsADirectoryError):
        files.open(root, "wb")
    with pytest.raises(ValueError, match="the mode 'ab' is not supported"):
        files.open(f"{root}/a", "ab")
    with pytest.raises(ValueError, match="the path 'a/b' is not absolute: write it as /a/b"):
        files.info("a/b")


@pytest.mark.parametrize(
    "error, kind",
    [
        (("failed", "removing /a: denied", "org.apache.hadoop.security.AccessControlException"), PermissionError),
        (("failed", "creating /a: exists", "org.apache.hadoop.fs.FileAlreadyExistsException"), FileExistsError),
        (("failed", "creating /a", "org.apache.hadoop.fs.ParentNotDirectoryException"), NotADirectoryError),
        (("not_found", "looking at /a: there is no such file", ""), FileNotFoundError),
        (("timeout", "reading /a: no answer", ""), TimeoutError),
        (("unavailable", "no NameNode answered; check fs.defaultFS", ""), OSError),
    ],
)
def test_errors_of_hdfs_become_exceptions_of_python(error, kind):
    raised = _files.error_of(dict(zip(("code", "message", "class"), error)))
    assert type(raised) is kind and error[1] in str(raised)


def test_file_of_a_failed_block_does_not_appear(files, tmp_path):
    with pytest.raises(ZeroDivisionError), files.open(f"{tmp_path}/a", "wb") as file:
        file.write(b"x")
        1 / 0
    assert os.listdir(tmp_path) == []


def test_files_of_a_transaction_appear_together(files, tmp_path):
    with files.transaction:
        with files.open(f"{tmp_path}/a", "wb") as file:
            file.write(b"x")
        assert not files.exists(f"{tmp_path}/a")
    assert files.cat(f"{tmp_path}/a") == b"x" and os.listdir(tmp_path) == ["a"]
    with pytest.raises(ZeroDivisionError), files.transaction:
        files.open(f"{tmp_path}/b", "wb").close()
        1 / 0
    assert os.listdir(tmp_path) == ["a"]


def test_threads_read_and_write_at_the_same_time(files, tmp_path):
    wrong = []

    def work(number):
        data = bytes([number]) * (1 << 20)
        with files.open(f"{tmp_path}/{number}", "wb") as file:
            file.write(data)
        if files.cat_file(f"{tmp_path}/{number}") != data:
            wrong.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == [] and len(files.ls(str(tmp_path))) == 20


def agents():
    own = os.getpid()
    return {pid for pid, (parent, command, _) in processes().items() if parent == own and "agent files" in command}


def test_child_made_by_fork_has_a_process_of_its_own(files, big):
    reader, writer = files.open(big), files.open(big + ".new", "wb")
    reader.read(10)
    (own,) = agents()

    def child(results):
        reader.seek(100)
        read = reader.read(5)  # opened before the fork
        try:
            writer.write(b"x" * (1 << 23))
        except ConnectionError as error:
            results.put((read, files.cat_file(big, 0, 3), own in agents(), len(agents()), str(error)))

    fork = multiprocessing.get_context("fork")
    results = fork.Queue()
    process = fork.Process(target=child, args=(results,))
    process.start()
    read, start, shared, count, error = results.get(timeout=60)
    process.join()
    assert (read, start, shared, count) == (CONTENT[100:105], CONTENT[:3], False, 1)
    assert "a file cannot be used in a child of the process that has opened it" in error
    assert reader.read(5) == CONTENT[10:15]
    writer.write(b"end")
    writer.close()
    assert files.cat_file(big + ".new") == b"end" and agents() == {own}


def test_file_that_is_being_read_survives_the_end_of_the_agent(files, big):
    reader, writer = files.open(big), files.open(big + ".new", "wb")
    assert reader.read(3) == CONTENT[:3]
    (own,) = agents()
    os.kill(own, 9)
    with pytest.raises(ConnectionError, match="howdah-agent, which reads and .* was killed by signal 9"):
        writer.write(b"x" * (1 << 23))
    reader.seek(2 * _files.PIECE)
    assert reader.read(3) == CONTENT[2 * _files.PIECE :][:3]


@pytest.mark.parametrize("mode", ["rb", "wb"])
def test_file_that_is_collected_during_a_request_does_not_block_it(files, big, mode):
    path = big if mode == "rb" else f"{big}.2"
    opened, collected = [files.open(path, mode)], threading.Event()
    if mode == "wb":
        opened[0].write(b"x")
    server = _files.server()

    def collect():
        with server._lock:  # as in a request of this thread
            opened.clear()
            gc.collect()
        collected.set()
    threading.Thread(target=collect, daemon=True).start()
    assert collected.wait(20), "the file waits for the lock of its own thread"
    assert files.cat_file(big, 0, 5) == CONTENT[:5]
    if mode == "wb":
        eventually(lambda: os.path.exists(path) and pathlib.Path(path).read_bytes() == b"x", "the file is complete")


def test_agent_ends_with_the_program_and_ignores_signals(files, tmp_path):
    code = (
        "import os, signal, sys\n"
        "from howdah import _files\n"
        "server = _files.server()\n"
        f"server.request('create', fs='file:///', path='{tmp_path}/a', overwrite=True)\n"
        "for number in (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1):\n"
        "    os.kill(server._process.pid, number)\n"
        f"server.request('stat', fs='file:///', path='{tmp_path}')\n"
        "print(server._process.pid, flush=True)\n"
        "if sys.argv[1:]: os.kill(os.getpid(), 9)\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(pathlib.Path(fs.__file__).parents[1])}
    for arguments, status in (([], 0), (["killed"], -9)):
        done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, env=environment)
        assert done.returncode == status, done.stderr
        eventually(lambda: int(done.stdout) not in processes(), "the end of howdah-agent")
        assert os.listdir(tmp_path) == []  # the file that was not closed


def test_missing_agent_and_package_are_errors_with_a_remedy(tmp_path, monkeypatch):
    (tmp_path / "howdah").touch(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Exception, match="howdah-agent is not beside .*; install both with `pip install howdah`"):
        _files.agent()
    code = "import howdah\nhowdah.fs"
    done = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True,
                          env={"PYTHONPATH": str(pathlib.Path(fs.__file__).parents[1])})
    assert "howdah.fs needs the package fsspec: pip install fsspec" in done.stderr


def test_uris_name_file_system_and_path():
    strip, options = fs.HadoopFileSystem._strip_protocol, fs.HadoopFileSystem._get_kwargs_from_urls
    assert strip("hdfs://ns1/a/b/") == strip("howdah-hdfs:///a//b") == strip("/a/b") == "/a/b"
    assert strip("hdfs://ns1") == strip("hdfs:///") == strip("") == "/" and strip(["/a", "/b/"]) == ["/a", "/b"]
    assert options("hdfs://nn:8020/a") == {"host": "nn", "port": 8020} and options("hdfs://ns1/a") == {"host": "ns1"}
    assert options("hdfs:///a") == options("/a") == {}
    files, path = fsspec.core.url_to_fs("howdah-hdfs://nn:8020/a")
    assert (files._uri, path, files.unstrip_protocol(path)) == ("hdfs://nn:8020", "/a", "howdah-hdfs://nn:8020/a")


def test_hdfs_is_registered_in_tasks_unless_another_package_has_it(monkeypatch):
    registry = sys.modules["fsspec.registry"]
    monkeypatch.setattr(registry, "known_implementations", dict(registry.known_implementations))
    own = registry.known_implementations["hdfs"]["class"]
    monkeypatch.delenv("HOWDAH_AGENT", raising=False)
    _fsspec.register(fsspec)
    assert registry.known_implementations["hdfs"]["class"] == own != "howdah.fs.HadoopFileSystem"
    monkeypatch.setenv("HOWDAH_AGENT", "/agent")
    registry.known_implementations["hdfs"] = {"class": "other.HadoopFileSystem"}
    _fsspec.register(fsspec)
    assert registry.known_implementations["hdfs"]["class"] == "other.HadoopFileSystem"
    registry.known_implementations["hdfs"] = {"class": own}
    _fsspec.register(fsspec)
    assert registry.known_implementations["hdfs"]["class"] == "howdah.fs.HadoopFileSystem"


def test_program_of_a_task_that_imports_only_fsspec_has_the_protocol():
    code = (
        "import sys\nfrom howdah import _fsspec\n_fsspec.register_at_import()\nassert 'fsspec' not in sys.modules\n"
        "import fsspec\nprint(fsspec.get_filesystem_class('hdfs').__module__)\nassert len(sys.meta_path) < 10"
    )
    paths = [str(pathlib.Path(fs.__file__).parents[1]), SITE]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "HOWDAH_AGENT": "/agent"})
    assert done.stdout == "howdah.fs\n", done.stderr


def test_pyarrow_reads_and_writes_parquet(files, tmp_path):
    import pyarrow
    import pyarrow.fs
    import pyarrow.parquet

    arrow_files = pyarrow.fs.PyFileSystem(pyarrow.fs.FSSpecHandler(files))
    table = pyarrow.table({"a": list(range(1000)), "b": ["x"] * 1000})
    pyarrow.parquet.write_table(table, f"{tmp_path}/t.parquet", filesystem=arrow_files, row_group_size=100)
    assert pyarrow.parquet.read_table(f"{tmp_path}/t.parquet", filesystem=arrow_files).equals(table)
    local, path = fs.arrow(f"{tmp_path}/t.parquet")
    assert isinstance(local, pyarrow.fs.LocalFileSystem) and path == f"{tmp_path}/t.parquet"
    local, path = fs.arrow(f"file://{tmp_path}/t.parquet")
    assert isinstance(local, pyarrow.fs.LocalFileSystem) and path == f"{tmp_path}/t.parquet"
    found, path = fs.arrow("hdfs://ns1/a/b")
    assert found.handler.fs._uri == "hdfs://ns1" and path == "/a/b"


def test_file_system_is_pickled_without_its_process(files):
    import pickle

    copy = pickle.loads(pickle.dumps(fs.HadoopFileSystem("ns1", replication=1)))
    assert (copy._uri, copy.replication) == ("hdfs://ns1", 1)


# --- shared memory, and reading ahead ---


def test_part_of_the_arena_is_used_again_when_no_view_of_it_exists():
    arena = _arena.Arena()
    first, second = arena.take(5000), arena.take(1)
    assert (first.start, second.start) == (0, 8192)
    view = first.view(5000)[4000:]
    del first
    assert arena.take(1).start == 12288  # the view keeps the part
    del view
    assert arena.take(8192).start == 0
    assert arena.take(_arena.SIZE) is None
    del second
    assert arena.take(_arena.SIZE).start == 0
    arena.close()


@pytest.mark.parametrize("shared", [True, False])
def test_file_is_read_with_and_without_shared_memory(files, big, tmp_path, monkeypatch, shared):
    _files._close()
    if not shared:
        monkeypatch.setattr(_arena, "make", lambda: None)
    held = []
    if shared:  # the memory is full from here on
        arena = _files.server()._arena
        held.append(arena.take(_arena.SIZE - _files.PIECE))
    for _ in range(2):
        assert files.cat_file(big) == CONTENT and files.cat_file(big, 5, 9) == CONTENT[5:9]
        with files.open(big) as file:
            assert b"".join(iter(lambda: file.read(1_000_003), b"")) == CONTENT
        files.get_file(big, f"{tmp_path}/copy")
        assert (tmp_path / "copy").read_bytes() == CONTENT
        held.clear()
    _files._close()


def requests_of(native):
    """The ranges that the file requests, from now on."""
    asked, send = [], native.send

    def record(start, end, until=0, **options):
        pending = send(start, end, until, **options)
        if pending is not None:
            asked.append((start, end))
        return pending
    native.send = record
    return asked


@pytest.mark.parametrize("piece", [1000, 300_000, 16 << 20])
def test_ranges_are_read_ahead_and_requested_once(files, big, piece):
    from howdah._feed.file_input import HadoopInput

    source = HadoopInput(files, big)
    asked = requests_of(source._native)
    ranges = [(3_000_000, 4_000_000), (1000, 500_000), (500_000, 3_000_000), (5_000_000, 9_000_000)]
    source.expect(ranges, piece)
    assert len(asked) == 4 and asked[1] == (1000, min(1000 + piece, 500_000))  # nothing has been read yet
    at = [start for start, _ in ranges]
    while any(position < end for position, (_, end) in zip(at, ranges)):  # in turns, as columns are read
        for number, (_, end) in enumerate(ranges):
            size = min(333_333, end - at[number])
            source.seek(at[number])
            assert source.read_buffer(size) == CONTENT[at[number] : at[number] + size]
            at[number] += size
    assert sum(end - start for start, end in asked) == sum(end - start for start, end in ranges)
    source.seek(100)
    assert source.read(50) == CONTENT[100:150]  # was not announced
    source.seek(2_000_000)
    assert source.read_buffer(9) == CONTENT[2_000_000:2_000_009]  # again
    source.seek(-3, os.SEEK_END)
    assert source.read() == CONTENT[-3:] and source.read(1) == b""
    source.close()


def test_bytes_that_are_read_ahead_have_a_limit(files, tmp_path):
    from howdah._feed import file_input

    (tmp_path / "sparse").touch()
    os.truncate(tmp_path / "sparse", 1 << 30)
    source = file_input.HadoopInput(files, f"{tmp_path}/sparse")
    asked = requests_of(source._native)
    size = 1 << 20
    source.expect([(start, start + size) for start in range(0, 200 * size, size)], size)
    limit = file_input._OPENED_AHEAD // size
    assert len(asked) == limit
    for number in range(200):
        source.seek(number * size)
        assert source.read_buffer(size) == bytes(size)
        assert len(asked) == min(200, limit + number + 1)
    source.close()


def test_reading_ahead_survives_the_end_of_the_agent(files, big):
    from howdah._feed.file_input import HadoopInput

    source = HadoopInput(files, big)
    source.expect([(0, 1_000_000), (1_000_000, 2_000_000)], 100_000)
    assert source.read_buffer(150_000) == CONTENT[:150_000]
    server = _files.server()
    os.kill(server._process.pid, 9)
    eventually(lambda: server.ended, "the end of howdah-agent")
    for start in (150_000, 1_000_000):
        source.seek(start)
        assert source.read_buffer(200_000) == CONTENT[start : start + 200_000]
    source.close()


@pytest.mark.parametrize("largest, whole", [(20 << 20, True), (100_000, False)])
def test_row_groups_are_read_ahead(files, tmp_path, monkeypatch, largest, whole):
    """A small row group is requested as a whole, and the next one with it; a large one in pieces of its columns."""
    import numpy
    import pyarrow
    import pyarrow.parquet
    from howdah._feed import file_formats, file_input

    monkeypatch.setattr(file_formats, "_WHOLE", largest)
    monkeypatch.setattr(file_formats, "_BUFFERS", 600_000)
    rows = 40_000
    columns = {f"x{column}": numpy.random.default_rng(column).random(rows) for column in range(4)}
    table = pyarrow.table({**columns, "text.a": pyarrow.array([f"row {row}" for row in range(rows)])})
    path = f"{tmp_path}/a.parquet"
    pyarrow.parquet.write_table(table, path, row_group_size=rows // 2, compression="none", use_dictionary=["text.a"])
    system = fs.arrow("hdfs://ns1/")[0]
    monkeypatch.setattr(system.handler.fs, "_uri", "file:///")
    opened = file_input.Opened(system, path)
    reader = file_formats.Parquet(["x3", "text.a", "x0"])
    schema = reader.schema(opened, path)
    asked = requests_of(opened._source._native)
    batches = reader.batches(opened, path, 0, os.path.getsize(path), schema, path)
    found = [next(batches)]
    second = pyarrow.parquet.read_metadata(path).row_group(1).column(0).data_page_offset
    assert any(start >= second for start, _ in asked) is whole
    found += batches
    assert pyarrow.Table.from_batches(found).equals(table.select(["x3", "text.a", "x0"]))
    wanted = [column for group in range(2) for column in file_formats._ranges(
        pyarrow.parquet.read_metadata(path).row_group(group), ["x3", "text.a", "x0"])]
    assert sum(end - start for start, end in asked) == sum(end - start for start, end in wanted)
    opened.close()

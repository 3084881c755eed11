"""howdah.fs and howdah.data.tfrecord against a real HDFS, from a client and in tasks."""

import multiprocessing
import os
import pathlib
import re
import subprocess
import sys
import threading

import pytest

import arrow

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
SITE = arrow.site_packages()

import howdah as package  # noqa: E402
from howdah import _files, fs  # noqa: E402
from howdah.data import tfrecord  # noqa: E402
import yarn_client  # noqa: E402

BLOCK = 1 << 20  # the smallest block that a NameNode allows
CONTENT = os.urandom(3 * BLOCK + 100_001)


def make_client(howdah, tmp_path, monkeypatch):
    """Makes this process a client of the cluster, with an agent of its own. Returns a directory in HDFS."""
    yarn_client.become(howdah, tmp_path, monkeypatch)
    _files._close()
    return "/user/alice/files"


@pytest.fixture
def directory(howdah, tmp_path, monkeypatch):
    directory = make_client(howdah, tmp_path, monkeypatch)
    yield directory
    if fs.HadoopFileSystem().exists(directory):
        fs.HadoopFileSystem().rm(directory, recursive=True)
    _files._close()


@pytest.fixture
def files(directory):
    return fs.HadoopFileSystem(replication=1, hdfs_block_size=BLOCK, skip_instance_cache=True)


@pytest.fixture
def big(files, directory):
    files.pipe_file(f"{directory}/big", CONTENT)
    return f"{directory}/big"


def test_file_is_written_and_read_at_any_offset_across_blocks(files, big, cluster):
    entry = files.info(big)
    assert (entry["size"], entry["type"], entry["mode"], entry["owner"]) == (len(CONTENT), "file", 0o644, "alice")
    assert entry["block_size"] == BLOCK and cluster.size_in_hdfs(big) == len(CONTENT)
    with files.open(big) as file:
        for offset, length in ((BLOCK - 1, 2), (2 * BLOCK - 7, BLOCK + 9), (0, 3), (len(CONTENT) - 5, 100), (BLOCK, 0)):
            file.seek(offset)
            assert file.read(length) == CONTENT[offset : offset + length]
    assert files.cat_file(big) == CONTENT
    assert files.cat_file(big, BLOCK - 2, BLOCK + 2) == CONTENT[BLOCK - 2 : BLOCK + 2]
    with files.open(big) as file:
        assert b"".join(iter(lambda: file.read(333_333), b"")) == CONTENT


def test_directories_are_listed_moved_and_removed(files, directory):
    files.pipe({f"{directory}/a/1.csv": b"1", f"{directory}/a/b/2.csv": b"22"})
    assert files.ls(f"{directory}/a", detail=False) == [f"{directory}/a/1.csv", f"{directory}/a/b"]
    assert files.ls(f"{directory}/a/1.csv")[0]["size"] == 1 and files.isdir(f"{directory}/a/b")
    assert files.find(directory) == files.glob(f"{directory}/a/**/*.csv") == [
        f"{directory}/a/1.csv",
        f"{directory}/a/b/2.csv",
    ]
    files.mv(f"{directory}/a/1.csv", f"{directory}/a/b/2.csv")  # replaces it
    assert files.cat(f"{directory}/a/b/2.csv") == b"1"
    files.mv(f"{directory}/a", f"{directory}/c")
    files.cp(f"{directory}/c/b/2.csv", f"{directory}/copy")
    assert files.find(directory) == [f"{directory}/c/b/2.csv", f"{directory}/copy"]
    files.mkdir(f"{directory}/d")
    assert files.info(f"{directory}/d")["mode"] == 0o755
    files.rmdir(f"{directory}/d")
    files.rm([f"{directory}/c", f"{directory}/copy"], recursive=True)
    assert files.ls(directory) == []


def test_errors_of_the_name_node_become_exceptions_of_python(files, directory):
    files.pipe({f"{directory}/a/1": b"1"})
    for call in (files.info, files.ls, files.rm, files.cat_file, files.open):
        with pytest.raises(FileNotFoundError, match=f"{directory}/none"):
            call(f"{directory}/none")
    with pytest.raises(FileExistsError, match=f"creating hdfs://.*{directory}/a/1: .*exists"):
        files.open(f"{directory}/a/1", "xb")
    with pytest.raises(PermissionError, match="/not-mine.*alice"):
        files.mkdir("/not-mine")
    with pytest.raises(OSError, match=f"removing hdfs://.*{directory}/a: .*not empty"):
        files.rm(f"{directory}/a")
    with pytest.raises(OSError, match=f"renaming .*{directory}/b to {directory}/a"):
        files.makedirs(f"{directory}/b/x")
        files.mv(f"{directory}/b", f"{directory}/a")
    with pytest.raises(NotADirectoryError):
        files.open(f"{directory}/a/1/x", "wb")
    with pytest.raises(OSError, match=f"{directory}/a"):
        files.open(f"{directory}/a")
    with pytest.raises(OSError, match="nowhere.invalid"):
        fs.HadoopFileSystem("nowhere.invalid", 1).info("/")


def test_missing_configuration_is_an_error_with_a_remedy(files, monkeypatch, tmp_path):
    with monkeypatch.context() as changed:
        changed.setenv("HADOOP_CONF_DIR", str(tmp_path / "none"))
        _files._close()
        with pytest.raises(OSError, match=r"no directory .*/none \(\$HADOOP_CONF_DIR\); set HADOOP_CONF_DIR to"):
            files.info("/")
    _files._close()


def test_failed_block_leaves_no_file(files, directory):
    files.makedirs(directory)
    with pytest.raises(ZeroDivisionError), files.open(f"{directory}/a", "wb") as file:
        file.write(b"x")
        1 / 0
    assert files.ls(directory) == []


def test_threads_and_a_forked_child_share_no_connection(files, big, directory):
    wrong = []

    def work(number):
        files.pipe_file(f"{directory}/{number}", bytes([number]) * 300_000)
        with files.open(big) as file:
            file.seek(number * 1000)
            if file.read(BLOCK) != CONTENT[number * 1000 :][:BLOCK]:
                wrong.append(number)

    reader = files.open(big)
    assert reader.read(3) == CONTENT[:3]

    def child(results):
        reader.seek(BLOCK)
        results.put((reader.read(3), files.cat_file(big, 5, 8)))
        files.pipe_file(f"{directory}/child", b"x")

    threads = [threading.Thread(target=work, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    fork = multiprocessing.get_context("fork")
    results = fork.Queue()
    process = fork.Process(target=child, args=(results,))
    process.start()
    assert results.get(timeout=120) == (CONTENT[BLOCK : BLOCK + 3], CONTENT[5:8])
    process.join()
    for thread in threads:
        thread.join()
    assert wrong == [] and process.exitcode == 0
    assert len(files.ls(directory)) == 22 and reader.read(3) == CONTENT[3:6]


def test_pandas_and_pyarrow_read_and_write_parquet(directory):
    import pandas
    import pyarrow.parquet

    frame = pandas.DataFrame({"a": range(50_000), "b": ["x"] * 50_000})
    frame.to_parquet(f"howdah-hdfs://{directory}/frame.parquet", row_group_size=10_000)
    assert pandas.read_parquet(f"howdah-hdfs://{directory}/frame.parquet").equals(frame)
    frame.to_csv(f"howdah-hdfs://{directory}/frame.csv", index=False)
    assert pandas.read_csv(f"howdah-hdfs://{directory}/frame.csv").equals(frame)
    found, path = fs.arrow(f"hdfs://{directory}/frame.parquet")
    file = pyarrow.parquet.ParquetFile(found.open_input_file(path))
    assert file.num_row_groups == 5 and file.read_row_group(3, ["a"])["a"][0].as_py() == 30_000
    table = pyarrow.parquet.read_table(path, filesystem=found)
    pyarrow.parquet.write_to_dataset(table, f"{directory}/set", filesystem=found, partition_cols=["b"])
    assert pyarrow.parquet.read_table(f"{directory}/set", filesystem=found).num_rows == 50_000


def test_tfrecords_are_written_and_read(directory):
    import pyarrow

    table = pyarrow.table({"a": [1, None], "b": [[0.5], []]}, schema=pyarrow.schema(
        [("a", pyarrow.int64()), ("b", pyarrow.list_(pyarrow.float32()))]))
    for number in (1, 2):
        tfrecord.write(table, f"hdfs://{directory}/part-{number}.tfrecord")
    fs.HadoopFileSystem().touch(f"{directory}/_SUCCESS")
    for uri in (f"hdfs://{directory}", f"howdah-hdfs://{directory}/*.tfrecord"):
        assert tfrecord.read(uri) == pyarrow.concat_tables([table, table])
    with pytest.raises(FileNotFoundError):
        tfrecord.read(f"hdfs://{directory}/*.none")


def check_tasks(howdah, directory):
    def in_task(site, directory):
        """Imports only fsspec, and has no use of the configuration of the node."""
        sys.path.insert(0, site)
        os.environ["HADOOP_CONF_DIR"] = "/nonexistent"
        import fsspec

        rank = package.context().rank
        with fsspec.open(f"hdfs://{directory}/rank-{rank}", "w") as file:
            file.write(f"rank {rank}\n")
        with fsspec.open(f"hdfs://{directory}/input") as file:
            return file.read(), fsspec.filesystem("hdfs").info(f"{directory}/rank-{rank}")["owner"]

    files = fs.HadoopFileSystem()
    files.pipe_file(f"{directory}/input", b"from the client")
    job = package.submit(in_task, args=(SITE, directory), workers=2, memory="256MiB")
    assert job.results(timeout=240) == [(b"from the client", "alice")] * 2
    assert files.cat(f"{directory}/rank-1") == b"rank 1\n"
    files.rm(directory, recursive=True)
    howdah.assert_clean(job.id)


def test_task_needs_no_configuration(howdah, directory):
    check_tasks(howdah, directory)


def test_task_uses_the_tokens_of_the_job(howdah_of, secured_cluster, tmp_path, monkeypatch):
    howdah = howdah_of(secured_cluster)
    directory = make_client(howdah, tmp_path, monkeypatch)
    check_tasks(howdah, directory)
    _files._close()


def test_code_of_the_document_runs(howdah, directory):
    section = (ROOT / "docs/python-api.md").read_text().split("\n## Files in HDFS\n")[1].split("\n## ")[0]
    blocks = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
    assert len(blocks) >= 2
    fs.HadoopFileSystem().makedirs("/user/alice/files")
    for block in blocks:
        done = subprocess.run(
            [sys.executable, "-c", block],
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONPATH": f"{ROOT}/python{os.pathsep}{SITE}"},
        )
        assert done.returncode == 0, f"{block}\n{done.stdout}\n{done.stderr}"

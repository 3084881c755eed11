"""Files in encryption zones, whose keys a real KMS keeps, on a cluster that also encrypts transfers. The cluster names
two servers of the KMS, of which the first does not run."""
import array
import os
import subprocess

import pytest

from cluster_setup import WAYS
from file_cases import run_job_with_files
from kill_cases import ended
from protected_files import MB, ProtectedFiles

GIB = 1 << 30
LARGE_S = 900  # for a copy of 4 GiB


@pytest.fixture(scope="module")
def zoned(module_cluster):
    cluster = module_cluster(nodes=1, kerberos=True, kms=True, kms_hosts="127.0.0.2;localhost", zones=False,
                             tls=False, rpc="privacy", aggregation=True, extra={
        "hdfs-site": {**WAYS["key-aes"], "dfs.namenode.fs-limits.min-block-size": MB},
        "kms-acls": {f"key.acl.closed.{right}": "*" for right in ("MANAGEMENT", "GENERATE_EEK", "READ")}
        | {"key.acl.closed.DECRYPT_EEK": "bob"},
    })
    cluster.make_zone("/tmp", "open")
    cluster.make_zone("/user/alice", "home")
    cluster.fs("-mkdir", "/closed")
    cluster.fs("-chmod", "1777", "/closed")
    cluster.make_zone("/closed", "closed")
    return cluster


@pytest.fixture(scope="module")
def files(zoned, tmp_path_factory):
    return ProtectedFiles(zoned, tmp_path_factory.mktemp("files") / "local", user="alice")


@pytest.mark.long
def test_files_of_a_zone_are_written_and_read(files, zoned):
    files.live("check")
    given, got = files.folder / "given", files.folder / "got"
    given.write_bytes(os.urandom(20 * MB + 7))
    files.live("put", given, "/tmp/ours")
    zoned.fs("-get", "-f", "/tmp/ours", got)
    assert got.read_bytes() == given.read_bytes(), "Java reads other bytes than we have written"
    zoned.fs("-put", "-f", given, "/tmp/theirs")
    files.live("get", "/tmp/theirs", got)
    assert got.read_bytes() == given.read_bytes(), "we read other bytes than Java has written"
    on_disk = [path.read_bytes() for path in (zoned.folder / "dn").rglob("blk_*") if path.suffix != ".meta"]
    assert any(len(block) == given.stat().st_size for block in on_disk)
    assert not any(given.read_bytes()[:100] in block for block in on_disk), "a block is not encrypted"


@pytest.mark.long
def test_zone_file_of_more_than_4_gib_is_written_and_read_from_any_place(files, zoned):
    """The counter of AES/CTR and all positions need more than 32 bits. Each word of the file is its own number."""
    size = 4 * GIB + 20 * MB + 8
    given, got = files.folder / "given", files.folder / "got"
    with given.open("wb") as file:
        for word in range(0, size // 8, MB):
            file.write(array.array("Q", range(word, min(word + MB, size // 8))).tobytes())
    files.live("put", given, "/tmp/large", limit_s=LARGE_S)
    for place in (4 * GIB + 1, 4 * GIB, 4 * GIB - 5, 2 * GIB + 3, 0):
        files.live("get", "/tmp/large", got, place, limit_s=LARGE_S)
        assert got.stat().st_size == size - place
        subprocess.run(["cmp", f"--ignore-initial={place}:0", given, got], check=True)
    zoned.fs("-get", "-f", "/tmp/large", got, timeout=LARGE_S)
    subprocess.run(["cmp", given, got], check=True)
    zoned.fs("-rm", "-skipTrash", "/tmp/large")
    given.unlink()
    got.unlink()


def test_job_with_its_home_in_a_zone(howdah_of, zoned, tmp_path):
    howdah = howdah_of(zoned)
    done = howdah("doctor")
    assert "wrote, read and deleted a file in" in done.stdout, done
    run_job_with_files(howdah, tmp_path)
    log = zoned["rm"].log.read_text(errors="replace")
    assert "Kind: kms-dt" in log, "the ResourceManager has not renewed a token of the KMS"


def test_task_reads_its_zone_with_the_token_of_the_job(howdah_of, zoned, tmp_path):
    """A task finds the job's token of the KMS in its token file."""
    howdah = howdah_of(zoned)
    live = ProtectedFiles.program()
    job = howdah.submit(howdah.job_file(tmp_path, f"""
name: inside
roles:
  worker:
    instances: 1
    memory: 128m
    env: {{HADOOP_CONF_DIR: {zoned.conf_dir}}}
    command: "echo from the task >x; {live} put x /tmp/inside && {live} get /tmp/inside y && cat y"
""", "inside.yaml"))
    ended(howdah, job, "SUCCEEDED")
    assert "from the task" in howdah("logs", job).stdout


def test_k14_kms_refuses_or_is_down(files, zoned):
    files.refused("User [alice] is not authorized to perform [DECRYPT_EEK]", f"http://localhost:{port(zoned)}/kms",
                  path="/closed/file")
    zoned["kms"].kill()
    try:
        files.refused("key 'open'", f"localhost:{port(zoned)}", "Connection refused")
    finally:
        zoned["kms"].start()
        zoned.wait(lambda: files.live("put", files.folder / "small", "/tmp/again", check=False).returncode == 0,
                   "the KMS")


def port(cluster):
    return cluster.configuration.port["kms"]

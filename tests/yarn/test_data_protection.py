"""Files of HDFS on a Kerberos cluster that protects transfers to DataNodes, in each way that Hadoop offers."""
import os

import pytest

from cluster_setup import PROTECTION, WAYS, replace_properties
from file_cases import run_job_with_files
from protected_files import MB, ProtectedFiles

@pytest.fixture(scope="module")
def files(module_cluster, tmp_path_factory):
    cluster = module_cluster(nodes=1, data_nodes=3, kerberos=True, rpc="privacy", aggregation=True)
    return ProtectedFiles(cluster, tmp_path_factory.mktemp("files") / "local")


# The ciphers that Hadoop uses without AES are slow in Java.
@pytest.fixture(params=[way if way == "key-aes" else pytest.param(way, marks=pytest.mark.long) for way in WAYS])
def protected(request, files):
    files.protect(WAYS[request.param])
    return files


def test_files_are_written_and_read(protected):
    protected.live("check")
    given, got = protected.folder / "given", protected.folder / "got"
    given.write_bytes(os.urandom(20 * MB))
    protected.live("put", given, "/tmp/ours", 3)
    protected.cluster.fs("-get", "-f", "/tmp/ours", got)
    assert got.read_bytes() == given.read_bytes(), "Java reads other bytes than we have written"
    protected.cluster.fs("-put", "-f", given, "/tmp/theirs")
    protected.live("get", "/tmp/theirs", got)
    assert got.read_bytes() == given.read_bytes(), "we read other bytes than Java has written"


@pytest.mark.parametrize("way", [pytest.param("integrity", marks=pytest.mark.long), "key-aes"])
def test_writer_survives_the_death_of_a_data_node(files, way):
    files.protect(WAYS[way])
    given, pipe, got = (files.folder / name for name in ("given", "pipe", "got"))
    data = os.urandom(30 * MB)
    os.mkfifo(pipe)
    writer = files.start("put", pipe, "/tmp/recovered", 3)
    with pipe.open("wb") as end:
        end.write(data[:20 * MB])  # more than the pipeline and its buffers hold, so the block is being written
        end.flush()
        files.cluster["dn2"].kill()
        end.write(data[20 * MB:])
    assert writer.wait(timeout=120) == 0, writer.stderr.read()
    pipe.unlink()
    files.live("get", "/tmp/recovered", got)
    assert got.read_bytes() == data
    given.write_bytes(data)
    files.cluster.fs("-get", "-f", "/tmp/recovered", got)
    assert got.read_bytes() == data, "Java reads other bytes than we have written"


@pytest.mark.long
def test_reader_gets_a_new_key_in_the_middle_of_a_file(files):
    files.protect({**WAYS["key-aes"], "dfs.blocksize": MB, "dfs.namenode.fs-limits.min-block-size": MB})
    given, pipe = files.folder / "given", files.folder / "pipe"
    data = os.urandom(20 * MB)
    given.write_bytes(data)
    files.live("put", given, "/tmp/keys", 3)
    os.mkfifo(pipe)
    reader = files.start("get", "/tmp/keys", pipe)
    with pipe.open("rb") as end:
        first = end.read(MB)
        # After the restart, the nodes know neither the key of the reader nor the keys of its block tokens.
        files.protect(WAYS["key-aes"])
        rest = end.read()
    assert reader.wait(timeout=120) == 0, reader.stderr.read()
    pipe.unlink()
    assert first + rest == data


@pytest.mark.long
@pytest.mark.parametrize("protobuf", ["false", "true"])
def test_protection_of_the_name_nodes_port_applies_to_transfers(files, protobuf):
    """The NameNode sends the protection of the port, encrypted, in the tokens of blocks. The client passes it on to the
    DataNode, which otherwise would offer all protections."""
    cluster = files.cluster
    port = cluster.ports.take()
    settings = {PROTECTION: "authentication,integrity,privacy", "dfs.namenode.send.qop.enabled": "true",
                "dfs.namenode.rpc-address.auxiliary-ports": port, "dfs.block.access.token.protobuf.enable": protobuf}
    core = {conf: cluster.folder / conf / "core-site.xml" for conf in ("conf-nn", "conf")}
    original = {path: path.read_text() for path in core.values()}
    by_port = {"hadoop.security.saslproperties.resolver.class": "org.apache.hadoop.security.IngressPortBasedResolver",
               "ingress.port.sasl.configured.ports": port, f"ingress.port.sasl.prop.{port}": "integrity"}
    try:
        replace_properties(core["conf-nn"], by_port)
        replace_properties(core["conf"], {"fs.defaultFS": f"hdfs://localhost:{port}",
                                          "hadoop.rpc.protection": "integrity"})
        files.protect(settings)
        files.live("check")
        files.write("conf", {**settings, PROTECTION: "privacy"})
        files.refused("offers only the protection integrity")
    finally:
        for path, text in original.items():
            path.write_text(text)


@pytest.mark.long
def test_k13_client_and_data_node_disagree(files):
    where = f"{PROTECTION} in {files.cluster.conf_dir}/hdfs-site.xml"
    files.protect(WAYS["privacy"], client=WAYS["authentication"])
    files.refused(f"offers only the protection privacy, but {where} allows only authentication", "localhost")
    files.write("conf", {})
    files.refused("may require protected transfers", f"{PROTECTION} (not set)", "no other DataNode can take the block")
    files.write("conf", {**WAYS["privacy"], "dfs.trustedchannel.resolver.class": "org.example.Trust"})
    files.refused("dfs.trustedchannel.resolver.class", "org.example.Trust")
    files.write("conf", {PROTECTION: "secret"})
    files.refused(where, "'secret' is not a protection")
    files.protect({}, client=WAYS["integrity"])
    files.refused(f"{where} makes this client protect transfers")


def test_job_runs_and_doctor_reports_the_protection(files, howdah_of, tmp_path):
    files.protect(WAYS["key-aes"])
    howdah = howdah_of(files.cluster)
    done = howdah("doctor")
    assert "transfers between this machine and the DataNodes are encrypted (AES/CTR)" in done.stdout, done
    run_job_with_files(howdah, tmp_path)

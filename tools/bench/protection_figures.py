"""(i) Copies of files to and from HDFS with protected transfers, alternating with those of Hadoop's own client."""
import os
import statistics

from figures import MIB, Row, timed
from yarn_jobs import Cluster, Setup

from cluster_setup import WAYS  # in tests/yarn
from protected_files import ProtectedFiles  # in tests/yarn

# Triple DES takes several seconds per 100 MB on either side.
SIZES = {"privacy": 128 * MIB, "key": 128 * MIB}
USUAL = 512 * MIB


def protected_transfers(yarn, runs):
    """Starts Kerberos clusters of its own. A figure includes the start of the command, and with that the JVM."""
    aes_or_not = {}
    with Cluster(Setup(nodes=1, kerberos=True)) as cluster:
        files = ProtectedFiles(cluster, yarn.folder / "protected")
        for way, settings in WAYS.items():
            files.protect(settings)
            for row, speed in one_way(files, way, runs):
                aes_or_not[row.what] = speed
                yield row
    with Cluster(Setup(nodes=1, kerberos=True, kms=True, extra={"hdfs-site": WAYS["key-aes"]})) as cluster:
        cluster.make_zone("/tmp", "bench")
        for row, _ in one_way(ProtectedFiles(cluster, yarn.folder / "zone"), "zone, key-aes", runs):
            yield row
    for what in ("put", "get"):
        ratio = aes_or_not[f"{what}, key-aes"] / aes_or_not[f"{what}, key"]
        yield Row("i", f"{what}: AES compared with triple DES", ratio, "x", runs, "> 3", "")


def one_way(files, way, runs):
    size = SIZES.get(way, USUAL)
    large, back = files.folder / "large", files.folder / "back"
    with large.open("wb") as out:
        for _ in range(size // MIB):
            out.write(os.urandom(MIB))
    calls = {
        "put": {"ours": lambda: files.live("put", large, "/tmp/ours"),
                "hdfs": lambda: files.cluster.fs("-put", "-f", large, "/tmp/theirs", timeout=600)},
        "get": {"ours": lambda: files.live("get", "/tmp/ours", back),
                "hdfs": lambda: files.cluster.fs("-get", "-f", "/tmp/ours", back, timeout=600)},
    }
    for what, ways in calls.items():
        seconds = {name: [] for name in ways}
        for _ in range(runs):
            for name, call in ways.items():
                seconds[name].append(timed(call))
        ours, theirs = (size / 1e6 / statistics.median(seconds[name]) for name in ways)
        yield Row("i", f"{what}, {way}", ours, "MB/s", runs, "not slower", f"{ours / theirs:.2f} x hdfs dfs"), ours

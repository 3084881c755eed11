"""HDFS of a Kerberos cluster in each way of protecting transfers to DataNodes, as hdfs_live and Java use it."""
import os
import subprocess

from cluster_setup import replace_properties
from hadoop_tree import ROOT

LIVE = ROOT / "build/release/bin/hdfs_live"
MB = 1 << 20


class ProtectedFiles:
    """HDFS of a Kerberos cluster whose protection of transfers can be changed."""

    def __init__(self, cluster, folder, user=None):
        self.cluster, self.folder = cluster, folder
        self.original = {conf: (cluster.folder / conf / "hdfs-site.xml").read_text() for conf in self._folders()}
        folder.mkdir()
        self.env = {"PATH": os.environ["PATH"], **cluster.kdc.env, "HADOOP_CONF_DIR": str(cluster.conf_dir),
                    "USER": user or cluster.superuser, "KRB5CCNAME": f"FILE:{cluster.folder}/kdc/superuser"}
        if user:
            self.env["KRB5CCNAME"] = cluster.kdc.kinit(user, folder / "tickets")

    def _folders(self):
        return ["conf", *(f"conf-{name}" for name in ("nn", *self.cluster.setup.dn_names()))]

    def write(self, conf, values):
        """Writes a configuration of hdfs-site.xml with other values than those of the cluster's start."""
        path = self.cluster.folder / conf / "hdfs-site.xml"
        path.write_text(self.original[conf])
        replace_properties(path, values)

    def protect(self, values, client=None):
        """Restarts NameNode and DataNodes with these settings. `client`: other settings for clients."""
        for conf in self._folders():
            self.write(conf, (values if client is None else client) if conf == "conf" else values)
        names = ("nn", *self.cluster.setup.dn_names())
        for name in names:
            self.cluster[name].kill()
        for name in names:
            self.cluster[name].start()
        self.cluster.wait(self.cluster.hdfs_ready, "HDFS")

    def start(self, *words):
        return subprocess.Popen([LIVE, *map(str, words)], env=self.env, stdin=subprocess.DEVNULL,
                                stderr=subprocess.PIPE, text=True)

    def live(self, *words, check=True, limit_s=300):
        done = subprocess.run([LIVE, *map(str, words)], env=self.env, capture_output=True, text=True, timeout=limit_s)
        assert not check or done.returncode == 0, f"{words}: {done.stdout}{done.stderr}"
        return done

    @staticmethod
    def program():
        return LIVE

    def refused(self, *parts, path="/tmp/refused"):
        """A write must fail with a message that contains the parts."""
        (self.folder / "small").write_bytes(b"x" * 1000)
        done = self.live("put", self.folder / "small", path, check=False)
        assert done.returncode == 1, done
        for part in parts:
            assert part in done.stderr, f"{part!r} is not in the message\n{done.stderr}"

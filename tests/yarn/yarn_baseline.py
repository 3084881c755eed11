"""The time that YARN itself takes, measured with a client and an AM that do nothing else: hadoop/Floor.java."""
import json
import subprocess
import tempfile

from hadoop_tree import ROOT, java_home

SOURCE = ROOT / "tests/yarn/hadoop/Floor.java"


def measure_baseline(cluster, width, rounds=3, named=True, at_ms=0):
    """A dictionary a round, in ms: see Floor.java. `named`: the nodes are asked for by name, else any will do."""
    classes = cluster.folder / "floor"
    if not classes.exists():
        subprocess.run([java_home() / "bin/javac", "-nowarn", "-proc:none", "-cp", ":".join(cluster.hadoop.jars),
                        "-d", classes, SOURCE], check=True)
    nodes = [cluster.host(n) for n in cluster.setup.node_names()] if named else []
    out = tempfile.mkdtemp(dir=cluster.folder, prefix="floor-")
    done = cluster.java("Floor", out, width, rounds, at_ms, *nodes, classes=[classes], timeout=60 + 120 * rounds)
    return [json.loads(line) for line in done.stdout.splitlines()]

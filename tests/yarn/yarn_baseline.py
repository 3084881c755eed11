"""Measures the time that YARN itself needs, with a minimal client and AM: hadoop/Floor.java."""
import json
import subprocess
import tempfile

from hadoop_tree import ROOT, java_home

SOURCE = ROOT / "tests/yarn/hadoop/Floor.java"


def measure_baseline(cluster, width, rounds=3, named=True, at_ms=0):
    """One dictionary per round, with times in ms (see Floor.java). `named`: request the nodes by name instead of any
    node."""
    classes = cluster.folder / "floor"
    if not classes.exists():
        subprocess.run([java_home() / "bin/javac", "-nowarn", "-proc:none", "-cp", ":".join(cluster.hadoop.jars),
                        "-d", classes, SOURCE], check=True)
    nodes = [cluster.host(n) for n in cluster.setup.node_names()] if named else []
    out = tempfile.mkdtemp(dir=cluster.folder, prefix="floor-")
    done = cluster.java("Floor", out, width, rounds, at_ms, *nodes, classes=[classes], timeout=60 + 120 * rounds)
    return [json.loads(line) for line in done.stdout.splitlines()]

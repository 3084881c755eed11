"""Provokes the situations 18, 20 to 22 and 25 of docs/failures.md on a real cluster. Situation 17 is in
test_reasons_waiting.py, because its file changes while the job waits."""
import os
import pathlib
import re
import signal
import subprocess
import tarfile
import zipfile

import pytest

from machine import BIN, eventually, processes
from job_reports import Run, assert_facts


@pytest.fixture
def alice(howdah_of, difficult):
    return howdah_of(difficult, "alice")


def text_of(status):
    return f"{status['reason']} {status['advice'] or ''}"


# --- 18: a packed environment that does not fit the node ---

def packed(tmp_path, fill):
    """Packs an environment with an empty bin/, to which fill(directory) adds files; returns the archive."""
    root = tmp_path / "env"
    (root / "bin").mkdir(parents=True)
    fill(root)
    archive = tmp_path / "env.tar.gz"
    with tarfile.open(archive, "w:gz") as tar:
        for part in sorted(root.iterdir()):
            tar.add(part, part.name)
    return archive


def trains_with(howdah, tmp_path, archive):
    return Run(howdah, tmp_path, f"""
name: j
python: {{archive: {archive}}}
roles:
  worker: {{memory: 64MiB, command: python train.py}}
""")


def test_18_an_environment_built_for_another_path(alice, tmp_path):
    archive = packed(tmp_path, lambda root: (root / "bin/python").symlink_to("/opt/elsewhere/bin/python3.11"))
    status = trains_with(alice, tmp_path, archive).end(code=1)
    assert_facts(text_of(status), "worker:0", "/opt/elsewhere/bin/python3.11", "conda-pack")
    assert alice.task(status["id"], "worker", 0)["exit_code"] == 127


def test_18_an_environment_built_for_a_newer_libc(alice, tmp_path):
    """A program needs a newer library than the node has. The reason contains the error of the dynamic loader."""
    def build(root):
        (root / "lib").mkdir()
        for version in ("GLIBC_2.99", "GLIBC_2.98"):
            (tmp_path / "lib.map").write_text(f"{version} {{ global: *; }};\n")
            (tmp_path / "lib.c").write_text("int answer(void) { return 42; }\n")
            subprocess.run(["gcc", "-shared", "-fPIC", "-nostdlib", f"-Wl,--version-script={tmp_path}/lib.map",
                            "-Wl,-soname,libanswer.so.6", "-o", root / "lib/libanswer.so.6", tmp_path / "lib.c"],
                           check=True)
            if version == "GLIBC_2.99":
                (tmp_path / "main.c").write_text("int answer(void); int main(void) { return answer(); }\n")
                subprocess.run(["gcc", "-o", root / "bin/python", tmp_path / "main.c", root / "lib/libanswer.so.6",
                                "-Wl,-rpath,$ORIGIN/../lib"], check=True)
    archive = packed(tmp_path, build)
    status = trains_with(alice, tmp_path, archive).end(code=1)
    assert_facts(text_of(status), "worker:0", "dynamic loader", "version `GLIBC_2.99' not found",
                 "as old as the nodes")


# --- 20: addresses ---

CONNECT = """
import json, os, socket, sys
index = int(os.environ["HOWDAH_TASK_INDEX"])
cluster = json.loads(os.environ["HOWDAH_CLUSTER"])
host, port = cluster["worker"][1].rsplit(":", 1)
if index == 1:
    server = socket.create_server((host, int(port)))
    server.accept()[0].sendall(b"hello")
    sys.exit()
print("connecting to", host, flush=True)
while True:
    try:
        print(socket.create_connection((host, int(port))).recv(5).decode(), flush=True)
        break
    except ConnectionRefusedError:
        continue
"""


def test_20_tasks_receive_addresses_not_names(alice, difficult, tmp_path):
    """The name of a node need not be resolvable. Executors report the address from which they have connected to the AM,
    and the other tasks receive that address."""
    (tmp_path / "src").mkdir()
    (tmp_path / "src/connect.py").write_text(CONNECT)
    run = Run(alice, tmp_path, """
name: j
source: src
roles:
  worker: {instances: 2, max_per_node: 1, memory: 64MiB, command: python3 connect.py}
""")
    assert run.end()["state"] == "SUCCEEDED"
    out = alice.log(run.id, "worker:0").split()
    assert re.fullmatch(r"\d+\.\d+\.\d+\.\d+", out[2]) and out[3] == "hello", out


def test_20_unreachable_rank(alice, tmp_path):
    run = Run(alice, tmp_path, f"""
name: j
roles:
  worker:
    memory: 64MiB
    command:
      - python3
      - -c
      - |
        import sys
        sys.exit("[E socket] could not connect: [127.0.0.99]:29500: Connection refused")
""")
    status = run.end(code=1)
    assert_facts(text_of(status), "worker:0", "could not connect to 127.0.0.99:29500", "firewall")


# --- 21: a task that never registers ---

def journal_of(cluster, job):
    """The journal in the AM's working directory. Clients cannot use the AM while HDFS does not answer."""
    for node in cluster.setup.node_names():
        for path in (cluster.folder / node / "local").glob(f"usercache/*/appcache/{job}/*/journal.jsonl"):
            return path.read_text()
    return ""


def test_21_stuck_localization(alice, difficult, tmp_path):
    sign = tmp_path / "go"
    difficult.write("/user/alice/fresh.txt", str(tmp_path).encode(), "alice")  # no node has cached this file
    run = Run(alice, tmp_path, f"""
name: j
start: free
files: ["hdfs:///user/alice/fresh.txt"]
timeouts: {{register: 5s}}
roles:
  first: {{memory: 64MiB, command: "while [ ! -e {sign} ]; do sleep 0.05; done"}}
  second: {{memory: 64MiB, after: [{{role: first, finished: true}}], node_label: fast, command: 'true'}}
""")
    alice.until(run.id, lambda s: s["tasks"][0]["state"] == "RUNNING", "first:0 running")
    difficult["dn"].stop()
    try:
        sign.touch()
        eventually(lambda: "timeouts.register" in journal_of(difficult, run.id), "the end of the AM's patience")
    finally:
        difficult["dn"].cont()
    assert run.end()["state"] == "SUCCEEDED"
    lines = [line for line in alice("events", run.id).stdout.splitlines() if "localizing files" in line]
    assert_facts(lines[0], "second:0", "localizing files on 127.0.0.14")
    assert re.search(r"second:0: localizing files on 127\.0\.0\.14, \S+ after the launch\n", run.output), run.output
    assert_facts(lines[1], "second:0 did not become ready on 127.0.0.14",
                 "did not connect within 5s (timeouts.register)", "localizing files on 127.0.0.14",
                 "another container is requested")


def test_21_hung_executor(alice, tmp_path):
    archive = tmp_path / "env.zip"  # the executor unpacks this before it connects, so the test has time to stop it
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as packed_zip:
        packed_zip.writestr("bin/zeros", bytes(400 << 20))
    run = Run(alice, tmp_path, f"""
name: j
python: {{archive: {archive}}}
timeouts: {{register: 3s}}
roles:
  worker: {{memory: 128MiB, command: 'true'}}
""")
    mark = f"--job {run.id} "

    def stop_executors_until_the_end():
        for pid, (_, command, _) in processes().items():
            if "howdah-agent task " in command and mark in command:
                try:
                    os.kill(pid, signal.SIGSTOP)
                except ProcessLookupError:
                    pass
        return run.process.poll() is not None
    eventually(stop_executors_until_the_end, f"the end of {run.id}", 120)
    status = run.end(code=1)
    text = text_of(status)
    assert_facts(text, "worker:0", "did not connect within 3s (timeouts.register)",
                 "2 earlier containers of the task had failed too")
    assert re.search(r" on (127[.0-9]+): .* executor started on \1 but not connected", text), text
    meanwhile = [line for line in alice("events", run.id).stdout.splitlines() if "TaskAllocated" in line]
    assert any("executor started on 127.0.0.1" in line for line in meanwhile), meanwhile
    eventually(lambda: not alice.alive(run.id), f"the end of {alice.alive(run.id)}")


# --- 22: executors of another version ---

def test_22_an_executor_of_another_version(alice, difficult, tmp_path):
    """Replaces a node's copy of the agent by another version. Nodes check a file only once, when they download it."""
    ours = (BIN.parent / "howdah-agent").read_bytes()
    version = alice("--version").stdout.split()[-1]
    rest = version.split(".", 1)[1]
    # Only the first four characters of the version are replaced. The compiler may split a string constant into several
    # instructions, so the other characters need not follow in the binary.
    theirs = ours.replace(version.encode()[:4], b"9." + version.encode()[2:4])
    assert len(theirs) == len(ours) and theirs != ours
    text = "name: j\nroles:\n  worker: {memory: 64MiB, node_label: fast, command: 'true'}\n"
    assert Run(alice, tmp_path, text, "first").end()["state"] == "SUCCEEDED"
    copies = [p for p in pathlib.Path(difficult.folder / "nm4/local").rglob("*")
              if p.is_file() and p.stat().st_size == len(ours) and p.read_bytes() == ours]
    assert copies
    try:
        for copy in copies:
            replace(copy, theirs)
        status = Run(alice, tmp_path, text).end(code=1)
    finally:
        for copy in copies:
            replace(copy, ours)
    assert_facts(text_of(status), "worker:0", difficult.host("nm4"), f"Howdah {version}", f"9.{rest}")


def replace(path, content):
    new = path.with_suffix(".new")
    new.write_bytes(content)
    new.chmod(path.stat().st_mode)
    new.rename(path)


# --- 25: memory ---

def test_25_task_above_the_memory_limit_of_its_container(alice, difficult, tmp_path):
    (tmp_path / "src").mkdir()
    (tmp_path / "src/eat.py").write_text("import time\nx = b'1' * (200 << 20)\ntime.sleep(300)\n")
    run = Run(alice, tmp_path, "name: j\nsource: src\nroles:\n  worker: {memory: 128MiB, command: python3 eat.py}\n")
    status = run.end(code=1)
    text = text_of(status)
    assert_facts(text, "worker:0", "out of memory", " of 128 MiB of memory", "killed by YARN", "127.0.0.1")
    used = float(re.search(r"used ([\d.]+) MiB of 128 MiB", text).group(1))
    enough = int(re.search(r"a request of (\d+)MiB would have been enough", text).group(1))
    assert 128 < used < enough < 2 * used + 256, text

"""The user's files on the nodes: their names, their sources, and how often they are uploaded."""
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import zipfile

import pytest

from machine import BIN, eventually

NAMES = ["a b", "ü 日本", "100%", "#hash", "it's", 'quo"te', "semi;colon", "back\\slash", "$HOME", "{{x}}", "-n",
         "x+y=z&"]

# Prints the files below a directory as JSON: {path: [mode, link, digest]}. Tasks and tests use the same code.
LOOK = """
import hashlib, json, os, stat, sys
def look(root):
    found = {}
    for folder, folders, files in os.walk(root):
        for name in folders + files:
            path = os.path.join(folder, name)
            mode = os.lstat(path).st_mode
            link = os.readlink(path) if stat.S_ISLNK(mode) else None
            digest = hashlib.sha256(open(path, "rb").read()).hexdigest() if stat.S_ISREG(mode) else None
            found[os.path.relpath(path, root)] = [None if link else stat.S_IMODE(mode), link, digest]
    return found
print(json.dumps(look(sys.argv[1])))
"""


# Runs a command and prints its peak memory in KiB. A small process must start it, because the peak includes the memory
# of the process that forks the command.
MEASURE = """
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:])
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(done.returncode)
"""


def tree(folder, names=NAMES):
    """Makes a directory with every kind of entry, and with files that have these names."""
    folder.mkdir()
    for name in names:
        (folder / name).write_text(f"content of {name}")
    (folder / "twin").write_text(f"content of {names[0]}")  # equal content is uploaded and stored once
    (folder / "deep/er").mkdir(parents=True)
    (folder / "deep/empty").mkdir()
    (folder / "deep/er/run.sh").write_text("#!/bin/sh\necho ran\n")
    (folder / "deep/er/run.sh").chmod(0o755)
    (folder / names[0]).chmod(0o640)
    (folder / "inward").symlink_to("deep/er/run.sh")
    (folder / "of the nodes").symlink_to("/nowhere/here/but/there")
    return folder


def look(folder):
    return json.loads(subprocess.run([sys.executable, "-c", LOOK, folder], check=True, capture_output=True).stdout)


def job(howdah, tmp_path, **keys):
    """Runs a job with one role. `role` has the keys of the role, the other arguments those of the job. Returns the
    lines that each task printed."""
    role = {"memory": "64MiB", **keys.pop("role")}
    path = howdah.job_file(tmp_path, json.dumps({"name": "staging", **keys, "roles": {"w": role}}), "job.json")
    done = howdah("run", path, timeout=240)
    assert done.code == 0, done
    howdah.assert_clean(done.id)
    said = {}
    for line in done.stdout.splitlines():
        task, text = line.split(" │ ", 1)
        said.setdefault(task, []).append(text)
    return said


def cache(howdah):
    """path -> (modification time, size) of the files that the user's cache in HDFS keeps between jobs."""
    root = f"/user/{howdah.user}/.howdah/cache"
    found = {}
    for path in howdah.cluster.files_in_hdfs(root):
        status = howdah.cluster.http("nn-http", f"/webhdfs/v1{path}?op=GETFILESTATUS&user.name={howdah.user}")
        found[path] = (status["FileStatus"]["modificationTime"], status["FileStatus"]["length"])
    return found


def localized(howdah, node, size):
    """The files of this size in a node's two caches, as a dictionary: "filecache" has the files for all users,
    "usercache" the files for one user."""
    root = howdah.cluster.folder / node / "local"
    found = {}
    for kind, pattern in (("filecache", "filecache/*/*"), ("usercache", "usercache/*/filecache/*/*")):
        found[kind] = [p for p in root.glob(pattern) if p.is_file() and p.stat().st_size == size]
    return found


@pytest.mark.parametrize("more", [0, 60], ids=["few files", "many files"])
def test_names_modes_and_links_are_preserved(howdah, tmp_path, more):
    source = tree(tmp_path / "src", NAMES + [f"part {i}" for i in range(more)])
    (tmp_path / "outside").write_text("from outside\n")
    (source / "outward").symlink_to("../outside")
    printed = job(howdah, tmp_path, source="src", role={"command": ["python3", "-c", LOOK, "."]})
    expected = look(source)
    assert len(expected) > 15 + more
    # A link that leads out of the source is replaced by the file to which it points.
    outside = expected.pop("outward")
    there = json.loads(printed["w:0"][0])
    assert outside[1] == "../outside"
    assert there.pop("outward")[1:] == [None, hashlib.sha256(b"from outside\n").hexdigest()]
    assert there == expected


def test_only_changed_files_are_uploaded(howdah, tmp_path):
    source = tree(tmp_path / "src")
    (source / "big").write_bytes(os.urandom(2 << 20))
    job(howdah, tmp_path, source="src", role={"command": "true"})
    before = cache(howdah)
    script = os.urandom(1000)
    (source / "a b").chmod(0o640)
    (source / "a b").write_bytes(script)
    printed = job(howdah, tmp_path, source="src", role={"command": "sha256sum 'a b' big"})
    after = cache(howdah)
    new = {path: after[path] for path in after.keys() - before.keys()}
    assert [size for _, size in new.values()] == [len(script)], new
    assert {path: after[path] for path in before} == before
    assert [line.split()[0] for line in printed["w:0"]] == [
        hashlib.sha256(data).hexdigest() for data in (script, (source / "big").read_bytes())]


def test_a_large_file_is_stored_once_per_node(howdah, tmp_path):
    """The file is uploaded and stored once, and neither the client nor an executor loads it into memory."""
    size, chunk = 300 << 20, os.urandom(1 << 20)
    digest = hashlib.sha256()
    with (tmp_path / "large").open("wb") as file:
        for number in range(size >> 20):
            block = number.to_bytes(4, "big") + chunk[4:]
            file.write(block)
            digest.update(block)
    (tmp_path / "large").chmod(0o600)  # other users may not read it, so the nodes keep it in the user's cache
    node = howdah.cluster.setup.node_names()[0]
    role = {"memory": "64MiB", "instances": 15, "locality": {"nodes": [howdah.cluster.host(node)], "strict": True},
            # All tasks read the size of the file, and the first task also its content.
            "command": "stat -c %s model; if [ $HOWDAH_TASK_INDEX = 0 ]; then sha256sum model; fi; sleep 600"}
    path = howdah.job_file(tmp_path, json.dumps({
        "name": "large", "files": [{"from": "large", "to": "model"}], "roles": {"w": role}}), "job.json")
    client = subprocess.run([sys.executable, "-c", MEASURE, BIN, "submit", path], env=howdah.env, capture_output=True,
                            text=True, timeout=120)
    assert client.returncode == 0, client.stderr
    job_id, most_kib = client.stdout.split()
    assert int(most_kib) < 64 << 10, f"{most_kib} KiB"
    howdah.cluster.wait(lambda: all(t["state"] == "RUNNING" for t in howdah.status(job_id)["tasks"]), "fifteen tasks")
    assert howdah.containers(job_id) and len(localized(howdah, node, size)["usercache"]) == 1
    eventually(lambda: digest.hexdigest() in howdah.log(job_id, "w:0"), "the digest of the file in the task's log")
    for index in (1, 14):
        eventually(lambda: howdah.log(job_id, f"w:{index}") == f"{size}\n", f"the file's size in w:{index}'s log")
    for pid in howdah.agents(job_id, "task"):
        peak = next(line for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines() if "VmHWM" in line)
        assert int(peak.split()[1]) < 64 << 10, peak
    assert howdah("kill", job_id, "--grace", "0s", timeout=120).code == 0
    howdah.assert_clean(job_id, 60)


def test_files_already_in_the_cluster_are_not_copied(howdah, tmp_path):
    """The client does not upload such files again. Nodes cache them for all users if everybody may read them."""
    cluster = howdah.cluster
    archive = tmp_path / "wheels.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr("in/side ü.txt", "unpacked")
    cluster.make_dir("/shared%20data", 755, howdah.user)
    cluster.make_dir("/shared%20data/closed", 700, howdah.user)
    sizes = {"open": 7001, "shut": 7002, "below": 7003}
    for path, size in (("open #1", sizes["open"]), ("closed/below", sizes["below"]), ("shut", sizes["shut"])):
        cluster.write(f"/shared data/{path}", b"x" * size, howdah.user)
    cluster.write("/shared data/wheels.zip", archive.read_bytes(), howdah.user)
    cluster.http("nn-http", f"/webhdfs/v1/shared%20data/shut?op=SETPERMISSION&permission=600&user.name={howdah.user}",
                 method="PUT")
    before = cache(howdah)
    where = f"hdfs://localhost:{cluster.configuration.port['nn']}"
    printed = job(howdah, tmp_path, files=[
        {"from": "hdfs:///shared data/open #1", "to": "open"}, {"from": f"{where}/shared data/shut", "to": "m/shut"},
        {"from": "hdfs:///shared data/closed/below", "to": "below"},
        {"from": "hdfs:///shared data/wheels.zip", "to": "wheels", "unpack": True}],
        role={"command": "stat -c '%s %a' open m/shut below; cat wheels/in/*; echo; echo $NM_HOST"})
    assert printed["w:0"][:4] == ["7001 644", "7002 600", "7003 644", "unpacked"], printed
    node = next(n for n in cluster.setup.node_names() if cluster.host(n) == printed["w:0"][4])
    kept = {name: {kind for kind, files in localized(howdah, node, size).items() if files}
            for name, size in sizes.items()}
    assert kept == {"open": {"filecache"}, "shut": {"usercache"}, "below": {"usercache"}}
    assert cache(howdah) == before


@pytest.mark.parametrize("suffix", [".zip", ".tar", ".tar.gz", ".tar.xz"])
def test_archives_are_unpacked(howdah, tmp_path, suffix):
    source = tree(tmp_path / "tree")
    for name in ("of the nodes", "inward", "back\\slash"):
        (source / name).unlink()  # links in an archive must not point outside; zipfile writes no links or backslashes
    archive = tmp_path / f"source{suffix}"
    if suffix == ".zip":
        with zipfile.ZipFile(archive, "w") as packed:
            for path in sorted(source.rglob("*")):
                packed.write(path, path.relative_to(source))
    else:
        with tarfile.open(archive, f"w:{suffix.removeprefix('.tar').removeprefix('.')}") as packed:
            packed.add(source, ".")
    shutil.copy(archive, tmp_path / f"more{suffix}")
    printed = job(howdah, tmp_path, source=archive.name,
                  files=[{"from": f"more{suffix}", "to": "again", "unpack": True}],
                  role={"command": ["python3", "-c", LOOK, "."]})
    there = json.loads(printed["w:0"][0])
    expected = look(source)
    again = {path.removeprefix("again/"): value for path, value in there.items() if path.startswith("again/")}
    assert again == expected
    assert {path: value for path, value in there.items() if not path.startswith("again")} == expected


@pytest.mark.parametrize("from_, words", [
    ("https://example.com/model.bin", "https"), ("hdfs:///no/such file", "/no/such file"),
    ("absent.csv", "absent.csv")])
def test_unavailable_files_are_refused(howdah, tmp_path, from_, words):
    before = howdah.jobs()
    path = howdah.job_file(tmp_path, json.dumps({
        "files": [{"from": from_, "to": "f"}], "roles": {"w": {"memory": "64MiB", "command": "true"}}}), "job.json")
    done = howdah("submit", path, timeout=120)
    assert done.code in (2, 3) and words in done.stderr, done
    assert howdah.jobs() == before


def test_files_of_a_role_reach_only_its_containers(howdah, tmp_path):
    for name in ("all", "own"):
        (tmp_path / name).write_text(name)
    job = howdah.job_file(tmp_path, """
files: [all]
roles:
  one: {memory: 64MiB, command: ls . ../staging, files: [own, {from: all, to: again}]}
  other: {memory: 64MiB, command: ls . ../staging}
""")
    done = howdah("run", job)
    assert done.code == 0, done
    assert howdah.log(done.id, "one:0").split() == [
        ".:", "again", "all", "own", "../staging:", "manifest.json", "r0", "r1"]
    assert howdah.log(done.id, "other:0").split() == [".:", "all", "../staging:", "manifest.json", "r0"]

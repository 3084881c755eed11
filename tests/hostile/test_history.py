"""`howdah history` over a directory in which other users write, as in docs/history.md: `intermediate` has mode 1777."""
import os
import subprocess

import pytest

from machine import BIN
from other_user import UID, needs_root, python_as_other, run_as_other, start_as_other

NAME = "application_1_{:04}-1700000000000-1700000001000-bob-FAILED.jhist"
DAY = "finished/2023/11/14"


@pytest.fixture
def shared(tmp_path):
    """A shared history, and beside it the home of a user other than the attacker."""
    for folder in (tmp_path, tmp_path.parent, tmp_path.parent.parent):
        os.chmod(folder, 0o755)
    history = tmp_path / "history"
    (history / "finished").mkdir(parents=True)
    (history / "intermediate").mkdir()
    (history / "intermediate").chmod(0o1777)
    home = tmp_path / "home-of-ann"
    home.mkdir()
    home.chmod(0o1777)
    for name in (".bashrc", ".ssh", ".abcdef"):
        (home / name).write_text("precious")
    (home / ".config").mkdir()
    (home / ".config" / "data").write_text("precious")
    return history


def files_below(path):
    return sorted(str(file.relative_to(path)) for file in path.rglob("*"))


def move(machine, history):
    return machine("history", "move", "--dir", history)


@needs_root
def test_move_does_not_follow_a_link_to_a_directory(machine, tmp_path, shared):
    home = tmp_path / "home-of-ann"
    python_as_other("import os, sys; open(sys.argv[1], 'w'); os.symlink(*sys.argv[2:4])", home / NAME.format(9), home,
                    shared / "intermediate/application_1_0009").check_returncode()
    before = files_below(home)
    done = move(machine, shared)
    assert done.code == 0, done
    assert files_below(home) == before
    assert files_below(shared / "finished") == [], done


@needs_root
def test_move_skips_a_directory_that_contains_a_file_of_another_user(machine, tmp_path, shared):
    script = """
import os, sys
os.mkdir(sys.argv[1]); os.link(sys.argv[2], sys.argv[1] + '/' + os.path.basename(sys.argv[2]))
"""
    (tmp_path / NAME.format(7)).touch(mode=0o666)
    os.chmod(tmp_path / NAME.format(7), 0o666)  # the kernel lets users link files to which they may write
    python_as_other(script, shared / "intermediate/application_1_0007", tmp_path / NAME.format(7)).check_returncode()
    done = move(machine, shared)
    assert f"belongs to user {UID}, but its file" in done.stderr, done
    assert files_below(shared / "finished") == [], done


# Makes many jobs, and replaces one of them by a link to sys.argv[2] as soon as the first has been moved.
RACE = """
import os, sys
jobs = [f"{sys.argv[1]}/intermediate/application_1_{i:04}" for i in range(1500)]
for i, job in enumerate(jobs):
    os.mkdir(job)
    open(f"{job}/application_1_{i:04}-1700000000000-1700000001000-bob-FAILED.jhist", "w")
    open(f"{job}/.abcdef", "w")
link = sys.argv[1] + "/intermediate/link"
os.symlink(sys.argv[2], link)
print("made", flush=True)
while not os.path.exists(sys.argv[1] + "/finished/2023"):
    pass
for job in jobs:
    try:
        os.rename(job, job + "-aside")
        os.rename(link, job)
        print("replaced", flush=True)
        break
    except OSError:
        continue
"""


@needs_root
def test_move_does_not_follow_a_link_that_replaces_a_directory(machine, tmp_path, shared):
    home = tmp_path / "home-of-ann"
    before = files_below(home)
    with start_as_other("/usr/bin/python3", "-c", RACE, shared, home, stdout=subprocess.PIPE) as attacker:
        assert attacker.stdout.readline() == "made\n"
        done = move(machine, shared)
        assert attacker.wait(timeout=60) == 0
        assert attacker.stdout.read() == "replaced\n"
    assert files_below(home) == before, done
    assert (home / ".abcdef").read_text() == "precious"
    assert len(list((shared / DAY).iterdir())) > 1000, done


@needs_root
def test_move_deletes_only_temporaries_of_its_own_writers(machine, shared):
    script = """
import os, sys
job = sys.argv[1]
os.makedirs(job + "/.keep/below")
for name in (sys.argv[2], ".abcdef", ".notes"):
    open(f"{job}/{name}", "w")
"""
    python_as_other(script, shared / "intermediate/application_1_0001", NAME.format(1)).check_returncode()
    done = move(machine, shared)
    assert done.code == 0, done
    assert files_below(shared / DAY / "application_1_0001") == [".keep", ".keep/below", ".notes", NAME.format(1)]


ESCAPES = {"howdah.job.id": "\u009b2Jforged\x85id", "howdah.user": "ann\nforged-row  KILLED",
           "tony.application.name": "\u009b31mname", "tony.application.framework": "\u202eframework",
           "howdah.on": "on\u2028yarn"}
HOSTILE = """
import os, sys
history, name = sys.argv[1:3]
def job(i):
    path = f"{history}/intermediate/application_1_{i:04}"
    os.mkdir(path)
    open(path + "/" + name % i, "w")
    return path
os.mkfifo(job(1) + "/tony-final.xml")
os.chmod(job(2), 0)
os.symlink("/dev/zero", job(3) + "/tony-final.xml")
with open(job(4) + "/tony-final.xml", "w") as large:
    properties = (f"<property><name>n{i}</name><value>v</value></property>" for i in range(40000))
    large.write("<configuration>" + "".join(properties) + "</configuration>")
with open(job(5) + "/tony-final.xml", "w") as escapes:
    escapes.write("<configuration>" + sys.argv[3] + "</configuration>")
path = job(6)
os.unlink(path + "/" + name % 6)
os.mkfifo(path + "/" + name % 6)
"""
READER = UID + 1


def reader(tmp_path, *words):
    """Runs `howdah` as a third user."""
    home = tmp_path / "home-of-reader"
    home.mkdir(exist_ok=True)
    os.chown(home, READER, READER)
    environment = {**os.environ, "HOME": str(home), "HOWDAH_HOME": str(home / "howdah"), "HOWDAH_ON": "local"}
    return run_as_other(BIN, *words, uid=READER, env=environment)


@needs_root
def test_hostile_job_histories_are_reported_and_other_jobs_are_shown(tmp_path, shared):
    os.chmod(shared / "finished", 0o777)
    properties = "".join(f"<property><name>{name}</name><value>{value}</value></property>"
                         for name, value in ESCAPES.items())
    name = NAME.replace("{:04}", "%04d")
    python_as_other(HOSTILE, shared, name, properties).check_returncode()
    honest = shared / "intermediate/application_1_0099"
    honest.mkdir()
    (honest / NAME.format(99)).write_text("")
    for words in (("list",), ("show", "application_1_0099"), ("show", "application_1_0001"),
                  ("show", "application_1_0005"), ("config", "application_1_0005"), ("events", "application_1_0006"),
                  ("move", "--dry-run"), ("purge", "--dry-run", "--older-than", "0s")):
        done = reader(tmp_path, "history", *words, "--dir", shared)
        for text in (done.stdout, done.stderr):
            forged = [c for c in text if c != "\n" and (c < " " or "\x7f" <= c < "\xa0" or c in "\u2028\u202e")]
            assert not forged, (words, forged, text)
            assert not [line for line in text.splitlines() if line.startswith("forged-row")], (words, text)
    listed = reader(tmp_path, "history", "list", "--dir", shared)
    assert listed.returncode == 0, listed
    assert "application_1_0002: Permission denied" in listed.stderr, listed
    for i in (1, 3, 4, 99):
        assert f"application_1_{i:04}" in listed.stdout, (i, listed)
    shown = reader(tmp_path, "history", "show", "application_1_0001", "--dir", shared)
    assert shown.returncode == 0 or "the file is empty" in shown.stderr, shown
    moved = reader(tmp_path, "history", "move", "--dry-run", "--dir", shared)
    assert "application_1_0099" in moved.stdout, moved
    assert "application_1_0002: Permission denied" in moved.stderr, moved

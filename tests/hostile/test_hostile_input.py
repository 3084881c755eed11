"""Input that is malformed or enormous: journals, job files, sources, command lines, archives and output. Every command
ends with an exit code and a message, and nothing crashes, hangs or uses memory without limit."""
import io
import json
import os
import random
import re
import socket
import tarfile

import pytest

from machine import BIN, eventually, read
from other_user import UID, needs_root, run_as_other

SHORT = "roles: {worker: {memory: 16MiB, command: echo hello}}\n"
JOB = """
source: %s
files: [%s]
roles:
  worker: {memory: 64MiB, command: "%s"}
"""
CODES = (0, 1, 2, 3, 4, 5)
MOST_MEMORY_KIB = 300 << 10


# --- journals ---

def cut(journal, rng):
    return journal[:rng.randrange(len(journal))]


def flip(journal, rng):
    damaged = bytearray(journal)
    for _ in range(rng.randrange(1, 20)):
        damaged[rng.randrange(len(damaged))] ^= 1 << rng.randrange(8)
    return bytes(damaged)


def insert(journal, rng):
    at = rng.randrange(len(journal))
    more = rng.choice([b"\0", b"\n", b"}", b"[" * 1000, b"\xff\xfe", b'"type":"JobFinished",'])
    return journal[:at] + more + journal[at:]


def shuffle(journal, rng):
    lines = journal.splitlines(keepends=True)
    rng.shuffle(lines)
    return b"".join(lines)


def numbers(journal, rng):
    values = [b"-1", b"2147483648", b"99999999999999999999", b"1e308", b"null", b'"x"', b"[]"]
    return re.sub(rb"(?<=:)\d+", lambda m: rng.choice(values) if rng.random() < 0.3 else m.group(), journal)


COMMANDS = [["status"], ["status", "--json"], ["events"], ["logs"], ["wait", "--timeout", "100ms"], ["kill"],
            ["advise"]]


@pytest.mark.parametrize("mutation", [cut, flip, insert, shuffle, numbers], ids=lambda m: m.__name__)
def test_commands_end_orderly_on_a_damaged_journal(machine, tmp_path, mutation):
    job = machine("run", machine.job_file(tmp_path, SHORT)).id
    journal = machine.home / "jobs" / job / "journal.jsonl"
    whole = journal.read_bytes()
    for seed in range(4):
        damaged = mutation(whole, random.Random(seed))
        for command in COMMANDS:
            journal.write_bytes(damaged)
            done = machine(command[0], job, *command[1:])
            assert done.code in CODES, (mutation.__name__, seed, command, done)
            assert done.code == 0 or done.stderr + done.stdout, (mutation.__name__, seed, command)
    journal.write_bytes(damaged)
    listed = machine("list", "--all")
    assert listed.code == 0 and job in listed.stdout, listed


def test_deeply_nested_values_do_not_crash(machine, tmp_path):
    job = machine("run", machine.job_file(tmp_path, SHORT)).id
    journal = machine.home / "jobs" / job / "journal.jsonl"
    whole = journal.read_bytes()
    for nested in (b"[" * 200_000, b'{"a":' * 200_000, b"[" * 200_000 + b"]" * 200_000):
        journal.write_bytes(whole + nested + b"\n")
        for command in (["status"], ["events"], ["logs"]):
            assert machine(*command, job).code in CODES, command
        (tmp_path / "nested.yaml").write_bytes(nested)
        for command in ("plan", "submit"):
            done = machine(command, tmp_path / "nested.yaml")
            assert done.code == 2 and "nested.yaml" in done.stderr, done
    assert machine.jobs() == [job]


# --- regular expressions ---

@pytest.mark.parametrize("pattern", ["(((((a{100}){100}){100}){100}){100})", "(a{1000}){1000}", "(" * 20_000])
def test_regular_expression_that_explodes_is_refused(machine, tmp_path, pattern):
    """A pattern that would need gigabytes is an error of the job file, with its key."""
    rules = {"restart": {"max": 1, "rules": [{"log": pattern, "then": "fail"}]}}
    text = {"roles": {"worker": {"memory": "16MiB", "command": ["true"], **rules}}}
    done = machine("plan", machine.job_file(tmp_path, json.dumps(text)))
    assert done.code == 2 and "restart.rules" in done.stderr, done


def test_regular_expression_with_backtracking_matches_in_linear_time(machine, tmp_path):
    """(a|a)*b over a long line of a: a matcher that backtracks would never end."""
    command = "head -c 60000 /dev/zero | tr '\\0' a >&2; exit 3"
    rules = {"restart": {"max": 0, "rules": [{"log": "^(a|a|aa)*$b", "then": "restart_free"}]}}
    text = {"roles": {"worker": {"memory": "16MiB", "command": command, **rules}}}
    done = machine("run", machine.job_file(tmp_path, json.dumps(text)))
    assert done.code == 1 and "exit code 3" in done.stderr, done


# --- sources ---

def test_sockets_pipes_and_devices_of_a_source_are_not_read(machine, tmp_path, source, monkeypatch):
    with socket.socket(socket.AF_UNIX) as server:
        monkeypatch.chdir(source)  # the path of a socket is limited to 107 bytes
        server.bind("agent.sock")
        os.mkfifo("pipe")
        (source / "zero").symlink_to("/dev/zero")
        done = machine("run", machine.job_file(tmp_path, JOB % (source, "", "ls -F")))
    names = {line.split()[-1] for line in done.stdout.splitlines()}
    # A pipe is copied as a pipe, and a link as a link: neither is read.
    assert done.code == 0 and names == {"train.py", "pipe|", "zero@"}, done


@needs_root
@pytest.mark.parametrize("kind", ["file", "directory"])
def test_an_unreadable_entry_of_a_source_is_named(machine, tmp_path, source, kind):
    secret = source / "private"
    if kind == "file":
        secret.write_text("x")
    else:
        secret.mkdir()
    home = tmp_path / "other-home"
    home.mkdir()
    os.chown(home, UID, UID)
    secret.chmod(0)
    for folder in (tmp_path, tmp_path.parent, tmp_path.parent.parent):
        folder.chmod(0o755)
    job = machine.job_file(tmp_path, JOB % (source, "", "true"))
    done = run_as_other(BIN, "submit", job, env={**machine.env, "HOWDAH_HOME": str(home)}, cwd="/")
    assert done.returncode not in (0, 5) and "Permission denied" in done.stderr and "private" in done.stderr, done
    assert not [p for p in home.rglob("journal.jsonl")]


# --- command lines ---

@pytest.mark.parametrize("words", [["x" * 120_000], ["y"] * 9000], ids=["long-word", "many-words"])
def test_long_command_lines_that_the_kernel_accepts_run(machine, source, words):
    done = machine("run", "--memory", "16MiB", "--source", source, "--", "bash", "-c", "echo $#", "bash", *words)
    assert done.code == 0 and done.stdout.rstrip().endswith(str(len(words))), done


def test_command_line_that_the_kernel_refuses_is_named(machine, tmp_path):
    text = {"roles": {"worker": {"memory": "16MiB", "command": ["true", "x" * 200_000]}}}
    done = machine("run", machine.job_file(tmp_path, json.dumps(text)))
    assert done.code == 1 and "Argument list too long" in done.stderr, done
    machine.assert_clean(done.id)


# --- archives ---

def archive(path, name, kind=tarfile.REGTYPE):
    with tarfile.open(path, "w:gz") as packed:
        entry = tarfile.TarInfo(name)
        entry.type = kind
        data = b"data" if kind == tarfile.REGTYPE else b""
        entry.size = len(data)
        packed.addfile(entry, io.BytesIO(data))
    return path


def test_archive_with_a_pipe_is_refused(machine, tmp_path, source):
    packed = archive(tmp_path / "a.tar.gz", "data/pipe", tarfile.FIFOTYPE)
    done = machine("run", machine.job_file(tmp_path, JOB % (source, f"{{from: {packed}, to: in, unpack: true}}",
                                                            "ls -R")))
    assert done.code != 0 and "data/pipe" in done.stderr, done
    assert not [p for p in machine.home.rglob("pipe")]


def test_names_in_an_archive_cannot_control_the_terminal(machine, tmp_path, source):
    name = "../\x1b]0;title\x07\x1b[31m\nforged line"
    packed = archive(tmp_path / "a.tar.gz", name)
    done = machine("run", machine.job_file(tmp_path, JOB % (source, f"{{from: {packed}, to: in, unpack: true}}",
                                                            "true")))
    assert done.code != 0 and "title" in done.stderr, done
    for answer in (done, machine("status", done.id), machine("events", done.id), machine("list", "--all")):
        shown = answer.stdout + answer.stderr
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f]", shown), answer
        assert "\nforged line" not in shown, answer


# --- output ---

def test_following_a_huge_log_without_newlines_uses_little_memory(machine, tmp_path, source):
    """The log is sparse: 1 GiB of zero bytes, which are output without a newline, and then a line."""
    command = "truncate -s 1G /proc/self/fd/1; echo; echo the end; exec sleep 300"
    job = machine.submit(machine.job_file(tmp_path, JOB % (source, "", command)))
    machine.running(job)
    log = machine.home / "jobs" / job / "logs"
    eventually(lambda: any(p.stat().st_size > 1 << 30 for p in log.rglob("*")), "the log")
    following = machine.start("logs", "-f", "--tail", "1", job, "worker:0")
    line = following.stdout.readline()
    while line and "the end" not in line:
        line = following.stdout.readline()
    assert "the end" in line
    peak = int(re.search(rb"VmHWM:\s+(\d+)", read(f"/proc/{following.pid}/status")).group(1))
    following.kill()
    following.communicate()
    assert peak < MOST_MEMORY_KIB, f"{peak} KiB"
    assert machine("kill", job).code == 0

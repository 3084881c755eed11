"""Access to a running job, on every backend. Each backend has its own fixture `machine`."""
import base64
import fcntl
import hashlib
import json
import os
import pathlib
import pty
import re
import select
import signal
import socket
import struct
import subprocess
import termios
import threading
import urllib.request

import pytest

from machine import BIN, SANITIZED, eventually, processes

BLOCK = 64 << 10
# HOWDAH_ECHO_MB=1024 runs the full test. The default checks the same in less time on a machine with two cores.
ECHO_BYTES = int(os.environ.get("HOWDAH_ECHO_MB", "128")) << 20
RSS_LIMIT = 64 << 20

# A server for the requests of a browser: it returns a page, the digest of an upload, or the frames of a WebSocket.
SERVER = r'''
import base64, hashlib, http.server, os, socketserver, struct, sys

class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def log_message(self, *words): pass
    def answer(self, text):
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)
    def do_GET(self):
        if self.headers.get("Upgrade") == "websocket":
            return self.echo()
        self.answer(f"{os.environ['HOWDAH_TASK_INDEX']} {self.path}".encode())
    def do_POST(self):
        digest, left = hashlib.sha256(), int(self.headers["Content-Length"])
        while left:
            block = self.rfile.read(min(left, 1 << 16))
            digest.update(block)
            left -= len(block)
        self.answer(digest.hexdigest().encode())
    def echo(self):
        key = self.headers["Sec-WebSocket-Key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        self.send_response(101)
        self.send_header("Upgrade", "websocket")
        self.send_header("Connection", "Upgrade")
        self.send_header("Sec-WebSocket-Accept", base64.b64encode(hashlib.sha1(key.encode()).digest()).decode())
        self.end_headers()
        while True:
            head = self.rfile.read(14)
            if len(head) < 14 or head[0] == 0x88:
                self.close_connection = True
                return
            length, mask = struct.unpack(">QI", head[2:])
            body = self.rfile.read(length)
            self.wfile.write(bytes([0x82, 127]) + struct.pack(">Q", length) + body)

class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True

server = Server(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
'''

JOB = """
name: inside
checkpoint: {grace: 1s}
env: {COLOUR: green}
roles:
  worker: {instances: 2, memory: 64MiB, command: [python3, server.py]}
"""


@pytest.fixture
def job(machine, tmp_path):
    folder = tmp_path / "inside"
    folder.mkdir()
    (folder / "server.py").write_text(SERVER)
    made = machine.submit(machine.job_file(tmp_path, JOB.replace("name: inside", f"name: inside\nsource: {folder}")))
    machine.running(made)
    yield made
    machine("kill", made)


def port_of(machine, job, task):
    return eventually(lambda: machine.log(job, task, "--stdout").strip(), f"the port of {task} of {job}")


class Opened:
    """A running `howdah open`, or another command that prints an address and serves until Ctrl-C."""

    def __init__(self, machine, *words, **kwargs):
        self.process = machine.start(*words, **kwargs)
        self.first_line = self.process.stdout.readline().strip()
        found = re.match(re.escape("http://127.0.0.1:") + r"(\d+)/", self.first_line)
        assert found, (self.first_line, self.process.stderr.read())
        self.url, self.port = found.group(0), int(found.group(1))

    def get(self, path, data=None, timeout=60):
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(self.url + path, data, timeout=timeout) as answer:
            return answer.read().decode()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGINT)
        self.stderr = self.process.communicate(timeout=30)[1]
        assert self.process.returncode == 0, self.stderr


def rss(pid):
    found = re.search(rb"VmRSS:\s+(\d+) kB", pathlib.Path(f"/proc/{pid}/status").read_bytes())
    return int(found.group(1)) << 10


def test_http_requests_and_large_uploads_reach_the_server(machine, job):
    with Opened(machine, "open", job, "worker:1", port_of(machine, job, "worker:1")) as opened:
        assert opened.get("a/b?c=d") == "1 /a/b?c=d"
        body = os.urandom(1 << 20) * 40
        assert opened.get("upload", body) == hashlib.sha256(body).hexdigest()
        with socket.create_connection(("127.0.0.1", opened.port)) as many:
            many.sendall(b"GET /half HTTP/1.0\r\n\r\n")
            many.shutdown(socket.SHUT_WR)  # the response must still arrive
            assert b"1 /half" in b"".join(iter(lambda: many.recv(BLOCK), b""))


def websocket(port):
    connection = socket.create_connection(("127.0.0.1", port), timeout=60)
    connection.sendall(b"GET /echo HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                       b"Sec-WebSocket-Key: " + base64.b64encode(os.urandom(16)) + b"\r\n\r\n")
    answer = b""
    while not answer.endswith(b"\r\n\r\n"):
        answer += connection.recv(1)
    assert answer.startswith(b"HTTP/1.1 101"), answer
    return connection


def receive(connection, size):
    left = memoryview(bytearray(size))
    while left:
        count = connection.recv_into(left)
        assert count, "the connection was closed"
        left = left[count:]
    return left.obj


def test_a_websocket_echoes_much_data_in_bounded_memory(machine, job):
    """A thread sends without waiting for the echo. The frames in flight always fill the window, so a process that
    buffers without a limit grows visibly."""
    with Opened(machine, "open", job, "worker:0", port_of(machine, job, "worker:0")) as opened:
        body = os.urandom(1 << 20)
        agents = [pid for kind in ("am", "task") for pid in machine.agents(job, kind)]
        watched = {"the client": opened.process.pid, **{f"agent {pid}": pid for pid in agents}}
        before = {who: rss(pid) for who, pid in watched.items()}
        most = dict(before)
        connection = websocket(opened.port)
        frame = bytes([0x82, 0xFF]) + struct.pack(">QI", len(body), 0) + body  # the mask 0 leaves the body unchanged
        count = ECHO_BYTES // len(body)

        def send():
            for _ in range(count):
                connection.sendall(frame)
            connection.sendall(bytes([0x88, 0xFF]) + bytes(12))
        sender = threading.Thread(target=send)
        sender.start()
        for number in range(count):
            assert receive(connection, 10) == bytes([0x82, 127]) + struct.pack(">Q", len(body))
            assert receive(connection, len(body)) == body
            if number % 8 == 0:
                most = {who: max(most[who], rss(pid)) for who, pid in watched.items()}
        sender.join()
        assert connection.recv(1) == b""
        grown = {who: most[who] - before[who] for who in watched}
        assert SANITIZED or all(size < RSS_LIMIT for size in grown.values()), (grown, most)


def test_a_stopped_reader_blocks_only_its_writer(machine, job):
    with Opened(machine, "open", job, "worker:0", port_of(machine, job, "worker:0")) as opened:
        stopped = websocket(opened.port)
        stopped.setblocking(False)
        frame = bytes([0x82, 0xFF]) + struct.pack(">QI", 1 << 20, 0) + bytes(1 << 20)
        sent = 0
        # The test never reads the echo. The processes in between buffer a few MiB and then stop accepting data.
        while sent < 256 << 20 and select.select([], [stopped], [], 2)[1]:
            sent += stopped.send(frame[sent % len(frame):][:BLOCK])
        assert sent < 64 << 20
        assert opened.get("others") == "0 /others"
        assert machine("exec", job, "worker:0", "--", "true").code == 0


def test_a_port_without_a_listener_is_reported(machine, job):
    with Opened(machine, "open", job, "worker:0", "1") as opened:
        with pytest.raises((ConnectionError, OSError)):
            opened.get("")
    assert "port 1 of the task's machine" in opened.stderr
    done = machine("open", job, "worker:7", "80")
    assert done.code == 2 and "no task 'worker:7'; the tasks are worker:0, worker:1" in done.stderr, done


def test_open_ends_with_the_job(machine, job):
    process = machine.start("open", job, "worker:0", "80")
    assert process.stdout.readline().startswith("http://")
    assert machine("kill", job).code == 0
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 0 and "has finished: KILLED" in stderr, stderr
    done = machine("open", job, "worker:0", "80")
    assert done.code == 3 and "has ended" in done.stderr, done


# --- exec ---


def run(machine, job, *words, stdin=b"", task="worker:0"):
    return subprocess.run([str(BIN), "exec", job, task, "--", *words], env=machine.env, input=stdin, timeout=120,
                          capture_output=True)


def test_exec_runs_where_the_task_runs(machine, job):
    done = run(machine, job, "sh", "-c",
               'echo $COLOUR $HOWDAH_TASK_INDEX; ls; echo to stderr >&2; exit 7', task="worker:1")
    assert (done.returncode, done.stdout, done.stderr) == (7, b"green 1\nserver.py\n", b"to stderr\n")
    assert machine.task(job, "worker", 1)["state"] == "RUNNING"


@pytest.mark.parametrize("words, code, says", [
    (["true"], 0, b""), (["false"], 1, b""), (["no-such-command"], 127, b"no-such-command: command not found\n"),
    (["./server.py"], 126, b"./server.py: Permission denied\n"), (["sh", "-c", "kill -9 $$"], 137, b"")])
def test_exec_returns_the_exit_code_of_the_command(machine, job, words, code, says):
    done = run(machine, job, *words)
    assert (done.returncode, done.stdout, done.stderr) == (code, b"", says)


def test_large_streams_pass_in_both_directions(machine, job, tmp_path):
    block = os.urandom(1 << 20)
    (tmp_path / "in").write_bytes(block * 100)
    with open(tmp_path / "in", "rb") as given, open(tmp_path / "out", "wb") as got:
        command = [str(BIN), "exec", job, "worker:0", "--", "cat"]
        assert subprocess.run(command, env=machine.env, stdin=given, stdout=got, timeout=120).returncode == 0
    assert (tmp_path / "out").read_bytes() == block * 100


def test_exec_forwards_signals(machine, job):
    process = subprocess.Popen([str(BIN), "exec", job, "worker:0", "--", "sh", "-c",
                                "trap 'echo caught; exit 5' INT; echo ready; while :; do sleep 600 & wait $!; done"],
                               env=machine.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout.readline() == b"ready\n"
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=60)[0] == b"caught\n"
    assert process.returncode == 5


def test_a_task_runs_commands_in_another_task(machine, job):
    there = '"$HOWDAH_AGENT" exec --task worker:1 -- sh -c "echo \\$HOWDAH_TASK_INDEX; cat; echo bad >&2; exit 6"'
    done = run(machine, job, "sh", "-c", there, stdin=b"through both\n")
    assert (done.returncode, done.stdout, done.stderr) == (6, b"1\nthrough both\n", b"bad\n")
    done = run(machine, job, "sh", "-c", '"$HOWDAH_AGENT" exec --task worker:5 -- true')
    assert done.returncode == 1 and b"the job has no task worker:5" in done.stderr, done
    done = run(machine, job, "sh", "-c", 'env -u HOWDAH_AM "$HOWDAH_AGENT" exec --task worker:1 -- true')
    assert done.returncode == 2 and b"this program does not run in a task of a job" in done.stderr, done


def marked(mark):
    return [pid for pid, (_, command, _) in processes().items() if mark in command and "howdah exec" not in command]


def test_a_killed_client_ends_its_command(machine, job):
    mark = f"3141.{os.getpid()}"
    process = subprocess.Popen([str(BIN), "exec", job, "worker:0", "--", "sleep", mark], env=machine.env,
                               stdin=subprocess.PIPE)
    eventually(lambda: marked(f"sleep {mark}"), "the command")
    process.kill()
    process.wait()
    eventually(lambda: not marked(f"sleep {mark}"), "the end of the command")


def test_commands_end_with_their_task(machine, job):
    mark = f"2718.{os.getpid()}"
    process = subprocess.Popen([str(BIN), "exec", job, "worker:0", "--", "sh", "-c", f"setsid sleep {mark}; true"],
                               env=machine.env, stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    eventually(lambda: marked(f"sleep {mark}"), "the command")
    assert machine("kill", job).code == 0
    assert not marked(f"sleep {mark}")
    process.communicate(timeout=60)
    assert process.returncode != 0
    machine.assert_clean(job)


def test_a_shell_gets_a_terminal_with_its_size_and_signals(machine, job):
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 33, 121, 0, 0))
    process = subprocess.Popen([str(BIN), "exec", job, "worker:0"], env={**machine.env, "TERM": "vt100"}, stdin=theirs,
                               stdout=theirs, stderr=theirs, start_new_session=True)
    seen = b""

    def until(text):
        nonlocal seen
        while text not in seen:
            assert select.select([ours], [], [], 60)[0], seen
            seen += os.read(ours, BLOCK)
        seen = seen.split(text, 1)[1]

    os.write(ours, b"echo is$((1+1)) $TERM; tty; stty size\n")
    until(b"is2 vt100")
    until(b"/dev/pts/")
    until(b"33 121")
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 44, 99, 0, 0))
    process.send_signal(signal.SIGWINCH)
    os.write(ours, b"until [ \"$(stty size)\" = '44 99' ]; do :; done; echo grown$((1+1))\n")
    until(b"grown2")
    # Wait for the output of the command: before it runs, Ctrl-C would go to the shell.
    os.write(ours, b"sh -c 'echo asleep$((1+1)); exec sleep 600'\n")
    until(b"asleep2")
    os.write(ours, b"\x03")  # Ctrl-C: the local terminal is in raw mode and sends no signal
    until(b"^C")  # the terminal discards input that it has not delivered before Ctrl-C
    os.write(ours, b"echo code$?; exit 9\n")
    until(b"code130")
    assert process.wait(timeout=60) == 9
    os.close(ours)
    os.close(theirs)


WAITS = """
import faulthandler, os, select, signal
faulthandler.register(signal.SIGUSR1, all_threads=True)
def wait_for_data():
    print("waiting", flush=True)
    select.select([], [], [], 86400)
wait_for_data()
"""


def test_stacks_show_where_the_processes_are(machine, tmp_path):
    source = tmp_path / "waits"
    source.mkdir()
    (source / "waits.py").write_text(WAITS)
    waits = machine.submit(machine.job_file(tmp_path, f"""
        name: waits
        source: {source}
        checkpoint: {{grace: 1s}}
        roles:
          worker: {{memory: 64MiB, command: [/usr/bin/python3, waits.py]}}
          side: {{memory: 16MiB, kind: service, command: exec sleep 86399}}
        """))
    eventually(lambda: "waiting" in machine.log(waits, "worker:0"), "the program")
    machine.until(waits, lambda s: all(t["state"] == "RUNNING" for t in s["tasks"]), "both tasks")
    done = machine("stacks", waits)
    assert done.code == 0, done
    assert re.search(r"^worker:0, attempt 0, local rank 0, pid \d+: python3\S* sleeps", done.stdout, re.M), done
    assert "py-spy is not in the PATH of the task" in done.stdout and "pip install py-spy" in done.stdout, done
    assert "no stack: the program is not Python; request its native frames (--native)" in done.stdout, done
    assert "most recent call first" not in machine.log(waits, "worker:0"), "a signal was sent without a request"
    done = machine("stacks", waits, "worker", "--signal", "USR1", "--json")
    assert done.code == 0, done
    answer = json.loads(done.stdout)
    [process] = answer["tasks"][0]["processes"]
    assert (answer["id"], answer["tasks"][0]["task"], process["tool"]) == (waits, "worker:0", "faulthandler"), answer
    assert process["local_rank"] == 0 and "in wait_for_data" in process["stacks"] and process["problem"] is None
    for words, code, says in ((("worker:7",), 2, "no task 'worker:7'"), (("--signal", "SOON"), 2, "no signal 'SOON'")):
        done = machine("stacks", waits, *words)
        assert done.code == code and says in done.stderr, done
    assert machine("kill", waits, "--grace", "0s").code == 0
    done = machine("stacks", waits)
    assert done.code == 1 and "has already finished: KILLED; only running tasks have stacks" in done.stderr, done

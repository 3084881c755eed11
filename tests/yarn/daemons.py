"""The daemons of a test cluster: their ports, their start, and their end with the tests."""
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import sys

MARK = "HOWDAH_TEST_CLUSTER"


class Ports:
    """Reserves TCP ports until close(). The ports are below the kernel's ephemeral range. A reservation uses the same
    socket name as Howdah's reservations, so that no task of a job gets the port of a daemon that is down."""

    def __init__(self):
        self.locks = []

    def take(self):
        ephemeral = int(pathlib.Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
        while True:
            port = random.randrange(10000, max(ephemeral, 20000))
            lock = socket.socket(socket.AF_UNIX)
            try:
                lock.bind(f"\0howdah-port-{port}")
                with socket.socket() as probe:
                    probe.bind(("0.0.0.0", port))
            except OSError:
                lock.close()
                continue
            self.locks.append(lock)
            return port

    def close(self):
        for lock in self.locks:
            lock.close()


def processes_of(folder):
    """All processes of the cluster in `folder`, its daemons and the processes in containers: pid -> command line."""
    mark = f"{MARK}={folder}".encode()
    found = {}
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            environment = (entry / "environ").read_bytes().split(b"\0")
            inside = (os.readlink(entry / "cwd") + "/").startswith(f"{folder}/")
            if inside or mark in environment:
                command = (entry / "cmdline").read_bytes().replace(b"\0", b" ")
                found[int(entry.name)] = command.decode("utf-8", "replace")
        except OSError:
            continue  # the process has ended or belongs to another user
    return found


def sweep(folder):
    """Kills all processes of the cluster in `folder`, repeatedly, because they may start others in the meantime."""
    while found := processes_of(folder):
        for pid in found:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass


class Guardian:
    """A separate process that kills all processes of a cluster and removes its folder after close(), or when the
    process of the tests dies, even by SIGKILL. It is needed because containers have their own sessions and survive
    their NodeManager."""

    def __init__(self, folder):
        self.process = subprocess.Popen([sys.executable, __file__, str(folder)], stdin=subprocess.PIPE,
                                        start_new_session=True)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def guard(folder):
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    sys.stdin.buffer.read()
    sweep(folder)
    shutil.rmtree(folder, ignore_errors=True)


class Daemon:
    """One daemon of a cluster, in its own JVM. A restart appends to the same log."""

    def __init__(self, name, command, log, env, cwd):
        self.name, self.log = name, pathlib.Path(log)
        self.command, self.env, self.cwd = command, env, cwd
        self.process = None

    def start(self):
        assert not self.alive(), f"{self.name} is running"
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                            cwd=self.cwd, env=self.env, start_new_session=True)

    def alive(self):
        return self.process is not None and self.process.poll() is None

    @property
    def pid(self):
        assert self.alive(), f"{self.name} is not running"
        return self.process.pid

    def stop(self):
        """Sends SIGSTOP: the daemon still exists, but does not answer."""
        os.kill(self.pid, signal.SIGSTOP)

    def cont(self):
        os.kill(self.pid, signal.SIGCONT)

    def kill(self):
        """Sends SIGKILL. The containers of a killed NodeManager continue to run."""
        self.process.kill()
        self.process.wait()

    def term(self, patience_s=30):
        """Sends SIGTERM, and SIGKILL after `patience_s`, because a NodeManager that ran containers can hang."""
        self.process.terminate()
        try:
            self.process.wait(patience_s)
        except subprocess.TimeoutExpired:
            self.kill()

    def restart(self):
        if self.alive():
            self.kill()
        self.start()

    def last_lines(self, lines=8):
        """The end of the log, without the frames of stack traces."""
        if not self.log.exists():
            return []
        with self.log.open("rb") as log:
            log.seek(max(0, self.log.stat().st_size - 65536))
            text = log.read().decode("utf-8", "replace")
        return [line for line in text.splitlines() if not line.startswith("\tat ")][-lines:]

    def port_was_taken(self):
        return any("BindException" in line or "Address already in use" in line for line in self.last_lines(200))


if __name__ == "__main__":
    guard(sys.argv[1])

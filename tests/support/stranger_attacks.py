"""Cheap attacks of one user of the machine on the job of another user. stranger.py starts this script as the stranger,
with a description of the job on stdin. It prints the number of refused attacks and a list of those that succeeded."""
import ctypes
import fcntl
import json
import os
import random
import resource
import signal
import socket
import ssl
import struct
import subprocess
import sys
import time

TARGET = json.load(sys.stdin)
SECRET = TARGET["secret"].encode()
OWN = TARGET["own"]  # a directory of the stranger
LIBC = ctypes.CDLL(None, use_errno=True)
refused, succeeded = 0, []


def must_fail(what, attack, *arguments):
    global refused
    try:
        result = attack(*arguments)
    except (OSError, subprocess.SubprocessError):
        refused += 1
    else:
        succeeded.append(f"{what}: {result!r}")


def check(what, wrong):
    global refused
    refused += not wrong
    if wrong:
        succeeded.append(f"{what}: {wrong!r}")


def system_call(number, *arguments):
    result = LIBC.syscall(number, *(ctypes.c_long(a) if isinstance(a, int) else a for a in arguments))
    if result < 0:
        raise OSError(ctypes.get_errno(), "system call")
    return result


def read(path):
    with open(path, "rb", buffering=0) as file:
        return file.read(256)


# --- processes ---

PRIVATE = ("environ", "mem", "maps", "smaps", "pagemap", "auxv", "stack", "syscall", "personality", "io", "fdinfo",
           "fd", "map_files", "cwd", "root", "exe", "ns/net")
WRITABLE = ("oom_score_adj", "comm", "clear_refs", "coredump_filter", "mem", "sched")
PTRACE_ATTACH, PTRACE_SEIZE = 16, 0x4206
MIGRATE_PAGES, MOVE_PAGES, IOPRIO_SET, KCMP, PIDFD_SEND_SIGNAL, PIDFD_GETFD = 256, 279, 251, 312, 424, 438


def read_memory(pid):
    data = ctypes.create_string_buffer(64)
    here = (ctypes.c_size_t * 2)(ctypes.addressof(data), 64)
    there = (ctypes.c_size_t * 2)(0x400000, 64)
    if LIBC.process_vm_readv(pid, here, 1, there, 1, 0) < 0:
        raise OSError(ctypes.get_errno(), "process_vm_readv")


def ptrace(request, pid):
    if LIBC.ptrace(request, pid, None, None) < 0:
        raise OSError(ctypes.get_errno(), "ptrace")


def open_proc(path):
    if os.path.islink(path):
        return os.readlink(path)
    return os.listdir(path) if os.path.isdir(path) else read(path)


def attack_process(pid):
    for name in PRIVATE:
        must_fail(f"read /proc/{pid}/{name}", open_proc, f"/proc/{pid}/{name}")
    for name in WRITABLE:
        must_fail(f"open /proc/{pid}/{name} to write", os.open, f"/proc/{pid}/{name}", os.O_WRONLY)
    for name in ("cmdline", "status", "stat", "cgroup", "comm"):
        try:
            check(f"a secret in /proc/{pid}/{name}", SECRET in read(f"/proc/{pid}/{name}"))
        except OSError:
            pass
    for sent in (0, signal.SIGHUP, signal.SIGINT, signal.SIGTERM, signal.SIGSTOP, signal.SIGUSR1, signal.SIGKILL):
        must_fail(f"signal {sent} to {pid}", os.kill, pid, sent)
    must_fail(f"signal to the group of {pid}", lambda: os.killpg(os.getpgid(pid), signal.SIGKILL))
    for request in (PTRACE_ATTACH, PTRACE_SEIZE):
        must_fail(f"ptrace {request} of {pid}", ptrace, request, pid)
    must_fail(f"memory of {pid}", read_memory, pid)
    must_fail(f"limits of {pid}", resource.prlimit, pid, resource.RLIMIT_NOFILE)
    must_fail(f"new limits of {pid}", resource.prlimit, pid, resource.RLIMIT_CPU, (1, 1))
    must_fail(f"processors of {pid}", os.sched_setaffinity, pid, {0})
    must_fail(f"priority of {pid}", os.setpriority, os.PRIO_PROCESS, pid, 19)
    must_fail(f"scheduler of {pid}", os.sched_setscheduler, pid, os.SCHED_IDLE, os.sched_param(0))
    must_fail(f"process group of {pid}", os.setpgid, pid, 0)
    must_fail(f"pages of {pid}", system_call, MIGRATE_PAGES, pid, 1, ctypes.byref(ctypes.c_long(1)),
              ctypes.byref(ctypes.c_long(1)))
    must_fail(f"page locations of {pid}", system_call, MOVE_PAGES, pid, 0, None, None, None, 0)
    must_fail(f"i/o priority of {pid}", system_call, IOPRIO_SET, 1, pid, 3 << 13)
    must_fail(f"comparison with {pid}", system_call, KCMP, os.getpid(), pid, 0, 0, 0)
    pidfd = os.pidfd_open(pid)
    try:
        must_fail(f"pidfd signal to {pid}", system_call, PIDFD_SEND_SIGNAL, pidfd, signal.SIGKILL, None, 0)
        for fd in range(8):
            must_fail(f"descriptor {fd} of {pid}", system_call, PIDFD_GETFD, pidfd, fd, 0)
    finally:
        os.close(pidfd)


# --- ports and sockets ---

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0\4\0\0\0\0\0"
HELLO = bytes.fromhex("16030102000100") + b"\xff" * 64  # the beginning of a TLS handshake
REQUESTS = {
    "GET": b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "GET of a key": b"GET /global/0 HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "PUT": b"PUT /global/0 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\nevil",
    "DELETE": b"DELETE /global HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "endless header": b"GET / HTTP/1.1\r\nX: " + b"x" * 100000,
    "HTTP/2": PREFACE,
    "half a handshake": HELLO,
    "garbage": os.urandom(65536),
    "zeros": bytes(65536),
    "Hadoop RPC": b"hrpc\x09\x00\xdf" + os.urandom(200),
    "nothing": b"",
}


def connected(address):
    return socket.create_connection(address, timeout=5)


def received(connection):
    """Reads until the peer closes the connection or sends nothing for 5 s."""
    data = b""
    try:
        while len(data) < 65536 and (more := connection.recv(4096)):
            data += more
    except OSError:
        pass
    return data


def answer_of(address, request):
    try:
        with connected(address) as connection:
            connection.sendall(request)
            connection.shutdown(socket.SHUT_WR)
            return received(connection)
    except OSError:
        return b""


def after_tls(address, version):
    """Returns the data that a server sends after its handshake with a client that has no certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.set_alpn_protocols(["h2"])
    context.minimum_version = context.maximum_version = version
    with connected(address) as plain, context.wrap_socket(plain) as connection:
        connection.sendall(PREFACE)
        data = connection.recv(4096)
        if not data:
            raise OSError("closed")
        return data


def reset(address):
    with connected(address) as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.sendall(random.randbytes(100))


def attack_port(host, port):
    address = (host, port)
    for name, request in REQUESTS.items():
        answer = answer_of(address, request)
        served = answer.startswith(b"HTTP/1.1 2") and not (TARGET["page"] and name == "GET")
        served = served or SECRET in answer or b"PRIVATE KEY" in answer
        check(f"{name} to port {port}", answer if served or (answer and not TARGET["page"]) else b"")
    for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
        must_fail(f"{version.name} on port {port}", after_tls, address, version)
    for _ in range(5):
        try:
            reset(address)
        except OSError:
            pass
    must_fail(f"bind of port {port}", bind, address)


def bind(address):
    with socket.socket() as one:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        one.bind(address)
        one.listen()


def connect_unix(name):
    with socket.socket(socket.AF_UNIX) as one:
        one.connect(name)


def attack_socket(name):
    must_fail(f"connection to {name!r}", connect_unix, name)
    with socket.socket(socket.AF_UNIX) as one:
        must_fail(f"bind of {name!r}", one.bind, name)


# --- files ---

def open_to(flags):
    return lambda path: os.open(path, flags | os.O_NONBLOCK)


def lock(path):
    fcntl.flock(os.open(path, os.O_RDONLY | os.O_NONBLOCK), fcntl.LOCK_EX | fcntl.LOCK_NB)


def watch(path):
    inotify = LIBC.inotify_init()
    try:
        if LIBC.inotify_add_watch(inotify, os.fsencode(path), 0xfff) < 0:
            raise OSError(ctypes.get_errno(), "inotify_add_watch")
    finally:
        os.close(inotify)


def replace(path, make):
    own = f"{OWN}/{random.getrandbits(64):x}"
    make(own)
    try:
        os.rename(own, path)
    finally:
        os.unlink(own)


FILE_ATTACKS = {
    "read": open_to(os.O_RDONLY), "write": open_to(os.O_WRONLY), "append": open_to(os.O_WRONLY | os.O_APPEND),
    "truncate": lambda path: os.truncate(path, 0), "lock": lock, "watch": watch, "list": os.listdir,
    "delete": os.unlink, "remove": os.rmdir, "rename": lambda path: os.rename(path, path + ".away"),
    "steal": lambda path: os.rename(path, OWN + "/stolen"), "hard link": lambda path: os.link(path, OWN + "/linked"),
    "replace by a file": lambda path: replace(path, os.mknod),
    "replace by a link": lambda path: replace(path, lambda own: os.symlink("/etc/passwd", own)),
    "replace by a FIFO": lambda path: replace(path, os.mkfifo),
    "create below": lambda path: os.mkdir(path + "/evil"), "link below": lambda path: os.symlink("/", path + "/evil"),
    "chmod": lambda path: os.chmod(path, 0o777), "chown": lambda path: os.chown(path, os.getuid(), os.getgid()),
    "touch": os.utime, "attribute": lambda path: os.setxattr(path, "user.evil", b"1"),
}
READING = {"read", "list", "watch", "lock"}


def attack_file(path, may_read):
    for name, attack in FILE_ATTACKS.items():
        if not (may_read and name in READING):
            must_fail(f"{name} {path}", attack, path)


def attack_sticky(folder, below):
    """Creates traps with names like those of a job in a directory in which everybody may create files."""
    for _ in range(20 if len(os.listdir(folder)) < 500 else 0):
        name = f"{folder}/{below}.{random.getrandbits(32):x}"
        random.choice([os.mkfifo, os.mkdir, os.mknod, lambda n: os.symlink(TARGET["home"], n),
                       lambda n: os.symlink("/dev/zero", n)])(name)


def attack_by_program(*words):
    environment = {"PATH": "/usr/bin:/bin", "HOWDAH_HOME": TARGET["home"], "HOME": OWN, "HOWDAH_ON": "local"}
    done = subprocess.run([TARGET["howdah"], *words], env=environment, cwd=OWN, capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=60)
    if done.returncode == 0:
        return done.stdout
    raise OSError(done.stderr)


def attack_once():
    actions = [(attack_process, pid) for pid in TARGET["pids"]]
    actions += [(attack_port, *address) for address in TARGET["ports"]]
    actions += [(attack_socket, name) for name in TARGET["sockets"]]
    actions += [(attack_file, path, path in TARGET["may_read"]) for path in TARGET["paths"]]
    actions += [(attack_sticky, folder, TARGET["job"]) for folder in TARGET["sticky"]]
    if TARGET["howdah"]:
        job = TARGET["job"]
        actions += [(must_fail, " ".join(words), attack_by_program, *words) for words in (
            ("status", job), ("events", job), ("logs", job), ("list",), ("kill", job),
            ("exec", job, "worker:0", "--", "true"), ("scale", job, "worker=1"))]
    random.shuffle(actions)
    for attack, *arguments in actions:
        attack(*arguments)


def main():
    end, times = time.monotonic() + TARGET["seconds"], 0
    while not succeeded and (times == 0 or time.monotonic() < end):
        attack_once()
        times += 1
    print(json.dumps({"refused": refused, "succeeded": succeeded, "times": times}))


main()

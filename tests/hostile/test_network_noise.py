"""Bytes of other protocols at the port of an application master: old TLS versions are refused, and thousands of junk
connections neither stop its service nor grow its memory."""
import json
import random
import re
import socket
import ssl
import struct

import pytest

from machine import read

JOB = """
roles:
  worker: {memory: 64MiB, command: exec sleep 300}
"""
HTTP = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
HELLO = bytes.fromhex("16030102000100") + b"\xff" * 64  # the beginning of a TLS handshake
RESET = struct.pack("ii", 1, 0)  # linger: close() resets the connection
NOISE = {
    "nothing": b"",
    "http": HTTP,
    "http2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0\4\0\0\0\0\0",
    "ssh": b"SSH-2.0-OpenSSH_9.2\r\n",
    "hadoop-rpc": b"hrpc\x09\0\0" + b"\xff" * 32,
    "half-handshake": HELLO,
    "huge-record": b"\x16\x03\x03\xff\xff" + b"a" * 65535,
    "alert": b"\x15\x03\x03\0\2\2\x28",
    "application-data": b"\x17\x03\x03\0\x20" + b"b" * 32,
    "random": random.Random(1).randbytes(4096),
    "zeros": b"\0" * 65536,
}
PER_ROUND, ROUNDS = 40, 5
MOST_GROWTH_KIB = 8 << 10


@pytest.fixture
def target(machine, tmp_path):
    """A running job, the address of its AM, and the pid of its AM."""
    job = machine.submit(machine.job_file(tmp_path, JOB))
    machine.running(job)
    host, port = json.loads((machine.home / "jobs" / job / "am.json").read_text())["address"].rsplit(":", 1)
    yield job, (host, int(port)), machine.agents(job, "am")[1]
    assert machine("exec", job, "worker:0", "--", "true").code == 0, "the AM no longer serves its owner"
    assert machine("kill", job).code == 0
    machine.assert_clean(job)


def answer(address, version):
    """The answer to a request after a handshake with one version of TLS, without a certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.set_ciphers("ALL:@SECLEVEL=0")
    context.minimum_version = context.maximum_version = version
    with socket.create_connection(address, 60) as plain, context.wrap_socket(plain) as secure:
        try:
            secure.send(HTTP)
            return secure.recv(1)
        except OSError:  # the server refuses the missing certificate after the client's part of the handshake
            return b""


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion")  # Python calls the old versions deprecated
@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1, ssl.TLSVersion.TLSv1_2],
                         ids=lambda v: v.name)
def test_old_versions_of_tls_are_refused(target, version):
    with pytest.raises(ssl.SSLError):
        answer(target[1], version)
    # The same client with TLS 1.3 completes its part of the handshake, and gets no answer without a certificate.
    assert answer(target[1], ssl.TLSVersion.TLSv1_3) == b""


def make_noise(address, sent, reset):
    with socket.create_connection(address, 60) as connection:
        try:
            connection.sendall(sent)
            if reset:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
            else:
                connection.shutdown(socket.SHUT_WR)
                while connection.recv(65536):  # until the server has closed its end
                    pass
        except OSError:
            pass  # the server was faster


def memory_kib(pid):
    return int(re.search(rb"VmRSS:\s+(\d+)", read(f"/proc/{pid}/status")).group(1))


def test_junk_connections_do_not_grow_the_memory(target):
    _, address, am = target
    sizes = []
    for _ in range(ROUNDS):
        for sent in NOISE.values():
            for number in range(PER_ROUND):
                make_noise(address, sent, reset=number % 2 == 0)
        sizes.append(memory_kib(am))
    # The allocator grows during the first round. Afterwards it must reuse what it has.
    assert sizes[-1] - sizes[0] < MOST_GROWTH_KIB, sizes

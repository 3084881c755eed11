"""The connections of a source to executors: Flight servers of this process take the place of the executors."""
import subprocess
import sys
import threading

import pytest

import arrow
from machine import ROOT

arrow.site_packages()
sys.path.insert(0, str(ROOT / "python"))

import pyarrow as pa  # noqa: E402
import pyarrow.flight as flight  # noqa: E402

from howdah._feed.spark_task import Address, Broken, Calls  # noqa: E402

BLOCK = pa.record_batch({"x": [1, 2]})
LIMIT_S = 60


class Executor(flight.FlightServerBase):
    """Takes blocks, and notes the address of the client of each call."""

    def __init__(self, location, **tls):
        super().__init__(location, **tls)
        self.peers = []
        self.fails = False

    def do_put(self, context, descriptor, reader, writer):
        self.peers.append(context.peer())
        for _ in reader:
            if self.fails:
                raise flight.FlightUnavailableError("this executor ends")
            writer.write(b"{}")


@pytest.fixture
def certificate(tmp_path):
    paths = [tmp_path / "server.crt", tmp_path / "server.key"]
    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", paths[1]]
    names = ["-subj", "/CN=test", "-addext", "subjectAltName=DNS:executor"]
    subprocess.run(["openssl", "req", "-x509", *key, *names, "-days", "2", "-out", paths[0]], check=True,
                   capture_output=True)
    return [path.read_bytes() for path in paths]


@pytest.fixture
def executor(certificate):
    with Executor("grpc+tls://127.0.0.1:0", tls_certificates=[tuple(certificate)]) as server:
        yield server


def calls_to(executor, certificate):
    calls = Calls("job", "train")
    location = f"grpc+tls://127.0.0.1:{executor.port}"
    calls.use(Address([location], "token", certificate[0].decode(), "executor"))
    return calls, [location]


def send(put):
    with put as (writer, reader):
        writer.write_batch(BLOCK)
        writer.done_writing()
        reader.read()


def test_calls_over_tls_that_run_together_have_connections_of_their_own(executor, certificate):
    calls, locations = calls_to(executor, certificate)
    both = threading.Barrier(2, timeout=LIMIT_S)
    failed = []

    def run():
        try:
            with calls.put(locations, BLOCK.schema) as (writer, reader):
                writer.write_batch(BLOCK)
                reader.read()
                both.wait()  # both calls are open now
                writer.done_writing()
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LIMIT_S)
    assert not failed
    assert len(set(executor.peers)) == 2
    for _ in range(3):
        send(calls.put(locations, BLOCK.schema))
    assert len(executor.peers) == 5 and len(set(executor.peers)) == 2, "connections are used again"


def test_connection_of_a_call_that_failed_is_not_used_again(executor, certificate):
    calls, locations = calls_to(executor, certificate)
    send(calls.put(locations, BLOCK.schema))
    executor.fails = True
    with pytest.raises(Broken):
        send(calls.put(locations, BLOCK.schema))
    executor.fails = False
    send(calls.put(locations, BLOCK.schema))
    assert executor.peers[0] == executor.peers[1] != executor.peers[2]


def test_calls_over_a_unix_socket_share_a_connection(tmp_path):
    location = f"grpc+unix://{tmp_path}/flight"
    with Executor(location):
        calls = Calls("job", "train")
        calls.use(Address([location], "token", "", "executor"))
        for _ in range(2):
            send(calls.put([location], BLOCK.schema))
        assert list(calls._clients) == [location] and not calls._idle

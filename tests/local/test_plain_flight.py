"""Any Arrow Flight client feeds a job: DoPut with the path of a feed, without any code of Howdah."""
import json
import os
import signal
import subprocess
import sys

import pytest

import arrow
from machine import BIN, ROOT

SITE = arrow.site_packages()
sys.path.insert(0, str(ROOT / "python"))

import pyarrow as pa  # noqa: E402
import pyarrow.flight as flight  # noqa: E402

import howdah  # noqa: E402

# The ranks of a PyTorch job restart together, and read with split `equal`. The functions need no PyTorch.
TOGETHER = {"framework": "pytorch", "memory": "512MiB", "env": {"PYTHONPATH": SITE}, "workers": 2}

# pyarrow raises errors of several kinds for the statuses of calls.
ERRORS = (pa.ArrowException, flight.FlightError, KeyError)


@pytest.fixture(autouse=True)
def client(machine, tmp_path, monkeypatch):
    """Makes this process a client of the machine of the test."""
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    for name, value in (("HOWDAH_HOME", machine.home), ("HOWDAH_ON", "local"), ("XDG_CACHE_HOME", tmp_path / "cache"),
                        ("PATH", f"{BIN.parent}{os.pathsep}{os.environ['PATH']}")):
        monkeypatch.setenv(name, str(value))


def address(job):
    done = subprocess.run([BIN, "feed", job.id, "live", "--address"], stdout=subprocess.PIPE, check=True, timeout=120)
    return json.loads(done.stdout)


def close(job):
    subprocess.run([BIN, "feed", job.id, "live", "--close"], check=True, timeout=120)


class Client:
    """A client of one executor of a job."""

    def __init__(self, job, executor=0):
        where = address(job)
        locations = sorted(location for location in where["locations"] if location.startswith("grpc+unix"))
        self.client = flight.FlightClient(locations[executor])
        self.options = flight.FlightCallOptions(
            timeout=120, headers=[(b"authorization", b"Bearer " + where["token"].encode())])

    def put(self, schema, feed="live"):
        return self.client.do_put(flight.FlightDescriptor.for_path(feed), schema, self.options)

    def send(self, *batches):
        """Sends the batches in one call. Returns the number of rows that the job has accepted."""
        writer, reader = self.put(batches[0].schema)
        for batch in batches:
            writer.write_batch(batch)
        writer.done_writing()
        rows = 0
        while True:
            message = reader.read()
            if message is None:
                break
            rows = json.loads(message.to_pybytes())["rows"]
        writer.close()
        return rows


def batch(first, rows):
    return pa.record_batch({"i": pa.array(range(first, first + rows), pa.int64())})


def reading(batch=5, batches=None):
    """A function that returns the rows of the first batches of its rank; None: of all."""
    def read():
        found = []
        feed = howdah.context().feed("live")
        for number, rows in enumerate(feed.numpy(batch)):
            found.append(rows["i"].tolist())
            if number + 1 == batches:
                feed.stop()
                break
        return found
    return read


def submit(function, timeouts=None, **keys):
    return howdah.submit(function, data={"live": howdah.Feed(stream=True, **keys)}, timeouts=timeouts or {}, **TOGETHER)


def rows_of(results):
    return sorted(i for batches in results for rows in batches for i in rows)


def test_rows_of_plain_clients_reach_the_ranks_of_all_executors():
    with submit(reading()) as job:
        sent = [Client(job, executor).send(*(batch(1000 * executor + first, 100) for first in range(0, 500, 100)))
                for executor in (0, 1)]
        assert sent == [500, 500]
        close(job)
        results = job.results(timeout=120)
    assert [len(batches) for batches in results] == [100, 100]
    assert rows_of(results) == [*range(500), *range(1000, 1500)]


def test_ranks_read_while_the_stream_is_open():
    with submit(reading(batch=4, batches=1)) as job:
        writer, _ = Client(job).put(batch(0, 1).schema)
        # Both ranks need a batch before one of them can read.
        writer.write_batch(batch(0, 4))
        writer.write_batch(batch(4, 4))
        assert rows_of(job.results(timeout=120)) == list(range(8))


def test_client_waits_until_ranks_have_room():
    with submit(reading(), buffer="16KiB") as job:
        assert Client(job).send(*(batch(first, 5000) for first in range(0, 100_000, 5000))) == 100_000
        close(job)
        assert rows_of(job.results(timeout=120)) == list(range(100_000))


def test_empty_batches_and_metadata_are_skipped():
    with submit(reading()) as job:
        writer, _ = Client(job).put(batch(0, 1).schema)
        writer.write_batch(batch(0, 0))
        writer.write_metadata(b"ignored")
        writer.write_with_metadata(batch(0, 10), b"no JSON")
        writer.close()
        close(job)
        assert rows_of(job.results(timeout=120)) == list(range(10))


BROKEN = """
import json, os, sys
import pyarrow as pa
import pyarrow.flight as flight
location, token = sys.argv[1:]
client = flight.FlightClient(location)
options = flight.FlightCallOptions(headers=[(b"authorization", b"Bearer " + token.encode())])
batch = pa.record_batch({"i": pa.array(range(10), pa.int64())})
writer, reader = client.do_put(flight.FlightDescriptor.for_path("live"), batch.schema, options)
writer.write_batch(batch)
assert json.loads(reader.read().to_pybytes()) == {"rows": 10}
print("accepted", flush=True)
sys.stdin.read()
"""


def test_rows_of_a_call_that_is_broken_off_stay():
    with submit(reading()) as job:
        where = address(job)
        location = next(location for location in where["locations"] if location.startswith("grpc+unix"))
        process = subprocess.Popen([sys.executable, "-c", BROKEN, location, where["token"]], text=True,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   env={**os.environ, "PYTHONPATH": SITE})
        try:
            assert process.stdout.readline() == "accepted\n"
        finally:
            process.send_signal(signal.SIGKILL)
            process.communicate(timeout=60)
        assert Client(job).send(batch(10, 10)) == 10
        close(job)
        assert rows_of(job.results(timeout=120)) == list(range(20))


def test_lost_client_is_named_by_the_readers():
    with submit(reading(), timeouts={"feed": "2s"}) as job:
        assert Client(job).send(batch(0, 3)) == 3
        with pytest.raises(howdah.FeedLost, match="is gone: an Arrow Flight client at "):
            job.results(timeout=120)


def test_refused_calls_name_the_remedy(tmp_path):
    go = str(tmp_path / "go")
    os.mkfifo(go)
    read = reading()

    def read_and_stay():
        rows = read()
        open(go).close()  # until the last call is refused
        return rows

    dictionary = pa.record_batch({"i": pa.array(["a", "b"]).dictionary_encode()})
    large = pa.record_batch({"i": pa.array(range(3_000_000), pa.int64())})
    with submit(read_and_stay) as job:
        client = Client(job)
        with pytest.raises(ERRORS, match="dictionary"):
            client.send(dictionary)
        with pytest.raises(ERRORS, match="8 MiB"):
            client.send(large)
        with pytest.raises(flight.FlightUnauthenticatedError, match="token"):
            writer, reader = client.put(large.schema, "other")
            writer.write_batch(batch(0, 1))
            writer.close()
        assert client.send(batch(0, 10)) == 10
        close(job)
        with pytest.raises(ERRORS, match="closed"):
            client.send(batch(0, 1))
        with open(go, "w"):
            # The partitions of the refused calls have ended, otherwise the ranks would wait for their rows.
            assert rows_of(job.results(timeout=120)) == list(range(10))

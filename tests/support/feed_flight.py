"""Executors and the ledger of a feed, as the pushing side of feeds sees them: Arrow Flight servers in this process."""
import json
import os
import threading
import zlib

import numpy as np
import pyarrow as pa
import pyarrow.dataset as dataset
import pyarrow.flight as flight
import pyarrow.parquet as parquet

import howdah
from machine import eventually

TOKEN = "0a1b"


class Ledger:
    """Which rows of which partition have been accepted. All executors of a job share it.

    credit: blocks that each reader accepts; None: all. refuse(place, first row): whether to refuse a block for no
    reason, which the source cannot foresee; a text: the reason why the executor fails.
    """

    def __init__(self, readers=1, credit=None):
        self.changed = threading.Condition()
        self.credit = [credit] * readers
        self.taken = [0] * readers  # rows by reader
        self.rows = {}  # (pass, partition): {first row: batch}, as accepted
        self.blocks = []  # (pass, partition, first row, end, reader, bytes) of each accepted block
        self.ends = {}  # (pass, partition): rows
        self.digests = {}  # (pass, partition): {(first row, end): digest of a block that was accepted as a whole}
        self.sums = {}  # (pass, partition): the digest of its rows, as the source has reported it
        self.partitions = None
        self.requests = []  # {"pass", "partitions"} for each supplier, in order
        self.keys = {}
        self.closed = self.over = False
        self.failed = None
        self.suppliers = []
        self.asked = 0
        self.repeated = 0  # rows that had been accepted before
        self.refuse = lambda place, first: False

    def request(self, pass_, *ranges):
        with self.changed:
            self.requests.append({"pass": pass_, "partitions": [list(part) for part in ranges]})
            self.changed.notify_all()

    def end(self):
        with self.changed:
            self.over = True
            self.changed.notify_all()

    def forget(self, pass_, partition, first, end):
        """These rows were lost with a node."""
        with self.changed:
            kept = {}
            for at, batch in self.rows[pass_, partition].items():
                low, high = max(at, first), min(at + batch.num_rows, end)
                if low >= high:
                    kept[at] = batch
                    continue
                if at < low:
                    kept[at] = batch.slice(0, low - at)
                if high < at + batch.num_rows:
                    kept[high] = batch.slice(high - at)
            self.rows[pass_, partition] = kept
            self.changed.notify_all()

    def missing(self, place):
        at, found = 0, []
        for first, batch in sorted(self.rows.get(place, {}).items()):
            if at < first:
                found.append([at, first])
            at = first + batch.num_rows
        end = self.ends.get(place)
        if end is None or at < end:
            found.append([at, end])
        return found

    def complete(self, pass_):
        with self.changed:
            return self.partitions is not None and all(
                not self.missing((pass_, number)) for number in range(self.partitions))

    def wait(self, condition, timeout=180):
        with self.changed:
            assert self.changed.wait_for(condition, timeout), (self.ends, self.partitions, self.suppliers)

    def table(self, pass_):
        """The accepted rows of a pass, in the order of the source."""
        with self.changed:
            batches = [batch for (of, _), rows in sorted(self.rows.items()) if of == pass_
                       for _, batch in sorted(rows.items())]
        return pa.Table.from_batches(batches)

    def ask(self, place, servers):
        with self.changed:
            self.asked += 1

            def answer():
                if self.over:
                    return {"what": "over"}
                if not self.missing(place) or (self.partitions is not None and place[1] >= self.partitions):
                    return {"what": "done"}
                free = [r for r, credit in enumerate(self.credit) if credit is None or credit > 0]
                if not free or not any(request["pass"] == place[0] for request in self.requests):
                    return None
                reader = min(free, key=lambda r: self.taken[r])
                return {"what": "send", "missing": self.missing(place), "reader": reader,
                        "locations": servers[reader % len(servers)].locations()}
            self.changed.wait_for(answer, timeout=0.2)
            return answer() or {"what": "wait"}

    def same_digests(self):
        """Whether the source has reported the sums of the digests of the blocks that were accepted."""
        with self.changed:
            sums = {place: sum(found.values()) % 2**64 for place, found in self.digests.items()}
            return sums == {place: digest for place, digest in self.sums.items() if place in sums}

    def take(self, place, first, batch, reader, digest=None):
        """Accepts a block: returns the answer for the source."""
        end = first + batch.num_rows
        of_body = {"digest": digest_of_body(first, batch)} if digest == "body" else {}
        with self.changed:
            refuse = self.refuse(place, first)
            if isinstance(refuse, str):
                return {"failed": refuse}
            if self.credit[reader] == 0 or refuse:
                return {"refused": [first, end]}
            if self.credit[reader] is not None:
                self.credit[reader] -= 1
            accepted = self.rows.setdefault(place, {})
            for a, b in self.missing(place):
                low, high = max(a, first), min(end if b is None else b, end)
                if low < high:
                    accepted[low] = batch.slice(low - first, high - low)
                    self.taken[reader] += high - low
            self.repeated += batch.num_rows - sum(
                min(end, at + part.num_rows) - max(first, at) for at, part in accepted.items()
                if at < end and first < at + part.num_rows)
            self.blocks.append((*place, first, end, reader, pa.ipc.get_record_batch_size(batch)))
            known = of_body.get("digest", digest)
            if known is not None:
                self.digests.setdefault(place, {})[first, end] = known
            self.changed.notify_all()
            return {"acknowledged": [first, end], "credit": self.credit[reader] != 0, **of_body}


def digest_of_body(first, batch):
    """As the executor computes it: src/feed/server/block_digest.cc."""
    def mixed(value):
        value = (value + 0x9E3779B97F4A7C15) % 2**64
        value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        value = (value ^ value >> 27) * 0x94D049BB133111EB % 2**64
        return value ^ value >> 31
    crc = zlib.crc32(pa.ipc.read_message(batch.serialize()).body)
    return mixed((mixed(((first << 32) + crc) % 2**64) + batch.num_rows) % 2**64)


class Executor(flight.FlightServerBase):
    """The Flight server of one executor. others: all executors of the job, by reader."""

    def __init__(self, ledger, path, others, tls=None, drop_after=None):
        self.path, self.ledger, self.others, self.drop_after = str(path), ledger, others, drop_after
        self.headers = None
        if tls:
            super().__init__("grpc+tls://127.0.0.1:0", tls_certificates=[tls])
        else:
            super().__init__(f"grpc+unix://{self.path}", middleware={"token": _Token()})
        self.tls = bool(tls)
        self.stopped = False
        others.append(self)

    def locations(self):
        if self.tls:
            return ["grpc+unix:///nowhere/at.all", f"grpc+tls://127.0.0.1:{self.port}"]
        return [f"grpc+unix://{self.path}"]

    def stop(self):
        """Ends all calls, as if the executor had died."""
        self.stopped = True
        with self.ledger.changed:
            self.ledger.changed.notify_all()
        self.shutdown()

    def do_action(self, context, action):
        body = json.loads(action.body.to_pybytes())
        ledger = self.ledger
        assert body["feed"] == "train"
        if action.type == "supply":
            yield from self._supply(body)
            return
        reply = {}
        with ledger.changed:
            if action.type == "partition-ended":
                known = ledger.ends.setdefault((body["pass"], body["partition"]), body["rows"])
                assert known == body["rows"]
                ledger.sums[body["pass"], body["partition"]] = body.get("digest")  # a client may send none
            elif action.type == "source-ended":
                assert ledger.partitions in (None, body["partitions"])
                ledger.partitions = body["partitions"]
            elif action.type == "close":
                ledger.closed, ledger.partitions = True, len(ledger.keys)
            elif action.type == "send":
                if ledger.closed:
                    raise flight.FlightServerError("the feed train is closed")
                number = ledger.keys.setdefault(body["key"], len(ledger.keys))
                reply = {"partition": number if ledger.missing((0, number)) else None}
            ledger.changed.notify_all()
        if action.type == "ask":
            reply = ledger.ask((body["pass"], body["partition"]), self.others)
        yield flight.Result(json.dumps(reply).encode())

    def _supply(self, body):
        ledger, sent = self.ledger, 0
        with ledger.changed:
            ledger.suppliers.append(body["name"])
        while True:
            with ledger.changed:
                ledger.changed.wait_for(
                    lambda: self.stopped or ledger.over or ledger.failed or len(ledger.requests) > sent)
                new, over, failed = ledger.requests[sent:], ledger.over, ledger.failed
            if self.stopped:
                raise flight.FlightUnavailableError("the executor has ended")
            for request in new:
                yield flight.Result(json.dumps({"request": request}).encode())
            sent += len(new)
            if over or failed:
                yield flight.Result(json.dumps({"failed": failed} if failed else {"over": True}).encode())
                return

    def do_put(self, context, descriptor, reader, writer):
        body = json.loads(descriptor.command)
        place, number = (body["pass"], body["partition"]), self.others.index(self)
        for chunk in reader:
            if self.drop_after is not None:
                self.drop_after -= 1
                if self.drop_after < 0:
                    self.drop_after = None
                    raise flight.FlightUnavailableError("the connection was lost")
            metadata = json.loads(chunk.app_metadata.to_pybytes())
            answer = self.ledger.take(place, metadata["from"], chunk.data, number, metadata.get("digest"))
            writer.write(pa.py_buffer(json.dumps(answer).encode()))


class _Token(flight.ServerMiddlewareFactory):
    def start_call(self, info, headers):
        if headers.get("authorization") != [f"Bearer {TOKEN}"]:
            raise flight.FlightUnauthenticatedError("the token is not that of the feed")


class Job:
    """A program `howdah` that answers `howdah feed ID NAME --address`, `howdah status` and `howdah kill` for a job
    whose executors run in this process."""

    def __init__(self, folder):
        self.folder = folder
        self.program = folder / "howdah"
        self.program.write_text(f"""#!/bin/sh
case $1 in
  feed) [ -e {folder}/address ] && exec cat {folder}/address
    [ "$3" = train ] || exec sh -c 'echo "howdah: the job has no feed $3" >&2; exit 2' - "$@"
    echo "howdah: the job has ended" >&2; exit 3;;
  status) exec cat {folder}/status;;
  kill) sed -i s/RUNNING/KILLED/ {folder}/status; rm -f {folder}/address; echo "$@" >>{folder}/killed;;
esac
""")
        self.program.chmod(0o755)
        self.state("RUNNING")

    def address(self, executors, token=TOKEN, ca=""):
        locations = [location for executor in executors for location in executor.locations()]
        text = json.dumps({"feed": "train", "locations": locations, "token": token, "ca": ca,
                           "server_name": "howdah-executor"})
        (self.folder / "new").write_text(text)
        os.rename(self.folder / "new", self.folder / "address")

    def state(self, state, reason=None):
        status = {"id": "howdah-1", "name": "j", "state": state, "on": "local", "tasks": []}
        status.update(reason=reason, advice=None, cause=None)
        (self.folder / "status").write_text(json.dumps(status))

    @property
    def killed(self):
        return (self.folder / "killed").exists()


class World:
    """A job whose executors run in this process."""

    def __init__(self, folder, readers=2, credit=None):
        self.folder = folder
        self.job = Job(folder)
        self.ledger = Ledger(readers, credit)
        self.executors = []
        for number in range(readers):
            Executor(self.ledger, folder / f"socket-{number}", self.executors)
        self.job.address(self.executors)
        self.client = howdah.Job("howdah-1", on="local", name="j")

    def supply(self, feed):
        self.client.supply("train", feed.open())
        return self.client.feed("train")

    def read(self, pass_=0, *ranges):
        """Requests a pass, and returns its rows when all have arrived."""
        self.ledger.request(pass_, *(ranges or [[0, 1 << 31]]))
        self.ledger.wait(lambda: self.ledger.complete(pass_) or self.job.killed)
        assert not self.job.killed, self.client.feed("train").error
        return self.ledger.table(pass_)

    def close(self):
        self.ledger.end()
        self.client.release_feeds()
        for executor in self.executors:
            executor.stop()
        eventually(lambda: not threads(), f"the end of {threads()}")


def threads():
    return [thread for thread in threading.enumerate() if thread.name == "howdah feed"]


ROWS = 20_000
TABLE = pa.table({"i": np.arange(ROWS), "text": [f"row {i}" for i in range(ROWS)]})


def tables(rows=ROWS, size=3000):
    for first in range(0, rows, size):
        yield TABLE.slice(first, min(size, rows - first))


def files(folder):
    for number in range(3):
        part = TABLE.slice(number * 7000, 7000)
        parquet.write_table(part, folder / f"part-{number}.parquet", row_group_size=1000)
    return dataset.dataset(folder, format="parquet")


SOURCES = {
    "table": lambda folder: TABLE,
    "table of many chunks": lambda folder: pa.concat_tables(tables(size=37)),
    "batch": lambda folder: TABLE.combine_chunks().to_batches()[0],
    "reader": lambda folder: TABLE.to_reader(1700),
    "DataFrame": lambda folder: TABLE.to_pandas(),
    "dict": lambda folder: {"i": np.arange(ROWS), "text": TABLE["text"].to_pylist()},
    "generator": lambda folder: tables(),
    "generator of DataFrames": lambda folder: (table.to_pandas() for table in tables()),
    "list": lambda folder: list(tables()),
    "list of readers": lambda folder: [table.to_reader() for table in tables()],
    "dataset": files,
    "list of datasets": lambda folder: [files(folder)],
    "function": lambda folder: lambda: TABLE,
    "function with a generator": lambda folder: tables,
}

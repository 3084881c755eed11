"""A job whose processes read the files of one feed, without executors and without Flight."""
import json
import queue
import threading
from contextlib import contextmanager

import arrow

arrow.site_packages()

import pyarrow as pa  # noqa: E402

from howdah._feed import spark_task  # noqa: E402


class Job:
    """The job of the processes that read one feed. Rows go to the reader that asks, without a limit."""

    def __init__(self, room=1 << 60, limit=0):
        self.changed = threading.Condition()
        self.plan = None
        self.count = None
        self.rows = {}  # (pass, partition): {row: (value of i, reader)}
        self.ends, self.arrived = {}, []  # arrived: (pass, partition, first row, reader)
        self.claims = {}
        self.room, self.limit = room, limit
        self.messages = []  # to all suppliers
        self.over = False

    def request(self, pass_, *partitions, **more):
        request = {"pass": pass_, "partitions": [list(part) for part in partitions]}
        with self.changed:
            self.messages.append({"request": request, **more})
            self.changed.notify_all()

    def end(self):
        with self.changed:
            self.over = True
            self.messages.append({"over": True})
            self.changed.notify_all()

    def missing(self, place):
        known, end = self.rows.get(place, {}), self.ends.get(place)
        gaps = [row for row in range(end if end is not None else max(known, default=-1) + 1) if row not in known]
        ranges = []
        for row in gaps:
            if ranges and ranges[-1][1] == row:
                ranges[-1][1] = row + 1
            else:
                ranges.append([row, row + 1])
        return ranges if end is not None else [*ranges, [max(known, default=-1) + 1, None]]

    def complete(self, pass_):
        with self.changed:
            return self.count is not None and all(not self.missing((pass_, p)) for p in range(self.count))

    def values(self, pass_):
        """The values of i that each reader got, in their order."""
        found = {}
        for of, partition, first, reader in self.arrived:
            if of == pass_:
                found.setdefault(reader, []).append((partition, first))
        return found


class Calls:
    """As spark_task.Calls, for one process."""

    refused = spark_task.Refused

    def __init__(self, job, reader):
        self.job, self.reader = job, reader

    def action(self, kind, **body):
        job = self.job
        with job.changed:
            if kind == "plan":
                job.plan = job.plan or body["plan"]
                return {"plan": job.plan, "make": job.plan is None}
            if kind == "source-ended":
                job.count = body["partitions"]
            elif kind == "partition-ended":
                job.ends[body["pass"], body["partition"]] = body["rows"]
            elif kind == "ask":
                return self.ask((body["pass"], body["partition"]), body)
            job.changed.notify_all()
            return {}

    def ask(self, place, body):
        job = self.job
        if job.over:
            return {"what": "over"}
        if not job.missing(place):
            return {"what": "done"}
        if "claim" in body and job.claims.setdefault(place, body["claim"]) != body["claim"]:
            if not body["patient"]:
                return {"what": "busy"}
            job.changed.wait_for(lambda: job.over or place not in job.claims or not job.missing(place), 0.2)
            return {"what": "wait"}
        if len(job.arrived) >= job.room:
            job.changed.wait_for(lambda: len(job.arrived) < job.room or job.over, 0.2)
            return {"what": "wait"}
        answer = {"what": "send", "missing": job.missing(place), "reader": body.get("reader", self.reader),
                  "locations": []}  # fmt: skip
        return {**answer, "limit": job.limit} if job.limit else answer

    def replies(self, kind, **body):
        assert kind == "supply"
        seen = 0
        while True:
            with self.job.changed:
                self.job.changed.wait_for(lambda: len(self.job.messages) > seen)
                message = self.job.messages[seen]
            seen += 1
            yield message

    @contextmanager
    def put(self, locations, schema, **command):
        yield Writer(self.job, command)


class Writer:
    def __init__(self, job, command):
        self.job, self.command, self.answers = job, command, queue.Queue()

    def __iter__(self):
        return iter((self, self))

    def write_with_metadata(self, batch, metadata):
        first = json.loads(metadata)["from"]
        place = self.command["pass"], self.command["partition"]
        with self.job.changed:
            if len(self.job.arrived) >= self.job.room:
                self.answers.put({"refused": [first, first + batch.num_rows]})
                return
            known = self.job.rows.setdefault(place, {})
            for row, value in enumerate(batch.column("i").to_pylist(), first):
                assert row not in known, "rows are sent once"
                known[row] = value, self.command["reader"]
            self.job.arrived.append((*place, first, self.command["reader"]))
            self.job.changed.notify_all()
        self.answers.put({"acknowledged": [first, first + batch.num_rows], "credit": True})

    def done_writing(self):
        self.answers.put(None)

    def read(self):
        answer = self.answers.get(timeout=60)
        return None if answer is None else pa.py_buffer(json.dumps(answer).encode())

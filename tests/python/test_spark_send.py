"""Requests of a job that arrive at any moment, for rows that are sent by Spark. Spark and the job are stand-ins."""

import threading
import types

import pytest

import arrow
from machine import eventually

arrow.site_packages()

from howdah import _errors  # noqa: E402
from howdah._feed.driver import Supplier  # noqa: E402
from howdah._feed.source import Sent, Source  # noqa: E402
from howdah._feed.spark_rows import Result, SparkRows  # noqa: E402
from howdah._feed.spark_send import SparkSender, SparkSends  # noqa: E402
from howdah._feed.spark_task import part_key  # noqa: E402
from howdah._feed.writer import FeedWriter  # noqa: E402

LIMIT_S = 30
KEY, PARTITION = 7, 3  # the numbers that the job gives to the send, and to its only partition


class Link:
    """The job. on: functions by the name of an action, which return a reply."""

    address = None

    def __init__(self, **on):
        self.on, self.actions, self.listening = on, [], threading.Event()

    def action(self, kind, **body):
        self.actions.append((kind, body))
        return self.on[kind](**body) if kind in self.on else {}

    def replies(self, kind, **body):
        self.listening.set()
        return iter(())

    def stop(self):
        pass


class Rows(SparkRows):
    """One partition. Each Spark job takes the next of the results."""

    count = 1

    def __init__(self, *whats):
        self.whats, self.runs = list(whats), 0

    def prepare(self, job, feed, address, group, text):
        pass

    def run(self, turn, address):
        assert list(turn.partitions) == [0]
        self.runs += 1
        return {0: Result(0, PARTITION, self.whats.pop(0), "", {}, 5)}

    def results(self, group):
        return {}

    def cancel(self, group):
        pass


class Sending:
    """A SparkSender whose job requests the partition again at one moment."""

    def __init__(self, **on):
        def number(key):
            return {"partition": PARTITION if key == part_key("k", 0) else KEY}

        self.sender = SparkSender(types.SimpleNamespace(id="job-1", done=lambda: False), "train", SparkSends())
        self.link = Link(**{"send": number, **on})
        self.sender._link = self.link
        self.sender._connected = True

    def lose_rows(self):
        request = threading.Thread(target=self.sender._on, args=({"request": {"pass": 0, "partitions": [[3, None]]}},))
        request.start()
        request.join(LIMIT_S)
        assert not request.is_alive()

    def send(self, rows):
        """Returns whether the call has returned."""
        replies = []
        call = threading.Thread(target=lambda: replies.append(self.sender.send_rows(rows, "k")), daemon=True)
        call.start()
        call.join(LIMIT_S)
        self.sender.stop()
        return replies


def once(function):
    """A function that calls `function` the first time, and has no effect then."""
    left = [function]
    return lambda: left.pop()() if left else None


def test_rows_that_were_lost_before_their_end_is_reported_are_sent_again():
    def note_end(partition, rows, digest=None, **place):
        if partition == PARTITION:
            lose()
        return {}

    sending = Sending(**{"partition-ended": note_end, "ask": lambda **place: {"what": "send"}})
    lose, rows = once(sending.lose_rows), Rows("ended", "ended")
    assert sending.send(rows) == [True] and rows.runs == 2


@pytest.mark.parametrize("what", ["ended", "done"])
def test_rows_that_were_lost_when_their_spark_job_has_ended_are_sent_again(what):
    sending = Sending(ask=lambda **place: {"what": "send"})
    lose, run_job = once(sending.lose_rows), sending.sender._run_job

    def run(rows, turn):
        results = run_job(rows, turn)
        lose()
        return results

    sending.sender._run_job, rows = run, Rows(what, "ended")
    assert sending.send(rows) == [True] and rows.runs == 2


def test_rows_that_were_lost_while_the_job_says_that_it_has_them_are_sent_again():
    answers = ["done", "send"]

    def ask(**place):
        answer = answers.pop(0)
        if answer == "done":
            sending.lose_rows()
        return {"what": answer}

    sending, rows = Sending(ask=ask), Rows("paused", "ended")
    assert sending.send(rows) == [True] and rows.runs == 2 and answers == []


def test_rows_that_the_job_has_are_not_sent_again():
    sending, rows = Sending(ask=lambda **place: {"what": "done"}), Rows("paused")
    assert sending.send(rows) == [True] and rows.runs == 1
    sending, rows = Sending(), Rows("ended")
    sending.lose_rows()  # before the send
    assert sending.send(rows) == [True] and rows.runs == 1


def test_no_send_has_the_key_of_a_partition_of_another_send():
    sending = Sending()
    assert sending.send(Rows("ended")) == [True]
    keys = [body["key"] for kind, body in sending.link.actions if kind == "send"]
    assert keys[0] == "k" and len(keys) == 2
    writer = FeedWriter(types.SimpleNamespace(id="job-1"), "train")
    with pytest.raises(_errors.FeedMisuse, match=r"has the character '\\x1f'.*remove it"):
        writer.send({"i": [1]}, key=keys[1])


def test_spark_job_that_begins_while_it_is_cancelled_is_cancelled_again():
    class Slow(Rows):
        def __init__(self):
            super().__init__("over")
            self.cancelled = threading.Semaphore(0)

        def run(self, turn, address):
            sending.sender.stop()
            assert all(self.cancelled.acquire(timeout=LIMIT_S) for _ in range(2))
            return super().run(turn, address)

        def cancel(self, group):
            self.cancelled.release()

    sending, rows = Sending(), Slow()
    assert sending.send(rows) == [None]
    eventually(lambda: rows.runs == 1, "the end of the Spark job")


def test_send_waits_for_the_reason_why_the_feed_is_over():
    """The executor that is asked for a reader learns of the end of the feed before the supplier does."""
    class Ending(Link):
        def replies(self, kind, **body):
            assert asked.wait(LIMIT_S)
            early.append(returned.wait(0.5))
            yield {"over": True, "job_ends": True}

    def send():
        replies.append(supplier.send({"i": [1, 2, 3]}, "k"))
        returned.set()

    asked, returned, early, replies = threading.Event(), threading.Event(), [], []
    link = Ending(send=lambda key: {"partition": 0}, ask=lambda **place: asked.set() or {"what": "over"})
    link.connect = lambda: None
    supplier = Supplier(types.SimpleNamespace(id="job-1", done=lambda: False), "train", Sent())
    supplier._link = link
    supplier.start()
    call = threading.Thread(target=send, daemon=True)
    call.start()
    call.join(LIMIT_S)
    assert replies == [None] and early == [False] and supplier.job_ends


def test_each_connection_gets_the_number_of_partitions():
    """A new connection is made while the number is reported to the old one."""
    class Three(Source):
        def count(self, pass_):
            return 3

    supplier = Supplier(types.SimpleNamespace(id="job-1"), "train", Three())

    def listen():
        threading.Thread(target=supplier._listen, daemon=True).start()
        assert link.listening.wait(LIMIT_S)

    connect = once(listen)
    link = Link(**{"source-ended": lambda partitions: connect() or {}})
    supplier._link, supplier._connection, supplier._connected = link, 1, True
    supplier._count(0)
    eventually(lambda: supplier._connection == 2, "the second connection")
    supplier._count(0)
    supplier._count(0)
    assert link.actions.count(("source-ended", {"partitions": 3})) == 2
    supplier.stop()

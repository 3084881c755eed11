"""Feeds with answers: clients and ranks, with executors that the tests control."""

import errno
import socket
import threading
import types

import pytest

import arrow
from machine import eventually

arrow.site_packages()

import pyarrow as pa  # noqa: E402

from howdah import _errors  # noqa: E402
from howdah._feed import ask_task, directory  # noqa: E402
from howdah._feed.answers import Questions, shortened  # noqa: E402
from question_executor import QuestionExecutor  # noqa: E402

PLACE = {"local_rank": 2, "attempt": 1}


@pytest.fixture
def executor(make):
    return make()


@pytest.fixture
def make(tmp_path):
    """make() starts an executor."""
    started = []

    def start(**options):
        started.append(QuestionExecutor(tmp_path, f"executor-{len(started)}", **options))
        return started[-1]

    yield start
    for one in started:
        one.stop()


def rank(executor, answer=None, prefetch=2):
    """A rank in a thread. answer(question) answers a question; by default with the sum of its first column."""
    questions = Questions(executor.path, "predict", PLACE, prefetch)

    def run():
        try:
            for question in questions:
                (answer or add)(question)
        except _errors.FeedLost:  # the executor has ended
            pass

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    questions.thread = thread
    return questions


def add(question):
    question.answer(str(sum(question.batch.column(0).to_pylist())).encode())


def blocks(count, rows=10):
    return [pa.RecordBatch.from_pydict({"x": list(range(first, first + rows)), "text": ["a" * (first % 7)] * rows})
            for first in range(0, count * rows, rows)]


def sums(batches):
    return [str(sum(batch.column(0).to_pylist())).encode() for batch in batches]


# --- answers ---


def test_blocks_are_answered_in_order(executor):
    rank(executor), rank(executor)
    given = blocks(50)
    found = list(ask_task.ask(iter(given), executor.keys(), window_bytes=10_000))
    assert [batch.to_pydict() for batch, _ in found] == [batch.to_pydict() for batch in given]
    assert [payload for _, payload in found] == sums(given)
    assert executor.served == [{"serve": "predict", **PLACE}] * 2
    assert [(exchange, block) for exchange, block, _ in sorted(executor.takes)] == [(0, n) for n in range(50)]


def test_blocks_without_rows_are_left_out_and_large_ones_divided(executor):
    rank(executor, lambda question: question.answer(b""))
    empty = blocks(1)[0].slice(0, 0)
    large = pa.RecordBatch.from_pydict({"data": [bytes(1 << 20)] * 20})
    assert list(ask_task.ask(iter([]), executor.keys())) == []
    found = list(ask_task.ask(iter([empty, large, empty]), executor.keys()))
    assert sum(len(batch) for batch, _ in found) == 20 and len(found) == 4
    assert all(payload == b"" and pa.ipc.get_record_batch_size(batch) <= 8 << 20 for batch, payload in found)


def test_client_that_stops_early_ends_its_call(executor):
    rank(executor)
    asking = ask_task.ask(iter(blocks(1000)), executor.keys(), window_bytes=10_000)
    assert next(asking)[1] == b"45"
    asking.close()
    eventually(lambda: not [one for one in threading.enumerate() if one.name == "howdah ask"], "the end of the call")
    assert len(list(ask_task.ask(iter(blocks(3)), executor.keys()))) == 3


def test_error_of_the_source_is_raised(executor):
    rank(executor)

    def source():
        yield from blocks(3)
        raise ZeroDivisionError("in Spark")

    with pytest.raises(ZeroDivisionError, match="in Spark"):
        list(ask_task.ask(source(), executor.keys()))


# --- failures ---


def test_refused_block_raises_its_text_with_partition_and_rows(executor):
    rank(executor, lambda question: question.refuse("bad\nrow") if question.block == 3 else add(question))
    found = []
    with pytest.raises(ask_task.AskFailed) as caught:
        for _, payload in ask_task.ask(iter(blocks(9)), executor.keys(), window_bytes=1):
            found.append(payload)
    assert found == sums(blocks(3))
    assert str(caught.value) == "the job howdah-1 cannot answer rows 30 to 39 of partition 0: bad\nrow"


def test_long_reason_fits_into_a_message(executor):
    rank(executor, lambda question: question.refuse("first" + "é\0" * 100_000 + "last"))
    with pytest.raises(ask_task.AskFailed, match=r"first[^…]*\n… \d+ characters …\n.*last"):
        list(ask_task.ask(iter(blocks(1)), executor.keys()))
    assert shortened("short") == "short"


@pytest.mark.parametrize("event", ["ranks", "executor", "connection"])
def test_unanswered_blocks_go_to_another_executor(make, event):
    first, second = make(), make()
    taken = []
    if event == "connection":
        first.drop_after = 7

    def answer(question):
        taken.append(question)
        if len(taken) < 5:
            add(question)
        elif len(taken) == 5 and event != "connection":
            threading.Thread(target=first.stop if event == "executor" else first.kill_ranks).start()

    rank(first, answer, prefetch=0), rank(second)
    found = list(ask_task.ask(iter(blocks(30)), first.keys(second), window_bytes=10_000))
    assert [payload for _, payload in found] == sums(blocks(30))
    assert 30 - 4 <= len(second.takes) and len(first.takes) <= 4 + first.unanswered


def test_block_that_ends_three_processes_is_an_error(make):
    executors = [make(), make()]

    def answer(question):
        if question.batch.column(0)[0].as_py() == 40:
            raise _errors.FeedLost("ends this rank")
        add(question)

    def serve(executor):
        while not executor.stopped:
            one = rank(executor, answer)
            one.thread.join(60)
            one.close()

    for executor in executors:
        threading.Thread(target=serve, args=(executor,), daemon=True).start()
    found = []
    with pytest.raises(ask_task.AskFailed) as caught:
        for _, payload in ask_task.ask(iter(blocks(9)), executors[0].keys(executors[1])):
            found.append(payload)
    text = "cannot answer rows 40 to 49 of partition 0: 3 times the process that was to answer them has ended (no rank"
    assert text in str(caught.value) and found == sums(blocks(9))[:4]


def test_rank_that_dies_leaves_its_questions_to_another_one(executor):
    one = rank(executor, lambda question: None)
    answered = ask_task.ask(iter(blocks(10)), executor.keys())
    thread = threading.Thread(target=lambda: eventually(lambda: executor.takes, "a question") and one.close())
    thread.start()
    rank(executor)
    assert [payload for _, payload in answered] == sums(blocks(10))
    thread.join()


def test_close_ends_the_wait_of_another_thread(executor):
    one = rank(executor)
    eventually(lambda: executor.waiting, "a rank that waits for a question")
    one.close()
    one.thread.join(10)
    assert not one.thread.is_alive()


def test_without_an_executor_the_call_fails_after_its_patience(executor):
    executor.stop()
    with pytest.raises(ask_task.AskFailed, match="no executor of the job howdah-1 has answered partition 0 for 0.3 s"):
        list(ask_task.ask(iter(blocks(1)), executor.keys(patience=0.3)))
    keys = {**executor.keys(patience=0.3), "locations": ["grpc+unix:///nowhere/at.all"]}
    with pytest.raises(ask_task.AskFailed, match="none of them can be reached from this machine"):
        list(ask_task.ask(iter(blocks(1)), keys))


def test_wrong_token_is_refused_at_once(executor):
    rank(executor)
    with pytest.raises(ask_task.AskFailed, match="has refused a call: the token is not that of the feed"):
        list(ask_task.ask(iter(blocks(1)), {**executor.keys(), "token": "other"}))


# --- directory ---


class Job:
    """A job whose executors the test chooses. ended: the text of its error."""

    id, ended, found = "howdah-1", None, ()

    def answer(self):
        return {"ended": self.ended} if self.ended else {"locations": list(self.found)}


@pytest.fixture
def job(monkeypatch):
    job = Job()
    monkeypatch.setattr(directory.Directory, "_look_up", lambda self: job.answer())
    return job


def test_directory_reports_executors_that_have_started_later(make, job):
    first = make()
    first.stop()
    second = make()
    rank(second)
    job.found = [second.location]
    key = directory.Directory(job, "predict", "127.0.0.1", "127.0.0.1").key
    found = list(ask_task.ask(iter(blocks(5)), {**first.keys(), "directory": key}))
    assert [payload for _, payload in found] == sums(blocks(5))


def test_executor_that_has_started_later_gets_questions_although_others_answer(make, job):
    first, second = make(), make()  # no rank of the first one answers
    rank(second)
    job.found = [second.location, first.location]
    key = directory.Directory(job, "predict", "127.0.0.1", "127.0.0.1").key
    found = list(ask_task.ask(iter(blocks(5)), {**first.keys(), "directory": key, "executors": 2}))
    assert [payload for _, payload in found] == sums(blocks(5))


def test_directory_reports_the_end_of_the_job(executor, job):
    executor.stop()
    found = directory.Directory(job, "predict", "127.0.0.1", "127.0.0.1")
    job.ended = "ValueError: the model is broken"
    for text in (job.ended, "the predictor was closed"):
        with pytest.raises(ask_task.AskFailed) as caught:
            list(ask_task.ask(iter(blocks(1)), {**executor.keys(), "directory": found.key}))
        assert str(caught.value) == text
        found.close("the predictor was closed")


def test_directory_ignores_requests_without_its_secret(job):
    host, port, _ = directory.Directory(job, "predict", "127.0.0.1", "127.0.0.1").key
    assert ask_task.look_up((host, port, "0" * 32)) == {} == ask_task.look_up(None)


class Exhausted:
    """A listener of a process that for a while has no file descriptor for a connection."""

    def __init__(self, listener):
        self.listener, self.errors, self.getsockname = listener, 2, listener.getsockname

    def accept(self):
        if self.errors:
            self.errors -= 1
            raise OSError(errno.EMFILE, "too many open files")
        return self.listener.accept()


def test_directory_answers_after_a_lack_of_file_descriptors(monkeypatch):
    listener = directory._listener
    monkeypatch.setattr(directory, "_listener", lambda host: Exhausted(listener(host)))
    server = directory.Server("127.0.0.1")
    server.put("secret", lambda: {"ended": "text"})
    assert ask_task.look_up(("127.0.0.1", server.port, "secret")) == {"ended": "text"}


def test_directory_answers_while_others_keep_connections_open(monkeypatch):
    monkeypatch.setattr(directory, "_MOST_SILENT", 3)
    server = directory.Server("127.0.0.1")
    server.put("secret", lambda: {"ended": "text"})
    silent = [socket.create_connection(("127.0.0.1", server.port), timeout=60) for _ in range(3)]
    assert ask_task.look_up(("127.0.0.1", server.port, "secret")) == {"ended": "text"}
    assert silent[0].recv(1) == b"", "the oldest one is ended"
    for one in silent:
        one.close()


def test_directory_gives_a_request_one_limit(monkeypatch):
    class Slow:
        """Sends a byte each 4 seconds."""

        timeout = 0.0

        def settimeout(self, seconds):
            self.timeout = seconds

        def recv(self, most):
            if self.timeout < 4:
                raise TimeoutError
            times.append(times[-1] + 4.0)
            return b"x"

    times = [0.0]
    monkeypatch.setattr(directory, "time", types.SimpleNamespace(monotonic=lambda: times[-1]))
    with pytest.raises(TimeoutError):
        directory._first_line(Slow())
    assert times == [0, 4, 8]


# --- ranks ---


def test_iteration_ends_with_the_job(executor):
    one = rank(executor)
    assert len(list(ask_task.ask(iter(blocks(2)), executor.keys()))) == 2
    executor.end_job()
    one.thread.join(60)
    assert not one.thread.is_alive() and one.ended and one.take() is None


def test_question_is_answered_once_and_its_rows_are_gone_then(executor):
    questions = Questions(executor.path, "predict", PLACE)
    asking = ask_task.ask(iter(blocks(1)), executor.keys())
    thread = threading.Thread(target=lambda: list(asking))
    thread.start()
    question = questions.take()
    assert (question.exchange, question.block, question.rows, len(question.batch)) == (0, 0, 10, 10)
    with pytest.raises(_errors.FeedMisuse, match="the answer to 10 rows has 256.0 MiB; it has at most 256 MiB"):
        question.answer(memoryview(bytearray((256 << 20) + 1)))
    question.answer(bytearray(b"x"))
    for misuse in (lambda: question.answer(b""), lambda: question.refuse(""), lambda: question.batch):
        with pytest.raises(_errors.FeedMisuse, match="answer"):
            misuse()
    thread.join(60)
    assert questions.take(wait=False) is None
    questions.close()
    with pytest.raises(_errors.FeedError):
        Questions(str(executor.path) + "-other", "predict", PLACE)

"""Feeds with answers on the local backend: clients of Arrow Flight ask, and ranks answer."""
import json
import os
import signal

import pytest

import arrow
from machine import DEADLINE_S, ROOT, eventually

SITE = arrow.site_packages()

import pyarrow as pa  # noqa: E402
import pyarrow.flight as flight  # noqa: E402

RANK = ROOT / "tests/support/question_rank.py"
SCHEMA = pa.schema([("x", pa.int64()), ("do", pa.string())])


def question(do, *x):
    x = x or (1,)
    return pa.record_batch([pa.array(x, pa.int64()), pa.array([do] * len(x))], SCHEMA)


class Call:
    """One call of DoExchange. Blocks are numbered from 0."""

    def __init__(self, location, token, schema=SCHEMA, feed="ask"):
        self.client = flight.FlightClient(location)
        options = flight.FlightCallOptions(headers=[(b"authorization", f"Bearer {token}".encode())], timeout=DEADLINE_S)
        command = flight.FlightDescriptor.for_command(json.dumps({"feed": feed}).encode())
        self.writer, self.reader = self.client.do_exchange(command, options)
        self.writer.begin(schema)
        self.sent = 0

    def ask(self, batch):
        self.writer.write_with_metadata(batch, json.dumps({"block": self.sent}).encode())
        self.sent += 1

    def next(self):
        """The next answer: (block, payload), or the line of another result."""
        line, _, payload = self.reader.read_chunk().app_metadata.to_pybytes().partition(b"\n")
        head = json.loads(line)
        return (head["block"], payload) if len(head) == 1 else head

    def answers(self, count):
        """The payloads of so many blocks, by block."""
        return dict(self.next() for _ in range(count))

    def finish(self):
        """Half-closes the call, and returns the remaining answers."""
        self.writer.done_writing()
        answers = {}
        try:
            while True:
                block, payload = self.next()
                answers[block] = payload
        except StopIteration:
            self.writer.close()
            return answers

    def error(self):
        """The error with which the call ends."""
        try:
            while True:
                self.reader.read_chunk()
        except StopIteration:
            raise AssertionError("the call has ended without an error") from None
        except (flight.FlightError, pa.ArrowException) as error:
            return error


class Job:
    def __init__(self, machine, tmp_path, instances=1, processes=1, restarts=9, keys=""):
        self.machine = machine
        self.id = machine.submit(machine.job_file(tmp_path, f"""
name: ask
env: {{PYTHONPATH: {SITE}}}
feeds: {{ask: {{answers: true{keys}}}}}
roles:
  worker:
    instances: {instances}
    processes: {processes}
    memory: 256MiB
    command: [python3, {RANK}]
    restart: {{max: {restarts}, backoff: 10ms}}
"""))
        self.calls = []

    def address(self, locations=1):
        def look():
            done = self.machine("feed", self.id, "ask", "--address")
            assert done.code == 0, done
            address = json.loads(done.stdout)
            return address if len(address["locations"]) == locations else None
        return eventually(look, f"{locations} locations of {self.id}")

    def call(self, index=0, locations=1):
        address = self.address(locations)
        self.calls.append(Call(address["locations"][index], address["token"]))
        return self.calls[-1]

    def close_feed(self):
        done = self.machine("feed", self.id, "ask", "--close")
        assert done.code == 0, done

    def end(self, state="SUCCEEDED"):
        status = self.machine.until(self.id, lambda s: s["state"] in ("SUCCEEDED", "FAILED", "KILLED"), "the end")
        assert status["state"] == state, status
        self.machine.assert_clean(self.id)

    def pid(self, index=0):
        task = self.machine.task(self.id, "worker", index)
        return task["pids"][0]


@pytest.fixture
def job(machine, tmp_path):
    return lambda **keys: Job(machine, tmp_path, **keys)


def test_blocks_of_a_call_are_answered_and_closing_the_feed_ends_the_job(job):
    asked = job()
    call = asked.call()
    for number in range(50):
        call.ask(question("sum", number, 2))
    call.ask(question("empty"))
    assert call.finish() == {**{number: f"0/0 {number + 2}".encode() for number in range(50)}, 50: b""}
    asked.close_feed()
    asked.end()
    assert asked.machine.log(asked.id, "worker:0").endswith("end FeedStopped\n")


def test_each_task_answers_the_calls_of_its_executor(job):
    asked = job(instances=2)
    calls = [asked.call(index, locations=2) for index in range(2)]
    for call in calls:
        call.ask(question("sum", 7))
    answers = [call.finish()[0].decode() for call in calls]
    assert sorted(answers) == ["0/0 7", "1/0 7"], answers


def test_processes_of_a_task_share_the_questions(job):
    asked = job(processes=2)
    call = asked.call()
    machine = asked.machine
    eventually(lambda: machine.log(asked.id, "worker:0").count("serve ") == 2, "both processes")
    for _ in range(2):
        call.ask(question("meet", 5))  # is answered only if each process has one
    assert sorted(call.finish().values()) == [b"0/0 5", b"0/1 5"]


def test_refusal_reaches_the_client_and_the_call_goes_on(job):
    call = job().call()
    call.ask(question("refuse"))
    assert call.next() == {"block": 0, "error": "no answer to ünicode"}
    call.ask(question("sum", 3))
    assert call.finish() == {1: b"0/0 3"}


def test_large_answers_arrive(job):
    call = job().call()
    for _ in range(4):
        call.ask(question("large", 20 << 20))
    assert {block: len(payload) for block, payload in call.finish().items()} == {n: 20 << 20 for n in range(4)}


def test_files_that_are_no_answers_are_refused_and_the_question_stays(job):
    asked = job()
    call = asked.call()
    for do in ("short", "pipe", "again"):
        call.ask(question(do))
    answers = call.finish()
    assert answers[0] == b"FeedMisuse: the file of the answer has fewer than 5 bytes"
    assert answers[1].startswith(b"FeedMisuse: the descriptor of an answer is not that of a memory file")
    assert answers[2] == b"first"
    eventually(lambda: "FeedMisuse\n" in asked.machine.log(asked.id, "worker:0"), "the second answer")


def test_questions_of_a_killed_process_are_lost_and_its_next_attempt_answers(job):
    asked = job()
    call = asked.call()
    for do in ("hold", "hold", "hold"):
        call.ask(question(do))
    eventually(lambda: asked.machine.log(asked.id, "worker:0").count("hold ") == 3, "the questions")
    os.kill(asked.pid(), signal.SIGKILL)
    lost = [call.next() for _ in range(3)]
    assert sorted(line["block"] for line in lost) == [0, 1, 2]
    assert all("has ended" in line["lost"] for line in lost), lost
    assert isinstance(call.error(), flight.FlightUnavailableError)
    asked.machine.until(asked.id, lambda s: s["tasks"][0]["attempt"] == 1, "the second attempt")
    again = asked.call()
    again.ask(question("sum", 9))
    assert again.finish() == {0: b"0/0 9"}


def test_questions_of_a_killed_process_go_to_another_process_of_its_task(job):
    asked = job(processes=2, restarts=0)
    call = asked.call()
    eventually(lambda: asked.machine.log(asked.id, "worker:0").count("serve ") == 2, "both processes")
    # The process that takes the first question dies. The other one, and then the attempt, end for the same reason.
    call.ask(question("die"))
    line = call.next()
    assert line["block"] == 0 and "has ended" in line["lost"], line
    log = asked.machine.log(asked.id, "worker:0")
    assert log.count("die 0") == 2, log


def test_killed_executor_ends_its_calls_and_another_one_answers(job):
    asked = job(instances=2)
    first = asked.call(0, locations=2)
    first.ask(question("sum", 4))
    index = int(first.next()[1].split(b"/")[0])
    container = asked.machine.task(asked.id, "worker", index)["container"]
    agents = [pid for pid in asked.machine.agents(asked.id, "task")
              if container in asked.machine.alive(asked.id).get(pid, "")]
    for pid in agents:
        os.kill(pid, signal.SIGKILL)
    assert isinstance(first.error(), flight.FlightUnavailableError)
    address = asked.address(2)
    for location in address["locations"]:
        call = Call(location, address["token"])
        call.ask(question("sum", 8))
        assert call.finish()[0].endswith(b" 8")


def test_questions_of_a_client_that_is_gone_are_dropped(job):
    asked = job()
    gone, call = asked.call(), asked.call()
    gone.ask(question("hold", 1))
    eventually(lambda: "hold 0" in asked.machine.log(asked.id, "worker:0"), "the question")
    gone.reader.cancel()
    del gone
    call.ask(question("release", 2))
    assert call.finish() == {0: b"0/0 2"}
    eventually(lambda: "released [{'id': " in asked.machine.log(asked.id, "worker:0"), "the late answer")
    asked.close_feed()
    asked.end()


def test_stopped_job_ends_calls_and_takes(job):
    asked = job()
    call = asked.call()
    call.ask(question("sum", 1))
    assert call.next() == (0, b"0/0 1")
    done = asked.machine("kill", asked.id)
    assert done.code == 0, done
    assert isinstance(call.error(), flight.FlightUnavailableError)
    asked.end("KILLED")


def test_only_the_token_of_the_feed_is_accepted(job):
    asked = job()
    address = asked.address()
    for token in ("0" * 64, "x"):
        with pytest.raises(flight.FlightUnauthenticatedError):  # when the call begins, or later
            raise Call(address["locations"][0], token).error()


def test_feed_shows_rows_bytes_and_clients(job):
    asked = job()
    call = asked.call()
    for _ in range(3):
        call.ask(question("sum", 1, 2))
    call.answers(3)

    def shown(clients):
        done = asked.machine("feed", asked.id, "ask", "--json")
        assert done.code == 0, done
        [row] = json.loads(done.stdout)
        return row if (row["rows"], row["sources"]) == (6, clients) else None
    row = eventually(lambda: shown(1), "the rows of the feed")
    assert row["name"] == "ask" and row["bytes"] > 0, row
    call.finish()
    eventually(lambda: shown(0), "the end of the call")
    assert "ask " in asked.machine("feed", asked.id).stdout


@pytest.mark.parametrize("metadata, text", [(b"{}", "'block' is not a number"), (b'{"block": 1}', "must have 0"),
                                            (b"x", "is not a JSON object")])
def test_blocks_must_be_numbered(job, metadata, text):
    call = job().call()
    call.writer.write_with_metadata(question("sum"), metadata)
    error = call.error()
    assert isinstance(error, pa.ArrowInvalid) and text in str(error), error


def test_rows_cannot_be_put_into_a_feed_with_answers(job):
    asked = job()
    address = asked.address()
    client = flight.FlightClient(address["locations"][0])
    options = flight.FlightCallOptions(headers=[(b"authorization", f"Bearer {address['token']}".encode())],
                                       timeout=DEADLINE_S)
    command = json.dumps({"feed": "ask", "pass": 0, "partition": 0}).encode()
    writer, reader = client.do_put(flight.FlightDescriptor.for_command(command), SCHEMA, options)
    writer.write_with_metadata(question("sum"), b'{"from": 0}')
    with pytest.raises(pa.ArrowInvalid, match="ask with DoExchange"):
        reader.read()
        writer.close()
    with pytest.raises(flight.FlightError, match="ask with DoExchange"):
        list(client.do_action(flight.Action("send", b'{"feed": "ask"}'), options))

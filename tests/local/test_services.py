"""Servers: readiness, restarts without end, the addresses of other roles, and jobs that begin with a later role."""
import json

import pytest

from machine import eventually

SERVER = """
import http.server, os, pathlib, sys
flag = pathlib.Path(sys.argv[1])

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200 if flag.exists() else 503)
        self.end_headers()

http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ["HOWDAH_PORT"])), Handler).serve_forever()
"""


def service(machine, tmp_path, ready):
    (tmp_path / "server.py").write_text(SERVER)
    return machine.submit(machine.job_file(tmp_path, f"""
name: service
files: [{tmp_path}/server.py]
roles:
  server:
    memory: 64MiB
    command: python3 server.py {tmp_path}/up
    kind: service
    ready: {ready}
  client: {{memory: 64MiB, command: "echo $HOWDAH_HOSTS_SERVER", after: [{{role: server, ready: true}}]}}
"""))


def test_client_starts_when_the_server_answers_well(machine, tmp_path):
    job = service(machine, tmp_path, '{http: "http://127.0.0.1:${HOWDAH_PORT}/", interval: 50ms}')
    reason = eventually(lambda: machine.status(job)["reason"], "the reason of the wait")
    assert reason.startswith("role client waits until server:0 is ready; it has run since "), reason
    assert reason.endswith("without success of its probe: http://127.0.0.1:${HOWDAH_PORT}/"), reason
    tasks = {task["role"]: task for task in machine.status(job)["tasks"]}
    assert tasks["server"]["ready"] is False and tasks["client"]["state"] == "READY"
    (tmp_path / "up").touch()
    done = machine("wait", job)
    assert done.code == 0, done
    port = machine.log(job, "client:0").strip().rsplit(":", 1)[1]
    journal = [json.loads(line) for line in machine("events", job, "--json").stdout.splitlines()]
    serves = [entry for entry in journal if entry["type"] == "TaskServes"]
    assert [(entry["role"], entry["index"]) for entry in serves] == [("server", 0)]
    assert int(port) > 0


def test_open_port_makes_a_server_ready(machine, tmp_path):
    job = service(machine, tmp_path, '{port: "${HOWDAH_PORT}", interval: 50ms}')
    assert machine("wait", job).code == 0, machine.status(job)


def test_probe_of_an_unknown_variable_fails_the_task_with_the_reason(machine, tmp_path):
    job = service(machine, tmp_path, '{port: "${MY_PORT}"}')
    assert machine("wait", job).code == 1
    assert "its readiness probe ${MY_PORT} cannot be made: the task has no variable MY_PORT" in \
        machine.status(job)["reason"]


def test_task_that_always_restarts_runs_until_the_job_is_stopped(machine, tmp_path):
    job = machine.submit(machine.job_file(tmp_path, """
name: beat
roles:
  beat: {memory: 64MiB, command: "exit $((HOWDAH_ATTEMPT % 2))", restart: {max: unlimited, backoff: 0s, always: true}}
"""))
    machine.until(job, lambda status: status["tasks"] and status["tasks"][0]["attempt"] >= 4, "the fifth attempt")
    assert machine("kill", job).code == 0
    assert machine("wait", job).code == 4


WORKFLOW = """
name: workflow
roles:
  prepare: {memory: 64MiB, command: "echo data=7"%s}
  train: {memory: 64MiB, command: "echo trains", after: [{role: prepare, finished: true}]}
  evaluate: {memory: 64MiB, command: "echo evaluates", after: [{role: train, finished: true}]}
"""


def test_job_begins_with_a_later_role(machine, tmp_path):
    done = machine("run", machine.job_file(tmp_path, WORKFLOW % ""), "--from", "evaluate")
    assert done.code == 0, done
    assert "evaluates" in done.stdout and "trains" not in done.stdout, done
    assert [task["role"] for task in machine.status()["tasks"]] == ["evaluate"]


@pytest.mark.parametrize("exports,role,message", [
    ("", "evalute", "--from evalute: the job has no such role; did you mean evaluate?"),
    ("", "prepare", "--from prepare: the role waits for no role to finish"),
    (", exports: {DATA: data=}", "train", "--from train: role train needs the variable DATA"),
])
def test_job_cannot_begin_with_this_role(machine, tmp_path, exports, role, message):
    done = machine("run", machine.job_file(tmp_path, WORKFLOW % exports), "--from", role)
    assert done.code == 2 and message in done.stderr, done

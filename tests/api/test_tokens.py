"""Tokens of the portal: made, listed and revoked while it runs; what they allow, and what the audit log says."""
import json
import os
import re
import stat

import pytest

from other_user import needs_root, python_as_other
from portal import HEADERS

SLEEPER = "name: sleeper\nenv: {API_KEY: very-secret}\nroles: {w: {memory: 8MiB, command: exec sleep 86399}}\n"
CALL = """
import http.client, sys
connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=60)
connection.request("GET", "/api/v1/jobs", headers={"Authorization": "Bearer " + sys.argv[2]})
answer = connection.getresponse()
print(answer.status, answer.read().decode())
"""


def make(machine, *flags):
    done = machine("portal", "token", *flags)
    assert done.code == 0 and re.fullmatch(r"howdah_[0-9a-f]{64}\n", done.stdout), done
    assert "it is not shown again" in done.stderr
    return done.stdout.strip()


def bearer(token):
    return {**HEADERS, "Authorization": f"Bearer {token}"}


@pytest.fixture
def job(machine, tmp_path):
    job = machine.submit(machine.job_file(tmp_path, SLEEPER))
    machine.running(job)
    return job


def test_tokens_work_and_end_while_the_portal_runs(machine, job, portal):
    token = make(machine, "--name", "ci", "--expires", "30d")
    assert portal.get(f"jobs/{job}", headers=bearer(token)).json["state"] == "RUNNING"
    done = machine("portal", "token", "--list")
    assert done.code == 0 and re.search(r"^ci\s+read, change\s+2\S+Z\s+2\S+Z$", done.stdout, re.M), done
    assert token not in done.stdout
    file = machine.home / "portal/tokens.json"
    assert stat.S_IMODE(os.stat(file).st_mode) == 0o600 and token not in file.read_text()

    assert machine("portal", "token", "--revoke", "ci").code == 0
    answer = portal.get("jobs", headers=bearer(token), status=401)
    assert "the token 'ci' was revoked on" in answer.json["detail"], answer
    assert answer.headers["WWW-Authenticate"] == "Bearer" and "howdah portal token" in answer.json["advice"]
    assert "ci" not in machine("portal", "token", "--list").stdout
    expired = make(machine, "--name", "short", "--expires", "1ms")
    assert "the token 'short' expired on" in portal.get("jobs", headers=bearer(expired), status=401).json["detail"]
    for value in (f"Bearer {token}0", "Bearer howdah_", "Basic YTpi", "Bearer", "Bearer a b"):
        assert portal.get("jobs", headers={"Authorization": value}, status=401).json["detail"], value
    assert portal.get(f"jobs/{job}").json["state"] == "RUNNING", "a request without a token is admitted as before"


def test_read_only_token_changes_nothing_and_reveals_nothing(machine, job, portal):
    token = make(machine, "--name", "prometheus", "--read-only")
    assert "howdah_portal_info" in portal.request("GET", "/metrics", headers=bearer(token)).text
    for path, body in (("kill", {}), ("scale", {"role": "w", "instances": 2}), ("stacks", {"task": "w:0"}),
                       ("rerun", {"job": "a: 1"})):
        answer = portal.post(f"jobs/{job}/{path}", body, status=403, headers=bearer(token))
        assert "the token 'prometheus' is read-only and changes nothing" in answer.json["detail"], answer
    for path in ("config", "job.yaml"):
        assert "very-secret" not in portal.get(f"jobs/{job}/{path}", headers=bearer(token)).text
        answer = portal.get(f"jobs/{job}/{path}", headers=bearer(token), reveal=1, status=403)
        assert "reveals no secrets" in answer.json["detail"] and "very-secret" not in answer.text
    assert "very-secret" in portal.get(f"jobs/{job}/config", reveal=1).text
    for of in (None, job):
        text = "name: x-${HOME}\nroles: {w: {memory: \"${HOME}\", command: \"true\"}}\n"
        answer = portal.post("plan", {"job": text, "of": of}, status=403, headers=bearer(token))
        assert "read-only and checks no job files" in answer.json["detail"], answer
    assert machine.running(job)["state"] == "RUNNING" and portal.audit() == []


def test_audit_log_and_journal_name_the_token(machine, job, portal):
    token = make(machine)
    portal.post(f"jobs/{job}/kill", {"grace": "0s"}, status=202, headers=bearer(token))
    ended = machine.until(job, lambda s: s["state"] == "KILLED", "the end")
    assert "howdah portal" in ended["reason"] and "token 'token-1'" in ended["reason"], ended
    [entry] = portal.audit()
    assert (entry["action"], entry["token"], entry["outcome"]) == ("kill", "token-1", "done"), entry
    assert token not in json.dumps(entry)


@needs_root
def test_token_admits_another_user_and_only_with_the_right_text(machine, job, portal):
    token = make(machine, "--read-only")
    done = python_as_other(CALL, portal.port, token)
    assert done.returncode == 0 and done.stdout.startswith("200 ") and job in done.stdout, done
    done = python_as_other(CALL, portal.port, token[:-1] + ("0" if token[-1] != "0" else "1"))
    assert done.stdout.startswith("401 ") and job not in done.stdout, done


def test_damaged_file_admits_no_token_and_keeps_the_user(machine, job, portal):
    token = make(machine)
    (machine.home / "portal/tokens.json").write_text("damaged")
    answer = portal.get("jobs", headers=bearer(token), status=401)
    assert "the tokens of this portal cannot be read" in answer.json["detail"], answer
    assert portal.get(f"jobs/{job}").json["state"] == "RUNNING"
    done = machine("portal", "token")
    assert done.code == 1 and "delete the file" in done.stderr, done


@pytest.mark.parametrize("words, code, says", [
    (["--revoke", "none"], 2, "there is no token 'none'; there is none at all"),
    (["--name", "a b"], 2, "invalid name 'a b'"),
    (["--list", "--name", "a"], 2, "exclude each other"),
    (["--expires", "soon"], 2, "soon"),
])
def test_mistakes_are_explained(machine, words, code, says):
    done = machine("portal", "token", *words)
    assert done.code == code and says in done.stderr and not done.stdout, done

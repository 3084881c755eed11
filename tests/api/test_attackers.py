"""Nobody but the user who runs the portal, and root, can read or change anything through it."""
import gzip
import json
import os
import socket
import stat

import pytest

from machine import BIN
from idle_connections import IdleConnections
from other_user import needs_root, python_as_other
from portal import HEADERS, Portal, browser_origin, snapshot

SLEEPER = "name: <img src=x>\nroles: {w: {memory: 8MiB, command: exec sleep 86399}}\n"
STRANGER = """
import http.client, socket, sys
where = sys.argv[1]
connection = http.client.HTTPConnection("127.0.0.1", int(where) if where.isdigit() else 1, timeout=60)
if not where.isdigit():
    connection.sock = socket.socket(socket.AF_UNIX)
    connection.sock.connect(where)
method, path = sys.argv[2:4]
headers = {"Content-Type": "application/json", "Howdah-Request": "1"}
connection.request(method, path, "{}" if method == "POST" else None, headers if method == "POST" else {})
answer = connection.getresponse()
print(answer.status, answer.read().decode())
"""
GETS = ("jobs", "jobs?facets=1", "health", "goodput", "advice", "advice/checks", "openapi.json", "jobs/JOB",
        "jobs/JOB/tasks", "jobs/JOB/events", "jobs/JOB/timeline", "jobs/JOB/trace.json", "jobs/JOB/config",
        "jobs/JOB/job.yaml", "jobs/JOB/goodput", "jobs/JOB/advice", "jobs/JOB/addresses", "jobs/JOB/metrics",
        "jobs/JOB/logs", "jobs/JOB/logs/w:0", "jobs/JOB/logs/search?q=a", "jobs/JOB/kill", "jobs/JOB/scale",
        "jobs/JOB/stacks", "jobs/JOB/scalars", "jobs/JOB/scalars/data?tag=a")


@pytest.fixture
def job(machine, tmp_path):
    job = machine.submit(machine.job_file(tmp_path, SLEEPER))
    machine.running(job)
    return job


@needs_root
def test_processes_of_other_users_are_refused(machine, job, portal):
    for method, path in (("GET", "/api/v1/jobs"), ("GET", "/"), ("POST", f"/api/v1/jobs/{job}/kill")):
        done = python_as_other(STRANGER, portal.port, method, path)
        assert done.returncode == 0, done
        assert done.stdout.startswith("401 ") and job not in done.stdout, done.stdout
        if method == "GET" and path != "/":
            problem = json.loads(done.stdout[4:])
            assert "the request came from the user with id 61001" in problem["detail"], problem
            assert "howdah portal" in problem["advice"]
    assert machine.running(job)["state"] == "RUNNING"


def test_unix_socket_admits_its_user(machine, job, tmp_path):
    path = tmp_path / "portal.sock"
    with Portal(machine, listen=f"unix:{path}") as portal:
        assert portal.address == f"unix:{path}" and stat.S_IMODE(os.stat(path).st_mode) == 0o600
        assert portal.get(f"jobs/{job}").json["state"] == "RUNNING"
        if os.geteuid() == 0:
            assert python_as_other(STRANGER, path, "GET", "/api/v1/jobs").returncode != 0
    assert not path.exists()


def test_rebound_name_is_refused(job, portal):
    for host in ("evil.example.org", f"evil.example.org:{portal.port}", "127.0.0.1", "localhost:1", "127.0.0.1.nip.io"):
        answer = portal.request("GET", "/api/v1/jobs", headers={"Host": host})
        assert answer.status == 421 and job not in answer.text, (host, answer)
    for host in (f"localhost:{portal.port}", f"127.0.0.1:{portal.port}"):
        assert portal.request("GET", "/api/v1/jobs", headers={"Host": host}).status == 200


def test_page_of_another_origin_can_do_nothing(machine, job, portal):
    for origin in ("http://example.org", f"http://localhost:{portal.port + 1}", "null",
                   f"https://127.0.0.1:{portal.port}"):
        for method, path in (("GET", "/api/v1/jobs"), ("POST", f"/api/v1/jobs/{job}/kill")):
            answer = portal.request(method, path, "{}", {**HEADERS, "Origin": origin})
            assert answer.status == 403 and job not in answer.text, (origin, answer)
            assert "Access-Control-Allow-Origin" not in answer.headers
    cross = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"}
    assert portal.request("GET", "/api/v1/jobs", headers=cross).status == 403
    kill = f"/api/v1/jobs/{job}/kill"
    assert portal.request("POST", kill, "{}", {"Content-Type": "application/json"}).status == 403
    assert portal.request("POST", kill, "{}", {**HEADERS, "Content-Type": "text/plain"}).status == 415
    assert machine.running(job)["state"] == "RUNNING" and portal.audit() == []
    own = {**HEADERS, "Origin": browser_origin(portal), "Sec-Fetch-Site": "same-origin"}
    portal.post(f"jobs/{job}/kill", {"grace": "0s"}, status=202, headers=own)


def test_no_get_changes_anything(machine, job, portal):
    # A sample of the metrics or the journal may be written meanwhile: the files of the job itself are compared by name.
    before = snapshot(machine.home)
    for path in GETS:
        answer = portal.request("GET", "/api/v1/" + path.replace("JOB", job))
        expected = {f"jobs/JOB/{action}": 405 for action in ("kill", "scale", "stacks")}.get(path)
        assert answer.status == expected if expected else answer.status in (200, 404), (path, answer)
    assert snapshot(machine.home).keys() - before.keys() <= {str(machine.home / "jobs" / job / "metrics")}
    assert machine.running(job)["state"] == "RUNNING" and portal.audit() == []


@pytest.mark.parametrize("path", ["/../etc/passwd", "/assets/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd",
                                  "/assets/%2e%2e%2f%2e%2e%2fetc/passwd", "/assets//etc/passwd", "/api/v1/jobs/..%2f..",
                                  "/api/v1/jobs/%00", "/assets/..\\x"])
def test_paths_do_not_leave_their_folder(machine, tmp_path, path):
    pages = tmp_path / "pages"
    (pages / "assets").mkdir(parents=True)
    (pages / "index.html").write_text("<!doctype html><title>page</title>")
    with Portal(machine, "--pages", pages) as portal:
        answer = portal.request("GET", path)
        assert answer.status in (400, 404) or answer.text.startswith("<!doctype html><title>page"), answer
        assert "root:" not in answer.text


def test_pages_are_served_with_a_strict_policy(machine, tmp_path):
    pages = tmp_path / "pages"
    (pages / "assets").mkdir(parents=True)
    for document in ("index.html", "job.html"):
        (pages / document).write_text("<!doctype html><title>page</title>")
    (pages / "assets/app.js").write_text("let a;")
    with Portal(machine, "--pages", pages) as portal:
        for path in ("/", "/jobs/last?tab=logs", "/jobs/my.job", "/goodput", "/advice/memory-over", "/about"):
            answer = portal.request("GET", path)
            assert answer.status == 200 and "<title>page" in answer.text, (path, answer)
            policy = answer.headers["Content-Security-Policy"]
            assert "default-src 'none'" in policy and "unsafe" not in policy and "frame-ancestors 'none'" in policy
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
        script = portal.request("GET", "/assets/app.js")
        assert script.text == "let a;" and script.headers["Content-Type"].startswith("text/javascript")
        assert portal.request("GET", "/assets/none.js").status == 404
        assert portal.request("POST", "/", "{}", HEADERS).status == 405


def test_pages_in_the_program_are_served(portal):
    built = BIN.parents[1] / "portal"
    if not (built / "index.html").exists():
        assert "built without pages" in portal.request("GET", "/").text
        return
    for path, document in (("/", "index.html"), ("/jobs/last", "job.html"), ("/about", "index.html")):
        answer = portal.request("GET", path)
        assert answer.status == 200 and answer.bytes == (built / document).read_bytes(), (path, answer)
        assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
        again = portal.request("GET", path, headers={"If-None-Match": answer.headers["ETag"]})
        assert again.status == 304 and again.bytes == b""
    for file in (built / "assets").iterdir():
        answer = portal.request("GET", f"/assets/{file.name}", headers={"Accept-Encoding": "gzip"})
        assert answer.status == 200 and answer.headers["Content-Encoding"] == "gzip", answer
        assert gzip.decompress(answer.bytes) == file.read_bytes()
        if file.suffix in (".js", ".css"):
            assert "immutable" in answer.headers["Cache-Control"], answer.headers


@needs_root
@pytest.mark.parametrize("again", [False, True], ids=["held", "again"])
@pytest.mark.parametrize("stranger", [False, True], ids=["own", "stranger"])
def test_idle_connections_keep_nobody_out(job, portal, again, stranger):
    with portal.stream(f"job:{job}") as stream:
        stream.until("open")
        with IdleConnections(f"127.0.0.1:{portal.port}", 10_000, again=again, other_user=stranger):
            assert portal.get(f"jobs/{job}").json["state"] == "RUNNING"
            portal.post(f"jobs/{job}/kill", {"grace": "0s"}, status=202)
            stream.until("job", lambda data: data["job"]["state"] == "KILLED")
            assert portal.get(f"jobs/{job}").json["state"] == "KILLED"
            descriptors = len(os.listdir(f"/proc/{portal.process.pid}/fd"))
            assert descriptors < 1000, descriptors


def test_damaged_requests_do_not_end_the_portal(job, portal):
    for text in (b"", b"\r\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\x16\x03\x01\x02\0" * 100,
                 b"GET / HTTP/1.1\r\nHost: " + b"a" * (1 << 20), b"GET /" + b"a" * (1 << 20),
                 b"POST /api/v1/jobs/x/kill HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999\r\n\r\n",
                 b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"):
        with socket.create_connection(("127.0.0.1", portal.port), timeout=60) as connection:
            try:
                connection.sendall(text)
                connection.shutdown(socket.SHUT_WR)
                answer = connection.recv(65536)
            except OSError:  # the portal has closed the connection
                continue
            assert b" 200 " not in answer.split(b"\r\n")[0], (text[:100], answer)
    assert portal.get(f"jobs/{job}").json["state"] == "RUNNING"


def test_bodies_are_limited(job, portal):
    for body, status in ((b"[" * 100_000, 400), (b'{"a":' * 100_000, 400), (b"{", 400), (b"\xff", 400)):
        answer = portal.request("POST", f"/api/v1/jobs/{job}/kill", body, HEADERS)
        assert answer.status == status, answer
    try:
        assert portal.request("POST", f"/api/v1/jobs/{job}/kill", b"x" * (2 << 20), HEADERS).status == 413
    except ConnectionError:
        pass  # the portal closed the connection before it read the whole body



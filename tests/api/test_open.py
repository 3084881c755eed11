"""Servers in tasks, opened through the portal: each has an origin of its own, for the browser that opened it."""
import hashlib
import os
import re
import signal
import socket

import pytest

from machine import DEADLINE_S, eventually
from opened_app import App, open_app, start_app_server
from other_user import needs_root, python_as_other
from portal import HEADERS, Portal

STRANGER = """
import http.client, sys
connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=60)
connection.request("GET", sys.argv[2], headers={"Host": sys.argv[3], "Cookie": sys.argv[4]})
answer = connection.getresponse()
print(answer.status, answer.read().decode())
"""


@pytest.fixture
def server(machine, tmp_path):
    return start_app_server(machine, tmp_path)


@pytest.fixture
def app(portal, server):
    job, port = server
    return open_app(portal, job, task="worker:0", port=port)


def test_ticket_becomes_a_cookie_of_the_host(portal, server):
    job, port = server
    app = App(portal.post(f"jobs/{job}/open", {"task": "worker:0", "port": port}, status=200).json["url"])
    assert re.fullmatch(rf"[0-9a-f]{{32}}\.localhost:{portal.port}", app.host)
    assert re.fullmatch(r"/\.howdah/open\?ticket=[0-9a-f]{32}", app.path)
    assert app.request("GET", "/headers").status == 403
    answer = app.redeem()
    assert answer.headers["Location"] == "/"
    assert re.fullmatch(r"howdah-app-[0-9a-f]{8}=[0-9a-f]{32}; Path=/; HttpOnly; SameSite=Lax",
                        answer.headers["Set-Cookie"])
    assert app.request("GET", "/headers").status == 200
    replayed = App(app.url).request("GET", app.path, headers={"Accept": "text/html"})
    assert replayed.status == 403 and "was used before or has expired" in replayed.text, replayed
    [entry] = portal.audit()
    assert (entry["action"], entry["job"], entry["outcome"]) == ("open", job, "done")
    assert entry["arguments"] == {"task": "worker:0", "port": port}


def test_server_receives_its_own_host_and_none_of_the_portals_credentials(app, server):
    answer = app.request("GET", "/headers%2F..?a=%zz", headers={
        "Origin": app.origin, "Referer": app.origin + "/x", "Authorization": "Bearer howdah_" + "0" * 64,
        "Howdah-Request": "1", "Accept-Language": "en", "Cookie": app.cookie + "; mine=1"})
    own = f"http://127.0.0.1:{server[1]}"
    assert answer.json["line"] == "GET /headers%2F..?a=%zz HTTP/1.1"
    fields = dict(answer.json["fields"])
    assert fields == {"Host": own.removeprefix("http://"), "Connection": "close", "Origin": own, "Referer": own + "/x",
                      "Cookie": "mine=1", "Accept-Encoding": "identity", "Accept-Language": "en"}
    answer = app.request("GET", "/redirect?lab")
    assert answer.headers["Location"] == "/lab" and answer.headers["Set-Cookie"] == "a=b; Path=/"
    assert "Content-Security-Policy" not in answer.headers, "the fields of the portal's own pages are not added"


def test_bodies_of_any_size_pass(app):
    block = bytes(range(256)) * 4096
    answer = app.request("GET", "/bytes?100000000")
    assert len(answer.bytes) == 100_000_000 and answer.bytes.count(b"x") == 100_000_000
    digest = hashlib.sha256()
    for _ in range(30):
        digest.update(block)
    expected = {"size": 30 * len(block), "sha256": digest.hexdigest()}
    assert app.request("POST", "/upload", block * 30).json == expected
    assert app.request("POST", "/upload", (block for _ in range(30)), encode_chunked=True).json == expected


def test_pieces_of_an_answer_arrive_when_they_were_sent(app):
    connection = app.start("GET", "/pieces")
    response = connection.getresponse()
    for number in range(3):
        assert response.readline() == b"piece %d\n" % number
        assert app.request("POST", "/next").status == 200
    assert response.read() == b""
    connection.close()


def test_server_waits_for_a_browser_that_does_not_read(app, portal):
    limit = 1 << 30
    with socket.create_connection(("127.0.0.1", portal.port)) as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
        connection.sendall(f"GET /pour?{limit} HTTP/1.1\r\nHost: {app.host}\r\nCookie: {app.cookie}\r\n\r\n".encode())
        [sent] = eventually(lambda: app.request("GET", "/poured").json, "the server to be blocked")
    assert sent < 64 << 20, "everything between the server and the browser together holds a few MiB"


def websocket(app):
    connection = socket.create_connection(("127.0.0.1", app.port), timeout=DEADLINE_S)
    connection.sendall(f"GET /ws HTTP/1.1\r\nHost: {app.host}\r\nCookie: {app.cookie}\r\nConnection: Upgrade\r\n"
                       f"Upgrade: websocket\r\nSec-WebSocket-Key: x\r\nOrigin: {app.origin}\r\n\r\n".encode())
    stream = connection.makefile("rb")
    assert stream.readline() == b"HTTP/1.1 101 Switching Protocols\r\n"
    while stream.readline() != b"\r\n":
        pass
    return connection, stream


def test_websocket_echoes_and_each_direction_ends_by_itself(app):
    connection, stream = websocket(app)
    for text in (b"hello", b"", bytes(range(256))):
        size = bytes([128 | len(text)]) if len(text) < 126 else b"\xfe" + len(text).to_bytes(2, "big")
        connection.sendall(b"\x81" + size + b"\0\0\0\0" + text)
        head = 2 if len(text) < 126 else 4
        assert stream.read(head + len(text))[head:] == text
    connection.shutdown(socket.SHUT_WR)
    assert stream.read() == b"the client has ended"
    connection.close()


def test_pages_of_other_origins_are_refused(app, portal):
    for origin in (f"http://127.0.0.1:{portal.port}", "http://example.org", "null",
                   f"http://{'0' * 32}.localhost:{portal.port}"):
        assert app.request("GET", "/headers", headers={"Origin": origin}).status == 403, origin
        upgrade = {"Origin": origin, "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Key": "x"}
        assert app.request("GET", "/ws", headers=upgrade).status == 403, origin
    image = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"}
    assert app.request("GET", "/headers", headers=image).status == 403
    # And an app is another origin for the portal.
    for method, path in (("GET", "/api/v1/jobs"), ("POST", "/api/v1/jobs/last/kill")):
        assert portal.request(method, path, "{}", {**HEADERS, "Origin": app.origin}).status == 403


def test_other_host_names_are_not_the_portals(app, portal):
    for host in (f"x.localhost:{portal.port}", app.host.replace(".localhost", ".localhost.example.org"),
                 app.host.rpartition(":")[0], "evil.example.org"):
        assert portal.request("GET", "/", headers={"Host": host, "Cookie": app.cookie}).status == 421, host
    unknown = portal.request("GET", "/", headers={"Host": f"{'0' * 32}.localhost:{portal.port}", "Accept": "text/html"})
    assert unknown.status == 410 and "an earlier portal has made it" in unknown.text
    assert app.request("GET", "/api/v1/jobs").json["line"].startswith("GET /api/v1/jobs"), "the API is not at this host"


@needs_root
def test_processes_of_other_users_are_refused(app, portal, server):
    job, port = server
    ticket = App(portal.post(f"jobs/{job}/open", {"task": "worker:0", "port": port}, status=200).json["url"])
    for path in ("/headers", ticket.path):
        done = python_as_other(STRANGER, portal.port, path, app.host, app.cookie)
        assert done.returncode == 0 and done.stdout.startswith("401 "), done
        assert "the user with id 61001" in done.stdout
    ticket.redeem()


def test_smuggled_requests_are_refused(app):
    head = f"POST /upload HTTP/1.1\r\nHost: {app.host}\r\nCookie: {app.cookie}\r\n"
    smuggled = f"GET /smuggled HTTP/1.1\r\nHost: {app.host}\r\n\r\n"
    for fields, body in (("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"),
                         ("Content-Length: 5\r\nContent-Length: 0\r\n", "0\r\n\r\n"),
                         ("Transfer-Encoding: chunked, identity\r\n", "0\r\n\r\n"),
                         ("Transfer-Encoding : chunked\r\n", "0\r\n\r\n"),
                         ("Transfer-Encoding: chunked\r\n", "5\r\nhello\r\nffffffffffffffffff\r\n"),
                         ("Transfer-Encoding: chunked\r\n", "5;\nhello\r\n0\r\n\r\n")):
        received = app.raw((head + fields + "\r\n" + body + smuggled).encode())
        assert re.match(rb"HTTP/1.1 (400|501) ", received), (fields, received)
        assert received.count(b"HTTP/1.1 ") == 1, (fields, received)
    large = app.raw(f"GET / HTTP/1.1\r\nHost: {app.host}\r\nX: {'x' * (1 << 20)}\r\n\r\n".encode())
    assert large.startswith(b"HTTP/1.1 431 ")


def test_missing_servers_and_ended_jobs_are_explained(machine, portal, server):
    job, port = server
    app = open_app(portal, job, task="worker:0", port=port)
    closed = open_app(portal, job, task="worker:0", port=9)
    answer = closed.request("GET", "/", headers={"Accept": "text/html"})
    assert answer.status == 502 and answer.headers["Content-Type"].startswith("text/html")
    assert "port 9 of the task" in answer.text and "load the page again" in answer.text
    connection, stream = websocket(app)
    assert machine("kill", job).code == 0
    with pytest.raises((ConnectionResetError, EOFError, AssertionError)):
        assert stream.read() is None
    connection.close()
    eventually(lambda: portal.get(f"jobs/{job}").json["state"] == "KILLED", "the end of the job")
    page = {"Accept": "text/html"}
    eventually(lambda: app.request("GET", "/", headers=page).status == 410, "the page about the end")
    answer = app.request("GET", "/", headers=page)
    assert f"{job} has ended (KILLED), and port {port} of worker:0 in {job} with it" in answer.text
    assert f"http://127.0.0.1:{portal.port}/jobs/{job}" in answer.text
    refused = portal.post(f"jobs/{job}/open", {"task": "worker:0", "port": port}, status=409).json
    assert "has already finished: KILLED" in refused["detail"]


def test_app_ends_with_its_portal(machine, server):
    job, port = server
    with Portal(machine) as first:
        app = open_app(first, job, task="worker:0", port=port)
        connection, _ = websocket(app)
        assert first.stop() == 0
        assert connection.recv(10) == b""
        connection.close()
    with Portal(machine, listen=f"127.0.0.1:{first.port}"):
        answer = app.request("GET", "/", headers={"Accept": "text/html"})
        assert answer.status == 410 and "open it again from the page of its job" in answer.text


def test_app_of_a_token_ends_with_the_token(machine, portal, server):
    job, port = server
    token = machine("portal", "token", "--name", "ci").stdout.strip()
    headers = {**HEADERS, "Authorization": f"Bearer {token}"}
    what = {"task": "worker:0", "port": port}
    app = App(portal.post(f"jobs/{job}/open", what, status=200, headers=headers).json["url"])
    app.redeem()
    assert app.request("GET", "/headers").status == 200
    assert portal.audit()[0]["token"] == "ci"
    assert machine("portal", "token", "--revoke", "ci").code == 0
    assert app.request("GET", "/headers").status == 401
    assert machine("portal", "token", "--name", "ci").code == 0
    assert app.request("GET", "/headers").status == 401, "another token has the name now"
    read_only = machine("portal", "token", "--read-only").stdout.strip()
    portal.post(f"jobs/{job}/open", {"notebook": True}, status=403,
                headers={**HEADERS, "Authorization": f"Bearer {read_only}"})


def test_browser_that_does_not_resolve_names_gets_a_port(portal, server):
    job, port = server
    what = {"task": "worker:0", "port": port}
    agents = {"Mozilla/5.0 (Macintosh) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Safari/605.1.15": "port",
              "Mozilla/5.0 (X11) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36": "name",
              "Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0": "name"}
    for agent, kind in agents.items():
        url = portal.post(f"jobs/{job}/open", what, status=200, headers={**HEADERS, "User-Agent": agent}).json["url"]
        assert (".localhost:" in url) == (kind == "name"), (agent, url)
    app = open_app(portal, job, **what, address="port")
    assert app.host.startswith("127.0.0.1:") and app.port != portal.port
    answer = app.request("GET", "/headers", headers={"Origin": app.origin})
    assert dict(answer.json["fields"])["Origin"] == f"http://127.0.0.1:{port}"
    assert app.request("GET", "/headers", headers={"Host": f"localhost:{app.port}"}).status == 421
    again = open_app(portal, job, **what, address="port")
    assert again.port == app.port


def test_bodies_of_the_request_are_checked(portal, server):
    job, _ = server
    for body in ({}, {"task": "worker:0"}, {"tensorboard": True, "notebook": True}, {"task": "worker:0", "port": 0}):
        assert "write one of" in portal.post(f"jobs/{job}/open", body, status=400).json["detail"]
    assert "worker:0" in portal.post(f"jobs/{job}/open", {"task": "worker:9", "port": 1}, status=400).json["detail"]
    assert "set `tensorboard" in portal.post(f"jobs/{job}/open", {"tensorboard": True}, status=409).json["advice"]
    portal.post("jobs/howdah-20200101-000000-aaaa/open", {"tensorboard": True}, status=404)


def test_read_only_portal_opens_nothing(machine, server):
    job, port = server
    with Portal(machine, "--read-only") as portal:
        refused = portal.post(f"jobs/{job}/open", {"task": "worker:0", "port": port}, status=403).json
        assert "howdah open" in refused["advice"]


def test_new_application_master_is_found(machine, portal, server):
    job, port = server
    app = open_app(portal, job, task="worker:0", port=port)
    assert app.request("GET", "/headers").status == 200
    os.kill(machine.agents(job, "am")[-1], signal.SIGKILL)
    eventually(lambda: app.request("GET", "/headers").status == 200, "the server through the new application master")

"""Runs `howdah portal`, and talks to it as a browser does: requests, and streams of events."""
import http.client
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import urllib.parse

from machine import BIN, DEADLINE_S

HEADERS = {"Content-Type": "application/json", "Howdah-Request": "1"}


class Answer:
    def __init__(self, response, body):
        self.status, self.headers, self.bytes = response.status, response.headers, body

    @property
    def text(self):
        return self.bytes.decode("utf-8", "replace")

    @property
    def json(self):
        return json.loads(self.bytes)

    def __repr__(self):
        return f"{self.status} {self.headers.items()}\n{self.text[:4000]}"


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=DEADLINE_S)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(DEADLINE_S)
        self.sock.connect(self.path)


class Portal:
    """A running portal. Use as a context manager."""

    def __init__(self, machine, *arguments, listen="127.0.0.1:0", env=None):
        self.machine = machine
        words = ["portal", *([] if listen is None else ["--listen", listen]), *arguments]
        self.log = machine.home.parent / "portal.log"
        self.errors = open(self.log, "w")
        self.process = subprocess.Popen([str(BIN), *map(str, words)], env={**machine.env, **(env or {})}, text=True,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.errors)
        self.address = self.process.stdout.readline().strip()
        assert self.address, f"the portal printed no address: {self.log.read_text()}"
        self.unix = self.address.removeprefix("unix:") if self.address.startswith("unix:") else None
        self.port = None if self.unix else urllib.parse.urlsplit(self.address).port

    def __enter__(self):
        return self

    def __exit__(self, *_):
        assert self.stop() == 0, self.log.read_text()

    def stop(self):
        """Ends the portal as Ctrl-C does. Returns its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        code = self.process.wait(DEADLINE_S)
        self.process.stdout.close()
        self.errors.close()
        return code

    def connect(self):
        if self.unix:
            return UnixConnection(self.unix)
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=DEADLINE_S)

    def request(self, method, path, body=None, headers=None):
        connection = self.connect()
        try:
            connection.request(method, path, body, headers or {})
            response = connection.getresponse()
            return Answer(response, response.read())
        finally:
            connection.close()

    def get(self, path, *, status=200, headers=None, **query):
        """The answer of GET /api/v1/PATH?QUERY."""
        text = urllib.parse.urlencode(query)
        answer = self.request("GET", "/api/v1/" + path + ("?" + text if text else ""), headers=headers)
        assert answer.status == status, answer
        return answer

    def post(self, path, value, *, status, headers=HEADERS):
        answer = self.request("POST", "/api/v1/" + path, json.dumps(value), headers)
        assert answer.status == status, answer
        return answer

    def jobs(self, **query):
        return self.get("jobs", **query).json["jobs"]

    def stream(self, *topics, last_id=None, agent="test"):
        return Stream(self, topics, last_id, agent)

    def audit(self):
        path = pathlib.Path(self.machine.home) / "portal/audit.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


class Stream:
    """A stream of events. Use as a context manager; next() returns one event after the other."""

    def __init__(self, portal, topics, last_id, agent):
        self.connection = portal.connect()
        headers = {"User-Agent": agent, **({"Last-Event-ID": last_id} if last_id else {})}
        query = urllib.parse.urlencode({"topics": ",".join(topics)})
        self.connection.request("GET", "/api/v1/stream?" + query, headers=headers)
        self.response = self.connection.getresponse()
        self.status = self.response.status
        self.last_id = last_id
        self.seen = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        # Without a shutdown the socket stays open as long as the response has a reference to it.
        try:
            self.connection.sock.shutdown(socket.SHUT_RDWR)
        except (AttributeError, OSError):
            pass
        self.connection.close()

    def next(self):
        """The name and the data of the next event."""
        name, data = "message", []
        while True:
            line = self.response.readline().decode()
            assert line, f"the stream has ended; its events: {self.seen}"
            line = line.rstrip("\n")
            if not line and data:
                event = name, json.loads("\n".join(data))
                self.seen.append(event)
                return event
            field, _, value = line.partition(": ")
            if field == "event":
                name = value
            elif field == "data":
                data.append(value)
            elif field == "id":
                self.last_id = value

    def until(self, name, condition=lambda data: True):
        """The data of the next event with this name that meets the condition."""
        while True:
            found, data = self.next()
            if found == name and condition(data):
                return data


def browser_origin(portal):
    return re.sub(r"/$", "", portal.address)


def snapshot(folder):
    """The names, sizes and times of all files below a folder, except those that the portal writes itself."""
    found = {}
    for path in sorted(pathlib.Path(folder).rglob("*")):
        if path.is_file() and "portal" not in path.relative_to(folder).parts:
            stat = os.stat(path)
            found[str(path)] = stat.st_size, stat.st_mtime_ns
    return found

"""A server of a job, reached directly, through `howdah open` and through its origin in the portal."""
import base64
import http.client
import json
import os
import re
import signal
import subprocess
import time
import urllib.parse

from local_jobs import HOWDAH, LIMIT_SECONDS, ROOT

SERVER = ROOT / "tests/support/app_server.py"


class Route:
    """A way to the server. `host` and `cookie` are those that a browser would send."""

    def __init__(self, port, host=None, cookie=None):
        self.port = port
        self.fields = {"Host": host or f"127.0.0.1:{port}", **({"Cookie": cookie} if cookie else {})}

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=LIMIT_SECONDS)

    def download(self, size):
        """The time to receive a body of this size, in seconds."""
        begin = time.perf_counter()
        connection = self.connect()
        connection.request("GET", f"/bytes?{size}", headers=self.fields)
        response, left = connection.getresponse(), size
        buffer = bytearray(1 << 20)
        while left:
            received = response.readinto(buffer)
            if not received:
                raise RuntimeError(f"{left} of {size} bytes are missing")
            left -= received
        connection.close()
        return time.perf_counter() - begin

    def echoes(self, count):
        """The times between a WebSocket message and its echo, in seconds."""
        connection = self.connect()
        connection.connect()
        stream = connection.sock.makefile("rb")
        key = base64.b64encode(os.urandom(16)).decode()
        fields = {**self.fields, "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Key": key,
                  "Sec-WebSocket-Version": "13"}
        connection.sock.sendall(("GET /ws HTTP/1.1\r\n" + "".join(f"{n}: {v}\r\n" for n, v in fields.items()) +
                                 "\r\n").encode())
        if b" 101 " not in stream.readline():
            raise RuntimeError("the server did not accept the WebSocket")
        while stream.readline() != b"\r\n":
            pass
        times = []
        for _ in range(count):
            begin = time.perf_counter()
            connection.sock.sendall(b"\x81\x84\0\0\0\0ping")  # a masked text frame, RFC 6455 section 5.2
            if stream.read(6) != b"\x81\x04ping":
                raise RuntimeError("the echo differs")
            times.append(time.perf_counter() - begin)
        connection.close()
        return times


class Server:
    """A job with the server of the tests. Use as a context manager."""

    def __init__(self, backend):
        self.backend = backend

    def __enter__(self):
        worker = {"memory": "64MiB", "command": ["python3", str(SERVER)]}
        self.job = self.backend.submit("app", {"worker": worker})
        self.job.wait_for("TaskStarted")
        follow = subprocess.Popen([HOWDAH, "logs", "-f", self.job.id, "worker:0"], env=self.backend.environment,
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.port = int(re.search(r"port (\d+)", follow.stdout.readline()).group(1))
        end(follow)
        words = [HOWDAH, "open", self.job.id, "worker:0", str(self.port)]
        self.tunnel = subprocess.Popen(words, env=self.backend.environment, stdout=subprocess.PIPE,
                                       stderr=subprocess.DEVNULL, text=True)
        self.local = int(re.search(r":(\d+)", self.tunnel.stdout.readline()).group(1))
        return self

    def __exit__(self, *_):
        end(self.tunnel)
        self.job.kill()

    def direct(self):
        return Route(self.port)

    def tunnelled(self):
        return Route(self.local)

    def through(self, portal):
        """The server's origin in the portal, opened with a ticket as a browser does."""
        connection = portal.connect()
        body = json.dumps({"task": "worker:0", "port": self.port})
        fields = {"Content-Type": "application/json", "Howdah-Request": "1"}
        connection.request("POST", f"/api/v1/jobs/{self.job.id}/open", body, fields)
        url = urllib.parse.urlsplit(json.loads(connection.getresponse().read())["url"])
        opened = http.client.HTTPConnection("127.0.0.1", url.port, timeout=LIMIT_SECONDS)
        opened.request("GET", f"{url.path}?{url.query}", headers={"Host": url.netloc})
        cookie = opened.getresponse().headers["Set-Cookie"].partition(";")[0]
        opened.close()
        return Route(url.port, url.netloc, cookie)


def end(process):
    process.send_signal(signal.SIGINT)
    process.wait(LIMIT_SECONDS)
    process.stdout.close()

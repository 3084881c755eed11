"""Opens servers in jobs through the portal, as a browser does."""
import http.client
import re
import socket
import urllib.parse

from machine import DEADLINE_S, ROOT, eventually
from portal import Answer

JOB = """
name: app
roles:
  worker:
    instances: 1
    memory: 64MiB
    command: exec python3 {server}
"""


def start_app_server(machine, folder):
    """A running job with tests/support/app_server.py in its task. Returns the job's id and the server's port."""
    job = machine.submit(machine.job_file(folder, JOB.format(server=ROOT / "tests/support/app_server.py")))
    found = eventually(lambda: re.search(r"^port (\d+)$", machine("logs", job, "worker:0").stdout, re.M),
                       "the port of the server")
    return job, int(found.group(1))


class App:
    """An origin of the portal. `redeem` is what a browser does with the address of a ticket."""

    def __init__(self, url):
        self.url = url
        parts = urllib.parse.urlsplit(url)
        self.host, self.port, self.path = parts.netloc, parts.port, parts.path + "?" + parts.query
        self.origin, self.cookie = f"http://{parts.netloc}", None

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=DEADLINE_S)

    def start(self, method, path, body=None, headers=None, **options):
        """Sends a request, and returns the connection."""
        connection = self.connect()
        cookie = {"Cookie": self.cookie} if self.cookie else {}
        connection.request(method, path, body, {"Host": self.host, **cookie, **(headers or {})}, **options)
        return connection

    def request(self, method, path, body=None, headers=None, **options):
        connection = self.start(method, path, body, headers, **options)
        try:
            response = connection.getresponse()
            return Answer(response, response.read())
        finally:
            connection.close()

    def redeem(self):
        answer = self.request("GET", self.path)
        assert answer.status == 303, answer
        self.cookie = answer.headers["Set-Cookie"].partition(";")[0]
        return answer

    def raw(self, bytes_):
        """Sends bytes, and returns everything that follows."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=DEADLINE_S) as connection:
            connection.sendall(bytes_)
            received = b""
            while block := connection.recv(65536):
                received += block
            return received


def open_app(portal, job, **what):
    """The app after the ticket was redeemed."""
    app = App(portal.post(f"jobs/{job}/open", what, status=200).json["url"])
    app.redeem()
    return app

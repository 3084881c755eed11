"""Clients for the web services of a test cluster."""
import subprocess
import urllib.error
import urllib.request


class PlainClient:
    """HTTP without a login."""

    def __init__(self):
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def send(self, url, method="GET", body=None, timeout_s=60, content="application/json"):
        """Sends one request; returns the status and the text of the response. Raises OSError if there is none."""
        request = urllib.request.Request(url, body, method=method, headers={
            "Content-Type": content, "Accept": "application/json"})
        try:
            with self._opener.open(request, timeout=timeout_s) as answer:
                return answer.status, answer.read().decode("utf-8", "replace")
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode("utf-8", "replace")


class NegotiatingClient:
    """HTTP or HTTPS with SPNEGO, by the program curl. `env` names the ticket, and `ca` the certificate of the servers,
    or is None."""

    def __init__(self, env, ca):
        self._env, self._ca = env, ca

    def send(self, url, method="GET", body=None, timeout_s=60, content="application/json"):
        """As PlainClient.send."""
        command = ["curl", "--silent", "--show-error", "--noproxy", "*", "--negotiate", "--user", ":",
                   *(["--cacert", self._ca] if self._ca else []), "--max-time", str(timeout_s), "--request", method,
                   "--header", f"Content-Type: {content}", "--header", "Accept: application/json", "--write-out",
                   "\n%{http_code}", url]
        if body is not None:
            command += ["--data-binary", "@-"]
        done = subprocess.run(command, input=body or b"", capture_output=True, env={"PATH": "/usr/bin:/bin",
                                                                                 **self._env})
        if done.returncode != 0:
            raise OSError(f"curl {url}: {done.stderr.decode('utf-8', 'replace')}")
        text, _, code = done.stdout.decode("utf-8", "replace").rpartition("\n")
        return int(code), text

"""A docker daemon of the test cluster's own, images for its containers, and a registry that has no images."""
import contextlib
import http.server
import io
import json
import os
import shutil
import socket
import subprocess
import tarfile
import threading

from daemons import MARK

DAEMON, CLIENT = "/usr/sbin/dockerd", "/usr/bin/docker"
READY_S, STOP_S, COMMAND_S = 60, 30, 60
# The programs of YARN's launch script, and those of the tests' jobs.
PROGRAMS = ("bash", "find", "ls", "cat", "cp", "chmod", "mkdir", "ln", "sleep", "true", "id", "date")


class DockerDaemon:
    """A daemon with its own data, socket and mount namespace, so that nothing of it is left when its processes have
    ended. Containers have no network of their own. The processes belong to the cluster, whose guardian kills them if
    the tests die."""

    def __init__(self, cluster_folder):
        self.folder = cluster_folder / "docker"
        self.client = self.folder / "docker"
        self._mark = {MARK: str(cluster_folder)}
        self._process = None

    def start(self):
        assert os.path.exists(DAEMON), "no docker: ./dev setup installs it"
        self.folder.mkdir()
        self.client.write_text(f'#!/bin/sh\nexec {CLIENT} -H unix://{self.folder}/socket "$@"\n')
        self.client.chmod(0o755)
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notify, (self.folder / "log").open("w") as log:
            notify.bind(str(self.folder / "notify"))
            notify.settimeout(READY_S)
            self._process = subprocess.Popen(
                ["unshare", "--mount", DAEMON, "--bridge=none", "--iptables=false", f"--data-root={self.folder}/data",
                 f"--exec-root={self.folder}/exec", f"--pidfile={self.folder}/pid",
                 f"--host=unix://{self.folder}/socket"],
                env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "NOTIFY_SOCKET": str(self.folder / "notify"),
                     **self._mark},
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
            try:
                while b"READY=1" not in notify.recv(4096):
                    pass
            except TimeoutError:
                raise AssertionError(f"docker did not start:\n{(self.folder / 'log').read_text()[-2000:]}") from None

    def __call__(self, *words, data=None):
        done = subprocess.run([self.client, *words], input=data, capture_output=True, timeout=COMMAND_S, check=False)
        assert done.returncode == 0, (words, done.stderr)
        return done.stdout.decode()

    def make_image(self, name, programs=PROGRAMS):
        """Makes an image with these programs of this machine and their libraries."""
        archive = io.BytesIO()
        with tarfile.open(fileobj=archive, mode="w") as tar:
            for path, source in sorted(files_of(programs).items()):
                tar.add(os.path.realpath(source), path)
            folder = tarfile.TarInfo("tmp")
            folder.type, folder.mode = tarfile.DIRTYPE, 0o1777
            tar.addfile(folder)
        self("import", "-", name, data=archive.getvalue())

    def stop(self):
        """Removes all containers and ends the daemon."""
        if self._process is None:
            return
        with contextlib.suppress(AssertionError, subprocess.TimeoutExpired):
            containers = self("ps", "--all", "--quiet").split()
            if containers:
                self("rm", "--force", *containers)
        self._process.terminate()
        try:
            self._process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def files_of(programs):
    """The files of an image: path in the image -> path on this machine."""
    files = {}
    for name in programs:
        program = shutil.which(name, path="/usr/bin:/bin")
        files[f"bin/{name}"] = program
        libraries = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
        for word in libraries.split():
            if word.startswith("/"):
                files[word.lstrip("/")] = word
    return files


class _NoImages(http.server.BaseHTTPRequestHandler):
    def do_GET(self):  # noqa: N802
        found = self.path == "/v2/"
        error = {"errors": [{"code": "MANIFEST_UNKNOWN", "message": "manifest unknown"}]}
        body = json.dumps({} if found else error).encode()
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    do_HEAD = do_GET  # noqa: N815

    def log_message(self, *_):
        pass


class EmptyRegistry:
    """A docker registry on the loopback interface. `name` is the first part of its images' names."""

    def __enter__(self):
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _NoImages)
        self.name = f"127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

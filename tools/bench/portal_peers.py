"""The tools that the portal is compared with: MLflow on SQLite, TensorBoard, Spark's history server, Ray's dashboard.
Each is installed by `tools/ml-env dashboards`, and listens on loopback."""
import json
import os
import pathlib
import re
import signal
import socket
import sqlite3
import subprocess
import time
import urllib.error
import urllib.request
import uuid

LIMIT_SECONDS = 300  # for a server to become ready
ANSWER_SECONDS = 60  # for one answer
APPLICATIONS = 1_000  # in the folder of Spark's history server


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def ask(url, body=None):
    """The answer to a GET, or to a POST of JSON."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=ANSWER_SECONDS) as answer:
        return answer.read()


class Server:
    """A server process with its children. Use as a context manager."""

    def __init__(self, command, folder, environment=None):
        self.log = folder / "server.log"
        with open(self.log, "w") as log:
            self.process = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=log,
                                            stderr=log, start_new_session=True, cwd=folder,
                                            env={**os.environ, **(environment or {})})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            os.killpg(self.process.pid, signal.SIGTERM)
            self.process.wait(30)
        except ProcessLookupError:
            pass
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def until(self, url, condition):
        """The first answer of `url` that meets the condition. Polls, because the server reports nothing."""
        end = time.monotonic() + LIMIT_SECONDS
        while True:
            try:
                answer = ask(url)
                if condition(answer):
                    return answer
            except (OSError, urllib.error.HTTPError):
                pass
            if self.process.poll() is not None or time.monotonic() > end:
                log = self.log.read_text()[-2000:]
                raise RuntimeError(f"{url} does not answer; the end of the server's log:\n{log}")
            time.sleep(0.005)


class MlFlow:
    """MLflow with `runs` finished runs of one experiment: one is logged through its API, and its rows are copied."""

    def __init__(self, interpreter, folder, runs):
        self.programs, self.folder, self.runs = pathlib.Path(interpreter).parent, folder, runs
        self.database = folder / "mlflow.db"
        self.url = f"http://127.0.0.1:{free_port()}"

    def start(self):
        port = self.url.rpartition(":")[2]
        return Server([self.programs / "mlflow", "server", "--backend-store-uri", f"sqlite:///{self.database}",
                       "--default-artifact-root", self.folder / "artifacts", "--host", "127.0.0.1", "--port", port,
                       "--workers", "1"], self.folder)

    def ready(self, server):
        server.until(self.url + "/health", lambda answer: answer == b"OK")

    def call(self, path, body):
        return json.loads(ask(f"{self.url}/api/2.0/mlflow/{path}", body))

    def fill(self):
        with self.start() as server:
            self.ready(server)
            now = int(time.time() * 1000)
            run = self.call("runs/create", {"experiment_id": "0", "start_time": now, "run_name": "good-1"})
            run_id = run["run"]["info"]["run_id"]
            self.call("runs/log-batch", {
                "run_id": run_id, "params": [{"key": "lr", "value": "0.1"}, {"key": "user", "value": "ann"}],
                "metrics": [{"key": "loss", "value": 0.3, "timestamp": now, "step": 1}]})
            self.call("runs/update", {"run_id": run_id, "status": "FINISHED", "end_time": now + 3000})
        self.copy(run_id)

    def copy(self, run_id):
        with sqlite3.connect(self.database) as database:
            tables = [name for name, in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            for table in tables:
                columns = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
                if "run_uuid" not in columns:
                    continue
                for row in database.execute(f"SELECT * FROM {table} WHERE run_uuid = ?", (run_id,)).fetchall():
                    self.insert_copies(database, table, columns, row)
        database.close()

    def insert_copies(self, database, table, columns, row):
        places = ", ".join("?" * len(columns))
        values = dict(zip(columns, row))

        def copies():
            for number in range(1, self.runs):
                copy = {**values, "run_uuid": uuid.UUID(int=number).hex}
                if table == "runs":
                    copy.update(start_time=values["start_time"] - 1000 * number, name=f"good-{number % 500}")
                yield list(copy.values())
        database.executemany(f"INSERT INTO {table} VALUES ({places})", copies())

    def search(self, **query):
        return self.call("runs/search", {"experiment_ids": ["0"], "max_results": 50, **query})


class SparkHistory:
    """Spark's history server with the logs of APPLICATIONS applications: copies of a real one."""

    def __init__(self, interpreter, folder):
        self.interpreter, self.folder, self.port = interpreter, folder, free_port()
        self.logs = folder / "events"

    def fill(self):
        self.logs.mkdir()
        program = ("from pyspark.sql import SparkSession\n"
                   "s = SparkSession.builder.master('local[2]').config('spark.eventLog.enabled', 'true')"
                   f".config('spark.eventLog.dir', 'file://{self.logs}').config('spark.ui.enabled', 'false')"
                   ".config('spark.eventLog.rolling.enabled', 'false')"
                   ".config('spark.eventLog.compress', 'false').getOrCreate()\n"
                   "print(s.range(1000).repartition(4).count())\ns.stop()\n")
        subprocess.run([self.interpreter, "-c", program], check=True, capture_output=True, timeout=LIMIT_SECONDS)
        log, = self.logs.iterdir()
        text = log.read_text()
        for number in range(1, APPLICATIONS):
            id = f"local-{1_700_000_000_000 + number}"
            (self.logs / id).write_text(text.replace(log.name, id))

    def start(self):
        home = subprocess.run([self.interpreter, "-c", "import pyspark; print(pyspark.__path__[0])"], check=True,
                              capture_output=True, text=True).stdout.strip()
        return Server([pathlib.Path(home) / "bin/spark-class", "org.apache.spark.deploy.history.HistoryServer"],
                      self.folder, {"SPARK_HISTORY_OPTS": f"-Dspark.history.fs.logDirectory=file://{self.logs} "
                                    f"-Dspark.history.ui.port={self.port}", "SPARK_LOCAL_IP": "127.0.0.1"})

    def first_list(self, server):
        """Waits until the list has an application."""
        server.until(f"http://127.0.0.1:{self.port}/api/v1/applications?limit=50", lambda answer: b'"id"' in answer)

    def whole_list(self, server):
        server.until(f"http://127.0.0.1:{self.port}/api/v1/applications",
                     lambda answer: answer.count(b'"id"') >= APPLICATIONS)


class TensorBoard:
    """TensorBoard with `runs` runs of three scalars and 1,000 steps."""

    WRITE = """
import sys
from torch.utils.tensorboard import SummaryWriter
for run in range(int(sys.argv[2])):
    with SummaryWriter(f"{sys.argv[1]}/worker-{run}") as writer:
        for step in range(1000):
            for tag in ("loss", "accuracy", "rate"):
                writer.add_scalar(tag, step / (run + 1), step)
"""

    def __init__(self, interpreter, writer, folder, runs):
        self.program, self.folder = pathlib.Path(interpreter).parent / "tensorboard", folder
        self.writer, self.runs, self.port = writer, runs, free_port()
        self.url = f"http://127.0.0.1:{self.port}/"

    def fill(self):
        subprocess.run([self.writer, "-c", self.WRITE, self.folder / "runs", str(self.runs)], check=True,
                       capture_output=True, timeout=LIMIT_SECONDS)

    def start(self):
        return Server([self.program, "--logdir", self.folder / "runs", "--host", "127.0.0.1", "--port", str(self.port),
                       "--load_fast", "false"], self.folder)

    def ready(self, server):
        server.until(self.url + "data/plugin/scalars/tags", lambda answer: answer.count(b"accuracy") >= self.runs)


class RayDashboard:
    """An idle Ray of this machine with its dashboard."""

    def __init__(self, interpreter, folder):
        self.interpreter, self.folder = interpreter, folder

    def __enter__(self):
        program = ("import ray, signal\n"
                   "print(ray.init(include_dashboard=True, dashboard_port=0).dashboard_url, flush=True)\n"
                   "signal.pause()\n")
        self.process = subprocess.Popen([self.interpreter, "-c", program], stdout=subprocess.PIPE, text=True,
                                        stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self.folder)
        address = self.process.stdout.readline().strip()
        if not re.match(r"[\w.]+:\d+", address):
            raise RuntimeError(f"Ray printed '{address}' in place of the address of its dashboard")
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGINT)
        self.process.wait(60)

    def processes(self):
        """The ids of the dashboard's processes."""
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            try:
                command = (entry / "cmdline").read_bytes() if entry.name.isdigit() else b""
            except OSError:
                continue
            if b"ray/dashboard/dashboard.py" in command or b"ray-dashboard-" in command:
                found.append(int(entry.name))
        return found


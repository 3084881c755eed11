"""A server with the portal's API and made-up jobs, for tests of the pages alone: jobs in every state, hostile texts,
huge logs, and failures that a real portal shows only rarely. It serves the built pages with the portal's security
headers."""

import contextlib
import json
import pathlib
import queue
import re
import threading
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from browser_tab import LIMIT_MS
from fake_cluster import FakeCluster
from fake_jobs import (
    HOSTILE,
    comparison,
    job_detail,
    job_row,
    log_bytes,
    metrics,
    plan_answer,
    rerun_answer,
    scalar_data,
    scalars,
    series_answer,
    stacks_answer,
    tensorboard,
    timeline,
)

CSP = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "font-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    ]
)
TYPES = {
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "svg": "image/svg+xml",
    "txt": "text/plain; charset=utf-8",
}
STATES = ("QUEUED", "STARTING", "RUNNING", "RECOVERING", "SUCCEEDED", "FAILED", "KILLED")


class Problem(Exception):
    def __init__(self, status, detail, advice=None):
        super().__init__(detail)
        self.status, self.detail, self.advice = status, detail, advice


class FakePortal:
    """`jobs` has the rows of the list. `broken` has patterns of paths that answer 503. `streams` is whether there are
    server-sent events. `posts` has the requested changes."""

    def __init__(self, pages):
        self.pages = pathlib.Path(pages)
        self.jobs = [job_row(state, number) for number, state in enumerate(STATES)]
        self.jobs.append(job_row("FAILED", 20, name=HOSTILE, reason=HOSTILE, tags=[HOSTILE]))
        self.jobs += [job_row("FAILED", 30 + number, name="resnet50") for number in range(14)]
        self.cluster = FakeCluster(self.jobs)
        self.broken, self.streams, self.read_only, self.posts = [], True, False, []
        self.boards = []  # the TensorBoards of the portal
        self.missing = []  # paths of jobs that are not on this machine
        self.scalars_complete = False
        self.events = {}  # job -> extra events
        self.extra_log = {}  # job -> bytes behind the log of worker:0
        self._listeners = []
        self._lock = threading.Lock()
        self._delayed = {}  # path -> event that lets its answers go
        portal = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                portal.answer(self)

            def do_POST(self):
                portal.answer(self)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        with self._lock:
            for listener in self._listeners:
                listener.put(None)
        self.server.shutdown()
        self.server.server_close()

    def job(self, id):
        for row in self.jobs:
            if row["id"] == id:
                return row
        raise Problem(404, f"no job '{id}'", "`howdah list --all` shows the jobs")

    def publish(self, kind, data):
        """Sends an event to every stream that watches its topic."""
        with self._lock:
            for listener in self._listeners:
                listener.put((kind, data))

    def change_job(self, id, **changes):
        row = self.job(id)
        row.update(changes)
        self.publish("jobs", {"topic": "jobs", "jobs": [row], "removed": []})
        detail = job_detail(row)
        tasks = detail.pop("tasks")
        self.publish("job", {"topic": f"job:{id}", "job": detail, "tasks": tasks, "removed_tasks": [], "events": []})

    @contextlib.contextmanager
    def delayed(self, path):
        """Answers for `path` that are made inside the block are sent at its end. Yields the queue of these requests."""
        requests, release = queue.Queue(), threading.Event()
        self._delayed[path] = (requests, release)
        try:
            yield requests
        finally:
            del self._delayed[path]
            release.set()

    def add_job(self, row):
        self.jobs.insert(0, row)
        self.publish("jobs", {"topic": "jobs", "jobs": [row], "removed": []})

    def grow_log(self, id, text):
        self.extra_log[id] = self.extra_log.get(id, b"") + text
        topic = f"log:{id}/worker:0/0/0/stdout"
        self.publish("log", {"topic": topic, "size": self.log(id, "worker:0", "stdout").size, "ended": False})

    def log(self, id, task, stream):
        log = log_bytes(self.job(id)["name"], task, stream)
        return log.plus(self.extra_log.get(id, b"")) if (task, stream) == ("worker:0", "stdout") else log

    # --- HTTP ---

    def answer(self, handler):
        path, _, search = handler.path.partition("?")
        query = dict(urllib.parse.parse_qsl(search))
        path = urllib.parse.unquote(path)
        try:
            if not path.startswith("/api/v1/"):
                self.send_page(handler, path)
                return
            if any(re.search(pattern, path) for pattern in self.broken):
                raise Problem(
                    503, "the ResourceManager does not answer since 12:03: connection refused", "Check the network."
                )
            if handler.command == "POST":
                self.send_json(handler, *self.change(handler, path.split("/")[3:]))
            elif path == "/api/v1/stream":
                self.send_stream(handler, query.get("topics", "").split(","))
            elif re.search(r"/logs/[^/]+:\d+$", path):
                self.send_log(handler, path.split("/")[4], path.split("/")[6], query)
            elif path.endswith("/logs/search"):
                self.send(handler, 200, "application/x-ndjson", self.found(path.split("/")[4], query))
            elif path.endswith("/job.yaml"):
                secret = "hunter2" if query.get("reveal") == "1" else "•••"
                self.send(handler, 200, "application/yaml", f"name: demo\nenv: {{TOKEN: {secret}}}\n".encode())
            elif "text/csv" in handler.headers.get("Accept", ""):
                self.send(handler, 200, "text/csv", b"id,name\n1,demo\n")
            else:
                body = json.dumps(self.resource(path.split("/")[3:], query)).encode()
                if path in self._delayed:
                    requests, release = self._delayed[path]
                    requests.put(path)
                    release.wait(LIMIT_MS / 1000)
                self.send(handler, 200, "application/json", body)
        except Problem as problem:
            self.send_json(
                handler,
                problem.status,
                {"status": problem.status, "title": "Error", "detail": problem.detail, "advice": problem.advice},
            )
        except (BrokenPipeError, ConnectionResetError):
            pass

    def send(self, handler, status, kind, body, headers=()):
        handler.send_response(status)
        for name, value in (
            ("Content-Type", kind),
            ("Content-Length", str(len(body))),
            ("Content-Security-Policy", CSP),
            ("X-Content-Type-Options", "nosniff"),
            *headers,
        ):
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(body)

    def send_json(self, handler, status, value):
        self.send(handler, status, "application/json", json.dumps(value).encode())

    def send_page(self, handler, path):
        file = self.pages / path.lstrip("/")
        if not path.startswith("/assets/") or not file.is_file():
            file = self.pages / "index.html"
        self.send(handler, 200, TYPES[file.suffix[1:]], file.read_bytes())

    def send_stream(self, handler, topics):
        if not self.streams:
            self.send(handler, 204, "text/plain", b"")
            return
        handler.send_response(200)
        for name, value in (
            ("Content-Type", "text/event-stream"),
            ("Cache-Control", "no-cache"),
            ("Connection", "close"),
        ):
            handler.send_header(name, value)
        handler.end_headers()
        handler.close_connection = True
        listener = queue.Queue()
        with self._lock:
            self._listeners.append(listener)
        names = [topic.partition("@")[0] for topic in topics]
        try:
            self.send_events(handler, names, listener)
        finally:
            with self._lock:
                self._listeners.remove(listener)

    def send_events(self, handler, names, listener):
        def write(kind, data):
            handler.wfile.write(f"event: {kind}\ndata: {json.dumps(data)}\n\n".encode())
            handler.wfile.flush()

        for name in names:
            write("open", {"topic": name})
        while (event := listener.get()) is not None:
            kind, data = event
            if kind == "close":
                return
            if data["topic"] in names:
                write(kind, data)

    def send_log(self, handler, id, task, query):
        log = self.log(id, task, query.get("stream", "stdout"))
        limit = min(int(query.get("limit", 4 << 20)), 4 << 20)
        headers = [("Howdah-Size", str(log.size)), ("Howdah-Attempt", query.get("attempt", "0"))]
        if "line" in query:
            offset = log.offset_of_line(int(query["line"]))
            headers.append(("Howdah-Line", query["line"]))
        elif "tail" in query:
            offset = log.offset_of_tail(int(query["tail"]))
        else:
            offset = min(int(query.get("offset", 0)), log.size)
        body = log.read(offset, limit)
        self.send(handler, 200, "text/plain; charset=utf-8", body, [*headers, ("Howdah-Offset", str(offset))])

    def found(self, id, query):
        if query.get("regex") == "1" and "(" in query["q"]:
            raise Problem(400, "missing ): (", "Write \\( for a parenthesis.")
        log = self.log(id, "worker:0", "stdout")
        lines = log.read(0, 1 << 16).split(b"\n")
        hits, offset = [], 0
        for number, line in enumerate(lines, 1):
            if query["q"].encode() in line:
                hits.append(
                    {
                        "task": "worker:0",
                        "attempt": 0,
                        "rank": 0,
                        "stream": "stdout",
                        "offset": offset,
                        "line": number,
                        "text": line.decode(errors="replace")[:2000],
                    }
                )
            offset += len(line) + 1
        counts = {
            "counts": [{"task": "worker:0", "stream": "stdout", "hits": len(hits)}],
            "total": len(hits),
            "complete": True,
        }
        return "".join(json.dumps(value) + "\n" for value in [*hits, counts]).encode()

    def change(self, handler, parts):
        body = json.loads(handler.rfile.read(int(handler.headers["Content-Length"])))
        if handler.headers.get("Howdah-Request") != "1" or handler.headers["Content-Type"] != "application/json":
            raise Problem(403, "not a request of the portal's own pages")
        if parts == ["plan"]:
            return 200, plan_answer(body)
        if parts[0] in ("notebooks", "tensorboards"):
            return self.change_notebooks(parts, body)
        row = self.job(parts[1])
        self.posts.append((parts[1], parts[2], body))
        if parts[2] == "kill":
            self.change_job(row["id"], state="KILLED", finished="2026-11-21T07:00:00.000Z", reason="killed by ann")
            return 202, {"text": f"{row['id']}: stopping", "state": "RUNNING"}
        if parts[2] == "open":
            if body.get("port") == 9:
                raise Problem(409, "port 9 has no server", "Try another one.")
            port = self.server.server_port
            return 200, {"url": f"http://{'0123456789abcdef' * 2}.localhost:{port}/.howdah/open?ticket={'a' * 32}"}
        if parts[2] == "stacks":
            return 200, stacks_answer(row, body)
        if body.get("instances") == 3:
            raise Problem(409, "role 'worker' is not elastic", "Give it `instances: {min, max}`.")
        if parts[2] == "rerun":
            return 202, {"text": "howdah-new was submitted", "id": self.jobs[0]["id"]}
        return 202, {"text": f"{row['id']}: scaling worker to {body['instances']} tasks"}

    def change_notebooks(self, parts, body):
        self.posts.append((*parts, body))
        if parts == ["notebooks"]:
            if body.get("memory") == "9":
                raise Problem(400, "--memory: '9' has no unit; write 9GiB or 9216MiB")
            self.add_job(job_row("QUEUED", 40, name=body.get("name", "notebook"), tags=["notebook"]))
            return 202, {"text": "howdah-new was submitted", "id": self.jobs[0]["id"]}
        if parts == ["tensorboards"]:
            board = tensorboard(str(len(self.boards) + 1), [self.job(id) for id in body["jobs"]])
            self.boards.insert(0, board)
            return 202, {"id": board["id"], "text": "a TensorBoard is being started"}
        [board] = [board for board in self.boards if board["id"] == parts[1]]
        if parts[2] == "stop":
            self.boards.remove(board)
            return 200, {"text": "TensorBoard was stopped"}
        if board["state"] == "starting":
            board["state"] = "serving"
            raise Problem(503, "TensorBoard is still starting")
        port = self.server.server_port
        return 200, {"url": f"http://{'0123456789abcdef' * 2}.localhost:{port}/.howdah/open?ticket={'a' * 32}"}

    # --- resources ---

    def resource(self, parts, query):
        name = "/".join(part if i != 1 or parts[0] != "jobs" else "ID" for i, part in enumerate(parts))
        if name == "jobs":
            return self.list(query)
        if parts[0] == "jobs":
            return self.part(parts[1], name.removeprefix("jobs/ID").lstrip("/"), query)
        if name == "health":
            backend = {
                "runs_jobs": True,
                "detail": None,
                "since": "2026-11-21T06:00:00.000Z",
                "jobs": len(self.jobs),
                "live": 4,
                "complete": True,
            }
            failing = {**backend, "detail": "the ResourceManager does not answer: connection refused", "jobs": None}
            return {
                "version": "0.9.0",
                "started": "2026-11-21T06:00:00.000Z",
                "now": "2026-11-21T07:00:00.000Z",
                "user": "ann",
                "host": "laptop",
                "read_only": self.read_only,
                "backends": [
                    {"name": "local", "state": "ok", **backend},
                    {"name": "yarn", "state": "failing", **failing},
                ],
            }
        if name == "notebooks":
            rows = [row for row in self.jobs if "notebook" in (row["tags"] or [])]
            return {"notebooks": [{"idle_seconds": None, "ends_at": None, **row} for row in rows]}
        if name == "tensorboards":
            running = [row for row in self.jobs if row["state"] == "RUNNING"]
            return {"tensorboards": self.boards, "live": [{"id": row["id"], "name": row["name"]} for row in running]}
        if name == "compare":
            rows = {row["id"]: row for row in self.jobs}
            return comparison([rows.get(id, id) for id in query["ids"].split(",")])
        if parts[0] == "names":
            wanted = "/".join(parts[1:])
            return series_answer(wanted, [row for row in self.jobs if row["name"] == wanted])
        if name == "goodput":
            from fake_jobs import goodput_answer

            return goodput_answer(query.get("by", "job"))
        if parts[0] == "cluster":
            return self.cluster_part("/".join(parts[1:]), query)
        if name == "advice":
            from fake_jobs import FINDING

            return {"findings": [{**FINDING, "job": self.jobs[2]}], "notes": []}
        if name == "advice/checks":
            return {
                "checks": [
                    {
                        "check": "memory-over",
                        "examines": "The peak is low.",
                        "why": "It is held.",
                        "fix": "Request less.",
                    }
                ]
            }
        raise Problem(404, f"no route {name}")

    def cluster_part(self, name, query):
        if name == "":
            return self.cluster.summary(query.get("history") == "1")
        if name == "queues":
            return self.cluster.queues()
        if name == "applications":
            return self.cluster.applications()
        found = self.cluster.nodes(query.get("node"))
        if found is None:
            raise Problem(404, f"no backend has a node '{query['node']}'", "GET /api/v1/cluster/nodes lists the nodes")
        return found

    def list(self, query):
        wanted = query.get("q", "")
        if "colour:" in wanted:
            raise Problem(400, "unknown key 'colour' at 'colour:red'", "The keys are state, user, queue, name.")
        rows = [row for row in self.jobs if all(self.matches(row, word) for word in wanted.split())]
        key = query.get("sort", "-submitted")
        if key.lstrip("-") in ("name", "user", "state", "submitted"):
            rows = sorted(rows, key=lambda row: str(row[key.lstrip("-")]), reverse=key.startswith("-"))
        begin, limit = int(query.get("after") or 0), int(query.get("limit", 50))
        following = str(begin + limit) if begin + limit < len(rows) else None
        return {
            "total": len(rows),
            "complete": True,
            "jobs": rows[begin : begin + limit],
            "next": following,
            "notes": [],
        }

    @staticmethod
    def matches(row, word):
        key, colon, value = word.partition(":")
        if not colon:
            return word in row["name"] or word in row["id"]
        return key not in row or str(row[key]) in value.strip('"').split(",") or value == "me"

    def part(self, id, name, query):
        row = self.job(id)
        detail = job_detail(row)
        if name == "":
            return detail
        if name == "tasks":
            return {
                "tasks": detail["tasks"],
                "attempts": [{**task, "task": f"{task['role']}:{task['index']}"} for task in detail["tasks"]],
            }
        if name == "events":
            entries = [
                {
                    "seq": number,
                    "text": f"06:45:{number:02}.000  TaskStarted  worker:{number} {HOSTILE}",
                    "entry": {"time": f"2026-11-21T06:45:{number:02}.000Z", "type": "TaskStarted"},
                }
                for number in range(1, 30)
            ]
            after = int(query.get("after", 0))
            return {
                "events": [entry for entry in entries if entry["seq"] > after],
                "next": max(after, 29),
                "more": False,
            }
        if name == "timeline":
            return timeline(row)
        if name == "rerun":
            return rerun_answer(self.missing)
        if name == "config":
            return {
                "job": {"name": row["name"]},
                "hidden": ["env.TOKEN"],
                "previous": {
                    "id": "howdah-old",
                    "differences": [{"name": "roles.worker.memory", "before": "2GiB", "after": None}],
                },
            }
        if name == "advice":
            from fake_jobs import FINDING

            return {"findings": [FINDING] if row["findings"] else []}
        if name == "metrics":
            if row["state"] == "QUEUED":
                return {"start": None, "width": 0, "series": [], "note": f"{id} has no metrics"}
            return metrics(query)
        if name == "scalars":
            return scalars(self.scalars_complete)
        if name == "scalars/data":
            return scalar_data(query["tag"], self.scalars_complete)
        if name == "logs":
            sources = [
                {
                    "task": task,
                    "role": "worker",
                    "index": index,
                    "attempt": 0,
                    "rank": 0,
                    "stream": stream,
                    "size": self.log(id, task, stream).size,
                }
                for index, task in enumerate(("worker:0", "worker:1"))
                for stream in ("stdout", "stderr")
            ]
            return {"sources": [] if row["state"] == "QUEUED" else sources, "location": "/jobs/logs"}
        raise Problem(404, f"no route {name}")

"""The figures of `howdah portal`, beside the tools that its users know. Pages are measured in a headless browser."""
import calendar
import contextlib
import http.client
import json
import os
import pathlib
import signal
import statistics
import subprocess
import tempfile
import time
import urllib.parse

import portal_homes
from figures import HOWDAH, MIB, NotMeasured, Row, framework_python, index_queries, timed
from local_jobs import LocalBackend, memory_of
from portal_browser import Browser
from portal_peers import ANSWER_SECONDS, APPLICATIONS, MlFlow, RayDashboard, SparkHistory, TensorBoard
from portal_relay import Server

LIMIT_SECONDS = 120
QUERIES = 200
VISITS = 5
LIST_ROWS = "document.querySelectorAll('tbody tr').length >= 50"


class Portal:
    """`howdah portal` of a LocalBackend. Use as a context manager."""

    def __init__(self, backend):
        self.backend = backend

    def __enter__(self):
        self.process = subprocess.Popen([HOWDAH, "portal", "--listen", "127.0.0.1:0"], env=self.backend.environment,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                        text=True)
        self.url = self.process.stdout.readline().strip()
        self.port = urllib.parse.urlsplit(self.url).port
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGINT)
        self.process.wait(LIMIT_SECONDS)
        self.process.stdout.close()

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=LIMIT_SECONDS)

    def get(self, path, **query):
        return get(self.connect(), path, **query)

    def whole_list(self):
        """Waits until every job has been read once."""
        end = time.monotonic() + LIMIT_SECONDS
        while not self.get("jobs", limit=1)["complete"]:
            if time.monotonic() > end:
                raise NotMeasured(f"the list is not complete after {LIMIT_SECONDS} s")
            time.sleep(0.01)


def get(connection, path, **query):
    connection.request("GET", f"/api/v1/{path}?{urllib.parse.urlencode(query)}")
    response = connection.getresponse()
    body = response.read()
    if response.status != 200:
        raise NotMeasured(f"{path} answered {response.status}: {body[:300]}")
    return json.loads(body)


def percentile_99(times):
    return 1000 * sorted(times)[int(len(times) * 0.99) - 1]


def cpu_seconds(pids):
    """The CPU time that the processes have used."""
    ticks = os.sysconf("SC_CLK_TCK")
    total = 0
    for pid in pids:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        total += (int(fields[11]) + int(fields[12])) / ticks
    return total


def cpu_share(pids, seconds):
    """The CPU time of the processes during `seconds`, in percent of a core."""
    before, begin = cpu_seconds(pids), time.monotonic()
    time.sleep(seconds)
    return 100 * (cpu_seconds(pids) - before) / (time.monotonic() - begin)


def peers():
    return framework_python("dashboards")


@contextlib.contextmanager
def folder():
    with tempfile.TemporaryDirectory(prefix="howdah-bench-peer-", ignore_cleanup_errors=True) as name:
        yield pathlib.Path(name)


def remove_index(backend):
    for path in (backend.home / "portal").glob("index.db*"):
        path.unlink()


def start(backend):
    """(portal-a) From the start of the portal to the first answer with jobs, and to the whole list."""
    jobs = portal_homes.JOBS

    first, whole, again = [], [], []
    for _ in range(3):
        remove_index(backend)
        begin = time.perf_counter()
        with Portal(backend) as portal:
            while not portal.get("jobs")["jobs"]:
                time.sleep(0.002)
            first.append(time.perf_counter() - begin)
            portal.whole_list()
            whole.append(time.perf_counter() - begin)
    begun, ended = 1000 * sorted(first)[1], sorted(whole)[1]
    yield Row("portal-a", f"index of {jobs:,} jobs from nothing: first rows", begun, "ms", 3, "< 1 s", "")
    yield Row("portal-a", f"index of {jobs:,} jobs from nothing: all rows", ended, "s", 3, "< 60 s", "")
    for _ in range(VISITS):
        begin = time.perf_counter()
        with Portal(backend) as portal:
            portal.get("jobs")
            again.append(1000 * (time.perf_counter() - begin))
    ours = sorted(again)[VISITS // 2]
    yield Row("portal-a", f"start to the first list, index of {jobs:,} jobs", ours, "ms", VISITS, "< 150 ms", "")
    with folder() as place:
        spark = SparkHistory(peers(), place)
        spark.fill()
        begin = time.perf_counter()
        with spark.start() as server:
            spark.first_list(server)
            first = 1000 * (time.perf_counter() - begin)
            spark.whole_list(server)
            whole = time.perf_counter() - begin
    ratio = f"{first / ours:.0f} x ours"
    yield Row("portal-a", f"Spark's history server, {APPLICATIONS:,} applications: first", first, "ms", 1, "", ratio)
    yield Row("portal-a", f"Spark's history server, {APPLICATIONS:,} applications: all", whole, "s", 1, "", "")


def query_time(call):
    return percentile_99([timed(call) for _ in range(QUERIES)])


def queries(backend):
    """(portal-b) GET jobs over HTTP, beside MLflow's search of runs on SQLite."""
    yield from index_queries()
    with Portal(backend) as portal:
        portal.whole_list()
        connection = portal.connect()
        cursor = None
        for _ in range(50):
            answer = get(connection, "jobs", limit=1000, **({"after": cursor} if cursor else {}))
            cursor = answer["next"]
        user = portal.get("health")["user"]
        asked = {"newest 50": {}, "user and state": {"q": f"user:{user} state:FAILED"},
                 "part of a reason": {"q": "\"No module named\""}, "by goodput": {"sort": "-goodput"},
                 "page 1,000": {"after": cursor}}
        ours = {}
        for what, query in asked.items():
            ours[what] = query_time(lambda query=query: get(connection, "jobs", **query))
            yield Row("portal-b", f"GET jobs, {what}, p99", ours[what], "ms", QUERIES, "< 100 ms", "")
    with folder() as place:
        flow = MlFlow(peers(), place, portal_homes.JOBS)
        flow.fill()
        with flow.start() as server:
            flow.ready(server)
            for what, query in {"newest 50": {"order_by": ["attributes.start_time DESC"]},
                                "user and state": {"filter": "params.user = 'ann' and attributes.status = 'FINISHED'"},
                                "by goodput": {"order_by": ["metrics.loss DESC"]}}.items():
                try:
                    times = sorted(timed(lambda query=query: flow.search(**query)) for _ in range(11))
                except TimeoutError:
                    least = 1000 * ANSWER_SECONDS
                    yield Row("portal-b", f"MLflow, {what}, ended after", least, "ms", 1, "",
                              f"> {least / ours[what]:.1f} x ours")
                    continue
                figure = 1000 * times[-1]
                yield Row("portal-b", f"MLflow, {what}, slowest of 11", figure, "ms", 11, "",
                          f"{figure / ours[what]:.1f} x ours")


def visits(browser, url, condition):
    """The median time to the first paint, the longest task of all visits, the bytes of the page, and those of its
    code."""
    times, longest, visit = [], 0, None
    for _ in range(VISITS):
        with browser.open(url, condition) as visit:
            times.append(visit.painted_ms)
            longest = max(longest, visit.longest_task())
    return sorted(times)[VISITS // 2], longest, visit.bytes, visit.code_bytes


def wide_jobs(backend):
    """Two ended trainings of 8 and of 1,000 tasks, whose ranks have reported steps."""
    found = {}
    for tasks, count in ((8, 40), (portal_homes.WIDE, 80)):
        worker = {"instances": tasks, "memory": "4MiB", "command": portal_homes.steps(count)}
        found[tasks] = portal_homes.run(backend, f"wide-{tasks}", {"worker": worker}).name
    return found


def pages(backend):
    """(portal-c) The first paint with all rows, and the bytes to the browser, with an empty cache."""
    jobs = wide_jobs(backend)
    heat = "document.querySelector('.heat canvas') !== null"
    rows = "document.querySelectorAll('tbody tr').length >= 8"
    with Portal(backend) as portal, Browser(framework_python("browser")) as browser:
        portal.whole_list()
        job = f"{portal.url}jobs/{{}}?tab={{}}"
        measured = [("jobs", portal.url + "?fold=0", LIST_ROWS, "< 100 ms", "< 60 KB"),
                    ("job of 8 tasks, tasks", job.format(jobs[8], "tasks"), rows, "< 150 ms", "< 150 KB"),
                    ("job of 8 tasks, charts", job.format(jobs[8], "charts"), heat, "< 200 ms", "< 150 KB"),
                    ("job of 1,000 tasks, charts", job.format(jobs[portal_homes.WIDE], "charts"), heat,
                     "< 400 ms", "< 400 KB")]
        figures = {}
        for what, url, condition, time_goal, size_goal in measured:
            painted, longest, size, code = visits(browser, url, condition)
            figures[what] = painted
            yield Row("portal-c", f"{what}: first paint", painted, "ms", VISITS, time_goal, "")
            yield Row("portal-c", f"{what}: longest browser task", longest, "ms", VISITS, "< 200 ms", "")
            yield Row("portal-c", f"{what}: data to the browser", (size - code) / 1000, "KB", 1, size_goal, "")
        yield Row("portal-c", "code alone", code / 1000, "KB", 1, "< 80 KB", "")
        with folder() as place:
            flow = MlFlow(peers(), place, 1_000)
            flow.fill()
            with flow.start() as server:
                flow.ready(server)
                painted, _, size, code = visits(browser, flow.url + "/#/experiments/0/runs", (
                    "document.querySelectorAll('[role=row]').length >= 20"))
        yield from peer_pages("MLflow, 1,000 runs", painted, size, code, figures["jobs"])
        with folder() as place:
            board = TensorBoard(peers(), framework_python("demo"), place, 8)
            board.fill()
            with board.start() as server:
                board.ready(server)
                painted, _, size, code = visits(browser, board.url + "#timeseries", (
                    "document.querySelectorAll('scalar-card line-chart').length >= 2"))
        yield from peer_pages("TensorBoard, 8 runs", painted, size, code, figures["job of 8 tasks, charts"])


def peer_pages(what, painted, size, code, ours):
    yield Row("portal-c", f"{what}: first paint", painted, "ms", VISITS, "", f"{painted / ours:.1f} x ours")
    yield Row("portal-c", f"{what}: data to the browser", (size - code) / 1000, "KB", 1, "", "")
    yield Row("portal-c", f"{what}: code", code / 1000, "KB", 1, "", "")


WATCH_END = """() => { window.__ended = new Promise(resolve => {
  const look = () => document.body.innerText.includes("SUCCEEDED") && (resolve(Date.now()), true);
  const observer = new MutationObserver(() => look() && observer.disconnect());
  observer.observe(document, {childList: true, subtree: true, characterData: true, attributes: true});
}); }"""


def live(backend):
    """(portal-e) From the time of a journal entry to the page that shows it."""
    delays = []
    with Portal(backend) as portal, Browser(framework_python("browser")) as browser:
        for number in range(11):
            gate = backend.home / f"gate-{number}"
            os.mkfifo(gate)
            job = backend.submit(f"gate-{number}", {"w": {"command": f"read line < {gate}"}})
            job.wait_for("TaskStarted")
            url = f"{portal.url}jobs/{job.id}"
            with browser.open(url, "document.body && document.body.innerText.includes('RUNNING')") as visit:
                visit.page.evaluate(WATCH_END)
                gate.write_text("go\n")
                shown = visit.page.evaluate("() => window.__ended")
            entry = next(entry for entry in job.journal() if entry["type"] == "JobFinished")
            delays.append(shown - milliseconds(entry["time"]))
    middle = sorted(delays)[len(delays) // 2]
    yield Row("portal-e", "journal entry to page, local", middle, "ms", len(delays), "< 50 ms", "")


def milliseconds(text):
    """A time of the journal as milliseconds since 1970."""
    whole, _, fraction = text.rstrip("Z").partition(".")
    return 1000 * calendar.timegm(time.strptime(whole, "%Y-%m-%dT%H:%M:%S")) + int(fraction or 0)


def large_log(backend):
    """(portal-f) A log of 1 GB in the browser."""
    script = backend.home / "write.py"
    script.write_text(portal_homes.WRITE_LOG)
    job = portal_homes.run(backend, "large-log", {"w": {"memory": "128MiB", "command": ["python3", str(script)]}}).name
    line = "[...document.querySelectorAll('.log-line')].some(line => line.textContent.includes('{}'))"
    hits = "document.querySelectorAll('ol[aria-label=Hits] li').length"
    with Portal(backend) as portal, Browser(framework_python("browser")) as browser:
        url = f"{portal.url}jobs/{job}?tab=logs&follow=0"
        for what, more, condition, goal in (
                ("first screen", "&at=0", line.format("line 000000001 "), "< 150 ms"),
                ("the end", "&at=end", line.format(f"line {portal_homes.LOG_LINES:09} "), "< 150 ms"),
                ("line 5,000,000", "&line=5000000", line.format("line 005000000 "), "< 500 ms"),
                ("all hits of a rare word", f"&find={portal_homes.RARE_WORD}",
                 f"{hits} >= {len(portal_homes.RARE_LINES)}", "< 1 s")):
            times, longest = [], 0
            for _ in range(VISITS):
                with browser.open(url + more, condition) as visit:
                    times.append(visit.painted_ms)
                    longest = max(longest, visit.longest_task())
                    heap = visit.heap()
            yield Row("portal-f", f"log of 1 GB: {what}", sorted(times)[VISITS // 2], "ms", VISITS, goal, "")
            yield Row("portal-f", f"log of 1 GB: {what}: longest browser task", longest, "ms", VISITS, "< 200 ms", "")
            yield Row("portal-f", f"log of 1 GB: {what}: heap of the page", heap / MIB, "MiB", 1, "< 100 MB", "")


def load(backend):
    """(portal-g) Memory and CPU of the portal: idle with many jobs, and with 200 viewers of a job of 64 tasks."""
    with Portal(backend) as portal:
        portal.whole_list()
        time.sleep(5)  # until the work after the start is done
        share = cpu_share([portal.process.pid], 60)
        resident = memory_of(portal.process.pid)[0] / MIB
    jobs = portal_homes.JOBS
    yield Row("portal-g", f"idle, {jobs:,} jobs: resident memory", resident, "MiB", 1, "< 64 MiB", "")
    yield Row("portal-g", f"idle, {jobs:,} jobs: CPU during 60 s", share, "% of a core", 1, "< 0.1 %", "")
    worker = {"instances": 64, "memory": "4MiB", "command": portal_homes.steps(600)}
    job = backend.submit("viewed", {"worker": worker})
    job.wait_for("TaskStarted")
    with Portal(backend) as portal:
        portal.whole_list()
        viewers = [viewer(portal, job.id, number) for number in range(200)]
        time.sleep(10)
        share = cpu_share([portal.process.pid], 30)
        memory = memory_of(portal.process.pid)[0] / MIB
        for connection in viewers:
            connection.close()
    job.kill()
    yield Row("portal-g", "200 viewers of a job of 64 tasks: resident memory", memory, "MiB", 1, "< 160 MiB", "")
    yield Row("portal-g", "200 viewers of a job of 64 tasks: CPU during 30 s", share, "% of a core", 1, "< 25 %", "")
    with folder() as place, RayDashboard(peers(), place) as ray:
        time.sleep(20)
        pids = ray.processes()
        share = cpu_share(pids, 60)
        memory = sum(memory_of(pid)[0] for pid in pids) / MIB
    ratio = f"{memory / resident:.1f} x ours"
    yield Row("portal-g", "Ray's dashboard, idle: resident memory", memory, "MiB", 1, "", ratio)
    yield Row("portal-g", "Ray's dashboard, idle: CPU during 60 s", share, "% of a core", 1, "", "")


def viewer(portal, job, number):
    """A connection that follows a job, as the page of one browser does. The kernel buffers what it does not read."""
    connection = portal.connect()
    topics = urllib.parse.urlencode({"topics": f"job:{job},metrics:{job}"})
    connection.request("GET", f"/api/v1/stream?{topics}", headers={"User-Agent": f"viewer-{number}"})
    connection.sock.recv(1)
    return connection


def relay(backend):
    """(portal-h) A server of a job through its origin in the portal, beside `howdah open` and the server itself."""
    gib, runs, count = 1 << 30, 3, 500
    with Portal(backend) as portal, Server(backend) as server:
        routes = {"its origin": server.through(portal), "howdah open": server.tunnelled(), "direct": server.direct()}
        times = {name: [] for name in routes}
        for _ in range(runs):  # alternately, so that load from outside affects all of them
            for name, route in routes.items():
                times[name].append(route.download(gib))
        rates = {name: gib / MIB / sorted(each)[runs // 2] for name, each in times.items()}
        for name, rate in rates.items():
            ratio = f"{rates['its origin'] / rate:.2f} of this rate"
            goal, ratio = (">= 80 % open", "") if name == "its origin" else ("", "ours: " + ratio)
            yield Row("portal-h", f"1 GiB, {name}", rate, "MiB/s", runs, goal, ratio)
        delays = {name: 1000 * statistics.median(route.echoes(count)) for name, route in routes.items()}
        for name, delay in delays.items():
            goal = "open + 2 ms" if name == "its origin" else ""
            yield Row("portal-h", f"WebSocket echo, {name}", delay, "ms", count, goal, "")


NEEDS_MANY = {"portal-a": start, "portal-b": queries, "portal-c": pages, "portal-g": load}
NEEDS_NONE = {"portal-e": live, "portal-f": large_log, "portal-h": relay}
ITEMS = {**NEEDS_MANY, **NEEDS_NONE}


def measure(items):
    """Yields (item, rows) of the items. Those with many jobs share a folder of jobs."""
    with LocalBackend() as backend:
        for item in items:
            if item in NEEDS_NONE:
                yield item, NEEDS_NONE[item](backend)
        many = [item for item in items if item in NEEDS_MANY]
        if many:
            portal_homes.fill(backend)
        for item in many:
            yield item, NEEDS_MANY[item](backend)

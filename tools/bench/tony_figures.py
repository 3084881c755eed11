"""(g) Howdah compared with TonY: both run the same jobs alternately on the same cluster."""
import os
import re
import statistics
import time

from figures import MIB, Row
from local_jobs import memory_of
from tony_jobs import Tony
from yarn_jobs import LIMIT_S

from machine import processes  # in tests/support

WIDTHS = (2, 8, 16)
IDLE_S = 10
ROLES = {  # patterns for the command lines of each kind of process: (of Howdah, of TonY)
    "client": (r"bin/howdah run ", r"com\.linkedin\.tony\.TonyClient"),
    "AM": (r"howdah-agent am ", r"com\.linkedin\.tony\.ApplicationMaster"),
    "executor": (r"howdah-agent task ", r"com\.linkedin\.tony\.TaskExecutor"),
}
TICKS = os.sysconf("SC_CLK_TCK")


def pids(role, way):
    """The pids of the running processes of a kind, without the shells that started them."""
    named = re.compile(ROLES[role][way])
    return [pid for pid, (_, command, _) in processes().items() if named.search(command) and "bash" not in command[:20]]


def cpu_seconds(of):
    def ticks(pid):
        with open(f"/proc/{pid}/stat") as stat:
            return sum(map(int, stat.read().rsplit(")", 1)[1].split()[11:13]))
    return sum(ticks(pid) for pid in of) / TICKS


def idle_cpu(way):
    """The CPU time that AM and executors use together while the tasks sleep, in percent of one core."""
    watched = pids("AM", way) + pids("executor", way)
    before = cpu_seconds(watched)
    time.sleep(IDLE_S)  # CPU time is measured during this pause
    return 100 * (cpu_seconds(watched) - before) / IDLE_S


def largest_rss_mib(role, way):
    return max(memory_of(pid)[0] for pid in pids(role, way)) / MIB


def surplus(yarn, app, width):
    return yarn.cluster.app(app)["runningContainers"] - (width + 1)


class Ours:
    """A `howdah run` with tasks that sleep."""
    way = 0

    def __init__(self, yarn, width, seconds):
        self.yarn = yarn
        self.out = yarn.folder / f"ours-{time.monotonic_ns()}"
        self.out.mkdir()
        self.width, stamp = width, f"{self.out}/$HOWDAH_TASK_INDEX"
        self.started = time.time()
        self.client = yarn.howdah.start(
            "run", "--workers", width, "--memory", "64MiB", "--", "bash", "-c",
            f"date +%s%N >{stamp}.new && mv {stamp}.new {stamp} && exec sleep {seconds}", cwd=self.out)

    def starts(self):
        paths = [self.out / str(task) for task in range(self.width)]
        self.yarn.cluster.wait(lambda: all(p.exists() for p in paths), "our tasks", LIMIT_S)
        return [int(path.read_text()) / 1e9 for path in paths]

    def wait(self):
        self.client.communicate(timeout=LIMIT_S)
        return time.time()


def newest(yarn):
    return max(app["id"] for app in yarn.cluster.apps())


def wall(make):
    """The seconds from the start of the client to its end, for a job with one task that ends at once."""
    job = make(1, 0)
    seconds = job.wait() - job.started
    if job.client.returncode != 0:
        raise RuntimeError(f"a job ended with {job.client.returncode}")
    return seconds


def beside_tony(yarn, runs):
    tony = Tony(yarn)
    makes = {"howdah": lambda width, seconds: Ours(yarn, width, seconds), "TonY 0.4.7": tony.run}
    for make in makes.values():  # the first jobs fill the caches of files
        wall(make)
    for width in WIDTHS:
        clients, submissions, beyond, memory, cpu = ({name: [] for name in makes} for _ in range(5))
        for run in range(runs):
            for way, (name, make) in enumerate(makes.items()):
                looked_at = width == WIDTHS[0] and run == 0
                job = make(width, 3 + (2 * IDLE_S if looked_at else 0))
                ended = max(job.starts())
                app = newest(yarn)
                submitted = yarn.rm_log_time(f"{app} State change from", "to SUBMITTED")
                clients[name].append(ended - job.started)
                submissions[name].append(ended - submitted)
                beyond[name].append(surplus(yarn, app, width))
                if looked_at:
                    cpu[name] = idle_cpu(way)
                    memory[name] = {role: largest_rss_mib(role, way) for role in ROLES}
                job.wait()
                yarn.cluster.wait_idle(LIMIT_S)
        for name in makes:
            of = {key: statistics.median(value[name]) for key, value in (("all", clients), ("rm", submissions))}
            ratio = "" if name == "howdah" else f"{of['rm'] / statistics.median(submissions['howdah']):.1f} x howdah"
            yield Row("g", f"{name}, {width} workers: submitted to all running", of["rm"], "s", runs, "", ratio)
            yield Row("g", f"{name}, {width} workers: client's start to all running", of["all"], "s", runs, "", "")
            yield Row("g", f"{name}, {width} workers: containers beyond the ask", max(beyond[name]), "", runs, "", "")
            if width == WIDTHS[0]:
                for role, size in memory[name].items():
                    yield Row("g", f"{name}: {role}, resident", size, "MiB", 1, "", "")
                yield Row("g", f"{name}: AM and {width} executors, idle", cpu[name], "% CPU", 1, "", "")
    for name, make in makes.items():
        walls = [wall(make) for _ in range(runs)]
        yield Row("g", f"{name}: a job of one task that does nothing", statistics.median(walls), "s", runs, "", "")

"""The backends in which faults are made, and the jobs that run on them."""
import contextlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
TRAIN = ROOT / "tools/chaos/train"
sys.path[:0] = [str(ROOT / "tests/yarn"), str(ROOT / "tests/support")]


def installed(name):
    return subprocess.run([str(ROOT / "tools/ml-env"), name], stdout=subprocess.PIPE, text=True,
                          check=True).stdout.strip()


def fetch(names, on):
    """Installs missing environments. Must be called before the process enters its own network namespace."""
    for name in names:
        installed(name)
    if on == "yarn":
        from hadoop_tree import Hadoop
        Hadoop()


@contextlib.contextmanager
def start_howdah(on, folder):
    """Runs Howdah on this machine, or on a cluster with two ResourceManagers and three nodes in separate networks. The
    cluster detects silent nodes and AMs after seconds instead of minutes."""
    if on == "local":
        from machine import Machine
        howdah = Machine(folder / "home")
        yield howdah
        howdah.close()
        return
    from cluster import Cluster
    from cluster_setup import Setup
    from cluster_user import Howdah
    setup = Setup(networks=True, rm_ha=True, nm_recovery=True, extra={"yarn-site": {
        "yarn.nm.liveness-monitor.expiry-interval-ms": 10_000, "yarn.am.liveness-monitor.expiry-interval-ms": 20_000,
        "yarn.resourcemanager.am.max-attempts": 1000}})
    with Cluster(setup) as cluster:
        yield Howdah(cluster, folder / "home")


# Per framework: its environment, its script, its roles (the first role reports the result), and the approximate share
# of time that the faults leave for training. A lost rank of PyTorch stops all ranks. A lost worker of TensorFlow stops
# no other task.
RESTART = "restart: {max: 100000, backoff: 100ms}"
ROLES = {
    "pytorch": ("torch", "ddp_steps.py", {"worker": "instances: 4, memory: 512MiB"}, 0.5),
    "tensorflow": ("tensorflow", "ps_steps.py", {
        "chief": "chief: true, memory: 1GiB", "worker": "instances: 2, memory: 1GiB",
        "ps": "kind: service, memory: 1GiB"}, 0.75),
}


class Training:
    """A training on Fashion-MNIST: DDP with four workers, or TensorFlow with two workers and a parameter server."""

    def __init__(self, howdah, framework, steps, pace, name):
        self.howdah, self.steps = howdah, steps
        environment, script, roles, _ = ROLES[framework]
        self.speaker = f"{next(iter(roles))}:0"
        folder = pathlib.Path(tempfile.mkdtemp(prefix="howdah-chaos-"))
        (folder / "checkpoints").mkdir()
        job = folder / "job.yaml"
        command = f"exec {installed(environment)} {script}"
        job.write_text(f"""
name: {name}
framework: {framework}
source: {TRAIN}
checkpoint: {{dir: "{folder}/checkpoints", grace: 5s}}
timeouts: {{heartbeat: 10s, register: 1m, gang: 10m}}
am: {{attempts: 1000}}
restart: {{max: 1000}}
env: {{STEPS: "{steps}", PACE: "{pace}", SAVE_EVERY: "20", DATA: "{installed('data')}", TF_CPP_MIN_LOG_LEVEL: "2"}}
roles:
""" + "".join(f"  {role}: {{{keys}, {RESTART}, command: {command}}}\n" for role, keys in roles.items()))
        self.job = howdah.submit(job, timeout=120)

    def result(self, timeout):
        """Waits for the end of the job, which must succeed. Returns (accuracy, number of steps, sum of the numbers of
        all steps) from its log."""
        done = self.howdah("wait", self.job, timeout=timeout)
        if done.code != 0:
            raise SystemExit(f"the job ended with {done}")
        log = self.howdah("logs", self.job, self.speaker, timeout=60).stdout
        accuracy, steps, total = re.findall(r"RESULT accuracy (\S+) steps (\d+) sum (\d+)", log)[-1]
        return float(accuracy), int(steps), int(total)


class Source:
    """The process that supplies the rows of a feed. It can be killed and started again."""

    def __init__(self, howdah, job, env):
        from machine import BIN
        self._command = [installed("feeds"), str(TRAIN / "feed_source.py"), job]
        self._env = {**howdah.env, **env, "PATH": f"{BIN.parent}{os.pathsep}{os.environ['PATH']}",
                     "PYTHONPATH": str(ROOT / "python")}
        self._log = tempfile.TemporaryFile("w+")
        self.start()

    def start(self):
        self._process = subprocess.Popen(self._command, env=self._env, stdout=self._log, stderr=self._log)

    @property
    def pid(self):
        return self._process.pid

    def log(self):
        self._log.seek(0)
        return self._log.read()

    def kill(self):
        self._process.kill()
        self._process.wait()


class Reading:
    """A job whose ranks read a feed pass after pass. A process of its own supplies the rows: Source."""

    RANKS = 3

    def __init__(self, howdah, pace=0.02):
        self.howdah, self.speaker = howdah, "worker:0"
        folder = pathlib.Path(tempfile.mkdtemp(prefix="howdah-chaos-"))
        (folder / "checkpoints").mkdir()
        self._end = folder / "end"
        rows = {"PARTITIONS": ",".join(["300", "3000", "0", "2700", "300", "0", "3001"] * 2)}
        env = {**rows, "PACE": str(pace), "SAVE_EVERY": "25", "END": str(self._end),
               "PYTHONPATH": str(ROOT / "python"), "OMP_NUM_THREADS": "1"}
        job = folder / "job.yaml"
        # The spool has a part of the rows of a pass, so each pass needs the source.
        job.write_text(f"""
name: feed
framework: pytorch
source: {TRAIN}
checkpoint: {{dir: "{folder}/checkpoints", grace: 5s}}
timeouts: {{heartbeat: 10s, register: 1m, gang: 10m, feed: 5m}}
am: {{attempts: 1000}}
restart: {{max: 1000}}
env: {json.dumps(env)}
feeds:
  train: {{epochs: 1000000, remainder: short, shuffle: 200, seed: 5, buffer: 1MiB, spool: 3MiB}}
roles:
  worker: {{instances: {self.RANKS}, memory: 512MiB, {RESTART}, command: exec {installed("feeds")} feed_steps.py}}
""")
        self.job = howdah.submit(job, timeout=120)
        self.source = Source(howdah, self.job, rows)

    def result(self, timeout):
        """Lets the job end after its current pass. Returns the number of steps, and (rows missing, rows repeated) of
        each pass in the checkpoint."""
        self._end.touch()
        done = self.howdah("wait", self.job, timeout=timeout)
        self.source.kill()
        if done.code != 0:
            raise SystemExit(f"the job ended with {done}; its source printed {self.source.log()}")
        log = self.howdah("logs", self.job, self.speaker, timeout=60).stdout
        found = json.loads(re.findall(r"RESULT (.*)", log)[-1])
        return found["steps"], found["passes"]

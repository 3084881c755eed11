"""The backends in which faults are made, and the training job that runs on them."""
import contextlib
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/yarn"), str(ROOT / "tests/support")]


def installed(name):
    return subprocess.run([str(ROOT / "tools/ml-env"), name], stdout=subprocess.PIPE, text=True,
                          check=True).stdout.strip()


def fetch(framework, on):
    """Installs missing environments. Must be called before the process enters its own network namespace."""
    for name in (ROLES[framework][0], "data"):
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
source: {ROOT}/tools/chaos/train
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

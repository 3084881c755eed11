"""Places to disturb, and the job that is trained there."""
import contextlib
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/yarn"), str(ROOT / "tests/support")]

WORKERS = 4


def installed(name):
    return subprocess.run([str(ROOT / "tools/ml-env"), name], stdout=subprocess.PIPE, text=True,
                          check=True).stdout.strip()


@contextlib.contextmanager
def place(on, folder):
    """Howdah on this machine, or on a cluster of three nodes with networks of their own and two ResourceManagers, where
    silence is noticed after seconds instead of minutes."""
    if on == "local":
        from machine import Machine
        howdah = Machine(folder / "home")
        yield howdah
        howdah.close()
        return
    from cluster import Cluster
    from cluster_setup import Setup
    from howdah import Howdah
    setup = Setup(networks=True, rm_ha=True, nm_recovery=True, extra={"yarn-site": {
        "yarn.nm.liveness-monitor.expiry-interval-ms": 10_000, "yarn.am.liveness-monitor.expiry-interval-ms": 20_000,
        "yarn.resourcemanager.am.max-attempts": 1000}})
    with Cluster(setup) as cluster:
        yield Howdah(cluster, folder / "home")


class Training:
    """DDP over four workers, on Fashion-MNIST."""

    def __init__(self, howdah, steps, pace, name):
        self.howdah, self.steps = howdah, steps
        folder = pathlib.Path(tempfile.mkdtemp(prefix="howdah-chaos-"))
        (folder / "checkpoints").mkdir()
        job = folder / "job.yaml"
        job.write_text(f"""
name: {name}
framework: pytorch
source: {ROOT}/tools/chaos/train
checkpoint: {{dir: "{folder}/checkpoints", grace: 5s}}
timeouts: {{heartbeat: 10s, register: 1m, gang: 10m}}
am: {{attempts: 1000}}
restart: {{max: 1000}}
env: {{STEPS: "{steps}", PACE: "{pace}", SAVE_EVERY: "20", DATA: "{installed('data')}"}}
roles:
  worker:
    instances: {WORKERS}
    memory: 512MiB
    restart: {{max: 100000, backoff: 100ms}}
    command: exec {installed('torch')} ddp_steps.py
""")
        self.job = howdah.submit(job, timeout=120)

    def result(self, timeout):
        """(accuracy, steps, sum of their numbers) as the model has it, once the job has ended well."""
        done = self.howdah("wait", self.job, timeout=timeout)
        if done.code != 0:
            raise SystemExit(f"the job ended with {done}")
        log = self.howdah("logs", self.job, "worker:0", timeout=60).stdout
        accuracy, steps, total = re.findall(r"RESULT accuracy (\S+) steps (\d+) sum (\d+)", log)[-1]
        return float(accuracy), int(steps), int(total)

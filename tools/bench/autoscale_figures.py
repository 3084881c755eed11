"""The figures of the autoscaler's models: `howdah autoscale simulate` with the built-in workloads."""
import json
import pathlib
import statistics
import subprocess
import tempfile
import time

from figures import HOWDAH, NotMeasured, Row

# The policy of the talk, with the smallest size as a parameter.
POLICY = """workerConfig: {{minInstances: {least}, maxInstances: 10}}
basicAlgorithm:
  cooldownPeriod: 120s
  yarnConfig: {{scaleUpFactor: 1.0, scaleDownFactor: 1.0, gracefulDecommissionTimeout: {drain}}}
"""
SEEDS = (1, 2, 3)


def simulate(workload, mode="gangs", least=2, drain="900s", seed=1):
    """Returns the figures of the simulation, and the time that it took."""
    with tempfile.TemporaryDirectory() as folder:
        policy = pathlib.Path(folder) / "policy.yaml"
        policy.write_text(POLICY.format(least=least, drain=drain))
        begin = time.perf_counter()
        done = subprocess.run([HOWDAH, "autoscale", "simulate", policy, "--workload", workload, "--mode", mode,
                               "--seed", str(seed), "--json"], capture_output=True, text=True)
        took = time.perf_counter() - begin
    if done.returncode not in (0, 1):
        raise NotMeasured(done.stderr.strip())
    return json.loads(done.stdout), took


def demo():
    """(a) Ten TensorFlow jobs and a PyTorch job on two to ten nodes."""
    goals = {90: ("235 s", "0.95"), 240: ("530 s", "1.55"), 600: ("1250 s", "3.0")}
    for seconds, (goal, hours_goal) in goals.items():
        workload = f"demo:{seconds}s"
        gangs, rule, ten = (simulate(workload)[0], simulate(workload, "dataproc")[0], simulate(workload, least=10)[0])
        yield Row("autoscale-a", f"demo, {seconds} s of training: all jobs done", gangs["makespan_s"], "s", 1, goal,
                  f"dataproc {rule['makespan_s']:.0f} s, ten nodes from the start {ten['makespan_s']:.0f} s")
        yield Row("autoscale-a", f"demo, {seconds} s of training: node-hours", gangs["node_hours"], "h", 1, hours_goal,
                  f"dataproc {rule['node_hours']:.2f} h")


def fleet():
    """(b) A day of jobs on up to 100 nodes, with GPU tasks of 55 and of 30 GiB."""
    for memory in ("55GiB", "30GiB"):
        runs = [simulate(f"fleet:100:{memory}", drain="1d", seed=seed) for seed in SEEDS]
        for what, key, unit, goal in (("mean wait", "mean_wait_s", "s", "< 60 s" if memory == "30GiB" else ""),
                                      ("node-hours", "node_hours", "h", ""),
                                      ("work killed", "lost_task_hours", "task-h", "0")):
            yield Row("autoscale-b", f"fleet:100, {memory} a GPU: {what}",
                      statistics.median(figures[key] for figures, _ in runs), unit, len(runs), goal, "")
        yield Row("autoscale-b", f"fleet:100, {memory} a GPU: a day is simulated in",
                  statistics.median(took for _, took in runs), "s", len(runs), "", "")


ITEMS = {"autoscale-a": demo, "autoscale-b": fleet}


def measure(item):
    if not HOWDAH.exists():
        raise NotMeasured(f"{HOWDAH} is not built")
    yield from ITEMS[item]()

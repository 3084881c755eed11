"""`howdah autoscale simulate`, and the checks of files that need no cluster."""
import json

import pytest

POLICY = """workerConfig: {minInstances: 2, maxInstances: 10, weight: 50}
secondaryWorkerConfig: {weight: 50}
basicAlgorithm:
  cooldownPeriod: 120s
  yarnConfig: {scaleUpFactor: 1.0, scaleDownFactor: 1.0, gracefulDecommissionTimeout: 900s}
"""
WORKLOAD = """node: {memory: 12GiB, vcores: 4}
jobs:
  - {name: wide, run: 1m, tasks: [{instances: 4, memory: 8GiB}]}
"""


@pytest.fixture
def policy(tmp_path):
    path = tmp_path / "policy.yaml"
    path.write_text(POLICY)
    return path


def test_simulated_gang_gets_its_nodes(howdah, policy, tmp_path):
    (tmp_path / "w.yaml").write_text(WORKLOAD)
    done = howdah("autoscale", "simulate", policy, "--workload", tmp_path / "w.yaml")
    assert done.code == 0, done
    assert "SCALE_UP 2 + 0 → 4 + 0: 2 nodes of the group primary are missing for wide" in done.stdout
    assert "1 job, all ended after" in done.stdout
    done = howdah("autoscale", "simulate", policy, "--workload", tmp_path / "w.yaml", "--json")
    figures = json.loads(done.stdout)
    assert figures["largest"] == 4 and figures["unfinished"] == 0, figures


def test_gang_that_never_fits_fails_the_simulation(howdah, policy, tmp_path):
    (tmp_path / "w.yaml").write_text(WORKLOAD.replace("instances: 4", "instances: 40"))
    done = howdah("autoscale", "simulate", policy, "--workload", tmp_path / "w.yaml")
    assert done.code == 1, done
    assert "wide: needs 40 × 8 GiB" in done.stdout and "1 job, 1 has not ended" in done.stdout


@pytest.mark.parametrize("arguments, message", [
    ((), "--workload demo, fleet:100 or a file"),
    (("--workload", "fleet:0"), "'0' is not a number of nodes from 1 to 10000"),
    (("--workload", "demo", "--mode", "other"), "'other' is not a mode; write gangs or dataproc"),
    (("--workload", "demo", "--seed", "x"), "--seed: 'x' is not a whole number"),
])
def test_wrong_arguments(howdah, policy, arguments, message):
    done = howdah("autoscale", "simulate", policy, *arguments)
    assert done.code == 2, done
    assert message in done.stderr


def test_problems_of_both_files_are_named(howdah, policy, tmp_path):
    policy.write_text(POLICY.replace("maxInstances", "maxInstance"))
    (tmp_path / "w.yaml").write_text("node: {memory: 12GiB, vcores: 4}\njobs: [{name: a, run: 1m}]\n")
    done = howdah("autoscale", "simulate", policy, "--workload", tmp_path / "w.yaml")
    assert done.code == 2, done
    assert "policy.yaml:1: workerConfig.maxInstance: unknown key; did you mean 'maxInstances'?" in done.stderr
    assert "w.yaml:2: jobs[0].tasks: missing" in done.stderr

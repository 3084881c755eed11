"""Healthy jobs get no advice: 40 recorded runs (healthy_runs.py describes them), read in slow motion."""
import json
import pathlib
import tarfile

import pytest

from healthy_runs import KINDS, NAMES
from machine import Machine
from slow_motion import slow_motion

RECORDS = pathlib.Path(__file__).parent / "healthy_runs.tar.xz"


@pytest.fixture(scope="module")
def records(tmp_path_factory):
    folder = tmp_path_factory.mktemp("records")
    with tarfile.open(RECORDS) as tar:
        tar.extractall(folder)
    return folder


@pytest.mark.parametrize("name", [f"{kind}-{seed}" for kind, count in KINDS.items() for seed in range(1, count + 1)])
def test_recorded_healthy_run_gets_no_advice(records, tmp_path, name):
    recorded = Machine(tmp_path / "recorded")
    job = json.loads((records / name / "journal.jsonl").read_text().splitlines()[0])["id"]
    (recorded.home / "jobs").mkdir(parents=True)
    (records / name).rename(recorded.home / "jobs" / job)
    slow = slow_motion(recorded, tmp_path / "slow")
    assert {path.name for path in (slow.home / "jobs" / job).iterdir()} >= set(NAMES)
    advised = slow("advise", job)
    assert (advised.code, advised.stdout) == (0, "no advice\n"), advised

"""Setup for programs of TensorFlowOnSpark. `./dev test` leaves them out, because Spark and TensorFlow have 2 GB."""
import os
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/support"), str(ROOT / "python")]

from machine import BIN, Machine  # noqa: E402
from tfos import Real  # noqa: E402


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """Jobs of this process, of its programs and of `machine` have the same home. No process of a job is left behind."""
    machine = Machine(tmp_path / "home")
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    for name, value in (("HOWDAH_HOME", machine.home), ("XDG_CACHE_HOME", tmp_path / "cache"),
                        ("PATH", f"{BIN.parent}{os.pathsep}{os.environ['PATH']}")):
        monkeypatch.setenv(name, str(value))
    monkeypatch.delenv("HOWDAH_ON", raising=False)
    yield machine
    machine.close()


@pytest.fixture
def out(tmp_path):
    """The folder for the results of a program."""
    (tmp_path / "out").mkdir(exist_ok=True)
    return tmp_path / "out"


@pytest.fixture
def real(tmp_path):
    (tmp_path / "scratch").mkdir()
    return Real(tmp_path / "scratch")

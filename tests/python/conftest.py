"""Setup for the Python package: jobs on the local backend, each test with its own HOWDAH_HOME, cache and directory."""

import os
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/support"), str(ROOT / "python")]

from machine import BIN, Machine  # noqa: E402


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """Jobs of this process and of `machine` have the same home. No process of a job is left behind."""
    machine = Machine(tmp_path / "home")
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    for name, value in (
        ("HOWDAH_HOME", machine.home),
        ("HOWDAH_ON", "local"),
        ("XDG_CACHE_HOME", tmp_path / "cache"),
        ("PATH", f"{BIN.parent}{os.pathsep}{os.environ['PATH']}"),
    ):
        monkeypatch.setenv(name, str(value))
    yield machine
    machine.close()

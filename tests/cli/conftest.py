"""Fixtures of the tests of the command line."""
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

from machine import Machine  # noqa: E402


@pytest.fixture
def howdah(tmp_path):
    machine = Machine(tmp_path / "home")
    yield machine
    machine.close()

"""The recipes of docs/recipes.md. Their environments are large, so `./dev test` leaves this folder out; run it with
`./dev test recipes`."""
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

from installed import installed  # noqa: E402, F401
from machine import Machine  # noqa: E402


@pytest.fixture
def machine(tmp_path):
    machine = Machine(tmp_path / "home")
    yield machine
    machine.close()

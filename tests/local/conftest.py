"""Jobs on the local place, through the programs users run. Each test has its own HOWDAH_HOME, and leaves nothing."""
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
pytest.register_assert_rewrite("contract_cases", "inside_cases", "python_cases", "told", "tony_cases")

from installed import installed  # noqa: E402, F401
from machine import Machine  # noqa: E402


@pytest.fixture
def machine(tmp_path):
    machine = Machine(tmp_path / "home")
    yield machine
    machine.close()

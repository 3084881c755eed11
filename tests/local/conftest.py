"""Setup for jobs on the local backend. Each test has its own HOWDAH_HOME and leaves no processes behind."""
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
pytest.register_assert_rewrite("contract_cases", "inside_cases", "python_cases", "job_reports", "tony_cases",
                               "yarnfile_cases")

from installed import installed  # noqa: E402, F401
from machine import Machine  # noqa: E402


@pytest.fixture
def machine(tmp_path):
    machine = Machine(tmp_path / "home")
    yield machine
    machine.close()

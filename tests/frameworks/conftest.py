"""Jobs that use the real frameworks. tools/ml-env installs missing frameworks."""
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
pytest.register_assert_rewrite("elastic_cases", "mpi_cases", "rendezvous_cases", "job_reports")

from installed import installed  # noqa: E402, F401
from machine import Machine  # noqa: E402


@pytest.fixture
def machine(tmp_path):
    machine = Machine(tmp_path / "home")
    yield machine
    machine.close()

"""Setup for jobs on the local backend. Each test has its own HOWDAH_HOME and leaves no processes behind."""
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
pytest.register_assert_rewrite("contract_cases", "inside_cases", "python_cases", "job_reports", "tony_cases")

from installed import installed  # noqa: E402, F401
from machine import Machine  # noqa: E402
from job_reports import Run  # noqa: E402

WASTEFUL = """
roles:
  worker: {instances: 2, memory: 1GiB, vcores: 4, command: 'for i in $(seq 50000); do :; done; exec sleep 61'}
"""


@pytest.fixture
def machine(tmp_path):
    machine = Machine(tmp_path / "home")
    yield machine
    machine.close()


@pytest.fixture(scope="session", autouse=True)
def wasteful(request, tmp_path_factory):
    """A job that runs while the other tests run, because unused resources are reported only after a minute."""
    if not any(item.name.startswith("test_39_") for item in request.session.items):
        yield None
        return
    folder = tmp_path_factory.mktemp("wasteful")
    machine = Machine(folder / "home")
    yield Run(machine, folder, WASTEFUL)
    machine.close()

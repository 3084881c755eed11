"""Jobs of the real frameworks. tools/ml-env installs what is missing of them."""
import pathlib
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

from machine import ROOT, Machine  # noqa: E402


@pytest.fixture
def machine(tmp_path):
    machine = Machine(tmp_path / "home")
    yield machine
    machine.close()


@pytest.fixture(scope="session")
def installed():
    """installed("torch") -> its interpreter; installed("data") -> the folder of Fashion-MNIST."""
    found = {}

    def install(name):
        if name not in found:
            done = subprocess.run([str(ROOT / "tools/ml-env"), name], stdout=subprocess.PIPE, text=True, check=True)
            found[name] = pathlib.Path(done.stdout.strip())
        return found[name]
    return install

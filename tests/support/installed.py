"""A fixture with the environments that tools/ml-env installs: import it into a conftest.py."""
import pathlib
import subprocess

import pytest

from machine import ROOT


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

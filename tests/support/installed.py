"""A fixture that installs environments with tools/ml-env. A conftest.py imports it."""
import pathlib
import subprocess

import pytest

from machine import ROOT


@pytest.fixture(scope="session")
def installed():
    """installed("torch") returns the path of an interpreter that has PyTorch. installed("data") returns the folder of
    Fashion-MNIST."""
    found = {}

    def install(name):
        if name not in found:
            done = subprocess.run([str(ROOT / "tools/ml-env"), name], stdout=subprocess.PIPE, text=True, check=True)
            found[name] = pathlib.Path(done.stdout.strip())
        return found[name]
    return install

"""Jobs on the local place, through the programs users run. Each test has its own HOWDAH_HOME, and leaves nothing."""
import pytest

from machine import Machine


@pytest.fixture
def machine(tmp_path):
    machine = Machine(tmp_path / "home")
    yield machine
    machine.close()

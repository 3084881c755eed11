"""Jobs on the local place, through the programs users run. Each test has a HOWDAH_HOME of its own and leaves nothing behind."""
import pytest

from machine import Machine


@pytest.fixture
def machine(tmp_path):
    machine = Machine(tmp_path / "home")
    yield machine
    machine.close()

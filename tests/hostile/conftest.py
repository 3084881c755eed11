"""Setup for attacks on jobs of the local backend: other users of the machine, full disks, hostile files. Each test has
its own HOWDAH_HOME and leaves no processes behind."""
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
pytest.register_assert_rewrite("inside_cases")

from machine import Machine  # noqa: E402


@pytest.fixture
def machine(tmp_path):
    machine = Machine(tmp_path / "home")
    yield machine
    machine.close()


@pytest.fixture
def source(tmp_path):
    """A source directory with one program."""
    folder = tmp_path / "source"
    folder.mkdir()
    (folder / "train.py").write_text("pass\n")
    return folder

"""Tests that need two idle cores, because they measure what a job does with its cores. `./dev test`, which runs several
suites at the same time, leaves this folder out; run it with `./dev test idle`."""
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

from advised_jobs import Case  # noqa: E402


@pytest.fixture
def case(tmp_path):
    case = Case(tmp_path / "case")
    yield case
    case.machine.close()

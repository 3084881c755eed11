"""Each bug that the simulators must find can still be planted. Whether they find it takes minutes:
tests/sim/run_mutants.py."""
import pathlib
import sys
import tomllib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/sim"))

import run_mutants  # noqa: E402

MUTANTS = [pytest.param(suite, mutant, id=mutant["name"]) for suite in run_mutants.SUITES.values()
           for mutant in tomllib.loads((ROOT / "tests/sim" / suite.mutants).read_text())["mutant"]]


@pytest.mark.parametrize("suite, mutant", MUTANTS)
def test_mutant_applies_to_its_source(suite, mutant, tmp_path):
    source, planted = run_mutants.plant(suite, mutant, tmp_path)
    assert planted.read_text() != source.read_text()

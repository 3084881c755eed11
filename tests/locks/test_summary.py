"""The last line of a test run counts all results, and an incomplete run is never reported as successful."""
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]

GOOD = '<testcase name="a"/>'
BAD = '<testcase name="b"><failure/></testcase>'
SKIPPED = '<testcase name="c"><skipped/></testcase>'
UNIT_RAN = '<testcase name="unit.core" status="run"/>'
UNIT_FAILED = '<testcase name="unit.core" status="fail"><failure/></testcase>'

RUNS = [
    # columns: ctest-unit.xml, core_test.xml, pytest-programs.xml, BROKEN, expected last line
    (UNIT_RAN, GOOD + GOOD, GOOD, 0, "3 passed, 0 failed"),
    (UNIT_FAILED, GOOD + BAD, GOOD, 1, "2 passed, 1 failed"),
    (UNIT_FAILED, GOOD + GOOD, GOOD, 1, "3 passed, 1 failed"),
    (UNIT_FAILED, None, GOOD, 1, "1 passed, 1 failed"),
    (UNIT_RAN, None, None, 0, "1 passed, 0 failed"),
    (UNIT_RAN, GOOD, GOOD + SKIPPED, 0, "2 passed, 0 failed, 1 skipped"),
    (UNIT_RAN, GOOD, BAD, 1, "1 passed, 1 failed"),
    (UNIT_RAN, GOOD, None, 1, "1 passed, 1 failed"),
    (None, None, None, 1, "0 passed, 1 failed"),
    (None, None, None, 0, "0 passed, 0 failed"),
]


def test_every_run_of_pytest_and_ctest_counts(tmp_path):
    runs = (("pytest-yarn.xml", GOOD + SKIPPED), ("pytest-programs.xml", GOOD + BAD), ("ctest-unit.xml", UNIT_RAN),
            ("ctest-sim.xml", UNIT_FAILED.replace("unit.core", "sim.seeds")))
    for name, cases in runs:
        (tmp_path / name).write_text(f"<testsuite>{cases}</testsuite>")
    command = [sys.executable, ROOT / "tools/dev/test_summary.py", tmp_path, "1"]
    result = subprocess.run(command, capture_output=True, text=True)
    assert (result.stdout, result.returncode) == ("3 passed, 2 failed, 1 skipped\n", 1)


@pytest.mark.parametrize("ctest,unit,programs,broken,line", RUNS)
def test_the_last_line_counts_all_results(tmp_path, ctest, unit, programs, broken, line):
    for name, cases in (("ctest-unit.xml", ctest), ("core_test.xml", unit), ("pytest-programs.xml", programs)):
        if cases is not None:
            (tmp_path / name).write_text(f"<testsuite>{cases}</testsuite>")
    command = [sys.executable, ROOT / "tools/dev/test_summary.py", tmp_path, str(broken)]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.stdout == line + "\n"
    assert (result.returncode == 0) == (" 0 failed" in line and not line.startswith("0 passed"))


FIRST = '<testcase classname="t" name="a"/><testcase classname="t" name="b"><failure/></testcase>'
AGAIN = [
    # columns: again-programs.xml, BROKEN, expected lines
    ('<testcase classname="t" name="b"/>', 0, ["passed only when run again, alone: t::b", "2 passed, 0 failed"]),
    ('<testcase classname="t" name="b"><failure/></testcase>', 1, ["1 passed, 1 failed"]),
    ('<testcase classname="t" name="b"/><testcase classname="t" name="b"><error/></testcase>', 1,
     ["1 passed, 1 failed"]),
    ('<testcase classname="t" name="b"><skipped/></testcase>', 0, ["1 passed, 1 failed"]),
    ('<testcase classname="other" name="b"/>', 0, ["1 passed, 1 failed"]),
    ("", 1, ["1 passed, 1 failed"]),
]


@pytest.mark.parametrize("again,broken,lines", AGAIN)
def test_a_test_that_passes_when_run_again_is_named(tmp_path, again, broken, lines):
    for name, cases in (("pytest-programs.xml", FIRST), ("again-programs.xml", again)):
        (tmp_path / name).write_text(f"<testsuite>{cases}</testsuite>")
    command = [sys.executable, ROOT / "tools/dev/test_summary.py", tmp_path, str(broken)]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.stdout.splitlines() == lines
    assert (result.returncode == 0) == (" 0 failed" in lines[-1])

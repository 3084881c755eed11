"""test_summary.py FOLDER BROKEN - prints one line that counts all results of CTest, GoogleTest and pytest in FOLDER.

Each test case of a GoogleTest program is counted. A program without results counts as one failure. So does a program
that failed although all its cases passed (a crash, a leak, or a sanitizer's report at its end). If BROKEN is 1 (the run
failed, for example in the build) and no test failed, one failure is added. The exit code is 1 if anything failed or
nothing ran.

The failed tests of pytest-NAME.xml may have been run again, with their results in again-NAME.xml. A test that passed
in the second run counts as passed, and a line before the last one names the test. """
import pathlib
import sys
import xml.etree.ElementTree as ET


def name_of(case):
    return f"{case.get('classname')}::{case.get('name')}"


def has_failed(case):
    return case.find("failure") is not None or case.find("error") is not None


def passed_again(path):
    """The names of the tests that failed in pytest-NAME.xml and passed in again-NAME.xml. A test with an error in its
    setup or teardown has two results in again-NAME.xml, so neither of them may be a failure."""
    again = path.with_name(path.name.replace("pytest-", "again-", 1))
    if not again.exists():
        return set()
    first, second = ET.parse(path), ET.parse(again)
    ran = {name_of(case) for case in second.iter("testcase") if case.find("skipped") is None}
    failed = {name_of(case) for case in second.iter("testcase") if has_failed(case)}
    return {name_of(case) for case in first.iter("testcase") if has_failed(case)} & (ran - failed)


def cases(path, passed_later=frozenset()):
    """(passed, failed, skipped) of a JUnit file. A failure of a test in `passed_later` counts as passed."""
    passed = failed = skipped = 0
    for case in ET.parse(path).iter("testcase"):
        if has_failed(case) and name_of(case) not in passed_later:
            failed += 1
        elif case.find("skipped") is not None or case.get("status") in ("notrun", "disabled"):
            skipped += 1
        else:
            passed += 1
    return passed, failed, skipped


def ctest_cases(path):
    """(passed, failed, skipped) of CTest's programs. A program that recorded its test cases counts with these cases."""
    total = [0, 0, 0]
    for program in ET.parse(path).iter("testcase"):
        own = path.parent / (program.get("name").split(".", 1)[-1] + "_test.xml")
        broken = program.get("status") == "fail"
        counts = cases(own) if own.exists() else (0 if broken else 1, 0, 0)
        total = [a + b for a, b in zip(total, counts)]
        if broken and counts[1] == 0:
            total[1] += 1
    return total


def main(folder, broken):
    total = [0, 0, 0]
    for path in pathlib.Path(folder).glob("ctest*.xml"):
        total = [a + b for a, b in zip(total, ctest_cases(path))]
    for path in pathlib.Path(folder).glob("pytest-*.xml"):
        passed_later = passed_again(path)
        total = [a + b for a, b in zip(total, cases(path, passed_later))]
        for name in sorted(passed_later):
            print(f"passed only when run again, alone: {name}")
    passed, failed, skipped = total
    if broken and not failed:
        failed = 1
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2] == "1"))

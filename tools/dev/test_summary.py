"""test_summary.py FOLDER BROKEN - prints one line that counts all results of CTest, GoogleTest and pytest in FOLDER.

Each test case of a GoogleTest program is counted. A program without results counts as one failure. So does a program
that failed although all its cases passed (a crash, a leak, or a sanitizer's report at its end). If BROKEN is 1 (the run
failed, for example in the build) and no test failed, one failure is added. The exit code is 1 if anything failed or
nothing ran. """
import pathlib
import sys
import xml.etree.ElementTree as ET


def cases(path):
    """(passed, failed, skipped) of a JUnit file."""
    passed = failed = skipped = 0
    for case in ET.parse(path).iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
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
    for pattern, count in (("ctest*.xml", ctest_cases), ("pytest-*.xml", cases)):
        for path in pathlib.Path(folder).glob(pattern):
            total = [a + b for a, b in zip(total, count(path))]
    passed, failed, skipped = total
    if broken and not failed:
        failed = 1
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2] == "1"))

"""mypy --strict and pyright over the package, and over uses that both must reject."""

import json
import os
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE, USES = ROOT / "python/howdah", ROOT / "tests/python/wrong_uses.py"
WRONG = [number for number, line in enumerate(USES.read_text().splitlines(), 1) if line.endswith("# wrong")]


@pytest.fixture(scope="module")
def python():
    """An interpreter with cloudpickle, mypy and pyright."""
    done = subprocess.run([ROOT / "tools/ml-env", "python"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return pathlib.Path(done.stdout.strip())


def mypy(python, target, cache):
    done = subprocess.run(
        [
            python,
            "-m",
            "mypy",
            "--strict",
            "--no-error-summary",
            "--cache-dir",
            cache,
            "--python-version",
            "3.10",
            target,
        ],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "MYPYPATH": str(ROOT / "python")},
    )
    assert done.stderr == "", done.stderr
    return done.stdout


def pyright(python, target, folder):
    (folder / "pyrightconfig.json").write_text(
        json.dumps(
            {
                "include": [os.path.relpath(target, folder)],
                "extraPaths": [str(ROOT / "python")],
                "pythonVersion": "3.9",
            }
        )
    )
    done = subprocess.run(
        [python, "-m", "pyright", "--outputjson", "--pythonpath", python, "--project", folder],
        capture_output=True,
        text=True,
        cwd=folder,
    )
    report = json.loads(done.stdout[done.stdout.index("{") :])
    assert report["summary"]["filesAnalyzed"] > 0, done
    return [
        (item["range"]["start"]["line"] + 1, item["message"])
        for item in report["generalDiagnostics"]
        if item["severity"] == "error"
    ]


def test_mypy_accepts_the_package(python, tmp_path):
    assert mypy(python, PACKAGE, tmp_path) == ""


def test_pyright_accepts_the_package(python, tmp_path):
    assert pyright(python, PACKAGE, tmp_path) == []


def test_mypy_rejects_exactly_the_incorrect_uses(python, tmp_path):
    errors = mypy(python, USES, tmp_path)
    found = {int(number) for number in re.findall(r"wrong_uses\.py:(\d+): error", errors)}
    assert sorted(found) == WRONG, errors


def test_pyright_rejects_exactly_the_incorrect_uses(python, tmp_path):
    errors = pyright(python, USES, tmp_path)
    found = {number for number, message in errors}
    assert sorted(found) == WRONG, errors

"""Setup for the tests of histories in TonY's format. The fixture `tony` runs TonY's own classes."""
import json
import pathlib
import subprocess
import sys

import pytest

for folder in ("../support", "../yarn"):
    sys.path.insert(0, str((pathlib.Path(__file__).parent / folder).resolve()))

from hadoop_tree import Hadoop, java_home  # noqa: E402
from machine import ROOT, Machine  # noqa: E402


class Tony:
    """Compiles the Java programs in tests/history/tony and runs them."""

    def __init__(self, folder):
        env = subprocess.run([ROOT / "tools/tony-env"], stdout=subprocess.PIPE, text=True, check=True)
        jars = sorted(pathlib.Path(env.stdout.strip()).glob("*.jar"))
        self.hadoop, self.path = Hadoop(), [folder, *jars]
        subprocess.run([java_home() / "bin/javac", "-d", folder, "-cp", ":".join([*self.hadoop.jars, *map(str, jars)]),
                        *sorted((ROOT / "tests/history/tony").glob("*.java"))], check=True)

    def _run(self, program, *words):
        done = subprocess.run(self.hadoop.java(program, *words, conf=self.path), capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def read(self, *directories):
        """The data that TonY's parser reads from each directory of a job."""
        lines = [line for line in self._run("TonyHistory", "read", *directories).splitlines() if line.startswith("{")]
        assert len(lines) == len(directories), lines
        return [json.loads(line) for line in lines]

    def write(self, directory):
        self._run("TonyHistory", "write", directory)

    def elephant(self, conf_dir, application, finished_ms):
        """The data that Dr. Elephant would find for an application."""
        return json.loads(self._run("ElephantFetch", conf_dir, application, finished_ms).splitlines()[-1])


@pytest.fixture(scope="session")
def tony(tmp_path_factory):
    return Tony(tmp_path_factory.mktemp("classes"))


@pytest.fixture
def machine(tmp_path):
    machine = Machine(tmp_path / "home")
    yield machine
    machine.close()

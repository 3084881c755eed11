"""Runs programs of TensorFlowOnSpark with the package of this checkout."""
import os
import pathlib
import subprocess
import sys

import spark as sparks
from machine import ROOT

PROGRAMS = ROOT / "tests/tfos/programs"
DEADLINE_S = 900


class Program:
    def __init__(self, process):
        self.code, self.stdout, self.stderr = process.returncode, process.stdout, process.stderr

    def __repr__(self):
        return f"exit {self.code}\n--- stdout\n{self.stdout[-4000:]}\n--- stderr\n{self.stderr[-8000:]}"


def environment(master, tensorflow_packages=None):
    """The environment of a driver. tensorflow_packages: a folder for links to the packages that TensorFlow's
    interpreter lacks; None: the interpreter of the tests."""
    found = sparks.site_packages()
    if tensorflow_packages is not None:
        import cloudpickle

        for folder in (*found, str(pathlib.Path(cloudpickle.__file__).parents[1])):
            for name in ("pyarrow", "pyspark", "py4j", "cloudpickle"):
                link = pathlib.Path(tensorflow_packages) / name
                if os.path.isdir(f"{folder}/{name}") and not link.exists():
                    link.symlink_to(f"{folder}/{name}")
        found = [str(tensorflow_packages)]
    options = " ".join(f"--conf {name}={value}" for name, value in {
        "spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false", "spark.driver.memory": "512m",
        "spark.executor.memory": "512m", "spark.log.level": "ERROR", "spark.howdah.memory": "1GiB"}.items())
    return {**os.environ, "PYTHONPATH": os.pathsep.join([*found, str(ROOT / "python")]), "SPARK_LOCAL_IP": "127.0.0.1",
            "PYSPARK_SUBMIT_ARGS": f"--master {master} {options} pyspark-shell", "TF_CPP_MIN_LOG_LEVEL": "3"}


def run(program, *arguments, master="local[2]", tensorflow_packages=None, cwd=None):
    """Runs one of the programs to its end, which must be a success."""
    python = sys.executable
    env = environment(master, tensorflow_packages)
    if tensorflow_packages is not None:
        done = subprocess.run([ROOT / "tools/ml-env", "tensorflow"], stdout=subprocess.PIPE, text=True, check=True)
        python = done.stdout.strip()
    env["PYSPARK_PYTHON"] = python
    command = [python, str(PROGRAMS / program), *map(str, arguments)]
    done = Program(subprocess.run(command, env=env, cwd=cwd, capture_output=True, text=True, timeout=DEADLINE_S))
    assert done.code == 0, done
    return done


"""Runs programs of TensorFlowOnSpark: with the package of this checkout, and with the package tensorflowonspark."""
import contextlib
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import uuid

import spark as sparks
from machine import ROOT, processes

PROGRAMS = ROOT / "tests/tfos/programs"
DEADLINE_S = 900
# The JVMs of Spark run for seconds here: the second compiler would cost more than it gains.
JAVA = {"JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}


class Program:
    def __init__(self, code, stdout, stderr):
        self.code, self.stdout, self.stderr = code, stdout, stderr  # code: None if it was killed after its limit

    def __repr__(self):
        return f"exit {self.code}\n--- stdout\n{self.stdout[-4000:]}\n--- stderr\n{self.stderr[-8000:]}"


def interpreter(name):
    done = subprocess.run([ROOT / "tools/ml-env", name], stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout.strip()


def environment(master, folders, settings):
    """The environment of a driver. folders: its PYTHONPATH. settings: of Spark."""
    common = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false", "spark.driver.memory": "512m",
              "spark.executor.memory": "512m", "spark.log.level": "ERROR", "spark.howdah.memory": "1GiB"}
    options = " ".join(f"--conf {name}={value}" for name, value in {**common, **settings}.items())
    return {**os.environ, **JAVA, "PYTHONPATH": os.pathsep.join(map(str, folders)), "SPARK_LOCAL_IP": "127.0.0.1",
            "PYSPARK_SUBMIT_ARGS": f"--master {master} {options} pyspark-shell", "TF_CPP_MIN_LOG_LEVEL": "3"}


def execute(command, env, cwd=None, limit_s=DEADLINE_S):
    """Runs a program to its end, or kills it after the limit. Then kills the processes that it has left: managers of
    TensorFlowOnSpark outlive their cluster."""
    mark = f"TFOS_RUN={uuid.uuid4()}"
    env = {**env, "TFOS_RUN": mark.partition("=")[2]}
    with tempfile.TemporaryFile("w+") as stdout, tempfile.TemporaryFile("w+") as stderr:
        process = subprocess.Popen(list(map(str, command)), env=env, cwd=cwd, stdin=subprocess.DEVNULL, stdout=stdout,
                                   stderr=stderr)
        try:
            code = process.wait(limit_s)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            code = None
        for pid, (_, _, environ) in processes().items():
            if mark.encode() in environ.split(b"\0"):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        for file in (stdout, stderr):
            file.seek(0)
        return Program(code, stdout.read(), stderr.read())


def run(program, *arguments, master="local[2]", tensorflow_packages=None, cwd=None):
    """Runs one of the programs with Spark 4 to its end, which must be a success. tensorflow_packages: a folder for
    links to the packages that TensorFlow's interpreter lacks; None: the interpreter of the tests."""
    folders, python = sparks.site_packages(), sys.executable
    if tensorflow_packages is not None:
        import cloudpickle

        for folder in (*folders, str(pathlib.Path(cloudpickle.__file__).parents[1])):
            for name in ("pyarrow", "pyspark", "py4j", "cloudpickle"):
                link = pathlib.Path(tensorflow_packages) / name
                if os.path.isdir(f"{folder}/{name}") and not link.exists():
                    link.symlink_to(f"{folder}/{name}")
        folders, python = [tensorflow_packages], interpreter("tensorflow")
    env = {**environment(master, [*folders, ROOT / "python"], {}), "PYSPARK_PYTHON": python}
    done = execute([python, PROGRAMS / program, *arguments], env, cwd)
    assert done.code == 0, done
    return done


class Real:
    """The environment that users of TensorFlowOnSpark have: the package tensorflowonspark, TensorFlow with Keras 2, and
    Spark 3.5. scratch: an empty folder, for the work of local-cluster and the cache of Spark."""

    def __init__(self, scratch):
        self.python = interpreter("tfos-real")
        version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
        self.site = pathlib.Path(self.python).parents[1] / "lib" / version / "site-packages"
        # Executors of local-cluster work below SPARK_HOME.
        self.spark_home = pathlib.Path(scratch) / "spark"
        self.spark_home.mkdir()
        for path in (self.site / "pyspark").iterdir():
            if path.name != "work":
                (self.spark_home / path.name).symlink_to(path)
        # The package tensorflowonspark imports TensorFlow in every process, which takes seconds.
        self.stub = pathlib.Path(scratch) / "stub"
        (self.stub / "tensorflow").mkdir(parents=True)
        (self.stub / "tensorflow/__init__.py").write_text('__version__ = "2.21.0"\n')

    def run(self, program, *arguments, master, original=False, tensorflow=True, settings={}, env={},
            limit_s=DEADLINE_S):
        """original: with the package tensorflowonspark instead of that of this checkout. tensorflow: whether the
        program uses TensorFlow."""
        folders = [self.site] if original else [ROOT / "python", self.site]
        if original and not tensorflow:
            folders.insert(0, self.stub)
        full = {**environment(master, folders, settings), "PYSPARK_PYTHON": self.python,
                "SPARK_HOME": str(self.spark_home), **env}
        return execute([self.python, PROGRAMS / program, *arguments], full, limit_s=limit_s)

"""Programs for TensorFlowOnSpark on a standalone Spark with two workers. The nodes run on this machine."""
import re
import subprocess
import threading

import pytest

import tfos

tfos.sparks.site_packages()

import tfos_cases  # noqa: E402


class Daemon:
    """A master or a worker of Spark. address: the first group of the pattern in its log."""

    def __init__(self, real, folder, name, *arguments, pattern):
        command = [real.spark_home / "bin/spark-class", f"org.apache.spark.deploy.{name}", "-h", "127.0.0.1", "-p", "0",
                   "--webui-port", "0", *arguments]
        env = tfos.environment("", [real.site], {}) | {"SPARK_HOME": str(real.spark_home)}
        self._process = subprocess.Popen([*map(str, command)], env=env, cwd=folder, stderr=subprocess.PIPE, text=True)
        found = None
        for line in self._process.stderr:
            found = re.search(pattern, line)
            if found:
                break
        assert found, f"{name} of Spark has not started"
        self.address = found[0]
        threading.Thread(target=self._process.stderr.read, daemon=True).start()

    def close(self):
        self._process.kill()
        self._process.wait()


@pytest.fixture
def master(real, tmp_path):
    daemons = [Daemon(real, tmp_path, "master.Master", pattern=r"spark://127\.0\.0\.1:\d+")]
    try:
        for number in range(2):
            (tmp_path / f"worker-{number}").mkdir()
            daemons.append(Daemon(real, tmp_path, "worker.Worker", "-c", 1, "-m", "512M", "-d",
                                  tmp_path / f"worker-{number}", daemons[0].address,
                                  pattern="Successfully registered with master"))
        yield daemons[0].address
    finally:
        for daemon in reversed(daemons):
            daemon.close()


@pytest.mark.parametrize("name", ["epochs", "inference", "keras_spark"])
def test_program_runs_beside_two_workers(real, master, out, monkeypatch, name):
    monkeypatch.setenv("HOWDAH_ON", "local")
    case = tfos_cases.CASES[name]
    done = real.run(f"{name}.py", *case.arguments(out), master=master, settings={"spark.cores.max": "2"})
    assert done.code == 0, done
    case.check(out, done)
    case.ours(out, done)


def test_backend_must_be_chosen(real, master, out):
    done = real.run("epochs.py", "--output", out, master=master)
    assert done.code == 1 and "set HOWDAH_ON=local or HOWDAH_ON=yarn" in done.stderr, done

"""A standalone Spark on loopback: one master and two workers, which start the executors of applications."""
import os
import re
import signal
import subprocess
import threading
import uuid

from machine import eventually, processes
from tfos import JAVA

LIMIT_S = 120


class Standalone:
    """spark_home: of the package pyspark. folder: for the workers. cores: of each of the two workers.

    `master` is the address for --master. close() ends the daemons, the executors, and the processes that these have
    left.
    """

    def __init__(self, spark_home, folder, cores):
        self._daemons, self._mark = [], f"STANDALONE_SPARK={uuid.uuid4()}"
        name, _, value = self._mark.partition("=")
        self._env = {**os.environ, **JAVA, name: value, "SPARK_HOME": str(spark_home), "SPARK_LOCAL_IP": "127.0.0.1",
                     "SPARK_DAEMON_MEMORY": "128m"}
        try:
            self.master = self._start("master.Master", r"Starting Spark master at (spark://\S+)")
            for number in range(2):
                self._start("worker.Worker", r"(Successfully registered) with master", "--cores", cores, "--memory",
                            f"{768 * cores}m", "--work-dir", folder / f"worker-{number}", self.master)
        except BaseException:
            self.close()
            raise

    def _start(self, name, pattern, *arguments):
        """Starts a daemon, and waits until a line of its output matches. Returns the group of the pattern."""
        command = [f"{self._env['SPARK_HOME']}/bin/spark-class", f"org.apache.spark.deploy.{name}", "--host",
                   "127.0.0.1", "--port", "0", "--webui-port", "0", *map(str, arguments)]
        daemon = subprocess.Popen(command, env=self._env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.PIPE, text=True)
        self._daemons.append(daemon)
        found, lines, started = [], [], threading.Event()

        def read():
            for line in daemon.stderr:
                match = re.search(pattern, line)
                if match and not found:
                    found.append(match[1])
                    started.set()
                elif not found:
                    lines.append(line)
            started.set()

        threading.Thread(target=read, daemon=True).start()
        assert started.wait(LIMIT_S) and found, f"{name} has not started:\n{''.join(lines)}"
        return found[0]

    def close(self):
        for daemon in reversed(self._daemons):  # workers first: they end their executors
            daemon.terminate()
            daemon.wait()
        eventually(self._kill_rest, "the end of the executors")

    def _kill_rest(self):
        """Kills the processes that have inherited the mark. Returns whether there were none."""
        left = [pid for pid, (_, _, environ) in processes().items() if self._mark.encode() in environ.split(b"\0")]
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        return not left

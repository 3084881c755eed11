"""Spark of tools/ml-env for the interpreter of the tests, with little memory. HOWDAH_TEST_SPARK names the site-packages
of another PySpark: that of `tools/ml-env spark-3.5`, for example."""
import os
import re
import shutil
import subprocess
import sys
import threading

import arrow
from machine import ROOT

ROWS = 20_000


def site_packages():
    """The folders with PyArrow and PySpark, which are in sys.path from now on."""
    found = [arrow.site_packages()]
    done = subprocess.run([str(ROOT / "tools/ml-env"), "spark"], stdout=subprocess.PIPE, text=True, check=True)
    environment = done.stdout.strip().removesuffix("/bin/python")
    found.append(os.environ.get("HOWDAH_TEST_SPARK") or
                 f"{environment}/lib/python{sys.version_info[0]}.{sys.version_info[1]}/site-packages")
    if found[1] not in sys.path:
        sys.path.insert(1, found[1])  # before Debian's packages: Spark Connect needs a newer protobuf
    return found


def session(master, **settings):
    """A new SparkSession. Its Python workers have PyArrow and PySpark, and not this checkout."""
    os.environ.update(PYSPARK_PYTHON=sys.executable, PYTHONPATH=os.pathsep.join(site_packages()),
                      SPARK_LOCAL_IP="127.0.0.1")
    os.environ.pop("SPARK_HOME", None)
    from pyspark.sql import SparkSession

    if master == "yarn":
        end_jvm()  # its successor reads HADOOP_CONF_DIR
    builder = SparkSession.builder.master(master).appName("feed")
    common = {"spark.driver.memory": "512m", "spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false",
              "spark.sql.shuffle.partitions": "4", "spark.log.level": "ERROR"}
    for name, value in {**common, **settings}.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def end_jvm():
    """Ends the JVM of earlier sessions, which are stopped. The next session starts another one."""
    from pyspark import SparkContext

    gateway = SparkContext._gateway
    if gateway is None:
        return
    assert SparkContext._active_spark_context is None, "a session is not stopped"
    gateway.shutdown()
    gateway.proc.stdin.close()  # the JVM ends with its standard input
    gateway.proc.wait()
    SparkContext._gateway = SparkContext._jvm = None


class ConnectServer:
    """A Spark Connect server in a process of its own. `url`: for SparkSession.builder.remote."""

    def __init__(self, master="local[2, 4]"):
        arrow_site, spark_site = site_packages()
        home = f"{spark_site}/pyspark"
        env = {**os.environ, "SPARK_HOME": home, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1",
               "PYTHONPATH": os.pathsep.join([arrow_site, spark_site])}
        command = [f"{home}/bin/spark-submit", "--class", "org.apache.spark.sql.connect.service.SparkConnectServer",
                   "--master", master, "--driver-memory", "512m"]
        for setting in ("spark.ui.enabled=false", "spark.connect.grpc.binding.port=0", "spark.log.level=INFO",
                        "spark.sql.shuffle.partitions=4", "spark.sql.execution.arrow.maxRecordsPerBatch=700"):
            command += ["--conf", setting]
        self._process = subprocess.Popen([*command, "spark-internal"], env=env, stderr=subprocess.PIPE, text=True,
                                         start_new_session=True)
        port = None
        for line in self._process.stderr:
            port = re.search(r"Spark Connect server started at: .*:(\d+)", line)
            if port:
                break
        assert port, "the Spark Connect server has not started"
        threading.Thread(target=self._process.stderr.read, daemon=True).start()
        self.url = f"sc://127.0.0.1:{port[1]}"

    def close(self):
        self._process.kill()
        self._process.wait()


def stop(session):
    """Stops the session, if it is not stopped. Removes the folders that the executors of local-cluster leave in the
    package."""
    import pyspark

    if session.sparkContext._jsc is None:
        return
    application, master = session.sparkContext.applicationId, session.sparkContext.master
    session.stop()
    if master == "yarn":
        end_jvm()  # it would give the settings of this session to the next one, too: executors with two cores
    shutil.rmtree(f"{os.path.dirname(pyspark.__file__)}/work/{application}", ignore_errors=True)


def frame(spark, rows=ROWS, partitions=5):
    return spark.range(0, rows, 1, partitions).selectExpr("id as i", "concat('row ', id) as text", "id / 7 as x")


def values(table):
    return table["i"].to_pylist()


def mapped(frame, function):
    """The DataFrame, each of whose batches passes through a function in Spark's tasks."""
    def each(batches):
        for batch in batches:
            function(batch)
            yield batch
    return frame.mapInArrow(each, frame.schema)


def jobs(spark):
    """The Spark jobs with a description of a feed, oldest first: (description, failed tasks)."""
    found = spark.sparkContext._jsc.sc().statusStore().jobsList(None)
    rows = [found.apply(number) for number in range(found.size())]
    told = [(job.jobId(), job.description().get(), job.numFailedTasks()) for job in rows
            if job.description().isDefined() and job.description().get().startswith("howdah")]
    return [rest for _, *rest in sorted(told)]

"""Spark of tools/ml-env for the interpreter of the tests, with little memory. HOWDAH_TEST_SPARK names the folder of
another PySpark."""
import os
import shutil
import subprocess
import sys

import arrow
from machine import ROOT


def site_packages():
    """The folders with PyArrow and PySpark, which are in sys.path from now on."""
    found = [arrow.site_packages()]
    done = subprocess.run([str(ROOT / "tools/ml-env"), "clusters"], stdout=subprocess.PIPE, text=True, check=True)
    environment = done.stdout.strip().removesuffix("/bin/python")
    found.append(os.environ.get("HOWDAH_TEST_SPARK") or
                 f"{environment}/lib/python{sys.version_info[0]}.{sys.version_info[1]}/site-packages")
    if found[1] not in sys.path:
        sys.path.append(found[1])
    return found


def session(master, **settings):
    """A new SparkSession. Its Python workers have PyArrow and PySpark, and not this checkout."""
    os.environ.update(PYSPARK_PYTHON=sys.executable, PYTHONPATH=os.pathsep.join(site_packages()),
                      SPARK_LOCAL_IP="127.0.0.1")
    os.environ.pop("SPARK_HOME", None)
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master(master).appName("feed")
    common = {"spark.driver.memory": "512m", "spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false",
              "spark.sql.shuffle.partitions": "4", "spark.log.level": "ERROR"}
    for name, value in {**common, **settings}.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def stop(session):
    """Stops the session, if it is not stopped. Removes the folders that the executors of local-cluster leave in the
    package."""
    import pyspark

    if session.sparkContext._jsc is None:
        return
    application = session.sparkContext.applicationId
    session.stop()
    shutil.rmtree(f"{os.path.dirname(pyspark.__file__)}/work/{application}", ignore_errors=True)

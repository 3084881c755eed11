"""Predictions for DataFrames of Spark Connect: a real server, and a job on the local backend."""
import os
import pathlib

import pytest

import spark as sparks
from machine import BIN

SITE = os.pathsep.join(sparks.site_packages())
if not list(pathlib.Path(sparks.site_packages()[1]).glob("pyspark/jars/spark-connect_*")):
    pytest.skip("PySpark has the server of Connect from 4.0 on", allow_module_level=True)

from pyspark.sql.connect import session as connect  # noqa: E402

from howdah.spark import Predictor  # noqa: E402


def test_frame_of_connect_gets_predictions_until_the_predictor_is_closed(machine, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, value in (("HOWDAH_HOME", machine.home), ("HOWDAH_ON", "local"), ("XDG_CACHE_HOME", tmp_path / "cache"),
                        ("PATH", f"{BIN.parent}{os.pathsep}{os.environ['PATH']}")):
        monkeypatch.setenv(name, str(value))
    before = dict(os.environ)
    server = sparks.ConnectServer()
    try:
        session = connect.SparkSession.builder.remote(server.url).getOrCreate()
        frame = session.range(0, 3000, 1, 3).selectExpr("id", "cast(id as double) as x")
        run = {"memory": "512MiB", "env": {"PYTHONPATH": SITE}}
        with Predictor(lambda: lambda x: x * 2, schema="y double", columns=["x"], **run) as predictor:
            found = predictor.transform(frame)
            assert [tuple(row) for row in found.collect()] == [(i, float(i), 2.0 * i) for i in range(3000)]
        with pytest.raises(Exception, match="was closed: evaluate a DataFrame of transform"):
            found.collect()
        session.stop()
    finally:
        server.close()
        for name in set(os.environ) - set(before):  # PySpark would use Connect from now on
            del os.environ[name]

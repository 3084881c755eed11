"""Setup for feeds from Spark. `./dev test` leaves them out, because the environment has 0.8 GB."""
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/support"), str(ROOT / "python")]

from machine import Machine  # noqa: E402


@pytest.fixture
def machine(tmp_path):
    machine = Machine(tmp_path / "home")
    yield machine
    machine.close()


@pytest.fixture(scope="module")
def spark():
    import spark as sparks

    session = sparks.session("local[2, 4]")
    yield session
    sparks.stop(session)


@pytest.fixture
def make(tmp_path, monkeypatch):
    """make(readers=2, credit=None) starts executors."""
    import spark as sparks

    sparks.site_packages()
    from feed_flight import World
    from howdah import _program

    worlds = []

    def start(**keys):
        world = World(tmp_path, **keys)
        monkeypatch.setattr(_program, "find", lambda: str(world.job.program))
        worlds.append(world)
        return world

    yield start
    for world in worlds:
        world.close()


@pytest.fixture
def world(make):
    return make()


@pytest.fixture
def small(spark):
    """Spark's batches have few rows in this test."""
    name = "spark.sql.execution.arrow.maxRecordsPerBatch"
    spark.conf.set(name, "700")
    yield
    spark.conf.unset(name)

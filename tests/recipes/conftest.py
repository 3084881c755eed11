"""The recipes of docs/recipes.md, and examples with other programs. Their environments are large, so `./dev test`
leaves this folder out; run it with `./dev test recipes`."""
import pathlib
import sys

import pytest

for folder in ("support", "yarn"):
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / folder))

from cluster import Cluster, Setup  # noqa: E402
from cluster_user import Howdah  # noqa: E402
from installed import installed  # noqa: E402, F401
from machine import Machine  # noqa: E402


@pytest.fixture
def machine(tmp_path):
    machine = Machine(tmp_path / "home")
    yield machine
    machine.close()


@pytest.fixture(scope="session")
def hadoop():
    """A real cluster with room for an application that a task of a job starts."""
    with Cluster(Setup(nodes=2, node_mb=6144, heartbeat_ms=100)) as cluster:
        yield cluster


@pytest.fixture
def howdah(hadoop, tmp_path):
    howdah = Howdah(hadoop, tmp_path / "home-on-yarn")
    yield howdah
    howdah.close()

"""Jobs on real Hadoop clusters. `cluster` is shared, and is not to be broken; `new_cluster` and `module_cluster` start
others, for tests that break them or need them different."""
import pathlib
import sys

import pytest

for folder in (".", "../support"):
    sys.path.insert(0, str((pathlib.Path(__file__).parent / folder).resolve()))
pytest.register_assert_rewrite("contract_cases", "elastic_cases", "inside_cases", "mpi_cases", "python_cases",
                               "rendezvous_cases", "job_reports", "tony_cases")

import scheduling_cases  # noqa: E402
from cluster import Cluster, Setup  # noqa: E402
from hadoop_tree import MAIN_VERSION, ROOT, VERSIONS  # noqa: E402
from howdah import Howdah  # noqa: E402
from installed import installed  # noqa: E402, F401

QUICK_BEAT_MS = 100  # tests of what happens need not wait a second for each beat of a node


class Factory:
    """factory(nodes=2, ...) -> a cluster, closed with its scope. Its logs are kept if a test of the run failed."""

    def __init__(self, request):
        self.request, self.clusters = request, []

    def __call__(self, **setup):
        cluster = Cluster(Setup(**{"beat_ms": QUICK_BEAT_MS, **setup}))
        self.clusters.append(cluster)
        return cluster

    def close(self):
        name = self.request.node.nodeid.replace("/", ".").replace("::", ".") or "shared"
        for number, cluster in enumerate(self.clusters):
            if self.request.session.testsfailed:
                cluster.keep_logs = ROOT / f"build/log/yarn/{name}-{number}"
            cluster.close()


def factory(request):
    made = Factory(request)
    yield made
    made.close()


new_cluster = pytest.fixture(factory, name="new_cluster")
module_cluster = pytest.fixture(factory, name="module_cluster", scope="module")
session_cluster = pytest.fixture(factory, name="session_cluster", scope="session")


@pytest.fixture(scope="session")
def cluster(session_cluster):
    return session_cluster()


@pytest.fixture(scope="session")
def difficult_cluster(session_cluster):
    return session_cluster(**scheduling_cases.SETUP)


@pytest.fixture
def difficult(difficult_cluster):
    """Queues, labels, GPUs and health scripts with which a cluster can say no: see scheduling_cases.py."""
    return scheduling_cases.healthy(difficult_cluster)


@pytest.fixture(scope="module", params=VERSIONS)
def any_version(request, module_cluster):
    """A cluster of each version in turn."""
    if request.param == MAIN_VERSION:
        return request.getfixturevalue("cluster")
    return module_cluster(version=request.param)


@pytest.fixture
def howdah_of(tmp_path):
    """howdah_of(cluster, "bob") -> Howdah."""
    made = []

    def make(cluster, user="alice"):
        made.append(Howdah(cluster, tmp_path / f"home-{len(made)}", user))
        return made[-1]
    yield make
    for howdah in made:
        howdah.close()


@pytest.fixture
def howdah(howdah_of, cluster):
    return howdah_of(cluster)

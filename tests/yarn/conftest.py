"""Setup for jobs on real Hadoop clusters. All tests share `cluster`, and must leave it intact. `new_cluster` and
`module_cluster` start clusters for tests that break them or need other settings."""
import pathlib
import sys

import pytest

for folder in (".", "../support"):
    sys.path.insert(0, str((pathlib.Path(__file__).parent / folder).resolve()))
pytest.register_assert_rewrite("contract_cases", "elastic_cases", "file_cases", "inside_cases", "mpi_cases",
                               "python_cases", "rendezvous_cases", "job_reports", "tony_cases", "yarnfile_cases")

import scheduling_cases  # noqa: E402
from accounts import NO_ACCOUNT, open_to_tasks  # noqa: E402
from browser import chromium, context, expect  # noqa: E402, F401
from cluster import Cluster, Setup  # noqa: E402
from hadoop_tree import MAIN_VERSION, OLD_VERSIONS, ROOT, VERSIONS  # noqa: E402
from cluster_user import Howdah  # noqa: E402
from installed import installed  # noqa: E402, F401
from other_user import CAN_MOUNT, NO_MOUNTS  # noqa: E402

# The settings of production clusters that a cluster has with --secured, or if a test asks for them.
SECURED = dict(kerberos=True, rpc="privacy", data="key-aes", kms=True, zones=True, tls=True, accounts=True)
KMS_VERSIONS = (MAIN_VERSION,)  # Maven Central lacks the KMS of some later versions
QUICK_HEARTBEAT_MS = 100  # heartbeat interval of nodes; Hadoop's default of 1000 would slow down the tests


def pytest_addoption(parser):
    parser.addoption("--secured", action="store_true", help="clusters have the settings of production clusters")
    parser.addoption("--token-lifetime", type=int, default=60, metavar="SECONDS",
                     help="the lifetime of delegation tokens in tests whose jobs outlive them")


def secured_settings(version=MAIN_VERSION):
    """SECURED, without the settings that this version cannot have here."""
    settings = dict(SECURED)
    if version not in KMS_VERSIONS:
        settings |= {"kms": False, "zones": False}
    if version in OLD_VERSIONS:
        settings["data"] = "privacy"  # AES needs a class that JDK 17 lacks
    if version.startswith("2."):
        settings["tls"] = False  # on JDK 17, its web server ends TLS connections in the middle of an answer
    return settings


@pytest.fixture
def unsecured(request):
    """For a test whose subject the settings of production clusters exclude."""
    if request.config.getoption("--secured"):
        pytest.skip("needs a cluster without the settings of --secured")


class Factory:
    """factory(nodes=2, ...) starts a cluster. The cluster is closed at the end of the fixture's scope. Its logs are
    kept if any test of the run has failed."""

    def __init__(self, request):
        self.request, self.clusters = request, []

    def __call__(self, **setup):
        if self.request.config.getoption("--secured", default=False):
            setup = {**secured_settings(setup.get("version", MAIN_VERSION)), **setup}
        if setup.get("accounts") and not CAN_MOUNT:
            pytest.skip(NO_MOUNTS)
        cluster = Cluster(Setup(**{"heartbeat_ms": QUICK_HEARTBEAT_MS, **setup}))
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
def secured_cluster(session_cluster):
    return session_cluster(**SECURED, aggregation=True, users=("alice", "bob", NO_ACCOUNT))


@pytest.fixture(scope="session")
def difficult_cluster(session_cluster):
    return session_cluster(**scheduling_cases.SETUP)


@pytest.fixture
def difficult(difficult_cluster):
    """A cluster with queues, labels, GPUs and health scripts that make jobs wait or fail; see scheduling_cases.py."""
    return scheduling_cases.healthy(difficult_cluster)


@pytest.fixture(scope="module", params=[
    MAIN_VERSION, *(pytest.param(version, marks=pytest.mark.long) for version in VERSIONS[1:-1]), VERSIONS[-1]])
def any_version(request, module_cluster):
    """Runs a test once per Hadoop version, with a cluster of that version."""
    if request.param == MAIN_VERSION:
        return request.getfixturevalue("cluster")
    return module_cluster(version=request.param)


@pytest.fixture
def tmp_path(tmp_path):
    """A folder in which tasks can write, under whichever account they run."""
    return open_to_tasks(tmp_path)


@pytest.fixture
def howdah_of(tmp_path):
    """howdah_of(cluster, "bob") returns a Howdah for that user."""
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

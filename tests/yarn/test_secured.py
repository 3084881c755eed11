"""The files of tests/contract on a cluster with everything that administrators of production clusters set: Kerberos,
encrypted RPC and transfers, home directories in encryption zones, HTTPS with SPNEGO, and containers under the accounts
of their users."""
import pytest

from conftest import SECURED
from contract_cases import *  # noqa: F403


@pytest.fixture(scope="module")
def secured(module_cluster):
    return module_cluster(**SECURED, aggregation=True)


@pytest.fixture
def machine(howdah_of, secured):
    return howdah_of(secured)

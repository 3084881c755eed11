"""The files of tests/contract on a cluster with everything that administrators of production clusters set: Kerberos,
encrypted RPC and transfers, home directories in encryption zones, HTTPS with SPNEGO, and containers under the accounts
of their users."""
import pytest

from accounts import NO_ACCOUNT
from contract_cases import *  # noqa: F403
from job_reports import assert_facts


@pytest.fixture
def machine(howdah_of, secured_cluster):
    return howdah_of(secured_cluster)


def test_k16_user_without_an_account_on_the_nodes(howdah_of, secured_cluster, tmp_path):
    howdah = howdah_of(secured_cluster, NO_ACCOUNT)
    done = howdah("run", howdah.job_file(tmp_path, "roles: {w: {memory: 64MiB, command: 'true'}}\n"))
    assert done.code == 1, done
    assert_facts(howdah.status(done.id)["reason"], "could not be started", f"User {NO_ACCOUNT} not found",
                 "must create the account on every node")

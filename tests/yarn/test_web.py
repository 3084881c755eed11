"""Web services of NodeManagers that require HTTPS and SPNEGO. `howdah logs` reads the output of ended jobs there."""
import pytest

from kdc import REALM
from key_stores import PASSWORD, keytool
from kill_cases import ended


@pytest.fixture(scope="module")
def secured(module_cluster):
    # Without a KMS, whose certificate would be refused first.
    return module_cluster(nodes=1, kerberos=True, tls=True, kms=False, zones=False)


@pytest.fixture
def other_ca(tmp_path):
    """The certificate of an authority that has not certified the node's certificate."""
    keytool("-genkeypair", "-alias", "other", "-keyalg", "RSA", "-dname", "CN=other", "-storetype", "JKS", "-keystore",
            tmp_path / "other.jks", "-keypass", PASSWORD)
    keytool("-exportcert", "-rfc", "-alias", "other", "-keystore", tmp_path / "other.jks", "-file",
            tmp_path / "other.pem")
    return tmp_path / "other.pem"


@pytest.fixture
def howdah(howdah_of, secured):
    return howdah_of(secured)


def test_logs_of_an_ended_job_are_read_over_https_with_a_ticket(howdah, other_ca, tmp_path):
    node = howdah.cluster.host("nm1")
    job = howdah.submit(howdah.job_file(tmp_path, """
name: told
roles: {worker: {instances: 1, memory: 64m, command: "echo of the task"}}
""", "told.yaml"))
    ended(howdah, job, "SUCCEEDED")
    done = howdah("logs", job)
    assert done.code == 0 and "of the task" in done.stdout, done
    done = howdah("logs", job, env={"HOWDAH_CA": str(howdah.cluster.configuration.tls.ca)})
    assert done.code == 0 and "of the task" in done.stdout, done
    done = howdah("logs", job, env={"HOWDAH_CA": str(other_ca)})
    assert "of the task" not in done.stdout, done
    assert f"the certificate of {node} is not accepted" in done.stderr, done
    assert str(other_ca) in done.stderr, done
    kdc = howdah.cluster.kdc
    kdc.admin(f"modprinc -allow_svr HTTP/{node}")
    try:
        done = howdah("logs", job)
        assert f"HTTP/{node}@{REALM}" in done.stderr, done
    finally:
        kdc.admin(f"modprinc +allow_svr HTTP/{node}")

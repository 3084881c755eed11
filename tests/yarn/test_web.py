"""Web services of NodeManagers that require HTTPS and SPNEGO. `howdah logs` reads the output of ended jobs there."""
import subprocess

import pytest

from hadoop_tree import java_home
from kdc import REALM
from kill_cases import ended

NODE = "127.0.0.11"
PASSWORD = "changeit"


def keytool(*words):
    subprocess.run([java_home() / "bin/keytool", *map(str, words), "-storepass", PASSWORD], check=True,
                   capture_output=True, stdin=subprocess.DEVNULL)


@pytest.fixture(scope="module")
def stores(tmp_path_factory):
    """The NodeManager's certificate in server.jks, and the same for clients in trust.jks and ca.pem."""
    folder = tmp_path_factory.mktemp("stores")
    keytool("-genkeypair", "-alias", "node", "-keyalg", "RSA", "-dname", "CN=node", "-ext", f"san=ip:{NODE}",
            "-storetype", "JKS", "-keystore", folder / "server.jks", "-keypass", PASSWORD)
    keytool("-exportcert", "-rfc", "-alias", "node", "-keystore", folder / "server.jks", "-file", folder / "ca.pem")
    keytool("-importcert", "-noprompt", "-alias", "node", "-file", folder / "ca.pem", "-storetype", "JKS", "-keystore",
            folder / "trust.jks")
    keytool("-genkeypair", "-alias", "other", "-keyalg", "RSA", "-dname", "CN=other", "-storetype", "JKS", "-keystore",
            folder / "other.jks", "-keypass", PASSWORD)
    keytool("-exportcert", "-rfc", "-alias", "other", "-keystore", folder / "other.jks", "-file", folder / "other.pem")
    (folder / "secret").write_text("signature of cookies")
    return folder


@pytest.fixture(scope="module")
def secured(module_cluster, stores):
    key_store = "ssl.server.keystore"
    return module_cluster(nodes=1, kerberos=True, extra={
        "ssl-server": {f"{key_store}.location": stores / "server.jks", f"{key_store}.password": PASSWORD,
                       f"{key_store}.keypassword": PASSWORD, f"{key_store}.type": "jks"},
        "ssl-client": {"ssl.client.truststore.location": stores / "trust.jks",
                       "ssl.client.truststore.password": PASSWORD},
    }, node_extra={"nm1": {
        "yarn.http.policy": "HTTPS_ONLY",
        "yarn.nodemanager.webapp.https.address": f"{NODE}:0",
        "hadoop.http.filter.initializers": "org.apache.hadoop.security.AuthenticationFilterInitializer",
        "hadoop.http.authentication.type": "kerberos",
        "hadoop.http.authentication.kerberos.principal": f"HTTP/{NODE}@{REALM}",
        "hadoop.http.authentication.kerberos.keytab": "${hadoop.tmp.dir}/../kdc/HTTP-" + f"{NODE}.keytab",
        "hadoop.http.authentication.signature.secret.file": stores / "secret",
    }})


@pytest.fixture
def howdah(howdah_of, secured):
    howdah = howdah_of(secured)
    # Other daemons of the cluster have plain web servers, which the tests use.
    path = secured.conf_dir / "yarn-site.xml"
    if "yarn.http.policy" not in path.read_text():
        path.write_text(path.read_text().replace(
            "</configuration>",
            "<property><name>yarn.http.policy</name><value>HTTPS_ONLY</value></property></configuration>"))
    return howdah


def test_logs_of_an_ended_job_are_read_over_https_with_a_ticket(howdah, stores, tmp_path):
    job = howdah.submit(howdah.job_file(tmp_path, """
name: told
roles: {worker: {instances: 1, memory: 64m, command: "echo of the task"}}
""", "told.yaml"))
    ended(howdah, job, "SUCCEEDED")
    done = howdah("logs", job)
    assert done.code == 0 and "of the task" in done.stdout, done
    done = howdah("logs", job, env={"HOWDAH_CA": str(stores / "ca.pem")})
    assert done.code == 0 and "of the task" in done.stdout, done
    done = howdah("logs", job, env={"HOWDAH_CA": str(stores / "other.pem")})
    assert "of the task" not in done.stdout, done
    assert f"the certificate of {NODE} is not accepted" in done.stderr, done
    assert str(stores / "other.pem") in done.stderr, done
    kdc = howdah.cluster.kdc
    kdc.admin(f"modprinc -allow_svr HTTP/{NODE}")
    try:
        done = howdah("logs", job)
        assert f"HTTP/{NODE}@{REALM}" in done.stderr, done
    finally:
        kdc.admin(f"modprinc +allow_svr HTTP/{NODE}")

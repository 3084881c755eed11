"""A self-signed certificate for the web servers of a test cluster, in the files that servers and clients read."""
import pathlib
import subprocess

from hadoop_tree import java_home

PASSWORD = "changeit"


def keytool(*words):
    subprocess.run([java_home() / "bin/keytool", *map(str, words), "-storepass", PASSWORD], check=True,
                   capture_output=True, stdin=subprocess.DEVNULL)


class KeyStores:
    """`ca` is the certificate as PEM. `server` and `client` are the properties of ssl-server.xml and ssl-client.xml.
    `secret` is a file for hadoop.http.authentication.signature.secret.file."""

    def __init__(self, folder, *hosts):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir()
        self.ca, self.secret = self.folder / "ca.pem", self.folder / "secret"
        self.secret.write_text("signature of cookies")
        own, trusted = self.folder / "server.jks", self.folder / "trust.jks"
        names = ",".join(f"{'ip' if host[0].isdigit() else 'dns'}:{host}" for host in hosts)
        keytool("-genkeypair", "-alias", "node", "-keyalg", "RSA", "-dname", "CN=node", "-ext", f"san={names}",
                "-storetype", "JKS", "-keystore", own, "-keypass", PASSWORD)
        keytool("-exportcert", "-rfc", "-alias", "node", "-keystore", own, "-file", self.ca)
        keytool("-importcert", "-noprompt", "-alias", "node", "-file", self.ca, "-storetype", "JKS",
                "-keystore", trusted)
        for private in (own, self.secret):
            private.chmod(0o600)
        self.server = {f"ssl.server.keystore.{key}": value for key, value in {
            "location": own, "password": PASSWORD, "keypassword": PASSWORD, "type": "jks"}.items()}
        self.client = {"ssl.client.truststore.location": trusted, "ssl.client.truststore.password": PASSWORD,
                       "ssl.client.truststore.type": "jks"}

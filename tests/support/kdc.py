"""A real MIT KDC on the loopback interface, with keytabs and ticket caches. Everything is below one folder."""
import os
import pathlib
import signal
import subprocess

from machine import eventually

REALM = "LAB.TEST"
KRB5_CONF = """[libdefaults]
  default_realm = {realm}
  dns_lookup_realm = false
  dns_lookup_kdc = false
  ticket_lifetime = 24h
  renew_lifetime = 7d
{libdefaults}
[realms]
{realms}
[domain_realm]
  localhost = {realm}
{domains}
"""
KDC_CONF = """[kdcdefaults]
  kdc_listen = 127.0.0.1:{port}
  kdc_tcp_listen = {tcp}
[realms]
  {realm} = {{
    database_name = {folder}/principal
    key_stash_file = {folder}/stash
    acl_file = {folder}/kadm5.acl
    max_life = 24h
    max_renewable_life = 7d
{settings}
  }}
[logging]
  kdc = FILE:{folder}/kdc.log
"""


class Kdc:
    """`port`: a free port for TCP and UDP. `tcp`: whether the KDC also answers over TCP. `settings`: further lines for
    the realm in kdc.conf. `env` is the environment for programs that use this KDC."""

    def __init__(self, folder, port, realm=REALM, tcp=True, settings=(), command=()):
        self.folder, self.port, self.realm = pathlib.Path(folder), port, realm
        self.command = [*command, "krb5kdc", "-n"]
        self.folder.mkdir(parents=True)
        self.config = self.write_config("krb5.conf")
        (self.folder / "kdc.conf").write_text(KDC_CONF.format(
            port=port, realm=realm, folder=self.folder, tcp=f"127.0.0.1:{port}" if tcp else '""',
            settings="\n".join(f"    {line}" for line in settings)))
        self.env = {"KRB5_CONFIG": str(self.config)}
        self.process = None
        self._run("kdb5_util", "create", "-s", "-r", realm, "-P", "lab")

    def write_config(self, name, kdcs=None, libdefaults=(), realms=(), domains=(), own=True):
        """Writes a krb5.conf for clients; returns its path. `kdcs`: other addresses than this KDC's. `own=False`: the
        file does not have this realm. `realms`: further Kdc objects."""
        def realm(name, addresses):
            return "\n".join([f"  {name} = {{", *(f"    kdc = {address}" for address in addresses), "  }"])
        text = KRB5_CONF.format(
            realm=self.realm, libdefaults="\n".join(f"  {line}" for line in libdefaults),
            realms="\n".join([*([realm(self.realm, kdcs or [f"127.0.0.1:{self.port}"])] if own else []),
                              *(realm(other.realm, [f"127.0.0.1:{other.port}"]) for other in realms)]),
            domains="\n".join(f"  {line}" for line in domains))
        path = self.folder / name
        path.write_text(text)
        return path

    def _environment(self):
        return {**os.environ, **self.env, "KRB5_KDC_PROFILE": str(self.folder / "kdc.conf")}

    def _run(self, *command, text=None):
        done = subprocess.run(command, env=self._environment(), input=text, capture_output=True, text=True)
        assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
        return done.stdout

    def admin(self, *commands):
        """Runs commands of kadmin on the database."""
        output = self._run("kadmin.local", "-r", self.realm, text="\n".join(commands) + "\n")
        return output

    def start(self):
        log = (self.folder / "kdc.err").open("ab")
        # The working directory lets the guardian of a cluster find the process.
        self.process = subprocess.Popen(self.command, env=self._environment(), stdin=subprocess.DEVNULL, stdout=log,
                                        stderr=log, cwd=self.folder, start_new_session=True)
        eventually(lambda: "commencing operation" in self._log(), f"the KDC of {self.realm}")

    def _log(self):
        path = self.folder / "kdc.log"
        return path.read_text(errors="replace") if path.exists() else ""

    def stop(self):
        if self.process:
            os.killpg(self.process.pid, signal.SIGKILL)  # `command` may have started the KDC as a child
            self.process.wait()
            self.process = None
            (self.folder / "kdc.log").unlink(missing_ok=True)

    def principal(self, name, *options):
        """Creates a principal with a random key and its keytab; returns the path of the keytab."""
        path = self.keytab_path(name)
        self.admin(f"addprinc -randkey {' '.join(options)} {name}", f"ktadd -k {path} {name}")
        return path

    def keytab_path(self, name):
        return self.folder / (name.replace("/", "-") + ".keytab")

    def kinit(self, name, cache, *options):
        """Gets a ticket with the principal's keytab; returns the name of the cache."""
        self._run("kinit", "-k", "-t", str(self.keytab_path(name)), "-c", str(cache), *options, name)
        return str(cache)

"""Logins with Kerberos on a real KDC and real daemons: sources of tickets, protections, messages of failures."""
import getpass
import re
import shutil
import socket
import subprocess

import pytest

from cluster_setup import replace_properties
from daemons import Ports
from hadoop_tree import MAIN_VERSION, ROOT, Hadoop
from kdc import REALM, Kdc
from kill_cases import ended, kill_am, submit, until, worker
from machine import BIN, eventually
from other_user import needs_mounts

PARTNER = "PARTNER.TEST"
TABLE = ROOT / "src/hadoop/principals/testdata/short_names.tsv"


@pytest.fixture(scope="module", params=["authentication", *(
    pytest.param(rpc, marks=pytest.mark.long) for rpc in ("integrity", "privacy"))])
def protected(request, module_cluster):
    return module_cluster(nodes=1, kerberos=True, rpc=request.param)


@pytest.fixture(scope="module")
def secure(module_cluster):
    me_too = f"RULE:[2:$1](nn|dn|rm|nm)s/.*/{getpass.getuser()}/ RULE:[1:$1@$0](.*@{PARTNER})s/@.*// DEFAULT"
    return module_cluster(nodes=1, kerberos=True, rpc="privacy,integrity,authentication", extra={"core-site": {
        "hadoop.security.auth_to_local": me_too,
        "hadoop.proxyuser.bob.hosts": "*", "hadoop.proxyuser.bob.users": "alice"}})


@pytest.fixture
def howdah(howdah_of, secure):
    return howdah_of(secure)


def refused(howdah, *parts, env=None, flags=(), code=3):
    """Runs a command that must fail; its message must contain the parts."""
    done = howdah(*flags, "list", env=env)
    assert done.code == code, done
    for part in parts:
        assert str(part) in done.stderr, f"{part!r} is not in the message\n{done!r}"
    return done


def works(howdah, env=None, flags=()):
    done = howdah(*flags, "list", env=env)
    assert done.code == 0, done


# --- sources of tickets, protections ---

def test_doctor_uses_each_protection(howdah_of, protected):
    howdah = howdah_of(protected)
    done = howdah("doctor")
    assert f"alice@{REALM} from the cache FILE:{howdah.home}/tickets" in done.stdout, done
    assert "the account is alice" in done.stdout, done
    assert f"connected to the ResourceManager rm/localhost, {protected.setup.rpc}\n" in done.stdout, done
    assert f"connected to the NameNode nn/localhost, {protected.setup.rpc}\n" in done.stdout, done
    assert "1 NodeManagers are running" in done.stdout, done
    assert "wrote, read and deleted a file in" in done.stdout, done
    assert f"the KDC of {REALM}, 127.0.0.1:{protected.kdc.port}, TCP, answered within" in done.stdout, done


def test_ticket_comes_from_cache_keytab_or_client_keytab(howdah, secure, tmp_path):
    keytab = secure.kdc.keytab_path("alice")
    nothing = {"KRB5CCNAME": f"FILE:{tmp_path}/none"}
    works(howdah, env={"KRB5CCNAME": f"FILE:{howdah.home}/tickets"})
    (tmp_path / "caches").mkdir()
    secure.kdc.kinit("alice", f"DIR:{tmp_path}/caches")
    before = {path: path.read_bytes() for path in (tmp_path / "caches").iterdir()}
    works(howdah, env={"KRB5CCNAME": f"DIR:{tmp_path}/caches"})
    assert {path: path.read_bytes() for path in (tmp_path / "caches").iterdir()} == before, "the cache was written"
    works(howdah, env=nothing, flags=("--principal", "alice", "--keytab", keytab))
    works(howdah, env=nothing, flags=("--keytab", keytab))
    works(howdah, env={**nothing, "HOWDAH_KEYTAB": str(keytab)})
    works(howdah, env={**nothing, "KRB5_CLIENT_KTNAME": str(keytab)})
    (tmp_path / "config/howdah").mkdir(parents=True)
    shutil.copy(keytab, tmp_path / "config/howdah/mine.keytab")
    (tmp_path / "config/howdah/config.yaml").write_text("kerberos: {principal: alice, keytab: mine.keytab}\n")
    works(howdah, env={**nothing, "XDG_CONFIG_HOME": str(tmp_path / "config")})


# Runs the command with KCM's daemon, in a mount namespace in which nothing of the machine's own daemon is visible.
WITH_KCM = """
mount -t tmpfs tmpfs /run && mount -t tmpfs tmpfs /var/lib/sss && mkdir /var/lib/sss/secrets /var/lib/sss/db || exit 1
/usr/libexec/sssd/sssd_kcm --uid 0 --gid 0 --logger=stderr & kcm=$!
until [ -S /run/.heim_org.h5l.kcm-socket ]; do kill -0 $kcm || exit 1; done
"$@"; code=$?
kill $kcm; exit $code
"""
DOCTOR_WITH_TICKET = 'kinit -k -t "$1" alice && "$2" --on yarn doctor && kdestroy'


def doctor_with_cache(howdah, kdc, cache, start=()):
    done = subprocess.run([*start, "sh", "-c", DOCTOR_WITH_TICKET, "sh", kdc.keytab_path("alice"), BIN],
                          env=howdah.env | {"KRB5CCNAME": cache}, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done
    assert f"alice@{REALM} from the cache {cache}" in done.stdout, done


@needs_mounts
def test_ticket_comes_from_the_daemon_of_kcm(howdah, secure):
    doctor_with_cache(howdah, secure.kdc, "KCM:", ["unshare", "--mount", "sh", "-c", WITH_KCM, "sh"])


def test_ticket_comes_from_the_kernel(howdah, secure):
    cache = "KEYRING:session:howdah"
    made = subprocess.run(["kinit", "-k", "-t", secure.kdc.keytab_path("alice"), "alice"],
                          env=howdah.env | {"KRB5CCNAME": cache}, capture_output=True, text=True)
    if made.returncode != 0:
        pytest.skip(f"no keyrings here: {made.stderr}")  # containers may forbid them
    doctor_with_cache(howdah, secure.kdc, cache)


# The keys of /etc/krb5.conf and /etc/krb5.conf.d/crypto-policies on RHEL 9.
RHEL = """includedir {folder}/conf.d/
[logging]
    default = FILE:/var/log/krb5libs.log
[libdefaults]
    dns_lookup_realm = false
    ticket_lifetime = 24h
    renew_lifetime = 7d
    forwardable = true
    rdns = false
    pkinit_anchors = FILE:/etc/pki/tls/certs/ca-bundle.crt
    spake_preauth_groups = edwards25519
    dns_canonicalize_hostname = fallback
    qualify_shortname = ""
    default_ccache_name = FILE:{cache}
"""
POLICY = "[libdefaults]\npermitted_enctypes = aes256-cts-hmac-sha1-96 aes256-cts-hmac-sha384-192 " \
         "aes128-cts-hmac-sha256-128\n"
# Hides the loader, all libraries, resolver modules and locales of the machine.
BARE = 'mount --bind /dev/null /etc/nsswitch.conf && mount -t tmpfs tmpfs /usr/lib && exec "$@"'


@needs_mounts
def test_programs_need_no_library_and_read_the_configuration_of_rhel(howdah, secure, tmp_path):
    (tmp_path / "conf.d").mkdir()
    shutil.copy(secure.kdc.config, tmp_path / "conf.d" / "lab")
    (tmp_path / "conf.d" / "crypto-policies").write_text(POLICY)
    (tmp_path / "krb5.conf").write_text(RHEL.format(folder=tmp_path, cache=howdah.home / "tickets"))
    env = {key: value for key, value in howdah.env.items() if key not in ("KRB5CCNAME", "LANG", "LC_ALL")}
    env["KRB5_CONFIG"] = str(tmp_path / "krb5.conf")
    for flags in ([], ["--keytab", secure.kdc.keytab_path("alice")]):
        done = subprocess.run(["unshare", "--mount", "sh", "-c", BARE, "sh", BIN, *flags, "doctor"], env=env,
                              capture_output=True, text=True, timeout=60)
        assert f"Kerberos: alice@{REALM} from the" in done.stdout, done
        assert "wrote, read and deleted a file in" in done.stdout, done


def test_kdc_that_refuses_tcp_is_asked_over_udp(howdah_of, secure, howdah, tmp_path):
    ports = Ports()
    # The same realm and database, but no TCP.
    kdc = secure.kdc
    text = (kdc.folder / "kdc.conf").read_text()
    text = text.replace(f"kdc_tcp_listen = 127.0.0.1:{kdc.port}", 'kdc_tcp_listen = ""')
    port = ports.take()
    udp = Kdc.__new__(Kdc)
    udp.__dict__.update(kdc.__dict__, folder=tmp_path / "udp", port=port, process=None)
    udp.folder.mkdir()
    text = text.replace(f"kdc_listen = 127.0.0.1:{kdc.port}", f"kdc_listen = 127.0.0.1:{port}")
    (udp.folder / "kdc.conf").write_text(text.replace(f"{kdc.folder}/kdc.log", f"{udp.folder}/kdc.log"))
    udp.start()
    try:
        config = kdc.write_config("udp.conf", kdcs=[f"127.0.0.1:{port}"])
        works(howdah, env={"KRB5_CONFIG": str(config)})
    finally:
        udp.stop()
        ports.close()


def test_short_names_are_those_of_hadoop(tmp_path):
    rows = [line.split("\t") for line in TABLE.read_text().splitlines() if not line.startswith("#")]
    (tmp_path / "krb5.conf").write_text("[libdefaults]\n  default_realm = R\n")
    command = Hadoop(MAIN_VERSION).java(str(ROOT / "tests/yarn/hadoop/ShortNames.java"), conf=[tmp_path],
                                        options=[f"-Djava.security.krb5.conf={tmp_path}/krb5.conf"])
    done = subprocess.run(command, input="".join(f"{rules}\t{principal}\n" for rules, principal, *_ in rows),
                          capture_output=True, text=True, check=True)
    assert [line.split("\t") for line in done.stdout.splitlines()] == [row[2:] for row in rows]


# --- users, realms ---

def test_as_acts_for_another_user(howdah_of, secure):
    bob = howdah_of(secure, "bob")
    works(bob, flags=("--as", "alice"))
    works(bob, env={"HADOOP_PROXY_USER": "alice"})
    done = bob("--as", "alice", "doctor")
    assert "acting as alice" in done.stdout, done
    assert re.search(r"wrote, read and deleted a file in hdfs://\S+/user/alice/\S+ as alice", done.stdout), done


def test_hadoop_user_name_has_no_effect(howdah):
    done = howdah("doctor", env={"HADOOP_USER_NAME": "bob"})
    assert "HADOOP_USER_NAME is bob, which has no effect" in done.stdout, done
    assert "the account is alice" in done.stdout, done


@pytest.fixture
def partner(secure, tmp_path):
    """A KDC of another realm, with the user dave. Clients use `partner.both`."""
    ports = Ports()
    kdc = Kdc(tmp_path / "partner", ports.take(), realm=PARTNER)
    kdc.principal("dave")
    kdc.start()
    kdc.both = kdc.write_config("both.conf", realms=[secure.kdc])
    yield kdc
    kdc.stop()
    ports.close()


def test_realms_that_trust_each_other(howdah, secure, partner):
    env = {"KRB5_CONFIG": str(partner.both), "KRB5CCNAME": f"FILE:{partner.kinit('dave', partner.folder / 'tickets')}"}
    refused(howdah, f"krbtgt/{REALM}@{PARTNER}", "no trust", "[capaths]", env=env)  # K8
    for kdc in (secure.kdc, partner):
        kdc.admin(f"addprinc -pw trust -e aes256-cts:normal krbtgt/{REALM}@{PARTNER}")
    works(howdah, env=env)
    done = howdah("doctor", env=env)
    assert f"dave@{PARTNER}" in done.stdout and "the account is dave" in done.stdout, done


# --- failures: each message must contain the facts that help ---

def test_row_14_missing_expired_and_unreadable_tickets(howdah, secure, tmp_path):
    def cache(name):
        return {"KRB5CCNAME": name}
    missing = f"FILE:{tmp_path}/none"
    refused(howdah, missing, "kinit", env=cache(missing))
    refused(howdah, f"DIR:{tmp_path}/none", "kinit", env=cache(f"DIR:{tmp_path}/none"))
    refused(howdah, f"DIR::{tmp_path}/none/tkt", "kinit", env=cache(f"DIR::{tmp_path}/none/tkt"))
    assert not (tmp_path / "none").exists(), "the directory of the cache was created"
    without_kcm = secure.kdc.write_config("no-kcm.conf", libdefaults=[f"kcm_socket = {tmp_path}/kcm"])
    refused(howdah, "KCM:", "sssd-kcm", "kinit", env=cache("KCM:") | {"KRB5_CONFIG": str(without_kcm)})
    refused(howdah, "WEIRD:x", "kinit", "FILE, DIR, KCM or KEYRING", env=cache("WEIRD:x"))
    (tmp_path / "damaged").write_bytes(b"\5\4 not a cache")
    refused(howdah, f"FILE:{tmp_path}/damaged", "kinit", env=cache(f"FILE:{tmp_path}/damaged"))
    short = secure.kdc.kinit("alice", tmp_path / "short", "-l", "30s", "-r", "1h")
    refused(howdah, f"alice@{REALM}", f"FILE:{short}", "expires at", "renewable until", "kinit -R",
            env=cache(f"FILE:{short}"))
    plain = secure.kdc.kinit("alice", tmp_path / "plain", "-l", "1s")
    eventually(lambda: "expired at" in howdah("list", env=cache(f"FILE:{plain}")).stderr, "the end of the ticket")
    refused(howdah, f"alice@{REALM}", f"FILE:{plain}", "expired at", f"kinit alice@{REALM}", env=cache(f"FILE:{plain}"))
    refused(howdah, f"alice@{REALM}", f"bob@{REALM}", flags=("--principal", f"bob@{REALM}"))


def test_k1_no_kdc_is_configured(howdah, secure):
    kdc = secure.kdc
    without = kdc.write_config("without.conf", own=False)
    keytab = ("--keytab", kdc.keytab_path("alice"))
    refused(howdah, f"no KDC of the realm {REALM}", without, "dns_lookup_kdc is false",
            env={"KRB5_CONFIG": str(without)}, flags=keytab)
    without.write_text(without.read_text().replace("dns_lookup_kdc = false", "dns_lookup_kdc = true"))
    refused(howdah, f"_kerberos._tcp.{REALM}", f"_kerberos._udp.{REALM}", env={"KRB5_CONFIG": str(without)},
            flags=keytab)
    refused(howdah, "default_realm", "/nonexistent/krb5.conf", env={"KRB5_CONFIG": "/nonexistent/krb5.conf"},
            flags=(*keytab, "--principal", "alice"))


def test_k2_no_kdc_answers(howdah, secure):
    kdc = secure.kdc
    with socket.socket() as refusing, socket.create_server(("127.0.0.1", 0)) as silent:
        refusing.bind(("127.0.0.1", 0))
        addresses = [f"127.0.0.1:{s.getsockname()[1]}" for s in (refusing, silent)]
        config = kdc.write_config("unreachable.conf", kdcs=addresses)
        refused(howdah, f"{addresses[0]}, TCP: Connection refused after", f"{addresses[0]}, UDP: Connection refused",
                f"{addresses[1]}, TCP: no answer after 3.", env={"KRB5_CONFIG": str(config)},
                flags=("--keytab", kdc.keytab_path("alice")))


def test_k3_clocks_differ(howdah, tmp_path):
    ports = Ports()
    kdc = Kdc(tmp_path / "late", ports.take(), command=("faketime", "-f", "-2h"))
    keytab = kdc.principal("alice", "+requires_preauth")
    config = kdc.write_config("exact.conf", libdefaults=["kdc_timesync = 0"])
    kdc.start()
    try:
        refused(howdah, "the clock of this machine is 2h00m ahead of", f"127.0.0.1:{kdc.port}", "5m00s are allowed",
                env={"KRB5_CONFIG": str(config)}, flags=("--keytab", keytab))
    finally:
        kdc.stop()
        ports.close()


def test_k4_accounts_that_may_not_log_in(howdah, secure):
    kdc = secure.kdc
    keytab = kdc.principal("carol")

    def login(*parts):
        refused(howdah, f"carol@{REALM}", f"the realm {REALM}", "administrator", *parts, flags=("--keytab", keytab))
    kdc.admin("modprinc -allow_tix carol")
    login("is locked")
    kdc.admin("modprinc +allow_tix -expire yesterday carol")
    login("has expired")
    kdc.admin("modprinc -expire never -pwexpire yesterday carol")
    login("the password of", "kpasswd")
    kdc.admin("delprinc -force carol")
    login("does not know")


def test_k5_keytabs_that_cannot_be_used(howdah, secure, tmp_path):
    kdc = secure.kdc
    keytab = tmp_path / "copy.keytab"

    def login(*parts, code=2, principal="alice"):
        refused(howdah, keytab, *parts, flags=("--keytab", keytab, "--principal", principal), code=code)
    login("No such file")
    keytab.write_bytes(kdc.keytab_path("alice").read_bytes())
    keytab.chmod(0o644)
    login("mode 0644", "owner", "chmod 600")
    keytab.chmod(0o600)
    login(f"alice@{REALM} (version", principal="bob")
    keytab.write_bytes(b"not a keytab")
    login("is not a keytab")
    keytab.write_bytes(kdc.keytab_path("alice").read_bytes()[:30])
    login("keytab")
    old = kdc.principal("erin")
    keytab.write_bytes(old.read_bytes())
    kdc.admin("modprinc +requires_preauth erin", "cpw -randkey -keepold erin", "purgekeys erin")
    login(f"another key for erin@{REALM}", "version 2", "aes256",
          f"the KDC's keys of erin@{REALM} have the types aes256-cts-hmac-sha1-96", code=3, principal="erin")


def test_k6_no_common_encryption_type(howdah, secure):
    kdc = secure.kdc
    config = kdc.write_config("camellia.conf", libdefaults=["permitted_enctypes = camellia256-cts"])
    refused(howdah, "encryption type", "camellia256-cts", "permitted_enctypes",
            f"the KDC's keys of alice@{REALM} have the types aes256-cts-hmac-sha1-96", env={"KRB5_CONFIG": str(config)},
            flags=("--keytab", kdc.keytab_path("alice")))


@pytest.fixture
def changed(howdah, secure, tmp_path):
    """changed(file, key=value) returns the environment for a copy of the client's configuration with other values."""
    def change(file, values, cluster=secure):
        folder = tmp_path / "conf"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(cluster.conf_dir, folder)
        replace_properties(folder / f"{file}.xml", values)
        return {"HADOOP_CONF_DIR": str(folder)}
    return change


def test_k7_service_principals(howdah, secure, changed, tmp_path):
    key = "yarn.resourcemanager.principal"
    works(howdah, env=changed("yarn-site", {key: f"rm/_HOST@{REALM}"}))
    works(howdah, env=changed("yarn-site", {key: "", f"{key}.pattern": "rm/*"}))
    refused(howdah, "rm/localhost", f"other/_HOST@{REALM}", key, "_HOST stands for localhost", "127.0.0.1",
            env=changed("yarn-site", {key: f"other/_HOST@{REALM}"}))
    refused(howdah, "rm/localhost", f"{key}.pattern", "'nn/*'", env=changed("yarn-site", {f"{key}.pattern": "nn/*"}))
    ports = Ports()
    other = Kdc(tmp_path / "other", ports.take())  # the same realm without the ResourceManager
    keytab = other.principal("alice")
    other.start()
    try:
        refused(howdah, f"does not know the service rm/localhost@{REALM}", f"127.0.0.1:{other.port}",
                env={"KRB5_CONFIG": str(other.config)}, flags=("--keytab", keytab))
        other.principal("rm/localhost")  # with another key than that of the running ResourceManager
        refused(howdah, "GSS initiate failed", "the ResourceManager at localhost:", "its clock differs",
                "its keytab is older than its key", env={"KRB5_CONFIG": str(other.config)}, flags=("--keytab", keytab))
    finally:
        other.stop()
        ports.close()


def test_k9_weaker_protection(howdah_of, protected, changed):
    howdah = howdah_of(protected)
    env = changed("core-site", {"hadoop.rpc.protection": "privacy"}, protected)
    if protected.setup.rpc == "privacy":
        works(howdah, env=env)
    else:
        # A server that offers integrity also offers nothing weaker.
        refused(howdah, f"the protection {protected.setup.rpc}", "hadoop.rpc.protection", "at least privacy", env=env)


@pytest.mark.usefixtures("unsecured")
def test_k9_server_without_authentication(howdah_of, howdah, cluster, changed):
    env = changed("core-site", {"hadoop.security.authentication": "kerberos"}, cluster)
    refused(howdah, "requires no authentication", "hadoop.security.authentication in", "ipc.client.fallback", env=env)
    env = changed("core-site", {"hadoop.security.authentication": "kerberos",
                                "ipc.client.fallback-to-simple-auth-allowed": "true"}, cluster)
    works(howdah, env=env)


def test_k10_impersonation_and_rules(howdah, secure, changed):
    refused(howdah, f"alice@{REALM} is not allowed to impersonate bob", "hadoop.proxyuser.alice.hosts",
            flags=("--as", "bob"))
    rules = "RULE:[2:$1](nn)s/.*/hdfs/"
    refused(howdah, f"alice@{REALM}", rules, "hadoop.security.auth_to_local",
            env=changed("core-site", {"hadoop.security.auth_to_local": rules}))


# --- jobs ---

def test_job_runs_with_the_tokens_of_a_ticket(howdah, secure, tmp_path):
    job = submit(howdah, tmp_path, {"worker": worker(until(tmp_path / "go"), "instances: 2, restart: {max: 9}")})
    howdah.running(job)
    kill_am(howdah, job)  # the next AM reads the journal and the job file in HDFS
    howdah.running(job)
    (tmp_path / "go").touch()
    ended(howdah, job, "SUCCEEDED")
    log = secure["rm"].log.read_text(errors="replace")
    for kind in ("HDFS_DELEGATION_TOKEN", "RM_DELEGATION_TOKEN"):
        assert re.search(rf"Renewed delegation-token= \[Kind: {kind}", log), kind

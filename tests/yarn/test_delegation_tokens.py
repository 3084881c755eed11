"""Delegation tokens of jobs on a cluster with Kerberos: which ones a job gets, and which of them reach its tasks."""
import datetime
import re
import shlex
import shutil
import struct
import threading
import time

import pytest

from accounts import open_to_tasks
from cluster_user import Howdah
from job_reports import assert_facts
from kdc import REALM
from kill_cases import am_attempts, ended, events, job_text, kill9, kill_am, runs_again, submit, until, worker
from machine import BIN, eventually

HIVE = ("hive", b"identifier", b"password", b"HIVE_DELEGATION_TOKEN", b"hiveserver2")


@pytest.fixture(scope="module")
def secure(module_cluster):
    return module_cluster(nodes=1, kerberos=True, name_service="ns2", extra={"core-site": {
        "fs.viewfs.mounttable.table.link./data": "hdfs://ns2/data"}})


@pytest.fixture
def howdah(howdah_of, secure):
    return howdah_of(secure)


def vlong(number):
    """WritableUtils.writeVLong for numbers from 0 to 127."""
    assert 0 <= number <= 127
    return struct.pack("b", number)


def token_file(path, *tokens):
    """Writes a token file as Java does. Each token: alias, identifier, password, kind, service."""
    def text(value):
        value = value.encode() if isinstance(value, str) else value
        return vlong(len(value)) + value
    body = b"".join(text(part) for token in tokens for part in token)
    path.write_bytes(b"HDTS\0" + vlong(len(tokens)) + body + vlong(0))
    return path


def tokens_of_task(howdah, tmp_path, keys=""):
    """Runs a job whose task copies its token file, and returns the content of the copy: the kinds of tokens, and the
    name service ns2 if a token is for it."""
    copy = tmp_path / "copy"
    done = howdah("run", howdah.job_file(tmp_path, f"name: tokens\n{keys}\nroles:\n  w: {{memory: 64MiB, command: "
                                                   f"'cp -p $HADOOP_TOKEN_FILE_LOCATION {copy}'}}\n"))
    assert done.code == 0, done
    assert copy.stat().st_mode & 0o777 == 0o600
    content = copy.read_bytes()
    assert content.startswith(b"HDTS\0") and b"howdah." not in content
    found = re.findall(rb"([A-Z]+)_DELEGATION_TOKEN|ha-hdfs:(ns2)", content)
    return sorted({(kind or name).decode() for kind, name in found})


@pytest.mark.parametrize("keys, expected", [
    ("", ["HDFS"]),
    ("tokens: {to_tasks: []}", []),
    ("tokens: {to_tasks: [rm]}", ["RM"]),
    ("tokens: {to_tasks: [hdfs, rm]}", ["HDFS", "RM"]),
    ("file_systems: [hdfs://ns2]", ["HDFS", "ns2"]),
    ("file_systems: [viewfs://table]", ["HDFS", "ns2"]),
    ("checkpoint: hdfs://ns2/tmp/checkpoints", ["HDFS", "ns2"]),
    ("checkpoint: s3a://bucket/checkpoints", ["HDFS"]),
])
def test_tasks_get_the_tokens_that_the_job_file_names(howdah, tmp_path, keys, expected):
    assert tokens_of_task(howdah, tmp_path, keys) == expected


def test_resource_manager_renews_the_tokens_of_all_file_systems(howdah, secure, tmp_path):
    tokens_of_task(howdah, tmp_path, "file_systems: [hdfs://ns2]")
    log = secure["rm"].log.read_text(errors="replace")
    assert re.search(r"Renewed delegation-token= \[Kind: HDFS_DELEGATION_TOKEN, Service: ha-hdfs:ns2", log)


def test_file_system_without_a_configuration(howdah, tmp_path):
    done = howdah("run", howdah.job_file(tmp_path, "name: j\nfile_systems: [viewfs://other]\nroles: "
                                                   "{w: {memory: 64MiB, command: 'true'}}\n"))
    assert done.code == 2, done
    assert "file_systems: finding the file system: viewfs://other: its table mounts nothing" in done.stderr, done


def test_tokens_of_other_tools_reach_the_tasks(howdah, tmp_path):
    token_file(tmp_path / "hive.dt", HIVE)
    assert tokens_of_task(howdah, tmp_path, "tokens: {files: [hive.dt]}") == ["HDFS", "HIVE"]
    (tmp_path / "bad.dt").write_bytes(b"HDTS\0\7x")
    done = howdah("run", howdah.job_file(tmp_path, "name: j\ntokens: {files: [bad.dt]}\nroles: {w: {memory: 64MiB, "
                                                   "command: 'true'}}\n"))
    assert done.code == 2, done
    assert f"tokens.files: {tmp_path}/bad.dt: reading Hadoop tokens: at byte " in done.stderr, done


def test_task_submits_jobs_with_its_tokens(howdah, tmp_path):
    """The task has no ticket. Its tokens stay valid when a job that it has submitted ends."""
    child = howdah.job_file(tmp_path, "name: child\nroles: {w: {memory: 64MiB, command: 'true'}}\n", "child.yaml")
    variables = {**{name: howdah.env[name] for name in ("HADOOP_CONF_DIR", "KRB5_CONFIG")},
                 "HOWDAH_HOME": tmp_path / "home-of-task", "KRB5CCNAME": f"FILE:{tmp_path}/none"}
    env = " ".join(f"{name}={value}" for name, value in variables.items())
    submit = f"env {env} {BIN} run --on yarn {child}"
    command = f"{submit} && {submit}"
    parent = howdah.job_file(tmp_path, "name: parent\ntokens: {to_tasks: [hdfs, kms, rm]}\nroles:\n"
                                       f"  w: {{memory: 64MiB, command: \"{command}\"}}\n", "parent.yaml")
    done = howdah("run", parent, timeout=120)
    assert done.code == 0, done
    assert done.stdout.count("SUCCEEDED") == 2, done


def test_k11_token_that_the_resource_manager_does_not_renew(howdah, secure, tmp_path):
    """The client knows a name service that the ResourceManager does not know."""
    folder = tmp_path / "conf"
    shutil.copytree(secure.conf_dir, folder)
    site = folder / "hdfs-site.xml"
    site.write_text(site.read_text().replace("ns2", "ns3"))
    job = "name: j\nfile_systems: [hdfs://ns3]\nroles: {w: {memory: 64MiB, command: 'true'}}\n"
    done = howdah("run", howdah.job_file(tmp_path, job), env=howdah.env | {"HADOOP_CONF_DIR": str(folder)})
    assert done.code == 3, done
    for fact in ("Failed to renew token", "the token HDFS_DELEGATION_TOKEN of ha-hdfs:ns3", f"owner alice@{REALM}",
                 "renewer", "issued 20", "ends 20", "in the ResourceManager's own configuration"):
        assert fact in done.stderr, f"{fact!r} is not in the message\n{done!r}"


def test_k11_token_that_was_cancelled(howdah, tmp_path):
    """The ResourceManager has cancelled the tokens of a job that has ended."""
    copy = tmp_path / "copy"
    tokens_of_task(howdah, tmp_path, "tokens: {to_tasks: [hdfs, rm]}")
    env = howdah.env | {"HADOOP_TOKEN_FILE_LOCATION": str(copy), "KRB5CCNAME": f"FILE:{tmp_path}/none"}
    done = eventually(lambda: (done := howdah("list", env=env)).code and done, "the end of the tokens")
    assert done.code == 3, done
    for fact in ("can't be found in cache", "RM_DELEGATION_TOKEN of 127.0.0.1:", f"owner alice@{REALM}", "renewer",
                 "issued 20", "ends 20", "was cancelled"):
        assert fact in done.stderr, f"{fact!r} is not in the message\n{done!r}"


# --- lifetimes ---

MILLIS = 1000
PRIVILEGED_END_S = 150  # with proxy-user privileges, the ResourceManager acts seconds too late for shorter lifetimes


@pytest.fixture(scope="module")
def end_s(pytestconfig):
    """The tokens end after this time, and must be renewed after half of it."""
    return pytestconfig.getoption("token_lifetime")


def short_lived_tokens(end_s):
    limits = {"renew-interval": end_s // 2 * MILLIS, "max-lifetime": end_s * MILLIS}
    return {"hdfs-site": {f"dfs.namenode.delegation.token.{key}": value for key, value in limits.items()},
            "yarn-site": {f"yarn.resourcemanager.delegation.token.{key}": value for key, value in limits.items()}}


@pytest.fixture(scope="module")
def short_lived(module_cluster, end_s):
    return module_cluster(nodes=2, kerberos=True, aggregation=True, rm_ha=True, nm_recovery=True,
                          extra=short_lived_tokens(end_s))


class Unattended:
    """Jobs of bob whose tokens nobody replaces. A file with the name of a job ends it."""

    def __init__(self, cluster, folder, end_s):
        self.howdah = Howdah(cluster, folder / "home", "bob")  # at the end of a test, all jobs of its user are killed
        self.folder, self.end_s = folder, end_s
        self.jobs = {name: self._submit(name, keys) for name, keys in {
            "ends": "", "waits": "", "waits_in_vain": "timeouts: {am: 5s}\nam: {attempts: 2}"}.items()}

    def _submit(self, name, keys):
        # A node without the job's files could not start the next AM, because YARN localizes with the expired tokens.
        role = worker(until(self.folder / name), "instances: 2, max_per_node: 1")
        return submit(self.howdah, self.folder, {"worker": role}, keys, name)

    def after_the_end_of_its_tokens(self, name):
        job = self.jobs[name]
        self.howdah.running(job)
        eventually(lambda: seconds_left(self.howdah, job) < 0, "the end of the tokens", self.end_s + 10)
        return job

    def end(self, name):
        (self.folder / name).touch()


@pytest.fixture(scope="module")
def unattended(short_lived, tmp_path_factory, end_s):
    """All tests of lifetimes use this fixture, so that the tokens of its jobs end while the other tests wait."""
    jobs = Unattended(short_lived, open_to_tasks(tmp_path_factory.mktemp("unattended")), end_s)
    yield jobs
    jobs.howdah.close()


def seconds_left(howdah, job):
    until = datetime.datetime.fromisoformat(howdah.status(job)["tokens"]["until"])
    return (until - datetime.datetime.now(datetime.timezone.utc)).total_seconds()


class Timer:
    """Runs `howdah renew JOB` every few seconds, as cron would."""

    def __init__(self, howdah, job):
        self.howdah, self.job, self.done, self.stop = howdah, job, [], threading.Event()
        self.thread = threading.Thread(target=self._run)

    def _run(self):
        while not self.stop.is_set():
            self.done.append(self.howdah("renew", self.job))
            self.stop.wait(5)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.stop.set()
        self.thread.join()


def lists_home(cluster, folder):
    """The command of a task that lists the user's home directory with Hadoop's own client, again and again. It fails as
    soon as the NameNode refuses its token."""
    java = cluster.hadoop.java("org.apache.hadoop.fs.FsShell", "-ls", "/user/alice", conf=[cluster.conf_dir],
                               options=[f"-Djdk.net.hosts.file={cluster.folder}/hosts",
                                        f"-Djava.security.krb5.conf={cluster.kdc.config}"])
    script = folder / "list.sh"
    script.write_text(f"""echo begun
while [ ! -e {folder}/go ]; do
  {shlex.join(java)} > {folder}/listed 2>&1 || {{ mv {folder}/listed {folder}/failed; exit 9; }}
  date +%s >> {folder}/times
  sleep 2
done
""")
    return f"sh {script}"


def lists_until(folder, moment):
    times = folder / "times"

    def newest():
        lists = times.read_text().split() if times.exists() else []
        return int(lists[-1]) if lists else 0
    eventually(lambda: newest() > moment, "a list of the home", 120 + max(0, moment - time.time()))


def no_list_failed(howdah, job, folder, attempt=0):
    """Ends the job. attempt: the number of its task's attempt."""
    (folder / "go").touch()
    status = ended(howdah, job, "SUCCEEDED")
    failed = folder / "failed"
    assert not failed.exists(), failed.read_text()
    assert status["tasks"][0]["attempt"] == attempt, events(howdah, job)


@pytest.mark.long
def test_renew_keeps_a_job_alive_for_four_lifetimes_of_its_tokens(howdah_of, short_lived, unattended, tmp_path, end_s):
    howdah = howdah_of(short_lived)
    role = f"memory: 512MiB, restart: {{max: 9}}, command: \"{lists_home(short_lived, tmp_path)}\""
    job = submit(howdah, tmp_path, {"worker": role}, job="outputs: [out/]")
    howdah.running(job)
    tokens = howdah.status(job)["tokens"]
    assert (tokens["by"], tokens["expiring"]) == ("rm", False)
    end = time.time() + seconds_left(howdah, job)
    assert end_s - 15 < seconds_left(howdah, job) <= end_s
    assert "renewed daily by the ResourceManager" in howdah("status", job).stdout
    done = howdah("renew", job)
    assert done.code == 0 and done.stdout.endswith("; new ones would not live longer\n"), done
    eventually(lambda: "TokensExpiring" in events(howdah, job), "the announcement of the end", end_s)
    assert f"`howdah renew {job}` supplies new ones" in howdah("status", job).stdout
    with Timer(howdah, job) as timer:
        eventually(lambda: "TokensRenewed" in events(howdah, job), "newer tokens")
        kill9(*howdah.agents(job, "am"))  # the next AM starts with the tokens of the submission
        eventually(lambda: len(am_attempts(howdah, job)) == 2 and howdah.status(job)["state"] == "RUNNING", "AM 2")
        lists_until(tmp_path, end + 5)
        assert howdah.status(job)["tokens"]["by"] == "client"
        kill9(*howdah.agents(job, "task"))  # the next container starts with newer tokens, and localizes files
        runs_again(howdah, job, 0)
        (tmp_path / "failed").unlink(missing_ok=True)  # the end of its process may have been a failure of the list
        lists_until(tmp_path, time.time() + 5)
        kill_am(howdah, job)
        lists_until(tmp_path, end + 3 * end_s)
        no_list_failed(howdah, job, tmp_path, attempt=1)
    # YARN cannot aggregate logs with the tokens of the submission. Only those of the killed executor are lost.
    assert howdah.log(job, "worker:0") == "begun\n"
    refused = [done for done in timer.done if done.code != 0 and "has not registered" not in done.stderr]
    assert not refused, refused
    done = howdah("renew", job)
    assert done.code == 0 and done.stdout == f"{job} has ended; nothing to do\n", done


@pytest.mark.long
def test_keytab_keeps_jobs_alive_for_four_lifetimes_of_tokens(howdah_of, short_lived, unattended, tmp_path, end_s):
    """Two jobs. With `carry`, YARN restarts the AM after the tokens of the submission have expired."""
    howdah = howdah_of(short_lived)
    shutil.copy(short_lived.kdc.keytab_path("alice"), tmp_path / "alice.keytab")
    env = howdah.env | {"KRB5CCNAME": f"FILE:{tmp_path}/none"}
    folders = {carry: tmp_path / carry for carry in ("false", "true")}
    jobs = {}
    for carry, folder in folders.items():
        folder.mkdir()
        role = f"memory: 512MiB, restart: {{max: 9}}, command: \"{lists_home(short_lived, folder)}\""
        text = job_text({"worker": role}, f"kerberos: {{keytab: alice.keytab, carry: {carry}}}")
        jobs[carry] = job = howdah.submit(howdah.job_file(tmp_path, text, f"{carry}.yaml"), env=env)
        howdah.running(job)
        assert (f"/user/alice/.howdah/jobs/{job}/keytab" in howdah.in_hdfs(job)) == (carry == "false")
        holders = {path.parents[1].name
                   for path in short_lived.folder.glob(f"nm*/local/usercache/*/appcache/{job}/*/howdah/keytab")}
        assert len(holders) == 1, "only the AM's container has it"
        assert howdah.status(job)["tokens"]["by"] == "keytab"
    end = time.time() + max(seconds_left(howdah, job) for job in jobs.values())
    for carry, job in jobs.items():
        eventually(lambda: "TokensRenewed" in events(howdah, job), "newer tokens", end_s + 10)
        assert "replaced by the application master" in howdah("status", job).stdout
        lists_until(folders[carry], end + 3)
    # Both know only the tokens of the submission, which have expired.
    short_lived.fail_over()
    short_lived["nm1"].restart()
    short_lived.wait_active()
    renewals = events(howdah, jobs["true"]).count("TokensRenewed")
    eventually(lambda: events(howdah, jobs["true"]).count("TokensRenewed") > renewals, "newer tokens again", end_s)
    kill9(*howdah.agents(jobs["true"], "am"))
    kill_am(howdah, jobs["false"])
    eventually(lambda: len(am_attempts(howdah, jobs["true"])) == 2
               and howdah.status(jobs["true"])["state"] == "RUNNING", "AM 2")
    for carry, job in jobs.items():
        lists_until(folders[carry], end + 3 * end_s)
        no_list_failed(howdah, job, folders[carry])
        assert "TokensExpiring" not in events(howdah, job)
        assert howdah.log(job, "worker:0") == "begun\n"


@pytest.mark.long
def test_a_privileged_resource_manager_serves_a_job_for_four_lifetimes(new_cluster, howdah_of, tmp_path, end_s):
    """The ResourceManager fetches tokens for YARN by itself, so a node can fetch the keytab for the next AM."""
    if end_s < PRIVILEGED_END_S:
        pytest.skip(f"needs --token-lifetime {PRIVILEGED_END_S}")
    tokens = short_lived_tokens(end_s)
    cluster = new_cluster(nodes=1, kerberos=True, aggregation=True, extra={
        **tokens,
        "yarn-site": {**tokens["yarn-site"], "yarn.resourcemanager.proxy-user-privileges.enabled": "true",
                      # From then on, the ResourceManager no longer renews the tokens of the submission.
                      "yarn.resourcemanager.system-credentials.valid-time-remaining": str(10 * MILLIS)}})
    howdah = howdah_of(cluster)
    shutil.copy(cluster.kdc.keytab_path("alice"), tmp_path / "alice.keytab")
    role = f"memory: 512MiB, restart: {{max: 9}}, command: \"{lists_home(cluster, tmp_path)}\""
    job = submit(howdah, tmp_path, {"worker": role}, "kerberos: {keytab: alice.keytab}")
    howdah.running(job)
    end = time.time() + seconds_left(howdah, job)
    lists_until(tmp_path, end + 3)
    renewals = events(howdah, job).count("TokensRenewed")
    eventually(lambda: events(howdah, job).count("TokensRenewed") > renewals, "newer tokens again", end_s)
    keytab = next(cluster.folder.glob(f"nm1/local/usercache/*/appcache/{job}/*/howdah/keytab")).resolve()
    keytab.unlink()  # the node must fetch it again, like another node
    kill9(*howdah.agents(job, "am"))
    howdah.until(job, lambda s: "has adopted 1 container" in (s["reason"] or ""), "AM 2")
    assert not keytab.exists(), "the node has put it elsewhere"
    lists_until(tmp_path, end + 3 * end_s)
    no_list_failed(howdah, job, tmp_path)
    assert howdah.log(job, "worker:0") == "begun\n"


def test_an_am_that_starts_with_expired_tokens_waits_for_renew(unattended):
    howdah = unattended.howdah
    job = unattended.after_the_end_of_its_tokens("waits")
    kill9(*howdah.agents(job, "am"))
    status = howdah.until(job, lambda s: "waits for new tokens" in (s["reason"] or ""), "the wait of AM 2")
    assert_facts(status["reason"], "have expired", f"`howdah renew {job}` supplies them")
    assert howdah("renew", job).code == 0
    howdah.until(job, lambda s: "has adopted 2 containers" in (s["reason"] or ""), "AM 2")
    assert len(am_attempts(howdah, job)) == 2
    assert howdah.status(job)["tokens"]["by"] == "client"
    unattended.end("waits")
    status = ended(howdah, job, "SUCCEEDED")
    assert [task["attempt"] for task in status["tasks"]] == [0, 0], "the tasks went on"


def test_an_am_waits_for_tokens_only_for_a_time(unattended):
    howdah = unattended.howdah
    job = unattended.after_the_end_of_its_tokens("waits_in_vain")
    kill9(*howdah.agents(job, "am"))
    status = ended(howdah, job, "FAILED", by_its_am=False)
    assert_facts(status["reason"], "no new tokens came within 5.0s (timeouts.am)", "had expired",
                 f"`howdah renew {job}`")


def test_k12_job_whose_tokens_end_still_ends_well(unattended):
    howdah = unattended.howdah
    job = unattended.after_the_end_of_its_tokens("ends")
    status = howdah("status", job).stdout
    for fact in ("expired at", "UTC", "the tasks continue", f"`howdah renew {job}` supplies new ones"):
        assert fact in status, status
    unattended.end("ends")
    assert howdah("wait", job).code == 0
    # The AM could not store the job's history any more, so the client stores it, as far as the journal was copied.
    ended = howdah.status(job)
    assert (ended["state"], ended["tasks"][0]["state"]) == ("SUCCEEDED", "STOPPED"), ended
    assert_facts(ended["tasks"][0]["reason"], "could not store the last entries", "tokens had expired")

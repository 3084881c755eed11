"""Delegation tokens of jobs on a cluster with Kerberos: which ones a job gets, and which of them reach its tasks."""
import datetime
import re
import shlex
import shutil
import struct
import threading
import time

import pytest

from job_reports import assert_facts
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


def test_file_system_that_cannot_be_reached(howdah, tmp_path):
    done = howdah("run", howdah.job_file(tmp_path, "name: j\nfile_systems: [hdfs://localhost:1]\nroles: "
                                                   "{w: {memory: 64MiB, command: 'true'}}\n"))
    assert done.code == 3, done
    assert "file_systems: hdfs://localhost:1: " in done.stderr, done


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
    parent = howdah.job_file(tmp_path, "name: parent\ntokens: {to_tasks: [hdfs, rm]}\nroles:\n  w: {memory: 64MiB, "
                                       f"command: \"{command}\"}}\n", "parent.yaml")
    done = howdah("run", parent, timeout=120)
    assert done.code == 0, done
    assert done.stdout.count("SUCCEEDED") == 2, done


# --- lifetimes ---

RENEW_S, END_S = 30, 60  # the tokens must be renewed after 30 s, and end after 60 s
MILLIS = 1000


@pytest.fixture(scope="module")
def short_lived(module_cluster):
    limits = {"renew-interval": RENEW_S * MILLIS, "max-lifetime": END_S * MILLIS}
    return module_cluster(nodes=2, kerberos=True, extra={
        "hdfs-site": {f"dfs.namenode.delegation.token.{key}": value for key, value in limits.items()},
        "yarn-site": {f"yarn.resourcemanager.delegation.token.{key}": value for key, value in {
            "renew-interval": RENEW_S * MILLIS, "max-lifetime": END_S * MILLIS}.items()}})


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
    script.write_text(f"""while [ ! -e {folder}/go ]; do
  {shlex.join(java)} > {folder}/listed 2>&1 || exit 9
  date +%s >> {folder}/times
done
""")
    return f"sh {script}"


def test_renew_keeps_a_job_alive_that_outlives_its_tokens(howdah_of, short_lived, tmp_path):
    howdah = howdah_of(short_lived)
    times = tmp_path / "times"

    def lists_until(moment):
        eventually(lambda: times.exists() and int(times.read_text().split()[-1]) > moment, "a list of the home", 120)

    role = f"memory: 512MiB, restart: {{max: 9}}, command: \"{lists_home(short_lived, tmp_path)}\""
    job = submit(howdah, tmp_path, {"worker": role}, job="outputs: [out/]")
    howdah.running(job)
    tokens = howdah.status(job)["tokens"]
    assert (tokens["by"], tokens["expiring"]) == ("rm", False)
    end = time.time() + seconds_left(howdah, job)
    assert END_S - 15 < seconds_left(howdah, job) <= END_S
    assert "renewed daily by the ResourceManager" in howdah("status", job).stdout
    done = howdah("renew", job)
    assert done.code == 0 and done.stdout.endswith("; new ones would not live longer\n"), done
    eventually(lambda: "TokensExpiring" in events(howdah, job), "the announcement of the end", END_S)
    assert f"`howdah renew {job}` supplies new ones" in howdah("status", job).stdout
    with Timer(howdah, job) as timer:
        eventually(lambda: "TokensRenewed" in events(howdah, job), "newer tokens")
        kill9(*howdah.agents(job, "am"))  # the next AM starts with the tokens of the submission
        eventually(lambda: len(am_attempts(howdah, job)) == 2 and howdah.status(job)["state"] == "RUNNING", "AM 2")
        lists_until(end + 5)
        assert howdah.status(job)["tokens"]["by"] == "client"
        kill9(*howdah.agents(job, "task"))  # the next container starts with newer tokens, and localizes files
        runs_again(howdah, job, 0)
        lists_until(time.time() + 5)
        kill_am(howdah, job)
        lists_until(time.time() + 5)
        (tmp_path / "go").touch()
        assert ended(howdah, job, "SUCCEEDED")["tasks"][0]["attempt"] == 1, "no list failed"
    refused = [done for done in timer.done if done.code != 0 and "has not registered" not in done.stderr]
    assert not refused, refused
    done = howdah("renew", job)
    assert done.code == 0 and done.stdout == f"{job} has ended; nothing to do\n", done


@pytest.mark.parametrize("carry", [False, True])
def test_keytab_keeps_a_job_alive_that_outlives_its_tokens(howdah_of, short_lived, tmp_path, carry):
    """With `carry`, YARN restarts the AM after the tokens of the submission have expired."""
    howdah = howdah_of(short_lived)
    times = tmp_path / "times"

    def lists_until(moment):
        eventually(lambda: times.exists() and int(times.read_text().split()[-1]) > moment, "a list of the home", 120)

    shutil.copy(short_lived.kdc.keytab_path("alice"), tmp_path / "alice.keytab")
    role = f"memory: 512MiB, restart: {{max: 9}}, command: \"{lists_home(short_lived, tmp_path)}\""
    text = job_text({"worker": role}, f"kerberos: {{keytab: alice.keytab, carry: {str(carry).lower()}}}")
    env = howdah.env | {"KRB5CCNAME": f"FILE:{tmp_path}/none"}
    job = howdah.submit(howdah.job_file(tmp_path, text), env=env)
    howdah.running(job)
    in_hdfs = f"/user/alice/.howdah/jobs/{job}/keytab"
    assert (in_hdfs in howdah.in_hdfs(job)) == (not carry)
    holders = {path.parent.parent.name for node in short_lived.setup.node_names()
               for path in (short_lived.folder / node / "local").glob(f"usercache/*/appcache/{job}/*/howdah/keytab")}
    assert len(holders) == 1, "only the AM's container has it"
    assert howdah.status(job)["tokens"]["by"] == "keytab"
    end = time.time() + seconds_left(howdah, job)
    eventually(lambda: "TokensRenewed" in events(howdah, job), "newer tokens", END_S + 10)
    assert "replaced by the application master" in howdah("status", job).stdout
    lists_until(end + 3)
    if carry:
        kill9(*howdah.agents(job, "am"))
        eventually(lambda: len(am_attempts(howdah, job)) == 2 and howdah.status(job)["state"] == "RUNNING", "AM 2")
    else:
        kill_am(howdah, job)
    lists_until(time.time() + RENEW_S)
    (tmp_path / "go").touch()
    status = ended(howdah, job, "SUCCEEDED")
    assert status["tasks"][0]["attempt"] == 0, "no list failed"
    assert "TokensExpiring" not in events(howdah, job)


def test_k12_job_whose_tokens_end_still_ends_well(howdah_of, short_lived, tmp_path):
    howdah = howdah_of(short_lived)
    job = submit(howdah, tmp_path, {"worker": worker(until(tmp_path / "go"))})
    howdah.running(job)
    eventually(lambda: seconds_left(howdah, job) < 0, "the end of the tokens", END_S + 10)
    status = howdah("status", job).stdout
    for fact in ("expired at", "UTC", "the tasks continue", f"`howdah renew {job}` supplies new ones"):
        assert fact in status, status
    (tmp_path / "go").touch()
    assert howdah("wait", job).code == 0
    # The AM could not store the job's history any more, so the client stores it, as far as the journal was copied.
    ended = howdah.status(job)
    assert (ended["state"], ended["tasks"][0]["state"]) == ("SUCCEEDED", "STOPPED"), ended
    assert_facts(ended["tasks"][0]["reason"], "could not store the last entries", "tokens had expired")

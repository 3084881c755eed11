"""Rights of other users on a job: reading its status page, and stopping it. Users are those that YARN knows."""
import http.client
import os
import pathlib
import urllib.parse

import pytest

from cluster_setup import CAPACITY
from job_reports import assert_facts
from machine import eventually

JOB = "name: j\n%sroles:\n  worker: {memory: 64MiB, command: 'echo secret of alice; exec sleep 300'}\n"
# Every user of the web pages is the one that the request names, as after a login.
LOGIN = "org.apache.hadoop.security.AuthenticationFilterInitializer"
RIGHTS = {
    "yarn-site": {"yarn.acl.enable": True, "yarn.admin.acl": "carol"},
    "capacity-scheduler": {f"{CAPACITY}root.acl_administer_queue": " ", f"{CAPACITY}root.acl_submit_applications": "*"},
    "core-site": {"hadoop.http.filter.initializers": LOGIN},
}


@pytest.fixture(scope="module")
def guarded(module_cluster):
    # Without HTTPS, for which the tests' clusters require a ticket.
    return module_cluster(nodes=2, users=("alice", "bob", "carol", "eve"), tls=False, extra=RIGHTS)


def read(url, user):
    """One GET through YARN's proxy, without following a redirect. Returns (status, body)."""
    parts = urllib.parse.urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=20)
    connection.request("GET", f"{parts.path}?user.name={user}")
    reply = connection.getresponse()
    return reply.status, reply.read().decode()


def page_of(alice, job):
    eventually(lambda: "secret" in alice.log(job, "worker:0"), "the output of the task")
    return alice.running(job)["urls"]["tracking"]


PATHS = ("", "status.json", "log/worker/0/0/stdout", "ws/v1/slider/publisher/exports")


def test_a_stranger_reads_and_stops_nothing(guarded, howdah_of, tmp_path):
    alice, eve = howdah_of(guarded), howdah_of(guarded, "eve")
    job = alice.submit(alice.job_file(tmp_path, JOB % ""))
    page = page_of(alice, job)
    for path in PATHS:
        assert read(page + path, "alice")[0] == 200, path
        assert read(page + path, "carol")[0] == 200, "an administrator"
        status, body = read(page + path, "eve")
        assert status == 403 and "secret" not in body, (path, body)
        assert_facts(body.removesuffix("\n"), "eve has no right to read this job of alice", "access: {view: [eve]}")
    assert read(page + "log/worker/0/0/stdout", "alice")[1] == "secret of alice\n"
    if not guarded.setup.accounts:  # the AM runs under the account of its NodeManager
        am_stderr = pathlib.Path(os.readlink(f"/proc/{alice.agents(job, 'am')[1]}/fd/2"))
        eventually(lambda: am_stderr.read_text().count("not under that of alice") == 1, "the warning about the account")
    refused = eve("kill", job)
    assert refused.code == 3, refused
    assert_facts(refused.stderr.removesuffix("\n"), "user eve has no right to stop", job, "a job of alice",
                 "MODIFY_APP", "access: {modify: [eve]}")
    assert alice.status(job)["state"] == "RUNNING"
    assert alice("kill", job).code == 0
    alice.assert_clean(job)


def test_a_user_with_a_right_has_only_this_right(guarded, howdah_of, tmp_path):
    alice, bob, eve = howdah_of(guarded), howdah_of(guarded, "bob"), howdah_of(guarded, "eve")
    # root belongs to the group root on every machine.
    job = alice.submit(alice.job_file(tmp_path, JOB % 'access: {view: [bob, "@root"], modify: [eve]}\n'))
    page = page_of(alice, job)
    for user in ("bob", "root"):
        assert read(page + "log/worker/0/0/stdout", user) == (200, "secret of alice\n")
    assert read(page, "eve")[0] == 403, "the right to stop a job is not the right to read it"
    assert bob("kill", job).code == 3
    assert alice.status(job)["state"] == "RUNNING"
    stopped = eve("kill", job)
    assert stopped.code == 0, stopped
    status = alice.until(job, lambda s: s["state"] == "KILLED", "the end")
    assert "with `howdah kill`" in status["reason"], status
    alice.assert_clean(job)


@pytest.mark.usefixtures("unsecured")  # with Kerberos, the ResourceManager checks rights
def test_rights_are_reported_where_the_cluster_checks_none(howdah, tmp_path):
    plan = howdah("plan", howdah.job_file(tmp_path, JOB % "access: {view: [bob]}\n"))
    assert plan.code == 0, plan
    assert_facts(plan.stderr.removesuffix("\n"), "access", "yarn.acl.enable is false")

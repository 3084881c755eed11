"""The files of tests/contract on a cluster with everything that administrators of production clusters set: Kerberos,
encrypted RPC and transfers, home directories in encryption zones, HTTPS with SPNEGO, and containers under the accounts
of their users. Some jobs on such clusters of other Hadoop versions."""
import json
import os
import re

import pytest

from accounts import NO_ACCOUNT
from conftest import secured_settings
from contract_cases import *  # noqa: F403
from file_cases import run_job_with_files
from hadoop_tree import MAIN_VERSION, OLD_VERSIONS, VERSIONS
from job_reports import assert_facts
from machine import processes


@pytest.fixture
def machine(howdah_of, secured_cluster):
    return howdah_of(secured_cluster)


def test_k16_user_without_an_account_on_the_nodes(howdah_of, secured_cluster, tmp_path):
    howdah = howdah_of(secured_cluster, NO_ACCOUNT)
    done = howdah("run", howdah.job_file(tmp_path, "roles: {w: {memory: 64MiB, command: 'true'}}\n"))
    assert done.code == 1, done
    assert_facts(howdah.status(done.id)["reason"], "could not be started", f"User {NO_ACCOUNT} not found",
                 "must create the account on every node")


def test_doctor_names_servers_certificates_and_lifetimes(machine):
    done = machine("doctor")
    assert done.code == 0, done
    text = done.stdout
    for fact in (r"the ResourceManager rm/localhost, privacy", r"the NameNode nn/localhost, privacy",
                 r"DataNodes are encrypted \(AES/CTR\)",
                 r"/user/alice is in an encryption zone, and alice may use the key '\S+' of the KMS "
                 r"https://localhost:\d+/kms \(the certificate CN=\S+, valid until \S+Z; HTTP/localhost@\S+\)",
                 r"howdah-agent is public",
                 r"tokens of jobs: .*otherwise for (1d00h|23h59m)", r"HDFS_DELEGATION_TOKEN of \S+ for 7d",
                 r"kms-dt of kms://https@localhost:\d+/kms for 7d", r"RM_DELEGATION_TOKEN of \S+ for 7d"):
        assert re.search(fact, text), f"{fact} is not in\n{text}"


def test_a_job_ends_before_its_nodes_report_it(machine, secured_cluster, tmp_path):
    """With Docker, a node reports the end of a container many seconds late."""
    job = "roles: {w: {instances: 2, memory: 64MiB, command: echo out}}\n"
    fifos = [secured_cluster.folder / name / "ends-late" for name in secured_cluster.setup.node_names()]
    for fifo in fifos:
        os.mkfifo(fifo)
    try:
        done = machine("run", machine.job_file(tmp_path, job))
        assert done.code == 0, done
        number = done.id.removeprefix("application")
        waiting = [command for _, command, _ in processes().values()
                   if "container_executor.py" in command and number in command]
        assert len(waiting) >= 2, "the nodes still wait for the ends of the containers"
        assert machine.status(done.id)["state"] == "SUCCEEDED"
    finally:
        for fifo in fifos:
            os.close(os.open(fifo, os.O_RDWR))  # ends the reads of containers, and does not wait if there are none
            fifo.unlink()
    machine.assert_clean(done.id)
    assert machine.log(done.id, "w:0") == "out\n"


OTHERS = [v for v in (*OLD_VERSIONS, *VERSIONS) if v != MAIN_VERSION]


@pytest.mark.parametrize("version", [OTHERS[0], *(pytest.param(v, marks=pytest.mark.long) for v in OTHERS[1:])])
def test_jobs_run_on_secured_clusters_of_other_versions(new_cluster, howdah_of, tmp_path, version):
    howdah = howdah_of(new_cluster(version=version, nodes=1, aggregation=True, **secured_settings(version)))
    assert run_job_with_files(howdah, tmp_path).count("alice\n") == 2, "the account of the tasks"
    job = howdah.submit("stubborn.yaml")
    howdah.running(job)
    assert [j["id"] for j in json.loads(howdah("list", "--json").stdout)] == [job]
    assert howdah("kill", job, "--grace", "0s").code == 0
    assert howdah("wait", job).code == 4
    assert "with `howdah kill` as alice" in howdah.status(job)["reason"], "the account here is another"

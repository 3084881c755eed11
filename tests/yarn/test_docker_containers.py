"""Tasks in real docker containers. K18 are the refusals of docker, and K16 those of an account, in the table of
messages in docs/secure.md. Real nodes refuse each job."""
import contextlib
import os
import time

import pytest

from docker_daemon import PROGRAMS, EmptyRegistry
from job_reports import assert_facts, final_status
from machine import eventually, processes

IMAGE, NO_BASH, NO_FIND, FOREIGN = (f"{name}:1" for name in (
    "example.com/ml", "example.com/no-bash", "example.com/no-find", "other.example.com/ml"))
CFG = "in container-executor.cfg"
pytestmark = pytest.mark.long  # `./dev test` does not install docker
LATE_S = 60  # limit for the end of a container at its node, after the end of the job
RUN_S = 180  # limit for a job, which needs the docker of a busy machine several times


@pytest.fixture(scope="module")
def docker_cluster(module_cluster):
    cluster = module_cluster(nodes=2, accounts=True, docker=True)
    cluster.docker.make_image(IMAGE)
    cluster.docker("tag", IMAGE, FOREIGN)
    for image, missing in ((NO_BASH, "bash"), (NO_FIND, "find")):
        cluster.docker.make_image(image, [name for name in PROGRAMS if name != missing])
    return cluster


@pytest.fixture
def alice(howdah_of, docker_cluster):
    return howdah_of(docker_cluster)


def job_file(howdah, tmp_path, command, image=IMAGE, docker="", more=""):
    return howdah.job_file(tmp_path, f"name: j\ndocker: {{image: '{image}', {docker}}}\n{more}\n"
                                     f"roles: {{worker: {{memory: 64MiB, command: '{command}'}}}}\n")


def settings(cluster, values, section="docker"):
    return cluster.configuration.executor.changed(section, values) if values else contextlib.nullcontext()


@contextlib.contextmanager
def late_ends(cluster):
    """The nodes do not report the end of a container before the end of this context."""
    fifos = [cluster.folder / name / "ends-late" for name in cluster.setup.node_names()]
    for fifo in fifos:
        os.mkfifo(fifo)
    try:
        yield
    finally:
        for fifo in fifos:
            os.close(os.open(fifo, os.O_RDWR))  # ends the reads of containers, and does not wait if there are none
            fifo.unlink()


def wait_for_no_container(cluster):
    eventually(lambda: cluster.docker("ps", "--all", "--quiet") == "", "the removal of the container", LATE_S)


def helpers_of(job):
    """The programs of nodes that wait for the ends of this job's containers."""
    return [command for _, command, _ in processes().values()
            if "container_executor.py" in command and job.removeprefix("application") in command]


def test_a_job_in_an_image_ends_with_its_last_process(alice, docker_cluster, tmp_path):
    """The node waits until the test allows it to report the end of the container; with docker this takes seconds."""
    with late_ends(docker_cluster):
        command = "id -u; ls /usr/lib/jvm 2>/dev/null || echo none; date +%s.%N"
        done = alice("run", job_file(alice, tmp_path, command), timeout=RUN_S)
        end = time.time()
        assert done.code == 0, done
        assert helpers_of(done.id), "the node still waits"
        assert alice.status(done.id)["state"] == "SUCCEEDED"
    final_status(alice, done.id, done.stdout + done.stderr)
    *output, last = alice.log(done.id, "worker:0").splitlines()
    assert output[0] == str(docker_cluster.accounts.uid("alice")), "the account of the task"
    assert output[1] == "none", "a folder of the node that the image lacks"
    print(f"howdah run has ended {1e3 * (end - float(last)):.0f} ms after the last process of the container")
    alice.assert_clean(done.id, LATE_S)
    wait_for_no_container(docker_cluster)


def test_the_failure_of_a_program_in_an_image_is_reported(alice, tmp_path):
    done = alice("run", job_file(alice, tmp_path, "ls /nowhere; exit 3"), timeout=RUN_S)
    assert done.code == 1, done
    assert_facts(final_status(alice, done.id, done.stdout + done.stderr)["reason"], "worker:0", "exit code 3",
                 "/nowhere")


def test_kill_ends_the_container(alice, docker_cluster, tmp_path):
    job = alice.submit(job_file(alice, tmp_path, "sleep 300"))
    container = alice.running(job)["tasks"][0]["container"]
    assert docker_cluster.docker("ps", "--format={{.Names}}").split() == [container]
    assert alice("kill", job, "--grace", "0s").code == 0
    assert alice("wait", job).code == 4
    alice.assert_clean(job, LATE_S)
    wait_for_no_container(docker_cluster)


MOUNT = "Configuration does not allow mount src='/etc', dest='/x'"
REFUSALS = {
    "untrusted": (dict(image=FOREIGN), {}, [f"image: {FOREIGN} is not trusted", f"docker.trusted.registries {CFG}"]),
    "ro-mount": (dict(docker="mounts: ['/etc:/x:ro']"), {}, [MOUNT, f"docker.allowed.ro-mounts {CFG}"]),
    "rw-mount": (dict(docker="mounts: ['/etc:/x:rw']"), {}, [MOUNT, f"docker.allowed.rw-mounts {CFG}"]),
    "network": (dict(docker="network: bridge"), {}, ["'bridge'", f"docker.allowed.networks {CFG}"]),
    "network-of-node-manager": (dict(docker="network: backstage"), {}, [
        "Disallowed network: 'backstage'", "allowed-container-networks", f"docker.allowed.networks {CFG}"]),
    "runtime": (dict(docker="runtime: nvidia"), {}, [
        "Disallowed runtime: 'nvidia'", "allowed-container-runtimes", f"docker.allowed.runtimes {CFG}"]),
    "privileged": (dict(docker="privileged: true"), {}, [
        "privileged containers are not enabled", f"docker.privileged-containers.enabled {CFG}"]),
    "no-bash": (dict(image=NO_BASH), {}, ['exec: "bash": executable file not found', "must contain bash"]),
    "no-find": (dict(image=NO_FIND), {}, ["find: command not found", "must contain bash and GNU find"]),
    "disabled": ({}, {"module.enabled": "false"}, [
        "Feature disabled: docker", "module.enabled", "container-executor.cfg"]),
}


def refusal(howdah, tmp_path, values=(), **job):
    """Runs a job that the nodes refuse; returns the reason, which all reports of the job contain."""
    with settings(howdah.cluster, dict(values)):
        done = howdah("run", job_file(howdah, tmp_path, "ls", **job), timeout=RUN_S)
    assert done.code == 1, done
    return final_status(howdah, done.id, done.stdout + done.stderr)["reason"]


@pytest.mark.parametrize("cause", REFUSALS)
def test_k18_a_refusal_is_reported_at_the_first_container(alice, tmp_path, cause):
    job, values, facts = REFUSALS[cause]
    reason = refusal(alice, tmp_path, values, **job)
    assert_facts(reason, "worker:0", "container could not be started", *facts)
    assert "earlier containers" not in reason


def test_k18_an_image_that_no_registry_has(alice, tmp_path):
    with EmptyRegistry() as registry:
        image = f"{registry.name}/ml/none:1"
        reason = refusal(alice, tmp_path, {"docker.trusted.registries": registry.name}, image=image)
    assert_facts(reason, f"Unable to find image '{image}' locally", "manifest unknown", "check the name of the image")
    assert "earlier containers" not in reason


def test_k18_a_folder_with_the_settings_of_the_nodes(alice, docker_cluster, tmp_path):
    folder = docker_cluster.folder / "etc"
    reason = refusal(alice, tmp_path, {"docker.allowed.rw-mounts": docker_cluster.folder},
                     docker=f"mounts: ['{folder}:/x:rw']")
    assert_facts(reason, "Attempting to mount a parent directory of container-executor.cfg", f"'{folder}'", ":ro")


def test_k18_a_defect_of_the_nodes_is_reported_after_other_containers(alice, tmp_path):
    """Another node might have the folder, so the job fails with the third container."""
    reason = refusal(alice, tmp_path, docker="mounts: ['/no/such:/x:rw']")
    assert_facts(reason, "Could not determine real path of mount '/no/such'", "must exist on every node",
                 "2 earlier containers of the task had failed")


@pytest.mark.parametrize("values, facts", [
    ({"banned.users": "bob,hdfs"}, ["Requested user bob is banned", "banned.users"]),
    ({"min.user.id": 30000}, ["Requested user bob is not whitelisted", "minimum allowed 30000", "min.user.id"]),
], ids=["banned", "low-id"])
def test_k16_the_nodes_refuse_the_account(howdah_of, docker_cluster, tmp_path, values, facts):
    bob = howdah_of(docker_cluster, "bob")
    with settings(docker_cluster, values, section=""):
        done = bob("run", bob.job_file(tmp_path, "roles: {w: {memory: 64MiB, command: 'true'}}\n"))
    assert done.code == 1, done
    assert_facts(bob.status(done.id)["reason"], "could not be started", *facts, "container-executor.cfg of the node")

"""Queues that do not exist when a job is submitted. The scheduler creates them, puts the job into another queue, or
refuses the job."""
import pytest

from cluster_setup import CAPACITY
from job_reports import assert_facts

ROLE = "roles:\n  worker: {memory: 64MiB, command: 'true'}\n"
FAIR = "org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FairScheduler"
USER_LIMIT = {"user-limit-factor": 10}


def queue_of(howdah, tmp_path, text):
    """Runs a job, and returns the queue in which the ResourceManager has run it."""
    done = howdah("run", howdah.job_file(tmp_path, f"name: j\n{text}{ROLE}"))
    assert done.code == 0, done
    howdah.assert_clean(done.id)
    return howdah.cluster.app(done.id)["queue"]


def refused(howdah, tmp_path, text):
    """Runs a job that the ResourceManager must refuse, and returns the error."""
    done = howdah("run", howdah.job_file(tmp_path, f"name: j\n{text}{ROLE}"))
    assert done.code == 3 and not done.stdout, done
    assert howdah.cluster.files_in_hdfs(f"/user/{howdah.user}/.howdah/jobs") == []
    return done.stderr.removesuffix("\n")


def test_fair_scheduler_creates_the_queue(new_cluster, howdah_of, tmp_path):
    cluster = new_cluster(nodes=2, extra={"yarn-site": {"yarn.resourcemanager.scheduler.class": FAIR}})
    alice = howdah_of(cluster)
    plan = alice("plan", alice.job_file(tmp_path, f"queue: research\n{ROLE}"))
    assert plan.code == 0 and "the queue 'research' does not exist" in plan.stderr, plan
    assert queue_of(alice, tmp_path, "queue: research\n") == "root.research"
    assert queue_of(alice, tmp_path, "queue: root.ml.train\n") == "root.ml.train"
    assert queue_of(alice, tmp_path, "") == "root.alice"
    assert_facts(refused(alice, tmp_path, "queue: root.default.x\n"), "'root.default.x' does not exist", "root.default")
    # This name would end the ResourceManager.
    assert_facts(refused(alice, tmp_path, "queue: a..b\n"), "'a..b' does not exist, and cannot be created")
    assert cluster["rm"].alive()


@pytest.mark.long
def test_capacity_scheduler_creates_the_queue_of_a_user_mapping(new_cluster, howdah_of, tmp_path):
    cluster = new_cluster(
        nodes=2, queues={
            "default": {"capacity": 50, **USER_LIMIT, "state": "STOPPED"},
            "users": {"capacity": 50, "auto-create-child-queue.enabled": True,
                      "leaf-queue-template.capacity": 50, "leaf-queue-template.maximum-capacity": 100,
                      "leaf-queue-template.user-limit-factor": 10,
                      "leaf-queue-template.maximum-am-resource-percent": 1}},
        extra={"capacity-scheduler": {f"{CAPACITY}queue-mappings": "u:%user:users.%user"}})
    alice = howdah_of(cluster)
    assert queue_of(alice, tmp_path, "").split(".")[-1] == "alice"
    assert_facts(refused(alice, tmp_path, "queue: user\n"), "to unknown queue: user;", "'user' does not exist",
                 "alice may submit to")


def test_capacity_scheduler_creates_the_named_queue(new_cluster, howdah_of, tmp_path):
    cluster = new_cluster(version="3.4.3", nodes=2, queues={
        "default": {"capacity": "1w", **USER_LIMIT},
        "users": {"capacity": "1w", "auto-queue-creation-v2.enabled": True}})
    alice = howdah_of(cluster)
    assert queue_of(alice, tmp_path, "queue: root.users.alice\n") == "root.users.alice"
    assert_facts(refused(alice, tmp_path, "queue: root.user.alice\n"), "'root.user.alice' does not exist",
                 "the nearest name is 'root.users.alice'")

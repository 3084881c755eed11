"""Gang allocation: two gangs that do not fit together, surplus containers, and tasks that start without a gang."""
import os
import re
import time

import pytest

from machine import eventually

ROUNDS = int(os.environ.get("HOWDAH_ROUNDS", "1"))
NODE_MB, NODES = 4096, 3
SIZE = 15  # tasks of 512 MiB, together 62.5 % of the cluster


def job(howdah, tmp_path, name, keys, job=""):
    return howdah.job_file(tmp_path, f"name: {name}\n{job}\nroles:\n  worker: {{{keys}}}\n", f"{name}.yaml")


def containers(cluster, app):
    """The containers that an application holds, including that of its AM."""
    attempts = cluster.rm(f"apps/{app}/appattempts")["appAttempts"]["appAttempt"]
    return [c["containerId"] for a in attempts
            for c in (cluster.rm(f"apps/{app}/appattempts/{a['appAttemptId']}/containers") or {}).get("container", [])]


def asked(cluster, app):
    """The number of containers that the scheduler would still grant. Only rows for `*` are counted, because rows for
    nodes and racks only express preferences for these containers."""
    return sum(r["numContainers"] for r in (cluster.app(app) or {}).get("resourceRequests", [])
               if r["resourceName"] == "*")


@pytest.mark.parametrize("number", range(ROUNDS))
def test_two_jobs_that_each_need_most_of_the_cluster_both_succeed(howdah, cluster, tmp_path, number):
    """Each job gets some of the containers that the other job needs. Both succeed, and no container is held
    afterwards."""
    assert SIZE * 512 > 0.6 * NODES * NODE_MB
    cluster.wait_idle()
    keys = f'instances: {SIZE}, memory: 512MiB, command: "true"'
    began = time.monotonic()
    clients = [howdah.start("run", job(howdah, tmp_path, name, keys, "timeouts: {hold: 2s}"))
               for name in ("first", "second")]
    for client in clients:
        _, said = client.communicate(timeout=120)
        assert client.returncode == 0, said
    print(f"round {number}: {time.monotonic() - began:.1f} s")
    cluster.wait_idle()
    for app in sorted(howdah.jobs())[-2:]:
        howdah.assert_clean(app)


def test_surplus_containers_are_released(howdah, cluster, tmp_path):
    """Requests have rows for nodes, racks and `*`, so the scheduler may grant too many containers. The AM releases the
    surplus."""
    cluster.wait_idle()
    go = tmp_path / "go"
    app = howdah.submit(job(howdah, tmp_path, "wide", f'instances: 16, memory: 64MiB, command: "until [ -e {go} ]; do '
                                                      'sleep 0.2; done"'))
    status = howdah.running(app)
    eventually(lambda: len(containers(cluster, app)) == 17, "one container a task and the AM's")
    assert {t["container"] for t in status["tasks"]} < set(containers(cluster, app))
    assert asked(cluster, app) == 0
    go.touch()
    assert howdah("wait", app).code == 0
    howdah.assert_clean(app)


def test_tasks_with_start_free_need_no_gang(howdah, cluster, tmp_path):
    """The job has more tasks than the cluster can run at once. Each task starts when it has a container."""
    cluster.wait_idle()
    count = NODES * NODE_MB // 512 + 6
    done = howdah("run", job(howdah, tmp_path, "free", f'instances: {count}, memory: 512MiB, command: "sleep 0.1"',
                             "start: free"), timeout=120)
    assert done.code == 0, done
    app = howdah.status("last")["id"]
    changes = [line.split()[1] for line in howdah("events", app).stdout.splitlines()
               if re.search(r" Task(Allocated|Started) ", line)]
    assert changes.count("TaskStarted") == count
    last_granted = len(changes) - 1 - changes[::-1].index("TaskAllocated")
    assert "TaskStarted" in changes[:last_granted]
    howdah.assert_clean(app)

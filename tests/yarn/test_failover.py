"""Two ResourceManagers: the active one dies and the other one takes over, at every stage of a job."""
import pytest

from machine import eventually
from kill_cases import am_attempts, ended, kill9, submit, until, wait_until_stored, worker


@pytest.fixture(scope="module")
def pair(module_cluster):
    return module_cluster(nodes=2, rm_ha=True)


@pytest.fixture
def howdah(howdah_of, pair):
    return howdah_of(pair)


def test_failover_at_every_stage_does_not_affect_the_job(howdah, pair, tmp_path):
    """Failovers while the AM starts, while the job runs and while it ends do not affect the job."""
    file = howdah.job_file(tmp_path, "name: failover\nroles:\n  worker: {%s}\n" % worker(until(tmp_path / "go"),
                                                                                         "instances: 4"))
    client = howdah.start("submit", file)
    eventually(lambda: pair.apps("?user=alice"), "the application")
    pair.fail_over()
    out, _ = client.communicate(timeout=120)
    job = out.strip()
    before = howdah.running(job)["tasks"]
    pair.fail_over()
    assert [(t["pids"], t["attempt"]) for t in howdah.running(job)["tasks"]] == [(t["pids"], 0) for t in before]
    ran = {pid for task in before for pid in task["pids"]}
    pair[pair.active].kill()  # the job ends while no ResourceManager is active
    (tmp_path / "go").touch()
    eventually(lambda: not ran & set(howdah.alive(job)), "the end of the tasks' processes")
    pair[pair.active].start()
    pair.fail_over()
    status = ended(howdah, job, "SUCCEEDED")
    assert ([t["attempt"] for t in status["tasks"]], len(am_attempts(howdah, job))) == ([0] * 4, 1), status


def test_gang_that_holds_containers_survives_a_failover(howdah, pair, tmp_path):
    """The new ResourceManager does not know containers that have not started, and NodeManagers refuse them. The gang
    gets others on the same nodes."""
    roles = "name: {name}\ntimeouts: {{hold: 2m, gang: 2m}}\nroles:\n  worker: {{{keys}, command: '{until}'}}\n"
    at = f"memory: 3GiB, locality: {{nodes: [{pair.host('nm2')}], strict: true}}"
    blocker = howdah.submit(howdah.job_file(
        tmp_path, roles.format(name="blocker", keys=at, until=until(tmp_path / "room")), "blocker.yaml"))
    howdah.running(blocker)
    gang = howdah.submit(howdah.job_file(
        tmp_path, roles.format(name="gang", keys="instances: 2, max_per_node: 1, memory: 2GiB", until="true")))
    howdah.until(gang, lambda s: [t["state"] for t in s["tasks"]].count("ALLOCATED") == 1, "a container of the gang")
    pair.fail_over()
    (tmp_path / "room").touch()
    ended(howdah, blocker, "SUCCEEDED")
    status = ended(howdah, gang, "SUCCEEDED")
    assert {t["node"] for t in status["tasks"]} == {pair.host("nm1"), pair.host("nm2")}, status
    assert "container was granted before the ResourceManager failed over" in howdah("events", gang).stdout


def test_a_job_waits_for_the_name_node(howdah, pair, tmp_path):
    """The NameNode dies while two jobs run. One job restarts a killed task in the meantime, and ends after the NameNode
    has returned. The other job ends without the NameNode; YARN shows its result, and its history is readable later."""
    more = "instances: 2, restart: {max: 1}"
    jobs = {name: submit(howdah, tmp_path, {"worker": worker(until(tmp_path / name), more)}, name=name)
            for name in ("with", "without")}
    for job in jobs.values():
        howdah.running(job)
        wait_until_stored(howdah, job)
    pid = howdah.task(jobs["with"], "worker", 0)["pids"][0]

    def shells():
        start = "bash -o pipefail -c setsid"
        return {p for p, command in howdah.alive(jobs["with"]).items() if command.startswith(start)}
    before = shells()
    pair["nn"].kill()
    kill9(pid)
    (tmp_path / "without").touch()
    eventually(lambda: shells() - before and len(shells()) == len(before), "another attempt")
    status = howdah.status(jobs["with"])
    assert (status["state"], "NameNode" in status["reason"]) == ("RUNNING", True), status
    pair.wait_app(jobs["without"])
    assert pair.app(jobs["without"])["finalStatus"] == "SUCCEEDED"
    pair["nn"].start()
    pair.wait(pair.hdfs_ready, "HDFS")
    assert howdah.running(jobs["with"])["tasks"][0]["attempt"] == 1
    (tmp_path / "with").touch()
    for job in jobs.values():
        ended(howdah, job, "SUCCEEDED")

"""Two ResourceManagers: the active one dies, and the other one takes over, at every stage of a job."""
import pytest

from machine import eventually
from victims import am_attempts, ended, submit, until, worker


@pytest.fixture(scope="module")
def pair(module_cluster):
    return module_cluster(nodes=2, rm_ha=True)


@pytest.fixture
def howdah(howdah_of, pair):
    return howdah_of(pair)


def test_at_every_stage(howdah, pair, tmp_path):
    """While its AM is started and asks, while it runs, and while it ends and tells: the job notices nothing."""
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
    pair[pair.active].kill()  # the job ends while there is nobody to tell it to
    (tmp_path / "go").touch()
    eventually(lambda: not ran & set(howdah.alive(job)), "the end of the tasks' processes")
    pair[pair.active].start()
    pair.fail_over()
    status = ended(howdah, job, "SUCCEEDED")
    assert ([t["attempt"] for t in status["tasks"]], len(am_attempts(howdah, job))) == ([0] * 4, 1), status

"""YARN's master keys change every few seconds instead of once a day, so that the tokens from the start of a job expire
while it runs."""
import pytest

from machine import eventually
from kill_cases import am_attempts, ended, kill9, kill_am, submit, until, worker

EXPIRY_S, ROLLING_S = 4, 13  # Hadoop requires ROLLING_S > 3 * EXPIRY_S


@pytest.fixture(scope="module")
def rolling(module_cluster):
    keys = [f"yarn.resourcemanager.{kind}.master-key-rolling-interval-secs"
            for kind in ("am-rm-tokens", "nm-tokens", "container-tokens")]
    return module_cluster(nodes=2, rm_recovery=True, extra={"yarn-site": {
        "yarn.am.liveness-monitor.expiry-interval-ms": EXPIRY_S * 1000,
        "yarn.nm.liveness-monitor.expiry-interval-ms": EXPIRY_S * 1000,
        **{key: ROLLING_S for key in keys}}})


@pytest.fixture
def howdah(howdah_of, rolling):
    return howdah_of(rolling)


def activated(cluster):
    """The number of keys that the ResourceManager has activated, for each kind of key."""
    log = cluster["rm"].log.read_text(errors="replace")
    return [log.count(f"{manager}: Activating next master key") for manager in (
        "AMRMTokenSecretManager", "NMTokenSecretManagerInRM", "RMContainerTokenSecretManager")]


@pytest.mark.long
def test_a_job_outlasts_its_tokens(howdah, rolling, tmp_path):
    job = submit(howdah, tmp_path, {"worker": worker(until(tmp_path / "go"), "instances: 2, restart: {max: 9}")})
    howdah.running(job)
    before = activated(rolling)
    eventually(lambda: all(now >= then + 1 for now, then in zip(activated(rolling), before)), "the first new keys", 120)
    rolling["rm"].restart()  # closes all connections, so that new connections use the current tokens
    rolling.wait_active()
    kill_am(howdah, job)  # the next AM needs the newest token
    kill9(howdah.agents(job, "task")[0])  # the next AM must get and start another container
    eventually(lambda: any(task["attempt"] == 1 and task["state"] == "RUNNING"
                           for task in howdah.status(job)["tasks"]), "another container")
    eventually(lambda: all(now >= then + 2 for now, then in zip(activated(rolling), before)), "the second ones", 120)
    # The AM can still control the tasks on the nodes.
    task = howdah.running(job)["tasks"][1]
    kill9(task["pids"][0])
    howdah.until(job, lambda s: s["tasks"][1]["attempt"] > task["attempt"], "another attempt")
    howdah.running(job)
    (tmp_path / "go").touch()
    ended(howdah, job, "SUCCEEDED")
    assert len(am_attempts(howdah, job)) == 1

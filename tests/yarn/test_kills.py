"""kill -9 of whatever a job on a cluster stands on: its processes, executors, nodes, AM, and the ResourceManager. Each
job ends as it should, everybody says so in the same words, and nothing of it is left on any node or in HDFS."""
import os
import pathlib
import shutil
import signal

import pytest

from between import Between
from machine import eventually

WORKER = "memory: 64MiB, command: \"setsid sleep 300 & (setsid nohup sleep 300 &) ; {until}\""
FOREVER = "sleep 300"


@pytest.fixture(scope="module")
def shaky(module_cluster):
    """Nodes that are silent are soon lost, and daemons that are started again know what they knew."""
    return module_cluster(rm_recovery=True, nm_recovery=True, extra={"yarn-site": {
        "yarn.nm.liveness-monitor.expiry-interval-ms": 12000}})


@pytest.fixture
def howdah(howdah_of, shaky):
    yield howdah_of(shaky)
    for daemon in shaky.daemons.values():
        if not daemon.alive():
            daemon.start()
    shaky.wait_active()


def submit(howdah, tmp_path, roles, job="", name="victim"):
    roles = "\n".join(f"  {role}: {{{keys}}}" for role, keys in roles.items())
    return howdah.submit(howdah.job_file(tmp_path, f"name: {name}\n{job}\nroles:\n{roles}\n", f"{name}.yaml"))


def worker(until=FOREVER, more=""):
    return f"{more + ', ' if more else ''}{WORKER.format(until=until)}"


def until(path):
    """A command that ends well once there is such a file."""
    return f"while [ ! -e {path} ]; do sleep 0.1; done"


def kill9(*pids):
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def ended(howdah, job, state, *facts):
    """The status of the job, whose end is as expected and said alike everywhere; nothing of it is left."""
    code = {"SUCCEEDED": 0, "FAILED": 1, "KILLED": 4}[state]
    done = howdah("wait", job, timeout=120)
    status = howdah.status(job)
    assert (done.code, status["state"], status["exit_code"]) == (code, state, code), (done, status)
    still = [command for command in howdah.alive(job).values() if "howdah-agent task" in command or "sleep" in command]
    assert not still, f"a final state is visible, and the job still has {still}"
    app = howdah.cluster.wait_app(job)
    assert app["finalStatus"] == state, app
    reason = status["reason"] or ""
    assert not [fact for fact in facts if fact not in reason], (facts, reason)
    assert "\n" not in reason
    howdah.assert_clean(job)
    return status


def said_to_yarn(howdah, job):
    return howdah.cluster.app(job)["diagnostics"]


def runs_again(howdah, job, index):
    """Waits until attempt 1 of the task runs."""
    howdah.until(job, lambda s: [s["tasks"][index][k] for k in ("attempt", "state")] == [1, "RUNNING"], "attempt 1")


def tasks_of(howdah, job):
    return {(t["role"], t["index"]): t for t in howdah.status(job)["tasks"]}


def events(howdah, job):
    done = howdah("events", job)
    assert done.code == 0, done
    return done.stdout


def node_of(cluster, pid):
    """nm1 and so on: whose container the process is in."""
    return pathlib.Path(os.readlink(f"/proc/{pid}/cwd")).relative_to(cluster.folder).parts[0]


def am_node(howdah, job):
    return node_of(howdah.cluster, howdah.agents(job, "am")[0])


def name_of_node(cluster, host):
    return next(n for n in cluster.setup.node_names() if cluster.host(n) == host)


def elsewhere(howdah, job, role="worker"):
    """A task of the role on a node without the AM, and that node."""
    at = am_node(howdah, job)
    for (of, index), task in tasks_of(howdah, job).items():
        node = name_of_node(howdah.cluster, task["node"])
        if of == role and node != at:
            return index, node
    raise AssertionError("every task is where the AM is")


def am_attempts(howdah, job):
    return howdah.cluster.rm(f"apps/{job}/appattempts")["appAttempts"]["appAttempt"]


# --- of the job's own processes ---

def test_user_process(howdah, tmp_path):
    """A task's own budget, and all ranks where they belong together."""
    plain = submit(howdah, tmp_path, {"worker": worker(more="instances: 2, restart: {max: 1, backoff: 10ms}")})
    ranked = submit(howdah, tmp_path, {"worker": worker(until(tmp_path / "go"), "instances: 2, restart: {max: 1}")},
                    "framework: pytorch", "ranked")
    for job in (plain, ranked):
        howdah.running(job)
        kill9(howdah.task(job, "worker", 1)["pids"][0])
        runs_again(howdah, job, 1)
    status = howdah.running(ranked)
    assert (status["generation"], [t["attempt"] for t in status["tasks"]]) == (1, [1, 1]), status
    status = howdah.running(plain)
    assert (status["generation"], [t["attempt"] for t in status["tasks"]]) == (0, [0, 1]), status
    (tmp_path / "go").touch()
    kill9(howdah.task(plain, "worker", 1)["pids"][0])
    task = howdah.task(plain, "worker", 1)
    node = task["node"]
    status = ended(howdah, plain, "FAILED", "worker:1", "signal 9 (SIGKILL)", node, "attempt 1")
    assert said_to_yarn(howdah, plain) == status["reason"]
    failed = tasks_of(howdah, plain)["worker", 1]
    assert (failed["state"], failed["signal"], failed["exit_code"]) == ("FAILED", "SIGKILL", None)
    ended(howdah, ranked, "SUCCEEDED")
    assert am_attempts(howdah, plain)[0]["id"] == 1 and len(am_attempts(howdah, plain)) == 1


@pytest.mark.parametrize("which", ["guardian", "executor"])
def test_executor(howdah, tmp_path, which):
    """Its container is lost with it: another one is asked for, or the job fails."""
    job = submit(howdah, tmp_path, {"worker": worker(more="instances: 2, restart: {max: 1, backoff: 10ms}")})
    howdah.running(job)

    def kill():
        container = howdah.task(job, "worker", 1)["container"]
        of_container = howdah.alive(job)
        guardian, executor = [pid for pid in howdah.agents(job, "task") if container in of_container[pid]]
        kill9(guardian if which == "guardian" else executor)
        return container
    lost = kill()
    runs_again(howdah, job, 1)
    task = howdah.task(job, "worker", 1)
    assert task["container"] != lost and not [c for c in howdah.alive(job).values() if lost in c]
    kill()
    status = ended(howdah, job, "FAILED", "worker:1 was lost", task["node"], "attempt 1", "executor")
    assert said_to_yarn(howdah, job) == status["reason"]
    states = {key: task["state"] for key, task in tasks_of(howdah, job).items()}
    assert states == {("worker", 0): "STOPPED", ("worker", 1): "LOST"}


def test_client(howdah, shaky, tmp_path):
    """The job needs no client, and the one that is killed had it to the last."""
    file = howdah.job_file(tmp_path, f"name: alone\nroles:\n  worker: {{{worker(until(tmp_path / 'go'))}}}\n")
    client = howdah.start("run", file)
    job = eventually(lambda: next((a["id"] for a in shaky.apps("?user=alice&states=RUNNING")), None), "the job")
    client.kill()
    client.communicate()
    howdah.running(job)
    (tmp_path / "go").touch()
    ended(howdah, job, "SUCCEEDED")


def test_paused_am(howdah, tmp_path):
    """An AM that is not there for a while is there again."""
    job = submit(howdah, tmp_path, {"worker": worker(until(tmp_path / "go"), "instances: 2")})
    tasks = howdah.running(job)["tasks"]
    agents = howdah.agents(job, "am")
    for pid in agents:
        os.kill(pid, signal.SIGSTOP)
    (tmp_path / "go").touch()
    ran = {pid for task in tasks for pid in task["pids"]}
    eventually(lambda: not ran & set(howdah.alive(job)), "the end of the tasks' processes")
    for pid in agents:
        os.kill(pid, signal.SIGCONT)
    status = ended(howdah, job, "SUCCEEDED")
    assert [t["attempt"] for t in status["tasks"]] == [0, 0]


# --- of the application master ---

def test_am(howdah, shaky, tmp_path):
    """YARN starts another one, and the job starts again as its next generation."""
    job = submit(howdah, tmp_path, {"worker": worker(until(tmp_path / "go"), "instances: 2")})
    before = howdah.running(job)
    old = set(howdah.alive(job))
    kill9(howdah.agents(job, "am")[1])
    howdah.until(job, lambda s: s["generation"] == 1, "the next generation")
    status = howdah.running(job)
    assert (status["generation"], [t["attempt"] for t in status["tasks"]]) == (1, [1, 1]), status
    assert not {t["container"] for t in status["tasks"]} & {t["container"] for t in before["tasks"]}
    assert not old & set(howdah.alive(job)), "nothing of the first attempt is left"
    (tmp_path / "go").touch()
    ended(howdah, job, "SUCCEEDED")
    told = events(howdah, job)
    assert "application master (attempt 0)" in told and "generation 1" in told, told
    assert [a["id"] for a in sorted(am_attempts(howdah, job), key=lambda a: a["id"])] == [1, 2]


@pytest.mark.parametrize("killed", ["am", "guardian", "both"])
def test_am_that_is_the_last(howdah, tmp_path, killed):
    job = submit(howdah, tmp_path, {"worker": worker(more="instances: 2")}, "am: {attempts: 1}")
    howdah.running(job)
    node = howdah.cluster.host(am_node(howdah, job))
    guardian, am = howdah.agents(job, "am")
    kill9(*{"am": [am], "guardian": [guardian], "both": [guardian, am]}[killed])
    facts = ["application master (attempt 0)", "signal 9 (SIGKILL)"]
    status = ended(howdah, job, "FAILED", *facts)
    assert status["advice"], status
    said = said_to_yarn(howdah, job)
    if killed == "am":
        assert said == status["reason"] and node in said, (said, status)
    assert {t["state"] for t in status["tasks"]} == {"STOPPED"}, status
    assert len(am_attempts(howdah, job)) == 1


def test_am_and_its_guardian(howdah, tmp_path):
    """Nobody is left who could write of it but the next AM."""
    job = submit(howdah, tmp_path, {"worker": worker(until(tmp_path / "go"), "instances: 2")})
    howdah.running(job)
    kill9(*howdah.agents(job, "am"))
    howdah.until(job, lambda s: s["generation"] == 1, "the next generation")
    status = howdah.running(job)
    assert [t["attempt"] for t in status["tasks"]] == [1, 1], status
    (tmp_path / "go").touch()
    ended(howdah, job, "SUCCEEDED")


def test_killed_with_yarns_own_tools(howdah, shaky, tmp_path):
    """`yarn application -kill`: the NodeManager gives an AM 250 ms."""
    job = submit(howdah, tmp_path, {"worker": worker(more="instances: 3")})
    howdah.running(job)
    shaky.rm(f"apps/{job}/state", {"state": "KILLED"}, "PUT", "alice")
    eventually(lambda: not howdah.alive(job), f"the end of {howdah.alive(job)}", 5)
    status = ended(howdah, job, "KILLED", "alice")
    assert {t["state"] for t in status["tasks"]} == {"STOPPED"}, status
    assert "alice" in said_to_yarn(howdah, job)


# --- of nodes ---

def cut_power(cluster, node):
    """The NodeManager and everything it had started die at one stroke."""
    cluster[node].kill()
    at = f"{cluster.folder}/{node}/"
    kill9(*[pid for pid in cluster.processes() if os.readlink(f"/proc/{pid}/cwd").startswith(at)])


SPREAD = "instances: 3, max_per_node: 1, restart: {max: 1, backoff: 10ms}"
APART = SPREAD.replace("3", "2", 1)


def test_node_manager(howdah, shaky, tmp_path):
    """It is started again before YARN gives it up, and knows its containers: the job does not notice."""
    job = submit(howdah, tmp_path, {"worker": worker(until(tmp_path / "go"), SPREAD)})
    before = howdah.running(job)
    for node in (am_node(howdah, job), elsewhere(howdah, job)[1]):
        shaky[node].restart()
        # Its containers are there again, and no others: it has registered.
        shaky.wait(lambda: (shaky.nm(node, "info") or {}).get("nodeInfo", {}).get("nodeHealthy"), f"{node}")
    assert [(t["container"], t["pids"]) for t in howdah.running(job)["tasks"]] == [
        (t["container"], t["pids"]) for t in before["tasks"]]
    (tmp_path / "go").touch()
    status = ended(howdah, job, "SUCCEEDED")
    assert [t["attempt"] for t in status["tasks"]] == [0, 0, 0] and len(am_attempts(howdah, job)) == 1


def test_lost_node(howdah, shaky, tmp_path):
    """YARN gives up a node whose NodeManager is gone; what ran there starts again elsewhere, though its processes still
    run: these end."""
    job = submit(howdah, tmp_path, {"worker": worker(until(tmp_path / "go"), APART)})
    before = howdah.running(job)
    index, node = elsewhere(howdah, job)
    old = before["tasks"][index]
    shaky[node].kill()
    runs_again(howdah, job, index)
    eventually(lambda: not [c for c in howdah.alive(job).values() if old["container"] in c], "the end of attempt 0")
    assert howdah.task(job, "worker", index)["node"] != old["node"]
    (tmp_path / "go").touch()
    ended(howdah, job, "SUCCEEDED")
    told = events(howdah, job)
    assert f"worker:{index} was lost on {old['node']}" in told and "node" in told, told


def test_node_without_power(howdah, shaky, tmp_path):
    """Everything on it is gone at one stroke. No task has a restart of its own, and none is to blame."""
    job = submit(howdah, tmp_path, {"worker": worker(until(tmp_path / "go"), APART)})
    howdah.running(job)
    index, node = elsewhere(howdah, job)
    cut_power(shaky, node)
    runs_again(howdah, job, index)
    (tmp_path / "go").touch()
    ended(howdah, job, "SUCCEEDED")
    assert f"worker:{index} was lost on {shaky.host(node)}" in events(howdah, job)


def test_node_of_the_am_without_power(howdah, shaky, tmp_path):
    job = submit(howdah, tmp_path, {"worker": worker(until(tmp_path / "go"), "instances: 2")})
    howdah.running(job)
    cut_power(shaky, am_node(howdah, job))
    howdah.until(job, lambda s: s["generation"] == 1, "the next generation")
    howdah.running(job)
    (tmp_path / "go").touch()
    ended(howdah, job, "SUCCEEDED")


def test_node_manager_that_is_stopped(howdah, shaky, tmp_path):
    """SIGTERM: it ends its containers, and the ResourceManager hears of it."""
    job = submit(howdah, tmp_path, {"worker": worker(until(tmp_path / "go"), APART)})
    howdah.running(job)
    index, node = elsewhere(howdah, job)
    shaky[node].term()
    runs_again(howdah, job, index)
    (tmp_path / "go").touch()
    ended(howdah, job, "SUCCEEDED")
    assert f"worker:{index} was lost on {shaky.host(node)}" in events(howdah, job)


# --- of the ResourceManager ---

def test_resource_manager(howdah, shaky, tmp_path):
    """It is restarted while one job runs and ends, and while another is still starting, and then together with a node:
    neither job notices."""
    running = submit(howdah, tmp_path, {"worker": worker(until(tmp_path / "first"), "instances: 2")}, name="running")
    ran = {pid for task in howdah.running(running)["tasks"] for pid in task["pids"]}
    starting = submit(howdah, tmp_path, {"worker": worker(until(tmp_path / "second"), "instances: 2")}, name="starting")
    eventually(lambda: howdah.agents(starting, "am"), "its AM, which has not registered yet")
    shaky["rm"].kill()
    (tmp_path / "first").touch()
    # The job ends while there is nobody to tell it to.
    eventually(lambda: not ran & set(howdah.alive(running)), "the end of the tasks' processes")
    shaky["rm"].start()
    shaky.wait_active()
    status = ended(howdah, running, "SUCCEEDED")
    assert ([t["attempt"] for t in status["tasks"]], len(am_attempts(howdah, running))) == ([0, 0], 1), status
    howdah.running(starting)
    both = [shaky["rm"], shaky[am_node(howdah, starting)]]
    for daemon in both:
        daemon.kill()
    for daemon in both:
        daemon.start()
    shaky.wait_active()
    (tmp_path / "second").touch()
    status = ended(howdah, starting, "SUCCEEDED")
    assert ([t["attempt"] for t in status["tasks"]], len(am_attempts(howdah, starting))) == ([0, 0], 1), status


@pytest.mark.parametrize("stored", [False, True])
def test_resource_manager_during_a_submission(howdah, shaky, tmp_path, stored):
    """It dies with the request, or with its answer: the client asks the next one again, for the same application."""
    def die():
        if stored:
            shaky.wait(lambda: shaky.apps("?user=alice&states=ACCEPTED,RUNNING"), "the application", 20)
        shaky["rm"].restart()
    between = Between(shaky.configuration.port["rm"], stored, die)
    conf = tmp_path / "conf"
    shutil.copytree(shaky.conf_dir, conf)
    site = (conf / "yarn-site.xml").read_text()
    (conf / "yarn-site.xml").write_text(site.replace(f"localhost:{between.port}<", f"{between.address}<"))
    file = howdah.job_file(tmp_path, f"name: submitted\nroles:\n  worker: {{{worker('true')}}}\n")
    job = howdah.submit(file, env={"HADOOP_CONF_DIR": str(conf)}, timeout=120)
    between.close()
    assert between.submissions >= 2
    shaky.wait_active()
    ended(howdah, job, "SUCCEEDED")
    assert [a["id"] for a in shaky.apps("?user=alice") if a["name"] == "submitted"].count(job) == 1

"""kill -9 of everything that a job on a cluster needs: its processes, executors, nodes, AM, and the ResourceManager.
Each job ends correctly, every command reports the same reason, and nothing is left on any node or in HDFS."""
import os
import re
import shutil
import signal

import pytest

import job_reports
from lossy_rm_proxy import LossyProxy
from machine import eventually
from kill_cases import (am_attempts, am_node, assert_unbroken, ended, events, job_text, kill9, kill_am, runs_again,
                        steps, submit, task_away_from_am, tasks_of, until, wait_until_stored, worker)


@pytest.fixture(scope="module")
def shaky(module_cluster):
    """A cluster that declares silent nodes lost after 12 s. Its daemons recover their state when they restart."""
    return module_cluster(rm_recovery=True, nm_recovery=True, extra={"yarn-site": {
        "yarn.nm.liveness-monitor.expiry-interval-ms": 12000,
        # If the ResourceManager dies while it launches an AM, it declares that AM dead only after this time.
        "yarn.am.liveness-monitor.expiry-interval-ms": 30000}})


@pytest.fixture
def howdah(howdah_of, shaky):
    yield howdah_of(shaky)
    for daemon in shaky.daemons.values():
        if not daemon.alive():
            daemon.start()
    shaky.wait_active()


# --- kills of the job's own processes ---

def test_a_killed_user_process_restarts_its_task_or_all_ranks(howdah, tmp_path):
    """In a job without ranks only the killed task restarts, within its budget. In a job with ranks all tasks
    restart."""
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
    ended(howdah, plain, "FAILED", "worker:1", "signal 9 (SIGKILL)", node, "attempt 1")
    failed = tasks_of(howdah, plain)["worker", 1]
    assert (failed["state"], failed["signal"], failed["exit_code"]) == ("FAILED", "SIGKILL", None)
    ended(howdah, ranked, "SUCCEEDED")
    assert am_attempts(howdah, plain)[0]["id"] == 1 and len(am_attempts(howdah, plain)) == 1


@pytest.mark.parametrize("which", ["guardian", "executor"])
def test_a_killed_executor_loses_its_container(howdah, tmp_path, which):
    """The container is lost with its executor. The task restarts in another container, or the job fails."""
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
    ended(howdah, job, "FAILED", "worker:1 was lost", task["node"], "attempt 1", "executor")
    states = {key: task["state"] for key, task in tasks_of(howdah, job).items()}
    assert states == {("worker", 0): "STOPPED", ("worker", 1): "LOST"}


def test_a_killed_client_does_not_affect_the_job(howdah, shaky, tmp_path):
    """The job continues without its client."""
    file = howdah.job_file(tmp_path, f"name: alone\nroles:\n  worker: {{{worker(until(tmp_path / 'go'))}}}\n")
    client = howdah.start("run", file)
    job = eventually(lambda: next((a["id"] for a in shaky.apps("?user=alice&states=RUNNING")), None), "the job")
    client.kill()
    client.communicate()
    howdah.running(job)
    (tmp_path / "go").touch()
    ended(howdah, job, "SUCCEEDED")


def test_a_paused_am_continues_the_job(howdah, tmp_path):
    """The tasks of a paused AM end. The AM processes this when it continues."""
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


def test_kill_ends_a_job_whose_am_and_guardian_do_not_answer(howdah, tmp_path):
    """No agent of the AM's container can react, so only the ResourceManager can end the job."""
    job = submit(howdah, tmp_path, {"worker": worker(more="instances: 2")})
    howdah.running(job)
    for pid in howdah.agents(job, "am"):
        os.kill(pid, signal.SIGSTOP)
    done = howdah("kill", job, timeout=120)
    assert done.code == 0, done
    assert "the ResourceManager has killed the application" in done.stderr, done
    assert howdah.status(job)["state"] == "KILLED"
    assert howdah.cluster.wait_app(job)["finalStatus"] == "KILLED"
    howdah.assert_clean(job)


# --- kills of the application master ---

def test_33_a_killed_am_is_replaced_and_tasks_continue(howdah, tmp_path):
    """Another AM starts in the same container after each kill, and the tasks continue undisturbed."""
    text = job_text({"worker": worker(steps(tmp_path), "instances: 2")}, "am: {attempts: 1}")
    run = job_reports.Run(howdah, tmp_path, text)
    job = run.id
    before = howdah.running(job)["tasks"]
    for _ in range(4):  # after five AMs that die within a second, the guardian would give up
        kill_am(howdah, job)
    run.reason("the application master (attempt 3) was killed by signal 9 (SIGKILL); attempt 4 continues",
               "adopted 2 containers")
    tasks = howdah.running(job)["tasks"]
    assert [(t["pids"], t["attempt"], t["container"]) for t in tasks] == [
        (t["pids"], 0, t["container"]) for t in before]
    (tmp_path / "go").touch()
    status = ended(howdah, job, "SUCCEEDED")
    assert (status["generation"], len(am_attempts(howdah, job))) == (0, 1), status
    assert_unbroken(tmp_path, 2)
    run.end()
    first = r"the application master \(attempt 0\) was killed by signal 9 \(SIGKILL\); attempt 1 continues"
    job_reports.reported(howdah, job, first, run.output)


def test_an_am_killed_while_tasks_end_is_replaced(howdah, tmp_path):
    """Two tasks end without an AM. The executor of one reports its end to the next AM; the other is lost with its
    executor."""
    job = submit(howdah, tmp_path, {"worker": worker(until(tmp_path / "go"), "instances: 3, restart: {max: 1}")})
    howdah.running(job)
    agents, tasks = howdah.agents(job, "am"), howdah.status(job)["tasks"]
    alive = howdah.alive(job)
    executors = [pid for pid in howdah.agents(job, "task") if tasks[1]["container"] in alive[pid]]
    os.kill(agents[0], signal.SIGSTOP)  # the guardian cannot start another AM yet
    kill9(agents[1])
    kill9(tasks[0]["pids"][0])
    kill9(executors[0])
    eventually(lambda: not set(executors) & set(howdah.alive(job)), "the end of worker:1")
    os.kill(agents[0], signal.SIGCONT)
    for index in (0, 1):
        runs_again(howdah, job, index)
    (tmp_path / "go").touch()
    status = ended(howdah, job, "SUCCEEDED")
    assert ([t["attempt"] for t in status["tasks"]], len(am_attempts(howdah, job))) == ([1, 1, 0], 1), status


@pytest.mark.parametrize("killed", ["guardian", "both"])
def test_the_death_of_the_last_am_attempt_fails_the_job(howdah, tmp_path, killed):
    job = submit(howdah, tmp_path, {"worker": worker(more="instances: 2")}, "am: {attempts: 1}")
    howdah.running(job)
    guardian, am = howdah.agents(job, "am")
    kill9(*{"guardian": [guardian], "both": [guardian, am]}[killed])
    # YARN reports the end of the application before its nodes have stopped the containers.
    eventually(lambda: not howdah.alive(job), "the end of its containers")
    facts = ["application master (attempt 0)", "signal 9 (SIGKILL)"]
    status = ended(howdah, job, "FAILED", *facts, by_its_am=False)
    assert status["advice"], status
    assert {t["state"] for t in status["tasks"]} == {"STOPPED"}, status
    assert len(am_attempts(howdah, job)) == 1


def test_a_killed_am_and_its_guardian_are_replaced_by_yarn(howdah, tmp_path):
    """YARN starts another AM in another container, which adopts the running tasks."""
    job = submit(howdah, tmp_path, {"worker": worker(steps(tmp_path), "instances: 2")})
    before = howdah.running(job)["tasks"]
    wait_until_stored(howdah, job)
    kill9(*howdah.agents(job, "am"))
    eventually(lambda: "adopted 2 containers" in events(howdah, job), "another AM")
    tasks = howdah.running(job)["tasks"]
    assert [(t["pids"], t["attempt"], t["container"]) for t in tasks] == [
        (t["pids"], 0, t["container"]) for t in before]
    kill9(tasks[0]["pids"][0])  # the new AM receives the failure and stops the other task
    (tmp_path / "go").touch()
    ended(howdah, job, "FAILED", "worker:0 was killed by signal 9")
    assert_unbroken(tmp_path, 2)


def test_tasks_continue_if_the_answer_to_the_registration_of_an_am_is_lost(howdah, shaky, tmp_path):
    """Only this answer has the containers of earlier attempts. The second AM makes room for a third one, which gets
    them."""
    if shaky.setup.kerberos:
        pytest.skip("the proxy cannot read encrypted calls")
    proxy = LossyProxy(shaky.configuration.port["rm-scheduler"], True,
                       lambda: shaky.wait(lambda: shaky.app(job)["state"] == "RUNNING", "the registration", 20),
                       b"registerApplicationMaster", disturbed=2)
    file = howdah.job_file(tmp_path, job_text({"worker": worker(steps(tmp_path), "instances: 2")}))
    job = howdah.submit(file, env=through(proxy, shaky, tmp_path))
    before = howdah.running(job)["tasks"]
    wait_until_stored(howdah, job)
    kill9(*howdah.agents(job, "am"))
    eventually(lambda: "attempt 2 continues and has adopted 2 containers" in events(howdah, job), "the third AM")
    tasks = howdah.running(job)["tasks"]
    assert [(t["pids"], t["attempt"], t["container"]) for t in tasks] == [
        (t["pids"], 0, t["container"]) for t in before]
    (tmp_path / "go").touch()
    ended(howdah, job, "SUCCEEDED")
    assert_unbroken(tmp_path, 2)
    assert len(am_attempts(howdah, job)) == 3
    proxy.close()


def test_35_killed_with_yarns_own_tools(howdah, shaky, tmp_path):
    """`yarn application -kill`: the NodeManager kills the AM 250 ms after SIGTERM."""
    job = submit(howdah, tmp_path, {"worker": worker(more="instances: 3")})
    howdah.running(job)
    shaky.rm(f"apps/{job}/state", {"state": "KILLED"}, "PUT", "alice")
    eventually(lambda: not howdah.alive(job), f"the end of {howdah.alive(job)}", 5)
    # The reason contains the user's host only if YARN reports the host.
    facts = ["killed by alice", " with YARN's own tools, ", "s after it was submitted"]
    status = ended(howdah, job, "KILLED", *facts, by_its_am=False)
    assert {t["state"] for t in status["tasks"]} == {"STOPPED"}, status
    assert "alice" in howdah.diagnostics(job)


# --- kills of nodes ---

SPREAD = "instances: 3, max_per_node: 1, restart: {max: 1, backoff: 10ms}"
APART = SPREAD.replace("3", "2", 1)


def test_a_restarted_node_manager_does_not_affect_the_job(howdah, shaky, tmp_path):
    """A NodeManager that restarts before YARN declares its node lost recovers its containers. The job is not
    affected."""
    job = submit(howdah, tmp_path, {"worker": worker(until(tmp_path / "go"), SPREAD)})
    before = howdah.running(job)
    for node in (am_node(howdah, job), task_away_from_am(howdah, job)[1]):
        shaky[node].restart()
        # The NodeManager is ready when it has recovered its containers and registered again.
        shaky.wait(lambda: (shaky.nm(node, "info") or {}).get("nodeInfo", {}).get("nodeHealthy"), f"{node}")
    assert [(t["container"], t["pids"]) for t in howdah.running(job)["tasks"]] == [
        (t["container"], t["pids"]) for t in before["tasks"]]
    (tmp_path / "go").touch()
    status = ended(howdah, job, "SUCCEEDED")
    assert [t["attempt"] for t in status["tasks"]] == [0, 0, 0] and len(am_attempts(howdah, job)) == 1


def test_31_tasks_of_a_lost_node_restart_elsewhere(howdah, shaky, tmp_path):
    """YARN declares a node lost after its NodeManager has died. Its tasks restart on other nodes, and their old
    processes, which still run, are stopped."""
    helper = "kind: sidecar, instances: 3, max_per_node: 1, memory: 64MiB, command: exec sleep 300"
    text = job_text({"worker": worker(until(tmp_path / "go"), APART), "helper": helper})
    run = job_reports.Run(howdah, tmp_path, text)
    job = run.id
    before = howdah.running(job)
    index, node = task_away_from_am(howdah, job)
    old = before["tasks"][index]
    shaky[node].kill()
    runs_again(howdah, job, index)
    eventually(lambda: not [c for c in howdah.alive(job).values() if old["container"] in c], "the end of attempt 0")
    assert howdah.task(job, "worker", index)["node"] != old["node"]
    (tmp_path / "go").touch()
    ended(howdah, job, "SUCCEEDED")
    run.process.wait(20)  # `run` does not wait for logs that are only on the lost node
    run.end()
    said = (rf"worker:{index} was lost on {old['node']} after \S+, attempt 0: .*(last heartbeat|no heartbeat for)"
            ".*; no restart is charged")
    job_reports.reported(howdah, job, said, run.output)
    beside = next(t["index"] for t in before["tasks"] if (t["role"], t["node"]) == ("helper", old["node"]))
    first = rf"worker:{index} was lost on .*; also running there: helper:{beside};"
    second = rf"helper:{beside} was lost on .*; also running there: worker:{index};"
    job_reports.reported(howdah, job, f"{first}|{second}", run.output)


def test_tasks_of_a_node_without_power_restart_elsewhere(howdah, shaky, tmp_path):
    """All processes of the node end at the same time, and its task restarts on another node."""
    job = submit(howdah, tmp_path, {"worker": worker(until(tmp_path / "go"), APART)})
    howdah.running(job)
    index, node = task_away_from_am(howdah, job)
    shaky.cut_power(node)
    runs_again(howdah, job, index)
    (tmp_path / "go").touch()
    ended(howdah, job, "SUCCEEDED")
    assert f"worker:{index} was lost on {shaky.host(node)}" in events(howdah, job)


def test_an_am_on_a_node_without_power_is_replaced(howdah, shaky, tmp_path):
    """Tasks on other nodes continue, and tasks of the lost node restart. YARN allows two failed AM attempts, but does
    not count an attempt that was lost with its node. So a third attempt is possible."""
    job = submit(howdah, tmp_path, {"worker": worker(until(tmp_path / "go"), SPREAD)})
    before = howdah.running(job)["tasks"]
    wait_until_stored(howdah, job)
    lost = am_node(howdah, job)
    shaky.cut_power(lost)
    gone = [t["index"] for t in before if t["node"] == shaky.host(lost)]
    eventually(lambda: "adopted 3 containers" in events(howdah, job), "another AM")
    for index in gone:  # the task stays pending, because max_per_node excludes the other nodes
        said = f"worker:{index} was lost on"
        howdah.until(job, lambda s: said in (s["tasks"][index]["reason"] or ""), "why it waits")
        assert said in howdah("status", job).stdout
    shaky[lost].start()
    for index in gone:
        runs_again(howdah, job, index)
    tasks = howdah.running(job)["tasks"]
    there = [(t["pids"], t["attempt"]) for t in tasks if t["index"] not in gone]
    assert len(gone) == 1 and there == [(t["pids"], 0) for t in before if t["index"] not in gone]
    wait_until_stored(howdah, job)
    am = howdah.agents(job, "am")[1]
    os.unlink(f"/proc/{am}/cwd/am.address")
    kill9(am)
    eventually(lambda: len(am_attempts(howdah, job)) == 3, "the third attempt")
    (tmp_path / "go").touch()
    ended(howdah, job, "SUCCEEDED")
    said = r"failed attempts in previous 3600000 milliseconds is (\d)\. The max attempts is 2"
    assert re.findall(said, shaky["rm"].log.read_text(errors="replace"))[-2:] == ["0", "1"]


def test_tasks_of_a_terminated_node_manager_restart_elsewhere(howdah, shaky, tmp_path):
    """On SIGTERM the NodeManager stops its containers and reports that to the ResourceManager."""
    job = submit(howdah, tmp_path, {"worker": worker(until(tmp_path / "go"), APART)})
    howdah.running(job)
    index, node = task_away_from_am(howdah, job)
    shaky[node].term()
    runs_again(howdah, job, index)
    (tmp_path / "go").touch()
    ended(howdah, job, "SUCCEEDED")
    assert f"worker:{index} was lost on {shaky.host(node)}" in events(howdah, job)


# --- kills of the ResourceManager ---

def test_a_restarted_resource_manager_does_not_affect_jobs(howdah, shaky, tmp_path):
    """The ResourceManager restarts while one job ends and another one starts, and then together with a NodeManager.
    Neither job is affected."""
    running = submit(howdah, tmp_path, {"worker": worker(until(tmp_path / "first"), "instances: 2")}, name="running")
    ran = {pid for task in howdah.running(running)["tasks"] for pid in task["pids"]}
    starting = submit(howdah, tmp_path, {"worker": worker(until(tmp_path / "second"), "instances: 2")}, name="starting")
    eventually(lambda: howdah.agents(starting, "am"), "its AM, which has not registered yet")
    shaky["rm"].kill()
    (tmp_path / "first").touch()
    # The job ends while the ResourceManager is down.
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


def through(proxy, cluster, tmp_path):
    """The environment of clients that reach a service of the ResourceManager through the proxy."""
    conf = tmp_path / "conf"
    shutil.copytree(cluster.conf_dir, conf)
    site = (conf / "yarn-site.xml").read_text()
    (conf / "yarn-site.xml").write_text(site.replace(f"localhost:{proxy.port}<", f"{proxy.address}<"))
    return {"HADOOP_CONF_DIR": str(conf)}


@pytest.mark.parametrize("stored", [False, pytest.param(True, marks=pytest.mark.long)])
def test_a_resource_manager_restart_during_a_submission_is_survived(howdah, shaky, tmp_path, stored):
    """The ResourceManager dies before or after it has stored the request. The client sends the request again, for the
    same application."""
    def die():
        if stored:
            shaky.wait(lambda: shaky.apps("?user=alice&states=ACCEPTED,RUNNING"), "the application", 20)
        shaky["rm"].restart()
    if shaky.setup.kerberos:
        pytest.skip("the proxy cannot read encrypted calls")
    proxy = LossyProxy(shaky.configuration.port["rm"], stored, die)
    file = howdah.job_file(tmp_path, f"name: submitted\nroles:\n  worker: {{{worker('true')}}}\n")
    job = howdah.submit(file, env=through(proxy, shaky, tmp_path), timeout=120)
    proxy.close()
    assert proxy.calls >= 2
    shaky.wait_active()
    ended(howdah, job, "SUCCEEDED")
    assert [a["id"] for a in shaky.apps("?user=alice") if a["name"] == "submitted"].count(job) == 1

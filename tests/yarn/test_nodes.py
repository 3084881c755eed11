"""YARN takes containers away because a node is unhealthy, because it is decommissioned, or for another queue. The tasks
restart in other containers."""
import re
import shutil

import pytest

import job_reports
from kill_cases import am_files, kill_am, until
from machine import eventually

ROOT = "yarn.scheduler.capacity.root"
PREEMPTION = "yarn.resourcemanager.monitor.capacity.preemption"
# All containers, including those of AMs, have 1 GiB, because preemption considers the sum of free memory, not its
# fragmentation. The cluster has room for two AMs and ten tasks. YARN preempts containers only of a queue that exceeds
# its half of the cluster, six containers, by more than 10 % (max_ignored_over_capacity).
URGENT = 4


@pytest.fixture(scope="module")
def changing(module_cluster):
    """A cluster with two queues of half the capacity each. Preemption restores the half of a queue within seconds."""
    return module_cluster(health_script=True, queues={
        "default": {"capacity": 50, "user-limit-factor": 10}, "urgent": {"capacity": 50, "user-limit-factor": 10}},
        extra={"yarn-site": {
            "yarn.resourcemanager.scheduler.monitor.enable": True, f"{PREEMPTION}.monitoring_interval": 200,
            f"{PREEMPTION}.max_wait_before_kill": 500, f"{PREEMPTION}.total_preemption_per_round": 1,
            f"{PREEMPTION}.natural_termination_factor": 1}})


@pytest.fixture
def howdah(howdah_of, changing):
    return howdah_of(changing)


def text_of(instances, go, more="", name="job"):
    """Workers that succeed once the file `go` exists, and save when they are stopped. They have no restart budget,
    because the restarts in these tests must be free."""
    return f"""
name: {name}
am: {{memory: 1GiB}}
{more}
roles:
  worker:
    instances: {instances}
    memory: 1GiB
    command: >-
      echo "task $HOWDAH_TASK_INDEX begins";
      trap "echo $HOWDAH_TASK_INDEX >> {go}.saved; exit 1" TERM;
      while [ ! -e {go} ]; do sleep 0.1; done
"""


def job_of(howdah, tmp_path, *args, name="job", **kwargs):
    return howdah.submit(howdah.job_file(tmp_path, text_of(*args, name=name, **kwargs), f"{name}.yaml"))


def ends_well(howdah, job):
    done = howdah("wait", job, timeout=120)
    assert done.code == 0, (done, howdah.status(job))
    howdah.assert_clean(job)
    return howdah("events", job).stdout


def task_away_from_am(howdah, job):
    """Finds a task that is not on the AM's node. Returns the task and the name of its node."""
    tasks = howdah.running(job)["tasks"]
    am = howdah.cluster.app(job)["amHostHttpAddress"].split(":")[0]
    task = next(t for t in tasks if t["node"] != am)
    return task, next(n for n in howdah.cluster.setup.node_names() if howdah.cluster.host(n) == task["node"])


def runs_elsewhere(howdah, job, task):
    def moved(status):
        now = status["tasks"][task["index"]]
        return now["attempt"] > 0 and now["state"] == "RUNNING" and now["node"] != task["node"]
    howdah.until(job, moved, "the task elsewhere")


def state_of(cluster, node):
    return next(n["state"] for n in cluster.nodes() if n["id"] == cluster.node_id(node))


def test_tasks_of_an_unhealthy_node_restart_elsewhere(howdah, changing, tmp_path):
    job = job_of(howdah, tmp_path, 6, tmp_path / "go")
    task, node = task_away_from_am(howdah, job)
    changing.set_health_output(node)
    runs_elsewhere(howdah, job, task)
    assert changing.metrics()["unhealthyNodes"] == 1
    (tmp_path / "go").touch()
    events = ends_well(howdah, job)
    assert f"worker:{task['index']} was lost on {task['node']}" in events, events
    changing.set_health_output(node, None)
    changing.wait_active()


def test_tasks_of_a_decommissioned_node_save_and_move(howdah, changing, tmp_path):
    """Tasks save and move as soon as YARN announces the decommissioning of their node. Their output stays readable,
    although the cluster aggregates no logs and the machine goes away with its files."""
    def assert_output():
        done = howdah("logs", job, f"worker:{task['index']}", "--attempt", "0")
        assert done.code == 0 and f"task {task['index']} begins" in done.stdout, done

    job = job_of(howdah, tmp_path, 6, tmp_path / "go")
    task, node = task_away_from_am(howdah, job)
    changing.exclude(node, graceful_s=3600)
    runs_elsewhere(howdah, job, task)
    assert str(task["index"]) in (tmp_path / "go.saved").read_text().split()
    changing.exclude(node)
    changing[node].kill()
    log = changing.folder / node / "log"
    shutil.rmtree(log)
    assert_output()
    (tmp_path / "go").touch()
    events = ends_well(howdah, job)
    assert f"worker:{task['index']} had to stop on {task['node']}" in events, events
    assert "its node is being decommissioned" in events, events
    assert_output()
    log.mkdir()
    changing.exclude()
    changing[node].restart()
    changing.wait_active()


def test_32_preempted_for_another_queue(howdah, changing, tmp_path):
    """YARN reports only that it preempts containers. The reason that Howdah reports names the queue."""
    run = job_reports.Run(howdah, tmp_path, text_of(10, tmp_path / "go"))
    howdah.running(run.id)
    urgent = job_of(howdah, tmp_path, URGENT, tmp_path / "urgent", more="queue: urgent", name="urgent")
    howdah.running(urgent)
    sentence = r"worker:(\d+) (?:was lost|had to stop) on .*preempt.* for queue urgent; no restart is charged"
    eventually(lambda: re.search(sentence, run.output), "the loss in the output of run")
    preempted = set(re.findall(sentence, howdah("events", run.id).stdout))
    (tmp_path / "urgent").touch()
    ends_well(howdah, urgent)
    status = howdah.running(run.id)
    assert {str(t["index"]) for t in status["tasks"] if t["attempt"] > 0} >= preempted, status
    (tmp_path / "go").touch()
    run.end()
    job_reports.reported(howdah, run.id, sentence, run.output)
    assert "another queue or application" not in ends_well(howdah, run.id)


def test_an_elastic_job_shrinks_for_another_queue_and_grows_back(howdah, changing, tmp_path):
    """The job has ranks, so each new size is a new generation, and its ranks are contiguous."""
    def all_ranks_run(size):
        def whole(status):
            tasks = [t for t in status["tasks"] if t["state"] == "RUNNING"]
            ranks = sorted(r for t in tasks for r in t["ranks"])
            fits = len(tasks) == len(status["tasks"]) and size(len(tasks)) and ranks == list(range(len(tasks)))
            return fits and status["state"] == "RUNNING"
        return whole
    go = tmp_path / "go"
    elastic = howdah.submit(howdah.job_file(tmp_path, f"""
name: elastic
framework: pytorch
am: {{memory: 1GiB}}
timeouts: {{settle: 2s}}
roles:
  worker:
    instances: {{min: 2, max: 10}}
    memory: 1GiB
    command: 'trap "exit 1" TERM; echo rank $RANK of $WORLD_SIZE; while [ ! -e {go} ]; do sleep 0.1; done'
""", "elastic.yaml"))
    howdah.until(elastic, all_ranks_run(lambda n: n == 10), "all ten")
    urgent = job_of(howdah, tmp_path, URGENT, tmp_path / "urgent", more="queue: urgent", name="urgent")
    howdah.running(urgent)
    fewer = howdah.until(elastic, all_ranks_run(lambda n: 2 <= n < 10), "fewer")
    causes = [generation["cause"] for generation in fewer["account"]["generations"]]
    assert any(re.search("preempt.* for queue urgent; no restart is charged", cause) for cause in causes), causes
    assert howdah.status(urgent)["state"] == "RUNNING", fewer
    (tmp_path / "urgent").touch()
    ends_well(howdah, urgent)
    howdah.until(elastic, all_ranks_run(lambda n: n == 10), "all ten again")
    go.touch()
    events = ends_well(howdah, elastic)
    assert "its container was preempted; the job continues with the other" in events, events
    assert re.search(r"worker grows from \d to \d+;", events), events


def test_a_node_with_failing_tasks_is_avoided(howdah, changing, tmp_path):
    """After three failures in a row on the same node, the fourth attempt runs on another node."""
    go, bad = tmp_path / "go", tmp_path / "bad"
    job = howdah.submit(howdah.job_file(tmp_path, f"""
name: hurt
roles:
  worker:
    instances: 2
    max_per_node: 1
    memory: 64MiB
    restart: {{max: 9, backoff: 10ms}}
    command: 'while [ ! -e {go} ]; do [ ! -e {bad}-$NM_HOST ] || exit 3; sleep 0.05; done'
"""))
    task = howdah.running(job)["tasks"][0]
    (tmp_path / f"bad-{task['node']}").touch()
    howdah.until(job, lambda s: (s["tasks"][0]["state"], s["tasks"][0]["attempt"]) == ("RUNNING", 3), "attempt 3")
    assert howdah.task(job, "worker", 0)["node"] != task["node"]
    app = changing.rm(f"apps/{job}/appattempts")["appAttempts"]["appAttempt"][0]
    assert app["blacklistedNodes"] == task["node"], app
    go.touch()
    events = ends_well(howdah, job)
    assert f"{task['node']} is avoided for 10m00s: 3 attempts failed there" in events, events


def test_next_am_requests_containers_on_nodes_that_joined_during_the_job(howdah, changing, tmp_path):
    """YARN reports each change of a node only once to the AMs of a job. Here an AM receives the change and is killed
    before the job needs the node."""
    changing.set_health_output("nm3")
    eventually(lambda: state_of(changing, "nm3") == "UNHEALTHY", "an unhealthy node")
    job = howdah.submit(howdah.job_file(tmp_path, f"""
name: grows
timeouts: {{gang: 1m}}
roles:
  first: {{memory: 64MiB, command: '{until(tmp_path / "go")}'}}
  second:
    instances: 3
    max_per_node: 1
    memory: 64MiB
    after: [{{role: first, finished: true}}]
    command: "true"
"""))
    howdah.until(job, lambda s: s["tasks"][0]["state"] == "RUNNING", "the first role")
    changing.set_health_output("nm3", None)
    changing.wait_active()
    answers = am_files(howdah, job) / "answers.bin"
    for _ in range(2):  # the second of these answers has the change
        size = answers.stat().st_size
        eventually(lambda: answers.stat().st_size > size, "another answer of the ResourceManager")
    kill_am(howdah, job)
    (tmp_path / "go").touch()
    ends_well(howdah, job)
    assert {t["node"] for t in howdah.status(job)["tasks"][1:]} == {
        changing.host(node) for node in changing.setup.node_names()}


@pytest.fixture(scope="module")
def one_gpu_node(module_cluster):
    """Only nm3 has GPUs. It has no room for an AM. The ResourceManager derives the largest permitted container from the
    running nodes at once, and not only 10 s after its start."""
    return module_cluster(health_script=True, gpus=(0, 0, 1),
                          node_extra={"nm3": {"yarn.nodemanager.resource.memory-mb": 512}},
                          extra={"yarn-site": {"yarn.resourcemanager.work-preserving-recovery.scheduling-wait-ms": 0}})


def test_job_waits_while_the_only_large_node_is_away(howdah_of, one_gpu_node, tmp_path):
    """YARN rejects a request that no running node could hold: here before the task has run, and after it was lost."""
    howdah = howdah_of(one_gpu_node)

    def rejections():
        return (one_gpu_node.folder / "logs/rm.log").read_text().count("Invalid resource ask by application")

    job = howdah.submit(howdah.job_file(tmp_path, f"""
name: waits
am: {{memory: 1GiB}}
roles:
  first: {{memory: 1GiB, command: '{until(tmp_path / "first")}'}}
  worker:
    memory: 64MiB
    gpus: 1
    after: [{{role: first, finished: true}}]
    command: '{until(tmp_path / "worker")}'
"""))
    howdah.until(job, lambda s: s["tasks"][0]["state"] == "RUNNING", "the first role")
    for attempt in range(2):
        before = rejections()
        one_gpu_node.set_health_output("nm3")
        eventually(lambda: state_of(one_gpu_node, "nm3") == "UNHEALTHY", "an unhealthy node")
        (tmp_path / "first").touch()
        eventually(lambda: rejections() > before, "a rejected request")
        one_gpu_node.set_health_output("nm3", None)
        howdah.until(job, lambda s: s["tasks"][1]["state"] == "RUNNING" and s["tasks"][1]["attempt"] == attempt,
                     "the task on its node")
    (tmp_path / "worker").touch()
    ends_well(howdah, job)

"""`howdah autoscale` on a real cluster, whose NodeManagers join and leave."""
import contextlib
import json
import signal

import pytest

from cloud import PUBLISHED, Cloud
from job_reports import assert_facts
from machine import eventually

LEAST, MOST = 2, 4


@pytest.fixture(scope="module")
def elastic(module_cluster):
    """Up to four nodes of 12 GiB and four vcores."""
    return module_cluster(nodes=MOST, running=LEAST, node_mb=12288, node_vcores=4, min_mb=1024, rm_recovery=True)


@pytest.fixture
def cloud(elastic):
    elastic.wait_idle()
    (elastic.folder / "exclude").write_text("192.0.2.1\n")  # an entry of the administrator
    made = Cloud(elastic)
    yield made
    made.close()
    first = elastic.setup.first_nodes()
    more = [node for node in elastic.setup.node_names() if node not in first and elastic[node].alive()]
    # A NodeManager needs 17 s to end in order. The ResourceManager forgets it at once if it is excluded.
    (elastic.folder / "exclude").write_text("".join(f"{elastic.host(node)}\n" for node in more))
    elastic.rm_admin("-refreshNodes")
    for node in more:
        elastic[node].kill()
    (elastic.folder / "exclude").write_text("")
    elastic.rm_admin("-refreshNodes")
    for node in first:
        if not elastic[node].alive():
            elastic[node].restart()
    elastic.wait_active()


@pytest.fixture
def admin(howdah_of, elastic):
    return howdah_of(elastic, elastic.superuser)


@contextlib.contextmanager
def running(admin, *arguments):
    """Runs an autoscaler."""
    process = admin.start("autoscale", "run", *arguments)
    try:
        eventually(lambda: json.loads(admin("autoscale", "status", "--json").stdout)["pid"], "the autoscaler runs")
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        output = process.communicate(timeout=60)[0]
    assert process.returncode == 0, output


def assert_lines(text, *facts):
    missing = [fact for fact in facts if fact not in text]
    assert not missing, (missing, text)


def decisions(admin):
    return [json.loads(line) for line in admin("autoscale", "log").stdout.splitlines()]


def verdicts(admin):
    return [line["recommendation"]["outputs"]["decision"] for line in decisions(admin)]


def gang(howdah, tmp_path, instances, command="sleep 1"):
    return howdah.job_file(tmp_path, f"""
name: gang
roles:
  worker: {{instances: {instances}, memory: 8GiB, vcores: 1, command: '{command}'}}
""")


def test_check_names_what_is_wrong(admin, cloud, tmp_path):
    done = admin("autoscale", "check", *cloud.files(tmp_path))
    assert done.code == 0, done.stdout
    assert_lines(done.stdout, "`list` shows 2 machines", "may administer the ResourceManager",
                 "the exclude file is the one of the ResourceManager")
    done = admin("autoscale", "check", *cloud.files(tmp_path, exclude="/nowhere/exclude"))
    assert done.code == 3, done
    assert_lines(done.stdout, "exclude.path is /nowhere/exclude, but yarn.resourcemanager.nodes.exclude-path")
    (tmp_path / "policy.yaml").write_text("workerConfig: {minInstances: 1}\n")
    done = admin("autoscale", "check", tmp_path / "policy.yaml")
    assert done.code == 2, done
    assert_lines(done.stderr, "policy.yaml:1: workerConfig.maxInstances: missing", "basicAlgorithm: missing")


def test_dry_run_orders_nothing(admin, howdah_of, elastic, cloud, tmp_path):
    howdah = howdah_of(elastic)
    job = howdah.submit(gang(howdah, tmp_path, 3))
    process = admin.start("autoscale", "run", *cloud.files(tmp_path), "--dry-run")
    line = eventually(lambda: next((line for line in iter(process.stdout.readline, "") if "SCALE_UP" in line), ""),
                      "a decision")
    assert_facts(line.strip(), job, "1 node of the group primary is missing", "8 GiB, 1 vcore")
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)
    assert not cloud.orders
    assert howdah("kill", job).code == 0


def knows_autoscaler(howdah):
    """Writes the user's configuration file."""
    folder = howdah.home / "config/howdah"
    folder.mkdir(parents=True)
    (folder / "config.yaml").write_text(f"autoscaler: {PUBLISHED}\n")
    howdah.env["XDG_CONFIG_HOME"] = str(folder.parent)


def test_cluster_grows_for_a_gang_and_shrinks_again(admin, howdah_of, elastic, cloud, tmp_path):
    """The gang needs more memory than the cluster has before it grows."""
    howdah = howdah_of(elastic)
    knows_autoscaler(howdah)
    refused = howdah("submit", gang(howdah, tmp_path, 4))
    assert refused.code == 3, refused
    assert_lines(refused.stderr, "the tasks that start together request 32 GiB", "can never have more than 24 GiB",
                 "the file of the autoscaler cannot be read", "autoscale.json")
    with running(admin, *cloud.files(tmp_path)):
        eventually(lambda: elastic.size_in_hdfs("/autoscale.json"), "the autoscaler publishes", 60)
        too_large = howdah("submit", gang(howdah, tmp_path, 7))
        assert too_large.code == 3, too_large
        assert_lines(too_large.stderr, "request 56 GiB", "can never have more than 48 GiB",
                     "even with all nodes that the autoscaler may add")
        cloud.joins = False
        job = howdah.submit(gang(howdah, tmp_path, 4))
        queue = eventually(lambda: "been ordered" in (shown := howdah("queue").stdout) and shown, "the order is shown",
                           60)
        assert_lines(queue, job, "2 nodes have been ordered", "autoscaler, ")
        cloud.join()
        assert howdah("wait", job, timeout=120).code == 0, (howdah("status", job).stdout, decisions(admin))
        assert cloud.added() == 2
        eventually(lambda: len(cloud.nodes) == LEAST, "the nodes leave again", 120)
        elastic.wait_active()
        eventually(lambda: (elastic.folder / "exclude").read_text() == "192.0.2.1\n",
                   "only the administrator's entry is left", 60)
        done = admin("autoscale", "status", "--json")
        status = json.loads(done.stdout)
        assert status["groups"]["primary"]["machines"] == LEAST, status
        assert status["pid"] is not None
    seen = verdicts(admin)
    assert seen.index("SCALE_UP") < seen.index("SCALE_DOWN"), seen
    assert len(howdah.status(job)["tasks"]) == 4


def test_drained_node_leaves_before_its_job_ends(admin, howdah_of, elastic, cloud, tmp_path):
    """The maximum falls below the size of the cluster while a job runs. The node leaves, and the job goes on."""
    howdah = howdah_of(elastic)
    job = howdah.submit(howdah.job_file(tmp_path, """
name: moving
checkpoint: {grace: 10s}
roles:
  worker:
    instances: 2
    memory: 8GiB
    restart: 3
    command: 'trap "exit 0" TERM; sleep 300 & wait'
"""))
    howdah.running(job)
    with running(admin, *cloud.files(tmp_path, least=3)):
        eventually(lambda: len(cloud.nodes) == 3, "the third node", 60)
        elastic.wait_active(3)
    used = {task["node"] for task in howdah.status(job)["tasks"]}
    assert len(used) == 2
    with running(admin, *cloud.files(tmp_path, least=2, most=2)):
        eventually(lambda: len(cloud.nodes) == 2, "a node leaves", 120)
    assert howdah.running(job)["state"] == "RUNNING"
    assert howdah("kill", job, "--grace", "0s").code == 0


@pytest.mark.long
def test_node_that_never_joins_is_removed(admin, howdah_of, elastic, cloud, tmp_path):
    howdah = howdah_of(elastic)
    cloud.joins = False
    job = howdah.submit(gang(howdah, tmp_path, 3))
    with running(admin, *cloud.files(tmp_path, join="8s")):
        eventually(lambda: any(command == "remove" for command, _ in cloud.orders), "the node is removed", 60)
        eventually(lambda: "did not join within 8s" in admin("autoscale", "log").stdout, "the log names it", 30)
        cloud.joins = True
        assert howdah("wait", job, timeout=180).code == 0, decisions(admin)


def test_killed_autoscaler_orders_nothing_twice(admin, howdah_of, elastic, cloud, tmp_path):
    howdah = howdah_of(elastic)
    arguments = cloud.files(tmp_path)
    process = admin.start("autoscale", "run", *arguments)
    job = howdah.submit(gang(howdah, tmp_path, 3))
    eventually(lambda: cloud.orders, "an order", 60)
    process.kill()
    process.communicate()
    with running(admin, *arguments):
        second = admin("autoscale", "run", *arguments)
        assert second.code == 3, second
        assert_lines(second.stderr, "runs this autoscaler already")
        assert howdah("wait", job, timeout=180).code == 0, decisions(admin)
    tokens = {values["token"] for command, values in cloud.orders if command == "add"}
    assert len(tokens) == 1 and len(cloud.nodes) <= MOST, cloud.orders


def test_paused_autoscaler_changes_nothing(admin, howdah_of, elastic, cloud, tmp_path):
    howdah = howdah_of(elastic)
    assert admin("autoscale", "pause").code == 0
    with running(admin, *cloud.files(tmp_path)):
        job = howdah.submit(gang(howdah, tmp_path, 3))
        eventually(lambda: "paused by the user" in admin("autoscale", "log").stdout, "the log says so", 30)
        eventually(lambda: howdah.status(job).get("reason"), "the job waits")
        assert not cloud.orders
        assert admin("autoscale", "resume").code == 0
        assert howdah("wait", job, timeout=120).code == 0, decisions(admin)


def first_decision(admin, arguments, mode):
    """The first decision of a dry run that looks at a whole window."""
    process = admin.start("autoscale", "run", *arguments, "--mode", mode, "--dry-run")
    try:
        return next(line for line in iter(process.stdout.readline, "") if "SCALE" in line and "window" not in line)
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)


@pytest.mark.long
def test_share_of_application_masters_is_part_of_the_plan(module_cluster, howdah_of, tmp_path):
    """A queue has half of the cluster, and a tenth of this for AMs. YARN rounds limits up, so one vcore for AMs becomes
    two with the sixth node."""
    half = {"capacity": 50, "maximum-capacity": 50, "user-limit-factor": 10}
    cluster = module_cluster(nodes=6, running=LEAST, node_mb=12288, node_vcores=4, min_mb=1024, am_percent=0.1,
                             queues={"a": half, "b": half})
    admin, howdah = howdah_of(cluster, cluster.superuser), howdah_of(cluster)
    text = "name: {}\nqueue: a\nam: {{memory: 1GiB}}\nroles: {{w: {{memory: 1GiB, command: sleep 1000}}}}\n"
    howdah.running(howdah.submit(howdah.job_file(tmp_path, text.format("runs"), "runs.yaml")))
    waits = howdah.submit(howdah.job_file(tmp_path, text.format("waits"), "waits.yaml"))
    (tmp_path / "few").mkdir()
    with contextlib.closing(Cloud(cluster)) as cloud:
        enough, too_few = cloud.files(tmp_path, most=6), cloud.files(tmp_path / "few", most=5)
        assert_lines(first_decision(admin, enough, "gangs"), "SCALE_UP 2 + 0 → 6 + 0", waits)
        assert_lines(first_decision(admin, enough, "dataproc"), "NO_SCALE 2 + 0")
        assert_lines(first_decision(admin, too_few, "gangs"), "NO_SCALE 2 + 0", waits, "maximum-am-resource-percent")
        with running(admin, *enough):
            howdah.until(waits, lambda status: status["state"] == "RUNNING", "the second job to run")
        assert cloud.added() == 4


class Foreign:
    """An application of another tool on each of three nodes; the autoscaler has added the third node for them. Then the
    policy allows only two nodes, so one drains."""

    def __init__(self, cluster, cloud, admin, tmp_path):
        self.cluster, self.cloud = cluster, cloud
        self.apps = [cluster.run_command("sleep 1000", memory_mb=8192) for _ in range(3)]
        with running(admin, *cloud.files(tmp_path, most=3)):
            cluster.wait(lambda: len(self.places()) == 3, "a container of each application")
        assert cloud.added() == 1

    def places(self):
        """The hosts on which the applications run, by application."""
        apps = {app: self.cluster.app(app) for app in self.apps}
        return {app: facts["amHostHttpAddress"].split(":")[0] for app, facts in apps.items()
                if facts["state"] == "ACCEPTED" and facts.get("amHostHttpAddress")}

    def draining(self):
        return [node["nodeHostName"] for node in self.cluster.nodes() if node["state"] == "DECOMMISSIONING"]

    def await_drain(self):
        """Returns the host of the node that drains, and the application there."""
        host, = self.cluster.wait(self.draining, "a node drains")
        return host, next(app for app, place in self.places().items() if place == host)

    def await_two_nodes(self):
        self.cluster.wait(lambda: len(self.cloud.nodes) == 2, "the node leaves")
        self.cluster.wait_active(2)

    def end(self):
        for app in self.apps:
            self.cluster.rm(f"apps/{app}/state", {"state": "KILLED"}, "PUT")


@pytest.fixture
def foreign(elastic, cloud, admin, tmp_path):
    made = Foreign(elastic, cloud, admin, tmp_path)
    yield made
    made.end()


@pytest.mark.long
def test_drain_waits_for_an_application_of_another_tool(admin, howdah_of, elastic, cloud, foreign, tmp_path):
    howdah = howdah_of(elastic)
    with running(admin, *cloud.files(tmp_path, most=2)):
        host, app = foreign.await_drain()
        job = howdah.submit(howdah.job_file(tmp_path, "roles: {w: {memory: 1GiB, command: 'true'}}"))
        assert howdah("wait", job, timeout=120).code == 0, "other nodes run jobs meanwhile"
        assert foreign.draining() == [host] and foreign.places()[app] == host
        elastic.rm(f"apps/{app}/state", {"state": "KILLED"}, "PUT")
        foreign.await_two_nodes()
    assert len(foreign.places()) == 2, "the other applications have not moved"


@pytest.mark.long
def test_drain_ends_at_its_timeout(admin, elastic, cloud, foreign, tmp_path):
    with running(admin, *cloud.files(tmp_path, most=2, drain="5s")):
        _, app = foreign.await_drain()
        foreign.await_two_nodes()
    assert app not in foreign.places() or foreign.places()[app] in [elastic.host(node) for node in cloud.nodes]


@pytest.mark.long
def test_resource_manager_that_restarts_during_a_drain_ends_it(admin, elastic, cloud, foreign, tmp_path):
    with running(admin, *cloud.files(tmp_path, most=2)):
        foreign.await_drain()
        elastic["rm"].restart()
        foreign.await_two_nodes()
    tokens = [values["token"] for _, values in cloud.orders]
    assert len(tokens) == len(set(tokens)) == 2, cloud.orders


@pytest.mark.long
def test_autoscaler_that_is_killed_during_a_drain_goes_on(admin, elastic, cloud, foreign, tmp_path):
    arguments = cloud.files(tmp_path, most=2)
    process = admin.start("autoscale", "run", *arguments)
    _, app = foreign.await_drain()
    process.kill()
    process.communicate()
    elastic.rm(f"apps/{app}/state", {"state": "KILLED"}, "PUT")
    with running(admin, *arguments):
        foreign.await_two_nodes()
    removed = [values for command, values in cloud.orders if command == "remove"]
    assert len({values["token"] for values in removed}) == 1, cloud.orders

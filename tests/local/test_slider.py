"""Applications of Apache Slider on the local backend."""
import json

from machine import eventually
from slider_cases import ROLES, Package


def running_tasks(machine, job, role):
    return [t["index"] for t in machine.status(job)["tasks"] if t["role"] == role and t["state"] == "RUNNING"]


def flags_of(machine, job, task):
    return json.loads(eventually(lambda: machine.log(job, task), f"the flags of {task}").splitlines()[0])


def test_an_application_is_created_changed_stopped_started_and_destroyed(machine, tmp_path):
    package = Package(tmp_path)

    def slider(*words):
        return machine("slider", *words, cwd=package.folder)

    created = slider("create", "mnist", *package.flags(), "--max", "worker=4")
    assert created.code == 0 and created.stdout == created.id + "\n", created
    job = created.id
    eventually(lambda: [len(running_tasks(machine, job, role)) for role in ROLES] == [2, 1, 2], "all tasks")
    assert slider("exists", "mnist").code == slider("exists", "mnist", "--live").code == 0
    assert slider("exists", "other").code == 1
    listed = slider("list").stdout.split()
    assert listed[0] == "mnist" and listed[2] == job, listed
    assert json.loads(slider("status", "mnist", "--json").stdout)["id"] == job

    seen = {task: flags_of(machine, job, task) for task in ("ps:1", "chiefworker:0", "worker:0", "worker:1")}
    cluster = seen["ps:1"]["cluster"]
    for task, (name, index) in {"ps:1": ("ps", 1), "chiefworker:0": ("worker", 0), "worker:0": ("worker", 1),
                                "worker:1": ("worker", 2)}.items():
        flags = seen[task]
        assert (flags["job_name"], flags["task_index"]) == (name, index)
        assert flags["ckp_dir"] == f"{tmp_path}/ckpt/mnist/checkpoints"
        assert flags["ps_hosts"] == ",".join(cluster["ps"])
        assert flags["worker_hosts"].startswith(",".join([*cluster["chiefworker"], *cluster["worker"][:2]]))

    assert slider("flex", "mnist", "--component", "worker", "3").code == 0
    eventually(lambda: len(running_tasks(machine, job, "worker")) == 3, "the third worker")
    assert flags_of(machine, job, "worker:2")["task_index"] == 3
    fixed = slider("flex", "mnist", "--component", "ps", "3")
    assert fixed.code != 0 and "ps" in fixed.stderr, fixed
    for words in (("create", "mnist", *package.flags()), ("start", "mnist"), ("destroy", "mnist")):
        refused = slider(*words)
        assert refused.code == 2, refused

    assert slider("stop", "mnist").code == 0
    machine.assert_clean(job)
    assert slider("exists", "mnist", "--live").code == 1 and slider("exists", "mnist").code == 0
    assert slider("list").stdout.split()[1] == "KILLED"
    package.go.touch()
    started = slider("start", "mnist")
    assert started.code == 0 and started.id != job, started
    machine.until(started.id, lambda s: s["state"] == "SUCCEEDED", "success")
    assert slider("destroy", "mnist").code == 0
    gone = slider("status", "mnist")
    assert gone.code != 0 and "there is no slider application 'mnist'" in gone.stderr, gone


def test_mistakes_are_reported_together_and_nothing_is_created(machine, tmp_path):
    package = Package(tmp_path)
    package.write("resources.json", {"components": {"ps": {"yarn.role.priority": "1", "yarn.memroy": "5"}}})
    package.write("appConfig.json", {"global": {"applicaton.def": "x"}})
    done = machine("slider", "create", "mnist", *package.flags(), cwd=package.folder)
    assert done.code == 2, done
    assert "resources.json:5: components.ps.yarn.memroy: unknown key; did you mean 'yarn.memory'?" in done.stderr
    assert "appConfig.json:3: global.applicaton.def: unknown key; did you mean 'application.def'?" in done.stderr
    assert "site.global.user.scripts.entry: missing" in done.stderr, done
    assert machine("slider", "list").stdout == "" and machine("list", "--all").stdout == ""
    (package.folder / "metainfo.json").rename(package.folder / "metainfo.xml")
    assert "metainfo.xml" in machine("slider", "create", "mnist", *package.flags(), cwd=package.folder).stderr


def test_a_zipped_package_is_built_and_started_later(machine, tmp_path):
    package = Package(tmp_path, ps=1, worker=1)
    package.go.touch()
    words = package.flags(package.zip())
    printed = machine("slider", "create", "mnist", *words, "--print-job", cwd=package.folder)
    assert printed.code == 0 and "cd package/files" in printed.stdout, printed
    assert "# site.global.docker.image (appConfig.json) has no effect: the flag --docker is not given" in printed.stdout
    assert machine("slider", "list").stdout == ""
    assert machine("slider", "build", "mnist", *words, cwd=package.folder).code == 0
    assert machine("slider", "list").stdout.split() == ["mnist", "STOPPED"]
    started = machine("slider", "start", "mnist")
    assert started.code == 0, started
    machine.until(started.id, lambda s: s["state"] == "SUCCEEDED", "success")
    assert flags_of(machine, started.id, "worker:0")["work_dir"].endswith("/package/files")


def test_ytensorflow_starts_a_cluster_from_its_configuration(machine, tmp_path):
    package = Package(tmp_path)
    components = {role: {"yarn.component.instances": "1", "yarn.memory": "64"} for role in ROLES}
    (package.folder / "config.json").write_text(json.dumps({
        "schema": "http://example.org/specification/v2.0.0", "commandConfig": {"app.name": "tf1"},
        "appConfig": {"global": {"user.scripts.entry": "train.py", "user.checkpoint.prefix": f"{tmp_path}/ckpt",
                                 "go": str(package.go), "path": package.path}},
        "resources": {"components": {**components, "tensorboard": {"yarn.component.instances": "0"}}}}))

    def cluster(*words):
        return machine("ytensorflow", "cluster", *words, cwd=package.folder)

    first = cluster("-start", "./config.json", "-files", "package/files/train.py")
    assert first.code == 0, first
    machine.running(first.id)
    assert first.id in cluster("-status", "tf1").stdout
    assert cluster("-start", "config.json", "-files", "package/files/train.py").code == 2
    assert cluster("-stop", "tf1").code == 0
    second = cluster("-start", "config.json", "-files", "package/files/train.py")
    assert second.code == 0 and second.id != first.id, second
    assert flags_of(machine, second.id, "worker:0")["ckp_dir"] == f"{tmp_path}/ckpt/tf1/checkpoints"
    assert cluster("-stop", "tf1").code == 0
    assert cluster("-stop", "tf2").code != 0

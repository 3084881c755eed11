"""Applications of other tools on a real cluster."""
import json
import os
import pathlib
import re
import signal

import pytest

import skein_cases
import yarnfile_cases
from machine import FINAL, ROOT, eventually
from slider_cases import ROLES, Package

SUPPORT, CONTRACT = ROOT / "tests/support", ROOT / "tests/contract/train"
TRAINING_S = 300  # an upper bound for a busy machine, not the expected duration


def test_exports_of_sliders_tensorflow_package_list_all_addresses(cluster, howdah, tmp_path):
    """The GETs are those of the package's own script (functions.py), at the ResourceManager's proxy."""
    package = Package(tmp_path, prefix="hdfs:///user/${USER_NAME}/.slider/cluster")
    created = howdah("slider", "create", "mnist", *package.flags(), cwd=package.folder)
    assert created.code == 0, created
    job = created.id
    url = howdah.running(job)["urls"]["tracking"] + "ws/v1/slider/"

    def get(path):
        code, text = cluster.web.send(f"{url}{path}?proxyapproved=true")
        return json.loads(text) if code == 200 else {}

    def addresses(role):
        entries = get(f"publisher/exports/{role}").get("entries", {"host_port": []})
        return [entry["value"] for entry in entries["host_port"]]

    def launched():
        return {role: len(addresses(role)) for role in ROLES}

    eventually(lambda: launched() == ROLES, "the addresses of all instances")
    assert set(get("publisher/exports")["exports"]) == set(ROLES)
    components = get("application/live/resources")["components"]
    assert {role: int(components[role]["yarn.component.instances"]) for role in ROLES} == ROLES
    assert int(components["worker"]["yarn.memory"]) == 64

    flags = json.loads(eventually(lambda: howdah.log(job, "worker:1"), "the flags of worker:1").splitlines()[0])
    assert flags["ps_hosts"].split(",") == addresses("ps")
    assert flags["worker_hosts"].split(",") == [*addresses("chiefworker"), *addresses("worker")]
    assert (flags["job_name"], flags["task_index"]) == ("worker", 2)
    assert flags["ckp_dir"] == "hdfs:///user/alice/.slider/cluster/mnist/checkpoints"
    package.go.touch()
    howdah.until(job, lambda s: s["state"] == "SUCCEEDED", "success")
    howdah.assert_clean(job)
    assert howdah("slider", "destroy", "mnist").code == 0


@pytest.mark.long
def test_sliders_tensorflow_package_trains(howdah, installed, tmp_path):
    """Real TensorFlow with parameter servers, in a script that was written for the package's flags."""
    files = {"train.py": (SUPPORT / "slider_train.py").read_text(), "mnist.py": (CONTRACT / "mnist.py").read_text()}
    checkpoints = tmp_path / "checkpoints"
    package = Package(tmp_path, prefix=f"file://{checkpoints}", files=files, python=installed("tensorflow"),
                      memory_mb=1024)
    created = howdah("slider", "create", "mnist", *package.flags(), cwd=package.folder)
    assert created.code == 0, created
    ended = howdah("wait", created.id, timeout=TRAINING_S)
    assert ended.code == 0, (ended, howdah.diagnostics(created.id))
    logs = [howdah.log(created.id, task) for task in ("chiefworker:0", "worker:0", "worker:1")]
    results = [re.search(r"worker (\d): accuracy (\S+) after step (\d+)", log) for log in logs]
    assert [result and result[1] for result in results] == ["0", "1", "2"], logs
    assert all(float(result[2]) > 0.8 for result in results), logs
    assert max(int(result[3]) for result in results) >= 200, logs
    assert list(pathlib.Path(checkpoints).rglob("model.ckpt-*.index"))
    howdah.assert_clean(created.id)


def test_a_service_of_yarn_services_runs_apart_and_starts_again(howdah, tmp_path):
    apart = {"constraints": [{"type": "ANTI_AFFINITY", "scope": "NODE", "target_tags": ["web"]}]}
    yarnfile_cases.write(tmp_path, placement_policy=apart)

    def app(*words):
        return howdah("yarn-app", *words, cwd=tmp_path)

    launched = app("-launch", "site", "site.json", "-max", "web=3")
    assert launched.code == 0, launched
    eventually(lambda: yarnfile_cases.running(howdah, launched.id) == ["check:0", "web:0", "web:1"], "all containers")
    yarnfile_cases.check_files_and_names(howdah, launched.id)
    assert "  Site  http://" in app("-status", "site").stdout

    assert app("-flex", "site", "-component", "web", "3").code == 0
    eventually(lambda: "web:2" in yarnfile_cases.running(howdah, launched.id), "the third container")
    nodes = {f'{t["role"]}:{t["index"]}': t["node"] for t in howdah.status(launched.id)["tasks"]}
    assert len({nodes[f"web:{i}"] for i in range(3)}) == 3, nodes

    assert app("-stop", "site").code == 0
    howdah.assert_clean(launched.id)
    started = app("-start", "site")
    assert started.code == 0 and started.id != launched.id, started
    eventually(lambda: len(yarnfile_cases.running(howdah, started.id)) == 4, "all containers")
    assert app("-destroy", "site").code == 0
    howdah.assert_clean(started.id)


def test_the_sleeper_of_yarn_services_restarts_its_containers(howdah, tmp_path):
    """Hadoop's first example. Its containers restart always, also after success."""
    sleeper = {"name": "sleeper", "number_of_containers": 2, "launch_command": "sleep 900000",
               "resource": {"cpus": 1, "memory": "64"}}
    (tmp_path / "sleeper.json").write_text(json.dumps({"name": "s", "version": "1.0.0", "components": [sleeper]}))
    launched = howdah("yarn-app", "-launch", "s", "sleeper.json", cwd=tmp_path)
    assert launched.code == 0, launched
    howdah.running(launched.id)
    pid = next(pid for pid, command in howdah.alive(launched.id).items() if command.strip() == "sleep 900000")
    os.kill(pid, signal.SIGTERM)
    howdah.until(launched.id, lambda s: sorted(t["attempt"] for t in s["tasks"]) == [0, 1] and all(
        t["state"] == "RUNNING" for t in s["tasks"]), "a second attempt")
    assert howdah("yarn-app", "-destroy", "s").code == 0


def test_an_application_of_skein_ends_with_its_driver(howdah, tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data/words.txt").write_text("wool\n")
    (tmp_path / "spec.yaml").write_text(skein_cases.CHAIN)
    done = howdah("skein", "application", "submit", "spec.yaml", cwd=tmp_path)
    assert done.code == 0, done
    ended = howdah.until(done.id, lambda s: s["state"] in FINAL, "the end")
    assert ended["state"] == "SUCCEEDED", ended
    assert howdah.log(done.id, "driver:0") == "driver read wool with 64 MiB\n"
    assert {t["role"]: t["state"] for t in ended["tasks"]} == {
        "driver": "SUCCEEDED", "the-store": "STOPPED", "reader": "STOPPED"}
    howdah.assert_clean(done.id)

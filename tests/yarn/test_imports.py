"""Applications of other tools on a real cluster."""
import json

from machine import eventually
from slider_cases import ROLES, Package


def test_sliders_tensorflow_package_trains_and_its_exports_list_all_addresses(cluster, howdah, tmp_path):
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

"""A node isolates GPUs with YARN's GPU plugin and the device cgroup. The variables of a task name exactly the GPUs that
its container may open."""
import json

import pytest

import gpu_devices

# Prints CUDA_VISIBLE_DEVICES, and the error with which each device file opens.
PROGRAM = """import errno, json, os
def error(path):
    try:
        os.close(os.open(path, os.O_RDWR))
    except OSError as error:
        return errno.errorcode[error.errno]
print(json.dumps([os.environ.get("CUDA_VISIBLE_DEVICES"), error("/dev/nvidia0"), error("/dev/nvidia1")]), flush=True)
"""


@pytest.fixture(scope="module")
def gpu_cluster(module_cluster):
    problem = gpu_devices.problem()
    if problem:
        pytest.skip(problem)
    return module_cluster(nodes=1, accounts=True, gpus=(2,), isolated_gpus=True)


def opened_by_tasks(howdah, tmp_path, gpus, instances):
    """The output of tasks that run at the same time, each with `gpus` GPUs."""
    source = tmp_path / "src"
    source.mkdir(exist_ok=True)
    (source / "gpus.py").write_text(PROGRAM)
    request = f"gpus: {gpus}, " if gpus else ""
    done = howdah("run", howdah.job_file(tmp_path, f"""
name: gpus
source: {source}
roles: {{w: {{instances: {instances}, {request}memory: 64MiB, command: exec /usr/bin/python3 gpus.py}}}}
"""))
    assert done.code == 0, done
    return [json.loads(howdah.log(done.id, f"w:{index}")) for index in range(instances)]


def test_each_container_opens_the_gpu_that_its_variables_name(howdah_of, gpu_cluster, tmp_path):
    found = opened_by_tasks(howdah_of(gpu_cluster), tmp_path, gpus=1, instances=2)
    # ENXIO: the container may open the file, but there is no such GPU.
    assert sorted(found) == [[gpu_devices.UUIDS[0], "ENXIO", "EPERM"], [gpu_devices.UUIDS[1], "EPERM", "ENXIO"]]


def test_a_container_with_all_gpus_opens_them(howdah_of, gpu_cluster, tmp_path):
    assert opened_by_tasks(howdah_of(gpu_cluster), tmp_path, gpus=2, instances=1) == [["0,1", "ENXIO", "ENXIO"]]


def test_a_container_without_gpus_opens_none(howdah_of, gpu_cluster, tmp_path):
    (visible, *errors), = opened_by_tasks(howdah_of(gpu_cluster), tmp_path, gpus=0, instances=1)
    assert errors == ["EPERM", "EPERM"] and not visible

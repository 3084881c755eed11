"""Real PyTorch, TensorFlow and JAX train the same models on a cluster, with packed environments, as on one machine."""
import os
import re
import shutil
import signal
import urllib.request

import pytest

import packed
from machine import ROOT, Machine, eventually

RUN_S = 300  # an upper bound for a busy machine, not the expected duration
GOOD = 0.8   # the accuracy that every training in tests/contract must reach
EXAMPLE = ROOT / "examples/fashion-mnist"
LARGE = ("--set", "node_label=large")


@pytest.fixture(scope="module")
def nodes(module_cluster):
    """Two small nodes, each with room for one task of 1 GiB, and a large node for all tasks of TensorFlow. So only the
    large node has to unpack TensorFlow."""
    small = {"yarn.nodemanager.resource.memory-mb": 1984}
    return module_cluster(node_mb=10240, node_extra={"nm2": small, "nm3": small}, labels={"large": ["nm1"]})


@pytest.fixture
def howdah(howdah_of, nodes):
    return howdah_of(nodes)


@pytest.fixture
def local(tmp_path):
    machine = Machine(tmp_path / "local")
    yield machine
    machine.close()


@pytest.fixture(scope="module")
def archive(tmp_path_factory, installed):
    """archive("tensorflow") returns the path of that environment, packed by venv-pack. Its interpreter is a link to the
    node's interpreter. The archive is not compressed, because on one machine gzip takes longer than copying."""
    folder, made = tmp_path_factory.mktemp("packs"), {}

    def environment(name):
        own = installed(name).parents[1]
        return packed.copy_of_demo_with_torch(folder / name, own) if name == "demo" else own

    def make(name):
        if name not in made:
            tool = installed("pack").with_name("venv-pack")
            made[name] = packed.pack(tool, environment(name), folder / f"{name}.tar")
        return made[name]
    yield make
    shutil.rmtree(folder)


@pytest.fixture
def on_both(local, howdah, installed, archive):
    """on_both("ddp", "demo", where=...) runs a file of tests/contract on this machine, with the path of an interpreter,
    and on the cluster, with a packed environment. Returns both results."""
    def run(name, environment, *flags, where=()):
        env = {"MNIST_DIR": str(installed("digits"))}
        here = local("run", f"{name}.yaml", *flags, env={**env, "CONTRACT_PYTHON": str(installed(environment))},
                     timeout=RUN_S)
        packing = ("--set", f"python.archive={archive(environment)}")
        there = howdah("run", f"{name}.yaml", *flags, *where, *packing, env=env, timeout=RUN_S)
        assert (here.code, there.code) == (0, 0), (here, there)
        return here, there
    return run


def numbers(done):
    """The output lines with losses and accuracies, cut off before the speed of the training."""
    return sorted(line.group(0) for line in re.finditer(r"^\S+ │ .*(loss|accuracy) \d\.\d+", done.stdout, re.M))


def accuracies(text):
    return [float(a) for a in re.findall(r"accuracy (\d\.\d+)", text)]


def states(machine, job):
    return {f"{t['role']}:{t['index']}": t["state"] for t in machine.status(job)["tasks"]}


def test_pytorch_ddp_on_two_nodes_learns_the_same_as_locally(howdah, on_both):
    here, there = on_both("ddp", "demo")
    assert len(numbers(there)) == 4 * 2 + 1, there
    assert numbers(there) == numbers(here)
    assert [a > GOOD for a in accuracies(there.stdout)] == [True], there
    assert len({t["node"] for t in howdah.status(there.id)["tasks"]}) == 2
    howdah.assert_clean(there.id)


@pytest.mark.long
def test_tensorflow_multi_worker_mirrored_reaches_the_expected_accuracy(howdah, on_both, tmp_path):
    # The script does not set the initial weights. Keras takes them from Python's random generator.
    (tmp_path / "sitecustomize.py").write_text("import random\nrandom.seed(1)\n")
    flags = ("--set", f"files=[{tmp_path}/sitecustomize.py]", "--set", "env.PYTHONPATH=.")
    here, there = on_both("tf-multiworker", "tensorflow", *flags, where=LARGE)
    assert len(numbers(there)) == 2 * 3, there
    assert numbers(there) == numbers(here)
    assert [a > GOOD for a in accuracies(there.stdout)] == [True, True], there
    howdah.assert_clean(there.id)


@pytest.mark.long
def test_tensorflow_parameter_server_reaches_the_expected_accuracy(howdah, on_both):
    """The training is asynchronous: the order of the workers' gradients is random, so the results differ slightly."""
    here, there = on_both("tf-ps", "tensorflow", where=LARGE)
    assert [a > GOOD for a in accuracies(there.stdout)] == [True], there
    assert accuracies(there.stdout) == pytest.approx(accuracies(here.stdout), abs=0.03)
    assert states(howdah, there.id) == {
        "chief:0": "SUCCEEDED", "worker:0": "STOPPED", "worker:1": "STOPPED", "ps:0": "STOPPED"}
    howdah.assert_clean(there.id)


@pytest.mark.long
def test_jax_reaches_the_expected_accuracy(howdah, on_both):
    here, there = on_both("jax", "jax", where=LARGE)
    assert numbers(there) == numbers(here)
    assert [a > GOOD for a in accuracies(there.stdout)] == [True], there
    assert "process 1/2 epoch 1" in there.stdout, there
    howdah.assert_clean(there.id)


def epochs(log):
    """The epochs that one attempt of rank 0 of the Fashion-MNIST example started, in order."""
    return sorted({int(e) for e in re.findall(r"^epoch (\d+)/", log, re.M)})


@pytest.mark.long
def test_the_demo_resumes_after_a_killed_rank_and_shows_its_curves(howdah, installed, archive, tmp_path):
    """The checkpoints and curves are in directories that all nodes share."""
    installed("data")
    checkpoints, curves = tmp_path / "checkpoints", tmp_path / "curves"
    for folder in (checkpoints, curves):
        folder.mkdir()
        folder.chmod(0o777)  # tasks may run under another account than the tests
    job = howdah.submit(
        "job.yaml", "--set", f"python.archive={archive('demo')}", "--set", f"checkpoint.dir={checkpoints}",
        "--set", f"tensorboard.logdir={curves}", "--set", "roles.chief.memory=512MiB", "--set",
        "roles.worker.memory=512MiB", "--", "--images", "8000", "--epochs", "8", cwd=EXAMPLE)
    # The second epoch starts only after the checkpoint of the first epoch has been saved.
    eventually(lambda: "epoch 2/8" in howdah("logs", job, "chief:0").stdout, f"the second epoch of {job}", RUN_S)
    before = howdah.status(job)
    os.kill(before["tasks"][2]["pids"][0], signal.SIGKILL)
    url = eventually(lambda: howdah.status(job)["urls"]["tensorboard"], f"TensorBoard's address in {job}", RUN_S)
    assert url.startswith("http://127.0.0.1:"), url  # all nodes are on this machine
    with urllib.request.urlopen(url, timeout=30) as page:
        assert b"TensorBoard" in page.read()
    done = howdah("wait", job, timeout=RUN_S)
    after = howdah.status(job)
    assert done.code == 0, (done, after)
    assert after["generation"] == 1, after
    assert [t["attempt"] for t in after["tasks"]] == [1, 1, 1], after
    ranks_and_containers = [(t["ranks"], t["container"]) for t in before["tasks"]]
    assert [ranks for ranks, _ in ranks_and_containers] == [[0], [1], [2]], before
    assert [(t["ranks"], t["container"]) for t in after["tasks"]] == ranks_and_containers, (before, after)
    first = epochs(howdah.log(job, "chief:0", "--attempt", "0"))
    second = epochs(howdah.log(job, "chief:0", "--attempt", "1"))
    assert first[-1] < 8, "it was killed too late to show anything"
    assert second == list(range(second[0], 9)), (first, second)
    assert second[0] >= first[-1], f"epochs {first} were begun, so all but the last were safe; then it ran {second}"
    assert accuracies(howdah.log(job, "chief:0")) > [0.7]
    assert [f.name for f in checkpoints.iterdir()] == ["trained.pt"]
    assert "no curves" not in howdah.log(job, "chief:0")
    assert list((curves / job).glob("events.out.tfevents.*"))
    howdah.assert_clean(job)

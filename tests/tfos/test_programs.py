"""Programs for TensorFlowOnSpark, which run unchanged: with a real Spark, on the local backend."""
import gzip
import re
import shutil

import pytest

import tfos
from machine import ROOT

SITE = tfos.sparks.site_packages()

import numpy  # noqa: E402
import tfos_cases  # noqa: E402

CASES = tfos_cases.CASES


@pytest.fixture
def packages(tmp_path):
    (tmp_path / "packages").mkdir()
    return tmp_path / "packages"


@pytest.fixture(autouse=True)
def home(machine):
    """The home of this test's jobs."""


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if not case.keras])
def test_program_runs(out, packages, name):
    case = CASES[name]
    done = tfos.run(f"{name}.py", *case.arguments(out), tensorflow_packages=packages if case.tensorflow else None)
    case.check(out, done)
    case.ours(out, done)


def test_only_worker_terminates(out):
    tfos.run("terminate.py", "--output", out, "--cluster_size", 1)
    assert (out / "chief-0").read_text() == "500"


def test_relative_paths_are_those_of_the_driver(out, tmp_path):
    done = tfos.run("files.py", "--images_labels", tmp_path / "input", "--model_dir", "model")
    assert done.stdout.strip() == "[2.0, 3.0]" and (tmp_path / "work/model/weights.npy").exists()


def test_stream_ends_when_its_cluster_stops_it(out):
    tfos_cases.check_equal_dstream(out, tfos.run("dstream.py", "--output", out, "--stop", "cluster"))


def test_executors_need_only_pyarrow(out):
    """The Python of Spark's executors has no howdah: PYTHONPATH is that of Spark's tests."""
    done = tfos.run("inference.py", "--output", out, master="local-cluster[2,1,512]")
    tfos_cases.check_inference(out, done)


def test_workers_in_step_do_the_same_steps_with_uneven_partitions(out, packages):
    done = tfos.run("mirrored.py", "--output", out, "--partitions", "uneven", tensorflow_packages=packages)
    tfos_cases.check_uneven_mirrored(out, done)


def test_columns_of_a_model_are_those_of_their_tensors(out, packages):
    done = tfos.run("pipeline.py", "--output", out, "--outputs", "all", tensorflow_packages=packages)
    tfos_cases.check_pipeline(out, done)


def test_frames_survive_records(out):
    done = tfos.run("records.py", "--output", out / "records")
    assert done.stdout.strip() == (
        "struct<flag:bigint,image:binary,name:string,names:array<string>,number:bigint,one:array<double>,"
        "pair:array<bigint>,parts:array<binary>,share:double>")


def test_mnist_program_of_the_contract_runs_unmodified(out, packages, monkeypatch):
    monkeypatch.setenv("RESULT", str(out / "accuracy"))
    monkeypatch.setenv("ROWS", "4000")
    program = ROOT / "tests/contract/train/tfos_mnist.py"
    tfos.run(program, tensorflow_packages=packages, master="local-cluster[2,1,512]")
    assert float((out / "accuracy").read_text()) > 0.8


def test_mnist_program_of_the_contract_does_all_of_its_steps(out, packages, monkeypatch, machine, tmp_path):
    """The program itself does 80 % of them, because TensorFlowOnSpark may give a worker fewer rows than another."""
    text = (ROOT / "tests/contract/train/tfos_mnist.py").read_text()
    assert text.count(" * 0.8)") == 1
    program = tmp_path / "tfos_mnist.py"
    program.write_text(text.replace(" * 0.8)", ")"))
    shutil.copy(ROOT / "tests/contract/train/mnist.py", tmp_path)
    monkeypatch.setenv("RESULT", str(out / "accuracy"))
    monkeypatch.setenv("ROWS", "4000")
    tfos.run(program, tensorflow_packages=packages, master="local-cluster[2,1,512]")
    assert float((out / "accuracy").read_text()) > 0.8
    steps = re.findall(r"(chief|worker) 0: (\d+) steps", machine("logs", "last").stdout)
    assert sorted(steps) == [("chief", "31"), ("worker", "31")]  # 4000 rows, 2 workers, batches of 64 rows


def test_example_learns_to_classify_images(out, packages, tmp_path):
    folder = tmp_path / "images"
    folder.mkdir()
    random = numpy.random.default_rng(1)
    for name, rows in (("train", 2000), ("t10k", 200)):
        labels = random.integers(0, 10, rows).astype("uint8")
        images = random.integers(0, 60, (rows, 784)).astype("uint8")
        for row, label in enumerate(labels.tolist()):
            images[row, 78 * label:78 * label + 78] += 150
        with gzip.open(folder / f"{name}-images-idx3-ubyte.gz", "wb") as file:
            file.write(bytes(16) + images.tobytes())
        with gzip.open(folder / f"{name}-labels-idx1-ubyte.gz", "wb") as file:
            file.write(bytes(8) + labels.tobytes())
    done = tfos.run(ROOT / "examples/tfos-mnist/train.py", "--images", folder, "--rows", 2000, "--model",
                    out / "model.npz", tensorflow_packages=packages)
    assert float(done.stdout.split()[-1]) > 0.9

"""Programs for TensorFlowOnSpark, which run unchanged: with a real Spark, on the local backend."""
import gzip
import json

import pytest

import tfos
from machine import ROOT

SITE = tfos.sparks.site_packages()

import numpy  # noqa: E402


@pytest.fixture
def out(machine, tmp_path):
    return tmp_path / "out"


def loaded(path):
    return json.loads(path.read_text())


def test_workers_read_the_same_number_of_rows_in_several_epochs(out):
    tfos.run("epochs.py", "--output", out)
    found = [loaded(out / f"worker-{index}.json") for index in range(2)]
    assert len(found[0]["rows"]) == len(found[1]["rows"]) == 1500
    assert found[0]["sizes"] == found[1]["sizes"] and found[0]["types"] == ["tuple"]
    rows = sorted(row[0] for one in found for row in one["rows"])
    assert rows == sorted([*range(1000)] * 3)
    assert all(row == [row[0], [row[0] / 2, row[0] / 4], f"row {row[0]}"] for one in found for row in one["rows"])


@pytest.mark.parametrize("size", [1, 2])
def test_train_returns_when_all_workers_have_terminated(out, size):
    tfos.run("terminate.py", "--output", out, "--cluster_size", size)
    assert (out / "chief-0").read_text() == "500"
    assert size == 1 or (out / "worker-0").read_text() == "500"


def test_workers_read_files_themselves(out, tmp_path):
    done = tfos.run("files.py", "--images_labels", tmp_path / "input", "--model_dir", "model")
    assert json.loads(done.stdout) == [2.0, 3.0]
    assert sorted(path.name for path in (tmp_path / "work/model").iterdir() if "-" in path.name) == [
        "chief-0", "worker-0", "worker-1"]


def test_ps_and_evaluator_end_with_the_workers(out):
    done = tfos.run("ps_evaluator.py", "--output", out)
    assert done.stdout.strip() == "[(0, 'ps', 0), (1, 'chief', 0), (2, 'evaluator', 0), (3, 'worker', 0)]"
    assert [(out / f"node-{i}").read_text() for i in range(4)] == ["ps:0", "chief:0", "evaluator:0", "worker:0"]
    sums = numpy.load(out / "chief-sum.npy") + numpy.load(out / "worker-sum.npy")
    assert sums.tolist() == [sum(range(3000)), 3000, 3000]
    assert numpy.load(out / "evaluation.npy") == numpy.load(out / "model.npy").sum()


def test_micro_batches_of_a_stream_are_fed_until_it_is_stopped(out):
    done = tfos.run("dstream.py", "--output", out)
    assert done.stdout.strip() == "300"
    parts = [(out / f"worker-{index}.tmp").read_text().split() for index in range(2)]
    assert len(parts[0]) == len(parts[1]) == 150
    assert sorted(int(row) for part in parts for row in part) == [*range(300)]


def test_inference_returns_one_result_per_row_in_order(out):
    done = tfos.run("inference.py", "--output", out)
    assert done.stdout.strip() == "2500"
    lines = [line for path in sorted((out / "predictions").glob("part-*")) for line in path.read_text().splitlines()]
    assert lines == [f"row {i},{3.0 * i}" for i in range(2500)]


def test_executors_need_only_pyarrow(out):
    """The Python of Spark's executors has no howdah: PYTHONPATH is that of Spark's tests."""
    done = tfos.run("inference.py", "--output", out, master="local-cluster[2,1,512]")
    assert done.stdout.strip() == "2500"


def test_independent_instances_share_files(out, tmp_path):
    tfos.run("parallel.py", "--input", tmp_path / "input", "--output", out)
    lines = [line for path in sorted(out.glob("part-*")) for line in path.read_text().split()]
    assert sorted(lines) == sorted(f"{i},{i * i}" for i in range(100))
    assert [(out / f"argv-{i}").read_text() for i in range(2)] == ["2", "2"]


def test_frames_survive_records(out):
    done = tfos.run("records.py", "--output", out / "records")
    assert done.stdout.strip() == (
        "struct<flag:bigint,image:binary,name:string,names:array<string>,number:bigint,one:array<double>,"
        "pair:array<bigint>,parts:array<binary>,share:double>")


def packages(tmp_path):
    folder = tmp_path / "packages"
    folder.mkdir()
    return folder


def test_estimator_trains_and_its_model_predicts(out, tmp_path):
    done = tfos.run("pipeline.py", "--output", out, tensorflow_packages=packages(tmp_path))
    assert done.stdout.strip() == "400"


def test_mirrored_workers_train_in_step_on_uneven_partitions(out, tmp_path):
    tfos.run("mirrored.py", "--output", out, tensorflow_packages=packages(tmp_path))
    steps, losses, sums = zip(*[map(float, (out / name).read_text().split()) for name in ("chief-0", "worker-0")])
    assert steps[0] == steps[1] == 41 and losses[0] == losses[1] < 0.5 and sums[0] == sums[1]
    assert (out / "export/saved_model.pb").exists()


def test_mnist_program_of_the_contract_runs_unmodified(out, tmp_path, monkeypatch):
    monkeypatch.setenv("RESULT", str(out / "accuracy"))
    monkeypatch.setenv("ROWS", "4000")
    program = ROOT / "tests/contract/train/tfos_mnist.py"
    tfos.run(program, tensorflow_packages=packages(tmp_path), master="local-cluster[2,1,512]")
    assert float((out / "accuracy").read_text()) > 0.8


def test_example_learns_to_classify_images(out, tmp_path):
    folder = tmp_path / "images"
    folder.mkdir()
    random = numpy.random.default_rng(1)
    for name, rows in (("train", 2000), ("t10k", 200)):
        labels = random.integers(0, 10, rows).astype("uint8")
        images = random.integers(0, 60, (rows, 784)).astype("uint8")
        for row, label in enumerate(labels):
            images[row, 78 * label:78 * label + 78] += 150
        with gzip.open(folder / f"{name}-images-idx3-ubyte.gz", "wb") as file:
            file.write(bytes(16) + images.tobytes())
        with gzip.open(folder / f"{name}-labels-idx1-ubyte.gz", "wb") as file:
            file.write(bytes(8) + labels.tobytes())
    done = tfos.run(ROOT / "examples/tfos-mnist/train.py", "--images", folder, "--rows", 2000, "--model",
                    out / "model.npz", tensorflow_packages=packages(tmp_path))
    assert float(done.stdout.split()[-1]) > 0.9

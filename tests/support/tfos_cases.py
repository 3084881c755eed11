"""The programs of tests/tfos/programs: how each is started, and what it leaves. They run unchanged with the package
tensorflowonspark and with that of this checkout."""
import dataclasses
import json
import typing

import numpy


@dataclasses.dataclass(frozen=True)
class Case:
    """arguments(out): of the program, whose results are in the folder `out`. check(out, done): what both packages do.
    ours(out, done): what only this package promises. nodes: of the cluster. keras: whether it needs Keras 2."""
    arguments: typing.Callable
    check: typing.Callable
    ours: typing.Callable = lambda out, done: None
    nodes: int = 2
    tensorflow: bool = False
    keras: bool = False


def output(out):
    return ["--output", out]


def input_and_output(out):
    return ["--input", out / "input", "--output", out]


def write_lines(out, parts=4, rows=400):
    """Lines "x,y,2x + 3y" in files."""
    (out / "input").mkdir()
    random = numpy.random.default_rng(1)
    for part in range(parts):
        lines = [f"{x:.4f},{y:.4f},{2 * x + 3 * y:.4f}\n" for x, y in random.random((rows // parts, 2))]
        (out / f"input/part-{part:05}").write_text("".join(lines))


def lines_and_output(out):
    write_lines(out)
    return input_and_output(out)


def pairs_and_output(out):
    (out / "input").mkdir()
    for part in range(4):
        (out / f"input/part-{part:05}").write_text("".join(f"{i},1\n" for i in range(750 * part, 750 * part + 750)))
    return input_and_output(out)


# --- epochs.py ---


def _epochs(out):
    return [json.loads((out / f"worker-{index}.json").read_text()) for index in range(2)]


def check_epochs(out, done):
    found = _epochs(out)
    rows = [row for one in found for row in one["rows"]]
    assert sorted(row[0] for row in rows) == sorted([*range(1000)] * 3)
    assert all(row == [row[0], [row[0] / 2, row[0] / 4], f"row {row[0]}"] for row in rows)
    assert found[0]["types"] == ["tuple"]


def check_equal_epochs(out, done):
    found = _epochs(out)
    assert len(found[0]["rows"]) == len(found[1]["rows"]) == 1500 and found[0]["sizes"] == found[1]["sizes"]


# --- the others ---


def check_terminate(out, done):
    assert [(out / name).read_text() for name in ("chief-0", "worker-0")] == ["500", "500"]


def files_arguments(out):
    return ["--images_labels", out / "input", "--model_dir", out / "model"]


def check_files(out, done):
    assert json.loads(done.stdout) == [2.0, 3.0]
    assert sorted(path.name for path in (out / "model").iterdir() if "-" in path.name) == [
        "chief-0", "worker-0", "worker-1"]


def check_sums(out, done):
    sums = numpy.load(out / "chief-sum.npy") + numpy.load(out / "worker-sum.npy")
    assert sums.tolist() == [sum(range(3000)), 3000, 3000]


def check_ps_evaluator(out, done):
    check_sums(out, done)
    assert done.stdout.strip() == "[(0, 'ps', 0), (1, 'chief', 0), (2, 'evaluator', 0), (3, 'worker', 0)]"
    assert [(out / f"node-{i}").read_text() for i in range(4)] == ["ps:0", "chief:0", "evaluator:0", "worker:0"]
    assert numpy.load(out / "evaluation.npy") == numpy.load(out / "model.npy").sum()


def _streamed(out):
    return [(out / f"worker-{index}.tmp").read_text().split() for index in range(2)]


def check_dstream(out, done):
    assert done.stdout.strip() == "300"
    assert sorted(int(row) for part in _streamed(out) for row in part) == [*range(300)]


def check_equal_dstream(out, done):
    assert [len(part) for part in _streamed(out)] == [150, 150]


def check_inference(out, done):
    assert done.stdout.strip() == "2500"
    lines = [line for path in sorted((out / "predictions").glob("part-*")) for line in path.read_text().splitlines()]
    assert lines == [f"row {i},{3.0 * i}" for i in range(2500)]


def check_parallel(out, done):
    lines = [line for path in sorted(out.glob("part-*")) for line in path.read_text().split()]
    assert sorted(lines) == sorted(f"{i},{i * i}" for i in range(100))
    assert [(out / f"argv-{i}").read_text() for i in range(2)] == ["2", "2"]


def check_pipeline(out, done):
    assert done.stdout.strip() == "400"


def _trained(out):
    return [[float(value) for value in (out / name).read_text().split()] for name in ("chief-0", "worker-0")]


def check_mirrored(out, done):
    assert (out / "export/saved_model.pb").exists()
    chief, worker = _trained(out)
    assert chief == worker and chief[0] == 40 and chief[1] < 0.5


def check_uneven_mirrored(out, done):
    chief, worker = _trained(out)
    # Each worker gets half of the 4,002 rows in steps of 50 rows; the last step is shorter.
    assert chief == worker and chief[0] == 41 and chief[1] < 0.5


def check_keras_spark(out, done):
    assert (out / "export/saved_model.pb").exists()
    chief, worker = _trained(out)
    assert chief[0] == worker[0] == 96 and chief[1] > 0.9


def check_keras_files(out, done):
    assert (out / "export/saved_model.pb").exists() and [*out.glob("chief-weights-2*")]
    chief, worker = _trained(out)
    assert chief[0] == worker[0] == 200 and chief[1] < 0.1


CASES = {
    "epochs": Case(output, check_epochs, check_equal_epochs),
    "terminate": Case(output, check_terminate),
    "files": Case(files_arguments, check_files, nodes=3),
    "ps": Case(output, check_sums, nodes=3),
    "ps_evaluator": Case(pairs_and_output, check_ps_evaluator, nodes=4),
    "dstream": Case(output, check_dstream, check_equal_dstream),
    "inference": Case(output, check_inference),
    "parallel": Case(input_and_output, check_parallel),
    "pipeline": Case(output, check_pipeline, tensorflow=True),
    "mirrored": Case(output, check_mirrored, tensorflow=True),
    "keras_spark": Case(output, check_keras_spark, keras=True),
    "keras_files": Case(lines_and_output, check_keras_files, keras=True),
}

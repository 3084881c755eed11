"""Real PyTorch, TensorFlow and JAX train on the digits of a feed, whose partitions are uneven or empty. No program has
a number of steps. Each row is accounted for, and the models are those of the same training directly from arrays."""
import json
import os
import sys

import pytest

import arrow
from machine import BIN, ROOT

PROGRAMS = ROOT / "tests/frameworks/feed_train"
SITE = arrow.site_packages()
sys.path[:0] = [str(ROOT / "python"), str(PROGRAMS)]

import numpy as np  # noqa: E402
import pyarrow as pa  # noqa: E402

import howdah  # noqa: E402
from account import BATCH, PASSES, PIXELS, RATE  # noqa: E402
from howdah._feed import source  # noqa: E402

RUN_S = 600  # an upper bound for a busy machine, not the expected duration
# Partitions of 1 : 10 rows, and empty ones.
SIZES = (41, 410, 0, 41, 410, 410, 0, 0, 41, 410, 41, 410, 0, 410, 410)
ROWS, VALIDATED = sum(SIZES), 2000


class Partitioned(howdah.Feed):
    """A feed whose partitions are given tables. This process pushes them."""

    class Source(source.Source):
        def __init__(self, tables):
            wire = source.Wire(tables[0].schema)
            # Blocks of few rows, so that all ranks get rows of the same partition.
            self._rows = [source.Rows(source.Batches(table.to_batches(), wire), 64) for table in tables]

        def at_hand(self, pass_, number):
            return self._rows[number] if number < len(self._rows) else None

        def count(self, pass_):
            return len(self._rows)

    def __init__(self, tables, **keys):
        super().__init__(**keys)
        self._tables = tables

    @property
    def has_source(self):
        return True

    def open(self):
        return self.Source(self._tables)


@pytest.fixture(scope="session")
def digits(installed):
    """digits("train" or "t10k", rows): the images [rows, pixels] and their labels."""
    def load(part, rows):
        folder = installed("digits")
        images = np.fromfile(folder / f"{part}-images-idx3-ubyte", np.uint8, offset=16).reshape(-1, PIXELS)[:rows]
        return images, np.fromfile(folder / f"{part}-labels-idx1-ubyte", np.uint8, offset=8)[:rows]
    return load


def tables(images, labels, sizes):
    column = pa.FixedSizeListArray.from_arrays(pa.array(images.reshape(-1)), PIXELS)
    table = pa.table({"image": column, "label": labels, "id": np.arange(len(labels))})
    ends = np.cumsum(sizes)
    assert ends[-1] == len(labels)
    return [table.slice(end - size, size) for end, size in zip(ends, sizes)]


@pytest.fixture
def train(machine, installed, digits, tmp_path, monkeypatch):
    """Runs a program in a job. Returns the accounts of all ranks."""
    for name, value in (("HOWDAH_HOME", machine.home), ("HOWDAH_ON", "local"), ("XDG_CACHE_HOME", tmp_path / "cache"),
                        ("PATH", f"{BIN.parent}{os.pathsep}{os.environ['PATH']}")):
        monkeypatch.setenv(name, str(value))
    (tmp_path / "arrow").mkdir()  # only PyArrow: the environments have a NumPy of their own
    (tmp_path / "arrow/pyarrow").symlink_to(f"{SITE}/pyarrow")
    (tmp_path / "out").mkdir()

    def run(environment, program, ranks, framework, remainder, memory, **env):
        """program: a file in PROGRAMS, or a path."""
        data = {"train": Partitioned(tables(*digits("train", ROWS), SIZES), epochs=PASSES, remainder=remainder),
                "val": Partitioned(tables(*digits("t10k", VALIDATED), (0, 1800, 180, 20, 0)), epochs=PASSES,
                                   split="all", remainder="short")}
        env = {"PYTHONPATH": f"{ROOT / 'python'}{os.pathsep}{tmp_path / 'arrow'}", "OUT": str(tmp_path / "out"),
               "OMP_NUM_THREADS": "1", "TF_CPP_MIN_LOG_LEVEL": "2", **env}
        job = howdah.submit([str(installed(environment)), os.path.basename(program)], workers=ranks, memory=memory,
                            framework=framework, env=env, data=data,
                            files=[PROGRAMS / program, PROGRAMS / "account.py"])
        status = job.wait(timeout=RUN_S)
        assert status.state == "SUCCEEDED", (status.reason, machine("logs", job.id, timeout=RUN_S))
        return [json.loads((tmp_path / f"out/rank-{rank}.json").read_text()) for rank in range(ranks)]
    return run


def assert_each_row_is_accounted_for(accounts, remainder):
    ranks = len(accounts)
    for number in range(PASSES):
        passes = [account["steps"][number] for account in accounts]
        sizes = [list(map(len, steps)) for steps in passes]
        assert all(size == sizes[0] for size in sizes), "ranks have different batches"
        assert set(sizes[0][:-1]) == {BATCH} and 0 < sizes[0][-1] <= BATCH
        ids = sorted(i for steps in passes for batch in steps for i in batch)
        missing, repeated = ROWS - len(set(ids)), len(ids) - len(set(ids))
        assert set(ids) <= set(range(ROWS))
        if remainder == "drop":
            assert (missing, repeated) == (ROWS % (ranks * BATCH), 0)
        elif remainder == "short":
            assert (missing, repeated) == (ROWS % ranks, 0)
        else:
            assert (missing, repeated) == (0, -ROWS % (ranks * BATCH))
    assert [account["ahead"] for account in accounts] == [0] * ranks, "a commit would cover rows that were not read"


def softmax(logits):
    powers = np.exp(logits - logits.max(1, keepdims=True))
    return powers / powers.sum(1, keepdims=True)


def direct(images, labels, accounts):
    """The same training directly from arrays: each step has the rows that all ranks had in it. Yields after each pass
    the weights, with the bias as their last row, and the largest sum of the absolute weights of a digit so far."""
    inputs = np.hstack([images / 255, np.ones((len(images), 1))])
    weights, largest = np.zeros((PIXELS + 1, 10)), 0.0
    for number in range(PASSES):
        for batches in zip(*(account["steps"][number] for account in accounts)):
            rows = np.concatenate(batches)
            # Needed by `rounding`.
            assert RATE <= 4 / np.mean((inputs[rows] ** 2).sum(1)), "a step may enlarge an error"
            errors = softmax(inputs[rows] @ weights) - np.eye(10)[labels[rows]]
            weights = weights - RATE / len(rows) * inputs[rows].T @ errors
            largest = max(largest, np.abs(weights).sum(0).max())
        yield weights, largest


def rounding(steps, rows, largest):
    """A bound of the Euclidean distance of the weights of two trainings that differ only by rounding: twice the error
    of one of them. rows: of a step. largest: see `direct`.

    u is the unit of rounding of float64, and γ(n) = n u / (1 - n u) bounds the relative error of a sum of n products
    in any order. Inputs are at most 1. So each logit has an error of at most γ(n) times the sum of the absolute
    weights of its digit; each probability has at most twice the error of the logits, and 40 u for the exponentials and
    their sum; and a gradient, which is a mean of products below 1, has the error of the probabilities, and γ(rows).
    A step makes errors of earlier steps no larger: the Hessian of the loss is at most half the mean of the squared
    lengths of the inputs, so gradient descent with RATE ≤ 2 / Hessian does not enlarge distances. Errors add up."""
    u = 2.0 ** -53
    gamma = lambda n: n * u / (1 - n * u)
    gradient = 2 * gamma(PIXELS + 2) * largest + 40 * u + gamma(rows + 4)
    step = RATE * gradient + 2 * u * largest
    return 2 * steps * step * np.sqrt((PIXELS + 1) * 10)


def assert_model_is_that_of_arrays(accounts, digits):
    """The accuracies may differ by those images of which the two largest logits are closer than rounding allows."""
    images, labels = digits("t10k", VALIDATED)
    inputs = np.hstack([images / 255, np.ones((VALIDATED, 1))])
    steps, rows = 0, BATCH * len(accounts)
    for number, (weights, largest) in enumerate(direct(*digits("train", ROWS), accounts)):
        steps += len(accounts[0]["steps"][number])
        distance = rounding(steps, rows, largest)
        logits = inputs @ weights
        two = np.sort(logits, 1)[:, -2:]
        allowed = int((two[:, 1] - two[:, 0] <= 2 * distance * np.sqrt((inputs ** 2).sum(1))).sum())
        right = int((logits.argmax(1) == labels).sum())
        for account in accounts:
            found, validated = account["accuracies"][number]
            assert validated == VALIDATED and abs(found - right) <= allowed, (number, found, right, allowed)
    assert allowed < VALIDATED / 1000, "the bound is too large to show anything"
    for account in accounts:
        trained = np.vstack([account["weights"], account["bias"]])
        assert np.sqrt(((trained - weights) ** 2).sum()) <= distance
    assert right > 0.7 * VALIDATED, "it has not learned"


@pytest.mark.parametrize("loader", [pytest.param(0, marks=pytest.mark.long), 2])
def test_pytorch_ddp_trains_as_from_arrays(train, digits, loader):
    accounts = train("trainers", "torch_ddp.py", 3, "pytorch", "short", "1GiB", LOADER=str(loader))
    assert_each_row_is_accounted_for(accounts, "short")
    assert_model_is_that_of_arrays(accounts, digits)


@pytest.mark.parametrize("env", [{}, pytest.param({"VALUES": "1"}, marks=pytest.mark.long)], ids=["tensors", "values"])
def test_tensorflow_multi_worker_mirrored_trains_as_from_arrays(train, digits, env):
    accounts = train("tensorflow", "tf_mwms.py", 2, "tensorflow", "repeat", "2GiB", **env)
    assert_each_row_is_accounted_for(accounts, "repeat")
    assert_model_is_that_of_arrays(accounts, digits)


def test_program_of_the_document_for_tensorflow_trains(train, tmp_path):
    section = (ROOT / "docs/python-api.md").read_text().split("\n## Feeds\n")[1].split("\n## ")[0]
    (program,) = [block for block in section.split("```python\n")[1:] if "import tensorflow" in block]
    (tmp_path / "train.py").write_text(program.split("```")[0] + """
import json, os, numpy as np
images, labels = next(iter(howdah.context().feed("val").tf(2000, as_tuple=("image", "label"))))
right = np.mean(model(tf.cast(images, tf.float32) / 255).numpy().argmax(1) == labels.numpy())
with open(f"{os.environ['OUT']}/rank-{howdah.context().rank}.json", "w") as file:
    json.dump(float(right), file)
""")
    accuracies = train("tensorflow", tmp_path / "train.py", 2, "tensorflow", "drop", "2GiB")
    assert accuracies[0] == accuracies[1] > 0.6


def test_jax_with_global_arrays_trains_as_from_arrays(train, digits):
    accounts = train("jax", "jax_dist.py", 2, "jax", "drop", "1GiB")
    assert_each_row_is_accounted_for(accounts, "drop")
    assert_model_is_that_of_arrays(accounts, digits)

"""A source that has other rows when they are requested again is noticed, also if their number is the same."""
import os
import sys

import pytest

import arrow
from machine import BIN, ROOT

SITE = arrow.site_packages()
sys.path.insert(0, str(ROOT / "python"))

import numpy as np  # noqa: E402
import pyarrow as pa  # noqa: E402

import howdah  # noqa: E402

ROWS = 200_000


@pytest.fixture(autouse=True)
def client(machine, tmp_path, monkeypatch):
    """Makes this process a client of the machine of the test."""
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    for name, value in (("HOWDAH_HOME", machine.home), ("HOWDAH_ON", "local"), ("XDG_CACHE_HOME", tmp_path / "cache"),
                        ("PATH", f"{BIN.parent}{os.pathsep}{os.environ['PATH']}")):
        monkeypatch.setenv(name, str(value))


def reading():
    """A function that reads both passes, and returns the sum of each."""
    def read():
        feed = howdah.context().feed("train")
        return [sum(int(rows["i"].sum()) for rows in feed.numpy(1000)) for _ in range(2)]
    return read


def run(rows, **keys):
    """The results of two ranks that read two passes. The executors keep almost no rows of the first pass, so these rows
    are requested again."""
    data = {"train": howdah.Feed(rows, epochs=2, buffer="64KiB", spool="64KiB", **keys)}
    with howdah.submit(reading(), workers=2, framework="pytorch", memory="512MiB", env={"PYTHONPATH": SITE},
                       data=data) as job:
        return job.results(timeout=120)


def test_same_rows_again_are_accepted():
    results = run(lambda: pa.table({"i": np.arange(ROWS)}))
    assert [sum(result[epoch] for result in results) for epoch in range(2)] == [ROWS * (ROWS - 1) // 2] * 2


def test_rows_in_another_order_raise_feed_changed():
    orders = iter([np.arange(ROWS), np.arange(ROWS)[::-1].copy()])
    # The end of the second attempt, or one of its blocks, is compared first.
    reason = r"partition \d+ of the feed has changed: (two attempts have read different|an attempt has read other) rows"
    with pytest.raises(howdah.FeedChanged, match=reason):
        run(lambda: pa.table({"i": next(orders)}))


def test_other_rows_are_accepted_on_request():
    orders = iter([np.arange(ROWS), np.arange(ROWS)[::-1].copy()])
    results = run(lambda: pa.table({"i": next(orders)}), changed="accept")
    assert len(results) == 2

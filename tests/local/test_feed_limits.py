"""Readers do not wait permanently for rows that nobody sends."""
import os
import sys
import threading

import pytest

import arrow
from machine import BIN, ROOT

SITE = arrow.site_packages()
sys.path.insert(0, str(ROOT / "python"))

import numpy as np  # noqa: E402

import howdah  # noqa: E402

JOB = {"framework": "pytorch", "memory": "512MiB", "env": {"PYTHONPATH": SITE}, "workers": 2,
       "timeouts": {"feed": "2s"}}


@pytest.fixture(autouse=True)
def client(machine, tmp_path, monkeypatch):
    """Makes this process a client of the machine of the test."""
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    for name, value in (("HOWDAH_HOME", machine.home), ("HOWDAH_ON", "local"), ("XDG_CACHE_HOME", tmp_path / "cache"),
                        ("PATH", f"{BIN.parent}{os.pathsep}{os.environ['PATH']}")):
        monkeypatch.setenv(name, str(value))


def reading():
    """A function that returns the number of rows of its rank."""
    def read():
        return sum(len(rows["i"]) for rows in howdah.context().feed("train").numpy(5))
    return read


@pytest.mark.parametrize("stream", [False, True])
def test_feed_that_nobody_supplies_is_named_with_the_remedy(stream):
    with howdah.submit(reading(), data={"train": howdah.Feed(stream=stream)}, **JOB) as job:
        with pytest.raises(howdah.FeedLost) as raised:
            job.results(timeout=120)
    message = str(raised.value)
    assert "nobody has supplied rows to the feed train" in message
    assert 'feed("train").send(rows)' in message


def test_connected_source_that_sends_nothing_is_named():
    ended = threading.Event()

    def rows():
        yield {"i": np.arange(100)}
        ended.wait(120)

    try:
        with howdah.submit(reading(), data={"train": howdah.Feed(rows())}, **JOB) as job:
            with pytest.raises(howdah.FeedLost, match=rf"the process {os.getpid()} on .* is connected"):
                job.results(timeout=120)
    finally:
        ended.set()

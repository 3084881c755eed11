"""A training with hvd.elastic: its number of workers changes while its processes continue."""
import os
import signal

import pytest

from elastic_cases import Training, scale_to_2_4_1_3_workers
from machine import eventually, processes


@pytest.fixture
def training(machine, installed, tmp_path):
    return Training(machine, installed("horovod"), tmp_path)


@pytest.mark.long
def test_workers_scale_in_place_without_restarts(training):
    scale_to_2_4_1_3_workers(training)
    training.finish()
    training.assert_each_step_once()


def test_rank_0_moves_to_a_survivor_and_a_failure_without_restarts_left_fails_the_job(training):
    training.submit(restarts=1)
    training.scale(2)
    first, second = training.until_size(2)
    os.kill(first, signal.SIGKILL)
    again = training.until_size(2, without=[first])
    assert again[0] == second, "rank 0 has the memory"
    training.assert_state_is_whole()
    os.kill(again[1], signal.SIGKILL)
    assert training.machine("wait", training.job).code == 1
    status = training.machine.status(training.job)
    assert "was killed by signal 9 (SIGKILL)" in status["reason"], status
    training.machine.assert_clean(training.job)


def test_killed_executor_is_replaced_while_the_others_continue(training):
    training.submit(restarts=1)
    training.scale(2)
    first, second = training.until_size(2)
    executor = processes()[second][0]
    os.kill(executor, signal.SIGKILL)
    again = training.until_size(2, without=[second])
    assert again[0] == first, "who was there goes on"
    training.finish()
    training.assert_each_step_once()


@pytest.mark.long
def test_workers_continue_without_the_am_and_restart_at_the_next_failure(training):
    training.submit(restarts=1)
    training.scale(2)
    both = training.until_size(2)
    guardian, am = training.machine.agents(training.job, "am")
    os.kill(am, signal.SIGKILL)
    eventually(lambda: len(now := training.machine.agents(training.job, "am")) == 2 and am not in now, "another AM")
    training.wait_for_steps()
    assert training.until_size(2) == both
    os.kill(both[1], signal.SIGKILL)
    assert not set(both) & set(training.until_size(2, without=both))
    training.finish()


PLAIN = """
import os, select
import torch, horovod.torch as hvd
hvd.init()
with open(os.environ["STEPS"], "a") as steps:
    if hvd.rank() == 0: print('{"step": 0, "size": %d, "pids": %s}' % (hvd.size(), [os.getpid()]), file=steps)
while not os.path.exists(os.environ["GO"]): select.select([], [], [], 0.02)
"""


def test_a_script_without_elastic_state_is_restarted(training):
    (training.path / "src/train.py").write_text(PLAIN)
    training.submit(restarts=0)
    for size in (1, 2):
        training.scale(size)
        training.machine.until(training.job, lambda _: training.steps()[-1:] and training.steps()[-1]["size"] == size,
                               f"a world of {size}")
    pids = [s["pids"] for s in training.steps()]
    assert pids[-1] != pids[-2]
    training.finish()

"""A training with hvd.elastic whose world grows and shrinks while its processes go on."""
import json
import os
import signal

import pytest

from machine import eventually, processes

TRAIN = """
import json, os
import torch, horovod.torch as hvd
hvd.init()
net = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
state = hvd.elastic.TorchState(net, optimizer, step=0, total=0)

@hvd.elastic.run
def train(state):
    while True:
        step, rank, size = state.step + 1, hvd.rank(), hvd.size()
        # The ranks share out what belongs to a step: its sum is the same whatever the number of ranks.
        mine = torch.tensor([sum(range(step + rank, step + 12, size)), os.path.exists(os.environ["GO"]), 0])
        everybodys = hvd.allreduce(mine, op=hvd.Sum, name="sum")
        pids = hvd.allgather(torch.tensor([os.getpid()]), name="pids").tolist()
        if everybodys[1] > 0: return
        state.step, state.total = step, state.total + everybodys[0].item()
        if rank == 0:
            with open(os.environ["STEPS"], "a") as steps:
                print(json.dumps({"step": step, "size": size, "pids": pids, "total": state.total}), file=steps)
        state.commit()

train(state)
"""


@pytest.fixture
def training(machine, installed, tmp_path):
    source, steps = tmp_path / "src", tmp_path / "steps"
    source.mkdir()
    steps.touch()
    (source / "train.py").write_text(TRAIN)
    return Training(machine, installed("horovod"), tmp_path)


class Training:
    def __init__(self, machine, python, path):
        self.machine, self.python, self.path = machine, python, path

    def submit(self, restarts):
        self.job = self.machine.submit(self.machine.job_file(self.path, f"""
            framework: horovod
            source: {self.path}/src
            env: {{GO: {self.path}/go, STEPS: {self.path}/steps, OMP_NUM_THREADS: 1}}
            timeouts: {{settle: 1s}}
            roles:
              worker:
                instances: {{min: 1, max: 4}}
                memory: 256MiB
                restart: {{max: {restarts}, backoff: 0s}}
                command: exec {self.python} train.py
            """))

    def steps(self):
        return [json.loads(line) for line in (self.path / "steps").read_text().splitlines()]

    def until_size(self, size, without=()):
        """The pids of the world, in the order of its ranks."""
        def here(status):
            last = self.steps()[-1:]
            return last and last[0]["size"] == size and not set(without) & set(last[0]["pids"]) and \
                status["state"] == "RUNNING"
        self.machine.until(self.job, here, f"a step with {size}")
        status = self.machine.status(self.job)
        by_rank = {t["ranks"][0]: t["pids"][0] for t in status["tasks"]}
        assert [by_rank[rank] for rank in range(size)] == self.steps()[-1]["pids"], status
        return self.steps()[-1]["pids"]

    def scale(self, size):
        assert self.machine("scale", self.job, f"worker={size}").code == 0

    def finish(self):
        (self.path / "go").touch()
        assert self.machine("wait", self.job).code == 0, self.machine.status(self.job)
        self.machine.assert_clean(self.job)


def of_step(step):
    return sum(range(step, step + 12))


def test_two_four_three_four_one_three_workers_and_nobody_starts_again(training):
    training.submit(restarts=1)
    training.scale(2)
    two = training.until_size(2)
    training.scale(4)
    four = training.until_size(4)
    assert four[:2] == two, "who was there goes on, with the ranks that it had"
    os.kill(four[1], signal.SIGKILL)
    again = training.until_size(4, without=[four[1]])
    assert again[:3] == [four[0], four[2], four[3]], "ranks close up, and who starts again comes last"
    training.scale(1)
    one = training.until_size(1)
    assert one[0] in again
    training.scale(3)
    three = training.until_size(3)
    assert three[0] == one[0], "its memory is handed on"
    training.finish()
    steps = training.steps()
    assert [s["step"] for s in steps] == list(range(1, len(steps) + 1)), "a step was lost, or done twice"
    assert steps[-1]["total"] == sum(of_step(s["step"]) for s in steps)
    account = training.machine.status(training.job)["account"]
    assert not account.get("lost_seconds"), account


def test_rank_0_is_handed_on_and_a_worker_without_restarts_fails_the_job(training):
    training.submit(restarts=1)
    training.scale(2)
    first, second = training.until_size(2)
    os.kill(first, signal.SIGKILL)
    again = training.until_size(2, without=[first])
    assert again[0] == second, "rank 0 has the memory"
    steps = training.steps()
    assert steps[-1]["total"] == sum(of_step(step) for step in range(1, steps[-1]["step"] + 1))
    os.kill(again[1], signal.SIGKILL)
    assert training.machine("wait", training.job).code == 1
    status = training.machine.status(training.job)
    assert "was killed by signal 9 (SIGKILL)" in status["reason"], status
    training.machine.assert_clean(training.job)


def test_the_others_go_on_without_an_executor_that_was_killed_and_take_another_one_in(training):
    training.submit(restarts=1)
    training.scale(2)
    first, second = training.until_size(2)
    executor = processes()[second][0]
    os.kill(executor, signal.SIGKILL)
    again = training.until_size(2, without=[second])
    assert again[0] == first, "who was there goes on"
    training.finish()
    steps = training.steps()
    assert steps[-1]["total"] == sum(of_step(s["step"]) for s in steps)
    assert len(steps) == steps[-1]["step"], "a step was done twice"


def test_they_go_on_without_the_application_master_and_start_again_when_their_world_breaks(training):
    training.submit(restarts=1)
    training.scale(2)
    both = training.until_size(2)
    guardian, am = training.machine.agents(training.job, "am")
    os.kill(am, signal.SIGKILL)
    eventually(lambda: len(now := training.machine.agents(training.job, "am")) == 2 and am not in now, "another AM")
    done = len(training.steps())
    training.machine.until(training.job, lambda _: len(training.steps()) > done + 20, "steps")
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


def test_a_script_that_cannot_go_on_is_stopped_and_started_again(training):
    (training.path / "src/train.py").write_text(PLAIN)
    training.submit(restarts=0)
    for size in (1, 2):
        training.scale(size)
        training.machine.until(training.job, lambda _: training.steps()[-1:] and training.steps()[-1]["size"] == size,
                               f"a world of {size}")
    pids = [s["pids"] for s in training.steps()]
    assert pids[-1] != pids[-2]
    training.finish()

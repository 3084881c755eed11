"""A training with hvd.elastic, on every backend: its number of workers changes while its processes continue. Each
backend has its own fixture `machine`. All nodes must share the disk of the tests, as the nodes in tests/yarn do."""
import json
import os
import signal

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
        # The ranks divide the numbers of a step among them, so the sum does not depend on how many ranks there are.
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


class Training:
    def __init__(self, machine, python, path):
        self.machine, self.python, self.path = machine, python, path
        (path / "src").mkdir()
        (path / "steps").touch()
        (path / "steps").chmod(0o666)  # tasks may run under another account than the tests
        (path / "src/train.py").write_text(TRAIN)

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
        self.machine.until(self.job, lambda status: status["state"] != "QUEUED", "an application master")

    def steps(self):
        return [json.loads(line) for line in (self.path / "steps").read_text().splitlines()]

    def until_size(self, size, without=()):
        """Waits for a step of `size` ranks, none with a pid in `without`. Returns the pids in the order of ranks."""
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

    def wait_for_steps(self, how_many=20):
        """Waits until the training has made this many further steps."""
        done = len(self.steps())
        self.machine.until(self.job, lambda _: len(self.steps()) > done + how_many, "steps")

    def assert_state_is_whole(self):
        """Checks that the ranks' state contains every step exactly once, even if a step had to be repeated."""
        last = self.steps()[-1]
        assert last["total"] == sum(sum(range(step, step + 12)) for step in range(1, last["step"] + 1)), last

    def finish(self):
        (self.path / "go").touch()
        assert self.machine("wait", self.job).code == 0, self.machine.status(self.job)
        self.machine.assert_clean(self.job)

    def assert_each_step_once(self):
        steps = self.steps()
        assert [s["step"] for s in steps] == list(range(1, len(steps) + 1)), "a step was lost, or done twice"
        self.assert_state_is_whole()
        account = self.machine.status(self.job)["account"]
        assert not account.get("lost_seconds"), account


def scale_to_2_4_1_3_workers(training):
    """Scales to 2, 4, 1 and 3 workers, and kills one of the 4 workers. Only the killed worker restarts. Returns the
    pids of the last three workers."""
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
    return three

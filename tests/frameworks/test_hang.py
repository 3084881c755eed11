"""A real collective hangs because one rank never joins: the report names that rank, and the job restarts."""
import job_reports

TRAIN = """
import faulthandler, os, select, signal
import torch, torch.distributed as dist
faulthandler.register(signal.SIGUSR1, all_threads=True)
def report_progress(line):
    with open(os.environ["HOWDAH_PROGRESS"], "a") as f: print(line, file=f)
def load():
    select.select([], [], [], 86400)
dist.init_process_group("gloo")
total = torch.zeros(1)
for step in range(1, 7):
    if step == 4 and dist.get_rank() == 1 and os.environ["HOWDAH_GENERATION"] == "0": load()
    total += 1
    dist.all_reduce(total)
    report_progress(f"step {step}")
print("total", total.item())
"""


def test_36_hung_collective_names_the_missing_rank(machine, installed, tmp_path):
    source = tmp_path / "src"
    source.mkdir()
    (source / "train.py").write_text(TRAIN)
    done = machine("run", machine.job_file(tmp_path, f"""
        framework: pytorch
        source: {source}
        timeouts: {{progress: 10s, heartbeat: 3s}}
        roles:
          worker:
            instances: 2
            memory: 256MiB
            command: {installed("torch")} train.py
            restart: {{max: 1, backoff: 100ms}}
        """), timeout=240)
    assert done.code == 0, done
    hangs = r"made no progress on \S+, attempt 0: its last activity was progress \S+ ago, at step 3; it is at "
    loads = r"load \(train\.py:\d+\)"
    waits = r"all_reduce \(distributed_c10d\.py:\d+\), called from <module> \(train\.py:\d+\)"
    either = (f"worker:1 {hangs}{loads}; worker:0 is at {waits}",
              f"worker:0 {hangs}{waits}; worker:1 is at {loads}")
    job_reports.reported(machine, done.id, f"({'|'.join(either)}); all ranked tasks restart", done.stderr)
    assert done.stdout.count("total ") == 2, done
    status = machine.status(done.id)
    assert [t["progress"]["step"] for t in status["tasks"]] == [6, 6]
    assert status["generation"] == 1 and status["account"]["rendezvous_seconds"] > 0

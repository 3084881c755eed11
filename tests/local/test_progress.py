"""Tasks that report progress, request more time for saving, or hang. The time breakdown of a job."""
import re
import socket
import time

import job_reports
from machine import eventually

PARTS = ("queue", "localization", "start", "rendezvous", "running", "lost", "recovering")


def seconds(status):
    account = status["account"]
    return {part: account[f"{part}_seconds"] for part in PARTS}


def wall(status):
    times = [time.strptime(status[key][:19], "%Y-%m-%dT%H:%M:%S") for key in ("submitted", "finished")]
    millis = [int(status[key][20:23]) for key in ("submitted", "finished")]
    return time.mktime(times[1]) - time.mktime(times[0]) + (millis[1] - millis[0]) / 1000


# In the first attempt, rank 1 blocks in wait_for_data() while rank 0 spins. faulthandler prints their Python stacks.
HANGS = """
import faulthandler, os, select, signal
faulthandler.register(signal.SIGUSR1, all_threads=True)
def report_progress(line):
    with open(os.environ["HOWDAH_PROGRESS"], "a") as f: print(line, file=f)
def wait_for_data():
    select.select([], [], [], 86400)
def main():
    for step in range(1, 6):
        report_progress(f"step {step}")
        if step == 3: report_progress("checkpoint 3")
    if os.environ["HOWDAH_GENERATION"] == "0":
        if os.environ["RANK"] == "1": wait_for_data()
        while True: pass
main()
"""


def test_36_hung_task_reports_its_stack_and_the_job_restarts(machine, tmp_path):
    source = tmp_path / "src"
    source.mkdir()
    (source / "train.py").write_text(HANGS)
    done = machine("run", machine.job_file(tmp_path, f"""
        name: hangs
        framework: pytorch
        source: {source}
        timeouts: {{progress: 2s, heartbeat: 3s}}
        roles:
          worker:
            {{instances: 2, memory: 64MiB, command: /usr/bin/python3 train.py, restart: {{max: 1, backoff: 100ms}}}}
        """))
    assert done.code == 0, done
    # Either rank may be reported as hung, because both reported their last step at the same time.
    sentence = (r"worker:([01]) made no progress on \S+, attempt 0: its last activity was progress \S+ ago, at "
                r"step 5, checkpoint 3; it is at (wait_for_data|main) \(train.py:\d+\)")
    said = job_reports.reported(machine, done.id, sentence, done.stderr)
    index = said.group(1)
    stack = machine.log(done.id, f"worker:{index}", "--attempt", "0", "--stderr")
    assert "howdah: no activity: pid" in stack and "most recent call first" in stack, stack
    status = machine.status(done.id)
    assert [t["progress"]["step"] for t in status["tasks"]] == [5, 5]
    assert [t["progress"]["checkpoint"] for t in status["tasks"]] == [3, 3]
    account = seconds(status)
    assert abs(sum(account.values()) - wall(status)) < 0.01, (account, status)
    assert account["lost"] > 1.9 and account["recovering"] > 0, account
    assert status["account"]["restarts"] == 1 and status["account"]["phase"] is None
    assert said.group(0) in status["account"]["generations"][0]["cause"]
    assert re.search(r"^time: .*lost \d.*; 1 restart(; held .*)?$", done.stderr, re.M), done
    assert "lost" in machine("history", "show", done.id).stdout
    events = machine("events", done.id).stdout
    assert "TaskStalled" in events and "step 5, checkpoint 3" in events, events


PACES = """
import os, select
step = 0
while True:
    select.select([], [], [], 0.25 if os.environ["RANK"] == "2" else 0.05)
    step += 1
    with open(os.environ["HOWDAH_PROGRESS"], "a") as f: print("step", step, file=f)
"""


def test_37_slow_rank_is_reported(machine, tmp_path):
    """One of four ranks takes five times as long per step. It is reported when it has been slow in three windows."""
    source = tmp_path / "src"
    source.mkdir()
    (source / "train.py").write_text(PACES)
    run = job_reports.Run(machine, tmp_path, f"""
        framework: pytorch
        source: {source}
        timeouts: {{heartbeat: 1s}}
        roles: {{worker: {{instances: 4, memory: 64MiB, command: exec /usr/bin/python3 train.py}}}}
        """)
    advice = run.reason("is slow", key="advice")
    said = re.fullmatch(rf"worker:2 \(rank 2\) on {socket.gethostname()} is slow: its steps take (\d\.\d) times as "
                        r"long as those of the others \((\d(?:\.\d+)?) steps per second\)", advice)
    assert said, advice
    times, own = map(float, said.groups())
    # On a busy machine every step takes longer, which makes both figures smaller.
    assert 2 <= times <= 5.5 and own <= 4.5, advice
    assert run.kill()["advice"] == advice


def test_progress_is_shown_while_the_job_runs(machine, tmp_path):
    job = machine.submit(machine.job_file(tmp_path, """
        timeouts: {heartbeat: 1s}
        roles:
          worker:
            memory: 64MiB
            command: |
              echo step 1 >> $HOWDAH_PROGRESS; echo checkpoint 1 >> $HOWDAH_PROGRESS; echo step 41 >> $HOWDAH_PROGRESS
              echo nonsense >> $HOWDAH_PROGRESS; sleep 86400
        """))
    seen = machine.until(job, lambda s: (s["tasks"][0]["progress"] or {}).get("step") == 41, "step 41")
    assert seen["tasks"][0]["progress"]["checkpoint"] == 1
    assert seen["account"]["phase"] == "running"
    text = machine("status", job).stdout
    assert "PROGRESS" in text and "step 41, checkpoint 1" in text and re.search("^time ", text, re.M), text
    assert machine("kill", job, "--grace", "0s").code == 0


def test_checkpointing_extends_the_grace(machine, tmp_path):
    job = machine.submit(machine.job_file(tmp_path, """
        checkpoint: {grace: 1s}
        roles:
          worker:
            memory: 64MiB
            command: |
              save() {
                for i in 1 2 3 4 5; do echo checkpointing >> $HOWDAH_PROGRESS; sleep 0.4; done
                echo checkpoint 7 >> $HOWDAH_PROGRESS; echo saved; exit 0
              }
              trap save TERM; echo ready; while :; do sleep 0.01; done
        """))
    eventually(lambda: "ready" in machine.log(job, "worker:0"), "the task's trap")
    assert machine("kill", job).code == 0
    assert "saved" in machine.log(job, "worker:0")
    assert machine.task(job, "worker", 0)["progress"]["checkpoint"] == 7


def test_40_time_breakdown_is_shown_after_the_end(machine, tmp_path):
    """The output of `run`, the status and the history of a finished job show its time breakdown."""
    done = machine("run", machine.job_file(tmp_path, """
        name: account
        framework: pytorch
        roles:
          worker:
            memory: 64MiB
            restart: {max: 1, backoff: 100ms}
            command: |
              echo step 1 >> $HOWDAH_PROGRESS; echo checkpoint 1 >> $HOWDAH_PROGRESS
              test $HOWDAH_ATTEMPT = 1 || exit 3
        """))
    assert done.code == 0, done
    status = machine.status(done.id)
    account = seconds(status)
    assert abs(sum(account.values()) - wall(status)) < 0.01 and account["recovering"] >= 0.1, (account, status)
    assert "failed with exit code 3" in status["account"]["generations"][0]["cause"], status
    for text in (done.stderr, machine("status", done.id).stdout, machine("history", "show", done.id).stdout):
        line = re.search(r"^time:?\s+(.*)$", text, re.M)
        assert line and "running" in line.group(1) and "1 restart" in line.group(1), text

"""The local backend: many jobs, leases of memory and GPUs, output, scaling, and cleanup."""
import json
import os
import re
import signal
import subprocess

import pytest

from machine import BIN, SANITIZED, eventually, percent_of_machine, processes, read


def test_two_jobs_that_each_need_more_than_half_run_one_after_the_other(machine, tmp_path):
    share = percent_of_machine(machine, 40)  # two tasks of one job need 80 %, so a second job does not fit
    job_file = machine.job_file(tmp_path, f"""
name: big
roles:
  worker: {{instances: 2, memory: {share}MiB, command: sleep 0.3}}
""")
    jobs = [machine.submit(job_file) for _ in range(4)]
    for job in jobs:
        assert machine("wait", job).code == 0, machine.status(job)
    spans = []
    for job in jobs:  # first come, first served
        tasks = machine.status(job)["tasks"]
        spans.append((min(t["started"] for t in tasks), max(t["finished"] for t in tasks)))
    for (_, end), (begin, _) in zip(spans, spans[1:]):
        assert end <= begin, spans
    for job in jobs:
        machine.assert_clean(job)


def test_a_waiting_job_reports_the_reason_and_can_be_killed(machine, tmp_path):
    share = percent_of_machine(machine, 60)
    text = "name: big\nroles:\n  worker: {memory: %dMiB, command: sleep 300}\n" % share
    first = machine.submit(machine.job_file(tmp_path, text))
    machine.running(first)
    second = machine.submit(machine.job_file(tmp_path, text))
    status = machine.until(second, lambda s: s["reason"], "a reason to wait")
    assert status["state"] == "STARTING" and "of memory" in status["reason"] and first in status["reason"], status
    assert machine("kill", second).code == 0
    assert machine.status(second)["state"] == "KILLED"
    assert machine("kill", first).code == 0
    machine.assert_clean(second)


def test_a_gang_timeout_exits_with_3(machine, tmp_path):
    share = percent_of_machine(machine, 60)
    text = "roles:\n  worker: {memory: %dMiB, command: sleep 300}\n" % share
    holder = machine.submit(machine.job_file(tmp_path, "name: holder\n" + text))
    machine.running(holder)
    done = machine("run", machine.job_file(tmp_path, "name: late\ntimeouts: {gang: 500ms, hold: 200ms}\n" + text))
    assert done.code == 3, done
    status = machine.status(done.id)
    assert status["state"] == "FAILED" and status["exit_code"] == 3 and "500ms" in status["reason"], status
    assert machine("kill", holder, "--grace", "0s").code == 0


def test_memory_of_a_killed_task_is_released(machine, tmp_path):
    share = percent_of_machine(machine, 60)
    text = "name: big\nroles:\n  worker: {memory: %dMiB, command: %%s}\n" % share
    first = machine.submit(machine.job_file(tmp_path, text % "sleep 300"))
    machine.running(first)
    second = machine.submit(machine.job_file(tmp_path, text % "'true'"))
    machine.until(second, lambda s: s["reason"], "a reason to wait")
    for pid in machine.agents(first, "am"):
        os.kill(pid, signal.SIGKILL)
    assert machine("wait", second).code == 0
    assert machine("wait", first).code == 1
    machine.assert_clean(first)


@pytest.mark.skipif(SANITIZED, reason="fifty jobs with sanitizers need more than 24 GiB of memory")
def test_fifty_jobs_at_once_succeed(machine):
    clients = [machine.start("run", "hello.yaml") for _ in range(50)]
    for client in clients:
        stdout, stderr = client.communicate(timeout=240)
        assert client.returncode == 0, (stdout, stderr)
        hellos = [f"greeter:{i} │ hello from greeter:{i} of 3" for i in range(3)]
        assert sorted(stdout.splitlines()) == hellos, (stdout, stderr)
    listed = json.loads(machine("list", "--all", "--json").stdout)
    assert len(listed) == 50 and {j["state"] for j in listed} == {"SUCCEEDED"}, listed
    assert json.loads(machine("list", "--json").stdout) == []
    for job in machine.jobs():
        machine.assert_clean(job)
    assert {p.name for p in (machine.home / "leases").iterdir()} <= {"lock"}


@pytest.fixture
def four_gpus(tmp_path):
    """An environment in which the first nvidia-smi in PATH reports four GPUs."""
    tool = tmp_path / "gpus" / "nvidia-smi"
    tool.parent.mkdir()
    tool.write_text("#!/bin/sh\nfor i in 0 1 2 3; do echo \"$i, Test GPU, 81920\"; done\n")
    tool.chmod(0o755)
    return {"PATH": f"{tool.parent}:{os.environ['PATH']}"}


GPU_JOB = """
name: gpus
roles:
  worker: {instances: %d, gpus: %d, memory: 16MiB, command: 'echo "$CUDA_VISIBLE_DEVICES"; exec sleep %s'}
"""


def test_gpus_are_leased_to_one_task_each(machine, tmp_path, four_gpus):
    first = machine.submit(machine.job_file(tmp_path, GPU_JOB % (2, 1, 300)), env=four_gpus)
    machine.running(first)
    second = machine.submit(machine.job_file(tmp_path, GPU_JOB % (1, 2, 0)), env=four_gpus)
    assert machine("wait", second).code == 0
    assert sorted(machine.log(first, f"worker:{i}").strip() for i in range(2)) == ["0", "1"]
    assert machine.log(second, "worker:0") == "2,3\n"
    third = machine.submit(machine.job_file(tmp_path, GPU_JOB % (1, 4, 0)), env=four_gpus)
    status = machine.until(third, lambda s: s["reason"], "a reason to wait")
    assert "GPUs" in status["reason"] and "2 of 4" in status["reason"], status
    for pid in machine.agents(first, "am"):  # the leases of a crashed job are released
        os.kill(pid, signal.SIGKILL)
    assert machine("wait", third).code == 0
    assert machine.log(third, "worker:0") == "0,1,2,3\n"
    none = machine("run", machine.job_file(tmp_path, GPU_JOB % (1, 0, 0)), env=four_gpus)
    assert none.code == 0 and none.stdout == "worker:0 │ \n", none
    assert machine("wait", first).code == 1


def test_more_gpus_than_the_machine_has_exits_with_3(machine, tmp_path, four_gpus):
    done = machine("run", machine.job_file(tmp_path, GPU_JOB % (5, 1, 0)), env=four_gpus)
    assert done.code == 3 and "5 GPUs" in done.stderr and "4" in done.stderr, done


def rss_mib(pid):
    found = re.search(rb"VmRSS:\s+(\d+) kB", read(f"/proc/{pid}/status"))
    return int(found.group(1)) / 1024 if found else 0


@pytest.mark.parametrize("seconds", [int(os.environ.get("HOWDAH_FLOOD_SECONDS", "5"))])
def test_a_flood_of_output_is_complete_and_memory_stays_bounded(machine, tmp_path, seconds):
    """One task writes 200 MB/s. The log contains every byte, and executor, AM and client each use less than 64 MiB."""
    flood = tmp_path / "flood.py"
    flood.write_text(f"""
import os, time
line = b"x" * 99 + b"\\n"
chunk = line * 20000                      # 2 MB
begin = time.monotonic()
for i in range(100 * {seconds}):
    written = 0
    while written < len(chunk):
        written += os.write(1, chunk[written:])
    ahead = (i + 1) / 100 - (time.monotonic() - begin)
    if ahead > 0:
        time.sleep(ahead)
""")
    job_file = machine.job_file(
        tmp_path, f"name: flood\nroles:\n  worker: {{memory: 64MiB, command: [python3, {flood}]}}\n")
    client = subprocess.Popen([str(BIN), "run", str(job_file)], env=machine.env, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    received = most = 0
    while block := client.stdout.read(1 << 24):
        received += len(block)
        job = machine.jobs()[0]
        agents = [p for p in processes() if p == client.pid] + machine.agents(job, "am") + machine.agents(job, "task")
        most = max([most, *map(rss_mib, agents)])
    assert client.wait() == 0
    lines = 20000 * 100 * seconds
    log = machine.home / "jobs" / machine.jobs()[0] / "logs/worker-0/0/stdout"
    assert log.stat().st_size == lines * 100
    assert received == lines * (100 + len("worker:0 │ ".encode()))
    assert SANITIZED or most < 64, f"{most} MiB"


def test_an_elastic_role_is_scaled_within_its_limits(machine, tmp_path):
    job = machine.submit(machine.job_file(tmp_path, """
name: elastic
roles:
  worker: {instances: {min: 1, max: 4}, memory: 16MiB, command: exec sleep 300}
"""))
    states = lambda status: [t["state"] for t in status["tasks"] if t["state"] != "STOPPED"]
    has = lambda n: machine.until(job, lambda s: states(s) == ["RUNNING"] * n, f"{n} workers")
    has(4)  # the role grows by itself, because the machine has room
    for size in (1, 3):
        assert machine("scale", job, f"worker={size}").code == 0
        assert has(size)["generation"] == 0
    for request, why in (("worker=9", "1 to 4"), ("ps=1", "its roles are worker")):
        refused = machine("scale", job, request)
        assert refused.code == 2 and why in refused.stderr, refused
    assert machine("kill", job).code == 0
    machine.assert_clean(job)


def test_optional_tasks_do_not_delay_other_jobs(machine, tmp_path):
    """The first job fills the machine, and its optional tasks still wait for room. Other jobs do not wait for these
    tasks."""
    percent = lambda n: percent_of_machine(machine, n)
    greedy = machine.submit(machine.job_file(tmp_path, f"""
roles:
  worker: {{instances: {{min: 1, max: 9}}, memory: {percent(12)}MiB, command: exec sleep 300}}
"""))
    machine.until(greedy, lambda s: [t["state"] for t in s["tasks"]] == ["RUNNING"] * 8, "as many as there is room for")
    assert machine("scale", greedy, "worker=7").code == 0
    machine.until(greedy, lambda s: len(s["tasks"]) == 7, "room")
    other = machine.submit(machine.job_file(tmp_path, f"""
roles:
  a: {{memory: {percent(10)}MiB, command: exec sleep 300}}
""", "other.yaml"))
    machine.running(other)
    assert machine("scale", greedy, "worker=9").code == 0  # the machine has no room for a further task
    third = machine("run", machine.job_file(tmp_path, f"""
roles:
  a: {{memory: {percent(3)}MiB, command: echo through}}
""", "third.yaml"))
    assert third.code == 0 and "through" in third.stdout, third
    for job in (greedy, other):
        assert machine("kill", job).code == 0


def test_the_job_continues_after_submit_exits(machine, tmp_path):
    text = "name: j\nroles:\n  w: {memory: 16MiB, command: 'sleep 0.2; echo done'}\n"
    job = machine.submit(machine.job_file(tmp_path, text))
    done = machine("logs", job, "-f")
    assert done.code == 0 and done.stdout == "w:0 │ done\n", done
    assert machine("wait", "last").code == 0


def test_keep_preserves_the_working_directory(machine, tmp_path):
    job_file = machine.job_file(tmp_path, "name: j\nroles:\n  w: {memory: 16MiB, command: 'echo kept > file'}\n")
    done = machine("run", "--keep", job_file)
    assert done.code == 0, done
    assert (machine.home / "jobs" / done.id / "work/w-0/file").read_text() == "kept\n"


def test_ctrl_c_stops_the_job_with_grace_and_a_second_one_without(machine, tmp_path):
    text = """
name: j
checkpoint: {grace: %s}
roles:
  w: {memory: 16MiB, command: 'trap "%s" TERM; echo ready; while :; do sleep 0.05; done'}
"""
    cases = [("30s", "echo saved; exit 0", 1, "ready\nsaved\n"), ("60s", "", 2, "ready\n")]
    for grace, trap, presses, expected in cases:
        client = machine.start("run", machine.job_file(tmp_path, text % (grace, trap)))
        assert client.stdout.readline() == "w:0 │ ready\n"
        client.send_signal(signal.SIGINT)
        if presses == 2:
            job = machine.status("last")["id"]
            eventually(lambda: "Stop" in machine("events", job).stdout, "the stop in the journal")
            client.send_signal(signal.SIGINT)
        stdout, stderr = client.communicate(timeout=30)
        assert client.returncode == 4, (stdout, stderr)
        status = machine.status("last")
        assert status["state"] == "KILLED" and "Ctrl-C" in status["reason"], status
        assert machine.log(status["id"], "w:0", "--stdout") == expected
        machine.assert_clean(status["id"])

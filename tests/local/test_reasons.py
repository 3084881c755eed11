"""Provokes the situations of docs/failures.md whose numbers are in the test names. The reported reason must contain the
facts that the document requires."""
import os
import pathlib
import pwd
import re
import signal
import socket
import sys

import pytest

import job_reports
from job_reports import Run
from machine import eventually

NODE = socket.gethostname()


def run(machine, tmp_path, role, source=None, job="", code=1):
    text = f"name: j\n{f'source: {source}' if source else ''}\n{job}\nroles:\n  worker: {{memory: 64MiB, {role}}}\n"
    return Run(machine, tmp_path, text).end(code)


def assert_facts(status, *facts):
    job_reports.assert_facts(f"{status['reason']} {status['advice'] or ''}", *facts)


@pytest.fixture
def source(tmp_path):
    directory = tmp_path / "src"
    directory.mkdir()
    return directory


@pytest.mark.parametrize("command", ["trian.sh --fast", "[trian.sh, --fast]"])
def test_15_command_not_found(machine, tmp_path, source, command):
    (source / "train.sh").write_text("#!/bin/sh\n")
    status = run(machine, tmp_path, f"command: {command}", source)
    assert_facts(status, "worker:0", "trian.sh", "train.sh", os.environ["PATH"].split(":")[0])
    assert machine.task("last", "worker", 0)["exit_code"] == 127


@pytest.mark.parametrize("command", ["./train.sh", "[./train.sh]"])
def test_15_command_not_executable(machine, tmp_path, source, command):
    (source / "train.sh").write_text("#!/bin/sh\n")
    (source / "train.sh").chmod(0o644)
    status = run(machine, tmp_path, f"command: {command}", source)
    assert_facts(status, "worker:0", "train.sh", "not executable", "chmod +x")
    assert machine.task("last", "worker", 0)["exit_code"] == 126


def test_16_python_module_missing(machine, tmp_path):
    status = run(machine, tmp_path, "command: [python3, -c, 'import no_such_module_x.sub']")
    assert_facts(status, "worker:0", "no_such_module_x", "python:", "exit code 1")


def test_16_interpreter_missing(machine, tmp_path):
    assert_facts(run(machine, tmp_path, "command: python9.9 train.py"), "python9.9", "worker:0")


def test_19_reason_for_a_port_in_use_names_port_and_process(machine, tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        server = f"import socket; s = socket.socket(); s.bind((\\\"127.0.0.1\\\", {port}))"
        status = run(machine, tmp_path, f"command: \"python3 -c '{server}' || (echo port {port} in use >&2; exit 1)\"")
        assert_facts(status, str(port), NODE, str(os.getpid()), "exit code 1")


def test_23_reason_has_the_exit_code_and_the_last_lines_of_stderr(machine, tmp_path):
    status = run(machine, tmp_path, "command: 'echo one >&2; echo the disk is on fire >&2; sleep 0.2; exit 7'")
    assert_facts(status, "worker:0", NODE, "exit code 7", "attempt 0", "the disk is on fire")
    assert re.search(r"after \d+ms|after 0\.\ds", status["reason"]), status["reason"]


@pytest.mark.parametrize("name", ["SIGSEGV", "SIGKILL", "SIGABRT", "SIGTERM"])
def test_24_killed_by_a_signal(machine, tmp_path, name):
    status = run(machine, tmp_path, f"command: 'kill -{name[3:]} $$'")
    assert_facts(status, "worker:0", name, str(signal.Signals[name].value), NODE, "attempt 0")


def test_26_killed_by_the_oom_killer(machine, tmp_path):
    """A file stands in for the kernel's log, and the task kills itself with SIGKILL as the kernel would."""
    log, script = tmp_path / "kern.log", tmp_path / "die.sh"
    log.touch()
    script.write_text(f'echo "Out of memory: Killed process $$ (bash) total-vm:8392044kB" >> {log}; kill -9 $$\n')
    status = run(machine, tmp_path, f"command: exec bash {script}", job=f"env: {{HOWDAH_KERNEL_LOG: {log}}}")
    assert_facts(status, "worker:0", "SIGKILL", f"killed by the kernel because {NODE} was out of memory",
                 "the node, not the container", "fewer or smaller tasks")


@pytest.fixture
def limited_cgroup():
    """A function for `preexec_fn` that puts the process into a new memory cgroup with a limit of 400 MiB."""
    mount = pathlib.Path("/sys/fs/cgroup")
    is_v1 = (mount / "memory").is_dir()
    line = next((c for c in pathlib.Path("/proc/self/cgroup").read_text().splitlines()
                 if (":memory:" in c if is_v1 else c.startswith("0::"))), "")
    group = mount / ("memory" if is_v1 else "") / line.split(":")[-1].lstrip("/") / f"howdah-test-{os.getpid()}"
    try:
        group.mkdir()
        (group / ("memory.limit_in_bytes" if is_v1 else "memory.max")).write_text(str(400 << 20))
    except OSError as why:
        if group.is_dir():
            group.rmdir()
        pytest.skip(f"cannot limit the memory of a new cgroup: {why}")
    yield lambda: (group / "cgroup.procs").write_text(str(os.getpid()))
    eventually(lambda: not (group / "cgroup.procs").read_text(), "the end of all processes in the cgroup")
    group.rmdir()


def test_25_killed_at_the_limit_of_its_cgroup(machine, tmp_path, limited_cgroup):
    """Only the kernel's counters show the cause, as on a node whose kernel log is readable for root only."""
    (tmp_path / "kern.log").touch()
    text = (f"name: j\nenv: {{HOWDAH_KERNEL_LOG: {tmp_path / 'kern.log'}}}\nroles:\n  worker:\n    memory: 200MiB\n"
            f"    command: [{sys.executable}, -c, 'b = bytearray(900 << 20); print(len(b))']\n")
    done = machine("run", machine.job_file(tmp_path, text), preexec_fn=limited_cgroup)
    assert done.code == 1, done
    status = machine.status(done.id)
    assert_facts(status, "worker:0", "SIGKILL", "because its cgroup on", NODE, "reached its memory limit", "200 MiB")


def test_27_reason_is_the_first_of_many_failures(machine, tmp_path):
    text = """
name: j
roles:
  worker:
    instances: 4
    memory: 16MiB
    command: |
      trap '' TERM
      sleep 0.3
      if [ $HOWDAH_TASK_INDEX = 2 ]; then exit 5; fi
      sleep 0.0$HOWDAH_TASK_INDEX; exit 1
"""
    status = Run(machine, tmp_path, text).end(1)
    failed = sorted((t["finished"], t["index"]) for t in status["tasks"] if t["state"] == "FAILED")
    assert_facts(status, f"worker:{failed[0][1]}")
    if len(failed) > 1:
        # The tasks of a plain job do not wait for each other, so no failure is a consequence of another failure.
        assert_facts(status, f"{len(failed) - 1} other", "failed, too")


TRACE = '''
def step(batch):
    return {"loss": 1}["lost"]

def main():
    for batch in range(3):
        step(batch)

main()
'''


def test_28_python_exception(machine, tmp_path, source):
    (source / "train.py").write_text(TRACE)
    status = run(machine, tmp_path, "command: python3 train.py", source)
    assert_facts(status, "KeyError", "'lost'", "train.py", "line 3", "exit code 1")


def test_28_reason_names_the_line_of_the_user_not_of_the_library(machine, tmp_path, source):
    (source / "train.py").write_text("import json\n\njson.loads('{not json')\n")
    assert_facts(run(machine, tmp_path, "command: python3 train.py", source), "JSONDecodeError", "train.py", "line 3")


@pytest.fixture
def one_gpu(tmp_path):
    """An environment in which the first nvidia-smi in PATH reports one GPU."""
    tool = tmp_path / "gpu" / "nvidia-smi"
    tool.parent.mkdir()
    tool.write_text("#!/bin/sh\ncase $1 in\n"
                    "*pci.bus_id*) echo '0, 90, 1024, 81920, 00000000:3B:00.0' ;;\n"
                    "*) echo '0, Test GPU, 81920' ;;\nesac\n")
    tool.chmod(0o755)
    return {"PATH": f"{tool.parent}:{os.environ['PATH']}"}


def gpu_job(machine, tmp_path, env, charge):
    """A job with one task. Its first attempt fails after the driver has logged an error of the task's GPU, and its
    second attempt succeeds."""
    log, go = tmp_path / "kern.log", tmp_path / "go"
    log.write_text("NVRM: Xid (PCI:0000:3b:00): 79, pid=1, of long ago\n")
    job = Run(machine, tmp_path, f"""
name: j
env: {{HOWDAH_KERNEL_LOG: {log}}}
timeouts: {{heartbeat: 5s}}
roles:
  worker:
    memory: 64MiB
    gpus: 1
    restart: {{charge_infrastructure: {charge}, backoff: 10ms}}
    command: |
      [ $HOWDAH_ATTEMPT = 0 ] || exit 0
      while [ ! -e {go} ]; do sleep 0.02; done
      echo "RuntimeError: CUDA error: unspecified launch failure" >&2; exit 1
""", env=env)
    # The query for the usage of a GPU also returns its PCI address. The executor searches the log for this address.
    machine.until(job.id, lambda s: (s["tasks"][0]["usage"] or {}).get("gpu"), "what its GPU does")
    with open(log, "a") as kernel:
        print("NVRM: Xid (PCI:0000:af:00): 48, pid=2, of another one's GPU", file=kernel)
        print("NVRM: Xid (PCI:0000:3b:00): 79, pid=812, name=python3, GPU has fallen off the bus.", file=kernel)
    go.touch()
    return job


def test_30_gpu_error_of_the_driver_log(machine, tmp_path, one_gpu):
    status = gpu_job(machine, tmp_path, one_gpu, "true").end(1)
    assert_facts(status, f"GPU 0 (PCI 0000:3b:00) on {NODE}", "Xid 79", "fallen off the bus", "CUDA error",
                 "nvidia-smi")
    assert "Xid 48" not in status["reason"], status


def test_30_gpu_failure_is_a_free_restart_and_the_node_is_avoided(machine, tmp_path, one_gpu):
    job = gpu_job(machine, tmp_path, one_gpu, "false")
    status = job.end()
    for said in (rf"GPU 0 \(PCI 0000:3b:00\) on {NODE} failed: Xid 79, the GPU has fallen off the bus",
                 f"{NODE} is avoided for 1d: a failure there was the node's fault"):
        job_reports.reported(machine, job.id, said, job.output)
    assert f"{NODE} is avoided for 1d" in status["advice"]
    assert status["tasks"][0]["attempt"] == 1


def test_33_am_died(machine, tmp_path):
    job = Run(machine, tmp_path, "name: j\nroles:\n  w: {instances: 2, memory: 16MiB, command: exec sleep 300}\n")
    machine.running(job.id)
    os.kill(machine.agents(job.id, "am")[1], signal.SIGKILL)
    job.reason("application master (attempt 0)", "SIGKILL", "attempt 1", "adopted 2 containers")
    assert machine.status(job.id)["state"] == "RUNNING"
    job.kill()


def test_34_time_limit(machine, tmp_path):
    checkpoints = tmp_path / "ckpt"
    status = run(machine, tmp_path, "command: 'echo > $HOWDAH_CHECKPOINT_DIR/step-12; "
                 "echo checkpoint 12 >> $HOWDAH_PROGRESS; exec sleep 300'",
                 job=f"timeouts: {{run: 1500ms}}\ncheckpoint: {{dir: {checkpoints}}}", code=4)
    assert_facts(status, "timeouts.run", "1500ms", "after", "step-12", "the last checkpoint was of step 12 (worker:0)")


def test_35_killed_by_a_user(machine, tmp_path):
    job = Run(machine, tmp_path, "name: j\nroles:\n  w: {memory: 16MiB, command: exec sleep 300}\n")
    machine.running(job.id)
    status = job.kill()
    assert_facts(status, "killed by", pwd.getpwuid(os.geteuid()).pw_name, NODE, "howdah kill", "after")
    assert status["finished"]

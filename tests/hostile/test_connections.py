"""Another user who can connect to an application master can neither end its service nor keep its owner out."""
import contextlib
import json
import os
import resource
import signal
import urllib.request

import pytest
from idle_connections import IdleConnections
from other_user import needs_root

CONNECTIONS = 1100

TWO = """
roles:
  worker: {instances: 2, memory: 64MiB, command: exec sleep 300, restart: {max: 3}}
"""


HOROVOD = """
framework: horovod
roles:
  worker: {instances: 2, memory: 64MiB, command: exec sleep 300}
"""


def usual_limit():
    resource.setrlimit(resource.RLIMIT_NOFILE, (1024, 1024))


@pytest.fixture(params=["held", "again"])
def attacked(request, machine, tmp_path):
    """A running job and a stranger with more idle connections to its AM than the AM has descriptors."""
    job = machine.submit(machine.job_file(tmp_path, TWO), preexec_fn=usual_limit)
    machine.running(job)
    address = json.loads((machine.home / "jobs" / job / "am.json").read_text())["address"]
    with IdleConnections(address, CONNECTIONS, again=request.param == "again") as stranger:
        yield job, stranger


@needs_root
def test_owner_can_run_commands_during_and_after_the_attack(attacked, machine):
    job, stranger = attacked
    during = machine("exec", job, "worker:0", "--", "echo", "hi")
    assert (during.code, during.stdout) == (0, "hi\n"), during
    stranger.close()
    after = machine("exec", job, "worker:1", "--", "echo", "hi")
    assert (after.code, after.stdout) == (0, "hi\n"), after
    # A new executor can connect to the AM.
    for pid, command in machine.alive(job).items():
        if "--index 1 " in command and "howdah-agent task" in command:
            with contextlib.suppress(ProcessLookupError):  # the executor ends with its guardian
                os.kill(pid, signal.SIGKILL)
    machine.until(job, lambda s: any(t["index"] == 1 and t["attempt"] == 1 and t["state"] == "RUNNING"
                                     for t in s["tasks"]), "the second attempt of worker:1")
    machine("kill", job)
    machine.assert_clean(job)


@needs_root
def test_kill_ends_the_job_during_the_attack(attacked, machine):
    job, _ = attacked
    done = machine("kill", job)
    assert done.code == 0, done
    assert machine.status(job)["state"] == "KILLED"
    machine.assert_clean(job)


@needs_root
@pytest.mark.parametrize("again", [False, True], ids=["held", "again"])
def test_rendezvous_serves_the_ranks_during_the_attack(machine, tmp_path, again):
    job = machine.submit(machine.job_file(tmp_path, HOROVOD))
    machine.running(job)
    asked = machine("exec", job, "worker:0", "--", "bash", "-c",
                    "echo $HOROVOD_GLOO_RENDEZVOUS_ADDR:$HOROVOD_GLOO_RENDEZVOUS_PORT")
    address = asked.stdout.strip()
    with IdleConnections(address, CONNECTIONS, again=again):
        for rank in range(6):
            put = urllib.request.Request(f"http://{address}/global/{rank}", data=b"value", method="PUT")
            with urllib.request.urlopen(put, timeout=30) as answer:
                assert answer.status == 200
    assert machine("kill", job).code == 0

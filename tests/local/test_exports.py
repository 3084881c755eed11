"""Variables that a role exports to the roles that start after it has finished."""
import os
import signal

from machine import eventually

STAGES = """
name: stages
roles:
  prepare: {{kind: setup, memory: 16MiB, command: "echo x; printf 'p=1 2\\np=3'", exports: {{P: p=, Q: q=}}}}
  first: {{memory: 16MiB, command: "while [ ! -e {go} ]; do sleep 0.02; done; echo n=5; echo $P", exports: {{N: n=}}}}
  second:
    memory: 16MiB
    after: [{{role: first, finished: true}}]
    env: {{N: mine}}
    command: echo "$P $N ${{Q-unset}}"
"""


def test_exports_survive_a_killed_application_master(machine, tmp_path):
    job = machine.submit(machine.job_file(tmp_path, STAGES.format(go=tmp_path / "go")))
    machine.until(job, lambda s: s["tasks"][1]["state"] == "RUNNING", "the first stage")
    am = machine.agents(job, "am")[1]
    os.kill(am, signal.SIGKILL)
    eventually(lambda: len(agents := machine.agents(job, "am")) == 2 and am not in agents, "another AM")
    (tmp_path / "go").touch()
    assert machine("wait", job).code == 0, machine.status(job)
    assert machine.log(job, "first:0") == "n=5\n1 2\n"
    assert machine.log(job, "second:0") == "1 2 mine unset\n"


def test_a_failed_export_fails_its_task(machine, tmp_path):
    job = machine.submit(machine.job_file(tmp_path, """
name: huge
roles:
  prepare: {kind: setup, memory: 16MiB, command: "printf p=; printf v%.0s {1..70000}", exports: {P: p=}}
  worker: {memory: 16MiB, command: "true"}
"""))
    assert machine("wait", job).code == 1
    status = machine.status(job)
    assert "prepare:0 failed with exit code 0" in status["reason"], status
    assert "the limit for all exported variables together is 64 KiB" in status["reason"], status
    assert "to a file that all tasks can read" in status["advice"]
    assert machine.task(job, "worker", 0)["state"] == "STOPPED"

"""A low soft limit of open files limits neither agents nor the size of a job. The programs of tasks inherit it."""
import resource

SOFT = 64

MANY = """
roles:
  worker: {instances: 40, memory: 16MiB, command: ulimit -Sn}
"""
ONE = """
roles:
  worker: {memory: 64MiB, command: exec sleep 300}
"""


def low_limit():
    resource.setrlimit(resource.RLIMIT_NOFILE, (SOFT, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))


def test_low_soft_limit_does_not_limit_the_job_and_is_kept_by_tasks(machine, tmp_path):
    done = machine("run", machine.job_file(tmp_path, MANY), preexec_fn=low_limit)
    assert done.code == 0, done
    for index in range(40):
        assert machine.log(done.id, f"worker:{index}") == f"{SOFT}\n"


def test_commands_of_exec_get_the_soft_limit_of_the_submission(machine, tmp_path):
    job = machine.submit(machine.job_file(tmp_path, ONE), preexec_fn=low_limit)
    machine.running(job)
    done = machine("exec", job, "worker:0", "--", "bash", "-c", "ulimit -Sn")
    assert done.code == 0 and done.stdout == f"{SOFT}\n", done
    machine("kill", job)

"""TonY's own end-to-end scenarios, run by `howdah tony` on every backend. Each backend has its own fixture `machine`.

The number in the name of a test (`test_tony_1_…`) is the number of TonY's scenario. The flags are TonY's, and the
scripts do the same as TonY's scripts. Three scenarios did not test what TonY meant to test, and are corrected here:
scenario 2 failed because a variable was missing, the failing worker of scenario 13 was the chief, and the driver of
scenario 22 had no command."""
import datetime
import json
import os
import re
import signal
import urllib.request
import zipfile

import pytest

from machine import DEADLINE_S, ROOT, eventually

SCRIPTS = ROOT / "tests/tony/scripts"
PYTHON = "/usr/bin/python3"
# Flags that most scenarios share: sources, interpreter, variables of tasks and of containers, class path.
S, P = ("--src_dir", SCRIPTS), ("--python_binary_path", PYTHON)
E, K = ("--shell_env", "ENV_CHECK=ENV_CHECK"), ("--container_env", "SKIP_HADOOP_PATH=true")
L = ("--hdfs_classpath", "/yarn/lib")


def roles(**instances):
    """Flags for the number of tasks of each role, with 64 MiB of memory for each task."""
    conf = [f"tony.{role}.{key}" for role, n in instances.items() for key in (f"instances={n}", "memory=64m")]
    return ("--conf", "tony.application.security.enabled=false", *(w for c in conf for w in ("--conf", c)))


def conf(*settings):
    return tuple(word for setting in settings for word in ("--conf", setting))


def command(machine, *flags, submitter="ClusterSubmitter"):
    return ("tony", submitter, "--on", machine.env["HOWDAH_ON"], "-conf", "tony.am.memory=256m", *flags)


def run(machine, *flags, **kwargs):
    return machine(*command(machine, *flags), **kwargs)


def states(machine, job):
    return {f"{t['role']}:{t['index']}": t["state"] for t in machine.status(job)["tasks"]}


def running(machine):
    """Waits until all tasks of the only job run; returns its id."""
    jobs = eventually(lambda: json.loads(machine("list", "--json").stdout or "[]"), "the job")
    machine.running(jobs[0]["id"])
    return jobs[0]["id"]


@pytest.fixture(scope="session")
def archives(tmp_path_factory):
    """A folder with common.zip, test.zip and test2.zip, which contain one file each."""
    folder = tmp_path_factory.mktemp("archives")
    for name in ("common", "test", "test2"):
        with zipfile.ZipFile(folder / f"{name}.zip", "w") as archive:
            archive.writestr("123.xml", "<x/>")
    return folder


def test_tony_1_a_single_node_job_succeeds(machine):
    done = run(machine, *S, *L, *P, *E, *K, "--executes", "check_env.py")
    assert done.code == 0, done
    assert states(machine, done.id) == {"driver:0": "SUCCEEDED"}
    machine.assert_clean(done.id)  # also scenario 12: client and job leave nothing behind


def test_backend_is_taken_from_the_environment(machine):
    words = [word for word in command(machine, *S, *P, *E, *K, "--executes", "check_env.py")
             if word not in ("--on", machine.env["HOWDAH_ON"])]
    done = machine(*words)
    assert done.code == 0 and "--on" not in words, done
    assert done.id.startswith("application_") == (machine.env["HOWDAH_ON"] == "yarn"), done


def test_tony_2_missed_heartbeats_fail_the_job(machine):
    client = machine.start(*command(machine, *S, *P, *K, "-executes", "sleep_long.py", *roles(worker=1), *conf(
        "tony.task.max-missed-heartbeats=2", "tony.task.heartbeat-interval-ms=500")))
    job = running(machine)
    executor = machine.agents(job, "task")[-1]
    os.kill(executor, signal.SIGSTOP)
    try:
        assert client.wait(60) == 1
    finally:
        try:
            os.kill(executor, signal.SIGCONT)
        except ProcessLookupError:
            pass
    client.communicate()
    assert "timeouts.heartbeat" in machine.status(job)["reason"]


def test_tony_4_the_venv_is_unpacked(machine, archives):
    done = run(machine, *S, *E, *K, *L, "--python_venv", archives / "test.zip", "--executes",
               f"{PYTHON} check_venv.py", *roles(worker=1))
    assert done.code == 0, done


def test_tony_5_pytorch_variables_are_set(machine):
    done = run(machine, *S, *P, *E, *K, "--executes", "check_pytorch.py",
               *roles(ps=0, worker=2), *conf("tony.application.framework=pytorch"))
    assert done.code == 0, done
    assert [machine.log(done.id, f"worker:{i}").splitlines()[:2] for i in (0, 1)] == [
        ["RANK 0", "WORLD 2"], ["RANK 1", "WORLD 2"]]


def test_tony_6_a_failing_ps_and_worker_fail_the_job(machine):
    done = run(machine, *S, *P, *K, "-executes", "fail.py", *roles(ps=1, worker=1))
    assert done.code == 1, done
    assert "exit code 1" in machine.status(done.id)["reason"]


def test_tony_7_a_failed_program_fails_a_single_node_job(machine):
    done = run(machine, *S, *P, *K, "-executes=fail.py")
    assert done.code == 1, done


def test_tony_8_a_dead_application_master_fails_the_job(machine):
    client = machine.start(*command(machine, *S, *P, *K, "-executes", "sleep_long.py", *roles(worker=1)))
    job = running(machine)

    def dead():
        for pid in machine.agents(job, "am"):
            if client.poll() is None:
                try:
                    os.kill(pid, signal.SIGKILL)
                except (ProcessLookupError, PermissionError):
                    pass
        return client.poll() is not None
    eventually(dead, "the end of the client")
    client.communicate()
    assert client.returncode == 1
    machine.assert_clean(job)  # also scenario 32: executors without an application master end their tasks and exit


def test_tony_10_the_training_stage_starts_when_the_prepare_stage_has_ended(machine):
    done = run(machine, *S, *P, *K, "-executes", "succeed.py", *roles(worker=1, ps=1, db=1, dbloader=1), *conf(
        "tony.application.prepare-stage=dbloader,db", "tony.application.training-stage=ps,worker"))
    assert done.code == 0, done
    tasks = {t["role"]: t for t in machine.status(done.id)["tasks"]}
    ended = max(tasks[role]["finished"] for role in ("dbloader", "db"))
    assert all(tasks[role]["started"] >= ended for role in ("ps", "worker")), tasks
    events = [json.loads(line) for line in machine("events", done.id, "--json").stdout.splitlines()]
    order = [(e["type"], e["role"]) for e in events if e["type"] in ("TaskStarted", "TaskExited")]
    ends = max(order.index(("TaskExited", role)) for role in ("dbloader", "db"))
    assert all(order.index(("TaskStarted", role)) > ends for role in ("ps", "worker")), order
    # The waiting roles must not hold containers, either.
    order = [(e["type"], e["role"]) for e in events if e["type"] in ("TaskAllocated", "TaskExited")]
    ends = max(order.index(("TaskExited", role)) for role in ("dbloader", "db"))
    assert all(order.index(("TaskAllocated", role)) > ends for role in ("ps", "worker")), order


def test_tony_13_a_failed_worker_other_than_the_chief_is_tolerated(machine):
    flags = (*S, *P, *K, "-executes", "fail_as_worker_1.py", *roles(worker=2))
    done = run(machine, *flags)
    assert done.code == 0, done
    assert states(machine, done.id) == {"worker:0": "SUCCEEDED", "worker:1": "FAILED"}
    done = run(machine, *flags, *conf("tony.application.fail-on-worker-failure-enabled=true"))
    assert done.code == 1, done


def test_tony_15_tb_port_is_set_in_the_chief_alone(machine):
    done = run(machine, *S, *K, "-executes", f"{PYTHON} check_tb_port_in_chief_only.py",
               *roles(chief=1, ps=1, worker=1))
    assert done.code == 0, done


def test_tony_16_a_standalone_job_succeeds(machine):
    done = run(machine, *S, *P, *K, "-executes", "succeed.py", *roles(worker=1), *conf(
        "tony.application.framework=standalone"))
    assert done.code == 0, done


def test_tony_17_a_standalone_job_has_one_task(machine):
    before = machine.jobs()
    done = run(machine, *S, *P, *K, "-executes", "succeed.py", *roles(worker=1, slave=1), *conf(
        "tony.application.framework=standalone"))
    assert done.code == 2 and "a standalone job has exactly 1 task, but this one has 2" in done.stderr, done
    assert machine.jobs() == before


def test_tony_19_each_role_runs_its_own_command(machine, archives):
    done = run(machine, *S, *E, *K, "-python_venv", archives / "test.zip", *roles(ps=1, worker=1), *conf(
        f"tony.ps.command={PYTHON} sleep_long.py", f"tony.worker.command={PYTHON} check_venv.py"))
    assert done.code == 0, done
    assert states(machine, done.id) == {"worker:0": "SUCCEEDED", "ps:0": "STOPPED"}


def test_tony_20_an_untracked_task_that_crashes_ends_the_job(machine):
    done = run(machine, *S, *K, *roles(ps=1, worker=1), *conf(
        f"tony.ps.command={PYTHON} fail.py", f"tony.worker.command={PYTHON} sleep_long.py",
        "tony.application.untracked.jobtypes=ps"))
    assert done.code == 1, done
    assert states(machine, done.id) == {"worker:0": "STOPPED", "ps:0": "FAILED"}


def test_tony_22_a_driver_of_horovod_that_crashes_ends_the_job(machine):
    done = run(machine, *S, *K, *roles(worker=1), *conf(
        "tony.application.framework=horovod", f"tony.worker.command={PYTHON} sleep_long.py",
        "tony.horovod.mode.test.fast.fail=true", "tony.driver.memory=64m"))
    assert done.code == 1, done
    assert states(machine, done.id) == {"worker:0": "STOPPED", "driver:0": "FAILED"}


def test_tony_23_horovod_variables_are_set(machine):
    done = run(machine, *S, *P, *K, "-executes", "horovod_variables.py", *roles(worker=2), *conf(
        "tony.application.framework=horovod", "tony.horovod.mode.test=true"))
    assert done.code == 0, done


def own_driver(machine, driver, worker):
    return run(machine, *S, *K, *roles(worker=2), *conf(
        "tony.application.framework=horovod", f"tony.worker.command={PYTHON} {worker}",
        "tony.horovod.driver.mode.debug=true", f"tony.driver.command={PYTHON} {driver}", "tony.driver.memory=64m"))


def test_ranks_come_from_the_plan_of_the_users_own_driver(machine):
    done = own_driver(machine, "horovod_driver.py", "show_ranks.py")
    assert done.code == 0, done
    assert states(machine, done.id) == {"worker:0": "SUCCEEDED", "worker:1": "SUCCEEDED", "driver:0": "STOPPED"}
    shown = [machine.log(done.id, f"worker:{index}", "--stdout").split() for index in (0, 1)]
    assert [line[0] for line in shown] == ["4321", "4321"], shown
    assert sorted(line[1] for line in shown) == ["0", "1"], shown
    if all(line[4] == "2" for line in shown):  # on one host: the driver assigns ranks in reverse order
        assert [line[1:] for line in shown] == [["1", "2", "0", "2"], ["0", "2", "1", "2"]]


def test_the_users_own_driver_that_fails_ends_the_job(machine):
    done = own_driver(machine, "horovod_driver.py fail", "sleep_long.py")
    assert done.code == 1 and "driver: out of cheese" in done.stderr, done
    assert states(machine, done.id)["driver:0"] == "FAILED"


def test_a_plan_of_the_driver_without_slots_fails_the_job(machine):
    done = own_driver(machine, "horovod_driver.py no-slots", "show_ranks.py")
    assert done.code == 1 and "the driver's plan has 0 slots on" in done.stderr, done


def test_tony_25_unsatisfiable_request_fails(machine):
    done = run(machine, *S, *E, *K, "-executes", f"{PYTHON} check_venv.py", *conf(
        "tony.worker.instances=10000", "tony.worker.memory=2g", "tony.container.allocation.timeout=1000"))
    assert done.code == 3, done


def test_tony_27_tensorboard_runs_beside_the_job(machine, tmp_path):
    done = run(machine, *S, *K, "-executes", f"{PYTHON} check_no_tb_port_in_chief.py", *roles(chief=1, ps=1, worker=2),
               "--sidecar_tensorboard_log_dir", tmp_path / "logs")
    assert done.code == 0, done
    own = run(machine, *S, *K, "-executes", f"{PYTHON} check_no_tb_port_in_chief.py", *roles(chief=1, ps=1, worker=2),
              "--sidecar_tensorboard_log_dir", tmp_path / "logs", *conf(
                  "tony.tensorboard.command=test -n \"$TB_PORT\" && exec sleep 300", "tony.tensorboard.memory=64m"))
    assert own.code == 0, own
    assert states(machine, own.id)["tensorboard:0"] == "STOPPED", own


def test_tony_28_workers_still_running_after_the_chief_fail_the_job(machine):
    flags = (*S, *K, "-executes", f"{PYTHON} succeed.py", *roles(chief=1, worker=2), *conf(
        f"tony.worker.command={PYTHON} sleep_long.py", "tony.application.group.A=chief",
        "tony.application.dependency.worker.timeout.after.A=1"))
    done = run(machine, *flags)
    assert done.code == 1, done
    reason = machine.status(done.id)["reason"]
    assert reason == "2 tasks of worker still ran 1s after all tasks of chief had ended (outlive)", reason
    ignored = conf("tony.application.dependency.worker.timeout.after.A.ignored=true")
    done = run(machine, *flags, *ignored)
    assert done.code == 0, done


def test_tony_28_ignored_worker_that_fails_later_fails_the_job(machine, tmp_path):
    """TonY's testTaskWithDependencyTimeAndIgnoredButFailedShouldPass: the time limit only removes the role from the
    tasks that the job waits for. If it is in stop-on-failure-jobtypes, its failure still fails the job."""
    fail = f"bash -c 'until [ -e {tmp_path}/go ]; do sleep 0.1; done; exit 7'"
    client = machine.start(*command(machine, *S, *K, "-executes", f"{PYTHON} succeed.py", *roles(chief=1, other=1,
                                                                                             worker=1), *conf(
        f"tony.worker.command={fail}", f"tony.other.command={PYTHON} sleep_long.py",
        "tony.application.group.A=chief", "tony.application.dependency.worker.timeout.after.A=1",
        "tony.application.dependency.worker.timeout.after.A.ignored=true",
        "tony.application.stop-on-failure-jobtypes=worker")))
    job = eventually(lambda: json.loads(machine("list", "--json").stdout or "[]"), "the job")[0]["id"]
    chief = machine.until(job, lambda s: s["tasks"] and s["tasks"][0]["finished"], "the end of the chief")["tasks"][0]
    limit = datetime.datetime.fromisoformat(chief["finished"]) + datetime.timedelta(seconds=1)
    # The failure counts as the failure of a role that the job no longer waits for only after the limit.
    eventually(lambda: datetime.datetime.now(datetime.timezone.utc) > limit, "the end of the dependency time-out")
    (tmp_path / "go").touch()
    stdout, stderr = client.communicate(timeout=DEADLINE_S)
    assert client.returncode == 1, stderr
    status = machine.status(job)
    assert "worker:0" in status["reason"] and "exit code 7" in status["reason"], status


def test_a_notebook_is_reachable(machine):
    client = machine.start(*command(machine, *S, *P, *K, "-executes", "serve.py", submitter="NotebookSubmitter"))
    line = ""
    while "the notebook is at" not in line:
        line = client.stderr.readline()
        assert line, client.communicate()
    url = re.search(re.escape("http://127.0.0.1:") + r"\d+/", line).group(0)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def answer():
        try:
            with opener.open(url + "lab?x=1", timeout=DEADLINE_S) as page:
                return page.read().decode()
        except OSError:  # the notebook does not listen yet
            return ""
    assert eventually(answer, "the notebook") == "notebook /lab?x=1"
    assert states(machine, machine.status()["id"]) == {"notebook:0": "RUNNING"}
    client.send_signal(signal.SIGINT)
    client.communicate(timeout=DEADLINE_S)
    assert client.returncode == 4
    machine.assert_clean(machine.status()["id"])


def test_resources_of_a_role_reach_only_its_tasks(machine, archives):
    done = run(machine, *K, *roles(chief=1, worker=1), *conf(
        f"tony.containers.resources={archives}/common.zip", f"tony.worker.resources={archives}/test.zip",
        f"tony.chief.resources={archives}/test.zip::x#archive", "tony.chief.command=ls . x",
        "tony.worker.command=ls"))
    assert done.code == 0, done
    assert machine.log(done.id, "worker:0").split() == ["common.zip", "test.zip"]
    assert machine.log(done.id, "chief:0").split() == [".:", "common.zip", "x", "x:", "123.xml"]


def printed(machine, tmp_path, *flags, **kwargs):
    """The job file that --print-job prints, and the job that `plan --json` shows for it."""
    done = run(machine, *flags, "--print-job", **kwargs)
    assert done.code == 0, done
    path = machine.job_file(tmp_path, done.stdout)
    plan = machine("plan", path, "--json")
    assert plan.code == 0, plan
    return done.stdout, json.loads(plan.stdout)["job"]


def test_tony_33_the_final_configuration_contains_all_flags(machine, archives, tmp_path):
    _, job = printed(
        machine, tmp_path, "--executes", "ls", "--shell_env", "TEST1=test", *K, *roles(worker=1), *conf(
            "tony.worker.command=cat", f"tony.containers.resources={archives}/common.zip",
            f"tony.containers.resources={archives}/test.zip", f"tony.history.location={tmp_path}/history"))
    final = {name: v if isinstance(v, str) else v["value"] for name, v in job["history"]["configuration"].items()}
    assert final["tony.containers.command"] == "ls"
    assert final["tony.containers.envs"] == "SKIP_HADOOP_PATH=true"
    assert final["tony.execution.envs"] == "TEST1=test"
    assert final["tony.worker.command"] == "cat"
    assert final["tony.containers.resources"] == f"{archives}/common.zip,{archives}/test.zip"
    assert job["roles"]["worker"]["command"] == "cat"


def test_tony_34_a_missing_class_path_is_ignored(machine):
    done = run(machine, *S, *P, *K, "--hdfs_classpath", "hdfs:///random/path,/yarn/lib", "-executes", "succeed.py",
               *roles(worker=1))
    assert done.code == 0, done

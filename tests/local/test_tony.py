"""TonY's jobs on the local backend: TonY's own scenarios and further cases."""
import json
from xml.etree import ElementTree

import pytest

from tony_cases import *  # noqa: F403
from tony_cases import E, K, P, PYTHON, S, SCRIPTS, conf, printed, roles, run, states


def test_resources_of_every_kind_are_localized(machine, archives, tmp_path):
    (tmp_path / "remote.txt").write_text("x")
    done = run(machine, *S, *K, "-executes", f"{PYTHON} check_archives.py", *roles(worker=1), *conf(
        f"tony.containers.resources={archives}/common.zip",
        f"tony.containers.resources={archives}/test.zip::other.zip",
        f"tony.worker.resources={archives}/test2.zip#archive,file://{tmp_path}/remote.txt"))
    assert done.code == 0, done


def test_the_environment_equals_tonys(machine, tmp_path):
    done = run(machine, *S, *P, *K, "-executes", "show_env.py", "-shell_env", "A=1,2",
               *roles(chief=1, worker=2, ps=0, evaluator=1))
    assert done.code == 0, done
    of = {task: json.loads(machine.log(done.id, task)) for task in ("chief:0", "worker:1", "evaluator:0")}
    worker = of["worker:1"]
    tony = {"appid": done.id, "JOB_ID": done.id, "JOB_NAME": "worker", "TASK_INDEX": "1", "TASK_NUM": "4",
            "DISTRIBUTED_MODE": "GANG", "SESSION_ID": "0", "ATTEMPT_NUMBER": "0", "A": "1,2"}
    assert {name: worker.get(name) for name in tony} == tony
    assert "IS_CHIEF" not in worker and of["chief:0"]["IS_CHIEF"] == "true"
    assert set(json.loads(worker["CLUSTER_SPEC"])) == {"chief", "worker", "evaluator"}
    config = json.loads(worker["TF_CONFIG"])
    assert config["task"] == {"type": "worker", "index": 1}
    assert set(config["cluster"]) == {"chief", "worker"}
    assert set(json.loads(of["evaluator:0"]["TF_CONFIG"])["cluster"]) == {"chief", "worker", "evaluator"}


def test_a_failed_session_is_retried_up_to_retry_count_times(machine):
    flags = (*S, *P, *K, "-executes", "fail_first_session.py", *roles(worker=2))
    assert run(machine, *flags).code == 1
    done = run(machine, *flags, *conf("tony.am.retry-count=1"))
    assert done.code == 0, done
    assert "retries 1\n" in machine.log(done.id, "worker:1")


def test_preprocessing_runs_before_the_tasks(machine, tmp_path):
    done = run(machine, *S, *P, *K, "-executes", "check_after_preprocess.py", "-shell_env", f"MARKER={tmp_path}/marker",
               *roles(worker=2), *conf("tony.application.enable-preprocess=true"))
    assert done.code == 0, done
    assert states(machine, done.id)["preprocess:0"] == "SUCCEEDED"
    worker = next(t for t in machine.status(done.id)["tasks"] if t["role"] == "worker")
    assert worker["ranks"] == [0]


def test_output_of_preprocessing_reaches_the_tasks(machine):
    flags = (*S, *P, *K, "-executes", "pass_parameters.py", *roles(worker=2, evaluator=1))
    done = run(machine, *flags, *conf("tony.application.enable-preprocess=true"))
    assert done.code == 0, done
    for task in ("worker:0", "worker:1", "evaluator:0"):
        assert machine.log(done.id, task) == 'params {"lr": 0.1, "layers": [3, 2]}\n'
    done = run(machine, *flags)
    assert machine.log(done.id, "worker:0") == "params (none)\n"


def test_execution_timeout_fails_the_job(machine):
    done = run(machine, *S, *P, *K, "-executes", "sleep_long.py", *roles(worker=1), *conf(
        "tony.task.executor.execution-timeout-ms=1000"))
    assert done.code == 1, done
    assert "worker:0 ran longer than its `timeout` of 1s" in machine.status(done.id)["reason"]


def test_application_timeout_fails_the_job(machine):
    done = run(machine, *S, *P, *K, "-executes", "sleep_long.py", *roles(worker=1), *conf(
        "tony.application.timeout=1000"))
    assert done.code == 4, done


def test_fcfs_mode_starts_tasks_without_a_gang(machine):
    done = run(machine, *S, *P, *K, "-executes", "show_env.py", *roles(worker=2), *conf(
        "tony.application.distributed-mode=FCFS"))
    assert done.code == 0, done
    env = json.loads(machine.log(done.id, "worker:1"))
    assert env["DISTRIBUTED_MODE"] == "FCFS" and "TF_CONFIG" not in env


def test_limits_are_checked_before_anything_is_submitted(machine):
    done = run(machine, *S, *P, *K, "-executes", "succeed.py", *roles(worker=2), *conf(
        "tony.worker.max-instances=1", "tony.task.max-total-instances=1"))
    assert done.code == 2 and done.stderr.count("lower") == 2, done
    assert machine.jobs() == []


def test_the_printed_job_runs_with_the_same_result(machine, tmp_path):
    text, job = printed(machine, tmp_path, *S, *P, *E, *K, "-executes", "check_env.py", *roles(worker=2, ps=1), *conf(
        "tony.task.executor.jvm.opts=-Xmx1g"))
    assert "# tony.task.executor.jvm.opts (-conf) has no effect: Howdah runs no JVM\n" in text
    assert job["roles"]["worker"]["on_failure"] == "ignore_others"
    done = machine("run", tmp_path / "job.yaml")
    assert done.code == 0, done
    assert [states(machine, done.id)[f"worker:{i}"] for i in (0, 1)] == ["SUCCEEDED", "SUCCEEDED"]


def test_later_sources_of_the_configuration_override_earlier_ones(machine, tmp_path):
    def xml(path, **values):
        text = "".join(f"<property><name>tony.{k.replace('_', '.')}</name><value>{v}</value></property>"
                       for k, v in values.items())
        path.write_text(f"<configuration>{text}</configuration>")
        return path
    site = tmp_path / "site"
    site.mkdir()
    xml(site / "tony-site.xml", worker_memory="65m", yarn_queue="default")
    xml(tmp_path / "tony.xml", worker_instances=1, worker_memory="64m", application_name="here")
    own = xml(tmp_path / "own.xml", worker_instances=2, worker_memory="64m")

    def job(*flags):
        return printed(machine, tmp_path, "-executes", "true", *flags, cwd=tmp_path,
                       env={"TONY_CONF_DIR": str(site), "CLASSPATH": ""})[1]
    of_here = job()
    assert (of_here["name"], of_here["roles"]["worker"]["instances"]) == ("here", 1)
    assert of_here["roles"]["worker"]["memory"] == "65MiB"
    of_file = job("-conf_file", own)
    assert (of_file["name"], of_file["roles"]["worker"]["instances"]) == ("TensorFlowApplication", 2)
    assert job("-conf", "tony.worker.memory=66m")["roles"]["worker"]["memory"] == "66MiB"


def test_mistakes_are_refused_before_submission(machine):
    done = run(machine, *S, "-exectues", "x", "-conf", "tony.worker.instances=2")
    assert done.code == 2 and "did you mean '-executes'?" in done.stderr, done
    done = run(machine, *S, *roles(worker=1))
    assert done.code == 2 and "role worker has no command" in done.stderr, done
    done = run(machine, "--src_dir", "/nowhere", "-executes", "x", *roles(worker=1))
    assert done.code == 2 and "no such file or directory: '/nowhere'" in done.stderr, done
    assert machine.jobs() == []


def test_history_is_kept_where_tony_keeps_it(machine, tmp_path):
    (tmp_path / "history/intermediate").mkdir(parents=True)
    done = run(machine, *S, *P, *K, "-executes", "succeed.py", "-shell_env", "A=1", *roles(worker=1), *conf(
        f"tony.history.location={tmp_path}/history"))
    assert done.code == 0, done
    folder, = (tmp_path / "history/intermediate").iterdir()
    xml = ElementTree.parse(folder / "tony-final.xml")
    final = {p.findtext("name"): p.findtext("value") for p in xml.iter("property")}
    assert final["tony.worker.instances"] == "1" and final["tony.execution.envs"] == "A=1"
    assert final["tony.task.heartbeat-interval-ms"] == "1000"
    assert [p.name for p in folder.glob("*-SUCCEEDED.jhist")]


# The configuration and flags of TonY's examples, with short scripts. tests/frameworks runs real trainings.
EXAMPLES = {
    "mnist-tensorflow": ({"tony.application.security.enabled": "false"}, "succeed.py",
                         ["--task_params=--steps 1000 --data_dir /tmp/data --working_dir /tmp/model"], {"driver"}),
    "mnist-pytorch": ({"tony.application.security.enabled": "false", "tony.ps.instances": "0",
                       "tony.worker.instances": "2", "tony.application.framework": "pytorch"}, "check_pytorch.py", [],
                      {"worker"}),
    "horovod-on-tony": ({"tony.worker.instances": "4", "tony.worker.memory": "3g", "tony.docker.enabled": "true",
                         "tony.docker.containers.image": "docker.io/bigdata/horovod-test-1:v1",
                         "tony.application.framework": "horovod"}, "horovod_variables.py", [], {"worker"}),
    "linearregression-mxnet": ({"tony.application.security.enabled": "false", "tony.scheduler.instances": "1",
                                "tony.server.instances": "2", "tony.ps.instances": "0", "tony.worker.instances": "2",
                                "tony.worker.vcores": "2", "tony.worker.memory": "4G",
                                "tony.application.framework": "mxnet",
                                "tony.application.name": "mxnet - linearregression"}, "mxnet_variables.py", [],
                               {"scheduler", "server", "worker"}),
}


@pytest.mark.parametrize("example", EXAMPLES)
def test_stock_configuration_of_tonys_examples_succeeds(machine, tmp_path, example):
    values, script, flags, names = EXAMPLES[example]
    config = tmp_path / "tony-test.xml"
    config.write_text("<configuration>" + "".join(
        f"<property><name>{name}</name><value>{value}</value></property>" for name, value in values.items()) +
        "</configuration>")
    done = run(machine, f"--src_dir={SCRIPTS}", f"--executes={script}", f"--conf_file={config}",
               f"--python_binary_path={PYTHON}", *flags, *(f for n in names for f in conf(f"tony.{n}.memory=64m")))
    assert done.code == 0, done
    assert {task.split(":")[0] for task in states(machine, done.id)} == names

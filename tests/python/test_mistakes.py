"""Mistakes of users: each test reads the message."""

import os
import pathlib
import sys
import threading

import pytest

import howdah

pytestmark = pytest.mark.usefixtures("machine")


def message(call, error):
    with pytest.raises(error) as caught:
        call()
    return str(caught.value)


def test_function_that_cannot_be_pickled_names_the_object():
    lock = threading.Lock()
    model = {"layers": [1, lock]}

    def train():
        return model

    text = message(lambda: howdah.submit(train), howdah.PicklingError)
    assert text.endswith("; create the object inside the function, or pass the values from which it is made")
    assert "train() cannot be sent: the item 1 of the item 'layers' of the variable 'model' of " in text
    assert "is an object of the type _thread.lock (cannot pickle '_thread.lock' object)" in text
    text = message(lambda: howdah.run(print, args=(1, lock)), howdah.PicklingError)
    assert "print() cannot be sent: the item 1 of args is an object of the type _thread.lock" in text
    assert howdah.jobs(all=True) == []


def test_result_that_cannot_be_pickled_fails_its_rank():
    def train():
        import threading

        return {"rank": 0, "lock": threading.Lock()}

    text = message(lambda: howdah.run(train, follow=False), howdah.JobFailed)
    assert "train() cannot be pickled: the item 'lock' of the result is an object of the type _thread.lock" in text
    assert "write the object to a file and return the file's path" in text


def test_result_that_is_too_large_fails_its_rank():
    text = message(lambda: howdah.run(lambda: bytes(65 << 20), follow=False), ValueError)
    assert (
        "has 65.0 MiB, and the limit is 64 MiB: write it to a file that outlives the task, and return the file's path"
        in text
    )


def test_other_version_of_python_is_named_before_the_function_is_unpickled(monkeypatch):
    from howdah import _submit

    encode = _submit._calls.encode_call
    monkeypatch.setattr(_submit._calls, "encode_call", lambda call: encode(call._replace(python=(3, 9), payload=b"x")))
    text = message(lambda: howdah.run(lambda: 0, follow=False), howdah.JobFailed)
    here = ".".join(map(str, sys.version_info[:2]))
    assert (
        f"the function was pickled by Python 3.9, and worker:0 on {os.uname().nodename} has {here}; "
        'give python="pack"'
        in text
    )


def test_missing_cloudpickle_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "cloudpickle", None)
    text = message(lambda: howdah.submit(lambda: 0), ModuleNotFoundError)
    assert text == "howdah needs the package cloudpickle: pip install cloudpickle"


def test_missing_module_is_named():
    pathlib.Path("helper_here.py").write_text("value = 1\n")
    sys.path.insert(0, os.getcwd())
    try:
        import helper_here

        text = message(lambda: howdah.run(lambda: helper_here.value, code=None, follow=False), ModuleNotFoundError)
    finally:
        sys.path.pop(0)
        sys.modules.pop("helper_here", None)
    assert (
        f"needs the module 'helper_here', which worker:0 on {os.uname().nodename} does not have: send its code with "
        in text
    )


@pytest.mark.parametrize(
    "call, text",
    [
        (
            lambda: howdah.run(print, worker=4),
            "howdah.run() got an unexpected keyword argument 'worker'; did you mean 'workers'?",
        ),
        (lambda: howdah.submit(print, memroy="1GiB"), "did you mean 'memory'?"),
        (lambda: howdah.plan(print, follow=False), "howdah.plan() got an unexpected keyword argument 'follow'"),
        (lambda: howdah.job(gpu=1), "did you mean 'gpus'?"),
        (lambda: howdah.run(print, dta={}), "did you mean 'data'?"),
        (lambda: howdah.run({"worker": howdah.Role(print)}, workers=2), "workers= belongs to each Role"),
        (lambda: howdah.run({"worker": print}), "a map from names to howdah.Role objects"),
        (lambda: howdah.run(["echo"], kwargs={"a": 1}), "kwargs= is for functions"),
        (lambda: howdah.run([]), "the command is empty"),
    ],
)
def test_wrong_arguments_raise_type_error(call, text):
    assert text in message(call, TypeError)


def test_problems_of_the_job_file_are_those_of_the_command_line():
    with pytest.raises(howdah.JobFileError) as caught:
        howdah.submit(print, memory="lots", options={"roles.worker.comand": "x", "timeouts.rnu": "2h"})
    problems = {problem.key: problem.text for problem in caught.value.problems}
    assert problems["roles.worker.comand"] == "unknown key; did you mean 'command'?"
    assert "did you mean 'run'?" in problems["timeouts.rnu"] and "lots" in problems["roles.worker.memory"]
    assert all(problem.line for problem in caught.value.problems)
    assert howdah.plan(print, memory="lots").problems[0].key == "roles.worker.memory"


def test_job_that_can_never_run_is_refused():
    with pytest.raises(howdah.Refused) as caught:
        howdah.run(print, memory="900TiB")
    assert "one task requests 900 TiB of memory, but this machine offers" in caught.value.reasons[0]
    assert howdah.plan(print, memory="900TiB").refusals == caught.value.reasons


def test_missing_hadoop_configuration_directory_is_named(monkeypatch):
    for name in ("HADOOP_CONF_DIR", "YARN_CONF_DIR", "HADOOP_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HADOOP_CONF_DIR", "/nowhere")
    with pytest.raises(howdah.HowdahError, match="/nowhere"):
        howdah.submit(print, on="yarn")


@pytest.mark.parametrize(
    "what, text",
    [
        ("train.py", "there is no script train.py"),
        ("job.yaml", "there is no job file job.yaml"),
        ("echo hi", "neither a job file (.yaml, .yml, .json) nor a script (.py); a command is a list"),
    ],
)
def test_missing_file_is_named(what, text):
    assert text in message(lambda: howdah.submit(what), howdah.HowdahError)


def test_unknown_job_is_named():
    assert "nonesuch" in message(lambda: howdah.Job.attach("nonesuch"), howdah.HowdahError)


def test_pack_without_an_environment_names_the_remedy(monkeypatch):
    monkeypatch.setattr(sys, "prefix", sys.base_prefix)
    assert "create one with `python3 -m venv`" in message(
        lambda: howdah.submit(print, python="pack"), howdah.HowdahError
    )


def test_missing_program_is_named(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(sys, "executable", "/nowhere/python3")
    assert "`pip install howdah`" in message(howdah.jobs, howdah.HowdahError)

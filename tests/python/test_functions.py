"""Functions, scripts and commands as jobs on this machine."""

import asyncio
import os
import pathlib
import pickle
import re
import signal
import subprocess
import sys
import threading
import time

import pytest

import howdah
from machine import eventually

pytestmark = pytest.mark.usefixtures("machine")
PACKAGE = pathlib.Path(howdah.__file__).parents[1]


def described():
    """A function that returns the role, index, ranks and sizes of its process."""

    def place():
        ctx = howdah.context()
        return (ctx.role, ctx.index, ctx.rank, ctx.world_size, ctx.local_rank, ctx.local_world_size)

    return place


def sleeper(file):
    """A function that makes the file, and then waits for longer than any test."""
    path = os.path.abspath(file)

    def wait():
        open(path, "w").close()
        time.sleep(86400)

    return wait


def test_run_returns_value_of_rank_0(capsys):
    def train(base, *, factor):
        print("training")
        return {"rank": howdah.context().rank, "value": base * factor}

    assert howdah.run(train, args=(3,), kwargs={"factor": 5}, workers=3) == {"rank": 0, "value": 15}
    shown = capsys.readouterr()
    assert sorted(shown.out.splitlines()) == [f"worker:{index} │ training" for index in range(3)]
    assert re.match(r"howdah-\S+ submitted: train\n", shown.err)
    assert re.search(r"\d\d:\d\d:\d\d\.\d{3}  SUCCEEDED\n", shown.err)


def test_run_shows_nothing_without_follow(capfd):
    assert howdah.run(lambda: print("unseen"), follow=False) is None
    assert capfd.readouterr() == ("", "")


def test_results_are_ordered_by_rank():
    job = howdah.submit(described(), workers=2, processes=2)
    assert job.results(timeout=60) == [
        ("worker", 0, 0, 4, 0, 2),
        ("worker", 0, 1, 4, 1, 2),
        ("worker", 1, 2, 4, 0, 2),
        ("worker", 1, 3, 4, 1, 2),
    ]
    assert job.result() == ("worker", 0, 0, 4, 0, 2)
    assert job.exception() is None and job.done() and job.state == "SUCCEEDED"
    assert job.cancel() is False


def test_chief_has_rank_0_in_a_job_with_roles():
    place = described()
    job = howdah.submit(
        {
            "worker": howdah.Role(place, instances=2),
            "chief": howdah.Role(place, chief=True),
            "ps": howdah.Role(["sleep", "86400"], kind="service"),
        }
    )
    assert job.result(timeout=60) == ("chief", 0, 0, 3, 0, 1)
    with pytest.raises(howdah.NoResult, match=r"ps:0|worker:\d|has no result"):
        howdah.submit(["true"]).result(timeout=60)


def test_job_is_attached_after_its_client_has_exited(machine):
    script = "import howdah; howdah.submit(lambda: 'kept', name='past')"
    subprocess.run([sys.executable, "-c", script], check=True, env={**os.environ, "PYTHONPATH": str(PACKAGE)})
    job = howdah.Job.attach("last")
    assert job.result(timeout=60) == "kept"
    assert (job.name, job.on) == ("past", "local")
    assert pickle.loads(pickle.dumps(job)) == job
    assert howdah.jobs() == [] and howdah.jobs(all=True) == [job]
    assert repr(job) == f"<Job {job.id} (past) on local SUCCEEDED>"


def test_exception_of_the_root_cause_is_raised_with_its_class():
    class Divergence(ArithmeticError):
        def __init__(self, step, loss):
            super().__init__(f"the loss is {loss} at step {step}")
            self.step = step

    def train():
        if howdah.context().rank == 2:
            raise Divergence(7, "nan")
        time.sleep(86400)

    with pytest.raises(Divergence) as caught:
        howdah.run(train, workers=4)
    error = caught.value
    assert isinstance(error, howdah.JobFailed) and isinstance(error, ArithmeticError)
    assert error.task == "worker:2" and error.step == 7
    assert "worker:2 failed with exit code 1" in error.reason and "the loss is nan at step 7" in error.reason
    assert type(error.__cause__) is Divergence and error.__cause__.args == ("the loss is nan at step 7",)
    assert error.traceback.startswith("Traceback (most recent call last):\n") and "in train" in error.traceback
    assert "_task.py" not in error.traceback and error.traceback.rstrip() in str(error)
    again = howdah.Job.attach(error.job.id).exception()
    assert isinstance(again, howdah.JobFailed) and again.reason == error.reason


@pytest.mark.parametrize(
    "make",
    (
        [
            lambda: OSError(2, "No such file", "model.pt"),
            lambda: KeyError("a"),
            lambda: UnicodeDecodeError("ascii", b"x", 0, 1, "no"),
            lambda: StopIteration(3),
            lambda: ModuleNotFoundError("no torch", name="torch"),
            lambda: ExceptionGroup("two", [ValueError()]),
        ]
        if sys.version_info >= (3, 11)
        else [lambda: KeyError("a")]
    ),
)
def test_exceptions_with_additional_attributes_are_raised_unchanged(make):
    def fail():
        raise make()

    with pytest.raises(type(make())) as caught:
        howdah.run(fail, follow=False)
    assert isinstance(caught.value, howdah.JobFailed)
    assert repr(caught.value.__cause__.args) == repr(make().args)
    for name in ("errno", "filename", "name", "start", "value", "exceptions"):
        for error in (caught.value, caught.value.__cause__):
            assert repr(getattr(error, name, None)) == repr(getattr(make(), name, None)), name


def test_command_that_fails_raises_job_failed():
    with pytest.raises(howdah.JobFailed, match="exit code 7") as caught:
        howdah.run(["bash", "-c", "exit $1", "-"], args=(7,), follow=False)
    assert (
        type(caught.value) is howdah.JobFailed and caught.value.traceback is None and caught.value.task == "worker:0"
    )
    again = pickle.loads(pickle.dumps(caught.value))
    assert (type(again), again.args, again.task) == (howdah.JobFailed, caught.value.args, "worker:0")


def test_sys_exit_in_a_function_ends_the_task_as_in_a_script():
    assert howdah.submit(sys.exit).exception(timeout=60) is None
    with pytest.raises(howdah.NoResult, match="worker:0 of howdah-.* has no result: .* did not return"):
        howdah.submit(sys.exit).result(timeout=60)
    with pytest.raises(howdah.JobFailed, match="exit code 4"):
        howdah.run(sys.exit, args=(4,), follow=False)


def test_planned_job_file_runs_on_the_command_line(machine, tmp_path):
    def train(text):
        return text + str(howdah.context().rank)

    planned = howdah.plan(train, args=("cost: $5 ${HOME}",), workers=2, env={"NOTE": "${HOME}: $5"}, name="a b: c")
    assert planned.problems == [] and planned.refusals == []
    assert [(task.role, task.index, task.ranks) for task in planned.tasks] == [("worker", 0, [0]), ("worker", 1, [1])]
    assert planned.tasks[0].environment["NOTE"] == "${HOME}: $5"
    path = tmp_path / "planned.yaml"
    path.write_text(str(planned))
    done = machine("run", path)
    assert done.code == 0, done
    job = howdah.Job.attach("last")
    assert job.results() == ["cost: $5 ${HOME}0", "cost: $5 ${HOME}1"] and job.name == "a b: c"


def test_decorated_function_can_be_called_directly_and_run_as_a_job():
    @howdah.job(workers=2, name="decorated")
    def train(lr, steps=1):
        """Trains."""
        return lr * steps * howdah.context().world_size

    assert train(3) == 3 and train.__name__ == "train" and train.__doc__ == "Trains."
    assert train.options(follow=False).run(3) == 6
    job = train.options(workers=1).submit(3, steps=2)
    assert job.result(timeout=60) == 6 and job.name == "decorated"


def test_modules_beside_the_script_are_sent_with_the_job(machine):
    pathlib.Path("helper").mkdir()
    pathlib.Path("helper/__init__.py").write_text("from .inner import value\n")
    pathlib.Path("helper/inner.py").write_text("import late_one\nvalue = 40\n")
    pathlib.Path("late_one.py").write_text("two = 2\n")
    pathlib.Path("unused_one.py").write_text("")
    pathlib.Path("main.py").write_text("""
import howdah, helper
def train():
    import os, late_one
    return helper.value + late_one.two, sorted(name for name in os.listdir() if name[0] not in "._")
if __name__ == "__main__":
    print(howdah.run(train, follow=False))
""")
    done = subprocess.run(
        [sys.executable, "main.py"], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(PACKAGE)}
    )
    assert done.stdout == "(42, ['helper', 'late_one.py'])\n", done


def test_scripts_and_job_files_run(machine, capfd):
    pathlib.Path("src").mkdir()
    pathlib.Path("src/near.py").write_text("text = 'near'\n")
    pathlib.Path("src/script.py").write_text("import sys, near\nprint(near.text, *sys.argv[1:])\n")
    assert howdah.run("src/script.py", args=["--epochs", 3]) is None
    assert howdah.run(["python3", "src/script.py"], args=["x"]) is None
    pathlib.Path("job.yaml").write_text("roles: {worker: {memory: 1GiB, command: [echo, $GREETING]}}\n")
    pathlib.Path("job.yaml").write_text("roles: {worker: {memory: 1GiB, command: 'echo $GREETING $0'}}\n")
    assert howdah.run(pathlib.Path("job.yaml"), env={"GREETING": "5 $"}, workers=2) is None
    lines = sorted(capfd.readouterr().out.splitlines())
    assert lines == ["worker:0 │ 5 $ bash", "worker:0 │ near --epochs 3", "worker:0 │ near x", "worker:1 │ 5 $ bash"]


def test_code_directory_is_sent_as_source():
    pathlib.Path("tree/data").mkdir(parents=True)
    pathlib.Path("tree/data/labels.txt").write_text("cat")

    def read():
        return open("data/labels.txt").read()

    assert howdah.run(read, code="tree", follow=False) == "cat"
    with pytest.raises(FileNotFoundError):
        howdah.run(read, code=None, follow=False)


def test_options_reach_every_key_and_arguments_take_precedence():
    planned = howdah.plan(
        lambda: 0,
        memory="1GiB",
        timeouts={"run": "2h"},
        options={
            "roles.worker.memory": "3GiB",
            "roles.worker.max_per_node": 2,
            "timeouts": {"run": "9h", "gang": "1m"},
        },
    )
    job = planned.raw["job"]
    assert job["roles"]["worker"]["memory"] == "1GiB" and job["roles"]["worker"]["max_per_node"] == 2
    assert job["timeouts"]["run"] == "2h" and job["timeouts"]["gang"] == "1m"
    assert any("max_per_node" in line for line in planned.ignored)


def test_killed_job_raises_job_killed():
    with howdah.submit(sleeper("running")) as job:
        eventually(lambda: os.path.exists("running"), "the function")
        assert not job.done()
        with pytest.raises(TimeoutError, match="has not ended after 0.05 s"):
            job.result(timeout=0.05)
        job.kill(grace="0s")
    with pytest.raises(howdah.JobKilled) as caught:
        job.result()
    assert caught.value.job == job and "howdah kill" in caught.value.reason
    with pytest.raises(howdah.JobKilled):
        job.exception()


def test_end_of_with_block_kills_the_job():
    with howdah.submit(sleeper("running")) as job:
        eventually(lambda: os.path.exists("running"), "the function")
    assert job.state == "KILLED"


def test_interrupts_stop_the_job(machine):
    """The first Ctrl-C starts the grace period of the function. The second Ctrl-C ends the function."""
    pathlib.Path("main.py").write_text("""
import howdah, signal, time, os
here = os.getcwd()
def stubborn():
    signal.signal(signal.SIGTERM, lambda *_: open(here + "/asked", "w").close())
    open(here + "/ready", "w").close()
    while True: time.sleep(0.05)
howdah.run(stubborn, checkpoint={"grace": "1h"})
""")
    process = subprocess.Popen(
        [sys.executable, "main.py"],
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(PACKAGE)},
        start_new_session=True,
        # A shell starts background jobs with SIGINT ignored, and this test may be part of such a job.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    eventually(lambda: os.path.exists("ready"), "the function")
    os.killpg(process.pid, signal.SIGINT)
    eventually(lambda: os.path.exists("asked"), "the stop signal")
    assert process.poll() is None
    os.killpg(process.pid, signal.SIGINT)
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 1 and "howdah._errors.JobKilled" in stderr, stderr
    assert "interrupt again to skip the grace period" in stderr and "without grace period" in stderr
    assert machine.status()["state"] == "KILLED"


def test_job_can_be_awaited_and_its_streams_iterated_asynchronously():
    def train():
        print("out")
        print("err", file=sys.stderr)
        return 7

    async def main():
        job = howdah.submit(train, workers=2)
        lines = {(line.task, line.stream, line.text) async for line in job.logs(follow=True)}
        types = [event.type async for event in job.events(follow=True)]
        return await job, lines, types

    value, lines, types = asyncio.run(main())
    assert value == 7
    assert lines == {(f"worker:{i}", stream, stream[3:]) for i in range(2) for stream in ("stdout", "stderr")}
    assert types[0] == "JobSubmitted" and types[-1] == "JobFinished"


def test_logs_are_selected():
    def train():
        print("one\ntwo")
        print("three", file=sys.stderr)

    job = howdah.submit(train, workers=2)
    job.wait(timeout=60)
    assert [line.text for line in job.logs("worker:1", stderr=False)] == ["one", "two"]
    assert [(line.stream, line.text) for line in job.logs("worker:1", tail=1)] == [
        ("stdout", "two"),
        ("stderr", "three"),
    ]
    assert {line.task for line in job.logs("worker", stdout=False)} == {"worker:0", "worker:1"}
    with pytest.raises(howdah.HowdahError, match="reader"):
        list(job.logs("reader:0"))


def test_closing_a_stream_ends_its_iteration():
    job = howdah.submit(sleeper("running"))
    lines = job.logs(follow=True)
    eventually(lambda: os.path.exists("running"), "the function")
    ended = threading.Thread(target=lambda: list(lines), daemon=True)
    ended.start()
    lines.close()
    ended.join(60)
    assert not ended.is_alive()
    job.kill(grace="0s")


def test_exec_and_open_reach_a_running_task(machine):
    import urllib.request

    def serve():
        import http.server

        server = http.server.HTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
        open("port.new", "w").write(str(server.server_port))
        os.rename("port.new", "port")
        server.serve_forever()

    with howdah.submit(serve) as job:
        machine.running(job.id)
        port = eventually(lambda: job.exec("worker:0", ["sh", "-c", "cat port || :"]).stdout, "the port")
        done = job.exec("worker:0", ["sh", "-c", "cat; echo e >&2; exit 3"], input=b"text")
        assert (done.returncode, done.stdout, done.stderr) == (3, b"text", b"e\n")
        with job.open("worker:0", int(port)) as forward:
            assert forward.url == f"http://127.0.0.1:{forward.port}/"
            assert urllib.request.urlopen(forward.url + "port", timeout=60).read() == port
        with pytest.raises(howdah.HowdahError, match="elastic"):
            job.scale(worker=3)


def test_elastic_job_is_scaled():
    with howdah.submit(
        sleeper("running"), workers=(1, 3), options={"roles.worker.memory": "64MiB"}, memory="64MiB"
    ) as job:
        eventually(lambda: len(job.status().tasks) == 3, "three tasks")
        job.scale(worker=1)
        eventually(lambda: len(job.status().tasks) == 1, "one task")


def test_context_reports_progress_and_finds_the_latest_checkpoint(tmp_path):
    directory = tmp_path / "checkpoints"

    def train():
        ctx = howdah.context()
        first, found = ctx.latest()
        if found:
            return first, open(f"{found}/model").read()
        with ctx.checkpoint(8) as folder:
            open(f"{folder}/model", "w").write("weights")
        ctx.progress(9, total=20)
        raise SystemExit(1)

    job = howdah.submit(train, checkpoint=directory, restart=1)
    assert job.result(timeout=60) == (8, "weights")
    ended = [event.raw for event in job.events() if event.type == "TaskExited"]
    reported = ended[0].get("progress", ended)
    assert (reported["step"], reported["steps"], reported["checkpoint"]) == (9, 20, 8)
    assert sorted(os.listdir(directory)) == ["step-8"]


def test_files_of_a_save_that_was_killed_are_removed_after_the_restart(tmp_path):
    def train():
        ctx = howdah.context()
        with ctx.checkpoint(ctx.attempt) as folder:
            open(f"{folder}/model", "w").close()
            if ctx.attempt == 0:
                os._exit(9)

    howdah.submit(train, checkpoint=tmp_path / "checkpoints", restart=1).result(timeout=60)
    assert os.listdir(tmp_path / "checkpoints") == ["step-1"]


def test_stopping_is_set_by_the_stop_signal():
    ready = os.path.abspath("ready")

    def train():
        ctx = howdah.context()
        while not ctx.stopping:
            open(ready, "w").close()
            time.sleep(0.01)
        with open(os.path.dirname(ready) + "/stopped", "w") as file:
            file.write("in order")

    job = howdah.submit(train, checkpoint={"signal": "SIGUSR1"})
    eventually(lambda: os.path.exists(ready), "the function")
    job.kill()
    assert open("stopped").read() == "in order"

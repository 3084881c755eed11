"""Jobs are found by `last` and by their ids on either backend, without --on and $HOWDAH_ON."""
import pytest

JOB = "name: found\nroles: {worker: {memory: 64MiB, command: 'echo hello; exec sleep 300'}}\n"


@pytest.fixture
def undecided(howdah):
    """No default backend: HADOOP_CONF_DIR makes both backends available."""
    del howdah.env["HOWDAH_ON"]
    yield howdah
    howdah("kill", "--all", "--on", "local")


def test_last_is_the_newest_job_of_either_backend_and_names_it(undecided, tmp_path):
    file = undecided.job_file(tmp_path, JOB)
    for backend in ("yarn", "local", "yarn"):
        job = undecided.submit("--on", backend, file)
        assert job.startswith("application_") == (backend == "yarn"), job
        done = undecided("status", "last")
        assert done.code == 0 and job in done.stdout, done
        assert f"last is {job} on {backend}" in done.stderr, done
    killed = undecided("kill", "last")
    assert killed.code == 0 and f"last is {job} on yarn" in killed.stderr, killed
    undecided.assert_clean(job)


@pytest.mark.parametrize("command", ["status", "wait", "kill", "events", "outputs"])
def test_unknown_application_is_named(undecided, command):
    done = undecided(command, "application_1700000000000_0001")
    assert done.code == 2 and "no job 'application_1700000000000_0001'" in done.stderr, done


def test_id_of_an_application_selects_yarn(undecided, tmp_path):
    job = undecided.submit("--on", "yarn", undecided.job_file(tmp_path, JOB))
    undecided("run", "--on", "local", "--memory", "16MiB", "--source", "", "--", "true")  # a newer job
    undecided.running(job)
    undecided.until(job, lambda _: undecided.log(job, "worker:0") == "hello\n", "the output")
    for command in (["events", job], ["logs", job], ["exec", job, "worker:0", "--", "true"], ["kill", job]):
        done = undecided(*command)
        assert done.code == 0 and "last is" not in done.stderr, (command, done)
    assert undecided.status(job)["state"] == "KILLED"
    undecided.assert_clean(job)

"""Every file of tests/contract behaves as the table in tests/contract/README.md says. The name of a test begins with
the name of its file. Each backend imports these tests, with its own fixture `machine`. The files for frameworks are
tested in tests/frameworks."""
import re

import pytest

from machine import CONTRACT, eventually


def test_hello_prints_the_output_of_every_task(machine):
    done = machine("run", "hello.yaml")
    assert done.code == 0, done
    for i in range(3):
        assert f"greeter:{i} │ hello from greeter:{i} of 3\n" in done.stdout, done
    assert machine.log(done.id, "greeter:1") == "hello from greeter:1 of 3\n"
    machine.assert_clean(done.id)


def test_list_command_gets_its_words_unchanged(machine):
    done = machine("run", "list-command.yaml")
    assert done.code == 0, done
    assert machine.log(done.id, "printer:0") == '$HOME and "quotes" and * stay\n'


def test_fail_names_the_failed_task_and_stops_the_other(machine):
    done = machine("run", "fail.yaml")
    assert done.code == 1, done
    status = machine.status(done.id)
    assert "worker:1" in status["reason"] and "exit code 7" in status["reason"], status
    assert machine.task(done.id, "worker", 0)["state"] == "STOPPED"
    machine.assert_clean(done.id)


def test_first_cause_names_the_task_that_crashed_first(machine):
    done = machine("run", "first-cause.yaml")
    assert done.code == 1, done
    reason = machine.status(done.id)["reason"]
    assert "worker:2" in reason and "SIGSEGV" in reason, reason


def test_retry_restarts_only_the_failed_task(machine):
    done = machine("run", "retry.yaml")
    assert done.code == 0, done
    tasks = {t["index"]: t for t in machine.status(done.id)["tasks"]}
    assert (tasks[1]["state"], tasks[1]["attempt"]) == ("SUCCEEDED", 1)
    assert (tasks[0]["state"], tasks[0]["attempt"]) == ("SUCCEEDED", 0)
    assert machine.log(done.id, "worker:1", "--attempt", "0") == "attempt 0\n"
    assert machine.log(done.id, "worker:1") == "attempt 1\n"


def test_roles_start_in_order_and_a_failed_sidecar_is_ignored(machine):
    done = machine("run", "roles.yaml")
    assert done.code == 0, done
    status = machine.status(done.id)
    of = lambda role: [t for t in status["tasks"] if t["role"] == role]
    assert of("reader")[0]["finished"] <= min(t["started"] for t in of("ps"))
    assert max(t["started"] for t in of("ps")) <= min(t["started"] for t in of("worker"))
    assert [t["state"] for t in of("ps")] == ["STOPPED"] * 2
    assert (of("watcher")[0]["state"], of("watcher")[0]["exit_code"]) == ("FAILED", 9)


def test_service_fails_the_job(machine):
    done = machine("run", "service-fails.yaml")
    assert done.code == 1, done
    reason = machine.status(done.id)["reason"]
    assert "ps:0" in reason and "exit code 5" in reason


def test_chief_decides_the_end_of_the_job(machine):
    done = machine("run", "chief-decides.yaml")
    assert done.code == 0, done
    states = {(t["role"], t["index"]): t["state"] for t in machine.status(done.id)["tasks"]}
    assert states == {("chief", 0): "SUCCEEDED", ("worker", 0): "STOPPED", ("worker", 1): "STOPPED"}
    machine.assert_clean(done.id)


def test_files_reach_every_working_directory(machine):
    done = machine("run", "files.yaml")
    assert done.code == 0, done
    for i in range(2):
        assert machine.log(done.id, f"worker:{i}") == "files are right\n"
    machine.assert_clean(done.id)


@pytest.mark.parametrize("greeting", [None, "hej"])
def test_env_values_reach_the_task_unchanged(machine, greeting):
    done = machine("run", "env.yaml", env={"CONTRACT_GREETING": greeting} if greeting else None)
    assert done.code == 0, done
    assert machine.log(done.id, "worker:0") == f"a,b = c|{greeting or 'good morning'}|$5|it's \"quoted\"\n"


def test_time_limit_kills_the_job(machine):
    done = machine("run", "time-limit.yaml")
    assert done.code == 4, done
    status = machine.status(done.id)
    assert status["state"] == "KILLED" and "2s" in status["reason"], status
    machine.assert_clean(done.id)


def test_grace_lets_tasks_save_before_they_are_killed(machine, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    out.chmod(0o777)  # tasks may run under another account than the tests
    job = machine.submit("grace.yaml", env={"CONTRACT_OUT": str(out)})
    eventually(lambda: all(machine.log(job, f"worker:{i}") == "ready\n" for i in range(2)), "both workers ready")
    assert machine("kill", job).code == 0
    assert machine("wait", job).code == 4
    assert sorted(p.name for p in out.iterdir()) == ["saved-0", "saved-1"]
    assert machine.status(job)["state"] == "KILLED"
    machine.assert_clean(job)


def test_stubborn_task_is_killed_after_its_grace(machine):
    job = machine.submit("stubborn.yaml")
    eventually(lambda: machine.log(job, "worker:0") == "ready\n", "the worker ready")
    assert machine("kill", job).code == 0
    left = [command for command in machine.alive(job).values() if command.startswith("sleep ")]
    assert not left, "processes of the task that outlived the command `kill`"
    assert machine("wait", job).code == 4
    machine.assert_clean(job)


def test_too_big_job_is_refused_before_submission(machine):
    before = machine.jobs()
    done = machine("run", "too-big.yaml")
    assert done.code == 3, done
    assert "900 TiB" in done.stderr and "GiB" in done.stderr, done
    assert machine.jobs() == before


@pytest.mark.parametrize("command", ["plan", "run"])
def test_bad_job_file_gives_one_problem_per_line(machine, command):
    before = machine.jobs()
    done = machine(command, "bad.yaml")
    assert done.code == 2, done
    lines = [line for line in (done.stdout + done.stderr).splitlines() if line.startswith("bad.yaml")]
    by_line = {int(m.group(1)): line for line in lines if (m := re.match(r"bad.yaml:(\d+):", line))}
    wanted = {2: "pytorch", 5: "", 6: "memory", 7: "", 8: "", 9: "", 11: "", 12: "", 15: "backoff"}
    missing = [line for line in lines if "memory" in line and "missing" in line or "required" in line]
    assert len(missing) == 1 and "worker" in missing[0], done
    assert len(lines) == len(wanted) + 1, done
    for line, word in wanted.items():
        assert line in by_line and word in by_line[line], (line, word, done)
    assert machine.jobs() == before

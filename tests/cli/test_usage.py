"""Commands with several ids, names, empty arguments, arguments after --, and variables of the environment."""
import json
import os
import resource
import subprocess

import pytest

from machine import BIN, DEADLINE_S, SANITIZED

HELLO = "name: hello\nroles: {w: {memory: 8MiB, command: echo hello}}\n"
SLEEPER = "name: sleeper\nroles: {w: {memory: 8MiB, command: exec sleep 86399}}\n"


@pytest.fixture
def unreachable(tmp_path):
    """The environment of a user who has chosen no backend, and whose cluster cannot be reached."""
    return {"HOWDAH_ON": "", "HADOOP_CONF_DIR": str(tmp_path / "nowhere"), "XDG_CONFIG_HOME": str(tmp_path)}


def test_kill_ends_with_3_if_yarn_cannot_be_reached(howdah, tmp_path, unreachable):
    job = howdah.submit(howdah.job_file(tmp_path, SLEEPER))
    assert howdah("status", "sleeper", env=unreachable).code == 0
    for word in ("sleeper", "last", job[-4:], "nothing"):
        done = howdah("kill", word, env=unreachable)
        assert done.code == 3 and "skipping yarn" in done.stderr and "write the whole id" in done.stderr, done
    assert howdah.status(job)["state"] == "RUNNING"
    done = howdah("kill", "--name", "sleeper", "--grace", "0s", env=unreachable)
    assert done.code == 3 and f"{job} KILLED" in done.stderr, done
    done = howdah("kill", "--all", env=unreachable)
    assert done.code == 3 and "no queued or running job matches on the backends that were reached" in done.stderr, done


def test_kill_handles_each_id_alone(howdah, tmp_path):
    jobs = [howdah.submit(howdah.job_file(tmp_path, SLEEPER)) for _ in range(2)]
    done = howdah("kill", "--grace", "0s", jobs[0], "nonexistent", jobs[1])
    assert done.code == 2 and "nonexistent" in done.stderr, done
    assert [howdah.status(job)["state"] for job in jobs] == ["KILLED", "KILLED"]


@pytest.mark.parametrize("action", ["show", "events", "config", "metrics", "diff"])
def test_history_accepts_names_short_ids_and_ids_of_another_backend(howdah, tmp_path, action):
    job = howdah("run", howdah.job_file(tmp_path, HELLO)).id
    expected = howdah("history", action, *[job] * (2 if action == "diff" else 1))
    assert (expected.code, expected.stdout) == (2, "") if action == "metrics" else expected.code == 0, expected
    for text, on in (("hello", "local"), (job[-4:], "local"), (job, "yarn")):
        done = howdah("history", action, *[text] * (2 if action == "diff" else 1), env={"HOWDAH_ON": on})
        assert (done.code, done.stdout, done.stderr) == (expected.code, expected.stdout, expected.stderr), done


@pytest.mark.parametrize("words, says", [
    (["outputs", "last", ""], "the name of the directory is empty"),
    (["renew"], "renew: name the jobs: ID..."),
])
def test_empty_arguments_are_wrong_usage(howdah, words, says):
    howdah("run", "hello.yaml")
    done = howdah(*words)
    assert done.code == 2 and says in done.stderr and done.stdout == "", done


def test_outputs_of_a_job_that_kept_nothing_says_so(howdah, tmp_path):
    job = howdah("run", howdah.job_file(tmp_path, "keep_new_files: 1MiB\n" + HELLO)).id
    done = howdah("outputs", "last", str(tmp_path / "outputs"))
    assert done.code == 0 and done.stderr == f"{job} has kept no files\n", done


def test_empty_xdg_config_home_counts_as_unset(howdah, tmp_path):
    config = tmp_path / ".config/howdah/config.yaml"
    config.parent.mkdir(parents=True)
    config.write_text("on: mars\n")
    done = howdah("list", env={"HOWDAH_ON": "", "HOME": str(tmp_path), "XDG_CONFIG_HOME": ""})
    assert done.code == 2 and f"{config}:1" in done.stderr, done


def test_command_without_a_job_file_gets_its_bytes_or_an_error(howdah, tmp_path):
    for words in ([b"--", b"echo", b"caf\xe9"], [b"--env", b"A=caf\xe9", b"--", b"true"]):
        done = subprocess.run([os.fsencode(BIN), b"run", b"--source", b"", *words], env=howdah.env,
                              capture_output=True, timeout=DEADLINE_S)
        assert done.returncode == 2 and b"not valid UTF-8" in done.stderr, done


def test_arguments_that_would_be_lost_are_refused(howdah, tmp_path):
    (tmp_path / "xgboost.yaml").write_text(howdah("init", "--framework", "xgboost").stdout)
    job = howdah.job_file(tmp_path, "roles: {w: {memory: 8MiB, command: 'echo train --lr 1  # baseline'}}\n")
    for path, ending in ((tmp_path / "xgboost.yaml", "a here-document (<<)"), (job, "a comment")):
        done = howdah("run", path, "--", "--lr", "2")
        assert done.code == 2 and f"which ends in {ending}; use them as \"$@\"" in done.stderr, done
    remedy = howdah.job_file(
        tmp_path, "roles: {w: {memory: 8MiB, command: [bash, -c, 'echo train \"$@\"  # baseline', bash]}}\n")
    assert howdah("run", remedy, "--", "--lr", "2").stdout == "w:0 │ train --lr 2\n"


@pytest.mark.skipif(SANITIZED, reason="sanitizers reserve terabytes of addresses")
@pytest.mark.parametrize("flags, tasks", [([], 20000), (["--json"], 1000)])
def test_plan_of_many_tasks_needs_little_memory(howdah, tmp_path, flags, tasks):
    """The environment of each task contains the addresses of all tasks."""
    job = howdah.job_file(tmp_path, f"""
framework: tensorflow
roles: {{worker: {{instances: {tasks}, memory: 1TiB, command: "true"}}}}
""")
    most = 160 << 20
    with open(tmp_path / "plan", "w+") as file:
        done = subprocess.run([BIN, "plan", job, *flags], env=howdah.env, stdout=file, stderr=subprocess.PIPE,
                              text=True, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (most, most)))
        assert done.returncode == 3 and "this machine offers" in done.stderr, done  # too large, but it has a plan
        file.seek(0)
        if flags:
            plan = json.load(file)
            assert len(plan["tasks"]) == tasks and plan["job"]["framework"] == "tensorflow" and plan["uploads"] == []
            assert f"host-of-worker-{tasks - 1}" in plan["tasks"][0]["environment"]["TF_CONFIG"]
        else:
            lines = file.read().splitlines()
            assert sum(line.startswith("worker:") for line in lines) == tasks


def test_follow_of_several_processes_prints_whole_lines(howdah, tmp_path):
    for name in ("first", "second"):
        os.mkfifo(tmp_path / name)
    job = howdah.submit(howdah.job_file(tmp_path, f"""
roles:
  w:
    memory: 8MiB
    processes: 2
    command: |
      if [ $HOWDAH_LOCAL_RANK = 0 ]; then
        printf aaa; echo > {tmp_path}/first; read go < {tmp_path}/second; printf 'ccc\\n%s' 1%
        printf '\\r2%%\\rend'
      else
        read go < {tmp_path}/first; echo bbb
      fi
"""))
    follow = howdah.start("logs", job, "w:0", "-f")
    assert follow.stdout.readline() == "bbb\n"
    (tmp_path / "second").write_text("go\n")
    assert follow.stdout.readline() == "aaaccc\n"
    follow.communicate(timeout=DEADLINE_S)
    assert howdah("wait", job).code == 0
    stored = subprocess.run([BIN, "logs", job, "w:0"], env=howdah.env, capture_output=True, timeout=DEADLINE_S).stdout
    assert stored == b"aaaccc\n1%\r2%\rend\nbbb\n", "each byte of each rank, and a newline between them"


def test_output_of_a_task_that_was_scaled_away_is_shown(howdah, tmp_path):
    job = howdah.submit(howdah.job_file(tmp_path, """
roles: {w: {instances: {min: 1, max: 2}, memory: 8MiB, command: 'echo $HOWDAH_TASK_INDEX; exec sleep 86399'}}
"""))
    howdah.running(job)
    howdah.until(job, lambda _: howdah("logs", job).stdout == "w:0 │ 0\nw:1 │ 1\n", "the output of both tasks")
    assert howdah("scale", job, "w=1").code == 0
    howdah.until(job, lambda status: len(status["tasks"]) == 1, "the end of w:1")
    assert howdah.log(job, "w:1") == "1\n"
    assert howdah.log(job, "w:1", "-f") == "1\n"
    missing = howdah("logs", job, "w:2")
    assert missing.code == 2 and "no task 'w:2'" in missing.stderr, missing

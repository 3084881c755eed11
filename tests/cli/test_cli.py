"""The command line as users see it: help, exit codes, messages, JSON, completion.

Each test has its own HOWDAH_HOME.
"""
import json
import os
import pathlib
import pty
import re
import signal
import socket
import subprocess
import threading

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = ROOT / os.environ.get("HOWDAH_BIN", "build/release/bin/howdah")
CONTRACT = ROOT / "tests/contract"
COMMANDS = ["run", "submit", "status", "list", "wait", "logs", "kill", "scale", "events", "plan", "doctor", "init",
            "schema", "completion", "version", "advise", "portal", "feed"]
DEADLINE_S = 60


@pytest.fixture
def home(tmp_path):
    """The environment for howdah(). Jobs that still run at the end of the test are killed."""
    env = {**os.environ, "HOWDAH_HOME": str(tmp_path / "home"), "XDG_CONFIG_HOME": str(tmp_path / "config")}
    env.pop("HOWDAH_ON", None)
    yield env
    for job in json.loads(howdah(env, "list", "--json").stdout):
        howdah(env, "kill", job["id"], "--grace", "0s")


def howdah(env, *arguments, cwd=CONTRACT, **options):
    return subprocess.run([BIN, *arguments], env=env, cwd=cwd, capture_output=True, text=True, timeout=DEADLINE_S,
                          **options)


def job_file(tmp_path, text):
    path = tmp_path / "job.yaml"
    path.write_text(text)
    return str(path)


SLEEPER = "roles: {w: {memory: 8MiB, command: 'echo ready; exec sleep 86399'}}\n"


# --- help, wrong usage, and commands that need no job -----------------------------------------------------------------

@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example(home, command):
    done = howdah(home, command, "--help")
    assert done.returncode == 0
    assert "Example:\n  " in done.stdout
    assert f"howdah {command}" in done.stdout.split("Example:")[1]


@pytest.mark.parametrize("arguments, words", [
    (["run"], ["[-- COMMAND or ARGUMENTS]", "--on BACKEND", "horovod, mpi, mxnet, xgboost"]),
    (["submit"], ["[-- COMMAND or ARGUMENTS]", "--on BACKEND"]),
    (["exec"], ["[-- COMMAND]", "--on BACKEND"]),
    (["kill"], ["--all", "--name", "--on BACKEND"]),
    (["notebook"], ["Memory per task, for example 2GiB", "--on BACKEND"]),
])
def test_help_is_complete(home, arguments, words):
    by_flag, by_command = howdah(home, *arguments, "--help"), howdah(home, "help", *arguments)
    assert by_flag.returncode == by_command.returncode == 0
    assert by_flag.stdout == by_command.stdout
    for word in words:
        assert word in by_flag.stdout, by_flag.stdout


def test_help_of_notebook_does_not_mention_job_files(home):
    assert "job file" not in howdah(home, "notebook", "--help").stdout


def test_help_lists_every_command(home):
    done = howdah(home, "--help")
    assert done.returncode == 0
    for command in COMMANDS:
        assert re.search(rf"^  {command}\s", done.stdout, re.M), command


@pytest.mark.parametrize("arguments, said", [
    ([], "howdah --help"),
    (["rnu", "job.yaml"], "did you mean 'run'"),
    (["run"], "no job"),
    (["run", "nowhere.yaml"], "howdah init > nowhere.yaml"),
    (["run", "hello.yaml", "--workers", "2"], "--set"),
    (["run", "--workers", "two", "--", "true"], "not a whole number"),
    (["run", "--env", "NOVALUE", "--", "true"], "not NAME=VALUE"),
    (["run", "hello.yaml", "--frobnicate"], "--frobnicate"),
    (["wait"], "id"),
    (["wait", "x", "--timeout", "10"], "10s"),
    (["kill", "x", "--grace", "soon"], "invalid duration"),
    (["scale", "x", "worker"], "worker=4"),
    (["scale", "x", "worker=many"], "worker=4"),
    (["status", "last"], "no job yet"),
    (["status", "last", "--", "x"], "after --"),
    (["list", "--on", "mars"], "local or yarn"),
    (["init", "--framework", "caffe"], "plain, pytorch, tensorflow, jax, horovod, mpi, mxnet, xgboost"),
    (["logs", "x", "--timestamps"], "needs -f"),
    (["kill"], "ID..., --name NAME or --all"),
    (["kill", "x", "--all"], "only one of"),
    (["status", "--watch"], "the ID of a job"),
    (["ps"], "write `howdah list`"),
    (["scancel", "17"], "write `howdah kill ID`"),
    (["scontrol", "show", "job", "17"], "write `howdah status ID`"),
    (["sinfo"], "write `howdah doctor`"),
    (["describe", "x"], "write `howdah status ID`"),
    (["status", "--on", "local", "application_1700000000000_0001"], "a job on yarn"),
    (["completion", "tcsh"], "bash"),
    (["logs", "x", "--tail", "-1"], "--tail"),
])
def test_wrong_usage_exits_with_2_and_a_hint(home, arguments, said):
    done = howdah(home, *arguments)
    assert done.returncode == 2, done
    assert said in done.stderr, done.stderr
    assert done.stdout == ""


def test_the_backend_is_chosen_by_flag_variable_and_configuration(home, tmp_path):
    assert howdah(home, "list", "--on", "yarn").returncode == 3
    assert howdah(home, "--on", "yarn", "list").returncode == 3
    assert howdah({**home, "HOWDAH_ON": "yarn"}, "list").returncode == 3
    assert howdah({**home, "HOWDAH_ON": "yarn"}, "list", "--on", "local").returncode == 0
    wrong = howdah({**home, "HOWDAH_ON": "mars"}, "list")
    assert wrong.returncode == 2 and "HOWDAH_ON" in wrong.stderr
    config = tmp_path / "config/howdah/config.yaml"
    config.parent.mkdir(parents=True)
    config.write_text("# mine\non: yarn  # soon\n")
    assert howdah(home, "list").returncode == 3
    assert howdah({**home, "HOWDAH_ON": "local"}, "list").returncode == 0
    config.write_text("\nplace: yarn\n")
    wrong = howdah(home, "list")
    assert wrong.returncode == 2 and f"{config}:2:" in wrong.stderr
    config.unlink()
    assert howdah(home, "list").returncode == 0


def test_version_schema_and_init_print_valid_output(home, tmp_path):
    assert re.fullmatch(r"howdah \d+\.\d+\.\d+\n", howdah(home, "version").stdout)
    schema = json.loads(howdah(home, "schema").stdout)
    assert "roles" in schema["properties"]
    assert "roles" in howdah(home, "schema", "--markdown").stdout
    for framework in ("plain", "pytorch", "tensorflow", "jax"):
        text = howdah(home, "init", "--framework", framework).stdout
        done = howdah(home, "plan", job_file(tmp_path, text), "--json")
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["job"]["framework"] == framework


def test_values_that_look_like_secrets_are_not_shown(home, tmp_path):
    file = job_file(tmp_path, """
env: {HF_TOKEN: hidden-1, SIZE: shown}
roles: {w: {memory: 8MiB, command: 'echo $HF_TOKEN $DB_PASSWORD', env: {DB_PASSWORD: hidden-2}}}
""")
    done = howdah(home, "run", file)
    assert done.returncode == 0 and "hidden-1 hidden-2" in done.stdout, done
    for arguments in (["plan", file], ["plan", file, "--json"], ["history", "config", "last"],
                      ["history", "config", "last", "--json"]):
        shown = howdah(home, *arguments)
        assert shown.returncode == 0 and "shown" in shown.stdout, shown
        assert "hidden-" not in shown.stdout + shown.stderr and "(hidden)" in shown.stdout, shown


def test_doctor_reports_its_findings(home):
    done = howdah(home, "doctor")
    assert done.returncode == 0
    assert "howdah-agent" in done.stdout and "memory for jobs" in done.stdout
    for finding in json.loads(howdah(home, "doctor", "--json").stdout):
        assert finding["level"] in ("ok", "warning", "problem")
        assert finding["level"] == "ok" or finding["advice"]


def test_openssl_configuration_of_the_machine_is_not_read(home, tmp_path):
    """openssl.cnf may name modules, which a static program cannot load. The test replaces the file by a named
    pipe, which blocks every reader."""
    os.mkfifo(tmp_path / "openssl.cnf")
    with socket.create_server(("127.0.0.1", 0)) as server:
        (tmp_path / "core-site.xml").write_text("<configuration/>")
        (tmp_path / "yarn-site.xml").write_text(
            "<configuration><property><name>yarn.resourcemanager.address</name>"
            f"<value>127.0.0.1:{server.getsockname()[1]}</value></property></configuration>")

        def answer():
            with server.accept()[0] as connection:
                connection.recv(100)
                connection.sendall(b"HTTP/1.1 404 Not Found\r\n\r\n")
        threading.Thread(target=answer, daemon=True).start()
        env = {**home, "HADOOP_CONF_DIR": str(tmp_path), "OPENSSL_CONF": str(tmp_path / "openssl.cnf")}
        done = howdah(env, "list", "--on", "yarn")
    assert done.returncode == 3 and "not a Hadoop RPC port" in done.stderr, done


def test_doctor_fails_if_there_is_a_problem(home, tmp_path):
    (tmp_path / "file").touch()
    broken = {**home, "HOWDAH_HOME": str(tmp_path / "file/home")}
    done = howdah(broken, "doctor")
    assert done.returncode == 3 and "PROBLEM " in done.stdout, done
    assert howdah(broken, "doctor", "--json").returncode == 3


# Each remedy is shown once.
def test_doctor_without_hadoop_configuration_names_the_variable_to_set(home, tmp_path):
    done = howdah({**home, "HADOOP_CONF_DIR": str(tmp_path / "nowhere")}, "doctor", "--on", "yarn")
    assert done.returncode == 3 and done.stdout.count("set HADOOP_CONF_DIR to") == 1, done
    assert "-> set HADOOP_CONF_DIR to" in done.stdout, done


# --- malformed job files ----------------------------------------------------------------------------------------------

# Each row has a description of the mistake, a pattern for the line to change, and the replacement.
MUTATIONS = [
    ("unknown key in a role", r"^(\s+)command:", r"\1comand:"),
    ("no unit", r"^(\s+)memory: .*$", r"\1memory: 2"),
    ("negative memory", r"^(\s+)memory: .*$", r"\1memory: -2GiB"),
    ("memory is a list", r"^(\s+)memory: .*$", r"\1memory: [2GiB]"),
    ("not a number", r"^(\s+)instances: .*$", r"\1instances: many"),
    ("no instances", r"^(\s+)instances: .*$", r"\1instances: 0"),
    ("min above max", r"^(\s+)instances: .*$", r"\1instances: {min: 3, max: 2}"),
    ("unknown framework", r"^framework: .*$", r"framework: torhc"),
    ("framework is a map", r"^framework: .*$", r"framework: {a: b}"),
    ("roles twice", r"^name: .*$", r"roles: {}"),
    ("unknown key above all", r"^name: .*$", r"nmae: x"),
    ("gpus are half", r"^(\s+)memory: .*$", r"\1gpus: 0.5"),
    ("duration without unit", r"^name: .*$", r"timeouts: {gang: 15}"),
    ("unset variable", r"^name: .*$", r"name: ${HOWDAH_SURELY_UNSET}"),
    ("alias of nothing", r"^name: .*$", r"name: *nothing"),
    ("broken quote", r"^name: .*$", r'name: "x'),
    ("broken brace", r"^name: .*$", r"name: {x"),
    ("tab", r"^(\s+)command:", r"\1" "\tcommand:"),
    ("role without a name", r"^roles:.*$", r"roles: [1]"),
]


def malformed():
    """Yields (description of the mistake, text of the job file, line number of the mistake)."""
    for path in sorted(CONTRACT.glob("*.yaml")):
        if path.name == "bad.yaml":
            continue
        lines = path.read_text().splitlines()
        for what, pattern, becomes in MUTATIONS:
            for number, line in enumerate(lines, 1):
                changed = re.sub(pattern, becomes, line)
                if changed != line:
                    text = "\n".join(lines[:number - 1] + [changed] + lines[number:]) + "\n"
                    yield f"{path.stem}: {what}", text, number
                    break


HAND_MADE = [
             "", "\n", "7", "[]", "null", "---\n---\n", "{", "}", "roles:", "roles: {}", "roles: {w: }",
             "roles: {w: {}}",
             "\x00", "\ufeff", "a: &a [*a]", "? {a: b}\n: c", "roles: {w: {memory: 1GiB, command: ''}}",
             "roles: {1w: {memory: 1GiB, command: x}}", "roles: {'w x': {memory: 1GiB, command: x}}",
             "roles: {w: {memory: 1GiB, command: []}}", "roles: {w: {memory: 1GiB, command: [1, [2]]}}",
             "roles: {w: {memory: 1GiB, command: x, after: [w]}}", "roles: {w: {memory: 99999999TiB, command: x}}",
             "roles: {w: {memory: 1GiB, command: x, kind: service}}",
             "source: nowhere\nroles: {w: {memory: 1GiB, command: x}}",
             "[" * 10_000, "{a: " * 10_000, "a:\n" * 1000, "%YAML 9.9\n---\na: b", "!!python/object:x {}"]


def test_malformed_job_files_exit_with_2_and_name_the_line(home, tmp_path):
    count = 0
    for what, text, number in malformed():
        path = job_file(tmp_path, text)
        done = howdah(home, "plan", path)
        assert done.returncode == 2, (what, done)
        # The parser may report invalid YAML only on a later line.
        line = rf"(\d+: not valid YAML|{number}): "
        assert re.search(rf"^{re.escape(path)}:{line}", done.stderr, re.M), (what, number, done)
        count += 1
    for text in HAND_MADE:
        done = howdah(home, "plan", job_file(tmp_path, text))
        assert done.returncode == 2, (text[:80], done)
        assert done.stderr
        count += 1
    assert count >= 200
    assert not os.path.exists(home["HOWDAH_HOME"] + "/jobs")


def test_job_file_problems_are_reported_before_refusals(home, tmp_path):
    both = job_file(tmp_path, "roles:\n  w:\n    memory: 900TiB\n    command: x\n    gpu: 1\n")
    for command in ("plan", "run", "submit"):
        assert howdah(home, command, both).returncode == 2
    problems = json.loads(howdah(home, "plan", both, "--json").stdout)["problems"]
    assert [(p["line"], p["key"]) for p in problems] == [(5, "roles.w.gpu")]


# --- plan -------------------------------------------------------------------------------------------------------------

def test_plan_shows_the_effective_job_and_submits_nothing(home, tmp_path):
    plan = json.loads(howdah(home, "plan", "files.yaml", "--json").stdout)
    assert plan["problems"] == plan["refusals"] == []
    assert plan["tasks"][0]["environment"]["HOWDAH_ROLE"] == plan["tasks"][0]["role"]
    assert all(upload["bytes"] > 0 for upload in plan["uploads"])
    text = howdah(home, "plan", "files.yaml").stdout
    assert "# uploads" in text and "HOWDAH_CLUSTER=" in text
    documented = (ROOT / "docs/environment.md").read_text().split("## Every process")[1].split("## By framework")[0]
    first_columns = [line.split("|")[1] for line in documented.splitlines() if line.startswith("| `")]
    optional = {"HOWDAH_CHECKPOINT_DIR", "HOWDAH_FEED", "TB_LOG_DIR"}  # set by keys that this job does not have
    for name in set(re.findall(r"`(\w+)`", " ".join(first_columns))) - optional | {"PATH"}:
        assert f"\n{name}=" in text, f"{name} is documented but not in {text}"
    refused = howdah(home, "plan", "too-big.yaml", "--json")
    assert refused.returncode == 3 and json.loads(refused.stdout)["refusals"]
    queued = howdah(home, "plan", job_file(tmp_path, "queue: ml\n" + SLEEPER))
    assert queued.returncode == 0 and queued.stderr.count("queue: ml") == 1
    assert not os.path.exists(home["HOWDAH_HOME"] + "/jobs")


# --- jobs -------------------------------------------------------------------------------------------------------------

def test_ignored_files_are_not_copied(home, tmp_path):
    source = tmp_path / "repository"
    for path in (".git/objects/pack", "data/big.bin", "train.py", "__pycache__/x.pyc", "a.log", "keep.log"):
        (source / path).parent.mkdir(parents=True, exist_ok=True)
        (source / path).write_text("x")
    (source / ".gitignore").write_text("*.log\n!keep.log\n/data/\n")
    run = ["run", "--memory", "8MiB", "--", "bash", "-c", "find . -type f | sort | paste -sd' '"]
    done = howdah(home, *run, cwd=source)
    assert done.stdout == "worker:0 │ ./.gitignore ./keep.log ./train.py\n", done
    assert ".gitignore leaves out .git, __pycache__, a.log and 1 more" in done.stderr, done
    (source / ".howdahignore").write_text("*\n!train.py\n!data\n!data/big.bin\n")
    done = howdah(home, *run, cwd=source)
    assert done.stdout == "worker:0 │ ./data/big.bin ./train.py\n", done


def test_run_prints_logs_on_stdout_and_messages_on_stderr(home):
    done = howdah(home, "run", "hello.yaml")
    assert done.returncode == 0, done
    assert sorted(done.stdout.splitlines()) == [f"greeter:{i} │ hello from greeter:{i} of 3" for i in range(3)]
    assert "SUCCEEDED" in done.stderr and "logs: " in done.stderr
    assert howdah(home, "logs", "last", "greeter:1").stdout == "hello from greeter:1 of 3\n"


def test_run_without_a_job_file_prints_json_status(home):
    done = howdah(home, "run", "--json", "--memory", "8MiB", "--workers", "2", "--env", "A=b c", "--",
                  "bash", "-c", 'echo "$A $1"; exit 3', "x", "it's")
    assert done.returncode == 1, done
    status = json.loads(done.stdout)
    assert status["state"] == "FAILED" and len(status["tasks"]) == 2
    assert "worker:0 │ b c it's" in done.stderr or "worker:1 │ b c it's" in done.stderr


def test_status_list_and_events_print_json(home):
    howdah(home, "run", "fail.yaml")
    status = json.loads(howdah(home, "status", "last", "--json").stdout)
    assert list(status) == ["id", "name", "state", "exit_code", "on", "framework", "generation", "reason", "advice",
                            "cause", "submitted", "started", "finished", "tokens", "urls", "tasks", "children",
                            "account"]
    assert list(status["tasks"][0]) == ["role", "index", "state", "attempt", "ready", "node", "container", "granted",
                                        "ranks", "pids", "exit_code", "signal", "reason", "started", "finished",
                                        "usage", "progress", "left_files", "result_bytes"]
    assert status["state"] == "FAILED" and "exit code 7" in status["reason"]
    listed = json.loads(howdah(home, "list", "--all", "--json").stdout)
    del status["tasks"], status["children"], status["account"]
    assert listed == [status]
    assert json.loads(howdah(home, "list", "--json").stdout) == []
    events = [json.loads(line) for line in howdah(home, "events", status["id"], "--json").stdout.splitlines()]
    assert events[0]["type"] == "JobSubmitted" and events[-1]["type"] == "JobFinished"
    assert len(howdah(home, "events", "last").stdout.splitlines()) == len(events)


def test_logs_are_selected_by_stream_attempt_and_tail(home, tmp_path):
    howdah(home, "run", job_file(tmp_path, """
roles:
  w:
    memory: 8MiB
    restart: {max: 1, backoff: 1ms}
    command: "printf 'out %s\\\\nmore\\\\nlast' $HOWDAH_ATTEMPT; echo err >&2; exit $((1 - HOWDAH_ATTEMPT))"
"""))
    assert howdah(home, "logs", "last", "w:0").stdout == "out 1\nmore\nlasterr\n"
    assert howdah(home, "logs", "last", "w:0", "--attempt", "0", "--stdout").stdout == "out 0\nmore\nlast"
    assert howdah(home, "logs", "last", "w:0", "--stderr").stdout == "err\n"
    assert howdah(home, "logs", "last", "w:0", "--tail", "1").stdout == "lasterr\n"
    assert howdah(home, "logs", "last", "w").stdout == "w:0 │ out 1\nw:0 │ more\nw:0 │ last\nw:0 │ err\n"
    assert howdah(home, "logs", "last", "-f", "--tail", "1", "--stdout", "--attempt", "1").stdout == "w:0 │ last\n"
    missing = howdah(home, "logs", "last", "w:0", "--attempt", "5")
    assert missing.returncode == 2 and "0, 1" in missing.stderr
    nobody = howdah(home, "logs", "last", "v")
    assert nobody.returncode == 2 and "w:0" in nobody.stderr


def test_a_submitted_job_can_be_awaited_and_killed(home, tmp_path):
    done = howdah(home, "submit", job_file(tmp_path, SLEEPER))
    assert done.returncode == 0 and re.fullmatch(r"howdah-\d{8}-\d{6}-\w{4}\n", done.stdout)
    job = done.stdout.strip()
    assert job in howdah(home, "list").stdout
    assert howdah(home, "wait", job, "--timeout", "10ms").returncode == 5
    assert howdah(home, "kill", job).returncode == 0
    again = howdah(home, "kill", job)
    assert again.returncode == 0 and "nothing to do" in again.stderr
    assert howdah(home, "wait", job).returncode == 4
    reason = json.loads(howdah(home, "status", job, "--json").stdout)["reason"]
    assert "howdah kill" in reason
    wrong = howdah(home, "status", job[:-1] + "_")
    assert wrong.returncode == 2 and job in wrong.stderr


def test_jobs_are_found_by_name_and_by_a_part_of_the_id(home, tmp_path):
    path = job_file(tmp_path, "name: find-me\n" + SLEEPER)
    first, second = (howdah(home, "submit", path).stdout.strip() for _ in range(2))
    assert howdah(home, "status", "find-me").returncode == 2, "two jobs with this name run"
    assert howdah(home, "kill", first[-4:]).returncode == 0
    for name in ("find-me", second[-4:], "last"):
        assert json.loads(howdah(home, "status", name, "--json").stdout)["id"] == second
    unknown = howdah(home, "status", "find-you")
    assert unknown.returncode == 2 and f"{second} (find-me, RUNNING)" in unknown.stderr, unknown
    assert json.loads(howdah(home, "status", "--json").stdout)[0]["id"] == second, "status without an id lists"
    assert second in howdah(home, "status").stdout


@pytest.mark.parametrize("name", ["nowhere", "howdah-20261121-064512-zzzz"])
def test_wait_for_an_unknown_job_names_the_jobs(home, name):
    none = howdah(home, "wait", name)
    assert none.returncode == 2 and f"'{name}'" in none.stderr, none
    assert howdah(home, "run", "--memory", "16MiB", "--source", "", "--", "true").returncode == 0
    done = howdah(home, "wait", name)
    assert done.returncode == 2 and f"looking for job '{name}': no" in done.stderr, done
    assert json.loads(howdah(home, "list", "--all", "--json").stdout)[0]["id"] in done.stderr, done


def test_startup_is_shown_without_a_terminal(home, tmp_path):
    """A pipe shows no bar and no table. A large source, and each stage of the start, give one line."""
    source = tmp_path / "large"
    source.mkdir()
    with open(source / "data.bin", "wb") as sparse:
        sparse.truncate(17 << 20)
    done = howdah(home, "run", "--memory", "16MiB", "--workers", "3", "--source", source, "--", "true")
    assert done.returncode == 0, done
    lines = done.stderr.splitlines()
    stages = ["staging 17 MiB", "staged 17 MiB", "3 tasks connected; preparing working directories"]
    found = [[i for i, line in enumerate(lines) if line.endswith(stage)] for stage in stages]
    assert [len(places) for places in found] == [1, 1, 1] and found == sorted(found), done
    small = howdah(home, "run", "--memory", "16MiB", "--source", "", "--", "true")
    assert "stag" not in small.stderr, small


def test_several_jobs_are_killed_at_once(home, tmp_path):
    path = job_file(tmp_path, "name: many\n" + SLEEPER)
    jobs = [howdah(home, "submit", path).stdout.strip() for _ in range(5)]

    def states():
        return [job["state"] for job in reversed(json.loads(howdah(home, "list", "--all", "--json").stdout))]
    assert howdah(home, "kill", *jobs[:2]).returncode == 0
    assert states()[:2] == ["KILLED"] * 2 and "KILLED" not in states()[2:]
    assert howdah(home, "kill", "--name", "others").returncode == 0
    assert "KILLED" not in states()[2:]
    killed = howdah(home, "kill", "--name", "many")
    assert killed.returncode == 0 and states() == ["KILLED"] * 5
    # The command began all stops at once, so the later jobs had ended when it came to them.
    assert len(re.findall(r"KILLED: killed by", killed.stderr)) == 3 and "nothing to do" not in killed.stderr, killed
    assert howdah(home, "kill", *jobs[:2]).stderr.count("nothing to do") == 2
    assert "nothing to do" in howdah(home, "kill", "--all").stderr


def test_unflushed_output_of_python_and_progress_bars_are_shown_live(home):
    """The program does not flush its output and sets no option for buffering. The test reads the first line while the
    job still runs."""
    script = "import select; print('ready'); " \
             "[(print(end=f'\\r{i}%'), select.select([], [], [], .05)) for i in range(100)]"
    run = subprocess.Popen([BIN, "run", "--memory", "64MiB", "--source", "", "--", "python3", "-c", script], env=home,
                           stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert run.stdout.readline() == "worker:0 │ ready\n"
    assert json.loads(howdah(home, "status", "last", "--json").stdout)["state"] == "RUNNING"
    lines = run.stdout.read().splitlines()
    assert run.wait(DEADLINE_S) == 0
    assert lines[-1] == "worker:0 │ 99%" and 2 < len(lines) < 20, lines
    raw = subprocess.run([BIN, "logs", "last", "worker:0"], env=home, capture_output=True, timeout=DEADLINE_S)
    assert raw.stdout.count(b"\r") == 100


@pytest.mark.parametrize("number, word", [(signal.SIGINT, "Ctrl-C"), (signal.SIGTERM, "SIGTERM")])
def test_a_signal_to_run_stops_the_job(home, tmp_path, number, word):
    run = subprocess.Popen([BIN, "run", job_file(tmp_path, SLEEPER)], env=home, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True)
    assert run.stdout.readline() == "w:0 │ ready\n"
    run.send_signal(number)
    out, err = run.communicate(timeout=DEADLINE_S)
    assert run.returncode == 4, err
    assert word in json.loads(howdah(home, "status", "last", "--json").stdout)["reason"]


def test_a_second_ctrl_c_stops_without_grace(home, tmp_path):
    stubborn = "checkpoint: {grace: 1d}\nroles: {w: {memory: 8MiB, command: \"trap 'echo no' TERM; echo ready; " \
               "while :; do sleep 9 & wait; done\"}}\n"
    run = subprocess.Popen([BIN, "run", job_file(tmp_path, stubborn)], env=home, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True)
    assert run.stdout.readline() == "w:0 │ ready\n"
    run.send_signal(signal.SIGINT)
    assert run.stdout.readline() == "w:0 │ no\n"
    run.send_signal(signal.SIGINT)
    run.communicate(timeout=DEADLINE_S)
    assert run.returncode == 4


def test_a_killed_or_blocked_client_does_not_affect_the_job(home, tmp_path):
    file = job_file(tmp_path, "roles: {w: {memory: 8MiB, command: 'echo ready; while :; do echo x; done'}}\n")
    run = subprocess.Popen([BIN, "run", file], env=home, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert run.stdout.readline() == "w:0 │ ready\n"
    run.stdout.close()
    assert run.wait(timeout=DEADLINE_S) == -signal.SIGPIPE
    assert json.loads(howdah(home, "status", "last", "--json").stdout)["state"] == "RUNNING"
    assert howdah(home, "kill", "last", "--grace", "0s").returncode == 0


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_standard_streams_do_not_disturb_the_job(home, tmp_path, closed):
    file = job_file(tmp_path, "name: quiet\nroles: {w: {memory: 8MiB, command: 'echo out; echo err >&2'}}\n")
    done = subprocess.run(["bash", "-c", f'"$@" {closed}', "bash", BIN, "run", file], env=home, capture_output=True,
                          text=True, timeout=DEADLINE_S)
    assert done.returncode == 0, done
    shown = [] if ">&-" in closed.split() else ["w:0 │ err", "w:0 │ out"]
    assert sorted(done.stdout.splitlines()) == shown, done
    assert ("SUCCEEDED" in done.stderr) == ("2>&-" not in closed.split()), done
    status = json.loads(howdah(home, "status", "quiet", "--json").stdout)
    assert status["state"] == "SUCCEEDED", status
    assert sorted(howdah(home, "logs", "quiet").stdout.splitlines()) == ["w:0 │ err", "w:0 │ out"]


@pytest.mark.parametrize("no_color", ["", "1"])
def test_a_terminal_gets_a_live_table_and_all_output(home, no_color):
    main, terminal = pty.openpty()
    environment = {**home, "TERM": "xterm", "NO_COLOR": no_color}
    run = subprocess.Popen([BIN, "run", "hello.yaml"], env=environment, cwd=CONTRACT, stdin=terminal, stdout=terminal,
                           stderr=terminal)
    os.close(terminal)
    seen = b""
    while True:
        try:
            piece = os.read(main, 65536)
        except OSError:  # the other end of the terminal is closed
            break
        if not piece:
            break
        seen += piece
    os.close(main)
    assert run.wait(timeout=DEADLINE_S) == 0
    text = seen.decode()
    for index in range(3):
        assert f"hello from greeter:{index} of 3" in text
    assert "\x1b[J" in text and "SUCCEEDED" in text
    assert ("\x1b[3" in text) == (no_color == ""), text


def test_set_takes_one_value_and_may_come_before_the_job_file(home):
    done = howdah(home, "plan", "--set", "roles.greeter.instances=2", "--set", "name=other", "hello.yaml", "--json")
    assert done.returncode == 0, done
    plan = json.loads(done.stdout)
    assert (len(plan["tasks"]), plan["job"]["name"]) == (2, "other"), plan


def test_removed_current_directory_fails_only_commands_that_need_it(home, tmp_path):
    gone = tmp_path / "gone"

    def run(*arguments):
        gone.mkdir()
        command = ["sh", "-c", 'rmdir "$PWD"; exec "$@"', "sh", BIN, *arguments]
        return subprocess.run(command, env=home, cwd=gone, capture_output=True, text=True, timeout=DEADLINE_S)

    done = run("run", "--source", "", "--", "true")
    assert done.returncode == 2 and "the current directory has been removed" in done.stderr, done
    assert run("list").returncode == 0

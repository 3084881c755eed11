"""The commands for jobs on YARN, while jobs run and after their end."""
import json
import os
import re
import signal

import pytest

from machine import eventually

KEYS = {"id", "name", "state", "exit_code", "on", "framework", "generation", "reason", "advice", "cause", "submitted",
        "started", "finished", "tokens", "urls"}
TASK_KEYS = {"role", "index", "state", "attempt", "ready", "node", "container", "granted", "ranks", "pids", "exit_code",
             "signal", "reason", "started", "finished", "usage", "progress", "left_files", "result_bytes"}

# talker:1 fails once and restarts. All talkers run until they are stopped, and then print a last line.
TALK = """
name: talk
env_from: [HOME]
checkpoint: {grace: 20s}
tensorboard: {logdir: hdfs:///user/alice/tb}
roles:
  talker:
    instances: {min: 2, max: 3}
    memory: 64MiB
    restart: {max: 1, backoff: 10ms}
    command: |
      trap 'echo saved; exit 0' TERM
      printf 'out %s\\nerr %s\\n' $HOWDAH_TASK_INDEX $HOWDAH_ATTEMPT >&2
      printf 'first\\nsecond %s' $HOWDAH_ATTEMPT
      [ $HOWDAH_TASK_INDEX$HOWDAH_ATTEMPT = 10 ] && exit 3
      echo; sleep 600 & wait
"""


@pytest.fixture(params=["on nodes", "aggregated"])
def machine(request, howdah_of, module_cluster):
    """Runs a test twice: the logs of finished jobs remain on the nodes, or YARN aggregates them in HDFS."""
    cluster = request.getfixturevalue("cluster" if request.param == "on nodes" else "aggregating")
    return howdah_of(cluster)


@pytest.fixture(scope="module")
def aggregating(module_cluster):
    return module_cluster(aggregation=True, log_format="TFile")


def logs_of(howdah, job):
    """The output of `howdah logs` for several selections of tasks and streams."""
    asked = [[], ["talker"], ["talker:0"], ["talker:1"], ["talker:1", "--attempt", "0"], ["talker:1", "--stderr"],
             ["talker:0", "--stdout"], ["talker:1", "--stdout", "--tail", "1"]]
    answers = {}
    for words in asked:
        done = howdah("logs", job, *words)
        assert done.code == 0, (words, done)
        answers[" ".join(words)] = done.stdout
    return answers


def check_logs(answers, last_word):
    end = "".join(f"{word}\n" for word in last_word)
    assert answers["talker:0"] == f"first\nsecond 0\n{end}out 0\nerr 0\n"
    assert answers["talker:1"] == f"first\nsecond 1\n{end}out 1\nerr 1\n"
    assert answers["talker:1 --attempt 0"] == "first\nsecond 0out 1\nerr 0\n"
    assert answers["talker:1 --stderr"] == "out 1\nerr 1\n"
    assert answers["talker:0 --stdout"] == f"first\nsecond 0\n{end}"
    assert answers["talker:1 --stdout --tail 1"] == f"{(last_word or ['second 1'])[-1]}\n"
    merged = [f"talker:{i} │ {line}" for i in range(2)
              for line in ["first", f"second {i}", *last_word, f"out {i}", f"err {i}"]]
    assert sorted(answers[""].splitlines()) == sorted(answers["talker"].splitlines()) == sorted(merged)


def without_third(answers):
    """Removes the lines of talker:2, which starts only when a container is free and is stopped by `scale`."""
    for asked in ("", "talker"):
        lines = [line for line in answers[asked].splitlines() if not line.startswith("talker:2")]
        assert len(answers[asked].splitlines()) - len(lines) == 5, answers[asked]
        answers[asked] = "".join(f"{line}\n" for line in lines)
    return answers


def check_pages(web, url, status):
    """Checks the status page and its links through the ResourceManager's proxy."""
    def get(url):
        code, text = web.send(url)
        assert code == 200, text
        return text
    page = get(url)
    links = re.findall(r'href="([^"]+)"', page)
    assert "talk" in page and "talker:1" in page, page
    assert not [link for link in links if link.startswith(("/", "http"))], page
    seen = json.loads(get(url + "status.json"))
    assert seen.keys() == status.keys() and [t["container"] for t in seen["tasks"]] == [
        t["container"] for t in status["tasks"]]
    log = next(link for link in links if link.startswith("log/") and "/0/" in link and "stdout" in link)
    assert get(url + log).startswith("first\nsecond 0")
    assert web.send(url + "log/nobody/0/0/stdout")[0] == 404


def test_commands_work_while_a_job_runs_and_after_its_end(machine, tmp_path):
    before = [j["id"] for j in json.loads(machine("list", "--all", "--json").stdout)]
    submitted = machine("submit", machine.job_file(tmp_path, TALK))
    job = submitted.id
    assert submitted.code == 0 and submitted.stdout == f"{job}\n", submitted
    follow = machine.start("logs", job, "talker:1", "-f", "--stdout")  # waits for the task to start
    states = lambda status: [(t["state"], t["attempt"]) for t in status["tasks"] if t["state"] != "STOPPED"]
    machine.until(job, lambda s: states(s) == [("RUNNING", 0), ("RUNNING", 1), ("RUNNING", 0)], "three, one again")
    refused = machine("scale", job, "talker=4")
    assert refused.code == 2 and "2 to 3" in refused.stderr, refused
    assert machine("scale", job, "talker=2").code == 0
    status = machine.until(job, lambda s: [t["attempt"] for t in s["tasks"]] == [0, 1], "two")
    assert status.keys() == KEYS | {"tasks", "children", "account"}, status
    assert all(t.keys() == TASK_KEYS for t in status["tasks"]), status
    assert (status["id"], status["name"], status["state"], status["on"], status["exit_code"], status["generation"]) == (
        job, "talk", "RUNNING", "yarn", None, 0)
    hosts = {machine.cluster.host(n) for n in machine.cluster.setup.node_names()}
    for task in status["tasks"]:
        assert task["node"] in hosts and task["container"] in machine.containers(job), task
        assert task["pids"] and machine.alive(job)[task["pids"][0]], task
    assert "pip install tensorboard" in machine("status", job).stdout
    listed = json.loads(machine("list", "--json").stdout)
    assert [j["id"] for j in listed] == [job] and listed[0].keys() == KEYS, listed
    assert machine.status("last")["id"] == job
    waited = machine("wait", job, "--timeout", "100ms")
    assert waited.code == 5 and "RUNNING" in waited.stderr, waited
    eventually(lambda: machine.log(job, "talker:1").startswith("first\nsecond 1\n"), "what talker:1 says")
    check_logs(without_third(logs_of(machine, job)), [])
    check_pages(machine.cluster.web, status["urls"]["tracking"], status)

    assert machine("kill", job).code == 0
    machine.assert_clean(job)
    assert machine("wait", job).code == 4
    status = machine.status(job)
    assert (status["state"], status["exit_code"]) == ("KILLED", 4) and "howdah kill" in status["reason"], status
    assert {t["state"] for t in status["tasks"]} == {"STOPPED"} and status["finished"] >= status["started"]
    check_logs(without_third(logs_of(machine, job)), ["saved"])
    events = [json.loads(line) for line in machine("events", job, "--json").stdout.splitlines()]
    assert events[0]["type"] == "JobSubmitted" and events[-1]["type"] == "JobFinished", events
    assert all(e["time"] for e in events) and "RoleScaled" in {e["type"] for e in events}
    again = machine("kill", job)
    assert again.code == 0 and "nothing to do" in again.stderr, again
    assert json.loads(machine("list", "--json").stdout) == []
    assert [j["id"] for j in json.loads(machine("list", "--all", "--json").stdout)] == [job, *before]
    app = machine.cluster.wait_app(job)
    assert (app["applicationType"], app["finalStatus"]) == ("HOWDAH", "KILLED"), app
    assert status["reason"] in app["diagnostics"], app
    stdout, stderr = follow.communicate(timeout=60)
    assert follow.returncode == 0 and stdout == "first\nsecond 0first\nsecond 1\nsaved\n", (stdout, stderr)


def test_a_queued_job_is_killed(howdah, cluster, tmp_path):
    """Other applications use all memory, so that not even the AM can start."""
    # If a NodeManager stops a container that has no process yet, the process can start afterwards and keep running. So
    # the test waits until the processes run.
    started = [tmp_path / f"started-{i}" for i in range(3)]
    fillers = [cluster.run_command(f"touch {path} && sleep 300", user="bob", memory_mb=4096) for path in started]
    cluster.wait(lambda: all(path.exists() for path in started), "the whole cluster taken")
    job = howdah.submit(howdah.job_file(tmp_path, "roles: {w: {memory: 64MiB, command: 'true'}}"))
    status = howdah.status(job)
    assert status["state"] == "QUEUED" and status["reason"], status
    assert howdah("kill", job).code == 0
    done = howdah("wait", job)
    assert done.code == 4, done
    assert howdah.status(job)["state"] == "KILLED"
    howdah.assert_clean(job)
    for app in fillers:
        cluster.rm(f"apps/{app}/state", {"state": "KILLED"}, "PUT", "bob")
    cluster.wait_idle()


def test_status_while_the_application_master_ends_the_job(howdah, cluster, tmp_path):
    """The AM first moves the job's files to the history, and then unregisters."""
    job = howdah.submit(howdah.job_file(tmp_path, "roles: {w: {memory: 64MiB, command: sleep 300}}\n"))
    howdah.running(job)
    running, history = (f"/user/alice/.howdah/{folder}/{job}" for folder in ("jobs", "history"))
    agents = howdah.agents(job, "am")
    eventually(lambda: '"RUNNING"' in cluster.fs("-cat", f"{running}/journal.jsonl", check=False),
               "the state in HDFS")
    for pid in agents:
        os.kill(pid, signal.SIGSTOP)
    cluster.fs("-mkdir", "-p", "/user/alice/.howdah/history", user="alice")
    cluster.fs("-mv", running, history)
    try:
        status = howdah.status(job)
        assert (status["state"], [task["role"] for task in status["tasks"]]) == ("RUNNING", ["w"]), status
    finally:
        cluster.fs("-mv", history, running)
        for pid in agents:
            os.kill(pid, signal.SIGCONT)
    assert howdah("kill", job).code == 0


def test_run_prints_all_output_before_it_exits(howdah, tmp_path):
    text = """
roles:
  w: {instances: 2, memory: 64MiB, command: 'seq 200000; echo bye >&2; exit 3'}
"""
    done = howdah("run", howdah.job_file(tmp_path, text))
    assert done.code == 1, (done.code, done.stderr)
    lines = done.stdout.splitlines()
    first = re.search(r"w:(\d)", howdah.status(done.id)["reason"]).group(1)  # the other task may have been stopped
    numbers = [line for line in lines if line.startswith(f"w:{first} │ ")]
    expected = [f"w:{first} │ {i}" for i in range(1, 200001)]
    assert [n for n in numbers if not n.endswith("bye")] == expected and f"w:{first} │ bye" in numbers
    assert howdah.log(done.id, f"w:{first}") == "".join(f"{i}\n" for i in range(1, 200001)) + "bye\n"
    howdah.assert_clean(done.id)


@pytest.mark.parametrize("grace, trap, presses, expected", [
    ("30s", "echo saved; exit 0", 1, "ready\nsaved\n"), ("60s", "", 2, "ready\n")], ids=["grace", "none"])
def test_ctrl_c_stops_with_grace_and_a_second_one_without(howdah, tmp_path, grace, trap, presses, expected):
    text = f"""
checkpoint: {{grace: {grace}}}
roles:
  w: {{memory: 64MiB, command: 'trap "{trap}" TERM; echo ready; while :; do sleep 0.05; done'}}
"""
    client = howdah.start("run", howdah.job_file(tmp_path, text))
    assert client.stdout.readline() == "w:0 │ ready\n"
    job = howdah.status("last")["id"]
    client.send_signal(signal.SIGINT)
    if presses == 2:
        eventually(lambda: "Stop" in howdah("events", job).stdout, "the stop in the journal")
        client.send_signal(signal.SIGINT)
    stdout, stderr = client.communicate(timeout=60)
    assert client.returncode == 4, (stdout, stderr)
    status = howdah.status(job)
    assert status["state"] == "KILLED" and "Ctrl-C" in status["reason"], status
    assert howdah.log(job, "w:0", "--stdout") == expected
    howdah.assert_clean(job)


def test_plan_and_doctor_check_the_cluster(howdah, tmp_path):
    before = howdah.jobs()
    too_big = howdah("plan", "too-big.yaml")
    assert too_big.code == 3 and "900 TiB" in too_big.stdout + too_big.stderr, too_big
    both = howdah("plan", howdah.job_file(tmp_path, "roles: {w: {memory: 900TiB, command: x, memroy: 1}}"))
    assert both.code == 2 and "memroy" in both.stdout + both.stderr, both
    relative = "checkpoint: {dir: ./here}\nroles: {w: {memory: 64MiB, command: x}}"
    done = howdah("plan", howdah.job_file(tmp_path, relative))
    assert done.code == 3 and "checkpoint.dir" in done.stdout + done.stderr, done
    (tmp_path / "src").mkdir()
    (tmp_path / "src/a b").write_text("12345")
    plan = howdah("plan", howdah.job_file(
        tmp_path, "source: src\nqueue: default\nenv_from: [HOME]\nroles: {w: {memory: 64MiB, command: x}}"),
        "--json", "--set", "roles.w.instances=2")
    assert plan.code == 0, plan
    plan = json.loads(plan.stdout)
    assert (plan["problems"], plan["refusals"], len(plan["tasks"])) == ([], [], 2), plan
    assert len(plan["ignored"]) == 1 and "env_from" in plan["ignored"][0], plan
    assert "src" in json.dumps(plan["uploads"]), plan
    assert howdah.jobs() == before
    parent = howdah("plan", howdah.job_file(tmp_path, "queue: root\nroles: {w: {memory: 64MiB, command: x}}"))
    assert parent.code == 3 and "'root' is a parent queue" in parent.stderr and "root.default" in parent.stderr, parent
    doctor = howdah("doctor")
    assert "submit to the queues root," not in doctor.stdout, doctor
    assert doctor.code == 0 and str(howdah.cluster.conf_dir) in doctor.stdout, doctor


def test_unreachable_clusters_and_unknown_jobs_are_reported(howdah):
    nobody = howdah("status", "application_1700000000000_0001")
    assert nobody.code == 2 and "application_1700000000000_0001" in nobody.stderr, nobody
    odd = howdah("logs", "howdah-20261121-064512-x7k2")
    assert odd.code == 2 and "HOWDAH_HOME" in odd.stderr, odd  # the id has the form of the local backend
    nowhere = howdah("run", "hello.yaml", env={"HADOOP_CONF_DIR": "/nowhere"})
    assert nowhere.code == 3 and "/nowhere" in nowhere.stderr, nowhere


def test_jobs_run_on_every_hadoop_version(any_version, howdah_of):
    """Runs a job without a job file, checks its output during the run and afterwards, and kills a second job."""
    howdah = howdah_of(any_version)
    done = howdah("run", "--memory", "64MiB", "--workers", "2", "--", "bash", "-c",
                  'echo "hello from $HOWDAH_ROLE:$HOWDAH_TASK_INDEX"')
    assert done.code == 0, done
    assert sorted(done.stdout.splitlines()) == [f"worker:{i} │ hello from worker:{i}" for i in range(2)], done
    assert howdah.log(done.id, "worker:1") == "hello from worker:1\n"
    howdah.assert_clean(done.id)
    job = howdah.submit("stubborn.yaml")
    eventually(lambda: howdah.log(job, "worker:0") == "ready\n", "the worker ready")
    assert howdah("kill", job, "--grace", "0s").code == 0
    assert howdah("wait", job).code == 4
    howdah.assert_clean(job)


@pytest.mark.parametrize("command", ["status", "kill", "wait", "events", "outputs"])
def test_an_unknown_application_is_reported_by_every_command(howdah, command):
    done = howdah(command, "application_1_1")
    assert done.code == 2 and "no job 'application_1_1': unknown to the ResourceManager" in done.stderr, done

"""TonY's own classes read the histories that Howdah writes for TonY's tools, and `howdah history` reads the histories
that TonY wrote."""
import datetime
import json
import os
import pwd
import shutil

import pytest

from machine import eventually, kill_together, processes

# worker:0 fails once and then succeeds. Each test replaces END with the last command of worker:1.
JOB = """
name: mnist <é> & co
history: {tony: TONY}
roles:
  worker:
    instances: 2
    memory: 64MiB
    restart: {max: 1, backoff: 10ms}
    command: |
      [ $HOWDAH_TASK_INDEX$HOWDAH_ATTEMPT = 00 ] && exit 3
      [ $HOWDAH_TASK_INDEX = 0 ] && exit 0
      END
"""
ID = "application_1541469337545_0031"  # the job whose history TonyHistory.java writes
NAME = f"{ID}-1542325695566-1542325733637-ann-FAILED.jhist"


def job(tmp_path, end):
    path = tmp_path / "job.yaml"
    path.write_text(JOB.replace("TONY", str(tmp_path / "tony")).replace("END", end))
    return path


def only(folder):
    found = list(folder.iterdir())
    assert len(found) == 1, found
    return found[0]


def directories(tmp_path):
    """The directories of the jobs that `howdah history move` has not moved yet, oldest first."""
    return sorted((tmp_path / "tony/intermediate").iterdir(), key=lambda d: d.stat().st_ctime)


def jhist(directory):
    names = [p.name for p in directory.iterdir() if p.name != "tony-final.xml"]
    assert len(names) == 1, names
    return names[0]


def history(machine, *words, code=0, **kwargs):
    done = machine("history", *words, **kwargs)
    assert done.code == code, done
    return done


def shown(machine, *words):
    return json.loads(history(machine, *words, "--json").stdout)


def lines(machine, *words):
    return [json.loads(line) for line in history(machine, *words, "--json").stdout.splitlines()]


def flat(event):
    """Converts an event of TonY's parser to our format."""
    fields = event["event"]
    return {"type": event["type"], **fields}


def ended(machine, file, code):
    done = machine("run", file)
    assert done.code == code, done
    return done.id


def job_with_killed_am(machine, file):
    """Starts a job, kills its AM and the AM's guardian while worker:1 runs, and returns the id of the job. Without the
    guardian no further AM is started."""
    ident = machine.submit(file)
    machine.until(ident, lambda s: [t["state"] for t in s["tasks"]] == ["SUCCEEDED", "RUNNING"], "worker:0's end")
    both = machine.agents(ident, "am")
    kill_together(both)
    eventually(lambda: not set(both) & set(processes()), f"the end of {both}")
    return ident


def test_tonys_parser_reads_the_history_of_a_job(machine, tony, tmp_path):
    ids = [ended(machine, job(tmp_path, "exit 0"), 0), ended(machine, job(tmp_path, "exit 7"), 1),
           job_with_killed_am(machine, job(tmp_path, "sleep 600"))]
    assert machine("wait", ids[2]).code == 1  # without an AM, the first client that reads the job records its end
    found = directories(tmp_path)
    assert [d.stat().st_mode & 0o777 for d in found] == [0o770] * 3
    for ident, read, status in zip(ids, tony.read(*found), ("SUCCEEDED", "FAILED", "FAILED"), strict=True):
        ours = machine.status(ident)
        metadata = read["metadata"]
        assert metadata["status"] == status == ours["state"]
        assert metadata["user"] == pwd.getpwuid(os.geteuid()).pw_name.lower()
        assert read["configuration"]["howdah.job.id"] == ident
        assert read["configuration"]["tony.application.name"] == "mnist <é> & co"
        assert read["roles"] == {"worker": [2, "64"]}  # instances and MiB, as Dr. Elephant reads them
        events = [(e["type"], e["event"].get("taskIndex"), e["event"].get("status")) for e in read["events"]]
        assert events[0] == ("APPLICATION_INITED", None, None)
        of_worker_0 = [(kind, end) for kind, index, end in events if index == 0]
        assert of_worker_0[:2] == [("TASK_STARTED", None), ("TASK_FINISHED", "FAILED")]
        if ident != ids[1]:  # in that job, worker:1 may fail before worker:0 has restarted
            assert of_worker_0[2:] == [("TASK_STARTED", None), ("TASK_FINISHED", "SUCCEEDED")]
        assert events[-1] == ("APPLICATION_FINISHED", None, None)
        # The journal and our own parser report the same events as TonY's parser.
        exits = [e for e in lines(machine, "events", ident) if e["type"] == "TaskExited" and e["role"] == "worker"]
        failures = [e["event"] for e in read["events"] if e["event"].get("status") == "FAILED"]
        assert [f["containerDiagnostic"] for f in failures] == [e["reason"] for e in exits if e.get("exit_code")]
        dir_events = lines(machine, "events", ident, "--dir", tmp_path / "tony")
        assert [{k: v for k, v in e.items() if k != "time"} for e in dir_events] == [flat(e) for e in read["events"]]
        view = shown(machine, "show", ident, "--dir", tmp_path / "tony")
        for key in ("id", "name", "state", "exit_code", "on", "framework"):
            assert view[key] == ours[key], key
        assert [(t["role"], t["index"], t["node"]) for t in view["tasks"]] == \
               [(t["role"], t["index"], t["node"]) for t in ours["tasks"]]


# `prepare` runs before the other roles. `ps` is stopped at the end of the job.
ROLES = """
history: {tony: TONY}
roles:
  worker: {instances: 2, memory: 64MiB, command: exit 0}
  prepare: {kind: setup, memory: 96MiB, command: exit 0}
  ps: {kind: service, memory: 128MiB, command: exec sleep 600}
"""


def test_dr_elephants_fetcher_finds_a_job_before_and_after_it_is_moved(machine, tony, tmp_path):
    file, site, location = tmp_path / "roles.yaml", tmp_path / "conf/tony-site.xml", tmp_path / "tony"
    file.write_text(ROLES.replace("TONY", str(location)))
    ident = ended(machine, file, 0)
    site.parent.mkdir()
    site.write_text(f"""<configuration>
        <property><name>tony.history.location</name><value>{location}</value></property>
        <property><name>tony.history.intermediate</name><value>{location}/intermediate</value></property>
        <property><name>tony.history.finished</name><value>{location}/finished</value></property>
        <property><name>tony.history.finished-dir-timezone</name><value>Asia/Tokyo</value></property>
        </configuration>""")
    application = only(location / "intermediate").name
    finished = datetime.datetime.fromisoformat(machine.status(ident)["finished"])
    when = int(1000 * finished.timestamp())
    found = tony.elephant(site.parent, application, when)
    assert found["moved"] is False
    assert {role: sorted(tasks) for role, tasks in found["tasks"].items()} == {
        "prepare": ["0"], "ps": ["0"], "worker": ["0", "1"]}
    for role, tasks in found["tasks"].items():
        for task in tasks.values():
            assert task["start"] <= task["end"], (role, task)
    assert found["megabytes"] == {"prepare": "96", "ps": "128", "worker": "64"}
    assert found["gpus"] == {"prepare": 0, "ps": 0, "worker": 0}
    history(machine, "move", env={"TONY_CONF_DIR": str(site.parent)})
    assert tony.elephant(site.parent, application, when) == found | {"moved": True}


def test_history_of_a_job_is_in_progress_until_the_job_ends_or_is_killed(machine, tmp_path):
    ident = job_with_killed_am(machine, job(tmp_path, "sleep 600"))
    directory = only(tmp_path / "tony/intermediate")
    assert jhist(directory).endswith(".jhist.inprogress")
    running = shown(machine, "list", "--dir", tmp_path / "tony")
    assert [(j["id"], j["state"], j["finished"]) for j in running] == [(ident, "RUNNING", None)]
    assert machine.status(ident)["state"] == "FAILED"  # without an AM, this client records the end
    assert jhist(directory).endswith("-FAILED.jhist")
    assert [j["state"] for j in shown(machine, "list", "--dir", tmp_path / "tony", "--status", "FAILED")] == ["FAILED"]
    assert len(shown(machine, "list")) == 1


def test_an_unwritable_history_does_not_fail_the_job(machine, tmp_path):
    (tmp_path / "tony").write_text("a file")
    done = machine("run", job(tmp_path, "exit 0"))
    assert done.code == 0, done
    advice = machine.status(done.id)["advice"]
    assert advice.startswith(f"writing the history for TonY's tools to {tmp_path}/tony: "), advice
    assert advice in done.stderr


@pytest.fixture
def old(tony, tmp_path):
    """A history folder as TonY writes it, with two jobs. One job has been moved to finished/. The other job is still in
    intermediate/, and TonY itself cannot read it, because the user name is Ann-Lee."""
    location = tmp_path / "old"
    moved = location / "finished/2018/11/15" / ID
    tony.write(moved)
    other = location / "intermediate/application_1541469337545_0032"
    other.mkdir(parents=True)
    shutil.copy(moved / NAME, other / NAME.replace("0031", "0032").replace("ann-FAILED", "Ann-Lee-SUCCEEDED"))
    text = (moved / "tony-final.xml").read_text().replace(">3g<", ">4g<").replace("mnist", "other")
    (other / "config.xml").write_text(text)
    return location


def test_history_commands_read_tonys_history(machine, old, tony):
    at = ("--dir", old)
    jobs = shown(machine, "list", *at)
    assert [(j["id"], j["name"], j["state"], j["on"], j["framework"]) for j in jobs] == [
        (ID.replace("0031", "0032"), "other <é> & co", "SUCCEEDED", "yarn", "pytorch"),
        (ID, "mnist <é> & co", "FAILED", "yarn", "pytorch")]
    for words, ids in ((["--user", "ann"], ["0031"]), (["--user", "Ann-Lee"], ["0032"]),
                       (["--name", "other"], ["0032"]), (["--status", "FAILED"], ["0031"]),
                       (["--since", "2018-11-16"], []), (["--until", "2018-11-15"], []),
                       (["--since", "2018-11-15", "--until", "2018-11-16"], ["0032", "0031"])):
        assert [j["id"][-4:] for j in shown(machine, "list", *at, *words)] == ids, words
    view = shown(machine, "show", ID, *at)
    assert view["started"] == "2018-11-15T23:48:15.566Z" and view["finished"] == "2018-11-15T23:48:53.637Z"
    assert view["reason"] == "worker:1: Exception from container-launch.\nexit 1"
    assert [(t["state"], t["node"], t["container"]) for t in view["tasks"]] == [
        ("SUCCEEDED", "node2", "container_0_02"), ("FAILED", "node3", "container_0_03")]
    (read,) = tony.read(old / "finished/2018/11/15" / ID)
    events = lines(machine, "events", ID, *at)
    assert [{k: v for k, v in e.items() if k != "time"} for e in events] == [flat(e) for e in read["events"]]
    assert events[0]["time"] == "2018-11-15T23:48:15.567Z"
    config = shown(machine, "config", ID, *at)
    assert {s["name"]: s["value"] for s in config} == read["configuration"]
    assert {s["source"] for s in config} == {"tony.xml", "tony-default.xml"}
    assert shown(machine, "metrics", ID, *at)[0] == {
        "role": "worker", "index": 0,
        "metrics": {"MAX_MEMORY_BYTES": 2.5e9, "AVG_MEMORY_BYTES": 1.25e9, "MAX_GPU_UTILIZATION": -1.0}}
    diff = shown(machine, "diff", ID, ID.replace("0031", "0032"), *at)
    assert [(d["name"], d["before"], d["after"]) for d in diff["configuration"]] == [
        ("tony.application.name", "mnist <é> & co", "other <é> & co"), ("tony.worker.memory", "3g", "4g")]
    assert {"name": "state", "before": "FAILED", "after": "SUCCEEDED"} in diff["outcome"]
    for words in (("list",), ("show", ID), ("events", ID), ("config", ID), ("metrics", ID), ("diff", ID, "last")):
        assert history(machine, *words, *at).stdout
    missing = history(machine, "show", "application_1_1", *at, code=2)
    assert "it is neither in" in missing.stderr


def test_move_and_purge_change_tonys_directories(machine, old):
    at = ("--dir", old)

    def tree():
        return sorted(str(p.relative_to(old)) for p in old.rglob("*.jhist"))
    before = tree()
    assert history(machine, "move", *at, "--dry-run").stdout.startswith("would have moved ")
    assert tree() == before
    history(machine, "move", *at, "--time-zone", "GMT+6")
    assert tree() == [f"finished/2018/11/15/{ID}/{NAME}", "finished/2018/11/16/" + before[1].split("/", 1)[1]]
    assert [j["id"][-4:] for j in shown(machine, "list", *at)] == ["0032", "0031"]
    assert history(machine, "purge", *at, "--older-than", "36500d").stdout == "" and len(tree()) == 2
    assert len(shown(machine, "purge", *at, "--dry-run")["done"]) == 2
    history(machine, "purge", *at)
    assert tree() == [] and not (old / "finished/2018").exists()


def test_tony_site_sets_the_history_folder(machine, old, tmp_path):
    site = tmp_path / "conf/tony-site.xml"
    site.parent.mkdir()
    site.write_text(f"""<configuration>
        <property><name>tony.history.location</name><value>{tmp_path}/none</value></property>
        <property><name>tony.history.intermediate</name><value>{old}/intermediate</value></property>
        <property><name>tony.history.finished</name><value>file:{old}/finished</value></property>
        <property><name>tony.history.retention-sec</name><value>0</value></property></configuration>""")
    env = {"TONY_CONF_DIR": str(site.parent)}
    file = tmp_path / "plain.yaml"
    file.write_text("roles: {worker: {memory: 64MiB, command: exit 0}}")
    own = ended(machine, file, 0)
    listed = json.loads(history(machine, "list", "--json", env=env).stdout)
    assert [j["id"] for j in listed] == [own, ID.replace("0031", "0032"), ID]
    names = {s["name"]: s["value"] for s in shown(machine, "config", own)}
    assert names["roles.worker.memory"] == "64MiB"
    assert f"{own} has no metrics" in history(machine, "metrics", own, code=2).stderr  # the job ended before a sample
    assert len(json.loads(history(machine, "diff", own, ID, "--json", env=env).stdout)["configuration"]) > 5
    assert "removed" in history(machine, "purge", env=env).stdout


@pytest.mark.parametrize("words, code, says", [
    (["history"], 2, "history --help"),
    (["history", "move"], 2, "write --dir URI"),
    (["history", "list", "--since", "soon"], 2, "write 2026-11-21"),
    (["history", "list", "--dir", "hdfs://nn/tony"], 3, "--on yarn"),
    (["history", "move", "--dir", "/nowhere", "--time-zone", "Nowhere"], 2, "unknown time zone 'Nowhere'"),
    (["history", "show", "application_1_1", "--dir", "/nowhere"], 2, "it is neither in"),
])
def test_errors_include_a_hint(machine, words, code, says):
    done = machine(*words)
    assert done.code == code, done
    assert says.lower() in done.stderr.lower(), done

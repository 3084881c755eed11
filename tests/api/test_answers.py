"""The API of the portal, with real jobs and real requests."""
import csv
import io
import json

import pytest

from machine import eventually
from portal import Portal

PLAIN = """
name: plain
tags: [weekly, "<script>"]
env: {WANDB_API_KEY: very-secret, SIZE: big}
roles:
  worker:
    instances: 2
    memory: 64MiB
    command: 'echo "out $HOWDAH_TASK_INDEX"; echo "error line" >&2; printf "unterminated"'
"""
FAILS = "name: fails\nroles: {a: {memory: 64MiB, command: 'echo broken >&2; exit 7'}}\n"
STEPS = """
name: steps
framework: pytorch
roles:
  worker:
    instances: 2
    memory: 64MiB
    restart: {max: 1, backoff: 10ms}
    command: |
      echo steps 60 >> $HOWDAH_PROGRESS
      echo step 5 >> $HOWDAH_PROGRESS
      echo checkpoint 5 >> $HOWDAH_PROGRESS
      [ $HOWDAH_TASK_INDEX$HOWDAH_GENERATION = 10 ] && exit 3
      exec sleep 86399
"""
SLEEPER = "name: sleeper\nroles: {w: {memory: 8MiB, command: 'echo ready; exec sleep 86399'}}\n"
ELASTIC = """
name: elastic
roles: {w: {instances: {min: 1, max: 3}, memory: 8MiB, command: exec sleep 86399}}
"""


def complete(portal):
    """Waits until the portal has read every job once."""
    eventually(lambda: portal.get("jobs").json["complete"], "complete list")
    return portal


def row_of(portal, job, condition, what):
    """The row of a job, once it meets the condition."""
    def look():
        rows = portal.jobs(q=job)
        return rows[0] if rows and condition(rows[0]) else None
    return eventually(look, what)


@pytest.fixture
def ended(machine, tmp_path):
    """Two ended jobs: a successful and a failed one."""
    ids = []
    for text, code in ((PLAIN, 0), (FAILS, 1)):
        done = machine("run", machine.job_file(tmp_path, text))
        assert done.code == code, done
        ids.append(done.id)
    return ids


def test_list_shows_sorts_filters_and_pages_jobs(machine, ended, portal):
    complete(portal)
    plain, fails = ended
    answer = portal.get("jobs", facets=1).json
    assert [job["id"] for job in answer["jobs"]] == [fails, plain] and answer["total"] == 2 and answer["next"] is None
    row = answer["jobs"][1]
    listed = json.loads(machine("list", "--all", "--json").stdout)
    assert {key: row[key] for key in listed[1] if key != "tasks"} == {key: listed[1][key] for key in listed[1]}
    assert row["tags"] == ["weekly", "<script>"] and row["tasks"] == {"running": 0, "total": 2} and row["gpus"] == 0
    assert row["user"] and row["took_seconds"] >= 0 and row["goodput"] > 0 and row["cost"] is None, row
    assert answer["facets"]["state"] == [{"value": "FAILED", "count": 1}, {"value": "SUCCEEDED", "count": 1}]
    for query, ids in (("state:failed", [fails]), ("user:me plain", [plain]), ("tag:weekly", [plain]),
                       ("user:nobody", []), ("name:fa*", [fails]), ("exit code 7", [fails]),
                       ("took:<1h", [fails, plain]),
                       ("backend:yarn", []), ("until:1d", []), ("since:1d -state:failed", [plain])):
        assert [job["id"] for job in portal.jobs(q=query)] == ids, query
    assert [job["id"] for job in portal.jobs(sort="name")] == [fails, plain]
    assert [job["id"] for job in portal.jobs(sort="submitted")] == [plain, fails]
    first = portal.get("jobs", limit=1, sort="-name").json
    second = portal.get("jobs", limit=1, sort="-name", after=first["next"]).json
    assert [first["jobs"][0]["id"], second["jobs"][0]["id"], second["next"]] == [plain, fails, None]
    lines = list(csv.DictReader(io.StringIO(portal.get("jobs", headers={"Accept": "text/csv"}).text)))
    assert [line["id"] for line in lines] == [fails, plain] and lines[0]["state"] == "FAILED"


@pytest.mark.parametrize("query, position, words", [
    ("resnet usr:ann", 7, "there is no key 'usr'; did you mean 'user'?"),
    ("state:BROKEN", 0, "there is no state 'BROKEN'; write QUEUED"),
    ('a "b', 2, "is not closed"),
    ("took:5", 0, "is not a comparison with a duration"),
])
def test_invalid_filter_is_explained(portal, query, position, words):
    answer = portal.get("jobs", status=400, q=query).json
    assert words in answer["detail"] and answer["position"] == position, answer


@pytest.mark.parametrize("path, status, words", [
    ("jobs?limit=0", 400, "limit"),
    ("jobs?limit=100000", 400, "limit"),
    ("jobs?sort=colour", 400, "there is no column 'colour'"),
    ("jobs?after=x", 400, "this cursor is not one of this list"),
    ("jobs?colour=red", 400, "unknown parameter 'colour'"),
    ("jobs/nothing", 404, "no job has the name or id 'nothing'"),
    ("jobs/howdah-20200101-000000-aaaa", 404, "howdah-20200101-000000-aaaa"),
    ("jobs/application_1700000000000_0001", 404, "which this portal does not show"),
    ("jobs/%2e%2e/job.yaml", 400, ""),
    ("jobs/a/logs/worker", 404, "no job has"),
    ("nothing", 404, ""),
    ("goodput?by=colour", 400, "by"),
    ("goodput?since=never", 400, "since: 'never' is not a time"),
    ("stream?topics=weather", 400, "'weather' is not a topic"),
    ("stream", 400, "topics"),
])
def test_wrong_request_is_explained(portal, path, status, words):
    answer = portal.request("GET", "/api/v1/" + path)
    assert answer.status == status and words in answer.json["detail"], answer
    assert set(answer.json) >= {"status", "title", "detail", "advice"} and answer.json["status"] == status


def test_job_and_its_parts(machine, ended, portal):
    complete(portal)
    plain, fails = ended
    job = portal.get(f"jobs/{plain}").json
    status = machine.status(plain)
    assert {key: job[key] for key in status} == status
    assert job["user"] and job["logs"].endswith(f"{plain}/logs") and job["tags"] == ["weekly", "<script>"]
    for name in ("plain", plain[-4:], "last"):
        assert portal.get(f"jobs/{name}").json["id"] == (fails if name == "last" else plain)
    tasks = portal.get(f"jobs/{fails}/tasks").json
    assert tasks["tasks"] == machine.status(fails)["tasks"]
    [attempt] = tasks["attempts"]
    assert (attempt["task"], attempt["state"], attempt["exit_code"]) == ("a:0", "FAILED", 7)
    events = portal.get(f"jobs/{plain}/events", limit=3).json
    assert [event["seq"] for event in events["events"]] == [1, 2, 3] and events["next"] == 3 and events["more"]
    rest = portal.get(f"jobs/{plain}/events", after=3).json
    lines = [json.loads(line) for line in machine("events", plain, "--json").stdout.splitlines()]
    assert [event["entry"] for event in events["events"] + rest["events"]] == lines and not rest["more"]
    assert portal.get(f"jobs/{plain}/events", after=rest["next"]).json == {"events": [], "next": rest["next"],
                                                                          "more": False}
    timeline = portal.get(f"jobs/{fails}/timeline").json
    assert timeline["from"] == job_time(machine, fails, "submitted") and timeline["attempts"][0]["spans"]
    assert [mark["kind"] for mark in timeline["marks"]] == ["failure"]
    goodput = portal.get(f"jobs/{plain}/goodput").json
    assert goodput["job"]["held"]["vcore_seconds"] > 0 and goodput["account"] == status["account"]
    assert portal.get(f"jobs/{plain}/addresses").json == {}


def job_time(machine, job, name):
    return machine.status(job)[name]


def test_secrets_are_hidden_until_they_are_revealed(machine, ended, portal):
    complete(portal)
    plain, _ = ended
    config = portal.get(f"jobs/{plain}/config")
    assert "very-secret" not in config.text and config.json["job"]["env"]["WANDB_API_KEY"] == "•••"
    assert config.json["hidden"] == ["env.WANDB_API_KEY"] and config.json["previous"] is None
    yaml = portal.get(f"jobs/{plain}/job.yaml")
    assert "very-secret" not in yaml.text and "SIZE: big" in yaml.text
    assert yaml.headers["Content-Type"].startswith("application/yaml")
    assert "very-secret" in portal.get(f"jobs/{plain}/config", reveal=1).text
    assert "very-secret" in portal.get(f"jobs/{plain}/job.yaml", reveal=1).text


def test_config_names_the_differences_from_the_previous_run(machine, ended, tmp_path, portal):
    again = machine("run", machine.job_file(tmp_path, PLAIN.replace("64MiB", "32MiB"))).id
    row_of(portal, again, lambda row: row["state"] == "SUCCEEDED", "end of the second run")
    previous = portal.get(f"jobs/{again}/config").json["previous"]
    assert previous["id"] == ended[0]
    assert {"name": "roles.worker.memory", "before": "64MiB", "after": "32MiB"} in previous["differences"], previous


def test_running_job_shows_progress_restarts_and_addresses(machine, tmp_path, portal):
    job = machine.submit(machine.job_file(tmp_path, STEPS))
    row = row_of(portal, job, lambda row: row["state"] == "RUNNING" and row["generation"] == 1 and row["progress"],
                 "the second generation with steps")
    assert row["progress"]["step"] == 5 and row["progress"]["steps"] == 60 and row["tasks"]["total"] == 2, row
    timeline = portal.get(f"jobs/{job}/timeline").json
    assert [g["generation"] for g in timeline["generations"]] == [1]
    assert {a["attempt"] for a in timeline["attempts"]} == {0, 1}
    kinds = [mark["kind"] for mark in timeline["marks"]]
    assert "failure" in kinds and "checkpoint" in kinds and "recovering" in kinds, timeline["marks"]
    trace = portal.get(f"jobs/{job}/trace.json").json
    spans = [event for event in trace["traceEvents"] if event["ph"] == "X"]
    assert {event["args"]["attempt"] for event in spans if event["name"] == "RUNNING"} == {0, 1}, trace
    names = {event["args"].get("name") for event in trace["traceEvents"] if event["ph"] == "M"}
    assert {"worker", "worker:0", "worker:1", "time breakdown"} <= names and trace["otherData"]["job"] == job
    assert all(event["ts"] >= 0 and event["dur"] >= 0 for event in spans)
    machine.running(job)
    addresses = portal.get(f"jobs/{job}/addresses").json["worker"]
    assert [a["index"] for a in addresses] == [0, 1] and all(a["host"] and a["port"] > 0 for a in addresses)
    advice = portal.get(f"jobs/{job}/advice").json["findings"]
    assert [f["check"] for f in advice] == [f["check"] for f in json.loads(machine("advise", job, "--json").stdout)]


def test_metrics_are_those_of_the_command(machine, tmp_path, portal):
    job = machine.submit(machine.job_file(tmp_path, SLEEPER + "metrics: {interval: 1s}\n"))
    eventually(lambda: portal.request("GET", f"/api/v1/jobs/{job}/metrics?series=memory_bytes").json.get("series"),
               "a sample of the memory")
    answer = portal.get(f"jobs/{job}/metrics", series="memory_bytes", tasks="w:0").json
    [series] = answer["series"]
    assert series["name"] == "memory_bytes" and series["task"] == "w:0" and any(series["mean"]), series
    assert portal.get(f"jobs/{job}/metrics", series="memory_bytes", tasks="ps").json["series"] == []
    quantiles = portal.get(f"jobs/{job}/metrics", series="memory_bytes", of="role").json["series"]
    assert sorted(column["quantile"] for column in quantiles) == [0, 25, 50, 75, 100], quantiles


def test_job_without_metrics_has_an_empty_table_and_the_reason(machine, tmp_path, portal):
    text = "roles: {w: {memory: 8MiB, command: exit 0}}\nmetrics: {interval: 0s}\n"
    done = machine("run", machine.job_file(tmp_path, text))
    answer = portal.get(f"jobs/{done.id}/metrics").json
    assert answer["series"] == [] and answer["start"] is None, answer
    assert "has no metrics" in answer["note"] and "interval: 0s" in answer["note"], answer
    portal.get("jobs/howdah-20260101-000000-none/metrics", status=404)


def test_reports_are_those_of_the_commands(machine, ended, portal):
    complete(portal)
    report = portal.get("goodput", by="name").json
    command = json.loads(machine("goodput", "--by", "name", "--json").stdout)
    assert report["groups"] == command["groups"] and report["total"] == command["total"] and report["notes"] == []
    lines = list(csv.DictReader(io.StringIO(portal.get("goodput", by="name", headers={"Accept": "text/csv"}).text)))
    assert [line["group"] for line in lines] == [group["group"] for group in command["groups"]] + ["all"]
    assert portal.get("goodput", by="day", since="2020-01-01", until="2020-01-02").json["groups"] == []
    findings = portal.get("advice", since="7d").json
    assert findings["notes"] == []
    assert [f["check"] for f in findings["findings"]] == [
        f["check"] for f in json.loads(machine("advise", "--since", "7d", "--json").stdout)]
    checks = [check["check"] for check in portal.get("advice/checks").json["checks"]]
    assert checks[0] == "memory-over" and len(checks) > 20


def test_job_is_killed_and_the_action_is_recorded(machine, tmp_path, portal):
    job = machine.submit(machine.job_file(tmp_path, SLEEPER))
    machine.running(job)
    answer = portal.post(f"jobs/{job}/kill", {"grace": "1s"}, status=202).json
    assert answer["text"] == f"{job} is being stopped"
    status = machine.until(job, lambda s: s["state"] == "KILLED", "KILLED")
    assert "with `howdah portal`" in status["reason"], status["reason"]
    again = portal.post(f"jobs/{job}/kill", {}, status=200).json
    assert again == {"text": f"{job} has already finished: KILLED; nothing to do", "state": "KILLED"}
    first, second = portal.audit()
    assert (first["action"], first["job"], first["outcome"]) == ("kill", job, "done")
    assert first["arguments"] == {"grace": "1s"} and first["from"]["address"] == "127.0.0.1" and first["user"]
    assert second["arguments"] == {}


def test_role_is_scaled(machine, tmp_path, portal):
    job = machine.submit(machine.job_file(tmp_path, ELASTIC))
    machine.running(job)
    answer = portal.post(f"jobs/{job}/scale", {"role": "w", "instances": 3}, status=202).json
    assert answer["text"] == f"{job}: scaling w to 3 tasks"
    machine.until(job, lambda s: len(s["tasks"]) == 3, "three tasks")
    refused = portal.post(f"jobs/{job}/scale", {"role": "w", "instances": 9}, status=400).json
    assert "9" in refused["detail"] and "3" in refused["detail"], refused
    machine("kill", job, "--grace", "0s")
    assert "has already finished" in portal.post(f"jobs/{job}/scale", {"role": "w", "instances": 1},
                                                 status=409).json["detail"]
    assert [entry["outcome"] == "done" for entry in portal.audit()][:2] == [True, False]


@pytest.mark.parametrize("path, body, words", [
    ("kill", {"grace": 30}, "grace: 30 is not a duration"),
    ("kill", {"grace": "soon"}, 'grace: "soon" is not a duration'),
    ("kill", {"force": True}, "unknown field 'force'; the fields are grace"),
    ("kill", [], "the body is not a JSON object"),
    ("scale", {}, "role: the name of a role is missing"),
    ("scale", {"role": "w", "instances": -1}, "instances: a number of tasks is missing"),
    ("scale", {"role": "w", "instances": 1e30}, "instances: a number of tasks is missing"),
    ("scale", {"role": "w", "instances": 10**30}, "instances: a number of tasks is missing"),
])
def test_wrong_action_is_explained(machine, ended, portal, path, body, words):
    answer = portal.post(f"jobs/{ended[0]}/{path}", body, status=400).json
    assert words in answer["detail"], answer
    assert portal.audit() == []


def test_read_only_portal_changes_nothing(machine, tmp_path):
    job = machine.submit(machine.job_file(tmp_path, SLEEPER))
    with Portal(machine, "--read-only") as portal:
        assert portal.get("health").json["read_only"]
        for path, body in (("kill", {}), ("scale", {"role": "w", "instances": 1})):
            answer = portal.post(f"jobs/{job}/{path}", body, status=403).json
            assert "--read-only" in answer["detail"] and f"howdah {path}" in answer["advice"], answer
    assert machine.running(job)["state"] == "RUNNING"


def test_health_describes_the_backends(machine, ended, portal):
    health = eventually(lambda: (h := portal.get("health").json)["backends"][0]["complete"] and h, "complete list")
    [backend] = health["backends"]
    assert (backend["name"], backend["state"], backend["jobs"], backend["live"]) == ("local", "ok", 2, 0), backend
    assert health["version"] and health["user"] and not health["read_only"]


def test_new_changed_and_removed_jobs_are_listed_at_once(machine, tmp_path, portal):
    assert complete(portal).jobs() == []
    job = machine.submit(machine.job_file(tmp_path, SLEEPER))
    row_of(portal, job, lambda row: row["state"] == "RUNNING" and row["tasks"]["running"] == 1, "RUNNING")
    machine("kill", job, "--grace", "0s")
    row_of(portal, job, lambda row: row["state"] == "KILLED", "KILLED")


def test_unreadable_job_hides_no_other(machine, ended, tmp_path):
    jobs = machine.home / "jobs"
    (jobs / "howdah-20200101-000000-torn").mkdir()
    (jobs / "howdah-20200101-000000-torn/journal.jsonl").write_text('{"time":"2020-')
    (jobs / "howdah-20200101-000000-junk").mkdir()
    (jobs / "howdah-20200101-000000-junk/journal.jsonl").write_bytes(b"\xff\0\n" * 1000)
    (jobs / ended[1] / "job.json").write_text("{")
    with Portal(machine) as portal:
        complete(portal)
        assert {job["id"] for job in portal.jobs()} >= set(ended)
        assert portal.get(f"jobs/{ended[1]}").json["state"] == "FAILED"
        assert ended[1] in portal.get(f"jobs/{ended[1]}/config", status=500).json["detail"]


def test_openapi_describes_every_answer(machine, ended, portal):
    complete(portal)
    api = portal.get("openapi.json").json
    assert api["openapi"].startswith("3.1")
    for path in ("/api/v1/jobs", "/api/v1/jobs/{id}/kill", "/api/v1/jobs/{id}/logs/{task}", "/api/v1/stream"):
        assert path in api["paths"], path
    jsonschema = pytest.importorskip("jsonschema")
    plain = ended[0]
    for path, route in (("jobs", "/api/v1/jobs"), ("health", "/api/v1/health"), (f"jobs/{plain}", "/api/v1/jobs/{id}"),
                        *((f"jobs/{plain}/{part}", f"/api/v1/jobs/{{id}}/{part}") for part in (
                            "tasks", "events", "timeline", "trace.json", "addresses", "config", "goodput", "advice",
                            "logs", "scalars")),
                        (f"jobs/{plain}/scalars/data?tag=loss", "/api/v1/jobs/{id}/scalars/data"),
                        (f"compare?ids={plain},{ended[1]}", "/api/v1/compare"),
                        ("names/plain", "/api/v1/names/{name}"),
                        ("goodput", "/api/v1/goodput"), ("advice", "/api/v1/advice"),
                        ("advice/checks", "/api/v1/advice/checks")):
        content = api["paths"][route]["get"]["responses"]["200"]["content"]["application/json"]
        schema = {**content["schema"], "components": api["components"]}
        jsonschema.validate(portal.get(path).json, schema)


def test_commands_show_the_portal(machine):
    done = machine("portal", "--help")
    assert done.code == 0 and "--read-only" in done.stdout and "127.0.0.1:8190" in done.stdout
    for listen, words in (("0.0.0.0:1", "is not a loopback address"), ("nonsense", "nonsense"),
                          ("10.0.0.1:80", "ssh -L")):
        done = machine("portal", "--listen", listen)
        assert done.code == 2 and words in done.stderr, done
    done = machine("portal", "--on", "local,mesos")
    assert done.code == 2 and "unknown backend 'mesos'" in done.stderr, done


def test_requested_port_in_use_is_an_error(machine, portal):
    done = machine("portal", "--listen", f"127.0.0.1:{portal.port}")
    assert done.code == 3 and str(portal.port) in done.stderr, done
    assert portal.address == f"http://127.0.0.1:{portal.port}/"

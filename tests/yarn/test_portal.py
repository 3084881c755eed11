"""The portal with jobs on a cluster: the list, a running job's page data, its live events and log, and its end."""
import json


from machine import ROOT, eventually
from portal import Portal

JOB = """
name: watched
roles:
  worker:
    instances: 2
    memory: 64MiB
    command: |
      echo "first line of $HOWDAH_TASK_INDEX"
      [ $HOWDAH_TASK_INDEX = 1 ] || exec sleep 86399
      while [ ! -e %s ]; do sleep 0.1; done
      echo last
      exit 3
"""


def line_of(portal, job, **query):
    return portal.get(f"jobs/{job}/logs/worker:1", attempt=0, stream="stdout", **query)


def test_job_is_shown_while_it_runs_and_after_its_end(howdah, tmp_path):
    go = tmp_path / "go"
    with Portal(howdah, "--on", "yarn") as portal, portal.stream("jobs") as stream:
        job = howdah.submit(howdah.job_file(tmp_path, JOB % go))
        stream.until("jobs", lambda data: any(r["id"] == job and r["state"] == "RUNNING" for r in data["jobs"]))
        row = portal.jobs(q="name:watched state:live")[0]
        assert (row["id"], row["on"], row["tasks"]) == (job, "yarn", {"running": 2, "total": 2}), row
        tasks = portal.get(f"jobs/{job}/tasks").json["tasks"]
        assert [task["state"] for task in tasks] == ["RUNNING", "RUNNING"], tasks
        first = eventually(lambda: line_of(portal, job, offset=0).text, "the first line")
        assert first == "first line of 1\n"
        assert line_of(portal, job, offset=6).text == "line of 1\n"
        assert line_of(portal, job, tail=1).headers["Howdah-Size"] == str(len(first))

        go.touch()
        ended = stream.until("jobs", lambda data: any(r["id"] == job and r["state"] == "FAILED" for r in data["jobs"]))
        reason = [r["reason"] for r in ended["jobs"] if r["id"] == job][0]
        assert "exit code 3" in reason, ended
        assert howdah("wait", job, timeout=120).code == 1
        assert portal.get(f"jobs/{job}").json["reason"] == reason
        assert eventually(lambda: line_of(portal, job, offset=0).text.endswith("last\n"), "the whole log")
        held = portal.get(f"jobs/{job}/goodput").json["job"]["held"]
        assert held["memory_gib_seconds"] > 0, held
    howdah.assert_clean(job)


def test_kill_through_the_portal_ends_the_job_and_names_the_user(howdah, tmp_path):
    job = howdah.submit(howdah.job_file(tmp_path, "roles: {w: {memory: 64MiB, command: exec sleep 86399}}"))
    howdah.running(job)
    with Portal(howdah, "--on", "yarn") as portal:
        portal.post(f"jobs/{job}/kill", {}, status=202)
        assert howdah("wait", job, timeout=120).code == 4
        shown = portal.get(f"jobs/{job}").json
        assert shown["state"] == "KILLED" and "howdah portal" in shown["reason"], shown
        assert [(line["action"], line["job"]) for line in portal.audit()] == [("kill", job)]
    howdah.assert_clean(job)


def test_scalars_of_event_files_in_hdfs_are_read_while_they_grow(cluster, howdah, tmp_path):
    curve = (ROOT / "src/tfevents/testdata/tensorflow.tfevents").read_bytes()
    path = "/user/alice/.howdah/scalars/run/events.out.tfevents.1"
    job = howdah.submit(howdah.job_file(tmp_path, """
tensorboard: {logdir: "hdfs:///user/alice/.howdah/scalars"}
roles: {worker: {memory: 64MiB, command: exec sleep 86399}}
"""))
    howdah.running(job)
    with Portal(howdah, "--on", "yarn") as portal:
        def steps():
            runs = portal.get(f"jobs/{job}/scalars/data", tag="loss").json["runs"]
            return [step for run in runs for step in run["step"]]

        assert steps() == []
        cluster.write(path, curve[:300], "alice")
        some = eventually(steps, "the beginning of the curve")
        assert some == list(range(len(some))) and len(some) < 5
        cluster.write(path, curve, "alice")
        eventually(lambda: steps() == list(range(5)), "the whole curve")
        assert portal.get(f"jobs/{job}/scalars").json["tags"][0]["runs"][0]["run"] == "run"
    assert howdah("kill", job).code == 0
    howdah.assert_clean(job)


ROLES = ("ps", "chiefworker", "worker")
SLIDER = """
name: slider
roles:
  ps: {memory: 64MiB, kind: service, command: exec sleep 86399}
  chiefworker: {memory: 64MiB, command: exec sleep 86399}
  worker: {instances: 2, memory: 64MiB, command: exec sleep 86399}
"""


def test_clients_of_slider_find_addresses_at_the_proxy_and_in_the_portal(howdah, tmp_path):
    """The GETs of the client of Slider's TensorFlow package: exports/ps, exports/chiefworker and exports/worker."""
    job = howdah.submit(howdah.job_file(tmp_path, SLIDER))
    url = howdah.running(job)["urls"]["tracking"] + "ws/v1/slider/publisher/exports"

    def at_proxy(path="", status=200):
        code, text = howdah.cluster.web.send(f"{url}{path}?proxyapproved=true")
        assert code == status, text
        return json.loads(text) if code == 200 else None

    with Portal(howdah, "--on", "yarn") as portal:
        def in_portal(path):
            return portal.get(f"jobs/{job}/{path}").json

        # The portal reads the job's journal in HDFS, which the application master writes a moment later.
        eventually(lambda: at_proxy() == in_portal("ws/v1/slider/publisher/exports"), "all addresses in the portal")
        addresses = in_portal("addresses")
        for role in ROLES:
            exports = at_proxy("/" + role)
            assert exports == in_portal(f"ws/v1/slider/publisher/exports/{role}")
            values = [(entry["value"], entry["containerId"]) for entry in exports["entries"]["host_port"]]
            assert values == [(f"{a['host']}:{a['port']}", a["container"]) for a in addresses[role]]
            assert len(values) == (2 if role == "worker" else 1) and exports["updated"] > 0, exports
        assert list(at_proxy()["exports"]) == list(ROLES)
        portal.get(f"jobs/{job}/ws/v1/slider/publisher/exports/nobody", status=404)
        at_proxy("/nobody", status=404)
    assert howdah("kill", job, "--grace", "0s").code == 0
    howdah.assert_clean(job)

"""`/metrics` of the portal: Prometheus' text format, and the Grafana dashboard that uses it."""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess

import pytest

from machine import ROOT, eventually
from portal import Portal

RUNS = """
name: 'runs "{x}" \\ <b>'
roles:
  worker:
    instances: 2
    memory: 64MiB
    command: 'echo steps 60 >> $HOWDAH_PROGRESS; echo step 5 >> $HOWDAH_PROGRESS; exec sleep 86399'
"""
FAILS = "name: fails\nroles: {a: {memory: 8MiB, command: exit 7}}\n"
SAMPLE = re.compile(r'(?P<name>[a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(?P<labels>.*)\})? (?P<value>\S+)')
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(?:,|$)')


def samples(text):
    """The samples by name: a list of (labels, value). Checks the format as Prometheus reads it."""
    found, types, current = {}, {}, None
    assert text.endswith("\n")
    for line in text.splitlines():
        comment = re.fullmatch(r"# (HELP|TYPE) (\S+) (.+)", line)
        if comment:
            if comment[1] == "HELP":
                current = comment[2]
                assert current not in types, f"{current} is not in one piece"
            else:
                assert comment[2] == current and comment[3] in ("counter", "gauge"), line
                types[current] = comment[3]
            continue
        match = SAMPLE.fullmatch(line)
        assert match and match["name"] == current and current in types, line
        assert (types[current] == "counter") == current.endswith("_total"), line
        labels, position = {}, 0
        while position < len(match["labels"] or ""):
            label = LABEL.match(match["labels"], position)
            assert label and label[1] not in labels, line
            labels[label[1]] = re.sub(r"\\(.)", lambda m: "\n" if m[1] == "n" else m[1], label[2])
            position = label.end()
        series = found.setdefault(current, [])
        assert labels not in [known for known, _ in series], line
        series.append((labels, float(match["value"])))
    return found


def scrape(portal):
    answer = portal.request("GET", "/metrics")
    assert answer.status == 200, answer
    assert answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    return answer.text


def promtool():
    """Prometheus' own checker, if it is in PATH. Debian has it in the package prometheus."""
    return shutil.which("promtool")


@pytest.fixture
def job(machine, tmp_path):
    job = machine.submit(machine.job_file(tmp_path, RUNS))
    machine.until(job, lambda s: all((t["progress"] or {}).get("step") == 5 for t in s["tasks"]), "step 5")
    return job


def test_figures_agree_with_status(machine, job, tmp_path, portal):
    assert machine("run", machine.job_file(tmp_path, FAILS, "fails.yaml")).code == 1
    user = portal.get("health").json["user"]

    def look():
        found = samples(scrape(portal))
        states = {labels["state"]: value for labels, value in found.get("howdah_jobs", [])}
        return found if states == {"RUNNING": 1, "FAILED": 1} and "howdah_job_step" in found else None
    found = eventually(look, "both jobs")
    [(labels, value)] = found["howdah_job_step"]
    name = 'runs "{x}" \\ <b>'
    assert labels == {"job": job, "name": name, "backend": "local", "queue": "", "user": user} and value == 5, found
    assert found["howdah_job_steps"][0][1] == 60
    assert found["howdah_job_tasks"] == [({**labels, "state": "RUNNING"}, 2)]
    assert found["howdah_job_memory_granted_bytes"][0][1] == 2 * (64 << 20)
    assert found["howdah_job_cpu_seconds_total"][0][1] >= 0 and found["howdah_job_gpus"][0][1] == 0
    held = {labels["resource"]: value for labels, value in found["howdah_job_held_seconds_total"]}
    useful = {labels["resource"]: value for labels, value in found["howdah_job_useful_seconds"]}
    assert held["vcore"] >= useful["vcore"] > 0 and held["gpu"] == 0 and held["memory_gib"] > 0, found
    assert found["howdah_portal_backend_up"] == [({"backend": "local"}, 1)]
    assert found["howdah_portal_omitted_series"] == [({}, 0)] and found["howdah_portal_unread_jobs"][0][1] == 0
    assert "howdah_job_gpu_utilisation_ratio" not in found, "an unknown value has a series"
    later = samples(scrape(portal))
    assert later["howdah_portal_http_responses_total"] != found["howdah_portal_http_responses_total"]


def test_cpu_time_of_an_earlier_container_still_counts(machine, tmp_path, portal):
    """The first container needs a second of CPU time, and the second one next to none."""
    burns = "name: burns\nroles:\n  a:\n    memory: 8MiB\n    restart: {max: 1}\n    command: |\n" \
            "      [ $HOWDAH_ATTEMPT = 0 ] || exec sleep 86399\n" \
            "      python3 -c 'import time\n      while time.process_time() < 1: pass'\n" \
            "      echo step 1 >> $HOWDAH_PROGRESS\n      exec sleep 86399\n"
    job = machine.submit(machine.job_file(tmp_path, burns))
    machine.until(job, lambda s: (s["tasks"][0]["progress"] or {}).get("step") == 1, "the CPU time")
    os.kill(machine.agents(job, "task")[1], signal.SIGKILL)  # the executor
    machine.until(job, lambda s: s["tasks"][0]["attempt"] == 1 and s["tasks"][0]["usage"]["memory_bytes"], "a sample")
    assert machine.status(job)["tasks"][0]["usage"]["cpu_seconds"] < 1
    found = samples(scrape(portal))["howdah_job_cpu_seconds_total"]
    assert found[0][1] >= 1, found


def test_prometheus_accepts_the_answer(job, portal):
    program = promtool()
    if program is None:
        pytest.skip("promtool is not in PATH; it is in Debian's package prometheus")
    text = eventually(lambda: (lambda t: t if "howdah_job_step" in t else None)(scrape(portal)), "the job")
    done = subprocess.run([program, "check", "metrics"], input=text, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and not done.stdout and not done.stderr, done


def test_portal_without_jobs_answers(machine):
    with Portal(machine) as portal:
        found = samples(scrape(portal))
        assert "howdah_jobs" not in found and found["howdah_portal_info"][0][1] == 1, found


def test_dashboard_and_documents_use_existing_metrics(job, portal):
    text = eventually(lambda: (lambda t: t if "howdah_job_step" in t else None)(scrape(portal)), "the job")
    known = set(samples(text)) | {"howdah_job_gpu_utilisation_ratio"}
    dashboard = json.loads(pathlib.Path(ROOT / "docs/grafana-dashboard.json").read_text())
    expressions = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    assert set(re.findall(r"howdah_\w+", " ".join(expressions))) <= known
    assert len({panel["id"] for panel in dashboard["panels"]}) == len(dashboard["panels"])
    documented = set(re.findall(r"`(howdah_\w+)`", (ROOT / "docs/portal.md").read_text()))
    assert documented <= known and {name for name in known if name.startswith("howdah_job")} <= documented

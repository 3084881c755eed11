"""Services of YARN services on the local backend."""
import json
import re

import pytest

from machine import FINAL, eventually

WEB = """cat conf/app.json conf/site.xml conf/motd; echo "$WHO"
exec python3 -m http.server "$HOWDAH_PORT" --directory conf"""
CHECK = """echo "web-1 is ${WEB-1_HOST}, self ${COMPONENT_INSTANCE_NAME}.${SERVICE_NAME}.${USER}.${DOMAIN}"
echo "$HOWDAH_CLUSTER"; sleep 3600"""


def service():
    resource = {"cpus": 1, "memory": "32"}
    files = [{"type": "JSON", "dest_file": "app.json",
              "properties": {"id": "${COMPONENT_ID}", "service": "${SERVICE_NAME}", "odd": "$x `y` \"z\" \\"}},
             {"type": "HADOOP_XML", "dest_file": "site.xml", "src_file": "base.xml",
              "properties": {"name": "${COMPONENT_INSTANCE_NAME}"}},
             {"type": "TEMPLATE", "dest_file": "motd", "src_file": "motd.in"}]
    web = {"name": "web", "number_of_containers": 2, "resource": resource, "launch_command": WEB,
           "readiness_check": {"type": "HTTP", "properties": {"url": "http://${THIS_HOST}:${HOWDAH_PORT}/"}},
           "configuration": {"files": files, "env": {"WHO": "${COMPONENT_NAME} ${COMPONENT_ID} of $HOWDAH_ROLE_SIZE"}}}
    check = {"name": "check", "number_of_containers": 1, "resource": resource, "launch_command": CHECK,
             "dependencies": ["web"]}
    return {"name": "ignored", "version": "1.0", "components": [web, check],
            "quicklinks": {"Site": "http://${WEB-0_HOST}:80/"}}


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "site.json").write_text(json.dumps(service(), indent=1))
    (folder / "base.xml").write_text("<configuration>\n<property><name>a</name><value>${USER}</value></property>\n"
                                     "</configuration>\n")
    (folder / "motd.in").write_text("${COMPONENT_INSTANCE_NAME} of ${SERVICE_NAME}, env ${WHO}, ${UNKNOWN}, & \\n\n\n")
    return folder


def running(machine, job):
    return sorted(f'{t["role"]}:{t["index"]}' for t in machine.status(job)["tasks"] if t["state"] == "RUNNING")


def test_a_service_is_launched_flexed_stopped_started_and_destroyed(machine, folder):
    def app(*words):
        return machine("yarn-app", *words, cwd=folder)

    launched = app("-launch", "site", "site.json", "-max", "web=3")
    assert launched.code == 0 and launched.stdout == launched.id + "\n", launched
    job = launched.id
    eventually(lambda: running(machine, job) == ["check:0", "web:0", "web:1"], "three containers")

    output = eventually(lambda: "web 1 of" in machine.log(job, "web:1") and machine.log(job, "web:1"), "the files")
    end = output.index("}") + 1
    assert json.loads(output[:end]) == {"id": "1", "service": "site", "odd": "$x `y` \"z\" \\"}
    assert output[end:].startswith("<configuration>\n<property><name>a</name><value>"), output
    assert "<property><name>name</name><value>web-1</value></property>\n</configuration>\n" in output
    who = re.search(r"\nweb-1 of site, env (web 1 of \d), \$\{UNKNOWN\}, & \\n\n\n(web 1 of \d)\n", output)
    assert who and who[1] == who[2], output
    lines = eventually(lambda: (log := machine.log(job, "check:0")).count("\n") == 2 and log, "the check")
    first, cluster = lines.splitlines()
    hosts = {role: tasks[-1].rsplit(":", 1)[0] for role, tasks in json.loads(cluster).items()}
    assert first == f"web-1 is {hosts['web']}, self {hosts['check']}"

    status = app("-status", "site")
    assert status.code == 0 and job in status.stdout and "RUNNING" in status.stdout, status
    assert f"  Site  http://{hosts['web']}:80/\n" in status.stdout
    assert app("-list").stdout.split() == ["site", "RUNNING", job]
    again = app("-launch", "site", "site.json")
    assert again.code == 2 and "already exists" in again.stderr, again
    assert app("-flex", "site", "-component", "web", "3").code == 0
    eventually(lambda: "web:2" in running(machine, job), "the third container")
    too_many = app("-flex", "site", "-component", "web", "4")
    assert too_many.code != 0 and "launch the service with -max web=N" in too_many.stderr, too_many

    assert app("-stop", "site").code == 0
    assert machine.status(job)["state"] == "KILLED"
    assert app("-stop", "site").code == 0
    assert app("-flex", "site", "-component", "check", "2").code == 0
    started = app("-start", "site")
    assert started.code == 0 and started.id != job, started
    eventually(lambda: running(machine, started.id) == ["check:0", "check:1", "web:0", "web:1", "web:2"], "the tasks")
    assert app("-start", "site").code == 2
    assert app("-destroy", "site").code == 0
    assert machine.status(started.id)["state"] in FINAL
    assert app("-list").stdout == ""
    gone = app("-status", "site")
    assert gone.code != 0 and "there is no yarn-app application 'site'" in gone.stderr, gone


def test_a_saved_service_starts_later_and_shows_its_job_file(machine, folder):
    printed = machine("yarn-app", "-launch", "site", "site.json", "-print-job", cwd=folder)
    assert printed.code == 0 and "restart: {max: unlimited, always: true" in printed.stdout, printed
    assert machine("yarn-app", "-list").stdout == ""
    assert machine("yarn-app", "-save", "site", "site.json", cwd=folder).stdout == ""
    assert machine("yarn-app", "-list").stdout == "site  STOPPED\n"
    assert (machine.home / "apps/yarn-app/site").stat().st_mode & 0o777 == 0o700
    started = machine("yarn-app", "-start", "site")
    assert started.code == 0, started
    eventually(lambda: len(running(machine, started.id)) == 3, "three containers")
    assert machine("yarn-app", "-destroy", "site").code == 0


def test_all_problems_of_a_file_are_printed_and_nothing_is_saved(machine, folder):
    bad = service()
    bad["components"][0]["launch_comand"] = "x"
    bad["components"][1]["dependencies"] = ["wep"]
    (folder / "bad.json").write_text(json.dumps(bad))
    done = machine("yarn-app", "-launch", "site", "bad.json", cwd=folder)
    assert done.code == 2, done
    assert done.stderr == (
        "bad.json: components[0].launch_comand: unknown key; did you mean 'launch_command'?\n"
        "bad.json: components[1].dependencies: unknown component 'wep'; did you mean 'web'?\n")
    assert machine("yarn-app", "-list").stdout == ""
    assert machine("yarn-app", "-launch", "site", "none.json", cwd=folder).code == 2

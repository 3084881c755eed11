"""A service in the format of YARN services: web servers with files and a readiness check, and a task that depends on
them."""
import json
import re

from machine import eventually

WEB = """cat conf/app.json conf/site.xml conf/motd; echo "$WHO"
exec python3 -m http.server "$HOWDAH_PORT" --directory conf"""
CHECK = """echo "web-1 is ${WEB-1_HOST}, self ${COMPONENT_INSTANCE_NAME}.${SERVICE_NAME}.${USER}.${DOMAIN}"
echo "$HOWDAH_CLUSTER"; sleep 3600"""


def service(**web_settings):
    resource = {"cpus": 1, "memory": "32"}
    files = [{"type": "JSON", "dest_file": "app.json",
              "properties": {"id": "${COMPONENT_ID}", "service": "${SERVICE_NAME}", "odd": "$x `y` \"z\" \\"}},
             {"type": "HADOOP_XML", "dest_file": "site.xml", "src_file": "base.xml",
              "properties": {"name": "${COMPONENT_INSTANCE_NAME}"}},
             {"type": "TEMPLATE", "dest_file": "motd", "src_file": "motd.in"}]
    web = {"name": "web", "number_of_containers": 2, "resource": resource, "launch_command": WEB,
           "readiness_check": {"type": "HTTP", "properties": {"url": "http://${THIS_HOST}:${HOWDAH_PORT}/"}},
           "configuration": {"files": files, "env": {"WHO": "${COMPONENT_NAME} ${COMPONENT_ID} of $HOWDAH_ROLE_SIZE"}},
           **web_settings}
    check = {"name": "check", "number_of_containers": 1, "resource": resource, "launch_command": CHECK,
             "dependencies": ["web"]}
    return {"name": "ignored", "version": "1.0", "components": [web, check],
            "quicklinks": {"Site": "http://${WEB-0_HOST}:80/"}}


def write(folder, **web_settings):
    """Writes the service to site.json, and the files that it refers to."""
    (folder / "site.json").write_text(json.dumps(service(**web_settings), indent=1))
    (folder / "base.xml").write_text("<configuration>\n<property><name>a</name><value>${USER}</value></property>\n"
                                     "</configuration>\n")
    (folder / "motd.in").write_text("${COMPONENT_INSTANCE_NAME} of ${SERVICE_NAME}, env ${WHO}, ${UNKNOWN}, & \\n\n\n")


def running(machine, job):
    return sorted(f'{t["role"]}:{t["index"]}' for t in machine.status(job)["tasks"] if t["state"] == "RUNNING")


def check_files_and_names(machine, job):
    """Checks the files of web:1, and the names that check:0 knows. Returns the hosts of all roles' last tasks."""
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
    return hosts

"""Logins to docker registries. The shared cluster runs no docker, and ignores the image."""
import json

import pytest

from job_reports import assert_facts
from machine import ROOT, eventually

LOGINS = {"registry.example.com": {"auth": "YW5uOnNlY3JldA=="}}


@pytest.mark.usefixtures("unsecured")  # the container executor of these clusters refuses an image without docker
def test_logins_reach_the_node_and_not_the_task(howdah, tmp_path):
    config = tmp_path / "config.json"
    config.write_text(json.dumps({"auths": LOGINS}))
    job = howdah.submit(howdah.job_file(tmp_path, f"""
name: logins
docker: {{image: "registry.example.com/ml", client_config: {config}}}
roles:
  worker:
    memory: 64MiB
    command: 'tr -d "\\0" < "$HADOOP_TOKEN_FILE_LOCATION" | grep -c -e DOCKER -e YW5u; sleep 300'
"""))
    container = howdah.running(job)["tasks"][0]["container"]
    assert eventually(lambda: howdah.log(job, "worker:0"), "the task's output").strip() == "0"
    # The NodeManager passes this file to the docker runtime.
    tokens, = howdah.cluster.folder.glob(f"nm*/**/{container}/container_tokens")
    at_node = howdah.cluster.java(str(ROOT / "tests/yarn/hadoop/DockerLogins.java"), str(tokens)).stdout
    assert json.loads(at_node) == {"auths": LOGINS}
    assert howdah("kill", job).code == 0


def test_nodes_without_docker_are_the_reason(secured_cluster, howdah_of, tmp_path):
    """Nodes of Hadoop 3.3 report no reason for such a container."""
    howdah = howdah_of(secured_cluster)
    job = howdah.submit(howdah.job_file(tmp_path, "name: image\ndocker: {image: registry.example.com/ml}\n"
                                                  "roles: {worker: {memory: 64MiB, command: date}}\n"))
    reason = howdah.until(job, lambda s: s["state"] == "FAILED", "the end")["reason"]
    assert_facts(reason, "yarn.nodemanager.runtime.linux.allowed-runtimes contains docker")


def test_file_without_logins_is_refused(howdah, tmp_path):
    config = tmp_path / "config.json"
    config.write_text('{"credsStore": "secretservice"}')
    file = howdah.job_file(tmp_path, f"""
name: logins
docker: {{image: "registry.example.com/ml", client_config: {config}}}
roles: {{worker: {{memory: 64MiB, command: date}}}}
""")
    done = howdah("submit", file)
    assert done.code == 2 and "docker.client_config has no login" in done.stderr, done

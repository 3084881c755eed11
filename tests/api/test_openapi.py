"""The description of the API is valid, and a client that a tool generates from it follows and ends a job."""
import json
import subprocess

from machine import DEADLINE_S

# Lists the jobs, follows the journal of one until its first task runs, and kills the job. argv: the folder of the
# generated package, the address of the portal, the id.
CLIENT = """
import sys, time
sys.path.insert(0, sys.argv[1])
from generated import Client
from generated.api.actions import post_api_v1_jobs_id_kill as kill
from generated.api.job import get_api_v1_jobs_id as job, get_api_v1_jobs_id_events as events
from generated.api.jobs import get_api_v1_jobs as jobs
from generated.models.post_api_v1_jobs_id_kill_body import PostApiV1JobsIdKillBody as Grace

client, wanted = Client(base_url=sys.argv[2], raise_on_unexpected_status=True), sys.argv[3]
listed = jobs.sync(client=client, q="name:followed")
assert [row.id for row in listed.jobs] == [wanted], listed
after, texts = 0, []
while not any("worker:0" in text for text in texts):
    answer = events.sync(id=wanted, client=client, after=after)
    texts += [event.text for event in answer.events]
    after = answer.next_
answer = kill.sync_detailed(id=wanted, client=client, body=Grace(grace="0s"), howdah_request="1")
assert answer.status_code in (200, 202), answer
while (state := job.sync(id=wanted, client=client).state) not in ("KILLED", "FAILED"):
    pass
print(state)
"""


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=DEADLINE_S)
    assert done.returncode == 0, (command, done.stdout, done.stderr)
    return done.stdout


def test_generated_client_lists_follows_and_kills_a_job(machine, portal, installed, tmp_path):
    tools = installed("openapi")
    description = tmp_path / "openapi.json"
    description.write_text(portal.get("openapi.json").text)
    run(tools, "-m", "openapi_spec_validator", description)
    (tmp_path / "config.json").write_text(json.dumps({"post_hooks": []}))
    out = run(tools.with_name("openapi-python-client"), "generate", "--path", description, "--meta", "none",
              "--output-path", tmp_path / "generated", "--config", tmp_path / "config.json")
    assert "Unable to process schema" not in out, out
    job = machine.submit(machine.job_file(tmp_path, """
name: followed
roles: {worker: {memory: 8MiB, command: exec sleep 86399}}
"""))
    assert run(tools, "-c", CLIENT, tmp_path, portal.address.rstrip("/"), job) == "KILLED\n"
    assert machine.status(job)["state"] == "KILLED"

"""The history that a job writes to HDFS for TonY's tools."""
import json

from machine import eventually

JOB = """
name: mnist
history: {tony: hdfs:///tony}
roles: {worker: {instances: 2, memory: 64MiB, command: WHAT}}
"""
AT = ("--dir", "hdfs:///tony")


def test_history_reaches_hdfs_after_any_end_of_the_job(howdah, cluster, tmp_path):
    for path in ("/tony", "/tony/intermediate"):
        cluster.make_dir(path, permission=1777)
    done = howdah("run", howdah.job_file(tmp_path, JOB.replace("WHAT", "exit 0")))
    assert done.code == 0, done
    assert howdah.status(done.id)["advice"] is None
    finished = cluster.files_in_hdfs(f"/tony/intermediate/{done.id}")
    assert len(finished) == 2 and finished[0].endswith("-alice-SUCCEEDED.jhist"), finished
    assert finished[1].endswith("/tony-final.xml")

    killed = howdah.submit(howdah.job_file(tmp_path, JOB.replace("WHAT", "sleep 600")))
    howdah.running(killed)
    running = eventually(lambda: cluster.files_in_hdfs(f"/tony/intermediate/{killed}"), "the history's beginning")
    assert running[0].endswith("-alice.jhist.inprogress"), running
    cluster.rm(f"apps/{killed}/state", {"state": "KILLED"}, "PUT", "alice")
    howdah.until(killed, lambda s: s["state"] == "KILLED", "the end")  # without an AM, this client records the end

    def shown(*words):
        shown = howdah("history", *words, "--json", *AT)
        assert shown.code == 0, shown
        return json.loads(shown.stdout)
    assert [(j["id"], j["state"]) for j in shown("list", "--user", "alice")] == [
        (killed, "KILLED"), (done.id, "SUCCEEDED")]
    tasks = shown("show", done.id)["tasks"]
    assert [(t["state"], t["container"], t["node"]) for t in tasks] == \
           [("SUCCEEDED", t["container"], t["node"]) for t in howdah.status(done.id)["tasks"]]
    moved = shown("move")
    assert len(moved["done"]) == 2 and not moved["problems"], moved
    assert cluster.files_in_hdfs("/tony/intermediate") == []
    assert len(cluster.files_in_hdfs("/tony/finished")) == 4
    assert len(shown("list")) == 2
    howdah.assert_clean(killed)

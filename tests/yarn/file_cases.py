"""A job that uses the cluster's files in each way, for clusters that protect them in different ways."""
from kill_cases import ended

JOB = """
name: guarded
files: [data]
outputs: [out]
roles: {worker: {instances: 2, memory: 64MiB, command: "cat data | tee out; id -un"}}
"""


def run_job_with_files(howdah, folder):
    """Runs a job to its end, on a cluster that aggregates logs, and checks its output. Java's client on the node
    fetches the files of the job. Our own stores its outputs, and the AM its journal. Returns the text of
    `howdah logs`."""
    (folder / "data").write_text("of the job\n")
    job = howdah.submit(howdah.job_file(folder, JOB, "guarded.yaml"))
    ended(howdah, job, "SUCCEEDED")
    done = howdah("logs", job)  # the NodeManager has written it to HDFS
    assert done.code == 0 and done.stdout.count("of the job\n") == 2, done
    copied = howdah("outputs", job, folder / "stored")
    assert copied.code == 0, copied
    stored = [path.read_text() for path in (folder / "stored").rglob("out")]
    assert stored == ["of the job\n"] * 2, copied
    return done.stdout

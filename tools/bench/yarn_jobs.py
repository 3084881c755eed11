"""Jobs on a test cluster, for measurements. The cluster has Hadoop's defaults and is used for a whole run of bench."""
import datetime
import json
import pathlib
import shutil
import sys
import tempfile
import time

from local_jobs import ROOT

sys.path[:0] = [str(ROOT / "tests/yarn"), str(ROOT / "tests/support")]

from cluster import Cluster  # noqa: E402
from cluster_setup import Setup  # noqa: E402
from cluster_user import Howdah  # noqa: E402

LIMIT_S = 120


class Yarn:
    """A cluster of three nodes, which send a heartbeat once a second, and one user: `with Yarn() as yarn:`."""

    def __init__(self, **setup):
        self.setup = Setup(**setup)

    def __enter__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="howdah-bench-"))
        self.cluster = Cluster(self.setup)
        self.howdah = Howdah(self.cluster, self.folder / "home")
        self.jobs = 0
        return self

    def __exit__(self, *_):
        self.cluster.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def source(self, name, files):
        """Makes a directory with files {name: bytes}."""
        folder = self.folder / name
        folder.mkdir()
        for file, content in files.items():
            (folder / file).write_bytes(content)
        return folder

    def submit(self, tasks=1, **keys):
        """Submits a job whose tasks write the time of their start and sleep. `keys`: further keys of the job file. The
        keys in `roles` are added to the role "worker"."""
        self.jobs += 1
        out = self.cluster.folder / f"stamps-{self.jobs}"
        out.mkdir()
        stamp = f"{out}/$HOWDAH_TASK_INDEX"
        begin = ["/bin/bash", "-c", f"date +%s%N >{stamp}.new && mv {stamp}.new {stamp} && exec sleep 300"]
        path = self.folder / "job.json"
        more = keys.pop("roles", {}).get("worker", {})
        path.write_text(json.dumps({"name": "bench", **keys, "roles": {
            "worker": {"instances": tasks, "memory": "64MiB", "command": begin, **more}}}))
        begun = time.time()
        done = self.howdah("submit", path, timeout=LIMIT_S)
        if done.code != 0:
            raise RuntimeError(f"howdah submit: {done}")
        return Job(self, done.id, out, tasks, begun, time.time())

    def rm_log_time(self, *words):
        """The time, in seconds since the epoch, of the ResourceManager's first log line with all these words."""
        def look():
            with self.cluster["rm"].log.open(errors="replace") as log:
                for line in log:
                    if all(word in line for word in words):
                        return datetime.datetime.strptime(line[:23], "%Y-%m-%d %H:%M:%S,%f").timestamp()
            return None
        return self.cluster.wait(look, f"a line of the ResourceManager with {words}", LIMIT_S)


class Job:
    """A submitted job. All times are seconds since the epoch. `begun` and `returned` are the times before and after the
    command that submitted the job."""

    def __init__(self, yarn, job_id, out, tasks, begun, returned):
        self.yarn, self.id, self.out, self.tasks = yarn, job_id, out, tasks
        self.begun, self.returned = begun, returned

    def accepted(self):
        return self.yarn.rm_log_time(f"{self.id} State change from", "to ACCEPTED")

    def registered(self):
        return self.yarn.rm_log_time(f"AM registration appattempt_{self.id.removeprefix('application_')}_000001")

    def starts(self):
        """Waits until all user processes run; returns their start times."""
        paths = [self.out / str(task) for task in range(self.tasks)]
        self.yarn.cluster.wait(lambda: all(p.exists() for p in paths), f"the tasks of {self.id}", LIMIT_S)
        return [int(path.read_text()) / 1e9 for path in paths]

    def agents(self, kind):
        """The pids of the guardians, followed by the pids of the agents that they guard."""
        self.starts()
        return self.yarn.howdah.agents(self.id, kind)

    def kill(self):
        self.yarn.howdah("kill", self.id, "--grace", "0s", timeout=LIMIT_S)
        self.yarn.cluster.wait_idle(LIMIT_S)

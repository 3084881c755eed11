"""Runs `howdah` as a user of a test cluster, and finds the processes, containers and files of the user's jobs."""
from machine import Machine, eventually, processes


class Howdah(Machine):
    """`home` is the HOWDAH_HOME of this user. The client finds the cluster only through HADOOP_CONF_DIR."""

    def __init__(self, cluster, home, user="alice"):
        super().__init__(home)
        self.cluster, self.user = cluster, user
        for name in [n for n in self.env if n.startswith(("HADOOP_", "YARN_")) or n in ("JAVA_HOME", "CLASSPATH")]:
            del self.env[name]
        self.env |= {"HOWDAH_ON": "yarn", "HADOOP_CONF_DIR": str(cluster.conf_dir), "HADOOP_USER_NAME": user}
        if cluster.kdc:
            self.home.mkdir(parents=True, exist_ok=True)
            del self.env["HADOOP_USER_NAME"]
            self.env |= {**cluster.kdc.env, "KRB5CCNAME": cluster.kdc.kinit(user, self.home / "tickets")}

    # --- processes, containers and files of a job ---

    @staticmethod
    def _marks(job):
        """Two texts that identify the job's processes by their environments: Howdah's variable, and the part of YARN's
        CONTAINER_ID that identifies the application."""
        return f"HOWDAH_JOB_ID={job}".encode(), f"_{job.removeprefix('application_')}_".encode()

    def alive(self, job):
        """The job's processes on all nodes (container launchers, agents and their children): pid -> command line."""
        mark, number = self._marks(job)

        def ours(command, environment):
            words = environment.split(b"\0")
            return (mark in words or any(w.startswith(b"CONTAINER_ID=") and number in w for w in words)
                    or (job in command and "howdah-agent" in command))
        return {pid: command for pid, (_, command, environment) in processes().items() if ours(command, environment)}

    def agents(self, job, kind):
        """The pids of the job's `howdah-agent KIND` processes, guardians first."""
        alive = self.alive(job)
        ours = {pid: ppid for pid, (ppid, command, _) in processes().items()
                if pid in alive and f"howdah-agent {kind} " in command + " "}
        return sorted(ours, key=lambda pid: ours[pid] in ours)

    def containers(self, job):
        """The containers of the job that running NodeManagers report as unfinished."""
        _, number = self._marks(job)
        return [c["id"] for node in self.cluster.setup.node_names() if self.cluster[node].alive()
                for c in ((self.cluster.nm(node, "containers") or {}).get("containers") or {}).get("container", [])
                if number.decode() in c["id"] and c["state"] not in ("DONE", "COMPLETE")]

    def in_hdfs(self, job):
        """The files of the job in HDFS, except its history."""
        history = f"/user/{self.user}/.howdah/history/{job}/"
        return [f for f in self.cluster.files_in_hdfs(f"/user/{self.user}") if job in f and not f.startswith(history)]

    def on_nodes(self, job):
        """The directories of the application on nodes with a running NodeManager."""
        return [str(path) for node in self.cluster.setup.node_names() if self.cluster[node].alive()
                for path in (self.cluster.folder / node / "local").glob(f"usercache/*/appcache/{job}")]

    def assert_clean(self, job, deadline_s=10):
        """Checks that nothing of the job is left on nodes or in HDFS, except its history and the user's cache."""
        for look in (self.alive, self.containers, self.in_hdfs, self.on_nodes):
            try:
                eventually(lambda: not look(job), f"the end of {look.__name__}({job})", deadline_s)
            except AssertionError as error:
                raise AssertionError(f"{error}: {look(job)}\n{self.cluster.trouble()}") from None
        strangers = [f for f in self.cluster.files_in_hdfs(f"/user/{self.user}")
                     if not f.startswith(f"/user/{self.user}/.howdah/")]
        assert not strangers, strangers

    def diagnostics(self, job):
        return self.cluster.app(job)["diagnostics"]

    def jobs(self):
        return [app["id"] for app in self.cluster.apps(f"?user={self.user}")]

    def _kill(self, app):
        if self.cluster.setup.kerberos and not self.cluster.setup.tls:  # its web service knows no users
            self.cluster.application_cli("-kill", app)
        else:
            self.cluster.rm(f"apps/{app}/state", {"state": "KILLED"}, "PUT", self.user)

    def close(self):
        """Kills the running jobs of this user, so that they do not disturb later tests."""
        for app in self.cluster.apps(f"?user={self.user}"):
            if app["state"] not in ("FINISHED", "FAILED", "KILLED"):
                self._kill(app["id"])
        super().close()

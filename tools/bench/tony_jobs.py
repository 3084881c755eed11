"""TonY's jobs on a test cluster, for comparison with Howdah's. TonY's client, AM and executors are JVMs."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

from local_jobs import ROOT
from yarn_jobs import LIMIT_S

POM = ROOT / "tools/bench/tony/pom.xml"


class Tony:
    """TonY on the cluster of yarn_jobs.Yarn. The settings favour TonY: no security, no `hadoop classpath` before each
    process, no history, and small heaps where the size can be set."""

    def __init__(self, yarn):
        self.yarn, self.cluster = yarn, yarn.cluster
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=yarn.folder, prefix="tony-"))
        lib = self.folder / "lib"
        subprocess.run(["mvn", "-B", "-q", "-Dstyle.color=never", "-f", POM, "dependency:copy-dependencies",
                        "-DincludeScope=runtime", f"-DoutputDirectory={lib}"], check=True, stdout=subprocess.DEVNULL)
        # Hadoop's versions of libraries come first, except Avro, because TonY needs a newer version.
        of_hadoop = [jar for jar in self.cluster.hadoop.jars if "/avro-" not in jar]
        self.jars = of_hadoop + sorted(map(str, lib.glob("*.jar")))
        # With use_ip, TonY's AM would resolve its own host name. The nodes have only addresses.
        self.conf = self.folder / "conf"
        shutil.copytree(self.cluster.conf_dir, self.conf)
        site = self.conf / "core-site.xml"
        by_name = ("<property><name>hadoop.security.token.service.use_ip</name><value>false</value></property>"
                   "</configuration>")
        site.write_text(site.read_text().replace("</configuration>", by_name))
        self.rounds = 0

    def run(self, tasks, seconds, more=()):
        """Starts a job with this many tasks, which write the time of their start and sleep. `more`: further
        configuration."""
        self.rounds += 1
        return Run(self, tasks, seconds, self.folder / f"stamps-{self.rounds}", dict(more))

    def command(self, tasks, script, more):
        conf = {"tony.worker.instances": tasks, "tony.worker.memory": "256m", "tony.am.memory": "512m",
                "tony.application.security.enabled": "false", "tony.application.name": "bench",
                "tony.application.hadoop.classpath": ":".join(self.jars), **more}
        java = self.cluster.hadoop.java("com.linkedin.tony.TonyClient", conf=[self.conf],
                                        options=[f"-Djdk.net.hosts.file={self.cluster.folder}/hosts"])
        java[java.index("-cp") + 1] = ":".join([*self.jars, str(self.conf)])
        java = [word for word in java if not word.startswith(("-XX:SharedArchiveFile", "-Xmx"))]
        return [*java, "--executes", f"bash {script}", "--container_env", "SKIP_HADOOP_PATH=true",
                *(word for key, value in conf.items() for word in ("--conf", f"{key}={value}"))]


class Run:
    """A running TonY job. Times are seconds since the epoch: `started` and `ended` of the client, starts() of the
    user's processes."""

    def __init__(self, tony, tasks, seconds, out, more):
        self.tony, self.tasks, self.out = tony, tasks, out
        out.mkdir()
        script = out / "task.sh"
        script.write_text(f"date +%s%N >{out}/$TASK_INDEX.new && mv {out}/$TASK_INDEX.new {out}/$TASK_INDEX\n"
                          f"sleep {seconds}\n")
        env = {"PATH": os.environ["PATH"], "HADOOP_USER_NAME": "alice", "HOME": str(tony.folder),
               "HADOOP_CONF_DIR": str(tony.conf)}
        self.log = (out / "client.log").open("w")
        self.started = time.time()
        self.client = subprocess.Popen(tony.command(tasks, script, more), env=env, cwd=out, stdin=subprocess.DEVNULL,
                                       stdout=self.log, stderr=subprocess.STDOUT, start_new_session=True)

    def starts(self):
        paths = [self.out / str(task) for task in range(self.tasks)]

        def all_run():
            if self.client.poll() is not None:
                words = (self.out / "client.log").read_text()[-3000:]
                raise RuntimeError(f"TonY ended with {self.client.returncode}: {words}")
            return all(path.exists() for path in paths)
        self.tony.cluster.wait(all_run, "TonY's tasks", 3 * LIMIT_S)
        return [int(path.read_text()) / 1e9 for path in paths]

    def wait(self):
        self.client.wait(timeout=3 * LIMIT_S)
        self.ended = time.time()
        self.log.close()
        return self.ended

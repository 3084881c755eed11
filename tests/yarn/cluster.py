"""A real small Hadoop: NameNode, DataNode, ResourceManager and NodeManagers as ordinary processes on the loopback."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time
from urllib.parse import quote

import gpu_devices
from accounts import Accounts
from cluster_setup import Configuration, Setup
from daemons import MARK, Daemon, Guardian, Ports, processes_of, sweep
from docker_daemon import DockerDaemon
from hadoop_tree import ROOT, Hadoop, java_home
from kdc import Kdc
from network import Network
from web_clients import NegotiatingClient, PlainClient

# Limits for a busy machine. An idle machine starts a cluster in 10 s and a client in 1 s.
READY_S = 300
DEADLINE_S = 180
MAIN_CLASSES = {
    "nn": ("org.apache.hadoop.hdfs.server.namenode.NameNode", 128),
    "dn": ("org.apache.hadoop.hdfs.server.datanode.DataNode", 96),
    "rm": ("org.apache.hadoop.yarn.server.resourcemanager.ResourceManager", 256),
    "km": ("org.apache.hadoop.crypto.key.kms.server.KMSWebServer", 128),
    "nm": ("org.apache.hadoop.yarn.server.nodemanager.NodeManager", 128),
}
NAME_NODE_JMX = "/jmx?qry=Hadoop:service=NameNode,name="
FINAL_STATES = ("FINISHED", "FAILED", "KILLED")


class PortTaken(Exception):
    pass


class Cluster:
    """A running cluster. `with Cluster(Setup(nodes=2)) as cluster:` waits until the cluster is ready, and leaves
    nothing behind after the block. The daemons have the names nn, dn, kms, rm, nm1, nm2 and so on. cluster["nm1"] is a
    Daemon."""

    def __init__(self, setup=Setup(), keep_logs=None):
        """`keep_logs`: a folder into which close() copies the logs of daemons and containers."""
        self.setup, self.keep_logs = setup, keep_logs
        self.hadoop = Hadoop(setup.version)
        for attempt in range(3):
            self._create()
            try:
                self._start()
                return
            except PortTaken:
                self.close()
                if attempt == 2:
                    raise
            except BaseException:
                self.close()
                raise

    def _create(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="howdah-yarn-"))
        self.guardian = Guardian(self.folder)
        self.folder.chmod(0o755)  # NodeManagers require it
        self.logs = self.folder / "logs"
        self.logs.mkdir()
        self.ports = Ports()
        self.configuration = Configuration(self.setup, self.folder, self.ports)
        self.configuration.write()
        self.conf_dir = self.folder / "conf"
        self.accounts = self._accounts() if self.setup.accounts else None
        self.docker = DockerDaemon(self.folder) if self.setup.docker else None
        self.kdc = self._start_kdc() if self.setup.kerberos else None
        self.web = self._web_client()
        self.network = Network(self.setup.nodes) if self.setup.networks else None
        self.active = "rm"  # the name of the active ResourceManager
        names = [*(["kms"] if self.setup.kms else []), *self.setup.rm_names(), *(["nn"] if self.setup.hdfs else []),
                 *self.setup.dn_names(), *self.setup.node_names()]
        self.daemons = {name: self._daemon(name) for name in names}

    def _accounts(self):
        devices = gpu_devices.ENTER if self.setup.isolated_gpus else ""
        return Accounts(self.folder, self.hadoop, self.setup.users, devices)

    def _start_kdc(self):
        """Starts a KDC with the principals of the daemons, of the superuser and of the users."""
        kdc = Kdc(self.folder / "kdc", self.ports.take())
        for name in ("nn", "dn", "rm", "nm", "HTTP"):
            kdc.principal(f"{name}/{self.setup.host}")
        for node in self.setup.node_names():
            kdc.principal(f"HTTP/{self.setup.node_host(node)}")
        # The NameNode's own web client also logs in as HTTP.
        web, name_node = (kdc.keytab_path(f"{name}/{self.setup.host}") for name in ("HTTP", "nn"))
        kdc.admin(*(f"ktadd -norandkey -k {keytab} HTTP/{self.setup.host}" for keytab in (name_node, web)))
        for user in (self.superuser, *self.setup.users):
            kdc.principal(user)
        kdc.start()
        kdc.kinit(self.superuser, self.folder / "kdc" / "superuser")
        return kdc

    def _web_client(self):
        if self.kdc is None:
            return PlainClient()
        cache = self.folder / "kdc" / "superuser"
        ca = self.configuration.tls.ca if self.setup.tls else None
        return NegotiatingClient({**self.kdc.env, "KRB5CCNAME": str(cache)}, ca)

    @property
    def _kerberos_options(self):
        return [f"-Djava.security.krb5.conf={self.kdc.config}"] if self.kdc else []

    def _daemon(self, name):
        main, heap_mb = MAIN_CLASSES[name[:2]]
        options = [f"-Djdk.net.hosts.file={self.folder}/hosts", f"-Dhadoop.log.dir={self.logs}",
                   f"-Dyarn.log.dir={self.logs}", f"-Djava.io.tmpdir={self.folder}/tmp"]
        options += self._kerberos_options
        if name == "kms":
            options += [f"-Dkms.config.dir={self.folder}/conf-kms", f"-Dkms.log.dir={self.logs}",
                        f"-Dkms.home.dir={self.folder}"]
        if not self.hadoop.archive.exists():
            options.append(f"-XX:DumpLoadedClassList={self.logs}/{name}.classes")
        command = self.hadoop.java(main, conf=[self.folder / f"conf-{name}"], heap_mb=heap_mb, options=options,
                                   instead=self._stand_ins(name) if self.setup.kerberos else [])
        if self.accounts:
            command = self.accounts.inside(command)
        if self.network and name in self.setup.node_names():
            command = [*self.network.inside(int(name[2:])), *command]
        # Containers inherit this environment. It must not contain the tests' variables or HADOOP_CONF_DIR.
        env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "JAVA_HOME": str(java_home()), MARK: str(self.folder)}
        return Daemon(name, command, self.logs / f"{name}.log", env, self.folder)

    def _stand_ins(self, name):
        """Folders of classes that replace Hadoop's in a daemon of a cluster with Kerberos."""
        if name in self.setup.node_names():
            return [self.hadoop.stand_in("SecureIOUtils")]
        never_rests = self.setup.version.startswith("3.3.") and name in self.setup.rm_names()
        return [self.hadoop.stand_in("DelegationTokenRenewer", inner_only=True)] if never_rests else []

    def __getitem__(self, name):
        return self.daemons[name]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Kills all daemons and containers, and removes the folder."""
        if self.keep_logs and self.folder.exists():
            shutil.rmtree(self.keep_logs, ignore_errors=True)
            pathlib.Path(self.keep_logs).mkdir(parents=True)
            for part in [self.logs, *(self.folder / n / "log" for n in self.setup.node_names())]:
                if part.exists():
                    shutil.copytree(part, pathlib.Path(self.keep_logs) / part.relative_to(self.folder))
        if self.docker:
            self.docker.stop()
        self.guardian.close()
        if self.setup.isolated_gpus:
            gpu_devices.remove_cgroups(self.folder)
        if self.network:
            self.network.close()
        for daemon in self.daemons.values():
            daemon.alive()  # reaps the process
        if self.kdc:
            self.kdc.stop()
        self.ports.close()

    # --- start ---

    def _start(self):
        if self.setup.hdfs:
            self._format()
        if self.docker:
            self.docker.start()
        for daemon in self.first_daemons():
            daemon.start()
        if self.setup.hdfs:
            self._wait_up(self.hdfs_ready, "HDFS out of safe mode with its DataNode")
            self.make_dir("/tmp", permission=1777)
            for user in self.setup.users:
                self.make_dir(f"/user/{user}", owner=user)
            if self.setup.zones:
                self._encrypt_homes()
        if self.setup.rm_ha:
            self.activate("rm")
        self._wait_up(self.all_nodes_active, f"{len(self.setup.first_nodes())} active nodes")
        if self.setup.labels:
            self._label_nodes()
        if not self.hadoop.archive.exists():
            self.hadoop.make_archive(self.logs.glob("*.classes"))

    def first_daemons(self):
        """The daemons that run from the begin."""
        later = set(self.setup.node_names()) - set(self.setup.first_nodes())
        return [daemon for name, daemon in self.daemons.items() if name not in later]

    def _encrypt_homes(self):
        for user in self.setup.users:
            self.make_zone(f"/user/{user}", "home")

    def _format(self):
        """Formats the NameNode's folder, or copies a folder that was formatted earlier. The copy needs no JVM."""
        formatted = self.hadoop.folder / "formatted"
        if not formatted.exists():
            self.java("org.apache.hadoop.hdfs.server.namenode.NameNode", "-format", "-nonInteractive",
                      conf=self.folder / "conf-nn")
            new = pathlib.Path(tempfile.mkdtemp(dir=self.hadoop.folder, prefix="formatted-"))
            shutil.copytree(self.folder / "nn", new, dirs_exist_ok=True)
            try:
                new.rename(formatted)
            except OSError:  # another test run has stored its formatted folder first
                shutil.rmtree(new)
            return
        shutil.copytree(formatted, self.folder / "nn")

    def _wait_up(self, condition, what):
        def ready():
            for daemon in self.first_daemons():
                if not daemon.alive():
                    if daemon.port_was_taken():
                        raise PortTaken(daemon.name)
                    raise AssertionError(f"{daemon.name} ended while the cluster started\n{self.trouble()}")
            return condition()
        self.wait(ready, what, READY_S)

    def _label_nodes(self):
        labels = [{"name": label, "exclusivity": True} for label in self.setup.labels]
        self.rm("add-node-labels", {"nodeLabelInfo": labels}, "POST")
        on_node = {}
        for label, nodes in self.setup.labels.items():
            on_node.update((node, label) for node in nodes)
        self.rm("replace-node-to-labels", {"nodeToLabels": [
            {"nodeId": self.node_id(node), "labels": [label]} for node, label in on_node.items()]}, "POST")

    # --- waiting ---

    def wait(self, condition, what, deadline_s=DEADLINE_S):
        """Waits until condition() is true and returns its value. A timeout shows the state and logs of the cluster."""
        end = time.monotonic() + deadline_s
        while True:
            value = condition()
            if value:
                return value
            if time.monotonic() > end:
                raise AssertionError(f"waited {deadline_s} s for {what}\n{self.trouble()}")
            time.sleep(0.05)  # polls, because Hadoop's HTTP interfaces send no events

    def hdfs_ready(self):
        def has_value(bean, key, value):
            beans = (self.http("nn-http", NAME_NODE_JMX + bean) or {}).get("beans")
            return beans and beans[0][key] == value
        return (has_value("NameNodeInfo", "Safemode", "") and has_value("FSNamesystem", "tag.HAState", "active")
                and has_value("FSNamesystemState", "NumLiveDataNodes", self.setup.data_nodes)
                and self.http("nn-http", f"/webhdfs/v1/?op=GETFILESTATUS&{self._as(self.superuser)}") is not None)

    def all_nodes_active(self):
        return self.metrics().get("activeNodes") == len(self.setup.first_nodes())

    def wait_active(self, nodes=None, deadline_s=DEADLINE_S):
        """Waits until this many nodes are active; by default those that run at the begin."""
        count = len(self.setup.first_nodes()) if nodes is None else nodes
        self.wait(lambda: self.metrics().get("activeNodes") == count, f"{count} active nodes", deadline_s)

    def wait_idle(self, deadline_s=DEADLINE_S):
        """Waits until no application runs or is pending, and no container is left."""
        def idle():
            metrics = self.metrics()
            return metrics and not any(metrics[k] for k in ("appsPending", "appsRunning", "containersAllocated",
                                                            "containersReserved", "containersPending"))
        self.wait(idle, "an idle cluster", deadline_s)

    # --- state of the cluster, as Hadoop reports it ---

    def http(self, port, path, body=None, method="GET"):
        """Sends a request to a web server of the cluster. `port` is "rm-http", "nn-http" or (host, number). Returns the
        JSON of the response ({} if it has none), or None if a GET request gets no answer or finds nothing."""
        host, number = port if isinstance(port, tuple) else (self.setup.host, self.configuration.port[port])
        scheme = "https" if self.setup.tls else "http"
        looking = method == "GET"
        try:
            code, text = self.web.send(f"{scheme}://{host}:{number}{path}", method,
                                       None if body is None else json.dumps(body).encode(), 5 if looking else 60)
        except OSError:
            if not looking:
                raise
            return None
        if code >= 300:
            if looking and code in (307, 401, 403, 404, 503):  # the server is still starting, or has found nothing
                return None
            raise AssertionError(f"{method} {path}: {code} {text[:2000]}")
        return json.loads(text) if text[:1] in ("{", "[") else {}

    def _as(self, user):
        """The parameter with which a request acts for a user."""
        return f"doas={user}" if self.kdc and user != self.superuser else f"user.name={user}"

    def rm(self, path, body=None, method="GET", user=None):
        """A request to the active ResourceManager, for a path below /ws/v1/cluster/."""
        user = self._as(user or self.superuser)
        return self.http(f"{self.active}-http", f"/ws/v1/cluster/{path}{'&' if '?' in path else '?'}{user}", body,
                         method)

    def nm(self, node, path):
        """A request to a NodeManager, for a path below /ws/v1/node/."""
        port = self.configuration.node_port[node, "http"]
        return self.http((self.setup.node_host(node), port), f"/ws/v1/node/{path}")

    def metrics(self):
        return (self.rm("metrics") or {}).get("clusterMetrics", {})

    def nodes(self):
        return ((self.rm("nodes") or {}).get("nodes") or {}).get("node", [])

    def apps(self, query=""):
        return ((self.rm(f"apps{query}") or {}).get("apps") or {}).get("app", [])

    def app(self, app_id):
        return (self.rm(f"apps/{app_id}") or {}).get("app")

    def wait_app(self, app_id, states=FINAL_STATES, deadline_s=DEADLINE_S):
        """Waits until the application is in one of the states; returns the application."""
        def look():
            app = self.app(app_id)
            return app if app and app["state"] in states else None
        return self.wait(look, f"{app_id} to be {' or '.join(states)}", deadline_s)

    def run_command(self, command, user="alice", queue="default", memory_mb=64, **more):
        """Submits an application without Howdah, with this shell command as its AM, and returns its id. The application
        always fails, because the command does not register as an AM. `more`: further fields of the REST request."""
        new = self.rm("apps/new-application", {}, "POST", user)["application-id"]
        container = {"commands": {"command": f"{command} 1><LOG_DIR>/stdout 2><LOG_DIR>/stderr"}}
        self.rm("apps", {"application-id": new, "application-name": "command", "application-type": "COMMAND",
                         "queue": queue, "max-app-attempts": 1, "am-container-spec": container,
                         "resource": {"memory": memory_mb, "vCores": 1}, **more}, "POST", user)
        return new

    def size_in_hdfs(self, path):
        """The size of a file in bytes, or None if the file does not exist."""
        status = self.http("nn-http", f"/webhdfs/v1{quote(path)}?op=GETFILESTATUS&{self._as(self.superuser)}")
        return status and status["FileStatus"]["length"]

    def files_in_hdfs(self, path="/", user=None):
        """All files below a path of HDFS. WebHDFS needs no JVM."""
        listing = self.http("nn-http", f"/webhdfs/v1{quote(path)}?op=LISTSTATUS&{self._as(user or self.superuser)}")
        files = []
        for entry in (listing or {"FileStatuses": {"FileStatus": []}})["FileStatuses"]["FileStatus"]:
            name = f"{path.rstrip('/')}/{entry['pathSuffix']}".rstrip("/")
            files += self.files_in_hdfs(name, user) if entry["type"] == "DIRECTORY" else [name]
        return sorted(files)

    def java(self, main, *args, user=None, conf=None, classes=(), check=True, timeout=DEADLINE_S, options=(), **kwargs):
        """Runs a main class or a source file as a client of the cluster; returns the finished process with its output.
        `classes`: further folders for the class path."""
        options = [f"-Djdk.net.hosts.file={self.folder}/hosts", *self._kerberos_options, *options]
        command = self.hadoop.java(main, *args, conf=[conf or self.conf_dir, *classes], options=options)
        env = {"PATH": os.environ["PATH"], "HADOOP_USER_NAME": user or self.superuser, MARK: str(self.folder)}
        if self.kdc:
            cache = self.folder / "kdc" / "superuser"
            if user not in (None, self.superuser):
                cache = self.kdc.kinit(user, self.folder / "kdc" / f"tickets-{user}")
            env |= {**self.kdc.env, "KRB5CCNAME": str(cache)}
        done = subprocess.run(command, env=env, cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=timeout, **kwargs)
        if check:
            assert done.returncode == 0, f"{main} {args}: exit {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done

    def fs(self, *args, **kwargs):
        """Runs `hdfs dfs ...`; returns its output."""
        return self.java("org.apache.hadoop.fs.FsShell", *args, **kwargs).stdout

    def make_zone(self, path, key):
        """Makes an empty directory of HDFS an encryption zone. The key is created if it does not exist."""
        self.java("org.apache.hadoop.crypto.key.KeyShell", "create", key, check=False)
        self.java("org.apache.hadoop.hdfs.tools.CryptoAdmin", "-createZone", "-keyName", key, "-path", path)

    def rm_admin(self, *args):
        """Runs `yarn rmadmin ...`; returns its output."""
        conf = self.folder / f"conf-{self.active}"
        return self.java("org.apache.hadoop.yarn.client.cli.RMAdminCLI", *args, conf=conf).stdout

    def application_cli(self, *args, **kwargs):
        """Runs `yarn application ...`; returns its output."""
        return self.java("org.apache.hadoop.yarn.client.cli.ApplicationCLI", "application", *args, **kwargs).stdout

    @property
    def superuser(self):
        """The user that runs the daemons, and therefore all containers."""
        return pathlib.Path(self.folder).owner()

    # --- changes to the cluster ---

    def activate(self, name):
        """Makes the ResourceManager with this name the active one."""
        self.active = name
        # Without --forceactive, the command would contact the other ResourceManager, which may be dead.
        self.wait(lambda: self.java("org.apache.hadoop.yarn.client.cli.RMAdminCLI", "-transitionToActive",
                                    "--forceactive", name, conf=self.folder / f"conf-{name}",
                                    check=False).returncode == 0, f"{name} to be active")

    def fail_over(self):
        """Kills the active ResourceManager, activates the other one, and restarts the killed one as the standby."""
        dead = self.active
        self[dead].kill()
        self.activate(next(name for name in self.setup.rm_names() if name != dead))
        self[dead].start()

    def make_dir(self, path, permission=755, owner=None):
        """Makes a directory in HDFS, without a JVM."""
        def put(operation):
            url = f"/webhdfs/v1{path}?op={operation}&{self._as(self.superuser)}"
            self.http("nn-http", url, method="PUT")
        put(f"MKDIRS&permission={permission}")
        if owner:
            put(f"SETOWNER&owner={owner}")

    def write(self, path, data, user):
        """Writes a file to HDFS, without a JVM; returns its modification time in ms."""
        url = f"/webhdfs/v1{quote(path)}?{self._as(user)}"
        data_node = self.http("nn-http", f"{url}&op=CREATE&overwrite=true&noredirect=true", method="PUT")["Location"]
        code, text = self.web.send(data_node, "PUT", data, 30, content="application/octet-stream")
        assert code == 201, text
        return self.http("nn-http", f"{url}&op=GETFILESTATUS")["FileStatus"]["modificationTime"]

    def configure_queues(self, changes):
        """Changes capacity-scheduler.xml and makes the ResourceManager read it."""
        self.configuration.write_capacity(changes)
        self.rm_admin("-refreshQueues")

    def exclude(self, *nodes, graceful_s=None):
        """Decommissions these nodes and readmits all others. `graceful_s`: the time that their containers get to
        end."""
        (self.folder / "exclude").write_text("".join(f"{self.setup.node_host(n)}\n" for n in nodes))
        self.rm_admin("-refreshNodes", *(["-g", str(graceful_s), "-server"] if graceful_s else []))

    def set_health_output(self, node, text="ERROR a disk is broken"):
        """Sets the output of a node's health script. A node with output that starts with ERROR becomes UNHEALTHY.
        text=None makes the node healthy again."""
        file = self.folder / node / "sick"
        if text is None:
            file.unlink()
        else:
            file.write_text(text + "\n")

    def cut_power(self, node):
        """Kills the NodeManager and all processes of its containers."""
        self[node].kill()
        sweep(self.folder / node)

    def host(self, node):
        return self.setup.node_host(node)

    def node_id(self, node):
        return f"{self.setup.node_host(node)}:{self.configuration.node_port[node, 'rpc']}"

    def processes(self):
        """All processes in containers: pid -> command line."""
        ours = {d.process.pid for d in self.daemons.values() if d.process}
        return {pid: command for pid, command in processes_of(self.folder).items() if pid not in ours}

    # --- details for error messages ---

    def trouble(self):
        lines = [f"--- {self.setup.version} in {self.folder}"]
        dead = [d.name for d in self.daemons.values() if not d.alive()]
        lines += [f"not running: {' '.join(dead)}"] if dead else []
        lines.append(f"metrics: {json.dumps(self.metrics())}")
        for node in self.nodes():
            lines.append(f"node {node['id']} {node['state']} used {node.get('usedMemoryMB')} MB, "
                         f"free {node.get('availMemoryMB')} MB {node.get('healthReport', '')}")
        for app in self.apps()[-5:]:
            lines.append(f"app {app['id']} {app['state']} {app['finalStatus']} {app.get('diagnostics', '')}")
        for daemon in self.daemons.values():
            lines += [f"--- {daemon.log.name}", *daemon.last_lines()]
        return "\n".join(lines)

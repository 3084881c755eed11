"""The properties of a test cluster, and the configuration files for its daemons and clients."""
import dataclasses
import getpass
import grp
import os
import pathlib
import re
from xml.sax.saxutils import escape

import gpu_devices
import network
from executor_files import GROUP, ExecutorFiles, own_group
from hadoop_tree import MAIN_VERSION
from kdc import REALM
from key_stores import KeyStores

CAPACITY = "yarn.scheduler.capacity."
GPU = "yarn.io/gpu"
# The default of yarn.nodemanager.runtime.linux.docker.capabilities.
DOCKER_CAPABILITIES = ("CHOWN,DAC_OVERRIDE,FSETID,FOWNER,MKNOD,NET_RAW,SETGID,SETUID,SETFCAP,SETPCAP,"
                       "NET_BIND_SERVICE,SYS_CHROOT,KILL,AUDIT_WRITE")

PROTECTION = "dfs.data.transfer.protection"
AES = {"dfs.encrypt.data.transfer.cipher.suites": "AES/CTR/NoPadding"}
KEY = {"dfs.encrypt.data.transfer": "true"}
# The ways in which HDFS can protect transfers to DataNodes.
WAYS = {
    "authentication": {PROTECTION: "authentication"},
    "integrity": {PROTECTION: "integrity"},
    "privacy": {PROTECTION: "privacy"},
    "privacy-aes": {PROTECTION: "privacy", **AES},
    "key": {PROTECTION: "authentication,integrity,privacy", **KEY},
    "key-aes": {PROTECTION: "authentication", **KEY, **AES, "dfs.encrypt.data.transfer.cipher.key.bitlength": "256"},
}

RM_SERVICES = {"address": "", "scheduler.address": "scheduler", "resource-tracker.address": "tracker",
               "admin.address": "admin", "webapp.address": "http"}

LOG4J = """log4j.rootLogger=INFO,console
log4j.appender.console=org.apache.log4j.ConsoleAppender
log4j.appender.console.target=System.err
log4j.appender.console.layout=org.apache.log4j.PatternLayout
log4j.appender.console.layout.ConversionPattern=%d{ISO8601} %p %c{1}: %m%n
log4j.logger.org.apache.hadoop.util.NativeCodeLoader=ERROR
"""


@dataclasses.dataclass(frozen=True)
class Setup:
    """The properties of a cluster. All other settings keep Hadoop's defaults, so that results are valid for real
    clusters, with these exceptions: small containers are allowed, AMs may use the whole cluster, memory limits are only
    checked with pmem_check, and a full disk does not make a node unhealthy."""
    version: str = MAIN_VERSION
    nodes: int = 3
    running: int | None = None  # the first nodes, which run at the begin; None: all
    node_mb: int = 4096
    node_vcores: int = 16
    min_mb: int = 64
    heartbeat_ms: int | None = None  # heartbeat interval of NodeManagers; None: Hadoop's default, 1000
    data_nodes: int = 1  # dn, dn2, dn3 and so on
    hdfs: bool = True  # if False, the default file system is file:, as on clusters with a shared folder
    users: tuple[str, ...] = ("alice", "bob")  # each has a home in HDFS
    gpus: tuple[int, ...] = ()  # per node, in the order of node_names(); YARN needs no real devices
    # Queues below root: name -> settings below yarn.scheduler.capacity.root.NAME. `capacity`, in percent, is required.
    queues: dict = dataclasses.field(
        default_factory=lambda: {"default": {"capacity": 100, "user-limit-factor": 10}})
    am_percent: float = 1.0  # maximum-am-resource-percent; with 0.1 the first AM of a small cluster may never start
    # Exclusive labels: name -> nodes. Every queue may use every label. Labels are disabled if this is empty.
    labels: dict = dataclasses.field(default_factory=dict)
    aggregation: bool = False
    log_format: str | None = None  # TFile or IndexedFile; None: the default of the Hadoop version
    rm_recovery: bool = False
    rm_ha: bool = False  # two ResourceManagers, rm and rm2, with a common state store; see Cluster.fail_over
    nm_recovery: bool = False
    pmem_check: bool = False
    networks: bool = False  # each node has its own network, which can be cut; see network.py
    health_script: bool = False  # required by Cluster.set_health_output()
    # Kerberos with a KDC of its own (Cluster.kdc). RPC is protected as `rpc` says, a list as in hadoop.rpc.protection,
    # and transfers to DataNodes as the key of WAYS in `data` says. `rpc` to `tls` need `kerberos`.
    kerberos: bool = False
    rpc: str = "authentication"
    data: str = ""
    kms: bool = False  # a KMS for encryption zones; Cluster.make_zone() makes zones
    kms_hosts: str = "localhost"  # the servers of the KMS that clients know, separated by ";"; only localhost has one
    zones: bool = False  # the home of each user is an encryption zone; needs `kms`
    tls: bool = False  # all web services require HTTPS and SPNEGO
    accounts: bool = False  # containers run under the accounts of their users (accounts.py), and YARN checks ACLs
    # These two need `accounts`, and work without Kerberos, too.
    docker: bool = False  # nodes run docker containers (docker_daemon.py)
    isolated_gpus: bool = False  # a container can open only its own GPUs (gpu_devices.py); needs `gpus`
    name_service: str = ""  # a second name of the NameNode, which clients treat as a file system of its own
    # Properties that override all others. `extra`: {"yarn-site": {"key": "value"}}. `node_extra`: properties of
    # yarn-site for single nodes, {"nm1": {"key": "value"}}.
    extra: dict = dataclasses.field(default_factory=dict)
    node_extra: dict = dataclasses.field(default_factory=dict)

    def node_names(self):
        return [f"nm{i + 1}" for i in range(self.nodes)]

    @property
    def host(self):
        """The host of all daemons except NodeManagers."""
        return network.HUB if self.networks else "localhost"

    def first_nodes(self):
        return self.node_names()[:self.running]

    def node_host(self, name):
        """The host name of a node. The name is an IP address, because this machine could not resolve another name. Each
        node has its own address, on the loopback interface or in the node's network."""
        number = int(name[2:])
        return network.address(number) if self.networks else f"127.0.0.{10 + number}"

    def dn_names(self):
        return ["dn", *(f"dn{i + 2}" for i in range(self.data_nodes - 1))] if self.hdfs else []

    def rm_names(self):
        return ["rm", "rm2"] if self.rm_ha else ["rm"]


def replace_properties(path, values):
    """Replaces values in a configuration file, and adds those that it lacks."""
    text = path.read_text()
    for key, value in values.items():
        text = re.sub(rf" *<property><name>{re.escape(key)}</name>.*\n", "", text)
        text = text.replace("</configuration>",
                            f"  <property><name>{key}</name><value>{value}</value></property>\n</configuration>")
    path.write_text(text)


class Configuration:
    """The configuration files of a cluster, below its folder: conf/ is for clients, conf-NAME/ for one daemon."""

    def __init__(self, setup, folder, ports):
        self.setup, self.folder = setup, pathlib.Path(folder)
        self.port = {name: ports.take() for name in ("nn", "nn-http", "kms", *(
            dn + what for dn in setup.dn_names() for what in ("", "-http", "-ipc")), *(
            rm + what for rm in setup.rm_names() for what in ("", *(f"-{s}" for s in RM_SERVICES.values() if s))))}
        self.node_port = {(node, what): ports.take() for node in setup.node_names()
                          for what in ("rpc", "localizer", "http")}
        self.capacity = {}
        self.tls = None
        self.executor = ExecutorFiles(self.folder, self._executor_sections()) if setup.accounts else None

    def write(self):
        for folder in ("conf", "state", "tmp"):
            (self.folder / folder).mkdir()
        if self.setup.accounts:
            (self.folder / "tmp").chmod(0o1777)  # the localizers of users write here
            self.executor.write()
        if self.setup.tls:
            self.tls = KeyStores(self.folder / "tls", self.setup.host, *map(self.setup.node_host,
                                                                              self.setup.node_names()))
        hosts = ["127.0.0.1 localhost", f"127.0.0.1 {os.uname().nodename}",
                 *(f"{host} {host}" for host in {self.setup.host, *map(self.setup.node_host, self.setup.node_names())}
                   if host != "localhost")]
        (self.folder / "hosts").write_text("\n".join(hosts) + "\n")  # JVMs read it instead of asking a name server
        (self.folder / "exclude").write_text("")
        if self.setup.kms:
            stores = {"ssl-server": self.tls.server} if self.setup.tls else {}
            self._write_folder("conf-kms", {"core-site": self._core(), "kms-site": self._kms(), **stores, "kms-acls": {
                f"default.key.acl.{right}": "*" for right in ("MANAGEMENT", "GENERATE_EEK", "DECRYPT_EEK", "READ")
            } | self.setup.extra.get("kms-acls", {})})
        common = {"core-site": self._core(), "hdfs-site": self._hdfs(), "yarn-site": self._yarn(), "resource-types": {}}
        if self.setup.tls:
            common["ssl-client"] = self.tls.client
        if self.setup.gpus:
            common["resource-types"]["yarn.resource-types"] = GPU
        for file, properties in self.setup.extra.items():
            common.setdefault(file, {}).update(properties)
        self.capacity = {**self._capacity(), **common.pop("capacity-scheduler", {})}
        self._write_folder("conf", common)
        # Daemons retry connections quickly, because they start at the same time. Clients keep Hadoop's default.
        hurry = {"ipc.client.connect.retry.interval": 200}
        for name in ("nn", *self.setup.dn_names(), *self.setup.rm_names(), *self.setup.node_names()):
            files = {file: dict(properties) for file, properties in common.items()}
            files["core-site"].update(hurry)
            if self.setup.tls:
                files["ssl-server"] = self.tls.server
                files["core-site"].update(self._login_of_web_users(
                    self.setup.node_host(name) if name in self.setup.node_names() else self.setup.host))
            if name in self.setup.dn_names():
                files["hdfs-site"] = {**self._data_node(name), **files["hdfs-site"]}
            if name in self.setup.rm_names():
                files["capacity-scheduler"] = self.capacity
                files["yarn-site"]["yarn.resourcemanager.ha.id"] = name
            if name in self.setup.node_names():
                files["yarn-site"] = {**self._node(name), **files["yarn-site"], **self.setup.node_extra.get(name, {})}
                gpus = dict(zip(self.setup.node_names(), self.setup.gpus)).get(name, 0)
                files["node-resources"] = {f"yarn.nodemanager.resource-type.{GPU}": gpus} if gpus else {}
            self._write_folder(f"conf-{name}", files)

    def write_capacity(self, changes):
        """Writes changed settings of the scheduler. `yarn rmadmin -refreshQueues` applies them."""
        self.capacity.update(changes)
        for name in self.setup.rm_names():
            self._write_folder(f"conf-{name}", {"capacity-scheduler": self.capacity})

    def _write_folder(self, name, files):
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        (folder / "log4j.properties").write_text(LOG4J)
        for file, properties in files.items():
            lines = [f"  <property><name>{escape(key)}</name><value>{escape(self._text(value))}</value></property>"
                     for key, value in properties.items()]
            text = "\n".join(['<?xml version="1.0"?>', "<configuration>", *lines, "</configuration>", ""])
            (folder / f"{file}.xml").write_text(text)

    @staticmethod
    def _text(value):
        return str(value).lower() if isinstance(value, bool) else str(value)

    def _core(self):
        me = getpass.getuser()
        secure = {
            "hadoop.security.authentication": "kerberos",
            "hadoop.security.authorization": True,
            "hadoop.rpc.protection": self.setup.rpc,
            "hadoop.security.auth_to_local": f"RULE:[2:$1](nn|dn|rm|nm)s/.*/{me}/ DEFAULT",
        } if self.setup.kerberos else {}
        scheme = "https" if self.setup.tls else "http"
        kms = {"hadoop.security.key.provider.path": f"kms://{scheme}@{self.setup.kms_hosts}:{self.port['kms']}/kms"}
        return {
            **secure,
            **(kms if self.setup.kms else {}),
            "fs.defaultFS": f"hdfs://{self.setup.host}:{self.port['nn']}" if self.setup.hdfs else "file:///",
            "hadoop.tmp.dir": self.folder / "tmp",
            "hadoop.http.staticuser.user": me,
            f"hadoop.proxyuser.{me}.hosts": "*",
            f"hadoop.proxyuser.{me}.groups": "*",
        }

    def _login_of_web_users(self, host):
        """The settings with which a daemon's web server requires SPNEGO."""
        return {
            "hadoop.http.filter.initializers": "org.apache.hadoop.security.AuthenticationFilterInitializer",
            "hadoop.http.authentication.type": "kerberos",
            "hadoop.http.authentication.signature.secret.file": self.tls.secret,
            **self._service("hadoop.http.authentication.kerberos.principal",
                            "hadoop.http.authentication.kerberos.keytab", "HTTP", host),
        }

    def _kms(self):
        me, authentication = getpass.getuser(), "hadoop.kms.authentication"
        return {
            "hadoop.kms.key.provider.uri": f"jceks://file@/{self.folder}/kms.keys",
            "hadoop.kms.http.host": "localhost",
            "hadoop.kms.http.port": self.port["kms"],
            "hadoop.kms.ssl.enabled": self.setup.tls,
            f"{authentication}.type": "kerberos",
            **self._service(f"{authentication}.kerberos.principal", f"{authentication}.kerberos.keytab", "HTTP"),
            f"{authentication}.kerberos.name.rules": f"RULE:[2:$1](nn|dn|rm|nm)s/.*/{me}/ DEFAULT",
            **{key.replace("hadoop.proxyuser", "hadoop.kms.proxyuser"): value
               for key, value in {**self._core(), **self.setup.extra.get("core-site", {})}.items()
               if key.startswith("hadoop.proxyuser")},
        }

    def _hdfs(self):
        port, host = self.port, self.setup.host
        secure = {
            "dfs.block.access.token.enable": True,
            "ignore.secure.ports.for.testing": True,
            **self._service("dfs.namenode.kerberos.principal", "dfs.namenode.keytab.file", "nn"),
            **self._service("dfs.datanode.kerberos.principal", "dfs.datanode.keytab.file", "dn"),
            **self._service("dfs.web.authentication.kerberos.principal", "dfs.web.authentication.kerberos.keytab",
                            "HTTP"),
        } if self.setup.kerberos else {}
        service = self.setup.name_service
        named = {
            "dfs.nameservices": service,
            f"dfs.ha.namenodes.{service}": "nn",
            f"dfs.namenode.rpc-address.{service}.nn": f"{host}:{port['nn']}",
            f"dfs.client.failover.proxy.provider.{service}":
                "org.apache.hadoop.hdfs.server.namenode.ha.ConfiguredFailoverProxyProvider",
        } if service else {}
        return {
            **secure,
            **named,
            **WAYS.get(self.setup.data, {}),
            **({"dfs.http.policy": "HTTPS_ONLY", "dfs.namenode.https-address": f"{host}:{port['nn-http']}"}
               if self.setup.tls else {}),
            "dfs.namenode.name.dir": f"file://{self.folder}/nn",
            "dfs.namenode.http-address": f"{host}:{port['nn-http']}",
            "dfs.replication": 1,
            "dfs.namenode.safemode.extension": 0,
            "dfs.namenode.resource.du.reserved": 1 << 20,  # with less free space the NameNode stays in safe mode
            "dfs.datanode.du.reserved": 0,
            "dfs.permissions.superusergroup": grp.getgrgid(os.getgid()).gr_name,
        }

    def _data_node(self, name):
        port, host = self.port, self.setup.host
        return {
            "dfs.datanode.data.dir": f"file://{self.folder}/{name}",
            "dfs.datanode.address": f"{host}:{port[name]}",
            f"dfs.datanode.{'https' if self.setup.tls else 'http'}.address": f"{host}:{port[f'{name}-http']}",
            "dfs.datanode.ipc.address": f"{host}:{port[f'{name}-ipc']}",
        }

    def _yarn(self):
        setup, port = self.setup, self.port
        site = {
            "yarn.resourcemanager.hostname": setup.host,
            **{f"yarn.resourcemanager.{key}{f'.{rm}' if setup.rm_ha else ''}":
                f"{setup.host}:{port[rm + (what and f'-{what}')]}"
               for rm in setup.rm_names() for key, what in RM_SERVICES.items()},
            "yarn.resourcemanager.scheduler.class":
                "org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.CapacityScheduler",
            "yarn.resourcemanager.nodes.exclude-path": self.folder / "exclude",
            "yarn.scheduler.minimum-allocation-mb": setup.min_mb,
            "yarn.scheduler.maximum-allocation-mb": setup.node_mb,
            "yarn.scheduler.maximum-allocation-vcores": setup.node_vcores,
            "yarn.nodemanager.resource.memory-mb": setup.node_mb,
            "yarn.nodemanager.resource.cpu-vcores": setup.node_vcores,
            "yarn.nodemanager.pmem-check-enabled": setup.pmem_check,
            "yarn.nodemanager.vmem-check-enabled": False,
            # By default a node with a disk that is 90 % full is unhealthy and gets no containers.
            "yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage": 100,
            "yarn.nodemanager.disk-health-checker.min-free-space-per-disk-mb": 0,
            "yarn.nodemanager.remote-app-log-dir": "/app-logs" if setup.hdfs else self.folder / "app-logs",
            "yarn.log-aggregation-enable": setup.aggregation,
            "yarn.application.classpath": "",
        }
        if setup.tls:
            site["yarn.http.policy"] = "HTTPS_ONLY"
            site |= {key.replace("webapp.address", "webapp.https.address"): value for key, value in site.items()
                     if "webapp.address" in key}
        if setup.kerberos:
            site |= self._service("yarn.resourcemanager.principal", "yarn.resourcemanager.keytab", "rm")
            site |= self._service("yarn.nodemanager.principal", "yarn.nodemanager.keytab", "nm")
            # Stands for /etc/krb5.conf on the nodes.
            site["yarn.nodemanager.admin-env"] = f"KRB5_CONFIG={self.folder}/kdc/krb5.conf"
        if setup.accounts:
            site |= self._accounts()
        if setup.docker:
            site["yarn.nodemanager.runtime.linux.allowed-runtimes"] = "default,docker"
        if setup.isolated_gpus:
            site |= gpu_devices.settings(self.folder)
        if setup.pmem_check:
            # With the default, Hadoop leaves memory limits to cgroups and skips its own check.
            site["yarn.nodemanager.resource.memory.enforced"] = False
        if setup.heartbeat_ms:
            site["yarn.resourcemanager.nodemanagers.heartbeat-interval-ms"] = setup.heartbeat_ms
        if setup.log_format:
            kind = setup.log_format
            site["yarn.log-aggregation.file-formats"] = kind
            site[f"yarn.log-aggregation.file-controller.{kind}.class"] = (
                "org.apache.hadoop.yarn.logaggregation.filecontroller."
                + {"TFile": "tfile.LogAggregationTFileController",
                   "IndexedFile": "ifile.LogAggregationIndexedFileController"}[kind])
        if setup.rm_ha:
            site |= {
                "yarn.resourcemanager.ha.enabled": True,
                "yarn.resourcemanager.ha.rm-ids": ",".join(setup.rm_names()),
                "yarn.resourcemanager.ha.automatic-failover.enabled": False,  # it would need ZooKeeper
                "yarn.resourcemanager.cluster-id": "test",
                "yarn.resourcemanager.store.class":
                    "org.apache.hadoop.yarn.server.resourcemanager.recovery.FileSystemRMStateStore",
            }
        if setup.rm_recovery or setup.rm_ha:
            site["yarn.resourcemanager.recovery.enabled"] = True
            site["yarn.resourcemanager.fs.state-store.uri"] = f"file://{self.folder}/state/rm"
        if setup.nm_recovery:
            site["yarn.nodemanager.recovery.enabled"] = True
        if setup.labels:
            site["yarn.node-labels.enabled"] = True
            site["yarn.node-labels.fs-store.root-dir"] = f"file://{self.folder}/state/labels"
        return site

    def _accounts(self):
        executor = "yarn.nodemanager.linux-container-executor"
        return {
            "yarn.nodemanager.container-executor.class":
                "org.apache.hadoop.yarn.server.nodemanager.LinuxContainerExecutor",
            f"{executor}.path": self.executor.program,
            GROUP: own_group(),
            # Without Kerberos, all containers have one account by default.
            **({} if self.setup.kerberos else {f"{executor}.nonsecure-mode.limit-users": False}),
            "yarn.acl.enable": True,
            "yarn.admin.acl": getpass.getuser(),
        }

    def _executor_sections(self):
        """The sections of container-executor.cfg."""
        folders = ",".join(f"{self.folder}/{node}/{part}" for node in self.setup.node_names() for part in (
            "local", "log"))
        docker = {
            "module.enabled": "true",
            "docker.binary": self.folder / "docker/docker",
            "docker.allowed.networks": "host",
            "docker.allowed.ro-mounts": folders,
            "docker.allowed.rw-mounts": folders,
            "docker.allowed.capabilities": DOCKER_CAPABILITIES,
            "docker.trusted.registries": "example.com",
            "docker.privileged-containers.enabled": "false",
            "docker.inspect.max.retries": 1,
        } if self.setup.docker else {}
        return {"docker": docker, **(gpu_devices.executor_sections(self.folder) if self.setup.isolated_gpus else {})}

    def _service(self, principal_key, keytab_key, name, host=None):
        principal = f"{name}/{host or self.setup.host}"
        return {principal_key: f"{principal}@{REALM}",
                keytab_key: self.folder / "kdc" / f"{principal.replace('/', '-')}.keytab"}

    def _node(self, name):
        folder, host = self.folder / name, self.setup.node_host(name)
        for part in ("local", "log"):
            (folder / part).mkdir(parents=True)
        properties = {
            "yarn.nodemanager.hostname": host,
            "yarn.nodemanager.address": f"{host}:{self.node_port[name, 'rpc']}",
            "yarn.nodemanager.localizer.address": f"{host}:{self.node_port[name, 'localizer']}",
            f"yarn.nodemanager.webapp.{'https.' if self.setup.tls else ''}address":
                f"{host}:{self.node_port[name, 'http']}",
            "yarn.nodemanager.local-dirs": folder / "local",
            "yarn.nodemanager.log-dirs": folder / "log",
            "yarn.nodemanager.recovery.dir": self.folder / "state" / name,
            "yarn.resourcemanager.connect.retry-interval.ms": 200,
        }
        if self.setup.health_script:
            script = folder / "health.sh"
            script.write_text(f"#!/bin/sh\n[ ! -e {folder}/sick ] || cat {folder}/sick\n")
            script.chmod(0o755)
            properties |= {
                "yarn.nodemanager.health-checker.script.path": script,
                "yarn.nodemanager.health-checker.interval-ms": 500,
            }
        return properties

    def _capacity(self):
        setup = self.setup
        properties = {
            f"{CAPACITY}root.queues": ",".join(setup.queues),
            f"{CAPACITY}maximum-am-resource-percent": setup.am_percent,
            f"{CAPACITY}resource-calculator": "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator",
        }
        if setup.accounts:  # the defaults let everybody administer queues
            properties[f"{CAPACITY}root.acl_administer_queue"] = " "
            properties[f"{CAPACITY}root.acl_submit_applications"] = "*"
        for name, settings in setup.queues.items():
            for key, value in settings.items():
                properties[f"{CAPACITY}root.{name}.{key}"] = value
        for label in setup.labels:
            properties[f"{CAPACITY}root.accessible-node-labels.{label}.capacity"] = 100
            share = 100 / len(setup.queues)
            for name in setup.queues:
                queue = f"{CAPACITY}root.{name}.accessible-node-labels"
                properties[queue] = ",".join(setup.labels)
                properties[f"{queue}.{label}.capacity"] = share
                properties[f"{queue}.{label}.maximum-am-resource-percent"] = setup.am_percent
        if setup.labels:
            properties[f"{CAPACITY}root.accessible-node-labels"] = ",".join(setup.labels)
        return properties

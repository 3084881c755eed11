"""The cluster for the situations of waiting, refusals and failures. Its queues:

  default  what is left; all of the cluster if nobody else wants it
  small    never more than a quarter of the cluster
  tiny     room for one application master
  single   one user may have its capacity, a quarter, and no more
  closed   bob's alone
  stopped  takes nothing"""
import datetime

NODES, NODE_MB = 4, 1024
PLAIN = ("nm1", "nm2", "nm3")  # without a label
TOTAL_MB = len(PLAIN) * NODE_MB
SMALL_MB = TOTAL_MB // 4
ROOT = "yarn.scheduler.capacity.root"

SETUP = {
    "nodes": NODES, "node_mb": NODE_MB, "gpus": (2, 1, 0, 0), "labels": {"fast": ["nm4"], "bare": []},
    "users": ("alice", "bob", "carol"), "health_script": True, "pmem_check": True, "nm_recovery": True,
    "queues": {
        "default": {"capacity": 25, "user-limit-factor": 10},
        "small": {"capacity": 25, "maximum-capacity": 25, "user-limit-factor": 10},
        "tiny": {"capacity": 15, "maximum-am-resource-percent": 0.01, "user-limit-factor": 10},
        "single": {"capacity": 25, "user-limit-factor": 1},
        "closed": {"capacity": 5, "acl_submit_applications": "bob", "acl_administer_queue": " "},
        "stopped": {"capacity": 5, "state": "STOPPED"},
    },
    "extra": {
        "capacity-scheduler": {
            f"{ROOT}.acl_submit_applications": " ", f"{ROOT}.acl_administer_queue": " ",
            **{f"{ROOT}.{q}.acl_submit_applications": "*" for q in ("default", "small", "tiny", "single", "stopped")}},
        "yarn-site": {"yarn.acl.enable": True, "yarn.nodemanager.container-monitor.interval-ms": 300},
    },
}


def healthy(cluster):
    """All nodes are, whatever the test before has left."""
    for node in cluster.setup.node_names():
        if (cluster.folder / node / "sick").exists():
            cluster.sicken(node, None)
    cluster.wait_active()
    return cluster


def queue(cluster, name):
    """The ResourceManager's data about a queue."""
    queues = cluster.rm("scheduler")["scheduler"]["schedulerInfo"]["queues"]["queue"]
    return next(q for q in queues if q["queueName"] == name)


def most_of(cluster, name):
    """MiB that a queue can ever have of nodes without a label."""
    capacities = queue(cluster, name)["capacities"]["queueCapacitiesByPartition"]
    return next(c for c in capacities if c["partitionName"] == "")["effectiveMaxResource"]["memory"]


def free_mb(cluster):
    """host -> MiB that are free there, of nodes without a label."""
    return {n["nodeHostName"]: n["availMemoryMB"] for n in cluster.nodes() if not n.get("nodeLabels")}


def mib(number):
    """As sizes are written for people."""
    return f"{number / 1024:.1f}".removesuffix(".0") + " GiB" if number >= 1024 else f"{number} MiB"


def time_of(millis):
    """As a NodeManager writes it."""
    return datetime.datetime.fromtimestamp(millis / 1000).strftime("%Y-%m-%dT%H:%M:%S.") + f"{millis % 1000:03}"

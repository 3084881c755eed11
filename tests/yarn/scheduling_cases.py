"""A cluster on which jobs wait, are refused, or fail. Its queues:

  default  may use the whole cluster while the other queues do not need it
  small    never gets more than a quarter of the cluster
  tiny     has room for one application master
  single   gives one user at most its capacity, a quarter of the cluster
  closed   accepts applications of bob only
  stopped  accepts no applications"""
import datetime

NODES, NODE_MB = 4, 1024
PLAIN = ("nm1", "nm2", "nm3")  # the nodes without a label
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
    """Makes all nodes healthy again after an earlier test, and waits until they are active."""
    for node in cluster.setup.node_names():
        if (cluster.folder / node / "sick").exists():
            cluster.set_health_output(node, None)
    cluster.wait_active()
    return cluster


def queue(cluster, name):
    """The ResourceManager's data about a queue."""
    queues = cluster.rm("scheduler")["scheduler"]["schedulerInfo"]["queues"]["queue"]
    return next(q for q in queues if q["queueName"] == name)


def max_mib_of(cluster, name):
    """The most memory, in MiB, that a queue can get on nodes without a label."""
    capacities = queue(cluster, name)["capacities"]["queueCapacitiesByPartition"]
    return next(c for c in capacities if c["partitionName"] == "")["effectiveMaxResource"]["memory"]


def free_mb(cluster):
    """The free memory of each node without a label, as host -> MiB."""
    return {n["nodeHostName"]: n["availMemoryMB"] for n in cluster.nodes() if not n.get("nodeLabels")}


def mib(number):
    """A size in the format of Howdah's messages."""
    return f"{number / 1024:.1f}".removesuffix(".0") + " GiB" if number >= 1024 else f"{number} MiB"


def time_of(millis):
    """A time in the format of a NodeManager's messages."""
    return datetime.datetime.fromtimestamp(millis / 1000).strftime("%Y-%m-%dT%H:%M:%S.") + f"{millis % 1000:03}"

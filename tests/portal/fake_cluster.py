"""Made-up answers about two backends: a machine, and a cluster with nodes in every state, hostile texts and gaps."""

from fake_jobs import HOSTILE

GIB = 1 << 30
SENTENCE = f"the queue 'prod' is full: it uses 96 GiB of its maximum 100 GiB; largest user: {HOSTILE}"
STATES = (
    ("RUNNING", True, None),
    ("UNHEALTHY", False, f"1/1 local-dirs are bad {HOSTILE}"),
    ("DECOMMISSIONING", False, None),
    ("LOST", False, None),
)


def node(number):
    state, usable, health = STATES[number % 4 if number < 4 else 0]
    lost = state == "LOST"
    used = {"used": None if lost else number * 10 * GIB % (65 * GIB), "total": 64 * GIB}
    return {
        "node": f"node{number}",
        "port": 8041,
        "rack": f"/rack{number % 2}",
        "label": "a100" if number % 3 == 0 else None,
        "state": state,
        "usable": usable,
        "health": health,
        "containers": None if lost else number,
        "memory_bytes": used,
        "vcores": {"used": None if lost else 2, "total": 16},
        "gpus": {"used": None if lost else 1, "total": 4 if number % 3 == 0 else 0},
    }


def machine():
    return {
        **node(0),
        "node": "laptop",
        "port": None,
        "rack": None,
        "label": None,
        "gpus": {"used": 0, "total": 0},
    }


class FakeCluster:
    """`failing`: the cluster does not answer any more. `loading`: it has not answered yet."""

    def __init__(self, jobs):
        self.jobs, self.failing, self.loading, self.containers = jobs, False, False, 24

    def backends(self, local, yarn):
        def state(name, fields):
            failing, loading = (self.failing, self.loading) if name == "yarn" else (False, False)
            at = None if loading else "2026-11-21T06:59:57.000Z"
            word = "loading" if loading else "failing" if failing else "ok"
            return {
                "name": name,
                "state": word,
                "detail": f"connection refused {HOSTILE}" if failing else None,
                "since": at if failing else None,
                "at": at,
                "age_seconds": None if loading else 3.0,
                **(dict.fromkeys(fields) if loading else fields),
            }

        return {
            "now": "2026-11-21T07:00:00.000Z",
            "backends": [state("local", local), state("yarn", yarn)],
        }

    def waiting(self):
        return [
            {
                "id": row["id"],
                "name": row["name"],
                "user": row["user"],
                "queue": "prod",
                "state": row["state"],
                "submitted": row["submitted"],
                "tasks": 24,
                "gpus": 8,
                "reason": SENTENCE,
            }
            for row in self.jobs
            if row["state"] == "QUEUED"
        ]

    def summary(self, with_history):
        def fields(nodes, waiting, gpus):
            usable = [one for one in nodes if one["usable"]]
            total = {key: sum(one[key]["total"] for one in usable) for key in ("memory_bytes", "vcores", "gpus")}
            used = {key: sum(one[key]["used"] for one in usable) for key in ("memory_bytes", "vcores", "gpus")}
            states = sorted({one["state"] for one in nodes})
            values = [None if 100 < minute < 160 else len(usable) for minute in range(300)]
            history = {
                "start": "2026-11-21T02:00:00.000Z",
                "width": 60,
                "series": {
                    "nodes": [len(nodes)] * 300,
                    "usable_nodes": values,
                    "memory_used": [value and value * GIB for value in values],
                    "memory_total": [64 * GIB] * 300,
                    "pending_containers": values,
                },
                "problem": None,
            }
            return {
                "nodes": {
                    "total": len(nodes),
                    "usable": len(usable),
                    "states": [
                        {"state": state, "count": sum(one["state"] == state for one in nodes)} for state in states
                    ],
                },
                **{key: {"used": used[key], "total": total[key]} for key in total},
                "pending": {
                    "containers": self.containers,
                    "memory_bytes": 12 * GIB,
                    "vcores": 8,
                    "gpus": gpus,
                },
                "applications": {"running": 12, "waiting": 3},
                "waiting_jobs": waiting,
                **({"history": history} if with_history else {}),
            }

        return self.backends(fields([machine()], [], 0), fields(self.nodes_of_yarn(), self.waiting(), None))

    def nodes_of_yarn(self):
        return [node(number) for number in range(12)]

    def nodes(self, name):
        if not name:
            return self.backends({"nodes": [machine()]}, {"nodes": self.nodes_of_yarn()})
        detail = {
            "tasks": [
                {
                    "job": self.jobs[2]["id"],
                    "name": HOSTILE,
                    "task": f"worker:{index}",
                    "attempt": 1,
                    "state": "RUNNING",
                    "started": "2026-11-21T06:45:00.000Z",
                }
                for index in range(3)
            ],
            "masters": [self.jobs[2]["id"]],
            "others": 5,
            "failures": [
                {
                    "job": self.jobs[5]["id"],
                    "name": "resnet50",
                    "task": "worker:1",
                    "attempt": 0,
                    "at": "2026-11-21T06:40:00.000Z",
                    "lost": True,
                    "reason": HOSTILE,
                }
            ],
            "avoided": [
                {
                    "job": self.jobs[2]["id"],
                    "name": "bert",
                    "until": "2026-11-21T07:10:00.000Z",
                    "reason": "node3 is avoided for 10m00s: 3 attempts failed there",
                }
            ],
            "complete": False,
            "notes": ["without howdah-x: its journal is damaged"],
        }
        both = ([machine()], self.nodes_of_yarn())
        found = [[{**one, **detail} for one in nodes if one["node"] == name] for nodes in both]
        return self.backends({"nodes": found[0]}, {"nodes": found[1]}) if any(found) else None

    def queues(self):
        def queue(path, parent, leaf):
            amounts = {"used": 96 * GIB, "capacity": 40 * GIB, "maximum": None}
            holders = [(user, share) for user, share in (("ann", 0.48), ("bob", 0.31), (HOSTILE, 0.1), ("eve", None))]
            return {
                "queue": path,
                "parent": parent,
                "leaf": leaf,
                "state": "STOPPED" if path == "root.old" else "RUNNING",
                "used_share": 1.1,
                "capacity_share": 0.4,
                "maximum_share": 1.0,
                "am_share": {"used": None, "maximum": 0.1},
                "running": 12,
                "waiting": 3,
                "memory_bytes": amounts,
                "vcores": amounts,
                "gpus": {"used": 3, "capacity": None, "maximum": 4},
                "pending": {"containers": 24, "memory_bytes": GIB, "vcores": 2, "gpus": None},
                "held_by": [
                    {
                        "user": user,
                        "share": share,
                        "applications": 2,
                        "containers": 8,
                        "memory_bytes": None if share is None else GIB,
                        "vcores": 2,
                        "gpus": 1,
                    }
                    for user, share in holders
                ],
                "waiting_jobs": self.waiting() if path != "root.old" else [],
            }

        return self.backends(
            {"queues": []},
            {
                "queues": [
                    queue("root", None, False),
                    queue("root.prod", "root", True),
                    queue("root.old", "root", True),
                ]
            },
        )

    def applications(self):
        amounts = {"containers": 3, "memory_bytes": GIB, "vcores": 2, "gpus": 0}
        unknown = dict.fromkeys(amounts)
        listed = [
            {
                "id": "application_1_0001" if not job else self.jobs[0]["id"],
                "name": HOSTILE,
                "type": kind,
                "user": "ann",
                "queue": "prod",
                "state": "RUNNING",
                "submitted": "2026-11-21T06:45:00.000Z",
                "job": job,
                "reason": None,
                **(amounts if job else unknown),
            }
            for kind, job in (("HOWDAH", True), ("SPARK", False))
        ]
        groups = [{"type": "HOWDAH", "running": 1, "waiting": 0, **amounts},
                  {"type": "SPARK", "running": 1, "waiting": 0, **unknown}]
        users = [{"user": "ann", "running": 2, "waiting": 0, **unknown}]
        return self.backends(
            {"applications": [], "by_type": [], "by_user": []},
            {"applications": listed, "by_type": groups, "by_user": users},
        )

"""Made-up jobs for the fake portal."""

import math

# Markup, control characters, a right-to-left mark, and a long word.
HOSTILE = "<img src=x onerror=alert(1)><script>alert(2)</script>\u202e\x07&amp;" + "w" * 300
START = "2026-11-21T06:45:13.000Z"
FINAL = ("SUCCEEDED", "FAILED", "KILLED")
TASKS = ("worker:0", "worker:1", "worker:2", "ps:0")
LINE = 100  # bytes of each line of the huge log
HUGE_LINES = 10_000_000

FINDING = {
    "check": "memory-over",
    "severity": "severe",
    "role": "worker",
    "task": None,
    "text": "worker requests 16 GiB and never used more than 4 GiB " + HOSTILE[:60],
    "evidence": ["peak 4 GiB", "requested 16 GiB"],
    "change": {"yaml": "roles:\n  worker:\n    memory: 5GiB\n", "set": ["roles.worker.memory=5GiB"], "other": None},
    "saving": {
        "gpu_hours": 0,
        "memory_gib_hours": 120.5,
        "vcore_hours": 0,
        "hours": 0,
        "per_week": {"gpu_hours": 0, "memory_gib_hours": 800, "vcore_hours": 0, "hours": 0},
    },
    "confidence": "high",
    "runs": 4,
}


def job_row(state, number, name=None, reason=None, tags=()):
    started = state not in ("QUEUED", "STARTING")
    reasons = {
        "FAILED": "worker:1 failed with exit code 1 on node7: ModuleNotFoundError: No module named 'torch'",
        "QUEUED": "the queue 'prod' is full: 96 of 100 GiB are used by bob",
        "RECOVERING": "worker:1 was lost with node3",
    }
    finished = "2026-11-21T07:45:13.000Z" if state in FINAL else None
    return {
        "id": f"howdah-20261121-0645{number:02}-x7k2",
        "name": name or f"job-{state.lower()}",
        "state": state,
        "exit_code": {"SUCCEEDED": 0, "FAILED": 1}.get(state),
        "on": "local",
        "framework": "pytorch",
        "generation": 0,
        "reason": reason or reasons.get(state),
        "advice": None,
        "cause": None,
        "submitted": f"2026-11-21T06:45:{number:02}.301Z",
        "started": START if started else None,
        "finished": finished,
        "urls": {
            "tracking": "javascript:alert(3)",
            "tensorboard": "http://127.0.0.1:6006/" if state == "RUNNING" else None,
        },
        "user": "ann",
        "queue": "ml" if number % 2 else None,
        "tags": list(tags),
        "tasks": {"running": 4 if state == "RUNNING" else 0, "total": 4},
        "gpus": 4 if started else None,
        "took_seconds": 3600.0 if finished else None,
        "progress": (
            {"step": 41200, "steps": 60000, "steps_per_second": 4.1, "at": START} if state == "RUNNING" else None
        ),
        "goodput": 0.91 if started else None,
        "severity": "severe" if state == "RUNNING" else None,
        "findings": 1 if state == "RUNNING" else 0 if finished else None,
        "cost": None,
        "currency": None,
    }


def hardware(seconds):
    return {"gpu_seconds": seconds, "memory_gib_seconds": seconds * 4, "vcore_seconds": seconds * 2, "other": {}}


BUCKETS = {
    "waiting": 100,
    "localization": 60,
    "start": 10,
    "rendezvous": 30,
    "useful": 6000,
    "lost": 300,
    "recovering": 50,
    "tail": 20,
}


def task_of(row, rank, name):
    state = row["state"]
    role, index = name.split(":")
    failed = state == "FAILED" and name == "worker:1"
    states = {"QUEUED": "PENDING", "STARTING": "ALLOCATED", "RECOVERING": "READY", "KILLED": "STOPPED"}
    return {
        "role": role,
        "index": int(index),
        "state": "STOPPED" if state == "FAILED" and not failed else states.get(state, state),
        "attempt": 0,
        "node": None if state == "QUEUED" else f"node{rank}",
        "container": None if state == "QUEUED" else f"c{rank}",
        "granted": {"memory_bytes": 4 << 30, "vcores": 2, "gpus": 1},
        "ranks": [rank],
        "pids": [100 + rank],
        "exit_code": 1 if failed else None,
        "signal": None,
        "reason": row["reason"] if failed else None,
        "started": row["started"],
        "finished": row["finished"],
        "usage": {
            "memory_bytes": 1 << 30,
            "memory_peak_bytes": (2 + rank) << 28,
            "cpu_seconds": 100.0 + rank,
            "gpu": {"utilisation_average": 0.7, "utilisation_peak": 1.0, "memory_average": 0.4, "memory_peak": 0.5},
        },
        "progress": {"step": 41200 + rank, "checkpoint": 41000, "checkpoint_at": START, "at": START},
    }


RESTART = {
    "generation": 1,
    "at": START,
    "cause": "worker:1 was lost",
    "lost_seconds": 120.0,
    "recovering_seconds": 30.0,
}
ACCOUNT = {
    "queue_seconds": 120.0,
    "localization_seconds": 20.5,
    "start_seconds": 3.0,
    "rendezvous_seconds": 9.0,
    "running_seconds": 3300.0,
    "lost_seconds": 120.0,
    "recovering_seconds": 30.0,
    "phase": None,
    "until": START,
    "restarts": 1,
    "task_restarts": 0,
    "generations": [RESTART],
    "resources": {
        "held": hardware(sum(BUCKETS.values())),
        **{name: hardware(value) for name, value in BUCKETS.items()},
        "busy_gpu_seconds": 5000.0,
        "goodput": 0.91,
        "busy": 0.78,
    },
}


def job_detail(row):
    cause = {"kind": "exit", "role": "worker", "index": 1, "attempt": 0} if row["state"] == "FAILED" else None
    tasks = [task_of(row, rank, name) for rank, name in enumerate(TASKS)]
    more = {"cause": cause, "host": "laptop", "logs": "/jobs/logs", "age_seconds": 0}
    return {**row, **more, "tasks": tasks, "account": ACCOUNT}


SCALARS = {"loss/train": ["train", "eval"], HOSTILE[:30]: ["."]}


def scalar_points(value):
    return {name: {"step": 7, "time": 1795661269.5, "value": value} for name in ("newest", "lowest", "highest")}


def scalars(complete):
    return {
        "logdir": "/logs/" + HOSTILE,
        "complete": complete,
        "problem": "/logs/a: it is damaged at byte 17 " + HOSTILE,
        "tags": [
            {"tag": tag, "runs": [{"run": run, "count": 5, **scalar_points(1)} for run in runs]}
            for tag, runs in SCALARS.items()
        ],
    }


def scalar_data(tag, complete):
    steps = list(range(0, 50, 10))
    times = [1795661269.5 + step for step in steps]
    values = [1 / (1 + step) if step != 20 else "NaN" for step in steps]
    return {
        "tag": tag,
        "complete": complete,
        "runs": [
            {"run": run, "step": steps, "time": times, "value": values, **scalar_points("Infinity")}
            for run in SCALARS[tag]
        ],
    }


def metrics(query):
    of, points = query.get("of", "task"), 60
    chosen = [name for name in query.get("series", "").split(",") if name]
    tasks = [task for task in TASKS if not query.get("tasks") or task in query["tasks"]]

    def series(name, unit, value, **more):
        return {
            "name": name,
            "unit": unit,
            "scope": "task",
            "rank": None,
            "quantile": None,
            "capacity": None,
            "absent": None,
            "mean": [value(i) for i in range(points)],
            "max": None,
            **more,
        }

    found = []
    for number, task in enumerate(tasks):
        rank = {"task": task, "rank": 0 if of == "rank" else None}
        found.append(
            series("cpu_cores", "cores", lambda i, n=number: None if i == 20 else 1 + n * 0.2 + math.sin(i / 6), **rank)
        )
        found.append(series("memory_bytes", "bytes", lambda i, n=number: (1 + n) * 2**28 + i * 2**22, **rank))
        found.append(series("gpu_util", "share", lambda _: None, **rank, absent="the node has no GPU"))
        found.append(series("step_s", "s", lambda i, n=number: 0.5 if n != 2 else 1.2, **rank))
        found.append(
            series(
                "metric.loss",
                "",
                lambda i, n=number: "NaN" if i == 30 else 2 / (1 + i + n),
                **rank,
                step=[i * 100 for i in range(points)],
                last="NaN" if number == 1 else 0.03,
                last_step=5900,
            )
        )
        found.append(
            series(
                "metric." + HOSTILE[:28],
                "",
                lambda i: i,
                **rank,
                step=[i * 100 for i in range(points)],
                last=59,
                last_step=5900,
            )
        )
    return {"start": START, "width": 5.0, "series": [one for one in found if not chosen or one["name"] in chosen]}


def usage_of(role, number):
    return {
        "role": role,
        "tasks": 3 + number,
        "failed": 0,
        "restarts": number,
        "memory_peak_bytes": (2 + number) << 30,
        "memory_bytes": 4 << 30,
        "vcores": 2,
        "gpus": 1,
        "cpu_seconds": 100.0,
        "gpu_utilisation": 0.7,
        "gpu_memory_average": None,
        "step": 41200,
    }


def comparison(rows):
    """The rows may be ids of jobs that do not exist."""

    def run(number, row):
        if isinstance(row, str):
            return {"id": row, "problem": f"no job has the name or id '{row}'"}
        roles = [usage_of(role, number) for role in ("worker", *(["ps"] if number else []))]
        return {**row, "problem": None, "account": ACCOUNT, "roles": roles}

    def setting(name, kind, values):
        return {"name": name, "kind": kind, "same": len(set(values)) == 1, "values": values}

    count = len(rows)
    differs = {
        "roles.worker.memory": "job file",
        "env.BATCH": "environment",
        HOSTILE[:60]: "files",
        "docker.image": "versions",
    }
    settings = [
        setting(name, kind, [f"{name} {number}" if number else None for number in range(count)])
        for name, kind in differs.items()
    ]
    settings += [setting("name", "job file", ["demo"] * count), setting("on", "backend", ["local"] * count)]
    state = ["?" if isinstance(row, str) else row["state"] for row in rows]
    return {
        "runs": [run(number, row) for number, row in enumerate(rows)],
        "settings": settings,
        "outcome": [{"name": "state", "same": False, "values": state}],
    }


def series_answer(name, rows):
    def run(number, row):
        mark = {"figure": "took_seconds", "value": 3600.0, "median": 60.0, "low": 50.0, "high": 70.0, "side": "above"}
        differences = [{"name": "roles.worker.memory", "before": "2GiB", "after": None}]
        marked = number == 0
        return {
            **row,
            "gpu_use": None if number == 1 else 0.7,
            "memory_peak_bytes": {"worker": (2 + number) << 30, "ps": 1 << 30},
            "metrics": {"loss": "NaN" if number == 2 else 0.5 / (number + 1), HOSTILE[:40]: 1},
            "marks": [mark] if marked else [],
            "differences": {"id": "howdah-old", "differences": differences} if marked else None,
            "problem": "not read" if number == 3 else None,
        }

    runs = [run(number, row) for number, row in enumerate(rows)]
    return {"name": name, "total": len(runs), "next": "5" if runs else None, "runs": runs, "notes": []}


ROLE = {"role": "worker", "min": 2, "max": 2, "memory_bytes": 2 << 30, "vcores": 1, "gpus": 0}


def rerun_answer(missing):
    return {
        "job": "name: demo\nenv: {TOKEN: •••}\n",
        "roles": [ROLE],
        "host": "gateway3",
        "missing": missing,
        "problem": f"{missing[0]} is not on this machine (laptop)" if missing else None,
    }


def plan_answer(body):
    problem = {"file": "job.yaml", "line": 3, "key": "rolls", "text": "unknown key; did you mean 'roles'?"}
    problems = [problem] if "rolls" in body["job"] else []
    refusals = ["worker: 900TiB is more than any node has"] if any("900" in one for one in body["set"]) else []
    return {
        "accepted": not problems and not refusals,
        "problems": problems,
        "hints": [],
        "refusals": refusals,
        "ignored": ["queue: the local backend has no queues"],
        "notes": [],
        "name": None if problems else "demo",
        "roles": [] if problems else [ROLE],
    }


def timeline(row):
    if row["state"] == "QUEUED":
        return {
            "from": row["submitted"],
            "to": START,
            "stretches": [{"what": "queue", "from": row["submitted"], "to": None}],
            "generations": [],
            "attempts": [],
            "marks": [],
        }
    times = [
        "2026-11-21T06:45:12.301Z",
        "2026-11-21T06:45:40.000Z",
        "2026-11-21T06:46:10.000Z",
        START.replace("45:13", "46:30"),
        "2026-11-21T07:40:00.000Z",
    ]
    attempts = []
    for rank, name in enumerate(TASKS):
        role, index = name.split(":")
        spans = [
            {"state": state, "from": times[i], "to": times[i + 1]}
            for i, state in enumerate(("PENDING", "ALLOCATED", "READY", "RUNNING"))
        ]
        attempts.append(
            {
                "task": name,
                "role": role,
                "index": int(index),
                "attempt": 0,
                "generation": 0,
                "node": f"node{rank}",
                "state": "FAILED" if rank == 1 else "RUNNING",
                "reason": HOSTILE if rank == 1 else None,
                "spans": spans,
            }
        )
    stretches = [
        {"what": what, "from": times[i], "to": times[i + 1]}
        for i, what in enumerate(("queue", "localization", "start", "running"))
    ]
    return {
        "from": times[0],
        "to": times[-1],
        "stretches": stretches,
        "generations": [],
        "attempts": attempts,
        "marks": [{"at": times[2], "kind": "failure", "task": "worker:1", "text": HOSTILE}],
    }


def goodput_answer(by):
    names = ["2026-11-20", "2026-11-21"] if by == "day" else ["ann", "<b>bob</b>"]

    def group(name, factor):
        return {
            "group": name,
            "jobs": 41 * factor,
            "succeeded": 38,
            "failed": 3,
            "killed": 0,
            "queue_seconds": 7920.0,
            "held": hardware(sum(BUCKETS.values()) * factor),
            **{key: hardware(value * factor) for key, value in BUCKETS.items()},
            "lost": None,
            "busy_gpu_seconds": 100.0,
            "goodput": 0.87,
            "busy": None,
            "cost": None,
            "currency": None,
        }

    return {"groups": [group(name, i + 1) for i, name in enumerate(names)], "total": group("all", 3), "notes": []}


class Log:
    """A log in memory."""

    def __init__(self, content):
        self.content, self.size = content, len(content)

    def plus(self, more):
        return Log(self.content + more)

    def read(self, offset, limit):
        return self.content[offset : offset + limit]

    def offset_of_line(self, line):
        offset = 0
        for _ in range(line - 1):
            newline = self.content.find(b"\n", offset)
            if newline < 0:
                return self.size
            offset = newline + 1
        return offset

    def offset_of_tail(self, lines):
        offset = self.size
        for _ in range(lines + 1):
            offset = max(0, self.content.rfind(b"\n", 0, offset))
        return offset and offset + 1


class HugeLog:
    """A log of 1 GB that exists only where it is read: every line has its number."""

    size = LINE * HUGE_LINES

    def plus(self, _):
        return self

    def read(self, offset, limit):
        end = min(self.size, offset + limit)
        first = offset // LINE
        lines = b"".join(
            b"line %d" % (number + 1) + b" " * (LINE - 6 - len(str(number + 1))) + b"\n"
            for number in range(first, -(-end // LINE))
        )
        return lines[offset - first * LINE : end - first * LINE]

    def offset_of_line(self, line):
        return min(self.size, (line - 1) * LINE)

    def offset_of_tail(self, lines):
        return max(0, self.size - lines * LINE)


class LongLine(HugeLog):
    """One line of 100 MB, and a short one."""

    size = 100_000_000

    def read(self, offset, limit):
        end = min(self.size, offset + limit)
        text = b"x" * max(0, min(end, self.size - 6) - offset)
        return text + b"\nlast\n"[max(0, offset - (self.size - 6)) : max(0, end - (self.size - 6))]


def log_bytes(job, task, stream):
    if job == "huge-log":
        return HugeLog()
    if job == "long-line":
        return LongLine()
    if stream == "stderr":
        error = b"Traceback (most recent call last):\nModuleNotFoundError: No module named 'torch'\n"
        return Log(b"" if task == "worker:0" else error)
    return Log(
        b"\x1b[31mred\x1b[0m plain \x1b[1;44mbold\x1b[0m\nprogress  10%\rprogress 100%\r\n"
        + b"nul \x00 and \xff\xfe invalid\n"
        + HOSTILE.encode()
        + b"\n"
        + b"".join(b"epoch %d loss %f\n" % (i, 1 / (i + 1)) for i in range(2000))
    )


def stacks_answer(row, body):
    """A process with Python frames, and one whose program could not be read."""
    text = f'Thread 71 (idle): "MainThread"\n    all_reduce (distributed_c10d.py:2050)\n    {HOSTILE} (train.py:40)\n'
    processes = [
        {"pid": 71, "local_rank": 0, "state": "python3 sleeps", "tool": "py-spy", "stacks": text, "problem": None},
        {"pid": 72, "local_rank": None, "state": "sh sleeps", "tool": None, "stacks": None, "problem": "no stack: why"},
    ]
    text = f"{body['task']}: 2 processes of {row['id']} sampled"
    return {"text": text, "task": body["task"], "attempt": 0, "problem": None, "processes": processes, "omitted": 1}


def tensorboard(id, rows):
    return {
        "id": id,
        "jobs": [{"id": row["id"], "name": row["name"]} for row in rows],
        "state": "starting",
        "problem": None,
        "started": "2026-11-21T07:00:00.000Z",
        "used": "2026-11-21T07:05:00.000Z",
        "ends": "2026-11-21T07:15:00.000Z",
    }

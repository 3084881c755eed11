"""Makes the job file of a call. Pure: paths are absolute and files exist before these functions are called."""

from __future__ import annotations

import os
from typing import Any, Mapping, NamedTuple, Sequence

from . import _keys


class RolePart(NamedTuple):
    """The command of a role, and the files that it needs."""

    command: list[str]
    files: list[dict[str, Any]]
    keys: dict[str, Any]  # further keys of the role in the job file: instances, memory, ...


def literal(value: Any) -> Any:
    """The value with every `$` doubled, because job files expand `${VAR}`."""
    if isinstance(value, str):
        return value.replace("$", "$$")
    if isinstance(value, os.PathLike):
        return literal(os.fspath(value))
    if isinstance(value, Mapping):
        return {key: literal(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [literal(item) for item in value]
    return value


def path_or_uri(value: str | os.PathLike[str]) -> str:
    """An absolute path, or a URI unchanged."""
    text = os.fspath(value)
    return text if "://" in text or text.startswith("file:") else os.path.abspath(os.path.expanduser(text))


def instances(workers: int | tuple[int, int]) -> Any:
    if isinstance(workers, (tuple, list)):
        low, high = workers
        return {"min": low, "max": high}
    return workers


def worker_keys(keys: Mapping[str, Any]) -> dict[str, Any]:
    """The keys of the role of a job that has only one role."""
    role: dict[str, Any] = {"instances": instances(keys["workers"]), "memory": keys["memory"]}
    for name in ("vcores", "gpus", "processes", "restart"):
        if keys[name] != _keys.DEFAULTS[name]:
            role[name] = keys[name]
    return role


def job(
    keys: Mapping[str, Any],
    name: str,
    roles: Mapping[str, RolePart],
    source: str | None,
    files: Sequence[Mapping[str, Any]],
) -> dict[str, Any]:
    """The job file as a map. `keys` has every keyword of a call. files: the files that the package itself adds."""
    out: dict[str, Any] = {"name": literal(name)}
    if keys["framework"] != "plain":
        out["framework"] = keys["framework"]
    if source:
        out["source"] = literal(source)
    travel = [*files, *map(file_entry, keys["files"])]
    if travel:
        out["files"] = literal(travel)
    if keys["python"]:
        out["python"] = {"archive": literal(path_or_uri(keys["python"]))}
    for key in ("env", "timeouts"):
        if keys[key]:
            out[key] = {name: literal(str(value)) for name, value in keys[key].items()}
    for key in ("env_from", "tags"):
        if keys[key]:
            out[key] = literal(list(keys[key]))
    if keys["queue"]:
        out["queue"] = literal(keys["queue"])
    checkpoint = keys["checkpoint"]
    if isinstance(checkpoint, Mapping):
        out["checkpoint"] = literal(dict(checkpoint))
        if "dir" in checkpoint:
            out["checkpoint"]["dir"] = literal(path_or_uri(checkpoint["dir"]))
    elif checkpoint:
        out["checkpoint"] = {"dir": literal(path_or_uri(checkpoint))}
    if keys["tensorboard"]:
        out["tensorboard"] = {"logdir": literal(path_or_uri(keys["tensorboard"]))}
    if keys["restart"]:
        out["restart"] = keys["restart"]
    if keys.get("data"):
        out["feeds"] = {name: literal(feed.keys) for name, feed in keys["data"].items()}
    out["roles"] = {}
    for role, part in roles.items():
        out["roles"][role] = {**literal_keys(part.keys), "command": list(part.command)}
        if part.files:
            out["roles"][role]["files"] = [*literal(part.files), *out["roles"][role].get("files", [])]
    return near_sources(keys.get("data") or {}, keys.get("nodes") or {}, merged(keys["options"], out))


def near_sources(feeds: Mapping[str, Any], nodes: Mapping[str, Sequence[str]], job: dict[str, Any]) -> dict[str, Any]:
    """The job, whose tasks prefer the nodes on which sources compute their rows. nodes: by feed. Roles that say where
    they run keep that."""
    found: dict[str, dict[str, None]] = {}
    for name, of_feed in nodes.items():
        for role in feeds[name].keys.get("roles") or job["roles"]:
            found.setdefault(role, {}).update(dict.fromkeys(of_feed))
    for role, names in found.items():
        keys = job["roles"].get(role)
        if keys is not None and names and not {"locality", "placement", "node_label"} & {*keys, *job}:
            keys["locality"] = {"nodes": list(names)}
    return job


def literal_keys(keys: Mapping[str, Any]) -> dict[str, Any]:
    return {name: literal(value) for name, value in keys.items()}


def file_entry(file: Any) -> dict[str, Any]:
    """An entry of `files`: a path, or a map as in the job file."""
    if isinstance(file, Mapping):
        entry = dict(file)
        if "from" in entry:
            entry["from"] = path_or_uri(entry["from"])
        return entry
    return {"from": path_or_uri(file)}


def merged(options: Mapping[str, Any], job: dict[str, Any]) -> dict[str, Any]:
    """The job with the options added. A key of `options` is a key of the job file, or a path such as
    "roles.worker.node_label". Keys of the job take precedence."""
    for path, value in options.items():
        *above, last = path.split(".")
        at = job
        for part in above:
            inner = at.setdefault(part, {})
            if not isinstance(inner, dict):
                raise TypeError(f"options[{path!r}]: {part!r} is not a map")
            at = inner
        if isinstance(value, Mapping) and isinstance(at.get(last), dict):
            merged(value, at[last])
        else:
            at.setdefault(last, value)
    return job


def settings(given: Mapping[str, Any]) -> list[str]:
    """The arguments KEY=VALUE of `--set` that change a job file of the user. given: only the keywords that the caller
    passed."""
    import json

    flat: dict[str, Any] = {}

    def add(key: str, value: Any) -> None:
        if isinstance(value, Mapping):
            for name, item in value.items():
                add(f"{key}.{name}", item)
        else:
            flat[key] = value

    for key, value in (given.get("options") or {}).items():
        add(key, value)
    for name, key in (
        ("workers", "instances"),
        ("memory",) * 2,
        ("vcores",) * 2,
        ("gpus",) * 2,
        ("processes",) * 2,
        ("restart",) * 2,
    ):
        if name in given:
            add(f"roles.worker.{key}", instances(given[name]) if name == "workers" else given[name])
    for name in ("framework", "name", "queue"):
        if given.get(name) is not None:
            add(name, literal(given[name]))
    for name in ("env", "timeouts"):
        add(name, literal(dict(given.get(name) or {})))
    for name in ("env_from", "tags"):
        if given.get(name):
            add(name, literal(list(given[name])))
    for name, feed in (given.get("data") or {}).items():
        add(f"feeds.{name}", literal({"epochs": 1, **feed.keys}))  # declares the feed if the file does not
    for name, key in (
        ("checkpoint", "checkpoint.dir"),
        ("tensorboard", "tensorboard.logdir"),
        ("python", "python.archive"),
    ):
        value = given.get(name)
        if isinstance(value, Mapping):
            add(name, literal(value))
        elif value is not None:
            add(key, literal(path_or_uri(value)))
    return [f"{key}={value if isinstance(value, str) else json.dumps(value)}" for key, value in flat.items()]

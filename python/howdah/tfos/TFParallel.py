"""Runs independent instances of a program."""

from __future__ import annotations

import os
from typing import Any, Callable

from .. import _submit
from . import _launch, _node


def run(
    sc: Any,
    map_fn: Callable[[Any, _node.TFNodeContext], Any],
    tf_args: Any,
    num_executors: int,
    use_barrier: bool = True,
    **keys: Any,
) -> None:
    """Runs map_fn(tf_args, ctx) in num_executors instances that do not depend on each other, and waits for all. Raises
    the error of the first one that fails.

    use_barrier: whether the instances start only when all of them can run. keys: keywords of howdah.run, such as
    memory="8GiB", gpus=1, on="yarn".
    """
    launch = _launch.Keys(sc, keys)
    cluster = {
        "default_fs": _launch.default_fs(sc),
        "working_dir": os.getcwd(),
        "queues": ["input", "output", "error"],
        "directory": os.getcwd() if launch.local and str(sc.master).startswith("local[") else None,
    }
    role = launch.role(_node.run_alone, (map_fn, tf_args, cluster), num_executors)
    given = launch.of_job()
    given.setdefault("name", getattr(map_fn, "__name__", "tensorflow"))
    if not use_barrier:
        given["options"] = {**given.get("options", {}), "start": "free"}
    job: Any = _submit.submit({"worker": role}, **given)
    ended = False
    try:
        status = job.wait()
        ended = True
    finally:
        if not ended:  # Ctrl-C
            job.kill()
    job.raise_failure(status)

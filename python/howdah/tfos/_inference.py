"""Inference: an RDD whose Spark tasks ask the nodes of a cluster."""

from __future__ import annotations

import pkgutil
import threading
from typing import Any, Callable, Iterator

from .._feed.directory import Directory, wait_for_address
from .._job import Job
from ._rows import INFERENCE


class Inference:
    """The Spark tasks that ask the nodes of a cluster. Thread-safe."""

    def __init__(self, job: Job[Any], host: str, bind: str) -> None:
        """host, bind: of this process, as for Directory."""
        self._job, self._hosts = job, (host, bind)
        self._lock = threading.Lock()
        self._directory: Directory | None = None
        self._closed = False

    def results(self, rdd: Any, patience: float) -> Any:
        """The RDD with the results for an RDD."""
        with self._lock:
            if self._directory is None:
                self._directory = Directory(self._job, INFERENCE, *self._hosts)
        keys = {"feed": INFERENCE, "job": self._job.id, "patience": patience, "directory": self._directory.key}
        keys.update(wait_for_address(self._job, INFERENCE))
        return rdd.mapPartitionsWithIndex(_task(keys))

    def close(self, why: str) -> None:
        """The cluster has ended: Spark tasks that still need results fail. The first reason counts."""
        with self._lock:
            if self._directory is not None and not self._closed:
                self._closed = True
                self._directory.close(why)


def _task(keys: dict[str, Any]) -> Callable[[int, Iterator[Any]], Iterator[Any]]:
    """The function of each Spark task. It carries the texts of the modules that it needs."""
    texts = {
        name: (pkgutil.get_data(package, f"{name}.py") or b"").decode()
        for package, name in (
            ("howdah._feed", "objects"),
            ("howdah._feed", "ask_task"),
            ("howdah.tfos", "_inference_task"),
        )
    }

    def task(partition: int, elements: Iterator[Any]) -> Iterator[Any]:
        names: dict[str, dict[str, Any]] = {}
        for name, text in texts.items():
            names[name] = {"__name__": f"howdah_{name}"}
            exec(compile(text, f"howdah/{name}.py", "exec"), names[name])
        found: Iterator[Any] = names["_inference_task"]["results"](
            partition, elements, keys, names["objects"]["batches"], names["ask_task"]["ask"]
        )
        return found

    return task

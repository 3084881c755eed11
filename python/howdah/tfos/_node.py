"""A node of a cluster: the context that the program gets, and the function that runs the program in a task."""

from __future__ import annotations

import json
import os
import sys
from typing import Any, Callable, Mapping, Sequence

from .. import _context
from . import TFNode, _alias
from .TFManager import NodeManager

_WORKERS = ("chief", "master", "worker")

_alias.install()  # functions that import tensorflowonspark are unpickled after this module is imported


class TFNodeContext:
    """The position of a node in its cluster, and functions for its program.

    executor_id, worker_num: the number of the node in the cluster. job_name, task_index: its role, such as "worker",
    and its index in the role. cluster_spec: the addresses of all nodes by role. num_workers: the number of chiefs and
    workers. defaultFS: the default file system of Spark. working_dir: the directory of the driver. mgr: a manager for
    small objects. howdah: the howdah.Context of this process; None outside a job.
    """

    def __init__(
        self,
        executor_id: int = 0,
        job_name: str = "",
        task_index: int = 0,
        cluster_spec: Mapping[str, Sequence[str]] = {},
        defaultFS: str = "file://",
        working_dir: str = ".",
        mgr: Any = None,
        tmp_socket: Any = None,
    ) -> None:
        self.executor_id = self.worker_num = executor_id
        self.job_name, self.task_index = job_name, task_index
        self.cluster_spec = {role: list(addresses) for role, addresses in cluster_spec.items()}
        self.num_workers = sum(len(addresses) for role, addresses in cluster_spec.items() if role in _WORKERS)
        self.defaultFS, self.working_dir = defaultFS, working_dir
        self.mgr, self.tmp_socket = mgr, tmp_socket
        self.howdah: _context.Context | None = None

    def absolute_path(self, path: str) -> str:
        """As TFNode.hdfs_path."""
        return TFNode.hdfs_path(self, path)

    def start_cluster_server(self, num_gpus: int = 1, rdma: bool = False) -> Any:
        """Raises an Exception: TensorFlow 2 starts its servers itself."""
        return TFNode.start_cluster_server(self, num_gpus, rdma)

    def export_saved_model(self, sess: Any, export_dir: str, tag_set: Any, signatures: Any) -> Any:
        """Raises an Exception: TensorFlow 2 has no sessions."""
        return TFNode.export_saved_model(sess, export_dir, tag_set, signatures)

    def get_data_feed(
        self,
        train_mode: bool = True,
        qname_in: str = "input",
        qname_out: str = "output",
        input_mapping: Mapping[str, str] | None = None,
    ) -> TFNode.DataFeed:
        """The rows that Spark feeds to this node."""
        return TFNode.DataFeed(self.mgr, train_mode, qname_in, qname_out, input_mapping)

    def release_port(self) -> None:
        """Closes the socket that reserves the port of this node, if there is one. Howdah reserves ports itself."""
        TFNode.release_port(self)


def run(function: Callable[[Any, TFNodeContext], Any], tf_args: Any, cluster: Mapping[str, Any]) -> Any:
    """Runs the program of a node in its task, and returns its value.

    cluster: `first_ids`, the number of the first node of each role; `default_fs`, `working_dir`; `queues`; `directory`,
    the directory in which the program runs, or None; `feeds`, the roles that read feeds.
    """
    here = _context.context()
    manager = NodeManager(cluster["queues"])
    first = cluster["first_ids"].get(here.role, 0)
    ctx = TFNodeContext(
        executor_id=first + here.index,
        job_name=here.role,
        task_index=here.index,
        cluster_spec=_cluster_spec(here),
        defaultFS=cluster["default_fs"],
        working_dir=cluster["working_dir"],
        mgr=manager,
    )
    ctx.howdah = here
    if cluster["directory"] and os.path.isdir(cluster["directory"]):
        os.chdir(cluster["directory"])
    if isinstance(tf_args, list):
        sys.argv[:] = [str(word) for word in tf_args]
    value = None
    try:
        value = function(tf_args, ctx)
    except SystemExit as ended:
        if ended.code not in (None, 0):
            raise
    if here.role in cluster["feeds"]:
        from . import _rows

        sys.stdout.flush()
        _rows.finish()
    return value


def run_alone(function: Callable[[Any, TFNodeContext], Any], tf_args: Any, cluster: Mapping[str, Any]) -> None:
    """Runs one of several independent instances of a program, in its task."""
    here = _context.context()
    count = here.role_size
    ctx = TFNodeContext(
        executor_id=here.index,
        job_name="worker",
        task_index=here.index,
        defaultFS=cluster["default_fs"],
        working_dir=cluster["working_dir"],
        mgr=NodeManager(cluster["queues"]),
    )
    ctx.num_workers, ctx.howdah = count, here
    if cluster["directory"] and os.path.isdir(cluster["directory"]):
        os.chdir(cluster["directory"])
    if isinstance(tf_args, list):
        sys.argv[:] = [str(word) for word in tf_args]
    function(tf_args, ctx)


def _cluster_spec(here: _context.Context) -> dict[str, list[str]]:
    """The addresses as in TF_CONFIG, in which the evaluator has no part."""
    config = json.loads(os.environ.get("TF_CONFIG") or "{}")
    found: dict[str, list[str]] = config.get("cluster") or here.cluster
    return found

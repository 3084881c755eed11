"""Functions and classes for the program of a node: paths, and the rows that Spark feeds (InputMode.SPARK)."""

from __future__ import annotations

import getpass
import re
from typing import TYPE_CHECKING, Any, Mapping, NoReturn, Protocol, Sequence

from . import marker
from .TFManager import NodeManager

if TYPE_CHECKING:
    from ._node import TFNodeContext

_SCHEMES = """abfs abfss adl file ftp gs har hdfs http https maprfs o3fs ofs oss s3 s3a s3n swift viewfs wasb wasbs
    webhdfs swebhdfs""".split()
_URI = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):/")


def hdfs_path(ctx: TFNodeContext, path: str) -> str:
    """The path with the scheme of its file system, for TensorFlow.

    A path with a scheme is returned unchanged. An absolute path is one of the default file system. A relative path is
    in the home directory of this user; without a distributed file system, in the directory of the driver.
    """
    match = _URI.match(path)
    if match and match.group(1).lower() in _SCHEMES:
        return path
    if path.startswith("/"):
        return ctx.defaultFS + path
    if ctx.defaultFS.startswith("file:"):
        return f"{ctx.defaultFS}/{ctx.working_dir.lstrip('/')}/{path}"
    return f"{ctx.defaultFS}/user/{getpass.getuser()}/{path}"


# --- functions of TensorFlow 1 and older names ---


def start_cluster_server(ctx: TFNodeContext, num_gpus: int = 1, rdma: bool = False) -> NoReturn:
    """Raises an Exception: TensorFlow 2 starts its servers itself."""
    raise Exception(
        "start_cluster_server() is for TensorFlow 1: TensorFlow 2 starts its server from TF_CONFIG, as "
        "tf.distribute.MultiWorkerMirroredStrategy() and ParameterServerStrategy() do"
    )


def export_saved_model(sess: Any, export_dir: str, tag_set: Any, signatures: Any) -> NoReturn:
    """Raises an Exception: TensorFlow 2 has no sessions."""
    raise Exception(
        "export_saved_model() is for sessions of TensorFlow 1: use compat.export_saved_model(model, export_dir, "
        "is_chief), or tf.saved_model.save(model, export_dir)"
    )


def next_batch(mgr: Any, batch_size: int, qname: str = "input") -> NoReturn:
    """Raises an Exception: use DataFeed.next_batch."""
    raise Exception("TFNode.next_batch() is deprecated: use ctx.get_data_feed().next_batch(batch_size)")


def batch_results(mgr: Any, results: Sequence[Any], qname: str = "output") -> NoReturn:
    """Raises an Exception: use DataFeed.batch_results."""
    raise Exception("TFNode.batch_results() is deprecated: use ctx.get_data_feed(False).batch_results(results)")


def terminate(mgr: Any, qname: str = "input") -> NoReturn:
    """Raises an Exception: use DataFeed.terminate."""
    raise Exception("TFNode.terminate() is deprecated: use ctx.get_data_feed().terminate()")


def release_port(ctx: TFNodeContext) -> None:
    """Closes the socket that reserves the port of this node, if there is one."""
    socket, ctx.tmp_socket = ctx.tmp_socket, None
    if socket is not None:
        socket.close()


# --- rows ---


class Rows(Protocol):
    """The rows of a DataFeed."""

    ended: bool  # there are no further rows

    def take(self, count: int) -> list[Any]:
        """The next rows: `count`, or fewer at the end, and at the end of a partition if they need answers."""
        ...

    def take_arrays(self, count: int) -> Any:
        """The next rows as one array, or a tuple or dict of arrays; None at the end."""

    def answer(self, results: Sequence[Any]) -> None: ...

    def terminate(self) -> None: ...


class DataFeed:
    """The rows that Spark feeds to this node.

    mgr: ctx.mgr; or a TFManager whose queues have the rows, for tests. train_mode: False if the rows are those of
    TFCluster.inference(), and need results. input_mapping: names of columns to names of tensors: next_batch() then
    returns a dict by tensor; the columns are in the order of their names, as TFEstimator feeds them.

    One thread at a time reads from a DataFeed.
    """

    def __init__(
        self,
        mgr: Any,
        train_mode: bool = True,
        qname_in: str = "input",
        qname_out: str = "output",
        input_mapping: Mapping[str, str] | None = None,
    ) -> None:
        self.mgr, self.train_mode = mgr, train_mode
        self.qname_in, self.qname_out = qname_in, qname_out
        self.input_tensors = [input_mapping[column] for column in sorted(input_mapping)] if input_mapping else None
        self.done_feeding = False
        if isinstance(mgr, NodeManager):
            from . import _rows

            self._rows: Rows = _rows.of_node(train_mode)
        else:
            self._rows = _QueueRows(mgr, train_mode, qname_in, qname_out)

    def next_batch(self, batch_size: int) -> Any:
        """The next rows: a list, or with input_mapping a dict of lists by tensor. Waits for them. At the end there are
        fewer rows than batch_size, or none; in inference also at the end of a partition."""
        if batch_size < 1:
            raise ValueError(f"the batch size is {batch_size}; it must be at least 1")
        rows = [] if self.done_feeding else self._rows.take(batch_size)
        self.done_feeding = self.done_feeding or self._rows.ended
        if self.input_tensors is None:
            return rows
        columns = list(zip(*rows)) if rows else [()] * len(self.input_tensors)
        return {tensor: list(columns[number]) for number, tensor in enumerate(self.input_tensors)}

    def next_arrays(self, batch_size: int) -> Any:
        """The next rows as arrays of numpy: a tuple with one array per field of the rows, a dict for rows that are
        dicts or Rows and with input_mapping, or one array for rows that are single values. None at the end. Faster
        than next_batch()."""
        if batch_size < 1:
            raise ValueError(f"the batch size is {batch_size}; it must be at least 1")
        arrays = None if self.done_feeding else self._rows.take_arrays(batch_size)
        self.done_feeding = self.done_feeding or self._rows.ended
        if self.input_tensors is None or arrays is None:
            return arrays
        columns = list(arrays.values()) if isinstance(arrays, dict) else list(arrays)
        return {tensor: columns[number] for number, tensor in enumerate(self.input_tensors)}

    def should_stop(self) -> bool:
        """Whether there are no further rows: TFCluster.shutdown() has ended the feed, or terminate() was called."""
        self.done_feeding = self.done_feeding or self._rows.ended
        return self.done_feeding

    def batch_results(self, results: Sequence[Any]) -> None:
        """The results of rows that next_batch() has returned, in their order: exactly one per row. Results of several
        batches may come together."""
        self._rows.answer(results)

    def terminate(self) -> None:
        """This node needs no further rows. Rows that Spark still feeds to it are dropped."""
        self.done_feeding = True
        self._rows.terminate()


class _QueueRows:
    """Rows of the queues of a TFManager: values, EndPartition markers, and None at the end."""

    def __init__(self, mgr: Any, train_mode: bool, qname_in: str, qname_out: str) -> None:
        self._mgr, self._train_mode = mgr, train_mode
        self._in, self._out = qname_in, qname_out
        self.ended = False

    def take(self, count: int) -> list[Any]:
        queue = self._mgr.get_queue(self._in)
        rows: list[Any] = []
        while len(rows) < count:
            row = queue.get(block=True)
            queue.task_done()
            if row is None:
                self.ended = True
                break
            if not isinstance(row, marker.Marker):
                rows.append(row)
            elif not self._train_mode and rows:
                break
        return rows

    def take_arrays(self, count: int) -> Any:
        return arrays_of(self.take(count))

    def answer(self, results: Sequence[Any]) -> None:
        queue = self._mgr.get_queue(self._out)
        for result in results:
            queue.put(result, block=True)

    def terminate(self) -> None:
        self._mgr.set("state", "terminating")
        queue = self._mgr.get_queue(self._in)
        while not queue.empty():
            queue.get(block=True)
            queue.task_done()


def arrays_of(rows: Sequence[Any]) -> Any:
    """Rows as arrays, as DataFeed.next_arrays returns them."""
    if not rows:
        return None
    first = rows[0]
    if isinstance(first, dict):
        return {name: _array([row[name] for row in rows]) for name in first}
    if hasattr(first, "__fields__"):
        return {name: _array(column) for name, column in zip(first.__fields__, zip(*rows))}
    one_value = isinstance(first, list) and all(isinstance(item, (int, float)) for item in first)  # such as an image
    if isinstance(first, (tuple, list)) and not one_value:
        return tuple(_array(column) for column in zip(*rows))
    return _array(rows)


def _array(values: Sequence[Any]) -> Any:
    import numpy  # type: ignore[import-not-found, unused-ignore]

    if all(isinstance(value, (bytes, bytearray)) for value in values) and len({len(value) for value in values}) == 1:
        return numpy.frombuffer(b"".join(values), numpy.uint8).reshape(len(values), -1).copy()
    if any(isinstance(value, (str, bytes, bytearray)) or value is None for value in values):
        array = numpy.empty(len(values), object)
        array[:] = values
        return array
    return numpy.asarray(values)


__all__ = [
    "DataFeed",
    "batch_results",
    "export_saved_model",
    "hdfs_path",
    "next_batch",
    "release_port",
    "start_cluster_server",
    "terminate",
]

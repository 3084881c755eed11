"""Starts a cluster of TensorFlow nodes, feeds it with the rows of Spark, and ends it.

    cluster = TFCluster.run(sc, main_fun, args, num_executors=4, num_ps=0, input_mode=TFCluster.InputMode.SPARK)
    cluster.train(rdd, num_epochs=3)
    cluster.shutdown()

The nodes are the tasks of a job of Howdah, `cluster.job`, and run beside Spark.
"""

from __future__ import annotations

import os
import random
import threading
import weakref
from typing import Any, Callable, Sequence

from .._errors import FeedError, FeedTypeError, HowdahError, JobFailed, JobKilled
from .._feed.writer import is_dstream
from .._job import Job
from . import _inference, _launch
from ._node import TFNodeContext
from ._rows import INFERENCE, INPUT
from ._watch import Watch

_EPOCHS = 10  # of train() with num_epochs=0
_SPOOL = "256MiB"  # for rows that are needed again only if nodes restart; Spark then supplies the others again
_FAILS_TOO_S = 10.0  # for a job whose feed has failed to fail


_running: set[TFCluster] = set()  # clusters end when they are shut down, or with this process


class InputMode:
    """Where the nodes get their rows from."""

    TENSORFLOW = 0  # they read files themselves
    SPARK = 1  # TFCluster.train() and inference() feed them


class TFCluster:
    """A running cluster. run() makes it.

    The first error of the job is raised once, by the call that waits for it: run(), train() or shutdown().
    """

    sc: Any = None
    defaultFS: str | None = None
    working_dir: str | None = None
    num_executors: int | None = None
    nodeRDD: Any = None
    cluster_id: int | None = None
    cluster_info: list[dict[str, Any]] | None = None  # one entry per node
    cluster_meta: dict[str, Any] | None = None
    input_mode: int | None = None
    queues: list[str] | None = None
    job: Job[Any]  # the job whose tasks are the nodes

    def __init__(self, sc: Any, job: Job[Any], watch: Watch, input_mode: int) -> None:
        self.sc, self.job, self.input_mode = sc, job, input_mode
        self._watch = watch
        host = str(sc.getConf().get("spark.driver.host", "localhost"))
        bind = str(sc.getConf().get("spark.driver.bindAddress", host))
        self._inference = _inference.Inference(job, host, bind)
        self._raised = False  # the first error was raised
        self._closed = False  # the feed `input`
        self._released = threading.Event()
        self._late = ""  # why inference has ended the cluster
        self._ends_with_driver = weakref.finalize(self, _kill, job)  # when this process ends
        _running.add(self)

    # --- feeding ---

    def train(self, dataRDD: Any, num_epochs: int = 0, feed_timeout: float = 600, qname: str = "input") -> None:
        """Feeds the rows of an RDD, a DataFrame or a DStream to the nodes, and returns when they have all rows, or need
        no further ones. For a DStream it returns at once. Only with InputMode.SPARK.

        num_epochs: how often the rows are fed; 0 means 10 times. feed_timeout: after so many seconds without a node
        that is alive, the cluster ends. Raises the error of a node as soon as it has failed.
        """
        self._check_mode("train")
        if num_epochs < 0:
            raise ValueError(f"num_epochs is {num_epochs}; it must be at least 0, and 0 means {_EPOCHS}")
        if is_dstream(dataRDD):
            dataRDD.foreachRDD(lambda rdd: self._feed(rdd, feed_timeout))
            return
        rdd = _rdd_of(dataRDD)
        epochs = num_epochs or _EPOCHS
        self._feed(rdd if epochs == 1 else rdd.context.union([rdd] * epochs), feed_timeout)

    def inference(self, dataRDD: Any, feed_timeout: float = 600, qname: str = "input") -> Any:
        """An RDD with one result per row of an RDD or DataFrame, in the same order. It is computed when Spark needs it,
        and then the nodes must run. Only with InputMode.SPARK.

        A partition whose nodes return one result too many or too few fails. feed_timeout: after so many seconds without
        a node that is alive, the cluster ends. A Spark task also fails if it cannot reach a node for so long.
        """
        self._check_mode("inference")

        def guard() -> None:
            if self._watch.wait_for_no_trainer(feed_timeout, self._released):
                self._late = (
                    f"inference: no node was alive for {feed_timeout:g} s (feed_timeout); the cluster {self.job.id} "
                    "was stopped"
                )
                self._inference.close(self._late)
                _kill(self.job)

        threading.Thread(target=guard, name="howdah cluster", daemon=True).start()
        return self._inference.results(_rdd_of(dataRDD), feed_timeout)

    def _feed(self, rdd: Any, feed_timeout: float) -> None:
        if self._closed:  # a micro-batch of a stream that was stopped
            return
        done, late = threading.Event(), threading.Event()

        def guard() -> None:
            if self._watch.wait_for_no_trainer(feed_timeout, done):
                late.set()
                _kill(self.job)

        threading.Thread(target=guard, name="howdah cluster", daemon=True).start()
        try:
            self.job.feed(INPUT).send(rdd)
        except Exception as error:
            if self._closed and isinstance(error, FeedError):  # it was closed during this call
                return
            if late.is_set():
                error = TimeoutError(
                    f"train: no node that trains was alive for {feed_timeout:g} s (feed_timeout); the cluster "
                    f"{self.job.id} was stopped"
                )
            raise self._cause_of(error)
        finally:
            self._watch.note_done(done)

    def _cause_of(self, error: Exception) -> Exception:
        """The error that train() raises: that of the job, if the job fails, too."""
        if isinstance(error, FeedError) and not isinstance(error, FeedTypeError):
            # The nodes get the same error from the feed, and one of them may say more about it.
            self._watch.wait_for_end(_FAILS_TOO_S)
            if self._watch.ended:
                try:
                    self.job.raise_failure(self.job.wait())
                except Exception as failure:
                    error = failure
        self._raised = self._raised or isinstance(error, (JobFailed, JobKilled, TimeoutError))
        return error

    # --- the end ---

    def shutdown(self, ssc: Any = None, grace_secs: float = 0, timeout: float = 259200) -> None:
        """Ends the feeds of the cluster, waits until all chiefs and workers have ended, and stops the other nodes.
        Raises the first error of the cluster, if no call has raised it before.

        ssc: a StreamingContext whose stream feeds the cluster: first waits until it ends or stop_streaming() is called.
        grace_secs: has no effect, because the chief may work as long as it needs to. timeout: after so many seconds the
        cluster is stopped, and TimeoutError is raised; -1: no limit.
        """
        if ssc is not None:
            self._wait_for_stream(ssc)
        self.stop_streaming()
        if not self._watch.wait_for_end(None if timeout < 0 else timeout):
            _kill(self.job)
            self._release()
            self._raise(TimeoutError(f"shutdown: the cluster {self.job.id} has not ended after {timeout:g} s"))
        status = self.job.wait()
        self._release()
        if not self._raised:
            if self._late:
                self._raise(TimeoutError(self._late))
            try:
                self.job.raise_failure(status)
            except Exception as error:
                self._raise(error)

    def stop_streaming(self) -> None:
        """Ends the feed of train(): the nodes get no further rows, and shutdown(ssc) stops the stream."""
        self._watch.request_stop()
        if self.input_mode != InputMode.SPARK or self._closed:
            return
        self._closed = True
        try:
            self.job.feed(INPUT).close()
        except HowdahError:  # the job has ended or failed; the status says why
            if not self.job.done():
                raise

    def _wait_for_stream(self, ssc: Any) -> None:
        def wait() -> None:
            try:
                ssc.awaitTermination()
            except Exception as error:  # of a micro-batch; awaitTermination raises it again
                failures.append(error)
            self._watch.request_stop()

        failures: list[Exception] = []
        threading.Thread(target=wait, name="howdah cluster", daemon=True).start()
        self._watch.wait_for_stop_request()
        self._closed = self._closed or bool(failures)
        ssc.stop(stopSparkContext=False, stopGraceFully=not failures and not self._watch.ended)
        if failures and not self._raised:
            _kill(self.job)
            self._release()
            self._raise(failures[0])

    def _raise(self, error: Exception) -> None:
        self._raised = True
        raise error

    def _release(self) -> None:
        self._ends_with_driver.detach()
        _running.discard(self)
        self.job.release_feeds()
        self._inference.close(
            f"the cluster {self.job.id} has ended: evaluate the RDD of inference() before shutdown()"
        )
        self._watch.note_done(self._released)
        self._watch.close()

    def _check_mode(self, method: str) -> None:
        if self.input_mode != InputMode.SPARK:
            raise HowdahError(f"{method}() needs a cluster with input_mode=TFCluster.InputMode.SPARK")

    # --- the nodes ---

    def tensorboard_url(self) -> str | None:
        """Where TensorBoard listens; None if the cluster has none."""
        return self.job.urls.get("tensorboard")

    def _wait_for_nodes(self, timeout: float) -> None:
        started = self._watch.wait_until_started(timeout)
        if started and not self._watch.ended:
            return
        if not started:
            text = f"run: these nodes have not started after {timeout:g} s: {', '.join(self._watch.missing())}"
            reason = self.job.reason
            _kill(self.job)
            self._release()
            self._raise(TimeoutError(text + (f" ({reason})" if reason else "")))
        status = self.job.wait()
        self._release()
        try:
            self.job.raise_failure(status)
        except Exception as error:
            self._raise(error)


def run(
    sc: Any,
    map_fun: Callable[[Any, TFNodeContext], Any],
    tf_args: Any,
    num_executors: int,
    num_ps: int,
    tensorboard: bool = False,
    input_mode: int = InputMode.TENSORFLOW,
    log_dir: str | None = None,
    driver_ps_nodes: bool = False,
    master_node: str | None = None,
    reservation_timeout: float = 600,
    queues: Sequence[str] = ("input", "output", "error"),
    eval_node: bool = False,
    release_port: bool = True,
    **keys: Any,
) -> TFCluster:
    """Starts a cluster, and returns when all of its nodes run.

    map_fun(tf_args, ctx) is the program of each node. num_executors: the number of nodes, including num_ps ps, one node
    of the role master_node, such as "chief", and one evaluator if eval_node is true; the others are workers.
    tensorboard: whether a TensorBoard shows log_dir. driver_ps_nodes: the ps run beside the driver, if it is on a node
    of the cluster. reservation_timeout: seconds for the start of all nodes. queues: those of ctx.mgr. release_port: has
    no effect, because Howdah reserves the ports of nodes.

    keys: keywords of howdah.run, such as memory="8GiB", gpus=1, python=…, on="yarn". The setting spark.howdah.memory of
    Spark is the same as memory=, and so on.
    """
    roles = _launch.template(num_executors, num_ps, master_node, eval_node)
    launch = _launch.Keys(sc, keys)
    readers = [role for role in roles if role not in ("ps", "evaluator")]
    feeds: dict[str, Any] = {}
    if input_mode == InputMode.SPARK:
        feeds[INPUT] = {"stream": True, "remainder": "short", "changed": "accept", "spool": _SPOOL, "roles": readers}
        feeds[INFERENCE] = {"answers": True, "roles": readers}
    working_dir = os.getcwd()
    meta: dict[str, Any] = {
        "id": random.getrandbits(64),
        "cluster_template": roles,
        "num_executors": num_executors,
        "default_fs": _launch.default_fs(sc),
        "working_dir": working_dir,
        "release_port": release_port,
    }
    cluster = {
        "first_ids": {role: numbers[0] for role, numbers in roles.items()},
        "default_fs": meta["default_fs"],
        "working_dir": working_dir,
        "queues": list(queues),
        # As in Spark's local mode, in which tasks run in the directory of the driver.
        "directory": working_dir if launch.local and str(sc.master).startswith("local[") else None,
        "feeds": readers if feeds else [],
    }
    launch.beside_driver = driver_ps_nodes
    log = None
    if tensorboard:
        log = log_dir or os.path.join(working_dir, f"tensorboard_{meta['id']}")
    job = _launch.submit(map_fun, tf_args, roles, launch, cluster, feeds, log)
    found = TFCluster(sc, job, Watch(job, roles, readers), input_mode)
    found.defaultFS, found.working_dir = meta["default_fs"], working_dir
    found.num_executors, found.queues = num_executors, list(queues)
    found.cluster_id, found.cluster_meta = meta["id"], meta
    if feeds:
        job.feed(INPUT)._connected()  # a stream whose source is connected may be idle
    found._wait_for_nodes(reservation_timeout)
    found.nodeRDD = sc.parallelize(range(num_executors), num_executors)
    found.cluster_info = _cluster_info(roles, found._watch)
    return found


def _cluster_info(roles: dict[str, list[int]], watch: Watch) -> list[dict[str, Any]]:
    found = []
    for role, numbers in roles.items():
        for index, number in enumerate(numbers):
            node = watch.nodes.get((role, index), {})
            found.append(
                {
                    "executor_id": number,
                    "host": node.get("host") or node.get("node"),
                    "job_name": role,
                    "task_index": index,
                    "port": node.get("port") or 0,
                    "tb_pid": 0,
                    "tb_port": 0,
                    "addr": None,
                    "authkey": None,
                }
            )
    return sorted(found, key=lambda node: node["executor_id"])


def _rdd_of(given: Any) -> Any:
    """The RDD of a DataFrame; an RDD itself."""
    return given.rdd if hasattr(type(given), "schema") else given


def _kill(job: Job[Any]) -> None:
    try:
        job.kill()
    except HowdahError:  # the job has ended
        pass

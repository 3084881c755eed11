"""Failures that TensorFlowOnSpark hides, or waits for: here each raises once, by the call that waits."""
import os
import sys
import threading
import zipfile

import cloudpickle
import pytest

import spark as sparks
from machine import ROOT, percent_of_machine

SITE = sparks.site_packages()
sys.path.insert(0, str(ROOT / "python"))

import howdah  # noqa: E402
from howdah.tfos import TFCluster, TFParallel  # noqa: E402

SPARK, TENSORFLOW = TFCluster.InputMode.SPARK, TFCluster.InputMode.TENSORFLOW
LIMIT_S = 240

cloudpickle.register_pickle_by_value(sys.modules[__name__])  # the functions below run in tasks


@pytest.fixture(scope="module")
def session():
    session = sparks.session("local[2]", **{"spark.howdah.memory": "512MiB"})
    yield session
    sparks.stop(session)


@pytest.fixture
def sc(session, machine):
    return session.sparkContext


@pytest.fixture
def rdd(sc):
    return sc.parallelize([(i, float(i)) for i in range(4000)], 4)


def read_all(args, ctx):
    feed, rows = ctx.get_data_feed(), 0
    while not feed.should_stop():
        rows += len(feed.next_batch(50))
        if args and args(ctx, rows):
            break
    return rows


def run(sc, function, args=None, workers=2, mode=SPARK, **keys):
    return TFCluster.run(sc, function, args, workers, 0, input_mode=mode, **keys)


def test_exception_of_a_worker_is_raised_by_train_and_not_again(sc, rdd):
    def fail(ctx, rows):
        if ctx.task_index == 1 and rows >= 200:
            raise ValueError("the loss is not a number")

    cluster = run(sc, read_all, fail)
    with pytest.raises(ValueError, match="the loss is not a number") as caught:
        cluster.train(rdd, 3)
    assert isinstance(caught.value, howdah.JobFailed) and caught.value.task == "worker:1"
    cluster.shutdown()
    assert cluster.job.state == "FAILED" and sc.parallelize([1]).count() == 1


def test_death_of_a_worker_is_raised_by_train(sc, rdd):
    def die(ctx, rows):
        if ctx.task_index == 0 and rows >= 100:
            os.kill(os.getpid(), 9)

    cluster = run(sc, read_all, die)
    with pytest.raises(howdah.JobFailed, match="worker:0 .*SIGKILL"):
        cluster.train(rdd, 3)
    cluster.shutdown()


def test_exception_after_the_last_row_is_raised_by_shutdown(sc, rdd):
    def export(args, ctx):
        read_all(None, ctx)
        if ctx.job_name == "chief":
            raise OSError("no space left for the export")

    cluster = run(sc, export, master_node="chief")
    cluster.train(rdd, 1)
    with pytest.raises(OSError, match="no space left for the export"):
        cluster.shutdown(grace_secs=1)
    cluster.shutdown()


def test_exception_at_the_start_is_raised_by_run_or_shutdown(sc):
    def fail(args, ctx):
        raise KeyError("no such layer")

    with pytest.raises(KeyError, match="no such layer"):
        run(sc, fail, mode=TENSORFLOW).shutdown()


def test_exception_of_a_ps_or_evaluator_is_not_hidden(sc, rdd):
    def fail(args, ctx):
        if ctx.job_name == "evaluator":
            raise RuntimeError("the metrics cannot be computed")
        if ctx.job_name == "ps":
            threading.Event().wait(LIMIT_S)
        read_all(None, ctx)

    with pytest.raises(RuntimeError, match="the metrics cannot be computed"):
        cluster = TFCluster.run(sc, fail, None, 4, 1, input_mode=SPARK, master_node="chief", eval_node=True)
        cluster.train(rdd, 1)
        cluster.shutdown()


def test_workers_get_the_same_number_of_rows_of_uneven_partitions(sc):
    uneven = sc.parallelize(range(1000), 1).union(sc.parallelize(range(1000, 1011), 1))
    cluster = run(sc, read_all, workers=3)
    cluster.train(uneven, 1)
    cluster.shutdown()
    assert cluster.job.results() == [337, 337, 337]


def test_other_batch_size_of_a_worker_is_an_error_instead_of_a_wait(sc, rdd):
    def read(args, ctx):
        if ctx.task_index == 1:
            return  # has not read a row
        read_all(None, ctx)

    cluster = run(sc, read)
    with pytest.raises(howdah.JobFailed, match="must request the same batch size.*returned before it has read a row"):
        cluster.train(rdd, 20)
        cluster.shutdown()
    cluster.shutdown()


def test_spark_reads_no_further_rows_once_all_workers_have_terminated(sc, tmp_path):
    def stop(args, ctx):
        feed = ctx.get_data_feed()
        assert len(feed.next_batch(50)) == 50
        feed.terminate()
        assert feed.should_stop() and feed.next_batch(50) == []

    def slow(partition):
        yield from range(20_000)
        threading.Event().wait(LIMIT_S)
        (tmp_path / "read-on").touch()
        yield 0

    cluster = run(sc, stop)
    for _ in range(2):
        cluster.train(sc.parallelize(range(2), 2).flatMap(slow), 1)
    cluster.shutdown()
    assert cluster.job.state == "SUCCEEDED" and not (tmp_path / "read-on").exists()


def test_second_cluster_of_a_driver_runs_beside_the_first(sc, rdd):
    clusters = [run(sc, read_all) for _ in range(2)]
    assert clusters[0].cluster_id != clusters[1].cluster_id
    for cluster in clusters:
        cluster.train(rdd, 1)
    for cluster in clusters:
        cluster.shutdown()
    third = run(sc, read_all, workers=1)
    third.train(rdd, 1)
    third.shutdown()


def test_exception_of_the_rows_is_raised_and_the_cluster_goes_on(sc, rdd):
    def bad(row):
        raise ZeroDivisionError("a row cannot be computed")

    cluster = run(sc, read_all)
    with pytest.raises(Exception, match="a row cannot be computed"):
        cluster.train(rdd.map(bad), 1)
    cluster.train(rdd, 1)
    cluster.shutdown()


def test_cluster_without_a_living_node_ends_after_feed_timeout(sc, rdd):
    def die(ctx, rows):
        if rows >= 100:
            os._exit(1)

    options = {"roles.worker.restart": {"max": 5, "backoff": "10m"}}
    cluster = run(sc, read_all, die, workers=1, options=options)
    with pytest.raises(TimeoutError, match=r"no node that trains was alive for 1 s \(feed_timeout\)"):
        cluster.train(rdd, 20, feed_timeout=1)
    cluster.shutdown()
    assert cluster.job.state == "KILLED"


def test_nodes_that_restart_read_the_rows_again(sc, rdd, tmp_path):
    def die_once(ctx, rows):
        if ctx.task_index == 1 and rows >= 500 and not os.path.exists(tmp_path / "died"):
            (tmp_path / "died").touch()
            os._exit(1)

    cluster = run(sc, read_all, die_once, options={"roles.worker.restart": 1})
    cluster.train(rdd, 2)
    cluster.shutdown()
    assert cluster.job.results() == [4000, 4000] and (tmp_path / "died").exists()


@pytest.mark.parametrize(
    "role, keys",
    [("worker", {"options": {"roles.worker.restart": 1}}), ("worker", {"restart": 1}), ("chief", {"restart": 1})],
)
def test_chief_and_workers_restart_together(sc, rdd, tmp_path, role, keys):
    def die_once(ctx, rows):
        if ctx.job_name == role and rows >= 500 and not os.path.exists(tmp_path / "died"):
            (tmp_path / "died").touch()
            os._exit(1)

    cluster = run(sc, read_all, die_once, master_node="chief", **keys)
    cluster.train(rdd, 1)
    cluster.shutdown()
    assert cluster.job.results() == [2000, 2000] and (tmp_path / "died").exists()


def test_restarts_of_workers_are_not_for_the_chief(sc, rdd):
    def die(ctx, rows):
        if ctx.job_name == "chief" and rows >= 100:
            os._exit(7)

    cluster = run(sc, read_all, die, master_node="chief", options={"roles.worker.restart": 3})
    with pytest.raises(howdah.JobFailed, match="chief:0 .*7"):
        cluster.train(rdd, 3)
    cluster.shutdown()


def test_nodes_that_cannot_start_in_time_are_named(sc, machine):
    def wait(args, ctx):
        threading.Event().wait(LIMIT_S)

    memory = f"{percent_of_machine(machine, 60)}MiB"
    first = run(sc, wait, workers=1, mode=TENSORFLOW, memory=memory)
    with pytest.raises(TimeoutError, match="have not started after 1 s: worker:0"):
        run(sc, wait, workers=1, mode=TENSORFLOW, memory=memory, reservation_timeout=1)
    first.job.kill()
    with pytest.raises(howdah.JobKilled):
        first.shutdown()


def test_shutdown_kills_a_cluster_after_its_timeout(sc):
    def wait(args, ctx):
        threading.Event().wait(LIMIT_S)

    cluster = run(sc, wait, mode=TENSORFLOW)
    with pytest.raises(TimeoutError, match="has not ended after 0.5 s"):
        cluster.shutdown(timeout=0.5)
    assert cluster.job.state == "KILLED"


def test_feeding_needs_the_input_mode_spark(sc, rdd):
    cluster = run(sc, lambda args, ctx: None, mode=TENSORFLOW)
    for method in (cluster.train, cluster.inference):
        with pytest.raises(howdah.HowdahError, match="InputMode.SPARK"):
            method(rdd)
    cluster.shutdown()


def test_train_after_stop_streaming_has_no_effect(sc, rdd):
    cluster = run(sc, read_all)
    cluster.train(rdd, 1)
    cluster.stop_streaming()
    cluster.train(rdd, 1)
    cluster.shutdown()


def test_nodes_can_import_the_files_that_the_driver_has_added(sc, tmp_path):
    with zipfile.ZipFile(tmp_path / "layers.zip", "w") as archive:
        archive.writestr("layers.py", "SIZE = 7\n")
    (tmp_path / "helper_of_nodes.py").write_text("SIZE = 8\n")
    sc.addPyFile(str(tmp_path / "layers.zip"))
    sc.addPyFile(str(tmp_path / "helper_of_nodes.py"))

    def sizes(args, ctx):
        import helper_of_nodes
        import layers

        return layers.SIZE + helper_of_nodes.SIZE

    cluster = run(sc, sizes, mode=TENSORFLOW)
    cluster.shutdown()
    assert cluster.job.results() == [15, 15]


def test_first_failure_of_independent_instances_is_raised(sc):
    def fail(args, ctx):
        if ctx.executor_id == 1:
            raise LookupError("no model")

    with pytest.raises(LookupError, match="no model"):
        TFParallel.run(sc, fail, None, 2)


# --- inference ---


def results_of(change):
    def infer(args, ctx):
        feed = ctx.get_data_feed(train_mode=False)
        while not feed.should_stop():
            batch = feed.next_batch(100)
            if batch:
                feed.batch_results(change(batch))

    return infer


@pytest.mark.parametrize(
    "change, text", [(lambda batch: batch[:-1], "too few"), (lambda batch: batch + [0], "too many")]
)
def test_wrong_number_of_results_names_the_partition(sc, change, text):
    cluster = run(sc, results_of(change), workers=1)
    found = cluster.inference(sc.parallelize(range(300), 1))
    with pytest.raises(Exception, match=f"of partition 0: .*{text}"):
        found.collect()
    with pytest.raises(howdah.JobFailed, match=text):
        cluster.shutdown()


def test_exception_during_inference_fails_the_spark_job(sc):
    def fail(batch):
        raise ArithmeticError("no prediction")

    cluster = run(sc, results_of(fail), workers=1)
    with pytest.raises(Exception, match="no prediction"):
        cluster.inference(sc.parallelize(range(300), 1)).collect()
    with pytest.raises(ArithmeticError, match="no prediction"):
        cluster.shutdown()


def test_inference_without_a_living_node_ends_after_feed_timeout(sc):
    def die(batch):
        os._exit(1)

    options = {"roles.worker.restart": {"max": 5, "backoff": "10m"}}
    cluster = run(sc, results_of(die), workers=1, options=options)
    text = r"no node was alive for 1 s \(feed_timeout\)"
    with pytest.raises(Exception, match=text):
        cluster.inference(sc.parallelize(range(300), 1), feed_timeout=1).collect()
    with pytest.raises(TimeoutError, match=text):
        cluster.shutdown()
    assert cluster.job.state == "KILLED"


def test_inference_after_shutdown_says_so(sc):
    cluster = run(sc, results_of(list), workers=1)
    found = cluster.inference(sc.parallelize(range(10), 1))
    assert found.collect() == list(range(10))
    cluster.shutdown()
    with pytest.raises(Exception, match=r"has ended: evaluate the RDD of inference\(\) before shutdown"):
        found.collect()


def test_rows_of_train_in_a_node_for_inference_are_an_error(sc, rdd):
    cluster = run(sc, results_of(list), workers=1)
    with pytest.raises(howdah.JobFailed, match="this node reads only those of inference"):
        cluster.train(rdd, 1)
        cluster.shutdown()

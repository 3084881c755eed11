"""The API of TensorFlowOnSpark, without Spark and without a job."""

import os
import pickle
import subprocess
import sys
import threading
import types

import pytest

import arrow
from machine import ROOT, eventually

SITE = arrow.site_packages()

import numpy as np  # noqa: E402
import pyarrow as pa  # noqa: E402

from feed_executor import serve  # noqa: E402, F401
from howdah import _calls, _context, _errors, _pickling, _submit  # noqa: E402
from howdah._feed import directory, objects  # noqa: E402
from howdah.tfos import TFManager, TFNode, _carried, _launch, _node, _rows, gpu_info, marker, util  # noqa: E402

# --- managers and their queues ---


@pytest.fixture
def manager():
    found = TFManager.start("key", ["input", "output"])
    yield found
    found.shutdown()


def fill(manager, *rows):
    for row in rows:
        manager.get_queue("input").put(row)


def test_values_and_queues_of_a_manager_are_shared(manager):
    manager.set("state", "running")
    other = TFManager.connect(manager.address, b"key")
    assert str(other.get("state")) == "'running'" and other.get("state")._getvalue() == "running"
    manager.get_queue("output").put([1, 2])
    assert other.get_queue("output").get() == [1, 2] and str(other.get_queue("missing")) == "None"
    with pytest.raises(Exception, match="missing"):
        other.get("missing")
    with pytest.raises(ValueError, match="'local' or 'remote'"):
        TFManager.start("key", [], "everywhere")


def test_batches_for_training_span_partitions_and_end_with_the_feed(manager):
    fill(manager, 1, 2, marker.EndPartition(), 3, None)
    feed = TFNode.DataFeed(manager)
    assert feed.next_batch(3) == [1, 2, 3] and not feed.should_stop()
    assert feed.next_batch(3) == [] and feed.should_stop() and feed.next_batch(1) == []


def test_batches_for_inference_end_with_a_partition(manager):
    fill(manager, 1, 2, marker.EndPartition(), 3, marker.EndPartition(), None)
    feed = TFNode.DataFeed(manager, train_mode=False)
    found = []
    while not feed.should_stop():
        found.append(feed.next_batch(10))
        feed.batch_results([-row for row in found[-1]])
    assert found == [[1, 2], [3], []]
    assert [manager.get_queue("output").get() for _ in range(3)] == [-1, -2, -3]


def test_input_mapping_names_columns_by_tensor(manager):
    fill(manager, ("a", 1), ("b", 2), None)
    feed = TFNode.DataFeed(manager, input_mapping={"text": "words", "label": "y"})
    assert feed.next_batch(2) == {"y": ["a", "b"], "words": [1, 2]}  # in the order of the columns
    assert feed.next_batch(2) == {"y": [], "words": []}


def test_terminate_drops_the_rows_of_the_queue(manager):
    fill(manager, 1, 2, 3)
    feed = TFNode.DataFeed(manager)
    assert feed.next_batch(1) == [1]
    feed.terminate()
    assert feed.should_stop() and manager.get_queue("input").empty()
    assert manager.get("state")._getvalue() == "terminating"


def test_manager_of_a_node_starts_when_it_is_used():
    node = TFManager.NodeManager(["input", "mine"])
    assert node._started is None
    node.get_queue("mine").put("x")
    assert TFManager.connect(node.address, node._manager()._authkey).get_queue("mine").get() == "x"
    node._manager().shutdown()


# --- paths and old functions ---


@pytest.mark.parametrize(
    "default, path, expected",
    [
        ("hdfs://n:1", "hdfs://foo/bar", "hdfs://foo/bar"),
        ("hdfs://n:1", "/foo", "hdfs://n:1/foo"),
        ("hdfs://n:1", "a/b", "hdfs://n:1/user/ann/a/b"),
        ("viewfs://c", "a", "viewfs://c/user/ann/a"),
        ("file://", "a/b", "file:///wd/a/b"),
        ("file://", "/a", "file:///a"),
        ("hdfs://n", "file:/a", "file:/a"),
        *[("hdfs://n", f"{scheme}://x/y", f"{scheme}://x/y") for scheme in
          "gs s3 s3a s3n abfs abfss wasb wasbs ofs o3fs webhdfs viewfs har oss".split()],
    ],
)  # fmt: skip
def test_paths_get_their_file_system(monkeypatch, default, path, expected):
    monkeypatch.setattr(TFNode.getpass, "getuser", lambda: "ann")
    ctx = _node.TFNodeContext(3, "worker", 1, {"ps": ["a:1"], "chief": ["b:1"], "worker": ["c:1"]}, default, "/wd")
    assert ctx.absolute_path(path) == TFNode.hdfs_path(ctx, path) == expected
    assert (ctx.executor_id, ctx.worker_num, ctx.num_workers) == (3, 3, 2)


def test_functions_of_tensorflow_1_name_their_replacement():
    ctx = _node.TFNodeContext()
    calls = [lambda: ctx.start_cluster_server(), lambda: ctx.export_saved_model(None, "", "", {}),
             lambda: TFNode.next_batch(None, 1), lambda: TFNode.batch_results(None, []),
             lambda: TFNode.terminate(None)]  # fmt: skip
    for call, text in zip(calls, ("TF_CONFIG", "compat", "next_batch", "batch_results", "terminate")):
        with pytest.raises(Exception, match=text):
            call()
    ctx.tmp_socket = types.SimpleNamespace(close=lambda: None)
    ctx.release_port()
    assert ctx.tmp_socket is None


# --- rows of train() ---


@pytest.fixture
def node(serve, monkeypatch):  # noqa: F811
    """node(elements) is a DataFeed of a node whose feed has these elements of an RDD, and its executor."""

    def make(elements, plan=None, **options):
        plan = plan or objects.plan_of(elements[:10])
        executor, ctx = serve(list(objects.batches(elements, plan, 0)), **options)
        monkeypatch.setattr(_context, "_current", ctx)
        monkeypatch.setattr(_rows, "_opened", {})
        return TFNode.DataFeed(TFManager.NodeManager([])), executor

    return make


@pytest.mark.parametrize(
    "elements",
    [
        [(i, [i / 2, 1.0], f"row {i}", b"x" * 3) for i in range(100)],
        [[f"{i}", i] for i in range(100)],
        [{"a": i, "b": None if i % 3 else "x"} for i in range(100)],
        [[float(i), 2.0] for i in range(100)],
        [i if i % 2 else str(i) for i in range(100)],
        [{i} for i in range(100)],
    ],
    ids=["tuples", "lists", "dicts", "lists of numbers", "mixed", "sets"],
)
def test_rows_are_the_elements_of_the_rdd_whatever_the_batches(node, elements):
    feed, _ = node(elements)
    found, sizes = [], [7, 1, 30, 7]
    while not feed.should_stop():
        batch = feed.next_batch(sizes[len(found) % 4])
        assert len(batch) == sizes[len(found) % 4] or feed.should_stop()
        found.append(batch)
    rows = [row for batch in found for row in batch]
    assert rows == elements and [type(row) for row in rows] == [type(row) for row in elements]


def test_arrays_of_columns_are_not_converted_by_row(node):
    feed, _ = node([(np.full((2, 3), i, "uint8"), i) for i in range(10)])
    images, labels = feed.next_arrays(4)
    assert (images.shape, images.dtype, labels.tolist()) == ((4, 2, 3), np.uint8, [0, 1, 2, 3])
    assert feed.next_arrays(6)[1].tolist() == [4, 5, 6, 7, 8, 9]
    assert feed.next_arrays(4) is None and feed.should_stop()


@pytest.mark.parametrize(
    "elements, expected",
    [
        ([{"a": 1, "b": "x"}, {"a": 2, "b": "y"}], {"a": [1, 2], "b": ["x", "y"]}),
        ([(b"ab", 1), (b"cd", 2)], ([[97, 98], [99, 100]], [1, 2])),
        ([[1, 2], [3, 4]], [[1, 2], [3, 4]]),
        ([5, 6], [5, 6]),
    ],
)
def test_arrays_of_pickled_rows_have_the_form_of_columns(node, elements, expected):
    plain = lambda found: (  # noqa: E731
        {k: v.tolist() for k, v in found.items()} if isinstance(found, dict)
        else tuple(v.tolist() for v in found) if isinstance(found, tuple) else found.tolist())  # fmt: skip
    assert plain(TFNode.arrays_of(elements)) == expected
    for plan in (None, {"kind": "pickle", "why": "a test"}):
        feed, _ = node(elements, plan)
        assert plain(feed.next_arrays(2)) == expected


def test_only_reader_stops_the_feed_when_it_terminates(node):
    feed, executor = node(list(range(100)))
    assert feed.next_batch(10) == list(range(10))
    feed.terminate()
    assert feed.should_stop() and feed.next_batch(10) == [] and executor.sent("stop") == [True]


def test_reader_that_terminates_drops_rows_so_that_others_go_on(node):
    feed, executor = node(list(range(1000)))
    feed._rows.readers = 2
    assert feed.next_batch(10) == list(range(10))
    feed.terminate()
    feed._rows.finish()
    assert feed.should_stop() and not executor.sent("stop") and executor.sent("leave") == [True]
    eventually(lambda: executor.sent("next")[-1]["returned"] >= 1000, "the end of the feed")


def test_waiting_thread_ends_after_terminate(node):
    feed, executor = node(list(range(1000)), allowed=10)
    feed._rows.readers = 2
    assert len(feed.next_batch(10)) == 10
    found = []
    thread = threading.Thread(target=lambda: found.append(feed.next_batch(10)))
    thread.start()
    feed.terminate()
    executor.allow(1 << 40)
    thread.join(60)
    feed._rows.finish()
    assert found in ([[]], [list(range(10, 20))])


def test_function_that_returns_without_reading_stops_the_feed(node):
    feed, executor = node(list(range(10)))
    _rows.finish()
    assert executor.sent("stop") == [True]


def test_rows_of_a_large_batch_count_as_read_while_the_program_waits_for_the_others(node):
    feed, executor = node(list(range(1000)), allowed=300)
    assert feed.next_batch(1) == [0]
    found = []
    thread = threading.Thread(target=lambda: found.extend(feed.next_batch(900)))
    thread.start()
    eventually(lambda: executor.sent("next")[-1]["returned"] == 300, "the report of all rows that have arrived")
    executor.allow(1 << 40)
    thread.join(60)
    assert found == list(range(1, 901))


def test_function_that_returns_early_needs_no_further_rows(node):
    feed, executor = node(list(range(100)))
    feed._rows.readers = 2
    assert len(feed.next_batch(10)) == 10
    _rows.finish()
    eventually(lambda: executor.sent("leave") == [True], "the report")
    assert feed.should_stop()


def test_node_that_ends_beside_a_ps_commits_its_rows(node):
    feed, executor = node(list(range(100)))
    feed._rows.lockstep, feed._rows.readers = False, 2
    assert feed.next_batch(30) == list(range(30))
    _rows.finish()
    assert executor.sent("commit") == [{"pass": 0, "rows": 30}] and not executor.sent("stop")


def test_empty_feed_ends(node):
    feed, executor = node([1])
    executor.failures["next"] = {"kind": "FeedEmpty", "message": "no rows"}
    assert feed.next_batch(5) == [] and feed.should_stop()


def test_results_need_rows_of_inference(node):
    feed, _ = node([1])
    with pytest.raises(_errors.FeedMisuse, match="train_mode=False"):
        feed.batch_results([1])


# --- rows of inference() ---


def test_tasks_that_ask_while_the_cluster_ends_get_its_reason(monkeypatch):
    asked, closed, found = threading.Event(), threading.Event(), []

    def address(job, feed):
        asked.set()
        closed.wait(60)
        raise _errors.HowdahError("the feed is over")

    monkeypatch.setattr(directory, "address", address)
    monkeypatch.setattr(directory, "ended", lambda job: True)
    one = directory.Directory(types.SimpleNamespace(id="job"), "inference", "127.0.0.1")
    thread = threading.Thread(target=lambda: found.append(one.answer()))
    thread.start()
    asked.wait(60)
    one.close("no node was alive")
    closed.set()
    thread.join(60)
    assert found == [{"ended": "no node was alive"}]


class Question:
    def __init__(self, elements):
        self.batch = pa.Table.from_batches(objects.batches(elements, {"kind": "pickle", "why": ""}, 0)).combine_chunks()
        self.batch = self.batch.to_batches()[0]
        self.results = self.refused = None

    def answer(self, payload):
        self.results = objects.pickle.loads(payload)

    def refuse(self, text):
        self.refused = text


def asked(*blocks):
    """The rows of an inference with these blocks of rows, and the questions."""
    rows = _rows.Answers("inference")
    rows._begun = True
    questions = [Question(block) for block in blocks]
    for question in questions:
        rows._arrived.put(question)
    rows._arrived.put(None)
    return rows, questions


def test_results_answer_blocks_in_order(tmp_path):
    rows, (first, second) = asked([1, 2, 3], [4, 5])
    found = []
    while not rows.ended:
        batch = rows.take(2)
        found.append(batch)
        rows.answer([10 * row for row in batch])
    assert found == [[1, 2], [3], [4, 5], []]
    assert first.results == [10, 20, 30] and second.results == [40, 50]


def test_results_may_come_for_several_batches_or_one_by_one():
    rows, (first, second) = asked([1, 2, 3], [4, 5])
    batches = [rows.take(1) for _ in range(4)]  # a generator that reads ahead
    assert batches == [[1], [2], [3], [4]]
    rows.answer(["a", "b"])
    assert rows.take(1) == [5] and first.results is None
    for result in "cde":
        rows.answer([result])
    assert first.results == ["a", "b", "c"] and second.results == ["d", "e"]


def test_surplus_result_is_an_error():
    rows, (first,) = asked([1, 2, 3])
    rows.take(2)
    with pytest.raises(_errors.FeedMisuse, match="3 results for 2 rows: one result too many"):
        rows.answer([1, 2, 3])
    assert "one result too many" in first.refused and first.results is None


def test_missing_results_are_an_error_when_the_next_batch_is_read():
    rows, (first, _) = asked([1, 2, 3], [4])
    rows.take(3)
    rows.answer([1, 2])
    with pytest.raises(_errors.FeedMisuse, match="2 results for 3 rows: one result too few"):
        rows.take(3)
    assert "too few" in first.refused


# --- the job of a cluster ---


@pytest.mark.parametrize(
    "sizes, expected",
    [
        ((3, 0, None, False), {"worker": [0, 1, 2]}),
        ((4, 1, "chief", True), {"ps": [0], "chief": [1], "evaluator": [2], "worker": [3]}),
        ((1, 0, "master", False), {"master": [0]}),
        ((5, 2, "chief", False), {"ps": [0, 1], "chief": [2], "worker": [3, 4]}),
    ],
)
def test_nodes_have_the_numbers_of_tensorflowonspark(sizes, expected):
    assert _launch.template(*sizes) == expected


@pytest.mark.parametrize(
    "sizes", [(0, 0, None, False), (1, 1, None, False), (2, 1, "chief", True), (2, -1, None, False)]
)
def test_impossible_sizes_are_refused(sizes):
    with pytest.raises(ValueError, match=f"num_executors is {sizes[0]}"):
        _launch.template(*sizes)


class Spark:
    """The parts of a SparkContext that a launch reads."""

    def __init__(self, master, **conf):
        self.master = master
        self.conf = {name.replace("_", "."): value for name, value in conf.items()}

    def getConf(self):
        return types.SimpleNamespace(get=lambda name, default: self.conf.get(name, default),
                                     getAll=lambda: list(self.conf.items()))  # fmt: skip


@pytest.mark.parametrize(
    "master, variable, given, expected",
    [
        ("local[2]", None, None, "local"),
        ("local-cluster[2,1,1024]", None, None, "local"),
        ("yarn", None, None, "yarn"),
        ("spark://h:1", "yarn", None, "yarn"),
        ("yarn", "yarn", "local", "local"),
    ],
)
def test_nodes_run_where_spark_does_unless_told_otherwise(monkeypatch, master, variable, given, expected):
    monkeypatch.delenv("HOWDAH_ON", raising=False)
    if variable:
        monkeypatch.setenv("HOWDAH_ON", variable)
    assert _launch.Keys(Spark(master), {"on": given} if given else {}).keys["on"] == expected


def test_standalone_spark_needs_a_choice(monkeypatch):
    monkeypatch.delenv("HOWDAH_ON", raising=False)
    with pytest.raises(_errors.HowdahError, match="HOWDAH_ON=local or HOWDAH_ON=yarn"):
        _launch.Keys(Spark("spark://h:1"), {})


def test_settings_of_spark_become_keywords(monkeypatch):
    monkeypatch.delenv("HOWDAH_ON", raising=False)
    monkeypatch.setenv("PYSPARK_PYTHON", "./env/bin/python")
    monkeypatch.setenv("OF_THE_PROGRAM", "x")
    conf = {"spark_howdah_memory": "8GiB", "spark_executor_resource_gpu_amount": "2", "spark_executorEnv_A": "b",
            "spark_yarn_dist_archives": "hdfs:///x.zip#x,hdfs:///env.tar.gz#env"}  # fmt: skip
    keys = _launch.Keys(Spark("yarn", **conf), {"gpus": 1}).keys
    assert (keys["memory"], keys["gpus"], keys["env"]) == ("8GiB", 1, {"A": "b"})
    assert keys["python"] == "hdfs:///env.tar.gz" and "env_from" not in keys
    keys = _launch.Keys(Spark("local[1]", **conf), {}).keys
    assert keys["gpus"] == 2 and "python" not in keys and "OF_THE_PROGRAM" in keys["env_from"]
    assert not {"PYSPARK_PYTHON", "A", "PWD"} & set(keys["env_from"])


def test_archives_of_spark_are_not_in_the_path_of_nodes():
    added = "{{PWD}}/pyspark.zip<CPS>{{PWD}}/py4j-0.10.9-src.zip"  # by Spark, on YARN
    conf = {"spark_executorEnv_PYTHONPATH": f"/a:/b<CPS>{added}"}
    assert _launch.Keys(Spark("yarn", **conf), {}).keys["env"] == {"PYTHONPATH": "/a:/b"}
    assert _launch.Keys(Spark("yarn", spark_executorEnv_PYTHONPATH=added), {}).keys["env"] == {}


# --- what travels ---


def test_tasks_import_tensorflowonspark_from_the_package_archive(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    program = ("import howdah.tfos._node, tensorflowonspark.TFNode as a, howdah.tfos.TFNode as b\n"
               "from tensorflowonspark import TFNode, marker\n"
               "assert a is b is TFNode and marker.EndPartition() and howdah.__file__.count('.zip')\n")  # fmt: skip
    env = {**os.environ, "PYTHONPATH": _submit.package_archive()}
    done = subprocess.run([sys.executable, "-c", program], env=env, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_functions_are_unpickled_by_the_cloudpickle_that_came_with_them(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    call = _pickling.dump_call(lambda: 7, "seven", (), {})
    (tmp_path / "call").write_bytes(_calls.encode_call(_calls.Call("seven", sys.version_info[:2], call)))
    (tmp_path / "old/cloudpickle").mkdir(parents=True)
    (tmp_path / "old/cloudpickle/__init__.py").write_text("raise ImportError('the cloudpickle of the node')\n")
    env = {**os.environ, "PYTHONPATH": str(tmp_path / "old"), "HOWDAH_RESULT": str(tmp_path / "result")}
    command = [sys.executable, _submit.package_archive(), "call"]
    done = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert pickle.loads(_calls.decode_result((tmp_path / "result").read_bytes()).payload) == 7


def test_carried_functions_run_where_the_package_is_missing(tmp_path):
    from howdah.tfos import dfutil

    import cloudpickle

    convert = dfutil.toTFExample([("a", "bigint"), ("b", "array<string>")])
    (tmp_path / "function").write_bytes(cloudpickle.dumps(convert))
    program = ("import importlib.util, pickle\n"
               "assert importlib.util.find_spec('howdah') is None\n"
               "convert = pickle.load(open('function', 'rb'))\n"
               "print(list(convert(iter([{'a': 1, 'b': ['x', 'y']}, {'a': None, 'b': []}]))))\n")  # fmt: skip
    env = {**os.environ, "PYTHONPATH": SITE}
    done = subprocess.run([sys.executable, "-c", program], env=env, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{list(convert(iter([{'a': 1, 'b': ['x', 'y']}, {'a': None, 'b': []}])))}\n"


def test_carried_modules_are_loaded_once():
    first, second = (_carried.function("tfos._saved_model", "predictions") for _ in range(2))
    assert list(first({"batch_size": 1}, [])) == list(second({"batch_size": 1}, [])) == []
    assert len([name for name in sys.modules if name.endswith("tfos._saved_model") and "carried" in name]) == 1


# --- the machine ---


def test_gpus_are_those_that_were_given(monkeypatch):
    monkeypatch.setenv("HOWDAH_JOB_ID", "x")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "3,5")
    assert gpu_info.is_gpu_available() and gpu_info.get_gpus(2) == "3,5"
    assert gpu_info.get_gpus(1, 1) == "5" and gpu_info.get_gpus(1, format=gpu_info.AS_LIST) == ["3"]
    with pytest.raises(Exception, match="3 GPUs are wanted, and this process has 2"):
        gpu_info.get_gpus(3)
    util.single_node_env(1, 1, ["a", "a"])
    assert os.environ["CUDA_VISIBLE_DEVICES"] == "5"
    util.single_node_env(0)
    assert os.environ["CUDA_VISIBLE_DEVICES"] == "" and not gpu_info.is_gpu_available()


def test_executor_id_is_kept_in_the_current_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FileNotFoundError, match="write_executor_id"):
        util.read_executor_id()
    util.write_executor_id(7)
    assert util.read_executor_id() == 7
    assert util.find_in_path(f"/nowhere:{tmp_path}", "executor_id") == str(tmp_path / "executor_id")
    assert util.find_in_path("/nowhere", "executor_id") is False and util.get_ip_address()


def test_version_is_that_of_the_api():
    import tensorflowonspark

    assert tensorflowonspark.__version__ == "2.2.5"
    assert (ROOT / "python/tensorflowonspark").is_dir()

"""The parameters of the pipeline, without a Spark application."""
import argparse
import pickle

import pytest

import spark as sparks

SITE = sparks.site_packages()

from howdah.tfos import pipeline  # noqa: E402
from howdah.tfos.pipeline import Namespace  # noqa: E402

DEFAULTS = {"input_mapping": {}, "cluster_size": 1, "num_ps": 0, "driver_ps_nodes": False, "input_mode": 1,
            "master_node": "chief", "protocol": "grpc", "grace_secs": 30, "tensorboard": False, "model_dir": None,
            "export_dir": None, "tfrecord_dir": None, "batch_size": 100, "epochs": 1, "readers": 1, "steps": 1000}


def test_parameters_have_the_defaults_of_tensorflowonspark():
    estimator = pipeline.TFEstimator(None, {"x": 1})
    assert {param.name: estimator.getOrDefault(param) for param in estimator.params} == DEFAULTS
    model = pipeline.TFModel({})
    assert {param.name for param in model.params} == {
        "input_mapping", "output_mapping", "batch_size", "model_dir", "export_dir", "signature_def_key", "tag_set"}
    assert model.getBatchSize() == 100 and model.getTagSet() is None


def test_parameters_take_precedence_over_arguments():
    estimator = pipeline.TFEstimator(None, argparse.Namespace(x=1, batch_size=7, epochs=2)).setEpochs(5)
    merged = estimator.merge_args_params()
    assert (merged.x, merged.batch_size, merged.epochs) == (1, 100, 5)
    assert estimator.args.epochs == 2 and estimator.copy().getEpochs() == 5


@pytest.mark.parametrize("name, value", [
    ("BatchSize", 3), ("ClusterSize", 4), ("Epochs", 2), ("GraceSecs", 1), ("InputMapping", {"a": "b"}),
    ("InputMode", 0), ("MasterNode", "master"), ("ModelDir", "m"), ("NumPS", 1), ("DriverPSNodes", True),
    ("Protocol", "rdma"), ("Readers", 2), ("Steps", 9), ("Tensorboard", True), ("TFRecordDir", "t"),
    ("ExportDir", "e")])
def test_each_parameter_has_a_setter_and_a_getter(name, value):
    estimator = pipeline.TFEstimator(None, {})
    assert getattr(estimator, f"set{name}")(value) is estimator
    assert getattr(estimator, f"get{name}")() == value


def test_wrong_types_of_parameters_are_errors():
    with pytest.raises(TypeError):
        pipeline.TFEstimator(None, {}).setInputMapping(["a"])
    with pytest.raises(TypeError):
        pipeline.TFEstimator(None, {}).setBatchSize("many")
    with pytest.raises(Exception, match="export_fn is for TensorFlow 1"):
        pipeline.TFEstimator(None, {}, export_fn=print)


def test_namespaces_come_from_dicts_namespaces_and_words():
    one = Namespace({"a": 1, "b": [2]})
    assert repr(one) == "Namespace(a=1, b=[2])" and list(one) == ["a", "b"] and one.b == [2]
    assert one == Namespace(argparse.Namespace(a=1, b=[2])) == Namespace(one) != Namespace({"a": 1})
    assert list(Namespace(["x", "y"])) == Namespace(["x", "y"]).argv == ["x", "y"]
    assert pickle.loads(pickle.dumps(one)) == one
    with pytest.raises(Exception, match="a Namespace cannot be made of a int"):
        Namespace(5)


def test_batches_are_columns_of_rows():
    rows = [[1, 2], [3, 4], [5, 6]]
    assert list(pipeline.yield_batch(rows, 2, 2)) == [[[1, 3], [2, 4]], [[5], [6]]]
    assert list(pipeline.yield_batch([], 2, 2)) == []


def test_missing_mappings_and_models_are_named():
    model = pipeline.TFModel({})
    with pytest.raises(ValueError, match=r"input_mapping is empty: setInputMapping\(\)"):
        model._transform(None)
    model.setInputMapping({"a": "b"}).setOutputMapping({"c": "d"})
    with pytest.raises(ValueError, match=r"setExportDir\(\)"):
        model._transform(None)
    with pytest.raises(ValueError, match="input_mapping is empty"):
        pipeline.TFEstimator(None, {})._fit(None)

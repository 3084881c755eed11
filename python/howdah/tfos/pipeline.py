"""Spark ML: TFEstimator trains a model on a cluster, and TFModel predicts with it in Spark's tasks."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Callable, Iterable, Iterator, Mapping, Sequence

from . import TFCluster, _carried, util
from ._namespace import Namespace as Namespace
from ._params import HasBatchSize as HasBatchSize
from ._params import HasClusterSize as HasClusterSize
from ._params import HasEpochs as HasEpochs
from ._params import HasExportDir as HasExportDir
from ._params import HasGraceSecs as HasGraceSecs
from ._params import HasInputMapping as HasInputMapping
from ._params import HasInputMode as HasInputMode
from ._params import HasMasterNode as HasMasterNode
from ._params import HasModelDir as HasModelDir
from ._params import HasNumPS as HasNumPS
from ._params import HasOutputMapping as HasOutputMapping
from ._params import HasProtocol as HasProtocol
from ._params import HasReaders as HasReaders
from ._params import HasSignatureDefKey as HasSignatureDefKey
from ._params import HasSteps as HasSteps
from ._params import HasTagSet as HasTagSet
from ._params import HasTensorboard as HasTensorboard
from ._params import HasTFRecordDir as HasTFRecordDir
from ._params import TFParams as TFParams
from ._params import TFTypeConverters as TFTypeConverters

if TYPE_CHECKING:
    # pyspark is not installed where the types are checked.
    class Estimator:
        def fit(self, dataset: Any, params: Any = None) -> Any: ...

    class Model:
        def transform(self, dataset: Any, params: Any = None) -> Any: ...
else:
    _ml = import_module("pyspark.ml")
    Estimator, Model = _ml.Estimator, _ml.Model


class TFEstimator(
    Estimator,
    TFParams,
    HasInputMapping,
    HasClusterSize,
    HasNumPS,
    HasInputMode,
    HasMasterNode,
    HasProtocol,
    HasGraceSecs,
    HasTensorboard,
    HasModelDir,
    HasExportDir,
    HasTFRecordDir,
    HasBatchSize,
    HasEpochs,
    HasReaders,
    HasSteps,
):
    """Trains on a cluster with InputMode.SPARK: `TFEstimator(train_fn, args).setInputMapping({…}).fit(df)`.

    train_fn(args, ctx) is the program of each node; it gets the arguments and parameters together. It reads the columns
    of input_mapping, in the order of their names, and writes the model to model_dir or export_dir.
    """

    train_fn: Any = None
    export_fn: Any = None

    def __init__(
        self, train_fn: Callable[[Any, Any], Any], tf_args: Any, export_fn: Callable[..., Any] | None = None
    ) -> None:
        super().__init__()
        if export_fn is not None:
            raise Exception(
                "export_fn is for TensorFlow 1: call compat.export_saved_model(model, args.export_dir, is_chief) at "
                "the end of train_fn"
            )
        self.train_fn, self.args = train_fn, Namespace(tf_args)
        self._keys: Mapping[str, Any] = {}
        self._setDefault(
            input_mapping={},
            cluster_size=1,
            num_ps=0,
            driver_ps_nodes=False,
            input_mode=TFCluster.InputMode.SPARK,
            master_node="chief",
            protocol="grpc",
            grace_secs=30,
            tensorboard=False,
            model_dir=None,
            export_dir=None,
            tfrecord_dir=None,
            batch_size=100,
            epochs=1,
            readers=1,
            steps=1000,
        )

    def fit(self, dataset: Any, params: Any = None, **keys: Any) -> Any:
        """Trains with the rows of a DataFrame. Returns a TFModel, or for a list of params a list. keys: keywords of
        howdah.run, such as memory="8GiB", gpus=1."""
        self._keys = keys
        try:
            return super().fit(dataset, params)
        finally:
            self._keys = {}

    def _fit(self, dataset: Any) -> TFModel:
        args = self.merge_args_params()
        columns = sorted(self.getInputMapping())
        if not columns:
            raise ValueError("input_mapping is empty: setInputMapping() names the columns that train_fn reads")
        if args.input_mode != TFCluster.InputMode.SPARK:
            raise ValueError("TFEstimator needs InputMode.SPARK: it trains with the rows of a DataFrame")
        cluster = TFCluster.run(
            dataset.sparkSession.sparkContext,
            self.train_fn,
            args,
            args.cluster_size,
            args.num_ps,
            args.tensorboard,
            TFCluster.InputMode.SPARK,
            log_dir=args.model_dir,
            driver_ps_nodes=args.driver_ps_nodes,
            master_node=args.master_node,
            **self._keys,
        )
        cluster.train(dataset.select(*[f"`{column}`" for column in columns]), args.epochs)
        cluster.shutdown(grace_secs=args.grace_secs)
        model: TFModel = self._copyValues(TFModel(self.args))
        return model


class TFModel(
    Model,
    TFParams,
    HasInputMapping,
    HasOutputMapping,
    HasBatchSize,
    HasModelDir,
    HasExportDir,
    HasSignatureDefKey,
    HasTagSet,
):
    """Predicts with a SavedModel, in Spark's tasks: each Python process of Spark loads it once.

    input_mapping: columns to inputs of the signature. output_mapping: outputs of the signature to columns of the
    result. The SavedModel is in export_dir, or else in model_dir.
    """

    def __init__(self, tf_args: Any) -> None:
        super().__init__()
        self.args = Namespace(tf_args)
        self._setDefault(
            input_mapping={},
            output_mapping={},
            batch_size=100,
            model_dir=None,
            export_dir=None,
            signature_def_key=None,
            tag_set=None,
        )

    def _transform(self, dataset: Any) -> Any:
        args = self.merge_args_params()
        inputs, outputs = self.getInputMapping(), self.getOutputMapping()
        for name, mapping in (("input_mapping", inputs), ("output_mapping", outputs)):
            if not mapping:
                raise ValueError(f"{name} is empty: set{name.title().replace('_', '')}() names the columns")
        directory = args.export_dir or args.model_dir
        if not directory:
            raise ValueError("there is no model: setExportDir() names the directory of the SavedModel")
        columns = sorted(inputs)
        predict = _carried.function("tfos._saved_model", "predictions")
        keys = {
            "directory": directory,
            "signature": args.signature_def_key or "serving_default",
            "tags": (args.tag_set or "serve").split(","),
            "inputs": [inputs[column] for column in columns],
            "outputs": sorted(outputs),
            "batch_size": args.batch_size,
        }
        rows = dataset.select(*[f"`{column}`" for column in columns]).rdd
        results = rows.mapPartitions(lambda part: predict(keys, part))
        return dataset.sparkSession.createDataFrame(results, [outputs[output] for output in sorted(outputs)])


def single_node_env(args: Any) -> None:
    """Prepares this process for a single instance of TensorFlow. args: a list of words becomes sys.argv."""
    import sys

    if isinstance(args, list):
        sys.argv[:] = [str(word) for word in args]
    util.single_node_env()


def yield_batch(iterable: Iterable[Sequence[Any]], batch_size: int, num_tensors: int = 1) -> Iterator[list[list[Any]]]:
    """Rows in batches: a list of num_tensors columns, each of at most batch_size values."""
    tensors: list[list[Any]] = [[] for _ in range(num_tensors)]
    for row in iterable:
        for number in range(num_tensors):
            tensors[number].append(row[number])
        if len(tensors[0]) >= batch_size:
            yield tensors
            tensors = [[] for _ in range(num_tensors)]
    if tensors[0]:
        yield tensors

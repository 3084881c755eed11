"""The parameters of TFEstimator and TFModel, as classes of Spark ML. Needs pyspark."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Callable, Mapping

from ._namespace import Namespace

_param: Any = import_module("pyspark.ml.param")

if TYPE_CHECKING:
    # pyspark is not installed where the types are checked.
    class Params:
        params: list[Any]

        def _set(self, **values: Any) -> Any: ...

        def _setDefault(self, **values: Any) -> Any: ...

        def getOrDefault(self, param: Any) -> Any: ...

        def hasDefault(self, param: Any) -> bool: ...

        def isDefined(self, param: Any) -> bool: ...

        def _copyValues(self, to: Any, extra: Any = None) -> Any: ...
else:
    Params = _param.Params

_converters: Any = _param.TypeConverters


class TFTypeConverters:
    """Converters for types that Spark ML has none for."""

    @staticmethod
    def toDict(value: Any) -> dict[Any, Any]:
        if not isinstance(value, dict):
            raise TypeError(f"{value!r} is a {type(value).__name__}, and must be a dict")
        return value


def _new(name: str, text: str, converter: Callable[[Any], Any]) -> Any:
    return _param.Param(_param.Params._dummy(), name, text, typeConverter=converter)


class HasBatchSize(Params):
    batch_size = _new("batch_size", "Number of rows per batch", _converters.toInt)

    def setBatchSize(self, value: int) -> Any:
        return self._set(batch_size=value)

    def getBatchSize(self) -> Any:
        return self.getOrDefault(self.batch_size)


class HasClusterSize(Params):
    cluster_size = _new("cluster_size", "Number of nodes in the cluster", _converters.toInt)

    def setClusterSize(self, value: int) -> Any:
        return self._set(cluster_size=value)

    def getClusterSize(self) -> Any:
        return self.getOrDefault(self.cluster_size)


class HasEpochs(Params):
    epochs = _new("epochs", "Number of passes over the rows", _converters.toInt)

    def setEpochs(self, value: int) -> Any:
        return self._set(epochs=value)

    def getEpochs(self) -> Any:
        return self.getOrDefault(self.epochs)


class HasGraceSecs(Params):
    grace_secs = _new("grace_secs", "As in TFCluster.shutdown", _converters.toInt)

    def setGraceSecs(self, value: int) -> Any:
        return self._set(grace_secs=value)

    def getGraceSecs(self) -> Any:
        return self.getOrDefault(self.grace_secs)


class HasInputMapping(Params):
    input_mapping = _new("input_mapping", "Columns of the input, and their tensors", TFTypeConverters.toDict)

    def setInputMapping(self, value: Mapping[str, str]) -> Any:
        return self._set(input_mapping=value)

    def getInputMapping(self) -> Any:
        return self.getOrDefault(self.input_mapping)


class HasInputMode(Params):
    input_mode = _new("input_mode", "0: InputMode.TENSORFLOW, 1: InputMode.SPARK", _converters.toInt)

    def setInputMode(self, value: int) -> Any:
        return self._set(input_mode=value)

    def getInputMode(self) -> Any:
        return self.getOrDefault(self.input_mode)


class HasMasterNode(Params):
    master_node = _new("master_node", "Role of the chief", _converters.toString)

    def setMasterNode(self, value: str) -> Any:
        return self._set(master_node=value)

    def getMasterNode(self) -> Any:
        return self.getOrDefault(self.master_node)


class HasModelDir(Params):
    model_dir = _new("model_dir", "Directory of checkpoints", _converters.toString)

    def setModelDir(self, value: str) -> Any:
        return self._set(model_dir=value)

    def getModelDir(self) -> Any:
        return self.getOrDefault(self.model_dir)


class HasNumPS(Params):
    num_ps = _new("num_ps", "Number of ps in the cluster", _converters.toInt)
    driver_ps_nodes = _new("driver_ps_nodes", "Whether the ps run beside the driver", _converters.toBoolean)

    def setNumPS(self, value: int) -> Any:
        return self._set(num_ps=value)

    def getNumPS(self) -> Any:
        return self.getOrDefault(self.num_ps)

    def setDriverPSNodes(self, value: bool) -> Any:
        return self._set(driver_ps_nodes=value)

    def getDriverPSNodes(self) -> Any:
        return self.getOrDefault(self.driver_ps_nodes)


class HasOutputMapping(Params):
    output_mapping = _new("output_mapping", "Output tensors, and their columns", TFTypeConverters.toDict)

    def setOutputMapping(self, value: Mapping[str, str]) -> Any:
        return self._set(output_mapping=value)

    def getOutputMapping(self) -> Any:
        return self.getOrDefault(self.output_mapping)


class HasProtocol(Params):
    protocol = _new("protocol", "Network protocol of TensorFlow; has no effect", _converters.toString)

    def setProtocol(self, value: str) -> Any:
        return self._set(protocol=value)

    def getProtocol(self) -> Any:
        return self.getOrDefault(self.protocol)


class HasReaders(Params):
    readers = _new("readers", "Number of reading threads, for the program", _converters.toInt)

    def setReaders(self, value: int) -> Any:
        return self._set(readers=value)

    def getReaders(self) -> Any:
        return self.getOrDefault(self.readers)


class HasSteps(Params):
    steps = _new("steps", "Largest number of steps, for the program", _converters.toInt)

    def setSteps(self, value: int) -> Any:
        return self._set(steps=value)

    def getSteps(self) -> Any:
        return self.getOrDefault(self.steps)


class HasTensorboard(Params):
    tensorboard = _new("tensorboard", "Whether a TensorBoard runs", _converters.toBoolean)

    def setTensorboard(self, value: bool) -> Any:
        return self._set(tensorboard=value)

    def getTensorboard(self) -> Any:
        return self.getOrDefault(self.tensorboard)


class HasTFRecordDir(Params):
    tfrecord_dir = _new("tfrecord_dir", "Directory of TFRecord files, for the program", _converters.toString)

    def setTFRecordDir(self, value: str) -> Any:
        return self._set(tfrecord_dir=value)

    def getTFRecordDir(self) -> Any:
        return self.getOrDefault(self.tfrecord_dir)


class HasExportDir(Params):
    export_dir = _new("export_dir", "Directory of the SavedModel", _converters.toString)

    def setExportDir(self, value: str) -> Any:
        return self._set(export_dir=value)

    def getExportDir(self) -> Any:
        return self.getOrDefault(self.export_dir)


class HasSignatureDefKey(Params):
    signature_def_key = _new("signature_def_key", "Signature of the SavedModel", _converters.toString)

    def setSignatureDefKey(self, value: str) -> Any:
        return self._set(signature_def_key=value)

    def getSignatureDefKey(self) -> Any:
        return self.getOrDefault(self.signature_def_key)


class HasTagSet(Params):
    tag_set = _new("tag_set", "Tags of the SavedModel, separated by commas", _converters.toString)

    def setTagSet(self, value: str) -> Any:
        return self._set(tag_set=value)

    def getTagSet(self) -> Any:
        return self.getOrDefault(self.tag_set)


class TFParams(Params):
    """The arguments of a program, in addition to the parameters of Spark ML."""

    args: Any = None

    def merge_args_params(self) -> Namespace:
        """The arguments with the parameters, which take precedence."""
        merged = Namespace(self.args) if self.args is not None else Namespace({})
        for param in self.params:
            if self.isDefined(param):
                setattr(merged, param.name, self.getOrDefault(param))
        return merged

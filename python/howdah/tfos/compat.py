"""Functions that hide differences between versions of TensorFlow."""

from __future__ import annotations

import os
import tempfile
from importlib import import_module
from typing import Any

from . import gpu_info


def export_saved_model(model: Any, export_dir: str, is_chief: bool = False) -> None:
    """Exports a Keras model as a SavedModel. All workers of a MultiWorkerMirroredStrategy must call it; only the chief
    writes to export_dir, the others write to a temporary directory, which is removed."""
    if is_chief:
        return _save(model, export_dir)
    with tempfile.TemporaryDirectory(prefix="howdah-export-") as scratch:
        _save(model, os.path.join(scratch, "model"))


def _save(model: Any, directory: str) -> None:
    if hasattr(model, "export"):  # Keras 3: save() writes only its own format
        model.export(directory)
    else:
        model.save(directory, save_format="tf")


def disable_auto_shard(options: Any) -> None:
    """Sets tf.data.Options so that a dataset is not divided among the workers: each has rows of its own."""
    tf: Any = import_module("tensorflow")
    options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.OFF


def is_gpu_available() -> bool:
    """Whether this process has a GPU."""
    return gpu_info.is_gpu_available()

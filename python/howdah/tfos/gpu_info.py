"""The GPUs of this process: those that Spark, YARN or Howdah gave to it."""

from __future__ import annotations

import os
import subprocess
from importlib import import_module
from typing import Any

MAX_RETRIES = 3  # of TensorFlowOnSpark; GPUs that were given to this process need no retries
AS_STRING = "string"
AS_LIST = "list"


def given() -> list[str]:
    """The GPUs of this process. In a task of Spark: those of its TaskContext. Otherwise those of CUDA_VISIBLE_DEVICES,
    which Howdah and YARN set, or all GPUs of the machine if it is not set."""
    found = _of_spark()
    if found is not None:
        return found
    listed = os.environ.get("CUDA_VISIBLE_DEVICES")
    if listed is not None:
        return [part.strip() for part in listed.split(",") if part.strip() and not part.strip().startswith("-")]
    return _of_machine()


def is_gpu_available() -> bool:
    """Whether this process has a GPU."""
    return bool(given())


def get_gpus(num_gpu: int = 1, worker_index: int = -1, format: str = AS_STRING) -> Any:
    """`num_gpu` GPUs of this process: a string for CUDA_VISIBLE_DEVICES, or with format=AS_LIST a list.

    worker_index: the index of this process among those that share the GPUs; each gets other GPUs, as far as there are
    enough. Raises an Exception if this process has fewer GPUs.
    """
    have = given()
    if len(have) < num_gpu:
        raise Exception(f"{num_gpu} GPUs are wanted, and this process has {len(have)}: {', '.join(have) or 'none'}")
    first = worker_index * num_gpu if worker_index >= 0 else 0
    chosen = [have[(first + number) % len(have)] for number in range(num_gpu)]
    return chosen if format == AS_LIST else ",".join(chosen)


def _of_spark() -> list[str] | None:
    """The GPUs that Spark gave to this task. None: this process is not a task of Spark, or has no such resource."""
    if "HOWDAH_JOB_ID" in os.environ:
        return None
    try:
        pyspark: Any = import_module("pyspark")
    except ImportError:
        return None
    task = pyspark.TaskContext.get()
    resource = task.resources().get("gpu") if task is not None else None
    return None if resource is None else [str(address) for address in resource.addresses]


def _of_machine() -> list[str]:
    try:
        listed = subprocess.run(
            ["nvidia-smi", "--query-gpu=index", "--format=csv,noheader"], stdout=subprocess.PIPE, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):  # without a driver there is no GPU
        return []
    return listed.stdout.split()

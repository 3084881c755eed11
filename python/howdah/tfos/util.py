"""Functions for programs that run a single node, or that look for files and addresses."""

from __future__ import annotations

import os
import socket
import subprocess
from typing import TYPE_CHECKING, Sequence

if TYPE_CHECKING:
    from typing import Literal

_ID_FILE = "executor_id"


def single_node_env(num_gpus: int = 1, worker_index: int = -1, nodes: Sequence[str] = ()) -> None:
    """Prepares this process for a single instance of TensorFlow: it sees at most `num_gpus` of the GPUs that were given
    to this process, or none; and libhdfs finds the classes of Hadoop.

    worker_index, nodes: the index of this instance, and the hosts of all instances. Instances on one host divide the
    GPUs of the host among themselves.
    """
    if "HADOOP_PREFIX" in os.environ and "TFOS_CLASSPATH_UPDATED" not in os.environ:
        hadoop = find_in_path(os.path.join(os.environ["HADOOP_PREFIX"], "bin"), "hadoop")
        if hadoop:
            found = subprocess.run([hadoop, "classpath", "--glob"], stdout=subprocess.PIPE, text=True, check=True)
            given = os.environ.get("CLASSPATH", "")
            os.environ["CLASSPATH"] = os.pathsep.join(part for part in (given, found.stdout.strip()) if part)
            os.environ["TFOS_CLASSPATH_UPDATED"] = "1"
    from . import gpu_info

    given_gpus = gpu_info.given()
    if num_gpus <= 0 or not given_gpus:
        os.environ["CUDA_VISIBLE_DEVICES"] = ""
        return
    index = worker_index
    if nodes and 0 <= worker_index < len(nodes):
        index = list(nodes[:worker_index]).count(nodes[worker_index])
    os.environ["CUDA_VISIBLE_DEVICES"] = gpu_info.get_gpus(min(num_gpus, len(given_gpus)), index)


def get_ip_address() -> str:
    """The address of this machine in the network through which it reaches others."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing; the kernel chooses the interface
            return str(probe.getsockname()[0])
        except OSError:  # there is no route
            return "127.0.0.1"


def find_in_path(path: str, file: str) -> str | Literal[False]:
    """The first existing file with this name in the folders of `path`, which are separated by colons; False if there is
    none."""
    for folder in path.split(os.pathsep):
        candidate = os.path.join(folder, file)
        if os.path.isfile(candidate):
            return candidate
    return False


def write_executor_id(num: int) -> None:
    """Writes the number of this executor into the current directory."""
    with open(_ID_FILE, "w", encoding="ascii") as file:
        file.write(str(num))


def read_executor_id() -> int:
    """The number that write_executor_id has written in the current directory."""
    try:
        with open(_ID_FILE, encoding="ascii") as file:
            return int(file.read())
    except FileNotFoundError:
        raise FileNotFoundError(
            2, f"there is no file {_ID_FILE} in {os.getcwd()}: write_executor_id() has not been called here"
        ) from None

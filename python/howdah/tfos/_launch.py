"""The job of a cluster: its roles, and the keys that follow from the settings of Spark."""

from __future__ import annotations

import os
import re
import socket
from importlib import import_module
from typing import Any, Callable, Mapping, Sequence

from .. import _submit
from .._errors import HowdahError
from .._job import Job
from . import _node

_CONF = "spark.howdah."  # settings of Spark with this prefix are keywords of howdah.run
_ROLE_KEYS = ("memory", "vcores", "gpus")
_TEXT_KEYS = ("on", "memory", "python", "queue", "name")
_NOT_PASSED = re.compile(
    r"(HOWDAH|PYSPARK|SPARK)_.*|TF_CONFIG|CUDA_VISIBLE_DEVICES|PWD|OLDPWD|SHLVL|_|LS_COLORS|BASH_FUNC.*"
)
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def backend(sc: Any, given: str | None) -> str:
    """Where the nodes run: the keyword `on`, $HOWDAH_ON, the setting spark.howdah.on, or as Spark."""
    chosen = given or os.environ.get("HOWDAH_ON") or sc.getConf().get(_CONF + "on", None)
    if chosen:
        return str(chosen)
    master = str(sc.master)
    if master.startswith("local"):
        return "local"
    if master.startswith("yarn"):
        return "yarn"
    raise HowdahError(
        f"the nodes cannot run in the executors of Spark yet, and its master is {master}: set HOWDAH_ON=local or "
        "HOWDAH_ON=yarn, which says where they run"
    )


def default_fs(sc: Any) -> str:
    """The default file system of Spark, without a slash at its end: hdfs://nameservice, or file://."""
    found = str(sc._jsc.hadoopConfiguration().get("fs.defaultFS") or "file:///").rstrip("/")
    return "file://" if found == "file:" else found


def template(num_executors: int, num_ps: int, master_node: str | None, eval_node: bool) -> dict[str, list[int]]:
    """The numbers of the nodes by role, in the order of TensorFlowOnSpark. Raises ValueError for impossible sizes."""
    single = [role for role in (master_node, "evaluator" if eval_node else None) if role]
    workers = num_executors - num_ps - len(single)
    if num_executors < 1 or num_ps < 0 or workers < 0 or (workers == 0 and not master_node):
        raise ValueError(
            f"num_executors is {num_executors}, which is too few for {num_ps} ps"
            + "".join(f", 1 {role}" for role in single)
            + " and at least one worker"
        )
    roles: dict[str, list[int]] = {}
    numbers = list(range(num_executors))
    for role, count in (("ps", num_ps), *((role, 1) for role in single), ("worker", workers)):
        if count:
            roles[role], numbers = numbers[:count], numbers[count:]
    return roles


class Keys:
    """The keywords of howdah.run for the nodes of a cluster: those that were given, then those in the settings of
    Spark."""

    def __init__(self, sc: Any, given: Mapping[str, Any]) -> None:
        conf = sc.getConf()
        self.keys: dict[str, Any] = {}
        self.beside_driver = False  # whether the ps run on the machine of the driver
        for name in _TEXT_KEYS:
            value = conf.get(_CONF + name, None)
            if value is not None:
                self.keys[name] = value
        for name in ("vcores", "gpus"):
            value = conf.get(_CONF + name, None)
            if value is not None:
                self.keys[name] = int(value)
        if "gpus" not in self.keys:
            self.keys["gpus"] = int(conf.get("spark.executor.resource.gpu.amount", "0"))
        self.keys.update(given)
        self.keys["on"] = backend(sc, self.keys.get("on"))
        self.local = self.keys["on"] == "local"
        if not self.local and "python" not in self.keys:
            archive = _archive_of(conf)
            if archive is not None:
                self.keys["python"] = archive
        self.keys["env"] = {**_executor_env(conf), **self.keys.get("env", {})}
        self._add_python_files(python_files(sc))
        if self.local:
            # As the executors of a Spark on this machine, the nodes have the environment of the driver.
            passed = [name for name in os.environ if _NAME.fullmatch(name) and not _NOT_PASSED.fullmatch(name)]
            self.keys["env_from"] = sorted({*passed, *self.keys.get("env_from", ())}.difference(self.keys["env"]))

    def _add_python_files(self, paths: Sequence[str]) -> None:
        """The files are in the working directory of each node. Modules in archives are found by PYTHONPATH."""
        if not paths:
            return
        self.keys["files"] = [*self.keys.get("files", ()), *paths]
        archives = [os.path.basename(path) for path in paths if not path.endswith(".py")]
        if archives:
            given = self.keys["env"].get("PYTHONPATH") or (os.environ.get("PYTHONPATH") if self.local else None)
            self.keys["env"]["PYTHONPATH"] = os.pathsep.join([*archives, *([given] if given else [])])

    def role(self, function: Callable[..., Any], args: Sequence[Any], instances: int, **keys: Any) -> _submit.Role:
        own = {name: self.keys[name] for name in _ROLE_KEYS if self.keys.get(name)}
        return _submit.Role(function, args=args, instances=instances, **{**own, **keys})

    def of_job(self) -> dict[str, Any]:
        return {name: value for name, value in self.keys.items() if name not in _ROLE_KEYS}


def _executor_env(conf: Any) -> dict[str, str]:
    prefix = "spark.executorEnv."
    found = {name[len(prefix) :]: value for name, value in conf.getAll() if name.startswith(prefix)}
    # On YARN, Spark adds its own archives in the directories of its containers: …<CPS>{{PWD}}/pyspark.zip.
    path = [part for part in re.split(":|<CPS>", found.pop("PYTHONPATH", "")) if part and "{{" not in part]
    if path:
        found["PYTHONPATH"] = os.pathsep.join(path)
    return {name: value for name, value in found.items() if not re.fullmatch(r"(HOWDAH|PYSPARK|SPARK)_.*", name)}


def _archive_of(conf: Any) -> str | None:
    """The archive with the Python of Spark's executors: the one whose name PYSPARK_PYTHON begins with."""
    python = os.environ.get("PYSPARK_PYTHON") or conf.get("spark.pyspark.python", "")
    folder = python[2:].split("/")[0] if python.startswith("./") else ""
    for key in ("spark.archives", "spark.yarn.dist.archives"):
        for entry in conf.get(key, "").split(","):
            path, _, name = entry.strip().partition("#")
            if folder and name == folder:
                return str(path)
    return None


def submit(
    function: Callable[..., Any],
    tf_args: Any,
    roles: Mapping[str, Sequence[int]],
    keys: Keys,
    cluster: Mapping[str, Any],
    feeds: Mapping[str, Any],
    tensorboard: str | None,
) -> Job[None]:
    """Submits the job of a cluster."""
    parts = {}
    # The chief has rank 0, as in TensorFlow, so it comes first.
    for role in sorted(roles, key=lambda role: role in ("worker", "ps", "evaluator")):
        # The job ends with its chief and workers, and an error of another node ends it, too.
        own: dict[str, Any] = {"kind": "service"} if role in ("ps", "evaluator") else {}
        if role == "ps":
            own["gpus"] = 0
            if keys.beside_driver and not keys.local:
                own["locality"] = {"nodes": [socket.getfqdn()], "strict": False}
        parts[role] = keys.role(_node.run, (function, tf_args, dict(cluster)), len(roles[role]), **own)
    given = {**keys.of_job(), "framework": "tensorflow"}
    given.setdefault("name", getattr(function, "__name__", "tensorflow"))
    given["options"] = {**given.get("options", {}), **({"feeds": dict(feeds)} if feeds else {})}
    if tensorboard:
        given["tensorboard"] = tensorboard
    return _submit.submit(parts, **given)


def python_files(sc: Any) -> list[str]:
    """The files that the driver has added with addPyFile, or --py-files."""
    if not hasattr(sc, "_python_includes"):
        return []
    root = import_module("pyspark").SparkFiles.getRootDirectory()
    modules = [name for name in os.listdir(root) if name.endswith(".py")] if os.path.isdir(root) else []
    found = [os.path.join(root, name) for name in [*sc._python_includes, *sorted(modules)]]
    return [path for path in found if os.path.exists(path)]

"""The keywords of `run`, `submit`, `plan` and `job`, and their defaults."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Iterable, List, Mapping, Sequence, Tuple, TypedDict, Union

if TYPE_CHECKING:
    import os
    from typing import Literal

    PathLike = Union[str, "os.PathLike[str]"]
    Framework = Literal["plain", "pytorch", "tensorflow", "jax", "horovod", "mpi", "mxnet", "xgboost"]
else:
    PathLike = Framework = str


class JobKeys(TypedDict, total=False):
    args: "Sequence[Any]"
    kwargs: "Mapping[str, Any]"
    workers: "Union[int, Tuple[int, int]]"
    processes: int
    memory: str
    vcores: int
    gpus: int
    framework: "Framework"
    on: "str | None"
    name: "str | None"
    python: "PathLike | None"
    code: "PathLike | None"
    files: "Sequence[PathLike | Mapping[str, Any]]"
    env: "Mapping[str, str]"
    env_from: "Sequence[str]"
    checkpoint: "PathLike | Mapping[str, Any] | None"
    restart: "Union[int, Mapping[str, Any]]"
    tensorboard: "PathLike | None"
    queue: "str | None"
    tags: "Sequence[str]"
    timeouts: "Mapping[str, str]"
    data: "Mapping[str, Any]"  # a Feed, or the source of a Feed
    options: "Mapping[str, Any]"


class RunKeys(JobKeys, total=False):
    follow: bool


class RoleKeys(TypedDict, total=False):
    """Keys of a role in the job file (docs/job-file.md)."""

    processes: int
    vcores: int
    gpus: int
    env: "Mapping[str, str]"
    files: "Sequence[Mapping[str, Any]]"
    outputs: "Sequence[str]"
    image: str
    kind: str
    chief: bool
    restart: "Union[int, Mapping[str, Any]]"
    on_failure: str
    after: "Sequence[Union[str, Mapping[str, Any]]]"
    timeout: str
    outlive: "Mapping[str, Any]"
    resources: "Mapping[str, int]"
    node_label: str
    locality: "Mapping[str, Any]"
    max_per_node: int
    progress_timeout: str
    exports: "Mapping[str, str]"


DEFAULTS: Dict[str, Any] = {
    "args": (),
    "kwargs": {},
    "workers": 1,
    "processes": 1,
    "memory": "2GiB",
    "vcores": 1,
    "gpus": 0,
    "framework": "plain",
    "on": None,
    "name": None,
    "python": None,
    "code": "imported",
    "files": (),
    "env": {},
    "env_from": (),
    "checkpoint": None,
    "restart": 0,
    "tensorboard": None,
    "queue": None,
    "tags": (),
    "timeouts": {},
    "data": {},
    "options": {},
}
# Keywords that describe the role of a job with one role. In a job with several roles, each Role has its own keywords.
OF_ROLE = ("args", "kwargs", "workers", "processes", "memory", "vcores", "gpus")


def check(function: str, given: Iterable[str], allowed: Iterable[str]) -> None:
    """Raises TypeError for an unknown keyword. The message names the most similar known keyword."""
    names: List[str] = list(allowed)
    for name in given:
        if name in names:
            continue
        from difflib import get_close_matches

        near = get_close_matches(name, names, 1)
        hint = f"; did you mean {near[0]!r}?" if near else f"; the keywords are {', '.join(names)}"
        raise TypeError(f"{function}() got an unexpected keyword argument {name!r}{hint}")

"""`run`, `submit`, `plan`, `job` and `Role`, which make a job from a function, a script, a command or a job file."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Callable, Generic, Mapping, NamedTuple, Sequence, TypeVar, overload

from . import _calls, _code, _jobfile, _keys, _pickling, _program, _store, _yaml
from ._errors import HowdahError, JobFileError, Problem, Refused
from ._job import Job

T = TypeVar("T")
if TYPE_CHECKING:
    from typing_extensions import ParamSpec, Unpack

    from ._feed.writer import Feed
    from ._keys import JobKeys, PathLike, RoleKeys, RunKeys

    P = ParamSpec("P")
else:
    P = TypeVar("P")

_INSIDE = ".howdah"  # the directory of the package's own files in the working directory
_JOB_FILES = (".yaml", ".yml", ".json")
_HERE = os.path.dirname(os.path.abspath(__file__))


class Role:
    """One role of a job that has several: `howdah.run({"ps": Role(serve), "worker": Role(train, instances=4)})`.

    `keys` are the keys of a role in the job file.
    """

    def __init__(
        self,
        what: Callable[..., Any] | PathLike | Sequence[str],
        *,
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] = {},
        instances: int | tuple[int, int] = 1,
        memory: str = "2GiB",
        **keys: Unpack[RoleKeys],
    ) -> None:
        self.what, self.args, self.kwargs = what, args, kwargs
        self.keys: dict[str, Any] = {"instances": _jobfile.instances(instances), "memory": memory, **keys}


@dataclass(frozen=True)
class Task:
    """A task of a plan."""

    role: str
    index: int
    memory_bytes: int
    vcores: int
    gpus: int
    processes: int
    ranks: list[int]
    environment: dict[str, str]


class Upload(NamedTuple):
    """A file or directory that the submission would upload."""

    what: str
    source: str
    target: str
    bytes: int


class Plan:
    """The job that a call would submit. `str(plan)` is a job file with which `howdah run` runs the same job."""

    problems: list[Problem]
    refusals: list[str]
    ignored: list[str]
    tasks: list[Task]
    uploads: list[Upload]
    job_file: str

    def __init__(self, job_file: str, raw: Mapping[str, Any]) -> None:
        self.problems = [_problem(item) for item in raw.get("problems", [])]
        self.refusals = list(raw.get("refusals", []))
        self.ignored = [item if isinstance(item, str) else str(item) for item in raw.get("ignored", [])]
        self.tasks = [
            Task(**{field.name: item[field.name] for field in fields(Task)}) for item in raw.get("tasks", [])
        ]
        self.uploads = [
            Upload(item["what"], item["from"], item["to"], item["bytes"]) for item in raw.get("uploads", [])
        ]
        self.job_file = job_file
        self.raw = dict(raw)

    def __str__(self) -> str:
        return self.job_file

    def __repr__(self) -> str:
        found = [(len(self.problems), "problem"), (len(self.refusals), "refusal"), (len(self.tasks), "task")]
        return f"<Plan: {', '.join(f'{n} {what}' + ('' if n == 1 else 's') for n, what in found)}>"


class Prepared(NamedTuple):
    """A job that is ready to be submitted."""

    name: str | None
    arguments: list[str]  # the arguments of `howdah run` or another command
    text: str | None  # the job file on stdin; None if the arguments name a file
    feeds: Mapping[str, Feed]

    @property
    def input(self) -> bytes | None:
        return self.text.encode() if self.text is not None else None


@overload
def run(what: Callable[..., T], **keys: Unpack[RunKeys]) -> T: ...
@overload
def run(what: PathLike | Sequence[str], **keys: Unpack[RunKeys]) -> None: ...
@overload
def run(what: Mapping[str, Role], **keys: Unpack[RunKeys]) -> Any: ...
def run(what: Any, **keys: Any) -> Any:
    """Runs a job to its end, and returns the value of rank 0.

    what: a function; a file (job.yaml, script.py); a command as a list; or roles by name. args and kwargs go to the
    function; for a script or a command, args are appended. workers=(2, 8) is elastic. data={"train": howdah.Feed(…)}
    are the feeds that the job reads; this process supplies their rows. With follow=False nothing is shown. Ctrl-C stops
    the job with its grace period, a second Ctrl-C without grace. A job without a function returns None.

    Raises JobFileError or Refused before anything is submitted. Raises JobKilled, or JobFailed, which is also an
    instance of the class of the function's exception. An exception of the source of a feed kills the job, and is
    raised.
    """
    _keys.check("howdah.run", keys, [*_keys.DEFAULTS, "follow"])
    follow = keys.pop("follow", True)
    from . import _follow

    job = _submit(what, keys)
    try:
        return _follow.run(job, show=follow, value=_returns(what))
    finally:
        job.release_feeds()


@overload
def submit(what: Callable[..., T], **keys: Unpack[JobKeys]) -> Job[T]: ...
@overload
def submit(what: PathLike | Sequence[str], **keys: Unpack[JobKeys]) -> Job[None]: ...
@overload
def submit(what: Mapping[str, Role], **keys: Unpack[JobKeys]) -> Job[Any]: ...
def submit(what: Any, **keys: Any) -> Job[Any]:
    """Submits a job, and returns at once. Accepts the same arguments as `run`, except `follow`. Threads of this process
    supply the feeds of `data`, so it must live until the job has read them."""
    _keys.check("howdah.submit", keys, _keys.DEFAULTS)
    return _submit(what, keys)


def plan(what: Callable[..., Any] | PathLike | Sequence[str] | Mapping[str, Role], **keys: Unpack[JobKeys]) -> Plan:
    """Describes what `submit` would do with the same arguments: problems, refusals, tasks and uploads. Submits
    nothing."""
    _keys.check("howdah.plan", keys, _keys.DEFAULTS)
    prepared = prepare(what, keys)
    raw = _plan(prepared)
    if prepared.text is not None:
        return Plan(prepared.text, raw)
    return Plan(_yaml.dump(raw.get("job", {})), raw)


class JobFunction(Generic[P, T]):
    """A function that `howdah.job` has decorated. Calling it runs the function locally."""

    def __init__(self, function: Callable[P, T], keys: Mapping[str, Any]) -> None:
        from functools import update_wrapper

        self._keys = dict(keys)
        self.__wrapped__ = function
        update_wrapper(self, function)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> T:
        return self.__wrapped__(*args, **kwargs)

    def run(self, *args: P.args, **kwargs: P.kwargs) -> T:
        """Calls the function in a job, and returns rank 0's value."""
        keys: Any = {**self._keys, "args": args, "kwargs": kwargs}
        return run(self.__wrapped__, **keys)

    def submit(self, *args: P.args, **kwargs: P.kwargs) -> Job[T]:
        """Calls the function in a job, and returns the job at once."""
        keys: Any = {name: value for name, value in self._keys.items() if name != "follow"}
        keys.update(args=args, kwargs=kwargs)
        return submit(self.__wrapped__, **keys)

    def options(self, **keys: Unpack[RunKeys]) -> JobFunction[P, T]:
        """The same function with other keywords."""
        _keys.check("options", keys, [*_keys.DEFAULTS, "follow"])
        return JobFunction(self.__wrapped__, {**self._keys, **keys})

    def __reduce__(self) -> Any:
        return JobFunction, (self.__wrapped__, self._keys)


def job(**keys: Unpack[RunKeys]) -> Callable[[Callable[P, T]], JobFunction[P, T]]:
    """Makes a JobFunction of a function. The keywords apply to its jobs: `@howdah.job(workers=4)`."""
    _keys.check("howdah.job", keys, [*_keys.DEFAULTS, "follow"])
    return lambda function: JobFunction(function, keys)


def signature(with_follow: bool) -> Any:
    """The signature that help() and notebooks show."""
    from inspect import Parameter, Signature

    names = {**_keys.DEFAULTS, **({"follow": True} if with_follow else {})}
    return Signature(
        [
            Parameter("what", Parameter.POSITIONAL_OR_KEYWORD),
            *(Parameter(name, Parameter.KEYWORD_ONLY, default=value) for name, value in names.items()),
        ]
    )


for _function, _with_follow in ((run, True), (submit, False), (plan, False)):
    setattr(_function, "__signature__", signature(_with_follow))


# --- from the arguments of a call to a job file ---


def _returns(what: Any) -> bool:
    """Whether the job has a function, whose value it returns."""
    if isinstance(what, Mapping):
        return any(callable(role.what) for role in what.values())
    return callable(what)


def _submit(what: Any, keys: Mapping[str, Any]) -> Job[Any]:
    prepared = prepare(what, keys)
    sources = {name: feed.open() for name, feed in prepared.feeds.items() if feed.has_source}
    done = _program.call(["submit", *prepared.arguments], input=prepared.input)
    if done.code in (_program.USAGE, _program.REFUSED):
        _raise_mistakes(_plan(prepared))
    stdout = _program.check(done).stdout
    job: Job[Any] = Job(stdout.decode().strip(), on=_program.backend_of(keys.get("on")), name=prepared.name)
    for name, source in sources.items():
        job.supply(name, source)
    return job


def _plan(prepared: Prepared) -> dict[str, Any]:
    import json

    done = _program.call(["plan", "--json", *prepared.arguments], input=prepared.input)
    if done.code in (0, _program.USAGE, _program.REFUSED) and done.stdout.startswith(b"{"):
        raw: dict[str, Any] = json.loads(done.stdout)
        return raw
    _program.check(done)
    raise HowdahError(done.message)


def _raise_mistakes(raw: Mapping[str, Any]) -> None:
    if raw.get("problems"):
        raise JobFileError([_problem(item) for item in raw["problems"]])
    if raw.get("refusals"):
        raise Refused(raw["refusals"])


def _problem(item: Mapping[str, Any]) -> Problem:
    return Problem(item.get("key") or "", item["text"], item.get("line"), item.get("file") or "")


def prepare(what: Any, given: Mapping[str, Any]) -> Prepared:
    """Writes the files that are sent with the job, and makes its job file. Submits nothing."""
    flags = _program.on(given.get("on"))
    given = {**given, "data": _feeds(given.get("data") or {})}
    if isinstance(what, (str, os.PathLike)) and os.fspath(what).endswith(_JOB_FILES):
        return _prepare_file(os.fspath(what), given, flags)
    keys = {**_keys.DEFAULTS, **given}
    keys["python"] = _python(keys["python"])
    roles = _roles(what, given)
    if not isinstance(what, Mapping):
        keys["restart"] = 0  # `restart` is already among the keys of the role
    backend = _program.backend_of(keys["on"])
    if backend == "yarn":
        keys["nodes"] = {name: feed.nodes() for name, feed in keys["data"].items()}
    travel = _Travel(keys, backend)
    parts = {}
    for name, role in roles.items():
        command, files = travel.add(name, role)
        parts[name] = _jobfile.RolePart(command, files, role.keys)
    title = keys["name"] or _title(next(iter(roles.values())).what)
    text = _yaml.dump(_jobfile.job(keys, title, parts, travel.source(), travel.files))
    return Prepared(title, ["-", *flags], text, keys["data"])


def _feeds(data: Mapping[str, Any]) -> dict[str, Feed]:
    """The feeds of the job. A value of `data` that is not a Feed is the source of one."""
    from ._feed.writer import Feed

    return {name: given if isinstance(given, Feed) else Feed(given) for name, given in data.items()}


def _prepare_file(path: str, given: Mapping[str, Any], flags: list[str]) -> Prepared:
    for name in ("kwargs", "code", "files"):
        if given.get(name):
            raise TypeError(f"{name}= does not apply to a job file; write it into {path}")
    if not os.path.exists(path):
        raise HowdahError(f"there is no job file {path}")
    arguments = [path, *flags]
    for setting in _jobfile.settings(given):
        arguments += ["--set", setting]
    if given.get("args"):
        arguments += ["--", *map(str, given["args"])]
    return Prepared(None, arguments, None, given["data"])


def _roles(what: Any, given: Mapping[str, Any]) -> dict[str, Role]:
    if not isinstance(what, Mapping):
        keys = {**_keys.DEFAULTS, **given}
        role = Role(what, args=keys["args"], kwargs=keys["kwargs"])
        role.keys = _jobfile.worker_keys(keys)
        return {"worker": role}
    misplaced = [name for name in _keys.OF_ROLE if name in given]
    if misplaced:
        raise TypeError(f"{misplaced[0]}= belongs to each Role of a job with roles: Role(…, {misplaced[0]}=…)")
    if not what or not all(isinstance(role, Role) for role in what.values()):
        raise TypeError("a job with roles is a map from names to howdah.Role objects")
    return dict(what)


def _title(what: Any) -> str:
    if callable(what):
        name = getattr(what, "__name__", type(what).__name__)
        return "lambda" if name == "<lambda>" else str(name)
    if isinstance(what, (str, os.PathLike)):
        return os.path.splitext(os.path.basename(os.fspath(what)))[0]
    return os.path.basename(str(what[0]))


def _python(given: Any) -> Any:
    if given != "pack":
        return given
    from . import _pack

    return _pack.current()


class _Travel:
    """Collects the files that are sent with a job: pickled functions, their modules, and the package itself."""

    def __init__(self, keys: Mapping[str, Any], backend: str) -> None:
        self.files: list[dict[str, Any]] = []  # entries for the key `files` of the job
        # Without an archive, tasks on this machine use this interpreter.
        self._here = backend == "local" and not keys["python"]
        self._code = keys["code"]
        self._modules = _code.Modules(_code.roots()) if self._code == "imported" else None

    def add(self, name: str, role: Role) -> tuple[list[str], list[dict[str, Any]]]:
        """The command of the role, and its own files."""
        what = role.what
        interpreter = sys.executable if self._here else "python3"
        if isinstance(what, JobFunction):
            what = what.__wrapped__
        if callable(what):
            return self._function(name, what, role, interpreter)
        if role.kwargs:
            raise TypeError("kwargs= is for functions; give a script or command its arguments with args=")
        arguments = [str(item) for item in role.args]
        if isinstance(what, (str, os.PathLike)):
            return [interpreter, self._script(os.fspath(what)), *arguments], []
        command = [str(word) for word in what]
        if not command:
            raise TypeError("the command is empty")
        for word in command if self._modules else []:
            if word.endswith(".py") and os.path.isfile(word):
                self._script(word)
        return [*command, *arguments], []

    def _script(self, path: str) -> str:
        """The path of the script in the working directory."""
        if not path.endswith(".py"):
            raise HowdahError(
                f"{path!r} is neither a job file (.yaml, .yml, .json) nor a script (.py); a command is a list, as in "
                '["bash", "-c", "…"]'
            )
        if not os.path.isfile(path):
            raise HowdahError(f"there is no script {path}")
        if self._code is not None and self._code != "imported":
            inside = os.path.relpath(os.path.abspath(path), os.path.abspath(os.fspath(self._code)))
            if inside.startswith(".."):
                raise HowdahError(f"the script {path} is not in the directory code={os.fspath(self._code)!r}")
            return inside
        if self._modules is None:
            raise HowdahError(f"with code=None the script {path} is not sent with the job; pass a command instead")
        inside = os.path.relpath(os.path.abspath(path))
        folder = os.path.dirname(os.path.abspath(path))
        if inside.startswith(".."):
            inside = os.path.basename(path)
        beside = _code.Modules([folder])
        beside.add_script(os.path.abspath(path), os.path.basename(path))
        above = os.path.dirname(inside)
        for name, file in beside.files.items():
            self._modules.files[os.path.join(above, name)] = file
        return inside

    def _function(
        self, role_name: str, function: Callable[..., Any], role: Role, interpreter: str
    ) -> tuple[list[str], list[dict[str, Any]]]:
        name = getattr(function, "__qualname__", type(function).__name__)
        payload = _pickling.dump_call(function, name, tuple(role.args), dict(role.kwargs))
        if self._modules is not None:
            self._modules.add_names(_code.names_in(payload))
        data = _calls.encode_call(_calls.Call(name, sys.version_info[:2], payload))
        inside = f"{_INSIDE}/{role_name}.call"
        files = [{"from": _store.put("calls", f"{_store.digest(data)}.call", data), "to": inside}]
        if self._here:
            return [interpreter, os.path.join(_HERE, "_task.py"), inside], files
        package = f"{_INSIDE}/howdah.zip"
        if not any(file["to"] == package for file in self.files):
            self.files.append({"from": package_archive(), "to": package})
        return [interpreter, package, inside], files

    def source(self) -> str | None:
        """The directory or archive that becomes the working directory."""
        if self._code is None:
            return None
        if self._modules is None:
            return _jobfile.path_or_uri(self._code)
        if not self._modules.files:
            return None
        data = _store.archive((name, _read(path)) for name, path in self._modules.files.items())
        return _store.put("code", f"{_store.digest(data)}.zip", data)


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def package_archive() -> str:
    """This package and cloudpickle as an archive that Python runs, for nodes on which they are not installed."""
    import cloudpickle  # type: ignore[import-untyped, import-not-found, unused-ignore]

    files = [("__main__.py", b"from howdah._task import main\n\nmain()\n")]
    for name, folder in (("howdah", _HERE), ("cloudpickle", os.path.dirname(os.path.abspath(cloudpickle.__file__)))):
        for parent, _, names in os.walk(folder):
            inside = os.path.normpath(os.path.join(name, os.path.relpath(parent, folder)))
            files += [(f"{inside}/{file}", _read(os.path.join(parent, file))) for file in names if file.endswith(".py")]
    data = _store.archive(files)
    return _store.put("code", f"howdah-{_store.digest(data)}.zip", data)

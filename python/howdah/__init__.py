"""Runs distributed training jobs on one machine and on Apache Hadoop YARN.

    import howdah
    best = howdah.run(train, args=(0.1,), workers=4, framework="pytorch")

The package drives the program `howdah`, which the wheel contains. Importing the package loads only the standard
library; each name is loaded when it is first used.
"""

TYPE_CHECKING = False  # as in typing, whose import would take longer than all other imports

__version__ = "0.1.0"

if TYPE_CHECKING:
    from . import data as data
    from . import fs as fs
    from . import spark as spark
    from ._context import Context, context
    from ._errors import (
        FeedChanged,
        FeedEmpty,
        FeedError,
        FeedLost,
        FeedMisuse,
        FeedTypeError,
        HowdahError,
        JobFailed,
        JobFileError,
        JobKilled,
        NoResult,
        PicklingError,
        Problem,
        Refused,
        Unavailable,
    )
    from ._feed.writer import Feed, FeedStats, FeedWriter
    from ._job import Job, Status, TaskStatus, jobs
    from ._streams import Event, Events, Forward, Line, Lines
    from ._submit import Plan, Role, job, plan, run, submit

_MODULES = {
    "_context": "Context context",
    "_errors": "FeedChanged FeedEmpty FeedError FeedLost FeedMisuse FeedTypeError HowdahError JobFailed JobFileError "
    "JobKilled NoResult PicklingError Problem Refused Unavailable",
    "_feed.writer": "Feed FeedStats FeedWriter",
    "_job": "Job Status TaskStatus jobs",
    "_streams": "Event Events Forward Line Lines",
    "_submit": "Plan Role job plan run submit",
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names.split()}

__all__ = [
    "Context",
    "Event",
    "Events",
    "Feed",
    "FeedChanged",
    "FeedEmpty",
    "FeedError",
    "FeedLost",
    "FeedMisuse",
    "FeedStats",
    "FeedTypeError",
    "FeedWriter",
    "Forward",
    "HowdahError",
    "Job",
    "JobFailed",
    "JobFileError",
    "JobKilled",
    "Line",
    "Lines",
    "NoResult",
    "PicklingError",
    "Plan",
    "Problem",
    "Refused",
    "Role",
    "Status",
    "TaskStatus",
    "Unavailable",
    "context",
    "job",
    "jobs",
    "plan",
    "run",
    "submit",
]

if not TYPE_CHECKING:

    def __getattr__(name):
        from importlib import import_module

        if name in ("data", "fs", "spark"):  # they need other packages
            return import_module("." + name, __name__)
        module = _MODULE_OF.get(name)
        if module is None:
            raise AttributeError(f"module 'howdah' has no attribute {name!r}")
        value = getattr(import_module("." + module, __name__), name)
        globals()[name] = value
        return value

    def __dir__():
        return sorted({*globals(), *__all__})

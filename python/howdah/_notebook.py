"""Shows a job as an HTML table. In a notebook, the table is updated until the job ends. No widgets are needed."""

from __future__ import annotations

import sys
import threading
import time
from html import escape
from typing import Any

from ._job import Job, Status

_COLOURS = {"SUCCEEDED": "#2e7d32", "FAILED": "#c62828", "LOST": "#c62828", "KILLED": "#ef6c00", "RUNNING": "#1565c0"}
_PAUSE_S = 0.5  # the pause between two updates
_TASKS = 32  # the first tasks are shown, and all failed tasks


def active() -> bool:
    """Whether the program is a notebook's kernel."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and hasattr(shell, "kernel")


def table(status: Status) -> str:
    """The table of a snapshot."""
    shown = status.tasks[:_TASKS] + [task for task in status.tasks[_TASKS:] if task.state in ("FAILED", "LOST")]
    rows = "".join(_row(task) for task in shown)
    more = len(status.tasks) - len(shown)
    if more:
        rows += f"<tr><td colspan=5>and {more} more tasks</td></tr>"
    text = (
        f"<b>{escape(status.name)}</b> {_state(status.state)} <code>{escape(status.id)}</code> on {escape(status.on)}"
    )
    for line in (status.reason, status.advice):
        text += f"<div>{escape(line)}</div>" if line else ""
    return (
        f"<div>{text}<table><thead><tr><th>task</th><th>state</th><th>node</th><th>steps</th><th>reason</th></tr>"
        f"</thead><tbody>{rows}</tbody></table>{''.join(map(_feed, status.feeds))}</div>"
    )


def _feed(feed: Any) -> str:
    """A line about a feed. The sentence about its bottleneck follows, if there is one."""
    text = f"feed {feed['name']}: pass {feed['pass']}, {feed['rows']:,} rows, {feed['rows_per_second']:,.0f} rows/s"
    bottleneck = feed.get("bottleneck")
    return f"<div>{escape(text)}{'; ' + escape(bottleneck) if bottleneck else ''}</div>"


def _row(task: Any) -> str:
    name = f"{task.role}:{task.index}" + (f", attempt {task.attempt}" if task.attempt else "")
    cells = (
        escape(name),
        _state(task.state),
        escape(task.node or ""),
        _steps(task.progress),
        escape(task.reason or ""),
    )
    return "<tr>" + "".join(f'<td style="text-align: left">{cell}</td>' for cell in cells) + "</tr>"


def _state(state: str) -> str:
    return f'<span style="color: {_COLOURS.get(state, "inherit")}">{escape(state)}</span>'


def _steps(progress: Any) -> str:
    step, steps = (progress or {}).get("step"), (progress or {}).get("steps")
    if step is None:
        return ""
    if not steps:
        return str(step)
    return f'<progress value="{min(step, steps)}" max="{steps}"></progress> {step} of {steps}'


class Live:
    """A table in the output of the current cell."""

    def __init__(self, job: Job[Any]) -> None:
        from importlib import import_module

        ipython: Any = import_module("IPython.display")  # imported by name, because it is no dependency of this package
        self._job, self._html = job, ipython.HTML
        self._handle: Any = ipython.display(ipython.HTML(table(job.status())), display_id=True)
        self._shown = time.monotonic()

    def changed(self) -> None:
        """Must be called after each change of the job. Updates the table at most once per _PAUSE_S."""
        if time.monotonic() - self._shown >= _PAUSE_S:
            self.finish()

    def finish(self) -> None:
        """Shows the current state."""
        self._shown = time.monotonic()
        self._handle.update(self._html(table(self._job.status())))


def show(job: Job[Any]) -> None:
    """Displays the job, and updates the table in a thread until the job ends. Outside a notebook, prints one line."""
    if not active():
        print(repr(job))
        return
    live = Live(job)
    if not job.done():
        threading.Thread(target=_follow, args=(job, live), daemon=True).start()


def _follow(job: Job[Any], live: Live) -> None:
    try:
        with job.events(follow=True) as events:
            for _ in events:
                live.changed()
        live.finish()
    except Exception:  # the job or its backend is gone; the table keeps its last state
        pass

"""Jobs that run twice: the second time with the change that advice has recommended. The records are read in slow motion
(slow_motion.py), because most checks judge only runs of five minutes or longer."""
import dataclasses
import datetime
import json
import sys

import pytest

from machine import Machine
from slow_motion import slow_motion

PYTHON = sys.executable
LIMIT_S = 120  # for one run of a job

REPORT = """
import os, time
def report(line):
    with open(os.environ["HOWDAH_PROGRESS"], "a") as f: print(line, file=f)
"""


def program(folder, text):
    path = folder / "program.py"
    path.write_text(text)
    return path


@dataclasses.dataclass
class Run:
    """One run of a job, and what `howdah` says about its record in slow motion."""
    id: str
    findings: list
    status: dict

    def finding(self, check):
        found = [f for f in self.findings if f["check"] == check]
        assert len(found) == 1, self.findings
        return found[0]

    def held(self, resource):
        """In hours."""
        return self.status["account"]["resources"]["held"][f"{resource}_seconds"] / 3600

    def until_end(self, since):
        """From the job's time `submitted` or `started` until its end, in hours."""
        begin, end = (datetime.datetime.fromisoformat(self.status[name].replace("Z", "+00:00"))
                      for name in (since, "finished"))
        return (end - begin).total_seconds() / 3600

    def ran(self):
        return self.until_end("started")

    def steps(self):
        return self.status["tasks"][0]["progress"]["step"]


class Case:
    """Runs a job in a HOWDAH_HOME of its own."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir()
        self.machine = Machine(folder / "home")

    def run(self, text, *flags):
        done = self.machine("run", self.machine.job_file(self.folder, text), *flags, timeout=LIMIT_S)
        assert done.code == 0, done
        return self.record(done.id)

    def record(self, job):
        slow = slow_motion(self.machine, self.folder / f"slow-{job}")
        advised = slow("advise", job, "--json")
        assert advised.code == 0, advised
        return Run(job, json.loads(advised.stdout), slow.status(job))

    def run_twice(self, check, text, *flags):
        """Runs the job, and again with the change that the finding of this check prints."""
        first = self.run(text, *flags)
        return first, self.run(text, *flags, *sets(first.finding(check)))


def sets(finding):
    assert finding["change"]["set"], finding
    return [word for change in finding["change"]["set"] for word in ("--set", change)]


def assert_saved(finding, resource, measured):
    promised = finding["saving"][resource]
    assert promised == pytest.approx(measured, rel=0.2), (finding, measured)

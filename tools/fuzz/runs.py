"""The recorded runs of the fuzz targets: one line per target in tests/fuzz/runs.tsv."""
import dataclasses
import re
import time

HEAD = """\
# The runs of each fuzz target without a finding, written by `./dev fuzz --record`. Seconds (of a core) and inputs are
# the sums of all recorded runs, and "since new" counts the inputs since one last reached a branch of the code (an edge)
# that no stored input had reached. Date, inputs per second, edges and peak memory are those of the last run.
# target	date	seconds	inputs	since new	inputs/s	edges	peak MB
"""
# A target is done after an hour, or when so many inputs have not reached a new edge: the next input reaches one with a
# probability of about 1 / ENOUGH_INPUTS at most (the estimate of Good and Turing).
ENOUGH_SECONDS, ENOUGH_INPUTS = 3600, 1_000_000


class Run:
    """One run of a target, made of libFuzzer's output."""

    def __init__(self, target):
        self.target, self._begun, self.seconds = target, False, 0
        self.edges = self.new_edges = 0  # new: not reached by the stored inputs
        self._last_new = 0               # the number of the input that reached the newest edge
        self._figures = {}

    def read(self, line):
        if figure := re.match(r"stat::(\w+): *(\d+)", line):
            self._figures[figure[1]] = int(figure[2])
        elif state := re.match(r"#(\d+)\s+(\w+)\s+cov: (\d+)", line):
            number, kind, edges = int(state[1]), state[2], int(state[3])
            self._begun = self._begun or kind == "INITED"  # before, the stored inputs run
            if self._begun and kind != "INITED" and edges > self.edges:
                self.new_edges += edges - self.edges
                self._last_new = number
            self.edges = edges

    def end(self, cpu_seconds):
        self.seconds = round(cpu_seconds)

    inputs = property(lambda self: self._figures["number_of_executed_units"])
    since_new = property(lambda self: self.inputs - self._last_new)
    speed = property(lambda self: self._figures["average_exec_per_sec"])
    peak_mb = property(lambda self: self._figures["peak_rss_mb"])

    def __str__(self):
        return (f"{self.seconds} s of a core, {self.inputs} inputs, {self.speed}/s, {self.edges} edges, "
                f"{self.new_edges} of them new, {self.since_new} inputs since the last new one")


@dataclasses.dataclass
class Line:
    target: str
    date: str = ""
    seconds: int = 0
    inputs: int = 0
    since_new: int = 0
    speed: int = 0
    edges: int = 0
    peak_mb: int = 0

    def done(self):
        return self.seconds >= ENOUGH_SECONDS or self.since_new >= ENOUGH_INPUTS


class Runs:
    def __init__(self, path):
        self._path, self._lines = path, {}
        for text in path.read_text().splitlines():
            if not text.startswith("#"):
                target, date, *figures = text.split("\t")
                self._lines[target] = Line(target, date, *map(int, figures))

    def of(self, target):
        return self._lines.get(target) or Line(target)

    def add(self, run):
        line = self._lines.setdefault(run.target, Line(run.target))
        line.since_new = run.since_new if run.new_edges else line.since_new + run.inputs
        line.date, line.speed, line.edges, line.peak_mb = time.strftime("%F"), run.speed, run.edges, run.peak_mb
        line.seconds += run.seconds
        line.inputs += run.inputs

    def write(self):
        lines = sorted(self._lines.values(), key=lambda line: line.target)
        text = HEAD + "".join("\t".join(map(str, dataclasses.astuple(line))) + "\n" for line in lines)
        new = self._path.with_suffix(".new")
        new.write_text(text)
        new.replace(self._path)

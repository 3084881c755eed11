import assert from "node:assert/strict";
import {test} from "node:test";
import {byKind, chartsOf, overlaid, rolesOf, seriesOfRole, type RunMetrics} from "../src/pure/comparison";
import {selectionProblem, toggled} from "../src/pure/selection";
import type {MetricsAnswer, Sample, Series} from "../src/pure/series";

function series(name: string, task: string, mean: Sample[], more: Partial<Series> = {}): Series {
  return {
    name,
    unit: "",
    scope: "task",
    task,
    rank: 0,
    quantile: null,
    capacity: null,
    mean,
    max: null,
    absent: null,
    ...more,
  };
}

function run(label: string, second: number, all: Series[], width = 10): RunMetrics {
  const start = new Date(second * 1000).toISOString();
  const answer: MetricsAnswer = {start, width, series: all};
  return {label, origin: second, answer};
}

test("settings are grouped by kind, in a fixed order, and none is dropped", () => {
  const kinds = [["a", "versions"], ["b", "job file"], ["c", "new"], ["d"]] as const;
  const settings = kinds.map(([name, kind]) => (kind ? {name, kind} : {name}));
  assert.deepEqual(
    byKind(settings).map(group => [group.kind, group.settings.map(one => one.name)]),
    [
      ["job file", ["b"]],
      ["versions", ["a"]],
      ["new", ["c"]],
      ["other", ["d"]],
    ],
  );
  assert.deepEqual(byKind([]), []);
});

test("roles of all runs are listed once", () => {
  const runs = [{roles: [{role: "ps"}, {role: "worker"}]}, {}, {roles: [{role: "worker"}, {role: "chief"}]}];
  assert.deepEqual(rolesOf(runs), ["ps", "worker", "chief"]);
});

test("the series of a role is that of its first process with values", () => {
  const answer = run("a", 0, [
    series("metric.loss", "worker:0", [null, null]),
    series("metric.loss", "worker:1", [1, 2]),
    series("metric.loss", "ps:0", [5]),
  ]).answer;
  assert.equal(seriesOfRole(answer, "metric.loss", "worker")?.task, "worker:1");
  assert.equal(seriesOfRole(answer, "metric.loss", "chief"), null);
  assert.equal(seriesOfRole(null, "metric.loss", "worker"), null);
});

test("there is a chart for each reported metric and role, and the step rate comes last", () => {
  const runs = [
    run("a", 0, [series("steps_s", "w:0", [1]), series("metric.loss", "w:0", [1]), series("cpu_cores", "w:0", [1])]),
    run("b", 0, [series("metric.acc", "w:0", [1]), series("metric.none", "w:0", [null])]),
  ];
  assert.deepEqual(
    chartsOf(runs).map(chart => chart.name),
    ["metric.acc", "metric.loss", "steps_s"],
  );
});

test("runs are overlaid by relative time, time and step", () => {
  const first = run("a", 1000, [series("metric.loss", "w:0", [3, 2], {step: [10, 20]})]);
  const second = run("b", 5000, [series("metric.loss", "w:0", [4, "NaN"], {step: [10, 15]})]);
  const runs = [first, second, run("c", 0, []), {label: "d", origin: 0, answer: null}];
  assert.deepEqual(overlaid(runs, "metric.loss", "w", "relative"), {
    x: [5, 15],
    curves: [
      {label: "a", values: [3, 2]},
      {label: "b", values: [4, null]},
    ],
  });
  assert.deepEqual(overlaid(runs, "metric.loss", "w", "time").x, [1005, 1015, 5005, 5015]);
  assert.deepEqual(overlaid(runs, "metric.loss", "w", "step"), {
    x: [10, 15, 20],
    curves: [
      {label: "a", values: [3, null, 2]},
      {label: "b", values: [4, null, null]},
    ],
  });
});

test("the rate of steps is drawn at the steps of the same process", () => {
  const runs = [run("a", 0, [series("steps_s", "w:0", [4, 5]), series("step", "w:0", [40, 90])])];
  assert.deepEqual(overlaid(runs, "steps_s", "w", "step"), {x: [40, 90], curves: [{label: "a", values: [4, 5]}]});
});

test("a selection is toggled and has limits", () => {
  assert.deepEqual(toggled(["a"], "b"), ["a", "b"]);
  assert.deepEqual(toggled(["a", "b"], "a"), ["b"]);
  assert.match(selectionProblem(["a"]) ?? "", /two or more/);
  assert.equal(selectionProblem(["a", "b"]), null);
  assert.match(selectionProblem(Array.from({length: 21}, (_, i) => String(i))) ?? "", /21 are selected/);
});

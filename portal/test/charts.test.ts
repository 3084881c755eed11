// Series, heat map, timeline and heights of rows.
import assert from "node:assert/strict";
import test from "node:test";
import {barOf, clamped, density, rowsOf, ticksOf, zoomed, type GanttAttempt} from "../src/pure/gantt";
import {heatRows, median, shadeOf} from "../src/pure/heat_map";
import {columnsOf, rowAt, topsOf, visibleRows} from "../src/pure/row_heights";
import {byName, labelOf, positive, smoothed, summaryOf, tableOf, type Sample, type Series} from "../src/pure/series";

function series(task: string, mean: Sample[], more: Partial<Series> = {}): Series {
  return {
    name: "x",
    unit: "",
    scope: "task",
    task,
    rank: null,
    quantile: null,
    capacity: null,
    mean,
    max: null,
    absent: null,
    ...more,
  };
}

test("curves over time lie in the middle of their buckets", () => {
  const one = series("worker:0", [1, null, "NaN"]);
  const table = tableOf({start: "1970-01-01T00:01:40Z", width: 10, series: [one]}, [one], "time", 0);
  assert.deepEqual(table, {x: [105, 115, 125], curves: [{label: "worker:0", values: [1, null, null]}]});
  assert.deepEqual(
    tableOf({start: "1970-01-01T00:01:40Z", width: 10, series: [one]}, [one], "relative", 100).x,
    [5, 15, 25],
  );
});

test("curves by step share one axis", () => {
  const a = series("a", [1, 2], {step: [0, 100]});
  const b = series("b", [5, 6, 7], {step: [50, 100, null]});
  const table = tableOf({start: "1970-01-01T00:00:00Z", width: 5, series: [a, b]}, [a, b], "step", 0);
  assert.deepEqual(table.x, [0, 50, 100]);
  assert.deepEqual(
    table.curves.map(curve => curve.values),
    [
      [1, null, 2],
      [null, 5, 6],
    ],
  );
});

test("no series is an empty chart", () => {
  assert.deepEqual(tableOf({start: "1970-01-01T00:00:00Z", width: 5, series: []}, [], "time", 0), {x: [], curves: []});
});

test("labels name task, rank and quantile", () => {
  assert.equal(labelOf(series("worker:0", [])), "worker:0");
  assert.equal(labelOf(series("worker:0", [], {rank: 1})), "worker:0 rank 1");
  assert.equal(labelOf(series("worker", [], {quantile: 50})), "worker median");
});

test("smoothing keeps constants, gaps and the first value", () => {
  const constant = smoothed([4, null, 4, 4], 0.9);
  constant.forEach((value, i) =>
    i === 1 ? assert.equal(value, null) : assert.ok(Math.abs((value as number) - 4) < 1e-9),
  );
  assert.deepEqual(smoothed([1, 2], 0), [1, 2]);
  const [first, second] = smoothed([0, 10], 0.5) as number[];
  assert.equal(first, 0);
  assert.ok((second as number) > 0 && (second as number) < 10);
});

test("a logarithmic axis leaves out what it cannot show", () =>
  assert.deepEqual(positive([1, 0, -1, null]), [1, null, null, null]));

test("summaries", () => {
  assert.deepEqual(summaryOf([null, 3, 1, null]), {last: 1, min: 1, max: 3});
  assert.deepEqual(summaryOf([]), {last: null, min: null, max: null});
});

test("series are grouped by name", () => {
  const answer = {start: "", width: 1, series: [series("a", []), series("b", []), series("c", [], {name: "y"})]};
  assert.deepEqual(
    [...byName(answer, () => true)].map(([name, all]) => [name, all.length]),
    [
      ["x", 2],
      ["y", 1],
    ],
  );
  assert.equal(byName(answer, name => name === "z").size, 0);
});

test("the heat map compares with the median, slowest rank first", () => {
  const rows = heatRows([series("a", [1, 1]), series("b", [1, null]), series("c", [2, 1])]);
  assert.deepEqual(
    rows.map(row => row.task),
    ["c", "a", "b"],
  );
  assert.deepEqual(rows[0]?.cells, [2, 1]);
  assert.deepEqual(rows[2]?.cells, [1, null]);
});

test("two ranks have no median to compare with", () =>
  assert.deepEqual(heatRows([series("a", [1]), series("b", [9])]), []));

test("medians and shades", () => {
  assert.equal(median([]), null);
  assert.equal(median([3, 1]), 2);
  assert.deepEqual([0.5, 1.15, 1.3, 1.7, 3].map(shadeOf), [0, 1, 2, 3, 4]);
});

function attempt(task: string, spans: [string, number, number][], number = 0): GanttAttempt {
  return {
    task,
    role: task.split(":")[0] as string,
    attempt: number,
    generation: 0,
    node: null,
    state: "RUNNING",
    reason: null,
    spans: spans.map(([state, from, to]) => ({state, from, to})),
  };
}

test("rows of the timeline: a role, then its tasks if it is open", () => {
  const attempts = [attempt("worker:0", []), attempt("worker:1", []), attempt("worker:0", [], 1), attempt("ps:0", [])];
  const labels = rowsOf(attempts, role => role === "worker").map(row => [row.label, row.attempts.length]);
  assert.deepEqual(labels, [
    ["worker", 3],
    ["worker:0", 2],
    ["worker:1", 1],
    ["ps", 1],
  ]);
});

test("bars are cut at the visible range and at least a pixel wide", () => {
  const range = {from: 100, to: 200};
  assert.deepEqual(barOf({from: 50, to: 150}, range, 10), [0, 5]);
  assert.deepEqual(barOf({from: 150, to: 150}, range, 10), [5, 1]);
  assert.equal(barOf({from: 0, to: 99}, range, 10), null);
});

test("the band of a role shows how many tasks run", () => {
  const row = rowsOf(
    [
      attempt("w:0", [["RUNNING", 0, 100]]),
      attempt("w:1", [
        ["PENDING", 0, 50],
        ["RUNNING", 50, 100],
      ]),
    ],
    () => false,
  )[0];
  assert.ok(row);
  const shares = density(row, {from: 0, to: 100}, 10);
  assert.deepEqual([shares[0], shares[4], shares[5], shares[9]], [0.5, 0.5, 1, 1]);
});

test("zoom keeps the position under the pointer and the limits", () => {
  const whole = {from: 0, to: 1000};
  assert.deepEqual(zoomed(whole, whole, 0.5, 0.5), {from: 250, to: 750});
  assert.deepEqual(zoomed({from: 0, to: 500}, whole, 4, 0), whole);
  assert.deepEqual(clamped({from: 990, to: 1090}, whole), {from: 900, to: 1000});
  assert.deepEqual(clamped({from: 5, to: 5}, whole), {from: 5, to: 15});
});

test("marks of the axis are round and not too many", () => {
  assert.deepEqual(ticksOf({from: 1500, to: 10_000}, 10), [2000, 3000, 4000, 5000, 6000, 7000, 8000, 9000, 10_000]);
  for (const length of [10, 1e4, 1e8, 1e11]) assert.ok(ticksOf({from: 0, to: length}, 8).length <= 9 || length > 1e10);
});

test("heights of wrapped lines", () => {
  const tops = topsOf([0, 80, 81, 200], 80);
  assert.deepEqual([...tops], [0, 1, 2, 4, 7]);
  assert.equal(rowAt(tops, 3.5), 2);
  assert.deepEqual(visibleRows(tops, 1, 3, 0), [1, 3]);
  assert.deepEqual(visibleRows(topsOf([], 80), 0, 10, 5), [0, 0]);
});

test("columns of wide characters and tabs", () => {
  assert.equal(columnsOf("abc"), 3);
  assert.equal(columnsOf("漢字"), 4);
  assert.equal(columnsOf("a\tb"), 9);
});

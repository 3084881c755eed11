import assert from "node:assert/strict";
import test from "node:test";
import {curveOf, figuresOf, figureText, markText, valueOf} from "../src/pure/run_series";

function run(changes: object = {}) {
  return {
    id: "a",
    submitted: "2026-11-21T06:45:12.000Z",
    took_seconds: 60,
    cost: null,
    goodput: 0.9,
    gpu_use: null,
    memory_peak_bytes: {} as Record<string, number>,
    metrics: {} as Record<string, number | string>,
    ...changes,
  };
}

test("figures that no run has are left out, except duration and goodput", () => {
  assert.deepEqual(
    figuresOf([run({goodput: null})]).map(figure => figure.key),
    ["took_seconds", "goodput"],
  );
  const runs = [run({cost: 1, metrics: {loss: 1}}), run({memory_peak_bytes: {worker: 5}})];
  assert.deepEqual(
    figuresOf(runs).map(figure => figure.title),
    ["took", "goodput", "cost", "peak memory of worker", "loss"],
  );
});

test("values are found by their key, and unknown ones are null", () => {
  const one = run({memory_peak_bytes: {worker: 5}, metrics: {loss: "NaN"}});
  assert.equal(valueOf(one, "memory_peak_bytes.worker"), 5);
  assert.equal(valueOf(one, "memory_peak_bytes.ps"), null);
  assert.equal(valueOf(one, "metric.loss"), "NaN");
  assert.equal(valueOf(one, "cost"), null);
  assert.equal(figureText("NaN", ""), "NaN");
  assert.equal(figureText(null, "s"), "–");
});

test("a mark is one sentence with the band", () => {
  const mark = {figure: "took_seconds", value: 1200, median: 780, low: 420, high: 1140, side: "above"};
  assert.equal(markText(mark), "took 20m, above the usual 7m to 19m (median 13m)");
});

test("a curve is ordered by time, and text values are gaps", () => {
  const runs = [
    run({submitted: "2026-11-21T00:00:02.000Z", metrics: {loss: 1}}),
    run({submitted: "2026-11-21T00:00:01.000Z", metrics: {loss: "NaN"}}),
    run({submitted: null}),
  ];
  const {x, values} = curveOf(runs, "metric.loss");
  assert.equal((x[1] as number) - (x[0] as number), 1);
  assert.deepEqual(values, [null, 1]);
});

import assert from "node:assert/strict";
import test from "node:test";
import {extremesText, scalarTable, type ScalarData} from "../src/pure/scalars";

const NONE = {newest: null, lowest: null, highest: null};
const DATA: ScalarData = {
  tag: "loss",
  complete: true,
  runs: [
    {run: ".", step: [1, 3, 2, 3], time: [1001, 1002, 1003, 1004], value: [9, 8, 7, "NaN"], ...NONE},
    {run: "eval", step: [3], time: [1002], value: [0.5], ...NONE},
  ],
};

test("curves over steps have the later value of a step that was written twice", () => {
  assert.deepEqual(scalarTable(DATA, "step", 0), {
    x: [1, 2, 3],
    curves: [
      {label: "loss", values: [9, 7, null]},
      {label: "eval", values: [null, null, 0.5]},
    ],
  });
});

test("curves over time, and over time since the start", () => {
  assert.deepEqual(scalarTable(DATA, "time", 0).x, [1001, 1002, 1003, 1004]);
  const relative = scalarTable(DATA, "relative", 1000);
  assert.deepEqual(relative.x, [1, 2, 3, 4]);
  assert.deepEqual(relative.curves[1], {label: "eval", values: [null, 0.5, null, null]});
});

test("extremes and the last value are shown with their steps", () => {
  const point = (step: number, value: number | "NaN") => ({step, time: 0, value});
  assert.equal(
    extremesText({lowest: point(1200, 0.12345678), highest: point(1, 2), newest: point(1300, "NaN")}),
    "lowest 0.123457 at step 1,200, highest 2 at step 1, last NaN at step 1,300",
  );
  assert.equal(extremesText(NONE), "lowest –, highest –, last –");
});

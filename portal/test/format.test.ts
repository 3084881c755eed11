import assert from "node:assert/strict";
import test from "node:test";
import {
  ago,
  axisTime,
  bytes,
  count,
  duration,
  localTime,
  parseTime,
  percent,
  plural,
  quantity,
  tick,
  utcTime,
} from "../src/pure/format";

function table<T>(name: string, format: (value: T) => string, rows: [T, string][]): void {
  test(name, () => {
    for (const [value, expected] of rows) assert.equal(format(value), expected, `of ${String(value)}`);
  });
}

table<number | null | undefined>("durations", duration, [
  [null, "–"],
  [undefined, "–"],
  [NaN, "–"],
  [0, "0s"],
  [0.097, "97ms"],
  [0.0001, "1ms"],
  [3.29, "3.2s"],
  [59.9, "59s"],
  [60, "1m"],
  [250, "4m10s"],
  [3599, "59m59s"],
  [3600, "1h"],
  [11_520, "3h12m"],
  [90_000, "1d1h"],
  [86_400, "1d"],
  [-5, "-5.0s"],
]);
table<number | null>("bytes", bytes, [
  [null, "–"],
  [0, "0 B"],
  [512, "512 B"],
  [1536, "1.5 KiB"],
  [1023 * 1024, "1023 KiB"],
  [2 ** 30 * 16, "16 GiB"],
  [-2048, "-2 KiB"],
]);
table<number | null>("counts", count, [
  [null, "–"],
  [0, "0"],
  [100_213, "100,213"],
  [4.256, "4.26"],
  [1204.3, "1,204"],
  [0.0278, "0.0278"],
]);
table<number | null>("percentages", percent, [
  [null, "–"],
  [0, "0%"],
  [0.001, "<1%"],
  [0.914, "91%"],
  [0.999, ">99%"],
  [1, "100%"],
]);

test("quantities have the unit of their series", () => {
  assert.equal(quantity(2 ** 20, "bytes/s"), "1 MiB/s");
  assert.equal(quantity(0.5, "share"), "50%");
  assert.equal(quantity(1.5, "cores"), "1.5 cores");
  assert.equal(quantity(0.5, "s"), "500ms");
  assert.equal(quantity(null, "cores"), "–");
});

test("marks of an axis are short", () => {
  assert.equal(tick(41_200, ""), "41.2k");
  assert.equal(tick(2_500_000, ""), "2.5M");
  assert.equal(tick(2 ** 30, "bytes"), "1GiB");
  assert.equal(tick(0.00012, ""), "1.2e-4");
  assert.equal(tick(0, ""), "0");
});

test("times are local, with UTC as the exact form", () => {
  const time = Date.UTC(2026, 10, 21, 6, 45, 12, 301);
  assert.equal(utcTime(time), "2026-11-21 06:45:12.301 UTC");
  assert.equal(utcTime(Date.UTC(2026, 10, 21)), "2026-11-21 00:00:00 UTC");
  const at = new Date(time);
  const clock = [at.getHours(), at.getMinutes()].map(part => String(part).padStart(2, "0")).join(":");
  assert.equal(localTime(time, time + 1000), `${clock}:12`);
  assert.match(localTime(time, time + 40 * 86_400_000), /^2\d Nov \d\d:\d\d$/);
  assert.match(localTime(time, time + 400 * 86_400_000), /^2\d Nov 2026$/);
  assert.equal(localTime(null, time), "–");
});

test("text that is not a time is unknown", () => {
  assert.equal(parseTime("yesterday"), null);
  assert.equal(parseTime(null), null);
  assert.equal(parseTime("1970-01-01T00:00:01Z"), 1000);
});

test("times relative to now", () => {
  assert.equal(ago(1_000_000, 1_120_000), "2m ago");
  assert.equal(ago(1_300_000, 1_000_000), "in 5m");
  assert.equal(ago(1_000_000, 1_000_400), "now");
  assert.equal(ago(null, 0), "–");
});

test("a time axis has the date where a day begins", () => {
  const noon = new Date(2026, 10, 21, 12, 0, 30).getTime() / 1000;
  assert.equal(axisTime(noon, 60, null), "12:00\n21 Nov");
  assert.equal(axisTime(noon, 10, noon - 10), "12:00:30");
  assert.equal(axisTime(noon, 86_400, null), "21 Nov");
  assert.equal(axisTime(noon, 3600, noon - 13 * 3600), "12:00\n21 Nov");
});

test("plurals", () =>
  assert.deepEqual([plural(0, "job"), plural(1, "job"), plural(1234, "job")], ["0 jobs", "1 job", "1,234 jobs"]));

// Texts for numbers and times. An unknown value is always an en dash, never 0.

export const UNKNOWN = "–";

export type Maybe<T> = T | null | undefined;

function known(value: Maybe<number>): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

// Three significant digits, without trailing zeros: 0.123, 4.5, 67.8.
function short(value: number): string {
  return String(Number(value.toPrecision(3)));
}

// "97ms", "3.2s", "4m10s", "3h12m", "2d4h"
export function duration(seconds: Maybe<number>): string {
  if (!known(seconds)) return UNKNOWN;
  if (seconds < 0) return `-${duration(-seconds)}`;
  if (seconds === 0) return "0s";
  if (seconds < 1) return `${Math.max(1, Math.round(seconds * 1000))}ms`;
  if (seconds < 10) return `${(Math.floor(seconds * 10) / 10).toFixed(1)}s`;
  const whole = Math.floor(seconds);
  if (whole < 60) return `${whole}s`;
  const pair = (major: number, majorUnit: string, minor: number, minorUnit: string) =>
    minor === 0 ? `${major}${majorUnit}` : `${major}${majorUnit}${minor}${minorUnit}`;
  if (whole < 3600) return pair(Math.floor(whole / 60), "m", whole % 60, "s");
  const minutes = Math.floor(whole / 60);
  if (minutes < 24 * 60) return pair(Math.floor(minutes / 60), "h", minutes % 60, "m");
  const hours = Math.floor(minutes / 60);
  return pair(Math.floor(hours / 24), "d", hours % 24, "h");
}

const BYTE_UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

// "512 B", "1.5 GiB"
export function bytes(value: Maybe<number>): string {
  if (!known(value)) return UNKNOWN;
  let scaled = Math.abs(value);
  let unit = 0;
  while (scaled >= 1024 && unit + 1 < BYTE_UNITS.length) {
    scaled /= 1024;
    unit++;
  }
  const sign = value < 0 ? "-" : "";
  const number = unit === 0 || scaled >= 1000 ? Math.round(scaled) : short(scaled);
  return `${sign}${number} ${BYTE_UNITS[unit]}`;
}

// "100,213"; fractions keep three significant digits: "4.25", "1,204".
export function count(value: Maybe<number>): string {
  if (!known(value)) return UNKNOWN;
  if (Number.isInteger(value) || Math.abs(value) >= 1000) return Math.round(value).toLocaleString("en-US");
  return short(value);
}

// "87%" from 0.87. A share that is not 0 or 1 is never shown as 0% or 100%.
export function percent(share: Maybe<number>): string {
  if (!known(share)) return UNKNOWN;
  const rounded = Math.round(share * 100);
  if (rounded === 0 && share > 0) return "<1%";
  if (rounded === 100 && share < 1) return ">99%";
  return `${rounded}%`;
}

// The value of a series in its unit, as the metrics route names it.
export function quantity(value: Maybe<number>, unit: string): string {
  if (!known(value)) return UNKNOWN;
  switch (unit) {
    case "bytes":
      return bytes(value);
    case "bytes/s":
      return `${bytes(value)}/s`;
    case "share":
      return percent(value);
    case "s":
      return duration(value);
    case "":
      return count(value);
    default:
      return `${count(value)} ${unit}`;
  }
}

// "1.2k", "1M": ticks of an axis, which has little room.
export function tick(value: number, unit: string): string {
  if (unit === "bytes" || unit === "bytes/s") return bytes(value).replace(" ", "");
  if (unit === "share") return `${short(value * 100)}%`;
  const size = Math.abs(value);
  if (size >= 1e9) return `${short(value / 1e9)}G`;
  if (size >= 1e6) return `${short(value / 1e6)}M`;
  if (size >= 1e4) return `${short(value / 1e3)}k`;
  if (size !== 0 && size < 1e-3) return value.toExponential(1);
  return short(value);
}

// A mark of a time axis whose marks are `step` seconds apart. The first mark of a day has the date in a second line.
export function axisTime(seconds: number, step: number, before: number | null): string {
  const at = new Date(seconds * 1000);
  const day = `${at.getDate()} ${MONTHS[at.getMonth()]}`;
  if (step >= 86400) return day;
  let clock = `${two(at.getHours())}:${two(at.getMinutes())}`;
  if (step < 60) clock += `:${two(at.getSeconds())}`;
  if (step < 1) clock += `.${String(at.getMilliseconds()).padStart(3, "0")}`;
  const sameDay = before !== null && new Date(before * 1000).toDateString() === at.toDateString();
  return sameDay ? clock : `${clock}\n${day}`;
}

export function plural(number: number, noun: string): string {
  return `${count(number)} ${noun}${number === 1 ? "" : "s"}`;
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

// A time in UTC (milliseconds), or null for text that is not a time.
export function parseTime(text: Maybe<string>): number | null {
  if (!text) return null;
  const time = Date.parse(text);
  return Number.isNaN(time) ? null : time;
}

// Local time: "08:12:05" for today, "21 Nov 08:12" within a year, otherwise "21 Nov 2025".
export function localTime(time: Maybe<number>, now: number): string {
  if (!known(time)) return UNKNOWN;
  const at = new Date(time);
  const today = new Date(now);
  const clock = `${two(at.getHours())}:${two(at.getMinutes())}`;
  if (at.toDateString() === today.toDateString()) return `${clock}:${two(at.getSeconds())}`;
  const day = `${at.getDate()} ${MONTHS[at.getMonth()]}`;
  return at.getFullYear() === today.getFullYear() ? `${day} ${clock}` : `${day} ${at.getFullYear()}`;
}

// "2026-11-24 12:51:25.363 UTC", for the tooltip of every local time.
export function utcTime(time: Maybe<number>): string {
  if (!known(time)) return UNKNOWN;
  const text = new Date(time).toISOString().replace("T", " ").replace("Z", "");
  return `${text.replace(/\.000$/, "")} UTC`;
}

// "2m ago"; the future is "in 5m".
export function ago(time: Maybe<number>, now: number): string {
  if (!known(time)) return UNKNOWN;
  const seconds = (now - time) / 1000;
  if (Math.abs(seconds) < 1) return "now";
  const text = duration(Math.floor(Math.abs(seconds)));
  return seconds > 0 ? `${text} ago` : `in ${text}`;
}

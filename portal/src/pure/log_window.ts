// The part of a log that the browser holds: whole lines of a contiguous range of bytes, at most WINDOW_LIMIT of them.
// The log itself may have any size. All functions return a new window.
import {firstLineStart, lastLineStart, linesOf, type LogLine} from "./log_lines";

export interface LogWindow {
  begin: number; // offset of the first byte
  end: number; // offset behind the last byte
  size: number; // of the whole log, as far as known
  lines: LogLine[];
  open: boolean; // no newline has ended the last line yet
  partial: Uint8Array; // bytes of the open line; empty if they are too many to keep
  firstNumber: number | null; // number of the first line, from 1; null: not known
}

export const CHUNK = 256 * 1024;
export const WINDOW_LIMIT = 2 * 1024 * 1024;
// A line without an end is split here, so that a line of any length needs bounded memory.
export const PIECE = CHUNK;

const NOTHING = new Uint8Array(0);
const NEWLINE = 10;

export function emptyWindow(offset = 0, size = 0): LogWindow {
  const firstNumber = offset === 0 ? 1 : null;
  return {begin: offset, end: offset, size, lines: [], open: false, partial: NOTHING, firstNumber};
}

// A window with the bytes at `offset`, which were read because the user goes to a line behind it. The request begins
// one byte before the wanted line (unless that is the first one): a newline there means that the line begins after it.
export function windowAt(bytes: Uint8Array, offset: number, size: number): LogWindow {
  const start = startOfFirstLine(bytes, offset);
  const inside = start === 0 && offset > 0; // in the middle of a very long line
  const empty = {...emptyWindow(offset + start, size), open: inside};
  return appended(empty, bytes.subarray(start), size);
}

// Where the first line begins in bytes at `offset`; 0 if they are all inside one very long line.
function startOfFirstLine(bytes: Uint8Array, offset: number): number {
  const start = offset === 0 ? 0 : firstLineStart(bytes);
  return start >= bytes.length ? 0 : start;
}

// Adds bytes that follow the window.
export function appended(window: LogWindow, bytes: Uint8Array, size: number): LogWindow {
  const known = Math.max(size, window.end + bytes.length);
  if (bytes.length === 0) return {...window, size: known};
  const lines = window.lines.slice();
  let joined = bytes;
  let continued = window.open;
  if (window.partial.length > 0) {
    joined = new Uint8Array(window.partial.length + bytes.length);
    joined.set(window.partial);
    joined.set(bytes, window.partial.length);
    continued = lines.pop()?.continued ?? false;
  }
  for (const line of linesOf(joined, window.end - window.partial.length, continued)) lines.push(line);
  const incomplete = joined.subarray(lastLineStart(joined));
  return trimmedFront({
    ...window,
    lines,
    end: window.end + bytes.length,
    size: known,
    open: incomplete.length > 0,
    partial: incomplete.length >= PIECE ? NOTHING : incomplete.slice(),
  });
}

// Adds the bytes directly before the window. They may begin inside a line, which is then left out.
export function prepended(window: LogWindow, bytes: Uint8Array, offset: number): LogWindow {
  if (bytes.length === 0) return window;
  const start = startOfFirstLine(bytes, offset);
  const used = bytes.subarray(start);
  const [first, ...others] = window.lines;
  const next = first ? [{...first, continued: used[used.length - 1] !== NEWLINE}, ...others] : [];
  const number = offset + start === 0 ? 1 : window.firstNumber === null ? null : window.firstNumber - newlines(used);
  const lines = linesOf(used, offset + start, start === 0 && offset > 0).concat(next);
  return trimmedBack({...window, begin: offset + start, lines, firstNumber: number});
}

function newlines(bytes: Uint8Array): number {
  let found = 0;
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) found++;
  return found;
}

function trimmedFront(window: LogWindow): LogWindow {
  let dropped = 0;
  while (dropped + 1 < window.lines.length && window.end - (window.lines[dropped] as LogLine).offset > WINDOW_LIMIT) {
    dropped++;
  }
  if (dropped === 0) return window;
  const lines = window.lines.slice(dropped);
  return {...window, begin: (lines[0] as LogLine).offset, lines, firstNumber: numbersOf(window)[dropped] ?? null};
}

function trimmedBack(window: LogWindow): LogWindow {
  let kept = window.lines.length;
  while (kept > 1 && (window.lines[kept - 1] as LogLine).offset - window.begin >= WINDOW_LIMIT) kept--;
  if (kept === window.lines.length) return window;
  const next = window.lines[kept] as LogLine;
  return {...window, end: next.offset, lines: window.lines.slice(0, kept), open: next.continued, partial: NOTHING};
}

// The number of each line, or null where it is not known. Pieces of one line have the same number.
export function numbersOf(window: LogWindow): (number | null)[] {
  let number = window.firstNumber;
  return window.lines.map((line, i) => {
    if (number !== null && i > 0 && !line.continued) number++;
    return number;
  });
}

// The index of the line that contains the byte at `offset`; -1: it is not in the window.
export function lineAt(window: LogWindow, offset: number): number {
  if (offset < window.begin || offset > window.end || window.lines.length === 0) return -1;
  let low = 0;
  let high = window.lines.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((window.lines[middle] as LogLine).offset <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

// Which side to read next: near the end of the window in the direction of scrolling, and otherwise until the visible
// lines [first, last) have enough others around them. null: nothing is needed.
export function wanted(
  window: LogWindow,
  first: number,
  last: number,
  scrolling: -1 | 0 | 1,
): "before" | "after" | null {
  const margin = Math.min(200, Math.max(1, window.lines.length >> 2));
  const hasRoom = window.end - window.begin + CHUNK <= WINDOW_LIMIT;
  const nearBegin = window.begin > 0 && first <= margin;
  const nearEnd = window.end < window.size && last >= window.lines.length - margin;
  if (nearEnd && (scrolling > 0 || hasRoom)) return "after";
  if (nearBegin && (scrolling < 0 || hasRoom)) return "before";
  return null;
}

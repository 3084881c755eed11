import assert from "node:assert/strict";
import test from "node:test";
import {
  appended,
  CHUNK,
  emptyWindow,
  lineAt,
  numbersOf,
  prepended,
  WINDOW_LIMIT,
  wanted,
  windowAt,
  type LogWindow,
} from "../src/pure/log_window";

const bytesOf = (text: string) => new TextEncoder().encode(text);
const texts = (window: LogWindow) => window.lines.map(line => line.text);

test("a window of a short log", () => {
  const window = windowAt(bytesOf("a\nb\nc"), 0, 5);
  assert.deepEqual(texts(window), ["a", "b", "c"]);
  assert.deepEqual(numbersOf(window), [1, 2, 3]);
  assert.deepEqual([window.begin, window.end, window.size], [0, 5, 5]);
});

test("a jump to the start of a line keeps that line", () => {
  // The request begins one byte before the line: at its newline.
  assert.deepEqual(texts(windowAt(bytesOf("\nsecond\nthird"), 5, 18)), ["second", "third"]);
});

test("a jump into a line leaves out its rest", () => {
  const window = windowAt(bytesOf("est\nsecond"), 2, 12);
  assert.deepEqual(texts(window), ["second"]);
  assert.equal(window.begin, 6);
  assert.deepEqual(numbersOf(window), [null]);
});

test("a jump into the middle of a very long line shows a piece of it", () => {
  const window = windowAt(new Uint8Array(CHUNK).fill(120), 1_000_000, 100_000_000);
  assert.equal(window.begin, 1_000_000);
  assert.equal(window.lines[0]?.continued, true);
});

test("new bytes continue an incomplete line, also inside a character", () => {
  const whole = bytesOf("one\nżółć\n");
  let window = emptyWindow();
  for (const byte of whole) window = appended(window, new Uint8Array([byte]), window.end + 1);
  assert.deepEqual(texts(window), ["one", "żółć"]);
  assert.equal(window.open, false);
  assert.equal(window.partial.length, 0);
});

test("earlier bytes are placed before the window, with their numbers", () => {
  const later = {...windowAt(bytesOf("\nc\nd\n"), 3, 8), firstNumber: 3};
  const window = prepended(later, bytesOf("a\nb\n"), 0);
  assert.deepEqual(texts(window), ["a", "b", "c", "d"]);
  assert.deepEqual(numbersOf(window), [1, 2, 3, 4]);
});

test("earlier bytes that begin inside a line leave out its rest", () => {
  const window = prepended({...emptyWindow(20, 22), firstNumber: 9}, bytesOf("rest\nx\ny\n"), 11);
  assert.deepEqual(texts(window), ["x", "y"]);
  assert.equal(window.begin, 16);
  assert.deepEqual(numbersOf(window), [7, 8]);
});

test("reading a long log needs bounded memory, and numbers stay right", () => {
  const line = `${"x".repeat(99)}\n`;
  const chunk = bytesOf(line.repeat(2600));
  let window = emptyWindow(0, 1e9);
  for (let i = 0; i < 20; i++) window = appended(window, chunk, 1e9);
  assert.ok(window.end - window.begin <= WINDOW_LIMIT);
  assert.equal(window.end, 20 * chunk.length);
  assert.equal(numbersOf(window)[0], window.begin / 100 + 1);
});

test("reading backwards drops lines from the end, which can be read again", () => {
  const line = bytesOf(`${"x".repeat(99)}\n`);
  const read = (from: number, to: number) =>
    Uint8Array.from({length: to - from}, (_, i) => line[(from + i) % 100] as number);
  let window: LogWindow = {...emptyWindow(10_000_000, 1e9), firstNumber: 100_001};
  for (let i = 0; i < 20; i++)
    window = prepended(window, read(window.begin - CHUNK, window.begin), window.begin - CHUNK);
  assert.ok(window.end - window.begin <= WINDOW_LIMIT + 100);
  assert.equal(window.begin % 100, 0);
  assert.equal(window.end % 100, 0);
  assert.equal(numbersOf(window)[0], window.begin / 100 + 1);
  const again = appended(window, read(window.end, window.end + 1000), 1e9);
  assert.deepEqual(again.lines.at(-1), {offset: window.end + 900, text: "x".repeat(99), cut: 0, continued: false});
});

test("a line of 100 MB is read in pieces of one number", () => {
  let window = emptyWindow(0, 1e8);
  for (let i = 0; i < 400; i++) window = appended(window, new Uint8Array(CHUNK).fill(120), 1e8);
  window = appended(window, bytesOf("end\nnext\n"), 1e8);
  assert.ok(window.lines.length < 20);
  assert.ok(window.end - window.begin <= WINDOW_LIMIT);
  assert.equal(window.lines.at(-2)?.continued, true);
  assert.deepEqual(numbersOf(window).slice(-2), [1, 2]);
});

test("the line that contains a byte", () => {
  const window = windowAt(bytesOf("a\nbb\nccc\n"), 0, 9);
  assert.deepEqual(
    [0, 1, 2, 4, 5, 9].map(offset => lineAt(window, offset)),
    [0, 0, 1, 1, 2, 2],
  );
  assert.equal(lineAt(window, 10), -1);
  assert.equal(lineAt(emptyWindow(), 0), -1);
});

test("what is read next depends on the position and the direction", () => {
  const full: LogWindow = {...windowAt(bytesOf("x\n".repeat(2000)), 0, 1e9), begin: 5e6, end: 5e6 + WINDOW_LIMIT};
  assert.equal(wanted(full, 1000, 1040, 0), null);
  assert.equal(wanted(full, 1960, 2000, 1), "after");
  assert.equal(wanted(full, 1960, 2000, -1), null);
  assert.equal(wanted(full, 0, 40, -1), "before");
  assert.equal(wanted(full, 0, 40, 1), null);
  const small = windowAt(bytesOf("x\n"), 0, 1e9);
  assert.equal(wanted(small, 0, 1, 0), "after");
  assert.equal(wanted({...small, size: 2}, 0, 1, 0), null);
});

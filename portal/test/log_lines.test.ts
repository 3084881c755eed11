import assert from "node:assert/strict";
import test from "node:test";
import {firstLineStart, lastLineStart, LINE_LIMIT, linesOf, visible} from "../src/pure/log_lines";

const bytesOf = (text: string) => new TextEncoder().encode(text);
const textsOf = (bytes: Uint8Array) => linesOf(bytes, 0, false).map(line => line.text);

test("lines with their offsets", () => {
  const lines = linesOf(bytesOf("one\n\nthree\nlast"), 100, false);
  assert.deepEqual(
    lines.map(line => [line.offset, line.text]),
    [
      [100, "one"],
      [104, ""],
      [105, "three"],
      [111, "last"],
    ],
  );
});

test("no bytes are no lines", () => assert.deepEqual(linesOf(new Uint8Array(0), 0, false), []));

test("a carriage return shows the newest state of a progress bar", () => {
  assert.deepEqual(textsOf(bytesOf("10%\r50%\r100%\nnext\r\n\r\r\n")), ["100%", "next", ""]);
});

test("a carriage return in an earlier line has no effect", () => {
  assert.deepEqual(textsOf(bytesOf("a\rb\nplain\n")), ["b", "plain"]);
});

test("invalid UTF-8 becomes replacement characters", () => {
  assert.deepEqual(textsOf(new Uint8Array([0x61, 0xff, 0xfe, 0x62, 10, 0xc3])), ["a\ufffd\ufffdb", "\ufffd"]);
});

test("characters of several bytes are kept", () =>
  assert.deepEqual(textsOf(bytesOf("żółć 漢字 🎉\n")), ["żółć 漢字 🎉"]));

test("control characters are visible, tab and escape are kept", () => {
  assert.equal(visible("\x00\x07\t\x1b[0m\x7f"), "␀␇\t\x1b[0m␡");
});

test("marks that change the direction of text are named", () => {
  assert.equal(visible("a\u202eb\u2066c"), "a[U+202E]b[U+2066]c");
});

test("a long line is cut, and the number of missing bytes is known", () => {
  const [line] = linesOf(bytesOf("x".repeat(LINE_LIMIT + 5)), 0, false);
  assert.equal(line?.text.length, LINE_LIMIT);
  assert.equal(line?.cut, 5);
});

test("a long line is not cut inside a character", () => {
  const [line] = linesOf(bytesOf("x".repeat(LINE_LIMIT - 1) + "żółć"), 0, false);
  assert.equal(line?.text, "x".repeat(LINE_LIMIT - 1));
  assert.equal(line?.cut, 8);
});

test("a line of 10 MB without a newline is one line", () => {
  const lines = linesOf(new Uint8Array(10_000_000).fill(120), 0, false);
  assert.equal(lines.length, 1);
  assert.equal(lines[0]?.cut, 10_000_000 - LINE_LIMIT);
});

test("starts of lines in the middle of a log", () => {
  assert.equal(firstLineStart(bytesOf("rest\nline")), 5);
  assert.equal(firstLineStart(bytesOf("no newline")), 10);
  assert.equal(lastLineStart(bytesOf("a\nb")), 2);
  assert.equal(lastLineStart(bytesOf("ab")), 0);
});

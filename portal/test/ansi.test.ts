import assert from "node:assert/strict";
import test from "node:test";
import {spansOf, withoutEscapes} from "../src/pure/ansi";

const cases: [name: string, line: string, expected: [string, string][]][] = [
  ["plain text", "hello", [["hello", ""]]],
  ["an empty line", "", [["", ""]]],
  [
    "a colour and its reset",
    "\x1b[31mred\x1b[0m plain",
    [
      ["red", "ansi-f1"],
      [" plain", ""],
    ],
  ],
  [
    "an empty parameter resets",
    "\x1b[1mx\x1b[my",
    [
      ["x", "ansi-bold"],
      ["y", ""],
    ],
  ],
  ["several parameters", "\x1b[1;4;44mx", [["x", "ansi-bg4 ansi-bold ansi-underline"]]],
  ["bright colours", "\x1b[91;102mx", [["x", "ansi-f9 ansi-bg10"]]],
  [
    "only the colour is reset",
    "\x1b[1;31mx\x1b[39my",
    [
      ["x", "ansi-f1 ansi-bold"],
      ["y", "ansi-bold"],
    ],
  ],
  ["inverse swaps the colours", "\x1b[31;7mx", [["x", "ansi-bg1"]]],
  ["inverse without colours", "\x1b[7mx", [["x", "ansi-inverse"]]],
  ["a basic colour of 256", "\x1b[38;5;9mx", [["x", "ansi-f9"]]],
  ["a green of the cube of 256", "\x1b[38;5;46mx", [["x", "ansi-f10"]]],
  ["a grey of 256", "\x1b[38;5;240mx", [["x", "ansi-f8"]]],
  ["a 24-bit colour", "\x1b[48;2;0;0;255mx", [["x", "ansi-bg12"]]],
  ["parameters with colons", "\x1b[38:5:1mx", [["x", "ansi-f1"]]],
  ["an incomplete extended colour", "\x1b[38;9;31mx", [["x", ""]]],
  ["unknown parameters", "\x1b[31;99;999mx", [["x", "ansi-f1"]]],
  ["movement of the cursor is removed", "a\x1b[2Kb\x1b[10;20Hc", [["abc", ""]]],
  ["a title ended by BEL", "\x1b]0;title\x07text", [["text", ""]]],
  ["a link ended by ST", "\x1b]8;;file:a\x1b\\text\x1b]8;;\x1b\\", [["text", ""]]],
  ["an incomplete sequence at the end", "text\x1b[3", [["text", ""]]],
  ["a lone escape at the end", "text\x1b", [["text", ""]]],
  ["a string without an end", "a\x1b]0;never ended", [["a", ""]]],
  ["markup stays text", "\x1b[31m<b>&amp;", [["<b>&amp;", "ansi-f1"]]],
  ["a two-byte sequence", "a\x1bMb\x1b(Bc", [["abc", ""]]],
];

for (const [name, line, expected] of cases) {
  test(`spans of ${name}`, () => {
    assert.deepEqual(
      spansOf(line).map(span => [span.text, span.style]),
      expected,
    );
    assert.equal(withoutEscapes(line), expected.map(([text]) => text).join(""));
  });
}

test("a line of escapes takes time in proportion to its length", () => {
  const line = "\x1b]".repeat(200_000) + "\x1b[1;".repeat(50_000);
  assert.ok(spansOf(line).length > 0);
});

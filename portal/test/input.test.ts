// Input from outside: keys, fields, events of the stream, and source code for the lint.
import assert from "node:assert/strict";
import {mkdirSync, mkdtempSync, rmSync, writeFileSync} from "node:fs";
import {tmpdir} from "node:os";
import {join} from "node:path";
import test from "node:test";
import {findings, lint} from "../lint.mjs";
import {interpret, NO_PREFIX} from "../src/pure/keys";
import {
  execCommand,
  graceError,
  killCommand,
  scaleCommand,
  shellQuoted,
  stacksCommand,
} from "../src/pure/shell_command";
import {logTopic, parsedEvent, streamUrl} from "../src/pure/stream_events";

function press(...keys: string[]) {
  let state = NO_PREFIX;
  return keys.map(key => {
    const result = interpret(state, key);
    state = result.state;
    return result.action;
  });
}

test("single keys", () => {
  assert.deepEqual(press("/", "?", "j", "k", "x"), [
    {kind: "filter"},
    {kind: "help"},
    {kind: "row", step: 1},
    {kind: "row", step: -1},
    null,
  ]);
});

test("g and a second key go to a page; an unknown one does nothing", () => {
  assert.deepEqual(press("g", "a"), [null, {kind: "go", path: "/advice"}]);
  assert.deepEqual(press("g", "j", "j"), [null, {kind: "go", path: "/"}, {kind: "row", step: 1}]);
  assert.deepEqual(press("g", "x", "j"), [null, null, {kind: "row", step: 1}]);
});

test("commands are quoted for the shell", () => {
  assert.equal(shellQuoted("plain-1.2:3"), "plain-1.2:3");
  assert.equal(shellQuoted("a b'c"), "'a b'\\''c'");
  assert.equal(shellQuoted(""), "''");
  assert.equal(killCommand("id", "local", ""), "howdah kill id --on local");
  assert.equal(killCommand("$(rm)", "yarn", "30s"), "howdah kill '$(rm)' --grace 30s --on yarn");
  assert.equal(scaleCommand("id", "local", "worker", 4), "howdah scale id worker=4 --on local");
  assert.equal(execCommand("id", "local", "worker:0"), "howdah exec id worker:0 --on local -- bash");
});

test("the command for stacks names the options that were chosen", () => {
  const none = {native: false, signal: ""};
  assert.equal(stacksCommand("id", "local", "w:0", none), "howdah stacks id w:0 --on local");
  assert.equal(
    stacksCommand("id", "yarn", "w:0", {native: true, signal: "USR1"}),
    "howdah stacks id w:0 --native --signal USR1 --on yarn",
  );
});

test("grace periods", () => {
  for (const valid of ["", "30s", "1.5m", "500ms", "2h"]) assert.equal(graceError(valid), null);
  for (const invalid of ["30", "s", "-1s", "1 s", "abc"]) assert.match(graceError(invalid) ?? "", /invalid duration/);
});

test("topics are encoded one by one", () => {
  const topic = logTopic("id,1", "worker:0", 2, 0, "stderr");
  assert.equal(topic, "log:id,1/worker:0/2/0/stderr");
  assert.equal(
    streamUrl(["jobs", `${topic}@5`]),
    "/api/v1/stream?topics=jobs,log%3Aid%2C1%2Fworker%3A0%2F2%2F0%2Fstderr%405",
  );
});

test("an event needs a topic", () => {
  assert.deepEqual(parsedEvent('{"topic":"jobs","jobs":[]}'), {topic: "jobs", jobs: []});
  for (const wrong of ["", "{", "null", "[]", "{}", '{"topic":1}', 7]) assert.equal(parsedEvent(wrong), null);
});

const forbidden = [
  "element.innerHTML = text",
  "<div dangerouslySetInnerHTML={{}} />",
  "x.insertAdjacentHTML('a', b)",
  "document.write(x)",
  "eval(x)",
  "new Function(x)",
  "<a href={address}>",
  "location = 'javascript:x'",
  "x.outerHTML",
  "setTimeout('x', 1)",
];
for (const code of forbidden) {
  test(`the lint rejects ${code}`, () => assert.equal(findings("src/x.tsx", `// ok\n${code}\n`).length, 1));
}

test("the lint accepts text, and names file and line", () => {
  assert.deepEqual(findings("src/x.tsx", "<p>{text}</p>\n<Link to={path}>x</Link>"), []);
  assert.match(findings("src/x.tsx", "\n\nx.innerHTML")[0] ?? "", /^src\/x\.tsx:3: innerHTML: /);
});

test("the lint reads every source file below a folder", () => {
  const folder = mkdtempSync(join(tmpdir(), "lint-"));
  try {
    mkdirSync(join(folder, "pages"));
    writeFileSync(join(folder, "pages/planted.tsx"), "x.innerHTML = y");
    writeFileSync(join(folder, "good.ts"), "x.textContent = y");
    assert.equal(lint(folder).length, 1);
  } finally {
    rmSync(folder, {recursive: true});
  }
});

import assert from "node:assert/strict";
import test from "node:test";
import {isAppAddress, openCommand} from "../src/pure/shell_command";

const LABEL = "0123456789abcdef0123456789abcdef";

test("the command opens the same server", () => {
  assert.equal(openCommand("job", "yarn", {tensorboard: true}), "howdah tensorboard job --on yarn");
  assert.equal(openCommand("job", "local", {notebook: true}), "howdah notebook job --on local");
  assert.equal(openCommand("job", "local", {task: "worker:1", port: 8888}), "howdah open job worker:1 8888 --on local");
});

test("only addresses of the portal's own kind are followed", () => {
  const path = `/.howdah/open?ticket=${LABEL}`;
  assert.ok(isAppAddress(`http://${LABEL}.localhost:8190${path}`));
  assert.ok(isAppAddress(`http://${LABEL}.localhost${path}`));
  assert.ok(isAppAddress(`http://127.0.0.1:40123${path}`));
  for (const url of [
    `https://${LABEL}.localhost:8190${path}`,
    `http://${LABEL}.localhost.example.org:8190${path}`,
    `http://example.org/${LABEL}.localhost:8190${path}`,
    `http://${LABEL}.localhost:8190@example.org${path}`,
    `http://${LABEL}.localhost:8190/jobs?ticket=${LABEL}`,
    `http://${LABEL}.localhost:8190${path}&to=x`,
    `javascript:alert(1)//http://127.0.0.1:1${path}`,
    "",
  ]) {
    assert.ok(!isAppAddress(url), url);
  }
});

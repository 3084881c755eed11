import assert from "node:assert/strict";
import test from "node:test";
import {
  groupsOf,
  heldByText,
  historyTable,
  levelOf,
  queueShareText,
  squareOf,
  statesText,
  usageText,
  type ClusterNode,
} from "../src/pure/cluster";
import {bytes, count} from "../src/pure/format";

const GIB = 1024 ** 3;

function node(name: string, changes: Partial<ClusterNode> = {}): ClusterNode {
  return {
    node: name,
    port: 8041,
    rack: "/r1",
    label: null,
    state: "RUNNING",
    usable: true,
    health: null,
    containers: 3,
    memory_bytes: {used: 3 * GIB, total: 4 * GIB},
    vcores: {used: 1, total: 8},
    gpus: {used: 1, total: 4},
    ...changes,
  };
}

test("a square has the used memory, the free GPUs and a text for each of its marks", () => {
  assert.deepEqual(squareOf(node("node7")), {
    level: 3,
    memory: "75%",
    gpus: "3 GPU",
    mark: "",
    label: "node7: RUNNING, memory 75% (3 GiB of 4 GiB) used, 3 of 4 GPUs free, 3 containers",
  });
  const sick = squareOf(node("a", {state: "UNHEALTHY", usable: false, health: "1/1 local-dirs are bad"}));
  assert.equal(sick.mark, "✕");
  assert.match(sick.label, /^a: UNHEALTHY, .*1\/1 local-dirs are bad$/);
  assert.equal(squareOf(node("a", {state: "DECOMMISSIONING", usable: false})).mark, "↓");
});

test("an unknown amount of a node is a dash, and no GPUs are no number", () => {
  const lost = squareOf(node("a", {memory_bytes: {used: null, total: 4 * GIB}, gpus: {used: null, total: 4}}));
  assert.deepEqual([lost.level, lost.memory, lost.gpus], [null, "–", "– GPU"]);
  const plain = squareOf(node("a", {gpus: {used: 0, total: 0}}));
  assert.equal(plain.gpus, "");
  assert.match(plain.label, /no GPUs/);
});

test("levels of a share", () => {
  for (const [share, level] of [[0, 0], [0.19, 0], [0.2, 1], [0.99, 4], [1, 4], [1.4, 4], [null, null]] as const) {
    assert.equal(levelOf(share), level, String(share));
  }
});

test("nodes are grouped by label or rack, in the order of their numbers", () => {
  const nodes = [node("node10", {label: "a100"}), node("node9"), node("node2", {label: "a100"})];
  assert.deepEqual(
    groupsOf(nodes, "label").map(group => [group.title, group.nodes.map(one => one.node)]),
    [
      ["label a100: 2 nodes", ["node2", "node10"]],
      ["no label: 1 node", ["node9"]],
    ],
  );
  assert.deepEqual(groupsOf(nodes, "rack").map(group => group.title), ["rack /r1: 3 nodes"]);
  assert.deepEqual(groupsOf(nodes, "no group").map(group => [group.title, group.nodes.length]), [["", 3]]);
});

test("texts of amounts, states, shares and users", () => {
  assert.equal(usageText({used: 3 * GIB, total: 4 * GIB}, bytes), "75% (3 GiB of 4 GiB)");
  assert.equal(usageText({used: null, total: 4}, count), "– of 4");
  assert.equal(usageText({used: 0, total: 0}, count), "0 of 0");
  assert.equal(statesText([{state: "RUNNING", count: 42}, {state: "LOST", count: 1}]), "42 RUNNING · 1 LOST");
  assert.equal(statesText([]), "–");
  const share = {used_share: 1.1, capacity_share: 0.4, maximum_share: null};
  assert.equal(queueShareText(share), "110% of 40%, at most –");
  const users = ["ann", "bob", null, "dan"].map(user => ({user, share: user === null ? null : 0.25}));
  assert.equal(heldByText(users), "ann 25%, bob 25%, – –, 1 more");
  assert.equal(heldByText([]), "–");
});

test("the history becomes a table over time with gaps", () => {
  const history = {
    start: "2026-11-21T06:45:00.000Z",
    width: 60,
    series: {nodes: [3, null, 4], usable_nodes: [3, null, 3]},
    problem: null,
  };
  const begin = Date.parse(history.start) / 1000;
  assert.deepEqual(historyTable(history, ["nodes", "usable_nodes", "none"]), {
    x: [begin, begin + 60, begin + 120],
    curves: [
      {label: "all", values: [3, null, 4]},
      {label: "offered to jobs", values: [3, null, 3]},
      {label: "none", values: []},
    ],
  });
});

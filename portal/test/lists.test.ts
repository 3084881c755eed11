// The lists of jobs and tasks: filter, folding, live rows, states.
import assert from "node:assert/strict";
import test from "node:test";
import {hasTerm, term, withTerm, wordsOf} from "../src/pure/filter";
import {groupsOf} from "../src/pure/fold";
import {isLive, mergedTasks, quantiles, toneOf} from "../src/pure/job_state";
import {newRows, received, released, updated} from "../src/pure/live_rows";

test("words of a filter, with quotes", () => {
  assert.deepEqual(wordsOf('  a name:"b c" d:"open'), ["a", 'name:"b c"', 'd:"open']);
  assert.deepEqual(wordsOf(""), []);
});

test("a term is quoted if it must be", () => {
  assert.equal(term("user", "ann"), "user:ann");
  assert.equal(term("name", "a b"), 'name:"a b"');
  assert.equal(term("name", 'a"b,c'), 'name:"ab,c"');
});

test("a term replaces those of the same key", () => {
  assert.equal(withTerm("user:bob state:FAILED -user:eve words", "user", "ann"), "state:FAILED words user:ann");
  assert.equal(withTerm("user:bob x", "user", null), "x");
  assert.equal(hasTerm("a user:ann", "user", "ann"), true);
});

const row = (id: string, name: string, finished: string | null, user = "ann") => ({
  id,
  on: "yarn",
  name,
  finished,
  user,
});

test("ended runs of one name and user fold, live ones do not", () => {
  const rows = [
    row("1", "a", null),
    row("2", "a", "t"),
    row("3", "b", "t"),
    row("4", "a", "t"),
    row("5", "a", "t", "bob"),
    row("6", "a", null),
  ];
  const groups = groupsOf(rows, true).map(group => [group.row.id, ...group.others.map(other => other.id)]);
  assert.deepEqual(groups, [["1"], ["2", "4"], ["3"], ["5"], ["6"]]);
  assert.equal(groupsOf(rows, false).length, 6);
});

test("a list whose order changes waits while the pointer is on it", () => {
  const a = {id: "a", on: "yarn", value: 1};
  const b = {id: "b", on: "yarn", value: 1};
  const newer = [
    {id: "c", on: "yarn", value: 1},
    {id: "a", on: "yarn", value: 2},
    {id: "b", on: "yarn", value: 1},
  ];
  const held = received({shown: [a, b], waiting: null}, newer, true);
  assert.deepEqual(held.shown, [{id: "a", on: "yarn", value: 2}, b]);
  assert.equal(newRows(held), 1);
  assert.deepEqual(released(held), {shown: newer, waiting: null});
  assert.deepEqual(received({shown: [a, b], waiting: null}, newer, false).shown, newer);
});

test("a list with the same order changes at once, and an empty one is filled", () => {
  const a = {id: "a", on: "yarn", value: 1};
  const newer = {...a, value: 2};
  assert.deepEqual(received({shown: [a], waiting: null}, [newer], true), {
    shown: [newer],
    waiting: null,
  });
  assert.deepEqual(received({shown: [], waiting: null}, [a], true), {shown: [a], waiting: null});
  assert.deepEqual(updated([a], [{id: "x", on: "yarn", value: 9}]), [a]);
});

test("jobs of two backends with one id are two rows", () => {
  const yarn = {...row("1", "a", null), value: 1};
  const tony = {...yarn, on: "tony"};
  assert.deepEqual(updated([yarn, tony], [{...tony, value: 2}]), [yarn, {...tony, value: 2}]);
  assert.equal(newRows({shown: [yarn], waiting: [yarn, tony]}), 1);
  assert.equal(groupsOf([yarn, tony], true).length, 2);
});

test("changed tasks are merged by role and index", () => {
  const tasks = [
    {role: "worker", index: 0, n: 1},
    {role: "worker", index: 1, n: 1},
    {role: "ps", index: 0, n: 1},
  ];
  const merged = mergedTasks(
    tasks,
    [
      {role: "worker", index: 2, n: 2},
      {role: "worker", index: 0, n: 2},
    ],
    ["worker:1"],
  );
  assert.deepEqual(
    merged.map(task => `${task.role}:${task.index} ${task.n}`),
    ["worker:0 2", "worker:2 2", "ps:0 1"],
  );
});

test("every state has a symbol, also an unknown one", () => {
  for (const state of ["QUEUED", "RUNNING", "FAILED", "NEW_STATE"]) assert.notEqual(toneOf(state).symbol, "");
  assert.notEqual(toneOf("FAILED").symbol, toneOf("SUCCEEDED").symbol);
  assert.equal(isLive("RECOVERING"), true);
  assert.equal(isLive("KILLED"), false);
});

test("quantiles", () => {
  assert.deepEqual(quantiles([5, 1, 3, 2, 4]), {min: 1, q25: 2, median: 3, q75: 4, max: 5});
  assert.equal(quantiles([]), null);
});

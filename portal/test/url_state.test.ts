import assert from "node:assert/strict";
import test from "node:test";
import {changed, jobPath, listOf, namePath, oneOf, parseLocation, routeOf, urlOf} from "../src/pure/url_state";

test("a URL and its parts are inverse", () => {
  const query = {q: 'state:RUNNING,QUEUED user:me "a b" 100% &=#', tab: "logs", at: "12"};
  const url = urlOf("/jobs/x", query);
  const {pathname, search} = new URL(url, "http://localhost");
  assert.deepEqual(parseLocation(pathname, search), {path: "/jobs/x", query});
});

test("filters stay readable in the URL", () => {
  assert.equal(urlOf("/", {q: "state:RUNNING,QUEUED user:me took:>1h"}), "/?q=state:RUNNING,QUEUED+user:me+took:>1h");
});

test("a plus sign in a value survives", () => {
  const url = new URL(urlOf("/", {q: "c++ a"}), "http://localhost");
  assert.equal(parseLocation(url.pathname, url.search).query["q"], "c++ a");
});

test("empty values are left out, and keys have one order", () => {
  assert.equal(urlOf("/", {b: "1", a: "2", c: ""}), "/?a=2&b=1");
  assert.equal(urlOf("/"), "/");
});

test("changes add, replace and remove values", () => {
  assert.deepEqual(changed({a: "1", b: "2"}, {a: "3", b: null, c: "4", d: ""}), {a: "3", c: "4"});
});

const routes: [path: string, expected: object][] = [
  ["/", {page: "jobs"}],
  ["/jobs/howdah-1", {page: "job", id: "howdah-1", tab: "overview"}],
  ["/jobs/howdah-1/", {page: "job", id: "howdah-1", tab: "overview"}],
  ["/jobs/a%2Fb", {page: "job", id: "a/b", tab: "overview"}],
  ["/jobs", {page: "unknown"}],
  ["/jobs/a/b", {page: "unknown"}],
  ["/jobs/%zz", {page: "unknown"}],
  ["/rerun/a", {page: "rerun", id: "a"}],
  ["/rerun", {page: "unknown"}],
  ["/compare", {page: "compare"}],
  ["/cluster", {page: "cluster"}],
  ["/cluster/queues/root.ml", {page: "queue", queue: "root.ml"}],
  ["/cluster/nodes/a%2Fb", {page: "node", node: "a/b"}],
  ["/cluster/nodes", {page: "unknown"}],
  ["/cluster/nodes/", {page: "unknown"}],
  ["/cluster/colours/a", {page: "unknown"}],
  ["/compare/x", {page: "unknown"}],
  ["/names/resnet50", {page: "name", name: "resnet50"}],
  ["/names/a/b%3F", {page: "name", name: "a/b?"}],
  ["/names/%zz", {page: "unknown"}],
  ["/names", {page: "unknown"}],
  ["/goodput", {page: "goodput"}],
  ["/advice", {page: "advice", check: null}],
  ["/advice/memory-over", {page: "advice", check: "memory-over"}],
  ["/about", {page: "about"}],
  ["/about/x", {page: "unknown"}],
  ["/nothing", {page: "unknown"}],
];
for (const [path, expected] of routes) {
  test(`route of ${path}`, () => assert.deepEqual(routeOf(parseLocation(path, "")), expected));
}

test("an id with special characters is one part of the path", () => {
  assert.deepEqual(routeOf(parseLocation(jobPath("a/b ?#%"), "")), {page: "job", id: "a/b ?#%", tab: "overview"});
});

test("a name with special characters is found again in its path", () => {
  assert.deepEqual(routeOf(parseLocation(namePath("a/b ?#%"), "")), {page: "name", name: "a/b ?#%"});
});

test("the tab is in the query", () => {
  assert.deepEqual(routeOf(parseLocation("/jobs/x", "?tab=logs")), {page: "job", id: "x", tab: "logs"});
});

test("words of a fixed set, and lists", () => {
  assert.equal(oneOf("b", ["a", "b"], "a"), "b");
  assert.equal(oneOf("x", ["a", "b"], "a"), "a");
  assert.deepEqual(listOf("a,,b"), ["a", "b"]);
  assert.deepEqual(listOf(undefined), []);
});

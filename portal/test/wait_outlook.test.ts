import assert from "node:assert/strict";
import test from "node:test";
import {waitOutlook} from "../src/pure/wait_outlook";

const GIB = 1024 ** 3;
const backend = {
  memory_bytes: {used: 12 * GIB, total: 16 * GIB},
  gpus: {used: 4, total: 4},
  applications: {waiting: 1},
  waiting_jobs: [{name: "bert", reason: "it needs 2 GPUs, and 0 are free"}],
};
const prod = {
  queue: "root.prod",
  leaf: true,
  used_share: 1.1,
  capacity_share: 0.4,
  maximum_share: 1,
  waiting: 0,
  waiting_jobs: [],
};

test("without a queue, the use of the backend and the first waiting job are named", () => {
  assert.equal(
    waitOutlook(backend, [], ""),
    "In use: memory 75% (12 GiB of 16 GiB), GPUs 100% (4 of 4); 1 application waits: bert, because it needs 2 GPUs, " +
      "and 0 are free.",
  );
  assert.equal(
    waitOutlook({memory_bytes: null, gpus: null, applications: null, waiting_jobs: null}, [], ""),
    "In use: not known; no application waits.",
  );
});

test("a queue is found by its path and by its last part", () => {
  const text = "The queue root.prod uses 110% of 40%, at most 100%; no application waits.";
  assert.equal(waitOutlook(backend, [prod], "root.prod"), text);
  assert.equal(waitOutlook(backend, [prod], "prod"), text);
});

test("a queue that does not exist is named", () => {
  assert.equal(
    waitOutlook(backend, [prod, {...prod, queue: "root", leaf: false}], "rod"),
    "There is no queue rod to which jobs can be submitted.",
  );
});

import assert from "node:assert/strict";
import test from "node:test";
import {setsOf, sizeText, valueOfField, type RoleSize} from "../src/pure/job_edits";
import {submitCommand} from "../src/pure/shell_command";

const WORKER: RoleSize = {role: "worker", min: 2, max: 2, memory_bytes: 3 * 2 ** 29, vcores: 1, gpus: 0};

test("fields are written as in a job file", () => {
  assert.equal(valueOfField(WORKER, "memory"), "1536MiB");
  assert.equal(valueOfField({...WORKER, memory_bytes: 2 ** 31}, "memory"), "2GiB");
  assert.equal(valueOfField({...WORKER, memory_bytes: 1000}, "memory"), "1000");
  assert.equal(valueOfField({...WORKER, max: 4}, "instances"), "{min: 2, max: 4}");
});

test("only changed fields become changes of the job file", () => {
  assert.deepEqual(setsOf([WORKER], {}), []);
  const edits = {"roles.worker.memory": " 2GiB ", "roles.worker.instances": "2", "roles.worker.vcores": ""};
  assert.deepEqual(setsOf([WORKER], edits), ["roles.worker.memory=2GiB"]);
});

test("the size of a role is one clause", () => {
  assert.equal(sizeText(WORKER), "2 tasks of worker, each with 1536MiB, 1 vcore");
  assert.equal(
    sizeText({...WORKER, min: 1, max: 1, gpus: 2, vcores: 4}),
    "1 task of worker, each with 1536MiB, 4 vcores, 2 GPUs",
  );
});

test("the command has each change, quoted for a shell", () => {
  assert.equal(
    submitCommand("local", ["roles.w.memory=2GiB", "roles.w.instances={min: 1, max: 2}"]),
    "howdah submit job.yaml --set roles.w.memory=2GiB --set 'roles.w.instances={min: 1, max: 2}' --on local",
  );
});

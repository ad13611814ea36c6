import assert from "node:assert/strict";
import { test } from "node:test";

import { createWriteBuffer } from "../index.js";

const NEVER_MS = 1_000_000_000;

/** A store whose writes are ended by hand. */
function store() {
  const writes = [];
  const write = (rows) => new Promise((stored, failed) => writes.push({ rows, stored, failed }));
  return { writes, write };
}

const turn = () => new Promise(setImmediate);

test("rows are written when there are enough of them, in their order", async () => {
  const { writes, write } = store();
  const { add, flush } = createWriteBuffer(write, { count: 3, milliseconds: NEVER_MS });
  for (let row = 1; row <= 7; row++) add(row);
  await turn();
  assert.deepEqual(
    writes.map(({ rows }) => rows),
    [
      [1, 2, 3],
      [4, 5, 6],
    ],
  );
  flush();
  await turn();
  assert.deepEqual(
    writes.map(({ rows }) => rows),
    [[1, 2, 3], [4, 5, 6], [7]],
  );
});

test("a row is acknowledged when it is stored, and not before", async () => {
  const { writes, write } = store();
  const { add } = createWriteBuffer(write, { count: 2, milliseconds: NEVER_MS });
  const acknowledged = [];
  const both = ["a", "b"].map((row) => add(row).then(() => acknowledged.push(row)));
  await turn();
  assert.equal(writes.length, 1);
  assert.deepEqual(acknowledged, []);
  writes[0].stored();
  await Promise.all(both);
  assert.deepEqual(acknowledged, ["a", "b"]);
});

test("fewer rows are written when the first has waited long enough", async () => {
  const { add } = createWriteBuffer(async (rows) => rows.length, { count: 100, milliseconds: 1 });
  assert.equal(await Promise.race([add("a"), add("b")]), 2);
});

test("a batch does not wait for the one before it, and fails alone", async () => {
  const { writes, write } = store();
  const { add } = createWriteBuffer(write, { count: 1, milliseconds: NEVER_MS });
  const [first, second] = [add("a"), add("b")];
  await turn();
  assert.equal(writes.length, 2);
  writes[1].stored();
  await second;
  writes[0].failed(new Error("disk full"));
  await assert.rejects(first, /disk full/);
});

test("whoever waits for a write that fails is told, each of them", async () => {
  const { add } = createWriteBuffer(
    () => {
      throw new Error("no connection");
    },
    { count: 2, milliseconds: NEVER_MS },
  );
  const settled = await Promise.allSettled([add("a"), add("b")]);
  assert.deepEqual(
    settled.map(({ reason }) => reason.message),
    ["no connection", "no connection"],
  );
});

test("there may be nothing to flush", async () => {
  const { writes, write } = store();
  await createWriteBuffer(write, { count: 1, milliseconds: 1 }).flush();
  assert.equal(writes.length, 0);
});

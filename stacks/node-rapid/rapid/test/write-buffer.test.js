import assert from "node:assert/strict";
import { test } from "node:test";

import { serve } from "../fixtures/server.js";
import { answer, createWriteBuffer } from "../index.js";

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

test("no more than so many writes are under way, and batches fill up meanwhile", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { writes, write } = store();
  const { add } = createWriteBuffer(write, { count: 3, milliseconds: 5, writesAtOnce: 2 });
  const written = () => writes.map(({ rows }) => rows);
  const due = async () => {
    t.mock.timers.tick(5);
    await turn();
  };
  for (const row of ["a", "b", "c", "d"]) {
    add(row);
    await due();
  }
  assert.deepEqual(written(), [["a"], ["b"]], "what is due waits for a write to end");
  for (const row of ["e", "f"]) add(row);
  writes[0].stored();
  await turn();
  assert.deepEqual(written(), [["a"], ["b"], ["c", "d", "e"]]);
  writes[1].failed(new Error("disk full"));
  await due();
  assert.deepEqual(
    written(),
    [["a"], ["b"], ["c", "d", "e"], ["f"]],
    "a write that fails makes room as well",
  );
});

test("rows beyond the most that may be held are refused with 503, until some are stored", async () => {
  const { writes, write } = store();
  const { add, flush } = createWriteBuffer(write, {
    count: 2,
    milliseconds: NEVER_MS,
    writesAtOnce: 1,
    mostRows: 4,
  });
  const held = ["a", "b", "c", "d"].map((row) => add(row));
  await assert.rejects(
    add("e"),
    (error) => error.status === 503 && error.answer.headers["retry-after"] === "1",
  );
  await turn();
  writes[0].stored();
  await Promise.all(held.slice(0, 2));
  add("f");
  await turn();
  writes[1].stored();
  await Promise.all(held);
  assert.deepEqual(
    writes.map(({ rows }) => rows),
    [
      ["a", "b"],
      ["c", "d"],
    ],
  );
  flush(); // ends the timer
});

test("a writer may do with its rows what it likes", async () => {
  const { add } = createWriteBuffer(async (rows) => rows.splice(0), {
    count: 2,
    milliseconds: NEVER_MS,
    mostRows: 2,
  });
  for (let batch = 0; batch < 3; batch++) await Promise.all([add("a"), add("b")]);
});

test("flush waits for all that was added before: under way, full and filling", async () => {
  const { writes, write } = store();
  const { add, flush } = createWriteBuffer(write, { count: 2, milliseconds: NEVER_MS, writesAtOnce: 1 });
  const rows = ["a", "b", "c", "d", "e"].map((row) => add(row));
  let flushed = false;
  const flushing = flush().then(() => (flushed = true));
  for (let i = 0; i < 3; i++) {
    await turn();
    assert.equal(flushed, false);
    writes[i].stored();
  }
  await flushing;
  await Promise.all(rows);
  assert.deepEqual(
    writes.map(({ rows }) => rows),
    [["a", "b"], ["c", "d"], ["e"]],
  );
});

test("flush does not reject: whoever added a row is told", async () => {
  const { add, flush } = createWriteBuffer(() => Promise.reject(new Error("disk full")), {
    count: 2,
    milliseconds: NEVER_MS,
  });
  const row = add("a");
  await flush();
  await assert.rejects(row, /disk full/);
});

test("at a shutdown, who waits for a batch is answered when it is flushed", async () => {
  const buffer = createWriteBuffer(async () => {}, { count: 100, milliseconds: NEVER_MS });
  let arrived;
  const waits = new Promise((resolve) => (arrived = resolve));
  const { server, ask } = await serve({
    "POST /rows": async () => {
      const stored = buffer.add("row");
      arrived();
      await stored;
      return answer({ status: 201 });
    },
  });
  const asked = ask("/rows", { method: "POST", headers: { connection: "close" } });
  await waits;
  const closed = new Promise((resolve) => server.close(resolve));
  buffer.flush();
  assert.equal((await asked).status, 201);
  await closed;
});

for (const options of [
  { count: 0, milliseconds: 1 },
  { count: 1.5, milliseconds: 1 },
  { milliseconds: 1 },
  { count: 1 },
  { count: 1, milliseconds: -1 },
  { count: 1, milliseconds: 1, writesAtOnce: 0 },
  { count: 8, milliseconds: 1, mostRows: 7 },
]) {
  test(`${JSON.stringify(options)} are no options`, () => {
    assert.throws(() => createWriteBuffer(async () => {}, options), RangeError);
  });
}

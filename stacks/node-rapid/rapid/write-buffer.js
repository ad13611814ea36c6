// Rows of several requests, written together and acknowledged when they are stored.

import { HttpError } from "./http-error.js";

/**
 * `write(rows)` resolves when all of them are stored. They are given to it when `count` of them wait, or the first of
 * them has waited for `milliseconds`. A batch does not wait for the one before it until `writesAtOnce` are under way;
 * while they are, waiting batches fill up. Beyond `mostRows` that wait or are being written, rows are refused.
 *
 * Gives `add(row)`, which resolves when this row is stored, rejects if the write that held it failed, and rejects with
 * an HttpError of status 503 if the row was refused; and `flush()`, which writes what waits without waiting for more, and
 * resolves when every row that was added before is stored or has failed. It never rejects: whoever added a row is told.
 *
 * Throws a RangeError for a number that is no whole one, or too small; `mostRows` is at least `count`.
 */
export function createWriteBuffer(write, { count, milliseconds, writesAtOnce = 8, mostRows = 10_000 }) {
  wholeNumber("count", count, 1);
  wholeNumber("milliseconds", milliseconds, 0);
  wholeNumber("writesAtOnce", writesAtOnce, 1);
  wholeNumber("mostRows", mostRows, count);

  const full = []; // batches that wait until they may be written, in their order
  const underWay = new Set();
  let filling; // the batch that rows are added to
  let held = 0; // rows that were added and are neither stored nor failed

  function add(row) {
    if (held >= mostRows) return Promise.reject(new HttpError(503, { headers: { "retry-after": "1" } }));
    held++;
    filling ??= newBatch();
    const { rows, stored } = filling;
    if (rows.push(row) >= count) {
      full.push(filling);
      filling = undefined;
      writeDue();
    }
    return stored;
  }

  function newBatch() {
    const batch = { rows: [], due: false };
    batch.stored = new Promise((begin) => (batch.begin = begin)).then(write);
    const ended = () => end(batch);
    batch.stored.then(ended, ended); // before anybody who added a row goes on, as the next may need the room
    batch.timer = setTimeout(makeDue, milliseconds, batch);
    return batch;
  }

  function makeDue(batch) {
    batch.due = true;
    writeDue();
  }

  function writeDue() {
    while (underWay.size < writesAtOnce && (full.length > 0 || filling?.due)) {
      const batch = full.shift() ?? filling;
      if (batch === filling) filling = undefined;
      clearTimeout(batch.timer);
      underWay.add(batch);
      batch.size = batch.rows.length; // the array is the writer's from here on
      batch.begin(batch.rows);
    }
  }

  function end(batch) {
    underWay.delete(batch);
    held -= batch.size;
    writeDue();
  }

  async function flush() {
    if (filling !== undefined) makeDue(filling);
    const batches = filling === undefined ? [...underWay, ...full] : [...underWay, ...full, filling];
    await Promise.allSettled(batches.map(({ stored }) => stored));
  }

  return { add, flush };
}

function wholeNumber(name, value, least) {
  if (!Number.isSafeInteger(value) || value < least)
    throw new RangeError(`${name} must be a whole number from ${least}, not ${String(value)}`);
}

// Rows of several requests, written together.

const LONGEST_WAIT_MS = 5;

/** Gives `add(row)`, which resolves once `write(rows)` has written this row and those that came with it. */
export function createBatcher(write, batchSize) {
  let batch;

  function flush() {
    const { rows, written, timer } = batch;
    batch = undefined;
    clearTimeout(timer);
    written(write(rows));
  }

  return function add(row) {
    batch ??= newBatch(flush);
    const { promise, rows } = batch;
    rows.push(row);
    if (rows.length >= batchSize) flush();
    return promise;
  };
}

function newBatch(flush) {
  let written;
  const promise = new Promise((resolve) => (written = resolve));
  return { rows: [], promise, written, timer: setTimeout(flush, LONGEST_WAIT_MS) };
}
